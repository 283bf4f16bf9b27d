/* CONS: the trapezoidal rule, GO10 before (12): ga3 with Newmark(1/4, 1/2), where a_n = v'_n.
 *
 *   v_{n+1} - v_n = -(h/2) M^-1 (Q_n + Q_{n+1}),  Q = g + B^T lambda,
 *   increment = (h/2) (v_n + v_{n+1}),  Phi(q_{n+1}, t_{n+1}) = 0.
 *
 * The method's own accelerations go on in `a`. Its own multipliers are not damped (a double
 * eigenvalue -1 of the error recursion, ACB15 (46)) and are kept in memory only: of the last step
 * first, then of the one before. The state shows lambda and v' from the equations of motion. */
#include "base/numeric.h"
#include "midpoint.h"

static int multipliers(const cardan_system *system)
{
    return system->m + system->l;
}

int cd_trapezoidal_memory(const cardan_system *system)
{
    return 2 * multipliers(system);
}

static void keep_multipliers(int m, int l, const cd_state *state, double *memory)
{
    cd_copy(m, state->lambda, memory);
    cd_copy(l, state->psi, memory + m);
}

cardan_status cd_trapezoidal_finish(cd_step *step)
{
    const cardan_system *system = step->system;
    const int m = system->m, l = system->l;
    double *last = step->memory, *earlier = last + multipliers(system);
    cd_state *next = step->next;
    if (step->before != NULL)
        cd_copy(multipliers(system), last, earlier);
    else
        keep_multipliers(m, l, step->old, earlier);
    keep_multipliers(m, l, next, last);
    const cardan_point at = cd_state_point(next);
    return cd_consistent_accelerations(step->consistent, &at, next->vdot, next->lambda, next->psi);
}

void cd_trapezoidal_show(const cd_step *step, const cd_state *now, cardan_state *view)
{
    view->stage = step->memory;
    view->stages = 1;
    view->stage_time[0] = now->t;
}

/* sum += -increment^T Q / 2 at a state with the multipliers of the method; the increment of a step
 * is not kept. */
static cardan_status add_half_work(cd_step *step, const cd_state *state, const double *own,
                                   double *sum)
{
    cardan_point at = cd_state_point(state);
    at.lambda = own;
    at.psi = own + step->system->m;
    double *forces = step->scratch;
    cardan_status status = cd_system_equations(step->ws, &at, &(cd_equations){.forces = forces});
    for (int i = 0; i < step->system->k; i++)
        *sum -= 0.25 * step->next->h * (step->old->v[i] + step->next->v[i]) * forces[i];
    return status;
}

cardan_status cd_trapezoidal_energy(cd_step *step, double *change)
{
    *change = 0.0;
    const double *last = step->memory, *earlier = last + multipliers(step->system);
    cardan_status status = add_half_work(step, step->old, earlier, change);
    return status == CARDAN_OK ? add_half_work(step, step->next, last, change) : status;
}

/* CONS: the implicit midpoint rule; midpoint.h has the equations, scheme.h the functions. */
#include "midpoint.h"

#include "base/numeric.h"
#include "ga.h"

const cardan_params cd_trapezoidal_params = {.beta = 0.25, .gamma = 0.5};

cd_midpoint cd_midpoint_of(const cd_step *step)
{
    const int k = step->system->k;
    cd_midpoint mid = {.q = step->memory};
    mid.v = mid.q + cardan_group_size(step->system->group);
    mid.vdot = mid.v + k;
    mid.half = mid.vdot + k;
    mid.multipliers = mid.half + k;
    return mid;
}

int cd_midpoint_memory(const cardan_system *system)
{
    return cardan_group_size(system->group) + 3 * system->k + system->m + system->l;
}

cardan_point cd_midpoint_point(const cd_step *step)
{
    const cd_midpoint mid = cd_midpoint_of(step);
    return (cardan_point){step->t1 - 0.5 * step->h, mid.q,          mid.v, mid.vdot,
                          step->next->lambda,       step->next->psi};
}

/* The first terms are taken at t_{n+1}, the others in the middle. */
enum { END_TERMS = 3 };

static int list_terms(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k, nonholonomic = step->system->k + step->system->m;
    const double h = step->h;
    int n = 0;
    terms[n++] = (cd_term){CD_POSITION_Q, k, 0, 2.0, true, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_V, nonholonomic, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_Q, nonholonomic, 0, h, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_V, 0, 0, 0.5 * h, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_Q, 0, 0, h * h, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, 0, nonholonomic, 1.0, false, 0};
    return n;
}

/* Computes all that follows from v_{n+1}, the iterate: the middle, the increment and q_{n+1}. */
static void compute_motion(cd_step *step)
{
    const cd_state *old = step->old;
    cd_state *next = step->next;
    const cd_midpoint mid = cd_midpoint_of(step);
    const cardan_group *group = step->system->group;
    const int k = step->system->k;
    for (int i = 0; i < k; i++) {
        mid.v[i] = 0.5 * (old->v[i] + next->v[i]);
        mid.vdot[i] = (next->v[i] - old->v[i]) / step->h;
        step->increment[i] = step->h * mid.v[i];
    }
    cd_ga_add_bracket(step);
    for (int i = 0; i < k; i++)
        mid.half[i] = 0.5 * step->increment[i];
    cardan_group_update(group, old->q, mid.half, mid.q);
    cardan_group_update(group, old->q, step->increment, next->q);
}

/* The value in the middle of the step on the line through the last two states. */
static double extrapolate(const cd_step *step, const double *last, const double *before, int i)
{
    const double slope = before != NULL ? (last[i] - before[i]) / step->old->h : 0.0;
    return last[i] + 0.5 * step->h * slope;
}

cardan_status cd_midpoint_begin(cd_step *step)
{
    const cd_state *old = step->old, *before = step->before;
    cd_state *next = step->next;
    const cardan_system *system = step->system;
    for (int i = 0; i < system->k; i++)
        next->v[i] =
            old->v[i] + step->h * extrapolate(step, old->vdot, before ? before->vdot : NULL, i);
    for (int i = 0; i < system->m; i++)
        next->lambda[i] = extrapolate(step, old->lambda, before ? before->lambda : NULL, i);
    for (int i = 0; i < system->l; i++)
        next->psi[i] = extrapolate(step, old->psi, before ? before->psi : NULL, i);
    next->t = step->t1;
    next->h = step->h;
    compute_motion(step);
    return CARDAN_OK;
}

static cardan_status residual(cd_step *step, double *out)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m;
    const cardan_point middle = cd_midpoint_point(step), end = cd_state_point(step->next);
    cardan_status status = cd_system_equations(step->ws, &middle, &(cd_equations){.dynamics = out});
    const cd_equations wanted = {.position = out + k, .nonholonomic = out + k + m};
    if (status == CARDAN_OK)
        status = cd_system_equations(step->ws, &end, &wanted);
    cd_scale(k, step->h * step->h, out);
    cd_scale(m, 2.0, out + k);
    cd_scale(system->l, step->h, out + k + m);
    return status;
}

/* The residual has left B and K of t_{n+1} in the workspace. */
static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const cd_midpoint mid = cd_midpoint_of(step);
    const cd_map to_end = cd_ga_map(step, 0.5);
    const cd_map to_middle = {mid.half, 0.25, step->old->v, 0.5 * to_end.weight, NULL};
    const cardan_point middle = cd_midpoint_point(step), end = cd_state_point(step->next);
    cardan_status status = cd_system_assemble(step->ws, &end, &to_end, terms, END_TERMS, matrix);
    if (status == CARDAN_OK)
        status = cd_system_equations(step->ws, &middle, &(cd_equations){0});
    if (status == CARDAN_OK)
        status = cd_system_assemble(step->ws, &middle, &to_middle, terms + END_TERMS,
                                    count - END_TERMS, matrix);
    return status;
}

static void correct(cd_step *step, const double *dx, double factor)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m;
    const double per_h = factor / step->h, per_h2 = per_h / step->h;
    cd_add(k, per_h, dx, step->next->v);
    cd_add(m, per_h2, dx + k, step->next->lambda);
    cd_add(system->l, per_h2, dx + k + m, step->next->psi);
    compute_motion(step);
}

/* Tolerances as for ga3. These methods are chosen for what they conserve, and the errors that each
 * step's corrector leaves add up in that: below the tolerances, the iteration continues as long as
 * corrections get smaller, down to rounding (the corrector's threshold is 64 rounding levels). */
void cd_midpoint_weigh(cd_step *step, double *weights, cd_rounding *rounding)
{
    const cardan_system *system = step->system;
    const int k = system->k, multipliers = system->m + system->l;
    cd_ga_weigh(step, system->m > 0, weights, rounding);
    const double unit = rounding->size[0], multiplier = rounding->size[1];
    for (int i = 0; i < k + multipliers; i++)
        rounding->each[i] = fmax(i < k ? unit : multiplier, weights[i] / 64.0);
    cd_fill(k, unit, weights);
}

void cd_midpoint_name_row(cd_step *step, int row, char *text, int size)
{
    const int k = step->system->k;
    const cd_ga_rows first = {.position = k, .nonholonomic = k + step->system->m};
    cd_ga_name_row(step, first, row, text, size);
}

cardan_status cd_midpoint_finish(cd_step *step)
{
    const cardan_system *system = step->system;
    const cd_midpoint mid = cd_midpoint_of(step);
    cd_state *next = step->next;
    cd_copy(system->m, next->lambda, mid.multipliers);
    cd_copy(system->l, next->psi, mid.multipliers + system->m);
    cd_copy(system->k, mid.vdot, next->vdot);
    const cardan_point at = cd_state_point(next);
    cardan_status status =
        cd_consistent_accelerations(step->consistent, &at, next->vdot, next->lambda, next->psi);
    cd_copy(system->k, next->vdot, next->a);
    return status;
}

void cd_midpoint_show_stages(const cd_step *step, const cd_state *now, cardan_state *view)
{
    view->stage = cd_midpoint_of(step).multipliers;
    view->stages = 1;
    view->stage_time[0] = now->t - 0.5 * now->h;
}

const cd_scheme cd_scheme_midpoint = {
    .name = "midpoint",
    .summary = "implicit midpoint rule, position constraints at the end of the step (GO10 (13))",
    .memory = cd_midpoint_memory,
    .begin = cd_midpoint_begin,
    CD_MIDPOINT_FUNCTIONS,
};

/* Newton's method for v' and multipliers at a state, also with redundant constraints. */
#include "base/error.h"
#include "base/numeric.h"
#include "border.h"
#include "linearise.h"

enum { MAX_ITERATIONS = 25 };

/* x = -(dynamics, B v' + bias, K v' + bias), a right-hand side; `bias` is scratch. */
static cardan_status find_residual(const cd_border *s, const cardan_point *at, double *bias,
                                   double *x)
{
    const int k = s->k;
    cardan_status status = cd_system_bias(s->ws, at, bias, bias + s->system->m);
    if (status == CARDAN_OK)
        status = cd_system_equations(s->ws, at, &(cd_equations){.dynamics = x});
    if (status != CARDAN_OK)
        return status;
    cd_system_constrain(s->ws, at->vdot, x + k);
    cd_add(s->n - k, 1.0, bias, x + k);
    cd_scale(s->n, -1.0, x);
    return CARDAN_OK;
}

/* Is a correction no larger than the rounding error of the value that it was added to? */
static bool is_rounding(int n, const double *step, const double *value)
{
    return cd_max_abs(n, step) <= 1e-12 * (1.0 + cd_max_abs(n, value));
}

cardan_status cd_accelerations(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                               const cardan_point *at, double *vdot, double *lambda, double *psi,
                               cardan_error *error)
{
    const int k = system->k, m = system->m, l = system->l;
    const bool linear = !system->def.force_depends_on_lambda && !system->def.force_depends_on_psi;
    const cardan_point now = {at->t, at->q, at->v, vdot, lambda, psi};
    double *bias = cd_arena_doubles(arena, m + l), *x = cd_arena_doubles(arena, k + m + l);
    cd_border s;
    if (!cd_border_create(&s, arena, ws, system, false, error))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for accelerations and multipliers");
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        cardan_status status = find_residual(&s, &now, bias, x);
        if (status == CARDAN_OK)
            status = cd_border_solve(&s, &now, 1.0, 0.0, x);
        if (status != CARDAN_OK)
            return status;
        cd_add(k, 1.0, x, vdot);
        cd_add(m, 1.0, x + k, lambda);
        cd_add(l, 1.0, x + k + m, psi);
        /* For linear equations the second iteration is iterative refinement. */
        if ((linear && i > 0) || (is_rounding(k, x, vdot) && is_rounding(m, x + k, lambda) &&
                                  is_rounding(l, x + k + m, psi)))
            return CARDAN_OK;
    }
    return cd_fail(error, CARDAN_NOT_CONVERGED,
                   "at t = %.9g no accelerations and multipliers satisfy the equations of motion; "
                   "the force depends too strongly on the multipliers",
                   at->t);
}

/* HHT: the method of Hilber, Hughes and Taylor for systems without constraints, JN07 (2.2).
 *
 * It is the generalized-alpha recursion of ga.h with alpha_m = 0 and alpha_f = -alpha, for which
 * the driver's change of the step size is JN07 (2.3). Unknowns x of ga.h; rows: h^2 times the
 * dynamics. */
#include "hht.h"

#include "base/error.h"
#include "base/numeric.h"

#include <math.h>

static cardan_status check(const cd_step *step, cardan_error *error)
{
    if (step->system->m > 0 || step->system->l > 0)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "hht is for systems without constraints and this one has %d holonomic and "
                       "%d nonholonomic ones; use hht3 for holonomic and hht2 for nonholonomic "
                       "constraints, ga2s for both",
                       step->system->m, step->system->l);
    return cd_hht_check_params(step, error);
}

static int unknowns(const cardan_system *system)
{
    return system->k;
}

static int terms_of(const cd_step *step, cd_term *terms)
{
    const double h = step->h;
    terms[0] =
        (cd_term){CD_DYNAMICS_VDOT, 0, 0, cd_ga_acceleration_weight(&step->params), false, 0};
    terms[1] = (cd_term){CD_DYNAMICS_V, 0, 0, h, false, 0};
    terms[2] = (cd_term){CD_DYNAMICS_Q, 0, 0, h * h, true, 0};
    return 3;
}

static cardan_status begin(cd_step *step)
{
    cd_ga_predict(step, false);
    return CARDAN_OK;
}

static cardan_status residual(cd_step *step, double *out)
{
    const cardan_point at = cd_state_point(step->next);
    cardan_status status = cd_system_residual(step->ws, &at, &(cd_equations){.dynamics = out});
    cd_scale(step->system->k, step->h * step->h, out);
    return status;
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const cardan_point at = cd_state_point(step->next);
    const cd_map map = {step->increment, step->params.beta / step->params.gamma, step->old->v,
                        step->magnus ? step->h / 12.0 : 0.0, NULL};
    cd_ga_find_increment(step);
    return cd_system_assemble(step->ws, &at, &map, terms, count, matrix);
}

static void correct(cd_step *step, const double *dx, double factor)
{
    cd_ga_correct(step, &(cd_ga_change){.x = dx, .lambda = dx, .psi = dx}, factor);
}

static void weigh(cd_step *step, double *weights, cd_rounding *rounding)
{
    const double unit = cd_ga_velocity_rounding(step);
    cd_ga_weigh_motion(step, INFINITY, unit, weights);
    cd_rounding_add(rounding, step->system->k, unit);
}

const cd_scheme cd_scheme_hht = {
    .name = "hht",
    .summary = "HHT-alpha for systems without constraints (JN07 (2.2), (2.3))",
    .estimates = true,
    .begins_trapezoidal = true,
    .check = check,
    .unknowns = unknowns,
    .terms = terms_of,
    .predicts = true,
    .begin = begin,
    .residual = residual,
    .assemble = assemble,
    .correct = correct,
    .weigh = weigh,
    .name_row = cd_ga_name_velocity_row,
};

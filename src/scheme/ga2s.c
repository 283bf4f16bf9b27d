/* GA2S: the Lie-group generalized-alpha method for the stabilised index-2 form, ACB15 (58).
 *
 * Unknowns (x, p, y, h^2 lambda, h^2 psi) of ga.h. Rows: h^2 times the dynamics; the relation
 * between p, x and y, whose residual is always zero; Phi; h times the velocity constraints. */
#include "base/numeric.h"
#include "scheme/ga.h"

static cardan_status check(const cd_step *step, cardan_error *error)
{
    return cd_ga_check(&step->params, error);
}

static int unknowns(const cardan_system *system)
{
    return 2 * system->k + 2 * system->m + system->l;
}

static int terms_of(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k, m = step->system->m;
    const cardan_params *params = &step->params;
    const double h = step->h;
    const int position = 2 * k, hidden = 2 * k + m, rolling = 2 * k + 2 * m; /* rows and columns */
    int n = 0;
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, cd_ga_acceleration_weight(params), false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_V, 0, 0, h, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_Q, 0, k, h * h, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_LAMBDA, 0, hidden, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, 0, rolling, 1.0, false, 0};
    terms[n++] = (cd_term){CD_IDENTITY, k, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_IDENTITY, k, 0, -params->beta / params->gamma, false, 0};
    terms[n++] = (cd_term){CD_BRACKET, k, 0, step->magnus ? -h / 12.0 : 0.0, false, 0};
    terms[n++] = (cd_term){CD_ANCHORED_REACTION, k, position, 1.0, false, 0};
    terms[n++] = (cd_term){CD_POSITION_Q, position, k, 1.0, true, 0};
    terms[n++] = (cd_term){CD_HIDDEN_V, hidden, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_HIDDEN_Q, hidden, k, h, true, 0};
    terms[n++] = (cd_term){CD_ROLLING_V, rolling, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_ROLLING_Q, rolling, k, h, true, 0};
    return n;
}

static cardan_status begin(cd_step *step)
{
    const cardan_point at = cd_state_point(step->old);
    cardan_status status = cd_system_anchor(step->ws, &at);
    if (status == CARDAN_OK)
        cd_ga_predict(step, true);
    return status;
}

static cardan_status residual(cd_step *step, double *out)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m;
    const cardan_point at = cd_state_point(step->next);
    const cd_equations wanted = {.dynamics = out,
                                 .position = out + 2 * k,
                                 .hidden = out + 2 * k + m,
                                 .rolling = out + 2 * k + 2 * m};
    cardan_status status = cd_system_equations(step->ws, &at, &wanted);
    if (status != CARDAN_OK)
        return status;
    cd_scale(k, step->h * step->h, out);
    cd_zero(k, out + k);
    cd_scale(m + system->l, step->h, out + 2 * k + m);
    return CARDAN_OK;
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const cardan_point at = cd_state_point(step->next);
    const cd_map map = {step->increment, 1.0, step->old->v, 0.0};
    return cd_system_assemble(step->ws, &at, &map, terms, count, matrix);
}

static void correct(cd_step *step, const double *dx, double factor)
{
    const int k = step->system->k, m = step->system->m;
    cd_ga_correct(step, dx, dx + 2 * k + m, dx + 2 * k + 2 * m, factor);
    cd_add(m, factor / step->h, dx + 2 * k, step->next->eta);
    cd_ga_follow(step, true);
}

static void weigh(cd_step *step, double *weights, double *rounding)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m, rest = 2 * system->m + system->l;
    const double unit = cd_ga_velocity_rounding(step);
    double mass, jacobian, finest = INFINITY;
    cd_system_scales(step->ws, &mass, &jacobian);
    cd_ga_weigh_motion(step, INFINITY, unit, weights, rounding);
    for (int i = 0; i < k; i++) {
        rounding[k + i] = cd_ga_position_rounding(step);
        weights[k + i] = cd_ga_position_allowance(step, i) + rounding[k + i];
        finest = fmin(finest, weights[k + i]);
    }
    cd_fill(m, jacobian > 0.0 ? finest / jacobian : finest, weights + 2 * k);
    cd_fill(m + system->l, cd_ga_multiplier_allowance(step) + cd_ga_multiplier_gain(step) * unit,
            weights + 2 * k + m);
    cd_zero(rest, rounding + 2 * k);
}

static void name_row(cd_step *step, int row, char *text, int size)
{
    const int k = step->system->k, m = step->system->m;
    if (row < 2 * k)
        cd_ga_name_velocity_row(step, row % k, text, size);
    else if (row < 2 * k + m)
        cd_ga_name_constraint_row(step, row - 2 * k, "", text, size);
    else if (row < 2 * k + 2 * m)
        cd_ga_name_constraint_row(step, row - 2 * k - m, " at velocity level", text, size);
    else
        cd_ga_name_rolling_row(step, row - 2 * k - 2 * m, text, size);
}

const cd_scheme cd_scheme_ga2s = {
    .name = "ga2s",
    .summary = "generalized-alpha for the stabilised index-2 form, position and velocity "
               "constraints (ACB15 (58))",
    .check = check,
    .unknowns = unknowns,
    .terms = terms_of,
    .begin = begin,
    .residual = residual,
    .assemble = assemble,
    .correct = correct,
    .weigh = weigh,
    .name_row = name_row,
};

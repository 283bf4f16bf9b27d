/* GA3, GA2, GA1: the Lie-group generalized-alpha method for the index-3 form, ACB15 (9), and for
 * the index-reduced forms in which the constraints hold at velocity or acceleration level only
 * (ACB-R Sec. 3); these drift off linearly or quadratically in time and want a projection.
 *
 * Unknowns (x, h^2 lambda, h^2 psi) of ga.h. Rows: h^2 times the dynamics; (gamma / beta) Phi, or
 * h (B v + dPhi/dt), or h^2 (B v' + bias); h times the nonholonomic constraints. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"
#include "ga.h"
#include "midpoint.h"

/* cd_scheme.form: the level at which the constraints are enforced. */
enum { POSITION, VELOCITY, ACCELERATION };

static double ratio_of(const cardan_params *params)
{
    return params->beta / params->gamma;
}

static cardan_status check(const cd_step *step, cardan_error *error)
{
    cardan_status status = cd_ga_check(&step->params, error);
    if (status != CARDAN_OK || step->scheme->form != POSITION)
        return status;
    if (step->system->m == 0 && step->system->l > 0)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "%s is for holonomic constraints and this system has only nonholonomic "
                       "ones, %d of them; use `nonholonomic` or `ga2s`",
                       step->scheme->name, step->system->l);
    if (step->system->m > 0 && !(step->params.beta > 0.0))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "beta = %g: the index-3 form cannot enforce position constraints without "
                       "beta > 0; use ga2s",
                       step->params.beta);
    return CARDAN_OK;
}

static int unknowns(const cardan_system *system)
{
    return system->k + system->m + system->l;
}

static cd_unknowns describe(const cardan_system *system)
{
    return (cd_unknowns){.velocities = system->k};
}

static int constraint_terms(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k;
    const double h = step->h, mu = cd_ga_acceleration_weight(&step->params);
    int n = 0;
    switch (step->scheme->form) {
    case POSITION:
        terms[n++] = (cd_term){CD_POSITION_Q, k, 0, 1.0 / ratio_of(&step->params), true, 0};
        break;
    case VELOCITY:
        terms[n++] = (cd_term){CD_HIDDEN_V, k, 0, 1.0, false, 0};
        terms[n++] = (cd_term){CD_HIDDEN_Q, k, 0, h, true, 0};
        break;
    default:
        terms[n++] = (cd_term){CD_ACCELERATED_VDOT, k, 0, mu, false, 0};
        terms[n++] = (cd_term){CD_ACCELERATED_V, k, 0, h, false, 0};
        terms[n++] = (cd_term){CD_ACCELERATED_Q, k, 0, h * h, true, 0};
    }
    return n;
}

static int terms_of(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k, rolling = step->system->k + step->system->m;
    const double h = step->h, mu = cd_ga_acceleration_weight(&step->params);
    int n = 0;
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, mu, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_V, 0, 0, h, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_Q, 0, 0, h * h, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, 0, rolling, 1.0, false, 0};
    terms[n++] = (cd_term){CD_ROLLING_V, rolling, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_ROLLING_Q, rolling, 0, h, true, 0};
    return n + constraint_terms(step, terms + n);
}

static cardan_status begin(cd_step *step)
{
    cd_ga_predict(step, false);
    return CARDAN_OK;
}

static double constraint_scale(const cd_step *step)
{
    switch (step->scheme->form) {
    case POSITION:
        return step->system->m > 0 ? 1.0 / ratio_of(&step->params) : 1.0;
    case VELOCITY:
        return step->h;
    default:
        return step->h * step->h;
    }
}

static cardan_status residual(cd_step *step, double *out)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m, form = step->scheme->form;
    const cardan_point at = cd_state_point(step->next);
    const cd_equations wanted = {.dynamics = out,
                                 .position = form == POSITION ? out + k : NULL,
                                 .hidden = form == VELOCITY ? out + k : NULL,
                                 .accelerated = form == ACCELERATION ? out + k : NULL,
                                 .rolling = out + k + m,
                                 .low = step->next_low};
    cardan_status status = cd_system_residual(step->ws, &at, &wanted);
    if (status != CARDAN_OK)
        return status;
    cd_team *team = cd_workspace_team(step->ws);
    cd_shared_scale(team, k, step->h * step->h, out);
    cd_shared_scale(team, m, constraint_scale(step), out + k);
    cd_shared_scale(team, system->l, step->h, out + k + m);
    return CARDAN_OK;
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const cardan_point at = cd_state_point(step->next);
    const cd_map map = {step->increment, ratio_of(&step->params), step->old->v,
                        step->magnus ? step->h / 12.0 : 0.0, NULL};
    cd_ga_find_increment(step);
    return cd_system_assemble(step->ws, &at, &map, terms, count, matrix);
}

static void correct(cd_step *step, const double *dx, double factor)
{
    const int k = step->system->k, m = step->system->m;
    cd_ga_correct(step, &(cd_ga_change){.x = dx, .lambda = dx + k, .psi = dx + k + m}, factor);
}

static void weigh(cd_step *step, double *weights, cd_rounding *rounding)
{
    const bool by_position = step->system->m > 0 && step->scheme->form == POSITION;
    cd_ga_weigh(step, by_position, weights, rounding);
}

static void name_row(cd_step *step, int row, char *text, int size)
{
    static const char *const levels[] = {"", " at velocity level", " at acceleration level"};
    const int k = step->system->k, m = step->system->m;
    if (row < k)
        cd_ga_name_velocity_row(step, row, text, size);
    else if (row < k + m)
        cd_ga_name_constraint_row(step, row - k, levels[step->scheme->form], text, size);
    else
        cd_ga_name_rolling_row(step, row - k - m, text, size);
}

#define FUNCTIONS                                                                                  \
    .predicts = true, .check = check, .unknowns = unknowns, .describe = describe,                  \
    .terms = terms_of, .begin = begin, .residual = residual, .assemble = assemble,                 \
    .correct = correct, .weigh = weigh, .name_row = name_row

const cd_scheme cd_scheme_ga3 = {
    .name = "ga3",
    .summary = "generalized-alpha for the index-3 form, position constraints (ACB15 (9))",
    .form = POSITION,
    .settles_hidden = true,
    .keeps_low = true,
    .estimates = true,
    FUNCTIONS,
};

const cd_scheme cd_scheme_ga2 = {
    .name = "ga2",
    .summary =
        "generalized-alpha for the index-2 form, velocity constraints; drifts (ACB-R Sec. 3)",
    .form = VELOCITY,
    FUNCTIONS,
};

const cd_scheme cd_scheme_ga1 = {
    .name = "ga1",
    .summary = "generalized-alpha for the index-1 form, acceleration constraints; drifts (ACB-R "
               "Sec. 3)",
    .form = ACCELERATION,
    FUNCTIONS,
};

const cd_scheme cd_scheme_trapezoidal = {
    .name = "trapezoidal",
    .summary = "trapezoidal rule, position constraints; its multipliers are not damped (GO10 (12))",
    .form = POSITION,
    .settles_hidden = true,
    .keeps_low = true,
    .params = &cd_trapezoidal_params,
    .memory = cd_trapezoidal_memory,
    .finish = cd_trapezoidal_finish,
    .stages = 1,
    .show = cd_trapezoidal_show,
    FUNCTIONS,
};

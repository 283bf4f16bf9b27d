/* GA3, GA2, GA1, HHT and the trapezoidal rule: the Lie-group generalized-alpha method for the
 * index-3 form, ACB15 (9), and for the index-reduced forms in which the constraints hold at
 * velocity or acceleration level only (ACB-R Sec. 3); these drift off linearly or quadratically in
 * time and want a projection.
 *
 * Unknowns (x, h^2 lambda, h^2 psi) of ga.h. Rows: h^2 times the dynamics; (gamma / beta) Phi, or
 * h (B v + dPhi/dt), or h^2 (B v' + bias); h times the nonholonomic constraints. Functions named as
 * members of cd_scheme do what scheme.h says. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"
#include "hht.h"
#include "midpoint.h"

/* cd_scheme.form: the level at which the holonomic constraints are enforced. */
enum { POSITION, VELOCITY, ACCELERATION };

static double beta_over_gamma(const cardan_params *params)
{
    return params->beta / params->gamma;
}

/* Rejects systems and parameters for which the constraints do not determine a step. */
static cardan_status check(const cd_step *step, cardan_error *error)
{
    cardan_status status = cd_ga_check(step, error);
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

static cd_unknowns describe(const cardan_system *system)
{
    return (cd_unknowns){.velocities = system->k};
}

/* The terms of the rows of the holonomic constraints, whose level depends on the form. */
static int list_constraint_terms(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k;
    const double h = step->h, mu = cd_ga_acceleration_weight(&step->params);
    int n = 0;
    switch (step->scheme->form) {
    case POSITION:
        terms[n++] = (cd_term){CD_POSITION_Q, k, 0, 1.0 / beta_over_gamma(&step->params), true, 0};
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

static int list_terms(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k, nonholonomic = step->system->k + step->system->m;
    const double h = step->h, mu = cd_ga_acceleration_weight(&step->params);
    int n = 0;
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, mu, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_V, 0, 0, h, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_Q, 0, 0, h * h, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, 0, nonholonomic, 1.0, false, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_V, nonholonomic, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_Q, nonholonomic, 0, h, true, 0};
    return n + list_constraint_terms(step, terms + n);
}

static cardan_status begin(cd_step *step)
{
    cd_ga_predict(step, false);
    return CARDAN_OK;
}

/* The factor of the holonomic constraints in the residual. */
static double constraint_scale(const cd_step *step)
{
    switch (step->scheme->form) {
    case POSITION:
        return step->system->m > 0 ? 1.0 / beta_over_gamma(&step->params) : 1.0;
    case VELOCITY:
        return step->h;
    default:
        return step->h * step->h;
    }
}

/* The rows of the file's head, for the form of the method. */
static cardan_status residual(cd_step *step, double *out)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m, form = step->scheme->form;
    const cardan_point at = cd_state_point(step->next);
    const cd_equations wanted = {.dynamics = out,
                                 .position = form == POSITION ? out + k : NULL,
                                 .hidden = form == VELOCITY ? out + k : NULL,
                                 .accelerated = form == ACCELERATION ? out + k : NULL,
                                 .nonholonomic = out + k + m,
                                 .low = step->next_low};
    cardan_status status = cd_system_residual(step->ws, &at, &wanted);
    if (status != CARDAN_OK)
        return status;
    cd_team *team = cd_workspace_services(step->ws)->team;
    cd_shared_scale(team, k, step->h * step->h, out);
    cd_shared_scale(team, m, constraint_scale(step), out + k);
    cd_shared_scale(team, system->l, step->h, out + k + m);
    return CARDAN_OK;
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const cardan_point at = cd_state_point(step->next);
    const cd_map map = cd_ga_map(step, beta_over_gamma(&step->params));
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
    const int k = step->system->k, form = step->scheme->form;
    const cd_ga_rows first = {.position = form == POSITION ? k : 0,
                              .velocity = form == VELOCITY ? k : 0,
                              .acceleration = form == ACCELERATION ? k : 0,
                              .nonholonomic = k + step->system->m};
    cd_ga_name_row(step, first, row, text, size);
}

#define FUNCTIONS                                                                                  \
    .predicts = true, .unknowns = cd_ga_unknowns, .describe = describe, .terms = list_terms,       \
    .begin = begin, .residual = residual, .assemble = assemble, .correct = correct,                \
    .weigh = weigh, .name_row = name_row

const cd_scheme cd_scheme_ga3 = {
    .name = "ga3",
    .check = check,
    .summary = "generalized-alpha for the index-3 form, position constraints (ACB15 (9))",
    .form = POSITION,
    .settles_hidden = true,
    .keeps_low = true,
    .estimates = true,
    FUNCTIONS,
};

const cd_scheme cd_scheme_ga2 = {
    .name = "ga2",
    .check = check,
    .summary =
        "generalized-alpha for the index-2 form, velocity constraints; drifts (ACB-R Sec. 3)",
    .form = VELOCITY,
    FUNCTIONS,
};

const cd_scheme cd_scheme_ga1 = {
    .name = "ga1",
    .check = check,
    .summary = "generalized-alpha for the index-1 form, acceleration constraints; drifts (ACB-R "
               "Sec. 3)",
    .form = ACCELERATION,
    FUNCTIONS,
};

/* HHT: the method of Hilber, Hughes and Taylor for systems without constraints, JN07 (2.2): alpha_m
 * = 0 and alpha_f = -alpha. The driver's change of the step size is JN07 (2.3). */

static cardan_status check_hht(const cd_step *step, cardan_error *error)
{
    if (step->system->m > 0 || step->system->l > 0)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "hht is for systems without constraints and this one has %d holonomic and "
                       "%d nonholonomic ones; use hht3 for holonomic and hht2 for nonholonomic "
                       "constraints, ga2s for both",
                       step->system->m, step->system->l);
    return cd_hht_check_params(step, error);
}

const cd_scheme cd_scheme_hht = {
    .name = "hht",
    .summary = "HHT-alpha for systems without constraints (JN07 (2.2), (2.3))",
    .estimates = true,
    .begins_trapezoidal = true,
    .check = check_hht,
    FUNCTIONS,
};

/* CONS: the trapezoidal rule, GO10 before (12): Newmark(1/4, 1/2), where a_n = v'_n.
 *
 *   v_{n+1} - v_n = -(h/2) M^-1 (Q_n + Q_{n+1}),  Q = g + B^T lambda,
 *   increment = (h/2) (v_n + v_{n+1}),  Phi(q_{n+1}, t_{n+1}) = 0.
 *
 * The method's accelerations continue in `a`. Its multipliers are not damped (a double eigenvalue
 * -1 of the error recursion, ACB15 (46)): those of the last step are kept in memory, and the state
 * has lambda and v' from the equations of motion. */

static int trapezoidal_memory_size(const cardan_system *system)
{
    return system->m + system->l;
}

static cardan_status finish_trapezoidal(cd_step *step)
{
    cd_state *next = step->next;
    cd_copy(step->system->m, next->lambda, step->memory);
    cd_copy(step->system->l, next->psi, step->memory + step->system->m);
    const cardan_point at = cd_state_point(next);
    return cd_consistent_accelerations(step->consistent, &at, next->vdot, next->lambda, next->psi);
}

static void show_trapezoidal_stage(const cd_step *step, const cd_state *now, cardan_state *view)
{
    view->stage = step->memory;
    view->stages = 1;
    view->stage_time[0] = now->t;
}

const cd_scheme cd_scheme_trapezoidal = {
    .name = "trapezoidal",
    .summary = "trapezoidal rule, position constraints; its multipliers are not damped (GO10 (12))",
    .form = POSITION,
    .check = check,
    .settles_hidden = true,
    .keeps_low = true,
    .params = &cd_trapezoidal_params,
    .memory = trapezoidal_memory_size,
    .finish = finish_trapezoidal,
    .stages = 1,
    .show = show_trapezoidal_stage,
    FUNCTIONS,
};

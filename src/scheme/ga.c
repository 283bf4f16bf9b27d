/* The Lie-group generalized-alpha method, ACB15 (9), for the index-3 form (GA3) and for the
 * stabilised index-2 form (GA2S, ACB15 (58)).
 *
 * A step is determined by v'_{n+1} (then a, v and, with eta, the increment h dq and q follow), by
 * lambda, psi and eta. The unknowns of the corrector are scaled so that the iteration matrix tends
 * to (mu M  B^T; B  0) as h -> 0 (Bottasso, Bauchau, Cardona): x = h dv, h^2 dlambda, h^2 dpsi and,
 * for GA2S, p = d(h dq) and y = h deta. With mu = (1 - alpha_m) / ((1 - alpha_f) gamma):
 *
 *   dv' = mu x / h^2,   dv = x / h,   p = (beta / gamma) x - B(q_n)^T y,   dq_{n+1} = T(h dq) p.
 *
 * Rows: h^2 times the dynamics; Phi (times gamma / beta in GA3); h times the velocity constraints;
 * in GA2S the relation between p, x and y, whose residual is always zero. */
#include "base/error.h"
#include "base/numeric.h"
#include "scheme/scheme.h"

#include <float.h>
#include <stdio.h>

static double acceleration_weight(const cardan_params *p)
{
    return (1.0 - p->alpha_m) / ((1.0 - p->alpha_f) * p->gamma);
}

/* a_{n+1}, v_{n+1}, h dq and q_{n+1} from v'_{n+1} and eta, ACB15 (9a)-(9d), (58a). */
static void follow(cd_step *step, bool stabilised)
{
    const cardan_params p = step->params;
    const cd_state *old = step->old;
    cd_state *next = step->next;
    const double h = step->h;
    const int k = step->system->k;
    for (int i = 0; i < k; i++) {
        const double a0 = old->a[i];
        const double a1 =
            ((1.0 - p.alpha_f) * next->vdot[i] + p.alpha_f * old->vdot[i] - p.alpha_m * a0) /
            (1.0 - p.alpha_m);
        next->a[i] = a1;
        next->v[i] = old->v[i] + h * ((1.0 - p.gamma) * a0 + p.gamma * a1);
        step->increment[i] = h * (old->v[i] + h * ((0.5 - p.beta) * a0 + p.beta * a1));
    }
    if (stabilised) {
        cd_system_anchored_reaction(step->ws, next->eta, step->scratch);
        cd_add(k, -h, step->scratch, step->increment);
    }
    cardan_group_update(step->system->group, old->q, step->increment, next->q);
}

/* Linear extrapolation from the last two states, or the last value. */
static void extrapolate(int n, double ratio, const double *last, const double *before, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = before != NULL ? last[i] + ratio * (last[i] - before[i]) : last[i];
}

static void predict(cd_step *step, bool stabilised)
{
    const cd_state *old = step->old, *before = step->before;
    const double ratio = before != NULL ? step->h / old->h : 0.0;
    const cardan_system *system = step->system;
    extrapolate(system->k, ratio, old->vdot, before ? before->vdot : NULL, step->next->vdot);
    extrapolate(system->m, ratio, old->lambda, before ? before->lambda : NULL, step->next->lambda);
    extrapolate(system->l, ratio, old->psi, before ? before->psi : NULL, step->next->psi);
    cd_copy(system->m, old->eta, step->next->eta);
    step->next->t = step->t1;
    step->next->h = step->h;
    follow(step, stabilised);
}

static cardan_point point_of(const cd_state *state)
{
    return (cardan_point){state->t, state->q, state->v, state->vdot, state->lambda, state->psi};
}

static void scale(int n, double factor, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= factor;
}

/* What rounding leaves undetermined in positions and in h v; the form decides which of them x must
 * respect: x follows from Phi in GA3, from the velocity constraints in GA2S. */
static double position_rounding(const cd_step *step)
{
    const int size = cardan_group_size(step->system->group);
    return DBL_EPSILON * fmax(1.0, cd_max_abs(size, step->old->q));
}

static double velocity_rounding(const cd_step *step)
{
    return DBL_EPSILON * step->h * fmax(1.0, cd_max_abs(step->system->k, step->old->v));
}

/* How an error in x reaches h^2 lambda: mu M against B. */
static double multiplier_gain(const cd_step *step)
{
    double mass, jacobian;
    cd_system_scales(step->ws, &mass, &jacobian);
    return jacobian > 0.0 ? acceleration_weight(&step->params) * mass / jacobian : 0.0;
}

/* What h^2 lambda and h^2 psi may still change by, apart from rounding. */
static double multiplier_allowance(const cd_step *step)
{
    const cardan_system *system = step->system;
    const double largest =
        fmax(cd_max_abs(system->m, step->old->lambda), cd_max_abs(system->l, step->old->psi));
    return step->h * step->h * (step->multiplier.absolute + step->multiplier.relative * largest);
}

/* Position tolerance of velocity coordinate i: relative to the coordinate if it is a linear one. */
static double position_allowance(const cd_step *step, int i)
{
    const int where = step->system->coordinate[i];
    const double size = where < 0 ? 1.0 : fabs(step->old->q[where]);
    return step->position.absolute + step->position.relative * size;
}

static double velocity_allowance(const cd_step *step, int i)
{
    return step->velocity.absolute + step->velocity.relative * fabs(step->old->v[i]);
}

/* Weights of x = h dv: the finest of the velocity and the position tolerance and of `limit`. */
static void weigh_motion(cd_step *step, double limit, double unit, double *weights,
                         double *rounding)
{
    const double ratio = step->params.beta / step->params.gamma;
    for (int i = 0; i < step->system->k; i++) {
        const double by_velocity = step->h * velocity_allowance(step, i);
        const double by_position = ratio > 0.0 ? position_allowance(step, i) / ratio : by_velocity;
        rounding[i] = unit;
        weights[i] = fmin(limit, fmin(by_velocity, by_position)) + unit;
    }
}

static void fill(int n, double value, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = value;
}

static void name_velocity_row(cd_step *step, int row, char *text, int size)
{
    snprintf(text, (size_t)size, "the equation of motion of %s",
             cd_system_dof_name(step->system, row).text);
}

static void name_constraint_row(cd_step *step, int row, const char *level, char *text, int size)
{
    snprintf(text, (size_t)size, "%s%s", cd_system_constraint_name(step->system, row).text, level);
}

static void name_rolling_row(cd_step *step, int row, char *text, int size)
{
    snprintf(text, (size_t)size, "%s", cd_system_rolling_name(step->system, row).text);
}

/* The acceleration part of a correction, common to both forms: v' += mu x / h^2, and multipliers.
 */
static void correct_common(cd_step *step, const double *x, const double *lambda, const double *psi,
                           double factor)
{
    const double per_h2 = factor / (step->h * step->h);
    cd_add(step->system->k, per_h2 * acceleration_weight(&step->params), x, step->next->vdot);
    cd_add(step->system->m, per_h2, lambda, step->next->lambda);
    cd_add(step->system->l, per_h2, psi, step->next->psi);
}

static cardan_status check_common(const cardan_params *params, cardan_error *error)
{
    if (params->alpha_m == 1.0 || params->alpha_f == 1.0 || !(params->gamma > 0.0))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "alpha_m = %g, alpha_f = %g, gamma = %g: the method needs alpha_m != 1, "
                       "alpha_f != 1 and gamma > 0",
                       params->alpha_m, params->alpha_f, params->gamma);
    return CARDAN_OK;
}

/* ---- index-3 form: unknowns (x, h^2 lambda, h^2 psi) ------------------------------------------
 */

static cardan_status check_ga3(const cardan_system *system, const cardan_params *params,
                               cardan_error *error)
{
    cardan_status status = check_common(params, error);
    if (status == CARDAN_OK && system->m > 0 && !(params->beta > 0.0))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "beta = %g: the index-3 form cannot enforce position constraints without "
                       "beta > 0; use ga2s",
                       params->beta);
    return status;
}

static int unknowns_ga3(const cardan_system *system)
{
    return system->k + system->m + system->l;
}

static int terms_ga3(const cardan_system *system, const cardan_params *params, double h,
                     cd_term *terms)
{
    const int k = system->k, rolling = system->k + system->m;
    const double ratio = params->beta / params->gamma;
    int n = 0;
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, acceleration_weight(params), false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_V, 0, 0, h, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_Q, 0, 0, h * h * ratio, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, 0, rolling, 1.0, false, 0};
    terms[n++] = (cd_term){CD_POSITION_Q, k, 0, 1.0, true, 0};
    terms[n++] = (cd_term){CD_ROLLING_V, rolling, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_ROLLING_Q, rolling, 0, h * ratio, true, 0};
    return n;
}

static cardan_status begin_ga3(cd_step *step)
{
    predict(step, false);
    return CARDAN_OK;
}

static cardan_status residual_ga3(cd_step *step, double *residual)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m;
    const cardan_point at = point_of(step->next);
    const cd_equations out = {
        .dynamics = residual, .position = residual + k, .rolling = residual + k + m};
    cardan_status status = cd_system_equations(step->ws, &at, &out);
    if (status != CARDAN_OK)
        return status;
    scale(k, step->h * step->h, residual);
    if (m > 0)
        scale(m, step->params.gamma / step->params.beta, residual + k);
    scale(system->l, step->h, residual + k + m);
    return CARDAN_OK;
}

static void correct_ga3(cd_step *step, const double *dx, double factor)
{
    const int k = step->system->k, m = step->system->m;
    correct_common(step, dx, dx + k, dx + k + m, factor);
    follow(step, false);
}

/* What is left of Phi after a step comes back in later multipliers, amplified by gain / h^2 and by
 * the error recursion (ACB15 (54): theta / h^2): x must respect the multipliers' tolerance too. */
static void weigh_ga3(cd_step *step, double *weights, double *rounding)
{
    const cardan_system *system = step->system;
    const int k = system->k, multipliers = system->m + system->l;
    const double unit = system->m > 0 ? position_rounding(step) : velocity_rounding(step);
    const double gain = multiplier_gain(step), allowed = multiplier_allowance(step);
    weigh_motion(step, system->m > 0 && gain > 0.0 ? allowed / gain : INFINITY, unit, weights,
                 rounding);
    fill(multipliers, allowed + gain * unit, weights + k);
    cd_zero(multipliers, rounding + k);
}

static void name_row_ga3(cd_step *step, int row, char *text, int size)
{
    const int k = step->system->k, m = step->system->m;
    if (row < k)
        name_velocity_row(step, row, text, size);
    else if (row < k + m)
        name_constraint_row(step, row - k, "", text, size);
    else
        name_rolling_row(step, row - k - m, text, size);
}

const cd_scheme cd_scheme_ga3 = {
    .name = "ga3",
    .summary = "generalized-alpha for the index-3 form, position constraints (ACB15 (9))",
    .holds_hidden = false,
    .check = check_ga3,
    .unknowns = unknowns_ga3,
    .terms = terms_ga3,
    .begin = begin_ga3,
    .residual = residual_ga3,
    .correct = correct_ga3,
    .weigh = weigh_ga3,
    .name_row = name_row_ga3,
};

/* ---- stabilised index-2 form: unknowns (x, p, y, h^2 lambda, h^2 psi) -------------------------
 */

static cardan_status check_ga2s(const cardan_system *system, const cardan_params *params,
                                cardan_error *error)
{
    (void)system;
    return check_common(params, error);
}

static int unknowns_ga2s(const cardan_system *system)
{
    return 2 * system->k + 2 * system->m + system->l;
}

static int terms_ga2s(const cardan_system *system, const cardan_params *params, double h,
                      cd_term *terms)
{
    const int k = system->k, m = system->m;
    const int position = 2 * k, hidden = 2 * k + m, rolling = 2 * k + 2 * m; /* rows and columns */
    int n = 0;
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, acceleration_weight(params), false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_V, 0, 0, h, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_Q, 0, k, h * h, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_LAMBDA, 0, hidden, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, 0, rolling, 1.0, false, 0};
    terms[n++] = (cd_term){CD_IDENTITY, k, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_IDENTITY, k, 0, -params->beta / params->gamma, false, 0};
    terms[n++] = (cd_term){CD_ANCHORED_REACTION, k, position, 1.0, false, 0};
    terms[n++] = (cd_term){CD_POSITION_Q, position, k, 1.0, true, 0};
    terms[n++] = (cd_term){CD_HIDDEN_V, hidden, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_HIDDEN_Q, hidden, k, h, true, 0};
    terms[n++] = (cd_term){CD_ROLLING_V, rolling, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_ROLLING_Q, rolling, k, h, true, 0};
    return n;
}

static cardan_status begin_ga2s(cd_step *step)
{
    const cardan_point at = point_of(step->old);
    cardan_status status = cd_system_anchor(step->ws, &at);
    if (status == CARDAN_OK)
        predict(step, true);
    return status;
}

static cardan_status residual_ga2s(cd_step *step, double *residual)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m;
    const cardan_point at = point_of(step->next);
    const cd_equations out = {.dynamics = residual,
                              .position = residual + 2 * k,
                              .hidden = residual + 2 * k + m,
                              .rolling = residual + 2 * k + 2 * m};
    cardan_status status = cd_system_equations(step->ws, &at, &out);
    if (status != CARDAN_OK)
        return status;
    scale(k, step->h * step->h, residual);
    cd_zero(k, residual + k);
    scale(m + system->l, step->h, residual + 2 * k + m);
    return CARDAN_OK;
}

static void correct_ga2s(cd_step *step, const double *dx, double factor)
{
    const int k = step->system->k, m = step->system->m;
    correct_common(step, dx, dx + 2 * k + m, dx + 2 * k + 2 * m, factor);
    cd_add(m, factor / step->h, dx + 2 * k, step->next->eta);
    follow(step, true);
}

static void weigh_ga2s(cd_step *step, double *weights, double *rounding)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m, rest = 2 * system->m + system->l;
    const double unit = velocity_rounding(step);
    double mass, jacobian, finest = INFINITY;
    cd_system_scales(step->ws, &mass, &jacobian);
    weigh_motion(step, INFINITY, unit, weights, rounding);
    for (int i = 0; i < k; i++) {
        rounding[k + i] = position_rounding(step);
        weights[k + i] = position_allowance(step, i) + rounding[k + i];
        finest = fmin(finest, weights[k + i]);
    }
    fill(m, jacobian > 0.0 ? finest / jacobian : finest, weights + 2 * k);
    fill(m + system->l, multiplier_allowance(step) + multiplier_gain(step) * unit,
         weights + 2 * k + m);
    cd_zero(rest, rounding + 2 * k);
}

static void name_row_ga2s(cd_step *step, int row, char *text, int size)
{
    const int k = step->system->k, m = step->system->m;
    if (row < 2 * k)
        name_velocity_row(step, row % k, text, size);
    else if (row < 2 * k + m)
        name_constraint_row(step, row - 2 * k, "", text, size);
    else if (row < 2 * k + 2 * m)
        name_constraint_row(step, row - 2 * k - m, " at velocity level", text, size);
    else
        name_rolling_row(step, row - 2 * k - 2 * m, text, size);
}

const cd_scheme cd_scheme_ga2s = {
    .name = "ga2s",
    .summary = "generalized-alpha for the stabilised index-2 form, position and velocity "
               "constraints (ACB15 (58))",
    .holds_hidden = true,
    .check = check_ga2s,
    .unknowns = unknowns_ga2s,
    .terms = terms_ga2s,
    .begin = begin_ga2s,
    .residual = residual_ga2s,
    .correct = correct_ga2s,
    .weigh = weigh_ga2s,
    .name_row = name_row_ga2s,
};

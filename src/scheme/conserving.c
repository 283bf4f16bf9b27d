/* CONS: the energy-conserving scheme, GO10 (14), for constraints and potentials of any kind.
 *
 * The midpoint rule with Gonzalez' discrete gradient of F(q) = V(q) + lambda^T Phi(q) in place of
 * its derivative in the middle, for d = q_{n+1} - q_n:
 *
 *   DF = F_q(q_{n+1/2}) + s d / |d|^2,   s = F(q_{n+1}) - F(q_n) - F_q(q_{n+1/2})^T d,
 *
 * so that DF^T d = F(q_{n+1}) - F(q_n) and, with Phi = 0 at both ends, kinetic + potential energy
 * stays. s is of third order in d and vanishes for quadratic F. Forces without potential act in
 * the middle.
 *
 * With a penalty alpha the multipliers are found as an augmented Lagrangian does: every iteration
 * solves for the motion with lambda + alpha Phi linearised and then updates lambda to that, which
 * is the matrix with -1/alpha in the place of the multipliers' zero block. That converges linearly,
 * and a penalty with which it would be too slow is raised (add_penalty).
 *
 * The derivative of the correction s d / |d|^2 is a product of two vectors and so fills the matrix;
 * where matrices have patterns it is left out, which the corrector pays with an iteration. */
#include "base/error.h"
#include "base/numeric.h"
#include "scheme/ga.h"
#include "scheme/midpoint.h"

#include <float.h>

/* What is kept behind the midpoint's memory. */
typedef struct cd_gradient {
    double *block; /* k x k, also k x m: m <= k; empty if matrices are not full */
    double *rest;  /* m: what B(q_{n+1/2}) d misses of the change of Phi; k numbers */
    double *used;  /* 1 if the correction of the step is above rounding, decided once a step */
    double *raise; /* what the next factors of the step multiply the penalty by */
} cd_gradient;

static int block_size(const cardan_system *system)
{
    return system->matrices.all_full ? system->k * system->k : 0;
}

static cd_gradient gradient_of(const cd_step *step)
{
    const int k = step->system->k;
    cd_gradient g = {.block = step->memory + cd_midpoint_memory(step->system)};
    g.rest = g.block + block_size(step->system);
    g.used = g.rest + k;
    g.raise = g.used + 1;
    return g;
}

static int memory(const cardan_system *system)
{
    return cd_midpoint_memory(system) + block_size(system) + system->k + 2;
}

static bool is_linear(const cardan_group *group)
{
    for (int f = 0; f < cardan_group_factors(group); f++)
        if (cardan_group_factor(group, f, NULL, NULL).kind != CARDAN_RN)
            return false;
    return true;
}

static const char *what_is_missing(const cardan_system *system)
{
    const cardan_system_def *def = &system->def;
    if (!is_linear(system->group))
        return "a linear configuration space, and this one contains rotations; use `midpoint`";
    if (!def->constant_mass || def->unsymmetric_mass)
        return "a constant symmetric mass matrix (`constant_mass` in the definition); use "
               "`midpoint`";
    if (def->rheonomic)
        return "constraints that do not depend on time, since others do work; use `midpoint`";
    if (system->l > 0)
        return "holonomic constraints only; use `midpoint`, `ga2s` or `nonholonomic`";
    if (def->lambda_in_force_only)
        return "constraint forces B^T lambda, and here the force contains its own; use `midpoint`";
    return NULL;
}

static cardan_status check(const cd_step *step, cardan_error *error)
{
    const char *missing = what_is_missing(step->system);
    const double penalty = step->options.conserving_penalty;
    if (missing != NULL)
        return cd_fail(error, CARDAN_UNSUPPORTED, "conserving needs %s", missing);
    if (!isfinite(penalty) || penalty < 0.0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "conserving_penalty is %g; it must be positive, or 0 for Newton's method "
                       "with exact multipliers",
                       penalty);
    return CARDAN_OK;
}

/* Of 2 Phi + B x with h^2 dlambda, x = 2 dq. */
static int terms_of(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k, count = cd_midpoint_terms(step, terms);
    const double alpha = step->options.conserving_penalty;
    const double weight = alpha > 0.0 ? -2.0 / (alpha * step->h * step->h) : 0.0;
    terms[count] = (cd_term){CD_PENALTY, k, k, weight, false, 0};
    terms[count + 1] = (cd_term){CD_OUTER_LAMBDA, 0, k, 1.0, false, 0};
    terms[count + 2] = (cd_term){CD_OUTER_Q, 0, 0, 0.5 * step->h * step->h, false, 0};
    return count + 3;
}

/* Below the cube root of the rounding unit, s is smaller than the rounding it is computed with, and
 * d / |d|^2 would only amplify that. */
static cardan_status begin(cd_step *step)
{
    cardan_status status = cd_midpoint_begin(step);
    const int k = step->system->k;
    const double size = fmax(1.0, cd_max_abs(k, step->old->q));
    gradient_of(step).used[0] =
        cd_max_abs(k, step->increment) > cbrt(DBL_EPSILON) * size ? 1.0 : 0.0;
    gradient_of(step).raise[0] = 1.0;
    return status;
}

/* F and its derivative at configuration q with the multipliers of the iterate. */
static cardan_status potential_at(cd_step *step, const double *q, const double *lambda,
                                  double *value, double *slope)
{
    cardan_point at = cd_midpoint_point(step);
    at.q = q;
    at.lambda = lambda;
    return cd_system_total_potential(step->ws, &at, value, slope);
}

/* s / |d|^2; 0 if the correction is not used. */
static cardan_status correction(cd_step *step, const double *lambda, double *amount)
{
    const int k = step->system->k;
    const double square = cd_dot(k, step->increment, step->increment);
    double before, after, *slope = step->scratch;
    *amount = 0.0;
    if (gradient_of(step).used[0] == 0.0 || square == 0.0)
        return CARDAN_OK;
    cardan_status status = potential_at(step, step->old->q, lambda, &before, NULL);
    if (status == CARDAN_OK)
        status = potential_at(step, step->next->q, lambda, &after, NULL);
    if (status == CARDAN_OK)
        status = potential_at(step, cd_midpoint_of(step).q, lambda, NULL, slope);
    if (status == CARDAN_OK)
        *amount = (after - before - cd_dot(k, slope, step->increment)) / square;
    return status;
}

static cardan_status residual(cd_step *step, double *out)
{
    double amount;
    cardan_status status = cd_midpoint_residual(step, out);
    if (status == CARDAN_OK)
        status = correction(step, step->next->lambda, &amount);
    if (status == CARDAN_OK)
        cd_add(step->system->k, step->h * step->h * amount, step->increment, out);
    return status;
}

/* ds/dd = F_q(q_{n+1}) - F_q(q_{n+1/2}) - F_qq(q_{n+1/2}) d / 2, where F_qq d is replaced by the
 * difference of F_q over the step: of relative order |d|^2, so that convergence is not slower. */
static cardan_status correction_by_d(cd_step *step, double *out)
{
    const int k = step->system->k;
    const double *const places[] = {step->old->q, cd_midpoint_of(step).q, step->next->q};
    const double weights[] = {0.5, -1.0, 0.5};
    double *slope = step->scratch;
    cd_zero(k, out);
    for (int i = 0; i < 3; i++) {
        cardan_status status = potential_at(step, places[i], step->next->lambda, NULL, slope);
        if (status != CARDAN_OK)
            return status;
        cd_add(k, weights[i], slope, out);
    }
    return CARDAN_OK;
}

/* Phi(q_{n+1}) - Phi(q_n) - B(q_{n+1/2}) d = ds/dlambda; B is in the workspace. */
static cardan_status correction_by_lambda(cd_step *step, double *out)
{
    const int m = step->system->m;
    double *phi = step->scratch;
    const cardan_point old = cd_state_point(step->old), next = cd_state_point(step->next);
    cd_system_constrain(step->ws, step->increment, out);
    cd_scale(m, -1.0, out);
    cardan_status status = cd_system_equations(step->ws, &next, &(cd_equations){.position = phi});
    cd_add(m, 1.0, phi, out);
    if (status == CARDAN_OK)
        status = cd_system_equations(step->ws, &old, &(cd_equations){.position = phi});
    cd_add(m, -1.0, phi, out);
    return status;
}

/* The derivative of h^2 s d / |d|^2 by x = 2 dd and by h^2 lambda. */
static cardan_status add_correction(cd_step *step, const cd_term *by_lambda, const cd_term *by_q,
                                    double amount, cd_matrix *matrix)
{
    const int k = step->system->k, m = step->system->m;
    const double *d = step->increment, square = cd_dot(k, d, d);
    const cd_gradient g = gradient_of(step);
    double *by_d = step->scratch + k;
    cardan_status status = correction_by_lambda(step, g.rest);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < m; j++)
            g.block[i * m + j] = d[i] / square * g.rest[j];
    cd_matrix_add(matrix, by_lambda->slot, by_lambda->weight, g.block);
    if (status == CARDAN_OK)
        status = correction_by_d(step, by_d);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            g.block[i * k + j] =
                d[i] / square * (by_d[j] - 2.0 * amount * d[j]) + (i == j ? amount : 0.0);
    cd_matrix_add(matrix, by_q->slot, by_q->weight, g.block);
    return status;
}

/* An iteration leaves 1 / (1 + (alpha h^2 / 4) B M^-1 B^T) of the error in lambda. The penalty is
 * raised to where that is about a half, or small corrections would not mean small errors, and
 * further whenever the corrector asks for new factors within a step because it is still too slow.
 */
static void add_penalty(cd_step *step, const cd_term *term, cd_matrix *matrix)
{
    const double growth = 1e3;
    const cd_scales scales = cd_system_scales(step->ws);
    const double row = scales.smallest_row;
    double *raise = gradient_of(step).raise;
    if (step->system->m == 0 || term->weight == 0.0)
        return;
    const double weight = fmin(-term->weight, 0.5 * row * row / scales.mass);
    cd_matrix_add_identity(matrix, term->slot, -weight / *raise);
    *raise *= growth;
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    double amount;
    const cd_term *penalty = &terms[count - 3], *by_lambda = penalty + 1, *by_q = penalty + 2;
    cardan_status status = cd_midpoint_assemble(step, terms, count - 3, matrix);
    add_penalty(step, penalty, matrix);
    if (status != CARDAN_OK || by_q->slot < 0)
        return status;
    status = correction(step, step->next->lambda, &amount);
    if (status != CARDAN_OK || gradient_of(step).used[0] == 0.0 ||
        cd_dot(step->system->k, step->increment, step->increment) == 0.0)
        return status;
    return add_correction(step, by_lambda, by_q, amount, matrix);
}

/* Moving v would change the energy: it stays, and lambda of the steps pays for it. */
static cardan_status rescale(cd_step *step, double s)
{
    (void)step;
    (void)s;
    return CARDAN_OK;
}

cardan_status cd_conserving_energy(cd_step *step, double *change)
{
    const int k = step->system->k;
    double amount;
    cardan_status status = correction(step, cd_midpoint_of(step).multipliers, &amount);
    if (status == CARDAN_OK)
        status = cd_midpoint_energy(step, change);
    *change -= amount * cd_dot(k, step->increment, step->increment);
    return status;
}

const cd_scheme cd_scheme_conserving = {
    .name = "conserving",
    .summary = "energy-conserving midpoint rule: discrete gradients of constraints and potential, "
               "linear spaces (GO10 (14))",
    .settles_hidden = true,
    .params = &cd_trapezoidal_params,
    .check = check,
    .unknowns = cd_midpoint_unknowns,
    .memory = memory,
    .terms = terms_of,
    .rescale = rescale,
    .begin = begin,
    .residual = residual,
    .assemble = assemble,
    .correct = cd_midpoint_correct,
    .weighs_each = true,
    .weigh = cd_midpoint_weigh,
    .name_row = cd_midpoint_name_row,
    .finish = cd_midpoint_finish,
    .stages = 1,
    .show = cd_midpoint_show,
};

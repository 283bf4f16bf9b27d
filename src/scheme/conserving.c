/* CONS: the energy-conserving scheme, GO10 (14), for constraints and potentials of any kind, on
 * linear spaces and groups with rotations.
 *
 * The midpoint rule with velocities carried into the middle of the step and Cayley's map for
 * rotations (group/cayley.h), which for rigid bodies keeps the kinetic energy, and of a free one
 * the momentum. With w = cay(d) and A = carry(w / 2), the identity but for right factors:
 *
 *   d = h v_{n+1/2},   v_{n+1/2} = (A v_n + A^-1 v_{n+1}) / 2,
 *   v'_{n+1/2} = (A^-1 v_{n+1} - A v_n) / h,
 *   M v' + g + s d / |d|^2 + S^T lambda = 0,   Phi(q_{n+1}, t_{n+1}) = 0,
 *   s = V(q_{n+1}) - V(q_n) - V_q(q_{n+1/2})^T d,
 *
 * with M and g in the middle and the discrete derivative S of the constraints (system/secant.h), so
 * that d^T times potential and constraint forces is the change of V and Phi (Gonzalez 1996): with
 * Phi = 0 at both ends kinetic + potential energy stays. s is of third order in d and zero for
 * quadratic V. Forces without potential act in the middle and do the work they do.
 *
 * The iterate is v_{n+1/2}; x = 2 dd as seen from the middle. The matrix neglects the derivatives
 * of s and of the s_r in S, which costs the corrector an iteration.
 *
 * With a penalty alpha the multipliers are found as an augmented Lagrangian does: every iteration
 * solves for the motion with lambda + alpha Phi linearised and then updates lambda to that, which
 * is the matrix with -1/alpha instead of the multipliers' zero block. That converges linearly,
 * and a penalty with which it would be too slow is raised (add_penalty). Functions named as members
 * of cd_scheme do what scheme.h says. */
#include "base/error.h"
#include "base/numeric.h"
#include "ga.h"
#include "group/group.h"
#include "midpoint.h"
#include "system/secant.h"

#include <float.h>

/* What cd_step.memory holds after the midpoint's part. */
typedef struct cd_conserved {
    double *move;      /* d; k numbers */
    double *potential; /* V(q_n), at the time of the middle */
    double *kinetic;   /* of v_n, if M is not constant */
    double *least;     /* |d| counts as at least this in s / |d|^2: below, s is rounding */
    double *raise;     /* factor of the penalty for the next factorization in this step */
} cd_conserved;

/* Where step->memory has each of these. */
static cd_conserved memory_of(const cd_step *step)
{
    cd_conserved c = {.move = step->memory + cd_midpoint_memory(step->system)};
    c.potential = c.move + step->system->k;
    c.kinetic = c.potential + 1;
    c.least = c.kinetic + 1;
    c.raise = c.least + 1;
    return c;
}

static int memory_size(const cardan_system *system)
{
    return cd_midpoint_memory(system) + system->k + 4;
}

/* Has the group velocities in the inertial frame? Then M of rigid bodies depends on q. */
static bool has_right_factor(const cardan_group *group)
{
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        const cardan_factor factor = cardan_group_factor(group, i, NULL, NULL);
        if (factor.kind != CARDAN_RN && factor.side == CARDAN_RIGHT)
            return true;
    }
    return false;
}

/* What the system lacks for this method, as the end of a message; NULL: nothing. */
static const char *what_is_missing(const cd_step *step)
{
    const cardan_system *system = step->system;
    const cardan_system_def *def = &system->def;
    if ((!def->constant_mass && !has_right_factor(system->group)) || def->unsymmetric_mass)
        return "a constant symmetric mass matrix (`constant_mass` in the definition), or that of "
               "rigid bodies; use `midpoint`";
    if (system->l > 0)
        return "holonomic constraints only; use `midpoint`, `ga2s` or `nonholonomic`";
    if (def->lambda_in_force_only)
        return "constraint forces B^T lambda, and here the force contains its own; use `midpoint`";
    if (step->magnus && !cd_group_is_linear(system->group))
        return "its own update of rotations; leave out the update `magnus`";
    return NULL;
}

static cardan_status check(const cd_step *step, cardan_error *error)
{
    const char *missing = what_is_missing(step);
    const double penalty = step->options.conserving_penalty;
    if (missing != NULL)
        return cd_fail(error, CARDAN_UNSUPPORTED, "conserving needs %s", missing);
    if (!isfinite(penalty) || penalty < 0.0)
        return cd_invalid(error,
                          "conserving_penalty is %g; it must be positive, or 0 for Newton's method "
                          "with exact multipliers",
                          penalty);
    return CARDAN_OK;
}

/* Terms of the iteration matrix: the first ones are taken at q_{n+1}, the others in the middle. */
enum { POSITION_Q, SECANT, PENALTY, END_TERMS, VDOT = END_TERMS, BY_V, BY_Q, BY_LAMBDA, TERMS };

/* The terms of the rows 2 Phi, with x, and of the dynamics, with S^T h^2 dlambda. */
static int list_terms(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k;
    const double h = step->h, alpha = step->options.conserving_penalty;
    const double weight = alpha > 0.0 ? -2.0 / (alpha * h * h) : 0.0;
    terms[POSITION_Q] = (cd_term){CD_POSITION_Q, k, 0, 2.0, true, 0};
    terms[SECANT] = (cd_term){CD_SECANT_REACTION, 0, k, 1.0, false, 0};
    terms[PENALTY] = (cd_term){CD_PENALTY, k, k, weight, false, 0};
    terms[VDOT] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0};
    terms[BY_V] = (cd_term){CD_DYNAMICS_V, 0, 0, 0.5 * h, false, 0};
    terms[BY_Q] = (cd_term){CD_DYNAMICS_Q, 0, 0, h * h, true, 0};
    terms[BY_LAMBDA] = (cd_term){CD_FORCES_LAMBDA, 0, k, 1.0, false, 0};
    return TERMS;
}

/* Computes all that follows from v_{n+1/2}, the iterate: d, q, v' and v_{n+1}. */
static void compute_motion(cd_step *step)
{
    const int k = step->system->k;
    const cardan_group *group = step->system->group;
    const cd_midpoint mid = cd_midpoint_of(step);
    double *move = memory_of(step).move, *carried = step->scratch, *end = carried + k;
    for (int i = 0; i < k; i++)
        move[i] = step->h * mid.v[i];
    cd_group_cayley(group, move, step->increment);
    for (int i = 0; i < k; i++)
        mid.half[i] = 0.5 * step->increment[i];
    cardan_group_update(group, step->old->q, mid.half, mid.q);
    cardan_group_update(group, step->old->q, step->increment, step->next->q);
    cd_group_carry_velocity(group, mid.half, step->old->v, carried);
    for (int i = 0; i < k; i++) {
        mid.vdot[i] = 2.0 * (mid.v[i] - carried[i]) / step->h;
        end[i] = 2.0 * mid.v[i] - carried[i];
    }
    cd_group_carry_velocity(group, mid.half, end, step->next->v);
}

/* One end of the step, but with the time of the middle. */
static cardan_point end_point(const cd_step *step, const cd_state *state)
{
    cardan_point at = cd_state_point(state);
    at.t = step->t1 - 0.5 * step->h;
    return at;
}

/* v^T M v / 2 with the M of the last evaluation */
static double kinetic_of(const cd_step *step, const double *v)
{
    cd_system_multiply_mass(step->ws, NULL, v, step->scratch);
    return 0.5 * cd_dot(step->system->k, v, step->scratch);
}

static cardan_status begin(cd_step *step)
{
    const cd_conserved c = memory_of(step);
    const int size = cardan_group_size(step->system->group);
    const cardan_point old = end_point(step, step->old);
    cardan_status status = cd_midpoint_begin(step);
    if (status != CARDAN_OK)
        return status;
    compute_motion(step);
    *c.least = cbrt(DBL_EPSILON * fmax(1.0, cd_max_abs(size, step->old->q)));
    *c.raise = 1.0;
    status = cd_secant_begin(step->ws, &old, *c.least);
    if (status == CARDAN_OK && !step->system->def.constant_mass)
        *c.kinetic = kinetic_of(step, step->old->v);
    return status == CARDAN_OK ? cd_system_potential(step->ws, &old, c.potential, NULL) : status;
}

/* *amount = s / |d|^2 */
static cardan_status find_potential_factor(cd_step *step, double *amount)
{
    const cd_conserved c = memory_of(step);
    const int k = step->system->k;
    const double square = fmax(cd_dot(k, c.move, c.move), *c.least * *c.least);
    const cardan_point end = end_point(step, step->next), middle = cd_midpoint_point(step);
    double after, *slope = step->scratch;
    *amount = 0.0;
    if (step->system->def.potential == NULL)
        return CARDAN_OK;
    cardan_status status = cd_system_potential(step->ws, &end, &after, NULL);
    if (status == CARDAN_OK)
        status = cd_system_potential(step->ws, &middle, NULL, slope);
    if (status == CARDAN_OK)
        *amount = (after - *c.potential - cd_dot(k, slope, c.move)) / square;
    return status;
}

/* out = M v' + g in the middle; also keeps what S needs there. */
static cardan_status evaluate_middle_forces(cd_step *step, double *out)
{
    const cardan_point middle = cd_midpoint_point(step);
    const cardan_status status =
        cd_system_equations(step->ws, &middle, &(cd_equations){.dynamics = out});
    cd_secant_keep_middle(step->ws);
    cd_system_holonomic_reaction(step->ws, middle.lambda, step->scratch);
    cd_add(step->system->k, -1.0, step->scratch, out);
    return status;
}

/* The end is evaluated last, because `assemble` uses B of it again. */
static cardan_status residual(cd_step *step, double *out)
{
    const cardan_system *system = step->system;
    const int k = system->k;
    const double *move = memory_of(step).move;
    const cardan_point end = end_point(step, step->next), at = cd_state_point(step->next);
    double amount = 0.0;
    cardan_status status = evaluate_middle_forces(step, out);
    if (status == CARDAN_OK)
        status = find_potential_factor(step, &amount);
    cd_add(k, amount, move, out);
    if (status == CARDAN_OK)
        status = cd_secant_compute(step->ws, &end, move, out + k);
    if (status == CARDAN_OK)
        cd_secant_add_reaction(step->ws, step->next->lambda, out);
    if (status == CARDAN_OK && system->def.rheonomic)
        status = cd_system_equations(step->ws, &at, &(cd_equations){.position = out + k});
    cd_scale(k, step->h * step->h, out);
    cd_scale(system->m, 2.0, out + k);
    return status;
}

/* Adds -1/alpha to the matrix. An iteration multiplies the error in lambda by 1 / (1 + (alpha h^2 /
 * 4) B M^-1 B^T): alpha is raised until that is about a half, so that small corrections mean small
 * errors, and further whenever a slow corrector asks for new factors in a step. */
static void add_penalty(cd_step *step, const cd_term *term, cd_matrix *matrix)
{
    const double growth = 1e3;
    const cd_scales scales = cd_system_scales(step->ws);
    const double row = scales.smallest_row;
    double *raise = memory_of(step).raise;
    if (step->system->m == 0 || term->weight == 0.0)
        return;
    const double weight = fmin(-term->weight, 0.5 * row * row / scales.mass);
    cd_matrix_add_identity(matrix, term->slot, -weight / *raise);
    *raise *= growth;
}

/* Fails if M changes otherwise than that of rigid bodies. `end` is the kinetic energy of the
 * iterate at q_{n+1}; the workspace has M of the middle. */
static cardan_status check_mass_is_rigid(cd_step *step, double end)
{
    const cd_midpoint mid = cd_midpoint_of(step);
    const double begin = *memory_of(step).kinetic;
    cd_system_multiply_mass(step->ws, NULL, mid.vdot, step->scratch);
    const double change = step->h * cd_dot(step->system->k, mid.v, step->scratch);
    if (!(fabs(end - begin - change) > 1e-9 * (begin + end)))
        return CARDAN_OK;
    return cd_fail(step->error, CARDAN_UNSUPPORTED,
                   "conserving needs a mass matrix that is constant in the frame of bodies, and "
                   "the one here changes otherwise (at t = %.9g kinetic energy by %.3g of itself); "
                   "use `midpoint`",
                   step->t1, (end - begin - change) / (begin + end));
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const double *move = memory_of(step).move;
    const cd_map to_end = {.increment = move, .ratio = 0.5, .block = cd_group_change_at_end};
    const cd_map to_middle = {.increment = move, .ratio = 0.25, .block = cd_group_change_mid_step};
    const cardan_point end = cd_state_point(step->next), middle = cd_midpoint_point(step);
    const bool varying_mass = !step->system->def.constant_mass;
    const double kinetic = varying_mass ? kinetic_of(step, step->next->v) : 0.0;
    cardan_status status = cd_system_assemble(step->ws, &end, &to_end, terms, PENALTY, matrix);
    add_penalty(step, &terms[PENALTY], matrix);
    if (status == CARDAN_OK)
        status = cd_system_equations(step->ws, &middle, &(cd_equations){0});
    if (status == CARDAN_OK && varying_mass)
        status = check_mass_is_rigid(step, kinetic);
    if (status == CARDAN_OK)
        status = cd_system_assemble(step->ws, &middle, &to_middle, terms + END_TERMS,
                                    count - END_TERMS, matrix);
    return status;
}

static void correct(cd_step *step, const double *dx, double factor)
{
    const int k = step->system->k;
    const cd_midpoint mid = cd_midpoint_of(step);
    double *back = step->scratch, *change = back + k;
    for (int i = 0; i < k; i++)
        back[i] = -mid.half[i];
    cd_group_carry_velocity(step->system->group, back, dx, change);
    cd_add(k, 0.5 * factor / step->h, change, mid.v);
    cd_add(step->system->m, factor / (step->h * step->h), dx + k, step->next->lambda);
    compute_motion(step);
}

/* Changes nothing: another v would change the energy. lambda is less accurate for some steps. */
static cardan_status rescale(cd_step *step, double s)
{
    (void)step;
    (void)s;
    return CARDAN_OK;
}

/* The work of a potential that depends on time: its change between the ends and the middle. */
static cardan_status work_of_moving_potential(cd_step *step, double *work)
{
    const cardan_point at[] = {cd_state_point(step->old), end_point(step, step->old),
                               end_point(step, step->next), cd_state_point(step->next)};
    double value[4] = {0.0};
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && i < 4; i++)
        status = cd_system_potential(step->ws, &at[i], &value[i], NULL);
    *work = (value[1] - value[0]) + (value[3] - value[2]);
    return status;
}

/* The work of forces without potential, of a moving potential and of moving constraints. */
static cardan_status find_work(cd_step *step, double *work)
{
    const int k = step->system->k;
    const double *move = memory_of(step).move;
    const cardan_point end = end_point(step, step->next);
    cardan_point middle = cd_midpoint_point(step);
    double *force = step->scratch + k, *slope = step->scratch;
    middle.lambda = cd_midpoint_of(step).multipliers; /* those of the accepted step */
    cardan_status status = work_of_moving_potential(step, work);
    if (status == CARDAN_OK)
        status = cd_system_force(step->ws, &middle, force);
    if (status == CARDAN_OK)
        status = cd_system_potential(step->ws, &middle, NULL, slope);
    if (status != CARDAN_OK)
        return status;
    *work += cd_dot(k, move, slope) - cd_dot(k, move, force);
    if (!step->system->def.rheonomic)
        return CARDAN_OK;
    status = cd_secant_compute(step->ws, &end, move, NULL);
    *work += cd_secant_work(step->ws, middle.lambda);
    return status;
}

const cd_scheme cd_scheme_conserving = {
    .name = "conserving",
    .summary = "energy-conserving midpoint rule: discrete gradients of constraints and potential, "
               "rigid bodies too (GO10 (14))",
    .check = check,
    .memory = memory_size,
    .add_update_error = cd_group_add_cayley_error,
    .rescale = rescale,
    .begin = begin,
    .work_done = find_work,
    CD_MIDPOINT_FUNCTIONS,
};

/* Newton iteration with the bordered mass matrix; one step if the force is linear in lambda. */
#include "consistent.h"

#include "base/error.h"
#include "base/numeric.h"

/* Forces like lambda^3 converge slowly: 80 iterations lead from 1 to multipliers of 1e-14. */
enum { MAX_ITERATIONS = 80, MAX_HALVINGS = 30 };

/* The terms of the matrix (M  B^T + dg/dlambda  K^T + dg/dpsi; B; K). */
static void list_terms(const cardan_system *system, cd_term *terms)
{
    const int k = system->k, m = system->m;
    terms[0] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0};
    terms[1] = (cd_term){CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0};
    terms[2] = (cd_term){CD_DYNAMICS_PSI, 0, k + m, 1.0, false, 0};
    terms[3] = (cd_term){CD_POSITION_Q, k, 0, 1.0, false, 0};
    terms[4] = (cd_term){CD_NONHOLONOMIC_V, k + m, 0, 1.0, false, 0};
}

static bool is_linear_in_multipliers(const cardan_system *system)
{
    return !system->def.force_depends_on_lambda && !system->def.force_depends_on_psi;
}

cd_consistent *cd_consistent_create(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                    int contacts, cardan_error *error)
{
    const int n = system->k + system->m + system->l;
    cd_consistent *c = cd_arena_take(arena, sizeof *c);
    if (c == NULL)
        return NULL;
    c->system = system;
    c->ws = ws;
    c->error = error;
    c->x = cd_arena_doubles(arena, n + system->m + system->l);
    c->zeros = cd_arena_doubles(arena, n);
    c->step = is_linear_in_multipliers(system) ? NULL : cd_arena_doubles(arena, n);
    c->matrix = cd_matrix_create(arena, n);
    if (c->matrix != NULL)
        cd_matrix_set_unknowns(c->matrix, (cd_unknowns){.velocities = system->k});
    if (arena->failed)
        return NULL;
    c->bias = c->x + n;
    cd_matrix_set_pool(c->matrix, &cd_workspace_services(ws)->pool);
    c->projector = cd_projector_create(arena, ws, system, c->matrix, error);
    c->impulse = c->projector != NULL ? cd_impulse_create(arena, c->projector, contacts) : NULL;
    if (arena->failed)
        return NULL;
    list_terms(system, c->acceleration);
    cd_system_declare(system, c->acceleration, CD_ACCELERATION_TERMS, c->matrix);
    cd_matrix_seal(c->matrix);
    return arena->failed ? NULL : c;
}

void cd_consistent_forget(cd_consistent *c, const cd_arena *arena)
{
    const cd_matrix_pool *pool = &cd_workspace_services(c->ws)->pool;
    const int n = c->system->k + 2 * (c->system->m + c->system->l);
    cd_arena_forget(arena, pool->values, pool->count * sizeof *pool->values);
    cd_arena_forget(arena, c->x, (size_t)n * sizeof *c->x);
    cd_matrix_discard_factors(c->matrix);
    cd_projector_forget(c->projector, arena);
    cd_workspace_give_back(c->ws, arena);
}

static cardan_status factor_matrix(cd_consistent *c, const cardan_point *at)
{
    return cd_system_factor(c->ws, at, c->acceleration, CD_ACCELERATION_TERMS, c->matrix);
}

/* c->x = residuals of the dynamics, of B v' + bias and of K v' + bias; M, B and K are kept. */
static cardan_status residual_with_matrices(cd_consistent *c, const cardan_point *at)
{
    const int k = c->system->k, m = c->system->m, l = c->system->l;
    cardan_status status = cd_system_bias(c->ws, at, c->bias, c->bias + m);
    if (status == CARDAN_OK)
        status = cd_system_equations(c->ws, at, &(cd_equations){.dynamics = c->x});
    if (status != CARDAN_OK)
        return status;
    cd_system_constrain(c->ws, at->vdot, c->x + k);
    cd_add(m + l, 1.0, c->bias, c->x + k);
    return CARDAN_OK;
}

/* c->x = the same residuals, but without M, B and K, for systems without nonholonomic ones. */
static cardan_status residual_without_matrices(cd_consistent *c, const cardan_point *at)
{
    cardan_status status = cd_system_residual(c->ws, at, &(cd_equations){.dynamics = c->x});
    return status == CARDAN_OK ? cd_system_accelerated(c->ws, at, c->x + c->system->k) : status;
}

/* Replaces the right-hand side c->x by the solution, and measures the time. */
static void solve_with_factors(cd_consistent *c)
{
    cd_clock *clock = cd_workspace_services(c->ws)->clock;
    const cd_activity before = cd_clock_enter(clock, CD_SOLVING);
    cd_matrix_solve(c->matrix, c->x);
    cd_clock_leave(clock, before);
}

/* x = -(residual of dynamics, of B v' + bias, of K v' + bias) */
static cardan_status make_right_side(cd_consistent *c, const cardan_point *at)
{
    const int n = c->system->k + c->system->m + c->system->l;
    const bool fast = c->system->l == 0 && cd_system_accelerates(c->system);
    cd_clock *clock = cd_workspace_services(c->ws)->clock;
    const cd_activity before = cd_clock_enter(clock, CD_EVALUATING);
    cardan_status status = fast ? residual_without_matrices(c, at) : residual_with_matrices(c, at);
    cd_clock_leave(clock, before);
    for (int i = 0; i < n; i++)
        c->x[i] = -c->x[i];
    return status;
}

/* Is the correction x below the rounding error of the values that it was added to? */
static bool is_rounding(int n, const double *x, const double *value)
{
    return cd_max_abs(n, x) <= 1e-12 * (1.0 + cd_max_abs(n, value));
}

/* Where the guess, the iterates and the result are stored. */
typedef struct unknowns {
    double *vdot, *lambda, *psi;
} unknowns;

/* to += length times a correction */
static void add_correction(const cd_consistent *c, double length, const double *step,
                           const unknowns *to)
{
    const int k = c->system->k, m = c->system->m;
    cd_add(k, length, step, to->vdot);
    cd_add(m, length, step + k, to->lambda);
    cd_add(c->system->l, length, step + k + m, to->psi);
}

/* One iteration of Newton's method; c->x is the correction. */
static cardan_status iterate_once(cd_consistent *c, const cardan_point *at, const unknowns *to)
{
    const cardan_point now = {at->t, at->q, at->v, to->vdot, to->lambda, to->psi};
    cardan_status status = make_right_side(c, &now);
    if (status == CARDAN_OK)
        status = factor_matrix(c, &now);
    if (status != CARDAN_OK)
        return status;
    solve_with_factors(c);
    add_correction(c, 1.0, c->x, to);
    return CARDAN_OK;
}

/* A further iteration. Where the force has no value (friction may be defined for loads of one
 * sign), the correction that led there is halved until it has one. */
static cardan_status iterate_again(cd_consistent *c, const cardan_point *at, const unknowns *to)
{
    const int n = c->system->k + c->system->m + c->system->l;
    double length = 1.0;
    if (c->step == NULL)
        return iterate_once(c, at, to);
    cd_copy(n, c->x, c->step);
    cardan_status status = iterate_once(c, at, to);
    for (int i = 0; status > 0 && i < MAX_HALVINGS; i++) {
        length *= 0.5;
        add_correction(c, -length, c->step, to);
        status = iterate_once(c, at, to);
    }
    return status;
}

/* Newton's method from the guess in `to` until corrections are rounding errors. */
static cardan_status iterate(cd_consistent *c, const cardan_point *at, const unknowns *to)
{
    const cardan_system *system = c->system;
    const int k = system->k, m = system->m, l = system->l;
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        const cardan_status status =
            iteration == 0 ? iterate_once(c, at, to) : iterate_again(c, at, to);
        if (status != CARDAN_OK)
            return status;
        /* A linear system takes one more pass as iterative refinement. */
        if ((is_linear_in_multipliers(system) && iteration == 1) ||
            (is_rounding(k, c->x, to->vdot) && is_rounding(m, c->x + k, to->lambda) &&
             is_rounding(l, c->x + k + m, to->psi)))
            return CARDAN_OK;
    }
    return cd_fail(c->error, CARDAN_NOT_CONVERGED,
                   "at t = %.9g no accelerations and multipliers were found that satisfy the "
                   "equations of motion; the force depends too strongly on the multipliers",
                   at->t);
}

/* Friction may have no value or no derivative at multipliers of 0: starts from 1, then from -1. If
 * that does not help either, the message is that of the first attempt. */
static cardan_status iterate_from_unit_loads(cd_consistent *c, const cardan_point *at,
                                             const unknowns *to, cardan_status status)
{
    const cardan_error reason = *c->error;
    const double loads[] = {1.0, -1.0};
    for (int i = 0; status > 0 && i < 2; i++) {
        cd_zero(c->system->k, to->vdot);
        for (int j = 0; j < c->system->m; j++)
            to->lambda[j] = loads[i];
        for (int j = 0; j < c->system->l; j++)
            to->psi[j] = loads[i];
        status = iterate(c, at, to);
    }
    if (status > 0)
        *c->error = reason;
    return status > 0 ? reason.status : status;
}

cardan_status cd_consistent_accelerations(cd_consistent *c, const cardan_point *at, double *vdot,
                                          double *lambda, double *psi)
{
    const int m = c->system->m, l = c->system->l;
    const unknowns to = {vdot, lambda, psi};
    const bool guessed = cd_max_abs(m, lambda) > 0.0 || cd_max_abs(l, psi) > 0.0;
    const cardan_status status = iterate(c, at, &to);
    if (status <= 0 || guessed || is_linear_in_multipliers(c->system))
        return status;
    return iterate_from_unit_loads(c, at, &to, status);
}

cardan_status cd_consistent_solve(cd_consistent *c, const cardan_point *at, double *vdot,
                                  double *lambda, double *psi)
{
    return is_linear_in_multipliers(c->system)
               ? iterate_once(c, at, &(unknowns){vdot, lambda, psi})
               : cd_consistent_accelerations(c, at, vdot, lambda, psi);
}

cardan_status cd_consistent_project_once(cd_consistent *c, double t, double *q, double *v,
                                         bool velocities, double *d, double *residual)
{
    const int k = c->system->k, m = c->system->m, l = c->system->l;
    const cardan_point at = {t, q, v, c->zeros, c->zeros, c->zeros};
    const cd_equations position = {.position = c->x + k};
    const cd_equations velocity = {.hidden = c->x + k, .nonholonomic = c->x + k + m};
    cd_zero(k + m + l, c->x);
    cd_clock *clock = cd_workspace_services(c->ws)->clock;
    const cd_activity before = cd_clock_enter(clock, CD_PROJECTING);
    cardan_status status = cd_system_residual(c->ws, &at, velocities ? &velocity : &position);
    cd_clock_leave(clock, before);
    if (status != CARDAN_OK)
        return status;
    *residual = cd_max_abs(m + l, c->x + k);
    for (int i = k; i < k + m + l; i++)
        c->x[i] = -c->x[i];
    solve_with_factors(c);
    cd_copy(k, c->x, d);
    if (velocities)
        cd_add(k, 1.0, d, v);
    else
        cardan_group_update(c->system->group, q, d, q);
    return CARDAN_OK;
}

cardan_status cd_consistent_respond(cd_consistent *c, const cardan_point *at, double *lambda,
                                    double *psi)
{
    const int k = c->system->k, m = c->system->m;
    cardan_status status = make_right_side(c, at);
    if (status != CARDAN_OK)
        return status;
    solve_with_factors(c);
    cd_copy(m, c->x + k, lambda);
    cd_copy(c->system->l, c->x + k + m, psi);
    return CARDAN_OK;
}

cardan_status cd_consistent_unconstrained_vdot(cd_consistent *c, const cardan_point *at, double *f)
{
    const cardan_point without = {at->t, at->q, at->v, c->zeros, c->zeros, c->zeros};
    cardan_status status = cd_system_equations(c->ws, &without, &(cd_equations){.applied = f});
    if (status != CARDAN_OK)
        return status;
    cd_scale(c->system->k, -1.0, f);
    if (cd_projector_divide_by_mass(c->projector, f) != CARDAN_OK)
        return cd_fail(c->error, CARDAN_SINGULAR_MATRIX, "at t = %.9g the mass matrix is singular",
                       at->t);
    return CARDAN_OK;
}

cardan_status cd_consistent_position(cd_consistent *c, double t, double *q, double *moved)
{
    const cardan_projection how = cardan_projection_default();
    cardan_projection_report report = {0};
    cardan_status status = cd_projector_position(c->projector, &how, t, q, NULL, &report);
    *moved = report.moved_position;
    return status;
}

cardan_status cd_consistent_velocity(cd_consistent *c, double t, const double *q,
                                     const double *target, double *v, double *moved)
{
    const cardan_projection how = cardan_projection_default();
    cardan_projection_report report = {0};
    cardan_status status = cd_projector_velocity(c->projector, &how, t, q, target, v, &report);
    *moved = report.moved_velocity;
    return status;
}

/* Newton iterations with the bordered mass matrix; each converges in one step if linear. */
#include "system/consistent.h"

#include "base/error.h"
#include "base/numeric.h"

#include <float.h>
#include <stdio.h>

enum { ACCELERATION_TERMS = 5, MAX_ITERATIONS = 25 };

struct cd_consistent {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    cd_matrix *matrix;
    cd_term acceleration[ACCELERATION_TERMS]; /* (M B^T+g_lambda K^T+g_psi; B; K) */
    cd_term projection[ACCELERATION_TERMS];   /* (M B^T K^T; B; K) */
    double *x;                                /* right-hand side and solution: k + m + l */
    double *bias;                             /* m + l */
    double *rest;                             /* zeros: velocities, accelerations, multipliers */
};

static void make_terms(const cardan_system *system, cd_block_kind lambda, cd_block_kind psi,
                       cd_term *terms)
{
    const int k = system->k, m = system->m;
    terms[0] = (cd_term){CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0};
    terms[1] = (cd_term){lambda, 0, k, 1.0, false, 0};
    terms[2] = (cd_term){psi, 0, k + m, 1.0, false, 0};
    terms[3] = (cd_term){CD_POSITION_Q, k, 0, 1.0, false, 0};
    terms[4] = (cd_term){CD_ROLLING_V, k + m, 0, 1.0, false, 0};
}

cd_consistent *cd_consistent_create(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                    cardan_error *error)
{
    const int n = system->k + system->m + system->l;
    cd_consistent *c = cd_arena_take(arena, sizeof *c);
    if (c == NULL)
        return NULL;
    c->system = system;
    c->ws = ws;
    c->error = error;
    c->x = cd_arena_doubles(arena, n);
    c->bias = cd_arena_doubles(arena, system->m + system->l);
    c->rest = cd_arena_doubles(arena, system->k);
    c->matrix = cd_matrix_create(arena, n);
    if (arena->failed)
        return NULL;
    make_terms(system, CD_DYNAMICS_LAMBDA, CD_DYNAMICS_PSI, c->acceleration);
    make_terms(system, CD_REACTION, CD_ROLLING_REACTION, c->projection);
    cd_system_declare(system, c->acceleration, ACCELERATION_TERMS, c->matrix);
    cd_system_declare(system, c->projection, ACCELERATION_TERMS, c->matrix);
    cd_matrix_seal(c->matrix);
    return arena->failed ? NULL : c;
}

/* Lists the dependent constraints, or else blames the mass matrix. */
static cardan_status explain_singular(cd_consistent *c, double t)
{
    const cardan_system *system = c->system;
    cd_arena arena;
    cd_arena_init(&arena, &system->arena.allocator);
    int *dependent = cd_arena_take(&arena, (size_t)(system->m + system->l) * sizeof(int));
    char list[256] = "";
    const int rank = cd_system_constraint_rank(c->ws, &arena, dependent);
    const int missing = rank < 0 ? 0 : system->m + system->l - rank;
    for (int i = 0, used = 0; i < missing && used < (int)sizeof list - 1; i++) {
        const cd_name name = dependent[i] < system->m
                                 ? cd_system_constraint_name(system, dependent[i])
                                 : cd_system_rolling_name(system, dependent[i] - system->m);
        used +=
            snprintf(list + used, sizeof list - (size_t)used, "%s%s", i > 0 ? ", " : "", name.text);
    }
    cd_arena_destroy(&arena);
    if (missing > 0)
        return cd_fail(c->error, CARDAN_RANK_DEFICIENT,
                       "at t = %.9g the constraints are dependent: %d of %d can be removed, for "
                       "example %s",
                       t, missing, system->m + system->l, list);
    return cd_fail(c->error, CARDAN_SINGULAR_MATRIX,
                   "at t = %.9g the mass matrix is singular on motions that the constraints allow; "
                   "give every free direction a mass or a constraint",
                   t);
}

static cardan_status factor(cd_consistent *c, const cardan_point *at, const cd_term *terms)
{
    cd_matrix_clear(c->matrix);
    cardan_status status =
        cd_system_assemble(c->ws, at, NULL, terms, ACCELERATION_TERMS, c->matrix);
    if (status != CARDAN_OK)
        return status;
    return cd_matrix_factor(c->matrix) == CARDAN_OK ? CARDAN_OK : explain_singular(c, at->t);
}

/* x = -(residual of dynamics, of B v' + bias, of K v' + bias) */
static cardan_status acceleration_residual(cd_consistent *c, const cardan_point *at)
{
    const int k = c->system->k, m = c->system->m, l = c->system->l;
    cardan_status status = cd_system_bias(c->ws, at, c->bias, c->bias + m);
    if (status == CARDAN_OK)
        status = cd_system_equations(c->ws, at, &(cd_equations){.dynamics = c->x});
    if (status != CARDAN_OK)
        return status;
    cd_system_constrain(c->ws, at->vdot, c->x + k);
    cd_add(m + l, 1.0, c->bias, c->x + k);
    for (int i = 0; i < k + m + l; i++)
        c->x[i] = -c->x[i];
    return CARDAN_OK;
}

/* Is the correction x below rounding of the values it was added to? */
static bool is_small(int n, const double *x, const double *value)
{
    return cd_max_abs(n, x) <= 1e-12 * (1.0 + cd_max_abs(n, value));
}

cardan_status cd_consistent_accelerations(cd_consistent *c, const cardan_point *at, double *vdot,
                                          double *lambda, double *psi)
{
    const cardan_system *system = c->system;
    const int k = system->k, m = system->m, l = system->l;
    const bool linear = !system->def.force_depends_on_lambda && !system->def.force_depends_on_psi;
    const cardan_point now = {at->t, at->q, at->v, vdot, lambda, psi};
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        cardan_status status = acceleration_residual(c, &now);
        if (status == CARDAN_OK)
            status = factor(c, &now, c->acceleration);
        if (status != CARDAN_OK)
            return status;
        cd_matrix_solve(c->matrix, c->x);
        cd_add(k, 1.0, c->x, vdot);
        cd_add(m, 1.0, c->x + k, lambda);
        cd_add(l, 1.0, c->x + k + m, psi);
        /* A linear system takes one more pass as iterative refinement. */
        if ((linear && iteration == 1) ||
            (is_small(k, c->x, vdot) && is_small(m, c->x + k, lambda) &&
             is_small(l, c->x + k + m, psi)))
            return CARDAN_OK;
    }
    return cd_fail(c->error, CARDAN_NOT_CONVERGED,
                   "at t = %.9g no accelerations and multipliers were found that satisfy the "
                   "equations of motion; the force depends too strongly on the multipliers",
                   at->t);
}

cardan_status cd_consistent_position(cd_consistent *c, double t, double *q, double *moved)
{
    const int k = c->system->k, m = c->system->m, l = c->system->l;
    const cardan_point at = {t, q, c->rest, c->rest, c->rest, c->rest};
    *moved = 0.0;
    for (int iteration = 0; m > 0 && iteration < MAX_ITERATIONS; iteration++) {
        cd_zero(k + m + l, c->x);
        cardan_status status =
            cd_system_equations(c->ws, &at, &(cd_equations){.position = c->x + k});
        if (status != CARDAN_OK)
            return status;
        if (iteration == 0 && cd_max_abs(m, c->x + k) == 0.0)
            return CARDAN_OK;
        status = factor(c, &at, c->projection);
        if (status != CARDAN_OK)
            return status;
        for (int i = 0; i < m; i++)
            c->x[k + i] = -c->x[k + i];
        cd_matrix_solve(c->matrix, c->x);
        const double step = cd_max_abs(k, c->x);
        if (!isfinite(step))
            break;
        cardan_group_update(c->system->group, q, c->x, q);
        *moved += step;
        if (step <= 8.0 * DBL_EPSILON * (1.0 + cd_max_abs(cardan_group_size(c->system->group), q)))
            return CARDAN_OK;
    }
    if (m == 0)
        return CARDAN_OK;
    return cd_fail(c->error, CARDAN_NOT_CONVERGED,
                   "no configuration near the given one satisfies the constraints at t = %.9g", t);
}

cardan_status cd_consistent_velocity(cd_consistent *c, double t, const double *q,
                                     const double *target, double *v, double *moved)
{
    const int k = c->system->k, m = c->system->m, l = c->system->l;
    const cardan_point at = {t, q, v, c->rest, c->rest, c->rest};
    *moved = 0.0;
    for (int iteration = 0; m + l > 0 && iteration < MAX_ITERATIONS; iteration++) {
        cd_zero(k, c->x);
        const cd_equations wanted = {.hidden = c->x + k, .rolling = c->x + k + m};
        cardan_status status = cd_system_equations(c->ws, &at, &wanted);
        if (status != CARDAN_OK)
            return status;
        if (target != NULL)
            cd_add(m, -1.0, target, c->x + k);
        if (cd_max_abs(m + l, c->x + k) == 0.0)
            return CARDAN_OK;
        status = factor(c, &at, c->projection);
        if (status != CARDAN_OK)
            return status;
        for (int i = k; i < k + m + l; i++)
            c->x[i] = -c->x[i];
        cd_matrix_solve(c->matrix, c->x);
        const double step = cd_max_abs(k, c->x);
        cd_add(k, 1.0, c->x, v);
        *moved += step;
        if (step <= 8.0 * DBL_EPSILON * (1.0 + cd_max_abs(k, v)))
            return CARDAN_OK;
        /* Holonomic rows are linear in v: a second pass only removes rounding. */
        if (l == 0 && iteration == 1)
            return CARDAN_OK;
    }
    if (m + l == 0)
        return CARDAN_OK;
    return cd_fail(c->error, CARDAN_NOT_CONVERGED,
                   "no velocity near the given one satisfies the constraints at t = %.9g", t);
}

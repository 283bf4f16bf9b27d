/* Accelerations and multipliers at a state, with redundant constraints: Newton's method with the
 * bordered mass matrix, each step by least squares. */
#include "linearise.h"

#include "base/error.h"
#include "base/numeric.h"

#include <limits.h>

enum { TERMS = 5, MAX_ITERATIONS = 25 };

typedef struct solver {
    cd_arena *arena;
    cd_workspace *ws;
    const cardan_system *system;
    cd_matrix *matrix;
    cd_term terms[TERMS];
    double *full, *residual, *step;
    double mass; /* largest entry of M: the unit of multipliers */
} solver;

static bool set_up(solver *s)
{
    const int k = s->system->k, m = s->system->m, n = k + m + s->system->l;
    const cd_term terms[TERMS] = {{CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0},
                                  {CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0},
                                  {CD_DYNAMICS_PSI, 0, k + m, 1.0, false, 0},
                                  {CD_POSITION_Q, k, 0, 1.0, false, 0},
                                  {CD_ROLLING_V, k + m, 0, 1.0, false, 0}};
    s->matrix = cd_matrix_create(s->arena, n);
    s->full = cd_arena_doubles(s->arena, n * n);
    s->residual = cd_arena_doubles(s->arena, n);
    s->step = cd_arena_doubles(s->arena, n);
    if (s->arena->failed)
        return false;
    memcpy(s->terms, terms, sizeof terms);
    cd_system_declare(s->system, s->terms, TERMS, s->matrix);
    cd_matrix_dense_up_to(s->matrix, INT_MAX);
    cd_matrix_seal(s->matrix);
    return !s->arena->failed;
}

/* -(dynamics, B v' + bias, K v' + bias) */
static cardan_status find_residual(solver *s, const cardan_point *at)
{
    const int k = s->system->k, m = s->system->m, l = s->system->l;
    double *r = s->residual;
    cardan_status status = cd_system_bias(s->ws, at, s->step + k, s->step + k + m);
    if (status == CARDAN_OK)
        status = cd_system_equations(s->ws, at, &(cd_equations){.dynamics = r});
    if (status != CARDAN_OK)
        return status;
    cd_system_constrain(s->ws, at->vdot, r + k);
    cd_add(m + l, 1.0, s->step + k, r + k);
    for (int i = 0; i < k + m + l; i++)
        r[i] = -r[i];
    return CARDAN_OK;
}

/* Rows are scaled to like sizes, and multipliers by one factor, which keeps their least norm. */
static void scale(solver *s)
{
    const int k = s->system->k, n = k + s->system->m + s->system->l;
    s->mass = cd_system_scales(s->ws).mass;
    s->mass = s->mass > 0.0 ? s->mass : 1.0;
    for (int i = 0; i < n; i++) {
        double *row = s->full + i * n;
        for (int j = k; j < n; j++)
            row[j] *= s->mass;
        const double size = cd_max_abs(n, row);
        for (int j = 0; j < n && size > 0.0; j++)
            row[j] /= size;
        if (size > 0.0)
            s->residual[i] /= size;
    }
}

static cardan_status find_step(solver *s, const cardan_point *at)
{
    const int k = s->system->k, n = k + s->system->m + s->system->l;
    int rank;
    cardan_status status = find_residual(s, at);
    if (status != CARDAN_OK)
        return status;
    cd_matrix_clear(s->matrix);
    status = cd_system_assemble(s->ws, at, NULL, s->terms, TERMS, s->matrix);
    if (status != CARDAN_OK)
        return status;
    cd_matrix_expand(s->matrix, s->full);
    scale(s);
    if (!cd_least_squares(s->arena, n, n, s->full, s->residual, cd_analysis_tolerance(s->system),
                          s->step, &rank))
        return CARDAN_OUT_OF_MEMORY;
    for (int i = k; i < n; i++)
        s->step[i] *= s->mass;
    return CARDAN_OK;
}

static bool is_small(int n, const double *step, const double *value)
{
    return cd_max_abs(n, step) <= 1e-12 * (1.0 + cd_max_abs(n, value));
}

static cardan_status iterate(solver *s, const cardan_point *at, double *vdot, double *lambda,
                             double *psi, cardan_error *error)
{
    const int k = s->system->k, m = s->system->m, l = s->system->l;
    const cardan_point now = {at->t, at->q, at->v, vdot, lambda, psi};
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        cardan_status status = find_step(s, &now);
        if (status != CARDAN_OK)
            return status;
        cd_add(k, 1.0, s->step, vdot);
        cd_add(m, 1.0, s->step + k, lambda);
        cd_add(l, 1.0, s->step + k + m, psi);
        if (is_small(k, s->step, vdot) && is_small(m, s->step + k, lambda) &&
            is_small(l, s->step + k + m, psi))
            return CARDAN_OK;
        if (i > 0 && !s->system->def.force_depends_on_lambda &&
            !s->system->def.force_depends_on_psi)
            return CARDAN_OK; /* linear: the second pass was a refinement */
    }
    return cd_fail(error, CARDAN_NOT_CONVERGED,
                   "at t = %.9g no accelerations and multipliers satisfy the equations of motion; "
                   "the force depends too strongly on the multipliers",
                   at->t);
}

cardan_status cd_accelerations(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                               const cardan_point *at, double *vdot, double *lambda, double *psi,
                               cardan_error *error)
{
    solver s = {.arena = arena, .ws = ws, .system = system};
    cardan_status status = CARDAN_OUT_OF_MEMORY;
    if (set_up(&s))
        status = iterate(&s, at, vdot, lambda, psi, error);
    if (status == CARDAN_OUT_OF_MEMORY)
        return cd_fail(error, status, "no memory for accelerations and multipliers");
    return status;
}

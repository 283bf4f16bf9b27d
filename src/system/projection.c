/* Newton's method for the bordered problem of projection.h. */
#include "system/projection.h"

#include "base/error.h"
#include "base/numeric.h"
#include "system/workspace.h"

#include <float.h>

enum { NEWTON_ITERATIONS = 25, AUGMENTED_ITERATIONS = 20000 };

struct cd_projector {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    cd_matrix *matrix;
    int norm_slot;
    int row_slots[2], reaction_slots[2];  /* of the holonomic and the nonholonomic part of C, C^T */
    int diagonal_slots[2];                /* -1/alpha */
    const cd_pattern *mass, *patterns[2]; /* of A and of both parts of C */
    double *scratch;                      /* all of the following but `rest` */
    const double *norm, *rows[2];         /* A and C, here or in the workspace; NULL: zeros */
    double *own_norm, *own_rows;          /* room for A and for the first part of C */
    double *residual;                     /* r: m + l */
    double *origin;                       /* x*: k or group size */
    double *change;                       /* d: k */
    double *multiplier, *shift;           /* mu, mu_0: m + l */
    double *x;                            /* right-hand side and solution: k + m + l */
    double *rest;                         /* zeros */
};

/* What is projected: how its residual is evaluated and how x = x* + d is formed. */
typedef struct cd_task {
    const cardan_projection *how;
    const char *what;
    bool linear;  /* r is linear in x: C and its factors serve for all iterations */
    bool rolling; /* nonholonomic constraints take part */
    cardan_point at;
    const double *target;
    double *value; /* x: q, v or v' */
    int size;      /* of x */
    cardan_status (*evaluate)(cd_projector *p, const struct cd_task *task);
} cd_task;

/* (A C^T; C -I/alpha) */
static void declare_blocks(cd_projector *p)
{
    const int k = p->system->k;
    cd_matrix_dense_up_to(p->matrix, p->system->dense_up_to);
    cd_matrix_share(p->matrix, cd_workspace_pool(p->ws));
    cd_system_set_units(p->system, p->matrix);
    cd_system_belong(p->system, CD_VELOCITIES, 0, p->matrix);
    cd_system_belong(p->system, CD_MULTIPLIERS, k, p->matrix);
    cd_system_belong(p->system, CD_ROLLING_MULTIPLIERS, k + p->system->m, p->matrix);
    p->norm_slot = cd_matrix_declare(p->matrix, 0, 0, p->mass);
    for (int i = 0, row = k; i < 2; i++) {
        const cd_pattern *pattern = p->patterns[i];
        p->reaction_slots[i] = cd_matrix_declare_transposed(p->matrix, 0, row, pattern);
        p->row_slots[i] = cd_matrix_declare(p->matrix, row, 0, pattern);
        p->diagonal_slots[i] = cd_matrix_declare_diagonal(p->matrix, row, row, pattern->rows);
        row += pattern->rows;
    }
}

static int origin_size(const cardan_system *system)
{
    const int k = system->k, size = cardan_group_size(system->group);
    return k > size ? k : size;
}

static int scratch_size(const cd_projector *p)
{
    const cardan_system *system = p->system;
    return p->mass->entries + p->patterns[0]->entries + origin_size(system) + 2 * system->k +
           4 * (system->m + system->l);
}

static void divide_scratch(cd_projector *p)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    p->own_norm = p->scratch;
    p->own_rows = p->own_norm + p->mass->entries;
    p->origin = p->own_rows + p->patterns[0]->entries;
    p->change = p->origin + origin_size(p->system);
    p->x = p->change + k;
    p->residual = p->x + k + n;
    p->multiplier = p->residual + n;
    p->shift = p->multiplier + n;
}

void cd_projector_forget(cd_projector *p, const cd_arena *arena)
{
    cd_arena_forget(arena, p->scratch, (size_t)scratch_size(p) * sizeof *p->scratch);
}

cd_projector *cd_projector_create(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                  cd_matrix *shared, cardan_error *error)
{
    const int k = system->k, m = system->m, l = system->l;
    cd_projector *p = cd_arena_take(arena, sizeof *p);
    if (p == NULL)
        return NULL;
    *p = (cd_projector){.system = system,
                        .ws = ws,
                        .error = error,
                        .matrix = shared != NULL ? shared : cd_matrix_create(arena, k + m + l),
                        .mass = cd_pattern_of(ws, CD_P_mass),
                        .patterns = {&system->matrices.closed[CD_P_constraint_dq],
                                     cd_pattern_of(ws, CD_P_nonholonomic_dv)},
                        .rest = cd_arena_doubles(arena, k + m + l)};
    p->scratch = cd_arena_doubles(arena, scratch_size(p));
    if (arena->failed)
        return NULL;
    divide_scratch(p);
    declare_blocks(p);
    if (shared == NULL)
        cd_matrix_seal(p->matrix);
    return arena->failed ? NULL : p;
}

void cd_projector_add_border(cd_projector *p, double weight)
{
    for (int i = 0; i < 2; i++)
        cd_matrix_add_identity(p->matrix, p->diagonal_slots[i], weight);
}

/* A in the order of the mass pattern; outside of it a given matrix is zero (cd_projection_check).
 * M is that of the first iterate; `stays`: later ones have the same. */
static void evaluate_norm(cd_projector *p, const cardan_projection *projection, bool stays)
{
    const int k = p->system->k;
    p->norm = projection->norm == CARDAN_NORM_MASS && stays ? p->ws->mass : p->own_norm;
    if (projection->norm == CARDAN_NORM_MASS) {
        if (!stays)
            cd_copy(p->mass->entries, p->ws->mass, p->own_norm);
        return;
    }
    for (int i = 0; i < k; i++)
        for (int e = cd_pattern_begin(p->mass, i); e < cd_pattern_end(p->mass, i); e++) {
            const int j = cd_pattern_column(p->mass, i, e);
            const size_t place = (size_t)i * (size_t)k + (size_t)j;
            if (projection->norm == CARDAN_NORM_MATRIX)
                p->own_norm[e] = projection->matrix[place];
            else if (projection->norm == CARDAN_NORM_DIAGONAL)
                p->own_norm[e] = i == j ? projection->matrix[i] : 0.0;
            else
                p->own_norm[e] = i == j ? 1.0 : 0.0;
        }
}

/* Rows B T(d): the derivative of Phi(update(q*, d)) with respect to d. */
static cardan_status evaluate_position(cd_projector *p, const cd_task *task)
{
    const cd_map map = {.increment = p->change, .ratio = 1.0};
    cd_zero(p->system->m + p->system->l, p->residual);
    cardan_status status =
        cd_system_equations(p->ws, &task->at, &(cd_equations){.position = p->residual});
    if (status != CARDAN_OK)
        return status;
    cd_map_evaluate_all(p->ws, &map);
    p->rows[0] = cd_map_apply(p->ws, &map, CD_P_constraint_dq, p->ws->jacobian);
    p->rows[1] = NULL;
    return CARDAN_OK;
}

/* C = (B; K) */
static void take_rows(cd_projector *p)
{
    const int *places = p->system->matrices.places[CD_P_constraint_dq];
    const int entries = cd_pattern_of(p->ws, CD_P_constraint_dq)->entries;
    p->rows[0] = places == NULL ? p->ws->jacobian : p->own_rows;
    p->rows[1] = p->ws->rolling;
    if (places == NULL)
        return;
    cd_zero(p->patterns[0]->entries, p->own_rows);
    for (int e = 0; e < entries; e++)
        p->own_rows[places[e]] = p->ws->jacobian[e];
}

static cardan_status evaluate_velocity(cd_projector *p, const cd_task *task)
{
    const int m = p->system->m;
    const cd_equations wanted = {.hidden = p->residual, .rolling = p->residual + m};
    cardan_status status = cd_system_equations(p->ws, &task->at, &wanted);
    if (task->target != NULL)
        cd_add(m, -1.0, task->target, p->residual);
    take_rows(p);
    return status;
}

static cardan_status evaluate_acceleration(cd_projector *p, const cd_task *task)
{
    const int m = p->system->m, l = p->system->l;
    cardan_status status = cd_system_equations(p->ws, &task->at, &(cd_equations){0});
    if (status == CARDAN_OK)
        status = cd_system_bias(p->ws, &task->at, p->residual, p->residual + m);
    if (status != CARDAN_OK)
        return status;
    cd_system_constrain(p->ws, task->value, p->x);
    cd_add(m + l, 1.0, p->x, p->residual);
    take_rows(p);
    return status;
}

/* alpha of the solver; an exact one is a penalty without bound. */
static double penalty_of(const cardan_projection *how)
{
    return how->solver == CARDAN_PROJECTION_EXACT ? INFINITY : how->penalty;
}

/* Rows of C are scaled by min(1, alpha) so that no penalty overflows. */
static cardan_status factor(cd_projector *p, const cd_task *task)
{
    const double alpha = penalty_of(task->how), scale = fmin(1.0, alpha);
    const double diagonal = -fmin(1.0, 1.0 / alpha);
    cardan_status status;
    do {
        cd_matrix_clear(p->matrix);
        cd_matrix_add(p->matrix, p->norm_slot, 1.0, p->norm);
        for (int i = 0; i < 2 && p->rows[i] != NULL; i++) {
            cd_matrix_add(p->matrix, p->reaction_slots[i], 1.0, p->rows[i]);
            cd_matrix_add(p->matrix, p->row_slots[i], scale, p->rows[i]);
        }
        cd_matrix_add_identity(p->matrix, p->diagonal_slots[0], diagonal);
        cd_matrix_add_identity(p->matrix, p->diagonal_slots[1], task->rolling ? diagonal : -1.0);
        status = cd_matrix_factor(p->matrix);
    } while (status != CARDAN_OK && cd_matrix_retry(p->matrix));
    return status == CARDAN_OK ? CARDAN_OK : cd_system_explain_singular(p->ws, task->at.t);
}

/* x = -(A d + C^T mu, r - (mu - mu_0) / alpha) */
static void make_right_side(cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const double alpha = penalty_of(task->how), scale = fmin(1.0, alpha);
    cd_pattern_multiply(p->mass, p->norm, p->change, p->x);
    cd_pattern_add_transposed(p->patterns[0], p->rows[0], p->multiplier, p->x);
    if (p->rows[1] != NULL)
        cd_pattern_add_transposed(p->patterns[1], p->rows[1], p->multiplier + p->system->m, p->x);
    for (int i = 0; i < n; i++)
        p->x[k + i] =
            scale * p->residual[i] - fmin(1.0, 1.0 / alpha) * (p->multiplier[i] - p->shift[i]);
    for (int i = 0; i < k + n; i++)
        p->x[i] = -p->x[i];
}

/* d += dx, mu += dmu, and x from x* and d. */
static void move(cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    cd_add(k, 1.0, p->x, p->change);
    cd_add(n, 1.0, p->x + k, p->multiplier);
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED)
        cd_copy(n, p->multiplier, p->shift);
    if (task->evaluate == evaluate_position) {
        cardan_group_update(p->system->group, p->origin, p->change, task->value);
        return;
    }
    for (int i = 0; i < k; i++)
        task->value[i] = p->origin[i] + p->change[i];
}

/* Corrections at the level of rounding, or near it and no longer getting smaller. */
static bool has_settled(const cd_task *task, double step, double last)
{
    const double size = 1.0 + cd_max_abs(task->size, task->value);
    return step <= 8.0 * DBL_EPSILON * size || (step >= last && step <= 1e-12 * size);
}

static cardan_status explain_failure(cd_projector *p, const cd_task *task)
{
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED)
        return cd_fail(p->error, CARDAN_NOT_CONVERGED,
                       "the augmented Lagrangian projection has found no %s that satisfies the "
                       "constraints at t = %.9g; raise its penalty of %g, or project exactly",
                       task->what, task->at.t, task->how->penalty);
    return cd_fail(p->error, CARDAN_NOT_CONVERGED,
                   "no %s near the given one satisfies the constraints at t = %.9g", task->what,
                   task->at.t);
}

static cardan_status minimise(cd_projector *p, const cd_task *task)
{
    const int n = p->system->m + p->system->l;
    const bool augmented = task->how->solver == CARDAN_PROJECTION_AUGMENTED;
    const int most = augmented ? AUGMENTED_ITERATIONS : NEWTON_ITERATIONS;
    double last = INFINITY;
    cd_copy(task->size, task->value, p->origin);
    cd_zero(p->system->k, p->change);
    cd_zero(n, p->multiplier);
    cd_zero(n, p->shift);
    for (int iteration = 0; iteration < most; iteration++) {
        cardan_status status = task->evaluate(p, task);
        if (status != CARDAN_OK)
            return status;
        if (iteration == 0) {
            if (cd_max_abs(n, p->residual) == 0.0)
                return CARDAN_OK;
            evaluate_norm(p, task->how, task->linear || p->system->def.constant_mass);
        }
        if (iteration == 0 || !task->linear)
            status = factor(p, task);
        if (status != CARDAN_OK)
            return status;
        make_right_side(p, task);
        cd_matrix_solve(p->matrix, p->x);
        const double step = cd_max_abs(p->system->k, p->x);
        if (!isfinite(step))
            break;
        move(p, task);
        /* A linear problem takes a second pass as iterative refinement. */
        if (has_settled(task, step, last) || (task->linear && !augmented && iteration == 1))
            return CARDAN_OK;
        last = step;
    }
    return explain_failure(p, task);
}

static cardan_status total_energy(cd_projector *p, const cardan_point *at, double *energy)
{
    double kinetic, potential;
    cardan_status status = cd_system_energy(p->ws, at, &kinetic, &potential);
    *energy = kinetic + potential;
    return status;
}

cardan_status cd_projector_position(cd_projector *p, const cardan_projection *how, double t,
                                    double *q, const double *v, cardan_projection_report *report)
{
    const cd_task task = {.how = how,
                          .what = "configuration",
                          .at = {t, q, p->rest, p->rest, p->rest, p->rest},
                          .value = q,
                          .size = cardan_group_size(p->system->group),
                          .evaluate = evaluate_position};
    const cardan_point moving = {t, q, v, p->rest, p->rest, p->rest};
    double before = 0.0, after = 0.0;
    if (p->system->m == 0)
        return CARDAN_OK;
    cardan_status status = v != NULL ? total_energy(p, &moving, &before) : CARDAN_OK;
    if (status == CARDAN_OK)
        status = minimise(p, &task);
    if (status == CARDAN_OK && v != NULL)
        status = total_energy(p, &moving, &after);
    report->moved_position = cd_max_abs(p->system->k, p->change);
    report->energy += after - before;
    return status;
}

/* The kinetic energy gained by v = v* + d, as v^T M d - d^T M d / 2: with the penalty solver these
 * are the two terms of GO10 (21), since d = -alpha A^-1 C^T r(v) there. */
static void book_energy(cd_projector *p, const cardan_projection *how, const double *v,
                        cardan_projection_report *report)
{
    const int k = p->system->k;
    double linear = 0.0, quadratic = 0.0;
    cd_system_multiply_mass(p->ws, NULL, p->change, p->x);
    linear = 0.5 * cd_dot(k, v, p->x);
    quadratic = -0.5 * cd_dot(k, p->change, p->x);
    cd_system_multiply_mass(p->ws, NULL, v, p->x);
    linear += 0.5 * cd_dot(k, p->change, p->x);
    report->energy += linear + quadratic;
    if (how->solver == CARDAN_PROJECTION_PENALTY) {
        report->energy_linear += linear;
        report->energy_quadratic += quadratic;
    }
}

cardan_status cd_projector_velocity(cd_projector *p, const cardan_projection *how, double t,
                                    const double *q, const double *target, double *v,
                                    cardan_projection_report *report)
{
    const cd_task task = {.how = how,
                          .what = "velocity",
                          .linear = p->system->l == 0,
                          .rolling = true,
                          .at = {t, q, v, p->rest, p->rest, p->rest},
                          .target = target,
                          .value = v,
                          .size = p->system->k,
                          .evaluate = evaluate_velocity};
    if (p->system->m + p->system->l == 0)
        return CARDAN_OK;
    cardan_status status = minimise(p, &task);
    if (status != CARDAN_OK)
        return status;
    report->moved_velocity = cd_max_abs(p->system->k, p->change);
    book_energy(p, how, v, report);
    return CARDAN_OK;
}

cardan_status cd_projector_acceleration(cd_projector *p, const cardan_projection *how,
                                        const cardan_point *at, double *vdot, double *multipliers)
{
    const cd_task task = {.how = how,
                          .what = "acceleration",
                          .linear = true,
                          .rolling = true,
                          .at = {at->t, at->q, at->v, vdot, at->lambda, at->psi},
                          .value = vdot,
                          .size = p->system->k,
                          .evaluate = evaluate_acceleration};
    const int n = p->system->m + p->system->l;
    if (n == 0)
        return CARDAN_OK;
    cardan_status status = minimise(p, &task);
    if (status == CARDAN_OK && multipliers != NULL)
        cd_copy(n, p->multiplier, multipliers);
    return status;
}

cardan_status cd_projector_residual(cd_projector *p, double t, const double *q, const double *v,
                                    double *largest)
{
    const cd_task task = {.at = {t, q, v, p->rest, p->rest, p->rest}};
    cardan_status status = evaluate_velocity(p, &task);
    *largest = cd_max_abs(p->system->m + p->system->l, p->residual);
    return status;
}

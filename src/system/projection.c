/* The projector: its matrices and norms, and what is projected. See projection.h. */
#include "projector.h"

#include "base/error.h"
#include "base/numeric.h"

/* Who the unknowns belong to. */
static void place_unknowns(const cardan_system *system, cd_matrix *matrix)
{
    cd_system_set_units(system, matrix);
    cd_system_belong(system, CD_VELOCITIES, 0, matrix);
    cd_system_belong(system, CD_MULTIPLIERS, system->k, matrix);
    cd_system_belong(system, CD_ROLLING_MULTIPLIERS, system->k + system->m, matrix);
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

static void close_wides(void *projector)
{
    cd_projector *p = projector;
    for (int i = 0; i < CD_SHAPES * CD_BENDS; i++) {
        cd_wide *w = &p->wides[i / CD_BENDS][i % CD_BENDS];
        if (w->made)
            cd_arena_destroy(&w->arena);
    }
    if (p->has_tangent)
        cd_arena_destroy(&p->tangent_arena);
}

cd_projector *cd_projector_create(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                  cd_matrix *shared, cardan_error *error)
{
    const int k = system->k, m = system->m, l = system->l;
    cd_projector *p = cd_arena_take(arena, sizeof *p);
    cd_matrix *matrix = shared != NULL ? shared : cd_matrix_create(arena, k + m + l);
    if (p == NULL || matrix == NULL)
        return NULL;
    *p = (cd_projector){.system = system,
                        .ws = ws,
                        .error = error,
                        .mass = cd_pattern_of(ws, CD_P_mass),
                        .patterns = {&system->matrices.closed[CD_P_constraint_dq],
                                     cd_pattern_of(ws, CD_P_nonholonomic_dv)},
                        .rest = cd_arena_doubles(arena, k + m + l)};
    p->scratch = cd_arena_doubles(arena, scratch_size(p));
    if (arena->failed)
        return NULL;
    divide_scratch(p);
    cd_projector_tell(p, 0.0, NULL, NULL);
    cd_arena_finally(arena, close_wides, p);
    cd_matrix_dense_up_to(matrix, system->dense_up_to);
    cd_matrix_share(matrix, cd_workspace_pool(ws));
    place_unknowns(system, matrix);
    p->plain = cd_bordered_declare(matrix, system, p->mass, NULL, p->patterns);
    p->bordered = &p->plain;
    if (shared == NULL)
        cd_matrix_seal(matrix);
    return arena->failed ? NULL : p;
}

void cd_projector_add_border(cd_projector *p, double weight)
{
    for (int i = 0; i < 2; i++)
        cd_matrix_add_identity(p->plain.matrix, p->plain.diagonal_slots[i], weight);
}

void cd_projector_tell(cd_projector *p, double step, const double *lambda, const double *psi)
{
    p->step = step;
    p->lambda = lambda != NULL ? lambda : p->rest;
    p->psi = psi != NULL ? psi : p->rest;
}

static cardan_status no_memory(const cd_projector *p)
{
    return cd_fail(p->error, CARDAN_OUT_OF_MEMORY, "no memory for the matrix of a projection");
}

static void make_hessian(cd_projector *p, cd_wide *w, cd_bend part)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const cd_pattern *rows = p->patterns[part == CD_BEND_ROLLING];
    w->hessian = cd_pattern_product(&w->arena, rows, rows);
    w->values = cd_arena_doubles(&w->arena, w->hessian.entries);
    w->centre = cd_arena_doubles(&w->arena, k);
    w->pull = cd_arena_doubles(&w->arena, k);
    w->base = cd_arena_doubles(&w->arena, k);
    w->direction = cd_arena_doubles(&w->arena, k + n);
    w->weight = cd_arena_doubles(&w->arena, n);
    w->work = cd_arena_doubles(&w->arena, k + n);
    if (!w->hessian.full && !w->arena.failed)
        w->colouring = cd_colouring_make(&w->arena, &w->hessian, (cd_runs){0});
}

static void make_wide(cd_projector *p, cd_wide *w, cd_shape shape, cd_bend part)
{
    const cardan_system *system = p->system;
    const cd_pattern norms[] = {*p->mass, p->tangent.pattern,
                                cd_pattern_full(system->k, system->k)};
    w->norm = norms[shape];
    if (part != CD_BEND_NONE)
        make_hessian(p, w, part);
    cd_matrix *matrix = cd_matrix_create(&w->arena, system->k + system->m + system->l);
    if (w->arena.failed)
        return;
    cd_matrix_tell(matrix, (cd_unknowns){.velocities = system->k});
    cd_matrix_dense_up_to(matrix, system->dense_up_to);
    if (shape != CD_SHAPE_FULL)
        place_unknowns(system, matrix);
    w->bordered = cd_bordered_declare(matrix, system, &w->norm,
                                      part != CD_BEND_NONE ? &w->hessian : NULL, p->patterns);
    cd_matrix_seal(matrix);
}

/* The matrix for A of some shape with room for H. */
static cardan_status choose(cd_projector *p, cd_shape shape, cd_bend part)
{
    cd_wide *w = &p->wides[shape][part];
    p->wide = w;
    p->bordered = shape == CD_SHAPE_OF_MASS && part == CD_BEND_NONE ? &p->plain : &w->bordered;
    if (w->made || p->bordered == &p->plain)
        return CARDAN_OK;
    cd_arena_init(&w->arena, &p->system->arena.allocator);
    make_wide(p, w, shape, part);
    w->made = !w->arena.failed;
    if (w->made)
        return CARDAN_OK;
    cd_arena_destroy(&w->arena);
    *w = (cd_wide){0};
    return no_memory(p);
}

/* Has a given A entries outside of the pattern of M? */
static bool exceeds(const cd_projector *p, const double *matrix)
{
    const int k = p->system->k;
    for (int i = 0; i < k && !p->mass->full; i++)
        for (int j = 0; j < k; j++)
            if (matrix[(size_t)i * (size_t)k + (size_t)j] != 0.0 &&
                cd_pattern_find(p->mass, i, j) < 0)
                return true;
    return false;
}

static cd_shape shape_of(const cd_projector *p, const cardan_projection *how)
{
    if (how->norm == CARDAN_NORM_TANGENT)
        return CD_SHAPE_OF_TANGENT;
    if (how->norm != CARDAN_NORM_MATRIX)
        return CD_SHAPE_OF_MASS;
    for (int i = 0; i < 2; i++)
        if (how->matrix == p->known[i].matrix)
            return p->known[i].shape;
    return exceeds(p, how->matrix) ? CD_SHAPE_FULL : CD_SHAPE_OF_MASS;
}

static cardan_status open_tangent(cd_projector *p)
{
    if (p->has_tangent)
        return CARDAN_OK;
    cd_arena_init(&p->tangent_arena, &p->system->arena.allocator);
    cd_tangent_make(&p->tangent_arena, p->system, &p->tangent);
    p->has_tangent = !p->tangent_arena.failed;
    if (p->has_tangent)
        return CARDAN_OK;
    cd_arena_destroy(&p->tangent_arena);
    return no_memory(p);
}

static cardan_status open_norm(cd_projector *p, const cardan_projection *how)
{
    const cardan_status status = how->norm == CARDAN_NORM_TANGENT ? open_tangent(p) : CARDAN_OK;
    return status == CARDAN_OK ? choose(p, shape_of(p, how), CD_BEND_NONE) : status;
}

cardan_status cd_projector_prepare(cd_projector *p, const cardan_projection *how)
{
    const cardan_projection *const both[] = {how, cd_projection_of_accelerations(how)};
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < 2 && status == CARDAN_OK; i++) {
        if (both[i]->norm == CARDAN_NORM_MATRIX) {
            p->known[i].shape = shape_of(p, both[i]);
            p->known[i].matrix = both[i]->matrix;
        }
        status = open_norm(p, both[i]);
    }
    return status;
}

static cardan_status evaluate_tangent(cd_projector *p, const cd_task *task)
{
    const cardan_projection *how = task->how;
    const bool given = how->damping > 0.0 || how->stiffness > 0.0;
    const double h = p->step;
    const cardan_point at = {task->at.t, task->at.q, task->v, p->rest, p->lambda, p->psi};
    p->norm = p->tangent.values;
    return cd_tangent_evaluate(&p->tangent, p->ws, &at, given ? how->damping : 0.5 * h,
                               given ? how->stiffness : 0.25 * h * h);
}

/* A in the order of its pattern. M is that of the first iterate; `stays`: later ones have the same.
 */
static void evaluate_norm(cd_projector *p, const cardan_projection *projection, bool stays)
{
    const int k = p->system->k;
    p->norm = projection->norm == CARDAN_NORM_MASS && stays ? p->ws->mass : p->own_norm;
    if (p->bordered->norm->full && projection->norm == CARDAN_NORM_MATRIX) {
        p->norm = projection->matrix;
        return;
    }
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

cardan_status cd_projector_open_norm(cd_projector *p, const cd_task *task)
{
    const cardan_status status = open_norm(p, task->how);
    return status == CARDAN_OK && task->how->norm == CARDAN_NORM_TANGENT ? evaluate_tangent(p, task)
                                                                         : status;
}

void cd_projector_norm(cd_projector *p, const cd_task *task)
{
    const bool stays = task->linear || p->system->def.constant_mass;
    if (task->how->norm != CARDAN_NORM_TANGENT)
        evaluate_norm(p, task->how, stays);
}

cardan_status cd_projector_bend(cd_projector *p, const cd_task *task)
{
    return choose(p, shape_of(p, task->how), task->part);
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
                          .part = CD_BEND_HOLONOMIC,
                          .v = v != NULL ? v : p->rest,
                          .at = {t, q, p->rest, p->rest, p->rest, p->rest},
                          .value = q,
                          .size = cardan_group_size(p->system->group),
                          .turns = true,
                          .evaluate = evaluate_position};
    const cardan_point moving = {t, q, v, p->rest, p->rest, p->rest};
    double before = 0.0, after = 0.0;
    if (p->system->m == 0)
        return CARDAN_OK;
    cardan_status status = v != NULL ? total_energy(p, &moving, &before) : CARDAN_OK;
    if (status == CARDAN_OK)
        status = cd_projector_minimise(p, &task);
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
    cd_system_multiply_mass(p->ws, NULL, p->change, p->x);
    double linear = 0.5 * cd_dot(k, v, p->x);
    const double quadratic = -0.5 * cd_dot(k, p->change, p->x);
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
                          .part = CD_BEND_ROLLING,
                          .v = v,
                          .at = {t, q, v, p->rest, p->rest, p->rest},
                          .target = target,
                          .value = v,
                          .size = p->system->k,
                          .evaluate = evaluate_velocity};
    if (p->system->m + p->system->l == 0)
        return CARDAN_OK;
    cardan_status status = cd_projector_minimise(p, &task);
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
                          .v = at->v,
                          .at = {at->t, at->q, at->v, vdot, at->lambda, at->psi},
                          .value = vdot,
                          .size = p->system->k,
                          .evaluate = evaluate_acceleration};
    const int n = p->system->m + p->system->l;
    if (n == 0)
        return CARDAN_OK;
    cardan_status status = cd_projector_minimise(p, &task);
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

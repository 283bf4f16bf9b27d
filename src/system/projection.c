/* The projector: its matrices and norms, and the problems for q, v and v'. See projection.h. */
#include "projector.h"

#include "base/error.h"
#include "base/numeric.h"

/* The most numbers of the vector that a projection begins from: a q, v or v'. */
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

static void set_scratch_pointers(cd_projector *p)
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

static void destroy_later_memory(void *projector)
{
    cd_arena_destroy(&((cd_projector *)projector)->later);
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
                        .zeros = cd_arena_doubles(arena, k + m + l)};
    p->scratch = cd_arena_doubles(arena, scratch_size(p));
    if (arena->failed)
        return NULL;
    set_scratch_pointers(p);
    cd_projector_tell(p, 0.0, NULL, NULL);
    cd_arena_init(&p->later, &system->arena.allocator);
    cd_arena_on_destroy(arena, destroy_later_memory, p);
    cd_matrix_dense_up_to(matrix, system->dense_up_to);
    cd_matrix_set_pool(matrix, &cd_workspace_services(ws)->pool);
    cd_system_assign_units(system, matrix);
    p->plain = cd_bordered_declare(matrix, system, p->mass, NULL, p->patterns);
    p->bordered = &p->plain;
    if (shared == NULL)
        cd_matrix_seal(matrix);
    return arena->failed ? NULL : p;
}

void cd_projector_tell(cd_projector *p, double step, const double *lambda, const double *psi)
{
    p->step = step;
    p->lambda = lambda != NULL ? lambda : p->zeros;
    p->psi = psi != NULL ? psi : p->zeros;
}

/* Fails if the memory that is taken after the creation has run out. */
static cardan_status check_later_memory(cd_projector *p)
{
    const bool failed = p->later.failed;
    p->later.failed = 0;
    return failed
               ? cd_fail(p->error, CARDAN_OUT_OF_MEMORY, "no memory for the matrix of a projection")
               : CARDAN_OK;
}

static void allocate_hessian(cd_projector *p, cd_wide_matrix *w, cd_curved curved)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const cd_pattern *rows = p->patterns[curved == CD_CURVED_NONHOLONOMIC];
    cd_arena *arena = &p->later;
    w->hessian = cd_pattern_product(arena, rows, rows);
    w->values = cd_arena_doubles(arena, w->hessian.entries);
    w->centre = cd_arena_doubles(arena, k);
    w->pull = cd_arena_doubles(arena, k);
    w->base = cd_arena_doubles(arena, k);
    w->direction = cd_arena_doubles(arena, k + n);
    w->weight = cd_arena_doubles(arena, n);
    w->work = cd_arena_doubles(arena, k + n);
    if (!w->hessian.full && !arena->failed)
        w->colouring = cd_colouring_make(arena, &w->hessian, (cd_runs){0});
}

/* Makes the bordered matrix with this pattern of A and this H. */
static void create_wide_matrix(cd_projector *p, cd_wide_matrix *w, cd_shape shape, cd_curved curved)
{
    const cardan_system *system = p->system;
    cd_arena *arena = &p->later;
    const cd_pattern norms[] = {*p->mass, p->tangent.pattern,
                                cd_pattern_full(system->k, system->k)};
    w->norm = norms[shape];
    if (curved != CD_CURVED_NONE)
        allocate_hessian(p, w, curved);
    cd_matrix *matrix = cd_matrix_create(arena, system->k + system->m + system->l);
    if (arena->failed)
        return;
    cd_matrix_set_unknowns(matrix, (cd_unknowns){.velocities = system->k});
    cd_matrix_dense_up_to(matrix, system->dense_up_to);
    if (shape != CD_SHAPE_FULL)
        cd_system_assign_units(system, matrix);
    w->bordered = cd_bordered_declare(matrix, system, &w->norm,
                                      curved != CD_CURVED_NONE ? &w->hessian : NULL, p->patterns);
    cd_matrix_seal(matrix);
}

/* Uses the matrix for this pattern of A and this H, which is made if it does not exist yet. */
static cardan_status choose_matrix(cd_projector *p, cd_shape shape, cd_curved curved)
{
    cd_wide_matrix *w = &p->wides[shape][curved];
    p->wide = w;
    p->bordered = shape == CD_SHAPE_OF_MASS && curved == CD_CURVED_NONE ? &p->plain : &w->bordered;
    if (w->made || p->bordered == &p->plain)
        return CARDAN_OK;
    create_wide_matrix(p, w, shape, curved);
    w->made = !p->later.failed;
    return check_later_memory(p);
}

/* The pattern that the norm needs. */
static cd_shape norm_shape(const cd_projector *p, const cardan_projection *how)
{
    if (how->norm == CARDAN_NORM_TANGENT)
        return CD_SHAPE_OF_TANGENT;
    return how->norm == CARDAN_NORM_MATRIX && !p->mass->full ? CD_SHAPE_FULL : CD_SHAPE_OF_MASS;
}

/* Makes the matrix of the tangent norm, unless that was done before. */
static cardan_status make_tangent_once(cd_projector *p)
{
    if (p->has_tangent)
        return CARDAN_OK;
    cd_tangent_make(&p->later, p->system, &p->tangent);
    p->has_tangent = !p->later.failed;
    return check_later_memory(p);
}

static cardan_status choose_norm_matrix(cd_projector *p, const cardan_projection *how)
{
    const cardan_status status =
        how->norm == CARDAN_NORM_TANGENT ? make_tangent_once(p) : CARDAN_OK;
    return status == CARDAN_OK ? choose_matrix(p, norm_shape(p, how), CD_CURVED_NONE) : status;
}

cardan_status cd_projector_prepare(cd_projector *p, const cardan_projection *how)
{
    const cardan_projection *const both[] = {how, cd_projection_of_accelerations(how)};
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < 2 && status == CARDAN_OK; i++)
        status = choose_norm_matrix(p, both[i]);
    return status;
}

/* p->norm = A of the tangent norm, with the weights h/2 and h^2/4 if none are given. */
static cardan_status evaluate_tangent(cd_projector *p, const cd_job *job)
{
    const cardan_projection *how = job->how;
    const bool given = how->damping > 0.0 || how->stiffness > 0.0;
    const double h = p->step;
    const cardan_point at = {job->at.t, job->at.q, job->v, p->zeros, p->lambda, p->psi};
    p->norm = p->tangent.values;
    return cd_tangent_evaluate(&p->tangent, p->ws, &at, given ? how->damping : 0.5 * h,
                               given ? how->stiffness : 0.25 * h * h);
}

/* p->norm = A in the order of its pattern, with the M of the first iterate. `stays`: the M in the
 * workspace does not change during the projection, so it need not be copied. */
static void evaluate_norm(cd_projector *p, const cardan_projection *projection, bool stays)
{
    if (projection->norm == CARDAN_NORM_MATRIX) {
        p->norm = projection->matrix;
        return;
    }
    p->norm = projection->norm == CARDAN_NORM_MASS && stays ? p->ws->mass : p->own_norm;
    if (projection->norm == CARDAN_NORM_MASS) {
        if (!stays)
            cd_copy(p->mass->entries, p->ws->mass, p->own_norm);
        return;
    }
    cd_zero(p->mass->entries, p->own_norm);
    for (int i = 0; i < p->system->k; i++)
        p->own_norm[cd_pattern_find(p->mass, i, i)] =
            projection->norm == CARDAN_NORM_DIAGONAL ? projection->matrix[i] : 1.0;
}

/* The problem for q: r = Phi and C = B T(d), the derivative of Phi(update(q*, d)) by d. */
static cardan_status evaluate_position(cd_projector *p, const cd_job *job)
{
    const cd_map map = {.increment = p->change, .ratio = 1.0};
    cd_zero(p->system->m + p->system->l, p->residual);
    cardan_status status =
        cd_system_equations(p->ws, &job->at, &(cd_equations){.position = p->residual});
    if (status != CARDAN_OK)
        return status;
    cd_map_evaluate_all(p->ws, &map);
    p->rows[0] = cd_map_apply(p->ws, &map, CD_P_constraint_dq, p->ws->jacobian);
    p->rows[1] = NULL;
    return CARDAN_OK;
}

/* C = (B; K) of the last evaluation, B in its closed pattern. */
static void take_constraint_rows(cd_projector *p)
{
    const int *closed_index = p->system->matrices.closed_index[CD_P_constraint_dq];
    const int entries = cd_pattern_of(p->ws, CD_P_constraint_dq)->entries;
    p->rows[0] = closed_index == NULL ? p->ws->jacobian : p->own_rows;
    p->rows[1] = p->ws->nonholonomic;
    if (closed_index == NULL)
        return;
    cd_zero(p->patterns[0]->entries, p->own_rows);
    for (int e = 0; e < entries; e++)
        p->own_rows[closed_index[e]] = p->ws->jacobian[e];
}

cardan_status cd_projector_factor(cd_projector *p, double t)
{
    take_constraint_rows(p);
    const cd_bordered_values values = {.norm = p->ws->mass,
                                       .rows = {p->rows[0], p->rows[1]},
                                       .alpha = INFINITY,
                                       .nonholonomic = true};
    const cardan_status status = cd_bordered_factor(&p->plain, &values);
    return status == CARDAN_OK ? CARDAN_OK : cd_system_explain_singular(p->ws, t, NULL);
}

void cd_projector_solve(const cd_projector *p, double *x)
{
    cd_matrix_solve(p->plain.matrix, x);
}

/* The matrix is (M 0; 0 -1). */
cardan_status cd_projector_divide_by_mass(cd_projector *p, double *f)
{
    const int k = p->system->k;
    const cardan_status status =
        cd_bordered_factor(&p->plain, &(cd_bordered_values){.norm = p->ws->mass, .alpha = 1.0});
    if (status != CARDAN_OK)
        return status;
    cd_zero(k + p->system->m + p->system->l, p->x);
    cd_copy(k, f, p->x);
    cd_matrix_solve(p->plain.matrix, p->x);
    cd_copy(k, p->x, f);
    return CARDAN_OK;
}

/* The problem for v: r = (B v + dPhi/dt - target, k) and C. */
static cardan_status evaluate_velocity(cd_projector *p, const cd_job *job)
{
    const int m = p->system->m;
    const cd_equations wanted = {.hidden = p->residual, .nonholonomic = p->residual + m};
    cardan_status status = cd_system_equations(p->ws, &job->at, &wanted);
    if (job->target != NULL)
        cd_add(m, -1.0, job->target, p->residual);
    take_constraint_rows(p);
    return status;
}

/* The problem for v': r = (B; K) v' + bias and C. */
static cardan_status evaluate_acceleration(cd_projector *p, const cd_job *job)
{
    const int m = p->system->m, l = p->system->l;
    cardan_status status = cd_system_equations(p->ws, &job->at, &(cd_equations){0});
    if (status == CARDAN_OK)
        status = cd_system_bias(p->ws, &job->at, p->residual, p->residual + m);
    if (status != CARDAN_OK)
        return status;
    cd_system_constrain(p->ws, job->value, p->x);
    cd_add(m + l, 1.0, p->x, p->residual);
    take_constraint_rows(p);
    return status;
}

cardan_status cd_projector_choose_norm(cd_projector *p, const cd_job *job)
{
    const cardan_status status = choose_norm_matrix(p, job->how);
    return status == CARDAN_OK && job->how->norm == CARDAN_NORM_TANGENT ? evaluate_tangent(p, job)
                                                                        : status;
}

void cd_projector_evaluate_norm(cd_projector *p, const cd_job *job)
{
    const bool stays = job->linear || p->system->def.constant_mass;
    if (job->how->norm != CARDAN_NORM_TANGENT)
        evaluate_norm(p, job->how, stays);
}

cardan_status cd_projector_add_hessian(cd_projector *p, const cd_job *job)
{
    return choose_matrix(p, norm_shape(p, job->how), job->curved);
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
    const cd_job job = {.how = how,
                        .what = "configuration",
                        .curved = CD_CURVED_HOLONOMIC,
                        .v = v != NULL ? v : p->zeros,
                        .at = {t, q, p->zeros, p->zeros, p->zeros, p->zeros},
                        .value = q,
                        .size = cardan_group_size(p->system->group),
                        .on_group = true,
                        .evaluate = evaluate_position};
    const cardan_point moving = {t, q, v, p->zeros, p->zeros, p->zeros};
    double before = 0.0, after = 0.0;
    if (p->system->m == 0)
        return CARDAN_OK;
    cardan_status status = v != NULL ? total_energy(p, &moving, &before) : CARDAN_OK;
    if (status == CARDAN_OK)
        status = cd_projector_minimise(p, &job);
    if (status == CARDAN_OK && v != NULL)
        status = total_energy(p, &moving, &after);
    report->moved_position = cd_max_abs(p->system->k, p->change);
    report->energy += after - before;
    return status;
}

/* The kinetic energy gained by v = v* + d, as v^T M d - d^T M d / 2: with the penalty solver these
 * are the two terms of GO10 (21), since d = -alpha A^-1 C^T r(v) there. */
static void report_energy(cd_projector *p, const cardan_projection *how, const double *v,
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
    const cd_job job = {.how = how,
                        .what = "velocity",
                        .linear = p->system->l == 0,
                        .nonholonomic = true,
                        .curved = CD_CURVED_NONHOLONOMIC,
                        .v = v,
                        .at = {t, q, v, p->zeros, p->zeros, p->zeros},
                        .target = target,
                        .value = v,
                        .size = p->system->k,
                        .evaluate = evaluate_velocity};
    if (p->system->m + p->system->l == 0)
        return CARDAN_OK;
    cardan_status status = cd_projector_minimise(p, &job);
    if (status != CARDAN_OK)
        return status;
    report->moved_velocity = cd_max_abs(p->system->k, p->change);
    report_energy(p, how, v, report);
    return CARDAN_OK;
}

cardan_status cd_projector_acceleration(cd_projector *p, const cardan_projection *how,
                                        const cardan_point *at, double *vdot, double *multipliers)
{
    const cd_job job = {.how = how,
                        .what = "acceleration",
                        .linear = true,
                        .nonholonomic = true,
                        .v = at->v,
                        .at = {at->t, at->q, at->v, vdot, at->lambda, at->psi},
                        .value = vdot,
                        .size = p->system->k,
                        .evaluate = evaluate_acceleration};
    const int n = p->system->m + p->system->l;
    if (n == 0)
        return CARDAN_OK;
    cardan_status status = cd_projector_minimise(p, &job);
    if (status == CARDAN_OK && multipliers != NULL)
        cd_copy(n, p->multiplier, multipliers);
    return status;
}

cardan_status cd_projector_residual(cd_projector *p, double t, const double *q, const double *v,
                                    double *largest)
{
    const cd_job job = {.at = {t, q, v, p->zeros, p->zeros, p->zeros}};
    cardan_status status = evaluate_velocity(p, &job);
    *largest = cd_max_abs(p->system->m + p->system->l, p->residual);
    return status;
}

/* Newton's method for the bordered problem of projection.h. */
#include "system/projection.h"

#include "base/error.h"
#include "base/numeric.h"
#include "system/bordered.h"
#include "system/tangent.h"
#include "system/workspace.h"

#include <float.h>

enum { NEWTON_ITERATIONS = 25, AUGMENTED_ITERATIONS = 200 };

/* Where A has its entries: where M has them, where forces have derivatives as well, anywhere. */
typedef enum cd_shape { PLAIN, TANGENT, FULL, SHAPES } cd_shape;

/* Which H there is room for: of the first or the second part of C. */
typedef enum cd_bend { STRAIGHT, HOLONOMIC, ROLLING, BENDS } cd_bend;

/* A matrix that few projections need, made when the first of them comes: for a norm with entries
 * outside of the pattern of M, and with room for H, the second derivative of the constraints. */
typedef struct cd_wide {
    cd_arena arena;
    bool made;
    cd_pattern norm, hessian;
    cd_colouring colouring; /* of H; unused if it is full */
    cd_bordered bordered;
    double *values;        /* of H */
    double *centre, *pull; /* k each: d and C^T mu */
} cd_wide;

struct cd_projector {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    cd_bordered plain; /* without H, A within the pattern of M */
    cd_wide wides[SHAPES][BENDS];
    cd_wide *wide;         /* the one in use; not if that is `plain` */
    cd_bordered *bordered; /* the one in use */
    cd_arena tangent_arena;
    cd_tangent tangent; /* A of the tangent norm, if one was asked for */
    bool has_tangent;
    struct {
        const double *matrix;
        cd_shape shape;
    } known[2];   /* matrices that stay: for velocities and for accelerations */
    double alpha; /* of the solver; an exact one is a penalty without bound */
    double step;  /* for the tangent norm, with what forces read besides q and v */
    const double *lambda, *psi;
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
    bool linear;     /* r is linear in x: C and its factors serve for all iterations */
    bool rolling;    /* nonholonomic constraints take part */
    cd_bend part;    /* of C, the one that depends on x */
    const double *v; /* where forces are taken */
    cardan_point at;
    const double *target;
    double *value; /* x: q, v or v' */
    int size;      /* of x */
    cardan_status (*evaluate)(cd_projector *p, const struct cd_task *task);
} cd_task;

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
    for (int i = 0; i < SHAPES * BENDS; i++) {
        cd_wide *w = &p->wides[i / BENDS][i % BENDS];
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
    const cd_pattern *rows = p->patterns[part == ROLLING];
    w->hessian = cd_pattern_product(&w->arena, rows, rows);
    w->values = cd_arena_doubles(&w->arena, w->hessian.entries);
    w->centre = cd_arena_doubles(&w->arena, p->system->k);
    w->pull = cd_arena_doubles(&w->arena, p->system->k);
    if (!w->hessian.full && !w->arena.failed)
        w->colouring = cd_colouring_make(&w->arena, &w->hessian, (cd_runs){0});
}

static void make_wide(cd_projector *p, cd_wide *w, cd_shape shape, cd_bend part)
{
    const cardan_system *system = p->system;
    const cd_pattern norms[] = {*p->mass, p->tangent.pattern,
                                cd_pattern_full(system->k, system->k)};
    w->norm = norms[shape];
    if (part != STRAIGHT)
        make_hessian(p, w, part);
    cd_matrix *matrix = cd_matrix_create(&w->arena, system->k + system->m + system->l);
    if (w->arena.failed)
        return;
    cd_matrix_tell(matrix, (cd_unknowns){.velocities = system->k});
    cd_matrix_dense_up_to(matrix, system->dense_up_to);
    if (shape != FULL)
        place_unknowns(system, matrix);
    w->bordered = cd_bordered_declare(matrix, system, &w->norm,
                                      part != STRAIGHT ? &w->hessian : NULL, p->patterns);
    cd_matrix_seal(matrix);
}

/* The matrix for A of some shape with room for H. */
static cardan_status choose(cd_projector *p, cd_shape shape, cd_bend part)
{
    cd_wide *w = &p->wides[shape][part];
    p->wide = w;
    p->bordered = shape == PLAIN && part == STRAIGHT ? &p->plain : &w->bordered;
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
        return TANGENT;
    if (how->norm != CARDAN_NORM_MATRIX)
        return PLAIN;
    for (int i = 0; i < 2; i++)
        if (how->matrix == p->known[i].matrix)
            return p->known[i].shape;
    return exceeds(p, how->matrix) ? FULL : PLAIN;
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
    return status == CARDAN_OK ? choose(p, shape_of(p, how), STRAIGHT) : status;
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

static cardan_status factor(cd_projector *p, const cd_task *task, bool curved)
{
    const cd_bordered_values values = {.norm = p->norm,
                                       .hessian = curved ? p->wide->values : NULL,
                                       .rows = {p->rows[0], p->rows[1]},
                                       .alpha = p->alpha,
                                       .rolling = task->rolling};
    const cardan_status status = cd_bordered_factor(p->bordered, &values);
    return status == CARDAN_OK ? CARDAN_OK : cd_system_explain_singular(p->ws, task->at.t, NULL);
}

/* force += C^T mu */
static void add_reaction(const cd_projector *p, double *force)
{
    cd_pattern_add_transposed(p->patterns[0], p->rows[0], p->multiplier, force);
    if (p->rows[1] != NULL)
        cd_pattern_add_transposed(p->patterns[1], p->rows[1], p->multiplier + p->system->m, force);
}

/* x = -(A d + C^T mu, r - (mu - mu_0) / alpha) */
static void make_right_side(cd_projector *p)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const double scale = cd_bordered_scale(p->alpha), border = cd_bordered_border(p->alpha);
    cd_pattern_multiply(p->bordered->norm, p->norm, p->change, p->x);
    add_reaction(p, p->x);
    for (int i = 0; i < n; i++)
        p->x[k + i] = scale * p->residual[i] - border * (p->multiplier[i] - p->shift[i]);
    for (int i = 0; i < k + n; i++)
        p->x[i] = -p->x[i];
}

/* x from x* and d. */
static void place(cd_projector *p, const cd_task *task)
{
    if (task->evaluate == evaluate_position) {
        cardan_group_update(p->system->group, p->origin, p->change, task->value);
        return;
    }
    for (int i = 0; i < p->system->k; i++)
        task->value[i] = p->origin[i] + p->change[i];
}

/* d += dx, mu += dmu */
static void move(cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    cd_add(k, 1.0, p->x, p->change);
    cd_add(n, 1.0, p->x + k, p->multiplier);
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED)
        cd_copy(n, p->multiplier, p->shift);
    place(p, task);
}

/* C^T mu where d has been moved by `width` along some columns. */
static cardan_status pull_at(cd_projector *p, const cd_task *task, int count, const int *column,
                             double width)
{
    cd_wide *w = p->wide;
    cd_copy(p->system->k, w->centre, p->change);
    for (int i = 0; i < count; i++)
        p->change[column[i]] += width;
    place(p, task);
    const cardan_status status = task->evaluate(p, task);
    cd_zero(p->system->k, w->pull);
    if (status == CARDAN_OK)
        add_reaction(p, w->pull);
    return status;
}

/* A full H, column by column. */
static cardan_status difference_columns(cd_projector *p, const cd_task *task, double width)
{
    const int k = p->system->k;
    cd_wide *w = p->wide;
    for (int j = 0; j < k; j++)
        for (int side = -1; side <= 1; side += 2) {
            cardan_status status = pull_at(p, task, 1, &j, side * width);
            if (status != CARDAN_OK)
                return status;
            for (int i = 0; i < k; i++)
                w->values[i * k + j] += side / (2.0 * width) * w->pull[i];
        }
    return CARDAN_OK;
}

/* One with a pattern, many columns at once. */
static cardan_status difference_groups(cd_projector *p, const cd_task *task, double width)
{
    cd_wide *w = p->wide;
    const cd_colouring *c = &w->colouring;
    for (int g = 0; g < c->groups; g++)
        for (int side = -1; side <= 1; side += 2) {
            const int first = c->column_start[g];
            cardan_status status =
                pull_at(p, task, c->column_start[g + 1] - first, c->column + first, side * width);
            if (status != CARDAN_OK)
                return status;
            for (int e = c->entry_start[g]; e < c->entry_start[g + 1]; e++)
                w->values[c->entry[e]] += side / (2.0 * width) * w->pull[c->row[e]];
        }
    return CARDAN_OK;
}

/* H = d(C(d)^T mu)/dd by central differences, on groups with what the tangent operator adds. Their
 * error of about 1e-9 is also that of the rate at which Newton's method converges in the end. */
static cardan_status evaluate_hessian(cd_projector *p, const cd_task *task)
{
    const double width = 1e-5 * (1.0 + cd_max_abs(task->size, task->value));
    cd_wide *w = p->wide;
    cd_copy(p->system->k, p->change, w->centre);
    cd_zero(w->hessian.entries, w->values);
    const cardan_status status =
        w->hessian.full ? difference_columns(p, task, width) : difference_groups(p, task, width);
    cd_copy(p->system->k, w->centre, p->change);
    place(p, task);
    return status;
}

/* Do the constraints hold? A small penalty makes small corrections whether they do or not. */
static bool has_closed(const cd_projector *p, double size)
{
    double entry = 0.0;
    for (int i = 0; i < 2; i++)
        if (p->rows[i] != NULL)
            entry = fmax(entry, cd_max_abs(p->patterns[i]->entries, p->rows[i]));
    return cd_max_abs(p->system->m + p->system->l, p->residual) <= 1e-12 * size * fmax(entry, 1.0);
}

/* Corrections at the level of rounding, or near it and no longer getting smaller. */
static bool has_settled(const cd_projector *p, const cd_task *task, double step, double last)
{
    const double size = 1.0 + cd_max_abs(task->size, task->value);
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED && !has_closed(p, size))
        return false;
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

static void begin(cd_projector *p, const cd_task *task)
{
    const int n = p->system->m + p->system->l;
    const bool exact = task->how->solver == CARDAN_PROJECTION_EXACT;
    p->alpha = exact ? INFINITY : task->how->penalty;
    cd_copy(task->size, task->value, p->origin);
    cd_zero(p->system->k, p->change);
    cd_zero(n, p->multiplier);
    cd_zero(n, p->shift);
}

/* An augmented Lagrangian whose constraints close slowly takes a larger penalty, as these methods
 * do: what is left of them shrinks by 1 / (1 + alpha g) each time, g an eigenvalue of C A^-1 C^T.
 */
static bool raise_penalty(cd_projector *p, const cd_task *task, double step, double last)
{
    const bool slow = task->how->solver == CARDAN_PROJECTION_AUGMENTED && step > 0.1 * last;
    if (!slow || p->alpha > 1e8 * task->how->penalty)
        return false;
    p->alpha *= 10.0;
    return true;
}

/* r, C, the factors (`anew`) and the next correction. `curved`: with H. */
static cardan_status correct(cd_projector *p, const cd_task *task, int iteration, bool curved,
                             bool anew)
{
    const bool stays = task->linear || p->system->def.constant_mass;
    cardan_status status = curved ? evaluate_hessian(p, task) : CARDAN_OK;
    if (status == CARDAN_OK)
        status = task->evaluate(p, task);
    if (iteration == 0) {
        cd_zero(p->system->k, p->x);
        if (status != CARDAN_OK || cd_max_abs(p->system->m + p->system->l, p->residual) == 0.0)
            return status;
        if (task->how->norm != CARDAN_NORM_TANGENT)
            evaluate_norm(p, task->how, stays);
    }
    if (status == CARDAN_OK && (anew || !task->linear))
        status = factor(p, task, curved);
    if (status != CARDAN_OK)
        return status;
    make_right_side(p);
    cd_matrix_solve(p->bordered->matrix, p->x);
    return CARDAN_OK;
}

/* Newton's method. H is of the size of mu, which is that of the move: it is zero at first, and
 * small moves converge fast without it. It is added once a correction is more than a tenth of the
 * one before. */
static cardan_status minimise(cd_projector *p, const cd_task *task)
{
    const bool augmented = task->how->solver == CARDAN_PROJECTION_AUGMENTED;
    const int most = augmented ? AUGMENTED_ITERATIONS : NEWTON_ITERATIONS;
    bool curved = false, anew = true;
    double last = INFINITY;
    begin(p, task);
    cardan_status status = open_norm(p, task->how);
    if (status == CARDAN_OK && task->how->norm == CARDAN_NORM_TANGENT)
        status = evaluate_tangent(p, task);
    for (int iteration = 0; status == CARDAN_OK && iteration < most; iteration++) {
        status = correct(p, task, iteration, curved, anew);
        if (status != CARDAN_OK)
            return status;
        const double step = cd_max_abs(p->system->k, p->x);
        if (!isfinite(step))
            break;
        move(p, task);
        /* A linear problem takes a second pass as iterative refinement. */
        if (has_settled(p, task, step, last) || (task->linear && !augmented && iteration == 1))
            return CARDAN_OK;
        if (!task->linear && !curved && step > 0.1 * last) {
            status = choose(p, shape_of(p, task->how), task->part);
            curved = true;
        }
        anew = raise_penalty(p, task, step, last);
        last = step;
    }
    return status == CARDAN_OK ? explain_failure(p, task) : status;
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
                          .part = HOLONOMIC,
                          .v = v != NULL ? v : p->rest,
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
                          .part = ROLLING,
                          .v = v,
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
                          .v = at->v,
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

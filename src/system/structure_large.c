/* Ranks of mass and constraint matrices of large systems, without full matrices: constraints by
 * sparse triangularisation, M by its blocks, definiteness of M on ker C by the factors of
 * (M C^T; C 0), and a direction without mass by inverse iteration. */
#include "base/numeric.h"
#include "linalg/block_eigen.h"
#include "linalg/krylov.h"
#include "linalg/sparse_rank.h"
#include "structure.h"
#include "workspace.h"

static const cd_rank_limits LIMITS = {CD_STRUCTURE_TOLERANCE, CD_RANK_ROUNDING};

/* C = (B; K) as one matrix. */
typedef struct stacked {
    cd_pattern pattern;
    double *values;
} stacked;

static stacked stack_constraints(cd_arena *arena, const cd_workspace *ws, int n)
{
    const int entries = cd_pattern_of(ws, CD_P_constraint_dq)->entries +
                        cd_pattern_of(ws, CD_P_nonholonomic_dv)->entries;
    int *start = cd_arena_take(arena, ((size_t)n + 1) * sizeof *start);
    int *column = cd_arena_take(arena, (size_t)entries * sizeof *column);
    stacked c = {.pattern = {.rows = n,
                             .cols = ws->system->k,
                             .entries = entries,
                             .row_start = start,
                             .column = column},
                 .values = cd_arena_doubles(arena, entries)};
    for (int i = 0, next = 0; !arena->failed && i < n; i++) {
        const cd_row row = cd_system_constraint_row(ws, i);
        for (int e = 0; e < row.count; e++, next++) {
            column[next] = cd_row_column(&row, e);
            c.values[next] = row.values[e];
        }
        start[i + 1] = next;
    }
    return c;
}

/* Square roots of the diagonal of M; a massless coordinate gets the scale that the constraints it
 * is in have for the others. */
static void choose_scale(const cd_workspace *ws, const stacked *c, double *scale)
{
    const cd_pattern *p = &c->pattern;
    cd_system_mass_diagonal(ws, scale);
    cd_structure_mass_scale(ws->system->group, scale);
    for (int i = 0; i < p->rows; i++) {
        double massive = 0.0, largest = 0.0;
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            largest = fmax(largest, fabs(c->values[e]));
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            if (scale[p->column[e]] > 0.0 && fabs(c->values[e]) > 1e-9 * largest)
                massive = fmax(massive, fabs(c->values[e]) / scale[p->column[e]]);
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            double *own = &scale[p->column[e]]; /* negative: massless */
            if (*own <= 0.0)
                *own = fmin(*own, -fabs(c->values[e]) / (massive > 0.0 ? massive : INFINITY));
        }
    }
    for (int i = 0; i < p->cols; i++)
        scale[i] = scale[i] != 0.0 ? fabs(scale[i]) : 1.0;
}

bool cd_structure_scale_large(cd_arena *arena, const cd_workspace *ws, double *scale)
{
    const stacked c = stack_constraints(arena, ws, ws->system->m + ws->system->l);
    if (!arena->failed)
        choose_scale(ws, &c, scale);
    return !arena->failed;
}

/* For scaled velocities, rows of length 1; `lengths` (NULL: not wanted) are those before. */
static void scale_rows(stacked *c, const double *scale, double *lengths)
{
    const cd_pattern *p = &c->pattern;
    for (int i = 0; i < p->rows; i++) {
        const int first = p->row_start[i], count = p->row_start[i + 1] - first;
        double *row = c->values + first;
        for (int e = 0; e < count; e++)
            row[e] /= scale[p->column[first + e]];
        const double length = sqrt(cd_dot(count, row, row));
        for (int e = 0; e < count && length > 0.0; e++)
            row[e] /= length;
        if (lengths != NULL)
            lengths[i] = length;
    }
}

static bool find_mass_rank(cd_arena *arena, const cd_workspace *ws, cd_structure *s)
{
    double *values = cd_arena_doubles(arena, s->k);
    if (values == NULL ||
        !cd_block_eigenvalues(arena, cd_pattern_of(ws, CD_P_mass), ws->mass, s->scale, values))
        return false;
    s->semidefinite = true;
    s->mass_rank = 0;
    for (int i = 0; i < s->k; i++) {
        s->semidefinite = s->semidefinite && values[i] > -CD_STRUCTURE_TOLERANCE;
        s->mass_rank += fabs(values[i]) > CD_STRUCTURE_TOLERANCE;
    }
    return true;
}

static void name_direction(cd_structure *s, const cd_matrix *matrix, double *x)
{
    for (int i = 0; i < s->k + s->n; i++)
        x[i] = i < s->k ? 1.0 + 0.5 * cos(3.7 * i) : 0.0;
    for (int pass = 0; pass < 2; pass++) {
        cd_matrix_solve(matrix, x);
        cd_zero(s->n, x + s->k);
        const double largest = cd_max_abs(s->k, x);
        for (int i = 0; i < s->k; i++)
            x[i] /= largest;
    }
    for (int i = 0; i < s->k; i++)
        s->direction[i] = x[i] / s->scale[i];
    const double largest = cd_max_abs(s->k, s->direction);
    for (int i = 0; i < s->k; i++)
        s->direction[i] /= largest;
}

/* (M + a  C^T; C  -c) with any M and C of the patterns. */
typedef struct bordered {
    int k, n;
    cd_matrix *matrix;
    int mass, below, beside, diagonal, corner; /* slots */
    double *x;                                 /* k + n */
} bordered;

static bool open_bordered(cd_arena *arena, const cd_workspace *ws, const stacked *c, bordered *b)
{
    const cardan_system *system = ws->system;
    const int k = system->k, n = system->m + system->l;
    *b = (bordered){.k = k,
                    .n = n,
                    .matrix = cd_matrix_create(arena, k + n),
                    .x = cd_arena_doubles(arena, k + n)};
    if (arena->failed)
        return false;
    cd_system_set_units(system, b->matrix);
    cd_system_belong(system, CD_VELOCITIES, 0, b->matrix);
    cd_system_belong(system, CD_MULTIPLIERS, k, b->matrix);
    cd_system_belong(system, CD_ROLLING_MULTIPLIERS, k + system->m, b->matrix);
    b->mass = cd_matrix_declare(b->matrix, 0, 0, cd_pattern_of(ws, CD_P_mass));
    b->below = cd_matrix_declare(b->matrix, k, 0, &c->pattern);
    b->beside = cd_matrix_declare_transposed(b->matrix, 0, k, &c->pattern);
    b->diagonal = cd_matrix_declare_diagonal(b->matrix, 0, 0, k);
    b->corner = cd_matrix_declare_diagonal(b->matrix, k, k, n);
    cd_matrix_seal(b->matrix);
    return !arena->failed;
}

static bool factor(bordered *b, const double *mass, const double *constraints, double added,
                   double corner)
{
    bool solvable;
    do {
        cd_matrix_clear(b->matrix);
        cd_matrix_add(b->matrix, b->mass, 1.0, mass);
        cd_matrix_add(b->matrix, b->below, 1.0, constraints);
        cd_matrix_add(b->matrix, b->beside, 1.0, constraints);
        cd_matrix_add_identity(b->matrix, b->diagonal, added);
        cd_matrix_add_identity(b->matrix, b->corner, -corner);
        solvable = cd_matrix_factor(b->matrix) == CARDAN_OK;
    } while (!solvable && cd_matrix_retry(b->matrix));
    return solvable;
}

static void scale_mass(const cd_workspace *ws, const double *scale, double *scaled)
{
    const cd_pattern *mass = cd_pattern_of(ws, CD_P_mass);
    for (int i = 0; i < ws->system->k; i++)
        for (int e = cd_pattern_begin(mass, i); e < cd_pattern_end(mass, i); e++)
            scaled[e] = ws->mass[e] / (scale[i] * scale[cd_pattern_column(mass, i, e)]);
}

/* Solvable with scaled M and C? If not, with a little added to M it is, and the solution shows the
 * direction that has no mass. */
static bool judge_kernel(cd_arena *arena, const cd_workspace *ws, const stacked *c, cd_structure *s)
{
    const cd_pattern *mass = cd_pattern_of(ws, CD_P_mass);
    bordered b;
    double *scaled = cd_arena_doubles(arena, mass->entries);
    if (arena->failed || !open_bordered(arena, ws, c, &b))
        return false;
    scale_mass(ws, s->scale, scaled);
    s->definite_on_kernel = factor(&b, scaled, c->values, 0.0, 0.0);
    if (!s->definite_on_kernel && factor(&b, scaled, c->values, 1e-6, 0.0))
        name_direction(s, b.matrix, b.x);
    return true;
}

bool cd_structure_factor(cd_arena *arena, const cd_workspace *ws, const double *scale,
                         double *lengths, cd_matrix **matrix)
{
    bordered b;
    stacked c = stack_constraints(arena, ws, ws->system->m + ws->system->l);
    double *mass = cd_arena_doubles(arena, cd_pattern_of(ws, CD_P_mass)->entries);
    *matrix = NULL;
    if (arena->failed)
        return false;
    scale_rows(&c, scale, lengths);
    scale_mass(ws, scale, mass);
    if (!open_bordered(arena, ws, &c, &b))
        return false;
    if (factor(&b, mass, c.values, 0.0, 0.0))
        *matrix = b.matrix;
    return true;
}

/* z with C C^T z = y, from (1  C^T; C  0) (x; z) = (0; -y). */
static void apply_gram_inverse(void *self, const double *y, double *z)
{
    bordered *b = self;
    cd_zero(b->k, b->x);
    for (int i = 0; i < b->n; i++)
        b->x[b->k + i] = -y[i];
    cd_matrix_solve(b->matrix, b->x);
    cd_copy(b->n, b->x + b->k, z);
}

/* Is the smallest singular value of C, with rows of length 1, far from what counts as dependent? A
 * dependent row shows in the first products. Elimination, which tells dependent rows, takes much
 * more memory in long loops. */
static bool are_independent(cd_arena *arena, const cd_workspace *ws, const stacked *c)
{
    bordered b;
    cd_arena scratch;
    cd_subspace space;
    cd_ritz ritz = {0};
    cd_arena_init(&scratch, &arena->allocator);
    double *none = cd_arena_doubles(&scratch, cd_pattern_of(ws, CD_P_mass)->entries);
    bool found =
        none != NULL && open_bordered(&scratch, ws, c, &b) && factor(&b, none, c->values, 1.0, 0.0);
    const cd_linear_map map = {c->pattern.rows, &b, apply_gram_inverse};
    const cd_krylov_def def = {.wanted = 1, .tolerance = 1e-1, .most_products = 40, .once = true};
    const double far = 1e4 * CD_STRUCTURE_TOLERANCE;
    found = found && cd_krylov_find(&scratch, &map, &def, &space) &&
            cd_ritz_find(&scratch, &map, &space, &ritz) && ritz.count > 0 &&
            ritz.pair[0].real > 0.0 && ritz.pair[0].real < 1.0 / (far * far);
    cd_arena_destroy(&scratch);
    return found;
}

bool cd_structure_find_large(cd_arena *arena, const cardan_system *system, const cd_workspace *ws,
                             cd_structure *s)
{
    const int k = system->k, n = system->m + system->l;
    *s = (cd_structure){.system = system,
                        .k = k,
                        .n = n,
                        .scale = cd_arena_doubles(arena, k),
                        .dependent = cd_arena_take(arena, (size_t)n * sizeof(int)),
                        .direction = cd_arena_doubles(arena, k)};
    stacked c = stack_constraints(arena, ws, n);
    if (arena->failed)
        return false;
    choose_scale(ws, &c, s->scale);
    scale_rows(&c, s->scale, NULL);
    s->constraint_rank = n;
    if (n > 0 && !are_independent(arena, ws, &c))
        s->constraint_rank = cd_sparse_rank(arena, &c.pattern, c.values, LIMITS, s->dependent);
    if (s->constraint_rank < 0)
        return false;
    s->holonomic_rank = system->m;
    for (int i = 0; i < n - s->constraint_rank; i++)
        s->holonomic_rank -= s->dependent[i] < system->m;
    if (!find_mass_rank(arena, ws, s))
        return false;
    /* With dependent constraints only the mass on its own is judged, and what is definite is so on
     * every kernel, however large the condition of the bordered matrix is. */
    s->definite_on_kernel = s->constraint_rank < n || (s->semidefinite && s->mass_rank == k);
    return s->definite_on_kernel || judge_kernel(arena, ws, &c, s);
}

bool cd_structure_mass_range(cd_arena *arena, const cd_workspace *ws, double *smallest,
                             double *largest)
{
    const int k = ws->system->k;
    double *values = cd_arena_doubles(arena, k);
    if (values == NULL ||
        !cd_block_eigenvalues(arena, cd_pattern_of(ws, CD_P_mass), ws->mass, NULL, values))
        return false;
    *smallest = INFINITY;
    *largest = -INFINITY;
    for (int i = 0; i < k; i++) {
        *smallest = fmin(*smallest, values[i]);
        *largest = fmax(*largest, values[i]);
    }
    return true;
}

/* y with (M  C^T; C  -c) (y; z) = (x; 0): Z (Z^T M Z)^-1 Z^T x for c = 0, with an orthonormal basis
 * Z of ker C, and (M + C^T C)^-1 x for c = 1. */
static void apply_inverse(void *self, const double *x, double *y)
{
    bordered *b = self;
    cd_copy(b->k, x, b->x);
    cd_zero(b->n, b->x + b->k);
    cd_matrix_solve(b->matrix, b->x);
    cd_copy(b->k, b->x, y);
}

/* 1 / the largest eigenvalue of the inverse. */
static bool find_smallest(cd_arena *arena, bordered *b, double *smallest)
{
    const cd_linear_map map = {b->k, b, apply_inverse};
    const cd_krylov_def def = {.wanted = 1, .tolerance = 1e-6, .most_products = 200, .once = true};
    cd_arena scratch;
    cd_subspace space;
    cd_ritz ritz = {0};
    cd_arena_init(&scratch, &arena->allocator);
    const bool found =
        cd_krylov_find(&scratch, &map, &def, &space) && cd_ritz_find(&scratch, &map, &space, &ritz);
    if (found && ritz.count > 0 && ritz.pair[0].real > 0.0 && ritz.pair[0].residual < 1e-2)
        *smallest = 1.0 / ritz.pair[0].real;
    cd_arena_destroy(&scratch);
    return found;
}

bool cd_structure_eigenvalues_large(cd_arena *arena, const cd_workspace *ws, const cd_structure *s,
                                    double *kernel, double *augmented)
{
    bordered b;
    const stacked c = stack_constraints(arena, ws, s->n);
    *kernel = s->constraint_rank == s->k ? INFINITY : NAN;
    *augmented = NAN;
    if (arena->failed || !open_bordered(arena, ws, &c, &b))
        return false;
    if (s->constraint_rank < s->k && s->constraint_rank == s->n && s->definite_on_kernel &&
        factor(&b, ws->mass, c.values, 0.0, 0.0) && !find_smallest(arena, &b, kernel))
        return false;
    return !factor(&b, ws->mass, c.values, 0.0, 1.0) || find_smallest(arena, &b, augmented);
}

bool cd_structure_project(cd_arena *arena, const cd_workspace *ws, double *x)
{
    bordered b;
    const stacked c = stack_constraints(arena, ws, ws->system->m + ws->system->l);
    double *none = cd_arena_doubles(arena, cd_pattern_of(ws, CD_P_mass)->entries);
    if (arena->failed || !open_bordered(arena, ws, &c, &b) || !factor(&b, none, c.values, 1.0, 0.0))
        return false;
    apply_inverse(&b, x, x);
    return true;
}

int cd_structure_mass_rank(cd_arena *arena, const cd_workspace *ws)
{
    cd_structure s = {.k = ws->system->k, .scale = cd_arena_doubles(arena, ws->system->k)};
    return !arena->failed && cd_structure_scale_large(arena, ws, s.scale) &&
                   find_mass_rank(arena, ws, &s)
               ? s.mass_rank
               : -1;
}

int cd_structure_constraint_rank(cd_arena *arena, const cd_workspace *ws)
{
    const int n = ws->system->m + ws->system->l;
    double *x = cd_arena_doubles(arena, ws->system->k);
    double *scale = cd_arena_doubles(arena, ws->system->k);
    int *dependent = cd_arena_take(arena, (size_t)(n + 1) * sizeof *dependent);
    if (!arena->failed && cd_structure_project(arena, ws, x))
        return n;
    stacked c = stack_constraints(arena, ws, n);
    if (arena->failed)
        return -1;
    choose_scale(ws, &c, scale);
    scale_rows(&c, scale, NULL);
    return cd_sparse_rank(arena, &c.pattern, c.values, LIMITS, dependent);
}

/* Ranks of mass and constraint matrices, without full matrices: constraints by sparse
 * triangularisation, M by its blocks, definiteness of M on ker C by the factors of (M C^T; C 0),
 * and a direction without mass by inverse iteration. Eigenvalues of small systems by full matrices;
 * see structure.h. */
#include "structure.h"

#include "base/error.h"
#include "base/numeric.h"
#include "bordered.h"
#include "linalg/block_eigen.h"
#include "linalg/dense.h"
#include "linalg/krylov.h"
#include "linalg/sparse_rank.h"
#include "workspace.h"

#include <stdio.h>

static const cd_rank_limits LIMITS = {CD_STRUCTURE_TOLERANCE, CD_RANK_ROUNDING};

/* C = (B; K) as one matrix. */
typedef struct stacked_rows {
    cd_pattern pattern;
    double *values;
    int holonomic; /* entries of B, the first ones */
} stacked_rows;

/* C = (B; K) as one sparse matrix of n rows. */
static stacked_rows stack_constraints(cd_arena *arena, const cd_workspace *ws, int n)
{
    const int holonomic = cd_pattern_of(ws, CD_P_constraint_dq)->entries;
    const int entries = holonomic + cd_pattern_of(ws, CD_P_nonholonomic_dv)->entries;
    int *start = cd_arena_take(arena, ((size_t)n + 1) * sizeof *start);
    int *column = cd_arena_take(arena, (size_t)entries * sizeof *column);
    stacked_rows c = {.pattern = {.rows = n,
                                  .cols = ws->system->k,
                                  .entries = entries,
                                  .row_start = start,
                                  .column = column},
                      .values = cd_arena_doubles(arena, entries),
                      .holonomic = holonomic};
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

/* Makes the scales of the three angular velocities of a body at least a thousandth of the largest.
 * The inertia about an axis may be zero or a rounding error, depending on how the body is rotated;
 * this way the scale hardly depends on that. */
static void even_out_rotation(double scale[3])
{
    const double least = 1e-3 * cd_max_abs(3, scale);
    for (int i = 0; i < 3; i++)
        scale[i] = fmax(scale[i], least);
}

void cd_structure_scale_by_mass(const cardan_group *group, double *scale)
{
    for (int i = 0; i < cardan_group_dof(group); i++)
        scale[i] = sqrt(fabs(scale[i]));
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        int first;
        const cardan_factor factor = cardan_group_factor(group, i, NULL, &first);
        if (factor.kind == CARDAN_SO3 || factor.kind == CARDAN_S3)
            even_out_rotation(scale + first);
        else if (factor.kind != CARDAN_RN)
            even_out_rotation(scale + first + 3);
    }
}

/* Scales velocities by the square roots of the diagonal of M. A massless velocity gets the scale
 * that the other velocities in its constraints have. */
static void choose_scale(const cd_workspace *ws, const stacked_rows *c, double *scale)
{
    const cd_pattern *p = &c->pattern;
    cd_system_mass_diagonal(ws, scale);
    cd_structure_scale_by_mass(ws->system->group, scale);
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

bool cd_structure_find_scale(cd_arena *arena, const cd_workspace *ws, double *scale)
{
    const stacked_rows c = stack_constraints(arena, ws, ws->system->m + ws->system->l);
    if (!arena->failed)
        choose_scale(ws, &c, scale);
    return !arena->failed;
}

/* Converts C to scaled velocities and rows of length 1; `lengths` (or NULL) get those before. */
static void scale_rows_to_length_1(stacked_rows *c, const double *scale, double *lengths)
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

/* The rank of M and whether it is semidefinite, from the eigenvalues of its blocks. */
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

/* s->direction = a direction without mass, by inverse iteration: twice from any vector, then twice
 * from the first velocity with a large component in the result. If there are several such
 * directions, this finds one with few components. */
static void find_massless_direction(cd_structure *s, const cd_matrix *matrix, double *x)
{
    for (int i = 0; i < s->k; i++)
        x[i] = 1.0 + 0.5 * cos(3.7 * i);
    for (int pass = 0; pass < 4; pass++) {
        cd_zero(s->n, x + s->k);
        cd_matrix_solve(matrix, x);
        const double largest = cd_max_abs(s->k, x);
        for (int i = 0; i < s->k; i++)
            x[i] /= largest;
        bool found = false;
        for (int i = 0; pass == 1 && i < s->k; i++) {
            const bool first = !found && fabs(x[i]) > 0.3;
            x[i] = first ? 1.0 : 0.0;
            found = found || first;
        }
    }
    for (int i = 0; i < s->k; i++)
        s->direction[i] = x[i] / s->scale[i];
    const double largest = cd_max_abs(s->k, s->direction);
    for (int i = 0; i < s->k; i++)
        s->direction[i] /= largest;
}

/* (A  C^T; C  -c) with any A and C of the patterns of M and C. */
typedef struct bordered_matrix {
    int k, n;
    cd_bordered blocks;
    double *norm; /* A */
    double *x;    /* k + n */
} bordered_matrix;

static bool create_bordered(cd_arena *arena, const cd_workspace *ws, bordered_matrix *b)
{
    const cardan_system *system = ws->system;
    const int k = system->k, n = system->m + system->l;
    const cd_pattern *const rows[] = {cd_pattern_of(ws, CD_P_constraint_dq),
                                      cd_pattern_of(ws, CD_P_nonholonomic_dv)};
    const cd_pattern *norm = cd_pattern_of(ws, CD_P_mass);
    cd_matrix *matrix = cd_matrix_create(arena, k + n);
    double *values = cd_arena_doubles(arena, norm->entries);
    double *x = cd_arena_doubles(arena, k + n);
    if (arena->failed)
        return false;
    cd_system_assign_units(system, matrix);
    const cd_bordered blocks = cd_bordered_declare(matrix, system, norm, NULL, rows);
    *b = (bordered_matrix){.k = k, .n = n, .blocks = blocks, .norm = values, .x = x};
    cd_matrix_seal(matrix);
    return !arena->failed;
}

/* Factors b with A = M + added I (without `mass`: A = added I) and c = 1 (`corner`) or 0. */
static bool factor_bordered(bordered_matrix *b, const double *mass, const stacked_rows *c,
                            double added, bool corner)
{
    const cd_pattern *p = b->blocks.norm;
    cd_zero(p->entries, b->norm);
    if (mass != NULL)
        cd_copy(p->entries, mass, b->norm);
    for (int i = 0; i < b->k; i++)
        b->norm[cd_pattern_find(p, i, i)] += added;
    const cd_bordered_values values = {.norm = b->norm,
                                       .rows = {c->values, c->values + c->holonomic},
                                       .alpha = corner ? 1.0 : INFINITY,
                                       .nonholonomic = true};
    return cd_bordered_factor(&b->blocks, &values) == CARDAN_OK;
}

/* scaled = the entries of M for scaled velocities */
static void scale_mass(const cd_workspace *ws, const double *scale, double *scaled)
{
    const cd_pattern *mass = cd_pattern_of(ws, CD_P_mass);
    for (int i = 0; i < ws->system->k; i++)
        for (int e = cd_pattern_begin(mass, i); e < cd_pattern_end(mass, i); e++)
            scaled[e] = ws->mass[e] / (scale[i] * scale[cd_pattern_column(mass, i, e)]);
}

/* Judges whether M is definite on ker C: if the bordered matrix is regular. Else a little is added
 * to M, and the solutions then show a direction without mass. False if memory runs out. */
static bool judge_on_kernel(cd_arena *arena, const cd_workspace *ws, const stacked_rows *c,
                            cd_structure *s)
{
    const cd_pattern *mass = cd_pattern_of(ws, CD_P_mass);
    bordered_matrix b;
    double *scaled = cd_arena_doubles(arena, mass->entries);
    if (arena->failed || !create_bordered(arena, ws, &b))
        return false;
    scale_mass(ws, s->scale, scaled);
    s->definite_on_kernel = factor_bordered(&b, scaled, c, 0.0, false);
    if (!s->definite_on_kernel && factor_bordered(&b, scaled, c, 1e-6, false))
        find_massless_direction(s, b.blocks.matrix, b.x);
    return true;
}

bool cd_structure_factor(cd_arena *arena, const cd_workspace *ws, const double *scale,
                         double *lengths, cd_matrix **matrix)
{
    bordered_matrix b;
    stacked_rows c = stack_constraints(arena, ws, ws->system->m + ws->system->l);
    double *mass = cd_arena_doubles(arena, cd_pattern_of(ws, CD_P_mass)->entries);
    *matrix = NULL;
    if (arena->failed)
        return false;
    scale_rows_to_length_1(&c, scale, lengths);
    scale_mass(ws, scale, mass);
    if (!create_bordered(arena, ws, &b))
        return false;
    if (factor_bordered(&b, mass, &c, 0.0, false))
        *matrix = b.blocks.matrix;
    return true;
}

/* z with C C^T z = y, from (1  C^T; C  0) (x; z) = (0; -y). */
static void apply_gram_inverse(void *self, const double *y, double *z)
{
    bordered_matrix *b = self;
    cd_zero(b->k, b->x);
    for (int i = 0; i < b->n; i++)
        b->x[b->k + i] = -y[i];
    cd_matrix_solve(b->blocks.matrix, b->x);
    cd_copy(b->n, b->x + b->k, z);
}

/* Finds the largest eigenvalue of a map (zero if there is none). False if memory runs out. */
static bool find_largest(cd_arena *arena, const cd_linear_map *map, double tolerance, int products,
                         cd_ritz_pair *pair)
{
    const cd_krylov_def def = {
        .wanted = 1, .tolerance = tolerance, .most_products = products, .once = true};
    cd_arena scratch;
    cd_subspace space;
    cd_ritz ritz = {0};
    cd_arena_init(&scratch, &arena->allocator);
    const bool found =
        cd_krylov_find(&scratch, map, &def, &space) && cd_ritz_find(&scratch, map, &space, &ritz);
    *pair = found && ritz.count > 0 ? ritz.pair[0] : (cd_ritz_pair){0};
    cd_arena_destroy(&scratch);
    return found;
}

/* Is the smallest singular value of C, with rows of length 1, far above the tolerance? A few
 * products show it; elimination, which finds dependent rows, needs much memory in long loops. */
static bool are_independent(cd_arena *arena, const cd_workspace *ws, const stacked_rows *c)
{
    bordered_matrix b;
    cd_arena scratch;
    cd_ritz_pair pair;
    cd_arena_init(&scratch, &arena->allocator);
    const cd_linear_map map = {c->pattern.rows, &b, apply_gram_inverse};
    const double threshold = 1e4 * CD_STRUCTURE_TOLERANCE;
    const bool found = create_bordered(&scratch, ws, &b) &&
                       factor_bordered(&b, NULL, c, 1.0, false) &&
                       find_largest(&scratch, &map, 1e-1, 40, &pair) && pair.real > 0.0 &&
                       pair.real < 1.0 / (threshold * threshold);
    cd_arena_destroy(&scratch);
    return found;
}

bool cd_structure_expand(cd_arena *arena, const cd_workspace *ws, cd_structure *s)
{
    s->mass = cd_arena_doubles(arena, s->k * s->k);
    s->constraints = cd_arena_doubles(arena, s->n * s->k);
    if (arena->failed)
        return false;
    cd_system_expand(ws, s->mass, s->constraints);
    for (int i = 0; i < s->k; i++)
        for (int j = 0; j < i; j++) {
            const double mean = 0.5 * (s->mass[i * s->k + j] + s->mass[j * s->k + i]);
            s->mass[i * s->k + j] = s->mass[j * s->k + i] = mean;
        }
    return true;
}

bool cd_structure_find(cd_arena *arena, const cd_workspace *ws, cd_structure *s)
{
    const cardan_system *system = ws->system;
    const int k = system->k, n = system->m + system->l;
    *s = (cd_structure){.system = system,
                        .k = k,
                        .n = n,
                        .scale = cd_arena_doubles(arena, k),
                        .dependent = cd_arena_take(arena, (size_t)n * sizeof(int)),
                        .direction = cd_arena_doubles(arena, k)};
    stacked_rows c = stack_constraints(arena, ws, n);
    if (arena->failed)
        return false;
    choose_scale(ws, &c, s->scale);
    scale_rows_to_length_1(&c, s->scale, NULL);
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
    /* If constraints are dependent, only M itself is judged. A definite M is definite on every
     * kernel, even if the condition of the bordered matrix is too large to show it. */
    s->definite_on_kernel = s->constraint_rank < n || (s->semidefinite && s->mass_rank == k);
    return s->definite_on_kernel || judge_on_kernel(arena, ws, &c, s);
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
    bordered_matrix *b = self;
    cd_copy(b->k, x, b->x);
    cd_zero(b->n, b->x + b->k);
    cd_matrix_solve(b->blocks.matrix, b->x);
    cd_copy(b->k, b->x, y);
}

/* The smallest eigenvalue as 1 / the largest one of the inverse. */
static bool find_smallest(cd_arena *arena, bordered_matrix *b, double *smallest)
{
    const cd_linear_map map = {b->k, b, apply_inverse};
    cd_ritz_pair pair;
    const bool found = find_largest(arena, &map, 1e-6, 200, &pair);
    if (found && pair.real > 0.0 && pair.residual < 1e-2)
        *smallest = 1.0 / pair.real;
    return found;
}

bool cd_structure_search_eigenvalues(cd_arena *arena, const cd_workspace *ws, const cd_structure *s,
                                     double *kernel, double *augmented)
{
    bordered_matrix b;
    const stacked_rows c = stack_constraints(arena, ws, s->n);
    *kernel = s->constraint_rank == s->k ? INFINITY : NAN;
    *augmented = NAN;
    if (arena->failed || !create_bordered(arena, ws, &b))
        return false;
    if (s->constraint_rank < s->k && s->constraint_rank == s->n && s->definite_on_kernel &&
        factor_bordered(&b, ws->mass, &c, 0.0, false) && !find_smallest(arena, &b, kernel))
        return false;
    return !factor_bordered(&b, ws->mass, &c, 0.0, true) || find_smallest(arena, &b, augmented);
}

bool cd_structure_project(cd_arena *arena, const cd_workspace *ws, double *x)
{
    bordered_matrix b;
    const stacked_rows c = stack_constraints(arena, ws, ws->system->m + ws->system->l);
    if (arena->failed || !create_bordered(arena, ws, &b) ||
        !factor_bordered(&b, NULL, &c, 1.0, false))
        return false;
    apply_inverse(&b, x, x);
    return true;
}

/* ---- eigenvalues of small systems ---- */

void cd_structure_scale_constraints(const cd_structure *s, double *out)
{
    for (int i = 0; i < s->n; i++) {
        double *row = out + i * s->k;
        for (int j = 0; j < s->k; j++)
            row[j] = s->constraints[i * s->k + j] / s->scale[j];
        const double length = sqrt(cd_dot(s->k, row, row));
        for (int j = 0; j < s->k && length > 0.0; j++)
            row[j] /= length;
    }
}

/* The smallest eigenvalue of Z^T M Z, Z the right singular vectors of C that span its kernel. */
static bool find_kernel_smallest(cd_arena *arena, const cd_structure *s, double *smallest)
{
    const int k = s->k, n = s->n, dimension = k - s->constraint_rank;
    double *values = cd_arena_doubles(arena, k), *image = cd_arena_doubles(arena, k);
    double *restricted = cd_arena_doubles(arena, dimension * dimension);
    cd_svd svd;
    *smallest = INFINITY;
    if (arena->failed || !cd_svd_find(arena, n, k, s->constraints, 0.0, &svd))
        return false;
    if (dimension == 0)
        return true;
    const double *basis = svd.right + s->constraint_rank * k;
    for (int i = 0; i < dimension; i++) {
        cd_multiply(k, k, s->mass, basis + i * k, image);
        for (int j = 0; j < dimension; j++)
            restricted[i * dimension + j] = cd_dot(k, image, basis + j * k);
    }
    if (!cd_symmetric_eigen(arena, dimension, restricted, values))
        return false;
    *smallest = values[0];
    return true;
}

bool cd_structure_eigenvalues(cd_arena *arena, const cd_structure *s, double *kernel,
                              double *augmented)
{
    const int k = s->k;
    double *matrix = cd_arena_doubles(arena, k * k), *values = cd_arena_doubles(arena, k);
    if (arena->failed || !find_kernel_smallest(arena, s, kernel))
        return false;
    cd_copy(k * k, s->mass, matrix);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < k; j++)
            cd_add(k, s->constraints[i * k + j], s->constraints + i * k, matrix + j * k);
    if (!cd_symmetric_eigen(arena, k, matrix, values))
        return false;
    *augmented = values[0];
    return true;
}

static void list_dependent_constraints(const cd_structure *s, char *text, int size)
{
    const int missing = s->n - s->constraint_rank;
    text[0] = '\0';
    for (int i = 0, used = 0; i < missing && used < size; i++) {
        const cd_name name = cd_system_multiplier_name(s->system, s->dependent[i]);
        used += snprintf(text + used, (size_t)(size - used), "%s%s", i > 0 ? ", " : "", name.text);
    }
}

void cd_structure_list(int count, const double *share, const double *value,
                       cd_name (*name)(const void *self, int i), const void *self, char *text,
                       int size)
{
    text[0] = '\0';
    for (int i = 0, used = 0, named = 0; i < count && named < 4 && used < size; i++)
        if (fabs(share[i]) >= 1.0 / 3.0)
            used += snprintf(text + used, (size_t)(size - used), "%s%.3g in %s",
                             named++ > 0 ? ", " : "", value[i], name(self, i).text);
}

static cd_name name_velocity(const void *self, int i)
{
    return cd_system_name(self, CARDAN_NAME_VELOCITY, i);
}

cardan_status cd_structure_judge(const cd_structure *s, double t, cardan_error *error)
{
    char list[256];
    if (s->constraint_rank < s->n) {
        list_dependent_constraints(s, list, (int)sizeof list);
        return cd_fail(error, CARDAN_RANK_DEFICIENT,
                       "at t = %.9g the constraints are dependent: %d of %d can be removed, for "
                       "example %s",
                       t, s->n - s->constraint_rank, s->n, list);
    }
    if (!s->semidefinite)
        return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                       "at t = %.9g the mass matrix has a negative eigenvalue; kinetic energy must "
                       "not be negative",
                       t);
    if (s->definite_on_kernel)
        return cd_succeed(error);
    cd_structure_list(s->k, s->direction, s->direction, name_velocity, s->system, list,
                      (int)sizeof list);
    if (list[0] == '\0')
        return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                       "at t = %.9g some motion that the constraints allow has hardly any mass (%d "
                       "of %d velocities have none of their own); give bodies without mass a mass "
                       "or constraints that carry them",
                       t, s->k - s->mass_rank, s->k);
    return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                   "at t = %.9g the mass matrix is singular on motions that the constraints allow: "
                   "the direction with %s has no mass; give it a mass or a constraint",
                   t, list);
}

/* Ranks of mass and constraint matrices of large systems, without full matrices: constraints by
 * sparse triangularisation, M by its blocks, definiteness of M on ker C by the factors of
 * (M C^T; C 0), and a direction without mass by inverse iteration. */
#include "base/numeric.h"
#include "linalg/block_eigen.h"
#include "linalg/sparse_rank.h"
#include "system/structure.h"
#include "system/workspace.h"

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
                *own = fmin(*own, -fabs(c->values[e]) / (massive > 0.0 ? massive : 1.0));
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

/* For scaled velocities, rows of length 1. */
static void scale_rows(stacked *c, const double *scale)
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

/* Solvable with scaled M and C? If not, with a little added to M it is, and the solution shows the
 * direction that has no mass. */
static bool judge_kernel(cd_arena *arena, const cd_workspace *ws, const stacked *c, cd_structure *s)
{
    const cd_pattern *mass = cd_pattern_of(ws, CD_P_mass);
    const int n = s->k + s->n;
    cd_matrix *matrix = cd_matrix_create(arena, n);
    double *scaled = cd_arena_doubles(arena, mass->entries), *x = cd_arena_doubles(arena, n);
    if (arena->failed)
        return false;
    cd_system_set_units(s->system, matrix);
    cd_system_belong(s->system, CD_VELOCITIES, 0, matrix);
    cd_system_belong(s->system, CD_MULTIPLIERS, s->k, matrix);
    cd_system_belong(s->system, CD_ROLLING_MULTIPLIERS, s->k + s->system->m, matrix);
    const int slots[] = {cd_matrix_declare(matrix, 0, 0, mass),
                         cd_matrix_declare(matrix, s->k, 0, &c->pattern),
                         cd_matrix_declare_transposed(matrix, 0, s->k, &c->pattern),
                         cd_matrix_declare_diagonal(matrix, 0, 0, s->k)};
    cd_matrix_seal(matrix);
    if (arena->failed)
        return false;
    for (int i = 0; i < s->k; i++)
        for (int e = cd_pattern_begin(mass, i); e < cd_pattern_end(mass, i); e++)
            scaled[e] = ws->mass[e] / (s->scale[i] * s->scale[cd_pattern_column(mass, i, e)]);
    for (int pass = 0; pass < 2; pass++) {
        bool solvable;
        do {
            cd_matrix_clear(matrix);
            cd_matrix_add(matrix, slots[0], 1.0, scaled);
            cd_matrix_add(matrix, slots[1], 1.0, c->values);
            cd_matrix_add(matrix, slots[2], 1.0, c->values);
            cd_matrix_add_identity(matrix, slots[3], pass == 0 ? 0.0 : 1e-6);
            solvable = cd_matrix_factor(matrix) == CARDAN_OK;
        } while (!solvable && cd_matrix_retry(matrix));
        if (pass == 0 && (s->definite_on_kernel = solvable))
            return true;
        if (pass == 1 && solvable)
            name_direction(s, matrix, x);
    }
    return true;
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
    scale_rows(&c, s->scale);
    s->constraint_rank =
        cd_sparse_rank(arena, &c.pattern, c.values, CD_STRUCTURE_TOLERANCE, s->dependent);
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

/* Ranks and kernels of mass and constraint matrices; see structure.h. */
#include "structure.h"

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/spectral.h"

#include <stdio.h>

static void copy_matrices(const cd_workspace *ws, cd_structure *s)
{
    cd_system_expand(ws, s->mass, s->constraints);
    for (int i = 0; i < s->k; i++)
        for (int j = 0; j < i; j++) {
            const double mean = 0.5 * (s->mass[i * s->k + j] + s->mass[j * s->k + i]);
            s->mass[i * s->k + j] = s->mass[j * s->k + i] = mean;
        }
}

/* The largest scaled entry of a row of C among coordinates that have a mass; infinite if there is
 * none: such a row (a gear between two turn counters) tells nothing of the units. */
static double massive_part(const cd_structure *s, int row)
{
    double largest = 0.0;
    for (int j = 0; j < s->k; j++)
        if (s->scale[j] > 0.0)
            largest = fmax(largest, fabs(s->constraints[row * s->k + j]) / s->scale[j]);
    return largest > 0.0 ? largest : INFINITY;
}

static double massless_scale(const cd_structure *s, int column)
{
    double scale = 0.0;
    for (int i = 0; i < s->n; i++)
        scale = fmax(scale, fabs(s->constraints[i * s->k + column]) / massive_part(s, i));
    return scale > 0.0 ? scale : 1.0;
}

/* The three angular velocities of a body have one unit, and its inertia about an axis may be zero
 * or, in axes that are turned against it, a rounding error: none is smaller than a thousandth of
 * the largest, so that the scale hardly depends on how the body is turned. */
static void level_rotation(double scale[3])
{
    const double least = 1e-3 * cd_max_abs(3, scale);
    for (int i = 0; i < 3; i++)
        scale[i] = fmax(scale[i], least);
}

void cd_structure_mass_scale(const cardan_group *group, double *scale)
{
    for (int i = 0; i < cardan_group_dof(group); i++)
        scale[i] = sqrt(fabs(scale[i]));
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        int first;
        const cardan_factor factor = cardan_group_factor(group, i, NULL, &first);
        if (factor.kind == CARDAN_SO3 || factor.kind == CARDAN_S3)
            level_rotation(scale + first);
        else if (factor.kind != CARDAN_RN)
            level_rotation(scale + first + 3);
    }
}

static void choose_scale(const cardan_group *group, cd_structure *s)
{
    for (int i = 0; i < s->k; i++)
        s->scale[i] = s->mass[i * s->k + i];
    cd_structure_mass_scale(group, s->scale);
    for (int i = 0; i < s->k; i++) /* from here on negative: massless */
        if (!(s->scale[i] > 0.0))
            s->scale[i] = -massless_scale(s, i);
    for (int i = 0; i < s->k; i++)
        s->scale[i] = fabs(s->scale[i]);
}

/* The matrix for velocities scale * v, with equal entries of the mass matrix on the diagonal. */
static void scale_mass(const cd_structure *s, double *out)
{
    for (int i = 0; i < s->k; i++)
        for (int j = 0; j < s->k; j++)
            out[i * s->k + j] = s->mass[i * s->k + j] / (s->scale[i] * s->scale[j]);
}

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

static bool find_mass_rank(cd_arena *arena, const double *scaled, cd_structure *s)
{
    double *vectors = cd_arena_doubles(arena, s->k * s->k);
    double *values = cd_arena_doubles(arena, s->k);
    if (arena->failed)
        return false;
    cd_copy(s->k * s->k, scaled, vectors);
    if (!cd_symmetric_eigen(arena, s->k, vectors, values))
        return false;
    s->semidefinite = values[0] > -CD_STRUCTURE_TOLERANCE;
    s->mass_rank = 0;
    for (int i = 0; i < s->k; i++)
        s->mass_rank += fabs(values[i]) > CD_STRUCTURE_TOLERANCE;
    return true;
}

/* The rows of `basis` span ker C: the last right singular vectors. Returns their number or -1. */
static int kernel_of(cd_arena *arena, const cd_structure *s, const double *constraints,
                     double **basis)
{
    double *left = cd_arena_doubles(arena, s->n * s->n);
    double *right = cd_arena_doubles(arena, s->k * s->k);
    double *values = cd_arena_doubles(arena, s->k < s->n ? s->k : s->n);
    if (arena->failed || !cd_singular_values(arena, s->n, s->k, constraints, left, values, right))
        return -1;
    *basis = right + s->constraint_rank * s->k;
    return s->k - s->constraint_rank;
}

/* Z^T M Z with the rows of `basis` as Z, its eigenvalues ascending and eigenvectors as rows. */
static bool restrict_mass(cd_arena *arena, int k, const double *mass, int dimension,
                          const double *basis, double **restricted, double **values)
{
    *restricted = cd_arena_doubles(arena, dimension * dimension);
    *values = cd_arena_doubles(arena, dimension);
    double *image = cd_arena_doubles(arena, k);
    if (arena->failed)
        return false;
    for (int i = 0; i < dimension; i++) {
        cd_multiply(k, k, mass, basis + i * k, image);
        for (int j = 0; j < dimension; j++)
            (*restricted)[i * dimension + j] = cd_dot(k, image, basis + j * k);
    }
    return cd_symmetric_eigen(arena, dimension, *restricted, *values);
}

static void name_direction(cd_structure *s, int dimension, const double *basis,
                           const double *combination)
{
    cd_zero(s->k, s->direction);
    for (int i = 0; i < dimension; i++)
        cd_add(s->k, combination[i], basis + i * s->k, s->direction);
    for (int i = 0; i < s->k; i++)
        s->direction[i] /= s->scale[i];
    const double largest = cd_max_abs(s->k, s->direction);
    for (int i = 0; i < s->k; i++)
        s->direction[i] /= largest;
}

static bool judge_kernel(cd_arena *arena, const double *mass, const double *constraints,
                         cd_structure *s)
{
    double *basis, *restricted, *values;
    const int dimension = kernel_of(arena, s, constraints, &basis);
    s->definite_on_kernel = true;
    if (dimension <= 0)
        return dimension == 0;
    if (!restrict_mass(arena, s->k, mass, dimension, basis, &restricted, &values))
        return false;
    s->definite_on_kernel = values[0] > CD_STRUCTURE_TOLERANCE;
    name_direction(s, dimension, basis, restricted);
    return true;
}

bool cd_structure_scale(cd_arena *arena, const cardan_system *system, const cd_workspace *ws,
                        double *scale)
{
    const int k = system->k, n = system->m + system->l;
    cd_structure s = {.k = k,
                      .n = n,
                      .mass = cd_arena_doubles(arena, k * k),
                      .constraints = cd_arena_doubles(arena, n * k),
                      .scale = scale};
    if (arena->failed)
        return false;
    copy_matrices(ws, &s);
    choose_scale(system->group, &s);
    return true;
}

bool cd_structure_find(cd_arena *arena, const cardan_system *system, const cd_workspace *ws,
                       cd_structure *s)
{
    return cd_structure_is_sparse(system) ? cd_structure_find_large(arena, system, ws, s)
                                          : cd_structure_find_full(arena, system, ws, s);
}

bool cd_structure_find_full(cd_arena *arena, const cardan_system *system, const cd_workspace *ws,
                            cd_structure *s)
{
    const int k = system->k, n = system->m + system->l;
    *s = (cd_structure){.system = system,
                        .k = k,
                        .n = n,
                        .mass = cd_arena_doubles(arena, k * k),
                        .constraints = cd_arena_doubles(arena, n * k),
                        .scale = cd_arena_doubles(arena, k),
                        .dependent = cd_arena_take(arena, (size_t)n * sizeof(int)),
                        .direction = cd_arena_doubles(arena, k)};
    double *mass = cd_arena_doubles(arena, k * k);
    double *constraints = cd_arena_doubles(arena, n * k);
    if (arena->failed)
        return false;
    copy_matrices(ws, s);
    choose_scale(system->group, s);
    scale_mass(s, mass);
    cd_structure_scale_constraints(s, constraints);
    s->holonomic_rank = cd_row_rank(arena, system->m, k, constraints, s->dependent);
    s->constraint_rank = cd_row_rank(arena, n, k, constraints, s->dependent);
    return s->holonomic_rank >= 0 && s->constraint_rank >= 0 && find_mass_rank(arena, mass, s) &&
           judge_kernel(arena, mass, constraints, s);
}

bool cd_structure_kernel_smallest(cd_arena *arena, const cd_structure *s, double *smallest)
{
    double *basis, *restricted, *values;
    const int dimension = kernel_of(arena, s, s->constraints, &basis);
    *smallest = INFINITY;
    if (dimension <= 0)
        return dimension == 0;
    const bool found = restrict_mass(arena, s->k, s->mass, dimension, basis, &restricted, &values);
    if (found)
        *smallest = values[0];
    return found;
}

bool cd_structure_eigenvalues(cd_arena *arena, const cd_structure *s, double *smallest,
                              double *largest, double *augmented)
{
    const int k = s->k;
    double *matrix = cd_arena_doubles(arena, k * k);
    double *values = cd_arena_doubles(arena, k);
    if (arena->failed)
        return false;
    cd_copy(k * k, s->mass, matrix);
    if (!cd_symmetric_eigen(arena, k, matrix, values))
        return false;
    *smallest = values[0];
    *largest = values[k - 1];
    cd_copy(k * k, s->mass, matrix);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < k; j++)
            cd_add(k, s->constraints[i * k + j], s->constraints + i * k, matrix + j * k);
    if (!cd_symmetric_eigen(arena, k, matrix, values))
        return false;
    *augmented = values[0];
    return true;
}

static void list_dependent(const cd_structure *s, char *text, int size)
{
    const int missing = s->n - s->constraint_rank, m = s->system->m;
    text[0] = '\0';
    for (int i = 0, used = 0; i < missing && used < size; i++) {
        const int row = s->dependent[i];
        const cd_name name = row < m ? cd_system_constraint_name(s->system, row)
                                     : cd_system_rolling_name(s->system, row - m);
        used += snprintf(text + used, (size_t)(size - used), "%s%s", i > 0 ? ", " : "", name.text);
    }
}

/* The components of at least a third of the largest one, at most four. */
static void list_direction(const cd_structure *s, char *text, int size)
{
    text[0] = '\0';
    for (int i = 0, used = 0, named = 0; i < s->k && named < 4 && used < size; i++) {
        if (fabs(s->direction[i]) < 1.0 / 3.0)
            continue;
        used += snprintf(text + used, (size_t)(size - used), "%s%.3g in %s", named > 0 ? ", " : "",
                         s->direction[i], cd_system_dof_name(s->system, i).text);
        named++;
    }
}

cardan_status cd_structure_judge(const cd_structure *s, double t, cardan_error *error)
{
    char list[256];
    if (s->constraint_rank < s->n) {
        list_dependent(s, list, (int)sizeof list);
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
    list_direction(s, list, (int)sizeof list);
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

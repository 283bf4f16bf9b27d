/* Why a matrix (A B^T K^T; B; K) is singular, and what combination of constraints makes it so. */
#include "base/error.h"
#include "base/numeric.h"
#include "friction_rank.h"
#include "workspace.h"

#include "linalg/smallest.h"

#include <math.h>

/* Blames the constraint with the smallest derivatives or, without constraints, the masses. */
static cardan_status blame_smallest(cd_workspace *ws, double t)
{
    const cardan_system *system = ws->system;
    const int n = system->m + system->l;
    double smallest = INFINITY;
    int row = -1;
    for (int i = 0; i < n; i++) {
        const cd_row entries = cd_system_constraint_row(ws, i);
        const double size = cd_max_abs(entries.count, entries.values);
        if (size < smallest) {
            smallest = size;
            row = i;
        }
    }
    if (row < 0)
        return cd_fail(ws->error, CARDAN_SINGULAR_MATRIX,
                       "at t = %.9g the mass matrix is singular to working precision: its entries "
                       "differ by too many orders of magnitude; choose other units",
                       t);
    return cd_fail(ws->error, CARDAN_SINGULAR_MATRIX,
                   "at t = %.9g accelerations and multipliers are not determined to working "
                   "precision: %s hardly depends on the motion here (largest derivative %.3g, "
                   "largest mass %.3g); start from another configuration, or scale the constraint",
                   t, cd_system_multiplier_name(system, row).text, smallest,
                   cd_system_scales(ws).mass);
}

/* Fails if friction makes the matrix singular at the multipliers of `loaded`; else CARDAN_OK. */
static cardan_status blame_friction(cd_arena *arena, cd_workspace *ws, const cd_structure *s,
                                    const cardan_point *loaded)
{
    const cardan_system_def *def = &ws->system->def;
    cd_friction friction;
    if (loaded == NULL || !cd_force_depends_on_multipliers(ws->system) ||
        def->lambda_in_force_only || def->psi_in_force_only ||
        cd_friction_find(arena, ws, s, loaded, &friction) != CARDAN_OK)
        return CARDAN_OK;
    return cd_friction_judge(&friction, loaded->t, ws->error);
}

cardan_status cd_system_explain_singular(cd_workspace *ws, double t, const cardan_point *loaded)
{
    cd_arena arena;
    cd_structure structure;
    cd_arena_init(&arena, &ws->system->arena.allocator);
    cardan_status status = CARDAN_OK;
    if (cd_structure_find(&arena, ws, &structure)) {
        status = cd_structure_judge(&structure, t, ws->error);
        if (status == CARDAN_OK)
            status = blame_friction(&arena, ws, &structure, loaded);
    }
    cd_arena_destroy(&arena);
    if (status != CARDAN_OK)
        return status;
    return blame_smallest(ws, t);
}

/* Chooses units of the velocities in which kinetic energies have the same size, so that the units
 * of the user do not matter. A velocity without mass gets the mean of the others. */
static void choose_units(const cd_workspace *ws, double *units)
{
    const int k = ws->system->k;
    double sum = 0.0;
    int massive = 0;
    cd_system_mass_diagonal(ws, units);
    cd_structure_scale_by_mass(ws->system->group, units);
    for (int i = 0; i < k; i++) {
        sum += units[i];
        massive += units[i] > 0.0;
    }
    for (int i = 0; i < k; i++)
        if (!(units[i] > 0.0))
            units[i] = massive > 0 ? sum / massive : 1.0;
}

static void find_row_lengths(const cd_workspace *ws, const double *units, double *sizes)
{
    for (int i = 0; i < ws->system->m + ws->system->l; i++) {
        const cd_row row = cd_system_constraint_row(ws, i);
        double sum = 0.0;
        for (int e = 0; e < row.count; e++) {
            const double entry = row.values[e] / units[cd_row_column(&row, e)];
            sum += entry * entry;
        }
        sizes[i] = sqrt(sum);
    }
}

/* How many numbers of scratch cd_system_null_direction needs. */
int cd_system_direction_scratch(const cardan_system *system)
{
    const int n = system->m + system->l;
    return 2 * system->k + 2 * n + cd_smallest_scratch(n);
}

void cd_system_constraint_sizes(const cd_workspace *ws, double *scratch, double *sizes)
{
    choose_units(ws, scratch);
    find_row_lengths(ws, scratch, sizes);
}

/* The matrix C C^T in these units, with the rows of C divided by their sizes. */
typedef struct scaled_rows {
    const cd_workspace *ws;
    const double *units, *sizes;
    double *motion, *weights;
} scaled_rows;

/* y = C C^T x, C in scaled velocities with scaled rows */
static void apply_scaled_gram(void *self, const double *x, double *y)
{
    const scaled_rows *rows = self;
    const cardan_system *system = rows->ws->system;
    const int k = system->k, n = system->m + system->l;
    for (int i = 0; i < n; i++)
        rows->weights[i] = x[i] / rows->sizes[i];
    cd_system_react(rows->ws, rows->weights, rows->motion);
    for (int i = 0; i < k; i++)
        rows->motion[i] /= rows->units[i] * rows->units[i];
    cd_system_constrain(rows->ws, rows->motion, y);
    for (int i = 0; i < n; i++)
        y[i] /= rows->sizes[i];
}

/* Converts to coefficients of the constraints as they are written, the largest 1. */
static void normalise(int n, const double *sizes, double *combination)
{
    int largest = 0;
    for (int i = 0; i < n; i++) {
        combination[i] /= sizes[i];
        if (fabs(combination[i]) > fabs(combination[largest]))
            largest = i;
    }
    const double unit = combination[largest];
    for (int i = 0; i < n; i++)
        combination[i] /= unit;
}

double cd_system_null_direction(const cd_workspace *ws, const double *usual, double *scratch,
                                double *combination)
{
    const int k = ws->system->k, n = ws->system->m + ws->system->l;
    double *units = scratch, *motion = units + k, *sizes = motion + k, *weights = sizes + n;
    if (n == 0)
        return INFINITY;
    choose_units(ws, units);
    find_row_lengths(ws, units, sizes);
    for (int i = 0; i < n; i++) {
        sizes[i] = fmax(sizes[i], usual[i]);
        if (!(sizes[i] > 0.0) || !isfinite(sizes[i]))
            sizes[i] = 1.0;
    }
    scaled_rows rows = {ws, units, sizes, motion, weights};
    const cd_linear_map product = {n, &rows, apply_scaled_gram};
    const double value = cd_smallest_eigenvector(&product, weights + n, combination);
    normalise(n, sizes, combination);
    return isfinite(value) ? sqrt(fmax(value, 0.0)) : INFINITY;
}

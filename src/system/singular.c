/* Why a matrix (A B^T K^T; B; K) is singular, in a sentence. */
#include "base/error.h"
#include "base/numeric.h"
#include "system/structure.h"
#include "system/workspace.h"

#include "linalg/spectral.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The constraint that hardly depends on any velocity, compared with the others and the masses. */
static cardan_status blame_smallest(cd_workspace *ws, double t)
{
    const cardan_system *system = ws->system;
    const int k = system->k, m = system->m, n = m + system->l;
    double smallest = INFINITY;
    int row = -1;
    for (int i = 0; i < n; i++) {
        const double *entries = i < m ? ws->jacobian + i * k : ws->rolling + (i - m) * k;
        if (cd_max_abs(k, entries) < smallest) {
            smallest = cd_max_abs(k, entries);
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
                   t,
                   row < m ? cd_system_constraint_name(system, row).text
                           : cd_system_rolling_name(system, row - m).text,
                   smallest, cd_max_abs(k * k, ws->mass));
}

cardan_status cd_system_explain_singular(cd_workspace *ws, double t)
{
    cd_arena arena;
    cd_structure structure;
    cd_arena_init(&arena, &ws->system->arena.allocator);
    cardan_status status = CARDAN_OK;
    if (cd_structure_find(&arena, ws->system, ws, &structure))
        status = cd_structure_judge(&structure, t, ws->error);
    cd_arena_destroy(&arena);
    if (status != CARDAN_OK)
        return status;
    return blame_smallest(ws, t);
}

/* The left singular vector of the smallest singular value: its large entries are the constraints
 * that come close to depending on each other. */
static void list_entries(const cardan_system *system, int n, const double *left, char *text,
                         int size)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(left[i * n + n - 1]));
    for (int i = 0, named = 0, used = (int)strlen(text); i < n && named < 4 && used < size; i++) {
        if (fabs(left[i * n + n - 1]) < largest / 3.0)
            continue;
        const cd_name name = i < system->m ? cd_system_constraint_name(system, i)
                                           : cd_system_rolling_name(system, i - system->m);
        used +=
            snprintf(text + used, (size_t)(size - used), "%s%s", named > 0 ? ", " : "", name.text);
        named++;
    }
}

void cd_system_name_dependent(cd_workspace *ws, char *text, int size)
{
    const cardan_system *system = ws->system;
    const int n = system->m + system->l, k = system->k;
    const double nearly = 1e-3; /* of the largest singular value */
    cd_arena arena;
    cd_structure structure;
    text[0] = '\0';
    cd_arena_init(&arena, &system->arena.allocator);
    double *scaled = cd_arena_doubles(&arena, n * k), *left = cd_arena_doubles(&arena, n * n);
    double *values = cd_arena_doubles(&arena, n), *right = cd_arena_doubles(&arena, k * k);
    if (n > 0 && n <= k && !arena.failed && cd_structure_find(&arena, system, ws, &structure)) {
        cd_structure_scale_constraints(&structure, scaled);
        if (cd_singular_values(&arena, n, k, scaled, left, values, right) &&
            values[n - 1] < nearly * values[0]) {
            snprintf(text, (size_t)size,
                     "the constraints are nearly dependent (%.2g): ", values[n - 1] / values[0]);
            list_entries(system, n, left, text, size);
        }
    }
    cd_arena_destroy(&arena);
}

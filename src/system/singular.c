/* Why a matrix (A B^T K^T; B; K) is singular, in a sentence. */
#include "base/error.h"
#include "base/numeric.h"
#include "system/structure.h"
#include "system/workspace.h"

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

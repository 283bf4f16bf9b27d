/* The tree of B_n B_n^T and its factors; see normals.h. It is not used if a body has very many
 * joints, like the hub of a wheel, which would make it full, nor in systems with loops: there
 * constraints may become dependent, and close to such positions the matrix is nearly singular, so
 * that what the corrector neglects is no longer small. */
#include "normals.h"

#include "base/numeric.h"
#include "workspace.h"

#include <string.h>

_Static_assert((int)CD_TREE_COLUMNS == (int)CD_LARGEST_BODY, "columns of a body");
_Static_assert((int)CD_TREE_ROWS == (int)CD_LARGEST_JOINT, "rows of a joint");

enum { FULLEST = 16 }; /* the factors may have as many times the entries of B */

/* Lists the bodies of every joint; false if one has none or more than two. `list` is scratch. */
static bool list_joint_bodies(const cd_pattern *p, const cd_units *units, int *list, int (*body)[2])
{
    bool possible = true;
    for (int j = 0; possible && j < units->joints; j++) {
        const int count = cd_units_bodies(p, units->constraint[j], units, list);
        possible = count == 1 || count == 2;
        body[j][0] = count > 0 ? list[0] : -1;
        body[j][1] = count > 1 ? list[1] : -1;
    }
    return possible;
}

cd_normals cd_normals_find(cd_arena *arena, const cd_pattern *constraints, const cd_units *units)
{
    const int joints = units->joints;
    cd_normals found = {0};
    cd_arena scratch;
    if (units->count == 0 || joints == 0)
        return found;
    cd_arena_init(&scratch, &arena->allocator);
    int(*body)[2] = cd_arena_take(&scratch, (size_t)joints * sizeof *body);
    int *list = cd_arena_take(&scratch, (size_t)constraints->cols * sizeof *list);
    const cd_tree_plan plan = {joints, units->bodies, units->constraint, (const int(*)[2])body};
    if (scratch.failed)
        arena->failed = 1;
    else if (list_joint_bodies(constraints, units, list, body))
        cd_joint_tree_find(arena, &plan, &found.tree);
    cd_arena_destroy(&scratch);
    if ((double)found.tree.numbers > (double)FULLEST * constraints->entries || arena->failed)
        found.tree.joints = 0;
    return found;
}

/* ---- rows of joints ---- */

/* Where copy_joint_rows finds the rows. */
typedef struct row_source {
    const cd_workspace *ws;
    const double *anchored; /* B */
} row_source;

/* The number of the first velocity of both bodies of a joint; -1: there is no such body. */
static void find_first_velocities(const cd_units *units, const cd_tree_joint *joint, int first[2])
{
    for (int i = 0; i < 2; i++)
        first[i] = joint->body[i] >= 0 ? units->velocity[joint->body[i]] : -1;
}

/* Writes the rows of B_n of a joint, one body beside the other; for cd_tree_factor. */
static int copy_joint_rows(void *self, int joint, double *out)
{
    const row_source *it = self;
    const cardan_system *system = it->ws->system;
    const cd_pattern *p = cd_pattern_of(it->ws, CD_P_constraint_dq);
    const cd_tree_joint *own = &system->normals.tree.joint[joint];
    int first[2];
    find_first_velocities(&system->units, own, first);
    for (int r = 0; r < own->rows; r++, out += 2 * CD_TREE_COLUMNS)
        for (int e = cd_pattern_begin(p, own->row + r); e < cd_pattern_end(p, own->row + r); e++) {
            const int column = cd_pattern_column(p, own->row + r, e);
            const int side = cd_tree_side(first, column);
            out[side * CD_TREE_COLUMNS + column - first[side]] = it->anchored[e];
        }
    return 0;
}

cardan_status cd_normals_factor(cd_workspace *ws, cd_tree_factors *factors)
{
    row_source it = {.ws = ws};
    const cardan_status status = cd_find_anchored_jacobian(ws, &it.anchored);
    if (status != CARDAN_OK)
        return status;
    return cd_check_return_code(ws, "constraint_dq", &ws->anchor,
                                cd_tree_factor(factors, copy_joint_rows, &it));
}

/* See direct.h: what the terms of a method come to, and the call of the model. */
#include "direct.h"

#include "base/numeric.h"
#include "workspace.h"

/* The velocities are unknowns from 0 on, the multipliers follow them. */
void cd_direct_declare(const cardan_system *system, int first_slot, cd_matrix *matrix)
{
    const cd_direct *direct = &system->direct;
    const int count = direct->parts + direct->elements;
    cd_span *groups = cd_matrix_declare_groups(matrix, first_slot, count);
    if (groups == NULL)
        return;
    for (int p = 0; p < direct->parts; p++)
        groups[p] = (cd_span){direct->part_start[p], direct->part_start[p + 1]};
    direct->list_rows(system->def.context, groups + direct->parts);
    for (int g = direct->parts; g < count; g++) {
        groups[g].begin += system->k;
        groups[g].end += system->k;
    }
}

typedef struct job {
    const cardan_system *system;
    const cardan_point *at;
    const cd_direct_target *to;
} job;

static cd_failure do_piece(const void *self, int piece)
{
    const job *it = self;
    return it->system->direct.add(it->system->def.context, it->at, piece, it->to);
}

/* A part of the matrix is small: one thread does it. */
static int run(cd_workspace *ws, const job *it)
{
    return it->to->open ? do_piece(it, CD_WHOLE).code : cd_pieces_run(ws, do_piece, it);
}

/* T of the velocities of the part. */
static void map_part(cd_workspace *ws, const cd_map *map, const cd_block_lu *lu)
{
    const cd_matrices *matrices = &ws->system->matrices;
    for (int i = 0; i < lu->part.count; i++) {
        const int unit = lu->part.unit[i];
        for (int place = lu->first[unit]; place < lu->first[unit + 1]; place++) {
            const int v = lu->unknown[place], c = v < ws->system->k ? matrices->curve_of[v] : -1;
            if (c >= 0 && matrices->curves[c].first == v)
                cd_map_evaluate(ws, map, (cd_span){c, c + 1});
        }
    }
}

static cd_scales unite(int count, const cd_scales *scales)
{
    cd_scales all = {0.0, 0.0, INFINITY};
    for (int i = 0; i < count; i++) {
        all.mass = fmax(all.mass, scales[i].mass);
        all.largest_row = fmax(all.largest_row, scales[i].largest_row);
        all.smallest_row = fmin(all.smallest_row, scales[i].smallest_row);
    }
    if (all.largest_row == 0.0)
        all.smallest_row = 0.0;
    return all;
}

cardan_status cd_direct_assemble(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                                 cd_direct_weights weights, const cd_matrix *matrix)
{
    enum { PIECES = CD_MOST_PIECES + 1 };
    const cardan_system *system = ws->system;
    const cd_spot *spots = cd_matrix_spots(matrix);
    cd_scales scales[PIECES];
    const cd_direct_target to = {.lu = cd_matrix_lu(matrix),
                                 .part = spots,
                                 .rows = spots + system->direct.parts,
                                 .weight = weights,
                                 .ratio = map != NULL ? map->ratio : 1.0,
                                 .matrices = &system->matrices,
                                 .tangent = ws->tangent,
                                 .scales = scales,
                                 .open = cd_matrix_part_is_open(matrix)};
    job it = {.system = system, .at = at, .to = &to};
    for (int i = 0; i < PIECES; i++)
        scales[i] = (cd_scales){0.0, 0.0, INFINITY};
    if (map != NULL && to.open)
        map_part(ws, map, to.lu);
    else if (map != NULL)
        cd_map_evaluate_all(ws, map);
    ws->calls++;
    const cardan_status status = cd_judge_answer(ws, "dynamics_dq", at, run(ws, &it));
    if (status != CARDAN_OK)
        return status;
    if (!to.open) /* sizes of a part are not those of the whole, which hardly change */
        ws->scales = unite(PIECES, scales);
    ws->scales_known = ws->passed_over = true;
    return CARDAN_OK;
}

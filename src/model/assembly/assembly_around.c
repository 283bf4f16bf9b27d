/* Gaps that stand out: a joint of many in the wrong place. Newton steps for all rows would be cut
 * short by it, and take long; so the rest is closed as if these joints were not there, and then
 * they with a neighbourhood of bodies, all others held. */
#include "assembly.h"

#include <string.h>

/* A gap stands out if it is larger than this part of the largest, and few of the joints have one.
 */
static const double LARGE = 0.1, FEW = 0.01;
/* Least gain (of the squared gaps) by more neighbours for which still more are tried. */
static const double WORTHWHILE = 0.1;

enum { REST_STEPS = 20, LOCAL_STEPS = 60, NEAR = 6, FURTHER = 4, SIZES = 3 };

static int mark_standing_out(const cd_assembly *it, bool *mark)
{
    const double least = LARGE * cd_assembly_gap(it);
    int count = 0;
    for (int s = 0; s < it->rows->sources; s++) {
        const cd_row_source *source = &it->rows->source[s];
        const bool large = cd_max_abs(source->rows, it->rows->residual + source->first) > least;
        count += large;
        if (mark != NULL)
            mark[s] = large;
    }
    return count;
}

bool cd_assembly_stands_out(const cd_assembly *it)
{
    return cd_assembly_gap(it) > it->tolerance &&
           mark_standing_out(it, NULL) <= FEW * it->rows->sources;
}

static bool touches(const cd_rows *rows, const cd_row_source *source, const bool *bodies)
{
    for (int i = 0; i < source->moving; i++)
        if (bodies[cd_rows_body(rows, source, i)])
            return true;
    return false;
}

static void take_in(const cd_rows *rows, const cd_row_source *source, bool *bodies)
{
    for (int i = 0; i < source->moving; i++)
        bodies[cd_rows_body(rows, source, i)] = true;
}

/* Takes in the bodies that share a source with one that moves. */
static void widen(const cd_rows *rows, bool *moves, bool *next)
{
    const size_t bodies = (size_t)(rows->model->bodies + rows->model->counters);
    memcpy(next, moves, bodies * sizeof *next);
    for (int s = 0; s < rows->sources; s++)
        if (touches(rows, &rows->source[s], moves))
            take_in(rows, &rows->source[s], next);
    memcpy(moves, next, bodies * sizeof *next);
}

/* Closes some rows only; `merit` is what remains of them. */
static cardan_status close_part(cd_assembly *it, cd_rows *part, bool walk, int most, double *q,
                                double *merit)
{
    cd_assembly sub = *it;
    sub.rows = part;
    sub.saddle = NULL;
    sub.walk = walk && part != NULL ? cd_walk_create(it->arena, part, it->group) : NULL;
    if (it->arena->failed)
        return cd_assembly_memory(it);
    const cardan_status status = cd_assembly_close(&sub, most, q);
    it->iterations = sub.iterations;
    *merit = cd_assembly_merit(&sub);
    return status;
}

static cardan_status close_neighbours(cd_assembly *it, bool *moves, double *q, bool *hopeless)
{
    const size_t bodies = (size_t)(it->model->bodies + it->model->counters);
    bool *next = cd_arena_take(it->arena, bodies * sizeof *next);
    double before = INFINITY, merit;
    if (next == NULL)
        return cd_assembly_memory(it);
    for (int size = 0, hops = NEAR; size < SIZES && !*hopeless; size++, hops *= FURTHER) {
        for (int i = 0; i < hops; i++)
            widen(it->rows, moves, next);
        cardan_status status = close_part(it, cd_rows_part(it->arena, it->rows, NULL, moves), false,
                                          LOCAL_STEPS, q, &merit);
        if (status != CARDAN_OK)
            return status;
        if (merit <= it->tolerance * it->tolerance)
            break;
        *hopeless = merit > (1.0 - WORTHWHILE) * before;
        before = merit;
    }
    return CARDAN_OK;
}

cardan_status cd_assembly_close_around(cd_assembly *it, double *q, bool *hopeless)
{
    const size_t bodies = (size_t)(it->model->bodies + it->model->counters);
    bool *mark = cd_arena_take(it->arena, (size_t)it->rows->sources * sizeof *mark);
    bool *moves = cd_arena_take(it->arena, bodies * sizeof *moves);
    double ignored;
    *hopeless = false;
    if (it->arena->failed)
        return cd_assembly_memory(it);
    mark_standing_out(it, mark);
    for (int s = 0; s < it->rows->sources; s++)
        if (mark[s])
            take_in(it->rows, &it->rows->source[s], moves);
    for (int s = 0; s < it->rows->sources; s++) /* cut off, they leave no bars in line */
        mark[s] = touches(it->rows, &it->rows->source[s], moves);
    cardan_status status = close_part(it, cd_rows_part(it->arena, it->rows, mark, NULL), true,
                                      REST_STEPS, q, &ignored);
    if (status == CARDAN_OK)
        status = close_neighbours(it, moves, q, hopeless);
    return status == CARDAN_OK ? cd_assembly_evaluate(it, q, NULL) : status;
}

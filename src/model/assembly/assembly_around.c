/* Gaps that stand out: a joint of many in the wrong place. Newton steps for all rows would be cut
 * short by it, and take long; so the rest is closed as if these joints were not there, and then
 * they with a neighbourhood of bodies, all others held. */
#include "assembly.h"
#include "base/error.h"

#include <string.h>

/* A gap stands out if it is larger than this part of the largest, and few of the joints have one.
 */
static const double LARGE = 0.1, FEW = 0.01;
/* Least gain (of the squared gaps) by more neighbours for which still more are tried. */
static const double WORTHWHILE = 0.1;

enum { REST_STEPS = 20, LOCAL_STEPS = 60, NEAR = 6, FURTHER = 4, SIZES = 3 };

static double source_gap(const cd_rows *rows, const cd_row_source *source)
{
    return cd_max_abs(source->rows, rows->residual + source->first);
}

static int mark_standing_out(const cd_assembling *it, bool *mark)
{
    const double least = LARGE * cd_assembly_gap(it);
    int count = 0;
    for (int s = 0; s < it->rows->sources; s++) {
        const bool large = source_gap(it->rows, &it->rows->source[s]) > least;
        count += large;
        if (mark != NULL)
            mark[s] = large;
    }
    return count;
}

bool cd_assembly_stands_out(const cd_assembling *it)
{
    return cd_assembly_gap(it) > it->tolerance &&
           mark_standing_out(it, NULL) <= FEW * it->rows->sources;
}

/* Takes in the bodies that share a source with one that moves. */
static void widen(const cd_rows *rows, bool *moves, bool *next)
{
    const cardan_model *model = rows->model;
    memcpy(next, moves, (size_t)(model->bodies + model->counters) * sizeof *next);
    for (int s = 0; s < rows->sources; s++) {
        const cd_row_source *source = &rows->source[s];
        bool touches = false;
        for (int i = 0; i < source->moving; i++)
            touches =
                touches || moves[cd_site_number(model, source->element->body[source->order[i]])];
        for (int i = 0; touches && i < source->moving; i++)
            next[cd_site_number(model, source->element->body[source->order[i]])] = true;
    }
    memcpy(moves, next, (size_t)(model->bodies + model->counters) * sizeof *next);
}

/* All sources that touch one of these bodies: cut off, they leave no bars in line. */
static void mark_touching(const cd_rows *rows, const bool *bodies, bool *mark)
{
    for (int s = 0; s < rows->sources; s++)
        for (int i = 0; i < rows->source[s].moving; i++) {
            const cd_row_source *source = &rows->source[s];
            if (bodies[cd_site_number(rows->model, source->element->body[source->order[i]])])
                mark[s] = true;
        }
}

static void start_at_marked(const cd_rows *rows, const bool *mark, bool *moves)
{
    for (int s = 0; s < rows->sources; s++)
        for (int i = 0; mark[s] && i < rows->source[s].moving; i++) {
            const cd_row_source *source = &rows->source[s];
            moves[cd_site_number(rows->model, source->element->body[source->order[i]])] = true;
        }
}

/* Closes some rows only; `merit` is what remains of them. */
static cardan_status close_part(cd_assembling *it, cd_rows *part, bool walk, int most, double *q,
                                double *merit)
{
    cd_assembling sub = *it;
    if (part == NULL)
        return cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
    sub.rows = part;
    sub.saddle = NULL;
    sub.walk = walk ? cd_walk_create(it->arena, part) : NULL;
    if (walk && sub.walk == NULL)
        return cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
    const cardan_status status = cd_assembly_close(&sub, most, q);
    it->iterations = sub.iterations;
    *merit = cd_assembly_merit(&sub);
    return status;
}

static cardan_status close_neighbours(cd_assembling *it, bool *moves, double *q, bool *hopeless)
{
    const size_t bodies = (size_t)(it->model->bodies + it->model->counters);
    bool *next = cd_arena_take(it->arena, bodies * sizeof *next);
    double before = INFINITY, merit;
    if (next == NULL)
        return cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
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

cardan_status cd_assembly_close_around(cd_assembling *it, double *q, bool *hopeless)
{
    const size_t bodies = (size_t)(it->model->bodies + it->model->counters);
    bool *mark = cd_arena_take(it->arena, (size_t)it->rows->sources * sizeof *mark);
    bool *moves = cd_arena_take(it->arena, bodies * sizeof *moves);
    double ignored;
    *hopeless = false;
    if (mark == NULL || moves == NULL)
        return cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
    mark_standing_out(it, mark);
    start_at_marked(it->rows, mark, moves);
    mark_touching(it->rows, moves, mark);
    cardan_status status = close_part(it, cd_rows_part(it->arena, it->rows, mark, NULL), true,
                                      REST_STEPS, q, &ignored);
    if (status == CARDAN_OK)
        status = close_neighbours(it, moves, q, hopeless);
    return status == CARDAN_OK ? cd_assembly_evaluate(it, q, NULL) : status;
}

/* Closing outliers: a few joints of many with large closure errors, which would shorten the Newton
 * steps for all rows. First the other joints are closed as if the outliers were not there, and then
 * the outliers, while only bodies in their neighbourhood move. */
#include "assembly.h"

#include <string.h>

/* Outliers have errors above LARGE times the largest; at most the fraction FEW of the rows do. */
static const double LARGE = 0.1, FEW = 0.01;
/* Least relative gain of the squared errors by more neighbours for which still more are tried. */
static const double WORTHWHILE = 0.1;

/* Most Newton steps; neighbourhoods of NEAR joints, growing by the factor FURTHER, SIZES in all. */
enum { REST_STEPS = 20, LOCAL_STEPS = 60, NEAR = 6, FURTHER = 4, SIZES = 3 };

/* Marks the sources with large closure errors (NULL: only counts them). */
static int mark_outliers(const cd_assembly *it, bool *marked)
{
    const double least = LARGE * cd_assembly_closure_error(it);
    int count = 0;
    for (int s = 0; s < it->rows->sources; s++) {
        const cd_row_source *source = &it->rows->source[s];
        const bool large = cd_max_abs(source->rows, it->rows->residual + source->first) > least;
        count += large;
        if (marked != NULL)
            marked[s] = large;
    }
    return count;
}

bool cd_assembly_has_outliers(const cd_assembly *it)
{
    return cd_assembly_closure_error(it) > it->tolerance &&
           mark_outliers(it, NULL) <= FEW * it->rows->sources;
}

/* Whether a source acts on one of these bodies. */
static bool touches_body_of(const cd_rows *rows, const cd_row_source *source, const bool *bodies)
{
    for (int i = 0; i < source->moving; i++)
        if (bodies[cd_rows_moving_body(rows, source, i)])
            return true;
    return false;
}

static void mark_bodies_of_source(const cd_rows *rows, const cd_row_source *source, bool *bodies)
{
    for (int i = 0; i < source->moving; i++)
        bodies[cd_rows_moving_body(rows, source, i)] = true;
}

/* Marks the bodies that share a source with a marked one. `next` is scratch. */
static void mark_neighbours(const cd_rows *rows, bool *moves, bool *next)
{
    const size_t bodies = (size_t)(rows->model->bodies + rows->model->counters);
    memcpy(next, moves, bodies * sizeof *next);
    for (int s = 0; s < rows->sources; s++)
        if (touches_body_of(rows, &rows->source[s], moves))
            mark_bodies_of_source(rows, &rows->source[s], next);
    memcpy(moves, next, bodies * sizeof *next);
}

/* Closes only selected rows; `squares` is the sum of squares of their residuals that remains. */
static cardan_status close_rows(cd_assembly *it, cd_rows *selected, bool walk, int most, double *q,
                                double *squares)
{
    cd_assembly sub = *it;
    sub.rows = selected;
    sub.saddle = NULL;
    sub.walk = walk && selected != NULL ? cd_walk_create(it->arena, selected, it->group) : NULL;
    if (it->arena->failed)
        return cd_assembly_check_memory(it);
    const cardan_status status = cd_assembly_close(&sub, most, q);
    it->iterations = sub.iterations;
    *squares = cd_assembly_squared_residual(&sub);
    return status;
}

/* Closes the rows of bodies that move and of more and more neighbours. */
static cardan_status close_neighbourhood(cd_assembly *it, bool *moves, double *q, bool *hopeless)
{
    const size_t bodies = (size_t)(it->model->bodies + it->model->counters);
    bool *next = cd_arena_take(it->arena, bodies * sizeof *next);
    double before = INFINITY, squares;
    if (next == NULL)
        return cd_assembly_check_memory(it);
    for (int size = 0, hops = NEAR; size < SIZES && !*hopeless; size++, hops *= FURTHER) {
        for (int i = 0; i < hops; i++)
            mark_neighbours(it->rows, moves, next);
        cardan_status status = close_rows(it, cd_rows_select(it->arena, it->rows, NULL, moves),
                                          false, LOCAL_STEPS, q, &squares);
        if (status != CARDAN_OK)
            return status;
        if (squares <= it->tolerance * it->tolerance)
            break;
        *hopeless = squares > (1.0 - WORTHWHILE) * before;
        before = squares;
    }
    return CARDAN_OK;
}

cardan_status cd_assembly_close_outliers(cd_assembly *it, double *q, bool *hopeless)
{
    const size_t bodies = (size_t)(it->model->bodies + it->model->counters);
    bool *marked = cd_arena_take(it->arena, (size_t)it->rows->sources * sizeof *marked);
    bool *moves = cd_arena_take(it->arena, bodies * sizeof *moves);
    double ignored;
    *hopeless = false;
    if (it->arena->failed)
        return cd_assembly_check_memory(it);
    mark_outliers(it, marked);
    for (int s = 0; s < it->rows->sources; s++)
        if (marked[s])
            mark_bodies_of_source(it->rows, &it->rows->source[s], moves);
    for (int s = 0; s < it->rows->sources;
         s++) /* their neighbours, too: these could otherwise be left in line */
        marked[s] = touches_body_of(it->rows, &it->rows->source[s], moves);
    cardan_status status = close_rows(it, cd_rows_select(it->arena, it->rows, marked, NULL), true,
                                      REST_STEPS, q, &ignored);
    if (status == CARDAN_OK)
        status = close_neighbourhood(it, moves, q, hopeless);
    return status == CARDAN_OK ? cd_assembly_evaluate(it, q, NULL) : status;
}

/* Choosing other rows on the way: where those of the system have become dependent, others of the
 * redundant ones may be independent. */
#include "reduction.h"

#include "model/equations/layout.h"
#include "model/equations/rows.h"

/* How much is left of every row when those before it are eliminated tells how independent rows are,
 * by halves: 1/2, 1/4, ..., about 1e-6. A step that fails does so ahead of the state, so rows are
 * changed before they are dependent there, if others are at least so many halves better. */
enum { HALVES = 20, CLEARLY_BETTER = 2 };

/* The number of halves at which the rows that `keep` says have the rank; HALVES + 1: there is none.
 */
static int count_halves(cd_arena *scratch, const cd_rows *rows, const double *q, const bool *keep,
                        int rank)
{
    int halves = 1;
    while (halves <= HALVES &&
           cd_rank_of_rows(scratch, &rows->pattern, rows->values, keep,
                           cd_rows_limits(rows, q, ldexp(1.0, -halves))) != rank)
        halves++;
    return halves;
}

/* How much to ask of new rows; 0 if the present ones are sound or there are no better ones. */
static double find_margin(const cardan_model *model, cd_arena *scratch, double t, const double *q,
                          const double *v)
{
    cardan_error ignored;
    const int rank = model->layout->constraints + model->layout->nonholonomic;
    cd_rows *places = cd_rows_create(scratch, (cardan_model *)model, CD_ROWS_PLACES, &ignored);
    cd_rows *rows = cd_rows_create(scratch, (cardan_model *)model, CD_ROWS_MODEL, &ignored);
    if (rows == NULL || places == NULL || cd_rows_evaluate(places, t, q, v) != 0 ||
        cd_rows_evaluate(rows, t, q, v) != 0 || cd_rows_first_open(places) >= 0)
        return 0.0;
    const int present = count_halves(scratch, rows, q, model->reduction->keep, rank);
    const int best = count_halves(scratch, rows, q, NULL, rank);
    return best <= HALVES && present >= best + CLEARLY_BETTER ? ldexp(1.0, -best) : 0.0;
}

const cardan_system *cd_model_reselect(void *model, double t, const double *q, const double *v)
{
    cardan_model *it = model;
    cd_arena scratch;
    if (it == NULL || it->system == NULL || !it->layout->reduced || q == NULL || v == NULL)
        return NULL;
    cd_arena_init(&scratch, &it->allocator);
    const double margin = find_margin(it, &scratch, t, q, v);
    cd_arena_destroy(&scratch);
    return margin > 0.0 && cd_reduction_again(it, t, q, v, margin) == CARDAN_OK ? it->system : NULL;
}

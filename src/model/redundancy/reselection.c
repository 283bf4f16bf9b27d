/* Reselection of rows during a run: if those of the system become dependent, some of the redundant
 * rows may be independent instead. */
#include "reduction.h"

#include "model/equations/layout.h"
#include "model/equations/rows.h"

/* What elimination leaves of rows of length 1, in powers of 1/2, measures their independence. Rows
 * change before they are dependent, but only to others that are clearly better. */
enum { HALVES = 20, CLEARLY_BETTER = 2 };

/* The least n with which rows with `keep` (NULL: all) have this rank at the threshold 1/2^n. */
static int count_halves(cd_arena *scratch, const cd_rows *rows, const double *q, const bool *keep,
                        int rank)
{
    int halves = 1;
    while (halves <= HALVES &&
           cd_rank_of_rows(scratch, &rows->pattern, rows->values, keep,
                           cd_rows_rank_limits(rows, q, ldexp(1.0, -halves))) != rank)
        halves++;
    return halves;
}

/* The threshold with which better rows can be selected; 0 if there are none. */
static double find_threshold(const cardan_model *model, cd_arena *scratch, double t,
                             const double *q, const double *v)
{
    cardan_error ignored;
    const int rank = model->layout->constraints + model->layout->nonholonomic;
    cd_rows *positions =
        cd_rows_create(scratch, (cardan_model *)model, CD_ROWS_HOLONOMIC, &ignored);
    cd_rows *rows = cd_rows_create(scratch, (cardan_model *)model, CD_ROWS_MODEL, &ignored);
    if (rows == NULL || positions == NULL || cd_rows_evaluate(positions, t, q, v) != 0 ||
        cd_rows_evaluate(rows, t, q, v) != 0 || cd_rows_first_violated(positions) >= 0)
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
    const double threshold = find_threshold(it, &scratch, t, q, v);
    cd_arena_destroy(&scratch);
    return threshold > 0.0 && cd_reduction_make_at(it, t, q, v, threshold) == CARDAN_OK ? it->system
                                                                                        : NULL;
}

/* See locality.h. */
#include "locality.h"

#include "base/numeric.h"
#include "base/shared.h"

enum { LONGEST_WAIT = 64 };

/* Of the largest row: what is left elsewhere is that much smaller. A part may become so many times
 * larger: more than that is rounding, which is everywhere. */
static const double shares[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
enum { GROWTH = 3 };

void cd_locality_forget(cd_locality *locality)
{
    *locality = (cd_locality){0};
}

/* The next wait: 1, 2, 4, ... solves. */
static int longer(int wait)
{
    return wait == 0 ? 1 : wait < LONGEST_WAIT ? 2 * wait : LONGEST_WAIT;
}

bool cd_locality_look(cd_locality *locality, cd_matrix *matrix, int rows, const double *residual)
{
    if (locality->wait > 0 && locality->wait-- > 0)
        return false;
    const double largest = cd_shared_max_abs(cd_matrix_team(matrix), rows, residual);
    const double before = cd_matrix_part_share(matrix);
    const int count = sizeof shares / sizeof shares[0];
    int found = 0;
    while (largest > 0.0 && found < count &&
           cd_matrix_choose_part(matrix, rows, shares[found] * largest, residual,
                                 before > 0.0 || found > 0 ? GROWTH : 0))
        found++;
    if (found > 0)
        locality->backoff = 0;
    else
        locality->wait = locality->backoff = longer(locality->backoff);
    return cd_matrix_part_share(matrix) > before;
}

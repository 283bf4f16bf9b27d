/* At what rates old factors reduce errors, part by part of the unknowns. A correction with factors
 * that were made elsewhere leaves an error E z of the error z, and E is far from a number: in a
 * long chain an error of the motion becomes one of multipliers that is multiplied by the mass of
 * all bodies, and that in turn a small error of the motion. Estimated is how much of each part
 * comes back in each other part, from the corrections that followed each other lately. */
#ifndef CD_NEWTON_RATES_H
#define CD_NEWTON_RATES_H

#include <stdbool.h>

enum { CD_RATES_PARTS = 4 };

typedef struct cd_rates {
    int parts;
    bool known;
    int age; /* of the factors, in solves, when they were seen last */
    double of[CD_RATES_PARTS][CD_RATES_PARTS]; /* row: where, column: of what */
} cd_rates;

void cd_rates_forget(cd_rates *rates);

/* Factors of this age have made the second correction after the first one, sizes by part. What is
 * less than `noise` in the second shows nothing but that. */
void cd_rates_see(cd_rates *rates, int age, const double *first, const double *second,
                  double noise);

/* The largest part of the error that is left after a correction of these sizes with factors of this
 * age, if rates are `margin` times what is expected; INFINITY: no end of it. */
double cd_rates_left(const cd_rates *rates, int age, double margin, const double *sizes);

/* Further corrections until one is below `enough`, at most `most`. */
int cd_rates_further(const cd_rates *rates, int age, const double *sizes, double enough, int most);

#endif

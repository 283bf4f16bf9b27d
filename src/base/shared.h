/* The helpers of numeric.h for long vectors, by the threads of a team (NULL: none). */
#ifndef CD_BASE_SHARED_H
#define CD_BASE_SHARED_H

#include "team.h"

/* y += c x */
void cd_shared_add(cd_team *team, int n, double c, const double *x, double *y);
void cd_shared_scale(cd_team *team, int n, double factor, double *x);
/* y = -x; the largest |x_i|, NaN wins. */
double cd_shared_negate(cd_team *team, int n, const double *x, double *y);
/* Largest |x_i|, and largest |x_i| / w_i; NaN wins. */
double cd_shared_max_abs(cd_team *team, int n, const double *x);
double cd_shared_norm(cd_team *team, int n, const double *x, const double *w);

#endif

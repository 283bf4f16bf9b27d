/* Operations of numeric.h on long vectors that the threads of a team share (NULL: no team). */
#ifndef CD_BASE_SHARED_H
#define CD_BASE_SHARED_H

#include "team.h"

/* y += c x */
void cd_shared_add(cd_team *team, int n, double c, const double *x, double *y);
void cd_shared_scale(cd_team *team, int n, double factor, double *x);
/* y = -x; returns the largest |x_i|, or NaN if there is one. */
double cd_shared_negate(cd_team *team, int n, const double *x, double *y);
/* The largest |x_i|, and the largest |x_i| / w_i; NaN if there is one. */
double cd_shared_max_abs(cd_team *team, int n, const double *x);
double cd_shared_norm(cd_team *team, int n, const double *x, const double *w);

#endif

/* What the step-size control reads of RK5: the difference to the embedded formula of order 4 in the
 * step made last, k numbers each. */
#ifndef CD_SCHEME_RK5_H
#define CD_SCHEME_RK5_H

#include "scheme/scheme.h"

double *cd_rk5_position_error(const cd_step *step);
double *cd_rk5_velocity_error(const cd_step *step);

#endif

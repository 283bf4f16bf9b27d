/* What the step-size control reads of RK5. */
#ifndef CD_SCHEME_RK5_H
#define CD_SCHEME_RK5_H

#include "scheme/scheme.h"

/* The difference to the embedded formula of order 4 in the step made last, k numbers each. */
double *cd_rk5_position_error(const cd_step *step);
double *cd_rk5_velocity_error(const cd_step *step);

/* w, v and v' at the end less those of the last stage, which belongs to the same time; k numbers
 * each. */
void cd_rk5_last_stage(const cd_step *step, double *dw, double *dv, double *dvdot);

#endif

/* The heavy top with velocity (x', Omega), Omega in the body frame: ACB15 (62). The form with a
 * rotation matrix and the one with a quaternion differ only in cd_top_rotation. */
#ifndef CD_PROBLEMS_TOP_BODY_H
#define CD_PROBLEMS_TOP_BODY_H

#include "top.h"

void cd_top_body_define(cardan_system_def *def);
void cd_top_body_output(const void *data, const cardan_point *at, double *values);

#endif

/* The gyroscopic torque of a body; its derivative is in group/vec3.h. */
#ifndef CD_PROBLEMS_GYROSCOPIC_H
#define CD_PROBLEMS_GYROSCOPIC_H

#include "group/vec3.h"

/* w x (inertia w) */
static inline void cd_gyroscopic(const double inertia[9], const double w[3], double out[3])
{
    double momentum[3];
    cd_apply3(inertia, w, momentum);
    cd_cross(w, momentum, out);
}

#endif

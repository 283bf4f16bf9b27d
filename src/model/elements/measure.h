/* What joints, springs and motors measure between two markers, with first and second derivatives.
 *
 * A measure has `count` components with rates G(x) w, where x and w are the 12 displacements and
 * velocities of both bodies (element.h). Where it has a value e, G = de/dx. A force law then is
 * y(e, e', t) and acts as -G^T y; a constraint e = s(t) has B = G. Either way nothing else is
 * needed than the functions below. Outputs are added to; matrices have 12 columns.
 *
 * Every measure is the same after a rigid motion of both bodies together, so that -G^T y has
 * neither a resulting force nor a resulting moment. */
#ifndef CD_MODEL_MEASURE_H
#define CD_MODEL_MEASURE_H

#include "model/core/marker.h"

enum { CD_PAIR = 2 * CD_SITE, CD_MEASURE_MAX = 6 };

typedef struct cd_measure {
    int count;
    /* NULL if there is only a rate. Returns > 0 where the measure is not differentiable. */
    int (*value)(const cd_pair *pair, double *e);
    void (*gradient)(const cd_pair *pair, double *G);                     /* count x 12 */
    void (*rate_dx)(const cd_pair *pair, double *out);                    /* d(G w)/dx */
    void (*curvature)(const cd_pair *pair, const double *y, double *out); /* d(G^T y)/dx */
} cd_measure;

/* Distance of the origins (1). Not differentiable where they meet. */
extern const cd_measure cd_distance;
/* Displacement of origin 2 along the axes of frame 1 (3). */
extern const cd_measure cd_displacement;
/* The same with the velocity of that point of body 2 which lies pair->radius below origin 2 (along
 * -z of frame 1): the rate at which a sphere slips over the x-y plane (3). Only the z component has
 * G = de/dx. */
extern const cd_measure cd_slip;
/* Rotation vector of frame 2 against frame 1 (3), in the axes of frame 1 (and, as any rotation
 * vector, also of frame 2). Not differentiable at half a turn. */
extern const cd_measure cd_rotation_vector;
/* Both of them (6). */
extern const cd_measure cd_rigid_displacement;
/* Angle by which frame 2 is turned about z against frame 1 (1), in (-pi, pi]: that of the twist
 * if the relative rotation is a twist about z followed by a swing. Its value jumps at half a turn,
 * its derivatives do not: the rate is w . (z1 + z2) / (1 + z1 . z2). */
extern const cd_measure cd_twist;
/* Angular velocity of body 2 against body 1 along the axes of frame 1 or of frame 2 (3). */
extern const cd_measure cd_spin_in_1, cd_spin_in_2;

#endif

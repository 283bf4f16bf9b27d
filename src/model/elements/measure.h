/* What joints, springs and motors measure between two markers, with first and second derivatives.
 *
 * A measure has `count` components with rates G(x) w, where x and w are the 12 displacements and
 * velocities of both bodies (element.h). Where it has a value e, G = de/dx. A force law then is
 * y(e, e', t) and acts as -G^T y; a constraint e = s(t) has B = G. Either way nothing else is
 * needed than the functions below. Outputs are added to; matrices have 12 columns.
 *
 * Every measure but the separation is the same after a rigid motion of both bodies together, so
 * that -G^T y has neither a resulting force nor a resulting moment. */
#ifndef CD_MODEL_MEASURE_H
#define CD_MODEL_MEASURE_H

#include "model/core/marker.h"

enum { CD_PAIR = 2 * CD_BODY_COLUMNS, CD_MEASURE_MAX = 9 };

typedef struct cd_measure {
    int count;
    /* NULL if there is only a rate. Returns > 0 where the measure is not differentiable. */
    int (*value)(const cd_pair *pair, double *e);
    void (*gradient)(const cd_pair *pair, double *G);                     /* count x 12 */
    void (*rate_dx)(const cd_pair *pair, double *out);                    /* d(G w)/dx */
    void (*curvature)(const cd_pair *pair, const double *y, double *out); /* d(G^T y)/dx */
    bool turns; /* the value is an angle, known up to whole turns */
} cd_measure;

/* Distance of the origins (1). Not differentiable where they meet. */
extern const cd_measure cd_distance;
/* The way from origin 1 to origin 2 along the axes of the world (3). */
extern const cd_measure cd_separation;
/* Displacement along the axes of frame 1, or of frame 2 with the option `in_frame2` (3). Its rate
 * is the velocity, against body 1, of the point of body 2 that the option `contact` names: the rate
 * at which a sphere or disk slips over the x-y plane of frame 1. Values x and y are those of origin
 * 2, z that of the point; in frame 2 there is only a rate, and with a contact only of z is G =
 * de/dx.
 */
extern const cd_measure cd_displacement;
/* Rotation vector of frame 2 against frame 1 (3), in the axes of frame 1 (and, as any rotation
 * vector, also of frame 2). Not differentiable at half a turn. */
extern const cd_measure cd_rotation_vector;
/* Displacement and rotation vector (6). */
extern const cd_measure cd_rigid_displacement;
/* Scalar product of axis1 of frame 1 and axis2 of frame 2 (1). */
extern const cd_measure cd_axes_product;
/* An angle of frame 2 against frame 1 (1), in (-pi, pi]; the option `about` tells which. Its value
 * jumps at half a turn, its derivatives do not. */
extern const cd_measure cd_angle;
/* Angular velocity of body 2 against body 1 along the axes of frame 1, then of frame 2 (6). */
extern const cd_measure cd_spin;
/* Displacement and spin (9). */
extern const cd_measure cd_relative_motion;

/* x brought to (-pi, pi]. */
double cd_wrap(double x);

#endif

/* Measures: what joints, springs and motors measure between two markers, with first and second
 * derivatives.
 *
 * A measure has `count` components with rates G(x) w, where x and w are the 12 displacements and
 * velocities of both bodies (element.h). If it has a value e, G = de/dx. A force law y(e, e', t)
 * acts as -G^T y; a constraint e = s(t) has B = G. Both need only the functions below. Outputs are
 * added to; matrices have 12 columns.
 *
 * A rigid motion of both bodies together changes no measure but the separation. So -G^T y has
 * neither a resulting force nor a resulting moment. */
#ifndef CD_MODEL_MEASURE_H
#define CD_MODEL_MEASURE_H

#include "model/core/marker.h"

/* The columns of two bodies, and the most components of a measure. */
enum { CD_PAIR = 2 * CD_BODY_COLUMNS, CD_MEASURE_MAX = 9 };

typedef struct cd_measure {
    int count;
    /* Adds e; NULL if there is only a rate. Returns > 0 where the measure is not differentiable. */
    int (*value)(const cd_pair *pair, double *e);
    void (*gradient)(const cd_pair *pair, double *G);  /* adds G, count x 12 */
    void (*rate_dx)(const cd_pair *pair, double *out); /* adds d(G w)/dx, count x 12 */
    /* Adds d(G^T y)/dx, 12 x 12. */
    void (*curvature)(const cd_pair *pair, const double *y, double *out);
    bool turns; /* the value is an angle, known up to whole turns */
} cd_measure;

/* The members of a measure with functions name_value, name_gradient and so on. */
#define CD_MEASURE(count, name, turns)                                                             \
    count, name##_value, name##_gradient, name##_rate_dx, name##_curvature, turns

/* Distance of the origins (1 component). Not differentiable where they meet. */
extern const cd_measure cd_distance;
/* The vector from origin 1 to origin 2 in the axes of the world (3). */
extern const cd_measure cd_separation;
/* Displacement along the axes of frame 1 (3). Its rate is the velocity, relative to body 1, of the
 * point of body 2 that the option `contact` selects: for a sphere or disk, the slip on the x-y
 * plane of frame 1. The values x and y are those of origin 2, z is that of the point; with a
 * contact, G = de/dx holds for z only. With the option `in_frame2` the axes are those of frame 2,
 * and there is only a rate. */
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

/* The angle x plus the whole turns that bring it to (-pi, pi]. */
double cd_wrap_angle(double x);

#endif

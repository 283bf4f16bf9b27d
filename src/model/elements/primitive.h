/* Primitives: scalar conditions between a marker on body 1 and one on body 2, from which joints are
 * made. A primitive has a value e(x); the constraint is
 *
 *   Phi = e(x) - constant - f(t) = 0        (angles: up to whole turns)
 *
 * with the gradient G of e by the 12 world displacements of both bodies (element.h) and the
 * derivative H of the gradient, H_ij = dG_i/dx_j (not symmetric, since rotations do not commute):
 *
 *   B = G,   d(B^T lambda)/dx = sum of lambda H,   d(B w)/dx = w^T H,   bias = w^T H w - f''. */
#ifndef CD_MODEL_PRIMITIVE_H
#define CD_MODEL_PRIMITIVE_H

#include "measure.h"
#include "model/core/signal.h"

/* Where a primitive is evaluated. */
typedef struct cd_view {
    const cd_site *site; /* of both bodies */
    cd_pair pair;
} cd_view;

typedef struct cd_primitive cd_primitive;

typedef struct cd_primitive_type {
    bool turns; /* the value is an angle */
    /* Returns > 0 where the value has no derivative. */
    int (*value)(const cd_primitive *self, const cd_view *at, double *e);
    void (*gradient)(const cd_primitive *self, const cd_view *at, double *G);              /* 12 */
    void (*rate_dx)(const cd_primitive *self, const cd_view *at, double *out);             /* 12 */
    void (*curvature)(const cd_primitive *self, const cd_view *at, double y, double *out); /* y H */
} cd_primitive_type;

struct cd_primitive {
    const cd_primitive_type *type;
    int axis1, axis2; /* of frame 1 and frame 2 */
    bool about2;      /* azimuth: about the axis of frame 2 */
    double radius;
    double constant;
    const cd_signal *motion; /* or NULL */
    const char *name;        /* what it restrains: "tx", ... */
};

/* World component axis1 of the way from origin 1 to origin 2. */
extern const cd_primitive_type cd_primitive_gap;
/* The same way along axis1 of frame 1. */
extern const cd_primitive_type cd_primitive_offset;
/* Scalar product of axis1 of frame 1 and axis2 of frame 2. */
extern const cd_primitive_type cd_primitive_dot;
/* Length of the way. */
extern const cd_primitive_type cd_primitive_distance;
/* Angle of frame 2 about axis1 against frame 1 (cd_twist, with that axis for z). */
extern const cd_primitive_type cd_primitive_angle;
/* Angle of axis2 of frame 2 about axis1 of frame 1, counted from the next axis of frame 1; about2:
 * of frame 2 about its axis2 against axis1 of frame 1, which is normal to it. */
extern const cd_primitive_type cd_primitive_azimuth;
/* Height of a thin disk (axis z of frame 2, `radius`) over the x-y plane of frame 1. */
extern const cd_primitive_type cd_primitive_disk_height;

void cd_view_at(const cd_marker marker[2], const cd_site *site, cd_view *view);

/* x brought to (-pi, pi]. */
double cd_wrap(double x);

/* Adds scale * H of the scalar product of a (fixed to body 1) and b (fixed to body 2). */
void cd_dot_curvature(const double a[3], const double b[3], double scale, double *out);

#endif

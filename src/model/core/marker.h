/* Frames on bodies, and the relative position and motion of two of them. */
#ifndef CD_MODEL_MARKER_H
#define CD_MODEL_MARKER_H

#include "element.h"
#include "group/vec3.h"

/* A frame on a body, in the axes of the body. */
typedef struct cd_marker {
    double offset[3]; /* of its origin from the centre of mass */
    double axes[9];   /* its columns are the axes of the marker */
} cd_marker;

/* A marker in the world. */
typedef struct cd_marker_state {
    double arm[3];  /* from the centre of mass to the origin */
    double p[3];    /* position of the origin */
    double axes[9]; /* its columns are the axes of the marker */
    double v[3];    /* velocity of the origin */
    double w[3];    /* angular velocity */
} cd_marker_state;

/* Finds a marker in the world from the state of its body. */
void cd_marker_at(const cd_marker *marker, const cd_body_state *body_state, cd_marker_state *state);

static inline void cd_marker_axis(const cd_marker_state *state, int axis, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = state->axes[3 * i + axis];
}

/* Finds one axis of a marker in the world, on a body with rotation R. */
static inline void cd_marker_axis_on_body(const double R[9], const cd_marker *marker, int axis,
                                          double out[3])
{
    const double *axes = marker->axes + axis;
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * axes[0] + R[3 * i + 1] * axes[3] + R[3 * i + 2] * axes[6];
}

/* One coordinate of the vector from origin 1 to origin 2, (r2 + arm2) - (r1 + arm1), with the low
 * word `low` of r2 - r1. The ground has r = 0 and perhaps a long arm: the arm that leaves the
 * smaller sum is added first, which keeps rounding errors small. */
static inline double cd_origin_difference(double r2_minus_r1, double arm1, double arm2, double low)
{
    const double from_1 = r2_minus_r1 - arm1, to_2 = r2_minus_r1 + arm2;
    return (fabs(from_1) <= fabs(to_2) ? from_1 + arm2 : to_2 - arm1) + low;
}

/* The point of body 2 whose displacement is measured; the lowest one is along -z of frame 1. */
typedef enum cd_contact {
    CD_CONTACT_NONE,   /* the origin of frame 2 */
    CD_CONTACT_SPHERE, /* the lowest point of a sphere around it */
    CD_CONTACT_DISK    /* the lowest point of a thin disk normal to z of frame 2 */
} cd_contact;

/* Which angle between frame 1 and frame 2 is measured. */
typedef enum cd_about {
    CD_ABOUT_BOTH, /* The rotation about axis1 of both frames. If these axes differ: the twist about
                      axis1, of a relative rotation made of a twist and then a swing. */
    CD_ABOUT_AXIS_1, /* the angle of axis2 of frame 2 about axis1 of frame 1, from its next axis */
    CD_ABOUT_AXIS_2  /* the rotation of frame 2 about its axis2, from axis1 of frame 1, normal to it
                      */
} cd_about;

typedef struct cd_measure_options {
    int axis1, axis2;   /* of frame 1 and frame 2: 0 to 2 for x, y, z */
    cd_about about;     /* of an angle */
    cd_contact contact; /* of a displacement */
    double radius;      /* of the sphere or disk */
    bool in_frame2;     /* displacement along the axes of frame 2, not of frame 1 */
} cd_measure_options;

/* Two markers in the world, on the first two bodies of an element, and their relative motion. */
typedef struct cd_pair {
    cd_marker_state one, two;
    double d[3];     /* from origin 1 to origin 2 */
    double reach[3]; /* from the centre of mass of body 1 to origin 2 */
    double v[3];     /* velocity of origin 2 seen from body 1, in world axes */
    double w[3];     /* angular velocity of body 2 seen from body 1 */
    cd_measure_options options;
} cd_pair;

/* Finds two markers in the world, with the options for an angle about z and of no contact. */
void cd_pair_at(const cd_marker marker[2], const cd_body_state *body_state, cd_pair *pair);

#endif

/* Frames on bodies, and how two of them stand and move against each other in the world. */
#ifndef CD_MODEL_MARKER_H
#define CD_MODEL_MARKER_H

#include "element.h"
#include "group/vec3.h"

/* A frame on a body: from the centre of mass, in the axes of the body. */
typedef struct cd_marker {
    double offset[3], axes[9];
} cd_marker;

/* A marker in the world. */
typedef struct cd_marker_state {
    double arm[3];  /* from the centre of mass to the origin */
    double p[3];    /* origin */
    double axes[9]; /* its columns are the marker's axes */
    double v[3], w[3];
} cd_marker_state;

void cd_marker_at(const cd_marker *marker, const cd_body_state *body_state, cd_marker_state *place);

/* Axis 0, 1 or 2. */
static inline void cd_marker_axis(const cd_marker_state *place, int axis, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = place->axes[3 * i + axis];
}

/* Axis of a marker in the world, for a body with rotation R. */
static inline void cd_marker_turned_axis(const double R[9], const cd_marker *marker, int axis,
                                         double out[3])
{
    const double *axes = marker->axes + axis;
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * axes[0] + R[3 * i + 1] * axes[3] + R[3 * i + 2] * axes[6];
}

/* One coordinate of the way from origin 1 to origin 2: (r2 + arm2) - (r1 + arm1), where `apart` is
 * r2 - r1 and `low` what that lacks. Of ground, r is 0 and the arm may be long: it is taken first,
 * so that nothing but arms is rounded. */
static inline double cd_way(double apart, double arm1, double arm2, double low)
{
    const double before = apart - arm1, behind = apart + arm2;
    return (fabs(before) <= fabs(behind) ? before + arm2 : behind - arm1) + low;
}

/* The point of body 2 whose displacement is measured; "lowest" is along -z of frame 1. */
typedef enum cd_contact {
    CD_CONTACT_NONE,   /* the origin of frame 2 */
    CD_CONTACT_SPHERE, /* the lowest point of a sphere around it */
    CD_CONTACT_DISK    /* the lowest point of a thin disk normal to z of frame 2 */
} cd_contact;

/* Which angle of frame 2 against frame 1. */
typedef enum cd_about {
    CD_ABOUT_BOTH,   /* about axis1 of both, which agree; else that of the twist about it, if the
                        relative rotation is a twist and then a swing */
    CD_ABOUT_AXIS_1, /* of axis2 of frame 2 about axis1 of frame 1, from its next axis */
    CD_ABOUT_AXIS_2 /* of frame 2 about its axis2 against axis1 of frame 1, which is normal to it */
} cd_about;

/* What measures leave open (elements/measure.h). */
typedef struct cd_measure_options {
    int axis1, axis2; /* of frame 1 and frame 2: 0 to 2 for x, y, z */
    cd_about about;
    cd_contact contact;
    double radius; /* of the sphere or disk */
    bool in_frame2;
} cd_measure_options;

/* Two markers on the first two bodies of an element. */
typedef struct cd_pair {
    cd_marker_state one, two;
    double d[3];     /* from origin 1 to origin 2 */
    double reach[3]; /* from the centre of mass of body 1 to origin 2 */
    double v[3];     /* velocity of origin 2 seen from body 1, in world axes */
    double w[3];     /* angular velocity of body 2 seen from body 1 */
    cd_measure_options options;
} cd_pair;

/* With the options for an angle about z and the displacement of origin 2. */
void cd_pair_at(const cd_marker marker[2], const cd_body_state *body_state, cd_pair *pair);

#endif

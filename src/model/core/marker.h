/* Frames on bodies, and how two of them stand and move against each other in the world. */
#ifndef CD_MODEL_MARKER_H
#define CD_MODEL_MARKER_H

#include "element.h"
#include "group/vec3.h"

/* A frame on a body: from the centre of mass, in the axes of the body. */
typedef struct cd_marker {
    double offset[3], axes[9];
} cd_marker;

/* Of a frame that is given from the origin of the body's frame (center_of_mass 0 for ground); its
 * quaternion need not have unit length. */
cd_marker cd_marker_of(const cardan_frame *frame, const double center_of_mass[3]);

/* The same frame with its axes renamed, so that `axis` (0 to 2) is z. */
cd_marker cd_marker_about(const cd_marker *marker, int axis);

/* A marker in the world. */
typedef struct cd_marker_place {
    double arm[3];  /* from the centre of mass to the origin */
    double p[3];    /* origin */
    double axes[9]; /* its columns are the marker's axes */
    double v[3], w[3];
} cd_marker_place;

void cd_marker_at(const cd_marker *marker, const cd_site *site, cd_marker_place *place);

/* Axis 0, 1 or 2. */
void cd_marker_axis(const cd_marker_place *place, int axis, double out[3]);

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

/* Two markers on the first two bodies of an element. */
typedef struct cd_pair {
    cd_marker_place one, two;
    double d[3];     /* from origin 1 to origin 2 */
    double reach[3]; /* from the centre of mass of body 1 to origin 2 */
    double v[3];     /* velocity of origin 2 seen from body 1, in world axes */
    double w[3];     /* angular velocity of body 2 seen from body 1 */
    double radius;   /* of a sphere around origin 2, for cd_slip; else 0 */
} cd_pair;

/* The axes of both markers renamed so that `axis` is z. */
void cd_pair_about(int axis, cd_pair *pair);

/* With radius 0. */
void cd_pair_at(const cd_marker marker[2], const cd_site *site, cd_pair *pair);

#endif

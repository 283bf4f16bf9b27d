/* Rolling, skating and imposed speeds as elements: conditions on the relative velocity of two
 * bodies at a point P of contact, along tangents t:  k = t . (velocity of body 2 - velocity of body
 * 1) - f(t), or on the relative angular velocity. */
#ifndef CD_MODEL_ROLLING_H
#define CD_MODEL_ROLLING_H

#include "restraint.h"

typedef enum cd_contact_kind {
    CD_CONTACT_ORIGIN, /* P is the origin of frame 2 */
    CD_CONTACT_DISK,   /* lowest point of a thin disk with the axis z of frame 2 */
    CD_CONTACT_SPHERE  /* lowest point of a sphere */
} cd_contact_kind;

enum { CD_TANGENTS = 2 };

typedef struct cd_rolling {
    cd_marker marker[2];
    cd_contact_kind contact; /* "lowest" is along -z of frame 1 */
    double radius;
    bool spin; /* angular velocity instead of the velocity at P */
    int rows;
    struct {
        int owner, axis; /* of frame 1 (owner 0) or frame 2 (owner 1) */
        const char *name;
    } tangent[CD_TANGENTS];
    const cd_signal *motion; /* or NULL */
} cd_rolling;

extern const cd_element_type cd_rolling_type;

#endif

/* What other layers need of a group beyond cardan/group.h. */
#ifndef CD_GROUP_GROUP_H
#define CD_GROUP_GROUP_H

#include "base/team.h"

#include <cardan/group.h>

#include <stdbool.h>

/* A copy that lives on its own; `allocator` may be NULL. Fails only for want of memory. */
cardan_status cd_group_clone(cardan_group **copy, const cardan_group *group,
                             const cardan_allocator *allocator);

/* The curved part of factor i: its rotations, or all of SE(3). */
typedef struct cd_curved {
    const struct cd_kind *kind;
    bool right;
    int first, n; /* velocities; n is 0 for R^n */
} cd_curved;
cd_curved cd_group_curved(const cardan_group *group, int i);

/* Its matrices n x n, row by row: the tangent operator, and x -> [a, x]; `w` and `a` are whole
 * velocities. */
void cd_group_curve_tangent(const cardan_group *group, int i, const double *w, double *block);
void cd_group_curve_bracket(const cardan_group *group, int i, const double *a, double *block);

/* The largest angular velocity in a velocity of the group. */
double cd_group_spin(const cardan_group *group, const double *v);

bool cd_group_is_linear(const cardan_group *group); /* R^n: brackets are zero */

/* Where the velocity of factor i begins; i may be their number. */
int cd_group_velocity(const cardan_group *group, int i);

/* The coordinates of all parts R^n: so many low words has an element. */
int cd_group_flat(const cardan_group *group);

/* An element with low words (docs/methods/compensated-positions.md): where a part is R^n, it is q +
 * low. */
typedef struct cd_group_point {
    const double *q, *low; /* low may be NULL: zeros that stay so */
} cd_group_point;

typedef struct cd_group_offset {
    double *q, *low;
} cd_group_offset;

/* cardan_group_update of some factors; either both elements have low words or none. `w` is that of
 * these factors only. */
void cd_group_update_span(const cardan_group *group, cd_span factors, cd_group_point from,
                          const double *w, cd_group_offset to);

/* w += c [a, b] for some factors, where a and b are whole velocities and `w` is that of these
 * factors only. */
void cd_group_add_bracket(const cardan_group *group, cd_span factors, double c, const double *a,
                          const double *b, double *w);

#endif

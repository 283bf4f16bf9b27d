/* What other layers need of a group beyond cardan/group.h. */
#ifndef CD_GROUP_GROUP_H
#define CD_GROUP_GROUP_H

#include "base/team.h"

#include <cardan/group.h>

#include <stdbool.h>

/* Makes an independent copy; `allocator` may be NULL. Fails only if memory runs out. */
cardan_status cd_group_clone(cardan_group **copy, const cardan_group *group,
                             const cardan_allocator *allocator);

/* The curved component of a factor: its rotations, or all of SE(3). */
typedef struct cd_curved {
    const struct cd_kind *kind;
    bool right;
    int first, n; /* its first velocity, and how many; n is 0 for R^n */
} cd_curved;
cd_curved cd_group_curved(const cardan_group *group, int i);

/* Matrices of the curved component of factor i, n x n, row by row: the tangent operator, and that
 * of x -> [a, x]. `w` and `a` are velocities of the whole group. */
void cd_group_curve_tangent(const cardan_group *group, int i, const double *w, double *block);
void cd_group_curve_bracket(const cardan_group *group, int i, const double *a, double *block);

/* The largest angular velocity in a velocity of the group. */
double cd_group_spin(const cardan_group *group, const double *v);

/* Is the group R^n, so that all brackets are zero? */
bool cd_group_is_linear(const cardan_group *group);

/* Where the velocity of factor i begins; i may be the number of factors. */
int cd_group_velocity_offset(const cardan_group *group, int i);

/* How many coordinates all R^n components have: an element has as many low words. */
int cd_group_flat_count(const cardan_group *group);

/* An element with low words (methods/compensated-positions.md): its R^n components are q + low. */
typedef struct cd_group_point {
    const double *q, *low; /* low may be NULL: zeros that stay so */
} cd_group_point;

/* Where an element with low words is written. */
typedef struct cd_group_target {
    double *q, *low;
} cd_group_target;

/* cardan_group_update of some factors. Either both elements have low words or none. `w` is the
 * velocity of these factors only. */
void cd_group_update_span(const cardan_group *group, cd_span factors, cd_group_point from,
                          const double *w, cd_group_target to);

/* w += c [a, b] for some factors; a and b are velocities of the group, w of these factors only. */
void cd_group_add_bracket(const cardan_group *group, cd_span factors, double c, const double *a,
                          const double *b, double *w);

#endif

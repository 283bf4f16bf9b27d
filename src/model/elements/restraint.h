/* What joints are made of: a list of primitives between two markers, and what couples turn
 * counters. */
#ifndef CD_MODEL_RESTRAINT_H
#define CD_MODEL_RESTRAINT_H

#include "model/core/model.h"
#include "primitive.h"

/* The data of a joint's element: bodies 1 and 2, one row per primitive. */
typedef struct cd_restraint {
    cd_marker marker[2];
    int rows;
    int gaps; /* rows of a pivot along x, y (, z), then come scalar products; 0: it is none */
    cd_primitive primitive[CD_ELEMENT_ROWS];
} cd_restraint;

/* Bytes of one with so many rows: elements keep no more. */
static inline size_t cd_restraint_size(int rows)
{
    return offsetof(cd_restraint, primitive) + (size_t)rows * sizeof(cd_primitive);
}

extern const cd_element_type cd_restraint_type;
extern const cd_element_type cd_driven_restraint_type; /* the same with motions */

/* cd_element_type.residual of both; and what cd_restraint.gaps is then. */
int cd_restraint_residual(const void *self, const cd_stance *at, const cd_share *out);
int cd_restraint_gaps(const cd_restraint *it);

/* The same of a pivot, B and d(B^T lambda)/dx, added. */
int cd_pivot_residual(const cd_restraint *it, const cd_stance *at, const cd_share *out);
void cd_pivot_gradient(const cd_restraint *it, const cd_site *site, double *B);
void cd_pivot_curvature(const cd_restraint *it, const cd_site *site, const double *lambda,
                        double *out);

/* wrap(angle of body 2 against body 1 - s) = 0 with bodies 1, 2 and the counter s. */
extern const cd_element_type cd_counting_type;
typedef struct cd_counting {
    cd_marker marker[2];
} cd_counting;

/* factor[0] s_0 + factor[1] s_1 = constant, with two counters; gear_joint.c. */
extern const cd_element_type cd_gear_type;
#endif

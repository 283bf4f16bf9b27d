/* Joints as elements: a list of primitives between two markers, and what couples turn counters. */
#ifndef CD_MODEL_JOINT_H
#define CD_MODEL_JOINT_H

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

/* A joint's element before it is added, with rows that its definition asks for. Fails for
 * definitions without sense. */
cardan_status cd_joint_primitives(cardan_model *model, const cd_joint *joint, cd_restraint *it);

/* The primitive whose value is the joint's coordinate: in `direction`, or in its only free one. */
cardan_status cd_joint_coordinate(cardan_model *model, const cd_joint *joint,
                                  cd_primitive *coordinate);

/* Brings a restraint of two bodies that only move in the x-y plane to its independent rows. */
cardan_status cd_joint_reduce_planar(cardan_model *model, const cd_joint *joint, cd_restraint *it);

/* wrap(angle of body 2 against body 1 - s) = 0 with bodies 1, 2 and the counter s. */
extern const cd_element_type cd_counting_type;
typedef struct cd_counting {
    cd_marker marker[2];
} cd_counting;

/* factor[0] s_0 + factor[1] s_1 = constant, with two counters. */
extern const cd_element_type cd_gear_type;
typedef struct cd_gear {
    double factor[2], constant;
} cd_gear;

/* A restraint and two more rows: offset along z = factor s, and s the angle about z; bodies 1, 2
 * and the counter s. */
extern const cd_element_type cd_screw_type, cd_driven_screw_type;
typedef struct cd_screw {
    cd_restraint restraint;
    double factor; /* lead / (2 pi) */
} cd_screw;

/* The angle about z and the displacement along z of marker 2 against marker 1 at the start. */
void cd_joint_start(const cardan_model *model, const int body[2], const cd_marker marker[2],
                    double *angle, double *displacement);

/* Directions (cardan_direction flags) that a joint fixes. */
unsigned cd_joint_fixed(const cardan_joint_def *def);

#endif

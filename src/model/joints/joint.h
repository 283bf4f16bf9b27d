/* From the definition of a joint to its element. */
#ifndef CD_MODEL_JOINT_H
#define CD_MODEL_JOINT_H

#include "model/elements/restraint.h"
#include "model/elements/rolling.h"

/* A joint's element before it is added, with rows that its definition asks for. Fails for
 * definitions without sense. */
cardan_status cd_joint_primitives(cardan_model *model, const cd_joint *joint, cd_restraint *it);

/* The nonholonomic part of a joint; rows 0 if it has none. */
cardan_status cd_joint_rolling(cardan_model *model, const cd_joint *joint, cd_rolling *it);

/* The primitive whose value is the joint's coordinate: in `direction`, or in its only free one. */
cardan_status cd_joint_coordinate(cardan_model *model, const cd_joint *joint,
                                  cd_primitive *coordinate);

/* Brings a restraint of two bodies that only move in the x-y plane to its independent rows.
 */
cardan_status cd_joint_reduce_planar(cardan_model *model, const cd_joint *joint, cd_restraint *it);

/* Leaves out rows that planar bodies meet anyway. */
cardan_status cd_rolling_reduce_planar(cardan_model *model, const cd_joint *joint, cd_rolling *it);

/* The angle about z and the displacement along z of marker 2 against marker 1 at the start. */
void cd_joint_start(const cardan_model *model, const int body[2], const cd_marker marker[2],
                    double *angle, double *displacement);

/* Directions (cardan_direction flags) that a joint fixes. */
unsigned cd_joint_fixed(const cardan_joint_def *def);

/* Names of the rows of a restraint and `more` after them. NULL: no memory. */
const char *const *cd_joint_row_names(cardan_model *model, const cd_restraint *made, int more,
                                      const char *const *name);

/* Whether a row of the restraint follows a motion. */
bool cd_joint_is_driven(const cd_restraint *it);

#endif

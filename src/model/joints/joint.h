/* From the definition of a joint to its element. */
#ifndef CD_MODEL_JOINT_H
#define CD_MODEL_JOINT_H

#include "model/elements/restraint.h"

/* A joint's element before it is added, with rows that its definition asks for. Fails for
 * definitions without sense. */
cardan_status cd_joint_primitives(cardan_model *model, const cd_joint *joint, cd_restraint *it);

/* The nonholonomic part of a joint; rows 0 if it has none. */
cardan_status cd_joint_nonholonomic(cardan_model *model, const cd_joint *joint, cd_restraint *it);

/* The primitive whose value is the joint's coordinate: in `direction`, or in its only free one. */
cardan_status cd_joint_coordinate(cardan_model *model, const cd_joint *joint,
                                  cd_primitive *coordinate);

/* Leaves out rows that two bodies which only move in the x-y plane meet anyway. */
cardan_status cd_joint_reduce_planar(cardan_model *model, const cd_joint *joint, cd_restraint *it,
                                     cd_restraint *rolls);

/* Directions (cardan_direction flags) that a joint fixes. */
unsigned cd_joint_fixed(const cardan_joint_def *def);

/* ---- what a type of joint has of its own: an entry of the table in joint_type.c ---- */

/* What the axis of a joint (z of frame 1) must be between planar bodies. */
typedef enum cd_planar_axis {
    CD_AXIS_ANY,
    CD_AXIS_NORMAL,   /* along z of the world */
    CD_AXIS_IN_PLANE, /* in the x-y plane of the world */
    CD_AXIS_NONE      /* the joint leaves no motion free that planar bodies have */
} cd_planar_axis;

/* Functions may be NULL; a definition is checked before the others are called. */
typedef struct cd_joint_type {
    unsigned fixed;  /* the directions it holds, as cardan_direction flags; 0: it is not made of
                        directions */
    bool chosen;     /* of these only the ones that the definition names */
    bool turns;      /* acts on rotations in another way */
    bool own_motion; /* its own functions use `motion` */
    bool of_joints;  /* between two joints, not two bodies */
    cd_planar_axis planar;
    cd_contact contact; /* body 2 rolls on the x-y plane of frame 1 */
    bool touches;       /* and is held at its height over it */
    cardan_status (*check)(cardan_model *model, const cd_joint *joint);
    /* Appends its rows to those of the directions. */
    cardan_status (*rows)(cardan_model *model, const cd_joint *joint, cd_restraint *it);
    /* Appends its rows for rates. */
    cardan_status (*nonholonomic)(cardan_model *model, const cd_joint *joint, cd_restraint *it);
    /* Adds its element; NULL: the rows made are all it has. */
    cardan_status (*add)(cardan_model *model, cd_joint *joint, cd_restraint *made);
} cd_joint_type;

/* NULL if there is no such type. */
const cd_joint_type *cd_joint_type_of(cardan_joint_type type);

/* Functions of types with a file of their own. */
cardan_status cd_screw_check(cardan_model *model, const cd_joint *joint);
cardan_status cd_screw_add(cardan_model *model, cd_joint *joint, cd_restraint *made);
cardan_status cd_gear_add(cardan_model *model, cd_joint *joint, cd_restraint *made);

/* For the functions of a type. */
void cd_joint_append(cd_restraint *it, cd_primitive primitive);
/* Adds the element of a restraint. */
cardan_status cd_joint_add_restraint(cardan_model *model, cd_joint *joint,
                                     const cd_restraint *made);

#endif

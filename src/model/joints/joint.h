/* Joints: the table of their types, and the functions that make elements from a definition. */
#ifndef CD_MODEL_JOINT_H
#define CD_MODEL_JOINT_H

#include "model/elements/restraint.h"

/* Makes the rows of a joint's holonomic constraints. Fails if the definition makes no sense. */
cardan_status cd_joint_make_rows(cardan_model *model, const cd_joint *joint, cd_restraint *it);

/* Makes the rows of a joint's nonholonomic constraints; none for most types. */
cardan_status cd_joint_make_nonholonomic_rows(cardan_model *model, const cd_joint *joint,
                                              cd_restraint *it);

/* Finds the row whose value is the joint's coordinate: in `direction`, or in its only free one. */
cardan_status cd_joint_find_coordinate(cardan_model *model, const cd_joint *joint,
                                       cd_primitive *coordinate);

/* Removes the rows that two planar bodies satisfy anyway. */
cardan_status cd_joint_reduce_planar(cardan_model *model, const cd_joint *joint, cd_restraint *it,
                                     cd_restraint *nonholonomic_rows);

/* The directions (cardan_direction flags) that a joint fixes. */
unsigned cd_joint_fixed_directions(const cardan_joint_def *def);

/* ---- types of joints: entries of the table in joint_type.c ---- */

/* How the axis of a joint (z of frame 1) must lie between planar bodies. */
typedef enum cd_planar_axis {
    CD_AXIS_ANY,
    CD_AXIS_NORMAL,   /* along z of the world */
    CD_AXIS_IN_PLANE, /* in the x-y plane of the world */
    CD_AXIS_NONE      /* the joint is an error: no motion of planar bodies is free */
} cd_planar_axis;

/* One type of joint. Functions may be NULL; `check` is called before the others. */
typedef struct cd_joint_type {
    unsigned fixed;          /* directions it fixes, as cardan_direction flags; 0: it fixes none */
    bool fixed_by_def;       /* true: only those that the definition names */
    bool restrains_rotation; /* rotations matter to it although it fixes none */
    bool own_motion;         /* its own functions use `motion` of the definition */
    bool couples_joints;     /* it connects two joints, not two bodies */
    cd_planar_axis planar;
    cd_contact contact; /* body 2 rolls on the x-y plane of frame 1 with this contact */
    bool keeps_contact; /* its holonomic row keeps body 2 in contact with that plane */
    cardan_status (*check)(cardan_model *model, const cd_joint *joint);
    /* Appends holonomic rows of its own, before those of the directions. */
    cardan_status (*rows)(cardan_model *model, const cd_joint *joint, cd_restraint *it);
    /* Appends nonholonomic rows of its own. */
    cardan_status (*nonholonomic)(cardan_model *model, const cd_joint *joint, cd_restraint *it);
    /* Adds its elements, from the rows made; NULL: cd_joint_add_restraint does. */
    cardan_status (*add)(cardan_model *model, cd_joint *joint, cd_restraint *made);
} cd_joint_type;

/* The table entry of a type; NULL if there is no such type. */
const cd_joint_type *cd_joint_type_of(cardan_joint_type type);

/* Members `check` and `add` of the types in screw_joint.c and gear_joint.c. */
cardan_status cd_screw_check(cardan_model *model, const cd_joint *joint);
cardan_status cd_screw_add(cardan_model *model, cd_joint *joint, cd_restraint *made);
cardan_status cd_gear_add(cardan_model *model, cd_joint *joint, cd_restraint *made);

/* ---- for the functions of a type ---- */

/* Appends a row to those of a joint. */
void cd_joint_append_row(cd_restraint *it, cd_primitive primitive);
/* Adds the element with the holonomic rows of a joint. */
cardan_status cd_joint_add_restraint(cardan_model *model, cd_joint *joint,
                                     const cd_restraint *made);

#endif

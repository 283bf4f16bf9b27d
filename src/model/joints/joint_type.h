/* What a type of joint has of its own. One file per type, named after it, and one line in the list
 * below. */
#ifndef CD_MODEL_JOINT_TYPE_H
#define CD_MODEL_JOINT_TYPE_H

#include "joint.h"

/* Functions may be NULL; a definition is checked before the others are called. */
typedef struct cd_joint_type {
    unsigned fixed;  /* the directions it holds, as cardan_direction flags; 0: it is not made of
                        directions */
    bool chosen;     /* of these only the ones that the definition names */
    bool turns;      /* acts on rotations in another way */
    bool own_motion; /* its own functions use `motion` */
    bool of_joints;  /* between two joints, not two bodies */
    cardan_status (*check)(cardan_model *model, const cd_joint *joint);
    /* Appends its rows to those of the directions. */
    cardan_status (*rows)(cardan_model *model, const cd_joint *joint, cd_restraint *it);
    /* Fills in its conditions on velocities. */
    cardan_status (*rolling)(cardan_model *model, const cd_joint *joint, cd_rolling *it);
    /* Judges it between planar bodies; `along` is the part of its axis along z of the world. */
    cardan_status (*check_planar)(cardan_model *model, const cd_joint *joint, double along);
    /* Adds its element; NULL: the rows made are all it has. */
    cardan_status (*add)(cardan_model *model, cd_joint *joint, const cd_restraint *made);
} cd_joint_type;

#define CD_JOINT_TYPES(X)                                                                          \
    X(CARDAN_JOINT_SPHERICAL, cd_spherical_joint)                                                  \
    X(CARDAN_JOINT_REVOLUTE, cd_revolute_joint)                                                    \
    X(CARDAN_JOINT_PRISMATIC, cd_prismatic_joint)                                                  \
    X(CARDAN_JOINT_CYLINDRICAL, cd_cylindrical_joint)                                              \
    X(CARDAN_JOINT_UNIVERSAL, cd_universal_joint)                                                  \
    X(CARDAN_JOINT_PLANAR, cd_planar_joint)                                                        \
    X(CARDAN_JOINT_FIXED, cd_fixed_joint)                                                          \
    X(CARDAN_JOINT_POINT_ON_LINE, cd_point_on_line_joint)                                          \
    X(CARDAN_JOINT_POINT_ON_PLANE, cd_point_on_plane_joint)                                        \
    X(CARDAN_JOINT_DISTANCE, cd_distance_joint)                                                    \
    X(CARDAN_JOINT_SCREW, cd_screw_joint)                                                          \
    X(CARDAN_JOINT_GENERIC, cd_generic_joint)                                                      \
    X(CARDAN_JOINT_GEAR, cd_gear_joint)                                                            \
    X(CARDAN_JOINT_ROLLING_DISK, cd_rolling_disk_joint)                                            \
    X(CARDAN_JOINT_ROLLING_SPHERE, cd_rolling_sphere_joint)                                        \
    X(CARDAN_JOINT_SKATE, cd_skate_joint)                                                          \
    X(CARDAN_JOINT_WHEEL, cd_wheel_joint)                                                          \
    X(CARDAN_JOINT_SPEED, cd_speed_joint)

#define CD_DECLARE(number, name) extern const cd_joint_type name;
CD_JOINT_TYPES(CD_DECLARE)
#undef CD_DECLARE

/* NULL if there is no such type. */
const cd_joint_type *cd_joint_type_of(cardan_joint_type type);

/* For the functions of a type. */
void cd_joint_append(cd_restraint *it, cd_primitive primitive);
void cd_rolling_append(cd_rolling *it, int owner, int axis, const char *name);
/* Rolling without slip at the lowest point of a body, and the check of its radius. */
void cd_rolling_without_slip(cd_rolling *it, cd_contact_kind contact);
cardan_status cd_joint_check_radius(cardan_model *model, const cd_joint *joint);
/* `check_planar` of joints that planar bodies cannot have. */
cardan_status cd_joint_refuse_planar(cardan_model *model, const cd_joint *joint, double along);

#endif

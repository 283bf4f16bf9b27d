/* Sensors: quantities of a model that are added to its outputs (cardan/outputs.h).
 *
 *   cardan_sensor_def force = cardan_sensor_def_default();
 *   force.type = CARDAN_SENSOR_JOINT_FORCE;
 *   force.joint = hinge;
 *   cardan_outputs_add(outputs, &force, &error);
 */
#ifndef CARDAN_SENSOR_H
#define CARDAN_SENSOR_H

#include <cardan/model.h>

typedef enum cardan_sensor_type {
    /* ---- a point of a body; the comments name the outputs ---- */

    CARDAN_SENSOR_POSITION,             /* x y z [m] */
    CARDAN_SENSOR_VELOCITY,             /* vx vy vz [m/s] */
    CARDAN_SENSOR_ACCELERATION,         /* ax ay az [m/s^2] */
    CARDAN_SENSOR_ORIENTATION,          /* qw qx qy qz, qw >= 0 */
    CARDAN_SENSOR_ANGULAR_VELOCITY,     /* wx wy wz [rad/s] */
    CARDAN_SENSOR_ANGULAR_ACCELERATION, /* alpha_x alpha_y alpha_z [rad/s^2] */

    /* ---- a joint ---- */

    CARDAN_SENSOR_JOINT_FORCE,      /* force_x ... [N], moment_x ... [N m] on body 2, in the axes of
                                       frame 1 */
    CARDAN_SENSOR_JOINT_COORDINATE, /* angle [rad] and angle_rate, or displacement [m] and its rate
                                     */
    CARDAN_SENSOR_JOINT_RESIDUAL,   /* position_error, velocity_error: the largest of its rows */

    /* ---- two frames ---- */

    CARDAN_SENSOR_ANGLE, /* angle [rad], angle_rate [rad/s] of frame 2 about z of frame 1 */

    /* ---- energies of one body, force or joint; CARDAN_NONE: the sum over all ---- */

    CARDAN_SENSOR_KINETIC_ENERGY,   /* kinetic_energy [J] of a body */
    CARDAN_SENSOR_WEIGHT_ENERGY,    /* weight_energy [J] of a body: its potential in gravity */
    CARDAN_SENSOR_POTENTIAL_ENERGY, /* potential_energy [J] of a force */
    CARDAN_SENSOR_POWER,            /* power [W] of a force: what it adds to the energy beyond its
                                       potential; negative for dampers */
    CARDAN_SENSOR_FRICTION_POWER    /* friction_power [W] of a joint, not positive */
} cardan_sensor_type;

typedef struct cardan_sensor_def {
    uint32_t cookie;  /* set by cardan_sensor_def_default */
    const char *name; /* begins the output names; NULL: the name of the body, joint or force */
    cardan_sensor_type type;
    int body;                   /* number of the body, for points and energies */
    double point[3];            /* in the frame of the body */
    bool in_body;               /* true: components in the axes of the body; false: in world axes */
    int joint;                  /* number of the joint */
    int force;                  /* number of the force */
    cardan_direction direction; /* of a joint coordinate; 0: the only free direction of the joint */
    int body1;                  /* CARDAN_SENSOR_ANGLE: number of the body with frame 1 */
    int body2;                  /* CARDAN_SENSOR_ANGLE: number of the body with frame 2 */
    cardan_frame frame1;        /* CARDAN_SENSOR_ANGLE: on body 1 */
    cardan_frame frame2;        /* CARDAN_SENSOR_ANGLE: on body 2 */
} cardan_sensor_def;

CARDAN_API cardan_sensor_def cardan_sensor_def_default(void);

#endif

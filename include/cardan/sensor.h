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
    /* A point of a body.                                          outputs */
    CARDAN_SENSOR_POSITION,             /* x y z [m] */
    CARDAN_SENSOR_VELOCITY,             /* vx vy vz [m/s] */
    CARDAN_SENSOR_ACCELERATION,         /* ax ay az [m/s^2] */
    CARDAN_SENSOR_ORIENTATION,          /* qw qx qy qz, qw >= 0 */
    CARDAN_SENSOR_ANGULAR_VELOCITY,     /* wx wy wz [rad/s] */
    CARDAN_SENSOR_ANGULAR_ACCELERATION, /* alpha_x alpha_y alpha_z [rad/s^2] */
    /* A joint. */
    CARDAN_SENSOR_JOINT_FORCE, /* force_x ... [N] moment_x ... [N m] on body 2, joint frame 1 */
    CARDAN_SENSOR_JOINT_COORDINATE, /* angle [rad] angle_rate or displacement [m] ... */
    CARDAN_SENSOR_JOINT_RESIDUAL,   /* position_error, velocity_error: the largest of its rows */
    /* Two frames. */
    CARDAN_SENSOR_ANGLE, /* angle [rad] angle_rate [rad/s] of frame 2 about z of frame 1 */
    /* Energies, of one part or, where it is CARDAN_NONE, of all parts. */
    CARDAN_SENSOR_KINETIC_ENERGY,   /* body: kinetic_energy [J] */
    CARDAN_SENSOR_WEIGHT_ENERGY,    /* body: weight_energy [J], potential of gravity */
    CARDAN_SENSOR_POTENTIAL_ENERGY, /* force: potential_energy [J] */
    CARDAN_SENSOR_POWER,            /* force: power [W] that it puts into the bodies, without the
                                       change of its potential energy: dampers take it */
    CARDAN_SENSOR_FRICTION_POWER    /* joint: friction_power [W], not positive */
} cardan_sensor_type;

typedef struct cardan_sensor_def {
    uint32_t cookie;  /* set by cardan_sensor_def_default */
    const char *name; /* before the dot of output names; NULL: that of body, joint or force */
    cardan_sensor_type type;
    int body;        /* of points and energies */
    double point[3]; /* in the frame of the body */
    bool in_body;    /* components along the axes of the body instead of the world */
    int joint, force;
    cardan_direction direction; /* of a joint coordinate; 0: the joint's only free one */
    int body1, body2;           /* CARDAN_SENSOR_ANGLE */
    cardan_frame frame1, frame2;
} cardan_sensor_def;

CARDAN_API cardan_sensor_def cardan_sensor_def_default(void);

#endif

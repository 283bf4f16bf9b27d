/* Sensors: named quantities of a model with units, measured at any point of its system.
 *
 *   cardan_sensors *sensors;
 *   cardan_sensors_create(&sensors, model, NULL);
 *   cardan_sensor_def force = cardan_sensor_def_default();
 *   force.type = CARDAN_SENSOR_JOINT_FORCE;
 *   force.joint = hinge;
 *   cardan_sensors_add(sensors, &force, NULL);
 *   ...
 *   cardan_sensors_measure(sensors, &point, values);    values[i] belongs to cardan_sensors_name(i)
 *
 * Angles are counted over any number of turns: the object remembers the last state, so it belongs
 * to one run. Call cardan_sensors_follow after every step; what is measured, in whatever order,
 * then does not depend on which states are measured. Without it the last measurement is remembered
 * instead, and measurements must be in the order of time (or backwards) with less than half a turn
 * between what the rates predict and what is measured. Joints with a turn counter (gears, screws)
 * and driven ones need neither. Measuring allocates nothing. */
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

typedef struct cardan_sensors cardan_sensors;

CARDAN_API cardan_sensor_def cardan_sensor_def_default(void);

/* The model must be built and outlive the sensors. `error` may be NULL. */
CARDAN_API cardan_status cardan_sensors_create(cardan_sensors **sensors, const cardan_model *model,
                                               cardan_error *error);
CARDAN_API void cardan_sensors_destroy(cardan_sensors *sensors);

CARDAN_API cardan_status cardan_sensors_add(cardan_sensors *sensors, const cardan_sensor_def *def,
                                            cardan_error *error);

/* Number of outputs of all sensors, their names ("crank.x") and units ("m"; "" for none). */
CARDAN_API int cardan_sensors_count(const cardan_sensors *sensors);
CARDAN_API const char *cardan_sensors_name(const cardan_sensors *sensors, int output);
CARDAN_API const char *cardan_sensors_unit(const cardan_sensors *sensors, int output);

/* Writes all outputs. Reads t, q, v, vdot, lambda and psi of the point. */
CARDAN_API cardan_status cardan_sensors_measure(cardan_sensors *sensors, const cardan_point *at,
                                                double *out);

/* Counts turns up to this state (the same numbers are read): for every step of a run. */
CARDAN_API cardan_status cardan_sensors_follow(cardan_sensors *sensors, const cardan_point *at);

/* The turns counted, as numbers to be kept with a checkpoint of the integrator: how many, writing
 * them, and going on from them. */
CARDAN_API int cardan_sensors_memory_count(const cardan_sensors *sensors);
CARDAN_API void cardan_sensors_save(const cardan_sensors *sensors, double *memory);
CARDAN_API void cardan_sensors_load(cardan_sensors *sensors, const double *memory);

/* Forgets the turns that were counted: the next sample starts anew. */
CARDAN_API void cardan_sensors_restart(cardan_sensors *sensors);

#endif

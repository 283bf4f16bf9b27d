/* Kinds of sensors: what they measure and what their outputs are called. */
#ifndef CD_MODEL_SENSOR_H
#define CD_MODEL_SENSOR_H

#include "model/joints/turns.h"

#include <cardan/sensor.h>

enum { CD_SENSOR_OUTPUTS = 6 };

typedef struct cd_output {
    const char *name, *unit;
} cd_output;

typedef struct cd_sensor {
    cardan_sensor_def def;
    const cd_output *outputs;
    int count, first;
    int direction; /* joint coordinate: 0 to 5 */
    cd_marker marker[2];
    cd_turns turns;
} cd_sensor;

/* Writes the outputs; returns 0 or a code like every callback. */
typedef int cd_sensor_measure(const cardan_model *model, const cd_sensor *sensor,
                              const cardan_point *at, double *out);

typedef enum cd_sensor_subject {
    CD_SENSE_BODY, /* or ground */
    CD_SENSE_BODY_OR_ALL,
    CD_SENSE_JOINT,
    CD_SENSE_JOINT_OR_ALL,
    CD_SENSE_FORCE_OR_ALL,
    CD_SENSE_FRAMES
} cd_sensor_subject;

typedef struct cd_sensor_kind {
    cd_sensor_subject subject;
    cd_sensor_measure *measure;
    int count;
    cd_output outputs[CD_SENSOR_OUTPUTS];
    bool turns; /* out[0] and out[1] may be an angle over turns and its rate */
} cd_sensor_kind;

/* A list of sensors of a built model. Angles are counted over any number of turns: it belongs to
 * one run. */
typedef struct cd_sensors {
    cardan_allocator allocator;
    cd_arena arena;
    const cardan_model *model;
    cd_sensor *sensor;
    int sensors, capacity;
    cd_output *output; /* names and units of all outputs */
    int outputs, output_capacity;
    bool followed; /* turns are remembered by cd_sensors_follow, not by every measurement */
} cd_sensors;

void cd_sensors_init(cd_sensors *sensors, const cardan_model *model);
void cd_sensors_destroy(cd_sensors *sensors);
cardan_status cd_sensors_add(cd_sensors *sensors, const cardan_sensor_def *def,
                             cardan_error *error);

/* Writes all outputs. */
cardan_status cd_sensors_measure(cd_sensors *sensors, const cardan_point *at, double *out);

/* Counts turns up to this state; what is measured then does not depend on which states are. */
cardan_status cd_sensors_follow(cd_sensors *sensors, const cardan_point *at);

/* The turns counted: how many numbers, writing them, going on from them, and forgetting them. */
int cd_sensors_memory(const cd_sensors *sensors);
void cd_sensors_save(const cd_sensors *sensors, double *memory);
void cd_sensors_load(cd_sensors *sensors, const double *memory);
void cd_sensors_restart(cd_sensors *sensors);

/* NULL if there is no such type. */
const cd_sensor_kind *cd_sensor_kind_of(cardan_sensor_type type);

/* Outputs of a joint coordinate in direction 0 to 5. */
const cd_output *cd_coordinate_outputs(int direction);

cd_sensor_measure cd_sense_position, cd_sense_velocity, cd_sense_acceleration, cd_sense_orientation,
    cd_sense_angular_velocity, cd_sense_angular_acceleration, cd_sense_joint_force,
    cd_sense_joint_coordinate, cd_sense_joint_residual, cd_sense_angle, cd_sense_kinetic,
    cd_sense_weight, cd_sense_potential, cd_sense_power, cd_sense_friction;

#endif

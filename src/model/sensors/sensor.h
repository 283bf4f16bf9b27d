/* Kinds of sensors: what they measure and what their outputs are called. */
#ifndef CD_MODEL_SENSOR_H
#define CD_MODEL_SENSOR_H

#include "model/joints/turns.h"
#include "output_names.h"

#include <cardan/sensor.h>

enum { CD_SENSOR_OUTPUTS = 6 };

/* Names and units of what a sensor measures. */
typedef struct cd_quantities {
    int count;
    const char *unit[2]; /* of the first and, if there is one, of the second half */
    const char *name[CD_SENSOR_OUTPUTS];
} cd_quantities;

typedef struct cd_sensor {
    cardan_sensor_def def;
    const cd_quantities *quantities;
    int first;     /* output */
    int direction; /* joint coordinate: 0 to 5 */
    int turns;     /* index of what is remembered of an angle; -1: nothing */
    cd_marker marker[2];
} cd_sensor;

/* Writes the outputs; returns 0 or a code like every callback. */
typedef int cd_sensor_measure(const cardan_model *model, const cd_sensor *sensor,
                              const cardan_point *at, double *out);

typedef struct cd_sensor_kind {
    int subject; /* cardan_element; an angle has two frames instead */
    cd_sensor_measure *measure;
    cd_quantities quantities;
    bool or_all; /* of the subject there may be none: then all count together */
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
    cd_turns *turns; /* of angles of joints, which others ask for, then of sensors */
    int angles, turns_capacity;
    bool followed; /* turns are remembered by measurements without `out` only */
} cd_sensors;

void cd_sensors_init(cd_sensors *sensors, const cardan_model *model);
void cd_sensors_destroy(cd_sensors *sensors);
cardan_status cd_sensors_add(cd_sensors *sensors, const cardan_sensor_def *def,
                             cardan_error *error);

/* Writes all outputs. `out` NULL: counts turns up to this state; what is measured then does not
 * depend on which states are. */
cardan_status cd_sensors_measure(cd_sensors *sensors, const cardan_point *at, double *out);

/* Room for one more angle; its index, or -1 without memory. */
int cd_sensors_add_turns(cd_sensors *sensors);

cd_sensor_measure cd_sense_body, cd_sense_joint_force, cd_sense_joint_coordinate,
    cd_sense_joint_residual, cd_sense_angle, cd_sense_energy, cd_sense_force;

#endif

/* Sensors of a built model, and the kinds of sensors with names and units of their outputs. */
#ifndef CD_MODEL_SENSOR_H
#define CD_MODEL_SENSOR_H

#include "model/joints/turns.h"
#include "output_names.h"

#include <cardan/sensor.h>

enum { CD_SENSOR_OUTPUTS = 6 }; /* most outputs of one sensor */

/* Names and units of what a sensor measures. */
typedef struct cd_quantities {
    int count;
    const char *unit[2]; /* of all; or if there are two, of the first and the second half */
    const char *name[CD_SENSOR_OUTPUTS];
} cd_quantities;

typedef struct cd_sensor {
    cardan_sensor_def def;
    const cd_quantities *quantities;
    int first;           /* its first output */
    int direction;       /* of a joint coordinate: 0 to 5 */
    int turns;           /* of an angle: its index in cd_sensors.turns; -1: no angle */
    cd_marker marker[2]; /* of an angle between two frames */
} cd_sensor;

/* Writes the outputs of a sensor; returns 0 or a code like every callback. */
typedef int cd_sensor_measure(const cardan_model *model, const cd_sensor *sensor,
                              const cardan_point *at, double *out);

typedef struct cd_sensor_kind {
    int subject; /* what it measures: a cardan_element; an angle has two frames instead */
    cd_sensor_measure *measure;
    cd_quantities quantities;
    bool or_all; /* CARDAN_NONE as subject means all of them together */
} cd_sensor_kind;

/* A list of sensors of a built model. It belongs to one run, for it counts turns of angles. */
typedef struct cd_sensors {
    cardan_allocator allocator;
    cd_arena arena;
    const cardan_model *model;
    cd_sensor *sensor;
    int sensors, capacity;
    cd_output *output; /* names and units of all outputs */
    int outputs, output_capacity;
    cd_turns *turns; /* of the joint angles in the outputs, then of angles of sensors */
    int angles, turns_capacity;
    bool followed; /* only calls of cd_sensors_measure without `out` count turns */
} cd_sensors;

void cd_sensors_init(cd_sensors *sensors, const cardan_model *model);
void cd_sensors_destroy(cd_sensors *sensors);
cardan_status cd_sensors_add(cd_sensors *sensors, const cardan_sensor_def *def,
                             cardan_error *error);

/* Writes all outputs. `out` NULL: counts turns up to this state instead. If turns are counted in
 * this way, the outputs do not depend on the states at which they are measured. */
cardan_status cd_sensors_measure(cd_sensors *sensors, const cardan_point *at, double *out);

/* Adds an angle to `turns`; returns its index, or -1 without memory. */
int cd_sensors_add_angle(cd_sensors *sensors);

cd_sensor_measure cd_sense_body, cd_sense_joint_force, cd_sense_joint_coordinate,
    cd_sense_joint_residual, cd_sense_angle, cd_sense_energy, cd_sense_force;

#endif

/* The named outputs of a model, as `cardan run` writes them:
 *
 * - position, quaternion, velocity and angular velocity of every body in the world ("crank.x",
 *   "crank.e0", "crank.vx", "crank.wx")
 * - force and moment of every joint on body 2 in the axes of the joint ("hinge.fx", "hinge.mx")
 * - coordinates and rates of every joint ("hinge.angle", "hinge.rate", "slide.displacement",
 *   "slide.speed"; with several of one kind, the axis of frame 1 is added: "cross.angle_x")
 * - the outputs of sensors
 *
 *   cardan_outputs *outputs;
 *   cardan_outputs_create(&outputs, model, CARDAN_OUTPUTS_ALL, &error);
 *   cardan_outputs_add(outputs, &sensor, &error);       cardan/sensor.h
 *   double *values = calloc(cardan_outputs_count(outputs), sizeof *values);
 *   ...
 *   cardan_outputs_follow(outputs, &point);             after the start and after every step
 *   cardan_outputs_measure(outputs, &point, values);    values[i] belongs to cardan_outputs_name(i)
 *
 * Angles are counted over any number of turns, so an object belongs to one run. Without
 * cardan_outputs_follow the turns are counted from one measurement to the next. Measurements must
 * then be in order of time, forwards or backwards, and an angle must differ by less than half a
 * turn from the angle that the rates predict. Joints with a turn counter (gears, screws) and driven
 * joints do not need this. Measuring allocates nothing unless the model has redundant constraints.
 */
#ifndef CARDAN_OUTPUTS_H
#define CARDAN_OUTPUTS_H

#include <cardan/sensor.h>

typedef struct cardan_outputs cardan_outputs;

typedef enum cardan_output_choice {
    CARDAN_OUTPUTS_ALL,  /* bodies and joints, then the sensors that are added */
    CARDAN_OUTPUTS_ADDED /* only the sensors that are added */
} cardan_output_choice;

/* The model must be built, and must outlive the outputs. Uses the model's allocator. */
CARDAN_API cardan_status cardan_outputs_create(cardan_outputs **outputs, const cardan_model *model,
                                               cardan_output_choice which, cardan_error *error);
CARDAN_API void cardan_outputs_destroy(cardan_outputs *outputs);

/* Adds a sensor after the others. After CARDAN_OUT_OF_MEMORY the outputs can only be destroyed. */
CARDAN_API cardan_status cardan_outputs_add(cardan_outputs *outputs, const cardan_sensor_def *def,
                                            cardan_error *error);

CARDAN_API int cardan_outputs_count(const cardan_outputs *outputs);

/* Writes the name of output i, as much as fits, and returns its length; 0 if the output does not
 * exist. */
CARDAN_API size_t cardan_outputs_name(const cardan_outputs *outputs, int i, char *text,
                                      size_t size);

/* The unit of an output: "m", "N m", ...; "" if it has none. */
CARDAN_API const char *cardan_outputs_unit(const cardan_outputs *outputs, int i);

/* Counts turns up to this state. Call it at the start and after every step; measurements then do
 * not depend on which states are measured. Reads t, q, v, vdot, lambda and psi. */
CARDAN_API cardan_status cardan_outputs_follow(cardan_outputs *outputs, const cardan_point *at);

/* Writes all outputs; NAN for an output without value. Reads t, q, v, vdot, lambda and psi. */
CARDAN_API cardan_status cardan_outputs_measure(cardan_outputs *outputs, const cardan_point *at,
                                                double *values);

/* Writes the counted turns and the selected rows (cardan/redundancy.h) to `memory`, to be stored
 * with a checkpoint of the integrator. Returns the number of doubles; with `memory` NULL it only
 * does that. */
CARDAN_API int cardan_outputs_save(const cardan_outputs *outputs, double *memory);

/* Restores what was saved; NULL forgets the counted turns. If other rows were selected then,
 * loading creates the model's system anew: create the integrator afterwards. CARDAN_BAD_CHECKPOINT
 * if the numbers do not belong to this model. */
CARDAN_API cardan_status cardan_outputs_load(cardan_outputs *outputs, const double *memory);

#endif

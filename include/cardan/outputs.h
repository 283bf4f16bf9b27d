/* The named outputs of a model, as `cardan run` writes them: place, quaternion, velocity and
 * angular velocity of every body in the world ("crank.x", "crank.e0", "crank.vx", "crank.wx"),
 * force and moment of every joint on body 2 in the axes of the joint ("hinge.fx", "hinge.mx"), the
 * coordinates in which it turns or slides ("hinge.angle", "hinge.rate", "hinge.displacement",
 * "hinge.speed", with the axis of frame 1 where there are several: "cross.angle_x"), then those of
 * sensors.
 *
 *   cardan_outputs *outputs;
 *   cardan_outputs_create(&outputs, model, CARDAN_OUTPUTS_ALL, &error);
 *   cardan_outputs_add(outputs, &sensor, &error);       cardan/sensor.h
 *   double *values = calloc(cardan_outputs_count(outputs), sizeof *values);
 *   ...
 *   cardan_outputs_follow(outputs, &point);             after the start and after every step
 *   cardan_outputs_measure(outputs, &point, values);    values[i] belongs to cardan_outputs_name(i)
 *
 * Angles are counted over any number of turns, so the object belongs to one run. Without
 * cardan_outputs_follow the last measurement of a sensor is remembered instead, and measurements
 * must be in the order of time (or backwards) with less than half a turn between what the rates
 * predict and what is measured. Joints with a turn counter (gears, screws) and driven ones need
 * neither. Measuring allocates nothing, but for models with redundant constraints. */
#ifndef CARDAN_OUTPUTS_H
#define CARDAN_OUTPUTS_H

#include <cardan/sensor.h>

typedef struct cardan_outputs cardan_outputs;

typedef enum cardan_output_choice {
    CARDAN_OUTPUTS_ALL,  /* of bodies and joints, then of the sensors that are added */
    CARDAN_OUTPUTS_ADDED /* of sensors only */
} cardan_output_choice;

/* The model must be built and outlive the outputs. Made with the model's allocator. */
CARDAN_API cardan_status cardan_outputs_create(cardan_outputs **outputs, const cardan_model *model,
                                               cardan_output_choice which, cardan_error *error);
CARDAN_API void cardan_outputs_destroy(cardan_outputs *outputs);

/* Adds a sensor behind the others. Without memory for it only destroying is left. */
CARDAN_API cardan_status cardan_outputs_add(cardan_outputs *outputs, const cardan_sensor_def *def,
                                            cardan_error *error);

CARDAN_API int cardan_outputs_count(const cardan_outputs *outputs);

/* Writes what fits of a name and returns its length, 0 if there is no such output. Names are made
 * when they are asked for: a large model has many. */
CARDAN_API size_t cardan_outputs_name(const cardan_outputs *outputs, int i, char *text,
                                      size_t size);

/* "m", "N m", ...; "" if it has none. */
CARDAN_API const char *cardan_outputs_unit(const cardan_outputs *outputs, int i);

/* Counts turns up to this state: at the start and after every step of a run. What is measured then
 * does not depend on which states are measured. Reads t, q, v, vdot, lambda and psi. */
CARDAN_API cardan_status cardan_outputs_follow(cardan_outputs *outputs, const cardan_point *at);

/* Writes all outputs; NAN where one has no value. Reads the same. */
CARDAN_API cardan_status cardan_outputs_measure(cardan_outputs *outputs, const cardan_point *at,
                                                double *values);

/* The turns counted and the constraints chosen (cardan/redundancy.h), as numbers to be kept with a
 * checkpoint of the integrator. Saving returns how many there are, and only that if `memory` is
 * NULL. */
CARDAN_API int cardan_outputs_save(const cardan_outputs *outputs, double *memory);

/* Goes on from what was saved; NULL forgets the turns that were counted: the next state starts
 * anew. Loading makes the model's system anew if other constraints were chosen then: make the
 * integrator that goes on afterwards. CARDAN_BAD_CHECKPOINT if the numbers are not of this model.
 */
CARDAN_API cardan_status cardan_outputs_load(cardan_outputs *outputs, const double *memory);

#endif

/* The built-in problems: published benchmarks with an independent reference solution each. */
#ifndef CARDAN_PROBLEM_H
#define CARDAN_PROBLEM_H

#include <cardan/event.h>
#include <cardan/health.h>
#include <cardan/model.h>
#include <cardan/sensor.h>

typedef struct cardan_problem cardan_problem;

/* A parameter of a problem, as `--set name=value` sets it. */
typedef struct cardan_parameter {
    const char *name;
    double value; /* its default */
    const char *text;
} cardan_parameter;

/* The catalogue, 0 <= i < count. */
CARDAN_API int cardan_problem_count(void);
CARDAN_API const char *cardan_problem_name(int i);
CARDAN_API const char *cardan_problem_summary(int i);
CARDAN_API int cardan_problem_parameters(int i, const cardan_parameter **parameters);

/* Makes a problem; `settings` (count may be 0) override parameters by name. An unknown name or a
 * value that makes no sense gives a sentence in `error`. */
typedef struct cardan_setting {
    const char *name;
    double value;
} cardan_setting;

CARDAN_API cardan_status cardan_problem_create(cardan_problem **problem, const char *name,
                                               const cardan_setting *settings, int count,
                                               cardan_error *error);

/* A problem made of a built model, which must outlive it. Its outputs are named after the elements:
 * place, quaternion, velocity and angular velocity of bodies in the world ("crank.x", "crank.e0",
 * "crank.vx", "crank.wx"), force and moment of joints on body 2 in the axes of the joint
 * ("hinge.fx", "hinge.mx") and the coordinates in which a joint turns or slides: "hinge.angle",
 * "hinge.rate", "hinge.displacement", "hinge.speed", with the axis of frame 1 (or, the second angle
 * of a universal joint, of frame 2) where there are several, "cross.angle_x"; then those of
 * `sensors` (may be NULL, must outlive the problem). It has no reference solution. Its initial
 * values are those of the model, assembled (cardan/assembly.h); CARDAN_INCONSISTENT_START if that
 * fails. */
CARDAN_API cardan_status cardan_problem_of_model(cardan_problem **problem,
                                                 const cardan_model *model, cardan_sensors *sensors,
                                                 const char *name, double begin, double end,
                                                 double step, cardan_error *error);

/* The verdict on a run of the problem: that of the integrator, and what assembly has changed of a
 * model's initial values (cardan/health.h). */
CARDAN_API cardan_status cardan_problem_health(const cardan_problem *problem,
                                               const cardan_integrator *integrator,
                                               cardan_health *health);

CARDAN_API void cardan_problem_destroy(cardan_problem *problem);

CARDAN_API const cardan_system *cardan_problem_system(const cardan_problem *problem);
/* What belongs into cardan_integrator_def.events; NULL for most problems. */
CARDAN_API const cardan_events *cardan_problem_events(const cardan_problem *problem);
CARDAN_API double cardan_problem_begin(const cardan_problem *problem); /* t_0 */
CARDAN_API double cardan_problem_end(const cardan_problem *problem);   /* default end time */
CARDAN_API double cardan_problem_step(const cardan_problem *problem);  /* recommended fixed step */
CARDAN_API void cardan_problem_initial(const cardan_problem *problem, double *q, double *v);

/* Guesses of the multipliers there (m and l numbers), for cardan_integrator_start_from: zeros,
 * those of a model's joints (cardan_joint_def.force_guess), or those that were set; `lambda0` or
 * `psi0` NULL goes back to the problem's own. */
CARDAN_API void cardan_problem_guess(const cardan_problem *problem, double *lambda, double *psi);
CARDAN_API cardan_status cardan_problem_set_guess(cardan_problem *problem, const double *lambda0,
                                                  const double *psi0, cardan_error *error);

/* Starts an integrator of the problem's system with all of these (cardan_integrator_start_from). */
CARDAN_API cardan_status cardan_problem_start(const cardan_problem *problem,
                                              cardan_integrator *integrator);

/* Named outputs, in the order they are to be written: configuration, velocity, multipliers, in
 * physical components whatever the coordinates ("x1 x2 x3 e0 .. e3 u1 .. Omega3 lambda1 .."). */
CARDAN_API int cardan_problem_outputs(const cardan_problem *problem);
CARDAN_API const char *cardan_problem_output_name(const cardan_problem *problem, int i);
/* Writes what fits of the same name and returns its length (0 if there is no such output). Takes no
 * memory; the function above keeps the names of all outputs of a model once it has been called. */
CARDAN_API size_t cardan_problem_write_output_name(const cardan_problem *problem, int i, char *text,
                                                   size_t size);
CARDAN_API void cardan_problem_output(const cardan_problem *problem, const cardan_point *at,
                                      double *values);

/* Angles of joints and sensors over any number of turns: a problem made of a model counts turns
 * from state to state if this is called at the start and after every step of a run (of one run at a
 * time). Outputs at any point of the last step then do not depend on which points are written. */
CARDAN_API void cardan_problem_follow(cardan_problem *problem, const cardan_point *at);

/* The turns counted and the constraints chosen (cardan/redundancy.h), as numbers to be kept with a
 * checkpoint of the integrator: how many, writing them, and going on from them. Loading makes the
 * model's system anew if other constraints were chosen then: make the integrator that goes on
 * afterwards. CARDAN_BAD_CHECKPOINT if the numbers are not of this model. */
CARDAN_API int cardan_problem_memory(const cardan_problem *problem);
CARDAN_API void cardan_problem_save(const cardan_problem *problem, double *memory);
CARDAN_API cardan_status cardan_problem_load(cardan_problem *problem, const double *memory);

/* The reference solution at time t >= t_0 in the system's own coordinates; any output may be NULL.
 * Increasing times are cheapest (the reference integrates on from the last one). */
CARDAN_API cardan_status cardan_problem_reference(cardan_problem *problem, double t, double *q,
                                                  double *v, double *vdot, double *lambda,
                                                  double *psi, cardan_error *error);
/* How the reference is made, in one line. */
CARDAN_API const char *cardan_problem_reference_text(const cardan_problem *problem);

#endif

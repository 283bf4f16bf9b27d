/* Runs shipped and generated model files and reads their outputs by name. */
#ifndef CARDAN_TESTS_MODEL_RUN_H
#define CARDAN_TESTS_MODEL_RUN_H

#include "cli/setup/case.h"

#include <cardan/cardan.h>
#include <cardan/model_file.h>

typedef struct model_run {
    cardan_model_file *file;
    cli_case *problem;
    cardan_integrator *it;
    double *values;
    double step;
} model_run;

/* Reads models/NAME.yaml and starts it with equal steps of this size. `changes` are pairs of texts,
 * the first replaced by the second wherever it stands, up to NULL; NULL: none. Fails the running
 * test if anything goes wrong. */
model_run *open_model_run(const char *name, const char *const *changes, double step);
void close_model_run(model_run *run);

/* Goes on to time t, a multiple of the step, and makes the outputs. */
void advance_model_run(model_run *run, double t);

/* An output as it was at the last advance. */
double output_of(const model_run *run, const char *name);

/* Joint force on body 2 in the world, for a joint whose body 1 has turned about z by `angle`. */
void joint_force_of(const model_run *run, const char *joint, double angle, double force[2]);

/* The reference of a built-in problem at t, as outputs by name. */
typedef struct exact_run {
    cli_case *problem;
    double *values;
} exact_run;
exact_run open_exact(const char *problem, double t);
void close_exact(exact_run *exact);
double exact_of(const exact_run *exact, const char *name);

/* Second order: errors of `coarse` (step h) and `fine` (h / 2) have a ratio near 4, and what
 * extrapolation leaves is small against them. Values are compared where their error is above
 * `floor`; below, both must be below 10 floor. */
void expect_order_two(const char *what, int count, const double *coarse, const double *fine,
                      const double *exact, double floor);

#endif

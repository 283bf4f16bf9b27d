/* Adaptive runs of built-in problems, measured against their reference solutions. */
#ifndef CARDAN_TESTS_ADAPTIVE_H
#define CARDAN_TESTS_ADAPTIVE_H

#include "experiment.h"
#include "lab/problems/problem.h"

typedef struct adaptive_run {
    const char *problem;
    const lab_setting *settings;
    int setting_count;
    const char *method;
    cardan_params params;
    double end;
    cardan_step_change step_change;
    double loose;  /* tolerance of the multipliers if not that of the others */
    bool end_only; /* measure at the end only */
    bool may_fail; /* a step that fails ends the run, not the test */
} adaptive_run;

typedef struct adaptive_result {
    trajectory_errors end;     /* at the end */
    trajectory_errors largest; /* over all steps */
    cardan_statistics work;
    bool failed;
} adaptive_result;

/* Absolute and relative tolerance `tolerance` for everything; or a fixed step. Both fail the
 * running test if anything goes wrong. */
adaptive_result adaptive_run_with(const adaptive_run *run, double tolerance);
adaptive_result fixed_run_with(const adaptive_run *run, double step);

/* The steps that the adaptive run takes, taken again as given ones, with this treatment of changes
 * of the step size. */
adaptive_result replayed_run_with(const adaptive_run *run, double tolerance,
                                  cardan_step_change change);

/* Slope of log(y) over log(x) by least squares. */
double fitted_slope(int n, const double *x, const double *y);

#endif

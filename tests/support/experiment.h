/* Runs a built-in problem with a method and measures the trajectory against the problem's own
 * reference solution: the measuring device of the tests in tests/papers and tests/integrate. */
#ifndef CARDAN_TESTS_EXPERIMENT_H
#define CARDAN_TESTS_EXPERIMENT_H

#include "lab/problems/problem.h"

#include <cardan/cardan.h>

/* A run over [begin, end] with equal steps. Start from experiment_of. */
typedef struct experiment {
    const char *problem;
    const lab_setting *settings;
    int setting_count;
    const char *method;
    cardan_params params;
    bool expert;
    cardan_start start;
    cardan_start_difference difference;
    cardan_update update;
    cardan_experimental options;
    double step, end;
    long every;       /* errors are measured at every so many steps */
    bool algorithmic; /* measure a too, against v' at its own time */
} experiment;

/* Largest errors over the measured steps; q in the Lie algebra. Vectors are measured in the
 * Euclidean norm, as the papers do. */
typedef struct trajectory_errors {
    double q, v, vdot, a, lambda, psi;
    double output[3]; /* of the first three named outputs: x of the tops */
    double position;  /* Euclidean norm of these three */
    double eta;
    double phi, hidden; /* largest constraint residuals */
    long peak;          /* step of the largest error in lambda */
    long steps, iterations;
} trajectory_errors;

/* Chung-Hulbert parameters, perturbed start, errors at every step. */
experiment experiment_of(const char *problem, const char *method, double rho, double step,
                         double end);

/* Fails the running test if anything goes wrong. */
trajectory_errors experiment_run(const experiment *run);

/* Compares the current state with the reference and lets the errors grow accordingly. */
void experiment_compare(lab_problem *problem, cardan_integrator *it, trajectory_errors *errors);

/* log2 of coarse / fine: the order seen when the step is halved. */
double observed_order(double coarse, double fine);

/* An integrator at the initial values of a problem. */
cardan_integrator *start_problem(const lab_problem *problem, const cardan_integrator_def *def);
lab_problem *open_problem(const char *name, const lab_setting *settings, int count);

/* The failing step of a test is shown with the library's own sentence. */
#define CHECK_STATUS(it, call)                                                                     \
    do {                                                                                           \
        cardan_status status_ = (call);                                                            \
        ck_assert_msg(status_ == CARDAN_OK, "%s: %s", cardan_status_name(status_),                 \
                      cardan_integrator_message(it));                                              \
    } while (0)

/* The 2-norm of x - y; and `largest` raised to `value`, where a NaN stays visible. */
double experiment_distance(int n, const double *x, const double *y);
void experiment_grow(double *largest, double value);

#endif

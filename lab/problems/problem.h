/* The built-in problems: published benchmarks with an independent reference solution each. */
#ifndef LAB_PROBLEM_H
#define LAB_PROBLEM_H

#include <cardan/cardan.h>

typedef struct lab_problem lab_problem;

/* A parameter of a problem, as `--set name=value` sets it. */
typedef struct lab_parameter {
    const char *name;
    double value; /* its default */
    const char *text;
} lab_parameter;

/* The catalogue, 0 <= i < count. */
int lab_problem_count(void);
const char *lab_problem_name(int i);
const char *lab_problem_summary(int i);
int lab_problem_parameters(int i, const lab_parameter **parameters);

/* Makes a problem; `settings` (count may be 0) override parameters by name. An unknown name or a
 * value that makes no sense gives a sentence in `error`. */
typedef struct lab_setting {
    const char *name;
    double value;
} lab_setting;

cardan_status lab_problem_create(lab_problem **problem, const char *name,
                                 const lab_setting *settings, int count, cardan_error *error);

void lab_problem_destroy(lab_problem *problem);

const cardan_system *lab_problem_system(const lab_problem *problem);
/* What belongs into cardan_integrator_def.events; NULL for most problems. */
const cardan_events *lab_problem_events(const lab_problem *problem);
double lab_problem_begin(const lab_problem *problem); /* t_0 */
double lab_problem_end(const lab_problem *problem);   /* default end time */
double lab_problem_step(const lab_problem *problem);  /* recommended fixed step */
void lab_problem_initial(const lab_problem *problem, double *q, double *v);

/* Guesses of the multipliers there (m and l numbers), for cardan_integrator_start_from. */
void lab_problem_guess(const lab_problem *problem, double *lambda, double *psi);

/* Starts an integrator of the problem's system with all of these (cardan_integrator_start_from). */
cardan_status lab_problem_start(const lab_problem *problem, cardan_integrator *integrator);

/* Named outputs, in the order they are to be written: configuration, velocity, multipliers, in
 * physical components whatever the coordinates ("x1 x2 x3 e0 .. e3 u1 .. Omega3 lambda1 .."). */
int lab_problem_outputs(const lab_problem *problem);
const char *lab_problem_output_name(const lab_problem *problem, int i);
void lab_problem_output(const lab_problem *problem, const cardan_point *at, double *values);

/* The reference solution at time t >= t_0 in the system's own coordinates; any output may be NULL.
 * Increasing times are cheapest (the reference integrates on from the last one). */
cardan_status lab_problem_reference(lab_problem *problem, double t, double *q, double *v,
                                    double *vdot, double *lambda, double *psi, cardan_error *error);
/* How the reference is made, in one line. */
const char *lab_problem_reference_text(const lab_problem *problem);

#endif

/* What a command works on: a model, or one of the built-in problems. Both give a system, initial
 * values and named outputs; only problems have a reference solution. */
#ifndef CLI_CASE_H
#define CLI_CASE_H

#include "lab/problems/problem.h"

#include <cardan/outputs.h>

typedef struct cli_case cli_case;

/* A case of a built-in problem (lab_problem_create); of a built model with its outputs (NULL: those
 * without sensors), which belong to the case from then on, also if it fails. The initial values of
 * a model are assembled (cardan/assembly.h); CARDAN_INCONSISTENT_START if that fails. */
cardan_status cli_case_of_problem(cli_case **made, const char *name, const lab_setting *settings,
                                  int count, cardan_error *error);
cardan_status cli_case_of_model(cli_case **made, cardan_model *model, cardan_outputs *outputs,
                                double begin, double end, double step, cardan_error *error);
void cli_case_destroy(cli_case *it);

const cardan_system *cli_case_system(const cli_case *it);
const cardan_events *cli_case_events(const cli_case *it); /* NULL: none */
double cli_case_begin(const cli_case *it);
double cli_case_end(const cli_case *it);  /* default end time */
double cli_case_step(const cli_case *it); /* recommended fixed step */
void cli_case_initial(const cli_case *it, double *q, double *v);

/* Guesses of the multipliers at the start: those of the problem or of the model's joints, or those
 * that were set; `lambda0` or `psi0` NULL goes back to the case's own. */
void cli_case_guess(const cli_case *it, double *lambda, double *psi);
cardan_status cli_case_set_guess(cli_case *it, const double *lambda0, const double *psi0,
                                 cardan_error *error);

/* Starts an integrator of the case's system with all of these. */
cardan_status cli_case_start(const cli_case *it, cardan_integrator *integrator);

/* The verdict on a run, what assembly has changed of a model's initial values included. */
cardan_status cli_case_health(const cli_case *it, const cardan_integrator *integrator,
                              cardan_health *health);

/* Named outputs. The name is written as far as it fits, and its length returned; or it is kept
 * until the next call. */
int cli_case_outputs(const cli_case *it);
size_t cli_case_write_output_name(const cli_case *it, int i, char *text, size_t size);
const char *cli_case_output_name(cli_case *it, int i);
void cli_case_output(const cli_case *it, const cardan_point *at, double *values);

/* Angles over any number of turns, and what belongs to a checkpoint: see cardan/outputs.h. */
void cli_case_follow(cli_case *it, const cardan_point *at);
int cli_case_memory(const cli_case *it);
void cli_case_save(const cli_case *it, double *memory);
cardan_status cli_case_load(cli_case *it, const double *memory);

/* The reference solution as that of the problem; CARDAN_NO_REFERENCE for models. How it is made. */
cardan_status cli_case_reference(cli_case *it, double t, double *q, double *v, double *vdot,
                                 double *lambda, double *psi, cardan_error *error);
const char *cli_case_reference_text(const cli_case *it);

#endif

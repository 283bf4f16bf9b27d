/* A convergence study: the errors of runs with several step sizes against a problem's reference
 * solution. converge.c makes it, study.c measures, study_print.c shows it. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/commands/march.h"
#include "cli/results/compare.h"
#include "cli/setup/case.h"
#include "cli/setup/setup.h"

typedef struct cli_study {
    cli_setup setup;
    double *steps; /* --steps */
    int count;
    bool end_norm;   /* errors at the end only, not the largest of all times */
    double skip;     /* --skip: earlier times are not compared; NAN if not given */
    cli_plan *plans; /* one for each step */
    cli_case *problem;
} cli_study;

typedef struct cli_study_run {
    double errors[CLI_QUANTITIES]; /* 2-norms */
    long long lambda_step;         /* n where the error of lambda is largest */
    char failure[512];             /* why there are no errors, or "" */
    cardan_health health;          /* the verdict on the run */
} cli_study_run;

/* Whether the study has this quantity: lambda and psi need constraints, eta a method. */
bool cli_study_has(const cli_study *study, int quantity);

/* Makes run i and measures its errors. Returns CLI_DONE also for a run that failed while stepping
 * (then it says why in `failure`), else an exit code with the message given. */
int cli_study_measure(const cli_study *study, int i, cli_progress *progress, cli_study_run *run);

/* The order seen between runs i - 1 and i, or NAN. */
double cli_study_order(const cli_study *study, const cli_study_run *runs, int i, int quantity);

/* The table, line by line; false if a line could not be written (it was said). */
void cli_study_print_head(const cli_study *study);
bool cli_study_print_run(const cli_study *study, const cli_study_run *runs, int i);
void cli_study_json(const cli_study *study, const cli_study_run *runs);

#endif

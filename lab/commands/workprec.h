/* A work-precision study: what each method costs for the error it achieves, with fixed and with
 * adaptive steps, and IDA beside them. workprec.c reads the options, workprec_run.c measures,
 * workprec_print.c and workprec_plot.c show it. */
#ifndef CLI_WORKPREC_H
#define CLI_WORKPREC_H

#include "cli/results/compare.h"
#include "cli/setup/case.h"
#include "cli/setup/setup.h"

enum { CLI_MOST_SOLVERS = 8 };

/* What a run may be said to cost. */
typedef enum cli_cost {
    CLI_COST_TIME,
    CLI_COST_EVALUATIONS,
    CLI_COST_FACTORIZATIONS,
    CLI_COST_ITERATIONS,
    CLI_COST_STEPS,
    CLI_COSTS
} cli_cost;
extern const char *const cli_cost_names[CLI_COSTS];

typedef struct cli_work {
    long steps, rejected;
    long evaluations; /* of the residual, without those of differenced matrices */
    long differences; /* evaluations for differenced matrices; counted by IDA only */
    long iterations, matrices, factorizations;
    double seconds; /* processor time of stepping, the shortest of all repetitions */
} cli_work;

/* One of the methods, or IDA. */
typedef struct cli_solver {
    const char *name;
    cli_setup setup; /* that of the study with this method; shares its memory */
    bool is_ida;
    bool adapts; /* can choose its steps */
} cli_solver;

typedef struct cli_workprec_run {
    const cli_solver *solver;
    bool adaptive;
    double value; /* step size, or relative tolerance */
    double errors[CLI_QUANTITIES];
    cli_work work;
    char failure[512]; /* why there are no numbers, or "" */
} cli_workprec_run;

typedef struct cli_workprec {
    cli_setup setup;
    double *steps, *rtols;
    int step_count, rtol_count;
    double atol;      /* 0: a hundredth of the relative one */
    bool largest;     /* errors at their largest, not at the end */
    cli_cost cost;    /* of the plot and of the table at equal error */
    long long repeat; /* timed repetitions */
    const char *plot; /* --plot, or NULL */
    const char *csv;  /* --csv, or NULL */
    bool without_ida;
    const char *reference_given; /* --ref, or NULL */
    char reference_text[400];

    cli_case *problem;
    double begin;
    cli_comparison comparison;
    bool fixed_reference; /* a computed one, at the end only */
    cli_solver solvers[CLI_MOST_SOLVERS];
    int solver_count;
    cli_workprec_run *runs;
    int run_count;
} cli_workprec;

/* Makes the run: errors first, then the timed repetitions. What goes wrong is said in `failure`. */
void cli_workprec_measure(cli_workprec *study, cli_workprec_run *run);

/* Runs METHOD with steps of size h to the end and keeps the state reached as the reference;
 * complains and returns false if that fails. */
bool cli_workprec_make_reference(cli_workprec *study, const cli_setup *setup, double h);

/* Whether the problem has this quantity; only q, v, lambda and psi are shown. */
bool cli_workprec_has(const cli_workprec *study, int quantity);
double cli_workprec_cost(const cli_workprec_run *run, cli_cost cost);

void cli_workprec_print_head(const cli_workprec *study);
void cli_workprec_print_run(const cli_workprec *study, const cli_workprec_run *run);

/* The cost of equal errors, by interpolation between the runs: solvers as columns. */
void cli_workprec_print_equal(const cli_workprec *study);
void cli_workprec_json(const cli_workprec *study);

/* Files; they complain and return false if they cannot be written. */
bool cli_workprec_write_csv(const cli_workprec *study);
bool cli_workprec_draw(const cli_workprec *study);

#endif

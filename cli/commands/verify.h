/* A run made in two ways, and how far they are from each other. verify.c is the command `cardan
 * verify`, check_run.c what `cardan run` does of it; verify_run.c makes the runs,
 * verify_difference.c compares them, verify_print.c shows it. */
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "cli/setup/case.h"
#include "cli/setup/setup.h"
#include "march.h"

/* An option of the setup as given, for the second way to begin with. */
typedef struct cli_verify_option {
    int code;
    const char *value;
} cli_verify_option;

/* One of the ways: settings, and what came out at the times compared. */
typedef struct cli_verify_run {
    cli_setup setup;
    cli_case *problem;
    cli_plan plan;
    const char *form;     /* of all rigid bodies; NULL: as the file says */
    long long most_steps; /* then it is given up; 0: never */
    cardan_statistics statistics;
    cardan_health health;
    double reached;      /* time */
    char failure[1100];  /* why it did not reach the end, or "" */
    const double *times; /* compared */
    int count;
    int columns, rows; /* taken so far */
    double *values;    /* rows x columns */
    double *numbers;   /* q, v, v', lambda, psi */
    double *peaks;     /* columns: largest |value| at the times and at steps with large loads */
    double *row;       /* scratch */
    double load;       /* the largest multiplier at such a step */
} cli_verify_run;

/* Kinds of values that are compared. */
typedef enum cli_kind {
    CLI_POSITIONS,
    CLI_ROTATIONS,
    CLI_VELOCITIES,
    CLI_TURNING,
    CLI_FORCES,
    CLI_MOMENTS,
    CLI_KINDS
} cli_kind;

/* The largest difference of a kind; `tolerance` 0: there is no value of this kind. */
typedef struct cli_difference {
    double size; /* largest value */
    double difference, tolerance, ratio, t;
    char element[128];
} cli_difference;

typedef struct cli_verification {
    cli_verify_run first, second;
    cli_verify_option *given;
    int given_count;
    double *times;
    int count;
    bool equal_steps; /* of the first way: its tolerance is only a yardstick */
    char tried[1200]; /* second ways that failed, with their reasons */
    cli_difference differences[CLI_KINDS];
    int worst; /* kind with the largest ratio, or -1 */
    const char *verdict;
    char sentence[1600];
} cli_verification;

extern const char *const cli_kind_names[CLI_KINDS];

/* More tolerances than this are more than they promise. */
#define CLI_PROMISED 20.0

/* Applies an option to the first way's setup, and keeps it for the second. */
bool cli_verify_apply(cli_verification *v, cli_setup *first, int code, const char *value);

/* `count` times from begin to end, not where signals like to have their corners; to be freed. */
double *cli_verify_times(double begin, double end, int count);

/* The plan of a way with a problem, by equal steps (0: the problem's own) or by the error. */
bool cli_verify_run_plan(cli_verify_run *run, double step, bool adaptive);

/* Runs a way that was set up through the times; CLI_BAD_INPUT if the library refuses its settings,
 * which was said. A failure on the way is kept. */
int cli_verify_run_start(cli_verify_run *run, const double *times, int count);

/* The same for an integrator that others drive: before the first step, and after every one. */
void cli_verify_run_open(cli_verify_run *run, const double *times, int count);
cardan_status cli_verify_run_take(cli_verify_run *run, cardan_integrator *integrator, double now);
void cli_verify_run_close(cli_verify_run *run);

void cli_verify_run_free(cli_verify_run *run);

/* Fills in the differences over the rows that both have. */
void cli_verify_compare(cli_verification *v);

void cli_verify_print(const cli_verification *v);
void cli_verify_json(const cli_verification *v);

#endif

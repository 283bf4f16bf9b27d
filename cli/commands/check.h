/* What `cardan check` finds out about a problem; check.c drives, check_find.c and check_path.c
 * and check_model.c compute, check_print.c tells it, check_json.c writes it as JSON. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/setup/case.h"
#include "cli/setup/projection_options.h"
#include "cli/setup/setup.h"
#include "lab/analysis/analysis.h"
#include "lab/analysis/decomposition.h"
#include "lab/analysis/projection_verdict.h"

#include <cardan/model_check.h>

enum { CLI_CHECK_PROJECTIONS = 3, CLI_CHECK_TEXT = 1024 };

/* A question that can fail: whether it did, and the sentence. */
typedef struct cli_outcome {
    bool fine;
    char text[CLI_CHECK_TEXT];
} cli_outcome;

/* The verdict on one projection matrix, at the start and along the run. */
typedef struct cli_verdict {
    const char *name; /* "mass", "identity" or what --projection said */
    cardan_projection how;
    bool judged; /* false: refused, with a sentence */
    char refusal[CLI_CHECK_TEXT];
    lab_projection_verdict at_start;
    long long states;             /* judged along the run */
    lab_projection_verdict worst; /* the smallest relative eigenvalue of these */
    double worst_time;
    bool can_add_energy; /* anywhere */
} cli_verdict;

/* The transient of lambda after a plain start of ga3. */
typedef struct cli_transient {
    bool applies; /* holonomic constraints, and ga3 accepts the parameters */
    lab_recursion recursion;
    double starting_error;  /* |B l^q| / h^2 */
    double measured;        /* largest difference in lambda of a plain and a perturbed start */
    int measured_step;      /* where; 0: not measured */
    double measured_scaled; /* the same in B M^-1 B^T lambda, which the recursion is about */
    int scaled_step;
    double lambda; /* largest |lambda| there, for comparison */
    bool has_null; /* a singular mass matrix: errors in its null space, ACB-R (27) */
    lab_recursion null;
} cli_transient;

typedef struct cli_check_job {
    cli_setup setup;
    cli_projection given; /* --projection */
    const char *given_text;

    cli_case *problem;
    const cardan_system *system;
    double step;
    cli_plan plan;
    double *q, *v, *vdot, *lambda, *psi; /* the initial point, made consistent where possible */
    cardan_point at;

    cli_outcome derivatives;
    int derivative_points;
    cardan_residuals residuals; /* of the initial values as given */
    cli_outcome consistent;     /* can a run start from them? text: remark or refusal */
    cli_outcome structure;      /* ranks; text: refusal */
    cardan_rank_report rank;
    lab_decomposition *decomposition; /* or NULL */
    cli_verdict verdicts[CLI_CHECK_PROJECTIONS];
    int verdict_count;
    cli_outcome run; /* the trajectory that was judged */
    double run_end;
    bool own_end;     /* --end was given */
    bool run_cut;     /* a large model: the run ended before its time */
    char method[320]; /* of adaptive steps, or "" */
    cli_transient transient;
    cardan_model_report *elements; /* of a model file; else NULL */
} cli_check_job;

/* Derivatives, consistency, ranks and verdicts at the initial values. */
void cli_check_model(cli_check_job *check);
/* The verdicts along the motion. */
void cli_check_path(cli_check_job *check);
/* The method that adaptive steps would use. */
void cli_check_method(cli_check_job *check);
/* The transient of a plain start of ga3. */
void cli_check_transient(cli_check_job *check);

/* Bodies, joints and units of a model file (check_model.c). */
void cli_check_elements(cli_check_job *check);
bool cli_check_elements_fine(const cli_check_job *check);
void cli_check_print_elements(const cli_check_job *check);
/* FILE:LINE:COLUMN: of the element that a sentence names, on a line of its own. */
void cli_check_print_place(const cli_check_job *check, const char *text);
json_t *cli_check_elements_json(const cli_check_job *check);

void cli_check_print(const cli_check_job *check);
void cli_check_json(const cli_check_job *check);

/* Is something wrong with the model? */
bool cli_check_passed(const cli_check_job *check);

/* Multiplier i as "lambda2" or "psi1". */
const char *cli_check_multiplier(const cli_check_job *check, int i, char text[24]);

#endif

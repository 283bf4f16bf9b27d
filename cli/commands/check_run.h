/* The check run of `cardan run`: once more, rough and quick, to tell how errors add up. */
#ifndef CLI_CHECK_RUN_H
#define CLI_CHECK_RUN_H

#include "cli/setup/case.h"
#include "verify.h"

typedef struct cli_check_run {
    bool wanted;
    bool adaptive;          /* steps by the error */
    bool made;              /* there is an estimate: */
    cli_difference largest; /* `ratio` is the error of the run, in: */
    const char *kind;       /* of value: "velocity", ... */
    long steps;             /* of the second run */
    double factor;          /* of its tolerance, or of its step, in those of the first */
    const char *failure;    /* why it did not reach the end, or "", or NULL if it was not made */
    cli_verification ways;
} cli_check_run;

/* Before the first step of a run, at t, and after every one. A restarted run is compared from there
 * on with a second one from its begin. */
void cli_check_run_begin(cli_check_run *look, const cli_setup *setup, cli_case *problem,
                         const cli_plan *plan, double t);
void cli_check_run_step(cli_check_run *look, cardan_integrator *integrator, double t);

/* At its end: makes the second run, and adds to the verdict what it tells. */
void cli_check_run_judge(cli_check_run *look, const cardan_statistics *first,
                         cardan_health *health);
const char *cli_check_run_unit(const cli_check_run *look);
void cli_check_run_free(cli_check_run *look);

#endif

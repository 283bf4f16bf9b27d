/* A problem with one state of it: its start, an equilibrium, or what it has come to at some time.
 * For the commands static and modes. */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "case.h"
#include "setup.h"

typedef struct cli_state {
    cli_case *problem;
    const cardan_system *system;
    double t;
    double *q, *v, *vdot, *lambda, *psi;
} cli_state;

/* The functions that return an exit code have complained if it is not CLI_DONE. */

/* Makes the problem; the state is its start as given. */
int cli_state_open(cli_setup *setup, cli_state *state);
void cli_state_free(cli_state *state);

cardan_point cli_state_point(const cli_state *state);

/* Goes to the equilibrium near the start. */
int cli_state_settle(const cli_setup *setup, int load_steps, cli_state *state,
                     cardan_equilibrium_report *report);

/* Goes along the motion to a time, at the start that of the consistent initial values. */
int cli_state_advance(const cli_setup *setup, double time, cli_state *state);

/* The named outputs at the state. */
json_t *cli_state_json(const cli_state *state);
double *cli_state_outputs(const cli_state *state); /* to be released with free */

#endif

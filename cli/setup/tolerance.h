/* Tolerances of the error on the command line, which choose the steps: --rtol, --atol and limits of
 * the step. */
#ifndef CLI_TOLERANCE_H
#define CLI_TOLERANCE_H

#include "cli/results/json.h"

#include <cardan/integrator.h>

enum { CLI_CLASSES = 3 }; /* positions, velocities, multipliers */

typedef struct cli_tolerance {
    bool adaptive;                                       /* steps by the error */
    double relative[CLI_CLASSES], absolute[CLI_CLASSES]; /* 0: the default */
    double min_step, max_step;                           /* 0: none given */
} cli_tolerance;

/* One number for all or three: "Q,V,L". */
bool cli_tolerance_read(const char *command, const char *what, const char *text,
                        double values[CLI_CLASSES]);

/* Whether any of the options was given. */
bool cli_tolerance_given(const cli_tolerance *t);

/* Fills in what was not given: 1e-4 relative, and a hundredth of that absolute. */
void cli_tolerance_complete(cli_tolerance *t);

void cli_tolerance_set(const cli_tolerance *t, cardan_step_control *control);

/* "1e-4", or "1e-4,1e-4,1e-2" if they differ. */
const char *cli_tolerance_text(const double values[CLI_CLASSES], char *text, size_t size);
json_t *cli_tolerance_json(const cli_tolerance *t);

#endif

/* Finds constraint forces that go up and down from step to step: what a plain start, a
 * projection or a change of the step leaves in the multipliers of an index-3 method (ACB15 Sec. 3,
 * docs/methods/start.md), and no motion that the steps resolve. */
#ifndef CLI_OSCILLATION_H
#define CLI_OSCILLATION_H

#include "cli/results/result.h"

typedef struct cli_oscillating {
    int column;
    double amplitude; /* kept over several steps */
    double relative;  /* to the largest value of the force or multipliers it belongs to */
    double begin, end;
} cli_oscillating;

/* The worst in the rows of a result, which need not be steps; false if there is none worth
 * telling: below 1 % of its force. Runs are judged by the library (cardan/health.h); this is for
 * files that carry no verdict. */
bool cli_oscillation_in_rows(const cli_result *result, cli_oscillating *worst);

#endif

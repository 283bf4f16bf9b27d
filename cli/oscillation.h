/* Finds constraint forces that go up and down from step to step: what a plain start, a
 * projection or a change of the step leaves in the multipliers of an index-3 method (ACB15 Sec. 3,
 * docs/methods/start.md), and no motion that the steps resolve. */
#ifndef CLI_OSCILLATION_H
#define CLI_OSCILLATION_H

#include "result.h"

typedef struct cli_oscillation cli_oscillation;

typedef struct cli_oscillating {
    int column;
    double amplitude; /* kept over several steps */
    double relative;  /* to the largest value of the force or multipliers it belongs to */
    double begin, end;
} cli_oscillating;

/* Watches the forces and multipliers of a result; only its columns are looked at. */
cli_oscillation *cli_oscillation_create(const cli_result *result);
void cli_oscillation_destroy(cli_oscillation *watch);

/* The next step: a value for every column. */
void cli_oscillation_feed(cli_oscillation *watch, const double *row);

/* Forces may jump between the last row and the next: an event. Rows of equal times tell it too. */
void cli_oscillation_restart(cli_oscillation *watch);

/* The worst so far; false if there is none worth telling: below 1 % of its force. */
bool cli_oscillation_found(const cli_oscillation *watch, cli_oscillating *worst);

/* What rows can tell of a result, which need not be steps. */
bool cli_oscillation_in_rows(const cli_result *result, cli_oscillating *worst);

#endif

/* Rows at equal times, by interpolation inside the steps (`--sample`). */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include "cli/setup/case.h"
#include "record.h"

#include <stdbool.h>

typedef struct cli_sampler {
    cli_record *row; /* the last row that was taken */
    double begin, end, interval;
    long long taken; /* rows so far */
    long long inner; /* rows before the one at the end */
    double *numbers; /* q, v, v', lambda, psi of the row */
    int constraints; /* room for lambda: the most that a mode has */
    cardan_error error;
} cli_sampler;

/* Refuses, with a complaint, an interval that makes more rows than anyone can store. */
bool cli_sampler_check(const char *command, double begin, double end, double interval);

/* Rows at begin, begin + interval, ..., and at the end. */
cli_sampler *cli_sampler_create(cli_case *problem, cardan_integrator *integrator,
                                cli_multipliers kept, double begin, double end, double interval);
void cli_sampler_destroy(cli_sampler *sampler);

/* Whether a row lies in the step that ended at `now` (the integrator's time or, at the last step,
 * exactly the end). To be asked, and the rows taken, after the start and after every step. */
bool cli_sampler_due(const cli_sampler *sampler, double now);

/* Takes the next row; on failure `error` holds the sentence. */
cardan_status cli_sampler_take(cli_sampler *sampler);

#endif

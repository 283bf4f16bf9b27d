/* The verdict on a run (cardan/health.h): on stderr, in the summary, as JSON and in results. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "json.h"
#include "result.h"

#include <cardan/health.h>

/* The findings on stderr, a line each; those that are only worth knowing not if `quiet`. */
void cli_verdict_tell(const char *command, const cardan_health *health, bool quiet);

/* The word good, doubtful or wrong on standard output, in its colour. */
void cli_verdict_print(const char *name);

json_t *cli_verdict_json(const cardan_health *health);

/* The verdict as a statistic and the findings as notes of a result. */
void cli_verdict_note(const cardan_health *health, cli_result *result);

/* Whether a run with that verdict has failed: it is wrong, or doubtful where that is not allowed.
 */
bool cli_verdict_fails(const cardan_health *health, bool strict);

#endif

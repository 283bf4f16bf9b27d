/* The options that describe a projection onto the constraints, and when it is made. */
#ifndef CLI_PROJECTION_H
#define CLI_PROJECTION_H

#include "cli/commands/march.h"

#include <cardan/projection.h>

/* Entries of a matrix A. */
typedef struct cli_entries {
    double *numbers;  /* or NULL */
    const char *file; /* that they were read from, or NULL */
    int count;
} cli_entries;

typedef struct cli_projection {
    cardan_projection how;
    cardan_projection accelerations; /* norm for v', if it is another */
    bool apart;                      /* it is */
    cli_entries entries, acceleration_entries;
    double *times; /* --project-at, or NULL: after every step */
    int time_count;
    bool asked; /* an option that makes sense only with a projection was given */
} cli_projection;

cli_projection cli_projection_default(void);
void cli_projection_free(cli_projection *projection);

/* --project, --project-at, --project-target, --projection, --acceleration-projection,
 * --projection-solver */
bool cli_projection_level(cli_projection *projection, const char *command, const char *value);
bool cli_projection_times(cli_projection *projection, const char *command, const char *value);
bool cli_projection_target(cli_projection *projection, const char *command, const char *value);
bool cli_projection_norm(cli_projection *projection, const char *command, const char *value);
bool cli_projection_acceleration_norm(cli_projection *projection, const char *command,
                                      const char *value);
bool cli_projection_solver(cli_projection *projection, const char *command, const char *value);

/* Does the matrix have the size of the problem, and is it clear what is to be projected? */
bool cli_projection_fit(cli_projection *projection, const char *command,
                        const cardan_system *system);
/* The size alone, for a matrix that is only looked at. */
bool cli_projection_fit_matrix(cli_projection *projection, const char *command,
                               const cardan_system *system);

/* Hands the times of --project-at to the plan; complains about one that no step ends at. */
bool cli_projection_plan(const cli_projection *projection, const char *command, cli_plan *plan);

#endif

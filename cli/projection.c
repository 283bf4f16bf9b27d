/* Reading the description of a projection. */
#include "projection.h"
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"none", "velocity", "position", "both"};
static const char *const target_names[] = {"zero", "settled"};

cli_projection cli_projection_default(void)
{
    return (cli_projection){.how = cardan_projection_default()};
}

void cli_projection_free(cli_projection *projection)
{
    free(projection->numbers);
    free(projection->times);
    projection->numbers = projection->times = NULL;
}

bool cli_projection_level(cli_projection *projection, const char *command, const char *value)
{
    static const cardan_projection_level levels[] = {CARDAN_PROJECT_NONE, CARDAN_PROJECT_VELOCITY,
                                                     CARDAN_PROJECT_POSITION, CARDAN_PROJECT_BOTH};
    int index;
    if (!cli_choice(command, "projection", value, level_names, 4, &index))
        return false;
    projection->how.level = levels[index];
    return true;
}

bool cli_projection_times(cli_projection *projection, const char *command, const char *value)
{
    projection->asked = true;
    return cli_positive_list(command, "--project-at", value, &projection->times,
                             &projection->time_count);
}

bool cli_projection_target(cli_projection *projection, const char *command, const char *value)
{
    int index;
    projection->asked = true;
    if (!cli_choice(command, "projection target", value, target_names, 2, &index))
        return false;
    projection->how.target = index == 0 ? CARDAN_TARGET_ZERO : CARDAN_TARGET_SETTLED;
    return true;
}

/* The text after a prefix like "diag:", or NULL. */
static const char *after(const char *value, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(value, prefix, length) == 0 ? value + length : NULL;
}

/* All numbers of a file, separated by blanks, commas or line ends. */
static bool read_numbers(cli_projection *projection, const char *command, const char *path)
{
    FILE *file = fopen(path, "r");
    double number;
    int size = 0;
    if (file == NULL) {
        cli_complain(command, "--projection: cannot read `%s`: %s", path, strerror(errno));
        return false;
    }
    while (fscanf(file, " %lf", &number) == 1) {
        if (projection->count == size) {
            size = size > 0 ? 2 * size : 64;
            double *longer = cli_allocate((size_t)size, sizeof *longer);
            for (int i = 0; i < projection->count; i++)
                longer[i] = projection->numbers[i];
            free(projection->numbers);
            projection->numbers = longer;
        }
        projection->numbers[projection->count++] = number;
        if (fscanf(file, " ,") == EOF)
            break;
    }
    const bool complete = feof(file) != 0;
    fclose(file);
    if (!complete)
        cli_complain(command,
                     "--projection: `%s` holds something that is no number after %d numbers", path,
                     projection->count);
    return complete;
}

bool cli_projection_norm(cli_projection *projection, const char *command, const char *value)
{
    const char *rest;
    projection->asked = true;
    if (strcmp(value, "mass") == 0) {
        projection->how.norm = CARDAN_NORM_MASS;
        return true;
    }
    if (strcmp(value, "identity") == 0) {
        projection->how.norm = CARDAN_NORM_IDENTITY;
        return true;
    }
    if ((rest = after(value, "diag:")) != NULL) {
        projection->how.norm = CARDAN_NORM_DIAGONAL;
        return cli_positive_list(command, "--projection", rest, &projection->numbers,
                                 &projection->count);
    }
    if ((rest = after(value, "matrix:")) != NULL) {
        projection->how.norm = CARDAN_NORM_MATRIX;
        projection->file = rest;
        return read_numbers(projection, command, rest);
    }
    cli_complain(command,
                 "--projection: `%s` is no norm; write mass, identity, diag:a,b,... or matrix:FILE",
                 value);
    return false;
}

bool cli_projection_solver(cli_projection *projection, const char *command, const char *value)
{
    const char *rest;
    projection->asked = true;
    if (strcmp(value, "exact") == 0) {
        projection->how.solver = CARDAN_PROJECTION_EXACT;
        return true;
    }
    if ((rest = after(value, "penalty:")) != NULL)
        projection->how.solver = CARDAN_PROJECTION_PENALTY;
    else if ((rest = after(value, "augmented:")) != NULL)
        projection->how.solver = CARDAN_PROJECTION_AUGMENTED;
    if (rest != NULL)
        return cli_positive(command, "--projection-solver", rest, &projection->how.penalty);
    cli_complain(command,
                 "--projection-solver: `%s` is no solver; write exact, penalty:ALPHA or "
                 "augmented:ALPHA",
                 value);
    return false;
}

bool cli_projection_fit_matrix(cli_projection *projection, const char *command,
                               const cardan_system *system)
{
    const int k = cardan_system_dof(system);
    const bool diagonal = projection->how.norm == CARDAN_NORM_DIAGONAL;
    const int wanted = diagonal ? k : k * k;
    projection->how.matrix = projection->numbers;
    if ((!diagonal && projection->how.norm != CARDAN_NORM_MATRIX) || projection->count == wanted)
        return true;
    cli_complain(command,
                 "--projection: %d numbers are given; the problem has %d velocities and "
                 "needs %d",
                 projection->count, k, wanted);
    return false;
}

bool cli_projection_fit(cli_projection *projection, const char *command,
                        const cardan_system *system)
{
    const bool acceleration = projection->how.acceleration;
    if (projection->times != NULL && projection->how.level == CARDAN_PROJECT_NONE && !acceleration)
        projection->how.level = CARDAN_PROJECT_VELOCITY;
    if (projection->asked && projection->how.level == CARDAN_PROJECT_NONE && !acceleration) {
        cli_complain(command, "a projection is described but none is asked for; add --project "
                              "velocity, position or both");
        return false;
    }
    return cli_projection_fit_matrix(projection, command, system);
}

bool cli_projection_plan(const cli_projection *projection, const char *command, cli_plan *plan)
{
    plan->projection = projection->time_count > 0 ? &projection->how : NULL;
    plan->project_at = projection->times;
    plan->project_count = projection->time_count;
    for (int i = 0; i < projection->time_count; i++) {
        const double t = projection->times[i], steps = (t - plan->begin) / plan->step;
        const bool at_step = fabs(steps - round(steps)) <= 1e-6 && steps > 0.5 &&
                             round(steps) <= (double)plan->uniform;
        if (plan->events && !(t > plan->begin && t <= plan->end)) {
            cli_complain(command,
                         "--project-at: t = %g is not after the begin, %g, up to the end, %g", t,
                         plan->begin, plan->end);
            return false;
        }
        if (!plan->events && !at_step) {
            cli_complain(command,
                         "--project-at: no step of %g ends at t = %g; give multiples of the step "
                         "after the begin, t = %g, up to the end, %g",
                         plan->step, t, plan->begin, plan->end);
            return false;
        }
    }
    return true;
}

/* Reading the description of a projection. */
#include "projection_options.h"
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
    return (cli_projection){.how = cardan_projection_default(),
                            .accelerations = cardan_projection_default()};
}

void cli_projection_free(cli_projection *projection)
{
    free(projection->entries.numbers);
    free(projection->acceleration_entries.numbers);
    free(projection->times);
    projection->entries = projection->acceleration_entries = (cli_entries){0};
    projection->times = NULL;
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

/* What is being read: for messages, and where it goes. */
typedef struct reading {
    const char *command, *option;
    cardan_projection *how;
    cli_entries *entries;
} reading;

/* All numbers of a file, separated by blanks, commas or line ends. */
static bool read_numbers(const reading *it, const char *path)
{
    cli_entries *entries = it->entries;
    FILE *file = fopen(path, "r");
    double number;
    int size = 0;
    if (file == NULL) {
        cli_complain(it->command, "%s: cannot read `%s`: %s", it->option, path, strerror(errno));
        return false;
    }
    while (fscanf(file, " %lf", &number) == 1) {
        if (entries->count == size) {
            size = size > 0 ? 2 * size : 64;
            entries->numbers =
                cli_reallocate(entries->numbers, (size_t)size, sizeof *entries->numbers);
        }
        entries->numbers[entries->count++] = number;
        if (fscanf(file, " ,") == EOF)
            break;
    }
    const bool complete = feof(file) != 0;
    fclose(file);
    if (!complete)
        cli_complain(it->command,
                     "%s: `%s` contains something that is not a number after %d numbers",
                     it->option, path, entries->count);
    return complete;
}

/* CD,CK after "tangent:"; one of the two may be zero. */
static bool read_weights(const reading *it, const char *text)
{
    double damping, stiffness;
    int used = -1;
    if (sscanf(text, "%lf,%lf%n", &damping, &stiffness, &used) < 2 || used < 0 ||
        text[used] != '\0' || !isfinite(damping) || !isfinite(stiffness) || damping < 0.0 ||
        stiffness < 0.0 || damping + stiffness == 0.0) {
        cli_complain(
            it->command,
            "%s: `%s` are not weights of damping and stiffness; write two numbers that are "
            "not negative, such as tangent:5e-4,2.5e-7, or tangent alone for h/2,h^2/4",
            it->option, text);
        return false;
    }
    it->how->damping = damping;
    it->how->stiffness = stiffness;
    return true;
}

/* A norm that is one word. */
static bool read_word(const reading *it, const char *value)
{
    static const char *const words[] = {[CARDAN_NORM_MASS] = "mass",
                                        [CARDAN_NORM_IDENTITY] = "identity",
                                        [CARDAN_NORM_TANGENT] = "tangent"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, words[i]) == 0) {
            it->how->norm = (cardan_projection_norm)i;
            return true;
        }
    cli_complain(
        it->command,
        "%s: `%s` is not a norm; write mass, identity, tangent, tangent:CD,CK, diag:a,b,... "
        "or matrix:FILE",
        it->option, value);
    return false;
}

static bool read_norm(const reading *it, const char *value)
{
    const char *rest;
    free(it->entries->numbers);
    *it->entries = (cli_entries){0};
    it->how->damping = it->how->stiffness = 0.0;
    if ((rest = after(value, "tangent:")) != NULL) {
        it->how->norm = CARDAN_NORM_TANGENT;
        return read_weights(it, rest);
    }
    if ((rest = after(value, "diag:")) != NULL) {
        it->how->norm = CARDAN_NORM_DIAGONAL;
        return cli_positive_list(it->command, it->option, rest, &it->entries->numbers,
                                 &it->entries->count);
    }
    if ((rest = after(value, "matrix:")) != NULL) {
        it->how->norm = CARDAN_NORM_MATRIX;
        it->entries->file = rest;
        return read_numbers(it, rest);
    }
    return read_word(it, value);
}

bool cli_projection_norm(cli_projection *projection, const char *command, const char *value)
{
    projection->asked = true;
    return read_norm(&(reading){command, "--projection", &projection->how, &projection->entries},
                     value);
}

bool cli_projection_acceleration_norm(cli_projection *projection, const char *command,
                                      const char *value)
{
    projection->apart = projection->how.acceleration = true;
    return read_norm(&(reading){command, "--acceleration-projection", &projection->accelerations,
                                &projection->acceleration_entries},
                     value);
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
                 "--projection-solver: `%s` is not a solver; write exact, penalty:ALPHA or "
                 "augmented:ALPHA",
                 value);
    return false;
}

/* Has A as many numbers as it takes? */
static bool fit(const reading *it, int k)
{
    const bool diagonal = it->how->norm == CARDAN_NORM_DIAGONAL;
    const int wanted = diagonal ? k : k * k, count = it->entries->count;
    it->how->matrix = it->entries->numbers;
    if ((!diagonal && it->how->norm != CARDAN_NORM_MATRIX) || count == wanted)
        return true;
    cli_complain(it->command,
                 "%s: %d numbers are given; the problem has %d velocities and needs %d", it->option,
                 count, k, wanted);
    return false;
}

bool cli_projection_fit_matrix(cli_projection *projection, const char *command,
                               const cardan_system *system)
{
    const int k = cardan_system_describe(system).dof;
    cardan_projection *apart = &projection->accelerations;
    if (!fit(&(reading){command, "--projection", &projection->how, &projection->entries}, k))
        return false;
    if (!projection->apart)
        return true;
    apart->solver = projection->how.solver;
    apart->penalty = projection->how.penalty;
    projection->how.accelerations = apart;
    return fit(
        &(reading){command, "--acceleration-projection", apart, &projection->acceleration_entries},
        k);
}

bool cli_projection_fit(cli_projection *projection, const char *command,
                        const cardan_system *system)
{
    const bool acceleration = projection->how.acceleration;
    if (projection->times != NULL && projection->how.level == CARDAN_PROJECT_NONE && !acceleration)
        projection->how.level = CARDAN_PROJECT_VELOCITY;
    if (projection->asked && projection->how.level == CARDAN_PROJECT_NONE && !acceleration) {
        cli_complain(command, "a projection is described but not requested; add --project "
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
                         "--project-at: t = %g is not after the start, %g, up to the end, %g", t,
                         plan->begin, plan->end);
            return false;
        }
        if (!plan->events && !at_step) {
            cli_complain(command,
                         "--project-at: no step of %g ends at t = %g; give multiples of the step "
                         "after the start, t = %g, up to the end, %g",
                         plan->step, t, plan->begin, plan->end);
            return false;
        }
    }
    return true;
}

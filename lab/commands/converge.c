/* cardan converge: errors against the problem's own reference for several steps, and orders. */
#include "cli/setup/case.h"
#include "lab_commands.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_STEPS = CLI_OPTION_OWN, OPTION_NORM, OPTION_SKIP };

static const struct option options[] = {CLI_SETUP_OPTIONS,
                                        {"steps", required_argument, NULL, OPTION_STEPS},
                                        {"norm", required_argument, NULL, OPTION_NORM},
                                        {"skip", required_argument, NULL, OPTION_SKIP},
                                        {0}};

static const char usage[] =
    "usage: cardan converge PROBLEM --steps H1,H2,... [OPTIONS]\n\n"
    "Runs the problem with each step size and prints the errors of q (in the Lie\n"
    "algebra), v, v' and lambda against the problem's own independent reference, the\n"
    "orders observed from one step size to the next, and for ga2s the size of eta.\n"
    "Errors are 2-norms; `at n` is the step with the largest error of lambda. If the verdict\n"
    "on a run is not good (docs/health.md), it is at the end of the line.\n\n"
    "  --steps H1,H2,...         step sizes; each must divide the time span\n"
    "  --norm max|end            the largest error over all times (default), or at the end\n"
    "  --skip T0                 ignore times before T0 (a transient)\n"
    "  --json                    print everything as JSON, with all digits\n";

static const char usage_rest[] = CLI_SETUP_HELP CLI_THREADS_HELP
    "\nexamples:\n"
    "  cardan converge heavy_top --steps 4e-3,2e-3,1e-3\n"
    "  cardan converge pendulum --set x0=0.2 --method ga3 --rho 0.9 --start plain \\\n"
    "         --steps 2e-2,1e-2,5e-3 --end 2\n"
    "  cardan converge heavy_top --method ga3 --start plain --skip 0.5 --steps 2e-3,1e-3\n";

static bool apply(void *context, int code, const char *value)
{
    static const char *const norms[] = {"max", "end"};
    cli_study *study = context;
    const char *command = study->setup.command;
    int index = 0;
    switch (code) {
    case OPTION_STEPS:
        return cli_positive_list(command, "--steps", value, &study->steps, &study->count);
    case OPTION_NORM:
        if (!cli_choice(command, "norm", value, norms, 2, &index))
            return false;
        study->end_norm = index == 1;
        return true;
    case OPTION_SKIP:
        return cli_number(command, "--skip", value, &study->skip);
    default:
        return cli_setup_apply(&study->setup, code, value);
    }
}

static bool plan_step(cli_study *study, int i)
{
    char given[CLI_NUMBER_TEXT], nearest[CLI_NUMBER_TEXT];
    double begin = cli_case_begin(study->problem);
    double span = study->setup.end - begin;
    if (!cli_plan_make(study->setup.command, begin, study->setup.end, study->steps[i],
                       cli_case_events(study->problem) != NULL, &study->plans[i]) ||
        !cli_projection_plan(&study->setup.projection, study->setup.command, &study->plans[i]))
        return false;
    if (study->plans[i].divides)
        return true;
    double count = fmax(1.0, round(span / study->steps[i]));
    cli_complain(study->setup.command,
                 "--steps: %s does not divide the time span %g; the nearest step that does is %s",
                 cli_shortest(study->steps[i], given), span, cli_shortest(span / count, nearest));
    return false;
}

static bool check_times(const cli_study *study)
{
    const char *command = study->setup.command;
    double begin = cli_case_begin(study->problem);
    if (study->setup.end <= begin)
        cli_complain(command, "--end: %g is not after the start, t = %g; give a later end",
                     study->setup.end, begin);
    else if (!isnan(study->skip) && study->end_norm)
        cli_complain(command, "--skip has no meaning with --norm end; leave one of them out");
    else if (study->skip > study->setup.end)
        cli_complain(command, "--skip: %g is after the end, t = %g; give an earlier time",
                     study->skip, study->setup.end);
    else
        return true;
    return false;
}

/* Refuses a study without reference before any run is made. */
static bool check_reference(const cli_study *study)
{
    cardan_error error;
    if (cli_case_reference(study->problem, study->setup.end, NULL, NULL, NULL, NULL, NULL,
                           &error) == CARDAN_OK)
        return true;
    cli_complain(study->setup.command, "%s: %s", study->setup.problem, error.text);
    return false;
}

static bool prepare(cli_study *study)
{
    if (study->steps == NULL) {
        cli_complain(study->setup.command,
                     "--steps is missing; give the step sizes, like --steps 2e-3,1e-3,5e-4");
        return false;
    }
    study->setup.health = true;
    if (!cli_setup_case(&study->setup, &study->problem) || !check_times(study))
        return false;
    study->plans = cli_allocate((size_t)study->count, sizeof *study->plans);
    for (int i = 0; i < study->count; i++)
        if (!plan_step(study, i))
            return false;
    return check_reference(study);
}

static int measure_all(const cli_study *study, cli_study_run *runs)
{
    int code = CLI_DONE;
    for (int i = 0; i < study->count; i++) {
        cli_progress progress = cli_progress_begin(study->setup.quiet);
        int refused = cli_study_measure(study, i, &progress, &runs[i]);
        cli_progress_end(&progress);
        if (refused != CLI_DONE)
            return refused;
        if (runs[i].failure[0] != '\0')
            code = CLI_FAILED;
        if (study->setup.json)
            continue;
        if (i == 0)
            cli_study_print_head(study);
        if (!cli_study_print_run(study, runs, i))
            return CLI_FAILED;
    }
    if (study->setup.json)
        cli_study_json(study, runs);
    if (code != CLI_DONE)
        cli_complain(study->setup.command, "a run failed; its row says why");
    return code;
}

int lab_converge(int argc, char **argv)
{
    cli_study study = {.setup = cli_setup_default(argv[0]), .skip = NAN};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .help_rest = usage_rest,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &study, &code)) {
        code = CLI_BAD_INPUT;
        if (prepare(&study)) {
            cli_study_run *runs = cli_allocate((size_t)study.count, sizeof *runs);
            code = measure_all(&study, runs);
            free(runs);
        }
    }
    free(study.plans);
    free(study.steps);
    cli_case_destroy(study.problem);
    cli_setup_free(&study.setup);
    return code;
}

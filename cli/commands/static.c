/* cardan static: an equilibrium near the start, its joint forces, and whether it is stable. */
#include "cli/results/values.h"
#include "cli/results/wrap.h"
#include "cli/setup/case.h"
#include "cli/setup/state.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_LOAD_STEPS = CLI_OPTION_OWN };

static const struct option options[] = {{"load-steps", required_argument, NULL, OPTION_LOAD_STEPS},
                                        {"set", required_argument, NULL, CLI_OPTION_SET},
                                        {"json", no_argument, NULL, CLI_OPTION_JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan static PROBLEM|MODEL [--load-steps N] [--set NAME=VALUE] [--json]\n\n"
    "Finds a static equilibrium of a built-in problem or a model file, from its initial\n"
    "configuration, at the initial time, and prints positions, joint forces and whether\n"
    "the equilibrium is stable, with the softest or unstable direction named.\n\n"
    "Without --load-steps the system creeps along the remaining forces and comes to rest\n"
    "in a stable equilibrium if there is one.\n\n"
    "  --load-steps N     hold the initial configuration and remove the holding forces in\n"
    "                     N steps: stays on one branch of equilibria, and reports where it\n"
    "                     ends (buckling, snap-through)\n"
    "  --set NAME=VALUE   a parameter of the problem; may be repeated\n"
    "  --json             print everything as JSON, with all digits\n\n"
    "examples:\n"
    "  cardan static pendulum\n"
    "  cardan static double_pendulum --json\n"
    "  cardan static suspension.yaml --load-steps 10\n\n"
    "Exit codes: 0 found, 1 there is none (the message names the forces left over),\n"
    "2 bad input.\n";

typedef struct job {
    cli_setup setup;
    int load_steps;
} job;

static bool apply(void *context, int code, const char *value)
{
    job *it = context;
    long long count;
    if (code != OPTION_LOAD_STEPS)
        return cli_setup_apply(&it->setup, code, value);
    if (!cli_count(it->setup.command, "--load-steps", value, &count))
        return false;
    if (count > 1000000) {
        cli_complain(it->setup.command, "--load-steps: at most 1000000, not %s", value);
        return false;
    }
    it->load_steps = (int)count;
    return true;
}

static const char *stability_name(cardan_stability stability)
{
    static const char *const names[] = {"stable", "neutral", "unstable", "not judged"};
    return names[stability];
}

static const char *output_name(void *from, int i)
{
    return cli_case_output_name(from, i);
}

static void print(const job *it, const cli_state *state, const cardan_equilibrium_report *report)
{
    double *values = cli_state_outputs(state);
    printf("%s: equilibrium after %d iterations", it->setup.problem, report->iterations);
    if (it->load_steps > 0)
        printf(" in %d load steps", report->load_steps);
    printf(", forces left over %.2g of %.4g\n\n", report->residual, report->force);
    cli_values_print(output_name, state->problem, values, cli_case_outputs(state->problem),
                     "`--json` prints them all");
    putchar('\n');
    cli_print_wrapped("", report->text);
    free(values);
}

static void print_json(const job *it, const cli_state *state,
                       const cardan_equilibrium_report *report)
{
    cli_json_print(
        json_pack("{s:s, s:o, s:i, s:i, s:o, s:o, s:s, s:i, s:i, s:o, s:s}", "problem",
                  it->setup.problem, "state", cli_state_json(state), "iterations",
                  report->iterations, "load_steps", report->load_steps, "residual",
                  cli_json_number(report->residual), "force", cli_json_number(report->force),
                  "stability", stability_name(report->stability), "free_directions",
                  report->free_directions, "unstable_directions", report->unstable_directions,
                  "smallest", cli_json_number(report->smallest), "text", report->text));
}

static int find(job *it)
{
    cli_state state = {0};
    cardan_equilibrium_report report;
    int code = cli_state_open(&it->setup, &state);
    if (code == CLI_DONE)
        code = cli_state_settle(&it->setup, it->load_steps, &state, &report);
    if (code == CLI_DONE && it->setup.json)
        print_json(it, &state, &report);
    else if (code == CLI_DONE)
        print(it, &state, &report);
    cli_state_free(&state);
    return code;
}

int cli_static(int argc, char **argv)
{
    job it = {.setup = cli_setup_default(argv[0])};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &it, &code))
        code = find(&it);
    cli_setup_free(&it.setup);
    return code;
}

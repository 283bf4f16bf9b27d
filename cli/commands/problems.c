/* cardan problems: the built-in problems, one line each, one in detail, or all as JSON. */
#include "cli/results/json.h"
#include "cli/setup/options.h"
#include "lab/problems/problem.h"

#include <cardan/cardan.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: cardan problems [PROBLEM] [--json]\n\n"
    "Lists the built-in problems, or one of them with its parameters and outputs.\n\n"
    "  --json   all problems with parameters, outputs, end, step and reference as JSON\n\n"
    "examples:\n"
    "  cardan problems\n"
    "  cardan problems pendulum\n"
    "  cardan problems --json\n";

enum { OPTION_JSON = CLI_OPTION_FIRST };

static const struct option options[] = {
    {"json", no_argument, NULL, OPTION_JSON}, {"help", no_argument, NULL, 'h'}, {0}};

typedef struct request {
    const char *command;
    const char *problem; /* or NULL: all */
    int index;
    bool json;
} request;

static bool apply(void *context, int code, const char *value)
{
    request *wanted = context;
    if (code == OPTION_JSON)
        return wanted->json = true;
    if (wanted->problem != NULL) {
        cli_complain(wanted->command, "unexpected argument `%s`; name at most one problem", value);
        return false;
    }
    int count = lab_problem_count();
    const char **words = cli_allocate((size_t)count, sizeof *words);
    for (int i = 0; i < count; i++)
        words[i] = lab_problem_name(i);
    wanted->problem = value;
    bool found = cli_choice(wanted->command, "problem", value, words, count, &wanted->index);
    free(words);
    return found;
}

/* The problem with its default parameters, or NULL with a message. */
static lab_problem *make(const request *wanted, int index)
{
    lab_problem *problem = NULL;
    cardan_error error;
    if (lab_problem_create(&problem, lab_problem_name(index), NULL, 0, &error) == CARDAN_OK)
        return problem;
    cli_complain(wanted->command, "%s: %s", lab_problem_name(index), error.text);
    return NULL;
}

static int list(void)
{
    for (int i = 0; i < lab_problem_count(); i++)
        printf("%-18s %s\n", lab_problem_name(i), lab_problem_summary(i));
    puts("\n`cardan problems NAME` shows one in detail, `cardan run NAME` integrates it.");
    return CLI_DONE;
}

static int describe(const request *wanted)
{
    const lab_parameter *parameters;
    int count = lab_problem_parameters(wanted->index, &parameters);
    lab_problem *problem = make(wanted, wanted->index);
    if (problem == NULL)
        return CLI_FAILED;
    printf("%s: %s\n\n", wanted->problem, lab_problem_summary(wanted->index));
    printf("time        %g to %g, recommended step %g\n", lab_problem_begin(problem),
           lab_problem_end(problem), lab_problem_step(problem));
    printf("reference   %s\noutputs    ", lab_problem_reference_text(problem));
    for (int i = 0; i < lab_problem_outputs(problem); i++)
        printf(" %s", lab_problem_output_name(problem, i));
    printf("\nparameters  %s\n", count > 0 ? "(change them with --set NAME=VALUE)" : "none");
    for (int i = 0; i < count; i++)
        printf("  %-10s %-12g %s\n", parameters[i].name, parameters[i].value, parameters[i].text);
    lab_problem_destroy(problem);
    return CLI_DONE;
}

static json_t *parameters_json(int index)
{
    const lab_parameter *parameters;
    int count = lab_problem_parameters(index, &parameters);
    json_t *list_of = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list_of, json_pack("{s:s, s:o, s:s}", "name", parameters[i].name,
                                                 "default", cli_json_number(parameters[i].value),
                                                 "text", parameters[i].text));
    return list_of;
}

static json_t *problem_json(const lab_problem *problem, int index)
{
    const cardan_system *system = lab_problem_system(problem);
    json_t *outputs = json_array();
    for (int i = 0; i < lab_problem_outputs(problem); i++)
        json_array_append_new(outputs, json_string(lab_problem_output_name(problem, i)));
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:s}", "name", lab_problem_name(index),
        "summary", lab_problem_summary(index), "dof", cardan_system_describe(system).dof,
        "constraints", cardan_system_describe(system).constraint_count, "begin",
        cli_json_number(lab_problem_begin(problem)), "end",
        cli_json_number(lab_problem_end(problem)), "step",
        cli_json_number(lab_problem_step(problem)), "parameters", parameters_json(index), "outputs",
        outputs, "reference", lab_problem_reference_text(problem));
}

static int print_json(const request *wanted)
{
    json_t *all = json_array();
    for (int i = 0; i < lab_problem_count(); i++) {
        if (wanted->problem != NULL && i != wanted->index)
            continue;
        lab_problem *problem = make(wanted, i);
        if (problem == NULL) {
            json_decref(all);
            return CLI_FAILED;
        }
        json_array_append_new(all, problem_json(problem, i));
        lab_problem_destroy(problem);
    }
    cli_json_print(all);
    return CLI_DONE;
}

int cli_problems(int argc, char **argv)
{
    request wanted = {.command = argv[0]};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (!cli_parse(&syntax, argc, argv, &wanted, &code))
        return code;
    if (wanted.json)
        return print_json(&wanted);
    return wanted.problem != NULL ? describe(&wanted) : list();
}

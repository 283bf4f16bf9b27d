/* cardan workprec: errors and costs of several methods, step sizes and tolerances. */
#include "workprec.h"
#include "cli/setup/file_uses.h"
#include "lab_commands.h"

#include "cli/setup/case.h"
#include "lab/peers/ida.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_METHODS = CLI_OPTION_OWN,
    OPTION_STEPS,
    OPTION_RTOLS,
    OPTION_ATOL,
    OPTION_REF,
    OPTION_NORM,
    OPTION_COST,
    OPTION_REPEAT,
    OPTION_PLOT,
    OPTION_CSV,
    OPTION_NO_IDA
};

static const struct option options[] = {
    {"methods", required_argument, NULL, OPTION_METHODS},
    {"steps", required_argument, NULL, OPTION_STEPS},
    {"rtols", required_argument, NULL, OPTION_RTOLS},
    {"atol", required_argument, NULL, OPTION_ATOL},
    {"ref", required_argument, NULL, OPTION_REF},
    {"norm", required_argument, NULL, OPTION_NORM},
    {"cost", required_argument, NULL, OPTION_COST},
    {"repeat", required_argument, NULL, OPTION_REPEAT},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"csv", required_argument, NULL, OPTION_CSV},
    {"no-ida", no_argument, NULL, OPTION_NO_IDA},
    {"rho", required_argument, NULL, CLI_OPTION_RHO},
    {"params", required_argument, NULL, CLI_OPTION_PARAMS},
    {"start", required_argument, NULL, CLI_OPTION_START},
    {"difference", required_argument, NULL, CLI_OPTION_DIFFERENCE},
    {"update", required_argument, NULL, CLI_OPTION_UPDATE},
    {"end", required_argument, NULL, CLI_OPTION_END},
    {"set", required_argument, NULL, CLI_OPTION_SET},
    {"expert", no_argument, NULL, CLI_OPTION_EXPERT},
    {"quiet", no_argument, NULL, CLI_OPTION_QUIET},
    {"json", no_argument, NULL, CLI_OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {0}};

static const char usage[] =
    "usage: cardan workprec PROBLEM [--methods M1,M2,...] [OPTIONS]\n\n"
    "Work and precision: runs the problem by each method with each step size and with\n"
    "each tolerance, and prints the errors of q (in the Lie algebra), v, lambda and psi\n"
    "(2-norms) beside what they cost: steps, residual evaluations, Newton iterations,\n"
    "factorizations and time; then the cost at equal errors. If the program was built\n"
    "with SUNDIALS, IDA solves the stabilised index-2 form of the same problem with the\n"
    "same tolerances.\n\n"
    "  --methods M1,M2,...       methods to compare; default ga2s,ga3\n"
    "  --steps H1,H2,...         fixed steps; default 4, 2, 1, 1/2, 1/4 of the recommended\n"
    "  --rtols R1,R2,...         adaptive steps with these relative tolerances of the error;\n"
    "                            default 1e-3,1e-4,1e-5,1e-6. If only one of --steps and\n"
    "                            --rtols is given, only such runs are made\n"
    "  --atol A                  absolute tolerance of these runs; default: a hundredth of the\n"
    "                            relative one\n"
    "  --ref own|METHOD[:H]      compare with the problem's own reference (default), or with\n"
    "                            METHOD with fixed steps H; default: a twentieth of the\n"
    "                            smallest step\n"
    "  --norm end|max            errors at the end (default), or the largest of all steps\n"
    "  --cost time|evaluations|factorizations|iterations|steps\n"
    "                            cost in the plot and at equal errors; default time\n"
    "  --repeat N                time every run N times and take the shortest; default 3\n"
    "  --plot FILE.svg           draw error over cost\n"
    "  --csv FILE                write a row for every run\n"
    "  --json                    print everything as JSON, with all digits\n"
    "  --no-ida                  do not run IDA\n"
    "  --rho, --params, --start, --difference, --update, --end, --set, --expert, --quiet\n"
    "                            as in `cardan run`\n"
    "\nexamples:\n"
    "  cardan workprec heavy_top --plot top.svg\n"
    "  cardan workprec double_pendulum --methods ga2s,ga3,hht3 --rtols 1e-3,1e-5,1e-7\n"
    "  cardan workprec rolling_disk --methods nonholonomic --steps 2e-2,1e-2,5e-3 --json\n"
    "  cardan workprec jn2 --methods ga3 --ref hht3:1e-5 --cost evaluations\n";

/* The methods are names between commas. */
static bool apply_methods(cli_workprec *study, const char *value)
{
    study->solver_count = 0;
    while (*value != '\0') {
        const size_t length = strcspn(value, ",");
        char name[64];
        cli_setup setup = cli_setup_default(study->setup.command);
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), value);
        if (study->solver_count == CLI_MOST_SOLVERS - 1) {
            cli_complain(study->setup.command, "--methods: at most %d methods",
                         CLI_MOST_SOLVERS - 1);
            return false;
        }
        if (!cli_setup_apply(&setup, CLI_OPTION_METHOD, name))
            return false;
        for (int i = 0; i < study->solver_count; i++)
            if (strcmp(study->solvers[i].name, setup.method) == 0) {
                cli_complain(study->setup.command, "--methods: %s is named twice", setup.method);
                return false;
            }
        study->solvers[study->solver_count++].name = setup.method;
        value += length + (value[length] == ',');
    }
    if (study->solver_count == 0)
        cli_complain(study->setup.command, "--methods: the list is empty; name one, like ga2s");
    return study->solver_count > 0;
}

static bool apply_file(const cli_workprec *study, const char *option, const char *value,
                       const char **file)
{
    *file = value;
    if (value[0] == '\0')
        cli_complain(study->setup.command, "%s: the file's name is empty; give a name", option);
    return value[0] != '\0';
}

static bool apply_choice(cli_workprec *study, int code, const char *value)
{
    static const char *const norms[] = {"end", "max"};
    int index = 0;
    const bool is_norm = code == OPTION_NORM;
    if (!cli_choice(study->setup.command, is_norm ? "norm" : "cost", value,
                    is_norm ? norms : cli_cost_names, is_norm ? 2 : CLI_COSTS, &index))
        return false;
    if (is_norm)
        study->largest = index == 1;
    else
        study->cost = (cli_cost)index;
    return true;
}

static bool apply(void *context, int code, const char *value)
{
    cli_workprec *study = context;
    const char *command = study->setup.command;
    switch (code) {
    case OPTION_METHODS:
        return apply_methods(study, value);
    case OPTION_STEPS:
        return cli_positive_list(command, "--steps", value, &study->steps, &study->step_count);
    case OPTION_RTOLS:
        return cli_positive_list(command, "--rtols", value, &study->rtols, &study->rtol_count);
    case OPTION_ATOL:
        return cli_positive(command, "--atol", value, &study->atol);
    case OPTION_REF:
        study->reference_given = value;
        return true;
    case OPTION_NORM:
    case OPTION_COST:
        return apply_choice(study, code, value);
    case OPTION_REPEAT:
        return cli_count(command, "--repeat", value, &study->repeat);
    case OPTION_PLOT:
        return apply_file(study, "--plot", value, &study->plot);
    case OPTION_CSV:
        return apply_file(study, "--csv", value, &study->csv);
    case OPTION_NO_IDA:
        return study->without_ida = true;
    default:
        return cli_setup_apply(&study->setup, code, value);
    }
}

/* Steps and tolerances that were not given. */
static void fill_lists(cli_workprec *study)
{
    static const double factors[] = {4.0, 2.0, 1.0, 0.5, 0.25}, rtols[] = {1e-3, 1e-4, 1e-5, 1e-6};
    if (study->steps != NULL || study->rtols != NULL)
        return;
    study->steps = cli_allocate(5, sizeof *study->steps);
    study->rtols = cli_allocate(4, sizeof *study->rtols);
    for (study->step_count = 0; study->step_count < 5; study->step_count++)
        study->steps[study->step_count] =
            factors[study->step_count] * cli_case_step(study->problem);
    for (study->rtol_count = 0; study->rtol_count < 4; study->rtol_count++)
        study->rtols[study->rtol_count] = rtols[study->rtol_count];
}

/* The options of the study for one method; those without parameters get none. */
static bool set_method(const cli_workprec *study, const char *name, cli_setup *setup)
{
    *setup = study->setup;
    if (!cli_setup_apply(setup, CLI_OPTION_METHOD, name))
        return false;
    if (setup->own_params) {
        setup->rho_given = false;
        setup->family = NULL;
    }
    return cli_setup_resolve(setup);
}

/* Whether an integrator can be made; the sentence if not. */
static bool can_make(const cli_workprec *study, const cli_setup *setup, bool adaptive,
                     cardan_error *error)
{
    cardan_integrator_def def = cli_setup_def(setup, cli_case_step(study->problem));
    cardan_integrator *integrator = NULL;
    const cardan_tolerance some = {1e-3, 1e-3};
    def.events = cli_case_events(study->problem);
    def.control.adaptive = adaptive;
    def.control.position = def.control.velocity = def.control.multiplier = some;
    const cardan_status status =
        cardan_integrator_create(&integrator, cli_case_system(study->problem), &def, error);
    cardan_integrator_destroy(integrator);
    return status == CARDAN_OK;
}

static bool prepare_solvers(cli_workprec *study)
{
    cardan_error error;
    if (study->solver_count == 0 && !apply_methods(study, "ga2s,ga3"))
        return false;
    for (int i = 0; i < study->solver_count; i++) {
        cli_solver *solver = &study->solvers[i];
        if (!set_method(study, solver->name, &solver->setup))
            return false;
        if (!can_make(study, &solver->setup, false, &error)) {
            cli_complain(study->setup.command, "%s: %s", solver->name, error.text);
            return false;
        }
        solver->adapts = can_make(study, &solver->setup, true, &error);
        if (!solver->adapts && study->step_count == 0) {
            cli_complain(study->setup.command, "%s takes fixed steps only; give --steps",
                         solver->name);
            return false;
        }
    }
    if (peer_ida_text() != NULL && !study->without_ida && study->rtol_count > 0)
        study->solvers[study->solver_count++] =
            (cli_solver){.name = "ida", .is_ida = true, .adapts = true};
    return true;
}

static double shortest_step(const cli_workprec *study)
{
    double h = cli_case_step(study->problem);
    for (int i = 0; i < study->step_count; i++)
        h = fmin(h, study->steps[i]);
    return h;
}

/* METHOD[:H] */
static bool compute_reference(cli_workprec *study)
{
    const char *given = study->reference_given, *colon = strchr(given, ':');
    const int length = colon != NULL ? (int)(colon - given) : (int)strlen(given);
    const char *command = study->setup.command;
    char name[64], number[CLI_NUMBER_TEXT];
    double h = shortest_step(study) / 20.0;
    cli_setup setup;
    snprintf(name, sizeof name, "%.*s", length < 60 ? length : 60, given);
    if ((colon != NULL && !cli_positive(command, "--ref", colon + 1, &h)) ||
        !set_method(study, name, &setup))
        return false;
    for (int i = 0; i < study->solver_count; i++)
        if (strcmp(study->solvers[i].name, setup.method) == 0) {
            cli_complain(command,
                         "--ref: %s is one of the methods, and shares their errors; "
                         "choose another one",
                         setup.method);
            return false;
        }
    if (study->largest) {
        cli_complain(command, "--ref: a computed reference is known at the end only; leave out "
                              "--norm max");
        return false;
    }
    study->fixed_reference = true;
    snprintf(study->reference_text, sizeof study->reference_text,
             "computed by %s (%s) with fixed steps of %s", setup.method, setup.params_text,
             cli_shortest(h, number));
    return cli_workprec_make_reference(study, &setup, h);
}

static bool prepare_reference(cli_workprec *study)
{
    cardan_error error;
    if (study->reference_given != NULL && strcmp(study->reference_given, "own") != 0)
        return compute_reference(study);
    snprintf(study->reference_text, sizeof study->reference_text, "%s",
             cli_case_reference_text(study->problem));
    if (cli_comparison_look_up(&study->comparison, study->setup.end, &error))
        return true;
    cli_complain(study->setup.command, "%s: %s; --ref METHOD:H computes one", study->setup.problem,
                 error.text);
    return false;
}

/* What a problem with events allows. */
static bool fit_events(cli_workprec *study)
{
    const char *command = study->setup.command;
    if (study->largest) {
        cli_complain(command,
                     "--norm max: next to an event of %s the error of its time would count as one "
                     "of v; leave it out",
                     study->setup.problem);
        return false;
    }
    if (peer_ida_text() != NULL && !study->without_ida && !study->setup.quiet)
        cli_complain(command, "ida is left out: it would not see the events of %s",
                     study->setup.problem);
    study->without_ida = true;
    return true;
}

static bool prepare(cli_workprec *study)
{
    if (!cli_setup_case(&study->setup, &study->problem))
        return false;
    if (cli_case_events(study->problem) != NULL && !fit_events(study))
        return false;
    study->begin = cli_case_begin(study->problem);
    study->comparison = cli_comparison_create(study->problem);
    if (!(study->setup.end > study->begin)) {
        cli_complain(study->setup.command,
                     "--end: %g is not after the start, t = %g; give a later end", study->setup.end,
                     study->begin);
        return false;
    }
    fill_lists(study);
    return prepare_solvers(study) && prepare_reference(study);
}

/* Every solver with every step and every tolerance that it can be run with. */
static void list_runs(cli_workprec *study)
{
    const int most = study->solver_count * (study->step_count + study->rtol_count);
    study->runs = cli_allocate((size_t)most, sizeof *study->runs);
    for (int s = 0; s < study->solver_count; s++) {
        const cli_solver *solver = &study->solvers[s];
        for (int i = 0; i < study->step_count && !solver->is_ida; i++)
            study->runs[study->run_count++] =
                (cli_workprec_run){.solver = solver, .value = study->steps[i]};
        for (int i = 0; i < study->rtol_count && solver->adapts; i++)
            study->runs[study->run_count++] =
                (cli_workprec_run){.solver = solver, .adaptive = true, .value = study->rtols[i]};
    }
}

static bool files_agree(const cli_workprec *study)
{
    cli_file_uses uses = {0};
    cli_file_uses_add_setup(&uses, &study->setup);
    cli_file_uses_add(&uses, "--csv", study->csv, CLI_WRITTEN);
    cli_file_uses_add(&uses, "--plot", study->plot, CLI_WRITTEN);
    return cli_file_uses_agree(&uses, study->setup.command);
}

static int execute(cli_workprec *study)
{
    bool failed = false;
    list_runs(study);
    if (!study->setup.json)
        cli_workprec_print_head(study);
    for (int i = 0; i < study->run_count; i++) {
        cli_workprec_measure(study, &study->runs[i]);
        failed = failed || study->runs[i].failure[0] != '\0';
        if (!study->setup.json)
            cli_workprec_print_run(study, &study->runs[i]);
    }
    if (study->setup.json)
        cli_workprec_json(study);
    else
        cli_workprec_print_equal(study);
    const bool written = (study->csv == NULL || cli_workprec_write_csv(study)) &&
                         (study->plot == NULL || cli_workprec_draw(study));
    if (failed)
        cli_complain(study->setup.command, "a run failed; its row says why");
    return failed || !written ? CLI_FAILED : CLI_DONE;
}

int lab_workprec(int argc, char **argv)
{
    cli_workprec study = {.setup = cli_setup_default(argv[0]), .repeat = 3};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &study, &code))
        code = prepare(&study) && files_agree(&study) ? execute(&study) : CLI_BAD_INPUT;
    free(study.runs);
    free(study.steps);
    free(study.rtols);
    cli_comparison_free(&study.comparison);
    cli_case_destroy(study.problem);
    cli_setup_free(&study.setup);
    return code;
}

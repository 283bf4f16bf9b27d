/* Problem, method and start as run and converge take them from the options. */
#include "setup.h"

#include "case.h"
#include "cli/commands/interrupt.h"
#include "lab/problems/problem.h"
#include "model_input.h"
#include "shipped.h"
#include <cardan/redundancy.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 4 };
static const char *const start_names[STARTS] = {[CARDAN_START_PLAIN] = "plain",
                                                [CARDAN_START_PERTURBED] = "perturbed",
                                                [CARDAN_START_ACCELERATION] = "acceleration",
                                                [CARDAN_START_TRAPEZOIDAL] = "trapezoidal"};
static const char *const difference_names[] = {"central", "forward"};
static const char *const update_names[] = {"exp", "magnus"};
static const char *const branch_names[] = {"stop", "keep"};
static const char *const mass_names[] = {"predicted", "previous"};
static const char *const variant_names[] = {"full", "explicit", "midpoint", "midpoint-explicit",
                                            "lunk-simeon"};

static const char automatic[] = "auto", of_fixed_steps[] = "ga2s";

/* Commands that choose steps by the error leave the method to the library. */
static bool may_adapt(const char *command)
{
    static const char *const commands[] = {"run", "verify", "check", "workprec"};
    bool found = false;
    for (int i = 0; i < (int)(sizeof commands / sizeof commands[0]); i++)
        found = found || strcmp(command, commands[i]) == 0;
    return found;
}

cli_setup cli_setup_default(const char *command)
{
    cli_setup setup = {.command = command,
                       .method = may_adapt(command) ? automatic : of_fixed_steps,
                       .rho = 0.8,
                       .start = CARDAN_START_PERTURBED,
                       .difference = CARDAN_DIFFERENCE_CENTRAL,
                       .projection = cli_projection_default(),
                       .end = NAN};
    return setup;
}

void cli_setup_free(cli_setup *setup)
{
    for (int i = 0; i < setup->setting_count; i++) {
        free((void *)setup->settings[i].name);
        free((void *)setup->setting_texts[i]);
    }
    free(setup->settings);
    free(setup->setting_texts);
    cardan_model_file_destroy(setup->model_file);
    cli_projection_free(&setup->projection);
    free(setup->found);
    free(setup->lambda0.value);
    free(setup->psi0.value);
    setup->lambda0 = setup->psi0 = (cli_guess){NULL, 0};
    setup->settings = NULL;
    setup->found = NULL;
    setup->setting_count = 0;
}

/* The index of a name in one of the library's catalogues. */
static bool choose_from(const char *command, const char *what, const char *text, int count,
                        const char *(*name_of)(int), int *index)
{
    const char **words = cli_allocate((size_t)count, sizeof *words);
    for (int i = 0; i < count; i++)
        words[i] = name_of(i);
    bool found = cli_choice(command, what, text, words, count, index);
    free(words);
    return found;
}

/* The built-in problem of this name; complains about an unknown one with the nearest of problems
 * and shipped models. */
static bool choose_problem(cli_setup *setup, const char *name)
{
    cli_shipped models = cli_shipped_list();
    const int problems = lab_problem_count();
    const char **words = cli_allocate((size_t)(problems + models.count), sizeof *words);
    int count = problems;
    for (int i = 0; i < problems; i++)
        words[i] = lab_problem_name(i);
    for (int i = 0; i < models.count; i++)
        if (!cli_problem_exists(models.names[i]))
            words[count++] = models.names[i];
    const bool known =
        cli_choice(setup->command, "problem or model", name, words, count, &setup->problem_index);
    free(words);
    cli_shipped_free(&models);
    return known;
}

static bool apply_problem(cli_setup *setup, const char *name)
{
    if (setup->problem != NULL) {
        cli_complain(setup->command, "unexpected argument `%s` after `%s`; name one problem", name,
                     setup->problem);
        return false;
    }
    setup->problem = name;
    setup->problem_index = -1;
    setup->found = cli_model_find(name);
    if (setup->found == NULL)
        return choose_problem(setup, name);
    setup->problem = setup->found;
    return true;
}

/* `auto` comes before the methods of the library. */
static const char *method_name(int i)
{
    return i == 0 ? automatic : cardan_method_describe(i - 1).name;
}

static bool apply_method(cli_setup *setup, const char *value)
{
    int index;
    if (!choose_from(setup->command, "method", value, cardan_method_count() + 1, method_name,
                     &index))
        return false;
    setup->method = method_name(index);
    if (index == 0 && !may_adapt(setup->command))
        setup->method = of_fixed_steps;
    setup->own_params = index > 0 && !cardan_method_describe(index - 1).uses_params;
    return true;
}

static bool apply_rho(cli_setup *setup, const char *value)
{
    if (!cli_number(setup->command, "--rho", value, &setup->rho))
        return false;
    setup->rho_given = true;
    if (setup->rho >= 0.0 && setup->rho <= 1.0)
        return true;
    cli_complain(setup->command, "--rho: %s is outside 0 to 1; 0.8 is a good choice", value);
    return false;
}

static bool apply_start(cli_setup *setup, const char *value)
{
    int index;
    if (!cli_choice(setup->command, "start", value, start_names, STARTS, &index))
        return false;
    setup->start = (cardan_start)index;
    return true;
}

static bool apply_update(cli_setup *setup, const char *value)
{
    int index;
    if (!cli_choice(setup->command, "update", value, update_names, 2, &index))
        return false;
    setup->update = index == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
    return true;
}

static bool apply_branch(cli_setup *setup, const char *value)
{
    int index;
    if (!cli_choice(setup->command, "branch", value, branch_names, 2, &index))
        return false;
    setup->branch = index == 0 ? CARDAN_BRANCH_STOP : CARDAN_BRANCH_KEEP;
    return true;
}

static bool apply_mass(cli_setup *setup, const char *value)
{
    int index;
    if (!cli_choice(setup->command, "mass", value, mass_names, 2, &index))
        return false;
    setup->mass = index == 0 ? CARDAN_MASS_PREDICTED : CARDAN_MASS_PREVIOUS;
    return true;
}

static bool apply_variant(cli_setup *setup, const char *value)
{
    static const cardan_hht3_variant variants[] = {
        CARDAN_HHT3_FULL, CARDAN_HHT3_EXPLICIT, CARDAN_HHT3_MIDPOINT, CARDAN_HHT3_MIDPOINT_EXPLICIT,
        CARDAN_HHT3_LUNK_SIMEON};
    int index;
    if (!cli_choice(setup->command, "variant", value, variant_names, 5, &index))
        return false;
    setup->variant = variants[index];
    return true;
}

static const struct {
    int code;
    const char *name, *method;
} method_options[CLI_METHOD_OPTIONS] = {{CLI_OPTION_PENALTY, "--penalty", "conserving"},
                                        {CLI_OPTION_MASS, "--mass", "nonholonomic"},
                                        {CLI_OPTION_B, "--b", "hht3"},
                                        {CLI_OPTION_ORDER, "--order", "bdf"},
                                        {CLI_OPTION_VARIANT, "--variant", "hht3"}};

static void note_method_option(cli_setup *setup, int code)
{
    for (int i = 0; i < CLI_METHOD_OPTIONS; i++)
        setup->method_option[i] = setup->method_option[i] || method_options[i].code == code;
}

static bool check_method_options(const cli_setup *setup)
{
    for (int i = 0; i < CLI_METHOD_OPTIONS; i++)
        if (setup->method_option[i] && strcmp(setup->method, method_options[i].method) != 0) {
            cli_complain(setup->command,
                         "%s is an option of `%s` and the method is `%s`; leave it "
                         "out or change the method",
                         method_options[i].name, method_options[i].method, setup->method);
            return false;
        }
    return true;
}

static bool apply_difference(cli_setup *setup, const char *value)
{
    int index;
    if (!cli_choice(setup->command, "difference formula", value, difference_names, 2, &index))
        return false;
    setup->difference = index == 0 ? CARDAN_DIFFERENCE_CENTRAL : CARDAN_DIFFERENCE_FORWARD;
    return true;
}

static void add_setting(cli_setup *setup, const char *name, size_t length, const char *text)
{
    const size_t count = (size_t)setup->setting_count;
    lab_setting *longer = cli_allocate(count + 1, sizeof *longer);
    const char **texts = cli_allocate(count + 1, sizeof *texts);
    char *copy = cli_allocate(length + 1, 1);
    for (size_t i = 0; i < count; i++) {
        longer[i] = setup->settings[i];
        texts[i] = setup->setting_texts[i];
    }
    char *text_copy = cli_allocate(strlen(text) + 1, 1);
    memcpy(copy, name, length);
    strcpy(text_copy, text);
    free(setup->settings);
    free(setup->setting_texts);
    setup->settings = longer;
    setup->setting_texts = texts;
    longer[count] = (lab_setting){copy, NAN};
    texts[count] = text_copy;
    setup->setting_count++;
}

static bool apply_set(cli_setup *setup, const char *value)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        cli_complain(setup->command, "--set: `%s` is not a setting; write NAME=VALUE, like x0=0.2",
                     value);
        return false;
    }
    add_setting(setup, value, (size_t)(equals - value), equals + 1);
    return true;
}

/* Parameters of built-in problems are numbers. */
static bool read_settings(cli_setup *setup)
{
    for (int i = 0; i < setup->setting_count; i++)
        if (!cli_number(setup->command, "--set", setup->setting_texts[i],
                        &setup->settings[i].value))
            return false;
    return true;
}

static bool apply_projection(cli_setup *setup, int code, const char *value)
{
    cli_projection *projection = &setup->projection;
    switch (code) {
    case CLI_OPTION_PROJECT:
        return cli_projection_level(projection, setup->command, value);
    case CLI_OPTION_PROJECT_AT:
        return cli_projection_times(projection, setup->command, value);
    case CLI_OPTION_PROJECT_TARGET:
        return cli_projection_target(projection, setup->command, value);
    case CLI_OPTION_PROJECT_ACCELERATION:
        return projection->how.acceleration = true;
    case CLI_OPTION_PROJECTION:
        return cli_projection_norm(projection, setup->command, value);
    case CLI_OPTION_ACCELERATION_PROJECTION:
        return cli_projection_acceleration_norm(projection, setup->command, value);
    default:
        return cli_projection_solver(projection, setup->command, value);
    }
}

/* Options of the run rather than of the method. */
static bool apply_run_option(cli_setup *setup, int code, const char *value)
{
    switch (code) {
    case CLI_OPTION_LAMBDA0:
        return cli_number_list(setup->command, "--lambda0", value, &setup->lambda0.value,
                               &setup->lambda0.count);
    case CLI_OPTION_PSI0:
        return cli_number_list(setup->command, "--psi0", value, &setup->psi0.value,
                               &setup->psi0.count);
    case CLI_OPTION_END:
        return cli_number(setup->command, "--end", value, &setup->end);
    case CLI_OPTION_SET:
        return apply_set(setup, value);
    case CLI_OPTION_NEWTON_RTOL:
        return cli_positive(setup->command, "--newton-rtol", value, &setup->newton_rtol);
    case CLI_OPTION_NEWTON_ATOL:
        return cli_positive(setup->command, "--newton-atol", value, &setup->newton_atol);
    case CLI_OPTION_THREADS:
        return cli_count(setup->command, "--threads", value, &setup->threads);
    case CLI_OPTION_EXPERT:
        return setup->expert = true;
    case CLI_OPTION_QUIET:
        return setup->quiet = true;
    default:
        return setup->json = true;
    }
}

bool cli_setup_apply(cli_setup *setup, int code, const char *value)
{
    note_method_option(setup, code);
    if (code >= CLI_OPTION_FIRST)
        setup->given |= 1ull << (code - CLI_OPTION_FIRST);
    switch (code) {
    case CLI_OPTION_PROJECT:
    case CLI_OPTION_PROJECT_AT:
    case CLI_OPTION_PROJECT_TARGET:
    case CLI_OPTION_PROJECT_ACCELERATION:
    case CLI_OPTION_PROJECTION:
    case CLI_OPTION_ACCELERATION_PROJECTION:
    case CLI_OPTION_PROJECTION_SOLVER:
        return apply_projection(setup, code, value);
    case CLI_POSITIONAL:
        return apply_problem(setup, value);
    case CLI_OPTION_METHOD:
        return apply_method(setup, value);
    case CLI_OPTION_RHO:
        return apply_rho(setup, value);
    case CLI_OPTION_PARAMS:
        setup->family = value;
        return true;
    case CLI_OPTION_START:
        return apply_start(setup, value);
    case CLI_OPTION_UPDATE:
        return apply_update(setup, value);
    case CLI_OPTION_BRANCH:
        return apply_branch(setup, value);
    case CLI_OPTION_MASS:
        return apply_mass(setup, value);
    case CLI_OPTION_PENALTY:
        return cli_positive(setup->command, "--penalty", value, &setup->penalty);
    case CLI_OPTION_B:
        return cli_number(setup->command, "--b", value, &setup->b);
    case CLI_OPTION_ORDER:
        return cli_count(setup->command, "--order", value, &setup->order);
    case CLI_OPTION_VARIANT:
        return apply_variant(setup, value);
    case CLI_OPTION_DIFFERENCE:
        return apply_difference(setup, value);
    default:
        return apply_run_option(setup, code, value);
    }
}

/* The member of the HHT family with this damping at infinity, rho = (1 + alpha) / (1 - alpha). */
static bool resolve_hht(cli_setup *setup)
{
    char number[CLI_NUMBER_TEXT];
    const double alpha = setup->rho_given ? -(1.0 - setup->rho) / (1.0 + setup->rho) : -0.1;
    if (setup->rho_given && setup->rho < 0.5) {
        cli_complain(setup->command,
                     "--rho: %s has the damping 0.5 to 1; the others of the family exceed "
                     "-1/3 <= alpha <= 0 (hht3 has more with --variant lunk-simeon --params "
                     "ch:%s)",
                     setup->method, cli_shortest(setup->rho, number));
        return false;
    }
    setup->params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    snprintf(setup->params_text, sizeof setup->params_text, "hht:%s", cli_shortest(alpha, number));
    return true;
}

/* Methods without free parameters take none, rather than ignore what was asked for. */
static bool resolve_own_params(cli_setup *setup)
{
    if (setup->rho_given || setup->family != NULL) {
        cli_complain(setup->command, "%s has no parameters; leave out --rho and --params",
                     setup->method);
        return false;
    }
    setup->params = (cardan_params){NAN, NAN, NAN, NAN};
    snprintf(setup->params_text, sizeof setup->params_text, "no parameters");
    return true;
}

static bool resolve_params(cli_setup *setup)
{
    char number[CLI_NUMBER_TEXT];
    cardan_error error;
    if (setup->rho_given && setup->family != NULL) {
        cli_complain(setup->command, "--rho and --params exclude each other; give one of them");
        return false;
    }
    if (setup->own_params)
        return resolve_own_params(setup);
    if (setup->family == NULL && strncmp(setup->method, "hht", 3) == 0)
        return resolve_hht(setup);
    if (setup->family == NULL) {
        setup->params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, setup->rho);
        snprintf(setup->params_text, sizeof setup->params_text, "ch:%s",
                 cli_shortest(setup->rho, number));
        return true;
    }
    snprintf(setup->params_text, sizeof setup->params_text, "%s", setup->family);
    if (cardan_params_parse(setup->family, &setup->params, &error) == CARDAN_OK)
        return true;
    cli_complain(setup->command, "--params: %s", error.text);
    return false;
}

static bool check_settings(const cli_setup *setup)
{
    const lab_parameter *parameters;
    int count = lab_problem_parameters(setup->problem_index, &parameters);
    const char **words = cli_allocate((size_t)count, sizeof *words);
    bool sound = true;
    for (int i = 0; i < count; i++)
        words[i] = parameters[i].name;
    for (int i = 0; i < setup->setting_count && sound; i++) {
        const char *name = setup->settings[i].name;
        int index;
        if (count == 0)
            cli_complain(setup->command, "--set: `%s` has no parameters; leave --set out",
                         setup->problem);
        sound = count > 0 && cli_choice(setup->command, "parameter", name, words, count, &index);
        for (int j = 0; j < i && sound; j++) {
            sound = strcmp(name, setup->settings[j].name) != 0;
            if (!sound)
                cli_complain(setup->command, "--set: `%s` is set twice; set it once", name);
        }
    }
    free(words);
    return sound;
}

bool cli_setup_resolve(cli_setup *setup)
{
    return check_method_options(setup) && resolve_params(setup);
}

static bool create_builtin(cli_setup *setup, cli_case **problem)
{
    cardan_error error;
    if (!cli_setup_resolve(setup) || !read_settings(setup) || !check_settings(setup))
        return false;
    if (cli_case_of_problem(problem, setup->problem, setup->settings, setup->setting_count,
                            &error) == CARDAN_OK)
        return true;
    cli_complain(setup->command, "%s: %s", setup->problem, error.text);
    return false;
}

static bool fits(const cli_setup *setup, const char *option, const cli_guess *guess, int count)
{
    if (guess->value == NULL || guess->count == count)
        return true;
    if (count == 0)
        cli_complain(setup->command,
                     "%s: `%s` has no multipliers of this kind; leave the option out", option,
                     setup->problem);
    else
        cli_complain(setup->command,
                     "%s: `%s` has %d multiplier%s of this kind and %d guesses are given; give as "
                     "many numbers",
                     option, setup->problem, count, count == 1 ? "" : "s", guess->count);
    return false;
}

/* The numbers of a model's constraints mean nothing to its author. */
static bool take_guesses(const cli_setup *setup, cli_case *problem)
{
    const cardan_system *system = cli_case_system(problem);
    cardan_error error;
    if (setup->lambda0.value == NULL && setup->psi0.value == NULL)
        return true;
    if (setup->model_file != NULL) {
        cli_complain(setup->command,
                     "--lambda0 and --psi0 are for built-in problems; give joints of a model file "
                     "`force_guess` and `moment_guess`, or --set joints.NAME.force_guess=[...]");
        return false;
    }
    if (!fits(setup, "--lambda0", &setup->lambda0,
              cardan_system_describe(system).constraint_count) ||
        !fits(setup, "--psi0", &setup->psi0, cardan_system_describe(system).nonholonomic_count))
        return false;
    if (cli_case_set_guess(problem, setup->lambda0.value, setup->psi0.value, &error) == CARDAN_OK)
        return true;
    cli_complain(setup->command, "%s", error.text);
    return false;
}

bool cli_setup_case(cli_setup *setup, cli_case **problem)
{
    if (setup->problem == NULL) {
        cli_complain(
            setup->command,
            "no problem is named; `cardan problems` and `cardan models` list what there is");
        return false;
    }
    const bool made =
        setup->problem_index < 0
            ? cli_model_read(setup) && cli_setup_resolve(setup) && cli_model_case(setup, problem)
            : create_builtin(setup, problem);
    if (!made || !take_guesses(setup, *problem))
        return false;
    if (isnan(setup->end))
        setup->end = cli_case_end(*problem);
    return cli_projection_fit(&setup->projection, setup->command, cli_case_system(*problem));
}

static void set_tolerance(const cli_setup *setup, cardan_tolerance *tolerance)
{
    if (setup->newton_rtol > 0.0) {
        tolerance->relative = setup->newton_rtol;
        tolerance->absolute = fmax(tolerance->absolute, 0.01 * setup->newton_rtol);
    }
    if (setup->newton_atol > 0.0)
        tolerance->absolute = setup->newton_atol;
}

cardan_integrator_def cli_setup_def(const cli_setup *setup, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = setup->method;
    def.tag = setup->problem;
    if (!setup->own_params)
        def.params = setup->params;
    def.expert = setup->expert;
    def.step = step;
    def.experimental.start = setup->start;
    def.experimental.difference = setup->difference;
    def.update = setup->update;
    def.branch = setup->branch;
    def.experimental.nonholonomic_mass = setup->mass;
    def.experimental.conserving_penalty = setup->penalty;
    def.experimental.hht3_b = setup->b;
    def.experimental.bdf_order = setup->order < INT_MAX ? (int)setup->order : INT_MAX;
    def.experimental.hht3_variant = setup->variant;
    def.health = setup->health;
    def.timing = setup->timing;
    def.threads = setup->threads < INT_MAX ? (int)setup->threads : INT_MAX;
    if (setup->tolerance.adaptive) {
        cli_tolerance_set(&setup->tolerance, &def.control);
        def.step = 0.0;
    }
    if (setup->projection.time_count == 0)
        def.projection = setup->projection.how;
    set_tolerance(setup, &def.newton.position);
    set_tolerance(setup, &def.newton.velocity);
    set_tolerance(setup, &def.newton.multiplier);
    return def;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return cli_interrupt_seen();
}

int cli_setup_integrator(const cli_setup *setup, const cli_case *problem, double step,
                         cardan_integrator **integrator)
{
    cardan_integrator_def def = cli_setup_def(setup, step);
    cardan_error error;
    def.events = cli_case_events(problem);
    if (setup->model_file != NULL)
        cardan_model_watch(cardan_model_file_model(setup->model_file), &def);
    if (strcmp(setup->command, "run") != 0 && strcmp(setup->command, "verify") != 0) {
        def.reselect = NULL; /* the others keep the system that they began with */
        def.branch = CARDAN_BRANCH_STOP;
    }
    if (strcmp(setup->command, "run") == 0)
        def.interrupted = is_interrupted;
    cardan_status status =
        cardan_integrator_create(integrator, cli_case_system(problem), &def, &error);
    if (status == CARDAN_OK)
        return CLI_DONE;
    cli_complain(setup->command, "%s", error.text);
    return status == CARDAN_OUT_OF_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
}

bool cli_setup_has_eta(const cli_setup *setup)
{
    return strcmp(setup->method, "ga2s") == 0 || strcmp(setup->method, "nonholonomic") == 0;
}

static int method_index(const cli_setup *setup)
{
    for (int i = 0; i < cardan_method_count(); i++)
        if (strcmp(cardan_method_describe(i).name, setup->method) == 0)
            return i;
    return -1;
}

bool cli_setup_is_automatic(const cli_setup *setup)
{
    return strcmp(setup->method, automatic) == 0;
}

void cli_setup_fix_steps(cli_setup *setup)
{
    if (cli_setup_is_automatic(setup))
        setup->method = of_fixed_steps;
}

int cli_setup_stages(const cli_setup *setup)
{
    return cardan_method_describe(method_index(setup)).stage_count;
}

bool cli_setup_can_adapt(const cli_setup *setup)
{
    return cli_setup_is_automatic(setup) || cardan_method_describe(method_index(setup)).adapts;
}

const char *cli_setup_start_name(const cli_setup *setup)
{
    return start_names[setup->start];
}

static json_t *parameters_json(const cli_setup *setup)
{
    const lab_parameter *parameters;
    if (setup->model_file != NULL)
        return cli_model_settings_json(setup);
    int count = lab_problem_parameters(setup->problem_index, &parameters);
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(object, parameters[i].name, cli_json_number(parameters[i].value));
    for (int i = 0; i < setup->setting_count; i++)
        json_object_set_new(object, setup->settings[i].name,
                            cli_json_number(setup->settings[i].value));
    return object;
}

json_t *cli_setup_json(const cli_setup *setup)
{
    return json_pack(
        "{s:s, s:o, s:s, s:{s:s, s:o, s:o, s:o, s:o}, s:s, s:s, s:s, s:b}", "problem",
        setup->problem, "parameters", parameters_json(setup), "method", setup->method, "params",
        "family", setup->params_text, "alpha_m", cli_json_number(setup->params.alpha_m), "alpha_f",
        cli_json_number(setup->params.alpha_f), "beta", cli_json_number(setup->params.beta),
        "gamma", cli_json_number(setup->params.gamma), "start", cli_setup_start_name(setup),
        "difference", difference_names[setup->difference == CARDAN_DIFFERENCE_CENTRAL ? 0 : 1],
        "update", update_names[setup->update == CARDAN_UPDATE_EXP ? 0 : 1], "expert",
        setup->expert);
}

const char *cli_reason(const cardan_integrator *integrator, cardan_status status)
{
    const char *message = cardan_integrator_message(integrator);
    return message[0] != '\0' ? message : cardan_status_text(status);
}

/* cardan modes: frequencies, damping and shapes of small motions about a state. */
#include "cli/results/wrap.h"
#include "cli/setup/model_input.h"
#include "cli/setup/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_ABOUT = CLI_OPTION_OWN, OPTION_UNDAMPED, OPTION_LOAD_STEPS, OPTION_COUNT };

static const struct option options[] = {{"about", required_argument, NULL, OPTION_ABOUT},
                                        {"undamped", no_argument, NULL, OPTION_UNDAMPED},
                                        {"load-steps", required_argument, NULL, OPTION_LOAD_STEPS},
                                        {"count", required_argument, NULL, OPTION_COUNT},
                                        {"set", required_argument, NULL, CLI_OPTION_SET},
                                        {"json", no_argument, NULL, CLI_OPTION_JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan modes PROBLEM|MODEL [--about start|static|T] [--count N]\n"
    "             [--undamped] [--json]\n\n"
    "Linearises a built-in problem or a model file about a state, with all\n"
    "constraints projected out, and prints the eigenvalues s of motions exp(s t):\n"
    "frequency, damping ratio and the coordinates that move most.\n\n"
    "  --about start      the initial state (default): at rest, or in steady motion\n"
    "  --about static     the equilibrium that `cardan static` finds\n"
    "  --about T          the state that the motion has reached at time T\n"
    "  --load-steps N     of --about static, see `cardan help static`\n"
    "  --count N          the N lowest modes; default: all of systems of up to 1200\n"
    "                     velocities, 20 of larger ones\n"
    "  --undamped         ignore forces that depend on velocities (states of rest only)\n"
    "  --set NAME=VALUE   a parameter of the problem; may be repeated\n"
    "  --json             print everything as JSON, with all digits and mode shapes\n\n"
    "examples:\n"
    "  cardan modes double_pendulum --about static\n"
    "  cardan modes models/bicycle.yaml --set lean_rate=0\n"
    "  cardan modes rolling_disk --about 2 --json\n"
    "  cardan generate chain --n 1000 --out chain.yaml\n"
    "  cardan modes chain.yaml --about static --count 12\n\n"
    "Exit codes: 0 done, 1 the state or its modes cannot be found, 2 bad input.\n";

typedef struct job {
    cli_setup setup;
    bool settle;
    double time; /* NAN: the start */
    bool undamped;
    int load_steps;
    int count; /* 0: the default */
} job;

static bool read_about(job *it, const char *value)
{
    it->settle = strcmp(value, "static") == 0;
    it->time = NAN;
    if (it->settle || strcmp(value, "start") == 0)
        return true;
    char *end;
    it->time = strtod(value, &end);
    if (end != value && *end == '\0' && isfinite(it->time))
        return true;
    cli_complain(it->setup.command, "--about: `%s` is neither `start` nor `static` nor a time",
                 value);
    return false;
}

static bool apply(void *context, int code, const char *value)
{
    job *it = context;
    long long count = 0;
    switch (code) {
    case OPTION_ABOUT:
        return read_about(it, value);
    case OPTION_UNDAMPED:
        it->undamped = true;
        return true;
    case OPTION_LOAD_STEPS:
        if (!cli_count(it->setup.command, "--load-steps", value, &count))
            return false;
        it->load_steps = count > 1000000 ? 1000000 : (int)count;
        return true;
    case OPTION_COUNT:
        if (!cli_count(it->setup.command, "--count", value, &count))
            return false;
        it->count = count > 1000 ? 1000 : (int)count;
        return true;
    default:
        return cli_setup_apply(&it->setup, code, value);
    }
}

static void print_note(const cardan_modes *modes)
{
    char text[400];
    if (modes->is_partial)
        cli_print_wrapped("", "These are the lowest modes (--count asks for more). Eigenvalues 0 "
                              "(cyclic coordinates, neutral directions) were not counted: that "
                              "takes full matrices.");
    if (modes->zeros > 0) {
        snprintf(text, sizeof text,
                 "%d more eigenvalue%s 0: %d change%s of the state neither grow%s nor return%s "
                 "(cyclic coordinates, neutral directions, other steady motions).",
                 modes->zeros, modes->zeros == 1 ? " is" : "s are", modes->steady,
                 modes->steady == 1 ? "" : "s", modes->steady == 1 ? "s" : "",
                 modes->steady == 1 ? "s" : "");
        cli_print_wrapped("", text);
    }
    if (!modes->is_steady) {
        snprintf(text, sizeof text,
                 "The state is not steady (accelerations up to %.3g, or equations that change "
                 "along the motion): these modes describe the moment only. --about static goes to "
                 "an equilibrium.",
                 modes->acceleration);
        cli_print_wrapped("", text);
    }
}

/* Without what is rounding beside |s|. */
static double clean(double part, const cardan_mode *mode, const cardan_modes *modes)
{
    const double rounding = modes->is_partial ? 1e-10 : 1e-12;
    return fabs(part) > rounding * hypot(mode->real, mode->imag) ? part : 0.0;
}

static void print(const job *it, const cli_state *state, const cardan_modes *modes)
{
    printf("%s at t = %g: %d free displacements, %d free velocities\n\n", it->setup.problem,
           state->t, modes->displacements, modes->velocities);
    if (modes->count > 0)
        printf("  mode      real s      imag s   frequency     damping  what moves most\n"
               "             [1/s]     [rad/s]        [Hz]       ratio\n");
    for (int i = 0; i < modes->count; i++) {
        const cardan_mode *mode = &modes->mode[i];
        const double real = clean(mode->real, mode, modes);
        printf("  %4d  %10.5g  %10.5g  %10.6g  %10.4g  %s\n", i + 1, real, mode->imag,
               mode->frequency, real != 0.0 ? mode->damping_ratio : 0.0, mode->moves);
    }
    if (modes->count > 0)
        putchar('\n');
    print_note(modes);
}

static json_t *numbers(const double *x, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, cli_json_number(x[i]));
    return array;
}

static json_t *mode_json(const cardan_mode *mode, int dof)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "real", cli_json_number(mode->real),
        "imag", cli_json_number(mode->imag), "frequency", cli_json_number(mode->frequency),
        "damping_ratio", cli_json_number(mode->damping_ratio), "moves", mode->moves,
        "displacement_real", numbers(mode->displacement, dof), "displacement_imag",
        numbers(mode->displacement + dof, dof), "velocity_real", numbers(mode->velocity, dof),
        "velocity_imag", numbers(mode->velocity + dof, dof));
}

static json_t *counted(const cardan_modes *modes, int number)
{
    return modes->is_partial ? json_null() : json_integer(number);
}

static void print_json(const job *it, const cli_state *state, const cardan_modes *modes)
{
    json_t *list = json_array();
    for (int i = 0; i < modes->count; i++)
        json_array_append_new(list, mode_json(&modes->mode[i], modes->dof));
    cli_json_print(json_pack(
        "{s:s, s:o, s:i, s:i, s:o, s:o, s:o, s:b, s:o, s:o, s:b}", "problem", it->setup.problem,
        "t", cli_json_number(state->t), "displacements", modes->displacements, "velocities",
        modes->velocities, "modes", list, "zeros", counted(modes, modes->zeros), "steady_changes",
        counted(modes, modes->steady), "is_steady", modes->is_steady, "acceleration",
        cli_json_number(modes->acceleration), "largest_real", cli_json_number(modes->largest_real),
        "lowest_only", modes->is_partial));
}

static int find_state(job *it, cli_state *state)
{
    cardan_equilibrium_report report;
    int code = cli_state_open(&it->setup, state);
    if (code != CLI_DONE)
        return code;
    if (it->settle)
        return cli_state_settle(&it->setup, it->load_steps, state, &report);
    return cli_state_advance(&it->setup, isnan(it->time) ? state->t : it->time, state);
}

static int find(job *it)
{
    cli_state state = {0};
    cardan_modes *modes = NULL;
    cardan_error error;
    cardan_modes_def def = cardan_modes_def_default();
    int code = find_state(it, &state);
    def.undamped = it->undamped;
    def.count = it->count;
    if (code == CLI_DONE) {
        const cardan_point at = cli_state_point(&state);
        if (cardan_modes_create(&modes, state.system, &at, &def, &error) != CARDAN_OK) {
            cli_model_complain(&it->setup, error.text);
            code = error.status == CARDAN_INVALID_ARGUMENT ? CLI_BAD_INPUT : CLI_FAILED;
        }
    }
    if (modes != NULL && it->setup.json)
        print_json(it, &state, modes);
    else if (modes != NULL)
        print(it, &state, modes);
    cardan_modes_destroy(modes);
    cli_state_free(&state);
    return code;
}

int cli_modes(int argc, char **argv)
{
    job it = {.setup = cli_setup_default(argv[0]), .time = NAN};
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

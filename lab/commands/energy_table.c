/* cardan energy: what each method does to the energy of conservative problems in long runs. */
#include "cli/results/json.h"
#include "cli/setup/options.h"
#include "lab/problems/problem.h"
#include "lab_commands.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_STEPS = CLI_OPTION_FIRST, OPTION_MARKDOWN, OPTION_JSON };
enum { SAMPLES = 3, DEFAULT_STEPS = 100000, FEWEST_STEPS = 100 };

static const struct option options[] = {{"steps", required_argument, NULL, OPTION_STEPS},
                                        {"markdown", no_argument, NULL, OPTION_MARKDOWN},
                                        {"json", no_argument, NULL, OPTION_JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan energy [PROBLEM] [--steps N] [--markdown | --json]\n\n"
    "Runs conservative problems with every method over N steps of the recommended size\n"
    "and prints the relative error of the energy after N/100, N/10 and N steps, with one\n"
    "of these words:\n\n"
    "  conserves    the error stays below 1e-10\n"
    "  stays        it stays below 1e-3 and below twice its size in the first N/100 steps\n"
    "  dissipates   the energy decreases and hardly ever exceeds the first value\n"
    "  grows        the energy increases and hardly ever falls below the first value\n"
    "  drifts       the energy changes, but not in one direction\n\n"
    "Some methods are run again with a velocity projection after every step. In the norm\n"
    "A = M it cannot add energy, in the norm W = diag(15, 1, 15, 1, ...) it can.\n\n"
    "  --steps N                 number of steps; default 100000\n"
    "  --markdown                print the page docs/energy.md\n"
    "  --json                    print everything as JSON, with all digits\n"
    "\nexamples:\n"
    "  cardan energy --steps 1000\n"
    "  cardan energy two_particles\n"
    "  cardan energy --markdown > docs/energy.md\n";

static const char *const problems[] = {"free_body", "heavy_top", "heavy_top_spatial",
                                       "double_pendulum", "two_particles"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

typedef enum projection_norm { NO_PROJECTION, MASS, PUMPING } projection_norm;

/* What is run beside the plain methods. */
static const struct {
    const char *method;
    projection_norm norm;
} projected[] = {{"ga3", MASS},    {"ga2s", MASS},    {"conserving", MASS},
                 {"ga3", PUMPING}, {"ga2s", PUMPING}, {"conserving", PUMPING}};
enum { PROJECTED = sizeof projected / sizeof projected[0] };

typedef struct energy_job {
    const char *command;
    const char *only;    /* a problem, or NULL for all */
    const char *current; /* the problem that is being run */
    long long steps;
    bool markdown, json;
} energy_job;

typedef struct row {
    char name[64];
    double errors[SAMPLES]; /* signed, relative to |E(0)|; NAN where it did not come */
    double early;           /* largest |error| up to the first sample */
    double lowest, highest; /* of all errors and 0 */
    bool applicable;
    char word[256];
} row;

static bool apply(void *context, int code, const char *value)
{
    energy_job *it = context;
    int index;
    switch (code) {
    case OPTION_STEPS:
        if (!cli_count(it->command, "--steps", value, &it->steps))
            return false;
        if (it->steps >= FEWEST_STEPS)
            return true;
        cli_complain(it->command, "--steps: %s is too few; give at least %d", value, FEWEST_STEPS);
        return false;
    case OPTION_MARKDOWN:
        return it->markdown = true;
    case OPTION_JSON:
        return it->json = true;
    default:
        if (!cli_choice(it->command, "conservative problem", value, problems, PROBLEMS, &index))
            return false;
        it->only = problems[index];
        return true;
    }
}

static cardan_integrator_def definition(const lab_problem *problem, const char *method,
                                        projection_norm norm, double *matrix)
{
    const int dof = cardan_system_describe(lab_problem_system(problem)).dof;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = lab_problem_step(problem);
    if (strncmp(method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    if (norm == NO_PROJECTION)
        return def;
    def.projection.level = CARDAN_PROJECT_VELOCITY;
    def.projection.norm = norm == MASS ? CARDAN_NORM_MASS : CARDAN_NORM_DIAGONAL;
    for (int i = 0; i < dof; i++)
        matrix[i] = i % 2 == 0 ? 15.0 : 1.0;
    def.projection.matrix = matrix;
    return def;
}

static double energy_of(cardan_integrator *it)
{
    double kinetic, potential;
    return cardan_integrator_energy(it, &kinetic, &potential) == CARDAN_OK ? kinetic + potential
                                                                           : NAN;
}

/* The word for a run that came to its end. */
static const char *judge(const row *r)
{
    const double end = r->errors[SAMPLES - 1], largest = fmax(r->highest, -r->lowest);
    const double conserved = 1e-10, small = 1e-3, aside = 0.1 * largest;
    if (largest <= conserved)
        return "conserves";
    if (largest <= fmin(small, 2.0 * r->early))
        return "stays";
    if (end < -0.5 * largest && r->highest <= aside)
        return "dissipates";
    if (end > 0.5 * largest && -r->lowest <= aside)
        return "grows";
    return "drifts";
}

static void measure(const energy_job *job, cardan_integrator *it, row *r)
{
    const double first = energy_of(it), size = fmax(fabs(first), 1e-300);
    const long long at[SAMPLES] = {job->steps / 100, job->steps / 10, job->steps};
    for (long long n = 1; n <= job->steps; n++) {
        const cardan_status status = cardan_integrator_step(it);
        if (status != CARDAN_OK) {
            snprintf(r->word, sizeof r->word, "fails at step %lld: %s", n,
                     cardan_status_text(status));
            return;
        }
        const double error = (energy_of(it) - first) / size;
        r->lowest = fmin(r->lowest, error);
        r->highest = fmax(r->highest, error);
        if (n == at[0])
            r->early = fmax(r->highest, -r->lowest);
        for (int i = 0; i < SAMPLES; i++)
            if (n == at[i])
                r->errors[i] = error;
    }
    snprintf(r->word, sizeof r->word, "%s", judge(r));
}

static void start_and_measure(const energy_job *job, const lab_problem *problem,
                              cardan_integrator *it, row *r)
{
    if (lab_problem_start(problem, it) == CARDAN_OK)
        measure(job, it, r);
    else
        snprintf(r->word, sizeof r->word, "does not start: %s", cardan_integrator_message(it));
}

/* Where rows do not show on the terminal: which run is being made. An empty name clears it. */
static void show_progress(const energy_job *job, const char *name)
{
    if (!isatty(STDERR_FILENO) || (isatty(STDOUT_FILENO) && !job->json))
        return;
    if (name[0] != '\0')
        fprintf(stderr, "\rcardan: %s by %s\033[K", job->current, name);
    else
        fputs("\r\033[K", stderr);
}

static row run(const energy_job *job, const lab_problem *problem, const char *method,
               projection_norm norm)
{
    static const char *const additions[] = {"", ", A = M", ", A = W"};
    const cardan_system *system = lab_problem_system(problem);
    row r = {.errors = {NAN, NAN, NAN}};
    snprintf(r.name, sizeof r.name, "%s%s", method, additions[norm]);
    show_progress(job, r.name);
    double *matrix = cli_allocate((size_t)cardan_system_describe(system).dof, sizeof *matrix);
    const cardan_integrator_def def = definition(problem, method, norm, matrix);
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    r.applicable = cardan_integrator_create(&it, system, &def, &error) == CARDAN_OK;
    if (r.applicable)
        start_and_measure(job, problem, it, &r);
    else /* the sentence up to its advice */
        snprintf(r.word, sizeof r.word, "not applicable: %.*s", (int)strcspn(error.text, ";"),
                 error.text);
    cardan_integrator_destroy(it);
    free(matrix);
    return r;
}

static const char page[] =
    "# The energy of long runs\n\n"
    "Made by `cardan energy --markdown` (`make energy-table`); do not edit.\n\n"
    "Relative error of kinetic + potential energy, (E - E(0)) / |E(0)|, of conservative problems\n"
    "with the problem's recommended step and the default parameters (Chung-Hulbert, rho 0.8;\n"
    "HHT alpha -0.1). The last column says what the energy does:\n\n"
    "- conserves: the error stays below 1e-10;\n"
    "- stays: it stays below 1e-3 and below twice its size in the first hundredth of the run;\n"
    "- dissipates, grows: the energy decreases or increases, and is hardly ever on the other side "
    "of\n"
    "  the first value;\n"
    "- drifts: the energy changes, but not in one direction.\n\n"
    "`A = M` and `A = W` are velocity projections after every step (GO10 Sec. 5). In the mass norm "
    "A = M a\n"
    "projection cannot add energy; in the norm W = diag(15, 1, 15, 1, ...) it can.\n";

static void print_head(const energy_job *job, const lab_problem *problem, const char *name)
{
    const double h = lab_problem_step(problem);
    if (job->markdown)
        printf("\n## %s, h = %g\n\n| method | %lld steps | %lld steps | %lld steps | energy |\n"
               "|---|---|---|---|---|\n",
               name, h, job->steps / 100, job->steps / 10, job->steps);
    else if (!job->json)
        printf("%s, h = %g\n  %-18s %10lld %10lld %10lld steps\n", name, h, "method",
               job->steps / 100, job->steps / 10, job->steps);
}

static void print_number(const energy_job *job, double value)
{
    char text[32] = "-";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.1e", value);
    printf(job->markdown ? " %s |" : " %10s", text);
}

static void print_row(const energy_job *job, const row *r)
{
    printf(job->markdown ? "| %s |" : "  %-18s", r->name);
    for (int i = 0; i < SAMPLES; i++)
        print_number(job, r->errors[i]);
    printf(job->markdown ? " %s |\n" : "  %s\n", r->word);
    fflush(stdout); /* the next run may take long */
}

static json_t *row_json(const row *r)
{
    json_t *errors = json_array();
    for (int i = 0; i < SAMPLES; i++)
        json_array_append_new(errors, cli_json_number(r->errors[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:s}", "method", r->name, "errors", errors, "lowest",
                     cli_json_number(r->lowest), "highest", cli_json_number(r->highest), "energy",
                     r->word);
}

static void show(const energy_job *job, const row *r, json_t *rows)
{
    if (job->json)
        json_array_append_new(rows, row_json(r));
    else
        print_row(job, r);
}

static bool survey(energy_job *job, const char *name, json_t *list)
{
    lab_problem *problem = NULL;
    cardan_error error;
    if (lab_problem_create(&problem, name, NULL, 0, &error) != CARDAN_OK) {
        cli_complain(job->command, "%s: %s", name, error.text);
        return false;
    }
    const cardan_system *system = lab_problem_system(problem);
    json_t *rows = json_array();
    job->current = name;
    print_head(job, problem, name);
    for (int i = 0; i < cardan_method_count(); i++) {
        const row r = run(job, problem, cardan_method_describe(i).name, NO_PROJECTION);
        show(job, &r, rows);
    }
    for (int i = 0; i < PROJECTED && cardan_system_describe(system).constraint_count > 0; i++) {
        const row r = run(job, problem, projected[i].method, projected[i].norm);
        if (r.applicable) /* if not, the plain method's row has said so */
            show(job, &r, rows);
    }
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:o}", "problem", name, "step",
                                    cli_json_number(lab_problem_step(problem)), "rows", rows));
    lab_problem_destroy(problem);
    return true;
}

static int execute(energy_job *job)
{
    json_t *list = json_array();
    bool done = true;
    if (job->markdown)
        fputs(page, stdout);
    for (int i = 0; i < PROBLEMS && done; i++)
        if (job->only == NULL || strcmp(job->only, problems[i]) == 0)
            done = survey(job, problems[i], list);
    show_progress(job, "");
    if (job->json && done)
        cli_json_print(json_pack("{s:I, s:O}", "steps", (json_int_t)job->steps, "problems", list));
    json_decref(list);
    return done ? CLI_DONE : CLI_FAILED;
}

int lab_energy(int argc, char **argv)
{
    energy_job job = {.command = argv[0], .steps = DEFAULT_STEPS};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (!cli_parse(&syntax, argc, argv, &job, &code))
        return code;
    if (job.markdown && job.json) {
        cli_complain(job.command, "--markdown and --json exclude each other; give one of them");
        return CLI_BAD_INPUT;
    }
    return execute(&job);
}

/* cardan extrapolate: two or three runs side by side, combined into one of order 3 or 4. */
#include "cli/results/csv.h"
#include "cli/setup/case.h"
#include "cli/setup/file_uses.h"
#include "cli/setup/model_input.h"
#include "cli/setup/setup.h"
#include "march.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_STEP = CLI_OPTION_OWN, OPTION_LEVELS, OPTION_OUT };

static const struct option options[] = {CLI_SETUP_OPTIONS,
                                        {"step", required_argument, NULL, OPTION_STEP},
                                        {"levels", required_argument, NULL, OPTION_LEVELS},
                                        {"out", required_argument, NULL, OPTION_OUT},
                                        {0}};

static const char usage[] =
    "usage: cardan extrapolate PROBLEM|FILE [OPTIONS]\n\n"
    "Integrates with steps H, H/2 (and H/3) side by side and combines the runs: order 3\n"
    "(or 4) in positions, velocities and joint forces, and an estimate of the error that\n"
    "has accumulated. For smooth motions without events and high accuracy.\n\n"
    "  --step H                  the largest step size (slightly smaller if it does not divide\n"
    "                            the time span); default: the problem's own\n"
    "  --levels 2|3              how many runs; default 2\n"
    "  --out FILE.csv            a row for every step H there (- is stdout): t, the problem's\n"
    "                            outputs, and the estimated errors error_q, error_v,\n"
    "                            error_lambda\n"
    "  --json                    print the result as JSON\n";

static const char usage_rest[] = CLI_SETUP_HELP CLI_THREADS_HELP
    "\nexamples:\n"
    "  cardan extrapolate heavy_top --step 2e-3\n"
    "  cardan extrapolate double_pendulum --step 0.01 --levels 3 --out d.csv\n"
    "  cardan extrapolate fourbar.yaml --method ga3 --step 5e-3 --json\n";

typedef struct extrapolate_job {
    cli_setup setup;
    double step;
    int levels;
    const char *out;

    cli_case *problem;
    cardan_extrapolation *runs;
    cli_plan plan;
    cli_csv csv; /* name is NULL if no CSV is written */
    int outputs;
    double *values; /* t, outputs and the three estimates */
    cardan_extrapolation_error largest;
} extrapolate_job;

enum { ESTIMATES = 3 };
static const char *const estimate_names[ESTIMATES] = {"error_q", "error_v", "error_lambda"};

static bool apply(void *context, int code, const char *value)
{
    static const char *const counts[] = {"2", "3"};
    extrapolate_job *job = context;
    int index = 0;
    switch (code) {
    case OPTION_STEP:
        return cli_positive(job->setup.command, "--step", value, &job->step);
    case OPTION_LEVELS:
        if (!cli_choice(job->setup.command, "number of levels", value, counts, 2, &index))
            return false;
        job->levels = CARDAN_LEAST_LEVELS + index;
        return true;
    case OPTION_OUT:
        job->out = cli_is_stdout(value) ? "-" : value;
        if (value[0] != '\0')
            return true;
        cli_complain(job->setup.command, "--out: the file's name is empty; give a name or -");
        return false;
    default:
        return cli_setup_apply(&job->setup, code, value);
    }
}

/* The runs, refused with the library's own sentence. */
static bool make_runs(extrapolate_job *job)
{
    const cli_plan *plan = &job->plan;
    const double step = (plan->end - plan->begin) / fmax(1.0, (double)plan->steps);
    cardan_integrator_def def = cli_setup_def(&job->setup, step > 0.0 ? step : plan->step);
    cardan_error error;
    def.events = cli_case_events(job->problem);
    const cardan_status status = cardan_extrapolation_create(
        &job->runs, cli_case_system(job->problem), &def, job->levels, &error);
    if (status != CARDAN_OK)
        cli_complain(job->setup.command, "%s", error.text);
    return status == CARDAN_OK;
}

static bool prepare(extrapolate_job *job)
{
    const cli_setup *setup = &job->setup;
    if (setup->json && job->out != NULL && strcmp(job->out, "-") == 0) {
        cli_complain(setup->command,
                     "--json and `--out -` both want standard output; give --out a file");
        return false;
    }
    if (!cli_setup_case(&job->setup, &job->problem))
        return false;
    double sample = 0.0;
    long long every = 0;
    cli_model_defaults(&job->setup, &job->step, &sample, &every);
    const double step = job->step > 0.0 ? job->step : cli_case_step(job->problem);
    if (!cli_plan_make(setup->command, cli_case_begin(job->problem), setup->end, step, false,
                       &job->plan) ||
        !make_runs(job))
        return false;
    cli_file_uses uses = {0};
    cli_file_uses_add_setup(&uses, setup);
    cli_file_uses_add(&uses, "--out", job->out, CLI_WRITTEN);
    if (!cli_file_uses_agree(&uses, setup->command))
        return false;
    job->outputs = cli_case_outputs(job->problem);
    job->values = cli_allocate((size_t)(1 + job->outputs + ESTIMATES), sizeof *job->values);
    return true;
}

static bool open_csv(extrapolate_job *job)
{
    const int columns = 1 + job->outputs + ESTIMATES;
    char **names = cli_allocate((size_t)columns, sizeof *names);
    names[0] = cli_copy("t");
    for (int i = 0; i < job->outputs; i++)
        names[1 + i] = cli_copy(cli_case_output_name(job->problem, i));
    for (int i = 0; i < ESTIMATES; i++)
        names[1 + job->outputs + i] = cli_copy(estimate_names[i]);
    const bool opened = cli_csv_open(&job->csv, job->setup.command, job->out, names, columns, true);
    for (int i = 0; i < columns; i++)
        free(names[i]);
    free(names);
    return opened;
}

static bool write_row(extrapolate_job *job)
{
    const cardan_state *s = cardan_extrapolation_state(job->runs);
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    const cardan_extrapolation_error estimate = cardan_extrapolation_estimate(job->runs);
    cardan_extrapolation_error *largest = &job->largest;
    largest->position = fmax(largest->position, estimate.position);
    largest->velocity = fmax(largest->velocity, estimate.velocity);
    largest->multiplier = fmax(largest->multiplier, estimate.multiplier);
    largest->resolved = estimate.resolved; /* what was not stays so */
    double *end = job->values + 1 + job->outputs;
    job->values[0] = s->t;
    cli_case_output(job->problem, &at, job->values + 1);
    end[0] = estimate.position;
    end[1] = estimate.velocity;
    end[2] = estimate.multiplier;
    return job->csv.name == NULL || cli_csv_row(&job->csv, job->values);
}

static cardan_status start(const extrapolate_job *job)
{
    const cardan_system *system = cli_case_system(job->problem);
    const size_t size = (size_t)cardan_group_size(cardan_system_describe(system).group),
                 dof = (size_t)cardan_system_describe(system).dof,
                 m = (size_t)cardan_system_describe(system).constraint_count,
                 l = (size_t)cardan_system_describe(system).nonholonomic_count;
    double *q = cli_allocate(size + dof + m + l, sizeof *q), *v = q + size, *lambda = v + dof,
           *psi = lambda + m;
    cli_case_initial(job->problem, q, v);
    cli_case_guess(job->problem, lambda, psi);
    const cardan_status status =
        cardan_extrapolation_start(job->runs, job->plan.begin, q, v, lambda, psi);
    free(q);
    return status;
}

/* From the begin to the end; false if a step or a write has failed, which has been told. */
static bool march(extrapolate_job *job)
{
    const cli_plan *plan = &job->plan;
    cardan_status status = start(job);
    cli_progress progress = cli_progress_begin(job->setup.quiet);
    bool written = status == CARDAN_OK && write_row(job);
    for (long long n = 1; written && status == CARDAN_OK && n <= plan->steps; n++) {
        const double t = n == plan->steps ? plan->end
                                          : plan->begin + (double)n * (plan->end - plan->begin) /
                                                              (double)plan->steps;
        status = cardan_extrapolation_advance(job->runs, t);
        written = status != CARDAN_OK || write_row(job);
        cli_progress_show(&progress, plan->begin, plan->end, t, plan->step, n);
    }
    cli_progress_end(&progress);
    if (status != CARDAN_OK)
        cli_complain(job->setup.command, "at t = %.10g: %s",
                     cardan_extrapolation_state(job->runs)->t,
                     cardan_extrapolation_message(job->runs));
    return status == CARDAN_OK && written;
}

static long steps_of_all(const extrapolate_job *job)
{
    long steps = 0;
    for (int i = 0; i < job->levels; i++)
        steps += cardan_integrator_statistics(cardan_extrapolation_level(job->runs, i)).steps;
    return steps;
}

static void print_result(const extrapolate_job *job)
{
    const cli_setup *setup = &job->setup;
    printf("%s by %s (%s), extrapolated from %d runs, order %d\n", setup->problem, setup->method,
           setup->params_text, job->levels, job->levels + 1);
    printf("t = %g to %g: %lld steps, %ld of all runs\n\nat t = %.10g\n", job->plan.begin,
           job->plan.end, job->plan.steps, steps_of_all(job), job->values[0]);
    for (int i = 0; i < job->outputs; i++)
        printf("  %-16s %18.12g\n", cli_case_output_name(job->problem, i), job->values[1 + i]);
    printf("\nestimated error   at the end   largest\n");
    const double largest[ESTIMATES] = {job->largest.position, job->largest.velocity,
                                       job->largest.multiplier};
    static const char *const words[ESTIMATES] = {"positions", "velocities", "joint forces"};
    for (int i = 0; i < ESTIMATES; i++)
        printf("  %-15s %.2e     %.2e\n", words[i], job->values[1 + job->outputs + i], largest[i]);
    if (job->csv.name != NULL)
        printf("\n%lld rows in %s\n", job->csv.rows, job->csv.name);
}

static void print_json(const extrapolate_job *job)
{
    json_t *result = cli_setup_json(&job->setup);
    json_t *state = json_object(), *errors = json_object(), *largest = json_object();
    const double most[ESTIMATES] = {job->largest.position, job->largest.velocity,
                                    job->largest.multiplier};
    for (int i = 0; i < job->outputs; i++)
        json_object_set_new(state, cli_case_output_name(job->problem, i),
                            json_real(job->values[1 + i]));
    for (int i = 0; i < ESTIMATES; i++) {
        json_object_set_new(errors, estimate_names[i],
                            json_real(job->values[1 + job->outputs + i]));
        json_object_set_new(largest, estimate_names[i], json_real(most[i]));
    }
    json_object_set_new(result, "levels", json_integer(job->levels));
    json_object_set_new(result, "step", json_real(job->plan.step));
    json_object_set_new(result, "steps", json_integer(job->plan.steps));
    json_object_set_new(result, "steps_of_all_runs", json_integer(steps_of_all(job)));
    json_object_set_new(result, "t", json_real(job->values[0]));
    json_object_set_new(result, "state", state);
    json_object_set_new(result, "estimated_error", errors);
    json_object_set_new(result, "largest_estimated_error", largest);
    json_object_set_new(result, "resolved", json_boolean(job->largest.resolved));
    cli_json_print(result);
}

static int run_job(extrapolate_job *job)
{
    if (!prepare(job))
        return CLI_BAD_INPUT;
    if (job->out != NULL && !open_csv(job))
        return CLI_FAILED;
    bool done = march(job);
    done = cli_csv_close(&job->csv, true) && done;
    if (!done)
        return CLI_FAILED;
    if (job->setup.json)
        print_json(job);
    else if (!job->setup.quiet && !job->csv.out.to_stdout)
        print_result(job);
    if (!job->largest.resolved)
        cli_complain(
            job->setup.command,
            "the errors do not fall with the step as they should: the steps do not resolve "
            "the motion, and the estimates are not to be trusted; take a shorter --step");
    return CLI_DONE;
}

int cli_extrapolate(int argc, char **argv)
{
    extrapolate_job job = {.setup = cli_setup_default(argv[0]), .levels = CARDAN_LEAST_LEVELS};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .help_rest = usage_rest,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &job, &code))
        code = run_job(&job);
    cli_csv_close(&job.csv, false);
    free(job.values);
    cardan_extrapolation_destroy(job.runs);
    cli_case_destroy(job.problem);
    cli_setup_free(&job.setup);
    return code;
}

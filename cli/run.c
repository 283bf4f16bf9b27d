/* cardan run: integrates a built-in problem and writes its motion. */
#include "run.h"

#include <string.h>
#include <unistd.h>

enum { PREVIEW_ROWS = 20 };

enum { OPTION_STEP = CLI_OPTION_OWN, OPTION_EVERY, OPTION_OUT, OPTION_STATS, OPTION_LEDGER };

static const struct option options[] = {CLI_SETUP_OPTIONS,
                                        {"step", required_argument, NULL, OPTION_STEP},
                                        {"every", required_argument, NULL, OPTION_EVERY},
                                        {"out", required_argument, NULL, OPTION_OUT},
                                        {"stats", no_argument, NULL, OPTION_STATS},
                                        {"ledger", no_argument, NULL, OPTION_LEDGER},
                                        {0}};

static const char usage[] =
    "usage: cardan run PROBLEM [OPTIONS]\n\n"
    "Integrates a built-in problem (`cardan problems` lists them). On a terminal it\n"
    "prints a short table; into a pipe or a file it writes all columns as CSV.\n\n"
    "  --step H                  step size; default: the problem's recommendation\n"
    "  --every K                 a row every K steps (the first and last row always)\n"
    "  --out FILE.csv            write the CSV there and a summary here; - is stdout\n"
    "  --json                    print the summary as JSON\n"
    "  --stats                   print all counters of the solver\n"
    "  --ledger                  keep the energy balance: CSV columns work, dE_i, "
    "dE_p\n" CLI_SETUP_HELP
    "\nCSV columns: t, the problem's outputs, eta1.. (ga2s), phi_max and hidden_max\n"
    "(largest position- and velocity-constraint residual), kinetic, potential, energy;\n"
    "with --ledger work, dE_i, dE_p: energy = first energy + work + dE_i + dE_p.\n\n"
    "examples:\n"
    "  cardan run heavy_top\n"
    "  cardan run heavy_top --out top.csv\n"
    "  cardan run pendulum --set x0=0.2 --method ga3 --rho 0.9 --step 1e-2 --end 2 --out p.csv\n"
    "  cardan run pendulum --params hht:-0.1 --every 10 > p.csv\n"
    "  cardan run slider_crank --json\n";

static bool apply(void *context, int code, const char *value)
{
    cli_run_job *job = context;
    switch (code) {
    case OPTION_STEP:
        return cli_positive(job->setup.command, "--step", value, &job->step);
    case OPTION_EVERY:
        return cli_count(job->setup.command, "--every", value, &job->every);
    case OPTION_OUT:
        job->out = value;
        if (value[0] != '\0')
            return true;
        cli_complain(job->setup.command, "--out: the file's name is empty; give a name or -");
        return false;
    case OPTION_STATS:
        return job->stats = true;
    case OPTION_LEDGER:
        return job->setup.ledger = true;
    default:
        return cli_setup_apply(&job->setup, code, value);
    }
}

/* Everything that can be refused before any work or any file is touched. */
static int prepare(cli_run_job *job)
{
    cli_setup *setup = &job->setup;
    if (setup->json && job->out != NULL && strcmp(job->out, "-") == 0) {
        cli_complain(setup->command, "--json and `--out -` both want standard output; give --out a "
                                     "file");
        return CLI_BAD_INPUT;
    }
    if (!cli_setup_problem(setup, &job->problem))
        return CLI_BAD_INPUT;
    double step = job->step > 0.0 ? job->step : cardan_problem_step(job->problem);
    if (!cli_plan_make(setup->command, cardan_problem_begin(job->problem), setup->end, step,
                       &job->plan) ||
        !cli_projection_plan(&setup->projection, setup->command, &job->plan))
        return CLI_BAD_INPUT;
    int code = cli_setup_integrator(setup, job->problem, job->plan.step, &job->integrator);
    if (code == CLI_DONE)
        job->record = cli_record_create(job->problem, job->integrator, cli_setup_has_eta(setup),
                                        setup->ledger);
    return code;
}

static void keep_failure(cli_run_job *job, cardan_status status)
{
    double t = job->plan.begin;
    if (job->record->measured)
        t = cardan_integrator_state(job->integrator)->t;
    job->status = status;
    snprintf(job->failure, sizeof job->failure, "at t = %.10g: %s", t,
             cli_reason(job->integrator, status));
    cli_complain(job->setup.command, "%s", job->failure);
}

static bool start(cli_run_job *job)
{
    cardan_status status = cli_setup_start(job->problem, job->integrator);
    if (status != CARDAN_OK) {
        keep_failure(job, status);
        return false;
    }
    snprintf(job->remark, sizeof job->remark, "%s", cardan_integrator_message(job->integrator));
    if (job->remark[0] != '\0')
        cli_complain(job->setup.command, "%s", job->remark);
    return true;
}

/* Where the rows go: a file, stdout, the terminal as a table, or (with --json alone) nowhere. */
static bool open_output(cli_run_job *job)
{
    const char *path = job->out;
    job->row = job->every > 0 ? job->every : 1;
    if (path == NULL && job->setup.json)
        return true;
    if (path == NULL && isatty(STDOUT_FILENO)) {
        job->preview = true;
        if (job->every == 0)
            job->row = (job->plan.steps + PREVIEW_ROWS - 1) / PREVIEW_ROWS;
        if (job->row == 0)
            job->row = 1;
        cli_preview_header(job->record);
        return true;
    }
    return cli_csv_open(&job->csv, job->setup.command, path != NULL ? path : "-",
                        job->record->names, job->record->columns);
}

/* Measures every state and writes the rows that are due; false stops the run. */
static bool visit(void *context, long long n, double t)
{
    cli_run_job *job = context;
    cardan_status status = cli_record_measure(job->record, t);
    if (status != CARDAN_OK) {
        keep_failure(job, status);
        return false;
    }
    cli_record_fill(job->record);
    if (n % job->row != 0 && n != job->plan.steps)
        return true;
    if (job->preview)
        cli_preview_row(job->record);
    return job->csv.file == NULL || cli_csv_row(&job->csv, job->record->values);
}

static void integrate(cli_run_job *job)
{
    /* On a terminal the rows themselves show the progress. */
    cli_progress progress = cli_progress_begin(job->setup.quiet || job->preview);
    cardan_status status = cli_march(job->integrator, &job->plan, &progress, visit, job);
    job->seconds = cli_progress_seconds(&progress);
    cli_progress_end(&progress);
    if (status != CARDAN_OK)
        keep_failure(job, status);
}

static void report(const cli_run_job *job)
{
    bool stdout_is_free = !job->csv.to_stdout;
    if (job->setup.json)
        cli_summary_json(job);
    else if (stdout_is_free && !job->setup.quiet && job->status == CARDAN_OK)
        cli_summary_print(job);
    if (job->stats && !job->setup.json)
        cli_summary_statistics(job, stdout_is_free ? stdout : stderr);
}

static int execute(cli_run_job *job)
{
    int code = prepare(job);
    if (code != CLI_DONE)
        return code;
    if (start(job)) {
        if (!open_output(job))
            return CLI_FAILED;
        integrate(job);
    }
    if (!cli_csv_close(&job->csv))
        return CLI_FAILED;
    if (job->status != CARDAN_OK && job->csv.rows > 0 && !job->csv.to_stdout)
        cli_complain(job->setup.command, "rows up to there: %lld, in %s", job->csv.rows,
                     job->csv.name);
    report(job);
    return job->status == CARDAN_OK ? CLI_DONE : CLI_FAILED;
}

int cli_run(int argc, char **argv)
{
    cli_run_job job = {.setup = cli_setup_default(argv[0])};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &job, &code))
        code = execute(&job);
    cli_csv_close(&job.csv); /* left open only where a failure has been told already */
    cli_record_destroy(job.record);
    cardan_integrator_destroy(job.integrator);
    cardan_problem_destroy(job.problem);
    cli_setup_free(&job.setup);
    return code;
}

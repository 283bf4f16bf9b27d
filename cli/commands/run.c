/* cardan run: integrates a built-in problem and writes its motion. */
#include "run.h"
#include "cli/report/report_page.h"
#include "cli/results/result_file.h"
#include "cli/setup/case.h"
#include "cli/setup/file_uses.h"
#include "cli/setup/model_input.h"

#include <string.h>

enum {
    OPTION_STEP = CLI_OPTION_OWN,
    OPTION_EVERY,
    OPTION_SAMPLE,
    OPTION_OUT,
    OPTION_VTK,
    OPTION_EVENTS,
    OPTION_REPORT,
    OPTION_STOP_AT_EVENT,
    OPTION_STATS,
    OPTION_ENERGY_BALANCE,
    OPTION_STAGES,
    OPTION_CHECKPOINT,
    OPTION_CHECKPOINT_EVERY,
    OPTION_CHECKPOINT_STEPS,
    OPTION_RESTART,
    OPTION_RTOL,
    OPTION_ATOL,
    OPTION_MIN_STEP,
    OPTION_MAX_STEP,
    OPTION_STRICT,
    OPTION_ONCE
};

static const struct option options[] = {
    CLI_SETUP_OPTIONS,
    {"step", required_argument, NULL, OPTION_STEP},
    {"rtol", required_argument, NULL, OPTION_RTOL},
    {"atol", required_argument, NULL, OPTION_ATOL},
    {"min-step", required_argument, NULL, OPTION_MIN_STEP},
    {"max-step", required_argument, NULL, OPTION_MAX_STEP},
    {"every", required_argument, NULL, OPTION_EVERY},
    {"sample", required_argument, NULL, OPTION_SAMPLE},
    {"out", required_argument, NULL, OPTION_OUT},
    {"vtk", required_argument, NULL, OPTION_VTK},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"report", required_argument, NULL, OPTION_REPORT},
    {"stop-at-event", required_argument, NULL, OPTION_STOP_AT_EVENT},
    {"stats", no_argument, NULL, OPTION_STATS},
    {"branch", required_argument, NULL, CLI_OPTION_BRANCH},
    {"energy-balance", no_argument, NULL, OPTION_ENERGY_BALANCE},
    {"stages", no_argument, NULL, OPTION_STAGES},
    {"checkpoint", required_argument, NULL, OPTION_CHECKPOINT},
    {"checkpoint-every", required_argument, NULL, OPTION_CHECKPOINT_EVERY},
    {"checkpoint-steps", required_argument, NULL, OPTION_CHECKPOINT_STEPS},
    {"restart", required_argument, NULL, OPTION_RESTART},
    {"strict", no_argument, NULL, OPTION_STRICT},
    {"once", no_argument, NULL, OPTION_ONCE},
    {0}};

static const char usage[] =
    "usage: cardan run PROBLEM|FILE [OPTIONS]\n"
    "       cardan run --restart FILE\n\n"
    "Integrates a built-in problem (`cardan problems`), a model that comes with the program\n"
    "(`cardan models`) or a model file, and prints a short table and a summary. --out writes\n"
    "all columns.\n\n"
    "  --rtol X, --atol X        adaptive steps: errors stay below atol + rtol * size; default\n"
    "                            1e-4 and a hundredth of rtol. Three numbers Q,V,L:\n"
    "                            positions, velocities, multipliers\n"
    "  --max-step H, --min-step H   limits of the step size; set --max-step to the\n"
    "                            length of a short pulse that steps may miss\n"
    "  --step H                  fixed steps instead. Methods without error estimate (ga2,\n"
    "                            ga1, hht2, conserving, midpoint, trapezoidal) and\n"
    "                            --project-at use the problem's own step otherwise\n"
    "  --every K                 write a row every K steps, and the first and last row\n"
    "  --sample DT               write rows at the beginning, every DT and at the end,\n"
    "                            interpolated; the steps do not change\n"
    "  --events FILE.csv         write a line for every event: t, number, sign, modes, impulse,\n"
    "                            energy gained\n"
    "  --stop-at-event N         end the run with the N-th event\n"
    "  --out FILE.csv            write all rows and columns there as CSV; - is stdout, in place\n"
    "                            of the summary\n"
    "  --out FILE.h5             the same as HDF5, with settings, steps, events, energies\n"
    "  --vtk DIR                 write a frame for every row, for ParaView: DIR/run.pvd; limit\n"
    "                            their number with --sample or --every\n"
    "  --report FILE.html        make a page with the motion in 3D, plots and a summary in words\n"
    "                            (`cardan help report`); --out is not needed\n"
    "  --branch stop|keep        if several motions are possible (flat parallelogram linkage):\n"
    "                            stop (default), or continue along the velocity\n"
    "  --json                    print the summary as JSON\n"
    "  --stats                   print all solver counters and a time profile\n" CLI_THREADS_HELP
    "  --strict                  exit code 1 for a doubtful result, too\n"
    "  --once                    omit the check run, which takes a fifth of the time and\n"
    "                            estimates the accumulated error\n"
    "  --energy-balance                  show the energy balance: columns work, dE_i, dE_p\n"
    "  --stages                  CSV columns for the multipliers inside a step, at the times\n"
    "                            of the method: stage1_t, stage1_1, ... (hht3, midpoint, ...)\n"
    "  --checkpoint FILE         save the whole state there at intervals; needs --out\n"
    "  --checkpoint-every S      every S seconds of wall time; default 60\n"
    "  --checkpoint-steps K      every K steps\n"
    "  --restart FILE            continue from a checkpoint, bit for bit, with the options\n"
    "                            and the result file of the run that wrote it\n";

static const char usage_rest[] = CLI_SETUP_HELP;

static const char usage_end[] =
    "\nA name is searched among the built-in problems, then as a file, then among the\n"
    "models that come with the program. With an ending .yaml, .yml or .json, or a slash, it\n"
    "is never a problem: `pendulum` is a problem, `pendulum.yaml` a model. Options override\n"
    "the `solver` section of a model file (docs/model-file.md, `cardan schema`).\n"
    "--set then takes any value of it: --set bodies.crank.mass=2, --set length=0.4.\n\n"
    "CSV columns: t, the problem's outputs, eta1.. (ga2s), phi_max and hidden_max\n"
    "(largest position- and velocity-constraint residual), kinetic, potential, energy;\n"
    "with --sample all of them belong to the interpolated state, eta to its step;\n"
    "with --energy-balance work, dE_i, dE_p: energy = first energy + work + dE_i + dE_p.\n\n"
    "Results of problems with events (bouncing_pendulum, stick_slip) have two rows at each\n"
    "event, before and after it. With --sample there are rows at multiples of DT only; a row\n"
    "at the time of an event is the state after it. --energy-balance adds a column dE_e, the "
    "energy\n"
    "that events add.\n\n"
    "examples:\n"
    "  cardan run heavy_top\n"
    "  cardan run fourbar.yaml --set bodies.crank.mass=2 --out fourbar.csv\n"
    "  cardan run heavy_top --out top.csv\n"
    "  cardan run double_pendulum --rtol 1e-6 --stats --out d.csv\n"
    "  cardan run double_pendulum --rtol 1e-6,1e-6,1e-3 --max-step 0.01 --out d.csv\n"
    "  cardan run pendulum --set x0=0.2 --method ga3 --rho 0.9 --step 1e-2 --end 2 --out p.csv\n"
    "  cardan run pendulum --params hht:-0.1 --every 10 --out - | gzip > p.csv.gz\n"
    "  cardan run heavy_top --sample 0.01 --out top.csv\n"
    "  cardan run robot.yaml --out robot.h5 --vtk frames --sample 0.02\n"
    "  cardan run slider_crank --json\n"
    "  cardan run bouncing_pendulum --out b.csv --events impacts.csv\n"
    "  cardan run bouncing_pendulum --end 100 --stop-at-event 3 --sample 0.01 --out b.csv\n"
    "  cardan run heavy_top --end 1000 --out top.csv --checkpoint top.ckp\n"
    "  cardan run --restart top.ckp\n";

static bool apply_checkpoint(cli_run_job *job, int code, const char *value)
{
    cli_checkpoint *checkpoint = &job->checkpoint;
    const char *command = job->setup.command;
    if (code == OPTION_CHECKPOINT_EVERY)
        return cli_positive(command, "--checkpoint-every", value, &checkpoint->every);
    if (code == OPTION_CHECKPOINT_STEPS)
        return cli_count(command, "--checkpoint-steps", value, &checkpoint->steps);
    if (value[0] == '\0') {
        cli_complain(command, "--%s: the file's name is empty; give a name",
                     code == OPTION_RESTART ? "restart" : "checkpoint");
        return false;
    }
    *(code == OPTION_RESTART ? &checkpoint->restart : &checkpoint->path) = value;
    return true;
}

static bool apply_tolerance(cli_setup *setup, int code, const char *value)
{
    cli_tolerance *tolerance = &setup->tolerance;
    switch (code) {
    case OPTION_RTOL:
        return cli_tolerance_read(setup->command, "--rtol", value, tolerance->relative);
    case OPTION_ATOL:
        return cli_tolerance_read(setup->command, "--atol", value, tolerance->absolute);
    case OPTION_MIN_STEP:
        return cli_positive(setup->command, "--min-step", value, &tolerance->min_step);
    default:
        return cli_positive(setup->command, "--max-step", value, &tolerance->max_step);
    }
}

static const struct option *option_of(int code)
{
    const struct option *option = options;
    while (option->name != NULL && option->val != code)
        option++;
    return option->name != NULL ? option : NULL;
}

/* Options that name a file or folder to write. */
static bool apply_output(cli_run_job *job, int code, const char *value)
{
    switch (code) {
    case OPTION_OUT:
        job->out = cli_is_stdout(value) && !cli_file_is_hdf5(value) ? "-" : value;
        if (value[0] != '\0')
            return true;
        cli_complain(job->setup.command, "--out: the file's name is empty; give a name or -");
        return false;
    case OPTION_VTK:
        job->vtk_folder = value;
        if (value[0] != '\0')
            return true;
        cli_complain(job->setup.command, "--vtk: the folder's name is empty; give a name");
        return false;
    case OPTION_EVENTS:
        job->events.path = value;
        if (value[0] != '\0' && strcmp(value, "-") != 0)
            return true;
        cli_complain(job->setup.command, "--events: give the name of a file");
        return false;
    default:
        job->report = value;
        if (value[0] != '\0')
            return true;
        cli_complain(job->setup.command, "--report: the file's name is empty; give a name");
        return false;
    }
}

static bool apply(void *context, int code, const char *value)
{
    cli_run_job *job = context;
    cli_checkpoint_note(&job->checkpoint, option_of(code), value);
    switch (code) {
    case OPTION_CHECKPOINT:
    case OPTION_CHECKPOINT_EVERY:
    case OPTION_CHECKPOINT_STEPS:
    case OPTION_RESTART:
        return apply_checkpoint(job, code, value);
    case OPTION_STEP:
        return cli_positive(job->setup.command, "--step", value, &job->step);
    case OPTION_RTOL:
    case OPTION_ATOL:
    case OPTION_MIN_STEP:
    case OPTION_MAX_STEP:
        return apply_tolerance(&job->setup, code, value);
    case OPTION_EVERY:
        return cli_count(job->setup.command, "--every", value, &job->every);
    case OPTION_SAMPLE:
        return cli_positive(job->setup.command, "--sample", value, &job->sample);
    case OPTION_OUT:
    case OPTION_VTK:
    case OPTION_EVENTS:
    case OPTION_REPORT:
        return apply_output(job, code, value);
    case OPTION_STOP_AT_EVENT:
        return cli_count(job->setup.command, "--stop-at-event", value, &job->events.stop);
    case OPTION_STATS:
        return job->stats = job->setup.timing = true;
    case OPTION_ENERGY_BALANCE:
        return job->energy_balance = true;
    case OPTION_STAGES:
        return job->stages = true;
    case OPTION_STRICT:
        return job->strict = true;
    case OPTION_ONCE:
        return job->once = true;
    default:
        return cli_verify_apply(&job->look.ways, &job->setup, code, value);
    }
}

static bool refuse_sample(const cli_run_job *job)
{
    const char *command = job->setup.command;
    if (job->sample > 0.0 && job->every > 0)
        cli_complain(command, "--every and --sample both say when rows are written; give one");
    else if (job->sample > 0.0 && job->energy_balance)
        cli_complain(
            command,
            "--energy-balance accounts for whole steps and --sample writes rows inside them; "
            "use --every with --energy-balance");
    else if (job->sample > 0.0 && job->stages)
        cli_complain(command, "--stages belong to whole steps and --sample writes rows inside "
                              "them; use --every with --stages");
    else
        return job->sample > 0.0 &&
               !cli_sampler_check(command, job->plan.begin, job->plan.end, job->sample);
    return true;
}

/* Options that exclude each other. */
static bool agree(const cli_run_job *job)
{
    const cli_setup *setup = &job->setup;
    const bool given = cli_tolerance_given(&setup->tolerance);
    const char *reason = NULL;
    if (setup->json && job->out != NULL && strcmp(job->out, "-") == 0)
        reason = "--json and `--out -` both want standard output; give --out a file";
    else if (given && job->step > 0.0)
        reason = "--step sets fixed steps; leave it out, or --rtol, --atol, --min-step and "
                 "--max-step, which are for adaptive steps";
    else if (given && setup->projection.time_count > 0)
        reason = "--project-at needs steps that end at these times; give --step instead of "
                 "tolerances";
    if (reason != NULL)
        cli_complain(setup->command, "%s", reason);
    return reason == NULL;
}

/* Steps by the error unless a step is given or the task does not allow it. */
static void choose_steps(cli_run_job *job)
{
    cli_setup *setup = &job->setup;
    cli_tolerance *tolerance = &setup->tolerance;
    tolerance->adaptive =
        cli_tolerance_given(tolerance) ||
        (!(job->step > 0.0) && cli_setup_can_adapt(setup) && setup->projection.time_count == 0);
    job->plan.adaptive = tolerance->adaptive;
    if (!tolerance->adaptive)
        cli_setup_fix_steps(setup);
    cli_tolerance_complete(tolerance);
}

/* No file may be written over one that is read or another that is written. A checkpoint may be
 * written over the one that the run goes on from. */
static bool files_agree(const cli_run_job *job)
{
    const cli_checkpoint *c = &job->checkpoint;
    const bool same =
        c->path != NULL && c->restart != NULL && cli_is_same_file(c->path, c->restart);
    cli_file_uses uses = {0};
    cli_file_uses_add_setup(&uses, &job->setup);
    cli_file_uses_add(&uses, "--restart", same ? NULL : c->restart, CLI_READ);
    cli_file_uses_add(&uses, "--checkpoint", c->path, CLI_WRITTEN);
    cli_file_uses_add(&uses, "--out", job->out, CLI_WRITTEN);
    cli_file_uses_add(&uses, "--events", job->events.path, CLI_WRITTEN);
    cli_file_uses_add(&uses, "--report", job->report, CLI_WRITTEN);
    cli_file_uses_add(&uses, "--vtk", job->vtk_folder, CLI_WRITTEN_FOLDER);
    return cli_file_uses_agree(&uses, job->setup.command);
}

/* Places that are written to later: better refused now than after hours. */
static bool claim_places(cli_run_job *job)
{
    const char *command = job->setup.command;
    cli_checkpoint *c = &job->checkpoint;
    return (job->report == NULL ||
            cli_output_file_claim(&job->page, command, job->report, CLI_OUTPUT_STREAM)) &&
           (c->path == NULL || cli_output_file_claim(&c->out, command, c->path, CLI_OUTPUT_WHOLE));
}

/* Of the constraints that the run begins with, also where it goes on with others. */
static cli_multipliers count_multipliers(const cli_run_job *job)
{
    const cardan_system *system = cli_case_system(job->problem);
    const int m = cardan_system_describe(system).constraint_count;
    return (cli_multipliers){m, m + cardan_system_describe(system).nonholonomic_count};
}

/* What the model file says, where no option does. Its rows are those of files; the short table has
 * more only where options ask for them. */
static void take_model_defaults(cli_run_job *job)
{
    double sample = job->sample;
    long long every = job->every;
    cli_model_defaults(&job->setup, &job->step, &sample, &every);
    job->preview = cli_output_is_preview(job);
    if (job->preview)
        return;
    if (!job->energy_balance && !job->stages) /* which belong to whole steps */
        job->sample = sample;
    job->every = every;
}

/* Everything that can be refused before any work or any file is touched. */
static int prepare(cli_run_job *job)
{
    cli_setup *setup = &job->setup;
    if (!agree(job) || !cli_checkpoint_fits(job) || !cli_setup_case(setup, &job->problem))
        return CLI_BAD_INPUT;
    cli_multipliers kept = count_multipliers(job);
    if (!cli_checkpoint_remember(job))
        return CLI_BAD_INPUT;
    if (!cli_events_fit(job) || !files_agree(job))
        return CLI_BAD_INPUT;
    take_model_defaults(job);
    const bool events = cli_case_events(job->problem) != NULL;
    double step = job->step > 0.0 ? job->step : cli_case_step(job->problem);
    if (!cli_plan_make(setup->command, cli_case_begin(job->problem), setup->end, step, events,
                       &job->plan) ||
        refuse_sample(job) || !cli_projection_plan(&setup->projection, setup->command, &job->plan))
        return CLI_BAD_INPUT;
    choose_steps(job);
    kept.etas = cli_setup_has_eta(setup) ? kept.etas : 0;
    setup->health = true;
    int code = cli_setup_integrator(setup, job->problem, job->plan.step, &job->integrator);
    if (code != CLI_DONE)
        return code;
    const int stages = job->stages ? cli_setup_stages(setup) : 0;
    if (job->stages && stages == 0) {
        cli_complain(setup->command,
                     "--stages: the multipliers of %s belong to t; leave the option out",
                     setup->method);
        return CLI_BAD_INPUT;
    }
    job->record =
        cli_record_create(job->problem, job->integrator, kept, stages, job->energy_balance);
    if (job->sample > 0.0)
        job->sampler = cli_sampler_create(job->problem, job->integrator, kept, job->plan.begin,
                                          job->plan.end, job->sample);
    if (job->sampler != NULL && setup->model_file != NULL)
        job->sampler->row->model = cardan_model_file_model(setup->model_file);
    return CLI_DONE;
}

static void keep_failure(cli_run_job *job, cardan_status status, const char *reason)
{
    double t = job->plan.begin;
    if (job->record->measured)
        t = cardan_integrator_state(job->integrator)->t;
    job->status = status;
    job->stopped = t;
    snprintf(job->failure, sizeof job->failure, "at t = %.10g: %s", t, reason);
    cli_failure_print(job);
}

static bool start(cli_run_job *job)
{
    cardan_status status = cli_case_start(job->problem, job->integrator);
    if (status != CARDAN_OK) {
        keep_failure(job, status, cli_reason(job->integrator, status));
        return false;
    }
    return true;
}

/* The rows of --sample in the step that ended at t. */
static bool write_samples(cli_run_job *job, double t)
{
    while (cli_sampler_due(job->sampler, t)) {
        cardan_status status = cli_sampler_take(job->sampler);
        if (status != CARDAN_OK) {
            keep_failure(job, status, job->sampler->error.text);
            return false;
        }
        if (!cli_output_row(job, job->sampler->row))
            return false;
        job->row_is_written = job->sampler->row->values[0] == t;
    }
    return true;
}

/* Equal steps are counted; of adaptive ones the short table shows some a part of the span. */
static bool is_due(cli_run_job *job, long long n, double t)
{
    const cli_plan *plan = &job->plan;
    if (t == plan->end)
        return true;
    if (!plan->adaptive || !job->preview || job->every > 0)
        return n % job->row == 0;
    if (t < job->next_row)
        return false;
    job->next_row = t + (plan->end - plan->begin) / CLI_PREVIEW_ROWS;
    return true;
}

/* The lines of an event in the list, and the row before it. */
static bool write_before_event(cli_run_job *job)
{
    cardan_error error = {0};
    if (!cli_live_events(job) || !cli_events_list(job))
        return false;
    if (job->sampler != NULL)
        return true;
    const cardan_status status = cli_events_before(job, &error);
    if (status != CARDAN_OK) {
        keep_failure(job, status, error.text);
        return false;
    }
    return cli_output_row(job, job->record);
}

/* Measures a state and writes the rows that are due; false stops the run. */
static bool write_due(cli_run_job *job, long long n, double t)
{
    const bool event = cli_events_new(job);
    const cardan_point now = cli_record_point(job->record);
    cli_case_follow(job->problem, &now);
    if (event && !write_before_event(job))
        return false;
    cardan_status status = cli_record_measure(job->record, t);
    if (status != CARDAN_OK) {
        keep_failure(job, status, cli_reason(job->integrator, status));
        return false;
    }
    const bool due = job->sampler == NULL && (event || is_due(job, n, t));
    if (due || job->live.result != NULL || t == job->plan.end)
        cli_record_fill(job->record);
    if (t != job->plan.begin && !cli_live_step(job, t))
        return false;
    job->row_is_written = due;
    if (job->sampler != NULL)
        return write_samples(job, t);
    return !job->row_is_written || cli_output_row(job, job->record);
}

/* Stops after a step that is not the last, with a checkpoint to go on from. */
static bool stop_interrupted(cli_run_job *job, long long n, double t)
{
    job->interrupted = true;
    job->stopped = t;
    if (job->checkpoint.path != NULL)
        cli_checkpoint_write(job, n);
    return false;
}

static bool visit(void *context, long long n, double t)
{
    cli_run_job *job = context;
    job->done = n;
    cli_check_run_step(&job->look, job->integrator, t);
    if (!write_due(job, n, t) || cli_events_end(job))
        return false;
    if (cli_interrupt_seen() && t < job->plan.end)
        return stop_interrupted(job, n, t);
    if (!cli_output_breathe(job))
        return false;
    return job->checkpoint.path == NULL || cli_checkpoint_visit(job, n);
}

/* Where a run ends early: the row of the last good state, whether one was due or not. */
static void write_last(cli_run_job *job)
{
    const double t = cardan_integrator_state(job->integrator)->t;
    if (t != job->record->values[0]) { /* a projection after the step has failed */
        if (cli_record_measure(job->record, t) != CARDAN_OK)
            return;
        job->row_is_written = false;
    }
    if (job->row_is_written)
        return;
    cli_record_fill(job->record);
    cli_output_row(job, job->record);
}

static void integrate(cli_run_job *job)
{
    job->progress = cli_progress_begin(job->setup.quiet);
    cli_interrupt_watch();
    job->done = job->plan.next > 0 ? job->plan.next - 1 : 0;
    cardan_status status = cli_march(job->integrator, &job->plan, &job->progress, visit, job);
    job->seconds = job->checkpoint.seconds + cli_progress_seconds(&job->progress);
    cli_progress_end(&job->progress);
    if (status == CARDAN_INTERRUPTED) /* within a step */
        stop_interrupted(job, job->done, cardan_integrator_state(job->integrator)->t);
    else if (status == CARDAN_EVENT)
        job->events.ended = write_due(job, 0, cardan_integrator_state(job->integrator)->t);
    else if (status != CARDAN_OK)
        keep_failure(job, status, cli_reason(job->integrator, status));
    if (status != CARDAN_OK || job->events.ended || job->interrupted)
        write_last(job);
}

/* The verdict; a run that has not begun has none. */
static void judge(cli_run_job *job)
{
    const cli_setup *setup = &job->setup;
    const cardan_statistics s = cardan_integrator_statistics(job->integrator);
    job->judged = cli_case_health(job->problem, job->integrator, &job->health) == CARDAN_OK;
    if (s.reactivations > 0 && !setup->quiet)
        cli_tell(CLI_COLOUR_GOOD, setup->command,
                 "note: the model was in a configuration with several possible motions (joints in "
                 "line or flat); it continued along its velocity (--branch keep), and joint forces "
                 "near this configuration may have no correct digit");
    if (job->judged && job->status == CARDAN_OK && !job->interrupted)
        cli_check_run_judge(&job->look, &s, &job->health);
    if (job->judged)
        cli_verdict_tell(setup->command, &job->health, setup->quiet);
}

static void report(const cli_run_job *job)
{
    bool stdout_is_free = !job->csv.out.to_stdout;
    if (job->setup.json)
        cli_summary_json(job);
    else if (stdout_is_free && !job->setup.quiet && job->record->measured)
        cli_summary_print(job);
    if (job->stats && !job->setup.json)
        cli_statistics_print(job, stdout_is_free ? stdout : stderr);
}

/* What an interrupted run has left, and how to go on. */
static void tell_interrupted(const cli_run_job *job)
{
    const char *command = job->setup.command;
    cli_complain(command, "interrupted at t = %.10g of %g", job->stopped, job->plan.end);
    if (job->checkpoint.path != NULL && !job->checkpoint.failed)
        cli_complain(command, "`cardan run --restart %s` continues from there",
                     job->checkpoint.path);
}

/* Where the rows of a run are that ended early. */
static void tell_rows(const cli_run_job *job)
{
    if (job->interrupted) {
        fflush(stdout); /* it stands last */
        tell_interrupted(job);
    }
    if ((job->status != CARDAN_OK || job->interrupted) && job->rows > 0 && !job->csv.out.to_stdout)
        cli_complain(job->setup.command, "rows up to there: %lld, in %s", job->rows,
                     cli_output_name(job));
}

/* A run that could not write its rows ends there. */
static void tell_stopped(const cli_run_job *job)
{
    const double t = job->record->values[0];
    const char *name = cli_output_name(job);
    if (job->record->measured && t < job->plan.end && name != NULL && !job->csv.out.direct)
        cli_complain(job->setup.command,
                     "the run ended at t = %.10g; %s holds the rows before that could be written",
                     t, name);
}

static int exit_code(const cli_run_job *job)
{
    if (job->interrupted)
        return CLI_INTERRUPTED;
    if (job->judged && cli_verdict_fails(&job->health, job->strict))
        return CLI_FAILED;
    return job->status == CARDAN_OK && !job->checkpoint.failed && !job->lost ? CLI_DONE
                                                                             : CLI_FAILED;
}

/* The page of --report, also of a run that failed on its way. */
static bool write_report(cli_run_job *job)
{
    cli_report page = cli_report_default(job->setup.command);
    if (job->report == NULL || job->live.result == NULL || job->live.result->rows == 0)
        return true;
    page.run[0] = job->live.result;
    page.count = 1;
    if (!cli_report_write_to(&page, &job->page))
        return false;
    if (!job->setup.quiet && !job->setup.json)
        printf("report       %s\n", job->report);
    return true;
}

static int execute(cli_run_job *job)
{
    const bool restarts = job->checkpoint.restart != NULL;
    if (restarts && !cli_checkpoint_read(job, options, apply))
        return CLI_BAD_INPUT;
    int code = prepare(job);
    if (code != CLI_DONE)
        return code;
    if (!claim_places(job))
        return CLI_FAILED;
    job->row = job->every > 0 ? job->every : 1;
    if (cli_output_needs_result(job))
        cli_live_begin(job, job->report != NULL);
    if (restarts && !cli_checkpoint_resume(job))
        return CLI_BAD_INPUT;
    if (restarts && !cli_live_resume(job))
        return CLI_FAILED;
    if (restarts || start(job)) {
        if (!restarts && (!cli_output_open(job) || !cli_events_open(job)))
            return CLI_FAILED;
        if (!job->once)
            cli_check_run_begin(&job->look, &job->setup, job->problem, &job->plan,
                                cardan_integrator_state(job->integrator)->t);
        integrate(job);
        judge(job);
        cli_live_end(job);
    }
    if (!cli_output_close(job)) {
        tell_stopped(job);
        return CLI_FAILED;
    }
    report(job);
    const bool written = write_report(job);
    tell_rows(job);
    if (!written)
        return CLI_FAILED;
    return exit_code(job);
}

int cli_run(int argc, char **argv)
{
    cli_run_job job = {.setup = cli_setup_default(argv[0])};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .help_rest = usage_rest,
                               .help_end = usage_end,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &job, &code))
        code = execute(&job);
    cli_output_close(&job); /* left open only where a failure has been told already */
    cli_output_file_close(&job.page);
    cli_checkpoint_free(&job.checkpoint);
    cli_result_destroy(job.live.result);
    cli_sampler_destroy(job.sampler);
    cli_check_run_free(&job.look);
    cli_record_destroy(job.record);
    cardan_integrator_destroy(job.integrator);
    cli_case_destroy(job.problem);
    cli_setup_free(&job.setup);
    return code;
}

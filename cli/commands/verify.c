/* cardan verify: repeats a run independently and compares the two. */
#include "verify.h"

#include "cli/setup/model_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_STEP = CLI_OPTION_OWN, OPTION_RTOL, OPTION_ATOL, OPTION_MIN_STEP, OPTION_MAX_STEP };

static const struct option options[] = {CLI_SETUP_OPTIONS,
                                        {"step", required_argument, NULL, OPTION_STEP},
                                        {"rtol", required_argument, NULL, OPTION_RTOL},
                                        {"atol", required_argument, NULL, OPTION_ATOL},
                                        {"min-step", required_argument, NULL, OPTION_MIN_STEP},
                                        {"max-step", required_argument, NULL, OPTION_MAX_STEP},
                                        {0}};

static const char usage[] =
    "usage: cardan verify PROBLEM|FILE [OPTIONS]\n\n"
    "Can I trust this run? Repeats the run of `cardan run` independently: by another method\n"
    "that it has not used (rk5, bdf, ga2s, ga3), at a tenth of the tolerance, with the bodies of\n"
    "a model in other coordinates, on one thread. Prints the largest differences of positions,\n"
    "velocities and joint forces beside the tolerance, with the element and the time, and an\n"
    "answer in one sentence:\n\n"
    "  good      they agree within what the tolerance promises; exit code 0\n"
    "  doubtful  no independent run reaches the end; exit code 0\n"
    "  wrong     they differ by more than 20 tolerances, or the run itself fails; exit code 1\n\n"
    "  --rtol X, --atol X        tolerances of the run, as for `cardan run`\n"
    "  --max-step H, --min-step H   limits of the step size\n"
    "  --step H                  fixed steps; instead of a tolerance, a thousandth of the\n"
    "                            largest value is used\n"
    "  --json                    print everything as JSON, with all digits\n" CLI_THREADS_HELP;

static const char usage_rest[] =
    CLI_SETUP_HELP "\nexamples:\n"
                   "  cardan verify robot.yaml\n"
                   "  cardan verify heavy_top --rtol 1e-6 --end 1\n"
                   "  cardan verify fourbar.yaml --set bodies.crank.mass=2 --method rk5\n"
                   "  cardan verify slider_crank --step 1e-3 --json\n";

/* How many times are compared. */
enum { TIMES = 251 };

typedef struct job {
    cli_verification result;
    double step;
} job;

static bool apply_tolerance(cli_setup *setup, int code, const char *value)
{
    cli_tolerance *t = &setup->tolerance;
    switch (code) {
    case OPTION_RTOL:
        return cli_tolerance_read(setup->command, "--rtol", value, t->relative);
    case OPTION_ATOL:
        return cli_tolerance_read(setup->command, "--atol", value, t->absolute);
    case OPTION_MIN_STEP:
        return cli_positive(setup->command, "--min-step", value, &t->min_step);
    default:
        return cli_positive(setup->command, "--max-step", value, &t->max_step);
    }
}

static bool apply(void *context, int code, const char *value)
{
    job *j = context;
    cli_setup *setup = &j->result.first.setup;
    switch (code) {
    case OPTION_STEP:
        return cli_positive(setup->command, "--step", value, &j->step);
    case OPTION_RTOL:
    case OPTION_ATOL:
    case OPTION_MIN_STEP:
    case OPTION_MAX_STEP:
        return apply_tolerance(setup, code, value);
    default:
        return cli_verify_apply(&j->result, setup, code, value);
    }
}

static bool agree(const job *j)
{
    const cli_setup *setup = &j->result.first.setup;
    if (!cli_tolerance_given(&setup->tolerance) || !(j->step > 0.0))
        return true;
    cli_complain(setup->command, "--step sets fixed steps; leave it out, or --rtol, --atol, "
                                 "--min-step and --max-step, which are for adaptive steps");
    return false;
}

/* The first way is that of `cardan run`. */
static bool prepare_first(job *j)
{
    cli_verify_run *run = &j->result.first;
    double sample = 0.0;
    long long every = 0;
    if (!agree(j) || !cli_setup_case(&run->setup, &run->problem))
        return false;
    cli_model_defaults(&run->setup, &j->step, &sample, &every);
    const bool adaptive = cli_tolerance_given(&run->setup.tolerance) ||
                          (!(j->step > 0.0) && cli_setup_can_adapt(&run->setup) &&
                           run->setup.projection.time_count == 0);
    j->result.equal_steps = !adaptive;
    if (!adaptive)
        for (int i = 0; i < CLI_CLASSES; i++)
            run->setup.tolerance.relative[i] = 1e-3;
    if (!cli_verify_run_plan(run, j->step, adaptive))
        return false;
    if (run->plan.end > run->plan.begin)
        return true;
    cli_complain(run->setup.command, "--end: %g is not after the start; give a later end",
                 run->plan.end);
    return false;
}

/* Options that belong to the problem rather than to the method. */
static bool of_problem(int code)
{
    return code == CLI_POSITIONAL || code == CLI_OPTION_END || code == CLI_OPTION_SET ||
           code == CLI_OPTION_EXPERT;
}

static bool is_rigid(const cardan_model *model, int body)
{
    cardan_body_def def;
    return cardan_model_body(model, body, &def) && def.type == CARDAN_BODY_RIGID;
}

/* SE(3) for all, or if they are all that already R3 x SO(3). */
static const char *other_form(const cardan_model *model)
{
    bool rigid = false;
    for (int i = 0; i < cardan_model_describe(model).body_count; i++) {
        cardan_body_def def;
        if (!cardan_model_body(model, i, &def) || def.type != CARDAN_BODY_RIGID)
            continue;
        rigid = true;
        if (def.form != CARDAN_FORM_SE3)
            return "se3";
    }
    return rigid ? "spatial" : NULL;
}

static void set_forms(cli_verify_run *run, const cardan_model *model)
{
    run->form = other_form(model);
    for (int i = 0; i < cardan_model_describe(model).body_count && run->form != NULL; i++) {
        char setting[300];
        if (!is_rigid(model, i))
            continue;
        snprintf(setting, sizeof setting, "bodies.%s.form=%s",
                 cardan_model_name(model, CARDAN_ELEMENT_BODY, i), run->form);
        cli_setup_apply(&run->setup, CLI_OPTION_SET, setting);
    }
}

static void tighten(const cli_tolerance *from, cli_tolerance *to)
{
    *to = (cli_tolerance){.max_step = from->max_step};
    for (int i = 0; i < CLI_CLASSES; i++) {
        to->relative[i] = 0.1 * from->relative[i];
        to->absolute[i] = 0.1 * from->absolute[i];
    }
}

static bool prepare_second(const job *j, const char *method, cli_verify_run *run)
{
    const cli_verify_run *first = &j->result.first;
    const bool same = strcmp(method, first->setup.method) == 0;
    *run = (cli_verify_run){.setup = cli_setup_default(first->setup.command)};
    for (int i = 0; i < j->result.given_count; i++) {
        const cli_verify_option *given = &j->result.given[i];
        if (same || of_problem(given->code))
            cli_setup_apply(&run->setup, given->code, given->value);
    }
    cli_setup_apply(&run->setup, CLI_OPTION_METHOD, method);
    cli_setup_apply(&run->setup, CLI_OPTION_PROJECT, "none");
    cli_setup_apply(&run->setup, CLI_OPTION_THREADS, "1");
    run->setup.quiet = run->setup.again = true;
    if (first->setup.model_file != NULL)
        set_forms(run, cardan_model_file_model(first->setup.model_file));
    if (!cli_setup_case(&run->setup, &run->problem))
        return false;
    tighten(&first->setup.tolerance, &run->setup.tolerance);
    run->most_steps = 20000 + 50 * (long long)first->statistics.steps;
    return cli_verify_run_plan(run, 0.0, true);
}

/* A second way that is not compared, because it failed earlier than another. */
static void note_failure(cli_verification *v, const cli_verify_run *run)
{
    const size_t used = strlen(v->tried);
    if (run->failure[0] != '\0')
        snprintf(v->tried + used, sizeof v->tried - used, "%s%-8s %s %.400s", used > 0 ? "\n" : "",
                 "failed", run->setup.method, run->failure);
}

/* Keeps the way that came furthest. */
static void keep_further(cli_verification *v, cli_verify_run *run)
{
    cli_verify_run *kept = &v->second;
    const bool further = kept->columns == 0 || run->rows > kept->rows;
    note_failure(v, further ? kept : run);
    cli_verify_run_free(further ? kept : run);
    if (further)
        *kept = *run;
}

/* Whether the first way is one by this method, in part at least. */
static bool is_used(const cli_verify_run *first, const char *method)
{
    const cardan_statistics *s = &first->statistics;
    if (!cli_setup_is_automatic(&first->setup))
        return strcmp(method, first->setup.method) == 0;
    return strcmp(method, "rk5") == 0    ? s->explicit_steps > 0
           : strcmp(method, "ga2s") == 0 ? s->explicit_steps < s->steps
                                         : false;
}

/* By the first of the other methods that reaches the end. */
static int run_second(job *j)
{
    static const char *const methods[] = {"rk5", "bdf", "ga2s", "ga3"};
    enum { METHODS = sizeof methods / sizeof methods[0] };
    cli_verification *v = &j->result;
    for (int i = 0; i < METHODS && (v->second.columns == 0 || v->second.failure[0] != '\0'); i++) {
        cli_verify_run run = {0};
        if (is_used(&v->first, methods[i]))
            continue;
        if (!prepare_second(j, methods[i], &run) ||
            cli_verify_run_start(&run, v->times, v->count) != CLI_DONE) {
            cli_verify_run_free(&run);
            return CLI_BAD_INPUT;
        }
        keep_further(v, &run);
    }
    return CLI_DONE;
}

static void judge_difference(cli_verification *v)
{
    const cli_difference *d = &v->differences[v->worst];
    const char *yardstick = v->equal_steps ? "thousandths of the largest value" : "tolerances";
    if (!(d->ratio <= CLI_PROMISED)) {
        v->verdict = "wrong";
        snprintf(v->sentence, sizeof v->sentence,
                 "the two ways differ by %.3g %s in the %s of `%s` at t = %g, more than %g; do not "
                 "trust this run, try %s, and if they still differ see `cardan check`, or end it "
                 "where a chaotic motion forgets its start",
                 d->ratio, yardstick, cli_kind_names[v->worst], d->element, d->t, CLI_PROMISED,
                 v->equal_steps ? "a smaller step" : "a tolerance of a hundredth (--rtol)");
    } else if (v->second.failure[0] != '\0') {
        v->verdict = "doubtful";
        snprintf(v->sentence, sizeof v->sentence,
                 "no second way reaches the end; up to t = %g they agree within %.3g %s",
                 v->second.reached, d->ratio, yardstick);
    } else if (v->first.health.verdict != CARDAN_GOOD) {
        v->verdict = cardan_verdict_name(v->first.health.verdict);
        snprintf(v->sentence, sizeof v->sentence,
                 "the two ways agree within %.3g %s, but the run itself is %s: %s", d->ratio,
                 yardstick, v->verdict, v->first.health.findings[0].text);
    } else {
        v->verdict = "good";
        snprintf(v->sentence, sizeof v->sentence,
                 "%s at a tenth of the tolerance gives the same within %.3g %s (%s of `%s`)",
                 v->second.setup.method, d->ratio, yardstick, cli_kind_names[v->worst], d->element);
    }
}

static void judge(cli_verification *v)
{
    if (v->first.failure[0] != '\0') {
        v->verdict = "wrong";
        snprintf(v->sentence, sizeof v->sentence, "the run itself %s", v->first.failure);
    } else if (v->worst < 0) {
        v->verdict = "doubtful";
        snprintf(v->sentence, sizeof v->sentence, "there is no second way to compare with");
    } else
        judge_difference(v);
}

static int verify(job *j)
{
    cli_verification *v = &j->result;
    v->worst = -1;
    if (!prepare_first(j))
        return CLI_BAD_INPUT;
    v->count = TIMES;
    v->times = cli_verify_times(v->first.plan.begin, v->first.plan.end, TIMES);
    int code = cli_verify_run_start(&v->first, v->times, v->count);
    if (code == CLI_DONE)
        code = run_second(j);
    if (code != CLI_DONE)
        return code;
    if (v->second.columns > 0)
        cli_verify_compare(v);
    judge(v);
    if (v->first.setup.json)
        cli_verify_json(v);
    else
        cli_verify_print(v);
    return strcmp(v->verdict, "wrong") == 0 ? CLI_FAILED : CLI_DONE;
}

int cli_verify(int argc, char **argv)
{
    job j = {.result.first.setup = cli_setup_default(argv[0])};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .help_rest = usage_rest,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &j, &code))
        code = verify(&j);
    cli_verify_run_free(&j.result.first);
    cli_verify_run_free(&j.result.second);
    free(j.result.times);
    free(j.result.given);
    return code;
}

/* Single runs of a work-precision study: an integrator of ours, or IDA. */
#include "workprec.h"

#include "cli/commands/march.h"
#include "cli/setup/case.h"
#include "lab/peers/ida.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static const double most_repeated = 1.0; /* seconds: longer runs are timed once */
enum { MOST_IDA_STEPS = 2000000 };

/* Of the processor, so that other programs disturb little. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(cli_workprec_run *run, double t, const char *reason)
{
    snprintf(run->failure, sizeof run->failure, "at t = %.10g: %.450s", t, reason);
}

/* Compares a state that a run has passed; false if that cannot be done. */
static bool compare(cli_workprec *study, cli_workprec_run *run, const cardan_point *at)
{
    double errors[CLI_QUANTITIES];
    cardan_error error;
    if (!study->largest && at->t < study->setup.end)
        return true;
    if (!study->fixed_reference && !cli_comparison_look_up(&study->comparison, at->t, &error)) {
        fail(run, at->t, error.text);
        return false;
    }
    cli_comparison_errors(&study->comparison, at, errors);
    for (int i = 0; i < CLI_QUANTITIES; i++)
        run->errors[i] = fmax(run->errors[i], errors[i]);
    return true;
}

/* What a visit of the march needs; `run` is NULL in a timed repetition. */
typedef struct passage {
    cli_workprec *study;
    cli_workprec_run *run;
    const cardan_state *state;
} passage;

static bool visit(void *context, long long n, double t)
{
    const passage *p = context;
    const cardan_state *s = p->state;
    const cardan_point at = {t, s->q, s->v, s->vdot, s->lambda, s->psi};
    return n == 0 || p->run == NULL || compare(p->study, p->run, &at);
}

static cardan_tolerance tolerance_of(const cli_workprec *study, double rtol)
{
    return (cardan_tolerance){study->atol > 0.0 ? study->atol : 0.01 * rtol, rtol};
}

static cardan_integrator_def def_of(const cli_workprec *study, const cli_workprec_run *run,
                                    double step)
{
    cardan_integrator_def def = cli_setup_def(&run->solver->setup, run->adaptive ? 0.0 : step);
    if (run->adaptive) {
        def.control.adaptive = true;
        def.control.position = def.control.velocity = def.control.multiplier =
            tolerance_of(study, run->value);
    }
    return def;
}

static cardan_integrator *make_integrator(const cli_workprec *study, const cli_workprec_run *run,
                                          const cli_plan *plan, cardan_error *error)
{
    cardan_integrator_def def = def_of(study, run, plan->step);
    def.events = cli_case_events(study->problem);
    cardan_integrator *integrator = NULL;
    cardan_integrator_create(&integrator, cli_case_system(study->problem), &def, error);
    return integrator;
}

static void read_work(const cardan_integrator *integrator, cli_work *work)
{
    const cardan_statistics s = cardan_integrator_statistics(integrator);
    *work = (cli_work){.steps = s.steps,
                       .rejected = s.failures,
                       .evaluations = s.residuals,
                       .iterations = s.iterations,
                       .matrices = s.matrices,
                       .factorizations = s.factorizations,
                       .seconds = work->seconds};
}

/* One passage from begin to end; seconds of stepping, or NAN after a failure, which is said. */
static double pass(cli_workprec *study, cli_workprec_run *run, bool measures)
{
    cli_plan plan;
    cardan_error error = {0};
    double seconds = NAN;
    if (!cli_plan_make(study->setup.command, study->begin, study->setup.end,
                       run->adaptive ? cli_case_step(study->problem) : run->value,
                       cli_case_events(study->problem) != NULL, &plan)) {
        fail(run, study->begin, "the steps cannot be planned");
        return NAN;
    }
    plan.adaptive = run->adaptive;
    cardan_integrator *integrator = make_integrator(study, run, &plan, &error);
    if (integrator == NULL) {
        fail(run, study->begin, error.text);
        return NAN;
    }
    passage p = {study, measures ? run : NULL, cardan_integrator_state(integrator)};
    cli_progress progress = cli_progress_begin(study->setup.quiet || !measures);
    cardan_status status = cli_case_start(study->problem, integrator);
    const double started = seconds_now();
    if (status == CARDAN_OK)
        status = cli_march(integrator, &plan, &progress, visit, &p);
    if (status == CARDAN_OK)
        seconds = seconds_now() - started;
    else
        fail(run, p.state->t, cli_reason(integrator, status));
    cli_progress_end(&progress);
    read_work(integrator, &run->work);
    cardan_integrator_destroy(integrator);
    return seconds;
}

/* Consistent initial values, neither perturbed nor of a method's own. */
static cardan_integrator *start_for_ida(const cli_workprec *study, cardan_error *error)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *integrator = NULL;
    def.experimental.start = CARDAN_START_PLAIN;
    def.step = cli_case_step(study->problem);
    if (cardan_integrator_create(&integrator, cli_case_system(study->problem), &def, error) !=
        CARDAN_OK)
        return NULL;
    if (cli_case_start(study->problem, integrator) == CARDAN_OK)
        return integrator;
    snprintf(error->text, sizeof error->text, "%.900s", cardan_integrator_message(integrator));
    cardan_integrator_destroy(integrator);
    return NULL;
}

static bool march_ida(cli_workprec *study, cli_workprec_run *run, peer_ida *peer, bool measures)
{
    cardan_error error = {0};
    cardan_point at = peer_ida_point(peer);
    for (long n = 0; at.t < study->setup.end; n++) {
        const bool stuck = n >= MOST_IDA_STEPS;
        if (stuck || peer_ida_step(peer, &error) != CARDAN_OK) {
            fail(run, at.t, stuck ? "more than 2000000 steps" : error.text);
            return false;
        }
        at = peer_ida_point(peer);
        if (measures && !compare(study, run, &at))
            return false;
    }
    return true;
}

static double pass_ida(cli_workprec *study, cli_workprec_run *run, bool measures)
{
    cardan_error error = {0};
    peer_ida *peer = NULL;
    double seconds = NAN;
    cardan_integrator *start = start_for_ida(study, &error);
    if (start == NULL ||
        peer_ida_create(&peer, cli_case_system(study->problem), cardan_integrator_state(start),
                        tolerance_of(study, run->value), study->setup.end, &error) != CARDAN_OK) {
        fail(run, study->begin, error.text);
        cardan_integrator_destroy(start);
        return NAN;
    }
    cardan_integrator_destroy(start);
    const double started = seconds_now();
    if (march_ida(study, run, peer, measures))
        seconds = seconds_now() - started;
    const peer_work w = peer_ida_work(peer);
    run->work = (cli_work){.steps = w.steps,
                           .rejected = w.rejected,
                           .evaluations = w.residuals,
                           .differences = w.differences,
                           .iterations = w.iterations,
                           .matrices = w.matrices,
                           .factorizations = w.factorizations,
                           .seconds = run->work.seconds};
    peer_ida_destroy(peer);
    return seconds;
}

void cli_workprec_measure(cli_workprec *study, cli_workprec_run *run)
{
    double (*const make)(cli_workprec *, cli_workprec_run *, bool) =
        run->solver->is_ida ? pass_ida : pass;
    make(study, run, true);
    double shortest = INFINITY, spent = 0.0;
    for (long long i = 0; i < study->repeat && run->failure[0] == '\0'; i++) {
        const double seconds = make(study, run, false);
        shortest = fmin(shortest, seconds);
        spent += seconds;
        if (spent > most_repeated)
            break;
    }
    run->work.seconds = run->failure[0] == '\0' ? shortest : NAN;
}

bool cli_workprec_make_reference(cli_workprec *study, const cli_setup *setup, double h)
{
    cli_plan plan;
    cardan_integrator *integrator = NULL;
    if (!cli_plan_make(setup->command, study->begin, setup->end, h,
                       cli_case_events(study->problem) != NULL, &plan) ||
        cli_setup_integrator(setup, study->problem, plan.step, &integrator) != CLI_DONE)
        return false;
    const cardan_state *s = cardan_integrator_state(integrator);
    cli_progress progress = cli_progress_begin(setup->quiet);
    passage p = {study, NULL, s};
    cardan_status status = cli_case_start(study->problem, integrator);
    if (status == CARDAN_OK)
        status = cli_march(integrator, &plan, &progress, visit, &p);
    cli_progress_end(&progress);
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    if (status == CARDAN_OK)
        cli_comparison_keep(&study->comparison, &at);
    else
        cli_complain(setup->command, "--ref: at t = %.10g: %s", s->t,
                     cli_reason(integrator, status));
    cardan_integrator_destroy(integrator);
    return status == CARDAN_OK;
}

/* The errors of one run against the reference: q in the Lie algebra, v, v', lambda, psi and eta. */
#include "study.h"
#include "cli/setup/case.h"

#include <math.h>
#include <stdio.h>

/* What a visit needs: the run, and the reference. */
typedef struct comparison {
    const cli_study *study;
    const cli_plan *plan;
    cardan_integrator *integrator;
    cli_study_run *run;
    cli_comparison reference;
} comparison;

bool cli_study_has(const cli_study *study, int quantity)
{
    const cardan_system *system = cli_case_system(study->problem);
    bool constrained = cardan_system_describe(system).constraint_count > 0;
    if (quantity == CLI_PSI)
        return cardan_system_describe(system).nonholonomic_count > 0;
    if (quantity == CLI_ETA)
        return constrained && cli_setup_has_eta(&study->setup);
    return constrained || quantity != CLI_LAMBDA;
}

static bool to_be_compared(const comparison *c, long long n, double t)
{
    if (n == 0)
        return false;
    if (c->study->end_norm)
        return t == c->plan->end;
    return isnan(c->study->skip) || t >= c->study->skip - 1e-9 * c->plan->step;
}

static void keep_largest(cli_study_run *run, const double errors[CLI_QUANTITIES], long long n)
{
    if (errors[CLI_LAMBDA] > run->errors[CLI_LAMBDA])
        run->lambda_step = n;
    for (int i = 0; i < CLI_QUANTITIES; i++)
        run->errors[i] = fmax(run->errors[i], errors[i]);
}

static bool compare(void *context, long long n, double t)
{
    comparison *c = context;
    const cardan_state *state = cardan_integrator_state(c->integrator);
    const cardan_point at = {t, state->q, state->v, state->vdot, state->lambda, state->psi};
    double errors[CLI_QUANTITIES];
    cardan_error error;
    if (!to_be_compared(c, n, t))
        return true;
    if (!cli_comparison_look_up(&c->reference, t, &error)) {
        snprintf(c->run->failure, sizeof c->run->failure, "no reference at t = %g: %.400s", t,
                 error.text);
        return false;
    }
    cli_comparison_errors(&c->reference, &at, errors);
    if (cli_study_has(c->study, CLI_ETA))
        errors[CLI_ETA] = cli_distance(c->reference.constraints, state->eta, NULL);
    keep_largest(c->run, errors, n);
    return true;
}

static void march_and_compare(comparison *c, cli_progress *progress)
{
    cardan_status status = cli_case_start(c->study->problem, c->integrator);
    double t = c->plan->begin;
    if (status == CARDAN_OK) {
        status = cli_march(c->integrator, c->plan, progress, compare, c);
        t = cardan_integrator_state(c->integrator)->t;
        cli_case_health(c->study->problem, c->integrator, &c->run->health);
    }
    if (status != CARDAN_OK)
        snprintf(c->run->failure, sizeof c->run->failure, "at t = %.10g: %.400s", t,
                 cli_reason(c->integrator, status));
}

int cli_study_measure(const cli_study *study, int i, cli_progress *progress, cli_study_run *run)
{
    comparison c = {.study = study, .plan = &study->plans[i], .run = run};
    int code = cli_setup_integrator(&study->setup, study->problem, c.plan->step, &c.integrator);
    if (code != CLI_DONE)
        return code;
    c.reference = cli_comparison_create(study->problem);
    march_and_compare(&c, progress);
    cli_comparison_free(&c.reference);
    cardan_integrator_destroy(c.integrator);
    return CLI_DONE;
}

double cli_study_order(const cli_study *study, const cli_study_run *runs, int i, int quantity)
{
    if (i == 0 || runs[i].failure[0] != '\0' || runs[i - 1].failure[0] != '\0')
        return NAN;
    double errors = log(runs[i - 1].errors[quantity] / runs[i].errors[quantity]);
    double order = errors / log(study->steps[i - 1] / study->steps[i]);
    return isfinite(order) ? order : NAN;
}

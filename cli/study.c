/* The errors of one run against the reference: q in the Lie algebra, v, v', lambda, psi and eta. */
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const cli_quantity_names[CLI_QUANTITIES] = {"q", "v", "vdot", "lambda", "psi", "eta"};

/* What a visit needs: the run, and room for the reference at one time. */
typedef struct comparison {
    const cli_study *study;
    const cli_plan *plan;
    cardan_integrator *integrator;
    cli_study_run *run;
    int dof, constraints, nonholonomic;
    double *q, *v, *vdot, *lambda, *psi; /* of the reference */
    double *difference;                  /* of q, in the algebra */
} comparison;

bool cli_study_has(const cli_study *study, int quantity)
{
    const cardan_system *system = cardan_problem_system(study->problem);
    bool constrained = cardan_system_constraints(system) > 0;
    if (quantity == CLI_PSI)
        return cardan_system_nonholonomic(system) > 0;
    if (quantity == CLI_ETA)
        return constrained && cli_setup_has_eta(&study->setup);
    return constrained || quantity != CLI_LAMBDA;
}

/* |x - y| in the 2-norm; y may be NULL for zero. */
static double distance(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double difference = x[i] - (y != NULL ? y[i] : 0.0);
        sum += difference * difference;
    }
    return sqrt(sum);
}

static bool to_be_compared(const comparison *c, long long n, double t)
{
    if (n == 0)
        return false;
    if (c->study->end_norm)
        return n == c->plan->steps;
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
    cardan_error error;
    if (!to_be_compared(c, n, t))
        return true;
    if (cardan_problem_reference(c->study->problem, t, c->q, c->v, c->vdot, c->lambda, c->psi,
                                 &error) != CARDAN_OK) {
        snprintf(c->run->failure, sizeof c->run->failure, "no reference at t = %g: %.400s", t,
                 error.text);
        return false;
    }
    const cardan_group *group = cardan_system_group(cardan_problem_system(c->study->problem));
    cardan_group_difference(group, c->q, state->q, c->difference);
    const double errors[CLI_QUANTITIES] = {
        [CLI_Q] = distance(c->dof, c->difference, NULL),
        [CLI_V] = distance(c->dof, state->v, c->v),
        [CLI_VDOT] = distance(c->dof, state->vdot, c->vdot),
        [CLI_LAMBDA] = distance(c->constraints, state->lambda, c->lambda),
        [CLI_PSI] = distance(c->nonholonomic, state->psi, c->psi),
        [CLI_ETA] =
            cli_study_has(c->study, CLI_ETA) ? distance(c->constraints, state->eta, NULL) : 0.0};
    keep_largest(c->run, errors, n);
    return true;
}

static void march_and_compare(comparison *c, cli_progress *progress)
{
    cardan_status status = cli_setup_start(c->study->problem, c->integrator);
    double t = c->plan->begin;
    if (status == CARDAN_OK) {
        status = cli_march(c->integrator, c->plan, progress, compare, c);
        t = cardan_integrator_state(c->integrator)->t;
    }
    if (status != CARDAN_OK)
        snprintf(c->run->failure, sizeof c->run->failure, "at t = %.10g: %.400s", t,
                 cli_reason(c->integrator, status));
}

int cli_study_measure(const cli_study *study, int i, cli_progress *progress, cli_study_run *run)
{
    const cardan_system *system = cardan_problem_system(study->problem);
    int size = cardan_group_size(cardan_system_group(system));
    comparison c = {.study = study,
                    .plan = &study->plans[i],
                    .run = run,
                    .dof = cardan_system_dof(system),
                    .constraints = cardan_system_constraints(system),
                    .nonholonomic = cardan_system_nonholonomic(system)};
    int code = cli_setup_integrator(&study->setup, study->problem, c.plan->step, &c.integrator);
    if (code != CLI_DONE)
        return code;
    int count = size + 3 * c.dof + c.constraints + c.nonholonomic;
    double *room = cli_allocate((size_t)count, sizeof *room);
    c.q = room;
    c.v = c.q + size;
    c.vdot = c.v + c.dof;
    c.difference = c.vdot + c.dof;
    c.lambda = c.difference + c.dof;
    c.psi = c.lambda + c.constraints;
    march_and_compare(&c, progress);
    free(room);
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

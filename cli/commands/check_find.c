/* What can be said at the initial values: derivatives, consistency, ranks, verdicts; and the
 * transient of a plain start. */
#include "check.h"
#include "lab/analysis/analysis.h"
#include "lab/analysis/decomposition.h"
#include "lab/analysis/projection_verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DERIVATIVE_POINTS = 4, MOST_TRANSIENT_STEPS = 400, QUICK_DECOMPOSITION = 300 };

__attribute__((format(printf, 3, 4))) static void conclude(cli_outcome *outcome, bool fine,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    outcome->fine = fine;
    vsnprintf(outcome->text, sizeof outcome->text, format, arguments);
    va_end(arguments);
}

const char *cli_check_multiplier(const cli_check_job *check, int i, char text[24])
{
    const int m = cardan_system_describe(check->system).constraint_count;
    snprintf(text, 24, i < m ? "lambda%d" : "psi%d", i < m ? i + 1 : i - m + 1);
    return text;
}

/* A reproducible number in [-1, 1]. */
static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

/* x moved by up to 5 % of its size, or 0.05. */
static void disturb(int n, const double *x, unsigned *state, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = x[i] + 0.05 * fmax(1.0, fabs(x[i])) * random_unit(state);
}

/* The derivatives once more at a point nearby, off the constraints. */
static cardan_status check_nearby(const cli_check_job *check, unsigned seed, cardan_error *error)
{
    const cardan_system *system = check->system;
    const cardan_group *group = cardan_system_describe(system).group;
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    const int l = cardan_system_describe(system).nonholonomic_count,
              size = cardan_group_size(group);
    double *memory = cli_allocate((size_t)(size + 3 * k + m + l), sizeof(double));
    double *q = memory, *v = q + size, *vdot = v + k, *w = vdot + k, *lambda = w + k;
    double *psi = lambda + m;
    for (int i = 0; i < k; i++)
        w[i] = 0.05 * random_unit(&seed);
    cardan_group_update(group, check->q, w, q);
    disturb(k, check->v, &seed, v);
    disturb(k, check->vdot, &seed, vdot);
    disturb(m, check->lambda, &seed, lambda);
    disturb(l, check->psi, &seed, psi);
    const cardan_point at = {check->at.t + 0.01, q, v, vdot, lambda, psi};
    cardan_status status = cardan_system_check(system, &at, 0.0, error);
    free(memory);
    return status;
}

static void check_derivatives(cli_check_job *check)
{
    cardan_error error;
    cardan_status status = cardan_system_check(check->system, &check->at, 0.0, &error);
    for (unsigned i = 1; status == CARDAN_OK && i < DERIVATIVE_POINTS; i++)
        status = check_nearby(check, i, &error);
    check->derivative_points = DERIVATIVE_POINTS;
    conclude(&check->derivatives, status == CARDAN_OK, "%s",
             status == CARDAN_OK ? "all derivatives and claims agree with differences"
                                 : error.text);
}

/* Starts as a run would: gives v', lambda and psi, and says what is wrong with q and v. */
static void check_consistency(cli_check_job *check)
{
    cardan_integrator *it = NULL;
    cardan_error error;
    const int k = cardan_system_describe(check->system).dof;
    if (cli_setup_integrator(&check->setup, check->problem, check->step, &it) != CLI_DONE)
        return;
    cardan_status status = cardan_integrator_start_from(it, check->at.t, check->q, check->v,
                                                        check->lambda, check->psi);
    const char *message = cardan_integrator_message(it);
    if (status == CARDAN_OK) {
        const cardan_state *s = cardan_integrator_state(it);
        memcpy(check->vdot, s->vdot, (size_t)k * sizeof(double));
        for (int i = 0; i < cardan_system_describe(check->system).constraint_count; i++)
            check->lambda[i] = s->lambda[i];
        for (int i = 0; i < cardan_system_describe(check->system).nonholonomic_count; i++)
            check->psi[i] = s->psi[i];
    }
    conclude(&check->consistent, status == CARDAN_OK, "%s", message);
    if (cardan_system_residuals(check->system, &check->at, &check->residuals, &error) != CARDAN_OK)
        conclude(&check->consistent, false, "%s", error.text);
    cardan_integrator_destroy(it);
}

static void check_structure(cli_check_job *check)
{
    cardan_error error;
    cardan_status status = cardan_rank_analyse(check->system, &check->at, &check->rank, &error);
    conclude(&check->structure, status == CARDAN_OK, "%s", error.text);
    /* Without massless directions it says nothing new, and full matrices of many rows take long. */
    const bool quick = cardan_system_describe(check->system).dof <= QUICK_DECOMPOSITION;
    if (status == CARDAN_OK && (quick || check->rank.algebraic > 0))
        lab_decomposition_create(&check->decomposition, check->system, &check->at, NULL);
}

static void judge_at_start(cli_check_job *check, cli_verdict *verdict)
{
    cardan_error error;
    cardan_status status =
        lab_projection_judge(check->system, &verdict->how, &check->at, &verdict->at_start, &error);
    verdict->judged = status == CARDAN_OK;
    if (!verdict->judged) {
        snprintf(verdict->refusal, sizeof verdict->refusal, "%s", error.text);
        return;
    }
    verdict->states = 1;
    verdict->worst = verdict->at_start;
    verdict->worst_time = check->at.t;
    verdict->can_add_energy = verdict->at_start.can_add_energy;
}

void cli_check_model(cli_check_job *check)
{
    check_consistency(check);
    check_derivatives(check);
    check_structure(check);
    conclude(&check->run, true, "%s", "");
    for (int i = 0; i < check->verdict_count; i++)
        judge_at_start(check, &check->verdicts[i]);
}

/* ga3 at the initial values, or NULL if it cannot be used. */
static cardan_integrator *start_index_three(const cli_check_job *check, cardan_start start)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    def.method = "ga3";
    if (!check->setup.own_params)
        def.params = check->setup.params;
    def.expert = check->setup.expert;
    def.step = check->step;
    def.experimental.start = start;
    if (cardan_integrator_create(&it, check->system, &def, NULL) != CARDAN_OK)
        return NULL;
    if (cardan_integrator_start_from(it, check->at.t, check->q, check->v, check->lambda,
                                     check->psi) == CARDAN_OK)
        return it;
    cardan_integrator_destroy(it);
    return NULL;
}

/* What compares two runs: B and its products with accelerations. */
typedef struct comparison {
    cardan_evaluator *evaluator;
    double *difference, *rest; /* k: v' of one minus v' of the other, zeros */
    double *moving, *still;    /* m: B x + dPhi/dt and dPhi/dt */
} comparison;

/* |B (v'_a - v'_b)|: but for terms of higher order that is |B M^-1 B^T (lambda_a - lambda_b)|
 * (ACB15 (25)). */
static double scaled_difference(comparison *c, const cardan_system *system, const cardan_state *a,
                                const cardan_state *b)
{
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    double largest = 0.0;
    for (int i = 0; i < k; i++)
        c->difference[i] = a->vdot[i] - b->vdot[i];
    cardan_point at = {b->t, b->q, c->difference, b->vdot, b->lambda, b->psi};
    cardan_equations out = {.hidden = c->moving};
    if (cardan_evaluator_evaluate(c->evaluator, &at, &out) != CARDAN_OK)
        return NAN;
    at.v = c->rest;
    out.hidden = c->still;
    if (cardan_evaluator_evaluate(c->evaluator, &at, &out) != CARDAN_OK)
        return NAN;
    for (int i = 0; i < m; i++)
        largest = fmax(largest, fabs(c->moving[i] - c->still[i]));
    return largest;
}

static void note_largest(double value, int n, double *largest, int *step)
{
    if (value > *largest) {
        *largest = value;
        *step = n;
    }
}

/* Steps both for twice as long as the peak is away, and compares their multipliers. */
static void step_both(const cli_check_job *check, comparison *c, cardan_integrator *plain,
                      cardan_integrator *perturbed, cli_transient *transient)
{
    const int m = cardan_system_describe(check->system).constraint_count;
    const int wanted = 2 * transient->recursion.lambda_peak_step;
    const cardan_state *a = cardan_integrator_state(plain);
    const cardan_state *b = cardan_integrator_state(perturbed);
    for (int n = 1; n <= wanted && n <= MOST_TRANSIENT_STEPS; n++) {
        if (cardan_integrator_step(plain) != CARDAN_OK ||
            cardan_integrator_step(perturbed) != CARDAN_OK)
            return;
        for (int i = 0; i < m; i++) {
            transient->lambda = fmax(transient->lambda, fabs(b->lambda[i]));
            note_largest(fabs(a->lambda[i] - b->lambda[i]), n, &transient->measured,
                         &transient->measured_step);
        }
        note_largest(scaled_difference(c, check->system, a, b), n, &transient->measured_scaled,
                     &transient->scaled_step);
    }
}

static void measure_transient(const cli_check_job *check, cardan_integrator *plain,
                              cardan_integrator *perturbed, cli_transient *transient)
{
    const size_t k = (size_t)cardan_system_describe(check->system).dof;
    const size_t m = (size_t)cardan_system_describe(check->system).constraint_count;
    comparison c = {.difference = cli_allocate(2 * k + 2 * m, sizeof(double))};
    c.rest = c.difference + k;
    c.moving = c.rest + k;
    c.still = c.moving + m;
    if (cardan_evaluator_create(&c.evaluator, check->system, NULL, NULL) == CARDAN_OK)
        step_both(check, &c, plain, perturbed, transient);
    cardan_evaluator_destroy(c.evaluator);
    free(c.difference);
}

void cli_check_transient(cli_check_job *check)
{
    cli_transient *transient = &check->transient;
    const cardan_params *params = &check->setup.params;
    double position, hidden = 0.0;
    if (cardan_system_describe(check->system).constraint_count == 0 || check->rank.tied == 0 ||
        lab_find_recursion("ga3", params, &transient->recursion, NULL) != CARDAN_OK)
        return;
    cardan_integrator *plain = start_index_three(check, CARDAN_START_PLAIN);
    cardan_integrator *perturbed = start_index_three(check, CARDAN_START_PERTURBED);
    transient->applies = plain != NULL && perturbed != NULL && isfinite(transient->recursion.peak);
    if (transient->applies) {
        /* The perturbed start has B v + dPhi/dt = B l^q / h. */
        cardan_integrator_residuals(perturbed, &position, &hidden);
        transient->starting_error = hidden / check->step;
        measure_transient(check, plain, perturbed, transient);
    }
    cardan_integrator_destroy(plain);
    cardan_integrator_destroy(perturbed);
    transient->has_null = check->rank.algebraic > 0 &&
                          lab_find_recursion("null", params, &transient->null, NULL) == CARDAN_OK;
}

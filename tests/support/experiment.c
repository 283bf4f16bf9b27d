/* See experiment.h. */
#include "experiment.h"

#include "base/numeric.h"
#include "lab/problems/problem.h"
#include "suite.h"

enum { MAX = 32 };

experiment experiment_of(const char *problem, const char *method, double rho, double step,
                         double end)
{
    return (experiment){.problem = problem,
                        .method = method,
                        .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho),
                        .start = CARDAN_START_PERTURBED,
                        .difference = CARDAN_DIFFERENCE_CENTRAL,
                        .step = step,
                        .end = end,
                        .every = 1};
}

double observed_order(double coarse, double fine)
{
    return log2(coarse / fine);
}

lab_problem *open_problem(const char *name, const lab_setting *settings, int count)
{
    lab_problem *problem = NULL;
    cardan_error error = {0};
    cardan_status status = lab_problem_create(&problem, name, settings, count, &error);
    ck_assert_msg(status == CARDAN_OK, "%s: %s", name, error.text);
    return problem;
}

cardan_integrator *start_problem(const lab_problem *problem, const cardan_integrator_def *def)
{
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    double q[MAX], v[MAX];
    cardan_integrator_def with_events = *def;
    if (def->events == NULL)
        with_events.events = lab_problem_events(problem);
    cardan_status status =
        cardan_integrator_create(&it, lab_problem_system(problem), &with_events, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    lab_problem_initial(problem, q, v);
    CHECK_STATUS(it, cardan_integrator_start(it, lab_problem_begin(problem), q, v));
    return it;
}

double experiment_distance(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

void experiment_grow(double *largest, double value)
{
    if (!(value <= *largest)) /* a NaN stays visible */
        *largest = value;
}

static void compare_outputs(lab_problem *problem, const cardan_point *now,
                            const cardan_point *exact, trajectory_errors *errors)
{
    double ours[MAX] = {0}, theirs[MAX] = {0};
    lab_problem_output(problem, now, ours);
    lab_problem_output(problem, exact, theirs);
    for (int i = 0; i < 3; i++)
        experiment_grow(&errors->output[i], fabs(ours[i] - theirs[i]));
    experiment_grow(&errors->position, experiment_distance(3, ours, theirs));
}

/* a_n approximates v'(t_n + Delta_alpha h) (Jay11 Sec. 1). */
static void compare_algorithmic(lab_problem *problem, const cardan_state *s, const cardan_params *p,
                                trajectory_errors *errors)
{
    const double t = s->t + (p->alpha_m - p->alpha_f) * s->h;
    double vdot[MAX];
    cardan_error error;
    cardan_status status = lab_problem_reference(problem, t, NULL, NULL, vdot, NULL, NULL, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    experiment_grow(
        &errors->a,
        experiment_distance(cardan_system_describe(lab_problem_system(problem)).dof, s->a, vdot));
}

void experiment_compare(lab_problem *problem, cardan_integrator *it, trajectory_errors *errors)
{
    const cardan_state *s = cardan_integrator_state(it);
    const cardan_system *system = lab_problem_system(problem);
    const cardan_group *group = cardan_system_describe(system).group;
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    const double zero[MAX] = {0};
    double q[MAX], v[MAX], vdot[MAX], lambda[MAX], psi[MAX], w[MAX], phi, hidden;
    cardan_error error;
    cardan_status status = lab_problem_reference(problem, s->t, q, v, vdot, lambda, psi, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_group_difference(group, q, s->q, w);
    experiment_grow(&errors->q, experiment_distance(k, w, zero));
    experiment_grow(&errors->v, experiment_distance(k, s->v, v));
    experiment_grow(&errors->vdot, experiment_distance(k, s->vdot, vdot));
    experiment_grow(&errors->eta, experiment_distance(m, s->eta, zero));
    experiment_grow(
        &errors->psi,
        experiment_distance(cardan_system_describe(system).nonholonomic_count, s->psi, psi));
    const double off = experiment_distance(m, s->lambda, lambda);
    if (off > errors->lambda)
        errors->peak = errors->steps;
    experiment_grow(&errors->lambda, off);
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
    experiment_grow(&errors->phi, phi);
    experiment_grow(&errors->hidden, hidden);
    const cardan_point now = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    const cardan_point exact = {s->t, q, v, vdot, lambda, psi};
    compare_outputs(problem, &now, &exact, errors);
}

trajectory_errors experiment_run(const experiment *run)
{
    lab_problem *problem = open_problem(run->problem, run->settings, run->setting_count);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = run->method;
    def.params = run->params;
    def.expert = run->expert;
    def.experimental = run->options;
    def.experimental.start = run->start;
    def.experimental.difference = run->difference;
    def.update = run->update;
    def.step = run->step;
    cardan_integrator *it = start_problem(problem, &def);
    const long steps = lround((run->end - lab_problem_begin(problem)) / run->step);
    trajectory_errors errors = {0};
    while (errors.steps < steps) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        errors.steps++;
        if (errors.steps % run->every == 0) {
            experiment_compare(problem, it, &errors);
            if (run->algorithmic)
                compare_algorithmic(problem, cardan_integrator_state(it), &run->params, &errors);
        }
    }
    errors.iterations = cardan_integrator_statistics(it).iterations;
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return errors;
}

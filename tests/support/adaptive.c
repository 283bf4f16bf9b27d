/* See adaptive.h. */
#include "adaptive.h"

#include "suite.h"

#include <math.h>

static adaptive_result measure(const adaptive_run *run, cardan_integrator_def def)
{
    cardan_problem *problem = open_problem(run->problem, run->settings, run->setting_count);
    def.method = run->method;
    def.params = run->params;
    def.step_change = run->step_change;
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *now = cardan_integrator_state(it);
    adaptive_result result = {0};
    while (now->t < run->end) {
        CHECK_STATUS(it, cardan_integrator_step_towards(it, run->end));
        experiment_compare(problem, it, &result.largest);
    }
    ck_assert_double_eq(now->t, run->end);
    experiment_compare(problem, it, &result.end);
    result.work = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    cardan_problem_destroy(problem);
    return result;
}

adaptive_result adaptive_run_with(const adaptive_run *run, double tolerance)
{
    const cardan_tolerance both = {tolerance, tolerance};
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 0.0;
    def.control.adaptive = true;
    def.control.position = def.control.velocity = def.control.multiplier = both;
    return measure(run, def);
}

adaptive_result fixed_run_with(const adaptive_run *run, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = step;
    return measure(run, def);
}

double fitted_slope(int n, const double *x, const double *y)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < n; i++) {
        sx += log(x[i]);
        sy += log(y[i]);
        sxx += log(x[i]) * log(x[i]);
        sxy += log(x[i]) * log(y[i]);
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

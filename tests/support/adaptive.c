/* See adaptive.h. */
#include "adaptive.h"

#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>

static cardan_integrator_def definition(const adaptive_run *run)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = run->method;
    def.params = run->params;
    def.experimental.step_change = run->step_change;
    return def;
}

static cardan_integrator_def adaptive_definition(const adaptive_run *run, double tolerance)
{
    const cardan_tolerance both = {tolerance, tolerance};
    cardan_integrator_def def = definition(run);
    def.step = 0.0;
    def.control.adaptive = true;
    def.control.position = def.control.velocity = def.control.multiplier = both;
    if (run->loose > 0.0)
        def.control.multiplier = (cardan_tolerance){run->loose, run->loose};
    return def;
}

static adaptive_result measure(const adaptive_run *run, const cardan_integrator_def *def)
{
    lab_problem *problem = open_problem(run->problem, run->settings, run->setting_count);
    cardan_integrator *it = start_problem(problem, def);
    const cardan_state *now = cardan_integrator_state(it);
    adaptive_result result = {0};
    while (now->t < run->end) {
        const cardan_status status = cardan_integrator_step_towards(it, run->end);
        result.failed = status != CARDAN_OK && run->may_fail;
        if (result.failed)
            break;
        CHECK_STATUS(it, status);
        if (!run->end_only)
            experiment_compare(problem, it, &result.largest);
    }
    ck_assert(now->t == run->end || result.failed);
    experiment_compare(problem, it, &result.end);
    result.work = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return result;
}

adaptive_result adaptive_run_with(const adaptive_run *run, double tolerance)
{
    const cardan_integrator_def def = adaptive_definition(run, tolerance);
    return measure(run, &def);
}

adaptive_result fixed_run_with(const adaptive_run *run, double step)
{
    cardan_integrator_def def = definition(run);
    def.step = step;
    return measure(run, &def);
}

adaptive_result replayed_run_with(const adaptive_run *run, double tolerance,
                                  cardan_step_change change)
{
    lab_problem *problem = open_problem(run->problem, run->settings, run->setting_count);
    cardan_integrator_def def = adaptive_definition(run, tolerance);
    cardan_integrator *chooser = start_problem(problem, &def);
    const cardan_state *chosen = cardan_integrator_state(chooser);
    def = definition(run);
    def.step = chosen->h;
    def.experimental.step_change = change;
    cardan_integrator *it = start_problem(problem, &def);
    adaptive_result result = {0};
    while (chosen->t < run->end) {
        CHECK_STATUS(chooser, cardan_integrator_step_towards(chooser, run->end));
        CHECK_STATUS(it, cardan_integrator_set_step(it, chosen->h));
        CHECK_STATUS(it, cardan_integrator_step(it));
        experiment_compare(problem, it, &result.largest);
    }
    experiment_compare(problem, it, &result.end);
    result.work = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(chooser);
    lab_problem_destroy(problem);
    return result;
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

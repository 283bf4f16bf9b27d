/* From begin to end, and the visits between the steps. */
#include "march.h"
#include "cli/setup/options.h"

#include <float.h>
#include <math.h>

#define MOST_STEPS         1e10
#define DIVISION_TOLERANCE 1e-9 /* of a step: what counts as rounding of the user's numbers */

bool cli_plan_make(const char *command, double begin, double end, double step, bool events,
                   cli_plan *plan)
{
    double span = end - begin;
    double count = span / step;
    *plan = (cli_plan){.begin = begin, .end = end, .step = step, .events = events};
    if (span < 0.0) {
        cli_complain(command, "--end: %g is before the start, t = %g; give a later end", end,
                     begin);
        return false;
    }
    if (!(count <= MOST_STEPS)) {
        cli_complain(command,
                     "from t = %g to %g in steps of %g would take %.3g steps, more than 1e10; "
                     "choose a larger step or an earlier end",
                     begin, end, step, count);
        return false;
    }
    double whole = round(count);
    if (span > 0.0 && whole >= 1.0 && fabs(count - whole) <= DIVISION_TOLERANCE) {
        plan->uniform = plan->steps = (long long)whole;
        plan->divides = true;
        if (fabs(whole * step - span) > 4.0 * DBL_EPSILON * span)
            plan->step = span / whole;
    } else if (count < 1.0 && span > 0.0) {
        plan->uniform = plan->steps = 1; /* one step, as long as the span */
        plan->step = span;
    } else if (span > 0.0) {
        plan->steps = (long long)floor(count) + 1;
        plan->uniform = plan->steps - 2; /* the last two share what is left */
    }
    return true;
}

/* Equal steps, whose number is known. */
static bool is_counted(const cli_plan *plan)
{
    return !plan->adaptive && !plan->events;
}

/* Where a step must end next: at the end or, if steps are not equal, at a projection. */
static double next_target(const cli_plan *plan, double t)
{
    double target = plan->end;
    for (int i = 0; i < plan->project_count && !is_counted(plan); i++)
        if (plan->project_at[i] > t)
            target = fmin(target, plan->project_at[i]);
    return target;
}

/* The projection that is due at the end of a step. */
static cardan_status project_if_due(cardan_integrator *integrator, const cli_plan *plan, double t)
{
    const double reach = is_counted(plan) ? 1e-3 * plan->step : 0.0;
    for (int i = 0; i < plan->project_count; i++)
        if (fabs(plan->project_at[i] - t) <= reach)
            return cardan_integrator_project(integrator, plan->projection, NULL);
    return CARDAN_OK;
}

cardan_status cli_march(cardan_integrator *integrator, const cli_plan *plan, cli_progress *progress,
                        cli_visit *visit, void *context)
{
    double t = plan->next > 0 ? cardan_integrator_state(integrator)->t : plan->begin;
    if (plan->next == 0 && !visit(context, 0, plan->begin))
        return CARDAN_OK;
    for (long long n = plan->next > 0 ? plan->next : 1; t < plan->end; n++) {
        cardan_status status = cardan_integrator_step_towards(integrator, next_target(plan, t));
        if (status != CARDAN_OK)
            return status;
        t = cardan_integrator_state(integrator)->t;
        status = project_if_due(integrator, plan, t);
        if (status != CARDAN_OK)
            return status;
        if (!visit(context, n, t))
            return CARDAN_OK;
        cli_progress_show(progress, plan->begin, plan->end, t,
                          cardan_integrator_state(integrator)->h, n);
    }
    return CARDAN_OK;
}

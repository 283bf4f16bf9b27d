/* Makes adaptive steps end at breakpoints, and starts the motion anew behind each. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

/* The first breakpoint after t; INFINITY: none. */
static double next_breakpoint_after(const cardan_integrator *it, double t)
{
    const cardan_system_def *def = &it->system->def;
    const double breakpoint =
        def->next_breakpoint != NULL ? def->next_breakpoint(def->context, t) : INFINITY;
    return breakpoint > t ? breakpoint : INFINITY;
}

static double current_time(const cardan_integrator *it)
{
    return it->states[it->current].t;
}

/* The time at which a step to a breakpoint ends: callbacks there still give the earlier side. */
static double just_before(double breakpoint)
{
    return nextafter(breakpoint, -INFINITY);
}

bool cd_breakpoints_are_used(const cardan_integrator *it)
{
    bool any = false;
    for (int i = 0; i < it->mode_count; i++)
        any = any || it->modes[i].system->def.next_breakpoint != NULL;
    return any && it->def.control.adaptive;
}

bool cd_breakpoint_behind(const cardan_integrator *it, double reach)
{
    return it->watch.leapt ||
           next_breakpoint_after(it, current_time(it) - reach) <= current_time(it);
}

double cd_breakpoint_ahead(const cardan_integrator *it)
{
    if (!cd_breakpoints_are_used(it))
        return INFINITY;
    return just_before(next_breakpoint_after(it, current_time(it))) - current_time(it);
}

double cd_breakpoint_longest_step(const cardan_integrator *it)
{
    const cardan_system_def *def = &it->system->def;
    const double longest =
        def->longest_step != NULL ? def->longest_step(def->context, current_time(it)) : INFINITY;
    return longest > 0.0 ? longest : INFINITY;
}

double cd_breakpoint_choose_step(const cardan_integrator *it)
{
    const double ahead = cd_breakpoint_ahead(it);
    return ahead > cd_integrator_time_rounding(it, current_time(it))
               ? cd_integrator_choose_step(it, ahead)
               : it->nominal;
}

double cd_breakpoint_time(const cardan_integrator *it, double offset)
{
    const double t = current_time(it) + offset;
    const double breakpoint = offset > 0.0 ? next_breakpoint_after(it, current_time(it)) : INFINITY;
    return t >= breakpoint && t - breakpoint <= cd_integrator_time_rounding(it, t)
               ? just_before(breakpoint)
               : t;
}

/* Changes velocities as the constraints behind the breakpoint ask for, and starts from there. */
static cardan_status restart_after_breakpoint(cardan_integrator *it)
{
    const cd_contacts none = {0};
    cd_state *now = cd_integrator_now(it);
    cardan_status status =
        cd_impulse_apply(it->consistent->impulse, now->t, now->q, &none, now->v, it->values);
    if (status == CARDAN_OK)
        status = cd_integrator_restart(it, CD_AFTER_EVENT);
    return status == CARDAN_OK ? cd_energy_balance_between_steps(it, NULL) : status;
}

/* Keeps the state before the breakpoint for dense output, and starts anew behind it. */
static cardan_status cross_breakpoint(cardan_integrator *it, double breakpoint)
{
    cd_breakpoints *breakpoints = &it->breakpoints;
    cd_state *now = cd_integrator_now(it);
    if (it->has_before) { /* the end of a step, not of another restart */
        cd_integrator_copy_state(it, now, &breakpoints->left);
        breakpoints->left.t = now->t;
        breakpoints->behind = true;
        breakpoints->third_behind = it->has_two_before;
    }
    now->t = breakpoint;
    const cardan_status status = restart_after_breakpoint(it);
    cd_integrator_update_view(it);
    if (status == CARDAN_OK)
        return CARDAN_OK;
    return cd_diagnose(it, it->h, 1, 0.0);
}

cardan_status cd_breakpoint_step_towards(cardan_integrator *it, double t)
{
    cardan_status status = CARDAN_OK;
    double breakpoint = INFINITY, end = INFINITY;
    for (;;) {
        breakpoint = next_breakpoint_after(it, it->view.t);
        end = just_before(breakpoint);
        if (end - it->view.t > cd_integrator_time_rounding(it, end) || end >= t)
            break;
        status = cross_breakpoint(it, breakpoint);
        if (status != CARDAN_OK)
            return status;
    }
    if (!(t > it->view.t))
        return CARDAN_OK;
    status = cd_events_follow(it, cd_control_step(it, fmin(t, end)));
    return status == CARDAN_OK && it->view.t == end ? cross_breakpoint(it, breakpoint) : status;
}

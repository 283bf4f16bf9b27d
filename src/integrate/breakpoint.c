/* Steps that end at breakpoints, and the start behind them. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

/* The first breakpoint after t; INFINITY: none. */
static double next_after(const cardan_integrator *it, double t)
{
    const cardan_system_def *def = &it->system->def;
    const double breakpoint =
        def->next_breakpoint != NULL ? def->next_breakpoint(def->context, t) : INFINITY;
    return breakpoint > t ? breakpoint : INFINITY;
}

static double time_of(const cardan_integrator *it)
{
    return it->states[it->current].t;
}

/* The end of a step that leads to a breakpoint. */
static double just_before(double breakpoint)
{
    return nextafter(breakpoint, -INFINITY);
}

bool cd_kinks_wanted(const cardan_integrator *it)
{
    bool any = false;
    for (int i = 0; i < it->mode_count; i++)
        any = any || it->modes[i].system->def.next_breakpoint != NULL;
    return any && it->def.control.adaptive;
}

bool cd_breakpoint_behind(const cardan_integrator *it, double reach)
{
    return it->watch.leapt || next_after(it, time_of(it) - reach) <= time_of(it);
}

double cd_breakpoint_ahead(const cardan_integrator *it)
{
    if (!cd_kinks_wanted(it))
        return INFINITY;
    return just_before(next_after(it, time_of(it))) - time_of(it);
}

double cd_breakpoint_longest_step(const cardan_integrator *it)
{
    const cardan_system_def *def = &it->system->def;
    const double longest =
        def->longest_step != NULL ? def->longest_step(def->context, time_of(it)) : INFINITY;
    return longest > 0.0 ? longest : INFINITY;
}

double cd_breakpoint_step(const cardan_integrator *it)
{
    const double ahead = cd_breakpoint_ahead(it);
    return ahead > cd_integrator_time_rounding(it, time_of(it))
               ? cd_integrator_choose_step(it, ahead)
               : it->nominal;
}

double cd_breakpoint_time(const cardan_integrator *it, double offset)
{
    const double t = time_of(it) + offset;
    const double breakpoint = offset > 0.0 ? next_after(it, time_of(it)) : INFINITY;
    return t >= breakpoint && t - breakpoint <= cd_integrator_time_rounding(it, t)
               ? just_before(breakpoint)
               : t;
}

/* Velocities that the constraints allow behind the breakpoint, and the start. */
static cardan_status start_behind(cardan_integrator *it)
{
    const cd_contacts none = {0};
    cd_state *now = cd_integrator_now(it);
    cardan_status status =
        cd_impulse_apply(it->consistent->impulse, now->t, now->q, &none, now->v, it->values);
    if (status == CARDAN_OK)
        status = cd_integrator_restart(it, CD_AFTER_EVENT);
    return status == CARDAN_OK ? cd_ledger_between(it, NULL) : status;
}

static cardan_status cross(cardan_integrator *it, double breakpoint)
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
    const cardan_status status = start_behind(it);
    cd_integrator_show(it);
    if (status == CARDAN_OK)
        return CARDAN_OK;
    return cd_diagnose(it, it->h, 1, 0.0);
}

cardan_status cd_kinks_step(cardan_integrator *it, double t)
{
    cardan_status status = CARDAN_OK;
    double breakpoint = INFINITY, end = INFINITY;
    for (;;) {
        breakpoint = next_after(it, it->view.t);
        end = just_before(breakpoint);
        if (end - it->view.t > cd_integrator_time_rounding(it, end) || end >= t)
            break;
        status = cross(it, breakpoint);
        if (status != CARDAN_OK)
            return status;
    }
    if (!(t > it->view.t))
        return CARDAN_OK;
    status = cd_events_follow(it, cd_control_step(it, fmin(t, end)));
    return status == CARDAN_OK && it->view.t == end ? cross(it, breakpoint) : status;
}

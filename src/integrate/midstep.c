/* What a step does in its middle, by dense output: an independent point for steps whose ends could
 * both be right while the motion between them is not.
 *
 * Residuals of the constraints there are compared with what errors of q and v within their
 * tolerances make of them. Accelerations from the equations there must lead from the velocity at
 * the begin to that at the end by Simpson's rule, and the multipliers that go with them lie near
 * the interpolated ones. */
#include "integrator.h"

#include "base/numeric.h"

#include <float.h>

/* The middle of a step, with v', lambda and psi of its begin. */
static cardan_status find_middle(cardan_integrator *it, const cd_interpolated_step *over,
                                 cd_state *middle)
{
    const double t = over->old->t + 0.5 * (over->now->t - over->old->t);
    const cd_state place = {
        .t = t, .q = it->values, .v = it->values + cardan_group_size(it->system->group)};
    const cardan_status status = cd_dense_at(it, over, &place);
    *middle = cd_dense_place(it, over, t);
    return status;
}

cardan_status cd_step_midstep(cardan_integrator *it, double *position, double *velocity)
{
    const cd_interpolated_step over = cd_dense_last_step(it);
    const cd_event_mode *mode = &it->modes[over.mode];
    const int m = mode->system->m, l = mode->system->l;
    cd_zero(it->most.m, position);
    cd_zero(it->most.m + it->most.l, velocity);
    if (!(over.now->t > over.old->t) || m + l == 0)
        return CARDAN_OK;
    cd_state middle;
    const cardan_status status = find_middle(it, &over, &middle);
    const cardan_point at = cd_state_point(&middle);
    const cd_equations out = {
        .position = position, .hidden = velocity, .nonholonomic = velocity + m};
    return status == CARDAN_OK ? cd_system_residual(mode->ws, &at, &out) : status;
}

/* ---- in tolerances ---- */

static void consider(cd_worst *worst, cd_error_kind kind, int index, double error)
{
    if (!(fabs(error) <= worst->error))
        *worst = (cd_worst){fabs(error), kind, index};
}

/* What errors within the tolerances, and rounding of positions, would make of a row of B or K. */
static double row_tolerance(const cardan_integrator *it, int row, bool of_positions)
{
    const cd_row r = cd_system_constraint_row(it->ws, row);
    double sum = 0.0;
    for (int i = 0; i < r.count; i++) {
        const int column = cd_row_column(&r, i);
        const double rounding = 100.0 * DBL_EPSILON * it->control.position[column];
        sum +=
            fabs(r.values[i]) *
            (of_positions ? cd_tolerance_of(it, CD_ERROR_POSITION, column) + rounding
                          : cd_tolerance_of(it, CD_ERROR_VELOCITY, column) + rounding / it->step.h);
    }
    return sum;
}

static void judge_residuals(cardan_integrator *it, const cd_state *middle, cd_worst *worst)
{
    const int m = it->system->m, l = it->system->l;
    double *position = it->control.probes, *velocity = position + m;
    const cardan_point at = cd_state_point(middle);
    const cd_equations out = {
        .position = position, .hidden = velocity, .nonholonomic = velocity + m};
    if (m + l == 0 || cd_system_equations(it->ws, &at, &out) != CARDAN_OK)
        return;
    for (int i = 0; i < m + l; i++) {
        if (i < m)
            consider(worst, CD_ERROR_CONSTRAINT, i, position[i] / row_tolerance(it, i, true));
        consider(worst, CD_ERROR_CONSTRAINT, i, velocity[i] / row_tolerance(it, i, false));
    }
}

/* Against the parabola through the last three states, which is what dense output gives. That of
 * explicit methods takes them from the equations; a first step is judged by them already. */
static void judge_multipliers(cardan_integrator *it, const cd_interpolated_step *over,
                              const cd_state *middle, cd_worst *worst)
{
    const int m = it->system->m, l = it->system->l;
    double *expected = it->control.probes;
    const cd_state there = {.t = middle->t, .lambda = expected, .psi = expected + m};
    if (cd_is_explicit(it) || over->before == NULL || cd_dense_at(it, over, &there) != CARDAN_OK)
        return;
    for (int i = 0; i < m + l; i++) {
        const double found = i < m ? middle->lambda[i] : middle->psi[i - m];
        consider(worst, CD_ERROR_MULTIPLIER, i,
                 (found - expected[i]) / cd_tolerance_of(it, CD_ERROR_MULTIPLIER, i));
    }
}

/* Accelerations that cannot be had there say nothing. */
static void judge_accelerations(cardan_integrator *it, const cd_interpolated_step *over,
                                const cd_state *middle, cd_worst *worst)
{
    const cd_step *step = &it->step;
    const cardan_point at = cd_state_point(middle);
    if (cd_consistent_accelerations(it->consistent, &at, middle->vdot, middle->lambda,
                                    middle->psi) != CARDAN_OK)
        return;
    for (int i = 0; i < it->system->k; i++) {
        const double mean =
            (step->old->vdot[i] + 4.0 * middle->vdot[i] + step->next->vdot[i]) / 6.0;
        consider(worst, CD_ERROR_VELOCITY, i,
                 (step->next->v[i] - step->old->v[i] - step->h * mean) /
                     cd_tolerance_of(it, CD_ERROR_VELOCITY, i));
    }
    judge_multipliers(it, over, middle, worst);
}

/* ---- when ---- */

/* A turn of more than a radian in one step. Explicit methods have points inside of their steps. */
static bool is_long_turn(const cardan_integrator *it)
{
    return !cd_is_explicit(it) && cd_step_rotation(it) > 1.0;
}

/* A step that is not short against what the system does in time: by what it tells, or, where its
 * constraints depend on time, by the period of the motion so far. */
static bool is_driven_far(const cardan_integrator *it)
{
    const double part = 0.1, period = it->control.period;
    const cardan_system_def *def = &it->system->def;
    if (def->longest_step != NULL)
        return it->step.h > part * def->longest_step(def->context, it->step.old->t);
    return def->rheonomic && !(it->step.h <= part * period);
}

void cd_judge_midstep(cardan_integrator *it, cd_worst *worst)
{
    const cd_step *step = &it->step;
    /* Of what happens between two ends at rest no trace is left there. Multistep methods are for
     * stiff systems: an error of q within tolerances may make any acceleration. */
    const bool rests = !cd_is_multistep(it) && cd_control_is_at_rest(it, step->old) &&
                       cd_control_is_at_rest(it, step->next);
    const bool far = is_long_turn(it) || rests;
    if (!far && step->before != NULL && !is_driven_far(it))
        return;
    const cd_interpolated_step over = {
        .mode = it->mode, .before = step->before, .old = step->old, .now = step->next};
    cd_state middle;
    if (find_middle(it, &over, &middle) != CARDAN_OK)
        return;
    judge_residuals(it, &middle, worst);
    if (far)
        judge_accelerations(it, &over, &middle, worst);
}

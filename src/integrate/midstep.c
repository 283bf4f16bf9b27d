/* Checks the middle of a step, by dense output: both ends of a step can be right although the
 * motion between them was missed.
 *
 * Residuals of the constraints there must not exceed what errors of q and v within their tolerances
 * cause. By Simpson's rule, accelerations from the equations there must lead from the velocity at
 * the begin to that at the end, and their multipliers must lie near the interpolated ones. */
#include "integrator.h"

#include "base/numeric.h"

#include <float.h>

/* Interpolates q and v in the middle of a step; v', lambda and psi are those of its begin. */
static cardan_status interpolate_middle(cardan_integrator *it, const cd_interpolated_step *over,
                                        cd_state *middle)
{
    const double t = over->old->t + 0.5 * (over->now->t - over->old->t);
    const cd_state there = {
        .t = t, .q = it->values, .v = it->values + cardan_group_size(it->system->group)};
    const cardan_status status = cd_dense_at(it, over, &there);
    *middle = cd_dense_scratch_state(it, over, t);
    return status;
}

cardan_status cd_midstep_residuals(cardan_integrator *it, double *position, double *velocity)
{
    const cd_interpolated_step over = cd_dense_last_step(it);
    const cd_event_mode *mode = &it->modes[over.mode];
    const int m = mode->system->m, l = mode->system->l;
    cd_zero(it->most.m, position);
    cd_zero(it->most.m + it->most.l, velocity);
    if (!(over.now->t > over.old->t) || m + l == 0)
        return CARDAN_OK;
    cd_state middle;
    const cardan_status status = interpolate_middle(it, &over, &middle);
    const cardan_point at = cd_state_point(&middle);
    const cd_equations out = {
        .position = position, .hidden = velocity, .nonholonomic = velocity + m};
    return status == CARDAN_OK ? cd_system_residual(mode->ws, &at, &out) : status;
}

static void update_worst(cd_worst *worst, cd_error_kind kind, int index, double error)
{
    if (!(fabs(error) <= worst->error))
        *worst = (cd_worst){fabs(error), kind, index};
}

/* The residual of a row of B or K that errors within the tolerances and rounding can cause. */
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

/* Updates the worst error by the residuals of the constraints in the middle. */
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
            update_worst(worst, CD_ERROR_CONSTRAINT, i, position[i] / row_tolerance(it, i, true));
        update_worst(worst, CD_ERROR_CONSTRAINT, i, velocity[i] / row_tolerance(it, i, false));
    }
}

/* Compares the multipliers in the middle with the parabola through the last three states. (Dense
 * output of explicit methods has no such parabola; a first step is judged by its middle anyway.) */
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
        update_worst(worst, CD_ERROR_MULTIPLIER, i,
                     (found - expected[i]) / cd_tolerance_of(it, CD_ERROR_MULTIPLIER, i));
    }
}

/* Compares the change of v with Simpson's rule, if the middle of the step has accelerations. */
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
        update_worst(worst, CD_ERROR_VELOCITY, i,
                     (step->next->v[i] - step->old->v[i] - step->h * mean) /
                         cd_tolerance_of(it, CD_ERROR_VELOCITY, i));
    }
    judge_multipliers(it, over, middle, worst);
}

/* ---- which steps are checked ---- */

/* Whether a body rotates by more than a radian. Stages of explicit methods see such a rotation. */
static bool rotates_far(const cardan_integrator *it)
{
    return !cd_is_explicit(it) && cd_step_rotation(it) > 1.0;
}

/* Whether a step is long compared with what the system does in time, by its callback longest_step
 * or, if constraints depend on time, by the period of the motion so far. */
static bool may_miss_prescribed_motion(const cardan_integrator *it)
{
    const double fraction = 0.1, period = it->control.period;
    const cardan_system_def *def = &it->system->def;
    if (def->longest_step != NULL)
        return it->step.h > fraction * def->longest_step(def->context, it->step.old->t);
    return def->rheonomic && !(it->step.h <= fraction * period);
}

void cd_judge_midstep(cardan_integrator *it, cd_worst *worst)
{
    const cd_step *step = &it->step;
    /* Ends at rest show nothing of a motion between them. Multistep methods are for stiff systems:
     * an error of q within tolerances may make any acceleration. */
    const bool rests = !cd_is_multistep(it) && cd_control_is_at_rest(it, step->old) &&
                       cd_control_is_at_rest(it, step->next);
    const bool far = rotates_far(it) || rests;
    if (!far && step->before != NULL && !may_miss_prescribed_motion(it))
        return;
    const cd_interpolated_step over = {
        .mode = it->mode, .before = step->before, .old = step->old, .now = step->next};
    cd_state middle;
    if (interpolate_middle(it, &over, &middle) != CARDAN_OK)
        return;
    judge_residuals(it, &middle, worst);
    if (far)
        judge_accelerations(it, &over, &middle, worst);
}

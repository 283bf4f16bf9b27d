/* Error estimates, stiffness and the first step of explicit methods.
 *
 * The estimate is the error of the embedded formula, whose order in h is one higher than that of
 * the error at the end. Kept below a fraction of the tolerance (error per step), it makes the error
 * at the end proportional to the tolerance. With a tenth, the error at the end stays below 10
 * tolerances in the problems and random mechanisms that were measured. */
#include "integrator.h"

#include "base/numeric.h"

#include <float.h>

static const double fraction_of_tolerance = 0.1;

/* Keeps an error as the worst one, if it is, and adds it to the sums for the verdict. */
static void update_worst(cardan_integrator *it, cd_worst *worst, cd_error_kind kind, int index,
                         double error, double tolerance, double rounding_level)
{
    const double relative =
        fabs(error) / (fraction_of_tolerance * tolerance + 3.0 * rounding_level);
    if (it->control.errors != NULL) { /* for the verdict on fixed steps: those of all steps */
        double *sum = &it->control.errors[(int)kind * it->system->k + index];
        *sum = fabs(error) + (kind == CD_ERROR_MULTIPLIER ? 0.0 : *sum);
    }
    if (isnan(relative) || relative > worst->error) /* what is not a number stays */
        *worst = (cd_worst){relative, kind, index};
}

/* The errors of lambda and psi: values at the state of the embedded formula minus the step's. */
static cardan_status find_multiplier_errors(cardan_integrator *it, double *lambda, double *psi)
{
    const cardan_system *system = it->system;
    const cd_state *next = it->step.next;
    const int k = system->k;
    double *q = it->values, *v = q + cardan_group_size(system->group), *back = it->step.scratch;
    const double *in_q = it->scheme->position_error(&it->step);
    const double *in_v = it->scheme->velocity_error(&it->step);
    for (int i = 0; i < k; i++) {
        back[i] = -in_q[i];
        v[i] = next->v[i] - in_v[i];
    }
    cardan_group_update(system->group, next->q, back, q);
    const cardan_point at = {next->t, q, v, next->vdot, next->lambda, next->psi};
    return cd_consistent_respond(it->consistent, &at, lambda, psi);
}

/* Whether the tolerance of multipliers is so large that no error can exceed it. */
static bool has_no_multiplier_tolerance(const cardan_step_control *control)
{
    return control->multipliers == NULL && control->multiplier.absolute >= 1e20;
}

/* The rounding error of accelerations if constraints are differenced, whatever the step is. */
static double acceleration_rounding(cardan_integrator *it)
{
    const cardan_point at = cd_state_point(it->step.next);
    const double rounding = cd_system_bias_rounding(it->system, &at),
                 row = rounding > 0.0 ? cd_system_scales(it->ws).largest_row : 0.0;
    return row > 0.0 ? rounding / row : 0.0;
}

/* The rounding error of a multiplier that acceleration_rounding causes. */
static double multiplier_rounding(cardan_integrator *it)
{
    const double rounding_level = acceleration_rounding(it);
    if (rounding_level == 0.0)
        return 0.0;
    const cd_scales scales = cd_system_scales(it->ws);
    return rounding_level * scales.mass / scales.largest_row;
}

/* Multipliers below this fraction of the largest load, as in free fall, are rounding errors. */
static const double nearly_nothing = 1e-9;

/* About the largest force on a body. */
static double largest_load(cardan_integrator *it)
{
    return cd_system_scales(it->ws).mass * cd_max_abs(it->system->k, it->step.next->vdot);
}

/* Updates the worst error by the estimated errors of multipliers. */
static void judge_multipliers(cardan_integrator *it, cd_worst *worst)
{
    const int m = it->system->m, l = it->system->l;
    double *change = it->control.probes;
    if (m + l == 0 || has_no_multiplier_tolerance(&it->def.control))
        return;
    if (find_multiplier_errors(it, change, change + m) != CARDAN_OK) {
        *worst = (cd_worst){INFINITY, CD_ERROR_MULTIPLIER, 0};
        return;
    }
    const double rounding_level = multiplier_rounding(it), load = largest_load(it);
    for (int i = 0; i < m + l; i++) {
        const bool idle = it->control.multiplier[i] < nearly_nothing * load;
        const double tolerance = cd_tolerance_of(it, CD_ERROR_MULTIPLIER, i);
        update_worst(it, worst, CD_ERROR_MULTIPLIER, i, change[i], tolerance,
                     rounding_level + (idle ? 8.0 * DBL_EPSILON * load : 0.0));
        cd_rounding_compare(it, rounding_level, tolerance);
    }
}

cd_worst cd_explicit_load_peak(cardan_integrator *it)
{
    const double far = 0.2;
    const int m = it->system->m, l = it->system->l;
    const cd_state *old = it->step.old, *next = it->step.next;
    const double *midstep = it->scheme->multipliers_inside(&it->step);
    cd_worst worst = {.kind = CD_ERROR_MULTIPLIER};
    if (m + l == 0 || has_no_multiplier_tolerance(&it->def.control))
        return worst;
    const double least = fmax(nearly_nothing * largest_load(it), 1e-3 * cd_max_abs(m + l, midstep));
    for (int i = 0; i < m + l; i++) {
        const double begin = i < m ? old->lambda[i] : old->psi[i - m],
                     end = i < m ? next->lambda[i] : next->psi[i - m];
        const double outside = fmax(midstep[i] - fmax(begin, end), fmin(begin, end) - midstep[i]);
        const double size = fmax(fmax(fabs(midstep[i]), least), it->control.multiplier[i]);
        if (outside > worst.error * far * size)
            worst = (cd_worst){outside / (far * size), CD_ERROR_MULTIPLIER, i};
    }
    return worst;
}

/* ---- stiffness ----
 *
 * Does stability, not accuracy, limit the steps of an explicit method? (Hairer, Wanner, Solving
 * ODEs II, IV.2)
 *
 * The end of a step and its last stage belong to the same time and differ in the fastest mode of
 * the system: the ratio of the differences of v' and q is the square of the mode's rate r, whatever
 * its phase and damping are. If r h is beyond the method's stability on the negative real axis,
 * stability limits the step. On the imaginary axis, that of stiff springs, stability ends near
 * r h = 1, where steps may as well resolve a motion of that rate: there the step is limited if the
 * mode is a small fraction of all motion.
 *
 * Another method is better only if its steps would be much longer. Implicit methods are of second
 * order, and their steps follow from v'' of the motion without its fast modes. Velocities at marks
 * many steps apart show this v'', because fast modes change v by little over such a time. */

static const double small_fraction = 0.1; /* of all motion */

/* Motions that are not stiff have no part below 3e-3 of them that is the fastest. */
static const double calm_share = 2e-3, least_rate = 0.1; /* r h that shows in the error */

/* Differences of the last stage are this fraction, times (r h)^3, of an oscillation. */
static const double last_stage_fraction = 0.25;

/* The norm of x in tolerances of v. */
static double norm_in_tolerances(const cardan_integrator *it, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double relative = x[i] / cd_tolerance_of(it, CD_ERROR_VELOCITY, i);
        sum += relative * relative;
    }
    return sqrt(sum);
}

/* The norm of all motion in tolerances of v: 1 / the relative tolerance for every velocity or, if
 * that is zero, its size in absolute tolerances. */
static double norm_of_motion(const cardan_integrator *it)
{
    const cardan_step_control *control = &it->def.control;
    double sum = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const cardan_tolerance t =
            control->velocities != NULL ? control->velocities[i] : control->velocity;
        const double relative =
            t.relative > 0.0 ? 1.0 / t.relative : it->control.velocity[i] / t.absolute;
        sum += relative * relative;
    }
    return sqrt(sum);
}

/* Whether stability, not accuracy, limits the size of the last step. For method auto, notes also
 * whether its error is due to a mode that an implicit method need not resolve. */
static bool is_limited_by_stability(cardan_integrator *it)
{
    const double rounding = 1e-12, h = it->step.h;
    double *dw = it->values, *dv = it->step.scratch, *dvdot = dv + it->system->k;
    it->scheme->last_stage(&it->step, dw, dv, dvdot);
    const double all = norm_of_motion(it), in_q = norm_in_tolerances(it, dw);
    const double rate = h * sqrt(norm_in_tolerances(it, dvdot) / in_q);
    const double apart = hypot(norm_in_tolerances(it, dv), rate / h * in_q);
    it->control.stiff = false;
    if (!(apart > rounding * all)) /* nothing moves, or rounding */
        return false;
    const double whole = last_stage_fraction * rate * rate * rate * all;
    it->control.stiff = rate > CD_STABLE_DECAY || (rate > least_rate && apart < calm_share * whole);
    return rate > CD_STABLE_DECAY || (rate > CD_STABLE_SWING && apart < small_fraction * whole);
}

/* The step of ga2s, whose error is about 0.75 h^2 v'', by v'' of the last two marks and `now`. */
static double step_without_fast_modes(const cardan_integrator *it, const cd_marks *marks,
                                      const cd_state *now)
{
    const double first = marks->t[1] - marks->t[0], second = now->t - marks->t[1];
    double largest = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double before = (marks->v[1][i] - marks->v[0][i]) / first;
        const double bend = 2.0 * ((now->v[i] - marks->v[1][i]) / second - before);
        largest = fmax(largest, fabs(bend) / cd_tolerance_of(it, CD_ERROR_VELOCITY, i));
    }
    return largest > 0.0 ? sqrt((first + second) / (0.75 * largest)) : INFINITY;
}

/* Keeps v as a mark, if the last one is old enough, and finds the step of ga2s from three marks. */
static void update_marks(const cardan_integrator *it, cd_marks *marks)
{
    enum { STEPS_APART = 32 };
    const cd_state *now = &it->states[it->current];
    double *oldest = marks->v[0];
    if (marks->count > 0 && ++marks->steps < STEPS_APART)
        return;
    if (marks->count == 2)
        marks->calm_step = step_without_fast_modes(it, marks, now);
    marks->steps = 0;
    marks->count += marks->count < 2;
    marks->v[0] = marks->v[1];
    marks->t[0] = marks->t[1];
    marks->v[1] = oldest;
    marks->t[1] = now->t;
    cd_copy(it->system->k, now->v, marks->v[1]);
}

/* A step counts if stability has limited most of the last steps; single ones mean nothing. */
void cd_explicit_count_stiff(cardan_integrator *it)
{
    enum { LAST = 15, MOST = 8 };
    const double longer = 6.0; /* steps: then ga2s is cheaper, also if it sees some of the modes */
    cd_control *control = &it->control;
    const long lately = (control->held_lately << 1 | control->held) & ((1L << LAST) - 1);
    int count = 0;
    if (!cd_is_explicit(it))
        return;
    update_marks(it, &control->marks);
    if (control->stiff)
        control->stiff_lately += control->stiff_lately < LAST;
    else
        control->stiff_lately -= control->stiff_lately > 0;
    for (int i = 0; i < LAST; i++)
        count += (int)(lately >> i & 1);
    control->held_lately = lately;
    if (!control->held || count < MOST)
        return;
    it->counts.stiff_steps++;
    it->counts.outpaced_steps += control->marks.calm_step > longer * it->step.h;
}

/* ---- the estimate ---- */

cd_worst cd_explicit_estimate(cardan_integrator *it)
{
    const double *in_q = it->scheme->position_error(&it->step);
    const double *in_v = it->scheme->velocity_error(&it->step);
    const double rounding_level = it->step.h * acceleration_rounding(it);
    cd_worst worst = {0};
    for (int i = 0; i < it->system->k; i++) {
        update_worst(it, &worst, CD_ERROR_POSITION, i, in_q[i],
                     cd_tolerance_of(it, CD_ERROR_POSITION, i), 0.0);
        update_worst(it, &worst, CD_ERROR_VELOCITY, i, in_v[i],
                     cd_tolerance_of(it, CD_ERROR_VELOCITY, i), rounding_level);
    }
    judge_multipliers(it, &worst);
    it->control.held = is_limited_by_stability(it);
    return worst;
}

/* ---- the first step ---- */

/* The changes to expect in a given time, in units of the tolerances. */
typedef struct expected_change {
    double turn;   /* change of velocities by changing accelerations, relative to velocities */
    double change; /* the largest change of a variable, apart from free motion */
} expected_change;

/* The largest change of a multiplier up to the state that was probed. */
static double multiplier_change(cardan_integrator *it)
{
    const cd_state *now = &it->states[it->current], *then = cd_integrator_iterate(it);
    const int m = it->system->m;
    double largest = 0.0;
    for (int i = 0; i < m + it->system->l; i++) {
        const double change =
            i < m ? then->lambda[i] - now->lambda[i] : then->psi[i - m] - now->psi[i - m];
        largest = fmax(largest, fabs(change) / cd_tolerance_of(it, CD_ERROR_MULTIPLIER, i));
    }
    return largest;
}

/* Finds the changes within a time, from accelerations at its end. */
static cardan_status probe_changes(cardan_integrator *it, double time, expected_change *out)
{
    const cd_state *now = cd_integrator_now(it);
    double *then = it->control.probes, turned = 0.0, moved = 0.0, change = 0.0;
    const cardan_status status = cd_integrator_probe(it, time, then);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < it->system->k; i++) {
        const double in_q = cd_tolerance_of(it, CD_ERROR_POSITION, i),
                     in_v = cd_tolerance_of(it, CD_ERROR_VELOCITY, i);
        const double bent = time * fabs(then[i] - now->vdot[i]), pushed = time * fabs(now->vdot[i]);
        turned = fmax(turned, bent / in_v);
        moved = fmax(moved, fmax(fabs(now->v[i]), pushed) / in_v);
        change = fmax(change, fmax(bent, pushed) * fmax(1.0 / in_v, time / in_q));
    }
    *out =
        (expected_change){turned > 0.0 ? turned / moved : 0.0, fmax(change, multiplier_change(it))};
    return CARDAN_OK;
}

/* The time in which v or v' move q by its size or (`in_origin`) its tolerance; else INFINITY. */
static double time_of_motion(const cardan_integrator *it, bool *in_origin)
{
    const cd_state *now = &it->states[it->current];
    double size = 0.0, speed = 0.0, change = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double tolerance = cd_tolerance_of(it, CD_ERROR_POSITION, i);
        size = fmax(size, it->control.position[i] / tolerance);
        speed = fmax(speed, fabs(now->v[i]) / tolerance);
        change = fmax(change, fabs(now->vdot[i]) / tolerance);
    }
    *in_origin = size < 1.0;
    size = fmax(size, 1.0);
    return fmin(size / speed, sqrt(size / change));
}

/* Finds a time in which changing accelerations change the velocities by less than themselves, but
 * not by much less, trying shorter and longer times. */
static cardan_status find_time_scale(cardan_integrator *it, double longest, double *time,
                                     expected_change *at)
{
    enum { MOST_TRIES = 24 };
    const double factor = 4.0, little = 0.1;
    bool grows = true;
    cardan_status status = probe_changes(it, *time, at);
    for (int tries = 1; tries < MOST_TRIES && status >= 0; tries++) {
        const bool fits = status == CARDAN_OK && at->turn <= 1.0;
        if (fits && (!grows || at->turn > little || *time >= longest))
            return status;
        grows = grows && fits;
        *time = fits ? fmin(*time * factor, longest) : *time / factor;
        status = probe_changes(it, *time, at);
    }
    return status < 0 ? status : CARDAN_OK;
}

/* If the velocities change within the time T, a step h has a relative error of some (h / T)^5. */
cardan_status cd_explicit_first_step(cardan_integrator *it, double *h)
{
    bool in_origin;
    const double motion = time_of_motion(it, &in_origin), ahead = cd_control_longest_first(it);
    const double longest = fmin(ahead, motion * (in_origin ? 1e8 : 4.0));
    double time = fmin(ahead, motion);
    expected_change at = {0};
    *h = fmin(ahead, 1e-3); /* if nothing moves any step will do */
    if (isinf(motion))
        return CARDAN_OK;
    const cardan_status status = find_time_scale(it, longest, &time, &at);
    if (status == CARDAN_OK)
        *h = time * fmin(1.0, pow(fmax(at.change, 1e-300), -1.0 / it->scheme->order));
    return status;
}

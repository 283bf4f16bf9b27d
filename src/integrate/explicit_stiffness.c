/* Does stability hold down the steps of an explicit method? (Hairer, Wanner, Solving ODEs II, IV.2)
 *
 * The end of a step and its last stage belong to the same time and differ in what is fastest in the
 * system: the ratio of the differences of v' and q is the square of its rate r, whatever its phase
 * and damping are. Where r h is beyond the method's stability on the negative real axis the step is
 * held down. On the imaginary axis, that of stiff springs, stability ends near r h = 1, where the
 * steps may as well resolve a motion with that rate: there they are held down if it is a small part
 * of all motion.
 *
 * That is no reason to take another method: those that stability does not hold down are of second
 * order, and what their steps would be is asked of the motion without its fast modes. Velocities at
 * marks many steps apart show its v'': over such a time fast modes change v by little. */
#include "explicit.h"

#include "base/numeric.h"

static const double stable = 3.25; /* r h on the negative real axis */
static const double least = 1.1;   /* r h where a motion of that rate is hardly resolved */
static const double share = 0.1;   /* of all motion */

/* Differences of the last stage are this part, times (r h)^3, of an oscillation. */
static const double part = 0.25;

/* The norm of x in tolerances of v. */
static double norm_of(const cardan_integrator *it, const double *x)
{
    const cardan_step_control *control = &it->def.control;
    double sum = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double relative = x[i] / cd_control_allowed(control->velocity, control->velocities, i,
                                                          it->control.velocity[i]);
        sum += relative * relative;
    }
    return sqrt(sum);
}

/* All motion in tolerances of v: its size, or what is as good as rest for them (where the absolute
 * tolerance is the relative one of a motion). */
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

bool cd_explicit_is_held(const cardan_integrator *it)
{
    const double rounding = 1e-12, h = it->step.h;
    double *dw = it->values, *dv = it->step.scratch, *dvdot = dv + it->system->k;
    it->scheme->last_stage(&it->step, dw, dv, dvdot);
    const double all = norm_of_motion(it), in_q = norm_of(it, dw);
    const double rate = h * sqrt(norm_of(it, dvdot) / in_q);
    const double apart = hypot(norm_of(it, dv), rate / h * in_q);
    if (!(apart > rounding * all)) /* nothing moves, or rounding */
        return false;
    return rate > stable || (rate > least && apart < share * part * rate * rate * rate * all);
}

/* The step of ga2s: its error estimate is about 0.75 h^2 v'' in the velocities. `mark` are v at the
 * last two marks, `now` is the third. */
static double calm_step(const cardan_integrator *it, const cd_marks *marks, const cd_state *now)
{
    const cardan_step_control *control = &it->def.control;
    const double first = marks->t[1] - marks->t[0], second = now->t - marks->t[1];
    double largest = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double before = (marks->v[1][i] - marks->v[0][i]) / first;
        const double bend = 2.0 * ((now->v[i] - marks->v[1][i]) / second - before);
        largest =
            fmax(largest, fabs(bend) / cd_control_allowed(control->velocity, control->velocities, i,
                                                          it->control.velocity[i]));
    }
    return largest > 0.0 ? sqrt((first + second) / (0.75 * largest)) : INFINITY;
}

static void set_mark(const cardan_integrator *it, cd_marks *marks)
{
    enum { STEPS_APART = 32 };
    const cd_state *now = &it->states[it->current];
    double *oldest = marks->v[0];
    if (marks->count > 0 && ++marks->steps < STEPS_APART)
        return;
    if (marks->count == 2)
        marks->calm_step = calm_step(it, marks, now);
    marks->steps = 0;
    marks->count += marks->count < 2;
    marks->v[0] = marks->v[1];
    marks->t[0] = marks->t[1];
    marks->v[1] = oldest;
    marks->t[1] = now->t;
    cd_copy(it->system->k, now->v, marks->v[1]);
}

/* Single steps mean nothing: most of the last ones must have been held down. */
void cd_explicit_count_held(cardan_integrator *it)
{
    enum { LAST = 15, MOST = 8 };
    const double longer = 6.0; /* steps: then ga2s is cheaper, also if it sees some of the modes */
    cd_control *control = &it->control;
    const long lately = (control->held_lately << 1 | control->held) & ((1L << LAST) - 1);
    int count = 0;
    if (!cd_is_explicit(it))
        return;
    set_mark(it, &control->marks);
    for (int i = 0; i < LAST; i++)
        count += (int)(lately >> i & 1);
    control->held_lately = lately;
    if (!control->held || count < MOST)
        return;
    control->held_in_rows++;
    control->outpaced += control->marks.calm_step > longer * it->step.h;
}

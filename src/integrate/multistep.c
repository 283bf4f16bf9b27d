/* Multistep methods: estimated errors, the order and size of the next step.
 *
 * Local errors of q and v count as rates over the period of the velocity in question, as in
 * estimate.c; that of a multiplier is what the formula misses of v' makes of it in this step. All
 * of them go like h^order. */
#include "integrator.h"

#include "base/numeric.h"
#include "scheme/bdf.h"
#include "scheme/stabilised.h"

static const double landing = 0.5;      /* error that a step should have, of the tolerance */
static const double least_growth = 1.2; /* a change that is worth new factors */
static const double most_growth = 2.0, most_shrink = 0.5;
static const double differences = 3.0; /* what these make of errors of single values */
static const double raises = 1.1;      /* a higher order must promise steps that much longer */

/* An error that steps add up over some of them, `steps`. */
static void consider(cardan_integrator *it, cd_worst *worst, cd_error_kind kind, int i,
                     double steps, double error, double rounding)
{
    const double sum = steps * fabs(error), noise = steps * rounding;
    const double relative = sum / (cd_tolerance_of(it, kind, i) + noise);
    if (it->control.errors != NULL) { /* for the verdict on equal steps */
        double *kept = &it->control.errors[(int)kind * it->system->k + i];
        *kept += (cd_larger(sum - noise, 0.0) - *kept) / steps;
    }
    if (!(relative <= worst->error))
        *worst = (cd_worst){relative, kind, i};
}

/* Had the finished step been of that order: errors of v are left in it->values, `missed` is the
 * largest of v' in tolerances of v. What the corrector leaves is no error. */
static cd_worst judge_motion(cardan_integrator *it, int order, double *missed)
{
    const int k = it->system->k;
    const cd_step *step = &it->step;
    double *in_v = it->values, *in_q = in_v + k;
    cd_worst worst = {0};
    const double effective = cd_bdf_local_errors(step, order, in_q, in_v);
    *missed = INFINITY;
    if (effective == 0.0)
        return (cd_worst){.error = INFINITY};
    const double q_rounding = cd_ga_position_rounding(step);
    const double v_rounding = cd_ga_velocity_rounding(step) / step->h;
    *missed = 0.0;
    for (int i = 0; i < k; i++) {
        const double steps = cd_larger(1.0, cd_control_period(&it->control, i) / step->h);
        consider(it, &worst, CD_ERROR_POSITION, i, steps, in_q[i],
                 q_rounding + differences * cd_ga_position_allowance(step, i));
        consider(it, &worst, CD_ERROR_VELOCITY, i, steps, in_v[i],
                 v_rounding + differences * cd_ga_velocity_allowance(step, i));
        *missed = cd_larger(*missed, fabs(in_v[i]) /
                                         (effective * cd_tolerance_of(it, CD_ERROR_VELOCITY, i)));
    }
    return worst;
}

/* What the corrector may leave of velocities. */
static double largest_allowance(const cd_step *step)
{
    double largest = 0.0;
    for (int i = 0; i < step->system->k; i++)
        largest = cd_larger(cd_ga_velocity_allowance(step, i), largest);
    return largest;
}

/* What is missed of v', in it->values times the effective step, does to the multipliers: a solve
 * with the factors that are there; and what dense output misses. */
static cd_worst judge_multipliers(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const cardan_point at = cd_state_point(step->next);
    const int m = it->system->m, l = it->system->l;
    double *response = it->newton.correction, *between = it->control.probes;
    const cd_ga_change change = cd_stabilised_change(it->system, response);
    const double noise = 4.0 * cd_ga_velocity_rounding(step) / step->h + largest_allowance(step);
    const double rounding = cd_ga_multiplier_gain(step) * noise / step->effective;
    cd_worst worst = {.kind = CD_ERROR_MULTIPLIER};
    if (m + l == 0)
        return worst;
    cd_zero(it->newton.n, response);
    if (cd_system_multiply_mass_at(it->ws, &at, it->values, response) != CARDAN_OK)
        return (cd_worst){.error = INFINITY, .kind = CD_ERROR_MULTIPLIER};
    cd_scale(it->system->k, 1.0 / step->effective, response);
    cd_matrix_solve(it->matrix, response);
    cd_bdf_multiplier_gaps(step, between);
    for (int i = 0; i < m + l; i++) {
        const double error = i < m ? change.lambda[i] : change.psi[i - m];
        consider(it, &worst, CD_ERROR_MULTIPLIER, i, 1.0, fmax(fabs(error), fabs(between[i])),
                 rounding);
    }
    return worst;
}

/* How much longer a step may be with that error. */
static double growth_of(double error, int order)
{
    return pow(landing / fmax(error, 1e-10), 1.0 / order);
}

/* The same for another order: multipliers miss as much more as v' does. */
static double growth_by(cardan_integrator *it, int order, double multipliers, double missed)
{
    double other;
    if (order < 1 || order > cd_bdf_most_order(&it->step))
        return 0.0;
    const cd_worst motion = judge_motion(it, order, &other);
    return growth_of(fmax(motion.error, multipliers * other / fmax(missed, 1e-300)), order);
}

/* The order that promises the longest steps, and their growth. */
static void choose(cardan_integrator *it, double error, double multipliers, double missed)
{
    cd_bdf_memory *kept = cd_bdf_memory_of(&it->step);
    const int order = it->step.order, most = cd_bdf_most_order(&it->step);
    const bool steady = kept->steady > order;
    const double same = growth_of(error, order);
    const double lower = growth_by(it, order - 1, multipliers, missed);
    double best = fmax(same, lower);
    kept->order = lower > same ? order - 1 : order;
    kept->rises = kept->rises > 0.0 && same > fmax(1.0, lower) && order < most;
    if (kept->rises > 0.0 || steady) {
        const double higher = growth_by(it, order + 1, multipliers, missed);
        if (kept->rises > 0.0 || higher > raises * best)
            kept->order = order + 1;
        best = kept->order > order ? fmax(higher, best) : best;
    } else
        best = fmin(best, 1.0);
    it->control.growth = best;
    kept->steady = kept->order == order ? kept->steady : 0.0;
}

cd_worst cd_multistep_estimate(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    double missed;
    if (!cd_multistep_knows(it)) /* fixed steps, which have no tolerance */
        return (cd_worst){0};
    const cd_worst motion = judge_motion(it, step->order, &missed);
    const cd_worst multipliers = judge_multipliers(it);
    const cd_worst worst = multipliers.error > motion.error ? multipliers : motion;
    for (int i = 0; i < it->system->k; i++)
        it->control.latest[i] = fabs(step->next->vdot[i] - step->old->vdot[i]) / step->h;
    it->control.latest_bend = 0.0; /* of the first steps, and of no use */
    if (!step->keeps_order)
        choose(it, worst.error, multipliers.error, missed);
    return worst;
}

double cd_multistep_growth(const cardan_integrator *it, double error)
{
    const double growth = cd_multistep_knows(it) ? it->control.growth : growth_of(error, 2);
    if (growth < 0.9)
        return fmax(most_shrink, growth);
    return growth > least_growth ? fmin(most_growth, growth) : 1.0;
}

void cd_multistep_change(cardan_integrator *it)
{
    cd_bdf_memory *kept = cd_bdf_memory_of(&it->step);
    kept->steady = 0.0;
    if (it->control.reselect)
        kept->order = 1.0;
}

double cd_multistep_ramp(const cardan_integrator *it)
{
    enum { EACH = 6, LEVELS = 14 };
    if (!cd_is_multistep(it) || !it->step.keeps_order || cd_bdf_most_order(&it->step) < 3)
        return it->nominal;
    const double first = ldexp(it->nominal, -LEVELS);
    const double covered = (it->view.t - cd_bdf_memory_of(&it->step)->begin) / (EACH * first);
    const int level = covered < 1.0 ? 0 : (int)floor(log2(covered) + CD_STEP_ROUNDING);
    return level < LEVELS ? ldexp(first, level) : it->nominal;
}

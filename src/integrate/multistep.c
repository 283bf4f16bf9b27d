/* Multistep methods: estimated errors, the order and size of the next step.
 *
 * Local errors of q and v count as rates over the period of the velocity in question, as in
 * estimate.c; that of a multiplier is what the derivatives of v in this step make of it. All of
 * them go like h^order. */
#include "integrator.h"

#include "base/numeric.h"
#include "scheme/bdf.h"
#include "scheme/stabilised.h"

static const double landing = 0.5;      /* error that a step should have, of the tolerance */
static const double least_growth = 1.2; /* a change that is worth new factors */
static const double most_growth = 2.0, most_shrink = 0.5;
static const double raises = 1.1; /* a higher order must promise steps that much longer */

bool cd_multistep_knows(const cardan_integrator *it)
{
    return it->step.known > 2;
}

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

/* What is known of an order. */
typedef struct judgement {
    cd_worst motion;
    double missed; /* of v', in tolerances of v and units of 1 / time */
} judgement;

/* Had the finished step been of that order; errors of v are left in it->values. */
static judgement judge_motion(cardan_integrator *it, int order)
{
    const int k = it->system->k;
    const cd_step *step = &it->step;
    double *in_v = it->values, *in_q = in_v + k;
    judgement all = {0};
    const double effective = cd_bdf_local_errors(step, order, in_q, in_v);
    if (effective == 0.0)
        return (judgement){.motion.error = INFINITY};
    const double q_rounding = cd_ga_position_rounding(step);
    const double v_rounding = cd_ga_velocity_rounding(step) / step->h;
    for (int i = 0; i < k; i++) {
        const double steps = cd_larger(1.0, cd_control_period(&it->control, i) / step->h);
        const double tolerance = cd_tolerance_of(it, CD_ERROR_VELOCITY, i);
        consider(it, &all.motion, CD_ERROR_POSITION, i, steps, in_q[i],
                 q_rounding + cd_ga_position_allowance(step, i));
        consider(it, &all.motion, CD_ERROR_VELOCITY, i, steps, in_v[i],
                 v_rounding + cd_ga_velocity_allowance(step, i));
        all.missed = cd_larger(all.missed, fabs(in_v[i]) / (effective * tolerance));
    }
    return all;
}

/* What the missed part of v', which is in it->values times the effective step, does to the
 * multipliers in this step: a solve with the factors that are there. */
static cardan_status respond(cardan_integrator *it, double *response)
{
    const cd_step *step = &it->step;
    const cardan_point at = cd_state_point(step->next);
    cd_zero(it->newton.n, response);
    const cardan_status status = cd_system_multiply_mass_at(it->ws, &at, it->values, response);
    if (status != CARDAN_OK)
        return status;
    cd_scale(it->system->k, 1.0 / step->effective, response);
    cd_matrix_solve(it->matrix, response);
    return CARDAN_OK;
}

/* In the step, and between its ends. */
static cd_worst judge_multipliers(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const int m = it->system->m, l = it->system->l;
    const double rounding = 4.0 * cd_ga_multiplier_gain(step) * cd_ga_velocity_rounding(step) /
                            (step->h * step->effective);
    double *response = it->newton.correction, *between = it->control.probes;
    const cd_ga_change change = cd_stabilised_change(it->system, response);
    cd_worst worst = {.kind = CD_ERROR_MULTIPLIER};
    if (m + l == 0)
        return worst;
    if (respond(it, response) != CARDAN_OK)
        return (cd_worst){.error = INFINITY, .kind = CD_ERROR_MULTIPLIER};
    cd_bdf_multiplier_gaps(step, between);
    for (int i = 0; i < m + l; i++) {
        const double error = i < m ? change.lambda[i] : change.psi[i - m];
        consider(it, &worst, CD_ERROR_MULTIPLIER, i, 1.0, fmax(fabs(error), fabs(between[i])),
                 rounding);
    }
    return worst;
}

/* Of a step whose error is that. */
static double growth_of(double error, int order)
{
    return pow(landing / fmax(error, 1e-10), 1.0 / order);
}

static void learn_jerk(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    for (int i = 0; i < it->system->k; i++)
        it->control.latest[i] = fabs(step->next->vdot[i] - step->old->vdot[i]) / step->h;
}

/* Of steps of another order, whose multipliers miss as much more as v' does. */
static double other_growth(cardan_integrator *it, int order, double multipliers, double missed)
{
    if (order < 1 || order > cd_bdf_most_order(&it->step))
        return 0.0;
    const judgement other = judge_motion(it, order);
    return growth_of(fmax(other.motion.error, multipliers * other.missed / fmax(missed, 1e-300)),
                     order);
}

/* The order that promises the longest steps. */
cd_worst cd_multistep_estimate(cardan_integrator *it)
{
    cd_bdf_choice *choice = cd_bdf_choice_of(&it->step);
    const int order = it->step.order, most = cd_bdf_most_order(&it->step);
    const judgement present = judge_motion(it, order);
    const cd_worst multipliers = judge_multipliers(it);
    const cd_worst worst = multipliers.error > present.motion.error ? multipliers : present.motion;
    const double same = growth_of(worst.error, order);
    learn_jerk(it);
    if (it->step.keeps_order)
        return worst;
    const double lower = other_growth(it, order - 1, multipliers.error, present.missed);
    const bool steady = choice->steady > order;
    double best = fmax(same, lower);
    int next = lower > same ? order - 1 : order;
    choice->rises = choice->rises > 0.0 && next == order && same > 1.0 && order < most;
    if ((steady || choice->rises > 0.0) && order < most) {
        const double higher = other_growth(it, order + 1, multipliers.error, present.missed);
        if (choice->rises > 0.0 || higher > raises * best) {
            next = order + 1;
            best = fmax(higher, best);
        }
    }
    it->control.growth = steady || choice->rises > 0.0 ? best : fmin(best, 1.0);
    if (next != order)
        choice->steady = 0.0;
    choice->order = next;
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
    cd_bdf_choice *choice = cd_bdf_choice_of(&it->step);
    choice->steady = 0.0;
    if (it->control.reselect)
        choice->order = 1.0;
}

double cd_multistep_ramp(const cardan_integrator *it)
{
    enum { EACH = 6, LEVELS = 14 };
    if (!cd_is_multistep(it) || !it->step.keeps_order || cd_bdf_most_order(&it->step) < 3)
        return it->nominal;
    const double first = ldexp(it->nominal, -LEVELS);
    const double covered = (it->view.t - cd_bdf_choice_of(&it->step)->begin) / (EACH * first);
    const int level = covered < 1.0 ? 0 : (int)floor(log2(covered) + CD_STEP_ROUNDING);
    return level < LEVELS ? ldexp(first, level) : it->nominal;
}

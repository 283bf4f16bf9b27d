/* The controller: accepts or rejects steps by their estimated error, chooses the next size, and
 * goes on with shorter steps after failures until that is hopeless.
 *
 * The estimates are O(h^2) and held below the tolerance as they are (error per unit step), so that
 * the error at the end falls in proportion to the tolerance. Those of explicit methods are of a
 * higher order, and so is the error at the end. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"
#include "group/group.h"
#include "scheme/ga.h"

#include <float.h>
#include <stdio.h>

static const double landing = 0.6;     /* error that a step should have, of the tolerance */
static const double most_growth = 2.0; /* below what makes change_step start anew */
static const double most_explicit_growth = 5.0;
static const double most_shrink = 0.2;
static const double failure_shrink = 0.25;
static const double over_rounding = 1.01; /* a step that is not refused as rounding */
static const double keep_above = 0.95, keep_below = 1.2; /* such changes are not worth it */

void cd_control_init(cd_control *control, cd_arena *arena, int k, int multipliers)
{
    const int learnt = 7 * k + 2 * multipliers;
    *control = (cd_control){.learnt = learnt,
                            .position = cd_arena_doubles(arena, learnt),
                            .latest = cd_arena_doubles(arena, k),
                            .marks.v = {cd_arena_doubles(arena, k), cd_arena_doubles(arena, k)},
                            .rounding_level = cd_arena_take(arena, (size_t)(k + multipliers) *
                                                                       sizeof(cd_rounding_level)),
                            .probes = cd_arena_doubles(arena, 2 * (k + multipliers))};
    if (arena->failed)
        return;
    control->velocity = control->position + k;
    control->multiplier = control->velocity + k;
    control->rates = control->multiplier + multipliers;
    control->speed = control->rates + 2 * k + multipliers;
    control->change = control->speed + k;
    control->jerk = control->change + k;
}

/* Sizes that relative tolerances refer to fall to a third in this many of their own periods: after
 * a short spike they follow the motion again, and outlast the turning points of a swing. */
static const double lasting = 2.0;

static const double full_turn = 6.283185307179586;

/* The largest |x| and |x'| of the last periods, 2 pi times |x| / |x'|, each. */
static void learn_size(double x, double before, double h, double *size, double *rate)
{
    const double keep = *size > 0.0 ? exp(-h * *rate / (lasting * full_turn * *size)) : 0.0;
    *rate = cd_larger(h > 0.0 ? fabs(x - before) / h : 0.0, keep * *rate);
    *size = cd_larger(fabs(x), keep * *size);
}

/* What is much smaller than its kind does not matter as such. */
static const double least_of_kind = 1e-3;

/* Of velocities of a system translations and rotations are two kinds: a fast spin says nothing of a
 * slow drift. Multipliers (NULL) are of one. */
static void learn_kinds(const cardan_system *of_velocities, int n, const double *x,
                        const double *before, double h, double *sizes, double *rates)
{
    double most[2] = {0.0, 0.0};
    for (int i = 0; i < n; i++) {
        double *of_kind = &most[of_velocities != NULL && cd_system_shifts(of_velocities, i)];
        learn_size(x[i], before[i], h, &sizes[i], &rates[i]);
        *of_kind = fmax(*of_kind, sizes[i]);
    }
    for (int i = 0; i < n; i++) {
        const bool shifts = of_velocities != NULL && cd_system_shifts(of_velocities, i);
        sizes[i] = fmax(sizes[i], least_of_kind * most[shifts]);
    }
}

/* Sizes that relative tolerances refer to, h after the state `before`; rotations count as 1. */
static void learn_sizes(cardan_integrator *it, const cd_state *now, const cd_state *before,
                        double h)
{
    cd_control *control = &it->control;
    const cardan_system *system = it->system;
    const int k = system->k, m = system->m;
    for (int i = 0; i < k; i++) {
        if (!cd_system_shifts(system, i)) {
            control->position[i] = 1.0;
            continue;
        }
        const double size = cd_system_size_at(system, now->q, i);
        learn_size(size, cd_system_size_at(system, before->q, i), h, &control->position[i],
                   &control->rates[i]);
        it->counts.largest_position = cd_larger(size, it->counts.largest_position);
    }
    it->counts.largest_velocity = fmax(it->counts.largest_velocity, cd_max_abs(k, now->v));
    it->counts.largest_multiplier =
        fmax(it->counts.largest_multiplier,
             fmax(cd_max_abs(m, now->lambda), cd_max_abs(system->l, now->psi)));
    double *rates = control->rates + k;
    learn_kinds(system, k, now->v, before->v, h, control->velocity, rates);
    learn_kinds(NULL, m, now->lambda, before->lambda, h, control->multiplier, rates + k);
    learn_kinds(NULL, system->l, now->psi, before->psi, h, control->multiplier + m, rates + k + m);
}

/* From the sizes of v, v' and v''; v'' may not be known yet. */
static double period_of(double speed, double change, double jerk)
{
    if (!(change > 0.0))
        return 0.0;
    return full_turn * cd_smaller(speed / change, jerk > 0.0 ? change / jerk : INFINITY);
}

double cd_control_period(const cd_control *control, int i)
{
    return cd_smaller(control->period,
                      period_of(control->speed[i], control->change[i], control->jerk[i]));
}

/* In the norm of the kinetic energy, with the diagonal of M; without if there is none. */
static double whole_period(const cardan_integrator *it, const cd_state *state)
{
    const cardan_point at = cd_state_point(state);
    double *mass = it->values, speed = 0.0, change = 0.0, jerk = 0.0;
    if (cd_system_mass_diagonal_at(it->ws, &at, mass) != CARDAN_OK)
        for (int i = 0; i < it->system->k; i++)
            mass[i] = 1.0;
    for (int i = 0; i < it->system->k; i++) {
        const double weight = fabs(mass[i]);
        speed += weight * it->control.speed[i] * it->control.speed[i];
        change += weight * it->control.change[i] * it->control.change[i];
        jerk += weight * it->control.jerk[i] * it->control.jerk[i];
    }
    return period_of(sqrt(speed), sqrt(change), sqrt(jerk));
}

/* Sizes that make up the periods; what is some periods old is forgotten. */
static void learn_period(cardan_integrator *it, const cd_state *state, double h)
{
    cd_control *control = &it->control;
    if (cd_is_explicit(it)) /* its errors are not rates */
        return;
    for (int i = 0; i < it->system->k; i++) {
        const double period = cd_control_period(control, i);
        const double keep = period > 0.0 ? exp(-h / (lasting * period)) : 1.0;
        control->speed[i] = cd_larger(fabs(state->v[i]), keep * control->speed[i]);
        control->change[i] = cd_larger(fabs(state->vdot[i]), keep * control->change[i]);
        control->jerk[i] = cd_larger(control->latest[i], keep * control->jerk[i]);
    }
    if (control->period > 0.0)
        control->bend *= exp(-h / (lasting * control->period));
    control->bend = fmax(control->bend, control->latest_bend);
    control->period = whole_period(it, state);
}

static double within_limits(cardan_integrator *it, double h)
{
    const double given = it->def.control.max_step, most = given > 0.0 ? given : INFINITY;
    const double least = 2.0 * DBL_EPSILON * fabs(cd_integrator_now(it)->t); /* moves the time */
    return fmax(fmin(h, fmin(most, cd_breakpoint_longest_step(it))),
                fmax(it->def.control.min_step, least));
}

bool cd_control_is_at_rest(const cardan_integrator *it, const cd_state *state)
{
    for (int i = 0; i < it->system->k; i++)
        if (!(fabs(state->v[i]) <= cd_tolerance_of(it, CD_ERROR_VELOCITY, i)))
            return false;
    return true;
}

/* Accelerations that are nothing: what rounding leaves of forces and reactions that hold each
 * other, or less than changes a velocity by its tolerance in a long time, some hours. */
static bool is_in_balance(cardan_integrator *it)
{
    const double rounding = 1e-10, long_time = 1e6 * CD_STEP_FROM_REST;
    const int k = it->system->k;
    double *forces = it->values, *reaction = forces + k;
    const cd_state *now = cd_integrator_now(it);
    const cardan_point at = cd_state_point(now);
    const cd_equations out = {.forces = forces, .reaction = reaction};
    bool nothing = true;
    for (int i = 0; i < k; i++)
        nothing =
            nothing && long_time * fabs(now->vdot[i]) <= cd_tolerance_of(it, CD_ERROR_VELOCITY, i);
    if (nothing || cd_system_equations(it->ws, &at, &out) != CARDAN_OK)
        return nothing;
    return cd_max_abs(k, forces) <= rounding * cd_max_abs(k, reaction);
}

double cd_control_longest_first(cardan_integrator *it)
{
    const double ahead = fmin(cd_breakpoint_ahead(it), cd_breakpoint_longest_step(it));
    const bool rests = cd_control_is_at_rest(it, cd_integrator_now(it)) && is_in_balance(it);
    return rests ? fmin(ahead, CD_STEP_FROM_REST) : ahead;
}

static double finest_velocity(const cardan_integrator *it)
{
    double finest = INFINITY;
    for (int i = 0; i < it->system->k; i++)
        finest = fmin(finest, cd_tolerance_of(it, CD_ERROR_VELOCITY, i));
    return finest;
}

/* In the index-3 form accelerations follow from positions, with rounding errors like eps / h^2: the
 * step where they reach a hundredth of the accelerations, those of it->step.next included. At rest
 * there are only such errors, which do not count until they change a velocity by a hundredth of its
 * tolerance. */
static double rounding_step(const cardan_integrator *it)
{
    const int k = it->system->k;
    if (!it->scheme->settles_hidden || it->system->m == 0)
        return 0.0;
    const double change =
        fmax(cd_max_abs(k, it->control.change), cd_max_abs(k, it->step.next->vdot));
    const double rounding =
        100.0 * cd_ga_position_rounding(&it->step) * cd_ga_acceleration_weight(&it->def.params);
    return fmin(sqrt(rounding / change), rounding / finest_velocity(it));
}

/* Nothing is known of the motion but its initial values. */
static void begin_to_learn(cardan_integrator *it)
{
    cd_control *control = &it->control;
    cd_zero(control->learnt, control->position);
    cd_zero(it->system->k, control->latest);
    for (int i = 0; i < it->system->k + it->most.m + it->most.l; i++)
        control->rounding_level[i] = (cd_rounding_level){0};
    if (control->errors != NULL)
        cd_zero(2 * it->system->k + it->most.m + it->most.l, control->errors);
    it->counts.rounding = control->bend = control->latest_bend = 0.0;
    it->counts.largest_position = it->counts.largest_velocity = it->counts.largest_multiplier = 0.0;
    control->held = false;
    control->held_lately = 0;
    cd_marks_forget(&control->marks);
    it->step.old = it->step.next = cd_integrator_now(it); /* for their sizes */
    learn_sizes(it, cd_integrator_now(it), cd_integrator_now(it), 0.0);
    learn_period(it, cd_integrator_now(it), 0.0);
}

cardan_status cd_control_start(cardan_integrator *it)
{
    cd_control *control = &it->control;
    double h = it->def.step;
    begin_to_learn(it);
    if (!it->def.control.adaptive)
        return CARDAN_OK;
    if (!(h > 0.0)) {
        cardan_status status = cd_estimate_first_step(it, &h);
        if (status != CARDAN_OK)
            return status;
        control->bend = control->latest_bend;
        h = fmax(h, fmax(cd_estimate_floor(it, h), over_rounding * rounding_step(it)));
    }
    it->nominal = within_limits(it, h);
    it->h = cd_integrator_now(it)->h = cd_breakpoint_step(it);
    control->previous = control->longest = 0.0;
    control->failed_before = control->grew = false;
    control->failed_end = -INFINITY;
    control->wait = 0;
    cd_integrator_set_weights(it);
    return CARDAN_OK;
}

cardan_status cd_control_restart(cardan_integrator *it, cd_restart after)
{
    cd_control *control = &it->control;
    double h = it->nominal = it->h = within_limits(it, it->nominal);
    control->previous = 0.0;
    control->failed_before = false;
    cd_marks_forget(&control->marks);
    it->step.old = it->step.next = cd_integrator_now(it); /* for their sizes */
    cd_integrator_set_weights(it);
    if (after == CD_AFTER_EVENT)
        return CARDAN_OK;
    cd_zero(it->most.m + it->most.l, control->multiplier);
    cd_zero(it->most.m + it->most.l, control->rates + 2 * it->system->k);
    learn_sizes(it, cd_integrator_now(it), cd_integrator_now(it), 0.0);
    if (cd_is_explicit(it)) /* its first step is judged like any other */
        return CARDAN_OK;
    cardan_status status = cd_estimate_first_step(it, &h);
    if (status != CARDAN_OK)
        return status;
    it->h = it->nominal = within_limits(it, fmin(h, it->nominal));
    cd_integrator_set_weights(it);
    return CARDAN_OK;
}

cd_name cd_worst_name(const cardan_integrator *it, const cd_worst *worst)
{
    return worst->kind == CD_ERROR_MULTIPLIER || worst->kind == CD_ERROR_CONSTRAINT
               ? cd_system_multiplier_name(it->system, worst->index)
               : cd_system_name(it->system, CARDAN_NAME_VELOCITY, worst->index);
}

/* The estimates go like this power of the step. */
static double order_of(const cardan_integrator *it)
{
    if (cd_is_multistep(it))
        return fmax(1.0, it->step.order);
    return cd_is_explicit(it) ? it->scheme->order : 2.0;
}

static double retry_factor(const cardan_integrator *it, cardan_status status)
{
    if (status != CARDAN_REJECTED || !isfinite(it->control.worst.error))
        return failure_shrink;
    return fmax(most_shrink, fmin(0.9, pow(landing / it->control.worst.error, 1.0 / order_of(it))));
}

/* Below this step rounding would bring more error than a shorter one takes away. */
static double least_useful_step(const cardan_integrator *it)
{
    return fmax(rounding_step(it), cd_estimate_floor(it, it->h));
}

/* Near that step the error stays. */
static bool is_rounding_limit(cardan_integrator *it)
{
    const double near = 2.0;
    cd_control *control = &it->control;
    if (!(it->h < near * least_useful_step(it)) || !isfinite(control->worst.error))
        return false;
    it->counts.rounding = fmax(it->counts.rounding, control->worst.error);
    return true;
}

/* ---- rotation of a step ----
 *
 * How far a step turns the bodies. The way between two rotations is known up to whole turns only:
 * what lies inside of a step, and how often a joint has turned, is found from its ends if no body
 * turns by as much as half a turn. No step by the error does (docs/methods/adaptive.md). */

/* Half a turn is 3.14; velocities change in a step. */
static const double most_turn = 2.5;

double cd_step_rotation(const cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const cardan_group *group = it->system->group;
    return step->h * fmax(cd_group_spin(group, step->old->v), cd_group_spin(group, step->next->v));
}

/* The longest step in which the present velocities turn no body by too much. */
static double longest_step_by_turn(const cardan_integrator *it)
{
    const double margin = 0.8; /* so that it is not exceeded if the next step turns faster */
    return margin * most_turn / cd_group_spin(it->system->group, it->view.v);
}

/* ---- judging a step ---- */

/* A step that turns a body too far is made shorter as far as that asks for. */
static cardan_status judge_turn(cardan_integrator *it)
{
    const double turn = cd_step_rotation(it) / most_turn;
    if (!(turn > 1.0))
        return CARDAN_OK;
    it->control.worst.error = fmax(it->control.worst.error, pow(turn, order_of(it)));
    return cd_fail(&it->error, CARDAN_REJECTED, "it turns a body by about half a turn or more");
}

/* Nor may it pass through a contact unseen. Where one begins or ends the force has a kink, which
 * misleads the estimate of a high order: there the step ends. */
static cardan_status judge_contacts(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const cd_interpolated_step over = {
        .mode = it->mode, .before = step->before, .old = step->old, .now = step->next};
    const double least = it->def.control.position.absolute, shrinks = 2.0, at_an_end = 1e-4;
    const cd_contact_change passage = cd_gaps_passed(it, &over, least);
    if (passage.depth > least) {
        it->control.worst.error = fmax(it->control.worst.error, pow(shrinks, order_of(it)));
        return cd_fail(&it->error, CARDAN_REJECTED, "it passes through a contact by %.3g",
                       passage.depth);
    }
    if (!cd_is_explicit(it) || fabs(passage.change - 0.5) > 0.5 - at_an_end)
        return CARDAN_OK;
    it->control.contact = passage.change * step->h;
    return cd_fail(&it->error, CARDAN_REJECTED, "a contact begins or ends inside of it");
}

/* Nor, where nothing else limits it since the motion is prescribed, over a load that comes and goes
 * in it. Next to a singular configuration loads have no bound: the verdict tells of what is left.
 */
static cardan_status judge_loads(cardan_integrator *it)
{
    const double nothing = 1e-3, shortest = 1e-2 * it->control.longest;
    if (!cd_is_explicit(it) || it->control.worst.error > nothing || it->step.h < shortest)
        return CARDAN_OK;
    cd_worst worst = cd_explicit_loads(it);
    if (!(worst.error > 1.0))
        return CARDAN_OK;
    worst.error = pow(worst.error, 0.5 * order_of(it));
    it->control.worst = worst;
    return cd_fail(&it->error, CARDAN_REJECTED, "the multiplier of %s has a peak inside of it",
                   cd_worst_name(it, &worst).text);
}

cardan_status cd_control_judge(cardan_integrator *it)
{
    static const char *const kinds[] = {"the position that belongs to", "", "the multiplier of",
                                        "the middle of the step, in"};
    cd_control *control = &it->control;
    control->worst = cd_estimate_step(it);
    if (control->worst.error <= 1.0)
        cd_judge_midstep(it, &control->worst);
    if (control->worst.error <= 1.0 || is_rounding_limit(it)) {
        cardan_status status = judge_turn(it);
        if (status == CARDAN_OK)
            status = judge_contacts(it);
        return status == CARDAN_OK ? judge_loads(it) : status;
    }
    const char *kind = kinds[control->worst.kind];
    return cd_fail(&it->error, CARDAN_REJECTED,
                   "the estimated error is %.3g times the tolerance in %s%s%s",
                   control->worst.error, kind, kind[0] != '\0' ? " " : "",
                   cd_worst_name(it, &control->worst).text);
}

void cd_control_watch(cardan_integrator *it)
{
    const long calls = cd_workspace_services(it->ws)->calls;
    learn_sizes(it, it->step.next, it->step.old, it->step.h);
    it->control.worst = cd_estimate_step(it);
    learn_period(it, it->step.next, it->step.h);
    it->counts.callbacks += cd_workspace_services(it->ws)->calls - calls;
}

/* Accelerations and multipliers have errors of their own that go like h^2: a change of the step
 * shifts them, and second differences across it are off. Such estimates, and a longer step that
 * has just failed, are no reason for another small change, or the step would never come to rest. */
static bool is_doubtful(const cardan_integrator *it, double ideal)
{
    enum { SETTLED = 3 }; /* steps of one size: a difference of their ends only */
    const cd_control *control = &it->control;
    if (ideal >= most_growth)
        return false;
    if (it->base_steps >= SETTLED)
        return ideal > 1.0 && control->wait > 0;
    return ideal > 1.0 || control->grew;
}

/* Nothing is lost by a change of the step, unless a method's values belong to its size. */
static bool is_worth_it(const cardan_integrator *it, double ideal)
{
    if (cd_is_explicit(it))
        return true;
    return !(ideal >= keep_above && ideal <= keep_below) && !is_doubtful(it, ideal);
}

/* Factor for the next step after an accepted one: proportional-integral control. */
static double next_factor(const cardan_integrator *it, double error)
{
    const cd_control *control = &it->control;
    if (cd_is_multistep(it))
        return cd_multistep_growth(it, error);
    const double order = order_of(it),
                 most = cd_is_explicit(it) ? most_explicit_growth : most_growth;
    const double now = fmax(error, 1e-6) / landing;
    const double before = control->previous > 0.0 ? control->previous / landing : now;
    const double ideal = pow(now, -1.0 / order);
    if (!is_worth_it(it, ideal))
        return 1.0;
    const double factor =
        control->previous > 0.0 ? pow(now, -0.7 / order) * pow(before, 0.4 / order) : ideal;
    return fmax(most_shrink, fmin(control->failed_before ? 1.0 : most, factor));
}

/* Rounding makes multipliers worse in shorter steps than cd_estimate_floor, and accelerations in
 * shorter ones than rounding_step: does not go there. (A
 * growth would scale up the rounding errors that are there.) */
static double above_floor(const cardan_integrator *it, double h, double next)
{
    const double least = fmax(cd_estimate_floor(it, h), over_rounding * rounding_step(it));
    return next < h ? fmax(next, fmin(h, least)) : next;
}

/* `asked` is the size that was wanted, `h` what was taken, less if an end was near. */
static void accept(cardan_integrator *it, double asked, double h)
{
    cd_control *control = &it->control;
    const double error = control->worst.error, factor = next_factor(it, error);
    const double next = above_floor(it, h, h * factor);
    const long calls = cd_workspace_services(it->ws)->calls; /* of M, for the period */
    const cd_state *before = cd_integrator_earlier(it, 1);
    learn_sizes(it, cd_integrator_now(it), before, h);
    learn_period(it, cd_integrator_now(it), h);
    it->counts.callbacks += cd_workspace_services(it->ws)->calls - calls;
    cd_explicit_count_held(it);
    const double wanted = h < asked ? fmax(asked, next) : next;
    it->nominal = within_limits(it, fmin(wanted, longest_step_by_turn(it)));
    control->previous = fmax(error, 1e-6);
    control->grew = factor == 1.0 ? control->grew : factor > 1.0;
    control->wait -= control->wait > 0;
}

/* Of any step, whether one has been tried or not: a restart has tried none. */
static double shortest_step(const cardan_integrator *it)
{
    if (it->def.control.min_step > 0.0)
        return it->def.control.min_step * (1.0 - CD_STEP_ROUNDING);
    return 1e-12 * fmax(fabs(it->view.t), it->control.longest);
}

static double least_step(const cardan_integrator *it)
{
    const double shortest = shortest_step(it);
    return it->def.control.min_step > 0.0 ? shortest : fmax(rounding_step(it), shortest);
}

/* No shorter step is left to try: completes the sentence of the last attempt, of size h. */
static cardan_status give_up(cardan_integrator *it, double h, double shorter, int attempts)
{
    const double least = least_step(it);
    const cardan_diagnosis *d = &it->diagnosis.shown;
    const cardan_error cause = it->error;
    char dependent[256] = "";
    cd_diagnose(it, h, attempts, least);
    for (int i = 0, used = 0; i < d->constraint_count && used < (int)sizeof dependent; i++)
        used += snprintf(dependent + used, sizeof dependent - (size_t)used, "%s%s",
                         i == 0 ? "; the constraints are nearly dependent: " : ", ",
                         d->constraints[i].name);
    return cd_fail(&it->error, cause.status,
                   "gave up after %d attempts, the next step %.3g would be below the least, %.3g; "
                   "last attempt: %.400s%s; %s",
                   attempts, shorter, least, cause.text, dependent, d->suggestion);
}

static cardan_status attempt(cardan_integrator *it, double t, double *h)
{
    const double left = t - it->view.t;
    bool last = false;
    *h = cd_integrator_choose_step(it, left);
    if (it->control.contact > 0.0)
        *h = fmin(*h, it->control.contact);
    it->control.contact = 0.0;
    last = fabs(left - *h) <= 2.0 * CD_STEP_ROUNDING * *h;
    const double end = last ? t : cd_integrator_next_time(it, *h);
    const cardan_status status = cd_integrator_may_step(it, *h, end);
    if (status != CARDAN_OK)
        return status;
    it->control.longest = fmax(it->control.longest, *h);
    return cd_integrator_step_with(it, *h, end);
}

/* Accepted steps may have asked for shorter and shorter ones: these are refused like those that
 * failures ask for. */
static cardan_status refuse_short_step(cardan_integrator *it, double h)
{
    cd_fail(&it->error, CARDAN_REJECTED,
            "the error allows no step longer than %.3g at t = %.9g, which rounding makes worthless",
            h, it->view.t);
    return give_up(it, h, h, 1);
}

cardan_status cd_control_step(cardan_integrator *it, double t)
{
    cd_control *control = &it->control;
    if (!(it->nominal > shortest_step(it))) {
        const double ahead = control->failed_end - it->view.t, least = least_step(it);
        if (!(ahead > 0.0 && ahead < 100.0 * least))
            return refuse_short_step(it, it->nominal);
        it->nominal = least; /* steps have failed just ahead: the least one shows why */
    }
    for (int attempts = 1;; attempts++) {
        const double asked = it->nominal;
        control->reselect = attempts > 2; /* shorter steps have not helped */
        double h;
        cardan_status status = attempt(it, t, &h);
        if (status == CARDAN_OK) {
            control->failed_before = attempts > 1;
            accept(it, asked, h);
            return CARDAN_OK;
        }
        if (status == CARDAN_EVENT || status == CARDAN_INTERRUPTED)
            return status;
        if (status < 0)
            return cd_diagnose(it, h, attempts, 0.0);
        enum { LONG_WAIT = 16 };
        if (status != CARDAN_REJECTED)
            control->failed_end = it->view.t + h;
        const double asks = h * retry_factor(it, status);
        const double shorter =
            status == CARDAN_REJECTED ? fmax(asks, fmin(0.9 * h, least_useful_step(it))) : asks;
        control->wait = h > it->h ? LONG_WAIT : control->wait;
        control->grew = false;
        if (!(shorter > least_step(it)))
            return give_up(it, h, shorter, attempts);
        it->counts.rejected += status == CARDAN_REJECTED;
        it->counts.retried += status != CARDAN_REJECTED;
        if (!(control->contact > 0.0))
            it->nominal = shorter;
    }
}

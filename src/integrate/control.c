/* The controller: accepts or rejects steps by their estimated error, chooses the next size, and
 * tries shorter steps after failures until none is left.
 *
 * The estimates are O(h^2) and kept below the tolerance (error per unit step), so the error at the
 * end falls in proportion to the tolerance. Those of explicit methods are of a higher order, and so
 * is the error at the end. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"
#include "group/group.h"
#include "scheme/ga.h"

#include <float.h>
#include <stdio.h>

static const double target_error = 0.6; /* error that a step should have, of the tolerance */
static const double most_growth = 2.0;  /* below what makes change_step start anew */
static const double most_explicit_growth = 5.0;
static const double most_shrink = 0.2;
static const double failure_shrink = 0.25;
static const double over_rounding = 1.01; /* a step that is not rejected as rounding */
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

/* Updates the largest |x| and |x'| of the last periods; a period is 2 pi |x| / |x'|. */
static void learn_size(double x, double before, double h, double *size, double *rate)
{
    const double keep = *size > 0.0 ? exp(-h * *rate / (lasting * full_turn * *size)) : 0.0;
    *rate = cd_larger(h > 0.0 ? fabs(x - before) / h : 0.0, keep * *rate);
    *size = cd_larger(fabs(x), keep * *size);
}

/* A variable counts as at least this fraction of the largest of its kind. */
static const double least_of_kind = 1e-3;

/* Updates the sizes of `n` variables. Velocities (of a system) are of two kinds, translations and
 * rotations, as a fast spin says nothing of a slow drift; multipliers (NULL) are of one. */
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

/* Updates the sizes for relative tolerances, h after `before`; that of a rotation is 1. */
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

/* The period that follows from the sizes of v, v' and v''; v'' may not be known yet. */
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

/* The period of the whole motion, in the norm of the kinetic energy if M has a diagonal. */
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

/* Updates the sizes that give the periods; values that are some periods old fade. */
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

/* Limits a step size to the bounds of the user and of the system. */
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

/* Whether all accelerations are rounding errors of forces and reactions in balance, or too small to
 * change a velocity by its tolerance within some hours. */
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

static double finest_velocity_tolerance(const cardan_integrator *it)
{
    double finest = INFINITY;
    for (int i = 0; i < it->system->k; i++)
        finest = fmin(finest, cd_tolerance_of(it, CD_ERROR_VELOCITY, i));
    return finest;
}

/* The step at which rounding errors of accelerations, eps / h^2 in the index-3 form, reach a
 * hundredth of the accelerations. At rest there are only such errors; they do not count until they
 * change a velocity by a hundredth of its tolerance. */
static double rounding_step(const cardan_integrator *it)
{
    const int k = it->system->k;
    if (!it->scheme->settles_hidden || it->system->m == 0)
        return 0.0;
    const double change =
        fmax(cd_max_abs(k, it->control.change), cd_max_abs(k, it->step.next->vdot));
    const double rounding =
        100.0 * cd_ga_position_rounding(&it->step) * cd_ga_acceleration_weight(&it->def.params);
    return fmin(sqrt(rounding / change), rounding / finest_velocity_tolerance(it));
}

/* Explicit methods do not learn how velocities and accelerations change. */
static void forget_rates(cardan_integrator *it)
{
    cd_control *control = &it->control;
    cd_zero(3 * it->system->k, control->speed); /* and change and jerk */
    cd_zero(it->system->k, control->latest);
    it->counts.rounding = control->bend = control->latest_bend = control->period = 0.0;
    control->held = control->stiff = false;
    control->held_lately = control->stiff_lately = 0;
    learn_period(it, cd_integrator_now(it), 0.0);
}

/* Resets what was learnt of the motion to its initial values. */
static void begin_to_learn(cardan_integrator *it)
{
    cd_control *control = &it->control;
    cd_zero(control->learnt, control->position);
    for (int i = 0; i < it->system->k + it->most.m + it->most.l; i++)
        control->rounding_level[i] = (cd_rounding_level){0};
    if (control->errors != NULL)
        cd_zero(2 * it->system->k + it->most.m + it->most.l, control->errors);
    it->counts.largest_position = it->counts.largest_velocity = it->counts.largest_multiplier = 0.0;
    cd_marks_forget(&control->marks);
    it->step.old = it->step.next = cd_integrator_now(it); /* for their sizes */
    learn_sizes(it, cd_integrator_now(it), cd_integrator_now(it), 0.0);
    forget_rates(it);
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
        h = fmax(h, fmax(cd_estimate_rounding_step(it, h), over_rounding * rounding_step(it)));
    }
    it->nominal = within_limits(it, h);
    it->h = cd_integrator_now(it)->h = cd_breakpoint_choose_step(it);
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
    if (after == CD_AFTER_OTHER_METHOD) {
        forget_rates(it);
    } else {
        cd_zero(it->most.m + it->most.l, control->multiplier);
        cd_zero(it->most.m + it->most.l, control->rates + 2 * it->system->k);
        learn_sizes(it, cd_integrator_now(it), cd_integrator_now(it), 0.0);
        if (cd_is_explicit(it)) /* its first step is judged like any other */
            return CARDAN_OK;
    }
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

/* The power of the step size with which the estimates fall. */
static double order_of(const cardan_integrator *it)
{
    if (cd_is_multistep(it))
        return fmax(1.0, it->step.order);
    return cd_is_explicit(it) ? it->scheme->order : 2.0;
}

/* The factor by which a failed step is shortened. */
static double retry_factor(const cardan_integrator *it, cardan_status status)
{
    if (status != CARDAN_REJECTED || !isfinite(it->control.worst.error))
        return failure_shrink;
    return fmax(most_shrink,
                fmin(0.9, pow(target_error / it->control.worst.error, 1.0 / order_of(it))));
}

/* The step below which rounding adds more error than a shorter step removes. */
static double least_useful_step(const cardan_integrator *it)
{
    return fmax(rounding_step(it), cd_estimate_rounding_step(it, it->h));
}

/* Whether the step is near least_useful_step: then its error is noted and must be accepted. */
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
 * The ends of a step tell the rotation of a body up to whole turns. So no adaptive step rotates a
 * body by half a turn: dense output and turn counters rely on it (docs/methods/adaptive.md). */

/* Below half a turn, 3.14, because velocities change within a step. */
static const double most_rotation = 2.5;

double cd_step_rotation(const cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const cardan_group *group = it->system->group;
    return step->h * fmax(cd_group_spin(group, step->old->v), cd_group_spin(group, step->next->v));
}

/* The longest step in which the present velocities rotate no body too far. */
static double longest_step_by_rotation(const cardan_integrator *it)
{
    const double margin = 0.8; /* because the next step may rotate faster */
    return margin * most_rotation / cd_group_spin(it->system->group, it->view.v);
}

/* ---- judging a step ---- */

/* Rejects a step that rotates a body too far. */
static cardan_status judge_rotation(cardan_integrator *it)
{
    const double turn = cd_step_rotation(it) / most_rotation;
    if (!(turn > 1.0))
        return CARDAN_OK;
    it->control.worst.error = fmax(it->control.worst.error, pow(turn, order_of(it)));
    return cd_fail(&it->error, CARDAN_REJECTED, "it turns a body by about half a turn or more");
}

/* Rejects a step that passes through a contact unseen. Where a contact begins or ends the slope of
 * the force jumps, which misleads estimates of high order: explicit steps end there. */
static cardan_status judge_contacts(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const cd_interpolated_step over = {
        .mode = it->mode, .before = step->before, .old = step->old, .now = step->next};
    const double least = it->def.control.position.absolute, shrinks = 2.0, at_an_end = 1e-4;
    const cd_contact_change passage = cd_gaps_find_change(it, &over, least);
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

/* Rejects a step across a peak of a load, which a prescribed motion does not show. Shorter steps do
 * not help next to a singular configuration, where loads have no bound. */
static cardan_status judge_loads(cardan_integrator *it)
{
    const double nothing = 1e-3, shortest = 1e-2 * it->control.longest;
    if (!cd_is_explicit(it) || it->control.worst.error > nothing || it->step.h < shortest)
        return CARDAN_OK;
    cd_worst worst = cd_explicit_load_peak(it);
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
        cardan_status status = judge_rotation(it);
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

void cd_control_estimate(cardan_integrator *it)
{
    const long calls = cd_workspace_services(it->ws)->calls;
    learn_sizes(it, it->step.next, it->step.old, it->step.h);
    it->control.worst = cd_estimate_step(it);
    learn_period(it, it->step.next, it->step.h);
    it->counts.callbacks += cd_workspace_services(it->ws)->calls - calls;
}

/* Whether a change of the step rests on a doubtful estimate. Accelerations and multipliers have
 * errors of order h^2, which a change of the step shifts, so second differences across it are
 * wrong. Small changes after that, or after a failed growth, would never end. */
static bool is_estimate_doubtful(const cardan_integrator *it, double ideal)
{
    enum { SETTLED = 3 }; /* steps of one size: a difference of their ends only */
    const cd_control *control = &it->control;
    if (ideal >= most_growth)
        return false;
    if (it->base_steps >= SETTLED)
        return ideal > 1.0 && control->wait > 0;
    return ideal > 1.0 || control->grew;
}

/* Whether a change of the step pays: always if the method's values do not depend on its size. */
static bool is_change_worthwhile(const cardan_integrator *it, double ideal)
{
    if (cd_is_explicit(it))
        return true;
    return !(ideal >= keep_above && ideal <= keep_below) && !is_estimate_doubtful(it, ideal);
}

/* Factor for the next step after an accepted one: proportional-integral control. */
static double next_factor(const cardan_integrator *it, double error)
{
    const cd_control *control = &it->control;
    if (cd_is_multistep(it))
        return cd_multistep_growth(it, error);
    const double order = order_of(it),
                 most = cd_is_explicit(it) ? most_explicit_growth : most_growth;
    const double now = fmax(error, 1e-6) / target_error;
    const double before = control->previous > 0.0 ? control->previous / target_error : now;
    const double ideal = pow(now, -1.0 / order);
    if (!is_change_worthwhile(it, ideal))
        return 1.0;
    const double factor =
        control->previous > 0.0 ? pow(now, -0.7 / order) * pow(before, 0.4 / order) : ideal;
    return fmax(most_shrink, fmin(control->failed_before ? 1.0 : most, factor));
}

/* Does not shorten the step below the sizes at which rounding makes multipliers
 * (cd_estimate_rounding_step) or accelerations (rounding_step) worse. */
static double avoid_rounding(const cardan_integrator *it, double h, double next)
{
    const double least = fmax(cd_estimate_rounding_step(it, h), over_rounding * rounding_step(it));
    return next < h ? fmax(next, fmin(h, least)) : next;
}

/* Learns from an accepted step and chooses the next size. `asked` is the size that was wanted, `h`
 * the one taken, which is smaller if an end was near. */
static void finish_accepted_step(cardan_integrator *it, double asked, double h)
{
    cd_control *control = &it->control;
    const double error = control->worst.error, factor = next_factor(it, error);
    const double next = avoid_rounding(it, h, h * factor);
    const long calls = cd_workspace_services(it->ws)->calls; /* of M, for the period; of auto */
    const cd_state *before = cd_integrator_earlier(it, 1);
    learn_sizes(it, cd_integrator_now(it), before, h);
    learn_period(it, cd_integrator_now(it), h);
    cd_explicit_count_stiff(it);
    const double wanted = h < asked ? fmax(asked, next) : next;
    it->nominal = within_limits(it, fmin(wanted, longest_step_by_rotation(it)));
    control->previous = fmax(error, 1e-6);
    control->grew = factor == 1.0 ? control->grew : factor > 1.0;
    control->wait -= control->wait > 0;
    cd_automatic_watch(it);
    it->counts.callbacks += cd_workspace_services(it->ws)->calls - calls;
}

/* The bound below which no step is tried. */
static double shortest_step(const cardan_integrator *it)
{
    if (it->def.control.min_step > 0.0)
        return it->def.control.min_step * (1.0 - CD_STEP_ROUNDING);
    return 1e-12 * fmax(fabs(it->view.t), it->control.longest);
}

/* The step below which the run ends: shortest_step or, if that is longer, what rounding allows. */
static double least_step(const cardan_integrator *it)
{
    const double shortest = shortest_step(it);
    return it->def.control.min_step > 0.0 ? shortest : fmax(rounding_step(it), shortest);
}

/* Ends the run, as no shorter step is left: diagnoses the last attempt, which had the size h. */
static cardan_status end_with_diagnosis(cardan_integrator *it, double h, double shorter,
                                        int attempts)
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

/* Tries one step towards t, of the nominal size *h or shorter. */
static cardan_status attempt_step(cardan_integrator *it, double t, double *h)
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

/* Ends the run when accepted steps have asked for shorter and shorter ones. */
static cardan_status reject_short_step(cardan_integrator *it, double h)
{
    cd_fail(&it->error, CARDAN_REJECTED,
            "the error allows no step longer than %.3g at t = %.9g, which rounding makes worthless",
            h, it->view.t);
    return end_with_diagnosis(it, h, h, 1);
}

cardan_status cd_control_step(cardan_integrator *it, double t)
{
    cd_control *control = &it->control;
    if (!(it->nominal > shortest_step(it))) {
        const double ahead = control->failed_end - it->view.t, least = least_step(it);
        if (!(ahead > 0.0 && ahead < 100.0 * least))
            return reject_short_step(it, it->nominal);
        it->nominal = least; /* steps have failed just ahead: the least one shows why */
    }
    for (int attempts = 1;; attempts++) {
        const double asked = it->nominal;
        control->reselect = attempts > 2; /* shorter steps have not helped */
        double h;
        cardan_status status = attempt_step(it, t, &h);
        if (status == CARDAN_OK) {
            control->failed_before = attempts > 1;
            finish_accepted_step(it, asked, h);
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
            return end_with_diagnosis(it, h, shorter, attempts);
        it->counts.rejected += status == CARDAN_REJECTED;
        it->counts.retried += status != CARDAN_REJECTED;
        if (!(control->contact > 0.0))
            it->nominal = shorter;
    }
}

/* Measures a run for its verdict (health.h), after each step. This costs an evaluation of the
 * constraints and the energy balance; it allocates nothing. */
#include "health.h"

#include "base/numeric.h"
#include "integrator.h"

void cd_health_init(cardan_integrator *it)
{
    const int multipliers = it->most.m + it->most.l;
    it->health = (cd_health){0};
    if (it->def.health)
        it->health.alternation =
            cd_arena_take(&it->arena, (size_t)(multipliers + 1) * sizeof(cd_alternation));
    if (it->control.errors != NULL)
        it->health.estimates = cd_arena_take(&it->arena, (size_t)(2 * it->system->k + multipliers) *
                                                             sizeof(cd_estimate));
}

/* Raises a peak to a value, if that is larger. */
static void raise_peak(cd_peak *peak, double value, double t, int index)
{
    if (!(value <= peak->value)) /* what is not a number stays */
        *peak = (cd_peak){value, t, index};
}

static void raise_peak_of_rows(cd_peak *peak, int count, const double *rows, double t)
{
    for (int i = 0; i < count; i++)
        raise_peak(peak, fabs(rows[i]), t, i);
}

/* Whether joint forces are most of `forces`, which are g + B^T lambda + K^T psi. */
static bool is_due_to_joints(cardan_integrator *it, const cardan_point *at, const double *forces)
{
    const int k = it->system->k;
    const double much = 10.0;
    double *reaction = it->saved, applied = 0.0;
    const cd_equations wanted = {.reaction = reaction};
    if (cd_system_residual(it->ws, at, &wanted) != CARDAN_OK)
        return false;
    for (int i = 0; i < k; i++)
        applied = fmax(applied, fabs(forces[i] - reaction[i]));
    return cd_max_abs(k, reaction) > much * applied;
}

/* Notes accelerations far above the mean that joints alone cause, in the norm of the energy. */
static void measure_sudden_turn(cardan_integrator *it, const cardan_point *at, const double *forces)
{
    const double fast = 1e-4;
    cd_seen *seen = &it->health.seen;
    double sum = 0.0;
    for (int i = 0; i < it->system->k; i++)
        sum -= at->vdot[i] * forces[i];
    const double size = sqrt(fmax(0.0, sum)),
                 h = it->counts.steps > 0 ? cd_integrator_now(it)->h : 0.0;
    if (!(it->energy_balance.kinetic > fast * seen->kinetic))
        return;
    seen->moving += h;
    seen->turned += h * size;
    if (size > fmax(seen->sharpest.value, CD_SHARP * seen->turned / seen->moving) &&
        is_due_to_joints(it, at, forces))
        raise_peak(&seen->sharpest, size, at->t, -1);
}

/* Notes residuals of constraints, multipliers and sudden accelerations of the current state. */
static void measure_constraints(cardan_integrator *it)
{
    const int k = it->system->k, m = it->system->m, l = it->system->l;
    const cd_state *now = cd_integrator_now(it);
    double *phi = it->values, *hidden = phi + k, *forces = hidden + m + l;
    const cardan_point at = cd_state_point(now);
    const cd_equations wanted = {
        .position = phi, .hidden = hidden, .nonholonomic = hidden + m, .forces = forces};
    if (m + l == 0 || cd_system_residual(it->ws, &at, &wanted) != CARDAN_OK)
        return;
    raise_peak_of_rows(&it->health.seen.position, m, phi, at.t);
    raise_peak_of_rows(&it->health.seen.velocity, m + l, hidden, at.t);
    raise_peak_of_rows(&it->health.seen.force, m, now->lambda, at.t);
    raise_peak_of_rows(&it->health.seen.force, l, now->psi, at.t);
    measure_sudden_turn(it, &at, forces);
}

/* Notes what the ends of the last step do not show, by dense output: residuals in its middle,
 * contacts (adaptive steps are shortened there), and load peaks of explicit methods. */
static void measure_last_step(cardan_integrator *it)
{
    cd_seen *seen = &it->health.seen;
    const cd_state *now = cd_integrator_now(it);
    const double middle = now->t - 0.5 * now->h;
    double *position = it->saved, *velocity = position + it->most.m; /* the step is accepted */
    if (it->counts.steps == 0)
        return;
    if (cd_midstep_residuals(it, position, velocity) == CARDAN_OK)
        raise_peak_of_rows(&seen->midstep, it->system->m, position, middle);
    if (!it->def.control.adaptive && it->system->def.gap_count > 0) {
        const cd_interpolated_step over = cd_dense_last_step(it);
        raise_peak(&seen->contact, cd_gaps_find_change(it, &over, INFINITY).depth, middle, -1);
    }
    if (cd_is_explicit(it)) {
        const cd_worst worst = cd_explicit_load_peak(it);
        raise_peak(&seen->load, worst.error, middle, worst.index);
    }
}

/* Keeps the largest estimated errors of fixed steps. */
static void measure_estimates(cardan_integrator *it)
{
    const int count = 2 * it->system->k + it->system->m + it->system->l;
    cd_estimate *largest = it->health.estimates;
    const double *errors = it->control.errors;
    for (int i = 0; largest != NULL && it->counts.steps > 0 && i < count; i++)
        if (!((float)errors[i] <= largest[i].error))
            largest[i] = (cd_estimate){(float)errors[i], (float)cd_integrator_now(it)->t};
}

static void measure_lengths_and_speeds(cardan_integrator *it)
{
    cd_seen *seen = &it->health.seen;
    const cardan_system *system = it->system;
    const cd_state *now = cd_integrator_now(it);
    for (int i = 0; i < system->k; i++) {
        const bool shifts = cd_system_shifts(system, i);
        double *speed = shifts ? &seen->speed : &seen->turning;
        if (shifts)
            seen->length = cd_larger(cd_system_size_at(system, now->q, i), seen->length);
        *speed = cd_larger(fabs(now->v[i]), *speed);
    }
}

static void measure_energy(cardan_integrator *it)
{
    cd_seen *seen = &it->health.seen;
    const cd_energy_balance *energy_balance = &it->energy_balance;
    const double t = cd_integrator_now(it)->t, own = cd_sum_total(energy_balance->integrator);
    seen->kinetic = fmax(seen->kinetic, fabs(energy_balance->kinetic));
    seen->potential =
        fmax(seen->potential, fabs(energy_balance->potential - seen->first_potential));
    seen->energy = fmax(seen->energy, fabs(energy_balance->kinetic + energy_balance->potential -
                                           energy_balance->first));
    seen->work += fabs(energy_balance->last_work);
    raise_peak(&seen->gained, own, t, -1);
    raise_peak(&seen->lost, -own, t, -1);
}

/* ---- multipliers that alternate ---- */

/* Weights of the parabola through three earlier times, newest first, at t; and the sum of the sizes
 * of all weights, so that an alternation of amplitude a gives a. */
static double parabola_weights(const double at[3], double t, double weight[3])
{
    double sum = 1.0;
    for (int i = 0; i < 3; i++) {
        weight[i] = 1.0;
        for (int j = 0; j < 3; j++)
            weight[i] *= j != i ? (t - at[j]) / (at[i] - at[j]) : 1.0;
        sum += fabs(weight[i]);
    }
    return sum;
}

/* Updates the alternation of one multiplier; true if its lasting amplitude has grown. */
static bool update_alternation(cd_alternation *one, double distance)
{
    enum { LASTING = 8 };
    const float d = (float)distance, size = fabsf(d);
    const bool alternates = one->last * d < 0.0F;
    one->level = alternates && one->count > 0 ? fminf(one->level, size) : size;
    one->count = alternates ? one->count + 1 : 0;
    one->last = d;
    if (one->count < LASTING || !(one->level > one->amplitude))
        return false;
    one->amplitude = one->level;
    return true;
}

/* Updates the alternations of `count` multipliers from four states, newest first (`weight` NULL:
 * there are fewer). */
static void update_alternations(cardan_integrator *it, int first, int count,
                                const double *const value[4], const double *weight, double sum)
{
    for (int i = 0; i < count; i++) {
        cd_alternation *one = &it->health.alternation[first + i];
        double distance = value[0][i];
        one->size = fmaxf(one->size, (float)fabs(distance));
        for (int j = 0; weight != NULL && j < 3; j++)
            distance -= weight[j] * value[j + 1][i];
        if (weight != NULL && update_alternation(one, distance / sum))
            it->health.seen.alternates = cd_integrator_now(it)->t;
    }
}

static void measure_multiplier_alternation(cardan_integrator *it)
{
    const int m = it->system->m, l = it->system->l;
    const bool four = it->has_before && it->has_two_before && it->has_three_before;
    const double *lambda[4], *psi[4];
    double t[4], weight[3];
    for (int i = 0; i < 4; i++) {
        const cd_state *state = cd_integrator_earlier(it, i);
        lambda[i] = state->lambda;
        psi[i] = state->psi;
        t[i] = state->t;
    }
    const double sum = four ? parabola_weights(t + 1, t[0], weight) : 1.0;
    update_alternations(it, 0, m, lambda, four ? weight : NULL, sum);
    update_alternations(it, m, l, psi, four ? weight : NULL, sum);
}

/* Alternations are counted anew, since multipliers may jump at a restart. */
void cd_health_restart(cardan_integrator *it)
{
    for (int i = 0; it->def.health && i < it->most.m + it->most.l; i++)
        it->health.alternation[i].count = 0;
}

static void measure_state(cardan_integrator *it)
{
    const cd_activity before = cd_clock_switch(&it->clock, CD_SHOWING);
    measure_lengths_and_speeds(it);
    measure_energy(it);
    measure_constraints(it);
    measure_last_step(it);
    measure_estimates(it);
    measure_multiplier_alternation(it);
    cd_clock_switch(&it->clock, before);
}

void cd_health_start(cardan_integrator *it)
{
    cd_health *health = &it->health;
    health->seen = (cd_seen){.moved_q = health->seen.moved_q,
                             .moved_v = health->seen.moved_v,
                             .first_potential = it->energy_balance.potential};
    if (!it->def.health)
        return;
    const size_t multipliers = (size_t)(it->most.m + it->most.l);
    memset(health->alternation, 0, multipliers * sizeof *health->alternation);
    if (health->estimates != NULL)
        memset(health->estimates, 0,
               (2 * (size_t)it->system->k + multipliers) * sizeof *health->estimates);
    measure_state(it);
}

void cd_health_step(cardan_integrator *it)
{
    if (it->def.health)
        measure_state(it);
}

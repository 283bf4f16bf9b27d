/* Measuring a run for its verdict (health.h). Costs an evaluation of the constraints and the
 * ledger's in each step; allocates nothing. */
#include "integrate/health.h"

#include "base/numeric.h"
#include "integrate/integrator.h"

void cd_health_init(cardan_integrator *it)
{
    const int multipliers = it->most.m + it->most.l;
    it->health = (cd_health){0};
    if (it->def.health)
        it->health.alternation =
            cd_arena_take(&it->arena, (size_t)(multipliers + 1) * sizeof(cd_alternation));
}

static void raise(cd_peak *peak, double value, double t, int index)
{
    if (!(value <= peak->value)) /* what is not a number stays */
        *peak = (cd_peak){value, t, index};
}

static void raise_to_row(cd_peak *peak, int count, const double *rows, double t)
{
    for (int i = 0; i < count; i++)
        raise(peak, fabs(rows[i]), t, i);
}

/* Residuals of the system's constraints at the current state. */
static void measure_constraints(cardan_integrator *it)
{
    const int m = it->system->m, l = it->system->l;
    double *phi = it->values, *hidden = phi + it->system->k;
    const cardan_point at = cd_state_point(cd_integrator_now(it));
    const cd_equations wanted = {.position = phi, .hidden = hidden, .rolling = hidden + m};
    if (m + l == 0 || cd_system_residual(it->ws, &at, &wanted) != CARDAN_OK)
        return;
    raise_to_row(&it->health.position, m, phi, at.t);
    raise_to_row(&it->health.velocity, m + l, hidden, at.t);
}

/* In the middle of the last step, by dense output: where a motion was stepped over. */
static void measure_inside(cardan_integrator *it)
{
    const cd_state *now = cd_integrator_now(it);
    double *position = it->saved, *velocity = position + it->most.m; /* the step is accepted */
    if (it->steps == 0 || cd_step_inside(it, position, velocity) != CARDAN_OK)
        return;
    raise_to_row(&it->health.inside, it->system->m, position, now->t - 0.5 * now->h);
}

static void measure_sizes(cardan_integrator *it)
{
    cd_health *health = &it->health;
    const cardan_system *system = it->system;
    const cd_state *now = cd_integrator_now(it);
    for (int i = 0; i < system->k; i++) {
        const bool shifts = system->coordinate[i] >= 0 || system->place[i] >= 0;
        cd_pace *pace = shifts ? &health->shift : &health->turn;
        if (shifts)
            health->length = fmax(health->length, cd_system_size_at(system, now->q, i));
        pace->speed = fmax(pace->speed, fabs(now->v[i]));
        raise(&pace->acceleration, fabs(now->vdot[i]), now->t, -1);
    }
}

static void measure_energy(cardan_integrator *it)
{
    cd_health *health = &it->health;
    const cd_ledger *ledger = &it->ledger;
    const double t = cd_integrator_now(it)->t, own = cd_sum_total(ledger->integrator);
    health->kinetic = fmax(health->kinetic, fabs(ledger->kinetic));
    health->potential = fmax(health->potential, fabs(ledger->potential - health->first_potential));
    health->energy =
        fmax(health->energy, fabs(ledger->kinetic + ledger->potential - ledger->first));
    health->work += fabs(ledger->last_work);
    raise(&health->gained, own, t, -1);
    raise(&health->lost, -own, t, -1);
}

/* ---- multipliers that alternate ---- */

/* Weights of the parabola through three earlier times, newest first, at t; and the sum of the sizes
 * of all weights, so that an alternation of amplitude a gives a. */
static double parabola(const double at[3], double t, double weight[3])
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

static bool take_distance(cd_alternation *one, double distance)
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

static void watch(cardan_integrator *it, int first, int count, const double *const value[4],
                  const double weight[3], double sum)
{
    for (int i = 0; i < count; i++) {
        cd_alternation *one = &it->health.alternation[first + i];
        double distance = value[0][i];
        for (int j = 0; j < 3; j++)
            distance -= weight[j] * value[j + 1][i];
        if (take_distance(one, distance / sum))
            it->health.alternates = cd_integrator_now(it)->t;
    }
}

static void measure_sizes_of(cd_alternation *list, int count, const double *value)
{
    for (int i = 0; i < count; i++)
        list[i].size = fmaxf(list[i].size, (float)fabs(value[i]));
}

static void measure_alternation(cardan_integrator *it)
{
    const int m = it->system->m, l = it->system->l;
    const double *lambda[4], *psi[4];
    double t[4], weight[3];
    for (int i = 0; i < 4; i++) {
        const cd_state *state = &it->states[(it->current + CD_STATES - i) % CD_STATES];
        lambda[i] = state->lambda;
        psi[i] = state->psi;
        t[i] = state->t;
    }
    measure_sizes_of(it->health.alternation, m, lambda[0]);
    measure_sizes_of(it->health.alternation + m, l, psi[0]);
    if (!it->has_before || !it->has_two_before || !it->has_three_before)
        return;
    const double sum = parabola(t + 1, t[0], weight);
    watch(it, 0, m, lambda, weight, sum);
    watch(it, m, l, psi, weight, sum);
}

void cd_health_restart(cardan_integrator *it)
{
    for (int i = 0; it->def.health && i < it->most.m + it->most.l; i++)
        it->health.alternation[i].count = 0;
}

/* ---- steps ---- */

static void measure(cardan_integrator *it)
{
    const cd_activity before = cd_clock_switch(&it->clock, CD_SHOWING);
    measure_constraints(it);
    measure_inside(it);
    measure_sizes(it);
    measure_energy(it);
    measure_alternation(it);
    cd_clock_switch(&it->clock, before);
}

void cd_health_start(cardan_integrator *it)
{
    cd_health *health = &it->health;
    const cd_health kept = *health;
    *health = (cd_health){.alternation = kept.alternation,
                          .moved_q = kept.moved_q,
                          .moved_v = kept.moved_v,
                          .first_potential = it->ledger.potential};
    if (!it->def.health)
        return;
    const size_t multipliers = (size_t)(it->most.m + it->most.l);
    memset(health->alternation, 0, multipliers * sizeof *health->alternation);
    measure(it);
}

void cd_health_step(cardan_integrator *it)
{
    if (it->def.health)
        measure(it);
}

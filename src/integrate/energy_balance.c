/* The energy balance of every step, GO10 (9), (10) with work:
 *
 *   E_{n+1} - E_n = W + dE_i + dE_p,    W = h/2 (P_n + P_{n+1}),
 *
 * with P the power of what changes the energy of the exact motion (src/system/energy.c), by the
 * trapezoidal rule (explicit methods: Simpson's; `conserving`: its own forces), and dE_p the energy
 * that the step's projection has moved. What is left is dE_i, the energy that the scheme itself
 * adds or takes. */
#include "integrator.h"

#include "base/numeric.h"

/* The energy and the power of a state, which become those of the energy balance; `change`: by how
 * much the energy does. */
static cardan_status measure(cardan_integrator *it, const cd_state *state, double *change)
{
    cd_energy_balance *energy_balance = &it->energy_balance;
    const cardan_point at = cd_state_point(state);
    double kinetic, potential, power;
    cardan_status status = cd_system_energy(it->ws, &at, &kinetic, &potential);
    if (status == CARDAN_OK)
        status = cd_system_power(it->ws, &at, &power);
    if (status != CARDAN_OK)
        return status;
    *change = (kinetic - energy_balance->kinetic) + (potential - energy_balance->potential);
    energy_balance->kinetic = kinetic;
    energy_balance->potential = potential;
    energy_balance->power = power;
    return CARDAN_OK;
}

/* The power in the middle of the step that is being made. */
static cardan_status middle_power(cardan_integrator *it, double *power)
{
    const cd_interpolated_step over = {
        .mode = it->mode, .before = it->step.before, .old = it->step.old, .now = it->step.next};
    if (cd_is_explicit(it))
        return cd_explicit_middle_power(it, power);
    const cd_state middle = cd_dense_place(it, &over, 0.5 * (over.old->t + over.now->t));
    const cardan_status status = cd_dense_at(it, &over, &middle);
    const cardan_point at = cd_state_point(&middle);
    return status == CARDAN_OK ? cd_system_power(it->ws, &at, power) : status;
}

/* The work of a step, where the method does not know it. Steps of high order are long: Simpson's
 * rule with the power in the middle, by dense output, is as good as they are. */
static cardan_status work_of(cardan_integrator *it, double h, double before, double *work)
{
    const double power = it->energy_balance.power;
    if (it->scheme->work_done != NULL)
        return it->scheme->work_done(&it->step, work);
    *work = 0.5 * h * (before + power);
    if (!(cd_is_explicit(it) || cd_is_multistep(it)) || (before == 0.0 && power == 0.0))
        return CARDAN_OK;
    double middle = power;
    const cardan_status status = middle_power(it, &middle);
    *work = h / 6.0 * (before + 4.0 * middle + power);
    return status;
}

cardan_status cd_energy_balance_start(cardan_integrator *it)
{
    cd_energy_balance *energy_balance = &it->energy_balance;
    *energy_balance = (cd_energy_balance){0};
    if (!it->def.energy_balance)
        return CARDAN_OK;
    double change;
    const cardan_status status = measure(it, cd_integrator_now(it), &change);
    energy_balance->first = energy_balance->kinetic + energy_balance->potential;
    return status;
}

static void book_projection(cd_energy_balance *energy_balance,
                            const cardan_projection_report *report)
{
    energy_balance->last_projection = report->energy;
    cd_sum_add(&energy_balance->projection, report->energy);
    cd_sum_add(&energy_balance->projection_linear, report->energy_linear);
    cd_sum_add(&energy_balance->projection_quadratic, report->energy_quadratic);
}

cardan_status cd_energy_balance_step(cardan_integrator *it, const cardan_projection_report *report)
{
    cd_energy_balance *energy_balance = &it->energy_balance;
    const cd_energy_balance before = *energy_balance;
    const cd_state *old = it->step.old, *next = it->step.next;
    double change;
    if (!it->def.energy_balance)
        return CARDAN_OK;
    cardan_status status = measure(it, next, &change);
    if (status == CARDAN_OK)
        status = work_of(it, next->t - old->t, before.power, &energy_balance->last_work);
    if (status != CARDAN_OK) {
        *energy_balance = before;
        return status;
    }
    energy_balance->last_integrator = change - report->energy - energy_balance->last_work;
    cd_sum_add(&energy_balance->work, energy_balance->last_work);
    cd_sum_add(&energy_balance->integrator, energy_balance->last_integrator);
    book_projection(energy_balance, report);
    return CARDAN_OK;
}

cardan_status cd_ledger_between(cardan_integrator *it, const cardan_projection_report *report)
{
    double change;
    if (!it->def.energy_balance)
        return CARDAN_OK;
    const cardan_status status = measure(it, cd_integrator_now(it), &change);
    if (status == CARDAN_OK && report != NULL)
        book_projection(&it->energy_balance, report);
    else if (status == CARDAN_OK)
        cd_sum_add(&it->energy_balance.event, change);
    return status;
}

cardan_energy_balance cardan_integrator_energy_balance(const cardan_integrator *integrator)
{
    if (integrator == NULL)
        return (cardan_energy_balance){0};
    const cd_energy_balance *energy_balance = &integrator->energy_balance;
    return (cardan_energy_balance){
        .kinetic = energy_balance->kinetic,
        .potential = energy_balance->potential,
        .change = energy_balance->kinetic + energy_balance->potential - energy_balance->first,
        .work = cd_sum_total(energy_balance->work),
        .integrator = cd_sum_total(energy_balance->integrator),
        .projection = cd_sum_total(energy_balance->projection),
        .event = cd_sum_total(energy_balance->event),
        .projection_linear = cd_sum_total(energy_balance->projection_linear),
        .projection_quadratic = cd_sum_total(energy_balance->projection_quadratic),
        .last_integrator = energy_balance->last_integrator,
        .last_projection = energy_balance->last_projection};
}

/* The energy balance of every step, GO10 (9), (10) with work:
 *
 *   E_{n+1} - E_n = W + dE_i + dE_p,    W = h/2 (P_n + P_{n+1}),
 *
 * with P the power of all that changes the energy of the exact motion (src/system/energy.c),
 * integrated by the trapezoidal rule (explicit methods: Simpson's; `conserving`: its own forces),
 * and dE_p the energy that the projection of the step adds. The rest, dE_i, is the energy that the
 * method itself adds or takes. */
#include "integrator.h"

#include "base/numeric.h"

/* Computes the energy and the power of a state for the balance, and the change of the energy. */
static cardan_status update_energy_and_power(cardan_integrator *it, const cd_state *state,
                                             double *change)
{
    cd_energy_balance *balance = &it->energy_balance;
    const cardan_point at = cd_state_point(state);
    double kinetic, potential, power;
    cardan_status status = cd_system_energy(it->ws, &at, &kinetic, &potential);
    if (status == CARDAN_OK)
        status = cd_system_power(it->ws, &at, &power);
    if (status != CARDAN_OK)
        return status;
    *change = (kinetic - balance->kinetic) + (potential - balance->potential);
    balance->kinetic = kinetic;
    balance->potential = potential;
    balance->power = power;
    return CARDAN_OK;
}

/* The power in the middle of the step that is being made, by dense output. */
static cardan_status middle_power(cardan_integrator *it, double *power)
{
    const cd_interpolated_step over = {
        .mode = it->mode, .before = it->step.before, .old = it->step.old, .now = it->step.next};
    if (cd_is_explicit(it))
        return cd_explicit_middle_power(it, power);
    const cd_state middle = cd_dense_scratch_state(it, &over, 0.5 * (over.old->t + over.now->t));
    const cardan_status status = cd_dense_at(it, &over, &middle);
    const cardan_point at = cd_state_point(&middle);
    return status == CARDAN_OK ? cd_system_power(it->ws, &at, power) : status;
}

/* The work in a step of length h with the power `before` at its begin. Long steps of methods of
 * high order need Simpson's rule, with dense output in the middle. */
static cardan_status find_work(cardan_integrator *it, double h, double before, double *work)
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
    cd_energy_balance *balance = &it->energy_balance;
    *balance = (cd_energy_balance){0};
    if (!it->def.energy_balance)
        return CARDAN_OK;
    double change;
    const cardan_status status = update_energy_and_power(it, cd_integrator_now(it), &change);
    balance->first = balance->kinetic + balance->potential;
    return status;
}

static void add_projection_energy(cd_energy_balance *balance,
                                  const cardan_projection_report *report)
{
    balance->last_projection = report->energy;
    cd_sum_add(&balance->projection, report->energy);
    cd_sum_add(&balance->projection_linear, report->energy_linear);
    cd_sum_add(&balance->projection_quadratic, report->energy_quadratic);
}

cardan_status cd_energy_balance_step(cardan_integrator *it, const cardan_projection_report *report)
{
    cd_energy_balance *balance = &it->energy_balance;
    const cd_energy_balance before = *balance;
    const cd_state *old = it->step.old, *next = it->step.next;
    double change;
    if (!it->def.energy_balance)
        return CARDAN_OK;
    cardan_status status = update_energy_and_power(it, next, &change);
    if (status == CARDAN_OK)
        status = find_work(it, next->t - old->t, before.power, &balance->last_work);
    if (status != CARDAN_OK) {
        *balance = before;
        return status;
    }
    balance->last_integrator = change - report->energy - balance->last_work;
    cd_sum_add(&balance->work, balance->last_work);
    cd_sum_add(&balance->integrator, balance->last_integrator);
    add_projection_energy(balance, report);
    return CARDAN_OK;
}

cardan_status cd_energy_balance_between_steps(cardan_integrator *it,
                                              const cardan_projection_report *report)
{
    double change;
    if (!it->def.energy_balance)
        return CARDAN_OK;
    const cardan_status status = update_energy_and_power(it, cd_integrator_now(it), &change);
    if (status == CARDAN_OK && report != NULL)
        add_projection_energy(&it->energy_balance, report);
    else if (status == CARDAN_OK)
        cd_sum_add(&it->energy_balance.event, change);
    return status;
}

cardan_energy_balance cardan_integrator_energy_balance(const cardan_integrator *integrator)
{
    if (integrator == NULL)
        return (cardan_energy_balance){0};
    const cd_energy_balance *balance = &integrator->energy_balance;
    return (cardan_energy_balance){.kinetic = balance->kinetic,
                                   .potential = balance->potential,
                                   .change = balance->kinetic + balance->potential - balance->first,
                                   .work = cd_sum_total(balance->work),
                                   .integrator = cd_sum_total(balance->integrator),
                                   .projection = cd_sum_total(balance->projection),
                                   .event = cd_sum_total(balance->event),
                                   .projection_linear = cd_sum_total(balance->projection_linear),
                                   .projection_quadratic =
                                       cd_sum_total(balance->projection_quadratic),
                                   .last_integrator = balance->last_integrator,
                                   .last_projection = balance->last_projection};
}

/* The energy balance of every step, GO10 (9), (10) with work:
 *
 *   E_{n+1} - E_n = W + dE_i + dE_p,    W = h/2 (P_n + P_{n+1}),
 *
 * with P the power of what changes the energy of the exact motion (src/system/energy.c), by the
 * trapezoidal rule (explicit methods: Simpson's; `conserving`: its own forces), and dE_p the energy
 * that the step's projection has moved. What is left is dE_i, the energy that the scheme itself
 * adds or takes. */
#include "ledger.h"

#include "explicit.h"
#include "integrator.h"

#include "base/numeric.h"

static cardan_status measure(cardan_integrator *it, const cd_state *state, double *kinetic,
                             double *potential, double *power)
{
    const cardan_point at = cd_state_point(state);
    cardan_status status = cd_system_energy(it->ws, &at, kinetic, potential);
    return status == CARDAN_OK ? cd_system_power(it->ws, &at, power) : status;
}

/* The work of a step, where the method does not know it. Steps of explicit methods are long:
 * Simpson's rule with the power in the middle, by dense output, is as good as they are. */
static cardan_status work_of(cardan_integrator *it, double h, double power, double *work)
{
    const double before = it->ledger.power;
    if (it->scheme->work_done != NULL)
        return it->scheme->work_done(&it->step, work);
    *work = 0.5 * h * (before + power);
    if (!cd_is_explicit(it) || (before == 0.0 && power == 0.0))
        return CARDAN_OK;
    double middle;
    const cardan_status status = cd_explicit_middle_power(it, &middle);
    *work = h / 6.0 * (before + 4.0 * middle + power);
    return status;
}

cardan_status cd_ledger_start(cardan_integrator *it)
{
    cd_ledger *ledger = &it->ledger;
    *ledger = (cd_ledger){0};
    if (!it->def.ledger)
        return CARDAN_OK;
    cardan_status status =
        measure(it, cd_integrator_now(it), &ledger->kinetic, &ledger->potential, &ledger->power);
    ledger->first = ledger->kinetic + ledger->potential;
    return status;
}

static void book_projection(cd_ledger *ledger, const cardan_projection_report *report)
{
    ledger->last_projection = report->energy;
    cd_sum_add(&ledger->projection, report->energy);
    cd_sum_add(&ledger->projection_linear, report->energy_linear);
    cd_sum_add(&ledger->projection_quadratic, report->energy_quadratic);
}

cardan_status cd_ledger_step(cardan_integrator *it, const cardan_projection_report *report)
{
    cd_ledger *ledger = &it->ledger;
    const cd_state *old = it->step.old, *next = it->step.next;
    double kinetic, potential, power;
    if (!it->def.ledger)
        return CARDAN_OK;
    cardan_status status = measure(it, next, &kinetic, &potential, &power);
    if (status != CARDAN_OK)
        return status;
    const double change = (kinetic - ledger->kinetic) + (potential - ledger->potential);
    double work;
    status = work_of(it, next->t - old->t, power, &work);
    if (status != CARDAN_OK)
        return status;
    ledger->last_work = work;
    ledger->last_integrator = change - report->energy - work;
    cd_sum_add(&ledger->work, work);
    cd_sum_add(&ledger->integrator, ledger->last_integrator);
    book_projection(ledger, report);
    ledger->kinetic = kinetic;
    ledger->potential = potential;
    ledger->power = power;
    return CARDAN_OK;
}

cardan_status cd_ledger_project(cardan_integrator *it, const cardan_projection_report *report)
{
    cd_ledger *ledger = &it->ledger;
    double kinetic, potential, power;
    if (!it->def.ledger)
        return CARDAN_OK;
    cardan_status status = measure(it, cd_integrator_now(it), &kinetic, &potential, &power);
    if (status != CARDAN_OK)
        return status;
    book_projection(ledger, report);
    ledger->kinetic = kinetic;
    ledger->potential = potential;
    ledger->power = power;
    return CARDAN_OK;
}

cardan_status cd_ledger_event(cardan_integrator *it)
{
    cd_ledger *ledger = &it->ledger;
    double kinetic, potential, power;
    if (!it->def.ledger)
        return CARDAN_OK;
    cardan_status status = measure(it, cd_integrator_now(it), &kinetic, &potential, &power);
    if (status != CARDAN_OK)
        return status;
    cd_sum_add(&ledger->event, (kinetic - ledger->kinetic) + (potential - ledger->potential));
    ledger->kinetic = kinetic;
    ledger->potential = potential;
    ledger->power = power;
    return CARDAN_OK;
}

cardan_ledger cardan_integrator_ledger(const cardan_integrator *integrator)
{
    if (integrator == NULL)
        return (cardan_ledger){0};
    const cd_ledger *ledger = &integrator->ledger;
    return (cardan_ledger){.kinetic = ledger->kinetic,
                           .potential = ledger->potential,
                           .change = ledger->kinetic + ledger->potential - ledger->first,
                           .work = cd_sum_total(ledger->work),
                           .integrator = cd_sum_total(ledger->integrator),
                           .projection = cd_sum_total(ledger->projection),
                           .event = cd_sum_total(ledger->event),
                           .projection_linear = cd_sum_total(ledger->projection_linear),
                           .projection_quadratic = cd_sum_total(ledger->projection_quadratic),
                           .last_integrator = ledger->last_integrator,
                           .last_projection = ledger->last_projection};
}

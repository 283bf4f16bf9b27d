/* The energy ledger: what changed kinetic + potential energy since the start (ENERGY). */
#ifndef CD_INTEGRATE_LEDGER_H
#define CD_INTEGRATE_LEDGER_H

#include <cardan/integrator.h>
#include <math.h>

/* A sum whose rounding errors are collected, so that 1e5 steps still add up to rounding. */
typedef struct cd_sum {
    double value, lost;
} cd_sum;

static inline void cd_sum_add(cd_sum *sum, double x)
{
    const double total = sum->value + x;
    sum->lost += fabs(sum->value) >= fabs(x) ? (sum->value - total) + x : (x - total) + sum->value;
    sum->value = total;
}

static inline double cd_sum_total(cd_sum sum)
{
    return sum.value + sum.lost;
}

typedef struct cd_ledger {
    double kinetic, potential; /* of the current state */
    double first;              /* their sum at the start */
    double power;              /* cd_system_power at the current state */
    cd_sum work, integrator, projection, projection_linear, projection_quadratic, event;
    double last_work, last_integrator, last_projection;
} cd_ledger;

/* Opens the ledger at the current state. */
cardan_status cd_ledger_start(cardan_integrator *it);
/* Books the step to `it->step.next`; `report` is of the projection that it includes. */
cardan_status cd_ledger_step(cardan_integrator *it, const cardan_projection_report *report);
/* Books a projection of the current state between steps. */
cardan_status cd_ledger_project(cardan_integrator *it, const cardan_projection_report *report);
/* Books what an event has done to the current state. */
cardan_status cd_ledger_event(cardan_integrator *it);

#endif

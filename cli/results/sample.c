/* Rows at equal times: when the next one is due, and its values. */
#include "sample.h"
#include "cli/setup/case.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ROWS 1e10
#define ROUNDING  1e-9 /* of a step or an interval: what counts as the same time */

/* How many rows lie before the end. */
static double count_inner(double begin, double end, double interval)
{
    return ceil((end - begin) / interval - ROUNDING);
}

bool cli_sampler_check(const char *command, double begin, double end, double interval)
{
    double rows = count_inner(begin, end, interval);
    if (rows <= MOST_ROWS)
        return true;
    cli_complain(command,
                 "--sample: from t = %g to %g every %g would make %.3g rows, more than 1e10; "
                 "choose a larger interval",
                 begin, end, interval, rows);
    return false;
}

cli_sampler *cli_sampler_create(cli_case *problem, cardan_integrator *integrator,
                                cli_multipliers kept, double begin, double end, double interval)
{
    const cardan_system *system = cli_case_system(problem);
    int size = cardan_group_size(cardan_system_describe(system).group);
    const cardan_state *state = cardan_integrator_state(integrator);
    const int constraints = state->lambda_count, nonholonomic = state->psi_count;
    int count = size + 2 * cardan_system_describe(system).dof + constraints + nonholonomic;
    cli_sampler *sampler = cli_allocate(1, sizeof *sampler);
    sampler->row = cli_record_create(problem, integrator, kept, 0, false);
    sampler->begin = begin;
    sampler->end = end;
    sampler->interval = interval;
    sampler->inner = (long long)fmax(0.0, count_inner(begin, end, interval));
    sampler->constraints = constraints;
    sampler->numbers = cli_allocate((size_t)count, sizeof *sampler->numbers);
    return sampler;
}

void cli_sampler_destroy(cli_sampler *sampler)
{
    if (sampler == NULL)
        return;
    cli_record_destroy(sampler->row);
    free(sampler->numbers);
    free(sampler);
}

/* Counted from the begin, so that rounding does not add up. */
static double next_time(const cli_sampler *sampler)
{
    return sampler->taken < sampler->inner
               ? sampler->begin + (double)sampler->taken * sampler->interval
               : sampler->end;
}

/* A row this near to the end of a step is that state, not one of the next step. */
static double slack(const cli_sampler *sampler)
{
    return ROUNDING * cardan_integrator_state(sampler->row->integrator)->h;
}

bool cli_sampler_due(const cli_sampler *sampler, double now)
{
    return sampler->taken <= sampler->inner && next_time(sampler) <= now + slack(sampler);
}

/* The equations that held at a time of the last step, and eta; before an event at the end of that
 * step they may be others than now. */
static const cardan_system *system_at(const cardan_integrator *integrator, double t,
                                      const double **eta)
{
    const cardan_event_record *last = cardan_integrator_last_event(integrator);
    const bool before = last != NULL && t < last->t;
    *eta = before ? last->eta : cardan_integrator_state(integrator)->eta;
    return before ? cardan_integrator_system(integrator, last->mode_before)
                  : cardan_integrator_system(integrator, CARDAN_EVENT_MODE_NOW);
}

cardan_status cli_sampler_take(cli_sampler *sampler)
{
    cardan_integrator *integrator = sampler->row->integrator;
    double t = next_time(sampler), now = cardan_integrator_state(integrator)->t;
    double midstep = t >= now - slack(sampler) || t == sampler->end ? now : t;
    const double *eta;
    const cardan_system *system = system_at(integrator, midstep, &eta);
    double *q = sampler->numbers;
    double *v = q + cardan_group_size(cardan_system_describe(system).group);
    double *vdot = v + cardan_system_describe(system).dof,
           *lambda = vdot + cardan_system_describe(system).dof;
    double *psi = lambda + sampler->constraints;
    const cardan_point at = {midstep, q, v, vdot, lambda, psi};
    cardan_status status =
        cardan_integrator_interpolate(integrator, midstep, q, v, vdot, lambda, psi);
    if (status == CARDAN_OK)
        status = cli_record_at(sampler->row, system, t, &at, eta, &sampler->error);
    else
        snprintf(sampler->error.text, sizeof sampler->error.text, "%s",
                 cardan_integrator_message(integrator));
    sampler->taken++;
    return status;
}

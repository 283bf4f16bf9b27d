/* The columns of a result row: names when asked for, values at every state. */
#include "record.h"
#include "cli/setup/case.h"
#include "cli/setup/options.h"

#include <cardan/rank.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The columns after t, outputs, eta and stages, in their order. */
enum { PHI, HIDDEN, KINETIC, POTENTIAL, ENERGY, WORK, INTEGRATOR, PROJECTION, EVENT, TAIL };
static const char *const tail_names[TAIL] = {
    "phi_max", "hidden_max", "kinetic", "potential", "energy", "work", "dE_i", "dE_p", "dE_e"};

/* Of a column after outputs and etas: a stage's time, its multipliers, or one of the tail. */
static void name_rest(const cli_record *record, int i, char *text, size_t size)
{
    const int width = 1 + record->stage_size, stage = i / width, row = i % width;
    if (stage >= record->stages)
        snprintf(text, size, "%s", tail_names[i - record->stages * width]);
    else if (row == 0)
        snprintf(text, size, "stage%d_t", stage + 1);
    else
        snprintf(text, size, "stage%d_%d", stage + 1, row);
}

static const char *name_output(cli_record *record, int i)
{
    const size_t needed =
        cli_case_write_output_name(record->problem, i, record->name, record->name_size) + 1;
    if (needed > record->name_size) {
        free(record->name);
        record->name_size = 2 * needed;
        record->name = cli_allocate(record->name_size, 1);
        cli_case_write_output_name(record->problem, i, record->name, record->name_size);
    }
    return record->name;
}

const char *cli_record_name(cli_record *record, int i)
{
    const int eta = i - 1 - record->outputs;
    if (i == 0)
        return "t";
    if (eta < 0)
        return name_output(record, i - 1);
    if (eta < record->etas)
        snprintf(record->name, record->name_size, "eta%d", eta + 1);
    else
        name_rest(record, eta - record->etas, record->name, record->name_size);
    return record->name;
}

char **cli_record_names(cli_record *record)
{
    char **names = cli_allocate((size_t)record->columns, sizeof *names);
    for (int i = 0; i < record->columns; i++)
        names[i] = cli_copy(cli_record_name(record, i));
    return names;
}

cli_record *cli_record_create(cli_case *problem, cardan_integrator *integrator,
                              cli_multipliers kept, int stages, bool with_energy_balance)
{
    cli_record *record = cli_allocate(1, sizeof *record);
    record->problem = problem;
    record->integrator = integrator;
    record->outputs = cli_case_outputs(problem);
    record->etas = kept.etas;
    record->stage_size = kept.of_stage;
    record->tail = !with_energy_balance ? WORK : cli_case_events(problem) != NULL ? TAIL : EVENT;
    record->stages = stages;
    record->columns = 1 + record->outputs + record->etas +
                      record->stages * (1 + record->stage_size) + record->tail;
    record->name_size = 64;
    record->name = cli_allocate(record->name_size, 1);
    record->values = cli_allocate((size_t)record->columns, sizeof *record->values);
    return record;
}

void cli_record_destroy(cli_record *record)
{
    if (record == NULL)
        return;
    free(record->name);
    free(record->values);
    free(record);
}

static double *tail_of(const cli_record *record)
{
    return record->values + record->columns - record->tail;
}

static void measure_energy_balance(const cli_record *record, double *tail)
{
    const cardan_energy_balance energy_balance =
        cardan_integrator_energy_balance(record->integrator);
    tail[WORK] = energy_balance.work;
    tail[INTEGRATOR] = energy_balance.integrator;
    tail[PROJECTION] = energy_balance.projection;
    if (record->tail > EVENT)
        tail[EVENT] = energy_balance.event;
}

cardan_status cli_record_measure(cli_record *record, double t)
{
    double *tail = tail_of(record);
    cardan_status status =
        cardan_integrator_residuals(record->integrator, &tail[PHI], &tail[HIDDEN]);
    if (status == CARDAN_OK)
        status = cardan_integrator_energy(record->integrator, &tail[KINETIC], &tail[POTENTIAL]);
    if (status != CARDAN_OK)
        return status;
    tail[ENERGY] = tail[KINETIC] + tail[POTENTIAL];
    if (record->tail > WORK)
        measure_energy_balance(record, tail);
    record->values[0] = t;
    if (!record->measured) {
        record->kinetic_first = tail[KINETIC];
        record->potential_first = tail[POTENTIAL];
        record->measured = 1;
    }
    double first = record->kinetic_first + record->potential_first;
    record->phi_largest = fmax(record->phi_largest, tail[PHI]);
    record->hidden_largest = fmax(record->hidden_largest, tail[HIDDEN]);
    record->energy_deviation = fmax(record->energy_deviation, fabs(tail[ENERGY] - first));
    return CARDAN_OK;
}

/* Whether there are others than there are columns for: those of constraints that were taken in on
 * the way. */
static bool has_others(const cli_record *record)
{
    const cardan_system *system =
        cardan_integrator_system(record->integrator, CARDAN_EVENT_MODE_NOW);
    const int m = cardan_system_describe(system).constraint_count,
              l = cardan_system_describe(system).nonholonomic_count;
    return cardan_integrator_statistics(record->integrator).reactivations > 0 &&
           ((record->etas > 0 && m != record->etas) || m + l != record->stage_size);
}

/* Before the first step there are none: not a number. */
static void fill_stages(cli_record *record, const cardan_state *state)
{
    const bool none =
        cardan_integrator_statistics(record->integrator).steps == 0 || has_others(record);
    const int size = record->stage_size;
    double *value = record->values + 1 + record->outputs + record->etas;
    for (int i = 0; i < record->stages; i++) {
        *value++ = none ? NAN : state->stage_time[i];
        for (int j = 0; j < size; j++)
            *value++ = none ? NAN : state->stage[i * size + j];
    }
}

static void fill(cli_record *record, const cardan_point *at, const double *eta)
{
    const cardan_state *state = cardan_integrator_state(record->integrator);
    cli_case_output(record->problem, at, record->values + 1);
    const bool known = record->etas > 0 && !has_others(record);
    for (int i = 0; i < record->etas; i++)
        record->values[1 + record->outputs + i] = known ? eta[i] : NAN;
    fill_stages(record, state);
}

cardan_point cli_record_point(const cli_record *record)
{
    const cardan_state *state = cardan_integrator_state(record->integrator);
    return (cardan_point){.t = state->t,
                          .q = state->q,
                          .v = state->v,
                          .vdot = state->vdot,
                          .lambda = state->lambda,
                          .psi = state->psi};
}

void cli_record_fill(cli_record *record)
{
    const cardan_point point = cli_record_point(record);
    fill(record, &point, cardan_integrator_state(record->integrator)->eta);
}

void cli_record_energy_balance_before(cli_record *record, double energy)
{
    double *tail = tail_of(record);
    if (record->tail <= EVENT)
        return;
    measure_energy_balance(record, tail);
    tail[EVENT] -= energy;
}

cardan_status cli_record_at(cli_record *record, const cardan_system *system, double t,
                            const cardan_point *at, const double *eta, cardan_error *error)
{
    cardan_residuals residuals;
    double *tail = tail_of(record);
    cardan_status status = cardan_system_residuals(system, at, &residuals, error);
    if (status == CARDAN_OK)
        status = cardan_system_energy(system, at, &tail[KINETIC], &tail[POTENTIAL], error);
    if (status != CARDAN_OK)
        return status;
    cardan_redundant_residuals redundant = {0};
    if (record->model != NULL)
        (void)cardan_model_redundant_residuals(record->model, at->t, at->q, at->v, &redundant);
    tail[PHI] = fmax(residuals.position, redundant.position);
    tail[HIDDEN] = fmax(residuals.velocity, redundant.velocity);
    tail[ENERGY] = tail[KINETIC] + tail[POTENTIAL];
    record->values[0] = t;
    fill(record, at, eta);
    return CARDAN_OK;
}

const double *cli_record_health(const cli_record *record)
{
    return tail_of(record);
}

double cli_record_kinetic(const cli_record *record)
{
    return tail_of(record)[KINETIC];
}

double cli_record_potential(const cli_record *record)
{
    return tail_of(record)[POTENTIAL];
}

double cli_record_energy(const cli_record *record)
{
    return tail_of(record)[ENERGY];
}

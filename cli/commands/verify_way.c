/* One way of making a run: through given times by dense output. */
#include "cli/setup/case.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A run while it goes on. */
typedef struct passage {
    cli_way *way;
    cardan_integrator *integrator;
    cardan_status status;
} passage;

static const cardan_system *base_system(const cli_way *way)
{
    return cli_case_system(way->problem);
}

/* Outputs of a model; of a built-in problem q, v, lambda and psi. */
static int count_columns(const cli_way *way)
{
    const cardan_system *system = base_system(way);
    if (way->setup.model_file != NULL)
        return cli_case_outputs(way->problem);
    return cardan_group_size(cardan_system_describe(system).group) +
           cardan_system_describe(system).dof + cardan_system_describe(system).constraint_count +
           cardan_system_describe(system).nonholonomic_count;
}

static void copy(double **to, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        *(*to)++ = from[i];
}

/* Multipliers that the system of the moment does not have are not compared. */
static void copy_or_nan(double **to, const double *from, int count, int wanted)
{
    for (int i = 0; i < wanted; i++)
        *(*to)++ = count == wanted ? from[i] : NAN;
}

static void fill_row(const cli_way *way, const cardan_system *now, const cardan_point *at,
                     double *row)
{
    const cardan_system *system = base_system(way);
    if (way->setup.model_file != NULL) {
        cli_case_output(way->problem, at, row);
        return;
    }
    copy(&row, at->q, cardan_group_size(cardan_system_describe(system).group));
    copy(&row, at->v, cardan_system_describe(system).dof);
    copy_or_nan(&row, at->lambda, cardan_system_describe(now).constraint_count,
                cardan_system_describe(system).constraint_count);
    copy_or_nan(&row, at->psi, cardan_system_describe(now).nonholonomic_count,
                cardan_system_describe(system).nonholonomic_count);
}

/* Room for a point of any mode of the system. */
static double *make_room(const cli_way *way)
{
    const cardan_system *system = base_system(way);
    const int dof = cardan_system_describe(system).dof;
    const int size = cardan_group_size(cardan_system_describe(system).group);
    return cli_allocate((size_t)(size + 4 * dof) + (size_t)dof, sizeof(double));
}

static void note_peaks(cli_way *way, const double *row)
{
    for (int i = 0; i < way->columns; i++)
        way->peaks[i] = fmax(way->peaks[i], fabs(row[i]));
}

/* Impacts may lie between the times: where multipliers have grown by a tenth, what they make of the
 * joint forces. */
static void note_load(cli_way *way, const cardan_integrator *integrator)
{
    const cardan_system *system = cardan_integrator_system(integrator, CARDAN_MODE_NOW);
    const cardan_state *now = cardan_integrator_state(integrator);
    double load = 0.0;
    for (int i = 0; i < cardan_system_describe(system).constraint_count; i++)
        load = fmax(load, fabs(now->lambda[i]));
    if (!(load > 1.1 * way->load))
        return;
    const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    way->load = load;
    fill_row(way, system, &at, way->row);
    note_peaks(way, way->row);
}

cardan_status cli_way_take(cli_way *way, cardan_integrator *integrator, double now)
{
    cardan_status status = CARDAN_OK;
    while (status == CARDAN_OK && way->rows < way->count && way->times[way->rows] <= now) {
        const cardan_system *system = cardan_integrator_system(integrator, CARDAN_MODE_NOW);
        const int dof = cardan_system_describe(system).dof;
        double *q = way->numbers, *v = q + cardan_group_size(cardan_system_describe(system).group);
        double *vdot = v + dof, *lambda = vdot + dof;
        double *psi = lambda + cardan_system_describe(system).constraint_count;
        const double t = fmin(way->times[way->rows], cardan_integrator_state(integrator)->t);
        status = cardan_integrator_interpolate(integrator, t, q, v, vdot, lambda, psi);
        const cardan_point at = {t, q, v, vdot, lambda, psi};
        if (status != CARDAN_OK)
            return status;
        double *row = way->values + (size_t)way->rows++ * (size_t)way->columns;
        fill_row(way, system, &at, row);
        note_peaks(way, row);
    }
    note_load(way, integrator);
    return status;
}

static bool visit(void *context, long long n, double t)
{
    passage *p = context;
    cli_way *way = p->way;
    p->status = cli_way_take(way, p->integrator, t);
    if (p->status != CARDAN_OK)
        return false;
    if (way->most_steps == 0 || n < way->most_steps)
        return true;
    snprintf(way->failure, sizeof way->failure, "abandoned after %lld steps, at t = %g", n, t);
    return false;
}

static void keep_failure(cli_way *way, const cardan_integrator *integrator, cardan_status status)
{
    const char *reason =
        status == CARDAN_EVENT ? "an event ends the run" : cli_reason(integrator, status);
    snprintf(way->failure, sizeof way->failure, "stops at t = %.10g: %.1000s", way->reached,
             reason);
}

static void march(cli_way *way, passage *p)
{
    cli_progress progress = cli_progress_begin(way->setup.quiet);
    cardan_status status = cli_case_start(way->problem, p->integrator);
    way->reached = way->plan.begin;
    if (status == CARDAN_OK) {
        status = cli_march(p->integrator, &way->plan, &progress, visit, p);
        way->reached = cardan_integrator_state(p->integrator)->t;
        way->statistics = cardan_integrator_statistics(p->integrator);
        cli_case_health(way->problem, p->integrator, &way->health);
    }
    if (status == CARDAN_OK)
        status = p->status;
    if (status != CARDAN_OK)
        keep_failure(way, p->integrator, status);
    cli_progress_end(&progress);
}

void cli_way_open(cli_way *way, const double *times, int count)
{
    way->times = times;
    way->count = count;
    way->columns = count_columns(way);
    way->values = cli_allocate((size_t)way->columns * (size_t)count, sizeof *way->values);
    way->numbers = make_room(way);
    way->peaks = cli_allocate((size_t)way->columns, sizeof *way->peaks);
    way->row = cli_allocate((size_t)way->columns, sizeof *way->row);
}

int cli_way_run(cli_way *way, const double *times, int count)
{
    passage p = {.way = way};
    way->setup.health = true;
    int code = cli_setup_integrator(&way->setup, way->problem, way->plan.step, &p.integrator);
    if (code != CLI_DONE)
        return code;
    cli_way_open(way, times, count);
    march(way, &p);
    cardan_integrator_destroy(p.integrator);
    return CLI_DONE;
}

bool cli_way_plan(cli_way *way, double step, bool adaptive)
{
    cli_setup *setup = &way->setup;
    const double h = step > 0.0 ? step : cli_case_step(way->problem);
    if (!cli_plan_make(setup->command, cli_case_begin(way->problem), setup->end, h,
                       cli_case_events(way->problem) != NULL, &way->plan) ||
        !cli_projection_plan(&setup->projection, setup->command, &way->plan))
        return false;
    setup->tolerance.adaptive = way->plan.adaptive = adaptive;
    cli_tolerance_complete(&setup->tolerance);
    return true;
}

bool cli_verify_apply(cli_verification *v, cli_setup *first, int code, const char *value)
{
    v->given = cli_reallocate(v->given, (size_t)v->given_count + 1, sizeof *v->given);
    v->given[v->given_count++] = (cli_verify_option){code, value};
    return cli_setup_apply(first, code, value);
}

double *cli_verify_times(double begin, double end, int count)
{
    double *times = cli_allocate((size_t)count, sizeof *times);
    for (int i = 0; i < count - 1; i++)
        times[i] = begin + (end - begin) * (i + 0.381966) / (count - 1);
    times[count - 1] = end;
    return times;
}

void cli_way_close(cli_way *way)
{
    free(way->values);
    free(way->numbers);
    free(way->peaks);
    free(way->row);
}

void cli_way_free(cli_way *way)
{
    cli_way_close(way);
    cli_case_destroy(way->problem);
    cli_setup_free(&way->setup);
    *way = (cli_way){0};
}

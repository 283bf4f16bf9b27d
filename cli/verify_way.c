/* One way of making a run for `cardan verify`: through given times by dense output. */
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A run while it goes on. */
typedef struct passage {
    cli_way *way;
    cardan_integrator *integrator;
    const double *times;
    int count;
    double *numbers; /* q, v, v', lambda, psi */
    cardan_status status;
} passage;

static const cardan_system *base_system(const cli_way *way)
{
    return cardan_problem_system(way->problem);
}

/* Outputs of a model; of a built-in problem q, v, lambda and psi. */
static int count_columns(const cli_way *way)
{
    const cardan_system *system = base_system(way);
    if (way->setup.model_file != NULL)
        return cardan_problem_outputs(way->problem);
    return cardan_group_size(cardan_system_group(system)) + cardan_system_dof(system) +
           cardan_system_constraints(system) + cardan_system_nonholonomic(system);
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
        cardan_problem_output(way->problem, at, row);
        return;
    }
    copy(&row, at->q, cardan_group_size(cardan_system_group(system)));
    copy(&row, at->v, cardan_system_dof(system));
    copy_or_nan(&row, at->lambda, cardan_system_constraints(now),
                cardan_system_constraints(system));
    copy_or_nan(&row, at->psi, cardan_system_nonholonomic(now), cardan_system_nonholonomic(system));
}

/* Room for a point of any mode of the system. */
static double *make_room(const cli_way *way)
{
    const cardan_system *system = base_system(way);
    const int dof = cardan_system_dof(system);
    const int size = cardan_group_size(cardan_system_group(system));
    return cli_allocate((size_t)(size + 4 * dof) + (size_t)dof, sizeof(double));
}

static bool take_rows(passage *p, double now)
{
    cli_way *way = p->way;
    while (p->status == CARDAN_OK && way->rows < p->count && p->times[way->rows] <= now) {
        const cardan_system *system = cardan_integrator_system(p->integrator);
        const int dof = cardan_system_dof(system);
        double *q = p->numbers, *v = q + cardan_group_size(cardan_system_group(system));
        double *vdot = v + dof, *lambda = vdot + dof;
        double *psi = lambda + cardan_system_constraints(system);
        const double t = fmin(p->times[way->rows], cardan_integrator_state(p->integrator)->t);
        p->status = cardan_integrator_interpolate(p->integrator, t, q, v, vdot, lambda, psi);
        const cardan_point at = {t, q, v, vdot, lambda, psi};
        if (p->status == CARDAN_OK)
            fill_row(way, system, &at, way->values + (size_t)way->rows++ * (size_t)way->columns);
    }
    return p->status == CARDAN_OK;
}

static bool visit(void *context, long long n, double t)
{
    passage *p = context;
    cli_way *way = p->way;
    if (!take_rows(p, t))
        return false;
    if (way->most_steps == 0 || n < way->most_steps)
        return true;
    snprintf(way->failure, sizeof way->failure, "given up after %lld steps, at t = %g", n, t);
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
    cardan_status status = cli_setup_start(way->problem, p->integrator);
    way->reached = way->plan.begin;
    if (status == CARDAN_OK) {
        status = cli_march(p->integrator, &way->plan, &progress, visit, p);
        way->reached = cardan_integrator_state(p->integrator)->t;
        way->statistics = cardan_integrator_statistics(p->integrator);
        cardan_problem_health(way->problem, p->integrator, &way->health);
    }
    if (status == CARDAN_OK)
        status = p->status;
    if (status != CARDAN_OK)
        keep_failure(way, p->integrator, status);
    cli_progress_end(&progress);
}

int cli_way_run(cli_way *way, const double *times, int count)
{
    passage p = {.way = way, .times = times, .count = count};
    way->setup.health = true;
    int code = cli_setup_integrator(&way->setup, way->problem, way->plan.step, &p.integrator);
    if (code != CLI_DONE)
        return code;
    way->columns = count_columns(way);
    way->values = cli_allocate((size_t)way->columns * (size_t)count, sizeof *way->values);
    p.numbers = make_room(way);
    march(way, &p);
    free(p.numbers);
    cardan_integrator_destroy(p.integrator);
    return CLI_DONE;
}

void cli_way_free(cli_way *way)
{
    free(way->values);
    cardan_problem_destroy(way->problem);
    cli_setup_free(&way->setup);
    *way = (cli_way){0};
}

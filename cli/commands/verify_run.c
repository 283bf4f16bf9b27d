/* One way of making a run: through given times by dense output. */
#include "cli/setup/case.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A run while it goes on. */
typedef struct passage {
    cli_verify_run *run;
    cardan_integrator *integrator;
    cardan_status status;
} passage;

static const cardan_system *base_system(const cli_verify_run *run)
{
    return cli_case_system(run->problem);
}

/* Outputs of a model; of a built-in problem q, v, lambda and psi. */
static int count_columns(const cli_verify_run *run)
{
    const cardan_system *system = base_system(run);
    if (run->setup.model_file != NULL)
        return cli_case_outputs(run->problem);
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

static void fill_row(const cli_verify_run *run, const cardan_system *now, const cardan_point *at,
                     double *row)
{
    const cardan_system *system = base_system(run);
    if (run->setup.model_file != NULL) {
        cli_case_output(run->problem, at, row);
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
static double *make_room(const cli_verify_run *run)
{
    const cardan_system *system = base_system(run);
    const int dof = cardan_system_describe(system).dof;
    const int size = cardan_group_size(cardan_system_describe(system).group);
    return cli_allocate((size_t)(size + 4 * dof) + (size_t)dof, sizeof(double));
}

static void note_peaks(cli_verify_run *run, const double *row)
{
    for (int i = 0; i < run->columns; i++)
        run->peaks[i] = fmax(run->peaks[i], fabs(row[i]));
}

/* Impacts may lie between the times: where multipliers have grown by a tenth, what they make of the
 * joint forces. */
static void note_load(cli_verify_run *run, const cardan_integrator *integrator)
{
    const cardan_system *system = cardan_integrator_system(integrator, CARDAN_EVENT_MODE_NOW);
    const cardan_state *now = cardan_integrator_state(integrator);
    double load = 0.0;
    for (int i = 0; i < cardan_system_describe(system).constraint_count; i++)
        load = fmax(load, fabs(now->lambda[i]));
    if (!(load > 1.1 * run->load))
        return;
    const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    run->load = load;
    fill_row(run, system, &at, run->row);
    note_peaks(run, run->row);
}

cardan_status cli_verify_run_take(cli_verify_run *run, cardan_integrator *integrator, double now)
{
    cardan_status status = CARDAN_OK;
    while (status == CARDAN_OK && run->rows < run->count && run->times[run->rows] <= now) {
        const cardan_system *system = cardan_integrator_system(integrator, CARDAN_EVENT_MODE_NOW);
        const int dof = cardan_system_describe(system).dof;
        double *q = run->numbers, *v = q + cardan_group_size(cardan_system_describe(system).group);
        double *vdot = v + dof, *lambda = vdot + dof;
        double *psi = lambda + cardan_system_describe(system).constraint_count;
        const double t = fmin(run->times[run->rows], cardan_integrator_state(integrator)->t);
        status = cardan_integrator_interpolate(integrator, t, q, v, vdot, lambda, psi);
        const cardan_point at = {t, q, v, vdot, lambda, psi};
        if (status != CARDAN_OK)
            return status;
        double *row = run->values + (size_t)run->rows++ * (size_t)run->columns;
        fill_row(run, system, &at, row);
        note_peaks(run, row);
    }
    note_load(run, integrator);
    return status;
}

static bool visit(void *context, long long n, double t)
{
    passage *p = context;
    cli_verify_run *run = p->run;
    p->status = cli_verify_run_take(run, p->integrator, t);
    if (p->status != CARDAN_OK)
        return false;
    if (run->most_steps == 0 || n < run->most_steps)
        return true;
    snprintf(run->failure, sizeof run->failure, "abandoned after %lld steps, at t = %g", n, t);
    return false;
}

static void keep_failure(cli_verify_run *run, const cardan_integrator *integrator,
                         cardan_status status)
{
    const char *reason =
        status == CARDAN_EVENT ? "an event ends the run" : cli_reason(integrator, status);
    snprintf(run->failure, sizeof run->failure, "stops at t = %.10g: %.1000s", run->reached,
             reason);
}

static void march(cli_verify_run *run, passage *p)
{
    cli_progress progress = cli_progress_begin(run->setup.quiet);
    cardan_status status = cli_case_start(run->problem, p->integrator);
    run->reached = run->plan.begin;
    if (status == CARDAN_OK) {
        status = cli_march(p->integrator, &run->plan, &progress, visit, p);
        run->reached = cardan_integrator_state(p->integrator)->t;
        run->statistics = cardan_integrator_statistics(p->integrator);
        cli_case_health(run->problem, p->integrator, &run->health);
    }
    if (status == CARDAN_OK)
        status = p->status;
    if (status != CARDAN_OK)
        keep_failure(run, p->integrator, status);
    cli_progress_end(&progress);
}

void cli_verify_run_open(cli_verify_run *run, const double *times, int count)
{
    run->times = times;
    run->count = count;
    run->columns = count_columns(run);
    run->values = cli_allocate((size_t)run->columns * (size_t)count, sizeof *run->values);
    run->numbers = make_room(run);
    run->peaks = cli_allocate((size_t)run->columns, sizeof *run->peaks);
    run->row = cli_allocate((size_t)run->columns, sizeof *run->row);
}

int cli_verify_run_start(cli_verify_run *run, const double *times, int count)
{
    passage p = {.run = run};
    run->setup.health = true;
    int code = cli_setup_integrator(&run->setup, run->problem, run->plan.step, &p.integrator);
    if (code != CLI_DONE)
        return code;
    cli_verify_run_open(run, times, count);
    march(run, &p);
    cardan_integrator_destroy(p.integrator);
    return CLI_DONE;
}

bool cli_verify_run_plan(cli_verify_run *run, double step, bool adaptive)
{
    cli_setup *setup = &run->setup;
    const double h = step > 0.0 ? step : cli_case_step(run->problem);
    if (!cli_plan_make(setup->command, cli_case_begin(run->problem), setup->end, h,
                       cli_case_events(run->problem) != NULL, &run->plan) ||
        !cli_projection_plan(&setup->projection, setup->command, &run->plan))
        return false;
    setup->tolerance.adaptive = run->plan.adaptive = adaptive;
    if (!adaptive)
        cli_setup_fix_steps(setup);
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

void cli_verify_run_close(cli_verify_run *run)
{
    free(run->values);
    free(run->numbers);
    free(run->peaks);
    free(run->row);
}

void cli_verify_run_free(cli_verify_run *run)
{
    cli_verify_run_close(run);
    cli_case_destroy(run->problem);
    cli_setup_free(&run->setup);
    *run = (cli_verify_run){0};
}

/* See cost.h. */
#include "cost.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static bool fail(bench_cost *cost, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cost->failure, sizeof cost->failure, format, arguments);
    va_end(arguments);
    return false;
}

/* A line of /proc/self/status in bytes; 0 where there is none. */
static double memory_now(const char *what)
{
    char line[200];
    double kilobytes = 0.0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, what, strlen(what)) == 0)
            kilobytes = strtod(line + strlen(what) + 1, NULL);
    if (status != NULL)
        fclose(status);
    return 1024.0 * kilobytes;
}

static cardan_integrator_def definition(const bench_task *task, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    const cardan_tolerance tolerance = {task->solver.newton, task->solver.newton};
    def.method = task->solver.method;
    def.update = task->solver.update;
    def.step = step;
    def.experimental.full_newton = task->solver.full;
    def.newton.position = def.newton.velocity = def.newton.multiplier = tolerance;
    def.threads = 1;
    return def;
}

static bool take(cardan_integrator *it, int steps, bench_cost *cost)
{
    for (int i = 0; i < steps; i++)
        if (cardan_integrator_step(it) != CARDAN_OK)
            return fail(cost, "%.300s", cardan_integrator_message(it));
    return true;
}

static bool begin(cardan_integrator *it, const bench_subject *subject, bench_cost *cost)
{
    return cardan_integrator_start(it, subject->begin, subject->q, subject->v) == CARDAN_OK ||
           fail(cost, "%.300s", cardan_integrator_message(it));
}

/* The first steps are taken before the clock starts: these find the pivots. */
static bool time_once(cardan_integrator *it, const bench_task *task, bench_cost *cost)
{
    if (!take(it, task->warm - 1, cost))
        return false;
    const cardan_statistics before = cardan_integrator_statistics(it);
    const double began = bench_seconds();
    if (!take(it, task->steps, cost))
        return false;
    const double seconds = bench_seconds() - began, steps = task->steps;
    const cardan_statistics after = cardan_integrator_statistics(it);
    cost->seconds = fmin(cost->seconds, seconds / steps);
    cost->iterations = (double)(after.iterations - before.iterations) / steps;
    cost->factorizations = (double)(after.factorizations - before.factorizations) / steps;
    return true;
}

static bool time_steps(cardan_integrator *it, const bench_subject *subject, const bench_task *task,
                       double least, bench_cost *cost)
{
    double last = bench_seconds();
    const double began = last;
    cost->seconds = INFINITY;
    do {
        if (!begin(it, subject, cost))
            return false;
        if (cost->start == 0.0) {
            cost->start = bench_seconds() - last;
            last = bench_seconds();
        }
        if (!take(it, 1, cost))
            return false;
        if (cost->first_step == 0.0)
            cost->first_step = bench_seconds() - last;
        if (!time_once(it, task, cost))
            return false;
    } while (bench_seconds() - began < least);
    return true;
}

/* Runs to the same time in steps of half the size, with as many threads as there are by default;
 * the final configuration to q. */
static bool run_halves(const bench_subject *subject, const bench_task *task, double *q,
                       bench_cost *cost)
{
    cardan_integrator_def def = definition(task, 0.5 * task->step);
    const int size = cardan_group_size(cardan_system_describe(subject->system).group);
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    def.threads = 0;
    if (cardan_integrator_create(&it, subject->system, &def, &error) != CARDAN_OK)
        return fail(cost, "%.300s", error.text);
    const bool done = begin(it, subject, cost) && take(it, 2 * (task->warm + task->steps), cost);
    if (done)
        memcpy(q, cardan_integrator_state(it)->q, (size_t)size * sizeof *q);
    cardan_integrator_destroy(it);
    return done;
}

/* Second order: the error is 4/3 of the difference to a run with half the step. `room`: two
 * configurations, the first that of the run, and two velocities. */
static bool estimate_error(const bench_subject *subject, const bench_task *task, double *room,
                           bench_cost *cost)
{
    const cardan_group *group = cardan_system_describe(subject->system).group;
    const int size = cardan_group_size(group), k = cardan_group_dof(group);
    double *halves = room + size, *apart = halves + size, *moved = apart + k;
    double error = 0.0, change = 0.0;
    if (!run_halves(subject, task, halves, cost))
        return false;
    cardan_group_difference(group, room, halves, apart);
    cardan_group_difference(group, subject->q, halves, moved);
    for (int i = 0; i < k; i++) {
        error = fmax(error, fabs(apart[i]));
        change = fmax(change, fabs(moved[i]));
    }
    cost->error = change > 0.0 ? 4.0 / 3.0 * error / change : NAN;
    return true;
}

static void take_shares(const cardan_integrator *it, bench_cost *cost)
{
    const cardan_timing t = cardan_integrator_statistics(it).time;
    const double sum = t.evaluation + t.assembly + t.factorization + t.solve + t.other;
    cost->evaluation = t.evaluation / sum;
    cost->assembly = t.assembly / sum;
    cost->factorization = t.factorization / sum;
    cost->solve = t.solve / sum;
    cost->other = t.other / sum;
}

/* Shares of the time of a small model, in a run of its own: the clock would show in its time. */
static bool profile(const bench_subject *subject, const bench_task *task, bench_cost *cost)
{
    cardan_integrator_def def = definition(task, task->step);
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    def.timing = true;
    if (cardan_integrator_create(&it, subject->system, &def, &error) != CARDAN_OK)
        return fail(cost, "%.300s", error.text);
    const bool done = begin(it, subject, cost) && take(it, task->warm + task->steps, cost);
    take_shares(it, cost);
    cardan_integrator_destroy(it);
    return done;
}

/* Times the run; its final configuration to q. */
static bool time_run(const bench_task *task, const bench_subject *subject, double least,
                     double base, double *q, bench_cost *cost)
{
    const int size = cardan_group_size(cardan_system_describe(subject->system).group);
    const bool large = subject->bodies >= 1000;
    cardan_integrator_def def = definition(task, task->step);
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    const double began = bench_seconds();
    def.timing = large;
    if (cardan_integrator_create(&it, subject->system, &def, &error) != CARDAN_OK)
        return fail(cost, "%.300s", error.text);
    cost->create = bench_seconds() - began;
    const bool done = time_steps(it, subject, task, least, cost);
    cost->resident = memory_now("VmRSS:") - base;
    cost->peak = memory_now("VmHWM:") - base;
    take_shares(it, cost);
    memcpy(q, cardan_integrator_state(it)->q, (size_t)size * sizeof *q);
    cardan_integrator_destroy(it);
    return done && (large || profile(subject, task, cost));
}

/* Seconds on the clock. */
static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same steps by as many threads as the library chooses, if these are several. */
static bool time_threads(const bench_task *task, const bench_subject *subject, double least,
                         bench_cost *cost)
{
    cardan_integrator_def def = definition(task, task->step);
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    bool done = true;
    def.threads = 0;
    if (cardan_integrator_create(&it, subject->system, &def, &error) != CARDAN_OK)
        return fail(cost, "%.300s", error.text);
    cost->threads = (int)cardan_integrator_statistics(it).threads;
    const double first = clock_seconds();
    for (bool more = cost->threads > 1; more && done; more = clock_seconds() - first < least) {
        done = begin(it, subject, cost) && take(it, task->warm, cost);
        const double began = clock_seconds();
        done = done && take(it, task->steps, cost);
        cost->wall = fmin((clock_seconds() - began) / task->steps,
                          isnan(cost->wall) ? INFINITY : cost->wall);
    }
    cardan_integrator_destroy(it);
    return done;
}

static bool measure_subject(const bench_task *task, const bench_subject *subject, double least,
                            double base, bench_cost *cost)
{
    const cardan_group *group = cardan_system_describe(subject->system).group;
    const size_t size = (size_t)cardan_group_size(group), k = (size_t)cardan_group_dof(group);
    double *room = calloc(2 * size + 2 * k, sizeof *room);
    if (room == NULL)
        return fail(cost, "out of memory");
    const bool done = time_run(task, subject, least, base, room, cost) &&
                      time_threads(task, subject, least, cost) &&
                      estimate_error(subject, task, room, cost);
    free(room);
    return done;
}

static void measure_here(const bench_task *task, double least, bench_cost *cost)
{
    const double base = memory_now("VmRSS:");
    cardan_error error = {0};
    bench_subject *subject = bench_subject_create(&task->model, &error);
    if (subject == NULL) {
        fail(cost, "%.300s", error.text);
        return;
    }
    cost->bodies = subject->bodies;
    cost->joints = subject->joints;
    cost->read = subject->read;
    cost->build = subject->build;
    cost->assemble = subject->assemble;
    measure_subject(task, subject, least, base, cost);
    bench_subject_destroy(subject);
}

void bench_cost_measure(const bench_task *task, double least, bench_cost *cost)
{
    int ends[2];
    *cost = (bench_cost){.wall = NAN};
    fflush(NULL);
    if (pipe(ends) != 0) {
        fail(cost, "no pipe: %s", strerror(errno));
        return;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        measure_here(task, least, cost);
        const bool written = write(ends[1], cost, sizeof *cost) == (ssize_t)sizeof *cost;
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0)
        fail(cost, "no process: %s", strerror(errno));
    else if (read(ends[0], cost, sizeof *cost) != (ssize_t)sizeof *cost)
        fail(cost, "the process that measured it ended early");
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
}

double bench_growth(const bench_cost *small, const bench_cost *large)
{
    return log(large->seconds / small->seconds) / log((double)large->bodies / small->bodies);
}

/* What a step costs: built-in problems with every method that suits them, one core. Times are
 * processor times, the shortest of several repetitions; errors and counts come from the same
 * settings. usage: cardan_bench */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* How long a run is repeated: long enough for a processor to leave its sleep. */
static const double repeat_for = 0.3;

typedef struct task {
    const char *problem;
    double step;
    int steps;
} task;

static const task tasks[] = {
    {"heavy_top", 1e-3, 1000},
    {"heavy_top_spatial", 1e-3, 1000},
    {"heavy_top_se3", 1e-3, 1000},
    {"heavy_top_quat", 1e-3, 1000},
    {"pendulum", 1e-2, 200},
    {"double_pendulum", 1e-3, 1000},
    {"spherical_pendulum", 1e-3, 1000},
    {"slider_crank", 1e-2, 1000},
};

/* One task with one method: the objects, and room for a point of the reference. */
typedef struct bench {
    cardan_problem *problem;
    cardan_integrator *integrator;
    int m;
    double *q, *v, *lambda;
} bench;

static void need(cardan_status status, const char *message)
{
    if (status == CARDAN_OK)
        return;
    fprintf(stderr, "cardan_bench: %s\n", message);
    exit(EXIT_FAILURE);
}

static double *numbers(int count)
{
    double *memory = calloc((size_t)count, sizeof *memory);
    need(memory != NULL ? CARDAN_OK : CARDAN_OUT_OF_MEMORY, "out of memory");
    return memory;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Leaves the integrator NULL if the method is not for such problems. */
static bench make(const task *what, const char *method)
{
    cardan_error error;
    bench b = {0};
    need(cardan_problem_create(&b.problem, what->problem, NULL, 0, &error), error.text);
    const cardan_system *system = cardan_problem_system(b.problem);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = what->step;
    cardan_status status = cardan_integrator_create(&b.integrator, system, &def, &error);
    if (status == CARDAN_BAD_PARAMETERS) { /* the methods of the HHT family */
        def.params = cardan_params_hht(-0.1);
        status = cardan_integrator_create(&b.integrator, system, &def, &error);
    }
    if (status != CARDAN_UNSUPPORTED)
        need(status, error.text);
    b.m = cardan_system_constraints(system);
    b.q = numbers(cardan_group_size(cardan_system_group(system)));
    b.v = numbers(cardan_system_dof(system));
    b.lambda = numbers(b.m);
    return b;
}

static void release(bench *b)
{
    free(b->q);
    free(b->v);
    free(b->lambda);
    cardan_integrator_destroy(b->integrator);
    cardan_problem_destroy(b->problem);
}

static void start(bench *b)
{
    cardan_problem_initial(b->problem, b->q, b->v);
    need(cardan_integrator_start(b->integrator, cardan_problem_begin(b->problem), b->q, b->v),
         cardan_integrator_message(b->integrator));
}

static void step(bench *b)
{
    const cardan_status status = cardan_integrator_step(b->integrator);
    need(status, cardan_integrator_message(b->integrator));
}

static double shortest_time(bench *b, int steps)
{
    const double first = now();
    double shortest = INFINITY;
    while (now() - first < repeat_for) {
        start(b);
        const double begin = now();
        for (int n = 0; n < steps; n++)
            step(b);
        shortest = fmin(shortest, now() - begin);
    }
    return shortest;
}

/* NaN if the method does not get through: the trapezoidal rule, unstable with constraints. */
static double largest_error(bench *b, int steps)
{
    const cardan_state *state = cardan_integrator_state(b->integrator);
    double largest = 0.0;
    cardan_error error;
    start(b);
    for (int n = 0; n < steps; n++) {
        if (cardan_integrator_step(b->integrator) != CARDAN_OK)
            return NAN;
        need(cardan_problem_reference(b->problem, state->t, NULL, NULL, NULL, b->lambda, NULL,
                                      &error),
             error.text);
        for (int i = 0; i < b->m; i++)
            largest = fmax(largest, fabs(state->lambda[i] - b->lambda[i]));
    }
    return largest;
}

/* Prints one line; nothing if the method does not suit the problem. */
static void report(const task *what, const char *method)
{
    bench b = make(what, method);
    const double n = (double)what->steps;
    const double error = b.integrator != NULL ? largest_error(&b, what->steps) : NAN;
    if (!isnan(error)) {
        const cardan_statistics work = cardan_integrator_statistics(b.integrator);
        const double seconds = shortest_time(&b, what->steps);
        printf("%-18s %-12s %6g %7d %8.2f %8.2f %10.2f %10.2f %12.3g\n", what->problem, method,
               what->step, what->steps, 1e3 * seconds, 1e6 * seconds / n,
               (double)work.iterations / n, (double)work.factorizations / n, error);
    }
    release(&b);
}

int main(void)
{
    printf("cardan %s: default settings, one core, shortest time of runs repeated for %g s\n\n",
           CARDAN_VERSION, repeat_for);
    printf("%-18s %-12s %6s %7s %8s %8s %10s %10s %12s\n", "problem", "method", "h", "steps", "ms",
           "us/step", "iter/step", "fact/step", "lambda error");
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        for (int j = 0; j < cardan_method_count(); j++)
            report(&tasks[i], cardan_method_name(j));
    return 0;
}

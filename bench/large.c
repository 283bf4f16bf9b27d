/* What it costs to get a large model file going: read, build, assemble, create, start, first step.
 * Processor times and memory. usage: cardan_bench_large FILE [METHOD] */
#include <cardan/cardan.h>
#include <cardan/model_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ends the program after a failure; else prints the time since the last call. */
static void tell(const char *what, cardan_status status, const char *message, double *last)
{
    if (status != CARDAN_OK) {
        fprintf(stderr, "cardan_bench_large: %s: %s\n", what, message);
        exit(EXIT_FAILURE);
    }
    printf("  %-12s %7.3f s\n", what, now() - *last);
    *last = now();
}

int main(int argc, char **argv)
{
    cardan_model_file *file = NULL;
    cardan_integrator *it = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error = {0};
    struct rusage usage;
    if (argc < 2 || argc > 3) {
        fputs("usage: cardan_bench_large FILE [METHOD]\n", stderr);
        return 2;
    }
    const double begin = now();
    double last = begin;
    tell("read", cardan_model_file_read(&file, argv[1], NULL, 0, &error), error.text, &last);
    cardan_model *model = cardan_model_file_model(file);
    const cardan_status built = cardan_model_build(model);
    tell("build", built, cardan_model_message(model), &last);
    const cardan_system *system = cardan_model_system(model);
    double *q = calloc((size_t)cardan_group_size(cardan_system_group(system)), sizeof *q);
    double *v = calloc((size_t)cardan_system_dof(system), sizeof *v);
    if (q == NULL || v == NULL)
        return EXIT_FAILURE;
    cardan_model_initial(model, q, v);
    tell("assemble", cardan_model_assemble(model, 0.0, q, v, NULL, &error), error.text, &last);
    def.method = argc > 2 ? argv[2] : def.method;
    def.step = 1e-3;
    tell("create", cardan_integrator_create(&it, system, &def, &error), error.text, &last);
    const cardan_status started = cardan_integrator_start(it, 0.0, q, v);
    tell("start", started, cardan_integrator_message(it), &last);
    const cardan_status stepped = cardan_integrator_step(it);
    tell("first step", stepped, cardan_integrator_message(it), &last);
    getrusage(RUSAGE_SELF, &usage);
    printf("  %-12s %7.3f s, %ld MB: %d bodies, %d joints, %s\n", "all", now() - begin,
           usage.ru_maxrss / 1024, cardan_model_bodies(model), cardan_model_joints(model),
           def.method);
    cardan_integrator_destroy(it);
    cardan_model_file_destroy(file);
    free(q);
    free(v);
    return EXIT_SUCCESS;
}

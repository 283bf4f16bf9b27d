/* Lets any test program be repeated with threads, and its results compared bit for bit: the linker
 * puts these functions between the tests and the library (tests/CMakeLists.txt, same_bits.sh).
 *
 * CARDAN_TEST_THREADS=N: integrators that leave the number of threads open have N.
 * CARDAN_TEST_DIGEST=FILE: the checksum of the checkpoint of every integrator that is destroyed,
 * and its sentence, are added to this file. */
#include <cardan/checkpoint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

cardan_status __real_cardan_integrator_create(cardan_integrator **integrator,
                                              const cardan_system *system,
                                              const cardan_integrator_def *def,
                                              cardan_error *error);
cardan_status __wrap_cardan_integrator_create(cardan_integrator **integrator,
                                              const cardan_system *system,
                                              const cardan_integrator_def *def,
                                              cardan_error *error);
void __real_cardan_integrator_destroy(cardan_integrator *integrator);
void __wrap_cardan_integrator_destroy(cardan_integrator *integrator);

cardan_status __wrap_cardan_integrator_create(cardan_integrator **integrator,
                                              const cardan_system *system,
                                              const cardan_integrator_def *def, cardan_error *error)
{
    const char *threads = getenv("CARDAN_TEST_THREADS");
    cardan_integrator_def own;
    if (threads != NULL && def != NULL && def->threads == 0) {
        own = *def;
        own.threads = atoi(threads);
        def = &own;
    }
    return __real_cardan_integrator_create(integrator, system, def, error);
}

static void note(FILE *out, cardan_integrator *integrator)
{
    const size_t size = cardan_checkpoint_size(integrator);
    unsigned char *bytes = calloc(1, size);
    fprintf(out, "%s ", cardan_integrator_message(integrator));
    if (bytes != NULL && cardan_checkpoint_save(integrator, bytes, size) == CARDAN_OK)
        fprintf(out, "%zu %016" PRIx64, size, cardan_checkpoint_checksum(0, bytes, size));
    fprintf(out, "\n");
    free(bytes);
}

void __wrap_cardan_integrator_destroy(cardan_integrator *integrator)
{
    const char *path = getenv("CARDAN_TEST_DIGEST");
    FILE *out = path != NULL && integrator != NULL ? fopen(path, "a") : NULL;
    if (out != NULL) {
        note(out, integrator);
        fclose(out);
    }
    __real_cardan_integrator_destroy(integrator);
}

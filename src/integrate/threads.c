/* Threads pay for systems above a size that has been measured: docs/performance.md, Two cores. */
#include "threads.h"

#include "base/error.h"

/* k + m + l; and for levels, which wait for each other once in a step only */
enum { LEAST_UNKNOWNS = 5000, LEAST_FOR_LEVELS = 500 };

cardan_status cd_threads_check(const cardan_integrator_def *def, cardan_error *error)
{
    if (def->threads < 0 || def->threads > CD_MOST_THREADS)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "threads is %d; it must be 0 (automatic) to %d", def->threads,
                       CD_MOST_THREADS);
    return CARDAN_OK;
}

static int size_of(const cardan_system *system)
{
    return system->k + system->m + system->l;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int cd_threads_for(int asked, const cardan_system *system)
{
    if (asked > 0)
        return asked;
    return size_of(system) < LEAST_UNKNOWNS ? 1
                                            : smaller(cd_processors(), CARDAN_AUTOMATIC_THREADS);
}

int cd_threads_for_levels(const cardan_integrator_def *def, int levels, const cardan_system *system)
{
    if (def->renew != NULL || def->threads < 0) /* a system of one level only; refused */
        return 1;
    if (def->threads > 0)
        return smaller(def->threads, levels);
    return system->pieces.own_functions && size_of(system) >= LEAST_FOR_LEVELS
               ? smaller(cd_processors(), levels)
               : 1;
}

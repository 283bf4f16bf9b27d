/* Threads pay for systems above a size that has been measured: docs/performance.md, Two cores. */
#include "integrate/threads.h"

#include "base/error.h"

enum { LEAST_UNKNOWNS = 5000 /* k + m + l */ };

cardan_status cd_threads_check(const cardan_integrator_def *def, cardan_error *error)
{
    if (def->threads < 0 || def->threads > CD_MOST_THREADS)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "threads is %d; it must be 0 (automatic) to %d", def->threads,
                       CD_MOST_THREADS);
    return CARDAN_OK;
}

int cd_threads_for(int asked, const cardan_system *system)
{
    if (asked > 0)
        return asked;
    if (system->k + system->m + system->l < LEAST_UNKNOWNS)
        return 1;
    const int processors = cd_processors();
    return processors < CARDAN_AUTOMATIC_THREADS ? processors : CARDAN_AUTOMATIC_THREADS;
}

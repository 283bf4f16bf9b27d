/* The order of magnitude of frequencies, for systems whose matrices are not expanded. */
#include "base/numeric.h"
#include "linearise.h"

cardan_status cd_stiffness_rate(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                const cardan_point *at, const double *scale, double *rate)
{
    const double small = 1e-5;
    double *q = cd_arena_doubles(arena, cardan_group_size(system->group));
    double *step = cd_arena_doubles(arena, system->k), *force[2];
    for (int i = 0; i < 2; i++)
        force[i] = cd_arena_doubles(arena, system->k);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    double longest = 0.0, stiffness = 0.0;
    for (int i = 0; i < system->k; i++) {
        step[i] = small * cos(3.7 * i);
        longest = fmax(longest, fabs(step[i] * scale[i]));
    }
    cardan_group_update(system->group, at->q, step, q);
    cardan_point moved = *at;
    moved.q = q;
    cardan_status status = cd_system_equations(ws, &moved, &(cd_equations){.dynamics = force[1]});
    if (status == CARDAN_OK)
        status = cd_system_equations(ws, at, &(cd_equations){.dynamics = force[0]});
    for (int i = 0; i < system->k; i++)
        stiffness = fmax(stiffness, fabs(force[1][i] - force[0][i]) / scale[i]);
    *rate = stiffness > 0.0 ? sqrt(stiffness / longest) : 1.0;
    return status;
}

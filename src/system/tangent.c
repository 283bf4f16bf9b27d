/* The matrix of the tangent norm; see tangent.h. */
#include "tangent.h"

#include "base/error.h"
#include "base/numeric.h"
#include "workspace.h"

/* The indices in the whole pattern of the entries of one that it contains, and of its transpose. */
static void find_indices(cd_arena *arena, const cd_pattern *own, const cd_pattern *whole,
                         const int *index[2])
{
    int *transposed = cd_arena_take(arena, (size_t)own->entries * sizeof *transposed);
    for (int i = 0; transposed != NULL && i < own->rows; i++)
        for (int e = cd_pattern_begin(own, i); e < cd_pattern_end(own, i); e++)
            transposed[e] = cd_pattern_find(whole, cd_pattern_column(own, i, e), i);
    index[0] = cd_pattern_map_entries(arena, own, whole);
    index[1] = transposed;
}

void cd_tangent_make(cd_arena *arena, const cardan_system *system, cd_tangent *tangent)
{
    const cd_pattern *patterns = system->matrices.pattern;
    const cd_pattern *mass = &patterns[CD_P_mass];
    const cd_pattern *damping = &patterns[CD_P_force_dv], *stiffness = &patterns[CD_P_force_dq];
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    const cd_pattern transposed[] = {cd_pattern_transpose(&scratch, damping, NULL),
                                     cd_pattern_transpose(&scratch, stiffness, NULL)};
    const cd_pattern *const blocks[] = {mass, damping, stiffness, &transposed[0], &transposed[1]};
    if (scratch.failed)
        arena->failed = 1;
    if (!arena->failed)
        tangent->pattern = cd_pattern_union(arena, 5, blocks);
    cd_arena_destroy(&scratch);
    if (arena->failed)
        return;
    const int most = damping->entries > stiffness->entries ? damping->entries : stiffness->entries;
    tangent->mass = cd_pattern_map_entries(arena, mass, &tangent->pattern);
    find_indices(arena, damping, &tangent->pattern, tangent->damping);
    find_indices(arena, stiffness, &tangent->pattern, tangent->stiffness);
    tangent->values = cd_arena_doubles(arena, tangent->pattern.entries);
    tangent->block = cd_arena_doubles(arena, most > mass->entries ? most : mass->entries);
    tangent->zeros = cd_arena_doubles(arena, system->k);
    tangent->back = cd_arena_doubles(arena, system->k);
    tangent->definite = cd_definite_make(arena, &tangent->pattern);
}

/* values += weight * block, at these indices (NULL: the same) */
static void add_block(cd_tangent *tangent, int entries, double weight, const int *index)
{
    for (int e = 0; e < entries; e++)
        tangent->values[index != NULL ? index[e] : e] += weight * tangent->block[e];
}

/* Adds the symmetric part of a derivative: half of it and half of its transpose. */
static cardan_status add_symmetric_part(cd_tangent *tangent, cd_workspace *ws, cd_derivative_id id,
                                        const cardan_point *at, double weight,
                                        const int *const index[2])
{
    const int entries = cd_derivative_of(ws->system, id).entries;
    const cardan_status status =
        weight != 0.0 ? cd_derivative(ws, 0, id, at, tangent->block) : CARDAN_OK;
    if (weight == 0.0 || status != CARDAN_OK)
        return status;
    add_block(tangent, entries, 0.5 * weight, index[0]);
    add_block(tangent, entries, 0.5 * weight, index[1]);
    return CARDAN_OK;
}

static cardan_status fail_indefinite(const cd_workspace *ws, int i, double t, double damping,
                                     double stiffness)
{
    const cd_name name = cd_system_name(ws->system, CARDAN_NAME_VELOCITY, i);
    return cd_fail(ws->error, CARDAN_SINGULAR_MATRIX,
                   "A = M + %.3g C + %.3g K of the tangent norm is not positive definite at t = "
                   "%.9g, as %s shows: a spring has a negative stiffness there (compressed, or "
                   "turning a body), or a damper drives; take smaller steps or weights, or the "
                   "mass norm",
                   damping, stiffness, t, name.text);
}

cardan_status cd_tangent_evaluate(cd_tangent *tangent, cd_workspace *ws, const cardan_point *at,
                                  double damping, double stiffness)
{
    cardan_point still = *at, back = *at;
    still.v = tangent->zeros;
    back.v = tangent->back;
    for (int i = 0; i < ws->system->k; i++)
        tangent->back[i] = -at->v[i];
    cd_zero(tangent->pattern.entries, tangent->values);
    cardan_status status = cd_evaluate_mass(ws, at, tangent->block);
    if (status == CARDAN_OK)
        add_block(tangent, cd_pattern_of(ws, CD_P_mass)->entries, 1.0, tangent->mass);
    if (status == CARDAN_OK)
        status =
            add_symmetric_part(tangent, ws, CD_D_force_dv, at, 0.5 * damping, tangent->damping);
    if (status == CARDAN_OK)
        status =
            add_symmetric_part(tangent, ws, CD_D_force_dv, &back, 0.5 * damping, tangent->damping);
    if (status == CARDAN_OK)
        status =
            add_symmetric_part(tangent, ws, CD_D_force_dq, &still, stiffness, tangent->stiffness);
    if (status != CARDAN_OK)
        return status;
    const int bad = cd_definite_test(&tangent->definite, tangent->values);
    return bad < 0 ? CARDAN_OK : fail_indefinite(ws, bad, at->t, damping, stiffness);
}

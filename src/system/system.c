/* Making a system: checking the definition and copying it. */
#include "system.h"

#include "base/error.h"
#include "group/group.h"
#include "workspace.h"

#include <math.h>
#include <string.h>

enum { COOKIE = 0x0CA2DA51 };

cardan_system_def cardan_system_def_default(void)
{
    return (cardan_system_def){.cookie = COOKIE};
}

static cardan_status check_sizes(const cardan_system_def *def, cardan_error *error)
{
    if (def->group == NULL)
        return cd_invalid(error,
                          "the definition names no group; make one with cardan_group_create");
    const int k = cardan_group_dof(def->group);
    if (def->constraints < 0 || def->nonholonomic < 0)
        return cd_invalid(error,
                          "the number of constraints is negative (%d holonomic, %d nonholonomic)",
                          def->constraints, def->nonholonomic);
    if (def->constraints > k || def->nonholonomic > k - def->constraints)
        return cd_invalid(
            error,
            "%d + %d constraints on %d velocities cannot be independent; remove the redundant ones",
            def->constraints, def->nonholonomic, k);
    return CARDAN_OK;
}

static cardan_status check_callbacks(const cardan_system_def *def, cardan_error *error)
{
    if (def->mass == NULL)
        return cd_fail(error, CARDAN_MISSING_CALLBACK, "the definition has no `mass` callback");
    if (def->constraints > 0 && def->constraint == NULL)
        return cd_fail(error, CARDAN_MISSING_CALLBACK,
                       "%d constraints are announced but there is no `constraint` callback",
                       def->constraints);
    if (def->nonholonomic > 0 && def->nonholonomic_residual == NULL)
        return cd_fail(error, CARDAN_MISSING_CALLBACK,
                       "%d nonholonomic constraints are announced but there is no "
                       "`nonholonomic_residual` callback",
                       def->nonholonomic);
    if (def->gap_count < 0 || (def->gap_count > 0 && def->gaps == NULL))
        return cd_fail(error, CARDAN_MISSING_CALLBACK,
                       "%d gaps are announced but there is no `gaps` callback", def->gap_count);
    if (def->scratch < 0)
        return cd_invalid(error,
                          "`scratch` is %d; it is the number of doubles that `evaluate` needs",
                          def->scratch);
    if (def->psi_in_force_only && !def->force_depends_on_psi)
        return cd_invalid(error, "psi_in_force_only needs force_depends_on_psi: nothing would "
                                 "enforce the nonholonomic constraints");
    if (def->lambda_in_force_only && !def->force_depends_on_lambda)
        return cd_invalid(error, "lambda_in_force_only needs force_depends_on_lambda: nothing "
                                 "would enforce the constraints");
    if (def->force == NULL && (def->force_depends_on_lambda || def->force_depends_on_psi))
        return cd_fail(error, CARDAN_MISSING_CALLBACK,
                       "the force is said to depend on multipliers but there is no `force` "
                       "callback");
    if (def->force == NULL && def->reacting_force != NULL)
        return cd_fail(error, CARDAN_MISSING_CALLBACK,
                       "reacting_force says which part of the force is reaction, but there is no "
                       "`force` callback");
    return CARDAN_OK;
}

/* Replaces a list of names by a copy in the arena. */
static void copy_names(cd_arena *arena, const char *const **names, int count)
{
    if (*names == NULL || count == 0) {
        *names = NULL;
        return;
    }
    const char **copies = cd_arena_take(arena, (size_t)count * sizeof *copies);
    for (int i = 0; copies != NULL && i < count; i++)
        copies[i] = cd_arena_string(arena, (*names)[i] != NULL ? (*names)[i] : "");
    *names = copies;
}

/* Number of leading velocities of a factor that are plain coordinates of its element. */
static int linear_velocities(cardan_factor factor)
{
    switch (factor.kind) {
    case CARDAN_RN:
        return factor.n;
    case CARDAN_R3_SO3:
    case CARDAN_R3_S3:
        return 3;
    default:
        return 0;
    }
}

/* Finds which numbers of q each velocity changes. */
static void find_coordinates(cardan_system *system)
{
    for (int i = 0; i < system->k; i++)
        system->coordinate[i] = -1;
    for (int f = 0; f < cardan_group_factor_count(system->group); f++) {
        int element, velocity;
        const cardan_factor factor = cardan_group_factor(system->group, f, &element, &velocity);
        const int linear = linear_velocities(factor);
        for (int i = 0; i < linear; i++)
            system->coordinate[velocity + i] = element + i;
        for (int i = 0; i < 3 && factor.kind == CARDAN_SE3; i++)
            system->coordinate[velocity + i] = -2 - element;
    }
}

/* Copies the definition and derives patterns, units and the group from it. */
static void fill_system(cardan_system *system, const cardan_system_def *def)
{
    system->def = *def;
    system->k = cardan_group_dof(def->group);
    system->m = def->constraints;
    system->l = def->nonholonomic;
    copy_names(&system->arena, &system->def.velocity_names, system->k);
    copy_names(&system->arena, &system->def.constraint_names, system->m);
    copy_names(&system->arena, &system->def.nonholonomic_names, system->l);
    cd_matrices_make(&system->arena, def, &system->matrices);
    if (!system->arena.failed)
        system->units = cd_units_find(&system->arena, def->group, &system->matrices);
    if (!system->arena.failed)
        system->normals = cd_normals_find(
            &system->arena, &system->matrices.pattern[CD_P_constraint_dq], &system->units);
    system->dense_up_to = CD_DENSE_UNKNOWNS;
    system->def.patterns = (cardan_patterns){0};
    system->coordinate = cd_arena_take(&system->arena, (size_t)system->k * sizeof(int));
    if (cd_group_clone(&system->group, def->group, &def->allocator) != CARDAN_OK)
        system->arena.failed = 1;
    if (system->arena.failed)
        return;
    system->def.group = system->group;
    find_coordinates(system);
    cd_system_find_zero_sources(system);
}

cardan_status cardan_system_create(cardan_system **system, const cardan_system_def *def,
                                   cardan_error *error)
{
    if (system == NULL || def == NULL)
        return cd_invalid(error, "system and def may not be NULL");
    *system = NULL;
    if (def->cookie != COOKIE)
        return cd_fail(error, CARDAN_UNINITIALISED,
                       "the definition was not made by cardan_system_def_default()");
    cardan_status status = check_sizes(def, error);
    if (status == CARDAN_OK)
        status = check_callbacks(def, error);
    if (status == CARDAN_OK)
        status = cd_patterns_check(def, error);
    if (status != CARDAN_OK)
        return status;

    cardan_system *made = cd_allocate(&def->allocator, sizeof *made);
    if (made != NULL) {
        cd_arena_init(&made->arena, &def->allocator);
        fill_system(made, def);
    }
    if (made == NULL || made->arena.failed) {
        cardan_system_destroy(made);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a system");
    }
    *system = made;
    return cd_succeed(error);
}

void cardan_system_destroy(cardan_system *system)
{
    if (system == NULL)
        return;
    const cardan_allocator allocator = system->arena.allocator;
    cardan_group_destroy(system->group);
    cd_arena_destroy(&system->arena);
    cd_release(&allocator, system);
}

cardan_system_info cardan_system_describe(const cardan_system *system)
{
    if (system == NULL)
        return (cardan_system_info){0};
    return (cardan_system_info){.group = system->group,
                                .dof = system->k,
                                .constraint_count = system->m,
                                .nonholonomic_count = system->l,
                                .has_potential = system->def.potential != NULL,
                                .adds_reaction = system->m > 0 && !system->def.lambda_in_force_only,
                                .adds_nonholonomic_reaction =
                                    system->l > 0 && !system->def.psi_in_force_only};
}

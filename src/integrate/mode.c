/* Making the workspaces of all modes, and changing from one to another. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

int cd_mode_count(const cardan_integrator_def *def)
{
    return 1 + (def->events != NULL ? def->events->mode_count : 0);
}

const cardan_system *cd_mode_system(const cardan_system *system, const cardan_integrator_def *def,
                                    int mode)
{
    return mode == 0 ? system : def->events->modes[mode - 1];
}

static bool same_factor(cardan_factor a, cardan_factor b)
{
    return a.kind == b.kind && a.side == b.side && (a.kind != CARDAN_RN || a.n == b.n);
}

static bool same_group(const cardan_group *a, const cardan_group *b)
{
    const int count = cardan_group_factor_count(a);
    bool same = count == cardan_group_factor_count(b);
    for (int i = 0; same && i < count; i++)
        same = same_factor(cardan_group_factor(a, i, NULL, NULL),
                           cardan_group_factor(b, i, NULL, NULL));
    return same;
}

cardan_status cd_modes_check(const cardan_system *system, const cardan_integrator_def *def,
                             cardan_error *error)
{
    const cardan_events *events = def->events;
    if (events == NULL)
        return CARDAN_OK;
    if (events->mode_count < 0 || events->mode_count >= CD_MOST_MODES ||
        (events->mode_count > 0 && events->modes == NULL) || events->first_mode < 0 ||
        events->first_mode > events->mode_count)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "events: %d modes and first mode %d; there may be up to %d besides mode 0",
                       events->mode_count, events->first_mode, CD_MOST_MODES - 1);
    for (int i = 1; i <= events->mode_count; i++) {
        const cardan_system *other = cd_mode_system(system, def, i);
        if (other == NULL || !same_group(system->group, other->group))
            return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                           "events: mode %d has %s; modes share the group and differ in forces "
                           "and constraints",
                           i, other == NULL ? "no system" : "another group than mode 0");
    }
    return CARDAN_OK;
}

static int largest(int a, int b)
{
    return a > b ? a : b;
}

cd_mode_sizes cd_modes_sizes(const cardan_system *system, const cardan_integrator_def *def,
                             const cd_scheme *scheme)
{
    cd_mode_sizes most = {0};
    for (int i = 0; i < cd_mode_count(def); i++) {
        cardan_system other = *cd_mode_system(system, def, i); /* only its sizes are read */
        other.m = largest(other.m, i == 0 ? def->most_constraints : 0);
        other.l = largest(other.l, i == 0 ? def->most_nonholonomic : 0);
        most.direction = largest(most.direction, cd_system_direction_scratch(&other));
        most.m = largest(most.m, other.m);
        most.eta = scheme->stabilises ? most.m : 0;
        most.l = largest(most.l, other.l);
        most.memory = largest(most.memory, scheme->memory != NULL ? scheme->memory(&other) : 0);
    }
    return most;
}

static bool is_coarse(cardan_tolerance tolerance)
{
    return fmax(tolerance.absolute, tolerance.relative) >= 1e-10;
}

static void make_solver(cardan_integrator *it, cd_mode *mode)
{
    const int n = it->scheme->unknowns(mode->system);
    const bool coarse = is_coarse(it->step.position) && is_coarse(it->step.velocity);
    cd_step trial = it->step;
    trial.system = mode->system;
    trial.ws = mode->ws;
    trial.h = it->h;
    mode->matrix = cd_matrix_create(&it->arena, n);
    if (mode->matrix == NULL)
        return;
    if (it->scheme->describe != NULL)
        cd_matrix_tell(mode->matrix, it->scheme->describe(mode->system));
    mode->term_count = it->scheme->terms(&trial, mode->terms);
    cd_system_declare(mode->system, mode->terms, mode->term_count, mode->matrix);
    cd_workspace_expect(mode->ws, &it->arena, mode->terms, mode->term_count);
    if (it->def.experimental.full_newton) /* the reference for speed: KLU */
        cd_matrix_forget_units(mode->matrix);
    cd_matrix_seal(mode->matrix);
    cd_matrix_set_team(mode->matrix, it->team);
    cd_newton_init(&mode->newton, &it->arena, mode->matrix, &it->clock, n,
                   it->def.newton.max_iterations);
    mode->newton.motion = mode->system->k;
    if (it->scheme->weighs_each)
        mode->newton.rounding.each = cd_arena_doubles(&it->arena, n);
    mode->newton.full = it->def.experimental.full_newton;
    mode->newton.coarse = coarse;
}

static void make_mode(cardan_integrator *it, const cardan_system *system, cd_mode *mode)
{
    mode->system = system;
    mode->ws = cd_workspace_create(&it->arena, mode->system, &it->error);
    if (mode->ws == NULL)
        return;
    cd_workspace_set_team(mode->ws, it->team);
    cd_workspace_set_clock(mode->ws, &it->clock);
    mode->consistent = cd_consistent_create(&it->arena, mode->ws, mode->system,
                                            cd_events_impacts(&it->def), &it->error);
    if (mode->consistent == NULL)
        return;
    if (it->scheme->advance != NULL)
        cd_consistent_set_team(mode->consistent, it->team);
    mode->impulse = cd_consistent_impulse(mode->consistent);
    if (cd_integrator_projects(it) &&
        cd_projector_prepare(cd_consistent_projector(mode->consistent), &it->def.projection) !=
            CARDAN_OK)
        it->arena.failed = 1;
    make_solver(it, mode);
}

void cd_modes_make(cardan_integrator *it, const cardan_system *system)
{
    it->mode_count = cd_mode_count(&it->def);
    it->modes = cd_arena_take(&it->arena, (size_t)it->mode_count * sizeof *it->modes);
    for (int i = 0; it->modes != NULL && i < it->mode_count; i++)
        make_mode(it, cd_mode_system(system, &it->def, i), &it->modes[i]);
}

cardan_status cd_mode_replace(cardan_integrator *it, const cardan_system *next)
{
    cd_mode made = {0};
    make_mode(it, next, &made);
    if (it->arena.failed)
        return cd_fail(&it->error, CARDAN_OUT_OF_MEMORY, "no memory for the constraints renewed");
    it->modes[it->mode] = made;
    cd_mode_enter(it, it->mode);
    return CARDAN_OK;
}

void cd_mode_drop_multipliers(const cardan_integrator *it, const cd_state *state)
{
    const int m = it->system->m, l = it->system->l;
    cd_zero(it->most.m - m, state->lambda + m);
    if (it->most.eta > m)
        cd_zero(it->most.eta - m, state->eta + m);
    cd_zero(it->most.l - l, state->psi + l);
}

void cd_mode_enter(cardan_integrator *it, int mode)
{
    const cd_newton_counts counts = it->newton.counts;
    const cd_mode *next = &it->modes[mode];
    if (it->ws != NULL)
        *cd_workspace_calls(next->ws) = *cd_workspace_calls(it->ws);
    it->mode = it->view.mode = mode;
    it->system = it->step.system = next->system;
    it->ws = it->step.ws = next->ws;
    it->consistent = it->step.consistent = next->consistent;
    it->matrix = next->matrix;
    it->newton = next->newton;
    it->newton.counts = counts;
    cd_newton_reset(&it->newton);
    cd_workspace_forget(it->ws); /* as after a checkpoint in between */
    it->term_count = next->term_count;
    memcpy(it->terms, next->terms, sizeof it->terms);
    cd_zero(it->most.memory, it->step.memory);
    cd_mode_drop_multipliers(it, cd_integrator_now(it));
    cd_integrator_set_weights(it);
}

const cardan_system *cardan_integrator_system(const cardan_integrator *integrator, int mode)
{
    if (integrator == NULL)
        return NULL;
    if (mode == CARDAN_MODE_NOW)
        return integrator->system;
    return mode >= 0 && mode < integrator->mode_count ? integrator->modes[mode].system : NULL;
}

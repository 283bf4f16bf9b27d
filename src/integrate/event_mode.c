/* Makes the workspaces of all event modes, and changes from one mode to another. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

int cd_event_mode_count(const cardan_integrator_def *def)
{
    return 1 + (def->events != NULL ? def->events->mode_count : 0);
}

const cardan_system *cd_event_mode_system(const cardan_system *system,
                                          const cardan_integrator_def *def, int mode)
{
    return mode == 0 ? system : def->events->modes[mode - 1];
}

static bool has_same_group(const cardan_group *a, const cardan_group *b)
{
    const int count = cardan_group_factor_count(a);
    bool same = count == cardan_group_factor_count(b);
    for (int i = 0; same && i < count; i++) {
        const cardan_factor x = cardan_group_factor(a, i, NULL, NULL);
        const cardan_factor y = cardan_group_factor(b, i, NULL, NULL);
        same = x.kind == y.kind && x.side == y.side && (x.kind != CARDAN_RN || x.n == y.n);
    }
    return same;
}

cardan_status cd_event_modes_check(const cardan_system *system, const cardan_integrator_def *def,
                                   cardan_error *error)
{
    const cardan_events *events = def->events;
    if (events == NULL)
        return CARDAN_OK;
    if (events->mode_count < 0 || events->mode_count >= CD_MOST_MODES ||
        (events->mode_count > 0 && events->modes == NULL) || events->first_mode < 0 ||
        events->first_mode > events->mode_count)
        return cd_invalid(
            error, "events: %d modes and first mode %d; there may be up to %d besides mode 0",
            events->mode_count, events->first_mode, CD_MOST_MODES - 1);
    for (int i = 1; i <= events->mode_count; i++) {
        const cardan_system *other = cd_event_mode_system(system, def, i);
        if (other == NULL || !has_same_group(system->group, other->group))
            return cd_invalid(error,
                              "events: mode %d has %s; modes share the group and differ in forces "
                              "and constraints",
                              i, other == NULL ? "no system" : "another group than mode 0");
    }
    return CARDAN_OK;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

cd_event_mode_sizes cd_event_modes_sizes(const cardan_system *system,
                                         const cardan_integrator_def *def, const cd_scheme *scheme)
{
    cd_event_mode_sizes most = {.k = system->k, .q_size = cardan_group_size(system->group)};
    for (int i = 0; i < cd_event_mode_count(def); i++) {
        cardan_system other = *cd_event_mode_system(system, def, i); /* only its sizes are read */
        other.m = larger(other.m, i == 0 ? def->most_constraints : 0);
        other.l = larger(other.l, i == 0 ? def->most_nonholonomic : 0);
        most.direction = larger(most.direction, cd_system_direction_scratch(&other));
        most.gaps = larger(most.gaps, other.def.gap_count);
        most.m = larger(most.m, other.m);
        most.eta = scheme->stabilises ? most.m : 0;
        most.l = larger(most.l, other.l);
        most.memory = larger(most.memory, scheme->memory != NULL ? scheme->memory(&other) : 0);
    }
    return most;
}

/* Is a tolerance of the corrector far above rounding errors? Steps of high order are few, so what
 * corrections leave adds up less. */
static bool is_coarse(const cd_scheme *scheme, cardan_tolerance tolerance)
{
    const double least = scheme->multistep ? 1e-13 : 1e-10;
    return fmax(tolerance.absolute, tolerance.relative) >= least;
}

static void make_corrector(cardan_integrator *it, cd_event_mode *mode)
{
    const cd_scheme *scheme = it->automatic.on ? cd_automatic_implicit : it->scheme;
    const int n = scheme->unknowns != NULL ? scheme->unknowns(mode->system) : 0;
    const bool coarse =
        is_coarse(scheme, it->step.position) && is_coarse(scheme, it->step.velocity);
    cd_step trial = it->step;
    trial.system = mode->system;
    trial.ws = mode->ws;
    trial.h = it->h;
    mode->matrix = cd_matrix_create(&it->arena, n);
    if (mode->matrix == NULL)
        return;
    if (scheme->describe != NULL)
        cd_matrix_set_unknowns(mode->matrix, scheme->describe(mode->system));
    mode->term_count = scheme->terms != NULL ? scheme->terms(&trial, mode->terms) : 0;
    cd_system_declare(mode->system, mode->terms, mode->term_count, mode->matrix);
    cd_workspace_expect(mode->ws, &it->arena, mode->terms, mode->term_count);
    if (it->def.experimental.full_newton) /* the reference for speed: KLU */
        cd_matrix_forget_units(mode->matrix);
    cd_matrix_seal(mode->matrix);
    cd_matrix_set_team(mode->matrix, it->team);
    cd_newton_init(&mode->newton, &it->arena, mode->matrix, &it->clock, n,
                   it->def.newton.max_iterations);
    mode->newton.motion = mode->system->k;
    if (scheme->weighs_each)
        mode->newton.rounding.each = cd_arena_doubles(&it->arena, n);
    mode->newton.full = it->def.experimental.full_newton;
    mode->newton.coarse = coarse;
}

static void make_mode(cardan_integrator *it, const cardan_system *system, cd_event_mode *mode)
{
    mode->system = system;
    mode->ws = cd_workspace_create(&it->arena, mode->system, &it->error);
    if (mode->ws == NULL)
        return;
    cd_workspace_services(mode->ws)->team = it->team;
    cd_workspace_services(mode->ws)->clock = &it->clock;
    mode->consistent = cd_consistent_create(&it->arena, mode->ws, mode->system,
                                            cd_events_impacts(&it->def), &it->error);
    if (mode->consistent == NULL)
        return;
    if (it->automatic.on || it->scheme->advance != NULL)
        cd_matrix_set_team(mode->consistent->matrix, it->team);
    if (cd_integrator_projects(it) &&
        cd_projector_prepare(mode->consistent->projector, &it->def.projection) != CARDAN_OK)
        it->arena.failed = 1;
    make_corrector(it, mode);
}

void cd_event_modes_create(cardan_integrator *it, const cardan_system *system)
{
    it->mode_count = cd_event_mode_count(&it->def);
    it->modes = cd_arena_take(&it->arena, (size_t)it->mode_count * sizeof *it->modes);
    for (int i = 0; it->modes != NULL && i < it->mode_count; i++)
        make_mode(it, cd_event_mode_system(system, &it->def, i), &it->modes[i]);
}

cardan_status cd_event_mode_replace(cardan_integrator *it, const cardan_system *next)
{
    const cd_event_mode_sizes *most = &it->most; /* it->system may not be there any more */
    cd_event_mode made = {0};
    if (next->k != most->k || cardan_group_size(next->group) != most->q_size || next->m > most->m ||
        next->l > most->l || next->def.gap_count > most->gaps)
        return cd_invalid(&it->error,
                          "at t = %.9g a system with other sizes was to go on with: it must have "
                          "%d velocities, and there is room for %d holonomic and %d nonholonomic "
                          "constraints (most_constraints, most_nonholonomic) and %d gaps",
                          cd_integrator_now(it)->t, most->k, most->m, most->l, most->gaps);
    make_mode(it, next, &made);
    it->started = it->started && !it->arena.failed; /* else there is no system any more */
    if (it->arena.failed)
        return cd_fail(&it->error, CARDAN_OUT_OF_MEMORY, "no memory for the constraints renewed");
    it->modes[it->mode] = made;
    cd_event_mode_enter(it, it->mode);
    return CARDAN_OK;
}

void cd_event_mode_clear_multipliers(const cardan_integrator *it, const cd_state *state)
{
    const int m = it->system->m, l = it->system->l;
    cd_zero(it->most.m - m, state->lambda + m);
    if (it->most.eta > m)
        cd_zero(it->most.eta - m, state->eta + m);
    cd_zero(it->most.l - l, state->psi + l);
}

void cd_event_mode_enter(cardan_integrator *it, int mode)
{
    const cd_newton_counts counts = it->newton.counts;
    const cd_event_mode *next = &it->modes[mode];
    if (it->ws != NULL)
        cd_workspace_services(next->ws)->calls = cd_workspace_services(it->ws)->calls;
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
    cd_event_mode_clear_multipliers(it, cd_integrator_now(it));
    cd_integrator_set_weights(it);
}

const cardan_system *cardan_integrator_system(const cardan_integrator *integrator, int mode)
{
    if (integrator == NULL)
        return NULL;
    if (mode == CARDAN_EVENT_MODE_NOW)
        return integrator->system;
    return mode >= 0 && mode < integrator->mode_count ? integrator->modes[mode].system : NULL;
}

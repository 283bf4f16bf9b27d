/* Creates an integrator (checks, memory, copies of the definition); its state and statistics. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"
#include "group/group.h"

#include <stdio.h>
#include <string.h>

enum { COOKIE = 0x0CA2DA52 };

cardan_integrator_def cardan_integrator_def_default(void)
{
    return (cardan_integrator_def){
        .cookie = COOKIE,
        .method = CD_AUTOMATIC,
        .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
        .control = {.position = {1e-6, 1e-4}, .velocity = {1e-6, 1e-4}, .multiplier = {1e-6, 1e-4}},
        .projection = cardan_projection_default(),
        .experimental.start = CARDAN_START_PERTURBED,
        .experimental.difference = CARDAN_DIFFERENCE_CENTRAL,
        .start_correction = 1e-3,
        .newton.position = {1e-14, 1e-13},
        .newton.velocity = {1e-13, 1e-13},
        .newton.multiplier = {1e-10, 1e-10},
        .newton.max_iterations = 20,
    };
}

/* Rejects definitions without the cookie, before anything else of them is read. */
static cardan_status check_cookie(const cardan_integrator_def *def, cardan_error *error)
{
    if (def->cookie == COOKIE)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_UNINITIALISED,
                   "the definition was not made by cardan_integrator_def_default()");
}

static cardan_status check_method(const cardan_integrator_def *def, cardan_error *error)
{
    char known[128] = "";
    for (int i = 0, used = 0; i < cardan_method_count(); i++)
        used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", i > 0 ? ", " : "",
                         cardan_method_describe(i).name);
    if (cd_scheme_find(def->method) == NULL)
        return cd_fail(error, CARDAN_UNKNOWN_NAME,
                       "there is no method `%s`; the methods are auto, %s",
                       def->method != NULL ? def->method : "", known);
    return CARDAN_OK;
}

static bool is_valid_tolerance(cardan_tolerance t)
{
    return isfinite(t.absolute) && isfinite(t.relative) && t.absolute >= 0.0 && t.relative >= 0.0 &&
           t.absolute + t.relative > 0.0;
}

cardan_status cd_integrator_enter(cardan_integrator *it)
{
    if (it == NULL)
        return CARDAN_INVALID_ARGUMENT;
    cd_team_check_fork(it->team);
    return cd_begin_call(&it->busy, &it->error, "integrator");
}

cardan_status cd_integrator_leave(cardan_integrator *it, cardan_status status)
{
    it->busy = false;
    return status;
}

cardan_status cd_integrator_enter_started(cardan_integrator *it)
{
    const cardan_status status = cd_integrator_enter(it);
    if (status != CARDAN_OK || it->started)
        return status;
    return cd_integrator_leave(
        it, cd_fail(&it->error, CARDAN_NOT_STARTED,
                    "there are no initial values yet; call cardan_integrator_start first"));
}

static const double smallest_step = 1e-100; /* h^2 and its inverse must be ordinary numbers */

cardan_status cd_integrator_check_step(double h, cardan_error *error)
{
    if (!isfinite(h) || h <= 0.0)
        return cd_invalid(error, "the step is %g; it must be positive", h);
    if (h < smallest_step || h > 1.0 / smallest_step)
        return cd_invalid(
            error, "the step is %g; it must be between %g and %g: choose another unit of time", h,
            smallest_step, 1.0 / smallest_step);
    return CARDAN_OK;
}

/* Checks enumerations, step size, threads and the settings of the corrector. */
static cardan_status check_settings(const cardan_integrator_def *def, cardan_error *error)
{
    cardan_status status = CARDAN_OK;
    if ((unsigned)def->experimental.start > CARDAN_START_TRAPEZOIDAL ||
        (unsigned)def->experimental.difference > CARDAN_DIFFERENCE_FORWARD ||
        (unsigned)def->update > CARDAN_UPDATE_MAGNUS ||
        (unsigned)def->experimental.step_change > CARDAN_STEP_NONE ||
        (unsigned)def->branch > CARDAN_BRANCH_KEEP)
        return cd_invalid(error,
                          "start = %d, difference = %d, update = %d, step_change = %d, branch = "
                          "%d: one of these is none of the named values",
                          (int)def->experimental.start, (int)def->experimental.difference,
                          (int)def->update, (int)def->experimental.step_change, (int)def->branch);
    if (def->step != 0.0)
        status = cd_integrator_check_step(def->step, error);
    if (status != CARDAN_OK)
        return status;
    if (!is_valid_tolerance(def->newton.position) || !is_valid_tolerance(def->newton.velocity) ||
        !is_valid_tolerance(def->newton.multiplier))
        return cd_invalid(error, "tolerances must be finite, not negative, and not both zero");
    if (def->newton.max_iterations < 2)
        return cd_invalid(error, "max_iterations is %d; convergence cannot be judged below 2",
                          def->newton.max_iterations);
    if (!isfinite(def->experimental.difference_step) || def->experimental.difference_step < 0.0 ||
        !isfinite(def->start_correction) || def->start_correction < 0.0)
        return cd_invalid(error,
                          "difference_step and start_correction must be finite and not negative");
    if (def->threads < 0 || def->threads > CD_MOST_THREADS)
        return cd_invalid(error, "threads is %d; it must be 0 (automatic) to %d", def->threads,
                          CD_MOST_THREADS);
    return CARDAN_OK;
}

/* What cardan_integrator_def.threads means for a system: threads pay above a size that has been
 * measured (docs/performance.md, Two cores). */
static int choose_threads(int asked, const cardan_system *system)
{
    enum { LEAST_UNKNOWNS = 5000 };
    const int processors = cd_processors();
    if (asked > 0)
        return asked;
    if (system->k + system->m + system->l < LEAST_UNKNOWNS)
        return 1;
    return processors < CARDAN_AUTOMATIC_THREADS ? processors : CARDAN_AUTOMATIC_THREADS;
}

/* Whether steps are adaptive: if asked for, or if no step size is given. */
static bool is_adaptive(const cardan_integrator_def *def)
{
    return def->control.adaptive || def->step == 0.0;
}

/* Of `auto` the one that always suits. */
static const cd_scheme *scheme_of(const cardan_integrator_def *def)
{
    const bool automatic = strcmp(def->method, CD_AUTOMATIC) == 0 && is_adaptive(def);
    return automatic ? cd_automatic_implicit : cd_scheme_find(def->method);
}

static cardan_status check_tolerances(int count, const cardan_tolerance *each, const char *what,
                                      cardan_error *error)
{
    for (int i = 0; i < count && each != NULL; i++)
        if (!is_valid_tolerance(each[i]))
            return cd_invalid(error,
                              "the tolerance of %s %d is %g absolute, %g relative; tolerances must "
                              "be finite, not negative, and not both zero",
                              what, i + 1, each[i].absolute, each[i].relative);
    return CARDAN_OK;
}

/* Whether h is a valid min_step or max_step; 0 means none. */
static bool is_step_limit(double h)
{
    return h == 0.0 || h >= smallest_step;
}

static cardan_status check_control(const cardan_system *system, const cardan_integrator_def *def,
                                   cardan_error *error)
{
    const cardan_step_control *control = &def->control;
    if (!is_adaptive(def))
        return CARDAN_OK;
    if (!scheme_of(def)->estimates)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "the local errors of `%s` are not known: it takes fixed steps only; give a "
                       "step, or use ga3, ga2s, nonholonomic, hht, hht3 or rk5",
                       def->method);
    if (!is_valid_tolerance(control->position) || !is_valid_tolerance(control->velocity) ||
        !is_valid_tolerance(control->multiplier))
        return cd_invalid(error, "tolerances must be finite, not negative, and not both zero");
    if (!is_step_limit(control->min_step) || !isfinite(control->min_step) ||
        !is_step_limit(control->max_step) ||
        (control->max_step > 0.0 && control->max_step < control->min_step))
        return cd_invalid(
            error,
            "min_step is %g and max_step %g; they must be 0 or 0 < min <= max, and not below %g",
            control->min_step, control->max_step, smallest_step);
    cardan_status status = check_tolerances(system->k, control->positions, "position", error);
    if (status == CARDAN_OK)
        status = check_tolerances(system->k, control->velocities, "velocity", error);
    if (status == CARDAN_OK)
        status = check_tolerances(system->m + system->l, control->multipliers, "multiplier", error);
    return status;
}

/* The step size until the start chooses one. */
static double first_step(const cardan_integrator_def *def)
{
    return def->step > 0.0 ? def->step : 1e-3;
}

/* Whether the method corrects its update of rotations by a commutator. */
static bool has_commutator(const cardan_system *system, const cardan_integrator_def *def)
{
    return def->update == CARDAN_UPDATE_MAGNUS && !cd_group_is_linear(system->group);
}

static cardan_status check_params(const cardan_system *system, const cardan_integrator_def *def,
                                  cardan_error *error)
{
    const cd_scheme *scheme = scheme_of(def);
    const cardan_params p = scheme->params != NULL ? *scheme->params : def->params;
    if (!isfinite(p.alpha_m) || !isfinite(p.alpha_f) || !isfinite(p.beta) || !isfinite(p.gamma))
        return cd_fail(error, CARDAN_BAD_PARAMETERS, "a method parameter is not finite");
    const cd_step trial = {.scheme = scheme,
                           .system = system,
                           .params = p,
                           .options = def->experimental,
                           .magnus = has_commutator(system, def),
                           .h = first_step(def)};
    const cardan_params_verdict verdict = cardan_params_judge(&p);
    /* Without damping at infinity the multipliers' error recursion does not contract: constrained
     * systems need the strict conditions (ACB15 (50)), unless there is no such recursion. */
    const bool constrained = system->m + system->l > 0 && !scheme->local_multipliers;
    const bool stable = constrained ? verdict.strictly_stable : verdict.oscillator_stable;
    if (scheme->params == NULL && !def->expert && (!verdict.second_order || !stable))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "parameters refused%s: %s; set `expert` (--expert) to use them anyway",
                       constrained ? " for a constrained system" : "", verdict.violated);
    if (def->experimental.start == CARDAN_START_TRAPEZOIDAL && !scheme->begins_trapezoidal)
        return cd_invalid(error,
                          "the trapezoidal start is one of hht, hht2 and hht3 and the method is "
                          "%s; use the perturbed start",
                          scheme->name);
    return scheme->check != NULL ? scheme->check(&trial, error) : CARDAN_OK;
}

static cardan_status check_modes(const cardan_system *system, const cardan_integrator_def *def,
                                 cardan_error *error)
{
    cardan_status status = cd_event_modes_check(system, def, error);
    if (status == CARDAN_OK)
        status = cd_events_check(def, error);
    for (int i = 0; status == CARDAN_OK && i < cd_event_mode_count(def); i++)
        status = check_params(cd_event_mode_system(system, def, i), def, error);
    return status;
}

int cd_integrator_value_count(const cardan_integrator *it)
{
    return 3 * it->system->k + it->most.m + it->most.l + cardan_group_size(it->system->group);
}

/* The vectors that the predictor reads in states of the past. */
static void allocate_past(cardan_integrator *it, cd_state *state)
{
    state->vdot = cd_arena_doubles(&it->arena, it->system->k);
    state->lambda = cd_arena_doubles(&it->arena, it->most.m);
    state->psi = cd_arena_doubles(&it->arena, it->most.l);
}

/* The vectors that only the current state and its neighbours need. */
static void allocate_motion(cardan_integrator *it, cd_state *state)
{
    cd_arena *arena = &it->arena;
    state->q = cd_arena_doubles(arena, cardan_group_size(it->system->group));
    state->v = cd_arena_doubles(arena, it->system->k);
    state->eta = it->scheme->stabilises ? cd_arena_doubles(arena, it->most.m) : it->no_eta;
}

void cd_integrator_allocate_state(cardan_integrator *it, cd_state *state)
{
    allocate_past(it, state);
    allocate_motion(it, state);
    state->a = cd_arena_doubles(&it->arena, it->system->k);
}

void cd_integrator_rotate_states(cardan_integrator *it)
{
    it->current = (it->current + 1) % CD_STATES;
    cd_state *next = cd_integrator_iterate(it);
    cd_state *before = &it->states[(it->current + CD_STATES - 1) % CD_STATES];
    cd_state *two_before = &it->states[(it->current + CD_STATES - 2) % CD_STATES];
    next->q = two_before->q;
    next->v = two_before->v;
    next->eta = two_before->eta;
    next->a = before->a;
    two_before->q = two_before->v = two_before->eta = before->a = NULL;
}

/* Allocates the ring of states: 0 is the current one, 1 the iterate, the last the one before. */
static void allocate_states(cardan_integrator *it)
{
    for (int i = 0; i < CD_STATES; i++)
        allocate_past(it, &it->states[i]);
    allocate_motion(it, &it->states[0]);
    allocate_motion(it, &it->states[1]);
    allocate_motion(it, &it->states[CD_STATES - 1]);
    it->states[0].a = cd_arena_doubles(&it->arena, it->system->k);
    it->states[1].a = cd_arena_doubles(&it->arena, it->system->k);
}

static const double *keep_matrix(cardan_integrator *it, const cardan_projection *projection)
{
    const int count = cd_projection_numbers(projection, it->system->k);
    double *matrix = cd_arena_doubles(&it->arena, count);
    if (matrix != NULL && projection->matrix != NULL)
        cd_copy(count, projection->matrix, matrix);
    return matrix;
}

/* Copies what belongs to the caller: matrices, and how accelerations are projected. */
static void keep_projection(cardan_integrator *it, const cardan_projection *projection)
{
    it->def.projection.matrix = keep_matrix(it, projection);
    if (projection->accelerations == NULL)
        return;
    cardan_projection *copy = cd_arena_take(&it->arena, sizeof *copy);
    it->def.projection.accelerations = copy;
    if (copy == NULL)
        return;
    *copy = *projection->accelerations;
    copy->matrix = keep_matrix(it, copy);
    copy->accelerations = NULL;
}

/* Copies `given` tolerances of single variables; further ones, of other modes, become `all`. */
static const cardan_tolerance *keep_each(cd_arena *arena, int given, int count,
                                         const cardan_tolerance *each, cardan_tolerance all)
{
    if (each == NULL)
        return NULL;
    cardan_tolerance *copy = cd_arena_take(arena, (size_t)count * sizeof *copy);
    for (int i = 0; i < count && copy != NULL; i++)
        copy[i] = i < given ? each[i] : all;
    return copy;
}

/* Copies the tolerances of single variables, which belong to the caller. */
static void keep_tolerances(cardan_integrator *it, const cardan_step_control *given)
{
    const int k = it->system->k, multipliers = it->system->m + it->system->l;
    cardan_step_control *control = &it->def.control;
    cd_arena *arena = &it->arena;
    control->positions = keep_each(arena, k, k, given->positions, given->position);
    control->velocities = keep_each(arena, k, k, given->velocities, given->velocity);
    control->multipliers = keep_each(arena, multipliers, it->most.m + it->most.l,
                                     given->multipliers, given->multiplier);
}

/* Initialises all members of an integrator; failures show in the arena. */
static void initialise(cardan_integrator *it, const cardan_system *system,
                       const cardan_integrator_def *def)
{
    cd_arena *arena = &it->arena;
    cd_arena_init(arena, &def->allocator);
    it->system = system;
    it->def = *def;
    it->clock.on = def->timing;
    it->clock.since = def->timing ? cd_clock_read() : 0.0;
    it->def.control.adaptive = is_adaptive(def);
    it->def.energy_balance = def->energy_balance || def->health;
    it->scheme = scheme_of(def);
    it->def.method = it->scheme->name;
    it->def.tag = cd_arena_string(arena, def->tag != NULL ? def->tag : "");
    if (it->scheme->params != NULL)
        it->def.params = *it->scheme->params;
    it->h = it->nominal = first_step(def);
    it->most = cd_event_modes_sizes(system, def, it->scheme);
    const int multipliers = it->most.m + it->most.l;
    it->no_eta = cd_arena_doubles(arena, it->most.m);
    allocate_states(it);
    it->values = cd_arena_doubles(arena, cd_integrator_value_count(it));
    it->saved = cd_arena_doubles(arena, 3 * system->k + multipliers);
    it->step = (cd_step){.scheme = it->scheme,
                         .system = system,
                         .error = &it->error,
                         .params = it->def.params,
                         .options = def->experimental,
                         .magnus = has_commutator(system, def),
                         .keeps_order = !is_adaptive(def),
                         .increment = cd_arena_doubles(arena, system->k),
                         .scratch = cd_arena_doubles(arena, 2 * system->k),
                         .memory = cd_arena_doubles(arena, it->most.memory)};
    if (it->scheme->work != NULL)
        it->step.work = cd_arena_doubles(arena, it->scheme->work(system->k, multipliers));
    cd_low_allocate(it);
    cd_automatic_init(it, def);
    cd_corrector_choose_tolerances(it, def, is_adaptive(def));
    it->kept_memory = cd_arena_doubles(arena, it->most.memory);
    keep_projection(it, &def->projection);
    keep_tolerances(it, &def->control);
    it->estimates = is_adaptive(def) || (def->health && it->scheme->estimates);
    if (it->estimates)
        cd_control_init(&it->control, arena, system->k, multipliers);
    if (it->estimates && !is_adaptive(def))
        it->control.errors = cd_arena_doubles(arena, 2 * system->k + multipliers);
    cd_diagnosis_init(&it->diagnosis, arena, multipliers, it->most.direction);
    cd_events_copy(it, def->events);
    if (arena->failed)
        return;
    it->team = cd_team_create(arena, choose_threads(def->threads, system));
    cd_event_modes_create(it, system);
    if (arena->failed)
        return;
    cd_events_init(it);
    cd_health_init(it);
    cd_gaps_init(it);
    if (cd_breakpoints_are_used(it))
        cd_integrator_allocate_state(it, &it->breakpoints.left);
    if (!arena->failed)
        cd_event_mode_enter(it, it->events.def.first_mode);
}

cardan_status cardan_integrator_create(cardan_integrator **integrator, const cardan_system *system,
                                       const cardan_integrator_def *def, cardan_error *error)
{
    if (integrator == NULL || system == NULL || def == NULL)
        return cd_invalid(error, "no argument but `error` may be NULL");
    *integrator = NULL;
    cardan_status status = check_cookie(def, error);
    if (status == CARDAN_OK)
        status = check_method(def, error);
    if (status == CARDAN_OK)
        status = check_settings(def, error);
    if (status == CARDAN_OK)
        status = check_control(system, def, error);
    if (status == CARDAN_OK)
        status = check_modes(system, def, error);
    if (status == CARDAN_OK)
        status = cd_integrator_check_projection(system, scheme_of(def), &def->projection, error);
    if (status != CARDAN_OK)
        return status;

    cardan_integrator *it = cd_allocate(&def->allocator, sizeof *it);
    if (it != NULL)
        initialise(it, system, def);
    if (it == NULL || it->arena.failed) {
        cardan_integrator_destroy(it);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for an integrator");
    }
    *integrator = it;
    cd_integrator_update_view(it);
    return cd_succeed(error);
}

void cardan_integrator_destroy(cardan_integrator *integrator)
{
    if (integrator == NULL || integrator->busy)
        return;
    const cardan_allocator allocator = integrator->arena.allocator;
    cd_arena_destroy(&integrator->arena);
    cd_release(&allocator, integrator);
}

void cd_integrator_update_view(cardan_integrator *it)
{
    const cd_state *now = cd_integrator_now(it);
    it->view = (cardan_state){.t = now->t,
                              .h = now->h,
                              .q = now->q,
                              .v = now->v,
                              .vdot = now->vdot,
                              .a = now->a,
                              .lambda = now->lambda,
                              .psi = now->psi,
                              .eta = now->eta,
                              .lambda_count = it->most.m,
                              .psi_count = it->most.l,
                              .mode = it->mode};
    if (it->scheme->show != NULL && it->has_before)
        it->scheme->show(&it->step, now, &it->view);
}

const cardan_state *cardan_integrator_state(const cardan_integrator *integrator)
{
    return integrator != NULL ? &integrator->view : NULL;
}

const char *cardan_integrator_message(const cardan_integrator *integrator)
{
    return integrator != NULL ? integrator->error.text : CD_ABSENT("integrator");
}

static cardan_status find_residuals(cardan_integrator *it, double *position, double *velocity)
{
    const int k = it->system->k, m = it->system->m, l = it->system->l;
    double *phi = it->values, *hidden = phi + k, redundant, redundant_rate;
    const cardan_point at = cd_state_point(cd_integrator_now(it));
    const cd_equations wanted = {.position = phi, .hidden = hidden, .nonholonomic = hidden + m};
    const cd_activity before = cd_clock_switch(&it->clock, CD_SHOWING);
    cardan_status status = cd_system_residual(it->ws, &at, &wanted);
    cd_clock_switch(&it->clock, before);
    if (status != CARDAN_OK)
        return status;
    *position = cd_max_abs(m, phi);
    *velocity = cd_max_abs(m + l, hidden);
    status = cd_redundant_residuals(it, &redundant, &redundant_rate);
    *position = fmax(*position, redundant);
    *velocity = fmax(*velocity, redundant_rate);
    return status;
}

cardan_status cardan_integrator_residuals(cardan_integrator *integrator, double *position,
                                          double *velocity)
{
    const cardan_status status = cd_integrator_enter_started(integrator);
    return status == CARDAN_OK
               ? cd_integrator_leave(integrator, find_residuals(integrator, position, velocity))
               : status;
}

cardan_status cardan_integrator_energy(cardan_integrator *integrator, double *kinetic,
                                       double *potential)
{
    cardan_status status = cd_integrator_enter_started(integrator);
    if (status != CARDAN_OK)
        return status;
    const cardan_point at = cd_state_point(cd_integrator_now(integrator));
    const cd_activity before = cd_clock_switch(&integrator->clock, CD_SHOWING);
    status = cd_system_energy(integrator->ws, &at, kinetic, potential);
    cd_clock_switch(&integrator->clock, before);
    return cd_integrator_leave(integrator, status);
}

static cardan_timing timing_of(const double *seconds)
{
    return (cardan_timing){.start = seconds[CD_STARTING],
                           .evaluation = seconds[CD_EVALUATING],
                           .assembly = seconds[CD_ASSEMBLING],
                           .factorization = seconds[CD_FACTORING],
                           .solve = seconds[CD_SOLVING],
                           .control = seconds[CD_CONTROLLING],
                           .events = seconds[CD_LOCATING],
                           .projection = seconds[CD_PROJECTING],
                           .output = seconds[CD_SHOWING],
                           .other = seconds[CD_STEPPING]};
}

cardan_statistics cardan_integrator_statistics(const cardan_integrator *integrator)
{
    if (integrator == NULL)
        return (cardan_statistics){0};
    const cardan_integrator *it = integrator;
    const cd_newton_counts *counts = &it->newton.counts;
    cardan_statistics all = it->counts;
    all.iterations = counts->iterations;
    all.residuals = counts->residuals;
    all.matrices = counts->matrices;
    all.factorizations = counts->factorizations;
    all.refreshes = counts->refreshes;
    all.reuses = counts->reuses;
    all.line_searches = counts->line_searches;
    all.unresolved = counts->unresolved;
    all.most_unresolved = counts->most_unresolved;
    all.last_iterations = counts->last_iterations;
    all.last_error = it->control.previous;
    all.mean_step = all.steps > 0 ? cd_sum_total(it->covered) / (double)all.steps : 0.0;
    all.threads = cd_team_size(it->team);
    all.time = timing_of(it->clock.seconds);
    memcpy(all.method, it->automatic.kept.story, sizeof it->automatic.kept.story);
    return all;
}

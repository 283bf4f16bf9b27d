/* The driver: one step, a change of the step size, and stepping to a given time.
 *
 * The stages of a step are numbered as in docs/dataflow.md. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

#include <float.h>

/* ---- the functions of the scheme as the corrector calls them (cd_newton_problem) ---- */

static cardan_status scheme_residual(void *self, double *out)
{
    cardan_integrator *it = self;
    const long calls = cd_workspace_services(it->ws)->calls;
    const cd_activity before = cd_clock_switch(&it->clock, CD_EVALUATING);
    const cardan_status status = it->scheme->residual(&it->step, out);
    cd_clock_switch(&it->clock, before);
    it->counts.residual_callbacks += cd_workspace_services(it->ws)->calls - calls;
    return status;
}

static cardan_status scheme_matrix(void *self, cd_matrix *matrix)
{
    cardan_integrator *it = self;
    const long calls = cd_workspace_services(it->ws)->calls;
    const cd_activity before = cd_clock_switch(&it->clock, CD_ASSEMBLING);
    cd_matrix_clear(matrix);
    const cardan_status status = it->scheme->assemble(&it->step, it->terms, it->term_count, matrix);
    cd_clock_switch(&it->clock, before);
    it->counts.matrix_callbacks += cd_workspace_services(it->ws)->calls - calls;
    return status;
}

static void scheme_correct(void *self, const double *dx, double factor)
{
    cardan_integrator *it = self;
    it->scheme->correct(&it->step, dx, factor);
}

static void scheme_weigh(void *self, double *weights, cd_rounding *rounding)
{
    cardan_integrator *it = self;
    it->scheme->weigh(&it->step, weights, rounding);
}

static void scheme_name_row(void *self, int row, char *text, int size)
{
    cardan_integrator *it = self;
    it->scheme->name_row(&it->step, row, text, size);
}

/* For it->step.h, which multistep methods change. */
static void weigh_terms(cardan_integrator *it)
{
    cd_term terms[CD_MAX_TERMS];
    const bool weighs = it->term_count > 0 && it->scheme->terms != NULL;
    const int count = weighs ? it->scheme->terms(&it->step, terms) : 0;
    for (int i = 0; i < count; i++)
        it->terms[i].weight = terms[i].weight;
    it->newton.scale = it->step.h;
}

void cd_integrator_set_weights(cardan_integrator *it)
{
    it->step.h = it->h;
    weigh_terms(it);
}

void cd_integrator_count_from_now(cardan_integrator *it, double h)
{
    it->h = h;
    it->base_time = cd_integrator_now(it)->t;
    it->base_steps = 0;
    cd_integrator_set_weights(it);
}

/* B v + dPhi/dt of the current state times `factor`. */
static cardan_status scale_hidden_residual(cardan_integrator *it, double factor, double *hidden)
{
    const cardan_point at = cd_state_point(cd_integrator_now(it));
    cardan_status status = cd_system_equations(it->ws, &at, &(cd_equations){.hidden = hidden});
    for (int i = 0; i < it->system->m; i++)
        hidden[i] *= factor;
    return status;
}

/* Scales the hidden residual and a - v' of the current state to the step s h.
 *
 * In the settled state a_n - v'_n = Delta_alpha h v'' + O(h^2), and B v_n + dPhi/dt is h^2 times a
 * function of t + O(h^3): a change from h to s h scales the first by s, the second by s^2. */
static cardan_status scale_to_step(cardan_integrator *it, double s)
{
    const cardan_system *system = it->system;
    const cardan_step_change change = it->def.experimental.step_change;
    cd_state *now = cd_integrator_now(it);
    double *lead = it->values, *hidden = lead + system->k;
    const bool move_v = it->scheme->settles_hidden && system->m > 0 &&
                        (change == CARDAN_STEP_SETTLED || change == CARDAN_STEP_PROJECTED);
    if (change == CARDAN_STEP_NONE)
        return CARDAN_OK;
    if (it->scheme->rescale != NULL) {
        it->step.next = now;
        return it->scheme->rescale(&it->step, s);
    }
    if (move_v) {
        const double factor = change == CARDAN_STEP_SETTLED ? s * s : 0.0;
        cardan_status status = scale_hidden_residual(it, factor, hidden);
        if (status != CARDAN_OK)
            return status;
    }
    for (int i = 0; i < system->k; i++)
        lead[i] = s * (now->a[i] - now->vdot[i]);
    const cardan_projection how = cardan_projection_default();
    cardan_projection_report report = {0};
    return cd_integrator_settle(it, now, move_v ? &how : NULL, hidden, lead, &report);
}

/* Computes v, v', a and multipliers anew, as at a start. The residual that the corrector has left
 * of velocity constraints is removed, because a short step would turn it into large forces. */
static cardan_status restart_values(cardan_integrator *it, bool move_v)
{
    cd_state *now = cd_integrator_now(it);
    const cardan_point at = cd_state_point(now);
    double path;
    it->has_before = false;
    cardan_status status =
        cd_consistent_velocity(it->consistent, now->t, now->q, NULL, now->v, &path);
    if (status == CARDAN_OK)
        status = cd_consistent_accelerations(it->consistent, &at, now->vdot, now->lambda, now->psi);
    return status == CARDAN_OK ? cd_integrator_perturb(it, move_v) : status;
}

/* Whether a shorter first step repeats the start: a step that was too long has taken v'' from too
 * late a time, for example from a contact that is not there yet. */
static bool repeats_start(const cardan_integrator *it, double s)
{
    return s < 1.0 && !it->has_before && it->def.experimental.start != CARDAN_START_PLAIN &&
           it->def.experimental.start != CARDAN_START_TRAPEZOIDAL;
}

/* Adjusts the current state to another step size: experiment STEP (docs/papers.md). A large growth
 * would amplify rounding errors: then, or if the controller asks for it, as at a start. */
static cardan_status change_step(cardan_integrator *it, double h)
{
    const double s = h / it->h, largest_growth = 4.0;
    cd_integrator_count_from_now(it, h);
    if (cd_is_multistep(it))
        cd_multistep_change(it);
    if (it->scheme->advance != NULL || cd_is_multistep(it))
        return CARDAN_OK;
    const bool again = repeats_start(it, s);
    const bool reselect = s > largest_growth || it->control.reselect || again;
    if (!reselect || it->def.experimental.step_change != CARDAN_STEP_SETTLED)
        return scale_to_step(it, s);
    return restart_values(it, !again || it->def.experimental.start == CARDAN_START_PERTURBED);
}

/* The last states, as far as no start lies between them. */
static cd_history collect_history(const cardan_integrator *it)
{
    cd_history history = {.count = 1};
    if (it->has_before)
        history.count = !it->has_two_before    ? 2
                        : it->has_three_before ? CD_HISTORY
                                               : CD_HISTORY - 1;
    for (int i = 0; i < history.count; i++) {
        const cd_state *state = cd_integrator_earlier(it, i);
        history.t[i] = state->t;
        history.vdot[i] = state->vdot;
        history.lambda[i] = state->lambda;
        history.psi[i] = state->psi;
    }
    return history;
}

/* Updates the predictor after a finished step. */
static void update_predictor(cardan_integrator *it)
{
    enum { FEW_ITERATIONS = 3 };
    const cardan_system *system = it->system;
    const cd_state *next = it->step.next;
    if (!it->scheme->predicts)
        return;
    cd_predictor_learn(&it->step.predictor, &it->step.history,
                       it->newton.counts.last_iterations <= FEW_ITERATIONS,
                       (const int[]){system->k, system->m, system->l},
                       (const double *const[]){next->vdot, next->lambda, next->psi});
}

/* Prepares it->step for a step to t1. */
static void set_up_step(cardan_integrator *it, double t1)
{
    cd_step *step = &it->step;
    step->h = it->h;
    step->t1 = t1;
    step->old = cd_integrator_now(it);
    step->before = it->has_before ? cd_integrator_earlier(it, 1) : NULL;
    step->next = cd_integrator_iterate(it);
    step->history = collect_history(it);
    cd_integrator_choose_params(it);
    cd_event_mode_clear_multipliers(it, step->next);
}

/* 7: what follows the corrector. A failure restores the method's memory. */
static cardan_status complete_step(cardan_integrator *it)
{
    const int memory = it->most.memory;
    cardan_projection_report report = {0};
    cardan_status status = CARDAN_OK;
    cd_copy(memory, it->step.memory, it->kept_memory);
    if (it->scheme->finish != NULL)
        status = it->scheme->finish(&it->step);
    if (status == CARDAN_OK)
        cd_integrator_correct_first_a(it);
    const cd_activity before = cd_clock_switch(&it->clock, CD_CONTROLLING);
    if (status == CARDAN_OK && it->def.control.adaptive)
        status = cd_control_judge(it);
    else if (status == CARDAN_OK && it->estimates)
        cd_control_estimate(it);
    cd_clock_switch(&it->clock, CD_PROJECTING);
    if (status == CARDAN_OK) /* 7 project */
        status = cd_integrator_project_step(it, &report);
    if (it->events.def.count > 0)
        cd_clock_switch(&it->clock, CD_LOCATING);
    if (status == CARDAN_OK)
        status = cd_events_check_step(it);
    if (status == CARDAN_OK)
        status = cd_redundant_judge(it);
    cd_clock_switch(&it->clock, CD_SHOWING);
    if (status == CARDAN_OK)
        status = cd_energy_balance_step(it, &report);
    cd_clock_switch(&it->clock, before);
    if (status != CARDAN_OK)
        cd_copy(memory, it->kept_memory, it->step.memory);
    return status;
}

/* Stages 1 to 6 of an implicit method. */
static cardan_status correct_step(cardan_integrator *it)
{
    const cd_newton_problem problem = {it,           scheme_residual, scheme_matrix, scheme_correct,
                                       scheme_weigh, scheme_name_row};
    const cardan_status status = it->scheme->begin(&it->step); /* 1 predict */
    if (status != CARDAN_OK)
        return status;
    if (cd_is_multistep(it))
        weigh_terms(it);
    return cd_newton_solve(&it->newton, &problem, &it->error); /* 2 to 6 */
}

/* Stages 1 to 6 of an explicit method. */
static cardan_status advance_explicit(cardan_integrator *it)
{
    cd_newton_counts *counts = &it->newton.counts;
    it->step.evaluations = 0;
    const cardan_status status = it->scheme->advance(&it->step);
    counts->residuals += it->step.evaluations;
    counts->matrices += it->step.evaluations;
    counts->factorizations += it->step.evaluations;
    return status;
}

/* Counts an accepted step of length h; the one before was of length `before`. */
static void count_step(cardan_integrator *it, double h, double before)
{
    cardan_statistics *counts = &it->counts;
    counts->min_step = counts->steps > 0 ? cd_smaller(counts->min_step, h) : h;
    counts->max_step = cd_larger(counts->max_step, h);
    counts->step_changes += h != before;
    cd_sum_add(&it->covered, h);
    counts->steps++;
}

/* A step of size it->h to t1. The old state is untouched until the new one is accepted. */
static cardan_status take_step(cardan_integrator *it, double t1)
{
    set_up_step(it, t1);
    cardan_status status = it->scheme->advance != NULL ? advance_explicit(it) : correct_step(it);
    if (status == CARDAN_OK)
        status = complete_step(it);
    if (status != CARDAN_OK)
        return status;
    update_predictor(it);
    cd_integrator_rotate_states(it); /* 8 accept */
    cd_low_accept(it);
    it->has_three_before = it->has_two_before;
    it->has_two_before = it->has_before;
    it->has_before = true;
    it->base_steps++;
    it->breakpoints.behind = false;
    it->watch.leapt = false;
    cd_redundant_accept(it);
    it->diagnosis.shown.status = CARDAN_OK;
    count_step(it, it->step.next->h, it->step.old->h);
    cd_events_accept_step(it);
    cd_integrator_update_view(it);
    cd_health_step(it);
    return cd_succeed(&it->error);
}

/* If dependent constraints are what makes the iteration matrix singular, names them. */
static void explain_singular(cardan_integrator *it)
{
    const cardan_error cause = it->error;
    const cardan_point at = cd_state_point(it->step.next);
    if (cd_system_refresh(it->ws, &at) != CARDAN_OK ||
        cd_system_explain_singular(it->ws, it->step.t1, NULL) != CARDAN_RANK_DEFICIENT)
        it->error = cause;
    it->error.status = CARDAN_SINGULAR_MATRIX;
}

/* Adds size and time to the message of a failed step. */
static void locate_failure(cardan_integrator *it, double h)
{
    const cardan_error cause = it->error;
    cd_fail(&it->error, cause.status, "step of size %.6g from t = %.9g failed: %.800s", h,
            cd_integrator_now(it)->t, cause.text);
}

/* Saves to it->saved, or restores, the vectors that a change of the step size may adjust. */
static void save_or_restore(cardan_integrator *it, bool save)
{
    const cd_state *now = cd_integrator_now(it);
    const int k = it->system->k, sizes[] = {k, k, k, it->system->m, it->system->l};
    double *const vectors[] = {now->v, now->a, now->vdot, now->lambda, now->psi};
    double *saved = it->saved;
    for (int i = 0; i < 5; i++) {
        cd_copy(sizes[i], save ? vectors[i] : saved, save ? saved : vectors[i]);
        saved += sizes[i];
    }
}

/* Adjusts the state to the size h, if it is new, and takes a step; a failure restores all. */
static cardan_status try_step(cardan_integrator *it, double h, double t1)
{
    const double old_h = it->h, old_base = it->base_time;
    const long old_steps = it->base_steps;
    const bool changes = h != old_h, had_before = it->has_before;
    cardan_status status = CARDAN_OK;
    it->newton.record = (cd_newton_record){0};
    if (changes) {
        const cd_activity before = cd_clock_switch(&it->clock, CD_CONTROLLING);
        save_or_restore(it, true);
        it->step.next = cd_integrator_now(it); /* where it would fail, for the diagnosis */
        it->step.t1 = it->step.next->t;
        status = change_step(it, h);
        cd_clock_switch(&it->clock, before);
    }
    if (status == CARDAN_OK)
        status = take_step(it, t1);
    if (status == CARDAN_OK)
        return CARDAN_OK;
    const bool failed = status != CARDAN_EVENT; /* an event only asks for another length */
    it->counts.failures += failed;
    if (failed)
        cd_newton_forget_rates(&it->newton);
    if (failed && status != CARDAN_REJECTED)
        cd_newton_forget_factors(&it->newton);
    if (status == CARDAN_SINGULAR_MATRIX)
        explain_singular(it);
    if (changes) {
        save_or_restore(it, false);
        it->has_before = had_before;
        it->h = old_h;
        it->base_time = old_base;
        it->base_steps = old_steps;
        cd_integrator_set_weights(it);
    }
    if (failed)
        locate_failure(it, h);
    return status;
}

cardan_status cd_integrator_step_with(cardan_integrator *it, double h, double t1)
{
    const long calls = cd_workspace_services(it->ws)->calls;
    const cd_activity before = cd_clock_switch(&it->clock, CD_STEPPING);
    const cardan_status status = try_step(it, h, t1);
    it->counts.callbacks += cd_workspace_services(it->ws)->calls - calls;
    cd_clock_switch(&it->clock, before);
    return status;
}

cardan_status cd_integrator_may_step(cardan_integrator *it, double h, double t1)
{
    if (it->def.interrupted != NULL && it->def.interrupted(it->def.interrupted_context))
        return cd_fail(&it->error, CARDAN_INTERRUPTED, "interrupted at t = %.9g", it->view.t);
    if (!(t1 > it->view.t))
        return cd_invalid(&it->error,
                          "a step of %.3g is below the rounding of the time, t = %.9g; take longer "
                          "steps, or let the time begin near 0",
                          h, it->view.t);
    return CARDAN_OK;
}

/* A fixed step to t1. If it fails, independent rows are reselected or redundant constraints
 * reactivated, if possible; else the failure is diagnosed. */
static cardan_status step_fixed(cardan_integrator *it, double h, double t1)
{
    cardan_status status = cd_integrator_may_step(it, h, t1);
    if (status != CARDAN_OK)
        return status;
    status = cd_integrator_step_with(it, h, t1);
    if (cd_integrator_recover(it, status))
        status = cd_integrator_step_with(it, h, t1);
    if (status == CARDAN_CONTRADICTION) {
        status = cd_redundant_reactivate(it, t1);
        if (status == CARDAN_OK && t1 - cd_integrator_now(it)->t > CD_STEP_ROUNDING * h)
            status = cd_integrator_step_with(it, t1 - cd_integrator_now(it)->t, t1);
    }
    if (status == CARDAN_OK || status == CARDAN_EVENT)
        return status;
    return cd_diagnose(it, h, 1, 0.0);
}

/* The same for an adaptive step towards t. */
static cardan_status step_adaptive(cardan_integrator *it, double t)
{
    cardan_status status = it->automatic.kept.change ? cd_automatic_change(it) : CARDAN_OK;
    if (status == CARDAN_OK)
        status = cd_breakpoint_step_towards(it, t);
    if (cd_integrator_recover(it, status) || cd_automatic_rescue(it, status))
        status = cd_breakpoint_step_towards(it, t);
    if (status != CARDAN_CONTRADICTION)
        return status;
    status = cd_redundant_reactivate(it, t);
    return status == CARDAN_OK ? status : cd_diagnose(it, it->h, 1, 0.0);
}

/* Counted from the last change of h, so that rounding errors do not add up. */
double cd_integrator_next_time(const cardan_integrator *it, double h)
{
    return h == it->h ? it->base_time + (double)(it->base_steps + 1) * h : it->view.t + h;
}

/* A fixed step to `end`; if the state needs a leap first, the step covers the rest. */
static cardan_status step_or_leap(cardan_integrator *it, double h, double end)
{
    if (it->watch.leap != CD_LEAP_NONE) {
        const cardan_status status = cd_leap_from_singular(it, end);
        h = end - it->view.t;
        if (status != CARDAN_OK || !(h > CD_STEP_ROUNDING * it->nominal))
            return status;
    }
    return cd_events_follow(it, step_fixed(it, h, end));
}

cardan_status cardan_integrator_set_step(cardan_integrator *integrator, double h)
{
    cardan_status status = cd_integrator_enter(integrator);
    if (status != CARDAN_OK)
        return status;
    status = cd_integrator_check_step(h, &integrator->error);
    if (status == CARDAN_OK)
        integrator->nominal = h;
    return cd_integrator_leave(integrator,
                               status == CARDAN_OK ? cd_succeed(&integrator->error) : status);
}

double cd_integrator_time_rounding(const cardan_integrator *it, double t)
{
    const double size = fmax(fabs(it->states[it->current].t), fabs(t)), added_up = 1e-12;
    return fmax(8.0 * DBL_EPSILON * size, fmin(CD_STEP_ROUNDING * it->nominal, added_up * size));
}

double cd_integrator_choose_step(const cardan_integrator *it, double left)
{
    const double nominal = cd_multistep_ramp(it), rounding = CD_STEP_ROUNDING;
    double h = nominal;
    if (left < nominal * (1.0 - rounding))
        h = left;
    else if (left > nominal * (1.0 + rounding) && left < 2.0 * nominal * (1.0 - rounding))
        h = 0.5 * left;
    return fabs(h - it->h) <= rounding * it->h ? it->h : h;
}

/* One step towards t. */
static cardan_status step_towards(cardan_integrator *it, double t)
{
    const double left = t - it->view.t;
    if (it->def.control.adaptive)
        return it->watch.leap != CD_LEAP_NONE ? cd_leap_from_singular(it, t) : step_adaptive(it, t);
    const double h = cd_integrator_choose_step(it, left);
    const bool last = fabs(left - h) <= 2.0 * CD_STEP_ROUNDING * h;
    return step_or_leap(it, h, last ? t : cd_integrator_next_time(it, h));
}

cardan_status cardan_integrator_step(cardan_integrator *integrator)
{
    const cardan_status status = cd_integrator_enter_started(integrator);
    return status == CARDAN_OK ? cd_integrator_leave(integrator, step_towards(integrator, INFINITY))
                               : status;
}

static bool has_arrived(const cardan_integrator *it, double t)
{
    return !(t - it->view.t > cd_integrator_time_rounding(it, t));
}

/* Sets the time to t, from which only rounding separates it. */
static void set_end_time(cardan_integrator *it, double t)
{
    if (t > it->view.t) {
        cd_integrator_now(it)->t = it->base_time = t;
        it->base_steps = 0;
        cd_integrator_update_view(it);
    }
}

static cardan_status check_target(cardan_integrator *it, double t)
{
    if (!isfinite(t) || t < it->view.t)
        return cd_invalid(&it->error, "cannot advance from t = %.9g to %.9g; time runs forward",
                          it->view.t, t);
    const double most_steps = 1e10,
                 longest = it->def.control.adaptive ? it->def.control.max_step : it->nominal;
    if (longest > 0.0 && t - it->view.t > most_steps * longest)
        return cd_invalid(
            &it->error,
            "from t = %.9g to %.9g it would take more than %g steps of %.3g; take longer steps",
            it->view.t, t, most_steps, longest);
    return CARDAN_OK;
}

/* Steps towards t: once or, if `all`, until t is reached. */
static cardan_status advance_towards(cardan_integrator *it, double t, bool all)
{
    cardan_status status = check_target(it, t);
    for (int n = 0; status == CARDAN_OK && (all || n < 1) && !has_arrived(it, t); n = 1)
        status = step_towards(it, t);
    if (status != CARDAN_OK)
        return status;
    if (has_arrived(it, t))
        set_end_time(it, t);
    return cd_succeed(&it->error);
}

cardan_status cardan_integrator_step_towards(cardan_integrator *integrator, double t)
{
    const cardan_status status = cd_integrator_enter_started(integrator);
    return status == CARDAN_OK
               ? cd_integrator_leave(integrator, advance_towards(integrator, t, false))
               : status;
}

cardan_status cardan_integrator_advance(cardan_integrator *integrator, double t)
{
    const cardan_status status = cd_integrator_enter_started(integrator);
    return status == CARDAN_OK
               ? cd_integrator_leave(integrator, advance_towards(integrator, t, true))
               : status;
}

/* START: from the user's initial values to a state from which the method is of second order.
 *
 * Consistent accelerations and multipliers solve ACB15 (7). The plain start takes a_0 = v'(t_0) and
 * v_0 = v(t_0). The perturbed start takes a_0 = v' + Delta_alpha h v'' (57) and, for methods that
 * do not hold the hidden constraints, moves v_0 so that B v_0 + dPhi/dt = B l_0^q / h (56), with
 * the local error l^q = h^3/6 (C_q v'' + [v, v']/2) of (17). The start of the acceleration is (57)
 * alone. The trapezoidal start has the a_0 of JN07 Sec. 2, which is known after the first step. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

#include <float.h>

cardan_status cd_integrator_settle(cardan_integrator *it, cd_state *state,
                                   const cardan_projection *how, const double *hidden,
                                   const double *lead, cardan_projection_report *report)
{
    for (int i = 0; i < it->system->k; i++)
        state->a[i] = state->vdot[i] + lead[i];
    if (how == NULL)
        return CARDAN_OK;
    return cd_projector_velocity(it->consistent->projector, how, state->t, state->q, hidden,
                                 state->v, report);
}

static double largest_difference(int n, const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

/* Fails with the name of the constraint that q0 violates most. */
static cardan_status report_violated_constraint(cardan_integrator *it)
{
    const cardan_system *system = it->system;
    const int size = cardan_group_size(system->group);
    cd_state *now = cd_integrator_now(it);
    double *phi = it->values + size + system->k;
    int worst = 0;
    cd_copy(size, it->values, now->q);
    cardan_group_normalise(system->group, now->q);
    const cardan_point at = cd_state_point(now);
    if (cd_system_residual(it->ws, &at, &(cd_equations){.position = phi}) != CARDAN_OK)
        return it->error.status;
    for (int i = 1; i < system->m; i++)
        if (!(fabs(phi[i]) <= fabs(phi[worst])))
            worst = i;
    return cd_fail(
        &it->error, CARDAN_INCONSISTENT_START,
        "the initial configuration violates the constraints, most of all %s by %.3g, and "
        "no consistent one was found near it; correct q0",
        cd_system_name(system, CARDAN_NAME_CONSTRAINT, worst).text, phi[worst]);
}

/* Puts q on the group, and q and v on the constraints; fails if they have to move far. */
static cardan_status make_consistent(cardan_integrator *it, double *moved_q, double *moved_v)
{
    const cardan_system *system = it->system;
    const int size = cardan_group_size(system->group);
    cd_state *now = cd_integrator_now(it);
    double *q0 = it->values, *v0 = q0 + size, path;
    cd_copy(size, now->q, q0);
    cd_copy(system->k, now->v, v0);
    cardan_group_normalise(system->group, now->q);
    cardan_status status = cd_consistent_position(it->consistent, now->t, now->q, &path);
    if (status == CARDAN_NOT_CONVERGED)
        return report_violated_constraint(it);
    if (status == CARDAN_OK)
        status = cd_consistent_velocity(it->consistent, now->t, now->q, NULL, now->v, &path);
    if (status != CARDAN_OK)
        return status;
    *moved_q = largest_difference(size, now->q, q0);
    *moved_v = largest_difference(system->k, now->v, v0);
    const double allowed = it->def.start_correction;
    const double q_limit = allowed * fmax(1.0, cd_max_abs(size, now->q));
    const double v_limit = allowed * fmax(1.0, cd_max_abs(system->k, now->v));
    if (*moved_q > q_limit || *moved_v > v_limit)
        return cd_fail(
            &it->error, CARDAN_INCONSISTENT_START,
            "the initial values violate the constraints: positions would have to move "
            "by %.3g and velocities by %.3g (allowed: %.3g, %.3g); correct q0 and v0, or "
            "raise start_correction",
            *moved_q, *moved_v, q_limit, v_limit);
    return CARDAN_OK;
}

cardan_status cd_integrator_probe(cardan_integrator *it, double offset, double *vdot)
{
    const cardan_system *system = it->system;
    const int k = system->k;
    const cd_state *now = cd_integrator_now(it);
    cd_state *there = cd_integrator_iterate(it);
    double *w = there->a;
    for (int i = 0; i < k; i++) {
        w[i] = offset * (now->v[i] + 0.5 * offset * now->vdot[i]);
        there->v[i] = now->v[i] + offset * now->vdot[i];
    }
    cardan_group_update(system->group, now->q, w, there->q);
    cd_copy(k, now->vdot, vdot);
    cd_copy(system->m, now->lambda, there->lambda);
    cd_copy(system->l, now->psi, there->psi);
    const cardan_point at = {
        cd_breakpoint_time(it, offset), there->q, there->v, vdot, there->lambda, there->psi};
    return cd_consistent_accelerations(it->consistent, &at, vdot, there->lambda, there->psi);
}

/* v''(t_0) from later times only, because the equations are not smooth before t_0: the slope of the
 * parabola through v' at t_0, t_0 + h / 2 and t_0 + h. */
static cardan_status find_forward_jerk(cardan_integrator *it, double *vddot, double *scratch)
{
    const double *vdot = cd_integrator_now(it)->vdot;
    cardan_status status = cd_integrator_probe(it, 0.5 * it->h, vddot);
    if (status == CARDAN_OK)
        status = cd_integrator_probe(it, it->h, scratch);
    for (int i = 0; i < it->system->k; i++)
        vddot[i] = (4.0 * (vddot[i] - vdot[i]) - (scratch[i] - vdot[i])) / it->h;
    return status;
}

/* v''(t_0) by central (s = 1) or forward (s = 0.01) differences. */
cardan_status cd_integrator_jerk(cardan_integrator *it, double *vddot, double *scratch)
{
    const int k = it->system->k;
    const bool central = it->def.experimental.difference == CARDAN_DIFFERENCE_CENTRAL;
    const double usual = central ? 1.0 : 0.01, given = it->def.experimental.difference_step;
    const double s = given > 0.0 ? given : usual;
    const double offset = s * it->h;
    if (central && cd_breakpoint_behind(it, offset))
        return find_forward_jerk(it, vddot, scratch);
    cardan_status status = cd_integrator_probe(it, offset, vddot);
    if (status != CARDAN_OK)
        return status;
    if (central)
        status = cd_integrator_probe(it, -offset, scratch);
    else
        cd_copy(k, cd_integrator_now(it)->vdot, scratch);
    const double width = central ? 2.0 * offset : offset;
    for (int i = 0; i < k; i++)
        vddot[i] = (vddot[i] - scratch[i]) / width;
    return status;
}

cardan_status cd_integrator_hidden_target(cardan_integrator *it, const cd_state *state,
                                          const double *vddot, double *error, double *target)
{
    const cardan_params p = it->def.params;
    const int k = it->system->k;
    const double h = it->h, c_q = 1.0 - 6.0 * p.beta - 3.0 * (p.alpha_m - p.alpha_f);
    const double commutator = it->step.magnus ? 0.0 : 0.5;
    cardan_group_bracket(it->system->group, state->v, state->vdot, error);
    cd_scale(k, commutator, error);
    if (it->scheme->add_update_error != NULL)
        it->scheme->add_update_error(it->system->group, state->v, state->vdot, error);
    for (int i = 0; i < k; i++)
        error[i] = h * h / 6.0 * (c_q * vddot[i] + error[i]);
    const cardan_point at = cd_state_point(state);
    cardan_status status = cd_system_equations(it->ws, &at, &(cd_equations){0});
    if (status == CARDAN_OK)
        cd_system_constrain(it->ws, error, target);
    return status;
}

/* Starts a method that is not of the generalized-alpha kind by its own function. */
static cardan_status start_by_scheme(cardan_integrator *it, bool perturbed)
{
    it->step.h = it->h;
    it->step.next = cd_integrator_now(it);
    it->step.breakpoint_behind = cd_breakpoint_behind(it, it->h);
    return it->scheme->start(&it->step, perturbed);
}

/* Delta_alpha = alpha_m - alpha_f: a_n approximates v' at t_n + Delta_alpha h. */
static double delta_alpha(const cardan_integrator *it)
{
    return it->def.params.alpha_m - it->def.params.alpha_f;
}

/* Is the step the first one after a trapezoidal start? */
static bool begins_trapezoidal(const cardan_integrator *it)
{
    return it->def.experimental.start == CARDAN_START_TRAPEZOIDAL && !it->has_before;
}

/* The first step of the trapezoidal start. With a_0 = D f_1 + (1 - D) f_0, D = Delta_alpha, (1.2c)
 * of Jay11 is a_1 = (1 + D) f_1 - D f_0 for all parameters, and (1.2a), (1.2b) are those of
 * Newmark's method with beta + D / 2 and gamma + D, begun with f_0. So this step has these
 * parameters, and cd_integrator_correct_first_a then sets a_1. */
void cd_integrator_choose_params(cardan_integrator *it)
{
    const double delta = delta_alpha(it);
    cardan_params p = it->def.params;
    if (begins_trapezoidal(it))
        p = (cardan_params){.beta = p.beta + 0.5 * delta, .gamma = p.gamma + delta};
    const cardan_params *now = &it->step.params;
    if (it->def.experimental.start != CARDAN_START_TRAPEZOIDAL ||
        (p.alpha_m == now->alpha_m && p.alpha_f == now->alpha_f && p.beta == now->beta &&
         p.gamma == now->gamma))
        return;
    it->step.params = p;
    cd_integrator_set_weights(it);
    cd_newton_forget_factors(&it->newton);
}

void cd_integrator_correct_first_a(cardan_integrator *it)
{
    const double *f0 = it->step.old->a;
    double *f1 = it->step.next->a;
    for (int i = 0; begins_trapezoidal(it) && i < it->system->k; i++)
        f1[i] += delta_alpha(it) * (f1[i] - f0[i]);
}

/* Sets a_0 = v'_0, or lets a method with a start of its own set it. */
static cardan_status set_plain_acceleration(cardan_integrator *it)
{
    const cd_state *now = cd_integrator_now(it);
    if (it->scheme->start != NULL)
        return start_by_scheme(it, false);
    cd_copy(it->system->k, now->vdot, now->a);
    return CARDAN_OK;
}

cardan_status cd_integrator_perturb(cardan_integrator *it, bool move_v)
{
    if (begins_trapezoidal(it) || it->scheme->advance != NULL)
        return set_plain_acceleration(it);
    if (it->scheme->start != NULL)
        return start_by_scheme(it, true);
    const cardan_params p = it->def.params;
    const int k = it->system->k;
    cd_state *now = cd_integrator_now(it);
    double *vddot = it->values, *scratch = vddot + k, *target = scratch + k;
    cardan_status status = cd_integrator_jerk(it, vddot, scratch);
    if (status != CARDAN_OK)
        return status;
    move_v = move_v && it->scheme->settles_hidden && it->system->m > 0;
    if (move_v)
        status = cd_integrator_hidden_target(it, now, vddot, scratch, target);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < k; i++)
        vddot[i] *= (p.alpha_m - p.alpha_f) * it->h; /* a_0 - v'_0 */
    const cardan_projection how = cardan_projection_default();
    cardan_projection_report report = {0};
    return cd_integrator_settle(it, now, move_v ? &how : NULL, target, vddot, &report);
}

/* Runs the start that the definition asks for: perturbed, of the acceleration, or plain. */
static cardan_status run_start_procedure(cardan_integrator *it)
{
    if (it->def.experimental.start == CARDAN_START_PERTURBED ||
        it->def.experimental.start == CARDAN_START_ACCELERATION)
        return cd_integrator_perturb(it, it->def.experimental.start == CARDAN_START_PERTURBED);
    return set_plain_acceleration(it);
}

/* Solves for v', lambda and psi of the current state; a becomes v'. */
static cardan_status solve_accelerations(cardan_integrator *it)
{
    cd_state *now = cd_integrator_now(it);
    const cardan_point at = cd_state_point(now);
    cardan_status status = cd_low_settle(it, now);
    if (status == CARDAN_OK)
        status = cd_consistent_accelerations(it->consistent, &at, now->vdot, now->lambda, now->psi);
    if (status == CARDAN_OK)
        cd_copy(it->system->k, now->vdot, now->a);
    return status;
}

/* Chooses the first step, on which the start depends, and runs the start. */
static cardan_status choose_step_and_start(cardan_integrator *it)
{
    const cardan_status status = it->estimates ? cd_control_start(it) : CARDAN_OK;
    if (status == CARDAN_OK)
        cd_automatic_choose(it);
    return status == CARDAN_OK ? run_start_procedure(it) : status;
}

cardan_status cd_integrator_begin(cardan_integrator *it)
{
    cd_state *now = cd_integrator_now(it);
    cd_integrator_count_from_now(it, it->nominal);
    now->h = it->h;
    const cardan_status status = solve_accelerations(it);
    return status == CARDAN_OK ? choose_step_and_start(it) : status;
}

/* Makes the initial values consistent, adds accelerations and multipliers, runs the start, and
 * reports by how much the values were moved. */
static cardan_status make_initial_state(cardan_integrator *it)
{
    cd_state *now = cd_integrator_now(it);
    double moved_q = 0.0, moved_v = 0.0;
    cardan_status status = make_consistent(it, &moved_q, &moved_v);
    if (status != CARDAN_OK)
        return status;
    cd_projector_forget(it->consistent->projector, &it->arena);
    status = solve_accelerations(it);
    if (status == CARDAN_OK)
        status = cd_redundant_start(it);
    if (status == CARDAN_OK && it->watch.leap == CD_LEAP_NONE)
        status = choose_step_and_start(it);
    if (status != CARDAN_OK)
        return status;
    cd_succeed(&it->error);
    const double rounding = 1e-12;
    cd_seen *seen = &it->health.seen;
    seen->moved_q = seen->moved_v = 0.0;
    if (moved_q > rounding * fmax(1.0, cd_max_abs(cardan_group_size(it->system->group), now->q)) ||
        moved_v > rounding * fmax(1.0, cd_max_abs(it->system->k, now->v))) {
        seen->moved_q = moved_q;
        seen->moved_v = moved_v;
        cd_fail(&it->error, CARDAN_OK,
                "the initial values were made consistent with group and constraints: positions "
                "were moved by up to %.3g, "
                "velocities by up to %.3g",
                moved_q, moved_v);
    }
    return CARDAN_OK;
}

cardan_status cd_integrator_restart(cardan_integrator *it, cd_restart after)
{
    cd_state *now = cd_integrator_now(it);
    it->has_before = it->has_two_before = false;
    cd_integrator_count_from_now(it, it->nominal);
    cd_newton_reset(&it->newton);
    cd_health_restart(it);
    cd_zero(it->most.eta, now->eta);
    cardan_status status = solve_accelerations(it);
    if (status != CARDAN_OK)
        return status;
    if (it->def.control.adaptive)
        status = cd_control_restart(it, after);
    now->h = it->h;
    if (status == CARDAN_OK && after == CD_AFTER_OTHER_MODE)
        cd_diagnosis_start(it);
    return status == CARDAN_OK ? run_start_procedure(it) : status;
}

static cardan_status check_initial_values(cardan_integrator *it, double t0, const double *q0,
                                          const double *v0)
{
    const cardan_group *group = it->system->group;
    if (q0 == NULL || v0 == NULL || !isfinite(t0) ||
        cd_first_not_finite(cardan_group_size(group), q0) >= 0 ||
        cd_first_not_finite(it->system->k, v0) >= 0)
        return cd_invalid(&it->error,
                          "initial time, configuration and velocity must be given and finite");
    const double defect = cardan_group_defect(group, q0);
    if (!(defect <= it->def.start_correction))
        return cd_fail(&it->error, CARDAN_INCONSISTENT_START,
                       "the initial configuration is not on the group: a rotation matrix is not "
                       "orthogonal, or a quaternion not of unit length, by %.3g",
                       defect);
    return CARDAN_OK;
}

static cardan_status check_multiplier_guess(cardan_integrator *it, const double *lambda0,
                                            const double *psi0)
{
    const cardan_system *first = it->modes[it->events.def.first_mode].system;
    if ((lambda0 != NULL && cd_first_not_finite(first->m, lambda0) >= 0) ||
        (psi0 != NULL && cd_first_not_finite(first->l, psi0) >= 0))
        return cd_invalid(&it->error, "guesses of multipliers must be finite");
    return CARDAN_OK;
}

static void copy_guess_or_zero(int n, const double *guess, double *values)
{
    if (guess != NULL)
        cd_copy(n, guess, values);
    else
        cd_zero(n, values);
}

/* Diagnoses a failed start; it is final, even if the status is one that a shorter step may cure. */
static cardan_status fail_start(cardan_integrator *it)
{
    const cardan_status status = cd_diagnose(it, 0.0, 0, 0.0);
    if (status <= 0)
        return status;
    it->diagnosis.shown.status = CARDAN_NO_START;
    return it->error.status = CARDAN_NO_START;
}

static cardan_status start_run(cardan_integrator *it, double t0, const double *q0, const double *v0,
                               const double *lambda0, const double *psi0)
{
    cardan_status status = check_initial_values(it, t0, q0, v0);
    if (status == CARDAN_OK)
        status = check_multiplier_guess(it, lambda0, psi0);
    if (status != CARDAN_OK)
        return status;
    if (it->mode != it->events.def.first_mode)
        cd_event_mode_enter(it, it->events.def.first_mode);
    cd_automatic_begin(it);
    const cardan_system *system = it->system;
    it->started = it->has_before = it->has_two_before = false;
    it->breakpoints.behind = false;
    cd_state *now = cd_integrator_now(it);
    now->t = t0;
    now->h = it->nominal;
    cd_integrator_count_from_now(it, it->nominal);
    cd_newton_reset(&it->newton);
    it->newton.record = (cd_newton_record){0};
    cd_copy(cardan_group_size(system->group), q0, now->q);
    cd_copy(system->k, v0, now->v);
    cd_zero(system->k, now->vdot);
    copy_guess_or_zero(system->m, lambda0, now->lambda);
    copy_guess_or_zero(system->l, psi0, now->psi);
    cd_zero(it->most.eta, now->eta);
    const cd_activity before = cd_clock_switch(&it->clock, CD_STARTING);
    status = make_initial_state(it);
    if (status == CARDAN_OK)
        status = cd_energy_balance_start(it);
    if (status == CARDAN_OK)
        status = cd_events_start(it);
    cd_clock_switch(&it->clock, before);
    it->started = status == CARDAN_OK;
    cd_integrator_update_view(it);
    if (status != CARDAN_OK)
        return fail_start(it);
    cd_diagnosis_start(it);
    cd_health_start(it);
    cd_consistent_forget(it->consistent, &it->arena);
    cd_arena_forget(&it->arena, it->values,
                    (size_t)cd_integrator_value_count(it) * sizeof *it->values);
    return CARDAN_OK;
}

cardan_status cardan_integrator_start_from(cardan_integrator *integrator, double t0,
                                           const double *q0, const double *v0,
                                           const double *lambda0, const double *psi0)
{
    const cardan_status status = cd_integrator_enter(integrator);
    if (status != CARDAN_OK)
        return status;
    return cd_integrator_leave(integrator, start_run(integrator, t0, q0, v0, lambda0, psi0));
}

cardan_status cardan_integrator_start(cardan_integrator *integrator, double t0, const double *q0,
                                      const double *v0)
{
    return cardan_integrator_start_from(integrator, t0, q0, v0, NULL, NULL);
}

/* Dense output: the motion anywhere in the last accepted step (docs/methods/dense.md). A step that
 * ended at an event or a breakpoint is interpolated up to the state before it, in the mode before
 * it.
 *
 * With s = (t - t_n) / h, in [0, 1]:
 *   q        q_n exp(p(s)), p the cubic in the algebra at q_n with p(0) = 0, p(1) = w where
 *            q_{n+1} = q_n exp(w), and velocities v_n, v_{n+1} at the ends (T(p) p' = h v);
 *   v        the cubic through v_n, v_{n+1} with the slopes v'_n, v'_{n+1};
 *   v', lambda, psi   the parabola through the values at t_n, t_{n+1} and a third point: the state
 *            before t_n, or, in the first step after a start, the middle of the step, where they
 *            follow from the equations at the interpolated q and v. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"
#include "scheme/bdf.h"

/* Weights of a cubic Hermite polynomial on [0, 1]: the values and the slopes at the ends. */
typedef struct cubic {
    double begin, end, slope0, slope1;
} cubic;

static cubic cubic_weights_at(double s)
{
    const double r = 1.0 - s;
    return (cubic){(1.0 + 2.0 * s) * r * r, (1.0 + 2.0 * r) * s * s, s * r * r, -s * s * r};
}

/* The step to interpolate in, and the third point of the parabolas. */
typedef struct span {
    const cd_interpolated_step *step;
    const cd_state *old, *now;
    double h;
    double third;   /* where it is: s = 1/2, or negative */
    cd_state there; /* v', lambda and psi */
} span;

static void interpolate_q(cardan_integrator *it, const span *over, double s, double *q)
{
    const cardan_group *group = it->system->group;
    const cubic c = cubic_weights_at(s);
    double *p = it->step.scratch, *slope1 = p + it->system->k;
    cardan_group_difference(group, over->old->q, over->now->q, p);
    cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, p, over->now->v, slope1);
    for (int i = 0; i < it->system->k; i++)
        p[i] = c.end * p[i] + over->h * (c.slope0 * over->old->v[i] + c.slope1 * slope1[i]);
    cardan_group_update(group, over->old->q, p, q);
}

static void interpolate_v(const cardan_integrator *it, const span *over, double s, double *v)
{
    const cubic c = cubic_weights_at(s);
    const cd_state *old = over->old, *now = over->now;
    for (int i = 0; i < it->system->k; i++)
        v[i] = c.begin * old->v[i] + c.end * now->v[i] +
               over->h * (c.slope0 * old->vdot[i] + c.slope1 * now->vdot[i]);
}

/* The parabola through `old` at 0, `now` at 1 and `third` at over->third. */
static void interpolate_parabola(const span *over, double s, int n, const double *old,
                                 const double *now, const double *third, double *out)
{
    const double x = over->third, bend = s * (1.0 - s) / (x * (1.0 - x));
    for (int i = 0; i < n; i++)
        out[i] =
            (1.0 - s) * old[i] + s * now[i] + bend * (third[i] - (1.0 - x) * old[i] - x * now[i]);
}

cd_state cd_dense_scratch_state(cardan_integrator *it, const cd_interpolated_step *over, double t)
{
    const cardan_system *system = it->modes[over->mode].system;
    double *q = it->values, *v = q + cardan_group_size(system->group), *vdot = v + system->k,
           *lambda = vdot + system->k, *psi = lambda + system->m;
    cd_copy(system->k, over->old->vdot, vdot);
    cd_copy(system->m, over->old->lambda, lambda);
    cd_copy(system->l, over->old->psi, psi);
    return (cd_state){.t = t, .q = q, .v = v, .vdot = vdot, .lambda = lambda, .psi = psi};
}

/* v', lambda, psi in the middle of the step, where there is no state before t_n. As at a start they
 * belong to the velocity without the hidden residual that the index-3 form settles at. */
static cardan_status solve_middle(cardan_integrator *it, span *over)
{
    cd_consistent *consistent = it->modes[over->step->mode].consistent;
    const cd_state middle = cd_dense_scratch_state(it, over->step, over->old->t + 0.5 * over->h);
    const cardan_point at = cd_state_point(&middle);
    double moved;
    over->third = 0.5;
    over->there = middle;
    interpolate_q(it, over, 0.5, middle.q);
    interpolate_v(it, over, 0.5, middle.v);
    if (it->scheme->settles_hidden) {
        cardan_status status =
            cd_consistent_velocity(consistent, at.t, middle.q, NULL, middle.v, &moved);
        if (status != CARDAN_OK)
            return status;
    }
    return cd_consistent_accelerations(consistent, &at, middle.vdot, middle.lambda, middle.psi);
}

static cardan_status find_third_point(cardan_integrator *it, span *over)
{
    const cd_state *before = over->step->before;
    if (before == NULL)
        return solve_middle(it, over);
    over->third = (before->t - over->old->t) / over->h;
    over->there = *before;
    return CARDAN_OK;
}

static void copy_if_wanted(int n, const double *from, double *to)
{
    if (to != NULL)
        cd_copy(n, from, to);
}

void cd_dense_copy_wanted(const cardan_system *system, const cd_state *state, const cd_state *out)
{
    copy_if_wanted(cardan_group_size(system->group), state->q, out->q);
    copy_if_wanted(system->k, state->v, out->v);
    copy_if_wanted(system->k, state->vdot, out->vdot);
    copy_if_wanted(system->m, state->lambda, out->lambda);
    copy_if_wanted(system->l, state->psi, out->psi);
}

cardan_status cd_dense_at(cardan_integrator *it, const cd_interpolated_step *interpolated,
                          const cd_state *out)
{
    const bool leap = it->watch.leapt && interpolated->now == cd_integrator_now(it);
    if (cd_is_explicit(it) && !leap)
        return cd_explicit_dense_at(it, interpolated, out);
    const cd_state *old = interpolated->old, *now = interpolated->now;
    if (cd_is_multistep(it) && interpolated->mode == it->mode &&
        cd_bdf_interpolate(&it->step, old, now, out))
        return CARDAN_OK;
    const cardan_system *system = it->modes[interpolated->mode].system;
    span over = {.step = interpolated, .old = old, .now = now, .h = now->t - old->t};
    const double s = (out->t - old->t) / over.h;
    if (out->vdot != NULL || out->lambda != NULL || out->psi != NULL) {
        cardan_status status = find_third_point(it, &over);
        if (status != CARDAN_OK)
            return status;
    }
    if (out->q != NULL)
        interpolate_q(it, &over, s, out->q);
    if (out->v != NULL)
        interpolate_v(it, &over, s, out->v);
    if (out->vdot != NULL)
        interpolate_parabola(&over, s, system->k, old->vdot, now->vdot, over.there.vdot, out->vdot);
    if (out->lambda != NULL)
        interpolate_parabola(&over, s, system->m, old->lambda, now->lambda, over.there.lambda,
                             out->lambda);
    if (out->psi != NULL)
        interpolate_parabola(&over, s, system->l, old->psi, now->psi, over.there.psi, out->psi);
    return CARDAN_OK;
}

static cardan_status check_time(cardan_integrator *it, double t, double first)
{
    const double last = it->view.t;
    if (t >= first && t <= last)
        return CARDAN_OK;
    if (first == last)
        return cd_invalid(
            &it->error, "cannot interpolate at t = %.17g: no step has been made from t = %.17g yet",
            t, last);
    return cd_invalid(&it->error,
                      "cannot interpolate at t = %.17g: the last step goes from t = %.17g to %.17g",
                      t, first, last);
}

/* Clears the multipliers that only other modes have. */
static void clear_absent_multipliers(const cardan_integrator *it, const cardan_system *system,
                                     const cd_state *out)
{
    if (out->lambda != NULL)
        cd_zero(it->most.m - system->m, out->lambda + system->m);
    if (out->psi != NULL)
        cd_zero(it->most.l - system->l, out->psi + system->l);
}

cd_interpolated_step cd_dense_last_step(cardan_integrator *it)
{
    const cd_events *ev = &it->events;
    const cd_state *now = cd_integrator_now(it);
    if (ev->behind)
        return (cd_interpolated_step){ev->record.mode_before,
                                      ev->third_behind ? cd_integrator_earlier(it, 2) : NULL,
                                      cd_integrator_earlier(it, 1), &ev->left};
    if (it->breakpoints.behind)
        return (cd_interpolated_step){
            it->mode, it->breakpoints.third_behind ? cd_integrator_earlier(it, 2) : NULL,
            cd_integrator_earlier(it, 1), &it->breakpoints.left};
    return (cd_interpolated_step){
        it->mode, it->has_two_before ? cd_integrator_earlier(it, 2) : NULL,
        it->has_before || it->watch.leapt ? cd_integrator_earlier(it, 1) : now, now};
}

static cardan_status interpolate_last_step(cardan_integrator *it, double t, double *q, double *v,
                                           double *vdot, double *lambda, double *psi)
{
    const cd_state *now = cd_integrator_now(it);
    const cd_interpolated_step over = cd_dense_last_step(it);
    const bool midstep = t < over.now->t;
    const cardan_system *system = midstep ? it->modes[over.mode].system : it->system;
    const cd_state out = {.t = t, .q = q, .v = v, .vdot = vdot, .lambda = lambda, .psi = psi};
    cardan_status status = check_time(it, t, over.old->t);
    if (status != CARDAN_OK)
        return status;
    const cd_activity before = cd_clock_switch(&it->clock, CD_SHOWING);
    if (!midstep)
        cd_dense_copy_wanted(system, now, &out);
    else if (t == over.old->t)
        cd_dense_copy_wanted(system, over.old, &out);
    else
        status = cd_dense_at(it, &over, &out);
    if (status == CARDAN_OK)
        clear_absent_multipliers(it, system, &out);
    cd_clock_switch(&it->clock, before);
    return status == CARDAN_OK ? cd_succeed(&it->error) : status;
}

cardan_status cardan_integrator_interpolate(cardan_integrator *integrator, double t, double *q,
                                            double *v, double *vdot, double *lambda, double *psi)
{
    const cardan_status status = cd_integrator_enter_started(integrator);
    return status == CARDAN_OK
               ? cd_integrator_leave(integrator,
                                     interpolate_last_step(integrator, t, q, v, vdot, lambda, psi))
               : status;
}

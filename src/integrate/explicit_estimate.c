/* Errors and the first step of explicit methods.
 *
 * The estimate is the error of the embedded formula, a power of h higher than what a step of that
 * size adds to the error at the end: held below the tolerance as it is (error per step), it makes
 * the error at the end proportional to the tolerance. */
#include "integrate/explicit.h"

#include "base/numeric.h"
#include "scheme/rk5.h"

static void consider(cd_worst *worst, cd_error_kind kind, int index, double error, double tolerance)
{
    const double relative = fabs(error) / tolerance;
    if (!(relative <= worst->error))
        *worst = (cd_worst){relative, kind, index};
}

static double position_tolerance(const cardan_integrator *it, int i)
{
    const cardan_control *control = &it->def.control;
    return cd_control_allowed(control->position, control->positions, i, it->control.position[i]);
}

static double velocity_tolerance(const cardan_integrator *it, int i)
{
    const cardan_control *control = &it->def.control;
    return cd_control_allowed(control->velocity, control->velocities, i, it->control.velocity[i]);
}

/* Lambda and psi at the state of the embedded formula, less those of the step. */
static cardan_status respond(cardan_integrator *it, double *lambda, double *psi)
{
    const cardan_system *system = it->system;
    const cd_state *next = it->step.next;
    const int k = system->k;
    double *q = it->values, *v = q + cardan_group_size(system->group), *back = it->step.scratch;
    for (int i = 0; i < k; i++) {
        back[i] = -cd_rk5_position_error(&it->step)[i];
        v[i] = next->v[i] - cd_rk5_velocity_error(&it->step)[i];
    }
    cardan_group_update(system->group, next->q, back, q);
    const cardan_point at = {next->t, q, v, next->vdot, next->lambda, next->psi};
    return cd_consistent_respond(it->consistent, &at, lambda, psi);
}

static void judge_multipliers(cardan_integrator *it, cd_worst *worst)
{
    const cardan_control *control = &it->def.control;
    const int m = it->system->m, l = it->system->l;
    double *change = it->control.probes;
    if (m + l == 0 || respond(it, change, change + m) != CARDAN_OK)
        return;
    for (int i = 0; i < m + l; i++)
        consider(worst, CD_ERROR_MULTIPLIER, i, change[i],
                 cd_control_allowed(control->multiplier, control->multipliers, i,
                                    it->control.multiplier[i]));
}

cd_worst cd_explicit_estimate(cardan_integrator *it)
{
    const double *in_q = cd_rk5_position_error(&it->step), *in_v = cd_rk5_velocity_error(&it->step);
    cd_worst worst = {0};
    for (int i = 0; i < it->system->k; i++) {
        consider(&worst, CD_ERROR_POSITION, i, in_q[i], position_tolerance(it, i));
        consider(&worst, CD_ERROR_VELOCITY, i, in_v[i], velocity_tolerance(it, i));
    }
    judge_multipliers(it, &worst);
    return worst;
}

/* The largest of v and v' relative to the tolerances of q and v. */
static double rate_of(const cardan_integrator *it, const double *v, const double *vdot)
{
    double rate = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        rate = fmax(rate, fabs(v[i]) / position_tolerance(it, i));
        rate = fmax(rate, fabs(vdot[i]) / velocity_tolerance(it, i));
    }
    return rate;
}

static double size_of(const cardan_integrator *it)
{
    double size = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        size = fmax(size, it->control.position[i] / position_tolerance(it, i));
        size = fmax(size, it->control.velocity[i] / velocity_tolerance(it, i));
    }
    return size;
}

cardan_status cd_explicit_first_step(cardan_integrator *it, double *h)
{
    enum { MOST_TRIES = 12 };
    const cd_state *now = cd_integrator_now(it);
    const int k = it->system->k;
    const double rate = rate_of(it, now->v, now->vdot), size = size_of(it);
    double *change = it->control.probes, *jerk = change + k, trial = 0.01 * size / rate;
    if (!(trial > 0.0) || !isfinite(trial))
        trial = 1e-3;
    trial = fmin(trial, cd_kink_ahead(it));
    cardan_status status = cd_integrator_probe(it, trial, jerk);
    for (int tries = 1; status > 0 && tries < MOST_TRIES; tries++)
        status = cd_integrator_probe(it, trial *= 0.1, jerk);
    if (status < 0)
        return status;
    for (int i = 0; i < k; i++) {
        change[i] = now->vdot[i];
        jerk[i] = (jerk[i] - now->vdot[i]) / trial;
    }
    const double bend = fmax(rate, rate_of(it, change, jerk));
    const double asked = bend > 0.0 ? pow(0.01 / bend, 1.0 / it->scheme->order) : 100.0 * trial;
    *h = fmin(fmin(100.0 * trial, asked), cd_kink_ahead(it));
    return CARDAN_OK;
}

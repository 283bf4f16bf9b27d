/* Errors and the first step of explicit methods.
 *
 * The estimate is the error of the embedded formula, a power of h higher than what a step of that
 * size adds to the error at the end: held below a part of the tolerance (error per step), it makes
 * the error at the end proportional to the tolerance. A tenth keeps the errors that all steps add
 * up to below 10 tolerances in the problems and random machines that were measured. */
#include "explicit.h"

#include "base/numeric.h"

#include <float.h>

static const double part_of_tolerance = 0.1;

static void consider(cardan_integrator *it, cd_worst *worst, cd_error_kind kind, int index,
                     double error, double tolerance, double noise)
{
    const double relative = fabs(error) / (part_of_tolerance * tolerance + 3.0 * noise);
    if (it->control.errors != NULL) { /* for the verdict on equal steps: those of all steps */
        double *sum = &it->control.errors[(int)kind * it->system->k + index];
        *sum = fabs(error) + (kind == CD_ERROR_MULTIPLIER ? 0.0 : *sum);
    }
    if (isnan(relative) || relative > worst->error) /* what is not a number stays */
        *worst = (cd_worst){relative, kind, index};
}

static double position_tolerance(const cardan_integrator *it, int i)
{
    const cardan_step_control *control = &it->def.control;
    return cd_control_allowed(control->position, control->positions, i, it->control.position[i]);
}

static double velocity_tolerance(const cardan_integrator *it, int i)
{
    const cardan_step_control *control = &it->def.control;
    return cd_control_allowed(control->velocity, control->velocities, i, it->control.velocity[i]);
}

/* Lambda and psi at the state of the embedded formula, less those of the step. */
static cardan_status respond(cardan_integrator *it, double *lambda, double *psi)
{
    const cardan_system *system = it->system;
    const cd_state *next = it->step.next;
    const int k = system->k;
    double *q = it->values, *v = q + cardan_group_size(system->group), *back = it->step.scratch;
    const double *in_q = it->scheme->position_error(&it->step);
    const double *in_v = it->scheme->velocity_error(&it->step);
    for (int i = 0; i < k; i++) {
        back[i] = -in_q[i];
        v[i] = next->v[i] - in_v[i];
    }
    cardan_group_update(system->group, next->q, back, q);
    const cardan_point at = {next->t, q, v, next->vdot, next->lambda, next->psi};
    return cd_consistent_respond(it->consistent, &at, lambda, psi);
}

/* No multiplier has errors of that size: they are not asked for. */
static bool is_free(const cardan_step_control *control)
{
    return control->multipliers == NULL && control->multiplier.absolute >= 1e20;
}

/* What differences of the constraints make of an acceleration, however short the step is. */
static double acceleration_noise(cardan_integrator *it)
{
    const cardan_point at = cd_state_point(it->step.next);
    const double rounding = cd_system_bias_rounding(it->system, &at),
                 row = rounding > 0.0 ? cd_system_scales(it->ws).largest_row : 0.0;
    return row > 0.0 ? rounding / row : 0.0;
}

/* The same of a multiplier. */
static double multiplier_noise(cardan_integrator *it)
{
    const double noise = acceleration_noise(it);
    if (noise == 0.0)
        return 0.0;
    const cd_scales scales = cd_system_scales(it->ws);
    return noise * scales.mass / scales.largest_row;
}

/* About the largest force on a body. What rounding makes of it is all that is seen of a multiplier
 * that is nearly nothing beside it, as in free fall. */
static const double nearly_nothing = 1e-9;
static double load_of(cardan_integrator *it)
{
    return cd_system_scales(it->ws).mass * cd_max_abs(it->system->k, it->step.next->vdot);
}

static void judge_multipliers(cardan_integrator *it, cd_worst *worst)
{
    const cardan_step_control *control = &it->def.control;
    const int m = it->system->m, l = it->system->l;
    double *change = it->control.probes;
    if (m + l == 0 || is_free(control))
        return;
    if (respond(it, change, change + m) != CARDAN_OK) {
        *worst = (cd_worst){INFINITY, CD_ERROR_MULTIPLIER, 0};
        return;
    }
    const double noise = multiplier_noise(it), load = load_of(it);
    for (int i = 0; i < m + l; i++) {
        const bool idle = it->control.multiplier[i] < nearly_nothing * load;
        const double tolerance = cd_control_allowed(control->multiplier, control->multipliers, i,
                                                    it->control.multiplier[i]);
        consider(it, worst, CD_ERROR_MULTIPLIER, i, change[i], tolerance,
                 noise + (idle ? 8.0 * DBL_EPSILON * load : 0.0));
        cd_noise_compare(it, noise, tolerance);
    }
}

cd_worst cd_explicit_loads(cardan_integrator *it)
{
    const double far = 0.2;
    const int m = it->system->m, l = it->system->l;
    const cd_state *old = it->step.old, *next = it->step.next;
    const double *inside = it->scheme->multipliers_inside(&it->step);
    cd_worst worst = {.kind = CD_ERROR_MULTIPLIER};
    if (m + l == 0 || is_free(&it->def.control))
        return worst;
    const double least = fmax(nearly_nothing * load_of(it), 1e-3 * cd_max_abs(m + l, inside));
    for (int i = 0; i < m + l; i++) {
        const double begin = i < m ? old->lambda[i] : old->psi[i - m],
                     end = i < m ? next->lambda[i] : next->psi[i - m];
        const double outside = fmax(inside[i] - fmax(begin, end), fmin(begin, end) - inside[i]);
        const double size = fmax(fmax(fabs(inside[i]), least), it->control.multiplier[i]);
        if (outside > worst.error * far * size)
            worst = (cd_worst){outside / (far * size), CD_ERROR_MULTIPLIER, i};
    }
    return worst;
}

cd_worst cd_explicit_estimate(cardan_integrator *it)
{
    const double *in_q = it->scheme->position_error(&it->step);
    const double *in_v = it->scheme->velocity_error(&it->step);
    const double noise = it->step.h * acceleration_noise(it);
    cd_worst worst = {0};
    for (int i = 0; i < it->system->k; i++) {
        consider(it, &worst, CD_ERROR_POSITION, i, in_q[i], position_tolerance(it, i), 0.0);
        consider(it, &worst, CD_ERROR_VELOCITY, i, in_v[i], velocity_tolerance(it, i), noise);
    }
    judge_multipliers(it, &worst);
    it->control.held = cd_explicit_is_held(it);
    return worst;
}

/* ---- the first step ---- */

/* What a time brings about, in units of the tolerances. */
typedef struct prospect {
    double turn;   /* how much of the velocities their changing accelerations make up */
    double change; /* the largest change of anything that is not free motion */
} prospect;

static double multiplier_change(const cardan_integrator *it)
{
    const cardan_step_control *control = &it->def.control;
    const cd_state *now = &it->states[it->current],
                   *then = &it->states[(it->current + 1) % CD_STATES];
    const int m = it->system->m;
    double largest = 0.0;
    for (int i = 0; i < m + it->system->l; i++) {
        const double change =
            i < m ? then->lambda[i] - now->lambda[i] : then->psi[i - m] - now->psi[i - m];
        largest = fmax(largest,
                       fabs(change) / cd_control_allowed(control->multiplier, control->multipliers,
                                                         i, it->control.multiplier[i]));
    }
    return largest;
}

static cardan_status look_ahead(cardan_integrator *it, double time, prospect *out)
{
    const cd_state *now = cd_integrator_now(it);
    double *then = it->control.probes, turned = 0.0, moved = 0.0, change = 0.0;
    const cardan_status status = cd_integrator_probe(it, time, then);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < it->system->k; i++) {
        const double in_q = position_tolerance(it, i), in_v = velocity_tolerance(it, i);
        const double bent = time * fabs(then[i] - now->vdot[i]), pushed = time * fabs(now->vdot[i]);
        turned = fmax(turned, bent / in_v);
        moved = fmax(moved, fmax(fabs(now->v[i]), pushed) / in_v);
        change = fmax(change, fmax(bent, pushed) * fmax(1.0 / in_v, time / in_q));
    }
    *out = (prospect){turned > 0.0 ? turned / moved : 0.0, fmax(change, multiplier_change(it))};
    return CARDAN_OK;
}

/* The time in which v or v' move q by its own size, or, in the origin, by its tolerance; INFINITY
 * if nothing moves. */
static double time_of_motion(const cardan_integrator *it, bool *in_origin)
{
    const cd_state *now = &it->states[it->current];
    double size = 0.0, speed = 0.0, change = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double tolerance = position_tolerance(it, i);
        size = fmax(size, it->control.position[i] / tolerance);
        speed = fmax(speed, fabs(now->v[i]) / tolerance);
        change = fmax(change, fabs(now->vdot[i]) / tolerance);
    }
    *in_origin = size < 1.0;
    size = fmax(size, 1.0);
    return fmin(size / speed, sqrt(size / change));
}

/* A time of the size in which accelerations turn the velocities: shorter or longer ones are tried
 * until they do so just not yet. */
static cardan_status find_pace(cardan_integrator *it, double longest, double *time, prospect *at)
{
    enum { MOST_TRIES = 24 };
    const double factor = 4.0, little = 0.1;
    bool grows = true;
    cardan_status status = look_ahead(it, *time, at);
    for (int tries = 1; tries < MOST_TRIES && status >= 0; tries++) {
        const bool fits = status == CARDAN_OK && at->turn <= 1.0;
        if (fits && (!grows || at->turn > little || *time >= longest))
            return status;
        grows = grows && fits;
        *time = fits ? fmin(*time * factor, longest) : *time / factor;
        status = look_ahead(it, *time, at);
    }
    return status < 0 ? status : CARDAN_OK;
}

/* If everything is turned within the time T, a step h has an error of about (h / T)^5 of what is
 * there; the constant is some thousandths. */
cardan_status cd_explicit_first_step(cardan_integrator *it, double *h)
{
    bool in_origin;
    const double motion = time_of_motion(it, &in_origin), ahead = cd_control_longest_first(it);
    const double longest = fmin(ahead, motion * (in_origin ? 1e8 : 4.0));
    double time = fmin(ahead, motion);
    prospect at = {0};
    *h = fmin(ahead, 1e-3); /* if nothing moves any step will do */
    if (isinf(motion))
        return CARDAN_OK;
    const cardan_status status = find_pace(it, longest, &time, &at);
    if (status == CARDAN_OK)
        *h = time * fmin(1.0, pow(fmax(at.change, 1e-300), -1.0 / it->scheme->order));
    return status;
}

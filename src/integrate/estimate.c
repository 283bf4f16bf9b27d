/* Estimated local errors of a step, from the three last states and without another solve.
 *
 * With Delta = alpha_m - alpha_f and v'', v''', lambda'' by divided differences of v' and lambda:
 *
 *   position     l^q / h = h^2/6 (C_q v'' + [v, v'] / 2),  C_q = 1 - 6 beta - 3 Delta (ACB15 (17))
 *   velocity     l^v / h = h^2 C_v v''',                   C_v = 1/12 + Delta (alpha_f - 1/2)
 *   multipliers  e = h^2 C_lambda lambda''
 *
 * All are O(h^2). Those of q and v are rates, taken over the time in which the velocity in question
 * changes by its own size (cd_control_period), so that units of time do not matter.
 *
 * C_v is the coefficient of h^3 in v_{n+1} - v_n for the settled a_n = v' + Delta h v'' +
 * Delta (alpha_m - 1/2) h^2 v'''. Along directions that constraints prescribe, v_n settles at
 * C_q/6 h^2 v'' from the exact velocity in the index-3 form and at 0 in the others; the increments
 * of v then force v' off by h^2 (C_q/6 - C_v) v''' or -h^2 C_v v''', which is what lambda has to
 * make up for. */
#include "integrate/integrator.h"

#include "base/numeric.h"
#include "scheme/ga.h"

#include <float.h>

typedef struct constants {
    double position, commutator, velocity, multiplier;
} constants;

static constants constants_of(const cardan_integrator *it)
{
    const cardan_params p = it->def.params;
    const double delta = p.alpha_m - p.alpha_f;
    constants c = {.position = (1.0 - 6.0 * p.beta - 3.0 * delta) / 6.0,
                   .commutator = it->step.magnus ? 0.0 : 1.0 / 12.0,
                   .velocity = 1.0 / 12.0 + delta * (p.alpha_f - 0.5)};
    c.multiplier = c.velocity - (it->scheme->settles_hidden ? c.position : 0.0);
    /* hht3 integrates reactions by a rule of its own, with the weights 1 - b and b in q. */
    if (it->scheme->local_multipliers)
        c.position = fmax(fabs(c.position), fabs(1.0 - 3.0 * it->def.options.hht3_b) / 6.0);
    return c;
}

/* Derivatives that the estimates are made of; NULL: not known yet. */
typedef struct derivatives {
    const cd_state *state; /* where [v, v'] is taken */
    double h;
    const double *left, *middle, *right; /* v' there */
    const double *lambda[3], *psi[3];
    double before, after; /* distances between the three */
    double shortest;      /* of the steps that led to them */
} derivatives;

static double second_difference(const derivatives *d, double left, double middle, double right)
{
    return 2.0 * ((right - middle) / d->after - (middle - left) / d->before) /
           (d->after + d->before);
}

static void consider(cd_worst *worst, cd_error_kind kind, int index, double error,
                     cardan_tolerance tolerance, double size, double noise)
{
    const double relative = fabs(error) / (tolerance.absolute + tolerance.relative * size + noise);
    if (!(relative <= worst->error))
        *worst = (cd_worst){relative, kind, index};
}

/* What rounding makes of v' and of the multipliers. Estimates below it say nothing, and a shorter
 * step would only raise it: it is allowed for on top of the tolerance. */
typedef struct noise {
    double acceleration, multiplier;
} noise;

static noise noise_of(const cardan_integrator *it, double h)
{
    cd_step step = it->step;
    step.h = h;
    const double unit = it->scheme->settles_hidden ? cd_ga_position_rounding(&step)
                                                   : cd_ga_velocity_rounding(&step);
    /* Of a second difference, of several rounding errors; in the index-3 form times what the error
     * recursion makes of them (ACB15 (54)), at most about 30 for the damping in use. */
    const double several = it->scheme->settles_hidden ? 64.0 : 8.0;
    const double factor = 4.0 * several / (h * h);
    return (noise){factor * unit * cd_ga_acceleration_weight(&step.params),
                   factor * unit * cd_ga_multiplier_gain(&step)};
}

static void judge_motion(cardan_integrator *it, const derivatives *d, double *bracket,
                         cd_worst *worst)
{
    const constants c = constants_of(it);
    const cardan_control *control = &it->def.control;
    const cd_control *sizes = &it->control;
    const double h2 = d->h * d->h, rounding = noise_of(it, d->shortest).acceleration;
    cardan_group_bracket(it->system->group, d->state->v, d->state->vdot, bracket);
    for (int i = 0; i < it->system->k; i++) {
        const double span = fmax(d->h, cd_control_period(sizes, i));
        const double jerk = (d->right[i] - d->middle[i]) / d->after;
        consider(worst, CD_ERROR_POSITION, i,
                 span * h2 * (c.position * jerk + c.commutator * bracket[i]), control->position,
                 sizes->position[i], span * fabs(c.position) * d->h * rounding);
        if (d->left == NULL)
            continue;
        const double snap = second_difference(d, d->left[i], d->middle[i], d->right[i]);
        consider(worst, CD_ERROR_VELOCITY, i, span * h2 * c.velocity * snap, control->velocity,
                 sizes->velocity[i], span * fabs(c.velocity) * rounding);
    }
}

static void judge_multipliers(cardan_integrator *it, const derivatives *d, cd_worst *worst)
{
    const double c = d->h * d->h * constants_of(it).multiplier;
    const double rounding =
        fabs(constants_of(it).multiplier) * noise_of(it, d->shortest).multiplier;
    const int m = it->system->m, l = it->system->l;
    for (int i = 0; i < m + l && d->left != NULL; i++) {
        const double *const *x = i < m ? d->lambda : d->psi;
        const int j = i < m ? i : i - m;
        consider(worst, CD_ERROR_MULTIPLIER, i, c * second_difference(d, x[0][j], x[1][j], x[2][j]),
                 it->def.control.multiplier, it->control.multiplier[i], rounding);
    }
}

cd_worst cd_estimate_step(cardan_integrator *it)
{
    const cd_state *old = it->step.old, *before = it->step.before, *next = it->step.next;
    const derivatives d = {
        .state = next,
        .h = it->step.h,
        .left = before != NULL ? before->vdot : NULL,
        .middle = old->vdot,
        .right = next->vdot,
        .lambda = {before != NULL ? before->lambda : NULL, old->lambda, next->lambda},
        .psi = {before != NULL ? before->psi : NULL, old->psi, next->psi},
        .before = old->h,
        .after = it->step.h,
        .shortest = fmin(it->step.h, before != NULL ? fmin(old->h, before->h) : old->h)};
    cd_worst worst = {0};
    judge_motion(it, &d, it->values, &worst);
    judge_multipliers(it, &d, &worst);
    return worst;
}

/* v', lambda and psi at -h and h from the start, one after the other in `probes`. */
static cardan_status probe_both(cardan_integrator *it, double h, double *probes)
{
    const int k = it->system->k, m = it->system->m, l = it->system->l;
    const cd_state *there = &it->states[(it->current + 1) % CD_STATES];
    for (int side = -1; side <= 1; side += 2) {
        cardan_status status = cd_integrator_probe(it, side * h, probes);
        if (status != CARDAN_OK)
            return status;
        cd_copy(m, there->lambda, probes + k);
        cd_copy(l, there->psi, probes + k + m);
        probes += k + m + l;
    }
    return CARDAN_OK;
}

/* The estimate that a step of size h from the start will have. */
static cardan_status estimate_start(cardan_integrator *it, double h, double *error)
{
    const int k = it->system->k, m = it->system->m;
    const cd_state *now = cd_integrator_now(it);
    const double *left = it->control.probes, *right = left + k + m + it->system->l;
    cardan_status status = probe_both(it, h, it->control.probes);
    if (status != CARDAN_OK)
        return status;
    const derivatives d = {.state = now,
                           .h = h,
                           .left = left,
                           .middle = now->vdot,
                           .right = right,
                           .lambda = {left + k, now->lambda, right + k},
                           .psi = {left + k + m, now->psi, right + k + m},
                           .before = h,
                           .after = h,
                           .shortest = h};
    cd_worst worst = {0};
    it->step.old = it->step.next = cd_integrator_now(it); /* for their sizes */
    judge_motion(it, &d, it->values, &worst);
    judge_multipliers(it, &d, &worst);
    *error = worst.error;
    return CARDAN_OK;
}

cardan_status cd_estimate_first_step(cardan_integrator *it, double *h)
{
    enum { ROUNDS = 4, MOST_TRIES = 12 };
    const cd_state *now = cd_integrator_now(it);
    const double rate =
        fmax(cd_max_abs(it->system->k, now->v), sqrt(cd_max_abs(it->system->k, now->vdot)));
    const double scale = rate > 0.0 ? 1.0 / rate : 1.0, aim = 0.1;
    double error = 0.0;
    int rounds = 0;
    *h = 0.1 * scale;
    for (int tries = 0; rounds < ROUNDS && tries < MOST_TRIES; tries++) {
        cardan_status status = estimate_start(it, *h, &error);
        if (status < 0)
            return status;
        const bool sound = status == CARDAN_OK && isfinite(error);
        const double factor = sound ? sqrt(aim / fmax(error, 1e-4)) : 0.1;
        *h = fmin(scale, *h * fmax(1e-3, fmin(10.0, factor)));
        rounds += sound;
    }
    return CARDAN_OK;
}

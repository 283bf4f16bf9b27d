/* Estimated local errors of a step, from the three last states and without another solve. In the
 * first step after a start the middle of the step, by dense output, is one of the three.
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
#include "explicit.h"
#include "integrator.h"

#include "base/numeric.h"
#include "scheme/ga.h"

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
        c.position = fmax(fabs(c.position), fabs(1.0 - 3.0 * it->def.experimental.hht3_b) / 6.0);
    return c;
}

/* Three states in a row, and the one before them; NULL: not known yet. */
enum { POINTS = 4 };
typedef struct derivatives {
    const cd_state *state; /* where [v, v'] is taken */
    double h;
    bool probed; /* solved for at the start, not integrated: without the rounding of steps */
    const double *vdot[POINTS], *lambda[POINTS], *psi[POINTS];
    cd_stencil older, newer; /* points 0 to 2, points 1 to 3 */
} derivatives;

/* What estimates say of a variable: its error, or, of a rate, what that makes in `span`. */
typedef struct estimate {
    cd_error_kind kind;
    int index;
    double error, tolerance;
    double noise; /* what rounding may make of it: an error below that says nothing */
    double span;
} estimate;

/* Equal steps, for the verdict: rates add up for their span, a single one for its step only. */
static void keep_error(cardan_integrator *it, const estimate *e, double h)
{
    double *kept = &it->control.errors[(int)e->kind * it->system->k + e->index];
    const double part = h / e->span;
    *kept += part * (fmax(0.0, fabs(e->error) - e->noise) - *kept);
}

static void consider(cardan_integrator *it, cd_worst *worst, double h, const estimate *e)
{
    const double relative = fabs(e->error) / (e->tolerance + e->noise);
    if (it->control.errors != NULL)
        keep_error(it, e, h);
    if (!(relative <= worst->error))
        *worst = (cd_worst){relative, e->kind, e->index};
}

/* The second derivative of x, NAN if not known, and the rounding error in it. */
static double second(cardan_integrator *it, const derivatives *d, const double *const *x, int i,
                     double unit, cd_noise *noise, double *rounding)
{
    if (x[1] == NULL)
        return NAN;
    const double newer = cd_stencil_apply(&d->newer, x[1][i], x[2][i], x[3][i]);
    if (x[0] != NULL)
        cd_noise_learn(&d->older, &d->newer, cd_stencil_apply(&d->older, x[0][i], x[1][i], x[2][i]),
                       newer, unit, noise);
    *rounding = cd_noise_bound(it, noise->seen) * unit * d->newer.spread;
    return newer;
}

static void judge_motion(cardan_integrator *it, const derivatives *d, double *bracket,
                         cd_worst *worst)
{
    const constants c = constants_of(it);
    const cardan_step_control *control = &it->def.control;
    cd_control *sizes = &it->control;
    const double h2 = d->h * d->h, unit = cd_ga_acceleration_weight(&it->def.params);
    cardan_group_bracket(it->system->group, d->state->v, d->state->vdot, bracket);
    for (int i = 0; i < it->system->k; i++) {
        const double span = fmax(d->h, cd_control_period(sizes, i));
        const double jerk = (d->vdot[3][i] - d->vdot[2][i]) / d->newer.gap[1];
        double rounding = 0.0;
        const double snap = second(it, d, d->vdot, i, unit, &sizes->noise[i], &rounding);
        const bool resolved = !isnan(snap) && fabs(jerk) > 3.0 * d->h * rounding;
        sizes->latest[i] = resolved ? fabs(jerk) : 0.0;
        const estimate position = {
            .kind = CD_ERROR_POSITION,
            .index = i,
            .error = span * h2 * (c.position * jerk + c.commutator * bracket[i]),
            .tolerance =
                cd_control_allowed(control->position, control->positions, i, sizes->position[i]),
            .noise = span * h2 * fabs(c.position) * d->h * rounding,
            .span = span};
        const estimate velocity = {
            .kind = CD_ERROR_VELOCITY,
            .index = i,
            .error = span * h2 * c.velocity * snap,
            .tolerance =
                cd_control_allowed(control->velocity, control->velocities, i, sizes->velocity[i]),
            .noise = span * h2 * fabs(c.velocity) * rounding,
            .span = span};
        consider(it, worst, d->h, &position);
        if (!isnan(snap))
            consider(it, worst, d->h, &velocity);
    }
}

static void judge_multipliers(cardan_integrator *it, const derivatives *d, cd_worst *worst)
{
    const cardan_step_control *control = &it->def.control;
    cd_control *sizes = &it->control;
    const double c = d->h * d->h * constants_of(it).multiplier;
    const double unit = cd_ga_multiplier_gain(&it->step);
    const int m = it->system->m, l = it->system->l;
    sizes->latest_bend = 0.0;
    for (int i = 0; i < m + l && d->lambda[1] != NULL; i++) {
        double rounding = 0.0;
        cd_noise *noise = &sizes->noise[it->system->k + i];
        const double curvature =
            second(it, d, i < m ? d->lambda : d->psi, i < m ? i : i - m, unit, noise, &rounding);
        const double tolerance =
            cd_control_allowed(control->multiplier, control->multipliers, i, sizes->multiplier[i]);
        const estimate e = {.kind = CD_ERROR_MULTIPLIER,
                            .index = i,
                            .error = c * curvature,
                            .tolerance = tolerance,
                            .noise = fabs(c) * rounding,
                            .span = d->h};
        consider(it, worst, d->h, &e);
        if (d->probed || fabs(curvature) > 3.0 * rounding)
            sizes->latest_bend = fmax(sizes->latest_bend, fabs(c * curvature) / (d->h * d->h));
        cd_noise_compare(it, noise->sure * unit * d->newer.noise, tolerance);
    }
}

/* The error of a multiplier that follows from positions is about C h^2 lambda'' + N / h^2, N / h^2
 * its rounding error: least at h^4 = N / (C lambda''). Shorter steps make it worse, which does not
 * matter as long as rounding alone is below the tolerance, of multipliers that are nearly zero that
 * of the loads. If no lambda'' has been seen yet that stands out from rounding, it is
 * that of an oscillation with the period of the motion. */
double cd_estimate_floor(const cardan_integrator *it, double h)
{
    const cardan_step_control *control = &it->def.control;
    const cd_control *sizes = &it->control;
    if (!it->scheme->settles_hidden || !(sizes->period > 0.0))
        return 0.0;
    const double frequency = 6.283185307179586 / sizes->period;
    const double unit = cd_stencil_of(it, (const double[]){h, h, h}).noise * h * h *
                        cd_ga_multiplier_gain(&it->step);
    const double slow = fabs(constants_of(it).multiplier) * frequency * frequency *
                        cd_max_abs(it->system->m, sizes->multiplier);
    const double seen = fmax(sizes->bend, sizes->latest_bend), bend = seen > 0.0 ? seen : slow;
    const double load = cd_system_scales(it->ws).mass * cd_max_abs(it->system->k, sizes->change);
    double least = 0.0;
    for (int i = 0; i < it->system->m; i++) {
        const double rounding = cd_noise_bound(it, sizes->noise[it->system->k + i].seen) * unit;
        const double best = pow(rounding / bend, 0.25);
        const double tolerance = cd_control_allowed(control->multiplier, control->multipliers, i,
                                                    fmax(sizes->multiplier[i], load));
        least = fmax(least, fmin(best, sqrt(rounding / tolerance)));
    }
    return least;
}

/* v', lambda and psi in the middle of the step; false if they cannot be had. */
static bool find_middle(cardan_integrator *it, const cd_state *middle)
{
    const cd_step *step = &it->step;
    const cd_stretch over = {.mode = it->mode, .old = step->old, .now = step->next};
    return cd_dense_at(it, &over, middle) == CARDAN_OK;
}

/* From the ends and the middle of a step that has no state before it. */
static derivatives derivatives_of_first(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const int k = it->system->k, m = it->system->m;
    double *vdot = it->control.probes, *lambda = vdot + k, *psi = lambda + m;
    const double half = 0.5 * step->h;
    const cd_state middle = {.t = step->old->t + half, .vdot = vdot, .lambda = lambda, .psi = psi};
    derivatives d = {.state = step->next,
                     .h = step->h,
                     .vdot = {NULL, NULL, step->old->vdot, step->next->vdot},
                     .newer = cd_stencil_of(it, (const double[]){step->h, step->h, step->h})};
    if (!find_middle(it, &middle))
        return d;
    const cd_state *states[] = {step->old, &middle, step->next};
    for (int i = 0; i < 3; i++) {
        d.vdot[i + 1] = states[i]->vdot;
        d.lambda[i + 1] = states[i]->lambda;
        d.psi[i + 1] = states[i]->psi;
    }
    d.newer = cd_stencil_halves(it, step->h);
    return d;
}

static derivatives derivatives_of(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const bool four = it->has_two_before;
    const cd_state *two_before = &it->states[(it->current + CD_STATES - 2) % CD_STATES];
    const cd_state *states[POINTS] = {four ? two_before : NULL, step->before, step->old,
                                      step->next};
    derivatives d = {.state = step->next, .h = step->h};
    double own[POINTS];
    for (int i = 0; i < POINTS; i++) {
        own[i] = i == POINTS - 1 ? step->h : step->old->h;
        if (states[i] == NULL)
            continue;
        d.vdot[i] = states[i]->vdot;
        d.lambda[i] = states[i]->lambda;
        d.psi[i] = states[i]->psi;
        own[i] = i == POINTS - 1 ? step->h : states[i]->h;
    }
    d.older = cd_stencil_of(it, own);
    d.newer = cd_stencil_of(it, own + 1);
    return d;
}

cd_worst cd_estimate_step(cardan_integrator *it)
{
    if (cd_is_explicit(it))
        return cd_explicit_estimate(it);
    const derivatives d = it->step.before != NULL ? derivatives_of(it) : derivatives_of_first(it);
    cd_worst worst = {0};
    judge_motion(it, &d, it->values, &worst);
    judge_multipliers(it, &d, &worst);
    return worst;
}

/* v', lambda and psi at two times from the start, one after the other in `probes`. */
static cardan_status probe_both(cardan_integrator *it, const double offsets[2], double *probes)
{
    const int k = it->system->k, m = it->system->m, l = it->system->l;
    const cd_state *there = &it->states[(it->current + 1) % CD_STATES];
    for (int i = 0; i < 2; i++) {
        cardan_status status = cd_integrator_probe(it, offsets[i], probes);
        if (status != CARDAN_OK)
            return status;
        cd_copy(m, there->lambda, probes + k);
        cd_copy(l, there->psi, probes + k + m);
        probes += k + m + l;
    }
    return CARDAN_OK;
}

static void swap(const double **a, const double **b)
{
    const double *kept = *a;
    *a = *b;
    *b = kept;
}

/* The estimate that a step of size h from the start will have: from the times -h, 0 and h, or,
 * behind a kink, 0, h / 2 and h. */
static cardan_status estimate_start(cardan_integrator *it, double h, double *error)
{
    const int k = it->system->k, m = it->system->m;
    const cd_state *now = cd_integrator_now(it);
    const bool ahead = cd_kink_behind(it, h);
    const double *first = it->control.probes, *second = first + k + m + it->system->l;
    cardan_status status =
        probe_both(it, (const double[]){ahead ? 0.5 * h : -h, h}, it->control.probes);
    if (status != CARDAN_OK)
        return status;
    it->step.old = it->step.next = cd_integrator_now(it); /* for their sizes */
    derivatives d = {.state = now,
                     .h = h,
                     .probed = true,
                     .vdot = {NULL, first, now->vdot, second},
                     .lambda = {NULL, first + k, now->lambda, second + k},
                     .psi = {NULL, first + k + m, now->psi, second + k + m}};
    if (ahead) {
        swap(&d.vdot[1], &d.vdot[2]);
        swap(&d.lambda[1], &d.lambda[2]);
        swap(&d.psi[1], &d.psi[2]);
    }
    d.newer = ahead ? cd_stencil_halves(it, h) : cd_stencil_of(it, (const double[]){h, h, h});
    cd_worst worst = {0};
    judge_motion(it, &d, it->values, &worst);
    judge_multipliers(it, &d, &worst);
    *error = worst.error;
    return CARDAN_OK;
}

cardan_status cd_estimate_first_step(cardan_integrator *it, double *h)
{
    enum { ROUNDS = 4, MOST_TRIES = 12 };
    if (cd_is_explicit(it))
        return cd_explicit_first_step(it, h);
    const cd_state *now = cd_integrator_now(it);
    const double rate =
        fmax(cd_max_abs(it->system->k, now->v), sqrt(cd_max_abs(it->system->k, now->vdot)));
    const double ahead = cd_control_longest_first(it), aim = 0.1;
    const double scale = fmin(ahead, rate > 0.0 ? 1.0 / rate : 1.0);
    double error = 0.0;
    int rounds = 0;
    *h = fmin(ahead, 0.1 * (rate > 0.0 ? 1.0 / rate : 1.0));
    if (cd_control_is_at_rest(it, now)) /* a small acceleration may change soon: from below */
        *h = fmin(*h, CD_STEP_FROM_REST);
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

cardan_status cd_estimate_restart(cardan_integrator *it, double *h)
{
    enum { MOST_TRIES = 12 };
    const double aim = 0.5;
    if (cd_is_explicit(it)) /* its first step is judged like any other */
        return CARDAN_OK;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        double error;
        cardan_status status = estimate_start(it, *h, &error);
        if (status < 0)
            return status;
        const bool sound = status == CARDAN_OK && isfinite(error);
        if (sound && error <= 1.0)
            return CARDAN_OK;
        *h *= sound ? fmax(0.1, sqrt(aim / error)) : 0.1;
    }
    return CARDAN_OK;
}

/* Estimates the local errors of a step, from the last three states and without another solve. In
 * the first step after a start, the middle of the step, by dense output, is one of the three.
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
 * of v then shift v' by h^2 (C_q/6 - C_v) v''' or -h^2 C_v v''', for which lambda compensates. */
#include "integrator.h"

#include "base/numeric.h"
#include "scheme/ga.h"

/* The coefficients C of the first lines of this file. */
typedef struct error_constants {
    double position, commutator, velocity, multiplier;
} error_constants;

static error_constants find_error_constants(const cardan_integrator *it)
{
    const cardan_params p = it->def.params;
    const double delta = p.alpha_m - p.alpha_f;
    if (cd_is_multistep(it)) { /* the first steps: trapezoidal rule, order 2 */
        const double part = it->step.known <= 1 ? 1.0 / 12.0 : 1.0 / 3.0;
        return (error_constants){.position = part, .velocity = part, .multiplier = part};
    }
    error_constants c = {.position = (1.0 - 6.0 * p.beta - 3.0 * delta) / 6.0,
                         .commutator = it->step.magnus ? 0.0 : 1.0 / 12.0,
                         .velocity = 1.0 / 12.0 + delta * (p.alpha_f - 0.5)};
    c.multiplier = c.velocity - (it->scheme->settles_hidden ? c.position : 0.0);
    /* hht3 integrates reactions by a rule of its own, with the weights 1 - b and b in q. */
    if (it->scheme->local_multipliers)
        c.position = fmax(fabs(c.position), fabs(1.0 - 3.0 * it->def.experimental.hht3_b) / 6.0);
    return c;
}

/* ---- rounding errors ----
 *
 * Rounding errors in accelerations and multipliers, which grow as steps get shorter: like eps / h^2
 * where these follow from positions (ga3), like eps / h where they follow from velocities.
 *
 * The unit is the effect of one rounding error of a position or velocity. How many of them add up
 * depends on the damping (ACB15 (54)) and on the condition of the equations, so it is measured: a
 * resolved motion has second differences of one sign for many steps, rounding errors make them
 * alternate. (Once may be a point of inflection, twice in a row is a sure sign.) Without this the
 * step of some systems would shrink for ever, since every shorter step looks worse. */

/* The second divided difference of three points in a row. */
typedef struct stencil {
    double gap[2];
    double rounding_level; /* unit rounding error of the last point */
    double spread; /* of the difference, from the unit rounding errors of the three points */
} stencil;

/* Alternations larger than this in units are not rounding: something moves that is not resolved. */
static const double most_alternation = 3e3;
static const double fading = 0.98; /* of what was seen, a step */
static const double standard_deviations = 3.0;

static double unit_rounding(const cardan_integrator *it, double h)
{
    cd_step step = it->step;
    step.h = h;
    const double unit = it->scheme->settles_hidden ? cd_ga_position_rounding(&step)
                                                   : cd_ga_velocity_rounding(&step);
    return unit / (h * h);
}

/* The stencil of three states; `own` are the sizes of the steps that ended at them. */
static stencil stencil_of(const cardan_integrator *it, const double own[3])
{
    const double a = own[1], b = own[2];
    const double weight[] = {2.0 / (a * (a + b)), -2.0 / (a * b), 2.0 / (b * (a + b))};
    stencil s = {.gap = {a, b}, .rounding_level = unit_rounding(it, b)};
    for (int i = 0; i < 3; i++)
        s.spread = hypot(s.spread, weight[i] * unit_rounding(it, own[i]));
    return s;
}

/* The begin, the middle and the end of a first step of size h: only the end has such errors. */
static stencil stencil_halves(const cardan_integrator *it, double h)
{
    const double half = 0.5 * h, weight = 4.0 / (h * h), unit = unit_rounding(it, h);
    return (stencil){.gap = {half, half}, .rounding_level = unit, .spread = weight * unit};
}

static double stencil_apply(const stencil *s, double left, double middle, double right)
{
    return 2.0 * ((right - middle) / s->gap[1] - (middle - left) / s->gap[0]) /
           (s->gap[0] + s->gap[1]);
}

/* Learns the rounding level of a quantity from two second differences in a row: it grows to what
 * they show, or fades. The quantity's unit rounding error is `unit` times that of the stencils. */
static void learn_rounding(const stencil *older, const stencil *newer, double before, double now,
                           double unit, cd_rounding_level *rounding_level)
{
    const double scale = unit * (older->spread + newer->spread);
    const double shown = scale > 0.0 ? fabs(now - before) / scale : 0.0;
    const bool alternates = before * now < 0.0 && shown < most_alternation;
    rounding_level->seen = cd_larger(alternates ? shown : 0.0, fading * rounding_level->seen);
    rounding_level->sure = cd_larger(alternates ? cd_smaller(shown, rounding_level->last) : 0.0,
                                     fading * rounding_level->sure);
    rounding_level->last = alternates ? shown : 0.0;
}

/* A bound of the rounding error, in units of the spread. */
static double bound_rounding(const cardan_integrator *it, double seen)
{
    /* Assumed from the start; with the damping in use the index-3 form has about 30. */
    const double least = it->scheme->settles_hidden ? 32.0 : 4.0;
    return standard_deviations * cd_larger(seen, least);
}

void cd_rounding_compare(cardan_integrator *it, double rounding, double tolerance)
{
    enum { SETTLED = 30 }; /* until then alternations may be what is left of the start */
    if ((it->automatic.on ? it->automatic.kept.used : it->counts.steps) >= SETTLED)
        it->counts.rounding =
            cd_larger(standard_deviations * rounding / tolerance, it->counts.rounding);
}

/* ---- estimates ---- */

/* Three states in a row, and the one before them; NULL: not known yet. */
enum { POINTS = 4 };
typedef struct derivatives {
    const cd_state *state; /* where [v, v'] is taken */
    double h;
    bool probed; /* solved for at the start, not integrated: without the rounding of steps */
    const double *vdot[POINTS], *lambda[POINTS], *psi[POINTS];
    stencil older, newer; /* points 0 to 2, points 1 to 3 */
} derivatives;

/* The estimate for one variable: its error or, if a rate is estimated, the error after `span`. */
typedef struct estimate {
    cd_error_kind kind;
    int index;
    double error, tolerance;
    double rounding_level; /* the part of it that rounding can cause */
    double span;
} estimate;

/* Keeps the estimate as the worst one, if it is, and adds it to the sums for the verdict. */
static void update_worst(cardan_integrator *it, cd_worst *worst, double h, const estimate *e)
{
    const double relative = fabs(e->error) / (e->tolerance + e->rounding_level);
    if (it->control.errors != NULL) { /* for the verdict on fixed steps: rates add up for a span */
        double *kept = &it->control.errors[(int)e->kind * it->system->k + e->index];
        *kept += h / e->span * (cd_larger(fabs(e->error) - e->rounding_level, 0.0) - *kept);
    }
    if (!(relative <= worst->error))
        *worst = (cd_worst){relative, e->kind, e->index};
}

/* The second derivative of x, NAN if not known, and the rounding error in it. */
static double second_derivative(cardan_integrator *it, const derivatives *d, const double *const *x,
                                int i, double unit, cd_rounding_level *rounding_level,
                                double *rounding)
{
    if (x[1] == NULL)
        return NAN;
    const double newer = stencil_apply(&d->newer, x[1][i], x[2][i], x[3][i]);
    if (x[0] != NULL)
        learn_rounding(&d->older, &d->newer, stencil_apply(&d->older, x[0][i], x[1][i], x[2][i]),
                       newer, unit, rounding_level);
    *rounding = bound_rounding(it, rounding_level->seen) * unit * d->newer.spread;
    return newer;
}

/* Estimates the errors of all positions and velocities. */
static void judge_motion(cardan_integrator *it, const derivatives *d, double *bracket,
                         cd_worst *worst)
{
    const error_constants c = find_error_constants(it);
    cd_control *sizes = &it->control;
    const double h2 = d->h * d->h, unit = cd_ga_acceleration_weight(&it->def.params);
    cardan_group_bracket(it->system->group, d->state->v, d->state->vdot, bracket);
    for (int i = 0; i < it->system->k; i++) {
        const double span = cd_larger(d->h, cd_control_period(sizes, i));
        const double jerk = (d->vdot[3][i] - d->vdot[2][i]) / d->newer.gap[1];
        double rounding = 0.0;
        const double snap =
            second_derivative(it, d, d->vdot, i, unit, &sizes->rounding_level[i], &rounding);
        const bool resolved = !isnan(snap) && fabs(jerk) > 3.0 * d->h * rounding;
        sizes->latest[i] = resolved ? fabs(jerk) : 0.0;
        const estimate position = {.kind = CD_ERROR_POSITION,
                                   .index = i,
                                   .error =
                                       span * h2 * (c.position * jerk + c.commutator * bracket[i]),
                                   .tolerance = cd_tolerance_of(it, CD_ERROR_POSITION, i),
                                   .rounding_level = span * h2 * fabs(c.position) * d->h * rounding,
                                   .span = span};
        const estimate velocity = {.kind = CD_ERROR_VELOCITY,
                                   .index = i,
                                   .error = span * h2 * c.velocity * snap,
                                   .tolerance = cd_tolerance_of(it, CD_ERROR_VELOCITY, i),
                                   .rounding_level = span * h2 * fabs(c.velocity) * rounding,
                                   .span = span};
        update_worst(it, worst, d->h, &position);
        if (!isnan(snap))
            update_worst(it, worst, d->h, &velocity);
    }
}

static void judge_multipliers(cardan_integrator *it, const derivatives *d, cd_worst *worst)
{
    cd_control *sizes = &it->control;
    const double c = d->h * d->h * find_error_constants(it).multiplier;
    const double unit = cd_ga_multiplier_gain(&it->step);
    const int m = it->system->m, l = it->system->l;
    sizes->latest_bend = 0.0;
    for (int i = 0; i < m + l && d->lambda[1] != NULL; i++) {
        double rounding = 0.0;
        cd_rounding_level *rounding_level = &sizes->rounding_level[it->system->k + i];
        const double curvature = second_derivative(
            it, d, i < m ? d->lambda : d->psi, i < m ? i : i - m, unit, rounding_level, &rounding);
        const double tolerance = cd_tolerance_of(it, CD_ERROR_MULTIPLIER, i);
        const estimate e = {.kind = CD_ERROR_MULTIPLIER,
                            .index = i,
                            .error = c * curvature,
                            .tolerance = tolerance,
                            .rounding_level = fabs(c) * rounding,
                            .span = d->h};
        update_worst(it, worst, d->h, &e);
        if (d->probed || fabs(curvature) > 3.0 * rounding)
            sizes->latest_bend = cd_larger(fabs(c * curvature) / (d->h * d->h), sizes->latest_bend);
        cd_rounding_compare(it, rounding_level->sure * unit * d->newer.rounding_level, tolerance);
    }
}

/* The error of a multiplier that follows from positions is about C h^2 lambda'' + N / h^2, where
 * N / h^2 is its rounding error. It is least at h^4 = N / (C lambda''). Shorter steps are worse,
 * but that does not matter if rounding alone is below the tolerance (for multipliers that are
 * nearly zero: below that of the loads). If no lambda'' has been seen yet above rounding, that of
 * an oscillation with the period of the motion is used. */
double cd_estimate_rounding_step(const cardan_integrator *it, double h)
{
    const cardan_step_control *control = &it->def.control;
    const cd_control *sizes = &it->control;
    if (!it->scheme->settles_hidden || !(sizes->period > 0.0))
        return 0.0;
    const double frequency = 6.283185307179586 / sizes->period;
    const double unit = stencil_of(it, (const double[]){h, h, h}).rounding_level * h * h *
                        cd_ga_multiplier_gain(&it->step);
    const double slow = fabs(find_error_constants(it).multiplier) * frequency * frequency *
                        cd_max_abs(it->system->m, sizes->multiplier);
    const double seen = fmax(sizes->bend, sizes->latest_bend), bend = seen > 0.0 ? seen : slow;
    const double load = cd_system_scales(it->ws).mass * cd_max_abs(it->system->k, sizes->change);
    double least = 0.0;
    for (int i = 0; i < it->system->m; i++) {
        const double rounding =
            bound_rounding(it, sizes->rounding_level[it->system->k + i].seen) * unit;
        const double best = pow(rounding / bend, 0.25);
        const double tolerance = cd_control_allowed(control->multiplier, control->multipliers, i,
                                                    fmax(sizes->multiplier[i], load));
        least = fmax(least, fmin(best, sqrt(rounding / tolerance)));
    }
    return least;
}

static void set_points(derivatives *d, const cd_state *const states[POINTS])
{
    for (int i = 0; i < POINTS; i++) {
        if (states[i] == NULL)
            continue;
        d->vdot[i] = states[i]->vdot;
        d->lambda[i] = states[i]->lambda;
        d->psi[i] = states[i]->psi;
    }
}

/* The state of v', lambda and psi that is stored at `at` in cd_control.probes. */
static cd_state probed_state(const cardan_integrator *it, double t, double *at)
{
    double *lambda = at + it->system->k;
    return (cd_state){.t = t, .vdot = at, .lambda = lambda, .psi = lambda + it->system->m};
}

/* From the ends and the middle of a step that has no state before it. */
static derivatives derivatives_of_first(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const cd_state middle = probed_state(it, step->old->t + 0.5 * step->h, it->control.probes);
    derivatives d = {.state = step->next,
                     .h = step->h,
                     .vdot = {NULL, NULL, step->old->vdot, step->next->vdot},
                     .newer = stencil_of(it, (const double[]){step->h, step->h, step->h})};
    const cd_interpolated_step over = {.mode = it->mode, .old = step->old, .now = step->next};
    if (cd_dense_at(it, &over, &middle) != CARDAN_OK)
        return d;
    set_points(&d, (const cd_state *const[]){NULL, step->old, &middle, step->next});
    d.newer = stencil_halves(it, step->h);
    return d;
}

static derivatives derivatives_of(cardan_integrator *it)
{
    const cd_step *step = &it->step;
    const bool four = it->has_two_before;
    const cd_state *two_before = cd_integrator_earlier(it, 2);
    const cd_state *states[POINTS] = {four ? two_before : NULL, step->before, step->old,
                                      step->next};
    const double own[POINTS] = {four ? two_before->h : step->old->h, step->before->h, step->old->h,
                                step->h};
    derivatives d = {.state = step->next,
                     .h = step->h,
                     .older = stencil_of(it, own),
                     .newer = stencil_of(it, own + 1)};
    set_points(&d, states);
    return d;
}

cd_worst cd_estimate_step(cardan_integrator *it)
{
    if (cd_is_explicit(it))
        return cd_explicit_estimate(it);
    if (cd_is_multistep(it) && (cd_multistep_knows(it) || it->step.keeps_order))
        return cd_multistep_estimate(it);
    const derivatives d = it->step.before != NULL ? derivatives_of(it) : derivatives_of_first(it);
    cd_worst worst = {0};
    judge_motion(it, &d, it->values, &worst);
    judge_multipliers(it, &d, &worst);
    return worst;
}

/* Finds v', lambda and psi at two times near the start, and stores them one after the other in
 * `probes`: the estimate that chooses the first step size has no earlier states. */
static cardan_status probe_two_times(cardan_integrator *it, const double offsets[2], double *probes)
{
    const int k = it->system->k, m = it->system->m, l = it->system->l;
    const cd_state *there = cd_integrator_iterate(it);
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

/* The estimate that a step of size h from the start will have: from the times -h, 0 and h, or,
 * behind a breakpoint, 0, h / 2 and h. */
static cardan_status estimate_start(cardan_integrator *it, double h, double *error)
{
    const cardan_system *system = it->system;
    const cd_state *now = cd_integrator_now(it);
    const bool ahead = cd_breakpoint_behind(it, h);
    double *probes = it->control.probes;
    const cd_state first = probed_state(it, 0.0, probes);
    const cd_state second = probed_state(it, 0.0, probes + system->k + system->m + system->l);
    cardan_status status = probe_two_times(it, (const double[]){ahead ? 0.5 * h : -h, h}, probes);
    if (status != CARDAN_OK)
        return status;
    it->step.old = it->step.next = cd_integrator_now(it); /* for their sizes */
    derivatives d = {.state = now, .h = h, .probed = true};
    set_points(&d, ahead ? (const cd_state *const[]){NULL, now, &first, &second}
                         : (const cd_state *const[]){NULL, &first, now, &second});
    d.newer = ahead ? stencil_halves(it, h) : stencil_of(it, (const double[]){h, h, h});
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
    const double ahead = cd_control_longest_first(it), target_error = 0.1;
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
        const double factor = sound ? sqrt(target_error / fmax(error, 1e-4)) : 0.1;
        *h = fmin(scale, *h * fmax(1e-3, fmin(10.0, factor)));
        rounds += sound;
    }
    return CARDAN_OK;
}

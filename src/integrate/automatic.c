/* The choice of the method while a run goes on.
 *
 * The explicit method needs far fewer steps, unless the fastest mode of the system, which need not
 * even move, holds its steps at the limit of stability. So it is used unless steps of the implicit
 * method are so much longer that these do the same time with less work. Work is counted in steps of
 * the implicit method, never in seconds: runs are the same on every machine. */
#include "automatic.h"

#include "base/numeric.h"
#include "integrator.h"

#include <stdio.h>
#include <string.h>

/* A step of the explicit method costs about as many of the implicit one: six evaluations, matrices
 * and factorizations against about two evaluations and solves (docs/methods/auto.md). */
static const double cost = 4.0;

/* A change must promise this many times less work, so that methods do not take turns. */
static const double gain_of_implicit = 1.5, gain_of_explicit = 2.0;

enum { FIRST_PAUSE = 16, LONGEST_PAUSE = 64, LONGEST_PATIENCE = 4096 };

/* ---- rates of the fastest modes ----
 *
 * By power iteration: accelerations at positions and velocities moved a little show the fastest
 * spring and the fastest damper. A move is a hundredth of a tolerance: stiffness matters as far as
 * errors feel it. */

static const double move_in_tolerances = 1e-2;

/* v' at the current state moved by dq and dv (NULL: not moved). */
static cardan_status accelerate(cardan_integrator *it, const double *dq, const double *dv,
                                double *vdot)
{
    const cardan_system *system = it->system;
    const cd_state *now = cd_integrator_now(it);
    cd_state *there = cd_integrator_iterate(it);
    cd_copy(cardan_group_size(system->group), now->q, there->q);
    cd_copy(system->k, now->v, there->v);
    if (dq != NULL)
        cardan_group_update(system->group, now->q, dq, there->q);
    if (dv != NULL)
        cd_add(system->k, 1.0, dv, there->v);
    cd_copy(system->k, now->vdot, vdot);
    cd_copy(system->m, now->lambda, there->lambda);
    cd_copy(system->l, now->psi, there->psi);
    const cardan_point at = {now->t, there->q, there->v, vdot, there->lambda, there->psi};
    return cd_consistent_solve(it->consistent, &at, vdot, there->lambda, there->psi);
}

/* The largest component in tolerances of v, and whose it is. */
static double size_of(const cardan_integrator *it, const double *x, int *largest)
{
    double size = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double relative = fabs(x[i]) / cd_tolerance_of(it, CD_ERROR_VELOCITY, i);
        if (relative > size)
            *largest = i;
        size = fmax(size, relative);
    }
    return size;
}

/* A direction in which every mode has a part. */
static void make_direction(const cardan_integrator *it, double *x)
{
    enum { FACTOR = 37, MODULUS = 101 };
    for (int i = 0; i < it->system->k; i++)
        x[i] = ((i + 1) * FACTOR % MODULUS - 0.5 * MODULUS) *
               cd_tolerance_of(it, CD_ERROR_VELOCITY, i);
}

/* One pass of the power iteration: x becomes the change of v' that a move along x makes. `growth`
 * is by how much it is larger. */
static cardan_status amplify(cardan_integrator *it, cd_error_kind kind, const double *base,
                             double *x, double *growth, int *largest)
{
    const int k = it->system->k;
    double *move = it->step.increment, *there = it->control.probes + k, in_tolerances = 0.0;
    double before = size_of(it, x, largest);
    if (!(before > 0.0))
        make_direction(it, x);
    before = size_of(it, x, largest);
    cd_scale(k, 1.0 / before, x);
    for (int i = 0; i < k; i++)
        in_tolerances = fmax(in_tolerances, fabs(x[i]) / cd_tolerance_of(it, kind, i));
    const double scale = move_in_tolerances / in_tolerances;
    for (int i = 0; i < k; i++)
        move[i] = scale * x[i];
    const bool positions = kind == CD_ERROR_POSITION;
    const cardan_status status =
        accelerate(it, positions ? move : NULL, positions ? NULL : move, there);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < k; i++)
        x[i] = (there[i] - base[i]) / scale;
    *growth = size_of(it, x, largest);
    return CARDAN_OK;
}

/* The longest step of the explicit method that is stable, by so many passes; INFINITY if nothing
 * limits it. `fastest` is the velocity that moves most in the mode that does. */
static cardan_status find_stable_step(cardan_integrator *it, int passes, double *h, int *fastest)
{
    double *base = it->control.probes, spring = 0.0, damper = 0.0;
    int of_spring = 0, of_damper = 0;
    cardan_status status = accelerate(it, NULL, NULL, base);
    for (int i = 0; i < passes && status == CARDAN_OK; i++) {
        status = amplify(it, CD_ERROR_POSITION, base, it->automatic.spring, &spring, &of_spring);
        if (status == CARDAN_OK)
            status =
                amplify(it, CD_ERROR_VELOCITY, base, it->automatic.damper, &damper, &of_damper);
    }
    const double swings = sqrt(spring) / CD_STABLE_SWING, decays = damper / CD_STABLE_DECAY;
    *fastest = swings > decays ? of_spring : of_damper;
    *h = 1.0 / fmax(swings, decays);
    return status;
}

/* ---- methods ---- */

void cd_automatic_take(cardan_integrator *it, const cd_scheme *scheme)
{
    it->scheme = it->step.scheme = scheme;
    it->step.params = scheme->params != NULL ? *scheme->params : it->def.params;
    cd_integrator_set_weights(it);
}

/* Why the explicit method cannot be used, or NULL. */
static const char *find_obstacle(const cardan_integrator_def *def)
{
    const cardan_experimental usual = cardan_integrator_def_default().experimental;
    if (def->projection.level != CARDAN_PROJECT_NONE || def->projection.acceleration)
        return "projections are asked for";
    if (def->experimental.start != usual.start ||
        def->experimental.step_change != usual.step_change || def->experimental.full_newton)
        return "options of implicit methods are given";
    return NULL;
}

const cd_scheme *cd_automatic_solver(const cardan_integrator *it)
{
    return it->automatic.on ? cd_automatic_implicit : it->scheme;
}

void cd_automatic_init(cardan_integrator *it, const cardan_integrator_def *def)
{
    cd_automatic *automatic = &it->automatic;
    const int k = it->system->k, multipliers = it->most.m + it->most.l;
    const char *obstacle = find_obstacle(def);
    snprintf(automatic->story, sizeof automatic->story, "%s", it->scheme->name);
    if (strcmp(def->method, CD_AUTOMATIC) != 0 || !it->def.control.adaptive)
        return;
    it->def.method = CD_AUTOMATIC;
    automatic->on = obstacle == NULL;
    if (obstacle != NULL)
        snprintf(automatic->story, sizeof automatic->story, "%s: %s", it->scheme->name, obstacle);
    if (!automatic->on)
        return;
    automatic->spring = cd_arena_doubles(&it->arena, k);
    automatic->damper = cd_arena_doubles(&it->arena, k);
    it->step.work = cd_arena_doubles(&it->arena, cd_automatic_explicit->work(k, multipliers));
}

/* ---- what the summary says ---- */

static void tell_start(cardan_integrator *it)
{
    snprintf(it->automatic.story, sizeof it->automatic.story, "%s: %s", it->scheme->name,
             it->automatic.why);
}

static void tell_change(cardan_integrator *it, const char *from)
{
    cd_automatic *automatic = &it->automatic;
    char *story = automatic->story, first[64];
    const size_t size = sizeof automatic->story;
    const double t = cd_integrator_now(it)->t;
    const long changes = ++it->counts.method_changes;
    if (changes == 1)
        it->counts.method_changed = t;
    snprintf(first, sizeof first, "%s to t = %.6g", changes % 2 == 1 ? from : it->scheme->name,
             it->counts.method_changed);
    if (changes == 1)
        snprintf(story, size, "%s, then %s: %s", first, it->scheme->name, automatic->why);
    else
        snprintf(story, size, "%s, then in turns; since change %ld at t = %.6g %s: %s", first,
                 changes, t, it->scheme->name, automatic->why);
}

static void blame_mode(cardan_integrator *it, int fastest, double h)
{
    const cd_name name = cd_system_name(it->system, CARDAN_NAME_VELOCITY, fastest);
    const char *own = strchr(name.text, '('); /* of the model, in brackets after its number */
    snprintf(it->automatic.why, sizeof it->automatic.why,
             "stiff: a fast mode, most of all in %.*s, would hold explicit steps at %.2g s",
             own != NULL ? (int)strcspn(own + 1, ")") : 80, own != NULL ? own + 1 : name.text, h);
}

/* ---- the choice ---- */

void cd_automatic_begin(cardan_integrator *it)
{
    cd_automatic *automatic = &it->automatic;
    if (!automatic->on)
        return;
    automatic->barred = automatic->change = false;
    automatic->own = 0.0;
    automatic->wait = automatic->pause = automatic->patience = FIRST_PAUSE;
    automatic->used = 0;
    cd_zero(it->system->k, automatic->spring);
    cd_zero(it->system->k, automatic->damper);
    snprintf(automatic->why, sizeof automatic->why, "nothing stiff holds its steps");
    cd_automatic_take(it, cd_automatic_explicit);
    tell_start(it);
}

/* The implicit method if stability would allow a small part only of the step that the motion
 * allows; if that is doubtful the first steps will show it. */
cardan_status cd_automatic_choose(cardan_integrator *it)
{
    enum { PASSES = 8 };
    const double later = 4.0, small_part = 0.05; /* first steps are a quarter of later ones */
    double h;
    int fastest;
    if (!it->automatic.on)
        return CARDAN_OK;
    it->automatic.measured = cd_integrator_now(it)->t;
    if (find_stable_step(it, PASSES, &h, &fastest) != CARDAN_OK ||
        h > small_part * later * it->nominal)
        return CARDAN_OK;
    cd_automatic_take(it, cd_automatic_implicit);
    blame_mode(it, fastest, h);
    tell_start(it);
    return cd_control_start(it);
}

static void change_to_implicit(cardan_integrator *it)
{
    cd_automatic *automatic = &it->automatic;
    double h;
    int fastest;
    automatic->change = true;
    automatic->step = it->control.marks.calm_step;
    if (find_stable_step(it, 4, &h, &fastest) == CARDAN_OK)
        blame_mode(it, fastest, fmin(h, it->step.h));
}

/* The steps since the last measurement against the longest stable one. */
static void measure(cardan_integrator *it)
{
    enum { PASSES = 2 };
    cd_automatic *automatic = &it->automatic;
    const double t = cd_integrator_now(it)->t;
    const double mean = (t - automatic->measured) / (double)automatic->pause;
    double h;
    int fastest;
    automatic->measured = t;
    automatic->own = fmax(mean, it->nominal); /* steps may have just grown */
    automatic->change = find_stable_step(it, PASSES, &h, &fastest) == CARDAN_OK &&
                        h > gain_of_explicit * cost * automatic->own;
    automatic->step = h;
    cd_consistent_forget(it->consistent, &it->arena);
    if (automatic->change)
        snprintf(automatic->why, sizeof automatic->why, "nothing stiff holds its steps any more");
    automatic->pause = 2 * automatic->pause < LONGEST_PAUSE ? 2 * automatic->pause : LONGEST_PAUSE;
    automatic->wait = automatic->pause;
}

void cd_automatic_watch(cardan_integrator *it)
{
    cd_automatic *automatic = &it->automatic;
    const cd_control *control = &it->control;
    if (!automatic->on)
        return;
    automatic->used++;
    it->counts.explicit_steps += cd_is_explicit(it);
    if (automatic->barred || automatic->change)
        return;
    if (!cd_is_explicit(it)) {
        if (--automatic->wait <= 0)
            measure(it);
    } else if (cd_explicit_is_stiff(it) &&
               cost * control->marks.calm_step > gain_of_implicit * it->step.h)
        change_to_implicit(it);
    else if (it->counts.rounding > 1.0) {
        automatic->barred = automatic->change = true;
        automatic->step = it->step.h;
        snprintf(automatic->why, sizeof automatic->why,
                 "differences of the constraints leave rounding errors in the accelerations");
    }
}

/* Whether the steps of the explicit method have been long enough since it took over. */
static bool was_of_use(const cardan_integrator *it)
{
    const cd_automatic *automatic = &it->automatic;
    const double mean = (it->view.t - automatic->measured) / (double)automatic->used;
    return automatic->used > 0 && mean > cost * automatic->own;
}

/* START with the other method at the current state. */
static cardan_status start_other(cardan_integrator *it)
{
    const double most_growth = 100.0;
    cd_automatic *automatic = &it->automatic;
    const char *from = it->scheme->name;
    if (cd_is_explicit(it)) {
        const long longer = 2 * automatic->patience;
        automatic->patience = was_of_use(it)              ? FIRST_PAUSE
                              : longer < LONGEST_PATIENCE ? longer
                                                          : LONGEST_PATIENCE;
        automatic->wait = automatic->pause = automatic->patience;
    }
    automatic->used = 0;
    automatic->change = false;
    cd_automatic_take(it, cd_is_explicit(it) ? cd_automatic_implicit : cd_automatic_explicit);
    tell_change(it, from);
    automatic->measured = cd_integrator_now(it)->t;
    it->nominal = fmin(automatic->step, most_growth * it->nominal);
    return cd_integrator_restart(it, CD_AFTER_OTHER_METHOD);
}

cardan_status cd_automatic_change(cardan_integrator *it)
{
    return it->automatic.change ? start_other(it) : CARDAN_OK;
}

bool cd_automatic_rescue(cardan_integrator *it, cardan_status status)
{
    const cardan_error cause = it->error;
    const bool for_good = status > 0 && status != CARDAN_EVENT && status != CARDAN_INTERRUPTED &&
                          status != CARDAN_CONTRADICTION;
    if (!for_good || !it->automatic.on || it->automatic.barred)
        return false;
    snprintf(it->automatic.why, sizeof it->automatic.why, "%.150s", cause.text);
    it->automatic.barred = true;
    it->automatic.step = it->control.longest;
    if (start_other(it) == CARDAN_OK)
        return true;
    it->error = cause;
    return false;
}

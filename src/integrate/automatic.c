/* The choice of the method while a run goes on (docs/methods/auto.md).
 *
 * The explicit method needs far fewer steps, unless the fastest mode of the system, which need not
 * even move, holds its steps at the limit of stability. So it is used unless steps of the implicit
 * method are so much longer that these do the same time with less work. Work is counted in steps of
 * the implicit method, never in seconds: runs are the same on every machine. */
#include "base/numeric.h"
#include "integrator.h"

#include <stdio.h>

/* Steps of the implicit method that one of the explicit method is worth: six evaluations, matrices
 * and factorizations against about two evaluations and solves. A change must promise some times
 * less work, so that methods do not take turns. */
static const double cost = 4.0, gain_of_implicit = 1.5, gain_of_explicit = 2.0;

/* ---- rates of the fastest modes, by power iteration ---- */

/* The largest component in tolerances of a kind, and whose it is. */
static double size_of(const cardan_integrator *it, cd_error_kind kind, const double *x, int *index)
{
    double size = 0.0;
    for (int i = 0; i < it->system->k; i++) {
        const double relative = fabs(x[i]) / cd_tolerance_of(it, kind, i);
        *index = relative > size ? i : *index;
        size = fmax(size, relative);
    }
    return size;
}

/* v' at the current state with q or v moved by it->step.increment. */
static cardan_status accelerate(cardan_integrator *it, cd_error_kind kind, double *vdot)
{
    const cardan_system *system = it->system;
    const cd_state *now = cd_integrator_now(it), *there = cd_integrator_iterate(it);
    cd_integrator_copy_state(it, now, cd_integrator_iterate(it));
    if (kind == CD_ERROR_POSITION)
        cardan_group_update(system->group, now->q, it->step.increment, there->q);
    else
        cd_add(system->k, 1.0, it->step.increment, there->v);
    cd_copy(system->k, now->vdot, vdot);
    const cardan_point at = {now->t, there->q, there->v, vdot, there->lambda, there->psi};
    return cd_consistent_solve(it->consistent, &at, vdot, there->lambda, there->psi);
}

/* The change of v' that a small move of q or v along the mode makes becomes the mode; how many
 * times larger it is than the move, NAN if that is not known. Stiffness matters as far as errors
 * feel it: the move is a part of the tolerances. */
static double amplify(cardan_integrator *it, cd_error_kind kind, const double *base, int *index)
{
    enum { FACTOR = 37, MODULUS = 101 }; /* of a direction in which every mode has a part */
    const double part = 1e-2;
    const int k = it->system->k;
    double *x = it->automatic.mode[kind], *there = it->control.probes + k;
    const bool known = size_of(it, kind, x, index) > 0.0;
    for (int i = 0; i < k && !known; i++)
        x[i] = (i + 1) % MODULUS * FACTOR % MODULUS - 0.5 * MODULUS;
    const double scale = part / size_of(it, kind, x, index);
    const double before = scale * size_of(it, CD_ERROR_VELOCITY, x, index);
    for (int i = 0; i < k; i++)
        it->step.increment[i] = scale * x[i];
    if (accelerate(it, kind, there) != CARDAN_OK)
        return NAN;
    for (int i = 0; i < k; i++)
        x[i] = (there[i] - base[i]) / before;
    const double growth = size_of(it, CD_ERROR_VELOCITY, x, index);
    cd_scale(k, growth > 0.0 ? 1.0 / growth : 0.0, x);
    return growth;
}

/* The longest stable step of the explicit method; INFINITY: of any length, NAN: not known. */
static double find_stable_step(cardan_integrator *it, int passes)
{
    double *base = it->control.probes, spring = 0.0, damper = 0.0;
    int of_spring = 0, of_damper = 0;
    cd_zero(it->system->k, it->step.increment);
    if (accelerate(it, CD_ERROR_POSITION, base) != CARDAN_OK)
        return NAN;
    for (int i = 0; i < passes; i++) {
        spring = sqrt(amplify(it, CD_ERROR_POSITION, base, &of_spring)) / CD_STABLE_SWING;
        damper = amplify(it, CD_ERROR_VELOCITY, base, &of_damper) / CD_STABLE_DECAY;
    }
    it->automatic.fastest = spring > damper ? of_spring : of_damper;
    return isnan(spring + damper) ? NAN : 1.0 / fmax(spring, damper);
}

/* ---- the methods, and what the summary says of them ---- */

void cd_automatic_take(cardan_integrator *it, const cd_scheme *scheme)
{
    it->scheme = it->step.scheme = scheme;
    it->step.params = scheme->params != NULL ? *scheme->params : it->def.params;
    cd_integrator_set_weights(it);
}

static void explain(cardan_integrator *it, const char *why)
{
    snprintf(it->automatic.kept.why, sizeof it->automatic.kept.why, "%.150s", why);
}

static void blame_mode(cardan_integrator *it, double h)
{
    const cd_name name = cd_system_name(it->system, CARDAN_NAME_VELOCITY, it->automatic.fastest);
    snprintf(it->automatic.kept.why, sizeof it->automatic.kept.why,
             "stiff, a fast mode of %.90s would hold steps of %s at %.2g s", name.text,
             cd_automatic_explicit->name, h);
}

static void tell(cardan_integrator *it, const char *before)
{
    snprintf(it->automatic.kept.story, sizeof it->automatic.kept.story, "%s%s: %s", before,
             it->scheme->name, it->automatic.kept.why);
}

void cd_automatic_init(cardan_integrator *it, const cardan_integrator_def *def)
{
    cd_automatic *automatic = &it->automatic;
    const cardan_experimental *given = &def->experimental;
    snprintf(automatic->kept.story, sizeof automatic->kept.story, "%s", it->scheme->name);
    if (strcmp(def->method, CD_AUTOMATIC) != 0 || !it->def.control.adaptive)
        return;
    it->def.method = CD_AUTOMATIC;
    automatic->on = !cd_integrator_projects(it) && given->start == CARDAN_START_PERTURBED &&
                    given->step_change == CARDAN_STEP_SETTLED && !given->full_newton;
    explain(it, "projections or other options of implicit methods are given");
    tell(it, "");
    for (int i = 0; i < 2; i++)
        automatic->mode[i] = cd_arena_doubles(&it->arena, it->system->k);
    it->step.work = cd_arena_doubles(
        &it->arena, cd_automatic_explicit->work(it->system->k, it->most.m + it->most.l));
}

/* ---- the choice ---- */

void cd_automatic_begin(cardan_integrator *it)
{
    if (!it->automatic.on)
        return;
    it->automatic.kept.turns = it->automatic.kept.change = it->automatic.kept.barred = 0;
    it->automatic.kept.used = 0;
    for (int i = 0; i < 2; i++)
        cd_zero(it->system->k, it->automatic.mode[i]);
    cd_automatic_take(it, cd_automatic_explicit);
    explain(it, "nothing stiff holds its steps");
    tell(it, "");
}

/* The implicit method if stability would allow a small part only of the step that the motion
 * allows; if that is doubtful the first steps will show it. */
void cd_automatic_choose(cardan_integrator *it)
{
    enum { PASSES = 3 };           /* no more work than a step */
    const double small_part = 0.2; /* of the first step, which is a quarter of later ones */
    const double h = it->automatic.on ? find_stable_step(it, PASSES) : NAN;
    it->automatic.kept.change = h < small_part * it->nominal;
    it->automatic.kept.step = it->nominal;
    if (it->automatic.kept.change)
        blame_mode(it, h);
}

/* The steps of the implicit method, which may have just grown, against the longest stable one. */
static void measure(cardan_integrator *it)
{
    enum { PASSES = 2, LONGEST_PAUSE = 64 };
    cd_automatic *automatic = &it->automatic;
    const double t = it->view.t, pause = (double)automatic->kept.pause;
    const double mean = (t - automatic->kept.measured) / pause, own = fmax(mean, it->nominal);
    automatic->kept.step = find_stable_step(it, PASSES);
    automatic->kept.change = automatic->kept.step > gain_of_explicit * cost * own;
    automatic->kept.measured = t;
    automatic->kept.pause = (long)fmin(2.0 * pause, LONGEST_PAUSE);
    automatic->kept.wait = automatic->kept.pause;
    cd_consistent_forget(it->consistent, &it->arena);
    if (automatic->kept.change)
        explain(it, "nothing stiff holds its steps any more");
}

void cd_automatic_watch(cardan_integrator *it)
{
    enum { PASSES = 4, MOST = 8 }; /* of the last 15 steps */
    cd_automatic *automatic = &it->automatic;
    const double calm = it->control.marks.calm_step;
    it->counts.explicit_steps += automatic->on && cd_is_explicit(it);
    automatic->kept.used++;
    if (!automatic->on || automatic->kept.barred || automatic->kept.change)
        return;
    if (!cd_is_explicit(it)) {
        if (--automatic->kept.wait <= 0)
            measure(it);
    } else if (it->control.stiff && it->control.stiff_lately >= MOST &&
               cost * calm > gain_of_implicit * it->step.h) {
        automatic->kept.change = 1;
        automatic->kept.step = calm;
        blame_mode(it, fmin(it->step.h, find_stable_step(it, PASSES)));
    } else if (it->counts.rounding > 1.0) {
        automatic->kept.change = automatic->kept.barred = 1;
        automatic->kept.step = it->step.h;
        explain(it, "differences of the constraints leave rounding errors in accelerations");
    }
}

cardan_status cd_automatic_change(cardan_integrator *it)
{
    enum { FIRST_PAUSE = 16, MOST_DOUBLINGS = 5 };
    const double most_growth = 100.0;
    cd_automatic *automatic = &it->automatic;
    const long turns = automatic->kept.turns++ / 2;
    char before[64];
    it->counts.method_changes++;
    it->counts.method_changed = automatic->kept.measured = it->view.t;
    snprintf(before, sizeof before, "%s%s to t = %.6g, then ",
             automatic->kept.turns > 1 ? "in turns, at last " : "", it->scheme->name, it->view.t);
    cd_automatic_take(it, cd_is_explicit(it) ? cd_automatic_implicit : cd_automatic_explicit);
    tell(it, before);
    automatic->kept.change = automatic->kept.used = 0;
    automatic->kept.wait = automatic->kept.pause = /* after many changes the next comes later */
        FIRST_PAUSE << (turns < MOST_DOUBLINGS ? turns : MOST_DOUBLINGS);
    it->nominal = fmin(automatic->kept.step, most_growth * it->nominal);
    const long calls = cd_workspace_services(it->ws)->calls;
    const cardan_status status = cd_integrator_restart(it, CD_AFTER_OTHER_METHOD);
    it->counts.callbacks += cd_workspace_services(it->ws)->calls - calls;
    return status;
}

bool cd_automatic_rescue(cardan_integrator *it, cardan_status status)
{
    const cardan_error cause = it->error;
    if (status <= 0 || status == CARDAN_EVENT || status == CARDAN_INTERRUPTED ||
        !it->automatic.on || it->automatic.kept.barred)
        return false;
    explain(it, cause.text);
    it->automatic.kept.barred = 1;
    it->automatic.kept.step = it->control.longest;
    if (cd_automatic_change(it) == CARDAN_OK)
        return true;
    it->error = cause;
    return false;
}

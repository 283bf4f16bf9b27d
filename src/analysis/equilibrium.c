/* Finding an equilibrium by one of two methods, and judging its stability (docs/methods/static.md).
 *
 * The methods:
 *
 * Downhill: steps (w M + S) xi = -R are implicit Euler steps of size 1/sqrt(w) from rest, each time
 * stopped again. w falls as long as steps go with the forces and stay short, and ends at 0, which
 * is Newton's method.
 *
 * Load steps: the start is held by the forces -R(q0); these are taken away in steps, each by
 * Newton's method. */
#include <cardan/equilibrium.h>

#include "balance.h"
#include "base/error.h"
#include "base/numeric.h"
#include "linearise.h"

#include <stdio.h>

enum { COOKIE = 0x57a71c01, NEWTON_ITERATIONS = 25, DIVISIONS = 10 };

typedef struct search {
    cd_balance *b;
    const cardan_equilibrium_def *def;
    cardan_equilibrium_report *report;
    cardan_error *error;
    bool settled; /* the last step of Newton's method was below NO_MOVE */
} search;

cardan_equilibrium_def cardan_equilibrium_def_default(void)
{
    return (cardan_equilibrium_def){.cookie = COOKIE, .max_iterations = 500, .tolerance = 1e-12};
}

static int worst_constraint(const cd_balance *b)
{
    int worst = 0;
    for (int i = 1; i < b->m; i++)
        if (fabs(b->residual[b->k + i]) > fabs(b->residual[b->k + worst]))
            worst = i;
    return worst;
}

/* Moves the start onto the constraints. */
static cardan_status close_start(search *s)
{
    const cd_balance *b = s->b;
    cardan_status status = cd_balance_evaluate(s->b);
    if (status == CARDAN_OK)
        status = cd_closing_create(s->b);
    if (status == CARDAN_OK)
        status = cd_close_constraints(s->b);
    if (status != CARDAN_INCONSISTENT_START)
        return status;
    const int worst = worst_constraint(b);
    return cd_fail(s->error, CARDAN_INCONSISTENT_START,
                   "the constraints cannot be met from the configuration given: %s is still off by "
                   "%.3g; start nearer to a configuration in which all joints close",
                   cd_system_name(b->system, CARDAN_NAME_CONSTRAINT, worst).text,
                   fabs(b->residual[b->k + worst]));
}

static bool is_balanced(const search *s)
{
    const cd_balance *b = s->b;
    return cd_max_abs(b->k, b->residual) <= s->def->tolerance * b->force &&
           cd_max_abs(b->m, b->residual + b->k) <= 1e-9;
}

/* b->step = acceleration from rest with the multipliers that go with it. */
static cardan_status find_acceleration(search *s)
{
    return cd_balance_solve(s->b, 1.0, 0.0, true);
}

/* Fails with a message that names the largest of the remaining forces, M times the acceleration. */
static cardan_status fail_with_forces(search *s, const char *what, const char *advice)
{
    cd_balance *b = s->b;
    char pushed[200];
    cardan_status status = cd_balance_evaluate(b);
    if (status == CARDAN_OK)
        status = find_acceleration(s);
    if (status != CARDAN_OK)
        return status;
    double *out = b->residual;
    cd_system_multiply_mass(b->ws, NULL, b->step, out);
    cd_name_direction(b->system, out, pushed, sizeof pushed);
    return cd_fail(s->error, CARDAN_NOT_CONVERGED,
                   "%s; forces of up to %.4g are left over, the largest on %s; %s", what,
                   cd_max_abs(b->k, out), pushed, advice);
}

/* The work of the remaining forces along b->step: -xi . (R + B^T dlambda) with B xi = -Phi. */
static double work_done(const cd_balance *b)
{
    return -cd_dot(b->k, b->step, b->residual) + cd_dot(b->m, b->step + b->k, b->residual + b->k);
}

/* A step of this reach is nothing: forces may be rounding errors in the equilibrium. */
static const double NO_MOVE = 1e-11;

/* Takes a step with a mass weight, raised until the step is short and goes with the forces. */
static cardan_status take_downhill_step(search *s, double *weight, double lightest)
{
    cd_balance *b = s->b;
    for (int tries = 0; tries < 60; tries++) {
        cardan_status status = cd_balance_solve(b, *weight, 1.0, true);
        if (status != CARDAN_OK)
            return status;
        const double reach = cd_balance_reach(b);
        s->settled = reach <= NO_MOVE && *weight == 0.0;
        if (reach <= NO_MOVE || (reach <= 1.0 && work_done(b) > 0.0)) {
            cd_balance_save(b, 0);
            cd_balance_move(b, 1.0);
            status = reach > 1e-5 ? cd_close_constraints(s->b) : cd_balance_evaluate(b);
            if (status == CARDAN_OK) {
                *weight *= fmin(1.0, fmax(0.1, reach / 0.8)); /* the next will reach 0.8 */
                *weight = *weight < lightest ? 0.0 : *weight;
            }
            if (status <= 0 && status != CARDAN_INCONSISTENT_START)
                return status;
            cd_balance_restore(b, 0); /* too far for the joints to close, or for a callback */
            status = cd_balance_evaluate(b);
            if (status != CARDAN_OK)
                return status;
        }
        const double heavier = reach > 1.0 && work_done(b) > 0.0 ? fmin(1.5 * reach, 10.0) : 10.0;
        *weight = *weight > 0.0 ? fmax(heavier, 2.0) * *weight : lightest;
    }
    return CARDAN_NOT_CONVERGED;
}

/* Goes downhill to an equilibrium, the first method of the file's head. */
static cardan_status go_downhill(search *s)
{
    cd_balance *b = s->b;
    cardan_status status = find_acceleration(s);
    if (status != CARDAN_OK)
        return status;
    cd_add(b->m + b->l, 1.0, b->step + b->k, b->multipliers);
    double weight = cd_balance_reach(b);
    const double lightest = 1e-8 * (weight > 0.0 ? weight : 1.0);
    b->border.least = lightest;
    for (int i = 0; i < s->def->max_iterations; i++) {
        status = cd_balance_evaluate(b);
        if (status != CARDAN_OK)
            return status;
        if (is_balanced(s))
            return CARDAN_OK;
        s->report->iterations++;
        status = take_downhill_step(s, &weight, lightest);
        if (status == CARDAN_NOT_CONVERGED)
            break;
        if (status != CARDAN_OK)
            return status;
        if (s->settled && b->border.solved)
            return CARDAN_OK;
        if (s->settled)
            break;
    }
    return fail_with_forces(
        s, "no equilibrium was found downhill of the start",
        "something may be free to fall: check that springs or joints hold it, start "
        "nearer to the equilibrium, or take load steps");
}

/* |F|: forces and constraints relative to their sizes. */
static double merit(const cd_balance *b, double force)
{
    return fmax(cd_max_abs(b->k, b->residual) / force, cd_max_abs(b->m, b->residual + b->k));
}

/* Takes b->step, shortened until |F| falls, or at most five times. */
static cardan_status move_with_line_search(search *s, double force)
{
    cd_balance *b = s->b;
    const double before = merit(b, force), reach = cd_balance_reach(b);
    double factor = reach > 1.0 ? 1.0 / reach : 1.0;
    cd_balance_save(b, 1);
    for (int halvings = 0;; halvings++) {
        cd_balance_move(b, factor);
        cardan_status status = cd_balance_evaluate(b);
        if (status < 0 || halvings == 5 || (status == CARDAN_OK && merit(b, force) <= before))
            return status;
        cd_balance_restore(b, 1);
        factor *= 0.5;
    }
}

/* Newton's method with the present holding forces. */
static cardan_status solve_load(search *s)
{
    cd_balance *b = s->b;
    for (int i = 0; i < NEWTON_ITERATIONS; i++) {
        cardan_status status = cd_balance_evaluate(b);
        if (status != CARDAN_OK || is_balanced(s))
            return status;
        if (++s->report->iterations > s->def->max_iterations)
            break;
        status = cd_balance_solve(b, 0.0, 1.0, true);
        const bool settled = status == CARDAN_OK && cd_balance_reach(b) <= NO_MOVE;
        if (status == CARDAN_OK)
            status = move_with_line_search(s, b->force > 0.0 ? b->force : 1.0);
        if (status != CARDAN_OK || (settled && b->border.solved))
            return status;
    }
    return CARDAN_NOT_CONVERGED;
}

static cardan_status fail_at_load(search *s, double reached)
{
    char what[256];
    snprintf(what, sizeof what,
             "the equilibrium could be followed up to %.3g %% of the load and not further: there "
             "the stiffness is lost (buckling, snapping through), or steps are too large",
             100.0 * reached);
    return fail_with_forces(s, what,
                            "take more load steps, or none to go downhill to another equilibrium");
}

/* One load step, with the share 1 - load of the holding forces left. */
static cardan_status take_load_step(search *s, const double *whole, double load)
{
    cd_balance *b = s->b;
    cd_zero(b->k, b->holding);
    cd_add(b->k, 1.0 - load, whole, b->holding);
    cardan_status status = solve_load(s);
    if (status == CARDAN_OK)
        s->report->load_steps++;
    return status;
}

/* Follows the equilibrium while the holding forces M a fall to 0; a is the acceleration of the
 * start from rest, which makes it an equilibrium: R + M a = 0. */
static cardan_status follow_load(search *s)
{
    cd_balance *b = s->b;
    const double shortest = 1.0 / s->def->load_steps / (1 << DIVISIONS);
    double *whole = cd_arena_doubles(&b->arena, b->k), load = 0.0, step = 1.0 / s->def->load_steps;
    cardan_status status = b->arena.failed ? CARDAN_OUT_OF_MEMORY : find_acceleration(s);
    if (status != CARDAN_OK)
        return status;
    cd_add(b->m + b->l, 1.0, b->step + b->k, b->multipliers);
    cd_system_multiply_mass(b->ws, NULL, b->step, whole);
    while (load < 1.0) {
        const double next = load + step > 1.0 - 1e-9 ? 1.0 : load + step;
        cd_balance_save(b, 0);
        status = take_load_step(s, whole, next);
        if (status < 0)
            return status;
        if (status == CARDAN_OK) {
            load = next;
            continue;
        }
        cd_balance_restore(b, 0);
        step *= 0.5;
        if (step < shortest || s->report->iterations > s->def->max_iterations)
            return fail_at_load(s, load);
    }
    return CARDAN_OK;
}

/* Fails if a nonholonomic constraint demands a velocity: there is no equilibrium. */
static cardan_status reject_speeds(search *s)
{
    const cd_balance *b = s->b;
    for (int i = 0; i < b->l; i++)
        if (fabs(b->residual[b->k + b->m + i]) > 1e-12)
            return cd_fail(s->error, CARDAN_UNSUPPORTED,
                           "there is no equilibrium: %s asks for a speed, and at rest it is off by "
                           "%.3g; leave it out or set its signal to 0",
                           cd_system_name(b->system, CARDAN_NAME_NONHOLONOMIC, i).text,
                           b->residual[b->k + b->m + i]);
    return CARDAN_OK;
}

static cardan_status search_and_judge(search *s)
{
    cd_balance *b = s->b;
    cardan_status status = close_start(s);
    if (status == CARDAN_OK)
        status = cd_balance_evaluate(b);
    if (status == CARDAN_OK)
        status = reject_speeds(s);
    if (status == CARDAN_OK)
        status = s->def->load_steps > 0 ? follow_load(s) : go_downhill(s);
    if (status == CARDAN_OK)
        status = cd_balance_evaluate(b);
    if (status != CARDAN_OK)
        return status;
    const cardan_point at = cd_balance_point(b);
    s->report->residual = cd_max_abs(b->k, b->residual);
    s->report->force = b->force;
    return cd_judge_stability(&b->arena, b->ws, b->system, &at, s->report, s->error);
}

static cardan_status check_arguments(const cardan_system *system, const double *q,
                                     const double *lambda, const double *psi,
                                     const cardan_equilibrium_def *def, cardan_error *error)
{
    if (def->cookie != COOKIE)
        return cd_fail(error, CARDAN_UNINITIALISED,
                       "start from cardan_equilibrium_def_default() and change what you need");
    if (q == NULL || (lambda == NULL && system->m > 0) || (psi == NULL && system->l > 0))
        return cd_invalid(error, "an equilibrium needs places for q, lambda and psi");
    if (def->load_steps < 0 || def->max_iterations < 1 ||
        !(def->tolerance > 0.0 && def->tolerance < 1.0))
        return cd_invalid(error, "load_steps may not be negative, max_iterations must be positive "
                                 "and the tolerance between 0 and 1");
    return CARDAN_OK;
}

cardan_status cardan_equilibrium_find(const cardan_system *system, double t, double *q,
                                      double *lambda, double *psi,
                                      const cardan_equilibrium_def *def,
                                      cardan_equilibrium_report *report, cardan_error *error)
{
    const cardan_equilibrium_def standard = cardan_equilibrium_def_default();
    cardan_equilibrium_report own;
    cardan_error trouble = {0};
    cd_balance b;
    if (system == NULL)
        return cd_invalid(error, "an equilibrium needs a system");
    def = def != NULL ? def : &standard;
    report = report != NULL ? report : &own;
    *report = (cardan_equilibrium_report){.stability = CARDAN_NOT_JUDGED};
    cardan_status status = check_arguments(system, q, lambda, psi, def, error);
    if (status != CARDAN_OK)
        return status;
    status = cd_balance_create(&b, system, t, q);
    if (status == CARDAN_OK)
        status = search_and_judge(&(search){&b, def, report, &trouble, false});
    if (status == CARDAN_OK) {
        cd_copy(cardan_group_size(system->group), b.q, q);
        cd_copy(b.m, b.multipliers, lambda);
        cd_copy(b.l, b.multipliers + b.m, psi);
    }
    const cardan_error *said = trouble.text[0] != '\0' ? &trouble : &b.error;
    if (status == CARDAN_OUT_OF_MEMORY)
        cd_fail(error, status, "no memory for the equilibrium, or LAPACK failed");
    else if (status != CARDAN_OK)
        cd_fail(error, status, "%s",
                said->text[0] != '\0' ? said->text : cardan_status_text(status));
    cd_balance_destroy(&b);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}

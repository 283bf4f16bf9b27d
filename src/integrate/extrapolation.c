/* Richardson extrapolation of whole runs: levels with steps h, h/2, h/3, ... go side by side and
 * never hear of each other (so each keeps its stability), and their states are combined with
 * weights that eliminate the terms h^2, h^3, ... of the error. */
#include <cardan/extrapolation.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "integrator.h"

#include <assert.h>
#include <math.h>

/* How values of a kind differ between the levels: the largest so far. */
typedef struct spread {
    double size;
    double first; /* between the two levels with the longest steps */
    double last;  /* between the two with the shortest */
    double error; /* estimated */
} spread;

struct cardan_extrapolation {
    cd_arena arena;
    const cardan_system *system;
    int levels;
    cardan_integrator *level[CARDAN_MOST_LEVELS];
    cd_team *team;                  /* NULL: one level after the other */
    const double *weight, *rougher; /* of the levels in the two combinations */
    double step;                    /* as given */
    double taken;                   /* of the last step */
    bool in_step;                   /* all levels stand at the same time */
    bool busy;                      /* a call is under way */

    double *q, *v, *vdot, *lambda, *psi; /* the combined state */
    double *differences, *sum;           /* k for each level, k: scratch */
    cardan_state view;
    spread in_q, in_v, in_multipliers;
    cardan_extrapolation_error estimate;
    cardan_error error;
};

_Static_assert((int)CARDAN_LEAST_LEVELS == 2 && (int)CARDAN_MOST_LEVELS == 3, "as in the tables");

/* With 2 levels, and with 3: what eliminates h^2, and h^3, from all levels and from all but the one
 * with the longest steps. The weights are those of Lagrange's formula for polynomials in s = 1 / (i
 * + 1) without a linear term. */
static const double weights[][CARDAN_MOST_LEVELS] = {{-1.0 / 3.0, 4.0 / 3.0},
                                                     {1.0 / 12.0, -4.0 / 3.0, 9.0 / 4.0}};
static const double rougher_weights[][CARDAN_MOST_LEVELS] = {{0.0, 1.0},
                                                             {0.0, -4.0 / 5.0, 9.0 / 5.0}};

static cardan_status check(const cardan_integrator_def *def, int levels, cardan_error *error)
{
    const cd_scheme *scheme = cd_scheme_find(def->method); /* none: refused by the integrator */
    const char *reason = NULL;
    if (levels < CARDAN_LEAST_LEVELS || levels > CARDAN_MOST_LEVELS)
        return cd_invalid(error, "extrapolation with %d levels is not possible; choose %d to %d",
                          levels, CARDAN_LEAST_LEVELS, CARDAN_MOST_LEVELS);
    if (!(def->step > 0.0) || def->control.adaptive)
        reason = "it needs fixed steps; give a step and no tolerances";
    else if (def->events != NULL)
        reason = "errors jump at events; leave them out, or use adaptive steps";
    else if (def->projection.level != CARDAN_PROJECT_NONE)
        reason = "projections change the errors; leave the projection out";
    else if (def->experimental.start != CARDAN_START_PERTURBED)
        reason = "other starts leave transients that are no powers of the step; use the "
                 "perturbed start";
    else if (scheme != NULL && (!scheme->estimates || scheme->advance != NULL || scheme->multistep))
        reason = "the errors of this method are not known to be powers of the step from h^2 on; "
                 "use ga3, ga2s, nonholonomic, hht or hht3";
    return reason == NULL ? CARDAN_OK
                          : cd_invalid(error, "extrapolation is not possible: %s", reason);
}

/* Levels run side by side if that pays: they wait for each other once in a step only. */
static int threads_for_levels(const cardan_integrator_def *def, int levels,
                              const cardan_system *system)
{
    enum { LEAST_UNKNOWNS = 500 };
    const bool large = system->k + system->m + system->l >= LEAST_UNKNOWNS;
    if (def->reselect != NULL || def->threads < 0) /* a system of one level only; refused */
        return 1;
    if (def->threads == 0 && !(system->pieces.own_functions && large))
        return 1;
    const int most = def->threads > 0 ? def->threads : cd_processors();
    return most < levels ? most : levels;
}

static cardan_status make_levels(cardan_extrapolation *x, const cardan_integrator_def *def,
                                 cardan_error *error)
{
    cardan_integrator_def own = *def;
    if (x->team != NULL)
        own.threads = 1;
    for (int i = 0; i < x->levels; i++) {
        own.step = def->step / (i + 1);
        const cardan_status status = cardan_integrator_create(&x->level[i], x->system, &own, error);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}

static void make_state(cardan_extrapolation *x)
{
    const int k = x->system->k;
    x->q = cd_arena_doubles(&x->arena, cardan_group_size(x->system->group));
    x->v = cd_arena_doubles(&x->arena, k);
    x->vdot = cd_arena_doubles(&x->arena, k);
    x->lambda = cd_arena_doubles(&x->arena, x->system->m);
    x->psi = cd_arena_doubles(&x->arena, x->system->l);
    x->differences = cd_arena_doubles(&x->arena, x->levels * k);
    x->sum = cd_arena_doubles(&x->arena, k);
    x->view = (cardan_state){.q = x->q,
                             .v = x->v,
                             .vdot = x->vdot,
                             .lambda = x->lambda,
                             .psi = x->psi,
                             .lambda_count = x->system->m,
                             .psi_count = x->system->l};
}

cardan_status cardan_extrapolation_create(cardan_extrapolation **extrapolation,
                                          const cardan_system *system,
                                          const cardan_integrator_def *def, int levels,
                                          cardan_error *error)
{
    if (extrapolation == NULL || system == NULL || def == NULL)
        return cd_invalid(
            error, "an extrapolation needs a place for its handle, a system and a definition");
    *extrapolation = NULL;
    cardan_status status = cd_integrator_check_made(def, error);
    if (status == CARDAN_OK)
        status = check(def, levels, error);
    if (status != CARDAN_OK)
        return status;
    cd_arena arena;
    cd_arena_init(&arena, &def->allocator);
    cardan_extrapolation *made = cd_arena_take(&arena, sizeof *made);
    if (made == NULL) {
        cd_arena_destroy(&arena);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for an extrapolation");
    }
    *made = (cardan_extrapolation){.arena = arena,
                                   .system = system,
                                   .levels = levels,
                                   .weight = weights[levels - CARDAN_LEAST_LEVELS],
                                   .rougher = rougher_weights[levels - CARDAN_LEAST_LEVELS],
                                   .step = def->step};
    make_state(made);
    made->team = cd_team_create(&made->arena, threads_for_levels(def, levels, system));
    status = made->arena.failed
                 ? cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for an extrapolation")
                 : make_levels(made, def, error);
    if (status != CARDAN_OK) {
        cardan_extrapolation_destroy(made);
        return status;
    }
    *extrapolation = made;
    return cd_succeed(error);
}

void cardan_extrapolation_destroy(cardan_extrapolation *extrapolation)
{
    if (extrapolation == NULL || extrapolation->busy)
        return;
    for (int i = 0; i < extrapolation->levels; i++)
        cardan_integrator_destroy(extrapolation->level[i]);
    cd_arena arena = extrapolation->arena; /* holds the handle as well */
    cd_arena_destroy(&arena);
}

/* Are the differences those of errors that fall like h^2? Not if they are a large part of all
 * motion; and by 5.4 from the first to the last of three levels, by 3 if they fall like h. */
static bool is_resolved(const spread *over)
{
    const double most = 0.1, rounding = 1e-8, least_fall = 4.0;
    return over->first <= rounding * over->size ||
           (over->first <= most * over->size && over->first >= least_fall * over->last);
}

/* An estimate that passes through zero says nothing. */
static double estimate_of(spread *over, double now, bool resolved)
{
    over->error = fmax(over->error, now);
    const double likely = fmax(now, 0.5 * over->error);
    return resolved ? likely : fmax(likely, fmax(over->first, over->last));
}

/* out <- sum of the levels' vectors, and the largest difference to the rougher combination. */
static double combine(const cardan_extrapolation *x, int n, const double *const *of, double *out,
                      spread *over)
{
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        double fine = 0.0, rough = 0.0;
        for (int i = 0; i < x->levels; i++) {
            fine += x->weight[i] * of[i][j];
            rough += x->rougher[i] * of[i][j];
        }
        out[j] = fine;
        largest = fmax(largest, fabs(fine - rough));
        over->size = fmax(over->size, fabs(of[x->levels - 1][j]));
        over->first = fmax(over->first, fabs(of[0][j] - of[1][j]));
        if (x->levels > CARDAN_LEAST_LEVELS)
            over->last = fmax(over->last, fabs(of[1][j] - of[2][j]));
    }
    return largest;
}

/* The same on the group, in the Lie algebra at the finest level: what is neglected there are
 * commutators of e_2 and e_3, of order h^5. */
static double combine_positions(cardan_extrapolation *x, const double *const *of)
{
    const cardan_group *group = x->system->group;
    const int k = x->system->k, finest = x->levels - 1;
    const double *apart[CARDAN_MOST_LEVELS] = {NULL};
    for (int i = 0; i < x->levels; i++) {
        double *difference = x->differences + i * k;
        apart[i] = difference;
        if (i < finest)
            cardan_group_difference(group, of[finest], of[i], difference);
        else
            cd_zero(k, difference);
    }
    const double largest = combine(x, k, apart, x->sum, &x->in_q);
    for (int j = 0; j < k; j++)
        x->in_q.size = fmax(x->in_q.size, cd_system_size_at(x->system, of[finest], j));
    cardan_group_update(group, of[finest], x->sum, x->q);
    return largest;
}

static void combine_states(cardan_extrapolation *x, double t, double h)
{
    enum { Q, V, VDOT, LAMBDA, PSI, PARTS };
    const double *of[PARTS][CARDAN_MOST_LEVELS];
    assert(x->levels >= CARDAN_LEAST_LEVELS && x->levels <= CARDAN_MOST_LEVELS);
    for (int i = 0; i < x->levels; i++) {
        const cardan_state *state = cardan_integrator_state(x->level[i]);
        of[Q][i] = state->q;
        of[V][i] = state->v;
        of[VDOT][i] = state->vdot;
        of[LAMBDA][i] = state->lambda;
        of[PSI][i] = state->psi;
    }
    const int k = x->system->k;
    cardan_extrapolation_error *e = &x->estimate;
    spread ignored = {0};
    const double in_q = combine_positions(x, of[Q]), in_v = combine(x, k, of[V], x->v, &x->in_v);
    combine(x, k, of[VDOT], x->vdot, &ignored);
    const double in_multipliers =
        fmax(combine(x, x->system->m, of[LAMBDA], x->lambda, &x->in_multipliers),
             combine(x, x->system->l, of[PSI], x->psi, &x->in_multipliers));
    e->resolved = is_resolved(&x->in_q) && is_resolved(&x->in_v) && is_resolved(&x->in_multipliers);
    e->position = estimate_of(&x->in_q, in_q, e->resolved);
    e->velocity = estimate_of(&x->in_v, in_v, e->resolved);
    e->multiplier = estimate_of(&x->in_multipliers, in_multipliers, e->resolved);
    x->view.t = t;
    x->view.h = h;
}

/* What all levels are to do at the same time: to start, or to go on to t. */
typedef struct errand {
    cardan_extrapolation *x;
    double t;
    const double *q0, *v0; /* NULL: go on */
    const double *lambda0, *psi0;
    cardan_status status[CARDAN_MOST_LEVELS];
} errand;

/* The level with the most steps comes first. */
static void do_level(void *self, int part)
{
    errand *it = self;
    const int i = it->x->levels - 1 - part;
    cardan_integrator *level = it->x->level[i];
    it->status[i] = cardan_integrator_set_step(level, it->x->taken / (i + 1));
    if (it->status[i] != CARDAN_OK)
        return;
    it->status[i] = it->q0 != NULL ? cardan_integrator_start_from(level, it->t, it->q0, it->v0,
                                                                  it->lambda0, it->psi0)
                                   : cardan_integrator_advance(level, it->t);
}

static cardan_status do_levels(errand *it)
{
    cardan_extrapolation *x = it->x;
    cd_team_run(x->team, x->levels, do_level, it);
    for (int i = 0; i < x->levels; i++) {
        if (it->status[i] == CARDAN_OK)
            continue;
        x->in_step = false;
        return cd_fail(&x->error, it->status[i], "with steps of %g: %s", x->step / (i + 1),
                       cardan_integrator_message(x->level[i]));
    }
    return CARDAN_OK;
}

/* Callbacks must not use the extrapolation that calls them. */
static cardan_status extrapolation_enter(cardan_extrapolation *it)
{
    if (it == NULL)
        return CARDAN_INVALID_ARGUMENT;
    cd_team_count(it->team);
    return cd_enter(&it->busy, &it->error, "extrapolation");
}

static cardan_status extrapolation_leave(cardan_extrapolation *it, cardan_status status)
{
    it->busy = false;
    return status;
}

static cardan_status start(errand *at)
{
    cardan_extrapolation *x = at->x;
    x->taken = x->step;
    x->in_q = x->in_v = x->in_multipliers = (spread){0};
    const cardan_status status = do_levels(at);
    if (status != CARDAN_OK)
        return status;
    x->in_step = true;
    combine_states(x, at->t, x->step);
    return cd_succeed(&x->error);
}

cardan_status cardan_extrapolation_start(cardan_extrapolation *extrapolation, double t0,
                                         const double *q0, const double *v0, const double *lambda0,
                                         const double *psi0)
{
    errand at = {extrapolation, t0, q0, v0, lambda0, psi0, {CARDAN_OK}};
    const cardan_status status = extrapolation_enter(extrapolation);
    return status == CARDAN_OK ? extrapolation_leave(extrapolation, start(&at)) : status;
}

/* All levels from now to t = now + h. */
static cardan_status step_to(cardan_extrapolation *x, double t, double h)
{
    if (!x->in_step)
        return cd_invalid(&x->error, "the extrapolation has not been started, or a step of it has "
                                     "failed; call cardan_extrapolation_start");
    if (fabs(h - x->taken) > CD_STEP_ROUNDING * h)
        x->taken = h; /* else rounding of t is no change of the step */
    const cardan_status status = do_levels(&(errand){.x = x, .t = t});
    if (status != CARDAN_OK)
        return status;
    combine_states(x, t, h);
    return cd_succeed(&x->error);
}

static cardan_status advance(cardan_extrapolation *extrapolation, double t)
{
    cardan_extrapolation *x = extrapolation;
    const double begin = x->view.t;
    if (!(t >= begin) || isinf(t))
        return cd_invalid(&x->error, "advance to t = %g is not possible: the time is %g already", t,
                          begin);
    const double rounding = fmin(CD_STEP_ROUNDING * x->step, 1e-12 * fmax(fabs(t), fabs(begin)));
    const double least = t - begin > rounding ? 1.0 : 0.0;
    const double count = fmax(least, ceil((t - begin) / x->step - CD_STEP_ROUNDING)),
                 step = (t - begin) / count;
    cardan_status status = CARDAN_OK;
    for (double n = 1.0; n <= count && status == CARDAN_OK; n++)
        status = step_to(x, n == count ? t : begin + n * step, step);
    return status;
}

cardan_status cardan_extrapolation_advance(cardan_extrapolation *extrapolation, double t)
{
    const cardan_status status = extrapolation_enter(extrapolation);
    return status == CARDAN_OK ? extrapolation_leave(extrapolation, advance(extrapolation, t))
                               : status;
}

const cardan_state *cardan_extrapolation_state(const cardan_extrapolation *extrapolation)
{
    return extrapolation != NULL ? &extrapolation->view : NULL;
}

cardan_extrapolation_error cardan_extrapolation_estimate(const cardan_extrapolation *extrapolation)
{
    return extrapolation != NULL ? extrapolation->estimate : (cardan_extrapolation_error){0};
}

const cardan_integrator *cardan_extrapolation_level(const cardan_extrapolation *extrapolation,
                                                    int i)
{
    if (extrapolation == NULL)
        return NULL;
    return i >= 0 && i < extrapolation->levels ? extrapolation->level[i] : NULL;
}

const char *cardan_extrapolation_message(const cardan_extrapolation *extrapolation)
{
    return extrapolation != NULL ? extrapolation->error.text : CD_ABSENT("extrapolation");
}

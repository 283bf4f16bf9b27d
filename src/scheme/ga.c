/* The kernel of the generalized-alpha methods; ga.h has the equations. */
#include "ga.h"

#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"
#include "base/wide.h"
#include "group/group.h"

#include <float.h>
#include <stdio.h>

double cd_ga_acceleration_weight(const cardan_params *p)
{
    return (1.0 - p->alpha_m) / ((1.0 - p->alpha_f) * p->gamma);
}

/* Factors of the recursion ACB15 (9b)-(9d). */
typedef struct recursion {
    double now, before, lag; /* of v'_{n+1}, v'_n and a_n in a_{n+1} */
    double v_old, v_new;     /* of a_n and a_{n+1} in v_{n+1}, */
    double q_old, q_new, h;  /* and, with v_n, in the increment */
} recursion;

static recursion recursion_of(const cardan_params *p, double h)
{
    const double share = 1.0 / (1.0 - p->alpha_m);
    return (recursion){.now = share * (1.0 - p->alpha_f),
                       .before = share * p->alpha_f,
                       .lag = share * p->alpha_m,
                       .v_old = h * (1.0 - p->gamma),
                       .v_new = h * p->gamma,
                       .q_old = h * h * (0.5 - p->beta),
                       .q_new = h * h * p->beta,
                       .h = h};
}

/* a_{n+1}, v_{n+1} and the increment. The arrays do not overlap: said so that the loop is
 * vectorised. */
CD_KERNEL void recur(const recursion *factors, int n, const double *restrict v0,
                     const double *restrict vdot0, const double *restrict a0,
                     const double *restrict vdot1, double *restrict a1, double *restrict v1,
                     double *restrict increment)
{
    const recursion f = *factors;
    for (int i = 0; i < n; i++) {
        const double a = f.now * vdot1[i] + f.before * vdot0[i] - f.lag * a0[i];
        a1[i] = a;
        v1[i] = v0[i] + (f.v_old * a0[i] + f.v_new * a);
        increment[i] = f.h * v0[i] + (f.q_old * a0[i] + f.q_new * a);
    }
}

static CD_WIDE void recur_wide(const recursion *factors, int n, const double *v0,
                               const double *vdot0, const double *a0, const double *vdot1,
                               double *a1, double *v1, double *increment)
{
    recur(factors, n, v0, vdot0, a0, vdot1, a1, v1, increment);
}

/* Where v'_{n+1} comes from: a prediction, a correction, or it is there. */
typedef void source(const cd_step *step, const double *x, double factor, cd_span span);

static void predict_span(const cd_step *step, const double *x, double factor, cd_span span)
{
    (void)x, (void)factor;
    cd_predictor_apply(&step->predictor, CD_PREDICTED_MOTION, span, step->past.vdot,
                       step->next->vdot);
}

static void correct_span(const cd_step *step, const double *x, double factor, cd_span span)
{
    cd_shared_add(NULL, span.end - span.begin, factor, x + span.begin,
                  step->next->vdot + span.begin);
}

/* A pass over the motion: v' from its source, then a, v, the increment and, unless that is kept for
 * more to be added, q. It is cut into spans of the group's factors, for threads, and these into
 * strips that stay in the cache from stage to stage. */
typedef struct pass {
    cd_step *step;
    source *vdot; /* NULL: it is there */
    const double *x;
    double factor;
    bool keep_a, keep_increment; /* otherwise they are given up with the strip */
    bool update;                 /* q */
    recursion recursion;
} pass;

enum { SPANS = 16, SHORT = 32, STRIP = 64 /* factors */, FEW = 32 /* velocities */ };

static int span_count(const cd_step *step)
{
    return cardan_group_factor_count(step->system->group) < SHORT ? 1 : SPANS;
}

static cd_span velocities_of(const cd_step *step, cd_span factors)
{
    const cardan_group *group = step->system->group;
    return (cd_span){cd_group_velocity(group, factors.begin),
                     cd_group_velocity(group, factors.end)};
}

static void update_strip(const cd_step *step, cd_span factors, const double *increment)
{
    cd_group_update_span(step->system->group, factors,
                         (cd_group_point){step->old->q, step->old_low}, increment,
                         (cd_group_place){step->next->q, step->next_low});
}

/* What is given up is written where the span begins, over and over: `room` velocities from there.
 */
static void pass_strip(const pass *it, cd_span factors, int room)
{
    const cd_step *step = it->step;
    const cd_state *old = step->old, *next = step->next;
    const cd_span span = velocities_of(step, factors);
    const int at = span.begin;
    double *increment = step->increment + (it->keep_increment ? at : room);
    double *a = it->keep_a ? next->a + at : step->scratch + room;
    if (it->vdot != NULL)
        it->vdot(step, it->x, it->factor, span);
    if (span.end - at < FEW)
        recur(&it->recursion, span.end - at, old->v + at, old->vdot + at, old->a + at,
              next->vdot + at, a, next->v + at, increment);
    else
        recur_wide(&it->recursion, span.end - at, old->v + at, old->vdot + at, old->a + at,
                   next->vdot + at, a, next->v + at, increment);
    if (step->magnus)
        cd_group_add_bracket(step->system->group, factors, step->h * step->h / 12.0, old->v,
                             next->v, increment);
    if (it->update)
        update_strip(step, factors, increment);
}

static cd_span span_of(const cd_step *step, int i)
{
    return cd_span_of(cardan_group_factor_count(step->system->group), span_count(step), i);
}

static void pass_span(void *self, int i)
{
    const pass *it = self;
    const cd_span span = span_of(it->step, i);
    const int room = velocities_of(it->step, span).begin;
    for (int begin = span.begin; begin < span.end; begin += STRIP) {
        const int end = begin + STRIP;
        pass_strip(it, (cd_span){begin, end < span.end ? end : span.end}, room);
    }
}

static void run_pass(pass *it)
{
    const cd_step *step = it->step;
    const int spans = span_count(step);
    it->recursion = recursion_of(&step->params, step->h);
    if (spans == 1)
        pass_strip(it, (cd_span){0, cardan_group_factor_count(step->system->group)}, 0);
    else
        cd_team_run(cd_workspace_team(step->ws), spans, pass_span, it);
}

static void update_span(void *self, int i)
{
    const cd_step *step = self;
    const cd_span span = span_of(step, i);
    update_strip(step, span, step->increment + velocities_of(step, span).begin);
}

/* The increment gets -h B(q_n)^T eta, then q follows. */
static void stabilise(cd_step *step)
{
    cd_team *team = cd_workspace_team(step->ws);
    cd_system_anchored_reaction(step->ws, step->next->eta, step->scratch);
    cd_shared_add(team, step->system->k, -step->h, step->scratch, step->increment);
    cd_team_run(team, span_count(step), update_span, step);
}

/* v'_{n+1} from its source, then a_{n+1}, v_{n+1}, h dq and q_{n+1} from it and eta, ACB15
 * (9a)-(9d), (58a). */
static void follow(pass *motion, bool stabilised)
{
    motion->keep_a = motion->keep_a || stabilised;
    motion->keep_increment = stabilised;
    motion->update = !stabilised;
    run_pass(motion);
    if (stabilised)
        stabilise(motion->step);
}

void cd_ga_find_increment(cd_step *step)
{
    pass all = {.step = step, .keep_a = true, .keep_increment = true};
    if (span_count(step) > 1)
        run_pass(&all);
}

/* With steps of one size eta is smooth in time, of order h^2 and more. */
static void predict_stabilisation(cd_step *step)
{
    const int m = step->system->m;
    const cd_state *old = step->old, *before = step->before;
    double *eta = step->next->eta;
    const bool known = before != NULL && before->eta != NULL;
    const bool even = known && before->h == old->h && old->h == step->h;
    cd_copy(m, old->eta, eta);
    for (int i = 0; even && i < m; i++)
        eta[i] += old->eta[i] - before->eta[i];
}

void cd_ga_predict(cd_step *step, bool stabilised)
{
    const cardan_system *system = step->system;
    const cd_past *past = &step->past;
    cd_predictor *predictor = &step->predictor;
    cd_state *next = step->next;
    cd_predictor_aim(predictor, past, step->t1);
    cd_predictor_apply(predictor, CD_PREDICTED_MULTIPLIERS, (cd_span){0, system->m}, past->lambda,
                       next->lambda);
    cd_predictor_apply(predictor, CD_PREDICTED_MULTIPLIERS, (cd_span){0, system->l}, past->psi,
                       next->psi);
    if (stabilised)
        predict_stabilisation(step);
    next->t = step->t1;
    next->h = step->h;
    follow(&(pass){.step = step, .vdot = predict_span}, stabilised);
}

/* Errors of arms and rotations that add up along the bodies, at worst. */
static double added_up(const cd_step *step)
{
    return cd_larger(64.0, cd_group_flat(step->system->group) / 3.0);
}

/* What rounding leaves undetermined in positions (with low words that of arms and rotations only,
 * which adds up along the bodies) and in h v; the form decides which of them x must respect: x
 * follows from Phi in GA3, from the velocity constraints in GA2S. */

double cd_ga_position_rounding(const cd_step *step)
{
    const int size = cardan_group_size(step->system->group);
    const double largest =
        cd_larger(1.0, cd_shared_max_abs(cd_workspace_team(step->ws), size, step->old->q));
    if (step->old_low == NULL)
        return DBL_EPSILON * largest;
    const double arms = cd_larger(1.0, cd_system_scales(step->ws).largest_row);
    return DBL_EPSILON * cd_smaller(largest, added_up(step) * arms);
}

double cd_ga_velocity_rounding(const cd_step *step)
{
    return cd_system_precision(step->system) * step->h *
           cd_larger(1.0,
                     cd_shared_max_abs(cd_workspace_team(step->ws), step->system->k, step->old->v));
}

double cd_ga_velocity_noise(const cd_step *step)
{
    const double size = cd_max_abs(cardan_group_size(step->system->group), step->old->q);
    const bool differenced = cd_system_precision(step->system) > DBL_EPSILON;
    return cd_ga_velocity_rounding(step) * (differenced ? cd_larger(1.0, size) : 1.0);
}

/* How an error in x reaches h^2 lambda: mu M against B. */
double cd_ga_multiplier_gain(const cd_step *step)
{
    const cd_scales scales = cd_system_scales(step->ws);
    return scales.largest_row > 0.0
               ? cd_ga_acceleration_weight(&step->params) * scales.mass / scales.largest_row
               : 0.0;
}

/* What rounding makes of h^2 lambda, seen through the smallest row of B: rather too large, since
 * it only ends an iteration that no longer improves. */
double cd_ga_multiplier_rounding(const cd_step *step, double unit)
{
    const cd_scales scales = cd_system_scales(step->ws);
    cd_team *team = cd_workspace_team(step->ws);
    const double size = cd_larger(cd_shared_max_abs(team, step->system->m, step->next->lambda),
                                  cd_max_abs(step->system->l, step->next->psi));
    const double gain = scales.smallest_row > 0.0 ? cd_ga_acceleration_weight(&step->params) *
                                                        scales.mass / scales.smallest_row
                                                  : 0.0;
    return gain * unit + DBL_EPSILON * step->h * step->h * (1.0 + size);
}

/* What h^2 lambda and h^2 psi may still change by, apart from rounding. */
double cd_ga_multiplier_allowance(const cd_step *step)
{
    const cardan_system *system = step->system;
    const double largest =
        cd_larger(cd_shared_max_abs(cd_workspace_team(step->ws), system->m, step->old->lambda),
                  cd_max_abs(system->l, step->old->psi));
    return step->h * step->h * (step->multiplier.absolute + step->multiplier.relative * largest);
}

/* Position tolerance of velocity coordinate i. */
double cd_ga_position_allowance(const cd_step *step, int i)
{
    return step->position.absolute +
           step->position.relative * cd_system_size_at(step->system, step->old->q, i);
}

double cd_ga_velocity_allowance(const cd_step *step, int i)
{
    return step->velocity.absolute + step->velocity.relative * fabs(step->old->v[i]);
}

/* Weights of x = h dv: the finest of the velocity and the position tolerance and of `limit`. */
typedef struct weighing {
    const cd_step *step;
    double limit, unit, *weights;
} weighing;

static void weigh_span(void *self, cd_span span)
{
    const weighing *it = self;
    const cd_step *step = it->step;
    const double ratio = step->params.beta / step->params.gamma;
    const double share = ratio > 0.0 ? 1.0 / ratio : 0.0;
    for (int i = span.begin; i < span.end; i++) {
        const double by_velocity = step->h * cd_ga_velocity_allowance(step, i);
        const double by_position =
            ratio > 0.0 ? share * cd_ga_position_allowance(step, i) : by_velocity;
        it->weights[i] = cd_smaller(it->limit, cd_smaller(by_velocity, by_position)) + it->unit;
    }
}

void cd_ga_weigh_motion(cd_step *step, double limit, double unit, double *weights)
{
    enum { LEAST = 2048 };
    weighing it = {step, limit, unit, weights};
    cd_team_loop(cd_workspace_team(step->ws), step->system->k, LEAST, weigh_span, &it);
}

void cd_ga_weigh(cd_step *step, bool by_position, double *weights, cd_rounding *rounding)
{
    const int k = step->system->k, multipliers = step->system->m + step->system->l;
    const double unit = by_position ? cd_ga_position_rounding(step) : cd_ga_velocity_rounding(step);
    const double gain = cd_ga_multiplier_gain(step), allowed = cd_ga_multiplier_allowance(step);
    cd_ga_weigh_motion(step, by_position && gain > 0.0 ? allowed / gain : INFINITY, unit, weights);
    cd_fill(multipliers, allowed + gain * unit, weights + k);
    cd_rounding_add(rounding, k, unit);
    cd_rounding_add(rounding, k + multipliers, cd_ga_multiplier_rounding(step, unit));
}

void cd_ga_name_velocity_row(cd_step *step, int row, char *text, int size)
{
    snprintf(text, (size_t)size, "the equation of motion of %s",
             cd_system_dof_name(step->system, row).text);
}

void cd_ga_name_constraint_row(cd_step *step, int row, const char *level, char *text, int size)
{
    snprintf(text, (size_t)size, "%s%s", cd_system_constraint_name(step->system, row).text, level);
}

void cd_ga_name_rolling_row(cd_step *step, int row, char *text, int size)
{
    snprintf(text, (size_t)size, "%s", cd_system_rolling_name(step->system, row).text);
}

void cd_ga_correct(cd_step *step, const cd_ga_change *by, double factor)
{
    const double h = step->h, per_h2 = factor / (h * h);
    cd_team *team = cd_workspace_team(step->ws);
    cd_shared_add(team, step->system->m, per_h2, by->lambda, step->next->lambda);
    cd_shared_add(team, step->system->l, per_h2, by->psi, step->next->psi);
    if (by->eta != NULL)
        cd_shared_add(team, step->system->m, factor / h, by->eta, step->next->eta);
    follow(&(pass){.step = step,
                   .keep_a = true,
                   .vdot = correct_span,
                   .x = by->x,
                   .factor = per_h2 * cd_ga_acceleration_weight(&step->params)},
           by->eta != NULL);
}

cardan_status cd_ga_check(const cardan_params *params, cardan_error *error)
{
    if (params->alpha_m == 1.0 || params->alpha_f == 1.0 || !(params->gamma > 0.0))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "alpha_m = %g, alpha_f = %g, gamma = %g: the method needs alpha_m != 1, "
                       "alpha_f != 1 and gamma > 0",
                       params->alpha_m, params->alpha_f, params->gamma);
    return CARDAN_OK;
}

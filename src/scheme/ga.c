/* The kernel of the generalized-alpha methods; ga.h has the equations. */
#include "scheme/ga.h"

#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"
#include "group/group.h"

#include <float.h>
#include <stdio.h>

double cd_ga_acceleration_weight(const cardan_params *p)
{
    return (1.0 - p->alpha_m) / ((1.0 - p->alpha_f) * p->gamma);
}

/* a_{n+1}, v_{n+1} and the increment, ACB15 (9b)-(9d). The arrays do not overlap: said so that the
 * loop is vectorised. */
static void recur(const cardan_params *p, double h, cd_span span, const cd_state *old,
                  cd_state *next, double *increment)
{
    const double *restrict v0 = old->v, *restrict vdot0 = old->vdot, *restrict a0 = old->a;
    const double *restrict vdot1 = next->vdot;
    double *restrict a1 = next->a, *restrict v1 = next->v, *restrict dq = increment;
    const double share = 1.0 / (1.0 - p->alpha_m), now = share * (1.0 - p->alpha_f);
    const double before = share * p->alpha_f, lag = share * p->alpha_m;
    const double v_old = h * (1.0 - p->gamma), v_new = h * p->gamma;
    const double q_old = h * h * (0.5 - p->beta), q_new = h * h * p->beta;
    for (int i = span.begin; i < span.end; i++) {
        const double a = now * vdot1[i] + before * vdot0[i] - lag * a0[i];
        a1[i] = a;
        v1[i] = v0[i] + (v_old * a0[i] + v_new * a);
        dq[i] = h * v0[i] + (q_old * a0[i] + q_new * a);
    }
}

/* Long loops are cut into spans of the group's parts, for threads. */
enum { SPANS = 16, SHORT = 64 /* parts of the group */ };

static int span_count(const cd_step *step)
{
    return cd_group_parts(step->system->group) < SHORT ? 1 : SPANS;
}

static void recur_span(void *self, int i)
{
    cd_step *step = self;
    const cardan_group *group = step->system->group;
    const cd_span parts = cd_span_of(cd_group_parts(group), span_count(step), i);
    const cd_span span = {cd_group_part_velocity(group, parts.begin),
                          cd_group_part_velocity(group, parts.end)};
    recur(&step->params, step->h, span, step->old, step->next, step->increment);
}

static void update_span(void *self, int i)
{
    cd_step *step = self;
    const cardan_group *group = step->system->group;
    const cd_span parts = cd_span_of(cd_group_parts(group), span_count(step), i);
    cd_group_update_parts(group, parts, (cd_group_point){step->old->q, step->old_low},
                          step->increment, (cd_group_place){step->next->q, step->next_low});
}

static void follow_span(void *self, int i)
{
    recur_span(self, i);
    update_span(self, i);
}

/* a_{n+1}, v_{n+1}, h dq and q_{n+1} from v'_{n+1} and eta, ACB15 (9a)-(9d), (58a). */
void cd_ga_follow(cd_step *step, bool stabilised)
{
    const int k = step->system->k, spans = span_count(step);
    cd_team *team = cd_workspace_team(step->ws);
    if (!step->magnus && !stabilised) {
        cd_team_run(team, spans, follow_span, step);
        return;
    }
    cd_team_run(team, spans, recur_span, step);
    if (step->magnus) {
        cardan_group_bracket(step->system->group, step->old->v, step->next->v, step->scratch);
        cd_shared_add(team, k, step->h * step->h / 12.0, step->scratch, step->increment);
    }
    if (stabilised) {
        cd_system_anchored_reaction(step->ws, step->next->eta, step->scratch);
        cd_shared_add(team, k, -step->h, step->scratch, step->increment);
    }
    cd_team_run(team, spans, update_span, step);
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
    cd_predictor_apply(predictor, CD_PREDICTED_MOTION, system->k, past->vdot, next->vdot);
    cd_predictor_apply(predictor, CD_PREDICTED_MULTIPLIERS, system->m, past->lambda, next->lambda);
    cd_predictor_apply(predictor, CD_PREDICTED_MULTIPLIERS, system->l, past->psi, next->psi);
    if (stabilised)
        predict_stabilisation(step);
    next->t = step->t1;
    next->h = step->h;
    cd_ga_follow(step, stabilised);
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
    const double added_up = cd_larger(64.0, cd_group_flat(step->system->group) / 3.0);
    return DBL_EPSILON * cd_smaller(largest, added_up * arms);
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

/* Position tolerance of velocity coordinate i: relative to the coordinate if it is a linear one. */
double cd_ga_position_allowance(const cd_step *step, int i)
{
    const int where = step->system->coordinate[i];
    const double size = where < 0 ? 1.0 : fabs(step->old->q[where]);
    return step->position.absolute + step->position.relative * size;
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

/* The acceleration part of a correction, common to both forms: v' += mu x / h^2, and multipliers.
 */
void cd_ga_correct(cd_step *step, const double *x, const double *lambda, const double *psi,
                   double factor)
{
    const double per_h2 = factor / (step->h * step->h);
    cd_team *team = cd_workspace_team(step->ws);
    cd_shared_add(team, step->system->k, per_h2 * cd_ga_acceleration_weight(&step->params), x,
                  step->next->vdot);
    cd_shared_add(team, step->system->m, per_h2, lambda, step->next->lambda);
    cd_shared_add(team, step->system->l, per_h2, psi, step->next->psi);
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

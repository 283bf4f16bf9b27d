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

/* The factors of the recursion ACB15 (9b)-(9d). */
typedef struct recursion {
    double now, before, lag; /* of v'_{n+1}, v'_n and a_n in a_{n+1} */
    double v_old, v_new;     /* of a_n and a_{n+1} in v_{n+1}, */
    double q_old, q_new, h;  /* and, with v_n, in the increment */
} recursion;

static recursion recursion_factors(const cardan_params *p, double h)
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

/* Computes a_{n+1}, v_{n+1} and the increment. `restrict` lets the compiler vectorise the loop. */
static CD_WIDE void apply_recursion(const recursion *factors, int n, const double *restrict v0,
                                    const double *restrict vdot0, const double *restrict a0,
                                    const double *restrict vdot1, double *restrict a1,
                                    double *restrict v1, double *restrict increment)
{
    const recursion f = *factors;
    for (int i = 0; i < n; i++) {
        const double a = f.now * vdot1[i] + f.before * vdot0[i] - f.lag * a0[i];
        a1[i] = a;
        v1[i] = v0[i] + (f.v_old * a0[i] + f.v_new * a);
        increment[i] = f.h * v0[i] + (f.q_old * a0[i] + f.q_new * a);
    }
}

/* Writes v'_{n+1} of a span: the prediction, or the iterate with the correction factor * x. */
typedef void vdot_source(const cd_step *step, const double *x, double factor, cd_span span);

static void write_predicted_vdot(const cd_step *step, const double *x, double factor, cd_span span)
{
    (void)x, (void)factor;
    cd_predictor_apply(&step->predictor, CD_PREDICTED_MOTION, span, step->history.vdot,
                       step->next->vdot);
}

static void correct_vdot(const cd_step *step, const double *x, double factor, cd_span span)
{
    cd_shared_add(NULL, span.end - span.begin, factor, x + span.begin,
                  step->next->vdot + span.begin);
}

/* A pass over the motion: v' from its source, then a, v, the increment and, unless that changes
 * again, q. Threads share spans of the group's factors, which are cut into strips for the cache. */
typedef struct motion_pass {
    cd_step *step;
    vdot_source *vdot;
    const double *x;
    double factor;
    bool update; /* whether q follows at once */
    recursion recursion;
} motion_pass;

enum { SPANS = 16, SHORT = 32, STRIP = 64 }; /* below SHORT factors there is one span */

static int count_factor_spans(const cd_step *step)
{
    return cardan_group_factor_count(step->system->group) < SHORT ? 1 : SPANS;
}

static cd_span factor_span(const cd_step *step, int i)
{
    return cd_span_of(cardan_group_factor_count(step->system->group), count_factor_spans(step), i);
}

static void update_configuration(const cd_step *step, cd_span factors)
{
    const cardan_group *group = step->system->group;
    cd_group_update_span(group, factors, (cd_group_point){step->old->q, step->old_low},
                         step->increment + cd_group_velocity_offset(group, factors.begin),
                         (cd_group_target){step->next->q, step->next_low});
}

/* A motion pass over some factors of the group. */
static void compute_strip_motion(const motion_pass *it, cd_span factors)
{
    const cd_step *step = it->step;
    const cd_state *old = step->old, *next = step->next;
    const cardan_group *group = step->system->group;
    const int at = cd_group_velocity_offset(group, factors.begin),
              end = cd_group_velocity_offset(group, factors.end);
    it->vdot(step, it->x, it->factor, (cd_span){at, end});
    apply_recursion(&it->recursion, end - at, old->v + at, old->vdot + at, old->a + at,
                    next->vdot + at, next->a + at, next->v + at, step->increment + at);
    if (step->magnus)
        cd_group_add_bracket(group, factors, step->h * step->h / 12.0, old->v, next->v,
                             step->increment + at);
    if (it->update)
        update_configuration(step, factors);
}

/* A motion pass over span i of the factors, strip by strip. */
static void compute_span_motion(void *self, int i)
{
    const motion_pass *it = self;
    const cd_span span = factor_span(it->step, i);
    for (int begin = span.begin; begin < span.end; begin += STRIP) {
        const int end = begin + STRIP;
        compute_strip_motion(it, (cd_span){begin, end < span.end ? end : span.end});
    }
}

/* q_{n+1} of span i from an increment that is complete. */
static void update_span_configuration(void *self, int i)
{
    update_configuration(self, factor_span(self, i));
}

/* Computes v'_{n+1} from its source and a_{n+1}, v_{n+1}, the increment and q_{n+1} from it, ACB15
 * (9a)-(9d). If stabilised, -h B(q_n)^T eta is added to the increment before q follows (58a). */
static void compute_motion(motion_pass *motion, bool stabilised)
{
    cd_step *step = motion->step;
    cd_team *team = cd_workspace_services(step->ws)->team;
    motion->update = !stabilised;
    motion->recursion = recursion_factors(&step->params, step->h);
    cd_team_run(team, count_factor_spans(step), compute_span_motion, motion);
    if (!stabilised)
        return;
    cd_system_anchored_reaction(step->ws, step->next->eta, step->scratch);
    cd_shared_add(team, step->system->k, -step->h, step->scratch, step->increment);
    cd_team_run(team, count_factor_spans(step), update_span_configuration, step);
}

/* Extrapolates eta linearly if the last steps had the same size, else keeps it. */
static void predict_stabilisation(cd_step *step)
{
    const int m = step->system->m;
    const cd_state *old = step->old, *before = step->before;
    double *eta = step->next->eta;
    const bool known = before != NULL && before->eta != NULL;
    const bool same_size = known && before->h == old->h && old->h == step->h;
    cd_copy(m, old->eta, eta);
    for (int i = 0; same_size && i < m; i++)
        eta[i] += old->eta[i] - before->eta[i];
}

void cd_ga_predict(cd_step *step, bool stabilised)
{
    const cardan_system *system = step->system;
    const cd_history *history = &step->history;
    cd_predictor *predictor = &step->predictor;
    cd_state *next = step->next;
    cd_predictor_aim(predictor, history, step->t1);
    cd_predictor_apply(predictor, CD_PREDICTED_MULTIPLIERS, (cd_span){0, system->m},
                       history->lambda, next->lambda);
    cd_predictor_apply(predictor, CD_PREDICTED_MULTIPLIERS, (cd_span){0, system->l}, history->psi,
                       next->psi);
    if (stabilised)
        predict_stabilisation(step);
    next->t = step->t1;
    next->h = step->h;
    compute_motion(&(motion_pass){.step = step, .vdot = write_predicted_vdot}, stabilised);
}

/* With compensated positions only arms and rotations are rounded: this adds up along bodies. */
double cd_ga_position_rounding(const cd_step *step)
{
    const int size = cardan_group_size(step->system->group);
    const double largest = cd_larger(
        1.0, cd_shared_max_abs(cd_workspace_services(step->ws)->team, size, step->old->q));
    if (step->old_low == NULL)
        return DBL_EPSILON * largest;
    const double arms = cd_larger(1.0, cd_system_scales(step->ws).largest_row);
    const double at_worst = cd_larger(64.0, cd_group_flat_count(step->system->group) / 3.0);
    return DBL_EPSILON * cd_smaller(largest, at_worst * arms);
}

double cd_ga_velocity_rounding(const cd_step *step)
{
    return cd_system_precision(step->system) * step->h *
           cd_larger(1.0, cd_shared_max_abs(cd_workspace_services(step->ws)->team, step->system->k,
                                            step->old->v));
}

double cd_ga_velocity_rounding_at_worst(const cd_step *step)
{
    const double size = cd_max_abs(cardan_group_size(step->system->group), step->old->q);
    const bool differenced = cd_system_precision(step->system) > DBL_EPSILON;
    return cd_ga_velocity_rounding(step) * (differenced ? cd_larger(1.0, size) : 1.0);
}

/* The factor by which an error in x appears in h^2 lambda through a row of B of this size. */
static double gain_through(const cd_step *step, double row)
{
    const double mass = cd_system_scales(step->ws).mass;
    return row > 0.0 ? cd_ga_acceleration_weight(&step->params) * mass / row : 0.0;
}

double cd_ga_multiplier_gain(const cd_step *step)
{
    return gain_through(step, cd_system_scales(step->ws).largest_row);
}

double cd_ga_multiplier_rounding(const cd_step *step, double unit)
{
    cd_team *team = cd_workspace_services(step->ws)->team;
    const double size = cd_larger(cd_shared_max_abs(team, step->system->m, step->next->lambda),
                                  cd_max_abs(step->system->l, step->next->psi));
    return gain_through(step, cd_system_scales(step->ws).smallest_row) * unit +
           DBL_EPSILON * step->h * step->h * (1.0 + size);
}

double cd_ga_multiplier_allowance(const cd_step *step)
{
    const cardan_system *system = step->system;
    const double largest = cd_larger(
        cd_shared_max_abs(cd_workspace_services(step->ws)->team, system->m, step->old->lambda),
        cd_max_abs(system->l, step->old->psi));
    return step->h * step->h * (step->multiplier.absolute + step->multiplier.relative * largest);
}

double cd_ga_position_allowance(const cd_step *step, int i)
{
    return step->position.absolute +
           step->position.relative * cd_system_size_at(step->system, step->old->q, i);
}

double cd_ga_velocity_allowance(const cd_step *step, int i)
{
    return step->velocity.absolute + step->velocity.relative * fabs(step->old->v[i]);
}

/* The arguments of cd_ga_weigh_motion, for threads. */
typedef struct weighing {
    const cd_step *step;
    double limit, unit, *weights;
} weighing;

/* Weights of x = h dv that keep velocities and positions within what they are allowed. */
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
    cd_team_loop(cd_workspace_services(step->ws)->team, step->system->k, LEAST, weigh_span, &it);
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

void cd_ga_name_row(cd_step *step, cd_ga_rows first, int row, char *text, int size)
{
    const cardan_system *system = step->system;
    const struct {
        cardan_name_kind kind;
        int first, count;
        const char *text;
    } levels[] = {{CARDAN_NAME_CONSTRAINT, first.position, system->m, ""},
                  {CARDAN_NAME_CONSTRAINT, first.velocity, system->m, " at velocity level"},
                  {CARDAN_NAME_CONSTRAINT, first.acceleration, system->m, " at acceleration level"},
                  {CARDAN_NAME_NONHOLONOMIC, first.nonholonomic, system->l, ""}};
    snprintf(text, (size_t)size, "the equation of motion of %s",
             cd_system_name(system, CARDAN_NAME_VELOCITY, row % system->k).text);
    for (int i = 0; i < 4; i++)
        if (levels[i].first > 0 && row >= levels[i].first &&
            row < levels[i].first + levels[i].count)
            snprintf(text, (size_t)size, "%s%s",
                     cd_system_name(system, levels[i].kind, row - levels[i].first).text,
                     levels[i].text);
}

cd_map cd_ga_map(const cd_step *step, double ratio)
{
    return (cd_map){step->increment, ratio, step->old->v, step->magnus ? step->h / 12.0 : 0.0,
                    NULL};
}

void cd_ga_add_bracket(cd_step *step)
{
    if (!step->magnus)
        return;
    cardan_group_bracket(step->system->group, step->old->v, step->next->v, step->scratch);
    cd_add(step->system->k, step->h * step->h / 12.0, step->scratch, step->increment);
}

void cd_ga_correct(cd_step *step, const cd_ga_change *by, double factor)
{
    const double h = step->h, per_h2 = factor / (h * h);
    cd_team *team = cd_workspace_services(step->ws)->team;
    cd_shared_add(team, step->system->m, per_h2, by->lambda, step->next->lambda);
    cd_shared_add(team, step->system->l, per_h2, by->psi, step->next->psi);
    if (by->eta != NULL)
        cd_shared_add(team, step->system->m, factor / h, by->eta, step->next->eta);
    compute_motion(&(motion_pass){.step = step,
                                  .vdot = correct_vdot,
                                  .x = by->x,
                                  .factor = per_h2 * cd_ga_acceleration_weight(&step->params)},
                   by->eta != NULL);
}

int cd_ga_unknowns(const cardan_system *system)
{
    return system->k + system->m + system->l;
}

cardan_status cd_ga_check(const cd_step *step, cardan_error *error)
{
    const cardan_params *params = &step->params;
    if (params->alpha_m == 1.0 || params->alpha_f == 1.0 || !(params->gamma > 0.0))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "alpha_m = %g, alpha_f = %g, gamma = %g: the method needs alpha_m != 1, "
                       "alpha_f != 1 and gamma > 0",
                       params->alpha_m, params->alpha_f, params->gamma);
    return CARDAN_OK;
}

/* BDF: backward differentiation formulas of order 1 to 5 with variable steps for the stabilised
 * index-2 form, in local coordinates at q_n (docs/methods/bdf.md).
 *
 * With theta(t) = log(q_n^-1 q(t)), so that theta_n = 0 and theta' = T(theta)^-1 v, the polynomials
 * of degree p through the values at t_{n+1}, t_n, ..., t_{n+1-p} have the derivatives
 *
 *   v'_{n+1} = (v_{n+1} - v_past) / e,   theta'_{n+1} = (theta_{n+1} - theta_past) / e
 *
 * with the effective step e and sums v_past, theta_past of past values, and
 *
 *   theta_{n+1} = theta_past + e (T(theta_{n+1})^-1 v_{n+1} - B(q_n)^T eta).
 *
 * The first step is that of the trapezoidal rule, which has the same form. To the frame of
 * stabilised.h each step thus looks like one of the implicit Euler method with the step e: alpha_m
 * = alpha_f = 0, beta = gamma = 1. */
#include "bdf.h"

#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"
#include "group/group.h"
#include "midpoint.h"
#include "stabilised.h"

enum { PAST = CD_BDF_MOST_ORDER, POINTS = PAST + 1 };

/* cd_step.memory: past states before the current one, in a ring. */
typedef struct ring {
    cd_bdf_choice *choice;
    double *count; /* states that are known */
    double *first; /* where the newest of them is */
    double *used;  /* order of the last step */
    double *t, *states;
    int size; /* of a state: q, v, lambda, psi */
} ring;

enum { NUMBERS = sizeof(cd_bdf_choice) / sizeof(double) };

static int state_size(const cardan_system *system)
{
    return cardan_group_size(system->group) + system->k + system->m + system->l;
}

static int memory_size(const cardan_system *system)
{
    return NUMBERS + 3 + PAST * (1 + state_size(system));
}

cd_bdf_choice *cd_bdf_choice_of(const cd_step *step)
{
    return (cd_bdf_choice *)step->memory;
}

static ring ring_of(const cd_step *step)
{
    double *at = step->memory + NUMBERS;
    return (ring){cd_bdf_choice_of(step),  at, at + 1, at + 2, at + 3, at + 3 + PAST,
                  state_size(step->system)};
}

/* States in a row, the newest first. */
typedef struct past {
    int count;
    double t[POINTS];
    const double *q[POINTS], *v[POINTS], *lambda[POINTS], *psi[POINTS];
} past;

static void append(past *all, double t, const double *q, const double *v, const double *lambda,
                   const double *psi)
{
    const int i = all->count++;
    all->t[i] = t;
    all->q[i] = q;
    all->v[i] = v;
    all->lambda[i] = lambda;
    all->psi[i] = psi;
}

static void append_memory(const cd_step *step, int count, past *all)
{
    const cardan_system *system = step->system;
    const ring kept = ring_of(step);
    for (int i = 0; i < count; i++) {
        const int slot = ((int)*kept.first + i) % PAST;
        const double *q = kept.states + (ptrdiff_t)slot * kept.size,
                     *v = q + cardan_group_size(system->group), *lambda = v + system->k;
        append(all, kept.t[slot], q, v, lambda, lambda + system->m);
    }
}

/* The largest angular velocity; it is at the end of the velocity of each curved factor. */
static double largest_spin(const cardan_group *group, const double *v)
{
    double largest = 0.0;
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        const double *w = v + cd_group_velocity(group, i + 1) - 3;
        if (cardan_group_factor(group, i, NULL, NULL).kind != CARDAN_RN)
            largest = cd_larger(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], largest);
    }
    return sqrt(largest);
}

/* The way from q_n to an earlier state is known up to whole turns only: older states are left out,
 * and with them high orders. */
static void forget_turned(const cardan_group *group, past *all)
{
    const double most_turn = 2.5; /* half a turn is 3.14 */
    double spin = largest_spin(group, all->v[0]);
    for (int i = 1; i < all->count; i++) {
        spin = cd_larger(spin, largest_spin(group, all->v[i]));
        if (spin * (all->t[0] - all->t[i]) > most_turn)
            all->count = i;
    }
}

/* Before a step: the current state, and those in memory if the step before led to it. */
static past past_of(const cd_step *step)
{
    const ring kept = ring_of(step);
    const cd_state *old = step->old;
    past all = {0};
    append(&all, old->t, old->q, old->v, old->lambda, old->psi);
    if (step->before != NULL && *kept.count > 0.0 && kept.t[(int)*kept.first] == step->before->t)
        append_memory(step, (int)*kept.count, &all);
    forget_turned(step->system->group, &all);
    return all;
}

/* ---- step->work ---- */

static int work(int k, int multipliers)
{
    (void)multipliers;
    return (PAST + 4) * k;
}

/* theta of past state i > 0 at q_n */
static double *theta_of(const cd_step *step, int i)
{
    return step->work + (i - 1) * step->system->k;
}

static double *theta_past(const cd_step *step)
{
    return theta_of(step, POINTS);
}

static double *v_past(const cd_step *step)
{
    return theta_of(step, POINTS + 1);
}

static double *theta_predicted(const cd_step *step)
{
    return theta_of(step, POINTS + 2);
}

static double *turning(const cd_step *step)
{
    return theta_of(step, POINTS + 3);
}

/* ---- polynomials ---- */

/* Weights of the values at `points` times in the value of their polynomial at t. */
static void weigh_value(const double *times, int points, double t, double *weights)
{
    for (int i = 0; i < points; i++) {
        weights[i] = 1.0;
        for (int j = 0; j < points; j++)
            if (j != i)
                weights[i] *= (t - times[j]) / (times[i] - times[j]);
    }
}

/* 1 / e of the formula of an order. */
static double rate_of(const past *all, int order, double t)
{
    double rate = 0.0;
    for (int i = 0; i < order; i++)
        rate += 1.0 / (t - all->t[i]);
    return rate;
}

static void combine(int n, int count, const double *weights, const double *const *values,
                    double *out)
{
    cd_zero(n, out);
    for (int i = 0; i < count; i++)
        cd_add(n, weights[i], values[i], out);
}

static void list_thetas(const cd_step *step, int count, const double **thetas)
{
    for (int i = 1; i < count; i++)
        thetas[i] = theta_of(step, i);
}

/* theta_n = 0 */
static void combine_thetas(const cd_step *step, int count, const double *weights, double *out)
{
    const double *thetas[POINTS];
    list_thetas(step, count, thetas);
    combine(step->system->k, count - 1, weights + 1, thetas + 1, out);
}

/* ---- a step ---- */

static cardan_status check(const cd_step *step, cardan_error *error)
{
    const int order = step->options.bdf_order;
    if (order >= 0 && order <= CD_BDF_MOST_ORDER)
        return CARDAN_OK;
    return cd_fail(error, CARDAN_BAD_PARAMETERS,
                   "the order of bdf is %d; it must be 1 to %d, or 0: chosen by the program", order,
                   CD_BDF_MOST_ORDER);
}

int cd_bdf_most_order(const cd_step *step)
{
    const int given = step->options.bdf_order;
    return given > 0 ? given : step->keeps_order ? 2 : CD_BDF_MOST_ORDER;
}

/* e, v_past and theta_past. */
static void set_up_formula(cd_step *step, const past *all)
{
    const int k = step->system->k;
    double weights[POINTS];
    step->effective = 1.0 / rate_of(all, step->order, step->t1);
    weigh_value(all->t, step->order, step->t1, weights);
    for (int i = 0; i < step->order; i++)
        weights[i] *= step->effective / (step->t1 - all->t[i]);
    combine(k, step->order, weights, all->v, v_past(step));
    combine_thetas(step, step->order, weights, theta_past(step));
}

/* v_{n+1} = v_n + h (v'_n + v'_{n+1}) / 2 */
static void set_up_trapezoidal(cd_step *step)
{
    const int k = step->system->k;
    step->effective = 0.5 * step->h;
    cd_copy(k, step->old->v, v_past(step));
    cd_add(k, step->effective, step->old->vdot, v_past(step));
    cd_copy(k, step->old->v, theta_past(step));
    cd_scale(k, step->effective, theta_past(step));
}

/* theta and q_{n+1} from v_{n+1} and eta: what is left of T(theta)^-1 v after two passes is as much
 * smaller than the error of the prediction as the square of a fraction of the step's rotation. */
static void follow(cd_step *step)
{
    const cardan_group *group = step->system->group;
    const int k = step->system->k, passes = cd_group_is_linear(group) ? 1 : 2;
    double *theta = step->increment, *rate = turning(step);
    cd_copy(k, theta_predicted(step), theta);
    cd_system_anchored_reaction(step->ws, step->next->eta, step->scratch);
    for (int pass = 0; pass < passes; pass++) {
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, theta, step->next->v, rate);
        for (int i = 0; i < k; i++)
            theta[i] = theta_past(step)[i] + step->effective * (rate[i] - step->scratch[i]);
    }
    cardan_group_update(group, step->old->q, theta, step->next->q);
}

static void predict_multipliers(cd_step *step, const past *all)
{
    const cardan_system *system = step->system;
    const int points = all->count < step->order + 1 ? all->count : step->order + 1;
    double weights[POINTS];
    weigh_value(all->t, points, step->t1, weights);
    combine(system->m, points, weights, all->lambda, step->next->lambda);
    combine(system->l, points, weights, all->psi, step->next->psi);
    cd_copy(system->m, step->old->eta, step->next->eta);
}

static void predict_motion(cd_step *step, const past *all)
{
    const int k = step->system->k;
    const int points = all->count < step->order + 1 ? all->count : step->order + 1;
    const cd_state *old = step->old;
    double weights[POINTS], *v = step->next->v;
    if (points == 1) {
        for (int i = 0; i < k; i++) {
            v[i] = old->v[i] + step->h * old->vdot[i];
            theta_predicted(step)[i] = step->h * (old->v[i] + 0.5 * step->h * old->vdot[i]);
        }
    } else {
        weigh_value(all->t, points, step->t1, weights);
        combine(k, points, weights, all->v, v);
        combine_thetas(step, points, weights, theta_predicted(step));
    }
    for (int i = 0; i < k; i++)
        step->next->vdot[i] = (v[i] - v_past(step)[i]) / step->effective;
}

static cardan_status begin(cd_step *step)
{
    const cardan_point at = cd_state_point(step->old);
    const past all = past_of(step);
    const int wanted = (int)cd_bdf_choice_of(step)->order;
    const bool first = all.count == 1 && wanted > 1;
    step->known = all.count;
    step->order = wanted < all.count ? wanted : all.count;
    for (int i = 1; i < all.count; i++)
        cardan_group_difference(step->system->group, all.q[0], all.q[i], theta_of(step, i));
    if (first)
        set_up_trapezoidal(step);
    else
        set_up_formula(step, &all);
    step->next->t = step->t1;
    step->next->h = step->h;
    const cardan_status status = cd_system_anchor(step->ws, &at);
    if (status != CARDAN_OK)
        return status;
    predict_multipliers(step, &all);
    predict_motion(step, &all);
    follow(step);
    return CARDAN_OK;
}

/* For the frame of stabilised.h. */
static cd_step euler_step(const cd_step *step, double h)
{
    cd_step as_euler = *step;
    as_euler.h = h;
    as_euler.magnus = false;
    as_euler.params = (cardan_params){.beta = 1.0, .gamma = 1.0};
    return as_euler;
}

static int weigh_terms(const cd_step *step, double h, cd_term *terms)
{
    const cd_step as_euler = euler_step(step, h);
    return cd_stabilised_terms(&as_euler, CD_DYNAMICS_VDOT, CD_DYNAMICS_Q, terms);
}

/* The effective step is not known yet. */
static int terms_of(const cd_step *step, cd_term *terms)
{
    return weigh_terms(step, step->h, terms);
}

static cardan_status residual(cd_step *step, double *out)
{
    cd_step as_euler = euler_step(step, step->effective);
    return cd_stabilised_residual(&as_euler, (cd_equations){.dynamics = out}, out);
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    cd_step as_euler = euler_step(step, step->effective);
    cd_term weighed[CD_MAX_TERMS];
    weigh_terms(step, step->effective, weighed);
    for (int i = 0; i < count; i++)
        weighed[i].slot = terms[i].slot;
    return cd_stabilised_assemble(&as_euler, weighed, count, matrix);
}

static void correct(cd_step *step, const double *dx, double factor)
{
    const cardan_system *system = step->system;
    cd_team *team = cd_workspace_services(step->ws)->team;
    const cd_ga_change by = cd_stabilised_change(system, dx);
    const double per_e = factor / step->effective, per_e2 = per_e / step->effective;
    cd_shared_add(team, system->k, per_e, by.x, step->next->v);
    cd_shared_add(team, system->k, per_e2, by.x, step->next->vdot);
    cd_shared_add(team, system->m, per_e2, by.lambda, step->next->lambda);
    cd_shared_add(team, system->l, per_e2, by.psi, step->next->psi);
    cd_shared_add(team, system->m, per_e, by.eta, step->next->eta);
    follow(step);
}

static void weigh(cd_step *step, double *weights, cd_rounding *rounding)
{
    cd_step as_euler = euler_step(step, step->effective);
    cd_stabilised_weigh(&as_euler, weights, rounding);
}

/* A start needs nothing: the method knows of no states before. */
static cardan_status start(cd_step *step, bool perturbed)
{
    (void)perturbed;
    cd_copy(step->system->k, step->next->vdot, step->next->a);
    const int most = cd_bdf_most_order(step);
    *cd_bdf_choice_of(step) = (cd_bdf_choice){
        .order = most < 2 || step->keeps_order ? most : 2, .begin = step->next->t, .rises = 1.0};
    return CARDAN_OK;
}

static cardan_status finish(cd_step *step)
{
    const cardan_system *system = step->system;
    const cd_state *old = step->old;
    const ring kept = ring_of(step);
    const int slot = ((int)*kept.first + PAST - 1) % PAST, size = cardan_group_size(system->group);
    double *to = kept.states + (ptrdiff_t)slot * kept.size;
    cd_copy(system->k, step->next->vdot, step->next->a);
    cd_copy(size, old->q, to);
    cd_copy(system->k, old->v, to + size);
    cd_copy(system->m, old->lambda, to + size + system->k);
    cd_copy(system->l, old->psi, to + size + system->k + system->m);
    kept.t[slot] = old->t;
    *kept.first = slot;
    *kept.count = step->known < PAST ? step->known : PAST;
    *kept.used = step->order;
    kept.choice->steady += 1.0;
    return CARDAN_OK;
}

/* ---- for the driver ---- */

/* The states before the step that has just been finished. */
static past past_of_finished(const cd_step *step)
{
    past all = {0};
    append_memory(step, (int)*ring_of(step).count, &all);
    return all;
}

double cd_bdf_local_errors(const cd_step *step, int order, double *in_q, double *in_v)
{
    const int k = step->system->k;
    const cd_state *next = step->next;
    const past all = past_of_finished(step);
    double weights[POINTS];
    if (order < 1 || all.count < order + 1)
        return 0.0;
    const double effective = 1.0 / rate_of(&all, order, step->t1);
    const double share = effective / (step->t1 - all.t[order]);
    weigh_value(all.t, order + 1, step->t1, weights);
    combine(k, order + 1, weights, all.v, in_v);
    combine_thetas(step, order + 1, weights, in_q);
    for (int i = 0; i < k; i++) {
        in_v[i] = share * (next->v[i] - in_v[i]);
        in_q[i] = share * (step->increment[i] - in_q[i]);
    }
    return effective;
}

void cd_bdf_multiplier_gaps(const cd_step *step, double *out)
{
    const int m = step->system->m, l = step->system->l;
    const cd_state *next = step->next;
    const past all = past_of_finished(step);
    const int points = all.count < step->order + 1 ? all.count : step->order + 1;
    const double t1 = step->t1, middle = 0.5 * (t1 + all.t[0]);
    double weights[POINTS], ratio = t1 - middle, spread = 0.0;
    weigh_value(all.t, points, t1, weights);
    for (int i = 0; i < points; i++) {
        spread += fabs(weights[i]);
        ratio *= (i + 1 < points ? fabs(middle - all.t[i]) : 1.0) / (t1 - all.t[i]);
    }
    const double share = ratio / (1.0 + 2.0 * ratio * spread);
    combine(m, points, weights, all.lambda, out);
    combine(l, points, weights, all.psi, out + m);
    for (int i = 0; i < m + l; i++)
        out[i] = share * ((i < m ? next->lambda[i] : next->psi[i - m]) - out[i]);
}

/* The derivative of a polynomial at t by the derivatives of the weights. */
static void weigh_slope(const double *times, int points, double t, double *weights)
{
    for (int i = 0; i < points; i++) {
        weights[i] = 0.0;
        for (int left_out = 0; left_out < points; left_out++) {
            double product = 1.0 / (times[i] - times[left_out == i ? 0 : left_out]);
            if (left_out == i)
                continue;
            for (int j = 0; j < points; j++)
                if (j != i && j != left_out)
                    product *= (t - times[j]) / (times[i] - times[j]);
            weights[i] += product;
        }
    }
}

/* The polynomial through the end of the step and the states before it, in coordinates at q_n. */
static void interpolate_q(const cd_step *step, const past *all, const double *weights, double *q)
{
    const cardan_group *group = step->system->group;
    const int k = step->system->k;
    double *difference = turning(step), *theta = theta_predicted(step);
    cd_zero(k, theta);
    for (int i = 0; i < all->count; i++) {
        if (i == 1) /* q_n */
            continue;
        cardan_group_difference(group, all->q[1], all->q[i], difference);
        cd_add(k, weights[i], difference, theta);
    }
    cardan_group_update(group, all->q[1], theta, q);
}

bool cd_bdf_interpolate(const cd_step *step, const cd_state *old, const cd_state *now,
                        const cd_state *out)
{
    const cardan_system *system = step->system;
    past all = {0};
    double weights[POINTS];
    append(&all, now->t, now->q, now->v, now->lambda, now->psi);
    append_memory(step, (int)*ring_of(step).count, &all);
    if (all.count < 3 || all.t[1] != old->t)
        return false;
    const int points = (int)*ring_of(step).used + 1;
    all.count = all.count < points ? all.count : points;
    weigh_value(all.t, all.count, out->t, weights);
    if (out->q != NULL)
        interpolate_q(step, &all, weights, out->q);
    if (out->v != NULL)
        combine(system->k, all.count, weights, all.v, out->v);
    if (out->lambda != NULL)
        combine(system->m, all.count, weights, all.lambda, out->lambda);
    if (out->psi != NULL)
        combine(system->l, all.count, weights, all.psi, out->psi);
    if (out->vdot == NULL)
        return true;
    weigh_slope(all.t, all.count, out->t, weights);
    combine(system->k, all.count, weights, all.v, out->vdot);
    return true;
}

const cd_scheme cd_scheme_bdf = {
    .name = "bdf",
    .summary = "backward differentiation of order 1 to 5 for the stabilised index-2 form, with "
               "variable steps: for stiff systems and small errors",
    .params = &cd_trapezoidal_params, /* of the first step */
    .multistep = true,
    .memory = memory_size,
    .work = work,
    .describe = cd_stabilised_describe,
    .check = check,
    .start = start,
    .begin = begin,
    .estimates = true,
    .stabilises = true,
    .local_multipliers = true,
    .unknowns = cd_stabilised_unknowns,
    .terms = terms_of,
    .residual = residual,
    .assemble = assemble,
    .correct = correct,
    .weigh = weigh,
    .name_row = cd_stabilised_name_row,
    .finish = finish,
};

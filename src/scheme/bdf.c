/* BDF: backward differentiation formulas of order 1 to 5 with variable steps for the stabilised
 * index-2 form, in local coordinates at q_n (docs/methods/bdf.md).
 *
 * With theta(t) = log(q_n^-1 q(t)), so that theta_n = 0 and theta' = T(theta)^-1 v, the polynomials
 * of degree p through the values at t_{n+1}, t_n, ..., t_{n+1-p} have the derivatives
 *
 *   v'_{n+1} = (v_{n+1} - v_past) / e,   theta'_{n+1} = (theta_{n+1} - theta_past) / e
 *
 * with the effective step e, 1 / e = sum 1 / (t_{n+1} - t_i), and sums of past values. So
 *
 *   theta_{n+1} = theta_past + e (T(theta_{n+1})^-1 v_{n+1} - B(q_n)^T eta).
 *
 * The first step is that of the trapezoidal rule, which has the same form. To the frame of
 * stabilised.h each looks like a step of the implicit Euler method with the size e, which cd_step.h
 * is between `begin` and `finish`. */
#include "bdf.h"

#include "base/error.h"
#include "base/numeric.h"
#include "base/shared.h"
#include "group/group.h"
#include "stabilised.h"

enum { POINTS = CD_BDF_KEPT, HEAD = sizeof(cd_bdf_memory) / 8 };

/* ---- states in a row, the newest first ---- */

typedef struct point {
    double t;
    const double *q, *v, *lambda, *psi;
    double *theta; /* at q_n, in cd_step.work */
} point;

typedef struct points {
    int count;
    point at[POINTS];
} points;

static int state_size(const cardan_system *system)
{
    return cardan_group_size(system->group) + system->k + system->m + system->l;
}

static int memory_size(const cardan_system *system)
{
    return HEAD + POINTS * state_size(system);
}

static double *kept_state(const cd_step *step, int i)
{
    return step->memory + HEAD + (ptrdiff_t)i * state_size(step->system);
}

static void append(points *all, const cd_step *step, point next)
{
    next.theta = step->work + all->count * step->system->k;
    all->at[all->count++] = next;
}

/* Those of memory, behind `newest` unless that is NULL. */
static points list(const cd_step *step, const cd_state *newest, double kept)
{
    const cardan_system *system = step->system;
    points all = {0};
    if (newest != NULL)
        append(&all, step,
               (point){newest->t, newest->q, newest->v, newest->lambda, newest->psi, NULL});
    for (int i = 0; i < (int)kept; i++) {
        const double *q = kept_state(step, i), *v = q + cardan_group_size(system->group),
                     *lambda = v + system->k;
        append(&all, step,
               (point){cd_bdf_memory_of(step)->t[i], q, v, lambda, lambda + system->m, NULL});
    }
    return all;
}

static points list_finished(const cd_step *step)
{
    return list(step, NULL, cd_bdf_memory_of(step)->count);
}

/* Before a step. The way from q_n to an earlier state is known up to whole turns only: where more
 * than most of half a turn lies between, older states are left out, and with them high orders. */
static points list_past(const cd_step *step)
{
    const double most_turn = 2.5;
    const cd_bdf_memory *kept = cd_bdf_memory_of(step);
    const cardan_group *group = step->system->group;
    const bool goes_on = step->before != NULL && kept->t[0] == step->before->t;
    points all = list(step, step->old, goes_on ? cd_smaller(kept->count, POINTS - 1) : 0.0);
    double spin = cd_group_spin(group, all.at[0].v);
    for (int i = 1; i < all.count; i++) {
        spin = cd_larger(spin, cd_group_spin(group, all.at[i].v));
        if (spin * (all.at[0].t - all.at[i].t) > most_turn)
            all.count = i;
    }
    return all;
}

/* ---- polynomials ---- */

/* Weights of the values at the first n points in that of their polynomial at t. */
static void weigh_value(const points *all, int n, double t, double *weights)
{
    for (int i = 0; i < n; i++) {
        weights[i] = 1.0;
        for (int j = 0; j < n; j++)
            if (j != i)
                weights[i] *= (t - all->at[j].t) / (all->at[i].t - all->at[j].t);
    }
}

/* The member of the points at that offset, `size` numbers; NULL: not wanted. */
static void mix(const points *all, int n, const double *weights, size_t member, int size,
                double *out)
{
    if (out == NULL)
        return;
    cd_zero(size, out);
    for (int i = 0; i < n; i++) {
        const double *x;
        memcpy(&x, (const char *)&all->at[i] + member, sizeof x);
        cd_add(size, weights[i], x, out);
    }
}
#define MIX(all, n, weights, member, size, out)                                                    \
    mix(all, n, weights, offsetof(point, member), size, out)

/* e of the formula of an order. */
static double effective_of(const points *all, int order, double t)
{
    double rate = 0.0;
    for (int i = 0; i < order; i++)
        rate += 1.0 / (t - all->at[i].t);
    return 1.0 / rate;
}

/* ---- a step ---- */

/* In step->work, behind theta of the points; k numbers each. */
typedef enum vector { THETA_PAST = POINTS, V_PAST, THETA_PREDICTED, RATE, VECTORS } vector;

static double *room(const cd_step *step, vector which)
{
    return step->work + (int)which * step->system->k;
}

static int work(int k, int multipliers)
{
    (void)multipliers;
    return (int)VECTORS * k;
}

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
static void set_up_formula(cd_step *step, const points *all)
{
    const int k = step->system->k;
    double weights[POINTS];
    step->effective = effective_of(all, step->order, step->t1);
    weigh_value(all, step->order, step->t1, weights);
    for (int i = 0; i < step->order; i++)
        weights[i] *= step->effective / (step->t1 - all->at[i].t);
    MIX(all, step->order, weights, v, k, room(step, V_PAST));
    MIX(all, step->order, weights, theta, k, room(step, THETA_PAST));
}

/* v_{n+1} = v_n + h (v'_n + v'_{n+1}) / 2 */
static void set_up_trapezoidal(cd_step *step)
{
    step->effective = 0.5 * step->h;
    for (int i = 0; i < step->system->k; i++) {
        room(step, V_PAST)[i] = step->old->v[i] + step->effective * step->old->vdot[i];
        room(step, THETA_PAST)[i] = step->effective * step->old->v[i];
    }
}

/* theta and q_{n+1} from v_{n+1} and eta: what is left of T(theta)^-1 v after two passes is as much
 * smaller than the error of the prediction as the square of a fraction of the step's rotation. */
static void follow(cd_step *step)
{
    const cardan_group *group = step->system->group;
    const int k = step->system->k, passes = cd_group_is_linear(group) ? 1 : 2;
    const double *past = room(step, THETA_PAST);
    double *theta = step->increment, *rate = room(step, RATE);
    cd_copy(k, room(step, THETA_PREDICTED), theta);
    cd_system_anchored_reaction(step->ws, step->next->eta, step->scratch);
    for (int pass = 0; pass < passes; pass++) {
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, theta, step->next->v, rate);
        for (int i = 0; i < k; i++)
            theta[i] = past[i] + step->effective * (rate[i] - step->scratch[i]);
    }
    cardan_group_update(group, step->old->q, theta, step->next->q);
}

/* By the polynomial through the last states; of a single one with its derivatives. */
static void predict(cd_step *step, const points *all)
{
    const cardan_system *system = step->system;
    const cd_state *old = step->old, *next = step->next;
    const int k = system->k, n = all->count > step->order ? step->order + 1 : all->count;
    double weights[POINTS], *theta = room(step, THETA_PREDICTED);
    weigh_value(all, n, step->t1, weights);
    MIX(all, n, weights, lambda, system->m, next->lambda);
    MIX(all, n, weights, psi, system->l, next->psi);
    MIX(all, n, weights, v, k, next->v);
    MIX(all, n, weights, theta, k, theta);
    cd_copy(system->m, old->eta, next->eta);
    if (n == 1) {
        cd_add(k, step->h, old->vdot, next->v);
        cd_add(k, step->h, old->v, theta);
        cd_add(k, 0.5 * step->h * step->h, old->vdot, theta);
    }
    for (int i = 0; i < k; i++)
        next->vdot[i] = (next->v[i] - room(step, V_PAST)[i]) / step->effective;
}

static cardan_status begin(cd_step *step)
{
    const cardan_point at = cd_state_point(step->old);
    const points all = list_past(step);
    const int wanted = (int)cd_bdf_memory_of(step)->order;
    const int most = all.count > 2 ? all.count - 1 : all.count; /* so that its error is known */
    step->known = all.count;
    step->order = wanted < most ? wanted : most;
    cd_zero(step->system->k, all.at[0].theta);
    for (int i = 1; i < all.count; i++)
        cardan_group_difference(step->system->group, all.at[0].q, all.at[i].q, all.at[i].theta);
    if (all.count == 1 && wanted > 1)
        set_up_trapezoidal(step);
    else
        set_up_formula(step, &all);
    step->next->t = step->t1;
    step->next->h = step->h;
    const cardan_status status = cd_system_anchor(step->ws, &at);
    if (status != CARDAN_OK)
        return status;
    predict(step, &all);
    step->h = step->effective;
    follow(step);
    return CARDAN_OK;
}

static int terms_of(const cd_step *step, cd_term *terms)
{
    return cd_stabilised_terms(step, CD_DYNAMICS_VDOT, CD_DYNAMICS_Q, terms);
}

static cardan_status residual(cd_step *step, double *out)
{
    return cd_stabilised_residual(step, (cd_equations){.dynamics = out}, out);
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

static cardan_status start(cd_step *step, bool perturbed)
{
    const int most = cd_bdf_most_order(step);
    cd_bdf_memory *kept = cd_bdf_memory_of(step);
    (void)perturbed;
    cd_copy(step->system->k, step->next->vdot, step->next->a);
    kept->order = most < 2 || step->keeps_order ? most : 2;
    kept->begin = step->next->t;
    kept->steady = 0.0;
    kept->rises = 1.0;
    return CARDAN_OK;
}

static cardan_status finish(cd_step *step)
{
    const cardan_system *system = step->system;
    const int size = cardan_group_size(system->group), k = system->k;
    const cd_state *old = step->old;
    cd_bdf_memory *kept = cd_bdf_memory_of(step);
    double *to = kept_state(step, 0);
    memmove(kept_state(step, 1), to, (POINTS - 1) * (size_t)state_size(system) * sizeof *to);
    memmove(kept->t + 1, kept->t, (POINTS - 1) * sizeof *kept->t);
    kept->t[0] = old->t;
    cd_copy(size, old->q, to);
    cd_copy(k, old->v, to + size);
    cd_copy(system->m, old->lambda, to + size + k);
    cd_copy(system->l, old->psi, to + size + k + system->m);
    cd_copy(k, step->next->vdot, step->next->a);
    step->h = step->next->h;
    kept->count = step->known;
    kept->used = step->order;
    kept->steady += 1.0;
    return CARDAN_OK;
}

/* ---- for the driver ---- */

double cd_bdf_local_errors(const cd_step *step, int order, double *in_q, double *in_v)
{
    const int k = step->system->k;
    const points all = list_finished(step);
    double weights[POINTS];
    if (order < 1 || all.count < order + 1)
        return 0.0;
    const double effective = effective_of(&all, order, step->t1);
    const double share = effective / (step->t1 - all.at[order].t);
    weigh_value(&all, order + 1, step->t1, weights);
    MIX(&all, order + 1, weights, v, k, in_v);
    MIX(&all, order + 1, weights, theta, k, in_q);
    for (int i = 0; i < k; i++) {
        in_v[i] = share * (step->next->v[i] - in_v[i]);
        in_q[i] = share * (step->increment[i] - in_q[i]);
    }
    return effective;
}

/* The error of the polynomial through the end of the step is the miss of the prediction times the
 * ratio of the products of the distances to all points. */
void cd_bdf_multiplier_gaps(const cd_step *step, double *out)
{
    const int m = step->system->m, l = step->system->l;
    const points all = list_finished(step);
    const int n = step->order + 1;
    const double t1 = step->t1, middle = 0.5 * (t1 + all.at[0].t);
    double weights[POINTS], ratio = t1 - middle, spread = 0.0;
    weigh_value(&all, n, t1, weights);
    for (int i = 0; i < n; i++) {
        spread += fabs(weights[i]);
        ratio *= (i + 1 < n ? fabs(middle - all.at[i].t) : 1.0) / (t1 - all.at[i].t);
    }
    MIX(&all, n, weights, lambda, m, out);
    MIX(&all, n, weights, psi, l, out + m);
    for (int i = 0; i < m + l; i++)
        out[i] = ratio / (1.0 + 2.0 * ratio * spread) *
                 ((i < m ? step->next->lambda[i] : step->next->psi[i - m]) - out[i]);
}

/* In coordinates at q_n, which is the second point. */
static void interpolate_q(const cd_step *step, const points *all, const double *weights, double *q)
{
    const cardan_group *group = step->system->group;
    double *theta = room(step, THETA_PREDICTED);
    for (int i = 0; i < all->count; i++)
        cardan_group_difference(group, all->at[1].q, all->at[i].q, all->at[i].theta);
    MIX(all, all->count, weights, theta, step->system->k, theta);
    cardan_group_update(group, all->at[1].q, theta, q);
}

bool cd_bdf_interpolate(const cd_step *step, const cd_state *old, const cd_state *now,
                        const cd_state *out)
{
    const cardan_system *system = step->system;
    const cd_bdf_memory *kept = cd_bdf_memory_of(step);
    const double apart = 1e-4 * (now->t - old->t); /* for v', by a difference of the polynomial */
    double weights[POINTS], before[POINTS];
    if (kept->count < 2.0 || kept->t[0] != old->t)
        return false;
    const points all = list(step, now, cd_smaller(kept->count, kept->used));
    weigh_value(&all, all.count, out->t, weights);
    if (out->q != NULL)
        interpolate_q(step, &all, weights, out->q);
    MIX(&all, all.count, weights, v, system->k, out->v);
    MIX(&all, all.count, weights, lambda, system->m, out->lambda);
    MIX(&all, all.count, weights, psi, system->l, out->psi);
    weigh_value(&all, all.count, out->t + apart, weights);
    weigh_value(&all, all.count, out->t - apart, before);
    for (int i = 0; i < all.count; i++)
        weights[i] = (weights[i] - before[i]) / (2.0 * apart);
    MIX(&all, all.count, weights, v, system->k, out->vdot);
    return true;
}

static const cardan_params euler = {.beta = 1.0, .gamma = 1.0};

const cd_scheme cd_scheme_bdf = {
    .name = "bdf",
    .summary = "backward differentiation of order 1 to 5 for the stabilised index-2 form, with "
               "variable steps: for stiff systems and small errors",
    .params = &euler,
    .multistep = true,
    .estimates = true,
    .stabilises = true,
    .local_multipliers = true,
    .check = check,
    .unknowns = cd_stabilised_unknowns,
    .describe = cd_stabilised_describe,
    .memory = memory_size,
    .work = work,
    .terms = terms_of,
    .start = start,
    .begin = begin,
    .residual = residual,
    .assemble = cd_stabilised_assemble,
    .correct = correct,
    .weigh = cd_stabilised_weigh,
    .name_row = cd_stabilised_name_row,
    .finish = finish,
};

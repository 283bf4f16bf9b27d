/* HHT3: the HHT method for holonomic constraints that holds positions and velocities on them, JN07
 * (3.4), with its variants (3.5), midpoint and Lunk-Simeon's (JN07 Sec. 7).
 *
 * A step is determined by three vectors X_i in balance at one point each,
 *
 *   M X_i + applied_i (g without reactions) + reacting_i (reaction with X_i's multipliers) = 0,
 *   increment = h v_n + h^2 (a_n and f_n by cd_hht_rule.position + sum position_i X_i),
 *   v_{n+1}   = v_n + h (a_n and f_n by cd_hht_rule.velocity + sum velocity_i X_i),
 *
 * and by Phi = 0 and B v + dPhi/dt = 0 at t_{n+1}. Usually X = (f_{n+1}, R_0, R_1). Lunk-Simeon's
 * position needs both multipliers in the reaction at q_{n+1}: there the first and the last vector
 * are what t_{n+1} adds to position and velocity.
 *
 * Unknowns (p, x, y, h^2 Lambda_0, h^2 Lambda_1) with p = d increment, x = h dv_{n+1} and y = h^2
 * dX_s for one of the vectors; h^2 dX_i = xi_i0 (p - (h / 12) [v_n, x]) + xi_i1 x + xi_i2 y. Rows:
 * h^2 times the balances; Phi; h times the velocity constraint. Functions named as members of
 * cd_scheme do what scheme.h says. */
#include "hht.h"

#include "base/error.h"
#include "base/numeric.h"

#include <float.h>

enum { VECTORS = 3, BALANCE_TERMS = 10 };

/* The points at which balances hold: at a share of the way from v_n to v_{n+1}, and from q_n to
 * q_{n+1} or, if explicit, to q_n moved by h v_n. */
typedef enum point_kind { OLD, NEW, EXPLICIT, MIDDLE, EXPLICIT_MIDDLE } point_kind;
static const struct {
    double share;
    bool is_explicit;
} point_rules[] = {[OLD] = {0.0, false},
                   [NEW] = {1.0, false},
                   [EXPLICIT] = {1.0, true},
                   [MIDDLE] = {0.5, false},
                   [EXPLICIT_MIDDLE] = {0.5, true}};

/* The balance of a vector X_i, with the coefficients of the file's head. */
typedef struct balance {
    point_kind point;
    double applied, reacting;  /* of both forces */
    int multiplier;            /* Lambda_0 or Lambda_1 */
    double position, velocity; /* of X_i in the increment and in v_{n+1} */
    double xi[3];              /* of p, x, y in h^2 dX_i */
} balance;

typedef struct step_plan {
    balance vector[VECTORS];
} step_plan;

/* Finds xi from `position` and `velocity`, where y stands for X_kept. */
static void find_xi(step_plan *plan, int kept)
{
    balance *s = &plan->vector[kept];
    balance *i = &plan->vector[(kept + 1) % VECTORS], *j = &plan->vector[(kept + 2) % VECTORS];
    const double det = i->position * j->velocity - j->position * i->velocity;
    s->xi[2] = 1.0;
    i->xi[0] = j->velocity / det;
    i->xi[1] = -j->position / det;
    j->xi[0] = -i->velocity / det;
    j->xi[1] = i->position / det;
    i->xi[2] = -i->xi[0] * s->position - i->xi[1] * s->velocity;
    j->xi[2] = -j->xi[0] * s->position - j->xi[1] * s->velocity;
}

/* The balances of the variant that the options choose. */
static step_plan choose_plan(const cd_step *step)
{
    const double b = step->options.hht3_b;
    const cd_hht_rule rule = cd_hht_rule_of(&step->params);
    const double beta = rule.position.new_f, gamma = rule.velocity.new_f;
    step_plan plan = {{{NEW, 1.0, 0.0, 0, beta, gamma, {0}},
                       {OLD, 0.0, 1.0, 0, 0.5 * (1.0 - b), 0.5, {0}},
                       {NEW, 0.0, 1.0, 1, 0.5 * b, 0.5, {0}}}};
    int kept = 0;
    switch (step->options.hht3_variant) {
    case CARDAN_HHT3_FULL:
        break;
    case CARDAN_HHT3_EXPLICIT:
        plan.vector[2].point = EXPLICIT;
        break;
    case CARDAN_HHT3_MIDPOINT:
    case CARDAN_HHT3_MIDPOINT_EXPLICIT:
        plan.vector[1].velocity = 0.0;
        plan.vector[2].point =
            step->options.hht3_variant == CARDAN_HHT3_MIDPOINT ? MIDDLE : EXPLICIT_MIDDLE;
        plan.vector[2].velocity = 1.0;
        break;
    case CARDAN_HHT3_LUNK_SIMEON:
        plan.vector[0] = (balance){NEW, beta, 0.5 * b, 0, 1.0, 0.0, {0}};
        plan.vector[2] = (balance){NEW, gamma, 0.5, 1, 0.0, 1.0, {0}};
        kept = 1;
        break;
    }
    find_xi(&plan, kept);
    return plan;
}

static bool has_middle(cardan_hht3_variant variant)
{
    return variant == CARDAN_HHT3_MIDPOINT || variant == CARDAN_HHT3_MIDPOINT_EXPLICIT;
}

static cardan_status check_options(const cd_step *step, cardan_error *error)
{
    const double b = step->options.hht3_b;
    const cardan_hht3_variant variant = step->options.hht3_variant;
    if ((int)variant < CARDAN_HHT3_FULL || variant > CARDAN_HHT3_LUNK_SIMEON)
        return cd_invalid(error, "hht3 has no variant number %d", (int)variant);
    if (!isfinite(b) || fabs(1.0 - 2.0 * b) < 1e-6)
        return cd_invalid(
            error,
            "hht3 needs b != 1/2 and b is %g: with 1/2 position and velocity constraints would "
            "both ask for the sum of the two multipliers; b = 0 is a good choice",
            b);
    if (has_middle(variant) && b != 0.0)
        return cd_invalid(error,
                          "the midpoint variants of hht3 have b = 0 and b is %g; leave b out", b);
    return CARDAN_OK;
}

static cardan_status check(const cd_step *step, cardan_error *error)
{
    if (step->system->l > 0)
        return cd_fail(
            error, CARDAN_UNSUPPORTED,
            "hht3 is for holonomic constraints and this system has %d nonholonomic ones; "
            "use %s",
            step->system->l, step->system->m > 0 ? "ga2s" : "hht2 or ga2s");
    if (step->system->m == 0)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "hht3 is for holonomic constraints and this system has none; use hht");
    /* Lunk and Simeon extend the generalized-alpha method, JN07 HHT's. */
    const bool general = step->options.hht3_variant == CARDAN_HHT3_LUNK_SIMEON;
    const cardan_status status =
        general ? cd_ga_check(step, error) : cd_hht_check_params(step, error);
    return status == CARDAN_OK ? check_options(step, error) : status;
}

static int unknowns(const cardan_system *system)
{
    return VECTORS * system->k + 2 * system->m;
}

/* The terms of one balance, in the order in which `assemble_balance` takes them. */
static void list_balance_terms(const cd_step *step, const balance *x, int row, cd_term *terms)
{
    const int k = step->system->k, lambda = VECTORS * k + x->multiplier * step->system->m;
    const double h = step->h, by_v = h * point_rules[x->point].share;
    const double by_q = point_rules[x->point].is_explicit || x->point == OLD ? 0.0 : h * h;
    const double bracket = step->magnus ? -x->xi[0] : 0.0;
    const cd_term list[BALANCE_TERMS] = {
        {CD_DYNAMICS_VDOT, row, 0, x->xi[0], false, 0},
        {CD_DYNAMICS_VDOT, row, k, x->xi[1], false, 0},
        {CD_DYNAMICS_VDOT, row, 2 * k, x->xi[2], false, 0},
        {CD_DYNAMICS_LAMBDA, row, lambda, x->reacting, false, 0},
        {CD_INERTIA_Q, row, 0, by_q, true, 0},
        {CD_REACTING_Q, row, 0, by_q * x->reacting, true, 0},
        {CD_REACTING_V, row, k, by_v * x->reacting, false, 0},
        {CD_APPLIED_Q, row, 0, by_q * x->applied, true, 0},
        {CD_APPLIED_V, row, k, by_v * x->applied, false, 0},
        {CD_DYNAMICS_VDOT, row, k, bracket, true, 0}, /* with a map of its own */
    };
    memcpy(terms, list, sizeof list);
}

static int list_terms(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k, m = step->system->m;
    const step_plan plan = choose_plan(step);
    int n = 0;
    for (int i = 0; i < VECTORS; i++, n += BALANCE_TERMS)
        list_balance_terms(step, &plan.vector[i], i * k, terms + n);
    terms[n++] = (cd_term){CD_POSITION_Q, VECTORS * k, 0, 1.0, true, 0};
    terms[n++] = (cd_term){CD_HIDDEN_V, VECTORS * k + m, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_HIDDEN_Q, VECTORS * k + m, 0, step->h, true, 0};
    return n;
}

/* Computes v_{n+1}, the increment and q_{n+1} from the vectors, the iterate. */
static void compute_motion(cd_step *step)
{
    const cd_hht_rule rule = cd_hht_rule_of(&step->params);
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const cd_state *old = step->old;
    const step_plan plan = choose_plan(step);
    const int k = step->system->k;
    const double h = step->h;
    for (int i = 0; i < k; i++) {
        const double a0 = old->a[i], f0 = memory.force[i];
        double position = cd_hht_combine(&rule.position, a0, f0, 0.0);
        double velocity = cd_hht_combine(&rule.velocity, a0, f0, 0.0);
        for (int j = 0; j < VECTORS; j++) {
            position += plan.vector[j].position * memory.vectors[j * k + i];
            velocity += plan.vector[j].velocity * memory.vectors[j * k + i];
        }
        step->next->v[i] = old->v[i] + h * velocity;
        step->increment[i] = h * (old->v[i] + h * position);
    }
    cd_ga_add_bracket(step);
    cardan_group_update(step->system->group, old->q, step->increment, step->next->q);
}

/* Component i of x + ratio (x - before); without `before` of x. */
static double extrapolate(const double *x, const double *before, double ratio, int i)
{
    return before != NULL ? x[i] + ratio * (x[i] - before[i]) : x[i];
}

/* Predicts the vectors: f, v' and lambda are extrapolated, and the reaction is v' - f. */
static void predict_vectors(cd_step *step)
{
    const int k = step->system->k, m = step->system->m;
    const cd_state *old = step->old, *before = step->before;
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const step_plan plan = choose_plan(step);
    const double ratio = before != NULL ? step->h / old->h : 0.0;
    for (int i = 0; i < k; i++) {
        const double f0 = memory.force[i], r0 = old->vdot[i] - f0;
        const double f1 = extrapolate(memory.force, before ? memory.previous : NULL, ratio, i);
        const double r1 = extrapolate(old->vdot, before ? before->vdot : NULL, ratio, i) - f1;
        for (int j = 0; j < VECTORS; j++) {
            const balance *x = &plan.vector[j];
            memory.vectors[j * k + i] = x->applied * f1 + x->reacting * (x->point == OLD ? r0 : r1);
        }
    }
    for (int i = 0; i < m; i++) {
        memory.multipliers[i] = old->lambda[i];
        memory.multipliers[m + i] =
            extrapolate(old->lambda, before ? before->lambda : NULL, ratio, i);
    }
}

static cardan_status begin(cd_step *step)
{
    cardan_status status = cd_hht_begin(step);
    if (status != CARDAN_OK)
        return status;
    predict_vectors(step);
    compute_motion(step);
    return CARDAN_OK;
}

/* The point of a balance, with its vector for v'. Explicit and middle points are built in memory,
 * with the increment `half` (k numbers). */
static cardan_point point_of_balance(cd_step *step, const step_plan *plan, int which, double *half)
{
    const cardan_system *system = step->system;
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const balance *x = &plan->vector[which];
    const cd_state *old = step->old, *next = step->next;
    cardan_point at = cd_state_point(x->point == OLD ? old : next);
    at.vdot = memory.vectors + which * system->k;
    at.lambda = memory.multipliers + x->multiplier * system->m;
    if (x->point == OLD || x->point == NEW)
        return at;
    const double share = point_rules[x->point].share;
    for (int i = 0; i < system->k; i++) {
        half[i] =
            share * (point_rules[x->point].is_explicit ? step->h * old->v[i] : step->increment[i]);
        memory.v[i] = (1.0 - share) * old->v[i] + share * next->v[i];
    }
    cardan_group_update(system->group, old->q, half, memory.q);
    at.q = memory.q;
    at.v = memory.v;
    if (x->point == MIDDLE || x->point == EXPLICIT_MIDDLE)
        at.t = old->t + 0.5 * step->h;
    return at;
}

/* h^2 times the residual of one balance */
static cardan_status balance_residual(cd_step *step, const step_plan *plan, int which, double *out)
{
    const int k = step->system->k;
    const balance *x = &plan->vector[which];
    double *value = step->scratch + k;
    const cardan_point at = point_of_balance(step, plan, which, step->scratch);
    const cd_equations wanted[] = {{.applied = value}, {.reacting = value}};
    const double weight[] = {x->applied, x->reacting};
    cd_zero(k, out);
    for (int i = 0; i < 2; i++) {
        if (weight[i] == 0.0)
            continue;
        const cardan_status status = cd_system_equations(step->ws, &at, &wanted[i]);
        if (status != CARDAN_OK)
            return status;
        cd_add(k, weight[i], value, out);
    }
    cd_system_multiply_mass(step->ws, NULL, at.vdot, value);
    cd_add(k, 1.0, value, out);
    cd_scale(k, step->h * step->h, out);
    return CARDAN_OK;
}

static cardan_status residual(cd_step *step, double *out)
{
    const int k = step->system->k, m = step->system->m;
    const step_plan plan = choose_plan(step);
    for (int i = 0; i < VECTORS; i++) {
        cardan_status status = balance_residual(step, &plan, i, out + i * k);
        if (status != CARDAN_OK)
            return status;
    }
    const cardan_point at = cd_state_point(step->next);
    const cd_equations wanted = {.position = out + VECTORS * k, .hidden = out + VECTORS * k + m};
    cardan_status status = cd_system_equations(step->ws, &at, &wanted);
    cd_scale(m, step->h, out + VECTORS * k + m);
    return status;
}

/* Adds the terms of one balance, at its point; the last term has a map of its own. */
static cardan_status assemble_balance(cd_step *step, const step_plan *plan, int which,
                                      const cd_term *terms, cd_matrix *matrix)
{
    double *half = step->scratch;
    const cardan_point at = point_of_balance(step, plan, which, half);
    const bool middle = plan->vector[which].point == MIDDLE;
    const cd_map position = {middle ? half : step->increment, middle ? 0.5 : 1.0, NULL, 0.0, NULL};
    const cd_map bracket = {cd_hht_memory_of(step).zeros, 0.0, step->old->v, step->h / 12.0, NULL};
    cardan_status status = cd_system_equations(step->ws, &at, &(cd_equations){0});
    if (status == CARDAN_OK)
        status = cd_system_assemble(step->ws, &at, &position, terms, 9, matrix);
    if (status == CARDAN_OK)
        status = cd_system_assemble(step->ws, &at, &bracket, terms + 9, 1, matrix);
    return status;
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const step_plan plan = choose_plan(step);
    const int constraints = VECTORS * BALANCE_TERMS;
    for (int i = 0; i < VECTORS; i++) {
        cardan_status status = assemble_balance(step, &plan, i, terms + i * BALANCE_TERMS, matrix);
        if (status != CARDAN_OK)
            return status;
    }
    const cardan_point at = cd_state_point(step->next);
    const cd_map position = {step->increment, 1.0, NULL, 0.0, NULL};
    cardan_status status = cd_system_equations(step->ws, &at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    return cd_system_assemble(step->ws, &at, &position, terms + constraints, count - constraints,
                              matrix);
}

static void correct(cd_step *step, const double *dx, double factor)
{
    const int k = step->system->k, m = step->system->m;
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const step_plan plan = choose_plan(step);
    const double per_h2 = factor / (step->h * step->h);
    const double *p = dx, *x = dx + k, *y = dx + 2 * k;
    cd_zero(k, step->scratch);
    if (step->magnus)
        cardan_group_bracket(step->system->group, step->old->v, x, step->scratch);
    for (int j = 0; j < VECTORS; j++) {
        const double *xi = plan.vector[j].xi;
        double *vector = memory.vectors + j * k;
        for (int i = 0; i < k; i++) {
            const double bare = p[i] - step->h / 12.0 * step->scratch[i];
            vector[i] += per_h2 * (xi[0] * bare + xi[1] * x[i] + xi[2] * y[i]);
        }
    }
    cd_add(2 * m, per_h2, dx + VECTORS * k, memory.multipliers);
    compute_motion(step);
}

/* y and the multipliers are used in this step only, so they need not be more accurate than p and x,
 * which the constraints determine up to rounding. */
static void weigh(cd_step *step, double *weights, cd_rounding *rounding)
{
    const int k = step->system->k, m = step->system->m;
    const step_plan plan = choose_plan(step);
    const cd_scales scales = cd_system_scales(step->ws);
    const double unit = cd_ga_position_rounding(step), velocity = cd_ga_velocity_rounding(step);
    double gain = 1.0;
    for (int i = 0; i < VECTORS; i++)
        gain = fmax(gain, cd_max_abs(3, plan.vector[i].xi));
    cd_ga_weigh_motion(step, INFINITY, velocity, weights + k);
    for (int i = 0; i < k; i++) {
        weights[i] = cd_ga_position_allowance(step, i) + unit;
        weights[2 * k + i] = weights[i] + gain * unit;
    }
    const double multiplier = gain * unit * scales.mass;
    cd_fill(2 * m,
            cd_ga_multiplier_allowance(step) + multiplier / fmax(scales.largest_row, DBL_MIN),
            weights + VECTORS * k);
    cd_rounding_add(rounding, k, unit);
    cd_rounding_add(rounding, 2 * k, velocity);
    cd_rounding_add(rounding, VECTORS * k, gain * unit);
    cd_rounding_add(rounding, VECTORS * k + 2 * m, multiplier / fmax(scales.smallest_row, DBL_MIN));
}

static void name_row(cd_step *step, int row, char *text, int size)
{
    const int position = VECTORS * step->system->k;
    const cd_ga_rows first = {.position = position, .velocity = position + step->system->m};
    cd_ga_name_row(step, first, row, text, size);
}

static void show_stages(const cd_step *step, const cd_state *now, cardan_state *view)
{
    const bool middle = has_middle(step->options.hht3_variant);
    view->stage = cd_hht_memory_of(step).stage;
    view->stages = 2;
    view->stage_time[0] = now->t - now->h;
    view->stage_time[1] = middle ? now->t - 0.5 * now->h : now->t;
}

const cd_scheme cd_scheme_hht3 = {
    .name = "hht3",
    .summary = "HHT-alpha for holonomic constraints, held at position and velocity level (JN07 "
               "(3.4))",
    .estimates = true,
    .stages = 2,
    CD_HHT_FUNCTIONS,
};

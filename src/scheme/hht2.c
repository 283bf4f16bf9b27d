/* HHT2: the HHT method for nonholonomic constraints k(q, v, t) = 0, JN07 Sec. 6.
 *
 *   increment = h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1} + R_{1/2} / 2),
 *   v_{n+1}   = v_n + h ((1 - gamma) a_n + gamma a_{n+1} + R_{1/2}),
 *
 * with the reaction R_{1/2} of Psi_{1/2} at t_n + h/2, q_n moved by (h/2) v_n, (v_n + v_{n+1})/2.
 *
 * Unknowns (x, y, h^2 Psi) with x = h dv_{n+1}, y = h^2 df_{n+1}: h^2 dR = x - gamma' y and, with
 * the commutator-corrected update, d increment = x/2 + (beta' - gamma'/2) y + (h / 12) [v_n, x],
 * where beta' = (1 + alpha) beta and gamma' = (1 + alpha) gamma. Rows: h^2 times the balances of f
 * at t_{n+1} and of R at the middle; h times the constraints. Functions named as members of
 * cd_scheme do what scheme.h says. */
#include "hht.h"

#include "base/error.h"
#include "base/numeric.h"

static cardan_status check(const cd_step *step, cardan_error *error)
{
    const int m = step->system->m, l = step->system->l;
    if (m > 0)
        return cd_fail(
            error, CARDAN_UNSUPPORTED,
            "hht2 is for nonholonomic constraints and this system has %d holonomic ones; "
            "use %s",
            m, l > 0 ? "ga2s for both kinds together" : "hht3");
    if (l == 0)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "hht2 is for nonholonomic constraints and this system has none; use hht");
    return cd_hht_check_params(step, error);
}

static int unknowns(const cardan_system *system)
{
    return 2 * system->k + system->l;
}

/* Numbers of terms: at t_{n+1} with q changed by x, with q changed by y, and in the middle. */
enum { BY_X = 6, BY_Y = 3, AT_MIDDLE = 4 };

static int list_terms(const cd_step *step, cd_term *terms)
{
    const int k = step->system->k, nonholonomic = 2 * k;
    const cd_hht_rule rule = cd_hht_rule_of(&step->params);
    const double h = step->h, gamma = rule.velocity.new_f; /* gamma' */
    const double by_y = rule.position.new_f - 0.5 * gamma;
    int n = 0;
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, 0, k, 1.0, false, 0};
    terms[n++] = (cd_term){CD_APPLIED_V, 0, 0, h, false, 0};
    terms[n++] = (cd_term){CD_INERTIA_Q, 0, 0, h * h, true, 0};
    terms[n++] = (cd_term){CD_APPLIED_Q, 0, 0, h * h, true, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_V, nonholonomic, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_Q, nonholonomic, 0, h, true, 0};
    terms[n++] = (cd_term){CD_INERTIA_Q, 0, k, h * h * by_y, true, 0};
    terms[n++] = (cd_term){CD_APPLIED_Q, 0, k, h * h * by_y, true, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_Q, nonholonomic, k, h * by_y, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, k, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_VDOT, k, k, -gamma, false, 0};
    terms[n++] = (cd_term){CD_REACTING_V, k, 0, 0.5 * h, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, k, nonholonomic, 1.0, false, 0};
    return n;
}

/* Computes v_{n+1}, the increment and q_{n+1} from f_{n+1} and R_{1/2}, the iterate. */
static void compute_motion(cd_step *step)
{
    const cd_hht_rule rule = cd_hht_rule_of(&step->params);
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const cd_state *old = step->old;
    const int k = step->system->k;
    const double h = step->h;
    for (int i = 0; i < k; i++) {
        const double a0 = old->a[i], f0 = memory.force[i];
        const double f1 = memory.vectors[i], r = memory.vectors[k + i];
        step->next->v[i] = old->v[i] + h * (cd_hht_combine(&rule.velocity, a0, f0, f1) + r);
        step->increment[i] =
            h * (old->v[i] + h * (cd_hht_combine(&rule.position, a0, f0, f1) + 0.5 * r));
    }
    cd_ga_add_bracket(step);
    cardan_group_update(step->system->group, old->q, step->increment, step->next->q);
}

/* Predicts f_{n+1}, R_{1/2} and Psi_{1/2} linearly from the last two states. */
static cardan_status begin(cd_step *step)
{
    const int k = step->system->k, l = step->system->l;
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const cd_state *old = step->old, *before = step->before;
    const double ratio = before != NULL ? step->h / old->h : 0.0;
    cardan_status status = cd_hht_begin(step);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < k; i++) {
        const double f = memory.force[i];
        const double change = before != NULL ? old->vdot[i] - before->vdot[i] : 0.0;
        const double f_change = before != NULL ? f - memory.previous[i] : 0.0;
        memory.vectors[i] = f + ratio * f_change;
        memory.vectors[k + i] = old->vdot[i] - f + 0.5 * ratio * (change - f_change);
        step->scratch[i] = 0.5 * step->h * old->v[i];
    }
    for (int i = 0; i < l; i++)
        memory.multipliers[i] =
            old->psi[i] + (before != NULL ? 0.5 * ratio * (old->psi[i] - before->psi[i]) : 0.0);
    cardan_group_update(step->system->group, old->q, step->scratch, memory.q);
    compute_motion(step);
    return CARDAN_OK;
}

/* The point t_{n+1}, with f_{n+1} for v' and multipliers of 0. */
static cardan_point end_point(const cd_step *step)
{
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const cd_state *next = step->next;
    return (cardan_point){next->t, next->q, next->v, memory.vectors, memory.zeros, memory.zeros};
}

/* The point in the middle, with R_{1/2} for v'. */
static cardan_point middle_point(const cd_step *step)
{
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const int k = step->system->k;
    for (int i = 0; i < k; i++)
        memory.v[i] = 0.5 * (step->old->v[i] + step->next->v[i]);
    return (cardan_point){step->old->t + 0.5 * step->h, memory.q,     memory.v,
                          memory.vectors + k,           memory.zeros, memory.multipliers};
}

/* The balance of f at t_{n+1}, that of R in the middle, and the constraints. */
static cardan_status residual(cd_step *step, double *out)
{
    const int k = step->system->k;
    const cardan_point at = end_point(step), middle = middle_point(step);
    const cd_equations wanted = {.applied = out, .nonholonomic = out + 2 * k};
    cardan_status status = cd_system_equations(step->ws, &at, &wanted);
    if (status != CARDAN_OK)
        return status;
    cd_system_multiply_mass(step->ws, NULL, at.vdot, step->scratch);
    cd_add(k, 1.0, step->scratch, out);
    status = cd_system_equations(step->ws, &middle, &(cd_equations){.reacting = out + k});
    if (status != CARDAN_OK)
        return status;
    cd_system_multiply_mass(step->ws, NULL, middle.vdot, step->scratch);
    cd_add(k, 1.0, step->scratch, out + k);
    cd_scale(2 * k, step->h * step->h, out);
    cd_scale(step->system->l, step->h, out + 2 * k);
    return CARDAN_OK;
}

static cardan_status assemble(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix)
{
    const cardan_point at = end_point(step), middle = middle_point(step);
    const cd_map by_x = cd_ga_map(step, 0.5);
    const cd_map by_y = {step->increment, 1.0, NULL, 0.0, NULL};
    cardan_status status = cd_system_equations(step->ws, &at, &(cd_equations){0});
    if (status == CARDAN_OK)
        status = cd_system_assemble(step->ws, &at, &by_x, terms, BY_X, matrix);
    if (status == CARDAN_OK)
        status = cd_system_assemble(step->ws, &at, &by_y, terms + BY_X, BY_Y, matrix);
    if (status == CARDAN_OK)
        status = cd_system_equations(step->ws, &middle, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    return cd_system_assemble(step->ws, &middle, NULL, terms + count - AT_MIDDLE, AT_MIDDLE,
                              matrix);
}

static void correct(cd_step *step, const double *dx, double factor)
{
    const int k = step->system->k;
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const double per_h2 = factor / (step->h * step->h);
    const double gamma = cd_hht_rule_of(&step->params).velocity.new_f; /* gamma' */
    cd_add(k, per_h2, dx + k, memory.vectors);
    cd_add(k, per_h2, dx, memory.vectors + k);
    cd_add(k, -gamma * per_h2, dx + k, memory.vectors + k);
    cd_add(step->system->l, per_h2, dx + 2 * k, memory.multipliers);
    compute_motion(step);
}

static void weigh(cd_step *step, double *weights, cd_rounding *rounding)
{
    const int k = step->system->k, l = step->system->l;
    const double unit = cd_ga_velocity_rounding(step);
    cd_ga_weigh_motion(step, INFINITY, unit, weights);
    cd_copy(k, weights, weights + k);
    cd_fill(l, cd_ga_multiplier_allowance(step) + cd_ga_multiplier_gain(step) * unit,
            weights + 2 * k);
    cd_rounding_add(rounding, 2 * k, unit);
    cd_rounding_add(rounding, 2 * k + l, cd_ga_multiplier_rounding(step, unit));
}

static void name_row(cd_step *step, int row, char *text, int size)
{
    cd_ga_name_row(step, (cd_ga_rows){.nonholonomic = 2 * step->system->k}, row, text, size);
}

static void show_stages(const cd_step *step, const cd_state *now, cardan_state *view)
{
    view->stage = cd_hht_memory_of(step).stage;
    view->stages = 1;
    view->stage_time[0] = now->t - 0.5 * now->h;
}

const cd_scheme cd_scheme_hht2 = {
    .name = "hht2",
    .summary = "HHT-alpha for nonholonomic constraints (JN07 Sec. 6)",
    .stages = 1,
    CD_HHT_FUNCTIONS,
};

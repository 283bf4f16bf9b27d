/* The acceleration f without reactions of the HHT methods for constrained systems: its memory, its
 * start, its change with the step size, and the end of a step; hht.h has the equations. */
#include "hht.h"

#include "base/error.h"
#include "base/numeric.h"

cardan_status cd_hht_check_params(const cd_step *step, cardan_error *error)
{
    const cardan_params p = step->params;
    const char *name = step->scheme->name;
    const double rounding = 1e-12, gamma = 0.5 + p.alpha_f;
    if (fabs(p.alpha_m) > rounding || fabs(p.gamma - gamma) > rounding ||
        fabs(p.beta - 0.25 * (1.0 + p.alpha_f) * (1.0 + p.alpha_f)) > rounding)
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "%s needs parameters of the HHT family (CARDAN_FAMILY_HHT, --params "
                       "hht:ALPHA), that is alpha_m = 0, gamma = 1/2 + alpha_f, beta = (1 + "
                       "alpha_f)^2 / 4; alpha_m is %.6g, alpha_f %.6g, beta %.6g, gamma %.6g. "
                       "Others are for ga2s, and for hht3 in Lunk and Simeon's variant (--variant "
                       "lunk-simeon)",
                       name, p.alpha_m, p.alpha_f, p.beta, p.gamma);
    if (p.alpha_f < -rounding || p.alpha_f > 1.0 / 3.0 + rounding)
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "%s needs -1/3 <= alpha <= 0 and alpha is %.6g", name,
                       p.alpha_m - p.alpha_f);
    return CARDAN_OK;
}

cd_hht_rule cd_hht_rule_of(const cardan_params *p)
{
    const double unit = 1.0 / (1.0 - p->alpha_m), beta = p->beta, gamma = p->gamma;
    const cd_hht_share a = {-p->alpha_m * unit, p->alpha_f * unit, (1.0 - p->alpha_f) * unit};
    return (cd_hht_rule){
        .acceleration = a,
        .position = {0.5 - beta + beta * a.old_a, beta * a.old_f, beta * a.new_f},
        .velocity = {1.0 - gamma + gamma * a.old_a, gamma * a.old_f, gamma * a.new_f}};
}

int cd_hht_memory_size(const cardan_system *system)
{
    const int multipliers = system->m + system->l;
    return 7 * system->k + 5 * multipliers + cardan_group_size(system->group);
}

cd_hht_memory cd_hht_memory_of(const cd_step *step)
{
    const int k = step->system->k, multipliers = step->system->m + step->system->l;
    cd_hht_memory memory;
    memory.force = step->memory;
    memory.previous = memory.force + k;
    memory.vectors = memory.previous + k;
    memory.v = memory.vectors + 3 * k;
    memory.q = memory.v + k;
    memory.stage = memory.q + cardan_group_size(step->system->group);
    memory.multipliers = memory.stage + 2 * multipliers;
    memory.zeros = memory.multipliers + 2 * multipliers;
    return memory;
}

/* f at (t, q, v), what v' would be without reactions; M must be regular. */
static cardan_status evaluate_f(cd_step *step, double t, const double *q, const double *v,
                                double *f)
{
    const cardan_point at = {.t = t, .q = q, .v = v};
    cardan_status status = cd_consistent_unconstrained_vdot(step->consistent, &at, f);
    if (status != CARDAN_SINGULAR_MATRIX)
        return status;
    return cd_fail(step->error, CARDAN_SINGULAR_MATRIX,
                   "%s splits the acceleration into forces and reactions, for which the mass "
                   "matrix must be regular, and it is singular: use ga2s or ga3",
                   step->scheme->name);
}

cardan_status cd_hht_begin(cd_step *step)
{
    const cd_state *old = step->old;
    step->next->t = step->t1;
    step->next->h = step->h;
    return evaluate_f(step, old->t, old->q, old->v, cd_hht_memory_of(step).force);
}

/* f(t_0 + alpha h) on the parabola through the initial values, to second order. After a breakpoint
 * it is extrapolated as 2 f(t_0) - f(t_0 - alpha h). */
cardan_status cd_hht_start(cd_step *step, bool perturbed)
{
    const cardan_system *system = step->system;
    const cd_hht_memory memory = cd_hht_memory_of(step);
    /* a_n belongs to t_n + alpha h: HHT's alpha, or that of Jay11 Sec. 1 */
    const double alpha = step->params.alpha_m - step->params.alpha_f;
    const double wanted = perturbed ? alpha * step->h : 0.0;
    const bool reflect = step->breakpoint_behind && wanted < 0.0;
    const double offset = reflect ? -wanted : wanted;
    cd_state *now = step->next;
    for (int i = 0; i < system->k; i++) {
        step->scratch[i] = offset * (now->v[i] + 0.5 * offset * now->vdot[i]);
        memory.v[i] = now->v[i] + offset * now->vdot[i];
    }
    cardan_group_update(system->group, now->q, step->scratch, memory.q);
    cardan_status status = evaluate_f(step, now->t + offset, memory.q, memory.v, now->a);
    if (status == CARDAN_OK && reflect)
        status = evaluate_f(step, now->t, now->q, now->v, memory.v);
    for (int i = 0; status == CARDAN_OK && reflect && i < system->k; i++)
        now->a[i] = 2.0 * memory.v[i] - now->a[i];
    return status;
}

cardan_status cd_hht_rescale(cd_step *step, double s)
{
    const cd_hht_memory memory = cd_hht_memory_of(step);
    cd_state *now = step->next;
    cardan_status status = evaluate_f(step, now->t, now->q, now->v, memory.v);
    for (int i = 0; status == CARDAN_OK && i < step->system->k; i++)
        now->a[i] = memory.v[i] + s * (now->a[i] - memory.v[i]);
    return status;
}

/* v', lambda and psi at t_{n+1} are functions of q and v, and of second order like these. */
cardan_status cd_hht_finish(cd_step *step)
{
    const cardan_system *system = step->system;
    const int k = system->k, m = system->m, l = system->l;
    const cd_hht_rule rule = cd_hht_rule_of(&step->params);
    const cd_hht_memory memory = cd_hht_memory_of(step);
    const double *old_a = step->old->a;
    cd_state *next = step->next;
    cardan_status status = evaluate_f(step, next->t, next->q, next->v, next->a);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < k; i++)
        next->a[i] = cd_hht_combine(&rule.acceleration, old_a[i], memory.force[i], next->a[i]);
    cd_copy(k, step->old->vdot, next->vdot);
    cd_copy(m, step->old->lambda, next->lambda);
    cd_copy(l, step->old->psi, next->psi);
    const cardan_point at = cd_state_point(next);
    status =
        cd_consistent_accelerations(step->consistent, &at, next->vdot, next->lambda, next->psi);
    if (status != CARDAN_OK)
        return status;
    cd_copy(k, memory.force, memory.previous);
    cd_copy(2 * (m + l), memory.multipliers, memory.stage);
    return CARDAN_OK;
}

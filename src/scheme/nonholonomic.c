/* NH: the generalized-alpha method with averaged forces, Jay11 (2.3), for nonholonomic constraints
 * k(q, v, t) = 0 and a mass matrix that depends on q and t:
 *
 *   (1 - alpha_m) M_{1+alpha} a_{n+1} + alpha_m M_alpha a_n + (1 - alpha_f) F_{n+1} + alpha_f F_n
 *     = 0,   F = g + B^T lambda + K^T psi,   k_{n+1} = 0,
 *
 * with M_{1+alpha} = M at t_n + (1 + alpha) h, q_n moved by (1 + alpha) h v_n, which the unknowns
 * do not enter. v'_{n+1} follows from a_n, a_{n+1} and v'_n by ACB15 (9d): it is of second order,
 * satisfies M v' = -F up to rounding if M is constant, and does not need an inverse of M, which may
 * be singular. So the unknowns are those of GA2S, and only the dynamics differ. Holonomic
 * constraints hold for positions and velocities, as in GA2S (stabilised.h). Functions named as
 * members of cd_scheme do what scheme.h says. */
#include "base/numeric.h"
#include "stabilised.h"

/* The arrays in cd_step.memory. */
typedef struct kept_values {
    double *known; /* k: the part of the dynamics that is known before the step; made by begin */
    double *mass;  /* the entries of M_{1+alpha} of the last step */
    double *time;  /* 1: where the last step ended */
} kept_values;

/* Where step->memory has each of these. */
static kept_values memory_of(const cd_step *step)
{
    const int k = step->system->k;
    double *memory = step->memory;
    return (kept_values){memory, memory + k, memory + k + cd_system_mass_entries(step->system)};
}

static int memory_size(const cardan_system *system)
{
    return system->k + cd_system_mass_entries(system) + 1;
}

static int list_terms(const cd_step *step, cd_term *terms)
{
    return cd_stabilised_terms(step, CD_ANCHORED_MASS, CD_FORCES_Q, terms);
}

/* Keeps M at t_n + share h, with q_n moved by share h v_n; next->q, not yet needed, is scratch. */
static cardan_status anchor_mass(cd_step *step, double share)
{
    const cd_state *old = step->old;
    const int k = step->system->k;
    cd_zero(k, step->increment);
    cd_add(k, share * step->h, old->v, step->increment);
    cardan_group_update(step->system->group, old->q, step->increment, step->next->q);
    cardan_point at = cd_state_point(old);
    at.t = old->t + share * step->h;
    at.q = step->next->q;
    return cd_system_anchor_mass(step->ws, &at);
}

/* Is the M_{1+alpha} of the last step also M_alpha of this one? Not after a start or if h has
 * changed: it belongs to t_n + alpha h_old. */
static bool is_previous_mass_valid(const cd_step *step)
{
    return step->options.nonholonomic_mass == CARDAN_MASS_PREVIOUS && step->before != NULL &&
           step->old->h == step->h && *memory_of(step).time == step->old->t;
}

/* out = M_alpha a_n */
static cardan_status evaluate_start_inertia(cd_step *step, double *out)
{
    const double shift = step->params.alpha_m - step->params.alpha_f;
    if (is_previous_mass_valid(step)) {
        cd_system_multiply_mass(step->ws, memory_of(step).mass, step->old->a, out);
        return CARDAN_OK;
    }
    cardan_status status = anchor_mass(step, shift);
    if (status == CARDAN_OK)
        cd_system_multiply_mass(step->ws, cd_system_anchored_mass(step->ws), step->old->a, out);
    return status;
}

/* The part of the dynamics that does not depend on the iterate, then the prediction. */
static cardan_status begin(cd_step *step)
{
    const cardan_params p = step->params;
    const cardan_point at = cd_state_point(step->old);
    double *known = memory_of(step).known;
    cardan_status status = evaluate_start_inertia(step, known);
    if (status == CARDAN_OK)
        status = cd_system_residual(step->ws, &at, &(cd_equations){.forces = step->scratch});
    if (status == CARDAN_OK)
        status = anchor_mass(step, 1.0 + p.alpha_m - p.alpha_f);
    if (status != CARDAN_OK)
        return status;
    cd_scale(step->system->k, p.alpha_m, known);
    cd_add(step->system->k, p.alpha_f, step->scratch, known);
    return cd_stabilised_begin(step);
}

/* The averaged dynamics divided by 1 - alpha_f, so that the rows are scaled as in GA2S. */
static cardan_status residual(cd_step *step, double *out)
{
    const int k = step->system->k;
    const cardan_params p = step->params;
    const double unit = step->h * step->h / (1.0 - p.alpha_f);
    cardan_status status = cd_stabilised_residual(step, (cd_equations){.forces = out}, out);
    if (status != CARDAN_OK)
        return status;
    cd_system_multiply_mass(step->ws, cd_system_anchored_mass(step->ws), step->next->a,
                            step->scratch);
    cd_add(k, unit * (1.0 - p.alpha_m), step->scratch, out);
    cd_add(k, unit, memory_of(step).known, out);
    return CARDAN_OK;
}

/* Keeps M_{1+alpha} for the next step. */
static cardan_status finish(cd_step *step)
{
    const kept_values now = memory_of(step);
    cd_copy(cd_system_mass_entries(step->system), cd_system_anchored_mass(step->ws), now.mass);
    *now.time = step->next->t;
    return CARDAN_OK;
}

const cd_scheme cd_scheme_nonholonomic = {
    .name = "nonholonomic",
    .summary = "generalized-alpha with averaged forces for nonholonomic constraints and "
               "nonconstant mass (Jay11 (2.3))",
    .memory = memory_size,
    .begin = begin,
    .finish = finish,
    CD_STABILISED_FUNCTIONS,
};

/* The functions of the stabilised index-2 methods; stabilised.h has unknowns and rows. */
#include "stabilised.h"

#include "base/numeric.h"
#include "base/shared.h"

#include <float.h>

/* Where the unknowns and the rows of each kind begin. */
typedef struct layout {
    int motion; /* the columns that reach q: those of p, or of x if there is no p */
    int position, hidden, nonholonomic, count;
    bool split; /* p is left out, and y has a matrix of its own: large systems without loops */
} layout;

static layout layout_of(const cardan_system *system)
{
    const int k = system->k, m = system->m, l = system->l;
    if (cd_system_has_normals(system, k + 2 * m + l))
        return (layout){0, k + m + l, k, k + m, k + 2 * m + l, true};
    const int motion = m > 0 ? k : 0, position = motion + k, nonholonomic = position + 2 * m;
    return (layout){motion, position, position + m, nonholonomic, nonholonomic + l, false};
}

static double beta_over_gamma(const cd_step *step)
{
    return step->params.beta / step->params.gamma;
}

int cd_stabilised_unknowns(const cardan_system *system)
{
    return layout_of(system).count;
}

cd_unknowns cd_stabilised_describe(const cardan_system *system)
{
    const layout at = layout_of(system);
    return (cd_unknowns){.velocities = system->k, .displacements = at.motion};
}

/* The terms of the rows p - (beta / gamma) x - (h / 12) [v_n, x] + B(q_n)^T y, and of Phi. */
static int list_position_terms(const cd_step *step, cd_term *terms)
{
    const layout at = layout_of(step->system);
    const double bracket = step->magnus ? -step->h / 12.0 : 0.0;
    int n = 0;
    terms[n++] = (cd_term){CD_IDENTITY, at.motion, at.motion, 1.0, false, 0};
    terms[n++] = (cd_term){CD_IDENTITY, at.motion, 0, -beta_over_gamma(step), false, 0};
    terms[n++] = (cd_term){CD_BRACKET, at.motion, 0, bracket, false, 0};
    terms[n++] = (cd_term){CD_ANCHORED_REACTION, at.motion, at.position, 1.0, false, 0};
    terms[n++] = (cd_term){CD_POSITION_Q, at.position, at.motion, 1.0, true, 0};
    return n;
}

int cd_stabilised_terms(const cd_step *step, cd_block_kind inertia, cd_block_kind stiffness,
                        cd_term *terms)
{
    const layout at = layout_of(step->system);
    const double h = step->h, mu = cd_ga_acceleration_weight(&step->params);
    int n = 0;
    terms[n++] = (cd_term){inertia, 0, 0, mu, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_V, 0, 0, h, false, 0};
    terms[n++] = (cd_term){stiffness, 0, at.motion, h * h, true, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_LAMBDA, 0, at.hidden, 1.0, false, 0};
    terms[n++] = (cd_term){CD_DYNAMICS_PSI, 0, at.nonholonomic, 1.0, false, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_V, at.nonholonomic, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_NONHOLONOMIC_Q, at.nonholonomic, at.motion, h, true, 0};
    terms[n++] = (cd_term){CD_HIDDEN_V, at.hidden, 0, 1.0, false, 0};
    terms[n++] = (cd_term){CD_HIDDEN_Q, at.hidden, at.motion, h, true, 0};
    if (at.split) /* the row of Phi less beta / gamma times that of the velocity constraints */
        terms[n++] = (cd_term){CD_NORMALS, at.position, at.position, -1.0, false, 0};
    if (at.split)
        return n;
    return step->system->m > 0 ? n + list_position_terms(step, terms + n) : n;
}

cardan_status cd_stabilised_begin(cd_step *step)
{
    const cardan_point at = cd_state_point(step->old);
    cardan_status status = cd_system_anchor(step->ws, &at);
    if (status == CARDAN_OK)
        cd_ga_predict(step, true);
    return status;
}

cardan_status cd_stabilised_residual(cd_step *step, cd_equations wanted, double *out)
{
    const cardan_system *system = step->system;
    const layout row = layout_of(system);
    const cardan_point at = cd_state_point(step->next);
    wanted.position = out + row.position;
    wanted.hidden = out + row.hidden;
    wanted.nonholonomic = out + row.nonholonomic;
    wanted.low = step->next_low;
    cardan_status status = cd_system_residual(step->ws, &at, &wanted);
    if (status != CARDAN_OK)
        return status;
    cd_team *team = cd_workspace_services(step->ws)->team;
    cd_shared_scale(team, system->k, step->h * step->h, out);
    cd_zero(row.motion, out + system->k);
    cd_shared_scale(team, system->m + system->l, step->h, out + row.hidden);
    if (row.split)
        cd_shared_add(team, system->m, -beta_over_gamma(step), out + row.hidden,
                      out + row.position);
    return CARDAN_OK;
}

cardan_status cd_stabilised_assemble(cd_step *step, const cd_term *terms, int count,
                                     cd_matrix *matrix)
{
    const cardan_point at = cd_state_point(step->next);
    const bool by_x = layout_of(step->system).motion == 0;
    const cd_map map = {step->increment, by_x ? beta_over_gamma(step) : 1.0, step->old->v,
                        by_x && step->magnus ? step->h / 12.0 : 0.0, NULL};
    return cd_system_assemble(step->ws, &at, &map, terms, count, matrix);
}

cd_ga_change cd_stabilised_change(const cardan_system *system, const double *dx)
{
    const layout at = layout_of(system);
    return (cd_ga_change){
        .x = dx, .lambda = dx + at.hidden, .psi = dx + at.nonholonomic, .eta = dx + at.position};
}

void cd_stabilised_correct(cd_step *step, const double *dx, double factor)
{
    const cd_ga_change by = cd_stabilised_change(step->system, dx);
    cd_ga_correct(step, &by, factor);
}

void cd_stabilised_weigh(cd_step *step, double *weights, cd_rounding *rounding)
{
    const cardan_system *system = step->system;
    const layout at = layout_of(system);
    const double unit = cd_ga_velocity_rounding(step);
    const double worst = cd_ga_velocity_rounding_at_worst(step),
                 position = cd_ga_position_rounding(step);
    const double motion = position + beta_over_gamma(step) * worst; /* p follows x */
    const cd_scales scales = cd_system_scales(step->ws);
    const double largest = cd_larger(scales.largest_row, DBL_MIN);
    const double smallest = cd_larger(scales.smallest_row, DBL_MIN);
    double finest = INFINITY;
    cd_ga_weigh_motion(step, INFINITY, unit, weights);
    for (int i = 0; i < system->k; i++) {
        const double allowed = cd_ga_position_allowance(step, i) + position;
        finest = cd_smaller(finest, allowed);
        if (at.motion > 0)
            weights[at.motion + i] = allowed;
    }
    cd_fill(system->m, finest / largest, weights + at.position);
    cd_fill(system->m + system->l,
            cd_ga_multiplier_allowance(step) + cd_ga_multiplier_gain(step) * unit,
            weights + at.hidden);
    cd_rounding_add(rounding, system->k, worst);
    if (at.split) {
        cd_rounding_add(rounding, at.position, cd_ga_multiplier_rounding(step, worst));
        cd_rounding_add(rounding, at.count, motion / smallest);
        return;
    }
    cd_rounding_add(rounding, at.position, motion);
    cd_rounding_add(rounding, at.hidden, motion / smallest);
    cd_rounding_add(rounding, at.count, cd_ga_multiplier_rounding(step, worst));
}

void cd_stabilised_name_row(cd_step *step, int row, char *text, int size)
{
    const layout at = layout_of(step->system);
    const cd_ga_rows first = {
        .position = at.position, .velocity = at.hidden, .nonholonomic = at.nonholonomic};
    cd_ga_name_row(step, first, row, text, size);
}

/* RK5: the explicit Runge-Kutta method of order 5(4) of Tsitouras (Comput. Math. Appl. 62, 2011)
 * for motions that are not stiff, on the group and on the constraints.
 *
 * In a step the configuration is q = q_n exp(w) with T(w) w' = v, and v' follows from the equations
 * of motion with the constraints at acceleration level, ACB15 (7): an ordinary differential
 * equation for (w, v), to which the method is applied as it is (Munthe-Kaas). Its end is projected
 * onto the position and velocity constraints with the factors of the last stage, so there is no
 * drift; v', lambda and psi are solved for there and begin the next step. They have the order of
 * q and v. */
#include "base/error.h"
#include "base/numeric.h"
#include "ga.h"
#include "midpoint.h"

enum { STAGES = 6 }; /* the seventh is the first of the next step */

static const double node[STAGES] = {0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0};

static const double weight[STAGES + 1][STAGES] = {
    {0.0},
    {0.161},
    {-0.008480655492356989, 0.335480655492357},
    {2.8971530571054935, -6.359448489975075, 4.3622954328695815},
    {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525},
    {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
     -0.028269050394068383},
    {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
     2.324710524099774}};

/* The weights of order 5 less those of order 4. */
static const double error_weight[STAGES + 1] = {
    -0.001780011052225777, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
    0.5823571654525552,    -0.45808210592918697,   0.015151515151515152};

/* In step->work: w' and v' of the stages after the first, w' at the end, the errors, and lambda and
 * psi of INNER_STAGE. */
enum { INNER_STAGE = 2 };

static int work_size(int k, int multipliers)
{
    return (2 * (STAGES - 1) + 3) * k + multipliers;
}

/* w' of a stage; at the first one it is v. */
static double *stage_rate_of_w(const cd_step *step, int stage)
{
    return stage == 0 ? step->old->v : step->work + (2 * (stage - 1)) * step->system->k;
}

static double *stage_vdot(const cd_step *step, int stage)
{
    return stage == 0 ? step->old->vdot : step->work + (2 * (stage - 1) + 1) * step->system->k;
}

static double *end_rate_of_w(const cd_step *step)
{
    return step->work + 2 * (STAGES - 1) * step->system->k;
}

static double *position_error(const cd_step *step)
{
    return end_rate_of_w(step) + step->system->k;
}

static double *velocity_error(const cd_step *step)
{
    return position_error(step) + step->system->k;
}

static double *multipliers_inside(const cd_step *step)
{
    return velocity_error(step) + step->system->k;
}

/* w and dv: h times the weighted sum of w' and of v' of the first `count` stages. */
static void sum_stages(const cd_step *step, int count, const double *weights, double *w, double *dv)
{
    const int k = step->system->k;
    cd_zero(k, w);
    cd_zero(k, dv);
    for (int j = 0; j < count; j++)
        if (weights[j] != 0.0) {
            cd_add(k, step->h * weights[j], stage_rate_of_w(step, j), w);
            cd_add(k, step->h * weights[j], stage_vdot(step, j), dv);
        }
}

/* Sets q and v in step->next for a stage; stage STAGES is the end of the step. */
static void set_stage_state(cd_step *step, int stage)
{
    const int k = step->system->k;
    cd_state *next = step->next;
    sum_stages(step, stage, weight[stage], step->increment, next->v);
    cd_add(k, 1.0, step->old->v, next->v);
    cardan_group_update(step->system->group, step->old->q, step->increment, next->q);
}

/* v', lambda and psi of step->next. Dependent constraints are only a reason for a shorter step. */
static cardan_status solve_accelerations(cd_step *step, double t)
{
    cd_state *next = step->next;
    const cardan_point at = {t, next->q, next->v, next->vdot, next->lambda, next->psi};
    step->evaluations++;
    const cardan_status status =
        cd_consistent_solve(step->consistent, &at, next->vdot, next->lambda, next->psi);
    return status == CARDAN_RANK_DEFICIENT ? CARDAN_SINGULAR_MATRIX : status;
}

/* Computes w' and v' of a stage, and keeps the multipliers of INNER_STAGE. */
static cardan_status evaluate_stage(cd_step *step, int stage)
{
    const int k = step->system->k;
    double *rate = stage_rate_of_w(step, stage), *vdot = stage_vdot(step, stage);
    set_stage_state(step, stage);
    cardan_group_tangent(step->system->group, CARDAN_TANGENT_INVERSE, step->increment,
                         step->next->v, rate);
    cardan_status status = solve_accelerations(
        step, stage == STAGES - 1 ? step->t1 : step->old->t + node[stage] * step->h);
    cd_copy(k, step->next->vdot, vdot);
    if (stage == INNER_STAGE) {
        double *inside = multipliers_inside(step);
        cd_copy(step->system->m, step->next->lambda, inside);
        cd_copy(step->system->l, step->next->psi, inside + step->system->m);
    }
    return status;
}

/* The rounding level of q or v. */
static double rounding_level(const cd_step *step, bool velocities)
{
    return velocities ? cd_ga_velocity_rounding(step) / step->h : cd_ga_position_rounding(step);
}

/* The largest |d_i| relative to its tolerance, as the error that may remain. */
static double relative_size(const cd_step *step, bool velocities, const double *d)
{
    const double unit = 8.0 * rounding_level(step, velocities);
    double largest = 0.0;
    for (int i = 0; i < step->system->k; i++) {
        const double allowed =
            velocities ? cd_ga_velocity_allowance(step, i) : cd_ga_position_allowance(step, i);
        const double size = fabs(d[i]) / (allowed + unit);
        if (isnan(size))
            return size;
        largest = cd_larger(largest, size);
    }
    return largest;
}

/* Projects q or v onto its constraints with the factors of a point nearby: every pass removes most
 * of the residual. In large systems, rounding errors of the constraints may move q and v by more
 * than the tolerance, and no further pass changes that. */
static cardan_status project_level(cd_step *step, bool velocities)
{
    enum { MOST_PASSES = 20 };
    const double likely_rate = 0.1;
    const double rounding =
        16.0 * rounding_level(step, velocities) * cd_system_scales(step->ws).largest_row;
    double *d = step->scratch, last = INFINITY, residual;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        cardan_status status = cd_consistent_project_once(step->consistent, step->t1, step->next->q,
                                                          step->next->v, velocities, d, &residual);
        if (status != CARDAN_OK)
            return status;
        const double size = relative_size(step, velocities, d);
        const double rate = pass > 0 ? cd_larger(size / last, 1e-3) : likely_rate;
        if (size <= 1.0 || rate * size <= 0.1 || residual <= rounding)
            return CARDAN_OK;
        if (!(rate < 1.0) && pass > 2)
            break;
        last = size;
    }
    return cd_fail(step->error, CARDAN_NOT_CONVERGED,
                   "the end of the step could not be drawn back onto the %s constraints; the step "
                   "is too long for an explicit method: try a shorter one, or ga2s",
                   velocities ? "velocity" : "position");
}

static cardan_status project_end(cd_step *step)
{
    const cardan_system *system = step->system;
    cardan_status status = system->m > 0 ? project_level(step, false) : CARDAN_OK;
    if (status == CARDAN_OK && system->m + system->l > 0)
        status = project_level(step, true);
    return status;
}

/* The estimated errors in w and v: the difference to the formula of order 4. */
static void find_errors(cd_step *step)
{
    const int k = step->system->k;
    double *in_q = position_error(step), *in_v = velocity_error(step);
    cardan_group_tangent(step->system->group, CARDAN_TANGENT_INVERSE, step->increment,
                         step->next->v, end_rate_of_w(step));
    sum_stages(step, STAGES, error_weight, in_q, in_v);
    cd_add(k, step->h * error_weight[STAGES], end_rate_of_w(step), in_q);
    cd_add(k, step->h * error_weight[STAGES], step->next->vdot, in_v);
}

/* The end of the step minus the state of the last stage. */
static void find_last_stage_difference(const cd_step *step, double *dw, double *dv, double *dvdot)
{
    const int k = step->system->k;
    double difference[STAGES];
    for (int j = 0; j < STAGES; j++)
        difference[j] = weight[STAGES][j] - weight[STAGES - 1][j];
    sum_stages(step, STAGES, difference, dw, dv);
    cd_copy(k, step->next->vdot, dvdot);
    cd_add(k, -1.0, stage_vdot(step, STAGES - 1), dvdot);
}

static void guess_from_old(cd_step *step)
{
    const cd_state *old = step->old;
    cd_state *next = step->next;
    next->t = step->t1;
    next->h = step->h;
    cd_copy(step->system->k, old->vdot, next->vdot);
    cd_copy(step->system->m, old->lambda, next->lambda);
    cd_copy(step->system->l, old->psi, next->psi);
}

static cardan_status advance(cd_step *step)
{
    cardan_status status = CARDAN_OK;
    guess_from_old(step);
    for (int stage = 1; status == CARDAN_OK && stage < STAGES; stage++)
        status = evaluate_stage(step, stage);
    if (status != CARDAN_OK)
        return status;
    set_stage_state(step, STAGES);
    status = project_end(step);
    if (status == CARDAN_OK)
        status = solve_accelerations(step, step->t1);
    if (status != CARDAN_OK)
        return status;
    find_errors(step);
    cd_copy(step->system->k, step->next->vdot, step->next->a);
    return CARDAN_OK;
}

const cd_scheme cd_scheme_rk5 = {
    .name = "rk5",
    .summary = "explicit Runge-Kutta of order 5 for motions that are not stiff, drawn onto the "
               "constraints after each step (Tsitouras)",
    .params = &cd_trapezoidal_params, /* not used */
    .local_multipliers = true,
    .estimates = true,
    .order = 5,
    .work = work_size,
    .advance = advance,
    .position_error = position_error,
    .velocity_error = velocity_error,
    .multipliers_inside = multipliers_inside,
    .last_stage = find_last_stage_difference,
};

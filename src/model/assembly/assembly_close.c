/* Closing: Newton steps of least length that reduce the closure errors, with a line search and, if
 * steps are shortened much, with damping (Levenberg-Marquardt). */
#include "assembly.h"
#include "base/error.h"

enum { HALVINGS = 30, IDLE_STEPS = 3 }; /* of one step; in a row, before closing ends */

/* A step is idle if it reduces the squared errors by less than this fraction times the number of
 * rows and unknowns. In large models three digits of an error are enough. */
static const double IDLE = 1e-10;

/* Rows with singular values below the root of the damping are not closed: long chains of hinges
 * need little. Rounding errors of dependent rows grow with the reciprocal of the damping. */
static const double LEAST_DAMPING = 1e-14, MOST_DAMPING = 1e3;

cardan_status cd_assembly_check_memory(const cd_assembly *it)
{
    return it->arena->failed ? cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly")
                             : CARDAN_OK;
}

cardan_status cd_assembly_evaluate(cd_assembly *it, const double *q, const double *v)
{
    const int code = cd_rows_evaluate(it->rows, it->t, q, v);
    char why[700];
    if (code < 0)
        return cd_fail(it->error, CARDAN_CALLBACK_FAILED, "in assembly %s (code %d)",
                       cd_rows_explain(it->rows, it->t, q, why, (int)sizeof why), code);
    return code == 0 ? CARDAN_OK : CARDAN_CALLBACK_RETRY;
}

cardan_status cd_assembly_walk(cd_assembly *it, double *q)
{
    const cardan_status status = cd_assembly_evaluate(it, q, NULL);
    if (status != CARDAN_OK || it->walk == NULL)
        return status;
    cd_walk_along(it->walk, !it->whole, it->t, q);
    return cd_assembly_evaluate(it, q, NULL);
}

double cd_assembly_squared_residual(const cd_assembly *it)
{
    return cd_dot(it->rows->count, it->rows->residual, it->rows->residual);
}

double cd_assembly_closure_error(const cd_assembly *it)
{
    return cd_max_abs(it->rows->count, it->rows->residual);
}

cardan_status cd_assembly_factor(cd_assembly *it)
{
    it->iterations++;
    if (it->saddle == NULL)
        it->saddle = cd_saddle_create(it->arena, &it->rows->pattern, it->rows->values);
    if (it->saddle == NULL)
        return cd_assembly_check_memory(it);
    for (; it->damping < MOST_DAMPING;
         it->damping *= 100.0) /* more damping if rows are nearly dependent */
        if (cd_saddle_factor(it->saddle, 1.0, it->damping) == CARDAN_OK)
            return CARDAN_OK;
    return cd_fail(it->error, CARDAN_SINGULAR_MATRIX,
                   "the assembly of the model cannot be computed: its lengths differ by too many "
                   "orders of magnitude");
}

double cd_assembly_limit_rotation(const cd_assembly *it, const double *move, double *step)
{
    double factor = 1.0;
    for (int i = 0; i < it->rows->dof; i++)
        if (it->rows->is_rotation[i])
            factor =
                fmin(factor, CD_LARGEST_ROTATION * it->rows->length / fmax(fabs(move[i]), 1e-300));
    for (int i = 0; i < it->rows->dof; i++)
        step[i] = factor * move[i] / it->rows->scale[i];
    return factor;
}

/* trial = update(q, alpha step), and `value` its squared residual; INFINITY if it has none. */
static cardan_status try_step(cd_assembly *it, const double *q, double alpha, double *trial,
                              double *value)
{
    for (int i = 0; i < it->rows->dof; i++)
        it->move[i] = alpha * it->step[i];
    cardan_group_update(it->group, q, it->move, trial);
    cardan_status status = cd_assembly_walk(it, trial);
    *value = status == CARDAN_OK ? cd_assembly_squared_residual(it) : INFINITY;
    return status < 0 ? status : CARDAN_OK;
}

/* Less damping after a full step, more after a much shortened one; false at its upper limit. */
static bool adapt_damping(cd_assembly *it, double alpha)
{
    if (alpha > 0.9)
        it->damping = fmax(0.1 * it->damping, LEAST_DAMPING);
    else if (alpha < 0.2)
        it->damping = fmax(10.0 * it->damping, 1e-6);
    return it->damping < MOST_DAMPING;
}

/* Finds the step of least length against the residuals; returns the slope of their squares. */
static double find_step(cd_assembly *it)
{
    const cd_rows *rows = it->rows;
    for (int i = 0; i < rows->count; i++)
        it->right[i] = -rows->residual[i];
    cd_saddle_solve(it->saddle, NULL, it->right, it->move, NULL);
    cd_pattern_multiply(&rows->pattern, rows->values, it->move, it->right);
    return 2.0 * cd_dot(rows->count, it->right, rows->residual) *
           cd_assembly_limit_rotation(it, it->move, it->step);
}

/* Takes one damped Newton step of least length from q; `stuck`: no further progress is possible. */
static cardan_status take_step(cd_assembly *it, double *q, bool *stuck)
{
    const double before = cd_assembly_squared_residual(it);
    double alpha = 1.0, after = INFINITY;
    cardan_status status = cd_assembly_factor(it);
    if (status != CARDAN_OK)
        return status;
    const double slope = find_step(it);
    for (int halving = 0; halving < HALVINGS; halving++, alpha *= 0.5) {
        status = try_step(it, q, alpha, it->trial, &after);
        if (status != CARDAN_OK || after < before + 1e-4 * alpha * slope)
            break;
    }
    if (status != CARDAN_OK)
        return status;
    *stuck = !adapt_damping(it, alpha) || !(slope < -1e-14 * before);
    if (!(after < before))
        return cd_assembly_evaluate(it, q, NULL);
    cd_copy(cardan_group_size(it->group), it->trial, q);
    return CARDAN_OK;
}

cardan_status cd_assembly_polish(cd_assembly *it, double *q)
{
    const double gain = 0.1;
    double error_before = cd_assembly_closure_error(it), ignored;
    while (error_before > 1e-3 * it->tolerance) {
        find_step(it);
        cardan_status status = try_step(it, q, 1.0, it->trial, &ignored);
        const double now = isfinite(ignored) ? cd_assembly_closure_error(it) : INFINITY;
        if (status != CARDAN_OK)
            return status;
        if (!(now <= gain * error_before))
            return cd_assembly_evaluate(it, q, NULL);
        cd_copy(cardan_group_size(it->group), it->trial, q);
        error_before = now;
    }
    return CARDAN_OK;
}

/* Moves bodies along the joints; q does not change if the rows have no values there. */
static cardan_status walk_along_joints(cd_assembly *it, double *q)
{
    const int size = cardan_group_size(it->group);
    it->whole = cd_walk_is_safe(it->walk, cd_assembly_closure_error(it));
    cd_copy(size, q, it->trial);
    cardan_status status = cd_assembly_walk(it, it->trial);
    if (status != CARDAN_OK || !isfinite(cd_assembly_squared_residual(it)))
        return status < 0 ? status : cd_assembly_evaluate(it, q, NULL);
    cd_copy(size, it->trial, q);
    return CARDAN_OK;
}

/* Newton steps until the closure errors vanish, or are so small that a walk may move bodies. */
static cardan_status close_by_steps(cd_assembly *it, int most, double *q)
{
    cardan_status status = CARDAN_OK;
    const double least = IDLE * ((double)it->rows->count + it->rows->dof);
    bool stuck = false;
    int idle = 0; /* steps in a row that hardly reduce the errors */
    it->damping = CD_SADDLE_SMALL;
    for (int i = 0; status == CARDAN_OK && !stuck && idle < IDLE_STEPS && i < most; i++) {
        const double error_before = cd_assembly_closure_error(it),
                     before = cd_assembly_squared_residual(it);
        if (error_before <= it->tolerance * 1e-3)
            break;
        if (it->walk != NULL && !it->whole && cd_walk_is_safe(it->walk, error_before))
            break;
        status = take_step(it, q, &stuck);
        if (status == CARDAN_OK)
            status = cd_assembly_polish(it, q);
        idle = cd_assembly_squared_residual(it) > (1.0 - least) * before ? idle + 1 : 0;
        if (cd_assembly_closure_error(it) <= it->tolerance &&
            cd_assembly_closure_error(it) > 0.1 * error_before)
            break; /* rounding */
    }
    return status;
}

cardan_status cd_assembly_close(cd_assembly *it, int most, double *q)
{
    cardan_status status = cd_assembly_evaluate(it, q, NULL);
    char why[700];
    if (status > 0)
        return cd_fail(it->error, CARDAN_INCONSISTENT_START, "at the initial guess %s",
                       cd_rows_explain(it->rows, it->t, q, why, (int)sizeof why));
    for (int stage = 0; status == CARDAN_OK && stage < 2; stage++) {
        if (it->walk != NULL && cd_assembly_closure_error(it) > 1e-3 * it->tolerance)
            status = walk_along_joints(it, q);
        if (status == CARDAN_OK)
            status = close_by_steps(it, most, q);
        if (it->walk == NULL || it->whole ||
            !cd_walk_is_safe(it->walk, cd_assembly_closure_error(it)))
            break;
    }
    return status;
}

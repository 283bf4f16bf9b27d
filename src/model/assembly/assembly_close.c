/* Closing: Newton steps of least length against the gaps, with a line search and, where steps have
 * to be shortened much, with damping (Levenberg-Marquardt). */
#include "assembly.h"
#include "base/error.h"

enum { HALVINGS = 30, IDLE_STEPS = 3 };

/* Steps that take less than this part of the gaps away, times the number of rows and unknowns, are
 * idle: three digits tell a gap of a large model, where a step takes long. */
static const double IDLE = 1e-10;

/* Rows that are weaker than the root of the damping are not closed: those of long chains of hinges
 * need little of it, and rounding errors of dependent rows grow with its reciprocal. */
static const double LEAST_DAMPING = 1e-14, MOST_DAMPING = 1e3;

cardan_status cd_assembly_memory(const cd_assembly *it)
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

double cd_assembly_merit(const cd_assembly *it)
{
    return cd_dot(it->rows->count, it->rows->residual, it->rows->residual);
}

double cd_assembly_gap(const cd_assembly *it)
{
    return cd_max_abs(it->rows->count, it->rows->residual);
}

cardan_status cd_assembly_factor(cd_assembly *it)
{
    it->iterations++;
    if (it->saddle == NULL)
        it->saddle = cd_saddle_create(it->arena, &it->rows->pattern, it->rows->values);
    if (it->saddle == NULL)
        return cd_assembly_memory(it);
    for (; it->damping < MOST_DAMPING; it->damping *= 100.0) /* rows that are nearly dependent */
        if (cd_saddle_factor(it->saddle, 1.0, it->damping) == CARDAN_OK)
            return CARDAN_OK;
    return cd_fail(it->error, CARDAN_SINGULAR_MATRIX,
                   "the assembly of the model cannot be computed: its lengths differ by too many "
                   "orders of magnitude");
}

double cd_assembly_limit(const cd_assembly *it, const double *move, double *step)
{
    double factor = 1.0;
    for (int i = 0; i < it->rows->dof; i++)
        if (it->rows->turns[i])
            factor =
                fmin(factor, CD_LARGEST_ROTATION * it->rows->length / fmax(fabs(move[i]), 1e-300));
    for (int i = 0; i < it->rows->dof; i++)
        step[i] = factor * move[i] / it->rows->scale[i];
    return factor;
}

/* trial = update(q, alpha step) and its residual; infinite where there is none. */
static cardan_status try_step(cd_assembly *it, const double *q, double alpha, double *trial,
                              double *value)
{
    for (int i = 0; i < it->rows->dof; i++)
        it->move[i] = alpha * it->step[i];
    cardan_group_update(it->group, q, it->move, trial);
    cardan_status status = cd_assembly_walk(it, trial);
    *value = status == CARDAN_OK ? cd_assembly_merit(it) : INFINITY;
    return status < 0 ? status : CARDAN_OK;
}

/* Less damping after a good step, more after one that had to be shortened much; true if there is
 * more to try. */
static bool adapt_damping(cd_assembly *it, double alpha)
{
    if (alpha > 0.9)
        it->damping = fmax(0.1 * it->damping, LEAST_DAMPING);
    else if (alpha < 0.2)
        it->damping = fmax(10.0 * it->damping, 1e-6);
    return it->damping < MOST_DAMPING;
}

/* The step of least length against the gaps, in it->step; returns the slope of the merit along. */
static double find_step(cd_assembly *it)
{
    const cd_rows *rows = it->rows;
    for (int i = 0; i < rows->count; i++)
        it->right[i] = -rows->residual[i];
    cd_saddle_solve(it->saddle, NULL, it->right, it->move, NULL);
    cd_pattern_multiply(&rows->pattern, rows->values, it->move, it->right);
    return 2.0 * cd_dot(rows->count, it->right, rows->residual) *
           cd_assembly_limit(it, it->move, it->step);
}

/* One damped Newton step of least length from q; `stuck` if it makes no progress. */
static cardan_status close_once(cd_assembly *it, double *q, bool *stuck)
{
    const double before = cd_assembly_merit(it);
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
    double gap = cd_assembly_gap(it), ignored;
    while (gap > 1e-3 * it->tolerance) {
        find_step(it);
        cardan_status status = try_step(it, q, 1.0, it->trial, &ignored);
        const double now = isfinite(ignored) ? cd_assembly_gap(it) : INFINITY;
        if (status != CARDAN_OK)
            return status;
        if (!(now <= gain * gap))
            return cd_assembly_evaluate(it, q, NULL);
        cd_copy(cardan_group_size(it->group), it->trial, q);
        gap = now;
    }
    return CARDAN_OK;
}

/* Along the joints first; `q` stays where that leads to no values. */
static cardan_status walk_once(cd_assembly *it, double *q)
{
    const int size = cardan_group_size(it->group);
    it->whole = cd_walk_is_safe(it->walk, cd_assembly_gap(it));
    cd_copy(size, q, it->trial);
    cardan_status status = cd_assembly_walk(it, it->trial);
    if (status != CARDAN_OK || !isfinite(cd_assembly_merit(it)))
        return status < 0 ? status : cd_assembly_evaluate(it, q, NULL);
    cd_copy(size, it->trial, q);
    return CARDAN_OK;
}

/* Steps until the gaps vanish, or can be put right along the joints. */
static cardan_status close_on(cd_assembly *it, int most, double *q)
{
    cardan_status status = CARDAN_OK;
    const double least = IDLE * ((double)it->rows->count + it->rows->dof);
    bool stuck = false;
    int idle = 0; /* steps in a row that take next to nothing away */
    it->damping = CD_SADDLE_SMALL;
    for (int i = 0; status == CARDAN_OK && !stuck && idle < IDLE_STEPS && i < most; i++) {
        const double gap = cd_assembly_gap(it), before = cd_assembly_merit(it);
        if (gap <= it->tolerance * 1e-3)
            break;
        if (it->walk != NULL && !it->whole && cd_walk_is_safe(it->walk, gap))
            break;
        status = close_once(it, q, &stuck);
        if (status == CARDAN_OK)
            status = cd_assembly_polish(it, q);
        idle = cd_assembly_merit(it) > (1.0 - least) * before ? idle + 1 : 0;
        if (cd_assembly_gap(it) <= it->tolerance && cd_assembly_gap(it) > 0.1 * gap)
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
        if (it->walk != NULL && cd_assembly_gap(it) > 1e-3 * it->tolerance)
            status = walk_once(it, q);
        if (status == CARDAN_OK)
            status = close_on(it, most, q);
        if (it->walk == NULL || it->whole || !cd_walk_is_safe(it->walk, cd_assembly_gap(it)))
            break;
    }
    return status;
}

/* Newton's method for the problem of projection.h. As long as it converges fast, it is used as it
 * is; otherwise with H, the second derivative of the constraints, and a line search. */
#include "projector.h"

#include "base/error.h"
#include "base/numeric.h"

#include <float.h>

enum { PLAIN_ITERATIONS = 25, AUGMENTED_ITERATIONS = 200, GUARDED_ITERATIONS = 200, HALVINGS = 40 };

static cardan_status factor_matrix(cd_projector *p, const cd_job *job, bool curved)
{
    const cd_bordered_values values = {.norm = p->norm,
                                       .hessian = curved ? p->wide->values : NULL,
                                       .rows = {p->rows[0], p->rows[1]},
                                       .alpha = p->alpha,
                                       .nonholonomic = job->nonholonomic};
    const cardan_status status = cd_bordered_factor(p->bordered, &values);
    return status == CARDAN_OK ? CARDAN_OK : cd_system_explain_singular(p->ws, job->at.t, NULL);
}

/* force += C^T mu */
static void add_reaction(const cd_projector *p, double *force)
{
    cd_pattern_add_transposed(p->patterns[0], p->rows[0], p->multiplier, force);
    if (p->rows[1] != NULL)
        cd_pattern_add_transposed(p->patterns[1], p->rows[1], p->multiplier + p->system->m, force);
}

/* x = -(A d + C^T mu, r - (mu - mu_0) / alpha) */
static void make_right_side(cd_projector *p)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const double scale = cd_bordered_scale(p->alpha), border = cd_bordered_border(p->alpha);
    cd_pattern_multiply(p->bordered->norm, p->norm, p->change, p->x);
    add_reaction(p, p->x);
    for (int i = 0; i < n; i++)
        p->x[k + i] = scale * p->residual[i] - border * (p->multiplier[i] - p->shift[i]);
    for (int i = 0; i < k + n; i++)
        p->x[i] = -p->x[i];
}

/* value = x from x* and d */
static void update_value(cd_projector *p, const cd_job *job)
{
    if (job->on_group) {
        cardan_group_update(p->system->group, p->origin, p->change, job->value);
        return;
    }
    for (int i = 0; i < p->system->k; i++)
        job->value[i] = p->origin[i] + p->change[i];
}

/* d += dx, mu += dmu with the solution p->x = (dx, dmu) */
static void apply_correction(cd_projector *p, const cd_job *job)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    cd_add(k, 1.0, p->x, p->change);
    cd_add(n, 1.0, p->x + k, p->multiplier);
    if (job->how->solver == CARDAN_PROJECTION_AUGMENTED)
        cd_copy(n, p->multiplier, p->shift);
    update_value(p, job);
}

/* w->pull = C^T mu, with d displaced by `width` along some columns. */
static cardan_status find_pull(cd_projector *p, const cd_job *job, int count, const int *column,
                               double width)
{
    cd_wide_matrix *w = p->wide;
    cd_copy(p->system->k, w->centre, p->change);
    for (int i = 0; i < count; i++)
        p->change[column[i]] += width;
    update_value(p, job);
    const cardan_status status = job->evaluate(p, job);
    cd_zero(p->system->k, w->pull);
    if (status == CARDAN_OK)
        add_reaction(p, w->pull);
    return status;
}

/* Adds the differences to H: by groups of columns or, if it is full, column by column. */
static cardan_status difference_hessian(cd_projector *p, const cd_job *job, double width)
{
    const int k = p->system->k;
    cd_wide_matrix *w = p->wide;
    const cd_colouring *c = &w->colouring;
    const bool full = w->hessian.full;
    for (int g = 0; g < (full ? k : c->groups); g++)
        for (int side = -1; side <= 1; side += 2) {
            const double weight = side / (2.0 * width);
            const int count = full ? 1 : c->column_start[g + 1] - c->column_start[g];
            const int *column = full ? &g : c->column + c->column_start[g];
            const cardan_status status = find_pull(p, job, count, column, side * width);
            if (status != CARDAN_OK)
                return status;
            if (full)
                for (int i = 0; i < k; i++)
                    w->values[i * k + g] += weight * w->pull[i];
            else
                for (int e = c->entry_start[g]; e < c->entry_start[g + 1]; e++)
                    w->values[c->entry[e]] += weight * w->pull[c->row[e]];
        }
    return CARDAN_OK;
}

/* H = d(C(d)^T mu)/dd by central differences, on groups with the derivative of the tangent
 * operator. Their error of about 1e-9 is the rate at which Newton's method converges in the end. */
static cardan_status evaluate_hessian(cd_projector *p, const cd_job *job)
{
    const double width = 1e-5 * (1.0 + cd_max_abs(job->size, job->value));
    cd_wide_matrix *w = p->wide;
    cd_copy(p->system->k, p->change, w->centre);
    cd_zero(w->hessian.entries, w->values);
    const cardan_status status = difference_hessian(p, job, width);
    cd_copy(p->system->k, w->centre, p->change);
    update_value(p, job);
    return status;
}

/* Do the constraints hold to rounding? With a small penalty, small corrections do not show that. */
static bool constraints_hold(const cd_projector *p, double size)
{
    double entry = 0.0;
    for (int i = 0; i < 2; i++)
        if (p->rows[i] != NULL)
            entry = fmax(entry, cd_max_abs(p->patterns[i]->entries, p->rows[i]));
    return cd_max_abs(p->system->m + p->system->l, p->residual) <= 1e-12 * size * fmax(entry, 1.0);
}

/* Is the correction a rounding error, or close to one and no longer getting smaller? */
static bool has_converged(const cd_projector *p, const cd_job *job, double step, double last)
{
    const double size = 1.0 + cd_max_abs(job->size, job->value);
    if (job->how->solver == CARDAN_PROJECTION_AUGMENTED && !constraints_hold(p, size))
        return false;
    return step <= 8.0 * DBL_EPSILON * size || (step >= last && step <= 1e-12 * size);
}

static cardan_status explain_failure(cd_projector *p, const cd_job *job)
{
    if (job->how->solver == CARDAN_PROJECTION_AUGMENTED)
        return cd_fail(p->error, CARDAN_NOT_CONVERGED,
                       "the augmented Lagrangian projection has found no %s that satisfies the "
                       "constraints at t = %.9g; raise its penalty of %g, or project exactly",
                       job->what, job->at.t, job->how->penalty);
    return cd_fail(p->error, CARDAN_NOT_CONVERGED,
                   "no %s was found near the given one that satisfies the constraints at t = %.9g; "
                   "begin nearer to them",
                   job->what, job->at.t);
}

/* Raises the penalty of an augmented Lagrangian (true) if it converges slowly: iterations multiply
 * the residual of the constraints by 1 / (1 + alpha g), where g is an eigenvalue of C A^-1 C^T. */
static bool raise_penalty(cd_projector *p, const cd_job *job, double step, double last)
{
    const bool slow = job->how->solver == CARDAN_PROJECTION_AUGMENTED && step > 0.1 * last;
    if (!slow || p->alpha > 1e8 * job->how->penalty)
        return false;
    p->alpha *= 10.0;
    return true;
}

/* Evaluates r and C, factors the matrix (a linear problem only if `anew`), and finds the correction
 * p->x; 0 if the constraints hold at the start. */
static cardan_status find_correction(cd_projector *p, const cd_job *job, bool first, bool anew)
{
    cardan_status status = job->evaluate(p, job);
    if (first) {
        cd_zero(p->system->k, p->x);
        if (status != CARDAN_OK || cd_max_abs(p->system->m + p->system->l, p->residual) == 0.0)
            return status;
        cd_projector_evaluate_norm(p, job);
    }
    if (status == CARDAN_OK && (anew || !job->linear))
        status = factor_matrix(p, job, false);
    if (status != CARDAN_OK)
        return status;
    make_right_side(p);
    cd_matrix_solve(p->bordered->matrix, p->x);
    return CARDAN_OK;
}

/* Newton's method without H, which is small for small moves, as mu is. `slow`: it has stopped
 * because a correction was more than a tenth of the one before. */
static cardan_status iterate_plain(cd_projector *p, const cd_job *job, bool *slow)
{
    const bool augmented = job->how->solver == CARDAN_PROJECTION_AUGMENTED;
    const int most = augmented ? AUGMENTED_ITERATIONS : PLAIN_ITERATIONS;
    bool anew = true;
    double last = INFINITY;
    *slow = false;
    for (int iteration = 0; iteration < most && !*slow; iteration++) {
        const cardan_status status = find_correction(p, job, iteration == 0, anew);
        const double step = cd_max_abs(p->system->k, p->x);
        if (status != CARDAN_OK)
            return status;
        if (!isfinite(step))
            break;
        apply_correction(p, job);
        /* The second iteration of a linear problem is iterative refinement. */
        if (has_converged(p, job, step, last) || (job->linear && !augmented && iteration == 1))
            return CARDAN_OK;
        anew = raise_penalty(p, job, step, last);
        *slow = !job->linear && !anew && step > 0.1 * last;
        last = step;
    }
    *slow = !job->linear;
    return *slow ? CARDAN_OK : explain_failure(p, job);
}

static bool uses_penalty(const cd_job *job)
{
    return job->how->solver == CARDAN_PROJECTION_PENALTY;
}

/* The function that a step of the line search must reduce: d^T A d / 2 plus |r| weighted by more
 * than the multipliers (Han and Powell), or the penalty function itself. */
static double merit(const cd_projector *p, const cd_job *job)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    cd_pattern_multiply(p->bordered->norm, p->norm, p->change, p->wide->work);
    double sum = 0.5 * cd_dot(k, p->change, p->wide->work);
    if (uses_penalty(job))
        return sum + 0.5 * p->alpha * cd_dot(n, p->residual, p->residual);
    for (int i = 0; i < n; i++)
        sum += p->wide->weight[i] * fabs(p->residual[i]);
    return sum;
}

/* out = C x with the last B and K */
static void multiply_constraints(const cd_projector *p, const double *x, double *out)
{
    cd_zero(p->system->m + p->system->l, out);
    cd_pattern_multiply(p->patterns[0], p->rows[0], x, out);
    if (p->rows[1] != NULL)
        cd_pattern_multiply(p->patterns[1], p->rows[1], x, out + p->system->m);
}

/* The derivative of the merit function along the direction. */
static double merit_slope(const cd_projector *p, const cd_job *job)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const cd_wide_matrix *w = p->wide;
    cd_pattern_multiply(p->bordered->norm, p->norm, p->change, w->work);
    double sum = cd_dot(k, w->direction, w->work);
    multiply_constraints(p, w->direction, w->work);
    for (int i = 0; i < n; i++)
        if (uses_penalty(job))
            sum += p->alpha * p->residual[i] * w->work[i];
        else
            sum += w->weight[i] * (p->residual[i] > 0.0   ? w->work[i]
                                   : p->residual[i] < 0.0 ? -w->work[i]
                                                          : fabs(w->work[i]));
    return sum;
}

/* p->wide->direction = the correction with the present factors */
static void solve_direction(cd_projector *p)
{
    const int size = p->system->k + p->system->m + p->system->l;
    make_right_side(p);
    cd_matrix_solve(p->bordered->matrix, p->x);
    cd_copy(size, p->x, p->wide->direction);
}

/* Is the problem, with H, convex along the direction? Else that leads to a saddle or a maximum. */
static bool is_convex(const cd_projector *p, const cd_job *job)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const cd_wide_matrix *w = p->wide;
    cd_pattern_multiply(p->bordered->norm, p->norm, w->direction, w->work);
    double straight = cd_dot(k, w->direction, w->work);
    cd_pattern_multiply(&w->hessian, w->values, w->direction, w->work);
    const double bent = cd_dot(k, w->direction, w->work);
    multiply_constraints(p, w->direction, w->work);
    if (uses_penalty(job))
        straight += p->alpha * cd_dot(n, w->work, w->work);
    return straight + bent > 0.1 * straight;
}

/* Finds the direction of Newton's method with H, or without H if that does not descend. */
static cardan_status find_direction(cd_projector *p, const cd_job *job, bool first)
{
    cardan_status status = first ? CARDAN_OK : evaluate_hessian(p, job);
    if (status == CARDAN_OK)
        status = job->evaluate(p, job);
    if (status != CARDAN_OK)
        return status;
    if (first)
        cd_projector_evaluate_norm(p, job);
    if (!first && factor_matrix(p, job, true) == CARDAN_OK) {
        solve_direction(p);
        if (is_convex(p, job))
            return CARDAN_OK;
    }
    status = factor_matrix(p, job, false);
    if (status == CARDAN_OK)
        solve_direction(p);
    return status;
}

/* Sets d = base + share * direction + extra (may be NULL) and returns the merit function there;
 * INFINITY where the constraints have no value. */
static double merit_at(cd_projector *p, const cd_job *job, double share, const double *extra)
{
    const int k = p->system->k;
    cd_copy(k, p->wide->base, p->change);
    cd_add(k, share, p->wide->direction, p->change);
    if (extra != NULL)
        cd_add(k, 1.0, extra, p->change);
    update_value(p, job);
    const double value = job->evaluate(p, job) == CARDAN_OK ? merit(p, job) : INFINITY;
    return isfinite(value) ? value : INFINITY;
}

/* p->x = the correction that the constraints still need after the whole step, by its factors: near
 * a minimum, curved constraints make good steps look bad without it (Maratos effect). */
static void find_second_order_correction(cd_projector *p)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const double scale = cd_bordered_scale(p->alpha);
    cd_zero(k, p->x);
    for (int i = 0; i < n; i++)
        p->x[k + i] = -scale * p->residual[i];
    cd_matrix_solve(p->bordered->matrix, p->x);
}

/* Moves d along the direction until the merit function falls enough (Armijo's rule). Returns the
 * share of the direction, 0 if that fails. Small steps are taken whole: their merit is rounding. */
static double search_line(cd_projector *p, const cd_job *job)
{
    const double step = cd_max_abs(p->system->k, p->wide->direction);
    const bool small = step <= 1e-6 * (1.0 + cd_max_abs(job->size, job->value));
    const double before = merit(p, job), slope = merit_slope(p, job);
    const double rounding = 16.0 * DBL_EPSILON * fabs(before);
    double share = 1.0;
    cd_copy(p->system->k, p->change, p->wide->base);
    if (small && isfinite(merit_at(p, job, 1.0, NULL)))
        return 1.0;
    if (!(slope <= rounding))
        return 0.0;
    for (int i = 0; i < HALVINGS; i++, share *= 0.5) {
        if (merit_at(p, job, share, NULL) <= before + 1e-4 * share * slope + rounding)
            return share;
        if (i > 0 || uses_penalty(job))
            continue;
        find_second_order_correction(p);
        if (merit_at(p, job, 1.0, p->x) <= before + 1e-4 * slope + rounding)
            return 1.0;
    }
    return 0.0;
}

/* Raises the weights of the merit function to twice the largest multipliers so far. */
static void raise_weights(cd_projector *p)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    for (int i = 0; i < n; i++) {
        const double next = p->multiplier[i] + p->wide->direction[k + i];
        p->wide->weight[i] = fmax(p->wide->weight[i], 2.0 * fabs(next));
    }
}

/* d = 0, mu = 0 and the penalty that the user has given */
static void reset_iterate(cd_projector *p, const cd_job *job)
{
    const int n = p->system->m + p->system->l;
    const bool exact = job->how->solver == CARDAN_PROJECTION_EXACT;
    p->alpha = exact ? INFINITY : job->how->penalty;
    cd_zero(p->system->k, p->change);
    cd_zero(n, p->multiplier);
    cd_zero(n, p->shift);
}

/* Sequential quadratic programming from x* on, with H and the line search. */
static cardan_status iterate_guarded(cd_projector *p, const cd_job *job)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    double last = INFINITY;
    reset_iterate(p, job);
    update_value(p, job);
    cardan_status status = cd_projector_add_hessian(p, job);
    if (status == CARDAN_OK)
        cd_zero(n, p->wide->weight);
    if (job->how->solver == CARDAN_PROJECTION_AUGMENTED)
        p->alpha *= 1e8;
    for (int i = 0; status == CARDAN_OK && i < GUARDED_ITERATIONS; i++) {
        status = find_direction(p, job, i == 0);
        if (status != CARDAN_OK)
            return status;
        raise_weights(p);
        const double share = search_line(p, job), step = cd_max_abs(k, p->wide->direction);
        if (!(share > 0.0) || !isfinite(step))
            break;
        cd_add(n, share, p->wide->direction + k, p->multiplier);
        if (job->how->solver == CARDAN_PROJECTION_AUGMENTED)
            cd_copy(n, p->multiplier, p->shift);
        if (share == 1.0 && has_converged(p, job, step, last))
            return CARDAN_OK;
        last = share == 1.0 ? step : INFINITY;
    }
    return status == CARDAN_OK ? explain_failure(p, job) : status;
}

cardan_status cd_projector_minimise(cd_projector *p, const cd_job *job)
{
    bool slow = false;
    cd_copy(job->size, job->value, p->origin);
    reset_iterate(p, job);
    cardan_status status = cd_projector_choose_norm(p, job);
    if (status == CARDAN_OK)
        status = iterate_plain(p, job, &slow);
    if (status == CARDAN_OK && slow)
        status = iterate_guarded(p, job);
    if (status != CARDAN_OK)
        cd_copy(job->size, p->origin, job->value);
    return status;
}

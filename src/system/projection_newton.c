/* Newton's method for the bordered problem of projection.h: plain while it converges fast, with the
 * second derivative of the constraints and a line search where they bend. */
#include "projector.h"

#include "base/error.h"
#include "base/numeric.h"

#include <float.h>

enum { PLAIN_ITERATIONS = 25, AUGMENTED_ITERATIONS = 200, GUARDED_ITERATIONS = 200, HALVINGS = 40 };

static cardan_status factor(cd_projector *p, const cd_task *task, bool curved)
{
    const cd_bordered_values values = {.norm = p->norm,
                                       .hessian = curved ? p->wide->values : NULL,
                                       .rows = {p->rows[0], p->rows[1]},
                                       .alpha = p->alpha,
                                       .nonholonomic = task->nonholonomic};
    const cardan_status status = cd_bordered_factor(p->bordered, &values);
    return status == CARDAN_OK ? CARDAN_OK : cd_system_explain_singular(p->ws, task->at.t, NULL);
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

/* x from x* and d. */
static void place(cd_projector *p, const cd_task *task)
{
    if (task->turns) {
        cardan_group_update(p->system->group, p->origin, p->change, task->value);
        return;
    }
    for (int i = 0; i < p->system->k; i++)
        task->value[i] = p->origin[i] + p->change[i];
}

/* d += dx, mu += dmu */
static void move(cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    cd_add(k, 1.0, p->x, p->change);
    cd_add(n, 1.0, p->x + k, p->multiplier);
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED)
        cd_copy(n, p->multiplier, p->shift);
    place(p, task);
}

/* C^T mu where d has been moved by `width` along some columns. */
static cardan_status pull_at(cd_projector *p, const cd_task *task, int count, const int *column,
                             double width)
{
    cd_wide *w = p->wide;
    cd_copy(p->system->k, w->centre, p->change);
    for (int i = 0; i < count; i++)
        p->change[column[i]] += width;
    place(p, task);
    const cardan_status status = task->evaluate(p, task);
    cd_zero(p->system->k, w->pull);
    if (status == CARDAN_OK)
        add_reaction(p, w->pull);
    return status;
}

/* Adds the differences to H: by groups of columns or, if it is full, column by column. */
static cardan_status difference_hessian(cd_projector *p, const cd_task *task, double width)
{
    const int k = p->system->k;
    cd_wide *w = p->wide;
    const cd_colouring *c = &w->colouring;
    const bool full = w->hessian.full;
    for (int g = 0; g < (full ? k : c->groups); g++)
        for (int side = -1; side <= 1; side += 2) {
            const double weight = side / (2.0 * width);
            const int count = full ? 1 : c->column_start[g + 1] - c->column_start[g];
            const int *column = full ? &g : c->column + c->column_start[g];
            const cardan_status status = pull_at(p, task, count, column, side * width);
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

/* H = d(C(d)^T mu)/dd by central differences, on groups with what the tangent operator adds. Their
 * error of about 1e-9 is also that of the rate at which Newton's method converges in the end. */
static cardan_status evaluate_hessian(cd_projector *p, const cd_task *task)
{
    const double width = 1e-5 * (1.0 + cd_max_abs(task->size, task->value));
    cd_wide *w = p->wide;
    cd_copy(p->system->k, p->change, w->centre);
    cd_zero(w->hessian.entries, w->values);
    const cardan_status status = difference_hessian(p, task, width);
    cd_copy(p->system->k, w->centre, p->change);
    place(p, task);
    return status;
}

/* Do the constraints hold? A small penalty makes small corrections whether they do or not. */
static bool has_closed(const cd_projector *p, double size)
{
    double entry = 0.0;
    for (int i = 0; i < 2; i++)
        if (p->rows[i] != NULL)
            entry = fmax(entry, cd_max_abs(p->patterns[i]->entries, p->rows[i]));
    return cd_max_abs(p->system->m + p->system->l, p->residual) <= 1e-12 * size * fmax(entry, 1.0);
}

/* Corrections at the level of rounding, or near it and no longer getting smaller. */
static bool has_settled(const cd_projector *p, const cd_task *task, double step, double last)
{
    const double size = 1.0 + cd_max_abs(task->size, task->value);
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED && !has_closed(p, size))
        return false;
    return step <= 8.0 * DBL_EPSILON * size || (step >= last && step <= 1e-12 * size);
}

static cardan_status explain_failure(cd_projector *p, const cd_task *task)
{
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED)
        return cd_fail(p->error, CARDAN_NOT_CONVERGED,
                       "the augmented Lagrangian projection has found no %s that satisfies the "
                       "constraints at t = %.9g; raise its penalty of %g, or project exactly",
                       task->what, task->at.t, task->how->penalty);
    return cd_fail(p->error, CARDAN_NOT_CONVERGED,
                   "no %s was found near the given one that satisfies the constraints at t = %.9g; "
                   "begin nearer to them",
                   task->what, task->at.t);
}

/* An augmented Lagrangian whose constraints close slowly takes a larger penalty, as these methods
 * do: what is left of them shrinks by 1 / (1 + alpha g) each time, g an eigenvalue of C A^-1 C^T.
 */
static bool raise_penalty(cd_projector *p, const cd_task *task, double step, double last)
{
    const bool slow = task->how->solver == CARDAN_PROJECTION_AUGMENTED && step > 0.1 * last;
    if (!slow || p->alpha > 1e8 * task->how->penalty)
        return false;
    p->alpha *= 10.0;
    return true;
}

/* r, C, the factors (`anew`) and the next correction. */
static cardan_status correct(cd_projector *p, const cd_task *task, bool first, bool anew)
{
    cardan_status status = task->evaluate(p, task);
    if (first) {
        cd_zero(p->system->k, p->x);
        if (status != CARDAN_OK || cd_max_abs(p->system->m + p->system->l, p->residual) == 0.0)
            return status;
        cd_projector_norm(p, task);
    }
    if (status == CARDAN_OK && (anew || !task->linear))
        status = factor(p, task, false);
    if (status != CARDAN_OK)
        return status;
    make_right_side(p);
    cd_matrix_solve(p->bordered->matrix, p->x);
    return CARDAN_OK;
}

/* Without H, which is of the size of mu, that is of the move: small moves converge fast without it.
 * `slow`: a correction was more than a tenth of the one before. */
static cardan_status iterate(cd_projector *p, const cd_task *task, bool *slow)
{
    const bool augmented = task->how->solver == CARDAN_PROJECTION_AUGMENTED;
    const int most = augmented ? AUGMENTED_ITERATIONS : PLAIN_ITERATIONS;
    bool anew = true;
    double last = INFINITY;
    *slow = false;
    for (int iteration = 0; iteration < most && !*slow; iteration++) {
        const cardan_status status = correct(p, task, iteration == 0, anew);
        const double step = cd_max_abs(p->system->k, p->x);
        if (status != CARDAN_OK)
            return status;
        if (!isfinite(step))
            break;
        move(p, task);
        /* A linear problem takes a second pass as iterative refinement. */
        if (has_settled(p, task, step, last) || (task->linear && !augmented && iteration == 1))
            return CARDAN_OK;
        anew = raise_penalty(p, task, step, last);
        *slow = !task->linear && !anew && step > 0.1 * last;
        last = step;
    }
    *slow = !task->linear;
    return *slow ? CARDAN_OK : explain_failure(p, task);
}

static bool by_penalty(const cd_task *task)
{
    return task->how->solver == CARDAN_PROJECTION_PENALTY;
}

/* What a step must make smaller: d^T A d / 2 and the constraints, weighted by more than their
 * multipliers (Han and Powell), or the penalty function itself. */
static double merit(const cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    cd_pattern_multiply(p->bordered->norm, p->norm, p->change, p->wide->work);
    double sum = 0.5 * cd_dot(k, p->change, p->wide->work);
    if (by_penalty(task))
        return sum + 0.5 * p->alpha * cd_dot(n, p->residual, p->residual);
    for (int i = 0; i < n; i++)
        sum += p->wide->weight[i] * fabs(p->residual[i]);
    return sum;
}

/* out = C x */
static void constrain(const cd_projector *p, const double *x, double *out)
{
    cd_zero(p->system->m + p->system->l, out);
    cd_pattern_multiply(p->patterns[0], p->rows[0], x, out);
    if (p->rows[1] != NULL)
        cd_pattern_multiply(p->patterns[1], p->rows[1], x, out + p->system->m);
}

/* Its derivative along the direction. */
static double slope_of(const cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const cd_wide *w = p->wide;
    cd_pattern_multiply(p->bordered->norm, p->norm, p->change, w->work);
    double sum = cd_dot(k, w->direction, w->work);
    constrain(p, w->direction, w->work);
    for (int i = 0; i < n; i++)
        if (by_penalty(task))
            sum += p->alpha * p->residual[i] * w->work[i];
        else
            sum += w->weight[i] * (p->residual[i] > 0.0   ? w->work[i]
                                   : p->residual[i] < 0.0 ? -w->work[i]
                                                          : fabs(w->work[i]));
    return sum;
}

static void solve_direction(cd_projector *p)
{
    const int size = p->system->k + p->system->m + p->system->l;
    make_right_side(p);
    cd_matrix_solve(p->bordered->matrix, p->x);
    cd_copy(size, p->x, p->wide->direction);
}

/* Is the problem convex along the direction, with H? Else it leads to a saddle or a maximum. */
static bool is_convex(const cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const cd_wide *w = p->wide;
    cd_pattern_multiply(p->bordered->norm, p->norm, w->direction, w->work);
    double straight = cd_dot(k, w->direction, w->work);
    cd_pattern_multiply(&w->hessian, w->values, w->direction, w->work);
    const double bent = cd_dot(k, w->direction, w->work);
    constrain(p, w->direction, w->work);
    if (by_penalty(task))
        straight += p->alpha * cd_dot(n, w->work, w->work);
    return straight + bent > 0.1 * straight;
}

/* The direction of Newton's method, or without H if that is none of descent. */
static cardan_status find_direction(cd_projector *p, const cd_task *task, bool first)
{
    cardan_status status = first ? CARDAN_OK : evaluate_hessian(p, task);
    if (status == CARDAN_OK)
        status = task->evaluate(p, task);
    if (status != CARDAN_OK)
        return status;
    if (first)
        cd_projector_norm(p, task);
    if (!first && factor(p, task, true) == CARDAN_OK) {
        solve_direction(p);
        if (is_convex(p, task))
            return CARDAN_OK;
    }
    status = factor(p, task, false);
    if (status == CARDAN_OK)
        solve_direction(p);
    return status;
}

/* d = base + share of the direction + extra (may be NULL); the merit there, infinite where the
 * constraints have no value. */
static double look(cd_projector *p, const cd_task *task, double share, const double *extra)
{
    const int k = p->system->k;
    cd_copy(k, p->wide->base, p->change);
    cd_add(k, share, p->wide->direction, p->change);
    if (extra != NULL)
        cd_add(k, 1.0, extra, p->change);
    place(p, task);
    const double value = task->evaluate(p, task) == CARDAN_OK ? merit(p, task) : INFINITY;
    return isfinite(value) ? value : INFINITY;
}

/* What the constraints still lack after the whole step, with its factors (Maratos' effect: near a
 * minimum the bend of the constraints makes good steps look bad). */
static void find_extra(cd_projector *p)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    const double scale = cd_bordered_scale(p->alpha);
    cd_zero(k, p->x);
    for (int i = 0; i < n; i++)
        p->x[k + i] = -scale * p->residual[i];
    cd_matrix_solve(p->bordered->matrix, p->x);
}

/* Takes as much of the direction as makes the merit smaller (Armijo): the share, 0 if nothing does.
 * Small steps are Newton's, whose merit is lost in rounding. */
static double search(cd_projector *p, const cd_task *task)
{
    const double step = cd_max_abs(p->system->k, p->wide->direction);
    const bool small = step <= 1e-6 * (1.0 + cd_max_abs(task->size, task->value));
    const double before = merit(p, task), slope = slope_of(p, task);
    const double noise = 16.0 * DBL_EPSILON * fabs(before);
    double share = 1.0;
    cd_copy(p->system->k, p->change, p->wide->base);
    if (small && isfinite(look(p, task, 1.0, NULL)))
        return 1.0;
    if (!(slope <= noise))
        return 0.0;
    for (int i = 0; i < HALVINGS; i++, share *= 0.5) {
        if (look(p, task, share, NULL) <= before + 1e-4 * share * slope + noise)
            return share;
        if (i > 0 || by_penalty(task))
            continue;
        find_extra(p);
        if (look(p, task, 1.0, p->x) <= before + 1e-4 * slope + noise)
            return 1.0;
    }
    return 0.0;
}

/* Weights of the merit function: twice the largest multipliers so far. */
static void raise_weights(cd_projector *p)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    for (int i = 0; i < n; i++) {
        const double next = p->multiplier[i] + p->wide->direction[k + i];
        p->wide->weight[i] = fmax(p->wide->weight[i], 2.0 * fabs(next));
    }
}

static void begin(cd_projector *p, const cd_task *task)
{
    const int n = p->system->m + p->system->l;
    const bool exact = task->how->solver == CARDAN_PROJECTION_EXACT;
    p->alpha = exact ? INFINITY : task->how->penalty;
    cd_zero(p->system->k, p->change);
    cd_zero(n, p->multiplier);
    cd_zero(n, p->shift);
}

/* Sequential quadratic programming, from x* on. An augmented Lagrangian has its largest penalty. */
static cardan_status guard(cd_projector *p, const cd_task *task)
{
    const int k = p->system->k, n = p->system->m + p->system->l;
    double last = INFINITY;
    begin(p, task);
    place(p, task);
    cardan_status status = cd_projector_bend(p, task);
    if (status == CARDAN_OK)
        cd_zero(n, p->wide->weight);
    if (task->how->solver == CARDAN_PROJECTION_AUGMENTED)
        p->alpha *= 1e8;
    for (int i = 0; status == CARDAN_OK && i < GUARDED_ITERATIONS; i++) {
        status = find_direction(p, task, i == 0);
        if (status != CARDAN_OK)
            return status;
        raise_weights(p);
        const double share = search(p, task), step = cd_max_abs(k, p->wide->direction);
        if (!(share > 0.0) || !isfinite(step))
            break;
        cd_add(n, share, p->wide->direction + k, p->multiplier);
        if (task->how->solver == CARDAN_PROJECTION_AUGMENTED)
            cd_copy(n, p->multiplier, p->shift);
        if (share == 1.0 && has_settled(p, task, step, last))
            return CARDAN_OK;
        last = share == 1.0 ? step : INFINITY;
    }
    return status == CARDAN_OK ? explain_failure(p, task) : status;
}

cardan_status cd_projector_minimise(cd_projector *p, const cd_task *task)
{
    bool slow = false;
    cd_copy(task->size, task->value, p->origin);
    begin(p, task);
    cardan_status status = cd_projector_open_norm(p, task);
    if (status == CARDAN_OK)
        status = iterate(p, task, &slow);
    if (status == CARDAN_OK && slow)
        status = guard(p, task);
    if (status != CARDAN_OK)
        cd_copy(task->size, p->origin, task->value);
    return status;
}

/* Assembly of places by Newton steps of least length with a line search, then along the constraints
 * towards the guess; of velocities by one least-squares problem (docs/methods/assembly.md). */
#include "model/assembly.h"

#include "base/error.h"
#include "group/rotation.h"
#include "model/layout.h"

enum { CLOSING_STEPS = 200, RESTORING_STEPS = 12, NEARING_STEPS = 60, HALVINGS = 30 };

/* Rotations in one step, rad: the rows are trusted no further. */
static const double LARGEST_TURN = 0.5;

static cardan_status evaluate(cd_assembling *it, const double *q, const double *v)
{
    const int code = cd_rows_evaluate(it->rows, it->t, q, v);
    if (code < 0)
        return cd_fail(it->error, CARDAN_CALLBACK_FAILED,
                       "a constraint could not be evaluated in assembly (code %d)", code);
    return code == 0 ? CARDAN_OK : CARDAN_CALLBACK_RETRY;
}

static double merit(const cd_rows *rows)
{
    return cd_dot(rows->count, rows->residual, rows->residual);
}

static double largest_gap(const cd_rows *rows)
{
    return cd_max_abs(rows->count, rows->residual);
}

static cardan_status factor(cd_assembling *it)
{
    it->iterations++;
    if (it->saddle == NULL)
        it->saddle = cd_saddle_create(it->arena, it->rows);
    if (it->saddle == NULL)
        return cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
    if (cd_saddle_factor(it->saddle, 1.0, it->damping) == CARDAN_OK)
        return CARDAN_OK;
    return cd_fail(it->error, CARDAN_SINGULAR_MATRIX,
                   "the assembly of the model cannot be computed: its lengths differ by too many "
                   "orders of magnitude");
}

/* step = scaled displacement in coordinates, shortened to the largest turn: by the factor returned.
 */
static double limit(const cd_assembling *it, const double *move, double *step)
{
    double factor = 1.0;
    for (int i = 0; i < it->rows->dof; i++)
        if (it->rows->turns[i])
            factor = fmin(factor, LARGEST_TURN * it->rows->length / fmax(fabs(move[i]), 1e-300));
    for (int i = 0; i < it->rows->dof; i++)
        step[i] = factor * move[i] / it->rows->scale[i];
    return factor;
}

/* trial = update(q, alpha step) and its residual; infinite where there is none. */
static cardan_status try_step(cd_assembling *it, const double *q, double alpha, double *trial,
                              double *value)
{
    for (int i = 0; i < it->rows->dof; i++)
        it->move[i] = alpha * it->step[i];
    cardan_group_update(it->group, q, it->move, trial);
    cardan_status status = evaluate(it, trial, NULL);
    *value = status == CARDAN_OK ? merit(it->rows) : INFINITY;
    return status < 0 ? status : CARDAN_OK;
}

/* Less damping after a good step, more after one that had to be shortened much; true if there is
 * more to try. */
static bool adapt_damping(cd_assembling *it, double alpha)
{
    const double most = 1e3;
    if (alpha > 0.9)
        it->damping = fmax(0.3 * it->damping, CD_SADDLE_SMALL);
    else if (alpha < 0.2)
        it->damping = fmax(10.0 * it->damping, 1e-6);
    return it->damping < most;
}

/* The step of least length against the gaps, in it->step; returns the slope of the merit along. */
static double find_step(cd_assembling *it)
{
    const cd_rows *rows = it->rows;
    for (int i = 0; i < rows->count; i++)
        it->right[i] = -rows->residual[i];
    cd_saddle_solve(it->saddle, NULL, it->right, it->move, NULL);
    cd_pattern_multiply(&rows->pattern, rows->values, it->move, it->right);
    return 2.0 * cd_dot(rows->count, it->right, rows->residual) * limit(it, it->move, it->step);
}

/* One damped Newton step of least length from q; `stuck` if it makes no progress. */
static cardan_status close_once(cd_assembling *it, double *q, bool *stuck)
{
    const double before = merit(it->rows);
    double alpha = 1.0, after = INFINITY;
    cardan_status status = factor(it);
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
        return evaluate(it, q, NULL);
    cd_copy(cardan_group_size(it->group), it->trial, q);
    return CARDAN_OK;
}

/* Newton steps until the gaps vanish or do not become smaller; residuals are left at q. */
static cardan_status close_gaps(cd_assembling *it, int most, double *q)
{
    bool stuck = false;
    cardan_status status = evaluate(it, q, NULL);
    if (status > 0)
        return cd_fail(it->error, CARDAN_INCONSISTENT_START,
                       "a constraint has no value at the initial guess (a rod of length zero, or "
                       "an axis along its own reference); move a body a little");
    double gap = largest_gap(it->rows);
    it->damping = CD_SADDLE_SMALL;
    for (int i = 0; status == CARDAN_OK && !stuck && i < most; i++) {
        const double before = gap;
        if (gap <= it->tolerance * 1e-3)
            break;
        status = close_once(it, q, &stuck);
        gap = largest_gap(it->rows);
        if (gap <= it->tolerance && gap > 0.1 * before)
            break; /* rounding */
    }
    return status;
}

void cd_assembly_displacement(const cd_body *body, const double *q0, const double *q, double dr[3],
                              double phi[3])
{
    cd_site from, to;
    double transposed[9], turn[9];
    cd_body_site(body, q0 + body->q, NULL, &from);
    cd_body_site(body, q + body->q, NULL, &to);
    cd_transpose3(from.R, transposed);
    cd_product3(to.R, transposed, turn);
    cd_rotation_log(turn, phi);
    for (int i = 0; i < 3; i++)
        dr[i] = to.r[i] - from.r[i];
}

/* Half the squared distance from the guess, and its slope (scaled, by coordinates). Counters do not
 * count. */
static double distance(const cd_assembling *it, const double *q, double *slope)
{
    const double length = it->rows->length;
    double sum = 0.0;
    cd_zero(it->rows->dof, slope);
    for (int b = 0; b < it->model->bodies; b++) {
        const cd_body *body = &it->model->body[b];
        double world[CD_SITE], turned[CD_SITE];
        cd_site site;
        cd_assembly_displacement(body, it->q0, q, world, world + 3);
        cd_body_site(body, q + body->q, NULL, &site);
        sum += 0.5 * (cd_dot3(world, world) + length * length * cd_dot3(world + 3, world + 3));
        for (int half = 0; half < 2; half++)
            if (body->form->turned[half])
                cd_apply_transposed3(site.R, world + 3 * half, turned + 3 * half);
            else
                cd_copy(3, world + 3 * half, turned + 3 * half);
        for (int i = 0; i < body->form->dof; i++)
            slope[body->v + i] = turned[body->form->pick[i]] * it->rows->scale[body->v + i];
    }
    return sum;
}

/* best = update(q, alpha direction), brought back to the constraints; its distance, or infinity. */
static cardan_status try_approach(cd_assembling *it, const double *q, double alpha, double *value)
{
    *value = INFINITY;
    for (int i = 0; i < it->rows->dof; i++)
        it->move[i] = alpha * it->direction[i];
    cardan_group_update(it->group, q, it->move, it->best);
    cardan_status status = close_gaps(it, RESTORING_STEPS, it->best);
    if (status == CARDAN_OK && largest_gap(it->rows) <= it->tolerance)
        *value = distance(it, it->best, it->slope);
    return status < 0 && status != CARDAN_INCONSISTENT_START ? status : CARDAN_OK;
}

/* Along the constraints against the slope; `near`: there is nothing to gain. The rows are those at
 * q on entry and on exit. */
static cardan_status approach_once(cd_assembling *it, double *q, bool *near)
{
    const int k = it->rows->dof;
    const double before = distance(it, q, it->slope);
    double after = INFINITY;
    it->damping = CD_SADDLE_SMALL;
    cardan_status status = factor(it);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < k; i++)
        it->right[i] = -it->slope[i];
    cd_saddle_solve(it->saddle, it->right, NULL, it->move, NULL);
    *near = true;
    if (!(cd_dot(k, it->move, it->move) > 1e-18 * before))
        return CARDAN_OK;
    limit(it, it->move, it->direction);
    for (double alpha = 1.0; status == CARDAN_OK && !(after < before) && alpha > 1e-3; alpha *= 0.5)
        status = try_approach(it, q, alpha, &after);
    if (status != CARDAN_OK || !(after < before))
        return status == CARDAN_OK ? evaluate(it, q, NULL) : status;
    cd_copy(cardan_group_size(it->group), it->best, q);
    *near = before - after <= 1e-14 * before;
    return CARDAN_OK;
}

static cardan_status approach(cd_assembling *it)
{
    bool near = false;
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && !near && i < NEARING_STEPS; i++)
        status = approach_once(it, it->q, &near);
    return status;
}

/* ---- the two levels ---- */

static cardan_status open_level(cd_assembling *it, cd_row_level level)
{
    cd_succeed(it->error);
    it->rows = cd_rows_create(it->arena, it->model, level, it->error);
    if (it->rows == NULL && !it->arena->failed)
        return it->error->status;
    it->saddle = NULL; /* made when it is needed: most models fit together as they are given */
    const int k = it->model->layout->dof, m = it->rows != NULL ? it->rows->count : 0;
    it->right = cd_arena_doubles(it->arena, k + m);
    it->move = cd_arena_doubles(it->arena, k);
    it->step = cd_arena_doubles(it->arena, k);
    it->slope = cd_arena_doubles(it->arena, k);
    it->direction = cd_arena_doubles(it->arena, k);
    it->trial = cd_arena_doubles(it->arena, cardan_group_size(it->group));
    it->best = cd_arena_doubles(it->arena, cardan_group_size(it->group));
    return it->arena->failed ? cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly")
                             : CARDAN_OK;
}

/* Turn counters start in the turn that a given joint angle is in. */
static void place_counters(const cardan_model *model, double *q)
{
    for (int j = 0; j < model->joints; j++) {
        const cd_joint *joint = &model->joint[j];
        const bool turns = joint->def.direction == 0 || joint->def.direction >= CARDAN_RX;
        if (joint->counter != 0 && turns && isfinite(joint->def.initial))
            q[cd_model_body(model, joint->counter)->q] = joint->def.initial;
    }
}

/* Rounding errors of places, and of lengths on bodies. */
static double place_tolerance(const cd_assembling *it)
{
    double largest = it->rows->length;
    for (int b = 0; b < it->model->bodies; b++)
        largest = fmax(largest, cd_max_abs(3, it->q + it->model->body[b].q));
    return 1e-11 * largest;
}

static cardan_status assemble_places(cd_assembling *it)
{
    cardan_status status = open_level(it, CD_ROWS_POSITION);
    if (status != CARDAN_OK)
        return status;
    place_counters(it->model, it->q);
    it->tolerance = place_tolerance(it);
    const int before = it->iterations;
    status = close_gaps(it, CLOSING_STEPS, it->q);
    if (status != CARDAN_OK || !(largest_gap(it->rows) <= it->tolerance))
        return status != CARDAN_OK ? status : CARDAN_INCONSISTENT_START;
    return it->iterations > before ? approach(it) : CARDAN_OK;
}

/* v += the smallest change that makes the rates right; twice, for the damping of the rows. */
static cardan_status assemble_velocities(cd_assembling *it)
{
    cardan_status status = open_level(it, CD_ROWS_VELOCITY);
    if (status == CARDAN_OK)
        status = evaluate(it, it->q, it->v);
    if (status != CARDAN_OK)
        return status > 0 ? CARDAN_CALLBACK_FAILED : status;
    it->tolerance = 1e-11 * fmax(cd_max_abs(it->rows->dof, it->v) * it->rows->length,
                                 fmax(largest_gap(it->rows), it->rows->length));
    if (largest_gap(it->rows) <= 1e-3 * it->tolerance)
        return CARDAN_OK;
    it->damping = CD_SADDLE_SMALL;
    status = factor(it);
    for (int pass = 0; status == CARDAN_OK && pass < 4; pass++) {
        for (int i = 0; i < it->rows->count; i++)
            it->right[i] = -it->rows->residual[i];
        cd_saddle_solve(it->saddle, NULL, it->right, it->move, NULL);
        for (int i = 0; i < it->rows->dof; i++)
            it->v[i] += it->move[i] / it->rows->scale[i];
        status = evaluate(it, it->q, it->v);
    }
    if (status == CARDAN_OK && !(largest_gap(it->rows) <= it->tolerance))
        return CARDAN_INCONSISTENT_START;
    return status;
}

static cardan_status assemble(cd_assembling *it, cardan_assembly **report)
{
    const int size = cardan_group_size(it->group), k = it->model->layout->dof;
    double *q0 = cd_arena_doubles(it->arena, size), *v0 = cd_arena_doubles(it->arena, k);
    if (it->arena->failed)
        return cd_fail(it->error, CARDAN_OUT_OF_MEMORY, "no memory for an assembly");
    cd_copy(size, it->q, q0);
    cd_copy(k, it->v, v0);
    it->q0 = q0;
    it->v0 = v0;
    cardan_status status = assemble_places(it);
    const bool velocities = status == CARDAN_OK;
    if (velocities)
        status = assemble_velocities(it);
    if (it->rows == NULL || (status < 0 && status != CARDAN_INCONSISTENT_START))
        return status;
    return cd_assembly_report(it, velocities, status, report);
}

cardan_status cd_model_assemble(cardan_model *model, const cardan_group *group, double t, double *q,
                                double *v, cardan_assembly **assembly, cardan_error *error)
{
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    cd_assembling it = {
        .model = model, .group = group, .arena = &arena, .t = t, .q = q, .v = v, .error = error};
    cardan_status status = assemble(&it, assembly);
    cd_arena_destroy(&arena);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}

cardan_status cd_model_close(cardan_model *model, const cardan_group *group, double t, double *q,
                             cardan_error *error)
{
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    cd_assembling it = {
        .model = model, .group = group, .arena = &arena, .t = t, .q = q, .error = error};
    cardan_status status = open_level(&it, CD_ROWS_PLACES);
    if (status == CARDAN_OK) {
        it.tolerance = place_tolerance(&it);
        status = close_gaps(&it, RESTORING_STEPS, q);
    }
    if (status == CARDAN_OK && !(largest_gap(it.rows) <= it.tolerance))
        status = cd_fail(error, CARDAN_NOT_CONVERGED, "the constraints cannot be closed here");
    cd_arena_destroy(&arena);
    return status;
}

cardan_status cardan_model_assemble(cardan_model *model, double t, double *q, double *v,
                                    cardan_assembly **assembly, cardan_error *error)
{
    cardan_error own;
    if (assembly != NULL)
        *assembly = NULL;
    if (model == NULL || model->system == NULL || q == NULL || v == NULL || !isfinite(t))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "an assembly needs a built model, q, v and a finite time");
    const cardan_group *group = cardan_system_group(model->system);
    if (cd_first_not_finite(cardan_group_size(group), q) >= 0 ||
        cd_first_not_finite(model->layout->dof, v) >= 0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "the initial guess holds a number that is not finite");
    return cd_model_assemble(model, group, t, q, v, assembly, error != NULL ? error : &own);
}

/* Residuals of the equations of motion: calling the user's functions and adding them up. */
#include "base/error.h"
#include "base/numeric.h"
#include "system/workspace.h"

#include <float.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void make_level(cd_arena *arena, const cardan_system *system, cd_level *level)
{
    const int k = system->k, m = system->m, l = system->l;
    level->q = cd_arena_doubles(arena, cardan_group_size(system->group));
    level->v = cd_arena_doubles(arena, k);
    level->lambda = cd_arena_doubles(arena, m);
    level->psi = cd_arena_doubles(arena, l);
    level->direction = cd_arena_doubles(arena, k);
    level->value = cd_arena_doubles(arena, k);
    level->matrix = cd_arena_doubles(arena, k * larger(k, larger(m, l)));
}

cd_workspace *cd_workspace_create(cd_arena *arena, const cardan_system *system, cardan_error *error)
{
    const int k = system->k, m = system->m, l = system->l;
    const int block = k * larger(k, larger(m, l));
    cd_workspace *ws = cd_arena_take(arena, sizeof *ws);
    if (ws == NULL)
        return NULL;
    ws->system = system;
    ws->error = error;
    ws->mass = cd_arena_doubles(arena, k * k);
    ws->jacobian = cd_arena_doubles(arena, m * k);
    ws->rolling = cd_arena_doubles(arena, l * k);
    ws->anchored = cd_arena_doubles(arena, m * k);
    ws->anchored_mass = cd_arena_doubles(arena, k * k);
    ws->block = cd_arena_doubles(arena, block);
    ws->mapped = cd_arena_doubles(arena, block);
    ws->part = cd_arena_doubles(arena, block);
    ws->tangent = cd_arena_doubles(arena, 36 * cardan_group_factors(system->group));
    ws->compact = cd_arena_doubles(arena, block);
    ws->vector = cd_arena_doubles(arena, k);
    ws->no_multipliers = cd_arena_doubles(arena, larger(m, l));
    for (int i = 0; i < CD_LEVELS; i++)
        make_level(arena, system, &ws->level[i]);
    return arena->failed ? NULL : ws;
}

cd_kept_mass cd_workspace_kept_mass(cd_workspace *ws)
{
    const int k = ws->system->k;
    return (cd_kept_mass){ws->system->def.constant_mass ? k * k : 0, ws->mass, &ws->mass_known};
}

cardan_status cd_call(cd_workspace *ws, cardan_function *function, const char *name,
                      const cardan_point *at, int count, double *out)
{
    cd_zero(count, out);
    if (function == NULL || count == 0)
        return CARDAN_OK;
    ws->calls++;
    const int answer = function(ws->system->def.context, at, out);
    if (answer > 0)
        return cd_fail(ws->error, CARDAN_CALLBACK_RETRY,
                       "callback `%s` asked for a smaller step at t = %.9g (returned %d)", name,
                       at->t, answer);
    if (answer < 0)
        return cd_fail(ws->error, CARDAN_CALLBACK_FAILED,
                       "callback `%s` reported a fatal failure at t = %.9g (returned %d)", name,
                       at->t, answer);
    const int bad = cd_first_not_finite(count, out);
    if (bad >= 0)
        return cd_fail(ws->error, CARDAN_NOT_FINITE,
                       "callback `%s` returned %g in entry %d at t = %.9g; try a smaller step, or "
                       "check the callback there",
                       name, out[bad], bad + 1, at->t);
    return CARDAN_OK;
}

cardan_status cd_call_matrix(cd_workspace *ws, cd_pattern_id id, cardan_function *function,
                             const char *name, const cardan_point *at, double *out)
{
    const cd_pattern *pattern = &ws->system->pattern[id];
    if (pattern->full)
        return cd_call(ws, function, name, at, pattern->entries, out);
    cardan_status status = cd_call(ws, function, name, at, pattern->entries, ws->compact);
    if (status == CARDAN_OK)
        cd_pattern_expand(pattern, ws->compact, out);
    return status;
}

cardan_status cd_evaluate_mass(cd_workspace *ws, const cardan_point *at, double *out)
{
    return cd_call_matrix(ws, CD_P_mass, ws->system->def.mass, "mass", at, out);
}

static cardan_status evaluate_hidden(cd_workspace *ws, int level, const cardan_point *at,
                                     double *out)
{
    const cardan_system *system = ws->system;
    double *jacobian = ws->level[level].matrix;
    cardan_status status = cd_derivative(ws, level, CD_D_constraint_dq, at, jacobian);
    if (status != CARDAN_OK)
        return status;
    status = cd_derivative(ws, level, CD_D_constraint_dt, at, out);
    for (int i = 0; status == CARDAN_OK && i < system->m; i++)
        out[i] += cd_dot(system->k, jacobian + i * system->k, at->v);
    return status;
}

static cardan_status evaluate_accelerated(cd_workspace *ws, int level, const cardan_point *at,
                                          double *out)
{
    const cardan_system *system = ws->system;
    double *jacobian = ws->level[level].matrix;
    cardan_status status = cd_derivative(ws, level, CD_D_constraint_bias, at, out);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, level, CD_D_constraint_dq, at, jacobian);
    for (int i = 0; status == CARDAN_OK && i < system->m; i++)
        out[i] += cd_dot(system->k, jacobian + i * system->k, at->vdot);
    return status;
}

/* out = A^T x, where A (rows x k) is the derivative `id`. */
static cardan_status evaluate_reaction(cd_workspace *ws, int level, cd_derivative_id id,
                                       const cardan_point *at, int rows, const double *x,
                                       double *out)
{
    double *matrix = ws->level[level].matrix;
    cardan_status status = cd_derivative(ws, level, id, at, matrix);
    cd_zero(ws->system->k, out);
    if (status == CARDAN_OK)
        cd_add_transposed(rows, ws->system->k, matrix, x, out);
    return status;
}

static cardan_status evaluate_inertia(cd_workspace *ws, int level, const cardan_point *at,
                                      double *out)
{
    const int k = ws->system->k;
    double *mass = ws->level[level].matrix;
    cardan_status status = cd_evaluate_mass(ws, at, mass);
    if (status == CARDAN_OK)
        cd_multiply(k, k, mass, at->vdot, out);
    return status;
}

cardan_status cd_part_evaluate(cd_workspace *ws, int level, cd_part part, const cardan_point *at,
                               double *out)
{
    const cardan_system *system = ws->system;
    const cardan_system_def *def = &system->def;
    switch (part) {
    case CD_CONSTRAINT:
        return cd_call(ws, def->constraint, "constraint", at, system->m, out);
    case CD_HIDDEN:
        return evaluate_hidden(ws, level, at, out);
    case CD_ACCELERATED:
        return evaluate_accelerated(ws, level, at, out);
    case CD_POTENTIAL:
        return cd_call(ws, def->potential, "potential", at, 1, out);
    case CD_ROLLING:
        return cd_call(ws, def->nonholonomic_residual, "nonholonomic_residual", at, system->l, out);
    case CD_INERTIA:
        return evaluate_inertia(ws, level, at, out);
    case CD_FORCE:
        return cd_call(ws, def->force, "force", at, system->k, out);
    case CD_REACT:
        return evaluate_reaction(ws, level, CD_D_constraint_dq, at, system->m, at->lambda, out);
    case CD_ROLLING_REACT:
        return evaluate_reaction(ws, level, CD_D_nonholonomic_dv, at, system->l, at->psi, out);
    }
    return CARDAN_OK;
}

/* M, B and K at the point; a constant M is evaluated once. */
static cardan_status evaluate_matrices(cd_workspace *ws, const cardan_point *at)
{
    const cardan_system *system = ws->system;
    cardan_status status = CARDAN_OK;
    if (!ws->mass_known) {
        status = cd_evaluate_mass(ws, at, ws->mass);
        ws->mass_known = status == CARDAN_OK && system->def.constant_mass;
    }
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_constraint_dq, at, ws->jacobian);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dv, at, ws->rolling);
    return status;
}

/* out += B^T lambda + K^T psi */
static void add_reactions(const cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    if (!system->def.lambda_in_force_only)
        cd_add_transposed(system->m, system->k, ws->jacobian, at->lambda, out);
    if (!system->def.psi_in_force_only)
        cd_add_transposed(system->l, system->k, ws->rolling, at->psi, out);
}

static cardan_status evaluate_forces(cd_workspace *ws, const cardan_point *at, double *out)
{
    cardan_status status = cd_part_evaluate(ws, 0, CD_FORCE, at, out);
    if (status == CARDAN_OK)
        add_reactions(ws, at, out);
    return status;
}

static cardan_status evaluate_reaction_part(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    cd_zero(system->k, out);
    if (cd_force_depends_on_multipliers(system)) {
        const cardan_point without = cd_without_multipliers(ws, at);
        cardan_status status = cd_part_evaluate(ws, 0, CD_FORCE, at, out);
        if (status == CARDAN_OK)
            status = cd_part_evaluate(ws, 0, CD_FORCE, &without, ws->vector);
        if (status != CARDAN_OK)
            return status;
        cd_add(system->k, -1.0, ws->vector, out);
    }
    add_reactions(ws, at, out);
    return CARDAN_OK;
}

static cardan_status evaluate_dynamics(cd_workspace *ws, const cardan_point *at, double *out)
{
    const int k = ws->system->k;
    cardan_status status = evaluate_forces(ws, at, out);
    for (int i = 0; status == CARDAN_OK && i < k; i++)
        out[i] += cd_dot(k, ws->mass + i * k, at->vdot);
    return status;
}

cardan_status cd_system_equations(cd_workspace *ws, const cardan_point *at, const cd_equations *out)
{
    const cardan_system *system = ws->system;
    cardan_status status = evaluate_matrices(ws, at);
    if (status == CARDAN_OK && out->dynamics != NULL)
        status = evaluate_dynamics(ws, at, out->dynamics);
    if (status == CARDAN_OK && out->forces != NULL)
        status = evaluate_forces(ws, at, out->forces);
    if (status == CARDAN_OK && out->reaction != NULL)
        status = evaluate_reaction_part(ws, at, out->reaction);
    if (status == CARDAN_OK && out->position != NULL)
        status = cd_part_evaluate(ws, 0, CD_CONSTRAINT, at, out->position);
    if (status == CARDAN_OK && out->hidden != NULL) {
        status = cd_derivative(ws, 0, CD_D_constraint_dt, at, out->hidden);
        for (int i = 0; i < system->m; i++)
            out->hidden[i] += cd_dot(system->k, ws->jacobian + i * system->k, at->v);
    }
    if (status == CARDAN_OK && out->accelerated != NULL)
        status = cd_part_evaluate(ws, 0, CD_ACCELERATED, at, out->accelerated);
    if (status == CARDAN_OK && out->rolling != NULL)
        status = cd_part_evaluate(ws, 0, CD_ROLLING, at, out->rolling);
    return status;
}

cardan_status cd_system_bias(cd_workspace *ws, const cardan_point *at, double *holonomic,
                             double *rolling)
{
    const cardan_system *system = ws->system;
    cardan_status status = cd_derivative(ws, 0, CD_D_constraint_bias, at, holonomic);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dt, at, rolling);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dq, at, ws->block);
    for (int i = 0; status == CARDAN_OK && i < system->l; i++)
        rolling[i] += cd_dot(system->k, ws->block + i * system->k, at->v);
    return status;
}

cardan_status cd_system_anchor(cd_workspace *ws, const cardan_point *at)
{
    return cd_derivative(ws, 0, CD_D_constraint_dq, at, ws->anchored);
}

void cd_system_anchored_reaction(const cd_workspace *ws, const double *x, double *out)
{
    cd_zero(ws->system->k, out);
    cd_add_transposed(ws->system->m, ws->system->k, ws->anchored, x, out);
}

cardan_status cd_system_anchor_mass(cd_workspace *ws, const cardan_point *at)
{
    const int k = ws->system->k;
    if (!ws->mass_known)
        return cd_evaluate_mass(ws, at, ws->anchored_mass);
    cd_copy(k * k, ws->mass, ws->anchored_mass);
    return CARDAN_OK;
}

const double *cd_system_anchored_mass(const cd_workspace *ws)
{
    return ws->anchored_mass;
}

void cd_system_constrain(const cd_workspace *ws, const double *x, double *out)
{
    const cardan_system *system = ws->system;
    cd_multiply(system->m, system->k, ws->jacobian, x, out);
    cd_multiply(system->l, system->k, ws->rolling, x, out + system->m);
}

void cd_system_matrices(const cd_workspace *ws, const double **mass, const double **holonomic,
                        const double **rolling)
{
    *mass = ws->mass;
    *holonomic = ws->jacobian;
    *rolling = ws->rolling;
}

void cd_system_mass_diagonal(const cd_workspace *ws, double *diagonal)
{
    const int k = ws->system->k;
    for (int i = 0; i < k; i++)
        diagonal[i] = ws->mass[i * k + i];
}

int cd_system_constraint_rank(const cd_workspace *ws, cd_arena *arena, int *dependent)
{
    const cardan_system *system = ws->system;
    const int k = system->k, m = system->m, l = system->l;
    double *rows = cd_arena_doubles(arena, (m + l) * k);
    if (rows == NULL || dependent == NULL)
        return -1;
    cd_copy(m * k, ws->jacobian, rows);
    cd_copy(l * k, ws->rolling, rows + m * k);
    return cd_row_rank(arena, m + l, k, rows, dependent);
}

static void measure_rows(int rows, int cols, const double *a, cd_scales *scales)
{
    for (int i = 0; i < rows; i++) {
        const double size = cd_max_abs(cols, a + i * cols);
        scales->largest_row = fmax(scales->largest_row, size);
        if (size > 0.0)
            scales->smallest_row = fmin(scales->smallest_row, size);
    }
}

long *cd_workspace_calls(cd_workspace *ws)
{
    return &ws->calls;
}

cd_scales cd_system_scales(const cd_workspace *ws)
{
    const cardan_system *system = ws->system;
    cd_scales scales = {cd_max_abs(system->k * system->k, ws->mass), 0.0, INFINITY};
    measure_rows(system->m, system->k, ws->jacobian, &scales);
    measure_rows(system->l, system->k, ws->rolling, &scales);
    if (scales.largest_row == 0.0)
        scales.smallest_row = 0.0;
    return scales;
}

double cd_system_precision(const cardan_system *system)
{
    const cardan_system_def *def = &system->def;
    const double differenced = 1e-12;
    const bool exact = (system->m == 0 || def->constraint_dq != NULL) &&
                       (system->m == 0 || !def->rheonomic || def->constraint_dt != NULL) &&
                       (system->l == 0 || def->nonholonomic_dv != NULL);
    return exact ? DBL_EPSILON : differenced;
}

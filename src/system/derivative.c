/* Derivatives of the equations: the user's where given, central differences on the group else. */
#include "base/numeric.h"
#include "workspace.h"

#include <float.h>

int cd_part_rows(const cardan_system *system, cd_part part)
{
    switch (part) {
    case CD_CONSTRAINT:
    case CD_HIDDEN:
    case CD_ACCELERATED:
        return system->m;
    case CD_POTENTIAL:
        return 1;
    case CD_ROLLING:
        return system->l;
    default:
        return system->k;
    }
}

int cd_variable_count(const cardan_system *system, cd_variable variable)
{
    switch (variable) {
    case CD_BY_Q:
    case CD_BY_V:
        return system->k;
    case CD_BY_LAMBDA:
        return system->m;
    case CD_BY_PSI:
        return system->l;
    default:
        return 1;
    }
}

static int pattern_of(cd_derivative_id id)
{
    switch (id) {
    case CD_D_constraint_dq:
        return CD_P_constraint_dq;
    case CD_D_hidden_dq:
        return CD_P_hidden_dq;
    case CD_D_reaction_dq:
        return CD_P_reaction_dq;
    case CD_D_inertia_dq:
        return CD_P_inertia_dq;
    case CD_D_force_dq:
    case CD_D_reacting_force_dq:
        return CD_P_force_dq;
    case CD_D_force_dv:
    case CD_D_reacting_force_dv:
        return CD_P_force_dv;
    case CD_D_force_dlambda:
        return CD_P_force_dlambda;
    case CD_D_force_dpsi:
        return CD_P_force_dpsi;
    case CD_D_nonholonomic_dv:
        return CD_P_nonholonomic_dv;
    case CD_D_nonholonomic_dq:
        return CD_P_nonholonomic_dq;
    case CD_D_rolling_reaction_dq:
        return CD_P_rolling_reaction_dq;
    case CD_D_dynamics_dq:
        return CD_P_dynamics_dq;
    default:
        return -1;
    }
}

cd_derivative_info cd_derivative_of(const cardan_system *system, cd_derivative_id id)
{
    cd_derivative_info info = {0};
    switch (id) {
#define X(name_, part_, variable_)                                                                 \
    case CD_D_##name_:                                                                             \
        info = (cd_derivative_info){#name_, system->def.name_, part_, variable_, 0, 0, -1, 0};     \
        break;
        CD_DERIVATIVE_LIST(X)
#undef X
    case CD_DERIVATIVES:
        break;
    }
    info.pattern = pattern_of(id);
    info.rows = cd_part_rows(system, info.part);
    info.cols = cd_variable_count(system, info.variable);
    info.entries =
        info.pattern >= 0 ? system->matrices.pattern[info.pattern].entries : info.rows * info.cols;
    return info;
}

/* Differences: sum of weight * F(x + offset e) / e. Parts that enter the equations themselves (B,
 * dPhi/dt and the bias) get the fourth-order formula, good to about 1e-12; those that only enter
 * the iteration matrix the narrow second-order one, which copes with sharply regularised forces. */
typedef struct stencil {
    int count;
    double width;
    double offset[7], weight[7];
} stencil;

/* Opposite points follow each other: where F is symmetric the sum is exactly zero, not rounding. */
static const stencil accurate = {
    4, 1e-4, {-1.0, 1.0, -2.0, 2.0}, {-8.0 / 12, 8.0 / 12, 1.0 / 12, -1.0 / 12}};
static const stencil narrow = {2, 6e-6, {-1.0, 1.0}, {-0.5, 0.5}};
/* From one side, of the fourth order: where F or a derivative of it jumps at the point itself. */
static const stencil later = {
    5, 1e-4, {0.0, 1.0, 2.0, 3.0, 4.0}, {-25.0 / 12, 4.0, -3.0, 4.0 / 3, -1.0 / 4}};
static const stencil earlier = {
    5, 1e-4, {0.0, -1.0, -2.0, -3.0, -4.0}, {25.0 / 12, -4.0, 3.0, -4.0 / 3, 1.0 / 4}};

static const stencil narrow_later = {3, 6e-6, {0.0, 1.0, 2.0}, {-1.5, 2.0, -0.5}};
static const stencil narrow_earlier = {3, 6e-6, {0.0, -1.0, -2.0}, {1.5, -2.0, 0.5}};

static const stencil *stencil_of(cd_part part, cd_variable variable, cd_side side)
{
    static const stencil *const wide[] = {&accurate, &later, &earlier};
    static const stencil *const close[] = {&narrow, &narrow_later, &narrow_earlier};
    const bool constraint =
        part == CD_CONSTRAINT || part == CD_HIDDEN || part == CD_ROLLING || part == CD_POTENTIAL;
    return (constraint && variable != CD_BY_LAMBDA ? wide : close)[side];
}

static const stencil *stencil_for(cd_part part, cd_variable variable)
{
    return stencil_of(part, variable, CD_BOTH_SIDES);
}

/* The size of a displacement that counts as one, so that large values are not lost in rounding. */
double cd_difference_scale(const cardan_system *system, cd_variable variable, int column,
                           const cardan_point *at)
{
    switch (variable) {
    case CD_BY_Q:
        return system->coordinate[column] < 0 ? 1.0
                                              : fmax(1.0, fabs(at->q[system->coordinate[column]]));
    case CD_BY_V:
        return fmax(1.0, fabs(at->v[column]));
    case CD_BY_LAMBDA:
        return fmax(1.0, fabs(at->lambda[column]));
    case CD_BY_PSI:
        return fmax(1.0, fabs(at->psi[column]));
    case CD_BY_FLOW:
        return 1.0 / fmax(1.0, cd_max_abs(system->k, at->v));
    default:
        return 1.0;
    }
}

static const double *displace_entry(int count, const double *x, int column, double amount,
                                    double *copy)
{
    cd_copy(count, x, copy);
    copy[column] += amount;
    return copy;
}

static cardan_point displace(cd_workspace *ws, cd_level *level, cd_variable variable, int column,
                             double amount, const cardan_point *at)
{
    const cardan_system *system = ws->system;
    cardan_point moved = *at;
    switch (variable) {
    case CD_BY_Q:
        cd_zero(system->k, level->direction);
        level->direction[column] = amount;
        cardan_group_update(system->group, at->q, level->direction, level->q);
        moved.q = level->q;
        break;
    case CD_BY_FLOW:
        cd_zero(system->k, level->direction);
        cd_add(system->k, amount, at->v, level->direction);
        cardan_group_update(system->group, at->q, level->direction, level->q);
        moved.q = level->q;
        moved.t = at->t + amount;
        break;
    case CD_BY_V:
        moved.v = displace_entry(system->k, at->v, column, amount, level->v);
        break;
    case CD_BY_LAMBDA:
        moved.lambda = displace_entry(system->m, at->lambda, column, amount, level->lambda);
        break;
    case CD_BY_PSI:
        moved.psi = displace_entry(system->l, at->psi, column, amount, level->psi);
        break;
    case CD_BY_T:
        moved.t = at->t + amount;
        break;
    }
    return moved;
}

static cardan_status difference_by(const stencil *s, cd_workspace *ws, int level, cd_part part,
                                   cd_variable variable, const cardan_point *at, double *out)
{
    const int rows = cd_part_rows(ws->system, part);
    const int cols = cd_variable_count(ws->system, variable);
    cd_level *scratch = &ws->level[level];
    cd_zero(rows * cols, out);
    for (int j = 0; j < cols; j++) {
        const double width = s->width * cd_difference_scale(ws->system, variable, j, at);
        for (int p = 0; p < s->count; p++) {
            const cardan_point moved = displace(ws, scratch, variable, j, s->offset[p] * width, at);
            cardan_status status = cd_part_evaluate(ws, level + 1, part, &moved, scratch->value);
            if (status != CARDAN_OK)
                return status;
            for (int i = 0; i < rows; i++)
                out[i * cols + j] += s->weight[p] / width * scratch->value[i];
        }
    }
    return CARDAN_OK;
}

cardan_status cd_difference(cd_workspace *ws, int level, cd_part part, cd_variable variable,
                            const cardan_point *at, double *out)
{
    return difference_by(stencil_for(part, variable), ws, level, part, variable, at, out);
}

static stencil shrunk(cd_part part, cd_variable variable, cd_glance how)
{
    stencil s = *stencil_of(part, variable, how.side);
    s.width *= how.width;
    return s;
}

cardan_status cd_difference_glance(cd_workspace *ws, cd_glance how, cd_part part,
                                   cd_variable variable, const cardan_point *at, double *out)
{
    const stencil s = shrunk(part, variable, how);
    return difference_by(&s, ws, 0, part, variable, at, out);
}

/* The same for many columns at once; no array: all. */
static cardan_point displace_columns(cd_workspace *ws, cd_level *level, cd_variable variable,
                                     int columns, const int *column, double amount,
                                     const cardan_point *at)
{
    const cardan_system *system = ws->system;
    const int count = cd_variable_count(system, variable);
    double *const copies[] = {level->direction, level->v, level->lambda, level->psi};
    const double *const values[] = {NULL, at->v, at->lambda, at->psi};
    double *copy = copies[variable];
    cardan_point moved = *at;
    if (variable == CD_BY_Q)
        cd_zero(count, copy);
    else
        cd_copy(count, values[variable], copy);
    for (int i = 0; i < columns; i++) {
        const int j = column != NULL ? column[i] : i;
        copy[j] += amount * cd_difference_scale(system, variable, j, at);
    }
    switch (variable) {
    case CD_BY_Q:
        cardan_group_update(system->group, at->q, copy, level->q);
        moved.q = level->q;
        break;
    case CD_BY_V:
        moved.v = copy;
        break;
    case CD_BY_LAMBDA:
        moved.lambda = copy;
        break;
    default:
        moved.psi = copy;
    }
    return moved;
}

/* One evaluation per group of columns and point of the stencil. */
static cardan_status difference_groups_by(const stencil *s, cd_workspace *ws, int level,
                                          cd_part part, cd_variable variable, const cd_colouring *c,
                                          const cardan_point *at, double *out)
{
    cd_level *scratch = &ws->level[level];
    for (int group = 0; group < c->groups; group++)
        for (int p = 0; p < s->count; p++) {
            const int first = c->column_start[group];
            const cardan_point moved =
                displace_columns(ws, scratch, variable, c->column_start[group + 1] - first,
                                 c->column + first, s->offset[p] * s->width, at);
            cardan_status status = cd_part_evaluate(ws, level + 1, part, &moved, scratch->value);
            if (status != CARDAN_OK)
                return status;
            for (int i = c->entry_start[group]; i < c->entry_start[group + 1]; i++) {
                const double width =
                    s->width * cd_difference_scale(ws->system, variable, c->entry_column[i], at);
                out[c->entry[i]] += s->weight[p] / width * scratch->value[c->row[i]];
            }
        }
    return CARDAN_OK;
}

cardan_status cd_difference_groups(cd_workspace *ws, int level, cd_part part, cd_variable variable,
                                   const cd_colouring *c, const cardan_point *at, double *out)
{
    return difference_groups_by(stencil_for(part, variable), ws, level, part, variable, c, at, out);
}

cardan_status cd_difference_groups_glance(cd_workspace *ws, cd_glance how, cd_part part,
                                          cd_variable variable, const cd_colouring *c,
                                          const cardan_point *at, double *out)
{
    const stencil s = shrunk(part, variable, how);
    return difference_groups_by(&s, ws, 0, part, variable, c, at, out);
}

cardan_status cd_difference_all(cd_workspace *ws, cd_glance how, cd_part part, cd_variable variable,
                                const cardan_point *at, double *out)
{
    const int rows = cd_part_rows(ws->system, part);
    const int cols = cd_variable_count(ws->system, variable);
    const stencil s = shrunk(part, variable, how);
    cd_level *scratch = &ws->level[0];
    cd_zero(rows, out);
    for (int p = 0; p < s.count; p++) {
        const cardan_point moved =
            displace_columns(ws, scratch, variable, cols, NULL, s.offset[p] * s.width, at);
        cardan_status status = cd_part_evaluate(ws, 1, part, &moved, scratch->value);
        if (status != CARDAN_OK)
            return status;
        cd_add(rows, s.weight[p] / s.width, scratch->value, out);
    }
    return CARDAN_OK;
}

cardan_status cd_difference_pattern(cd_workspace *ws, int level, cd_part part, cd_variable variable,
                                    cd_pattern_id id, const cardan_point *at, double *out)
{
    const bool second = id == CD_P_accelerated_dv || id == CD_P_accelerated_dq;
    const cd_colouring *colouring = second ? &ws->accelerated : &ws->system->matrices.colouring[id];
    const cd_pattern *pattern = cd_pattern_of(ws, id);
    if (pattern->full)
        return cd_difference(ws, level, part, variable, at, out);
    cd_zero(pattern->entries, out);
    return cd_difference_groups(ws, level, part, variable, colouring, at, out);
}

bool cd_derivative_vanishes(const cardan_system *system, const cd_derivative_info *info)
{
    const cardan_system_def *def = &system->def;
    if (info->rows == 0 || info->cols == 0)
        return true;
    if (info->part == CD_CONSTRAINT && info->variable == CD_BY_T)
        return !def->rheonomic;
    if (info->part == CD_INERTIA)
        return def->constant_mass;
    if (info->part == CD_POTENTIAL)
        return def->potential == NULL;
    if (info->part == CD_ROLLING_REACT)
        return system->l == 0;
    if (info->part == CD_REACTING)
        return def->reacting_force == NULL;
    if (info->part == CD_FORCE)
        return def->force == NULL ||
               (info->variable == CD_BY_LAMBDA && !def->force_depends_on_lambda) ||
               (info->variable == CD_BY_PSI && !def->force_depends_on_psi);
    return false;
}

/* The bias of constraints without B is their second derivative along the flow, d^2/ds^2 Phi(q exp(s
 * v)): of the sixth order, good to 1e-9. (The difference of a differenced B has 30 times the
 * rounding and 2 k times the work.) A motion prescribed in time may be too fast for so wide a step.
 */
static bool bends_along_flow(const cardan_system_def *def, cd_derivative_id id)
{
    return id == CD_D_constraint_bias && def->constraint_dq == NULL && !def->rheonomic;
}

static const double bend_width = 1e-3;

/* Of a difference of numbers of this size, for each division by the width. */
double cd_system_bias_rounding(const cardan_system *system, const cardan_point *at)
{
    const cardan_system_def *def = &system->def;
    const double speed = cd_max_abs(system->k, at->v), flow = fmax(1.0, speed);
    const double size = fmax(1.0, cd_max_abs(cardan_group_size(system->group), at->q));
    if (system->m == 0 || def->constraint_bias != NULL || system->pieces.accelerated != NULL)
        return 0.0;
    if (bends_along_flow(def, CD_D_constraint_bias))
        return 3.5 * DBL_EPSILON * size * flow * flow / (bend_width * bend_width);
    const double in_hidden = speed * size / (def->constraint_dq != NULL ? 1.0 : accurate.width);
    return DBL_EPSILON * in_hidden * flow / accurate.width;
}

static cardan_status bend_along_flow(cd_workspace *ws, int level, const cardan_point *at,
                                     double *out)
{
    static const stencil bend = {
        7,
        3e-3,
        {-3.0, 3.0, -2.0, 2.0, -1.0, 1.0, 0.0},
        {1.0 / 90, 1.0 / 90, -3.0 / 20, -3.0 / 20, 3.0 / 2, 3.0 / 2, -49.0 / 18}};
    cd_level *scratch = &ws->level[level];
    const int m = ws->system->m;
    const double width = bend_width * cd_difference_scale(ws->system, CD_BY_FLOW, 0, at);
    cd_zero(m, out);
    for (int p = 0; p < bend.count; p++) {
        const cardan_point moved = displace(ws, scratch, CD_BY_FLOW, 0, bend.offset[p] * width, at);
        cardan_status status =
            cd_part_evaluate(ws, level + 1, CD_CONSTRAINT, &moved, scratch->value);
        if (status != CARDAN_OK)
            return status;
        cd_add(m, bend.weight[p] / (width * width), scratch->value, out);
    }
    return CARDAN_OK;
}

cardan_status cd_derivative(cd_workspace *ws, int level, cd_derivative_id id,
                            const cardan_point *at, double *out)
{
    const cd_derivative_info info = cd_derivative_of(ws->system, id);
    if (cd_derivative_vanishes(ws->system, &info)) {
        cd_zero(info.entries, out);
        return CARDAN_OK;
    }
    if (info.callback != NULL)
        return cd_call(ws, info.callback, info.name, at, info.entries, out);
    if (bends_along_flow(&ws->system->def, id))
        return bend_along_flow(ws, level, at, out);
    if (info.pattern >= 0)
        return cd_difference_pattern(ws, level, info.part, info.variable,
                                     (cd_pattern_id)info.pattern, at, out);
    return cd_difference(ws, level, info.part, info.variable, at, out);
}

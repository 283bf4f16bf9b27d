/* Derivatives of the equations: the user's where given, central differences on the group else. */
#include "base/numeric.h"
#include "workspace.h"

#include <float.h>

int cd_equation_rows(const cardan_system *system, cd_equation equation)
{
    switch (equation) {
    case CD_CONSTRAINT:
    case CD_HIDDEN:
    case CD_ACCELERATED:
        return system->m;
    case CD_POTENTIAL:
    case CD_KINETIC:
        return 1;
    case CD_NONHOLONOMIC:
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

cd_derivative_info cd_derivative_of(const cardan_system *system, cd_derivative_id id)
{
    cd_derivative_info info = {0};
    switch (id) {
#define X(name_, equation_, variable_, pattern_)                                                   \
    case CD_D_##name_:                                                                             \
        info = (cd_derivative_info){#name_, system->def.name_, equation_, variable_,               \
                                    .pattern = pattern_};                                          \
        break;
        CD_DERIVATIVE_LIST(X)
#undef X
    case CD_DERIVATIVES:
        break;
    }
    info.rows = cd_equation_rows(system, info.equation);
    info.cols = cd_variable_count(system, info.variable);
    info.entries =
        info.pattern >= 0 ? system->matrices.pattern[info.pattern].entries : info.rows * info.cols;
    return info;
}

/* A difference formula: the sum of weight * F(x + offset * width) / width. Derivatives that enter
 * the equations (B, dPhi/dt, the bias) get order four, accurate to 1e-12; those that only enter the
 * iteration matrix a narrow formula of order two, which copes with sharply regularised forces. */
typedef struct difference_formula {
    int count;
    double width;
    double offset[7], weight[7];
} difference_formula;

/* Opposite points follow each other, so the sum is exactly zero where F is symmetric. One-sided
 * formulas are for points at which F or one of its derivatives jumps. */
static const difference_formula accurate_formulas[] = {
    [CD_BOTH_SIDES] = {4, 1e-4, {-1.0, 1.0, -2.0, 2.0}, {-8.0 / 12, 8.0 / 12, 1.0 / 12, -1.0 / 12}},
    [CD_LATER] = {5, 1e-4, {0.0, 1.0, 2.0, 3.0, 4.0}, {-25.0 / 12, 4.0, -3.0, 4.0 / 3, -1.0 / 4}},
    [CD_EARLIER] = {
        5, 1e-4, {0.0, -1.0, -2.0, -3.0, -4.0}, {25.0 / 12, -4.0, 3.0, -4.0 / 3, 1.0 / 4}}};
static const difference_formula narrow_formulas[] = {
    [CD_BOTH_SIDES] = {2, 6e-6, {-1.0, 1.0}, {-0.5, 0.5}},
    [CD_LATER] = {3, 6e-6, {0.0, 1.0, 2.0}, {-1.5, 2.0, -0.5}},
    [CD_EARLIER] = {3, 6e-6, {0.0, -1.0, -2.0}, {1.5, -2.0, 0.5}}};

/* The formula for a derivative with the given side and width. */
static difference_formula formula_of(cd_equation equation, cd_variable variable,
                                     cd_differencing how)
{
    const bool in_equations = equation == CD_CONSTRAINT || equation == CD_HIDDEN ||
                              equation == CD_NONHOLONOMIC || equation == CD_POTENTIAL ||
                              equation == CD_KINETIC;
    difference_formula s =
        (in_equations && variable != CD_BY_LAMBDA ? accurate_formulas : narrow_formulas)[how.side];
    s.width *= how.width;
    return s;
}

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

/* Displaces a set of entries of x by `amount` units times their weights; returns x. */
static const double *displace_entries(const cardan_system *system, const cd_columns *moved,
                                      double amount, const cardan_point *at, double *x)
{
    for (int i = 0; i < moved->count; i++) {
        const int j = moved->column != NULL ? moved->column[i] : i;
        const double own = moved->weight != NULL ? amount * moved->weight[i] : amount;
        x[j] += own * cd_difference_scale(system, moved->variable, j, at);
    }
    return x;
}

static cardan_point displace_point(const cardan_system *system, const cd_level *level,
                                   const cd_columns *moved, double amount, const cardan_point *at)
{
    cardan_point to = *at;
    switch (moved->variable) {
    case CD_BY_FLOW:
        amount *= cd_difference_scale(system, CD_BY_FLOW, 0, at);
        cd_zero(system->k, level->direction);
        cd_add(system->k, amount, at->v, level->direction);
        cardan_group_update(system->group, at->q, level->direction, level->q);
        to.q = level->q;
        to.t = at->t + amount;
        break;
    case CD_BY_Q:
        cd_zero(system->k, level->direction);
        displace_entries(system, moved, amount, at, level->direction);
        cardan_group_update(system->group, at->q, level->direction, level->q);
        to.q = level->q;
        break;
    case CD_BY_V:
        cd_copy(system->k, at->v, level->v);
        to.v = displace_entries(system, moved, amount, at, level->v);
        break;
    case CD_BY_LAMBDA:
        cd_copy(system->m, at->lambda, level->lambda);
        to.lambda = displace_entries(system, moved, amount, at, level->lambda);
        break;
    case CD_BY_PSI:
        cd_copy(system->l, at->psi, level->psi);
        to.psi = displace_entries(system, moved, amount, at, level->psi);
        break;
    case CD_BY_T:
        to.t = at->t + amount;
        break;
    }
    return to;
}

cardan_status cd_evaluate_displaced(cd_workspace *ws, int level, cd_equation equation,
                                    const cd_columns *moved, double amount, const cardan_point *at,
                                    double *out)
{
    const cardan_point to = displace_point(ws->system, &ws->level[level], moved, amount, at);
    return cd_equation_evaluate(ws, level + 1, equation, &to, out);
}

/* Sums weight * F over the points of a formula, in `sum` of the level; the caller divides by the
 * displacement. The last two points are opposite ends. */
static cardan_status sum_points(cd_workspace *ws, int level, const difference_formula *s,
                                cd_equation equation, const cd_columns *moved,
                                const cardan_point *at)
{
    const cd_level *own = &ws->level[level];
    const int rows = cd_equation_rows(ws->system, equation);
    cd_zero(rows, own->sum);
    for (int p = 0; p < s->count; p++) {
        const cardan_status status = cd_evaluate_displaced(ws, level, equation, moved,
                                                           s->offset[p] * s->width, at, own->value);
        if (status != CARDAN_OK)
            return status;
        cd_add(rows, s->weight[p], own->value, own->sum);
        if (p == s->count - 2 && own->opposite != NULL)
            cd_copy(rows, own->value, own->opposite);
    }
    return CARDAN_OK;
}

/* The derivative with all entries, row by row. */
static cardan_status difference_full(cd_workspace *ws, int level, cd_differencing how,
                                     cd_equation equation, cd_variable variable,
                                     const cardan_point *at, double *out)
{
    const difference_formula s = formula_of(equation, variable, how);
    const int rows = cd_equation_rows(ws->system, equation);
    const int cols = cd_variable_count(ws->system, variable);
    for (int j = 0; j < cols; j++) {
        const cardan_status status =
            sum_points(ws, level, &s, equation, &(cd_columns){variable, 1, &j, NULL}, at);
        const double width = s.width * cd_difference_scale(ws->system, variable, j, at);
        if (status != CARDAN_OK)
            return status;
        for (int i = 0; i < rows; i++)
            out[i * cols + j] = ws->level[level].sum[i] / width;
    }
    return CARDAN_OK;
}

cardan_status cd_difference(cd_workspace *ws, int level, cd_differencing how, cd_equation equation,
                            cd_variable variable, const cd_colouring *c, const cardan_point *at,
                            double *out)
{
    const difference_formula s = formula_of(equation, variable, how);
    if (c == NULL)
        return difference_full(ws, level, how, equation, variable, at, out);
    for (int group = 0; group < c->groups; group++) {
        const int first = c->column_start[group], count = c->column_start[group + 1] - first;
        const cd_columns moved = {variable, count, c->column + first, NULL};
        const cardan_status status = sum_points(ws, level, &s, equation, &moved, at);
        if (status != CARDAN_OK)
            return status;
        for (int i = c->entry_start[group]; i < c->entry_start[group + 1]; i++)
            out[c->entry[i]] =
                ws->level[level].sum[c->row[i]] /
                (s.width * cd_difference_scale(ws->system, variable, c->entry_column[i], at));
    }
    return CARDAN_OK;
}

cardan_status cd_difference_sum(cd_workspace *ws, int level, cd_equation equation,
                                const cd_columns *moved, const cardan_point *at, double *width,
                                double *reach)
{
    const difference_formula s = formula_of(equation, moved->variable, cd_usual_differencing);
    *width = s.width;
    *reach = s.offset[s.count - 1] * s.width;
    return sum_points(ws, level, &s, equation, moved, at);
}

cardan_status cd_difference_all(cd_workspace *ws, cd_differencing how, cd_equation equation,
                                cd_variable variable, const cardan_point *at, double *out)
{
    const difference_formula s = formula_of(equation, variable, how);
    const cd_columns all = {.variable = variable, .count = cd_variable_count(ws->system, variable)};
    const cardan_status status = sum_points(ws, 0, &s, equation, &all, at);
    for (int i = 0; status == CARDAN_OK && i < cd_equation_rows(ws->system, equation); i++)
        out[i] = ws->level[0].sum[i] / s.width;
    return status;
}

cardan_status cd_difference_pattern(cd_workspace *ws, int level, cd_equation equation,
                                    cd_variable variable, cd_pattern_id id, const cardan_point *at,
                                    double *out)
{
    const bool second = id == CD_P_accelerated_dv || id == CD_P_accelerated_dq;
    const cd_colouring *colouring = second ? &ws->accelerated : &ws->system->matrices.colouring[id];
    cd_sparsity *found = cd_sparsity_of(ws, id, equation);
    if (found != NULL)
        return cd_sparsity_difference(ws, level, found, equation, variable, at, out);
    return cd_difference(ws, level, cd_usual_differencing, equation, variable,
                         cd_pattern_of(ws, id)->full ? NULL : colouring, at, out);
}

bool cd_derivative_vanishes(const cardan_system *system, const cd_derivative_info *info)
{
    const cardan_system_def *def = &system->def;
    if (info->rows == 0 || info->cols == 0)
        return true;
    if (info->equation == CD_CONSTRAINT && info->variable == CD_BY_T)
        return !def->rheonomic;
    if (info->equation == CD_INERTIA)
        return def->constant_mass;
    if (info->equation == CD_POTENTIAL)
        return def->potential == NULL;
    if (info->equation == CD_NONHOLONOMIC_REACT)
        return system->l == 0;
    if (info->equation == CD_REACTING)
        return def->reacting_force == NULL;
    if (info->equation == CD_FORCE)
        return def->force == NULL ||
               (info->variable == CD_BY_LAMBDA && !def->force_depends_on_lambda) ||
               (info->variable == CD_BY_PSI && !def->force_depends_on_psi);
    return false;
}

/* Without B, the bias of constraints is computed as their second derivative along the flow,
 * d^2/ds^2 Phi(q exp(s v)), by a formula of order six, accurate to 1e-9. (Differencing a
 * differenced B has 30 times the rounding and takes 2 k times as long.) Not for motions prescribed
 * in time, which may be too fast for so wide a step. */
static bool is_second_difference(const cardan_system_def *def, cd_derivative_id id)
{
    return id == CD_D_constraint_bias && def->constraint_dq == NULL && !def->rheonomic;
}

#define SECOND_WIDTH 1e-3 /* of that formula */

/* Every division by the width of a formula amplifies the rounding of the numbers differenced. */
double cd_system_bias_rounding(const cardan_system *system, const cardan_point *at)
{
    const cardan_system_def *def = &system->def;
    const double speed = cd_max_abs(system->k, at->v), flow = fmax(1.0, speed);
    const double size = fmax(1.0, cd_max_abs(cardan_group_size(system->group), at->q));
    if (system->m == 0 || def->constraint_bias != NULL || system->pieces.accelerated != NULL)
        return 0.0;
    if (is_second_difference(def, CD_D_constraint_bias))
        return 3.5 * DBL_EPSILON * size * flow * flow / (SECOND_WIDTH * SECOND_WIDTH);
    const double in_hidden =
        speed * size / (def->constraint_dq != NULL ? 1.0 : accurate_formulas[CD_BOTH_SIDES].width);
    return DBL_EPSILON * in_hidden * flow / accurate_formulas[CD_BOTH_SIDES].width;
}

/* out = the bias of the holonomic constraints by that formula */
static cardan_status second_difference_along_flow(cd_workspace *ws, int level,
                                                  const cardan_point *at, double *out)
{
    static const difference_formula second = {
        7,
        SECOND_WIDTH,
        {-3.0, 3.0, -2.0, 2.0, -1.0, 1.0, 0.0},
        {1.0 / 90, 1.0 / 90, -3.0 / 20, -3.0 / 20, 3.0 / 2, 3.0 / 2, -49.0 / 18}};
    const double width = second.width * cd_difference_scale(ws->system, CD_BY_FLOW, 0, at);
    const cardan_status status =
        sum_points(ws, level, &second, CD_CONSTRAINT, &(cd_columns){.variable = CD_BY_FLOW}, at);
    for (int i = 0; status == CARDAN_OK && i < ws->system->m; i++)
        out[i] = ws->level[level].sum[i] / (width * width);
    return status;
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
        return cd_call_callback(ws, info.callback, info.name, at, info.entries, out);
    if (is_second_difference(&ws->system->def, id))
        return second_difference_along_flow(ws, level, at, out);
    if (info.pattern >= 0)
        return cd_difference_pattern(ws, level, info.equation, info.variable,
                                     (cd_pattern_id)info.pattern, at, out);
    return cd_difference(ws, level, cd_usual_differencing, info.equation, info.variable, NULL, at,
                         out);
}

cardan_status cd_system_curvature(cd_workspace *ws, const cardan_point *at, double *columns)
{
    const cd_pattern *p = cd_pattern_of(ws, CD_P_reaction_dq);
    const cd_derivative_info info = cd_derivative_of(ws->system, CD_D_reaction_dq);
    cd_zero(ws->system->k, columns);
    if (ws->system->m == 0 || p->entries == 0 || cd_derivative_vanishes(ws->system, &info))
        return CARDAN_OK;
    const cardan_status status = cd_derivative(ws, 0, CD_D_reaction_dq, at, ws->block);
    for (int i = 0; status == CARDAN_OK && i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++) {
            double *column = &columns[cd_pattern_column(p, i, e)];
            *column = fmax(*column, fabs(ws->block[e]));
        }
    return status;
}

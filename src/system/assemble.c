/* Adds weighted derivative blocks into a matrix of fixed pattern. */
#include "base/numeric.h"
#include "group/group.h"
#include "system/workspace.h"

static void block_size(const cardan_system *system, cd_block_kind kind, int *rows, int *cols)
{
    const int k = system->k, m = system->m, l = system->l;
    *rows = *cols = k;
    switch (kind) {
    case CD_DYNAMICS_LAMBDA:
    case CD_REACTION:
    case CD_ANCHORED_REACTION:
        *cols = m;
        break;
    case CD_DYNAMICS_PSI:
    case CD_ROLLING_REACTION:
        *cols = l;
        break;
    case CD_POSITION_Q:
    case CD_HIDDEN_V:
    case CD_HIDDEN_Q:
    case CD_ACCELERATED_VDOT:
    case CD_ACCELERATED_V:
    case CD_ACCELERATED_Q:
        *rows = m;
        break;
    case CD_ROLLING_V:
    case CD_ROLLING_Q:
        *rows = l;
        break;
    case CD_PENALTY:
        *rows = *cols = m;
        break;
    case CD_DYNAMICS_VDOT:
    case CD_DYNAMICS_V:
    case CD_DYNAMICS_Q:
    case CD_FORCES_Q:
    case CD_INERTIA_Q:
    case CD_REACTING_Q:
    case CD_REACTING_V:
    case CD_ANCHORED_MASS:
    case CD_IDENTITY:
    case CD_BRACKET:
        break;
    }
}

static bool is_diagonal(cd_block_kind kind)
{
    return kind == CD_IDENTITY || kind == CD_PENALTY;
}

void cd_system_declare(const cardan_system *system, cd_term *terms, int count, cd_matrix *matrix)
{
    for (int i = 0; i < count; i++) {
        int rows, cols;
        block_size(system, terms[i].kind, &rows, &cols);
        terms[i].slot = is_diagonal(terms[i].kind)
                            ? cd_matrix_declare_diagonal(matrix, terms[i].row, terms[i].col, rows)
                            : cd_matrix_declare(matrix, terms[i].row, terms[i].col, rows, cols);
    }
}

/* ws->block += ws->part */
static void add_part(cd_workspace *ws, int count)
{
    cd_add(count, 1.0, ws->part, ws->block);
}

static cardan_status add_derivative(cd_workspace *ws, cd_derivative_id id, const cardan_point *at)
{
    const cd_derivative_info info = cd_derivative_of(ws->system, id);
    cardan_status status = cd_derivative(ws, 0, id, at, ws->part);
    if (status == CARDAN_OK)
        add_part(ws, info.rows * info.cols);
    return status;
}

/* The reaction K^T psi has no callbacks of its own; K usually depends on q. */
static cardan_status add_rolling_reaction(cd_workspace *ws, cd_variable variable,
                                          const cardan_point *at)
{
    const cardan_system *system = ws->system;
    if (system->l == 0 || system->def.psi_in_force_only)
        return CARDAN_OK;
    cardan_status status = cd_difference(ws, 0, CD_ROLLING_REACT, variable, at, ws->part);
    if (status == CARDAN_OK)
        add_part(ws, system->k * system->k);
    return status;
}

static cardan_status forces_by_q(cd_workspace *ws, const cardan_point *at)
{
    cd_zero(ws->system->k * ws->system->k, ws->block);
    cardan_status status = add_derivative(ws, CD_D_force_dq, at);
    if (status == CARDAN_OK && ws->system->m > 0 && !ws->system->def.lambda_in_force_only)
        status = add_derivative(ws, CD_D_reaction_dq, at);
    if (status == CARDAN_OK)
        status = add_rolling_reaction(ws, CD_BY_Q, at);
    return status;
}

static cardan_status dynamics_by_q(cd_workspace *ws, const cardan_point *at)
{
    cardan_status status = forces_by_q(ws, at);
    return status == CARDAN_OK ? add_derivative(ws, CD_D_inertia_dq, at) : status;
}

static cardan_status dynamics_by_v(cd_workspace *ws, const cardan_point *at)
{
    cd_zero(ws->system->k * ws->system->k, ws->block);
    cardan_status status = add_derivative(ws, CD_D_force_dv, at);
    if (status == CARDAN_OK)
        status = add_rolling_reaction(ws, CD_BY_V, at);
    return status;
}

/* ws->block = the derivative of the force less that of the force without multipliers */
static cardan_status force_difference(cd_workspace *ws, cd_derivative_id id, const cardan_point *at)
{
    const int entries = ws->system->k * ws->system->k;
    const cardan_point without = cd_without_multipliers(ws, at);
    cd_zero(entries, ws->block);
    if (!cd_force_depends_on_multipliers(ws->system))
        return CARDAN_OK;
    cardan_status status = cd_derivative(ws, 0, id, at, ws->block);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, id, &without, ws->part);
    if (status == CARDAN_OK)
        cd_add(entries, -1.0, ws->part, ws->block);
    return status;
}

/* The part of the forces that is due to the multipliers, by q or v. */
static cardan_status reacting_by(cd_workspace *ws, cd_variable variable, const cardan_point *at)
{
    const bool by_q = variable == CD_BY_Q;
    cardan_status status = force_difference(ws, by_q ? CD_D_force_dq : CD_D_force_dv, at);
    if (status == CARDAN_OK && by_q && ws->system->m > 0 && !ws->system->def.lambda_in_force_only)
        status = add_derivative(ws, CD_D_reaction_dq, at);
    if (status == CARDAN_OK)
        status = add_rolling_reaction(ws, variable, at);
    return status;
}

/* The row-major matrix of a kind, in ws->block or where the last evaluation left it. */
static cardan_status find_block(cd_workspace *ws, cd_block_kind kind, const cardan_point *at,
                                const double **block)
{
    *block = ws->block;
    switch (kind) {
    case CD_DYNAMICS_VDOT:
        *block = ws->mass;
        return CARDAN_OK;
    case CD_ANCHORED_MASS:
        *block = ws->anchored_mass;
        return CARDAN_OK;
    case CD_FORCES_Q:
        return forces_by_q(ws, at);
    case CD_INERTIA_Q:
        return cd_derivative(ws, 0, CD_D_inertia_dq, at, ws->block);
    case CD_REACTING_Q:
        return reacting_by(ws, CD_BY_Q, at);
    case CD_REACTING_V:
        return reacting_by(ws, CD_BY_V, at);
    case CD_DYNAMICS_V:
        return dynamics_by_v(ws, at);
    case CD_DYNAMICS_Q:
        return dynamics_by_q(ws, at);
    case CD_DYNAMICS_LAMBDA:
        return cd_derivative(ws, 0, CD_D_force_dlambda, at, ws->block);
    case CD_DYNAMICS_PSI:
        return cd_derivative(ws, 0, CD_D_force_dpsi, at, ws->block);
    case CD_HIDDEN_Q:
        return cd_derivative(ws, 0, CD_D_hidden_dq, at, ws->block);
    case CD_ROLLING_Q:
        return cd_derivative(ws, 0, CD_D_nonholonomic_dq, at, ws->block);
    case CD_ACCELERATED_V:
        return cd_difference(ws, 0, CD_ACCELERATED, CD_BY_V, at, ws->block);
    case CD_ACCELERATED_Q:
        return cd_difference(ws, 0, CD_ACCELERATED, CD_BY_Q, at, ws->block);
    case CD_POSITION_Q:
    case CD_HIDDEN_V:
    case CD_ACCELERATED_VDOT:
        *block = ws->jacobian;
        return CARDAN_OK;
    case CD_ROLLING_V:
        *block = ws->rolling;
        return CARDAN_OK;
    default:
        return CARDAN_OK;
    }
}

/* The transposed part of a kind: B^T, K^T, B^T of the anchor, or none. */
static const double *find_transposed(const cd_workspace *ws, cd_block_kind kind)
{
    switch (kind) {
    case CD_DYNAMICS_LAMBDA:
        return ws->system->def.lambda_in_force_only ? NULL : ws->jacobian;
    case CD_REACTION:
        return ws->jacobian;
    case CD_DYNAMICS_PSI:
        return ws->system->def.psi_in_force_only ? NULL : ws->rolling;
    case CD_ROLLING_REACTION:
        return ws->rolling;
    case CD_ANCHORED_REACTION:
        return ws->anchored;
    default:
        return NULL;
    }
}

static bool has_plain_part(const cardan_system *system, cd_block_kind kind)
{
    if (kind == CD_DYNAMICS_LAMBDA)
        return system->def.force_depends_on_lambda;
    if (kind == CD_DYNAMICS_PSI)
        return system->def.force_depends_on_psi;
    return kind != CD_REACTION && kind != CD_ROLLING_REACTION && kind != CD_ANCHORED_REACTION;
}

static bool is_curved(cardan_factor factor)
{
    return factor.kind != CARDAN_RN;
}

static int curved_dof(cardan_factor factor)
{
    return factor.kind == CARDAN_SO3 || factor.kind == CARDAN_S3 ? 3 : 6;
}

/* T(increment) (ratio I + weight ad) of every curved factor, in ws->tangent. */
static void evaluate_map(cd_workspace *ws, const cd_map *map)
{
    const cardan_group *group = ws->system->group;
    for (int f = 0; f < cardan_group_factors(group); f++) {
        const cardan_factor factor = cardan_group_factor(group, f, NULL, NULL);
        if (!is_curved(factor))
            continue;
        const int n = curved_dof(factor);
        double *block = ws->tangent + (size_t)f * 36, tangent[36], inner[36] = {0};
        cardan_group_tangent_block(group, f, map->increment, tangent);
        if (map->weight != 0.0)
            cd_group_bracket_block(group, f, map->bracket, inner);
        for (int i = 0; i < n * n; i++)
            inner[i] = map->weight * inner[i] + (i % (n + 1) == 0 ? map->ratio : 0.0);
        cd_zero(n * n, block);
        for (int i = 0; i < n; i++)
            for (int p = 0; p < n; p++)
                cd_add(n, tangent[i * n + p], inner + p * n, block + i * n);
    }
}

/* ad of every curved factor on the diagonal of ws->block. */
static void evaluate_bracket(cd_workspace *ws, const cd_map *map)
{
    const cardan_group *group = ws->system->group;
    const int k = ws->system->k;
    cd_zero(k * k, ws->block);
    for (int f = 0; f < cardan_group_factors(group); f++) {
        int first;
        const cardan_factor factor = cardan_group_factor(group, f, NULL, &first);
        if (!is_curved(factor))
            continue;
        const int n = curved_dof(factor);
        double block[36];
        cd_group_bracket_block(group, f, map->bracket, block);
        for (int i = 0; i < n; i++)
            cd_copy(n, block + i * n, ws->block + (first + i) * k + first);
    }
}

/* columns first..first+n of out = the same columns of block times the n x n matrix t */
static void map_columns(int rows, int stride, int n, const double *t, const double *block,
                        double *out)
{
    for (int i = 0; i < rows; i++) {
        double *row = out + (size_t)i * (size_t)stride;
        cd_zero(n, row);
        for (int p = 0; p < n; p++)
            cd_add(n, block[(size_t)i * (size_t)stride + (size_t)p], t + p * n, row);
    }
}

/* ws->mapped = block * map */
static const double *map_block(cd_workspace *ws, const cd_map *map, int rows, const double *block)
{
    const cardan_group *group = ws->system->group;
    const int k = ws->system->k;
    for (int i = 0; i < rows * k; i++)
        ws->mapped[i] = map->ratio * block[i];
    for (int f = 0; f < cardan_group_factors(group); f++) {
        int first;
        const cardan_factor factor = cardan_group_factor(group, f, NULL, &first);
        if (is_curved(factor))
            map_columns(rows, k, curved_dof(factor), ws->tangent + (size_t)f * 36, block + first,
                        ws->mapped + first);
    }
    return ws->mapped;
}

/* Terms without derivatives of the system. */
static bool add_plain_term(cd_workspace *ws, const cd_map *map, const cd_term *term,
                           cd_matrix *matrix)
{
    if (is_diagonal(term->kind)) {
        cd_matrix_add_identity(matrix, term->slot, term->weight);
        return true;
    }
    if (term->kind != CD_BRACKET)
        return false;
    evaluate_bracket(ws, map);
    cd_matrix_add(matrix, term->slot, term->weight, ws->block);
    return true;
}

static cardan_status add_term(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                              const cd_term *term, cd_matrix *matrix)
{
    int rows, cols;
    block_size(ws->system, term->kind, &rows, &cols);
    if (rows == 0 || cols == 0 || term->weight == 0.0 || add_plain_term(ws, map, term, matrix))
        return CARDAN_OK;
    const double *transposed = find_transposed(ws, term->kind);
    if (transposed != NULL)
        cd_matrix_add_transposed(matrix, term->slot, term->weight, transposed);
    if (!has_plain_part(ws->system, term->kind))
        return CARDAN_OK;
    const double *block;
    cardan_status status = find_block(ws, term->kind, at, &block);
    if (status != CARDAN_OK)
        return status;
    cd_matrix_add(matrix, term->slot, term->weight,
                  term->mapped ? map_block(ws, map, rows, block) : block);
    return CARDAN_OK;
}

cardan_status cd_system_assemble(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                                 const cd_term *terms, int count, cd_matrix *matrix)
{
    if (map != NULL)
        evaluate_map(ws, map);
    for (int i = 0; i < count; i++) {
        cardan_status status = add_term(ws, at, map, &terms[i], matrix);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}

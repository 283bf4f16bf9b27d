/* Adds weighted derivative blocks into a matrix of fixed pattern. A block is a sum of sources, each
 * with a pattern and a slot of its own; a term's slots follow each other. */
#include "base/numeric.h"
#include "group/group.h"
#include "workspace.h"

#include <assert.h>

typedef enum source {
    MASS,
    ANCHORED_MASS,
    JACOBIAN,
    ROLLING,
    JACOBIAN_TRANSPOSED,
    ROLLING_TRANSPOSED,
    ANCHORED_TRANSPOSED,
    SECANT_TRANSPOSED,
    FORCE_Q,
    FORCE_V,
    FORCE_LAMBDA,
    FORCE_PSI,
    REACTION_Q,
    INERTIA_Q,
    HIDDEN_Q,
    ROLLING_Q,
    ROLLING_REACTION_Q,
    DYNAMICS_Q, /* the sum of four of these, if it is given */
    ROLLING_REACTION_V,
    ACCELERATED_V,
    ACCELERATED_Q,
    BORNE_Q, /* of the force's part that is reaction, */
    BORNE_V,
    APPLIED_Q, /* and of the rest */
    APPLIED_V,
    BRACKET
} source;

enum { MAX_SOURCES = 4 };

typedef struct source_list {
    int count;
    source at[MAX_SOURCES];
} source_list;

/* How a source is evaluated if it is a derivative of the table. */
static int derivative_of(source s)
{
    switch (s) {
    case FORCE_Q:
    case BORNE_Q:
    case APPLIED_Q:
        return CD_D_force_dq;
    case FORCE_V:
    case BORNE_V:
    case APPLIED_V:
        return CD_D_force_dv;
    case FORCE_LAMBDA:
        return CD_D_force_dlambda;
    case FORCE_PSI:
        return CD_D_force_dpsi;
    case REACTION_Q:
        return CD_D_reaction_dq;
    case INERTIA_Q:
        return CD_D_inertia_dq;
    case HIDDEN_Q:
        return CD_D_hidden_dq;
    case ROLLING_Q:
        return CD_D_nonholonomic_dq;
    case ROLLING_REACTION_Q:
        return CD_D_rolling_reaction_dq;
    case DYNAMICS_Q:
        return CD_D_dynamics_dq;
    default:
        return -1;
    }
}

static cd_pattern_id shape_of(source s)
{
    switch (s) {
    case MASS:
    case ANCHORED_MASS:
        return CD_P_mass;
    case FORCE_Q:
    case BORNE_Q:
    case APPLIED_Q:
        return CD_P_force_dq;
    case FORCE_V:
    case BORNE_V:
    case APPLIED_V:
        return CD_P_force_dv;
    case FORCE_LAMBDA:
        return CD_P_force_dlambda;
    case FORCE_PSI:
        return CD_P_force_dpsi;
    case REACTION_Q:
        return CD_P_reaction_dq;
    case INERTIA_Q:
        return CD_P_inertia_dq;
    case HIDDEN_Q:
        return CD_P_hidden_dq;
    case ROLLING_Q:
        return CD_P_nonholonomic_dq;
    case ROLLING_REACTION_Q:
        return CD_P_rolling_reaction_dq;
    case DYNAMICS_Q:
        return CD_P_dynamics_dq;
    case ROLLING_REACTION_V:
        return CD_P_rolling_reaction_dv;
    case ACCELERATED_V:
        return CD_P_accelerated_dv;
    case ACCELERATED_Q:
        return CD_P_accelerated_dq;
    case ROLLING:
    case ROLLING_TRANSPOSED:
        return CD_P_nonholonomic_dv;
    default:
        return CD_P_constraint_dq;
    }
}

/* Sources that the claims of the definition make zero, or that have no rows, are left out. */
static bool is_zero(const cardan_system *system, source s)
{
    const cardan_system_def *def = &system->def;
    const int derivative = derivative_of(s);
    if (s == BRACKET)
        return system->matrices.bracket.entries == 0;
    if (system->matrices.pattern[shape_of(s)].entries == 0)
        return true;
    if (derivative >= 0) {
        const cd_derivative_info info = cd_derivative_of(system, (cd_derivative_id)derivative);
        if (cd_derivative_vanishes(system, &info))
            return true;
    }
    switch (s) {
    case REACTION_Q:
        return system->m == 0 || def->lambda_in_force_only;
    case ROLLING_REACTION_Q:
        return system->l == 0 || def->psi_in_force_only;
    case ROLLING_REACTION_V:
        return system->l == 0 || def->psi_in_force_only || def->affine_nonholonomic;
    case BORNE_Q:
    case BORNE_V:
        return !cd_splits_force(system);
    default:
        return false;
    }
}

void cd_system_find_absent(cardan_system *system)
{
    for (int s = 0; s <= BRACKET; s++)
        if (is_zero(system, (source)s))
            system->matrices.absent |= 1u << s;
}

static source_list pick(const cardan_system *system, int count, const source *candidates)
{
    source_list list = {0};
    for (int i = 0; i < count; i++)
        if ((system->matrices.absent >> candidates[i] & 1u) == 0)
            list.at[list.count++] = candidates[i];
    return list;
}

#define PICK(...)                                                                                  \
    pick(system, (int)(sizeof((const source[]){__VA_ARGS__}) / sizeof(source)),                    \
         (const source[]){__VA_ARGS__})

static source_list sources_of(const cardan_system *system, cd_block_kind kind)
{
    const cardan_system_def *def = &system->def;
    switch (kind) {
    case CD_DYNAMICS_VDOT:
        return PICK(MASS);
    case CD_ANCHORED_MASS:
        return PICK(ANCHORED_MASS);
    case CD_DYNAMICS_V:
        return PICK(FORCE_V, ROLLING_REACTION_V);
    case CD_DYNAMICS_Q:
        return def->dynamics_dq != NULL ? PICK(DYNAMICS_Q)
                                        : PICK(FORCE_Q, REACTION_Q, ROLLING_REACTION_Q, INERTIA_Q);
    case CD_FORCES_Q:
        return PICK(FORCE_Q, REACTION_Q, ROLLING_REACTION_Q);
    case CD_INERTIA_Q:
        return PICK(INERTIA_Q);
    case CD_REACTING_Q:
        return PICK(BORNE_Q, REACTION_Q, ROLLING_REACTION_Q);
    case CD_REACTING_V:
        return PICK(BORNE_V, ROLLING_REACTION_V);
    case CD_APPLIED_Q:
        return PICK(APPLIED_Q);
    case CD_APPLIED_V:
        return PICK(APPLIED_V);
    case CD_DYNAMICS_LAMBDA:
        return def->lambda_in_force_only ? PICK(FORCE_LAMBDA)
                                         : PICK(JACOBIAN_TRANSPOSED, FORCE_LAMBDA);
    case CD_DYNAMICS_PSI:
        return def->psi_in_force_only ? PICK(FORCE_PSI) : PICK(ROLLING_TRANSPOSED, FORCE_PSI);
    case CD_REACTION:
        return PICK(JACOBIAN_TRANSPOSED);
    case CD_ROLLING_REACTION:
        return PICK(ROLLING_TRANSPOSED);
    case CD_ANCHORED_REACTION:
        return PICK(ANCHORED_TRANSPOSED);
    case CD_SECANT_REACTION:
        return PICK(SECANT_TRANSPOSED);
    case CD_FORCES_LAMBDA:
        return PICK(FORCE_LAMBDA);
    case CD_POSITION_Q:
    case CD_HIDDEN_V:
    case CD_ACCELERATED_VDOT:
        return PICK(JACOBIAN);
    case CD_HIDDEN_Q:
        return PICK(HIDDEN_Q);
    case CD_ACCELERATED_V:
        return PICK(ACCELERATED_V);
    case CD_ACCELERATED_Q:
        return PICK(ACCELERATED_Q);
    case CD_ROLLING_V:
        return PICK(ROLLING);
    case CD_ROLLING_Q:
        return PICK(ROLLING_Q);
    case CD_BRACKET:
        return PICK(BRACKET);
    case CD_IDENTITY:
    case CD_PENALTY:
    case CD_NORMALS:
        break;
    }
    return (source_list){0};
}

static bool is_transposed(source s)
{
    return s == JACOBIAN_TRANSPOSED || s == ROLLING_TRANSPOSED || s == ANCHORED_TRANSPOSED ||
           s == SECANT_TRANSPOSED;
}

static int declare_source(const cardan_system *system, const cd_term *term, source s,
                          cd_matrix *matrix)
{
    const cd_matrices *m = &system->matrices;
    if (is_transposed(s)) /* S is B times matrices of the curves */
        return cd_matrix_declare_transposed(matrix, term->row, term->col,
                                            s == SECANT_TRANSPOSED ? &m->closed[shape_of(s)]
                                                                   : &m->pattern[shape_of(s)]);
    if (s == BRACKET)
        return cd_matrix_declare(matrix, term->row, term->col, &m->bracket);
    return cd_matrix_declare(matrix, term->row, term->col,
                             term->mapped ? &m->closed[shape_of(s)] : &m->pattern[shape_of(s)]);
}

/* Terms that are no sums of sources; false if this one is. */
static bool declare_plain(const cardan_system *system, cd_term *term, cd_matrix *matrix)
{
    switch (term->kind) {
    case CD_IDENTITY:
        term->slot = cd_matrix_declare_diagonal(matrix, term->row, term->col, system->k);
        return true;
    case CD_PENALTY:
        term->slot = cd_matrix_declare_diagonal(matrix, term->row, term->col, system->m);
        return true;
    case CD_NORMALS: /* factored apart */
        return true;
    default:
        /* Without its correction the MAGNUS update keeps the weight 0 for any step size. */
        return term->kind == CD_BRACKET && term->weight == 0.0;
    }
}

static cd_unknown rows_of(cd_block_kind kind)
{
    switch (kind) {
    case CD_POSITION_Q:
    case CD_HIDDEN_V:
    case CD_HIDDEN_Q:
    case CD_ACCELERATED_VDOT:
    case CD_ACCELERATED_V:
    case CD_ACCELERATED_Q:
    case CD_PENALTY:
        return CD_MULTIPLIERS;
    case CD_ROLLING_V:
    case CD_ROLLING_Q:
        return CD_ROLLING_MULTIPLIERS;
    default:
        return CD_VELOCITIES;
    }
}

static cd_unknown columns_of(cd_block_kind kind)
{
    switch (kind) {
    case CD_DYNAMICS_LAMBDA:
    case CD_REACTION:
    case CD_ANCHORED_REACTION:
    case CD_SECANT_REACTION:
    case CD_FORCES_LAMBDA:
    case CD_PENALTY:
        return CD_MULTIPLIERS;
    case CD_DYNAMICS_PSI:
    case CD_ROLLING_REACTION:
        return CD_ROLLING_MULTIPLIERS;
    default:
        return CD_VELOCITIES;
    }
}

void cd_system_set_units(const cardan_system *system, cd_matrix *matrix)
{
    if (system->units.count > 0)
        cd_matrix_set_units(
            matrix, (cd_unit_list){.count = system->units.count, .bodies = system->units.bodies});
}

void cd_system_belong(const cardan_system *system, cd_unknown kind, int first, cd_matrix *matrix)
{
    const cd_units *units = &system->units;
    if (kind == CD_VELOCITIES)
        cd_matrix_belong(matrix, first, system->k, 0, units->of_velocity);
    else if (kind == CD_MULTIPLIERS)
        cd_matrix_belong(matrix, first, system->m, 0, units->of_constraint);
    else
        cd_matrix_belong(matrix, first, system->l, 0, units->of_rolling);
}

/* The unknowns y apart, if a term has them, and the units of the others. */
static void declare_units(const cardan_system *system, const cd_term *terms, int count,
                          cd_matrix *matrix)
{
    for (int i = 0; i < count; i++)
        if (terms[i].kind == CD_NORMALS)
            cd_matrix_set_tree(matrix, terms[i].row, &system->normals.tree);
    cd_system_set_units(system, matrix);
    for (int i = 0; i < count; i++)
        if (terms[i].kind != CD_NORMALS) {
            cd_system_belong(system, rows_of(terms[i].kind), terms[i].row, matrix);
            cd_system_belong(system, columns_of(terms[i].kind), terms[i].col, matrix);
        }
}

bool cd_system_has_normals(const cardan_system *system, int unknowns)
{
    return system->normals.tree.joints > 0 && unknowns > system->dense_up_to;
}

void cd_system_declare(const cardan_system *system, cd_term *terms, int count, cd_matrix *matrix)
{
    cd_matrix_dense_up_to(matrix, system->dense_up_to);
    declare_units(system, terms, count, matrix);
    for (int i = 0; i < count; i++) {
        terms[i].slot = -1;
        if (declare_plain(system, &terms[i], matrix))
            continue;
        const source_list list = sources_of(system, terms[i].kind);
        for (int j = 0; j < list.count; j++) {
            const int slot = declare_source(system, &terms[i], list.at[j], matrix);
            if (j == 0)
                terms[i].slot = slot;
        }
    }
}

static cd_derivative_id reacting_of(cd_derivative_id force)
{
    return force == CD_D_force_dq ? CD_D_reacting_force_dq : CD_D_reacting_force_dv;
}

/* ws->block += factor times a derivative */
static cardan_status add_derivative(cd_workspace *ws, double factor, cd_derivative_id id,
                                    const cardan_point *at)
{
    const cd_derivative_info info = cd_derivative_of(ws->system, id);
    if (cd_derivative_vanishes(ws->system, &info))
        return CARDAN_OK;
    const cardan_status status = cd_derivative(ws, 0, id, at, ws->part);
    if (status == CARDAN_OK)
        cd_add(info.entries, factor, ws->part, ws->block);
    return status;
}

/* ws->block = the derivative of the force that is applied: without multipliers, and less what
 * counts as reaction */
static cardan_status find_applied(cd_workspace *ws, cd_derivative_id id, const cardan_point *at)
{
    const cardan_point without = cd_without_multipliers(ws, at);
    const cardan_status status = cd_derivative(ws, 0, id, &without, ws->block);
    return status == CARDAN_OK ? add_derivative(ws, -1.0, reacting_of(id), at) : status;
}

/* ws->block = that of the rest */
static cardan_status find_borne(cd_workspace *ws, cd_derivative_id id, const cardan_point *at)
{
    const cardan_point without = cd_without_multipliers(ws, at);
    cardan_status status = cd_derivative(ws, 0, id, at, ws->block);
    if (status == CARDAN_OK)
        status = add_derivative(ws, -1.0, id, &without);
    return status == CARDAN_OK ? add_derivative(ws, 1.0, reacting_of(id), at) : status;
}

/* ad of every curve, in the order of the pattern `bracket`. */
static void evaluate_bracket(cd_workspace *ws, const cd_map *map)
{
    const cd_matrices *matrices = &ws->system->matrices;
    assert(map != NULL); /* terms with brackets come with one */
    for (int c = 0; c < matrices->curve_count; c++) {
        const cd_curve *curve = &matrices->curves[c];
        double whole[36];
        cd_group_bracket_block(ws->system->group, curve->factor, map->bracket, whole);
        for (int i = 0; i < curve->n; i++)
            cd_copy(curve->n, whole + (curve->inner + i) * curve->stride + curve->inner,
                    ws->block + curve->tangent + i * curve->n);
    }
}

cardan_status cd_find_anchored(cd_workspace *ws, const double **values)
{
    *values = ws->anchored;
    return cd_keeps_anchored(ws)
               ? CARDAN_OK
               : cd_derivative(ws, 0, CD_D_constraint_dq, &ws->anchor, ws->anchored);
}

/* The values of a source, in ws->block or where the last evaluation left them. */
static cardan_status find_values(cd_workspace *ws, source s, const cardan_point *at,
                                 const cd_map *map, const double **values)
{
    *values = ws->block;
    switch (s) {
    case MASS:
        *values = ws->mass;
        return CARDAN_OK;
    case ANCHORED_MASS:
        *values = ws->anchored_mass;
        return CARDAN_OK;
    case JACOBIAN:
    case JACOBIAN_TRANSPOSED:
        *values = ws->jacobian;
        return CARDAN_OK;
    case ROLLING:
    case ROLLING_TRANSPOSED:
        *values = ws->rolling;
        return CARDAN_OK;
    case ANCHORED_TRANSPOSED:
        return cd_find_anchored(ws, values);
    case SECANT_TRANSPOSED:
        *values = ws->secant.rows;
        return CARDAN_OK;
    case ROLLING_REACTION_V: /* has no callback: K rarely depends on v */
        return cd_difference_pattern(ws, 0, CD_ROLLING_REACT, CD_BY_V, shape_of(s), at, ws->block);
    case ACCELERATED_V:
        return cd_difference_pattern(ws, 0, CD_ACCELERATED, CD_BY_V, shape_of(s), at, ws->block);
    case ACCELERATED_Q:
        return cd_difference_pattern(ws, 0, CD_ACCELERATED, CD_BY_Q, shape_of(s), at, ws->block);
    case BORNE_Q:
    case BORNE_V:
        return find_borne(ws, (cd_derivative_id)derivative_of(s), at);
    case APPLIED_Q:
    case APPLIED_V:
        return find_applied(ws, (cd_derivative_id)derivative_of(s), at);
    case BRACKET:
        evaluate_bracket(ws, map);
        return CARDAN_OK;
    default:
        return cd_derivative(ws, 0, (cd_derivative_id)derivative_of(s), at, ws->block);
    }
}

/* ---- full k x k terms of small systems: added up before they are put into the matrix ---- */

typedef struct pending {
    const cd_term *first;   /* NULL: none */
    const cd_term *earlier; /* the term before: of the same kind, its last block is still there */
    const double *values;
} pending;

static bool is_square(const cd_workspace *ws, const source_list *list)
{
    bool square = ws->sum != NULL && list->count > 0;
    for (int i = 0; i < list->count; i++) {
        const cd_pattern *p = cd_pattern_of(ws, shape_of(list->at[i]));
        square = square && list->at[i] != BRACKET && p->full && p->rows == ws->system->k &&
                 p->cols == ws->system->k;
    }
    return square;
}

static void put_pending(const cd_workspace *ws, pending *wait, cd_matrix *matrix)
{
    if (wait->first != NULL)
        cd_matrix_add(matrix, wait->first->slot, 1.0, ws->sum);
    wait->first = NULL;
}

/* sum += weight * block, or weight * (sum of the sources) T */
static cardan_status collect(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                             const cd_term *term, const source_list *list)
{
    const int entries = ws->system->k * ws->system->k;
    const double *values;
    if (term->mapped)
        cd_zero(entries, ws->unmapped);
    for (int i = 0; i < list->count; i++) {
        cardan_status status = find_values(ws, list->at[i], at, map, &values);
        if (status != CARDAN_OK)
            return status;
        if (term->mapped)
            cd_add(entries, 1.0, values, ws->unmapped);
        else
            cd_add(entries, term->weight, values, ws->sum);
    }
    if (term->mapped)
        cd_add(entries, term->weight, cd_map_apply(ws, map, shape_of(list->at[0]), ws->unmapped),
               ws->sum);
    return CARDAN_OK;
}

static cardan_status add_square(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                                const cd_term *term, const source_list *list, pending *wait,
                                cd_matrix *matrix)
{
    if (wait->first != NULL && (wait->first->row != term->row || wait->first->col != term->col))
        put_pending(ws, wait, matrix);
    if (wait->first == NULL) {
        cd_zero(ws->system->k * ws->system->k, ws->sum);
        wait->first = term;
    }
    return collect(ws, at, map, term, list);
}

/* ---- terms ---- */

static cardan_status add_term(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                              const cd_term *term, pending *wait, cd_matrix *matrix)
{
    if (term->weight == 0.0 || term->slot < 0)
        return CARDAN_OK;
    if (term->kind == CD_IDENTITY || term->kind == CD_PENALTY) {
        cd_matrix_add_identity(matrix, term->slot, term->weight);
        return CARDAN_OK;
    }
    const source_list list = sources_of(ws->system, term->kind);
    if (is_square(ws, &list)) {
        wait->earlier = NULL;
        return add_square(ws, at, map, term, &list, wait, matrix);
    }
    const bool again =
        list.count == 1 && wait->earlier != NULL && wait->earlier->kind == term->kind;
    for (int i = 0; i < list.count; i++) {
        cardan_status status =
            again ? CARDAN_OK : find_values(ws, list.at[i], at, map, &wait->values);
        if (status != CARDAN_OK)
            return status;
        if (term->mapped)
            cd_map_add(ws, map, shape_of(list.at[i]), wait->values, term->weight, term->slot + i,
                       matrix);
        else
            cd_matrix_add(matrix, term->slot + i, term->weight, wait->values);
    }
    wait->earlier = term;
    return CARDAN_OK;
}

cardan_status cd_system_assemble(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                                 const cd_term *terms, int count, cd_matrix *matrix)
{
    pending wait = {0};
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && i < count; i++)
        if (terms[i].kind == CD_NORMALS)
            status = cd_normals_factor(ws, cd_matrix_tree(matrix));
    if (status != CARDAN_OK)
        return status;
    if (ws->stale)
        status = cd_evaluate_matrices(ws, at);
    if (status != CARDAN_OK)
        return status;
    if (map != NULL)
        cd_map_evaluate_all(ws, map);
    for (int i = 0; i < count; i++) {
        status = add_term(ws, at, map, &terms[i], &wait, matrix);
        if (status != CARDAN_OK)
            return status;
    }
    put_pending(ws, &wait, matrix);
    return CARDAN_OK;
}

cardan_status cd_system_factor(cd_workspace *ws, const cardan_point *at, const cd_term *terms,
                               int count, cd_matrix *matrix)
{
    cardan_status status;
    do {
        cd_activity before = cd_clock_enter(ws->clock, CD_ASSEMBLING);
        cd_matrix_clear(matrix);
        status = cd_system_assemble(ws, at, NULL, terms, count, matrix);
        cd_clock_leave(ws->clock, before);
        if (status != CARDAN_OK)
            return status;
        before = cd_clock_enter(ws->clock, CD_FACTORING);
        status = cd_matrix_factor(matrix);
        cd_clock_leave(ws->clock, before);
    } while (status != CARDAN_OK && cd_matrix_retry(matrix));
    if (status == CARDAN_OK)
        return CARDAN_OK;
    return cd_system_explain_singular(ws, at->t, at);
}

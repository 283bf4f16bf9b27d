/* Adds weighted derivative blocks into a matrix of fixed pattern. A block is a sum of sources, each
 * with a pattern and a slot of its own; a term's slots follow each other. */
#include "base/numeric.h"
#include "group/group.h"
#include "workspace.h"

#include <assert.h>

typedef enum unknown_kind { VELOCITIES, MULTIPLIERS, NONHOLONOMIC_MULTIPLIERS } unknown_kind;

/* The matrices that blocks are sums of; ..._TRANSPOSED: B^T, K^T, S^T. */
typedef enum source {
    MASS,
    ANCHORED_MASS,
    JACOBIAN,
    NONHOLONOMIC,
    JACOBIAN_TRANSPOSED,
    NONHOLONOMIC_TRANSPOSED,
    ANCHORED_TRANSPOSED,
    SECANT_TRANSPOSED,
    FORCE_Q,
    FORCE_V,
    FORCE_LAMBDA,
    FORCE_PSI,
    REACTION_Q,
    INERTIA_Q,
    HIDDEN_Q,
    NONHOLONOMIC_Q,
    K_REACTION_Q,
    DYNAMICS_Q, /* the sum of four of these, if it is given */
    K_REACTION_V,
    ACCELERATED_V,
    ACCELERATED_Q,
    REACTING_Q, /* of the part of the force that counts as reaction */
    REACTING_V,
    APPLIED_Q, /* of the remaining force */
    APPLIED_V,
    BRACKET
} source;

/* The derivative of workspace.h that a source is (-1: none), its pattern, transposed or not. */
static const struct {
    int derivative;
    cd_pattern_id pattern;
    bool transposed;
} sources[] = {
    [MASS] = {-1, CD_P_mass, false},
    [ANCHORED_MASS] = {-1, CD_P_mass, false},
    [JACOBIAN] = {-1, CD_P_constraint_dq, false},
    [NONHOLONOMIC] = {-1, CD_P_nonholonomic_dv, false},
    [JACOBIAN_TRANSPOSED] = {-1, CD_P_constraint_dq, true},
    [NONHOLONOMIC_TRANSPOSED] = {-1, CD_P_nonholonomic_dv, true},
    [ANCHORED_TRANSPOSED] = {-1, CD_P_constraint_dq, true},
    [SECANT_TRANSPOSED] = {-1, CD_P_constraint_dq, true},
    [FORCE_Q] = {CD_D_force_dq, CD_P_force_dq, false},
    [FORCE_V] = {CD_D_force_dv, CD_P_force_dv, false},
    [FORCE_LAMBDA] = {CD_D_force_dlambda, CD_P_force_dlambda, false},
    [FORCE_PSI] = {CD_D_force_dpsi, CD_P_force_dpsi, false},
    [REACTION_Q] = {CD_D_reaction_dq, CD_P_reaction_dq, false},
    [INERTIA_Q] = {CD_D_inertia_dq, CD_P_inertia_dq, false},
    [HIDDEN_Q] = {CD_D_hidden_dq, CD_P_hidden_dq, false},
    [NONHOLONOMIC_Q] = {CD_D_nonholonomic_dq, CD_P_nonholonomic_dq, false},
    [K_REACTION_Q] = {CD_D_nonholonomic_reaction_dq, CD_P_nonholonomic_reaction_dq, false},
    [DYNAMICS_Q] = {CD_D_dynamics_dq, CD_P_dynamics_dq, false},
    [K_REACTION_V] = {-1, CD_P_nonholonomic_reaction_dv, false},
    [ACCELERATED_V] = {-1, CD_P_accelerated_dv, false},
    [ACCELERATED_Q] = {-1, CD_P_accelerated_dq, false},
    [REACTING_Q] = {CD_D_force_dq, CD_P_force_dq, false},
    [REACTING_V] = {CD_D_force_dv, CD_P_force_dv, false},
    [APPLIED_Q] = {CD_D_force_dq, CD_P_force_dq, false},
    [APPLIED_V] = {CD_D_force_dv, CD_P_force_dv, false},
    [BRACKET] = {-1, CD_P_mass, false}};

enum { MAX_SOURCES = 5 };

typedef struct source_list {
    int count;
    source at[MAX_SOURCES];
} source_list;

#define V VELOCITIES
#define L MULTIPLIERS
#define P NONHOLONOMIC_MULTIPLIERS
/* The unknowns of a block's rows and columns, and the sources that it is the sum of. */
static const struct {
    unknown_kind rows, columns;
    source_list sources;
} blocks[] = {
    [CD_DYNAMICS_VDOT] = {V, V, {1, {MASS}}},
    [CD_DYNAMICS_V] = {V, V, {2, {FORCE_V, K_REACTION_V}}},
    [CD_DYNAMICS_Q] = {V, V, {5, {DYNAMICS_Q, FORCE_Q, REACTION_Q, K_REACTION_Q, INERTIA_Q}}},
    [CD_FORCES_Q] = {V, V, {3, {FORCE_Q, REACTION_Q, K_REACTION_Q}}},
    [CD_INERTIA_Q] = {V, V, {1, {INERTIA_Q}}},
    [CD_REACTING_Q] = {V, V, {3, {REACTING_Q, REACTION_Q, K_REACTION_Q}}},
    [CD_REACTING_V] = {V, V, {2, {REACTING_V, K_REACTION_V}}},
    [CD_APPLIED_Q] = {V, V, {1, {APPLIED_Q}}},
    [CD_APPLIED_V] = {V, V, {1, {APPLIED_V}}},
    [CD_ANCHORED_MASS] = {V, V, {1, {ANCHORED_MASS}}},
    [CD_DYNAMICS_LAMBDA] = {V, L, {2, {JACOBIAN_TRANSPOSED, FORCE_LAMBDA}}},
    [CD_DYNAMICS_PSI] = {V, P, {2, {NONHOLONOMIC_TRANSPOSED, FORCE_PSI}}},
    [CD_REACTION] = {V, L, {1, {JACOBIAN_TRANSPOSED}}},
    [CD_NONHOLONOMIC_REACTION] = {V, P, {1, {NONHOLONOMIC_TRANSPOSED}}},
    [CD_ANCHORED_REACTION] = {V, L, {1, {ANCHORED_TRANSPOSED}}},
    [CD_POSITION_Q] = {L, V, {1, {JACOBIAN}}},
    [CD_HIDDEN_V] = {L, V, {1, {JACOBIAN}}},
    [CD_HIDDEN_Q] = {L, V, {1, {HIDDEN_Q}}},
    [CD_ACCELERATED_VDOT] = {L, V, {1, {JACOBIAN}}},
    [CD_ACCELERATED_V] = {L, V, {1, {ACCELERATED_V}}},
    [CD_ACCELERATED_Q] = {L, V, {1, {ACCELERATED_Q}}},
    [CD_NONHOLONOMIC_V] = {P, V, {1, {NONHOLONOMIC}}},
    [CD_NONHOLONOMIC_Q] = {P, V, {1, {NONHOLONOMIC_Q}}},
    [CD_IDENTITY] = {V, V, {0}},
    [CD_PENALTY] = {L, L, {0}},
    [CD_SECANT_REACTION] = {V, L, {1, {SECANT_TRANSPOSED}}},
    [CD_FORCES_LAMBDA] = {V, L, {1, {FORCE_LAMBDA}}},
    [CD_BRACKET] = {V, V, {1, {BRACKET}}},
    [CD_NORMALS] = {V, V, {0}}};
#undef V
#undef L
#undef P

/* Is a source always zero? Then it is left out of all matrices. */
static bool is_zero(const cardan_system *system, source s)
{
    const cardan_system_def *def = &system->def;
    if (s == BRACKET)
        return system->matrices.bracket.entries == 0;
    if (system->matrices.pattern[sources[s].pattern].entries == 0)
        return true;
    if (sources[s].derivative >= 0) {
        const cd_derivative_info info =
            cd_derivative_of(system, (cd_derivative_id)sources[s].derivative);
        if (cd_derivative_vanishes(system, &info))
            return true;
    }
    switch (s) {
    case DYNAMICS_Q:
        return def->dynamics_dq == NULL;
    case REACTION_Q:
        return system->m == 0 || def->lambda_in_force_only;
    case K_REACTION_Q:
        return system->l == 0 || def->psi_in_force_only;
    case K_REACTION_V:
        return system->l == 0 || def->psi_in_force_only || def->affine_nonholonomic;
    case REACTING_Q:
    case REACTING_V:
        return !cd_splits_force(system);
    default:
        return false;
    }
}

void cd_system_find_zero_sources(cardan_system *system)
{
    for (int s = 0; s <= BRACKET; s++)
        if (is_zero(system, (source)s))
            system->matrices.zero_sources |= 1u << s;
}

/* The sources of a block that are not zero in this system. */
static source_list sources_of(const cardan_system *system, cd_block_kind kind)
{
    const cardan_system_def *def = &system->def;
    const source_list *all = &blocks[kind].sources;
    const bool at_once = kind == CD_DYNAMICS_Q && def->dynamics_dq != NULL;
    const bool force_only = (kind == CD_DYNAMICS_LAMBDA && def->lambda_in_force_only) ||
                            (kind == CD_DYNAMICS_PSI && def->psi_in_force_only);
    source_list list = {0};
    for (int i = 0; i < all->count; i++) {
        const source s = all->at[i];
        const bool absent = (system->matrices.zero_sources >> s & 1u) != 0;
        if (!absent && !(at_once && s != DYNAMICS_Q) && !(force_only && sources[s].transposed))
            list.at[list.count++] = s;
    }
    return list;
}

/* Declares the pattern of a source at the place of a term; returns its slot. */
static int declare_source(const cardan_system *system, const cd_term *term, source s,
                          cd_matrix *matrix)
{
    const cd_matrices *m = &system->matrices;
    const bool closed =
        s == SECANT_TRANSPOSED || term->mapped; /* S is B times matrices of the curves */
    const cd_pattern *pattern =
        s == BRACKET ? &m->bracket : &(closed ? m->closed : m->pattern)[sources[s].pattern];
    return sources[s].transposed
               ? cd_matrix_declare_transposed(matrix, term->row, term->col, pattern)
               : cd_matrix_declare(matrix, term->row, term->col, pattern);
}

/* Declares a term that is not a sum of sources, such as an identity; false if it is one. */
static bool declare_without_sources(const cardan_system *system, cd_term *term, cd_matrix *matrix)
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
        /* The bracket has weight 0 for every step size, unless the MAGNUS update needs it. */
        return term->kind == CD_BRACKET && term->weight == 0.0;
    }
}

static void set_unit_count(const cardan_system *system, cd_matrix *matrix)
{
    if (system->units.count > 0)
        cd_matrix_set_units(
            matrix, (cd_unit_list){.count = system->units.count, .bodies = system->units.bodies});
}

/* Assigns unknowns to `count` units that are numbered from `unit` on. `begin` has the first unknown
 * of each, and the end, counted from `first`. */
static void assign_from(cd_matrix *matrix, int first, int unit, int count, const int *begin)
{
    for (int u = 0; u < count; u++)
        cd_matrix_assign_unit(matrix, first + begin[u], begin[u + 1] - begin[u], unit + u);
}

/* Tells the matrix the units of the unknowns of one kind, which begin at `first`. */
static void assign_to_units(const cardan_system *system, unknown_kind kind, int first,
                            cd_matrix *matrix)
{
    const cd_units *units = &system->units;
    const int nonholonomic = units->bodies + units->joints;
    if (kind == VELOCITIES)
        assign_from(matrix, first, 0, units->bodies, units->velocity);
    else if (kind == MULTIPLIERS)
        assign_from(matrix, first, units->bodies, units->joints, units->constraint);
    else
        assign_from(matrix, first, nonholonomic, units->count - nonholonomic, units->nonholonomic);
}

void cd_system_assign_units(const cardan_system *system, cd_matrix *matrix)
{
    set_unit_count(system, matrix);
    assign_to_units(system, VELOCITIES, 0, matrix);
    assign_to_units(system, MULTIPLIERS, system->k, matrix);
    assign_to_units(system, NONHOLONOMIC_MULTIPLIERS, system->k + system->m, matrix);
}

/* The unknowns y of CD_NORMALS have a tree of their own; all others are assigned to units. */
static void declare_units(const cardan_system *system, const cd_term *terms, int count,
                          cd_matrix *matrix)
{
    for (int i = 0; i < count; i++)
        if (terms[i].kind == CD_NORMALS)
            cd_matrix_set_tree(matrix, terms[i].row, &system->normals.tree);
    set_unit_count(system, matrix);
    for (int i = 0; i < count; i++)
        if (terms[i].kind != CD_NORMALS) {
            assign_to_units(system, blocks[terms[i].kind].rows, terms[i].row, matrix);
            assign_to_units(system, blocks[terms[i].kind].columns, terms[i].col, matrix);
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
        if (declare_without_sources(system, &terms[i], matrix))
            continue;
        const source_list list = sources_of(system, terms[i].kind);
        for (int j = 0; j < list.count; j++) {
            const int slot = declare_source(system, &terms[i], list.at[j], matrix);
            if (j == 0)
                terms[i].slot = slot;
        }
    }
}

/* The derivative of reacting_force that belongs to this one of the force. */
static cd_derivative_id reacting_derivative_of(cd_derivative_id force)
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
    const cardan_status status = cd_derivative(ws, 0, id, at, ws->equation);
    if (status == CARDAN_OK)
        cd_add(info.entries, factor, ws->equation, ws->block);
    return status;
}

/* ws->block = the derivative of the applied force: without multipliers, less reacting_force */
static cardan_status find_applied(cd_workspace *ws, cd_derivative_id id, const cardan_point *at)
{
    const cardan_point without = cd_without_multipliers(ws, at);
    const cardan_status status = cd_derivative(ws, 0, id, &without, ws->block);
    return status == CARDAN_OK ? add_derivative(ws, -1.0, reacting_derivative_of(id), at) : status;
}

/* ws->block = the derivative of what multipliers add to the force, and of reacting_force */
static cardan_status find_reacting(cd_workspace *ws, cd_derivative_id id, const cardan_point *at)
{
    const cardan_point without = cd_without_multipliers(ws, at);
    cardan_status status = cd_derivative(ws, 0, id, at, ws->block);
    if (status == CARDAN_OK)
        status = add_derivative(ws, -1.0, id, &without);
    return status == CARDAN_OK ? add_derivative(ws, 1.0, reacting_derivative_of(id), at) : status;
}

/* ws->block = ad of every curve, x -> [map.bracket, x], in the order of the pattern `bracket` */
static void evaluate_bracket(cd_workspace *ws, const cd_map *map)
{
    const cd_matrices *matrices = &ws->system->matrices;
    assert(map != NULL); /* terms with brackets come with one */
    for (int c = 0; c < matrices->curve_count; c++) {
        const cd_curve *curve = &matrices->curves[c];
        cd_group_curve_bracket(ws->system->group, curve->factor, map->bracket,
                               ws->block + curve->tangent);
    }
}

cardan_status cd_find_anchored_jacobian(cd_workspace *ws, const double **values)
{
    *values = cd_keeps_anchored_jacobian(ws) ? ws->anchored : ws->block;
    return cd_keeps_anchored_jacobian(ws)
               ? CARDAN_OK
               : cd_derivative(ws, 0, CD_D_constraint_dq, &ws->anchor, ws->block);
}

/* *values = M, B or K at the point: `last` if it was evaluated there, else in ws->block. */
static cardan_status find_matrix(cd_workspace *ws, cd_pattern_id id, const cardan_point *at,
                                 const double *last, const double **values)
{
    if (!ws->stale || (id == CD_P_mass && ws->mass_known)) {
        *values = last;
        return CARDAN_OK;
    }
    return cd_evaluate_matrix(ws, id, at, ws->block);
}

/* The values of a source, in ws->block or where the last evaluation left them. */
static cardan_status find_values(cd_workspace *ws, source s, const cardan_point *at,
                                 const cd_map *map, const double **values)
{
    *values = ws->block;
    switch (s) {
    case MASS:
        return find_matrix(ws, CD_P_mass, at, ws->mass, values);
    case ANCHORED_MASS:
        *values = ws->anchored_mass;
        return CARDAN_OK;
    case JACOBIAN:
    case JACOBIAN_TRANSPOSED:
        return find_matrix(ws, CD_P_constraint_dq, at, ws->jacobian, values);
    case NONHOLONOMIC:
    case NONHOLONOMIC_TRANSPOSED:
        return find_matrix(ws, CD_P_nonholonomic_dv, at, ws->nonholonomic, values);
    case ANCHORED_TRANSPOSED:
        return cd_find_anchored_jacobian(ws, values);
    case SECANT_TRANSPOSED:
        *values = ws->secant.rows;
        return CARDAN_OK;
    case K_REACTION_V: /* has no callback: K rarely depends on v */
        return cd_difference_pattern(ws, 0, CD_NONHOLONOMIC_REACT, CD_BY_V, sources[s].pattern, at,
                                     ws->block);
    case ACCELERATED_V:
    case ACCELERATED_Q:
        return cd_difference_pattern(ws, 0, CD_ACCELERATED, s == ACCELERATED_V ? CD_BY_V : CD_BY_Q,
                                     sources[s].pattern, at, ws->block);
    case REACTING_Q:
    case REACTING_V:
        return find_reacting(ws, (cd_derivative_id)sources[s].derivative, at);
    case APPLIED_Q:
    case APPLIED_V:
        return find_applied(ws, (cd_derivative_id)sources[s].derivative, at);
    case BRACKET:
        evaluate_bracket(ws, map);
        return CARDAN_OK;
    default:
        return cd_derivative(ws, 0, (cd_derivative_id)sources[s].derivative, at, ws->block);
    }
}

/* The values of the last source, which are not evaluated again if the next term needs them, too. */
typedef struct cached_source {
    bool valid;  /* `values` are those of `last`, not overwritten */
    source last; /* not transposed */
    const double *values;
} cached_source;

/* Evaluates a source, unless the last term has left its values. B and B^T have the same ones. */
static cardan_status find_values_once(cd_workspace *ws, source s, const cardan_point *at,
                                      const cd_map *map, cached_source *cache)
{
    const source plain = s == JACOBIAN_TRANSPOSED       ? JACOBIAN
                         : s == NONHOLONOMIC_TRANSPOSED ? NONHOLONOMIC
                                                        : s;
    if (cache->valid && cache->last == plain)
        return CARDAN_OK;
    cache->last = plain;
    return find_values(ws, s, at, map, &cache->values);
}

static cardan_status add_term(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                              const cd_term *term, cached_source *cache, cd_matrix *matrix)
{
    if (term->weight == 0.0 || term->slot < 0)
        return CARDAN_OK;
    if (term->kind == CD_IDENTITY || term->kind == CD_PENALTY) {
        cd_matrix_add_identity(matrix, term->slot, term->weight);
        return CARDAN_OK;
    }
    const source_list list = sources_of(ws->system, term->kind);
    for (int i = 0; i < list.count; i++) {
        const cardan_status status = find_values_once(ws, list.at[i], at, map, cache);
        if (status != CARDAN_OK)
            return status;
        if (term->mapped)
            cd_map_add(ws, map, sources[list.at[i]].pattern, cache->values, term->weight,
                       term->slot + i, matrix);
        else
            cd_matrix_add(matrix, term->slot + i, term->weight, cache->values);
        cache->valid = !term->mapped || cache->values != ws->block;
    }
    return CARDAN_OK;
}

cardan_status cd_system_assemble(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                                 const cd_term *terms, int count, cd_matrix *matrix)
{
    cardan_status status = CARDAN_OK;
    cached_source cache = {0};
    for (int i = 0; status == CARDAN_OK && i < count; i++)
        if (terms[i].kind == CD_NORMALS)
            status = cd_normals_factor(ws, cd_matrix_tree(matrix));
    if (status != CARDAN_OK)
        return status;
    cd_begin_scales(ws);
    if (map != NULL)
        cd_map_evaluate_all(ws, map);
    for (int i = 0; status == CARDAN_OK && i < count; i++)
        status = add_term(ws, at, map, &terms[i], &cache, matrix);
    if (status == CARDAN_OK && ws->stale)
        cd_keep_scales(ws);
    return status;
}

cardan_status cd_system_factor(cd_workspace *ws, const cardan_point *at, const cd_term *terms,
                               int count, cd_matrix *matrix)
{
    cardan_status status;
    do {
        cd_activity before = cd_clock_enter(ws->services.clock, CD_ASSEMBLING);
        cd_matrix_clear(matrix);
        status = cd_system_assemble(ws, at, NULL, terms, count, matrix);
        cd_clock_leave(ws->services.clock, before);
        if (status != CARDAN_OK)
            return status;
        before = cd_clock_enter(ws->services.clock, CD_FACTORING);
        status = cd_matrix_factor(matrix);
        cd_clock_leave(ws->services.clock, before);
    } while (status != CARDAN_OK && cd_matrix_retry(matrix));
    if (status == CARDAN_OK)
        return CARDAN_OK;
    return cd_system_explain_singular(ws, at->t, at);
}

/* Residuals of the equations of motion: calling the user's functions and adding them up. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/wide.h"
#include "workspace.h"

#include <float.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Entries of M, B or K. */
static int largest_matrix(const cardan_system *system)
{
    const cd_pattern *p = system->matrices.pattern;
    return larger(p[CD_P_mass].entries,
                  larger(p[CD_P_constraint_dq].entries, p[CD_P_nonholonomic_dv].entries));
}

/* Does a part that may be differenced itself contain differences? */
static bool nests_differences(const cardan_system *system)
{
    const cardan_system_def *def = &system->def;
    return (system->m > 0 && (def->constraint_dq == NULL || def->constraint_bias == NULL ||
                              (def->rheonomic && def->constraint_dt == NULL))) ||
           (system->l > 0 && def->nonholonomic_dv == NULL);
}

/* Full matrices are not multiplied in place (map.c). */
static bool has_full(const cd_matrices *matrices)
{
    bool full = false;
    for (int id = 0; id < CD_PATTERNS; id++)
        full = full || (matrices->closed[id].full && matrices->closed[id].entries > 0);
    return full;
}

static void make_values(cd_arena *arena, const cardan_system *system, cd_level *level)
{
    level->value = cd_arena_doubles(arena, larger(system->k, 1));
    level->matrix = cd_arena_doubles(arena, largest_matrix(system));
}

static void make_level(cd_arena *arena, const cardan_system *system, cd_level *level)
{
    const int k = system->k, m = system->m, l = system->l;
    make_values(arena, system, level);
    level->q = cd_arena_doubles(arena, cardan_group_size(system->group));
    level->v = cd_arena_doubles(arena, k);
    level->lambda = cd_arena_doubles(arena, m);
    level->psi = cd_arena_doubles(arena, l);
    level->direction = cd_arena_doubles(arena, k);
}

cd_workspace *cd_workspace_create(cd_arena *arena, const cardan_system *system, cardan_error *error)
{
    const int k = system->k, m = system->m, l = system->l;
    const cd_matrices *matrices = &system->matrices;
    const int mass = matrices->pattern[CD_P_mass].entries, block = matrices->largest;
    const int rows = matrices->pattern[CD_P_constraint_dq].entries;
    cd_workspace *ws = cd_arena_take(arena, sizeof *ws);
    if (ws == NULL)
        return NULL;
    ws->system = system;
    ws->error = error;
    ws->mass = cd_arena_doubles(arena, mass);
    ws->jacobian = cd_arena_doubles(arena, rows);
    ws->rolling = cd_arena_doubles(arena, matrices->pattern[CD_P_nonholonomic_dv].entries);
    ws->anchored = cd_arena_doubles(arena, rows);
    ws->anchored_mass = cd_arena_doubles(arena, mass);
    ws->block = cd_arena_doubles(arena, block);
    ws->mapped = has_full(matrices) ? cd_arena_doubles(arena, block) : ws->block;
    ws->part = cd_arena_doubles(arena, cd_splits_force(system) ? block : 0);
    ws->tangent = cd_arena_doubles(arena, matrices->tangent_size);
    if (matrices->all_full) {
        ws->sum = cd_arena_doubles(arena, k * k);
        ws->unmapped = cd_arena_doubles(arena, k * k);
    }
    ws->vector = cd_arena_doubles(arena, k);
    ws->no_multipliers = cd_arena_doubles(arena, larger(m, l));
    ws->scratch = cd_arena_doubles(arena, system->def.scratch);
    ws->stale = true;
    make_level(arena, system, &ws->level[0]);
    make_values(arena, system, &ws->level[1]);
    if (nests_differences(system))
        for (int i = 1; i < CD_LEVELS; i++)
            make_level(arena, system, &ws->level[i]);
    return arena->failed ? NULL : ws;
}

void cd_workspace_expect(cd_workspace *ws, cd_arena *arena, const cd_term *terms, int count)
{
    const cd_matrices *matrices = &ws->system->matrices;
    const cd_pattern *pattern = &matrices->pattern[CD_P_accelerated_dv];
    bool second = false;
    for (int i = 0; i < count; i++) {
        second = second || terms[i].kind == CD_ACCELERATED_V || terms[i].kind == CD_ACCELERATED_Q;
        if (terms[i].kind == CD_SECANT_REACTION)
            cd_secant_make(arena, ws->system, &ws->secant);
    }
    if (second && !pattern->full && pattern->entries > 0 && ws->accelerated.groups == 0)
        ws->accelerated =
            cd_colouring_make(arena, pattern, cd_matrices_runs(arena, ws->system->k, matrices));
}

void cd_workspace_set_team(cd_workspace *ws, cd_team *team)
{
    ws->team = team;
}

void cd_workspace_set_clock(cd_workspace *ws, cd_clock *clock)
{
    ws->clock = clock;
}

cd_clock *cd_workspace_clock(const cd_workspace *ws)
{
    return ws->clock;
}

cd_team *cd_workspace_team(const cd_workspace *ws)
{
    return ws->team;
}

cd_kept_values cd_workspace_kept(cd_workspace *ws)
{
    const int entries = cd_pattern_of(ws, CD_P_mass)->entries;
    if (ws->evaluated)
        cd_system_scales(ws); /* the matrices that they come from are not kept */
    return (cd_kept_values){.mass_count = ws->system->def.constant_mass ? entries : 0,
                            .mass = ws->mass,
                            .mass_known = &ws->mass_known,
                            .evaluated = &ws->evaluated,
                            .scales_known = &ws->scales_known,
                            .scales = &ws->scales};
}

void cd_workspace_forget(cd_workspace *ws)
{
    ws->mass_known = ws->evaluated = ws->scales_known = false;
    ws->stale = true;
}

void cd_workspace_give_back_map(cd_workspace *ws, const cd_arena *arena)
{
    if (ws->mapped != ws->block)
        cd_arena_forget(arena, ws->mapped,
                        (size_t)ws->system->matrices.largest * sizeof *ws->mapped);
}

void cd_workspace_give_back(cd_workspace *ws, const cd_arena *arena)
{
    const size_t size = (size_t)ws->system->matrices.largest * sizeof *ws->block;
    cd_arena_forget(arena, ws->block, size);
    cd_workspace_give_back_map(ws, arena);
}

/* What the system itself says of a point that it has no value at. */
static bool explain(const cd_workspace *ws, const cardan_point *at, char *text, int size)
{
    const cardan_system_def *def = &ws->system->def;
    return def->explain != NULL && def->explain(def->context, at, text, size);
}

cardan_status cd_judge_answer(cd_workspace *ws, const char *name, const cardan_point *at,
                              int answer)
{
    const cardan_status status = answer > 0 ? CARDAN_CALLBACK_RETRY : CARDAN_CALLBACK_FAILED;
    char why[700];
    if (answer == 0)
        return CARDAN_OK;
    if (explain(ws, at, why, (int)sizeof why))
        return cd_fail(ws->error, status, "at t = %.9g %s", at->t, why);
    if (answer > 0)
        return cd_fail(ws->error, status,
                       "callback `%s` refuses the state at t = %.9g (returned %d)", name, at->t,
                       answer);
    return cd_fail(ws->error, status,
                   "callback `%s` reported a fatal failure at t = %.9g (returned %d)", name, at->t,
                   answer);
}

enum { LEAST_CHECKED = 4096 }; /* numbers that threads share */

static CD_WIDE double count_not_finite(int n, const double *values)
{
    return cd_all_finite(n, values) ? 0.0 : 1.0;
}

static double finds_not_finite(void *values, cd_span span)
{
    return count_not_finite(span.end - span.begin, (const double *)values + span.begin);
}

static void clear_span(void *values, cd_span span)
{
    cd_zero(span.end - span.begin, (double *)values + span.begin);
}

cardan_status cd_check_finite(cd_workspace *ws, const char *name, const cardan_point *at, int count,
                              const double *values)
{
    if (count < LEAST_CHECKED ? cd_all_finite(count, values)
                              : cd_team_largest(ws->team, count, LEAST_CHECKED, finds_not_finite,
                                                (void *)values) == 0.0)
        return CARDAN_OK;
    const int bad = cd_first_not_finite(count, values);
    char why[700];
    if (explain(ws, at, why, (int)sizeof why))
        return cd_fail(ws->error, CARDAN_NOT_FINITE, "at t = %.9g %s", at->t, why);
    return cd_fail(ws->error, CARDAN_NOT_FINITE,
                   "callback `%s` returned %g in entry %d at t = %.9g; check the callback there",
                   name, values[bad], bad + 1, at->t);
}

cardan_status cd_call(cd_workspace *ws, cardan_callback *function, const char *name,
                      const cardan_point *at, int count, double *out)
{
    if (count < LEAST_CHECKED)
        cd_zero(count, out);
    else
        cd_team_loop(ws->team, count, LEAST_CHECKED, clear_span, out);
    if (function == NULL || count == 0)
        return CARDAN_OK;
    ws->calls++;
    const int answer = cd_pieces_call(ws, function, at, out);
    const cardan_status status = cd_judge_answer(ws, name, at, answer);
    return status == CARDAN_OK ? cd_check_finite(ws, name, at, count, out) : status;
}

cardan_status cd_evaluate_mass(cd_workspace *ws, const cardan_point *at, double *out)
{
    return cd_call(ws, ws->system->def.mass, "mass", at, cd_pattern_of(ws, CD_P_mass)->entries,
                   out);
}

static cardan_status evaluate_hidden(cd_workspace *ws, int level, const cardan_point *at,
                                     double *out)
{
    double *jacobian = ws->level[level].matrix;
    cardan_status status = cd_derivative(ws, level, CD_D_constraint_dq, at, jacobian);
    if (status != CARDAN_OK)
        return status;
    status = cd_derivative(ws, level, CD_D_constraint_dt, at, out);
    if (status == CARDAN_OK)
        cd_pattern_add(cd_pattern_of(ws, CD_P_constraint_dq), jacobian, at->v, out);
    return status;
}

static cardan_status evaluate_accelerated(cd_workspace *ws, int level, const cardan_point *at,
                                          double *out)
{
    double *jacobian = ws->level[level].matrix;
    cardan_status status = cd_derivative(ws, level, CD_D_constraint_bias, at, out);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, level, CD_D_constraint_dq, at, jacobian);
    if (status == CARDAN_OK)
        cd_pattern_add(cd_pattern_of(ws, CD_P_constraint_dq), jacobian, at->vdot, out);
    return status;
}

/* out = A^T x, where A is the derivative `id` with the pattern `shape`. */
static cardan_status evaluate_reaction(cd_workspace *ws, int level, cd_derivative_id id,
                                       cd_pattern_id shape, const cardan_point *at, const double *x,
                                       double *out)
{
    double *matrix = ws->level[level].matrix;
    cardan_status status = cd_derivative(ws, level, id, at, matrix);
    cd_zero(ws->system->k, out);
    if (status == CARDAN_OK)
        cd_pattern_add_transposed(cd_pattern_of(ws, shape), matrix, x, out);
    return status;
}

static cardan_status evaluate_inertia(cd_workspace *ws, int level, const cardan_point *at,
                                      double *out)
{
    double *mass = ws->level[level].matrix;
    cardan_status status = cd_evaluate_mass(ws, at, mass);
    if (status == CARDAN_OK)
        cd_pattern_multiply(cd_pattern_of(ws, CD_P_mass), mass, at->vdot, out);
    return status;
}

/* The reactions first: to difference B or K takes the scratch that the force needs. */
static cardan_status evaluate_whole(cd_workspace *ws, int level, const cardan_point *at,
                                    double *out)
{
    const cardan_system_def *def = &ws->system->def;
    double *matrix = ws->level[level].matrix, *force = ws->level[level].value;
    cardan_status status = CARDAN_OK;
    cd_zero(ws->system->k, out);
    if (!def->lambda_in_force_only)
        status = evaluate_reaction(ws, level, CD_D_constraint_dq, CD_P_constraint_dq, at,
                                   at->lambda, out);
    if (status == CARDAN_OK && !def->psi_in_force_only) {
        status = cd_derivative(ws, level, CD_D_nonholonomic_dv, at, matrix);
        cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_nonholonomic_dv), matrix, at->psi, out);
    }
    if (status == CARDAN_OK)
        status = cd_evaluate_mass(ws, at, matrix);
    if (status == CARDAN_OK)
        status = cd_call(ws, def->force, "force", at, ws->system->k, force);
    if (status != CARDAN_OK)
        return status;
    cd_pattern_add(cd_pattern_of(ws, CD_P_mass), matrix, at->vdot, out);
    cd_add(ws->system->k, 1.0, force, out);
    return CARDAN_OK;
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
    case CD_REACTING:
        return cd_call(ws, def->reacting_force, "reacting_force", at, system->k, out);
    case CD_REACT:
        return evaluate_reaction(ws, level, CD_D_constraint_dq, CD_P_constraint_dq, at, at->lambda,
                                 out);
    case CD_ROLLING_REACT:
        return evaluate_reaction(ws, level, CD_D_nonholonomic_dv, CD_P_nonholonomic_dv, at, at->psi,
                                 out);
    case CD_DYNAMICS:
        return evaluate_whole(ws, level, at, out);
    }
    return CARDAN_OK;
}

cardan_status cd_evaluate_matrices(cd_workspace *ws, const cardan_point *at)
{
    const cardan_system *system = ws->system;
    cardan_status status = CARDAN_OK;
    ws->scales_known = false;
    if (!ws->mass_known) {
        status = cd_evaluate_mass(ws, at, ws->mass);
        ws->mass_known = status == CARDAN_OK && system->def.constant_mass;
    }
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_constraint_dq, at, ws->jacobian);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dv, at, ws->rolling);
    ws->stale = status != CARDAN_OK;
    ws->evaluated = ws->evaluated || status == CARDAN_OK;
    return status;
}

/* out += B^T lambda + K^T psi */
static void add_reactions(const cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    if (!system->def.lambda_in_force_only)
        cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, at->lambda,
                                  out);
    if (!system->def.psi_in_force_only)
        cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->rolling, at->psi,
                                  out);
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

/* The force without multipliers, less what counts as reaction. */
static cardan_status evaluate_applied(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_point without = cd_without_multipliers(ws, at);
    cardan_status status = cd_part_evaluate(ws, 0, CD_FORCE, &without, out);
    if (status != CARDAN_OK || ws->system->def.reacting_force == NULL)
        return status;
    status = cd_part_evaluate(ws, 0, CD_REACTING, at, ws->vector);
    cd_add(ws->system->k, -1.0, ws->vector, out);
    return status;
}

static cardan_status evaluate_reacting(cd_workspace *ws, const cardan_point *at, double *out)
{
    cardan_status status = evaluate_reaction_part(ws, at, out);
    if (status != CARDAN_OK || ws->system->def.reacting_force == NULL)
        return status;
    status = cd_part_evaluate(ws, 0, CD_REACTING, at, ws->vector);
    cd_add(ws->system->k, 1.0, ws->vector, out);
    return status;
}

static cardan_status evaluate_dynamics(cd_workspace *ws, const cardan_point *at, double *out)
{
    cardan_status status = evaluate_forces(ws, at, out);
    if (status == CARDAN_OK)
        cd_pattern_add(cd_pattern_of(ws, CD_P_mass), ws->mass, at->vdot, out);
    return status;
}

cardan_status cd_system_equations(cd_workspace *ws, const cardan_point *at, const cd_equations *out)
{
    cardan_status status = cd_evaluate_matrices(ws, at);
    if (status == CARDAN_OK && out->dynamics != NULL)
        status = evaluate_dynamics(ws, at, out->dynamics);
    if (status == CARDAN_OK && out->forces != NULL)
        status = evaluate_forces(ws, at, out->forces);
    if (status == CARDAN_OK && out->reaction != NULL)
        status = evaluate_reaction_part(ws, at, out->reaction);
    if (status == CARDAN_OK && out->reacting != NULL)
        status = evaluate_reacting(ws, at, out->reacting);
    if (status == CARDAN_OK && out->applied != NULL)
        status = evaluate_applied(ws, at, out->applied);
    if (status == CARDAN_OK && out->position != NULL)
        status = out->low != NULL
                     ? cd_evaluate_parts(ws, at,
                                         (cardan_parts){.position = out->position, .low = out->low})
                     : cd_part_evaluate(ws, 0, CD_CONSTRAINT, at, out->position);
    if (status == CARDAN_OK && out->hidden != NULL) {
        status = cd_derivative(ws, 0, CD_D_constraint_dt, at, out->hidden);
        cd_pattern_add(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, at->v, out->hidden);
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
    cardan_status status = cd_derivative(ws, 0, CD_D_constraint_bias, at, holonomic);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dt, at, rolling);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dq, at, ws->block);
    if (status == CARDAN_OK)
        cd_pattern_add(cd_pattern_of(ws, CD_P_nonholonomic_dq), ws->block, at->v, rolling);
    return status;
}

cardan_status cd_system_anchor_mass(cd_workspace *ws, const cardan_point *at)
{
    if (!ws->mass_known)
        return cd_evaluate_mass(ws, at, ws->anchored_mass);
    cd_copy(cd_pattern_of(ws, CD_P_mass)->entries, ws->mass, ws->anchored_mass);
    return CARDAN_OK;
}

const double *cd_system_anchored_mass(const cd_workspace *ws)
{
    return ws->anchored_mass;
}

int cd_system_mass_entries(const cardan_system *system)
{
    return system->matrices.pattern[CD_P_mass].entries;
}

void cd_system_multiply_mass(const cd_workspace *ws, const double *mass, const double *x,
                             double *out)
{
    cd_pattern_multiply(cd_pattern_of(ws, CD_P_mass), mass != NULL ? mass : ws->mass, x, out);
}

void cd_system_constrain(const cd_workspace *ws, const double *x, double *out)
{
    cd_pattern_multiply(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, x, out);
    cd_pattern_multiply(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->rolling, x,
                        out + ws->system->m);
}

void cd_system_holonomic_reaction(const cd_workspace *ws, const double *x, double *out)
{
    cd_zero(ws->system->k, out);
    cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, x, out);
}

void cd_system_react(const cd_workspace *ws, const double *x, double *out)
{
    cd_system_holonomic_reaction(ws, x, out);
    cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->rolling,
                              x + ws->system->m, out);
}

void cd_system_expand(const cd_workspace *ws, double *mass, double *constraints)
{
    const size_t m = (size_t)ws->system->m, k = (size_t)ws->system->k;
    cd_pattern_expand(cd_pattern_of(ws, CD_P_mass), ws->mass, mass);
    cd_pattern_expand(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, constraints);
    cd_pattern_expand(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->rolling, constraints + m * k);
}

static void take_diagonal(const cd_workspace *ws, const double *values, double *diagonal)
{
    const cd_pattern *mass = cd_pattern_of(ws, CD_P_mass);
    for (int i = 0; i < mass->rows; i++)
        diagonal[i] = values[cd_pattern_find(mass, i, i)];
}

void cd_system_mass_diagonal(const cd_workspace *ws, double *diagonal)
{
    take_diagonal(ws, ws->mass, diagonal);
}

cardan_status cd_system_mass_diagonal_at(cd_workspace *ws, const cardan_point *at, double *diagonal)
{
    double *mass = !ws->stale || ws->mass_known ? ws->mass : ws->level[0].matrix;
    const cardan_status status = mass == ws->mass ? CARDAN_OK : cd_evaluate_mass(ws, at, mass);
    if (status == CARDAN_OK)
        take_diagonal(ws, mass, diagonal);
    return status;
}

cd_row cd_system_constraint_row(const cd_workspace *ws, int row)
{
    const int m = ws->system->m;
    const cd_pattern *p = cd_pattern_of(ws, row < m ? CD_P_constraint_dq : CD_P_nonholonomic_dv);
    const int i = row < m ? row : row - m, begin = cd_pattern_begin(p, i);
    return (cd_row){cd_pattern_end(p, i) - begin, p->full ? NULL : p->column + begin,
                    (row < m ? ws->jacobian : ws->rolling) + begin};
}

long *cd_workspace_calls(cd_workspace *ws)
{
    return &ws->calls;
}

cd_matrix_pool *cd_workspace_pool(cd_workspace *ws)
{
    return &ws->pool;
}

static cd_scales find_scales(const cd_workspace *ws)
{
    const int n = ws->system->m + ws->system->l;
    cd_scales scales = {cd_max_abs(cd_pattern_of(ws, CD_P_mass)->entries, ws->mass), 0.0, INFINITY};
    for (int i = 0; i < n; i++) {
        const cd_row row = cd_system_constraint_row(ws, i);
        const double size = cd_max_abs(row.count, row.values);
        scales.largest_row = fmax(scales.largest_row, size);
        if (size > 0.0)
            scales.smallest_row = fmin(scales.smallest_row, size);
    }
    if (scales.largest_row == 0.0)
        scales.smallest_row = 0.0;
    return scales;
}

cd_scales cd_system_scales(cd_workspace *ws)
{
    if (!ws->scales_known)
        ws->scales = find_scales(ws);
    ws->scales_known = true;
    return ws->scales;
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

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

/* The most entries that M, B or K has. */
static int most_entries(const cardan_system *system)
{
    const cd_pattern *p = system->matrices.pattern;
    return larger(p[CD_P_mass].entries,
                  larger(p[CD_P_constraint_dq].entries, p[CD_P_nonholonomic_dv].entries));
}

/* Does an equation that may be differenced contain differences itself? Then levels are needed. */
static bool nests_differences(const cardan_system *system)
{
    const cardan_system_def *def = &system->def;
    return (system->m > 0 && (def->constraint_dq == NULL || def->constraint_bias == NULL ||
                              (def->rheonomic && def->constraint_dt == NULL))) ||
           (system->l > 0 && def->nonholonomic_dv == NULL);
}

/* Allocates what level 1 needs if no differences are nested (cd_level). */
static void allocate_minimal_level(cd_arena *arena, const cardan_system *system, cd_level *level)
{
    level->value = cd_arena_doubles(arena, larger(system->k, 1));
    level->matrix = cd_arena_doubles(arena, most_entries(system));
}

/* Allocates one level of nested differences. */
static void allocate_level(cd_arena *arena, const cardan_system *system, cd_level *level)
{
    const int k = system->k, m = system->m, l = system->l;
    allocate_minimal_level(arena, system, level);
    level->sum = cd_arena_doubles(arena, larger(system->k, 1));
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
    ws->nonholonomic = cd_arena_doubles(arena, matrices->pattern[CD_P_nonholonomic_dv].entries);
    ws->anchored = cd_arena_doubles(arena, rows);
    ws->anchored_mass = cd_arena_doubles(arena, mass);
    ws->block = cd_arena_doubles(arena, block);
    ws->equation = cd_arena_doubles(arena, cd_splits_force(system) ? block : 0);
    ws->tangent = cd_arena_doubles(arena, matrices->tangent_size);
    ws->vector = cd_arena_doubles(arena, k);
    ws->no_multipliers = cd_arena_doubles(arena, larger(m, l));
    ws->scratch = cd_arena_doubles(arena, system->def.scratch);
    ws->stale = true;
    allocate_level(arena, system, &ws->level[0]);
    allocate_minimal_level(arena, system, &ws->level[1]);
    if (nests_differences(system))
        for (int i = 1; i < CD_LEVELS; i++)
            allocate_level(arena, system, &ws->level[i]);
    return arena->failed ? NULL : ws;
}

void cd_workspace_expect(cd_workspace *ws, cd_arena *arena, const cd_term *terms, int count)
{
    const cd_matrices *matrices = &ws->system->matrices;
    const cd_pattern *pattern = &matrices->pattern[CD_P_accelerated_dv];
    bool second = false;
    cd_sparsity_make(arena, ws);
    for (int i = 0; i < count; i++) {
        second = second || terms[i].kind == CD_ACCELERATED_V || terms[i].kind == CD_ACCELERATED_Q;
        if (terms[i].kind == CD_SECANT_REACTION)
            cd_secant_make(arena, ws->system, &ws->secant);
    }
    if (second && !pattern->full && pattern->entries > 0 && ws->accelerated.groups == 0)
        ws->accelerated =
            cd_colouring_make(arena, pattern, cd_matrices_runs(arena, ws->system->k, matrices));
}

cd_services *cd_workspace_services(cd_workspace *ws)
{
    return &ws->services;
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
                            .scales = &ws->scales,
                            .sparsity = ws->sparsity};
}

void cd_workspace_forget(cd_workspace *ws)
{
    ws->mass_known = ws->evaluated = ws->scales_known = false;
    ws->stale = true;
    for (int i = 0; i < CD_PATTERNS; i++)
        ws->sparsity[i].groups = ws->sparsity[i].mistakes = 0;
}

void cd_workspace_give_back(cd_workspace *ws, const cd_arena *arena)
{
    const cd_pattern *mass = cd_pattern_of(ws, CD_P_mass);
    const cd_pattern *rows = cd_pattern_of(ws, CD_P_constraint_dq);
    cd_arena_forget(arena, ws->block, (size_t)ws->system->matrices.largest * sizeof *ws->block);
    if (ws->evaluated)
        cd_system_scales(ws);
    if (!ws->mass_known)
        cd_arena_forget(arena, ws->mass, (size_t)mass->entries * sizeof *ws->mass);
    cd_arena_forget(arena, ws->jacobian, (size_t)rows->entries * sizeof *ws->jacobian);
    ws->stale = true;
}

/* The system's own reason why a callback has no value at a point; false if it gives none. */
static bool explain_point(const cd_workspace *ws, const cardan_point *at, char *text, int size)
{
    const cardan_system_def *def = &ws->system->def;
    return def->explain != NULL && def->explain(def->context, at, text, size);
}

cardan_status cd_check_return_code(cd_workspace *ws, const char *name, const cardan_point *at,
                                   int answer)
{
    const cardan_status status = answer > 0 ? CARDAN_CALLBACK_RETRY : CARDAN_CALLBACK_FAILED;
    char why[700];
    if (answer == 0)
        return CARDAN_OK;
    if (explain_point(ws, at, why, (int)sizeof why))
        return cd_fail(ws->error, status, "at t = %.9g %s", at->t, why);
    if (answer > 0)
        return cd_fail(ws->error, status,
                       "callback `%s` refuses the state at t = %.9g (returned %d)", name, at->t,
                       answer);
    return cd_fail(ws->error, status,
                   "callback `%s` reported a fatal failure at t = %.9g (returned %d)", name, at->t,
                   answer);
}

enum { LEAST_SHARED = 4096 }; /* loops over as many numbers are shared by threads */

/* 1 if one of the values is not finite, else 0: for cd_team_largest. */
static CD_WIDE double marks_not_finite(int n, const double *values)
{
    return cd_all_finite(n, values) ? 0.0 : 1.0;
}

static double marks_not_finite_span(void *values, cd_span span)
{
    return marks_not_finite(span.end - span.begin, (const double *)values + span.begin);
}

static void clear_span(void *values, cd_span span)
{
    cd_zero(span.end - span.begin, (double *)values + span.begin);
}

cardan_status cd_check_finite(cd_workspace *ws, const char *name, const cardan_point *at, int count,
                              const double *values)
{
    if (count < LEAST_SHARED ? cd_all_finite(count, values)
                             : cd_team_largest(ws->services.team, count, LEAST_SHARED,
                                               marks_not_finite_span, (void *)values) == 0.0)
        return CARDAN_OK;
    const int bad = cd_first_not_finite(count, values);
    char why[700];
    if (explain_point(ws, at, why, (int)sizeof why))
        return cd_fail(ws->error, CARDAN_NOT_FINITE, "at t = %.9g %s", at->t, why);
    return cd_fail(ws->error, CARDAN_NOT_FINITE,
                   "callback `%s` returned %g in entry %d at t = %.9g; check the callback there",
                   name, values[bad], bad + 1, at->t);
}

cardan_status cd_call_callback(cd_workspace *ws, cardan_callback *function, const char *name,
                               const cardan_point *at, int count, double *out)
{
    if (count < LEAST_SHARED)
        cd_zero(count, out);
    else
        cd_team_loop(ws->services.team, count, LEAST_SHARED, clear_span, out);
    if (function == NULL || count == 0)
        return CARDAN_OK;
    ws->services.calls++;
    const int answer = cd_pieces_call(ws, function, at, out);
    const cardan_status status = cd_check_return_code(ws, name, at, answer);
    return status == CARDAN_OK ? cd_check_finite(ws, name, at, count, out) : status;
}

cardan_status cd_evaluate_mass(cd_workspace *ws, const cardan_point *at, double *out)
{
    return cd_call_callback(ws, ws->system->def.mass, "mass", at,
                            cd_pattern_of(ws, CD_P_mass)->entries, out);
}

/* out = B x + the derivative `without`: the hidden constraints, or their time derivative. */
static cardan_status evaluate_differentiated(cd_workspace *ws, int level, cd_derivative_id without,
                                             const double *x, const cardan_point *at, double *out)
{
    double *jacobian = ws->level[level].matrix;
    cardan_status status = cd_derivative(ws, level, without, at, out);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, level, CD_D_constraint_dq, at, jacobian);
    if (status == CARDAN_OK)
        cd_pattern_add(cd_pattern_of(ws, CD_P_constraint_dq), jacobian, x, out);
    return status;
}

/* out += A^T x, where A is the derivative `id`: B or K. */
static cardan_status add_reaction(cd_workspace *ws, int level, cd_derivative_id id, const double *x,
                                  const cardan_point *at, double *out)
{
    const cd_pattern *pattern =
        cd_pattern_of(ws, id == CD_D_constraint_dq ? CD_P_constraint_dq : CD_P_nonholonomic_dv);
    double *matrix = ws->level[level].matrix;
    const cardan_status status = cd_derivative(ws, level, id, at, matrix);
    if (status == CARDAN_OK)
        cd_pattern_add_transposed(pattern, matrix, x, out);
    return status;
}

/* v^T M v / 2. Every step needs it, so it is computed in ws->block and ws->vector. */
static cardan_status evaluate_kinetic(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_status status = cd_evaluate_mass(ws, at, ws->block);
    if (status == CARDAN_OK)
        cd_system_multiply_mass(ws, ws->block, at->v, ws->vector);
    *out = 0.5 * cd_dot(ws->system->k, at->v, ws->vector);
    return status;
}

/* out = M v' */
static cardan_status evaluate_inertia(cd_workspace *ws, int level, const cardan_point *at,
                                      double *out)
{
    double *mass = ws->level[level].matrix;
    cardan_status status = cd_evaluate_mass(ws, at, mass);
    if (status == CARDAN_OK)
        cd_pattern_multiply(cd_pattern_of(ws, CD_P_mass), mass, at->vdot, out);
    return status;
}

/* M v' + g + B^T lambda + K^T psi. The scratch of g is overwritten if B or K is differenced. */
static cardan_status evaluate_dynamics(cd_workspace *ws, int level, const cardan_point *at,
                                       double *out)
{
    const cardan_system_def *def = &ws->system->def;
    double *matrix = ws->level[level].matrix, *force = ws->level[level].value;
    cardan_status status = CARDAN_OK;
    cd_zero(ws->system->k, out);
    if (!def->lambda_in_force_only)
        status = add_reaction(ws, level, CD_D_constraint_dq, at->lambda, at, out);
    if (status == CARDAN_OK && !def->psi_in_force_only)
        status = add_reaction(ws, level, CD_D_nonholonomic_dv, at->psi, at, out);
    if (status == CARDAN_OK)
        status = cd_evaluate_mass(ws, at, matrix);
    if (status == CARDAN_OK)
        status = cd_call_callback(ws, def->force, "force", at, ws->system->k, force);
    if (status != CARDAN_OK)
        return status;
    cd_pattern_add(cd_pattern_of(ws, CD_P_mass), matrix, at->vdot, out);
    cd_add(ws->system->k, 1.0, force, out);
    return CARDAN_OK;
}

cardan_status cd_equation_evaluate(cd_workspace *ws, int level, cd_equation equation,
                                   const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    const cardan_system_def *def = &system->def;
    switch (equation) {
    case CD_CONSTRAINT:
        return cd_call_callback(ws, def->constraint, "constraint", at, system->m, out);
    case CD_HIDDEN:
        return evaluate_differentiated(ws, level, CD_D_constraint_dt, at->v, at, out);
    case CD_ACCELERATED:
        return evaluate_differentiated(ws, level, CD_D_constraint_bias, at->vdot, at, out);
    case CD_POTENTIAL:
        return cd_call_callback(ws, def->potential, "potential", at, 1, out);
    case CD_NONHOLONOMIC:
        return cd_call_callback(ws, def->nonholonomic_residual, "nonholonomic_residual", at,
                                system->l, out);
    case CD_INERTIA:
        return evaluate_inertia(ws, level, at, out);
    case CD_FORCE:
        return cd_call_callback(ws, def->force, "force", at, system->k, out);
    case CD_REACTING:
        return cd_call_callback(ws, def->reacting_force, "reacting_force", at, system->k, out);
    case CD_REACT:
        cd_zero(system->k, out);
        return add_reaction(ws, level, CD_D_constraint_dq, at->lambda, at, out);
    case CD_NONHOLONOMIC_REACT:
        cd_zero(system->k, out);
        return add_reaction(ws, level, CD_D_nonholonomic_dv, at->psi, at, out);
    case CD_DYNAMICS:
        return evaluate_dynamics(ws, level, at, out);
    case CD_KINETIC:
        return evaluate_kinetic(ws, at, out);
    }
    return CARDAN_OK;
}

/* ---- M, B and K, and their sizes ---- */

static const cd_scales no_scales = {.smallest_row = INFINITY};

static void note_largest_mass(cd_workspace *ws, const double *mass)
{
    ws->found.mass = cd_max_abs(cd_pattern_of(ws, CD_P_mass)->entries, mass);
}

/* Widens the range of the largest entries of rows in `scales`. */
static void note_row_sizes(const cd_pattern *p, const double *values, cd_scales *scales)
{
    for (int i = 0; i < p->rows; i++) {
        const int begin = cd_pattern_begin(p, i);
        const double size = cd_max_abs(cd_pattern_end(p, i) - begin, values + begin);
        scales->largest_row = cd_larger(size, scales->largest_row);
        if (size > 0.0)
            scales->smallest_row = cd_smaller(size, scales->smallest_row);
    }
}

void cd_begin_scales(cd_workspace *ws)
{
    const double mass = ws->evaluated ? cd_system_scales(ws).mass : 0.0;
    ws->found = no_scales;
    ws->found.mass = mass;
}

void cd_keep_scales(cd_workspace *ws)
{
    ws->scales = ws->found;
    if (ws->scales.largest_row == 0.0)
        ws->scales.smallest_row = 0.0;
    ws->scales_known = ws->evaluated = true;
}

cardan_status cd_evaluate_matrix(cd_workspace *ws, cd_pattern_id id, const cardan_point *at,
                                 double *out)
{
    const cd_derivative_id rows =
        id == CD_P_constraint_dq ? CD_D_constraint_dq : CD_D_nonholonomic_dv;
    const cardan_status status =
        id == CD_P_mass ? cd_evaluate_mass(ws, at, out) : cd_derivative(ws, 0, rows, at, out);
    if (status == CARDAN_OK && id == CD_P_mass)
        note_largest_mass(ws, out);
    else if (status == CARDAN_OK)
        note_row_sizes(cd_pattern_of(ws, id), out, &ws->found);
    return status;
}

/* Evaluates M (once if it is constant), B and K at a point. */
static cardan_status evaluate_matrices(cd_workspace *ws, const cardan_point *at)
{
    cardan_status status = CARDAN_OK;
    ws->scales_known = false;
    if (!ws->mass_known) {
        status = cd_evaluate_mass(ws, at, ws->mass);
        ws->mass_known = status == CARDAN_OK && ws->system->def.constant_mass;
    }
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_constraint_dq, at, ws->jacobian);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dv, at, ws->nonholonomic);
    ws->stale = status != CARDAN_OK;
    ws->evaluated = ws->evaluated || status == CARDAN_OK;
    return status;
}

cardan_status cd_system_refresh(cd_workspace *ws, const cardan_point *at)
{
    return ws->stale ? evaluate_matrices(ws, at) : CARDAN_OK;
}

/* out += B^T lambda + K^T psi */
static void add_reactions(const cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    if (!system->def.lambda_in_force_only)
        cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, at->lambda,
                                  out);
    if (!system->def.psi_in_force_only)
        cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->nonholonomic,
                                  at->psi, out);
}

/* out += factor * reacting_force, which counts as reaction although it is a force */
static cardan_status add_reacting_force(cd_workspace *ws, const cardan_point *at, double factor,
                                        double *out)
{
    if (ws->system->def.reacting_force == NULL)
        return CARDAN_OK;
    const cardan_status status = cd_equation_evaluate(ws, 0, CD_REACTING, at, ws->vector);
    cd_add(ws->system->k, factor, ws->vector, out);
    return status;
}

/* The functions below write one member of cd_equations, with M, B and K of the point. */

/* out = g + B^T lambda + K^T psi */
static cardan_status find_forces(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_status status = cd_equation_evaluate(ws, 0, CD_FORCE, at, out);
    if (status == CARDAN_OK)
        add_reactions(ws, at, out);
    return status;
}

/* out = M v' + g + B^T lambda + K^T psi */
static cardan_status find_dynamics(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_status status = find_forces(ws, at, out);
    if (status == CARDAN_OK)
        cd_pattern_add(cd_pattern_of(ws, CD_P_mass), ws->mass, at->vdot, out);
    return status;
}

/* out = B^T lambda + K^T psi, plus what multipliers change in the force */
static cardan_status find_reaction(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    cd_zero(system->k, out);
    if (cd_force_depends_on_multipliers(system)) {
        const cardan_point without = cd_without_multipliers(ws, at);
        cardan_status status = cd_equation_evaluate(ws, 0, CD_FORCE, at, out);
        if (status == CARDAN_OK)
            status = cd_equation_evaluate(ws, 0, CD_FORCE, &without, ws->vector);
        if (status != CARDAN_OK)
            return status;
        cd_add(system->k, -1.0, ws->vector, out);
    }
    add_reactions(ws, at, out);
    return CARDAN_OK;
}

/* out = the reaction of find_reaction, plus reacting_force */
static cardan_status find_reacting(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_status status = find_reaction(ws, at, out);
    return status == CARDAN_OK ? add_reacting_force(ws, at, 1.0, out) : status;
}

/* out = the force without multipliers and without reacting_force */
static cardan_status find_applied(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_point without = cd_without_multipliers(ws, at);
    const cardan_status status = cd_equation_evaluate(ws, 0, CD_FORCE, &without, out);
    return status == CARDAN_OK ? add_reacting_force(ws, at, -1.0, out) : status;
}

/* out = B v + dPhi/dt */
static cardan_status find_hidden(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_status status = cd_derivative(ws, 0, CD_D_constraint_dt, at, out);
    cd_pattern_add(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, at->v, out);
    return status;
}

/* Evaluates an equation if it is wanted (out is not NULL). */
static cardan_status find_equation(cd_workspace *ws, cd_equation equation, const cardan_point *at,
                                   double *out)
{
    return out != NULL ? cd_equation_evaluate(ws, 0, equation, at, out) : CARDAN_OK;
}

cardan_status cd_system_equations(cd_workspace *ws, const cardan_point *at, const cd_equations *out)
{
    const struct {
        double *out;
        cardan_status (*find)(cd_workspace *ws, const cardan_point *at, double *out);
    } sums[] = {{out->dynamics, find_dynamics}, {out->forces, find_forces},
                {out->reaction, find_reaction}, {out->reacting, find_reacting},
                {out->applied, find_applied},   {out->hidden, find_hidden}};
    cardan_status status = evaluate_matrices(ws, at);
    for (size_t i = 0; status == CARDAN_OK && i < sizeof sums / sizeof sums[0]; i++)
        if (sums[i].out != NULL)
            status = sums[i].find(ws, at, sums[i].out);
    if (status == CARDAN_OK && out->low != NULL && out->position != NULL)
        status = cd_evaluate_values(
            ws, at, (cardan_equation_values){.position = out->position, .low = out->low});
    else if (status == CARDAN_OK)
        status = find_equation(ws, CD_CONSTRAINT, at, out->position);
    if (status == CARDAN_OK)
        status = find_equation(ws, CD_ACCELERATED, at, out->accelerated);
    return status == CARDAN_OK ? find_equation(ws, CD_NONHOLONOMIC, at, out->nonholonomic) : status;
}

cardan_status cd_system_bias(cd_workspace *ws, const cardan_point *at, double *holonomic,
                             double *nonholonomic)
{
    cardan_status status = cd_derivative(ws, 0, CD_D_constraint_bias, at, holonomic);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dt, at, nonholonomic);
    if (status == CARDAN_OK)
        status = cd_derivative(ws, 0, CD_D_nonholonomic_dq, at, ws->block);
    if (status == CARDAN_OK)
        cd_pattern_add(cd_pattern_of(ws, CD_P_nonholonomic_dq), ws->block, at->v, nonholonomic);
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

cardan_status cd_system_multiply_mass_at(cd_workspace *ws, const cardan_point *at, const double *x,
                                         double *out)
{
    const cardan_status status = cd_evaluate_mass(ws, at, ws->block);
    if (status == CARDAN_OK)
        cd_system_multiply_mass(ws, ws->block, x, out);
    return status;
}

void cd_system_constrain(const cd_workspace *ws, const double *x, double *out)
{
    cd_pattern_multiply(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, x, out);
    cd_pattern_multiply(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->nonholonomic, x,
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
    cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->nonholonomic,
                              x + ws->system->m, out);
}

void cd_system_expand(const cd_workspace *ws, double *mass, double *constraints)
{
    const size_t m = (size_t)ws->system->m, k = (size_t)ws->system->k;
    cd_pattern_expand(cd_pattern_of(ws, CD_P_mass), ws->mass, mass);
    cd_pattern_expand(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, constraints);
    cd_pattern_expand(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->nonholonomic,
                      constraints + m * k);
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
    double *mass = !ws->stale || ws->mass_known ? ws->mass : ws->block;
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
                    (row < m ? ws->jacobian : ws->nonholonomic) + begin};
}

cd_scales cd_system_scales(cd_workspace *ws)
{
    if (!ws->scales_known) {
        ws->found = no_scales;
        note_largest_mass(ws, ws->mass);
        note_row_sizes(cd_pattern_of(ws, CD_P_constraint_dq), ws->jacobian, &ws->found);
        note_row_sizes(cd_pattern_of(ws, CD_P_nonholonomic_dv), ws->nonholonomic, &ws->found);
        cd_keep_scales(ws);
    }
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

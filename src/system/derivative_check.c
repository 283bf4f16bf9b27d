/* Compares the derivatives and claims of a definition with what its callbacks do. */
#include "base/error.h"
#include "base/numeric.h"
#include "structure.h"
#include "workspace.h"

/* Small systems are checked entry by entry. In large ones, entries within the patterns are checked,
 * and one difference in the direction of all variables shows whether there are others. */
typedef struct checker {
    cd_arena arena;
    cd_workspace *ws;
    bool large;
    double *given, *expected; /* the two that are compared */
    double *side[2];          /* differences from one side, where the others disagree */
    double *raw;              /* what a callback returns: entries of a pattern */
    double *vdot;             /* k: accelerations that reach every column of M */
    double tolerance;
} checker;

static cardan_status checker_create(checker *check, const cardan_system *system,
                                    cardan_error *error)
{
    const int k = system->k, largest = system->matrices.largest > k ? system->matrices.largest : k;
    cd_arena_init(&check->arena, &system->arena.allocator);
    check->large = cd_structure_is_sparse(system);
    check->ws = cd_workspace_create(&check->arena, system, error);
    check->given = cd_arena_doubles(&check->arena, check->large ? largest : k * k);
    check->expected = cd_arena_doubles(&check->arena, check->large ? largest : k * k);
    for (int i = 0; i < 2; i++)
        check->side[i] = cd_arena_doubles(&check->arena, check->large ? largest : k * k);
    check->raw = cd_arena_doubles(&check->arena, largest);
    check->vdot = cd_arena_doubles(&check->arena, k);
    if (check->arena.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the derivative check");
    for (int i = 0; i < k; i++)
        check->vdot[i] = 1.0 + sin(i);
    return CARDAN_OK;
}

/* The entry in which given and expected differ most, or -1 if all agree. */
static int worst_entry(const checker *check, int count)
{
    const double scale = fmax(1.0, cd_max_abs(count, check->expected));
    double largest = check->tolerance * scale;
    int worst = -1;
    for (int i = 0; i < count; i++) {
        const double difference = fabs(check->given[i] - check->expected[i]);
        if (difference > largest) {
            largest = difference;
            worst = i;
        }
    }
    return worst;
}

/* Fails with the entry in which given and expected derivatives differ most, if they do. */
static cardan_status compare_derivative(const checker *check, const cd_derivative_info *info,
                                        const cd_pattern *shape, const cardan_point *at)
{
    const int worst = worst_entry(check, shape->entries);
    if (worst < 0)
        return CARDAN_OK;
    const int row = cd_pattern_row_of(shape, worst);
    const int column = cd_pattern_column(shape, row, worst);
    const bool outside =
        info->pattern >= 0 &&
        cd_pattern_find(cd_pattern_of(check->ws, (cd_pattern_id)info->pattern), row, column) < 0;
    if (outside)
        return cd_fail(
            check->ws->error, CARDAN_WRONG_DERIVATIVE,
            "pattern `%s` has no entry in row %d, column %d, but at t = %.9g differences "
            "give %.9g there",
            info->name, row + 1, column + 1, at->t, check->expected[worst]);
    return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                   "callback `%s` is wrong in row %d, column %d at t = %.9g: it returned %.9g, "
                   "differences give %.9g",
                   info->name, row + 1, column + 1, at->t, check->given[worst],
                   check->expected[worst]);
}

/* How differences are taken: for groups of columns (no colouring: one by one), or all at once. */
typedef struct difference_manner {
    const cd_colouring *colouring;
    bool together; /* of all columns at once */
} difference_manner;

/* out = the derivative by differences, taken as `by` says. */
static cardan_status difference_in_manner(const checker *check, const cd_derivative_info *info,
                                          const difference_manner *by, cd_differencing how,
                                          const cardan_point *at, double *out)
{
    return by->together ? cd_difference_all(check->ws, how, info->equation, info->variable, at, out)
                        : cd_difference(check->ws, 0, how, info->equation, info->variable,
                                        by->colouring, at, out);
}

/* expected = given for entries that agree with the difference from one side of the point, or, if
 * `apart`, that differ by no more than the differences from both sides do. */
static void accept_one_sided(const checker *check, int count, double allowed, bool apart)
{
    const double *a = check->side[0], *b = check->side[1], *given = check->given;
    for (int i = 0; i < count; i++)
        if (fabs(given[i] - a[i]) <= allowed || fabs(given[i] - b[i]) <= allowed ||
            (apart && fabs(given[i] - check->expected[i]) <= fabs(a[i] - b[i])))
            check->expected[i] = given[i];
}

/* Accepts entries that agree with differences from one side or between closer points, which are
 * right at or near a breakpoint of a force or a function of time (a contact that touches, the end
 * of a ramp). Without a breakpoint all differences agree, so nothing wrong passes. */
static cardan_status accept_at_breakpoints(const checker *check, const cd_derivative_info *info,
                                           const difference_manner *by, int count,
                                           const cardan_point *at)
{
    const double allowed = check->tolerance * fmax(1.0, cd_max_abs(count, check->expected));
    const double widths[] = {1.0, 0.1, 1e-2, 1e-3};
    cardan_status status = CARDAN_OK;
    for (int w = 0; w < 4 && worst_entry(check, count) >= 0; w++) {
        for (int i = 0; status == CARDAN_OK && i < 2; i++) {
            const cd_differencing how = {i == 0 ? CD_LATER : CD_EARLIER, widths[w]};
            status = difference_in_manner(check, info, by, how, at, check->side[i]);
        }
        if (status != CARDAN_OK)
            return status;
        accept_one_sided(check, count, allowed, w == 0);
    }
    return CARDAN_OK;
}

/* expected = the derivative by differences, or what was given if a breakpoint is near. */
static cardan_status difference_with_breakpoints(const checker *check,
                                                 const cd_derivative_info *info,
                                                 const difference_manner *by, int count,
                                                 const cardan_point *at)
{
    const cardan_status status =
        difference_in_manner(check, info, by, cd_usual_differencing, at, check->expected);
    return status == CARDAN_OK ? accept_at_breakpoints(check, info, by, count, at) : status;
}

/* Looks for entries outside of the pattern: A s with the entries of the pattern is compared with A
 * s by a difference in the direction s of all variables. */
static cardan_status check_row_sums(checker *check, const cd_derivative_info *info,
                                    const cd_pattern *shape, const cardan_point *at)
{
    cd_zero(info->rows, check->given);
    for (int i = 0; i < info->rows; i++)
        for (int e = cd_pattern_begin(shape, i); e < cd_pattern_end(shape, i); e++)
            check->given[i] +=
                check->raw[e] * cd_difference_scale(check->ws->system, info->variable,
                                                    cd_pattern_column(shape, i, e), at);
    const cardan_status status = difference_with_breakpoints(
        check, info, &(difference_manner){.together = true}, info->rows, at);
    if (status != CARDAN_OK)
        return status;
    const int worst = worst_entry(check, info->rows);
    if (worst < 0)
        return CARDAN_OK;
    return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                   "pattern `%s` lacks entries in row %d: at t = %.9g the row's sum is %.9g with "
                   "the pattern, but %.9g by a difference",
                   info->name, worst + 1, at->t, check->given[worst], check->expected[worst]);
}

/* Checks all entries, also outside of the pattern; in large systems those of the pattern, in groups
 * of columns, and then whether there are others. */
static cardan_status check_entries(checker *check, const cd_derivative_info *info,
                                   const cardan_point *at)
{
    const cd_matrices *matrices = &check->ws->system->matrices;
    const bool by_velocity = info->variable == CD_BY_Q || info->variable == CD_BY_V;
    const bool grouped = check->large && info->pattern >= 0;
    const cd_pattern all = cd_pattern_full(info->rows, info->cols);
    const cd_pattern *own = info->pattern >= 0 ? &matrices->pattern[info->pattern] : &all;
    const cd_pattern *shape = grouped ? own : &all;
    cd_colouring colouring;
    if (grouped) {
        const cd_runs runs = cd_matrices_runs(&check->arena, check->ws->system->k, matrices);
        colouring = cd_colouring_make(&check->arena, own, by_velocity ? runs : (cd_runs){0});
        if (check->arena.failed)
            return cd_fail(check->ws->error, CARDAN_OUT_OF_MEMORY,
                           "no memory for the derivative check");
        cd_copy(own->entries, check->raw, check->given);
    } else {
        cd_pattern_expand(own, check->raw, check->given);
    }
    const difference_manner by = {.colouring = grouped ? &colouring : NULL};
    cardan_status status = difference_with_breakpoints(check, info, &by, shape->entries, at);
    if (status == CARDAN_OK)
        status = compare_derivative(check, info, shape, at);
    return status == CARDAN_OK && grouped ? check_row_sums(check, info, own, at) : status;
}

static cardan_status check_derivative(checker *check, cd_derivative_id id, const cardan_point *at)
{
    const cd_derivative_info info = cd_derivative_of(check->ws->system, id);
    if (info.callback == NULL || info.rows == 0 || info.cols == 0)
        return CARDAN_OK;
    /* The gradient of a potential is a full row, whatever the size of the system. */
    if (check->large && info.equation == CD_POTENTIAL)
        return CARDAN_OK;
    cardan_status status =
        cd_call_callback(check->ws, info.callback, info.name, at, info.entries, check->raw);
    if (status != CARDAN_OK)
        return status;
    return check_entries(check, &info, at);
}

/* Checks that M is symmetric, unless the definition says otherwise. */
static cardan_status check_mass_symmetry(checker *check, const cardan_point *at)
{
    const cardan_system *system = check->ws->system;
    const cd_pattern *p = &system->matrices.pattern[CD_P_mass];
    cardan_status status = cd_evaluate_mass(check->ws, at, check->given);
    if (status != CARDAN_OK || system->def.unsymmetric_mass)
        return status;
    for (int i = 0; i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++)
            check->expected[e] = check->given[cd_pattern_find(p, cd_pattern_column(p, i, e), i)];
    const int worst = worst_entry(check, p->entries);
    if (worst < 0)
        return CARDAN_OK;
    const int row = cd_pattern_row_of(p, worst), column = cd_pattern_column(p, row, worst);
    return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                   "the mass matrix is not symmetric: entry (%d, %d) is %.9g but (%d, %d) is %.9g",
                   row + 1, column + 1, check->given[worst], column + 1, row + 1,
                   check->expected[worst]);
}

/* Checks the claim that an equation does not depend on a variable, by its differences. */
static cardan_status check_claim(checker *check, const char *claim, cd_equation equation,
                                 cd_variable variable, const cardan_point *at)
{
    const bool together = check->large && variable != CD_BY_T;
    const int rows = cd_equation_rows(check->ws->system, equation);
    const int cols = together ? 1 : cd_variable_count(check->ws->system, variable);
    if (rows == 0 || cd_variable_count(check->ws->system, variable) == 0)
        return CARDAN_OK;
    cd_zero(rows * cols, check->given);
    const cd_derivative_info info = {.equation = equation, .variable = variable};
    const cardan_status status =
        difference_in_manner(check, &info, &(difference_manner){.together = together},
                             cd_usual_differencing, at, check->expected);
    if (status != CARDAN_OK)
        return status;
    const int worst = worst_entry(check, rows * cols);
    if (worst < 0)
        return CARDAN_OK;
    if (together)
        return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                       "the definition says `%s`, but row %d changes at t = %.9g (derivative %.9g)",
                       claim, worst + 1, at->t, check->expected[worst]);
    return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                   "the definition says `%s`, but row %d changes with variable %d at t = %.9g "
                   "(derivative %.9g)",
                   claim, worst / cols + 1, worst % cols + 1, at->t, check->expected[worst]);
}

static cardan_status check_claims(checker *check, const cardan_point *at)
{
    const cardan_system_def *def = &check->ws->system->def;
    const struct {
        bool claimed;
        const char *claim;
        cd_equation equation;
        cd_variable variable;
    } claims[] = {
        {def->constant_mass, "constant_mass", CD_INERTIA, CD_BY_Q},
        {def->constant_mass, "constant_mass", CD_INERTIA, CD_BY_T},
        {!def->rheonomic, "not rheonomic", CD_CONSTRAINT, CD_BY_T},
        {!def->force_depends_on_lambda, "not force_depends_on_lambda", CD_FORCE, CD_BY_LAMBDA},
        {!def->force_depends_on_psi, "not force_depends_on_psi", CD_FORCE, CD_BY_PSI},
        {def->affine_nonholonomic, "affine_nonholonomic", CD_NONHOLONOMIC_REACT, CD_BY_V}};
    cardan_status status = CARDAN_OK;
    for (size_t i = 0; status == CARDAN_OK && i < sizeof claims / sizeof claims[0]; i++)
        if (claims[i].claimed)
            status =
                check_claim(check, claims[i].claim, claims[i].equation, claims[i].variable, at);
    return status;
}

/* Compares numbers that `evaluate` writes to check->given with those of the other callbacks. */
static cardan_status check_values_of(checker *check, const char *name, int count,
                                     cardan_equation_values values, cd_equations wanted,
                                     const cardan_point *at)
{
    if (count == 0)
        return CARDAN_OK;
    for (int i = 0; i < count; i++)
        check->given[i] = 1.0; /* it must not count on zeros */
    cardan_status status = cd_evaluate_values(check->ws, at, values);
    if (status == CARDAN_OK)
        status = cd_system_equations(check->ws, at, &wanted);
    const int worst = status == CARDAN_OK ? worst_entry(check, count) : -1;
    if (worst < 0)
        return status;
    return cd_fail(
        check->ws->error, CARDAN_WRONG_DERIVATIVE,
        "callback `evaluate` is wrong in entry %d of `%s` at t = %.9g: it returned %.9g, "
        "the other callbacks give %.9g",
        worst + 1, name, at->t, check->given[worst], check->expected[worst]);
}

static cardan_status check_evaluate_callback(checker *check, const cardan_point *at)
{
    const cardan_system *system = check->ws->system;
    const bool linear = !cd_force_depends_on_multipliers(system) &&
                        !system->def.lambda_in_force_only && !system->def.psi_in_force_only;
    const double tolerance = check->tolerance, exact = 1e-9; /* nothing is differenced but B */
    double *given = check->given, *expected = check->expected;
    const struct {
        const char *name;
        int count;
        cardan_equation_values values;
        cd_equations wanted;
    } list[] = {
        {"dynamics", system->k, {.dynamics = given}, {.dynamics = expected}},
        {"forces", system->k, {.forces = given}, {.forces = expected}},
        {"reaction", linear ? system->k : 0, {.reaction = given}, {.reaction = expected}},
        {"position", system->m, {.position = given}, {.position = expected}},
        {"hidden", system->m, {.hidden = given}, {.hidden = expected}},
        {"nonholonomic", system->l, {.nonholonomic = given}, {.nonholonomic = expected}},
    };
    cardan_status status = CARDAN_OK;
    if (system->def.evaluate == NULL)
        return CARDAN_OK;
    check->tolerance = fmin(tolerance, exact);
    for (size_t i = 0; status == CARDAN_OK && i < sizeof list / sizeof list[0]; i++)
        status =
            check_values_of(check, list[i].name, list[i].count, list[i].values, list[i].wanted, at);
    check->tolerance = tolerance;
    return status;
}

static bool is_complete(const cardan_system *system, const cardan_point *at)
{
    return at->q != NULL && at->v != NULL && (at->lambda != NULL || system->m == 0) &&
           (at->psi != NULL || system->l == 0);
}

cardan_status cardan_system_check(const cardan_system *system, const cardan_point *at,
                                  double tolerance, cardan_error *error)
{
    if (system == NULL || at == NULL)
        return cd_invalid(error, "system and point may not be NULL");
    if (!is_complete(system, at))
        return cd_invalid(
            error, "the point must have q and v, and lambda and psi if there are constraints");
    checker check = {.tolerance = tolerance > 0.0 ? tolerance : 1e-6};
    cardan_status status = checker_create(&check, system, error);
    cardan_point moving = *at;
    moving.vdot = check.vdot; /* a given v' may be zero and then tells nothing of M */
    if (status == CARDAN_OK)
        status = check_mass_symmetry(&check, at);
    if (status == CARDAN_OK)
        status = check_claims(&check, &moving);
    if (status == CARDAN_OK)
        status = check_evaluate_callback(&check, &moving);
    /* In table order: B comes before what is differenced from B. */
    for (int id = 0; status == CARDAN_OK && id < CD_DERIVATIVES; id++)
        status = check_derivative(&check, (cd_derivative_id)id, &moving);
    cd_arena_destroy(&check.arena);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}

/* The derivative checker: compares what a definition provides with differences, and the claims it
 * makes with what its callbacks do. Also the energy at a point. */
#include "base/error.h"
#include "base/numeric.h"
#include "system/workspace.h"

/* Scratch of one check. `spare` holds the second of two values that are compared. */
typedef struct checker {
    cd_arena arena;
    cd_workspace *ws;
    double *given, *spare;
    double *vdot; /* k: accelerations that reach every column of M */
    double tolerance;
} checker;

static cardan_status checker_open(checker *check, const cardan_system *system, cardan_error *error)
{
    const int k = system->k;
    cd_arena_init(&check->arena, &system->arena.allocator);
    check->ws = cd_workspace_create(&check->arena, system, error);
    check->given = cd_arena_doubles(&check->arena, k * k);
    check->spare = cd_arena_doubles(&check->arena, k * k);
    check->vdot = cd_arena_doubles(&check->arena, k);
    if (check->arena.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the derivative check");
    for (int i = 0; i < k; i++)
        check->vdot[i] = 1.0 + sin(i);
    return CARDAN_OK;
}

/* Entry of the largest difference of given and spare, or -1 if all agree. */
static int worst_entry(const checker *check, int count)
{
    const double scale = fmax(1.0, cd_max_abs(count, check->spare));
    double largest = check->tolerance * scale;
    int worst = -1;
    for (int i = 0; i < count; i++) {
        const double difference = fabs(check->given[i] - check->spare[i]);
        if (difference > largest) {
            largest = difference;
            worst = i;
        }
    }
    return worst;
}

static cardan_status check_derivative(checker *check, cd_derivative_id id, const cardan_point *at)
{
    const cd_derivative_info info = cd_derivative_of(check->ws->system, id);
    const int count = info.rows * info.cols;
    if (info.callback == NULL || count == 0)
        return CARDAN_OK;
    cardan_status status = cd_call_derivative(check->ws, &info, at, check->given);
    if (status == CARDAN_OK)
        status = cd_difference(check->ws, 0, info.part, info.variable, at, check->spare);
    if (status != CARDAN_OK)
        return status;
    const int worst = worst_entry(check, count);
    if (worst < 0)
        return CARDAN_OK;
    return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                   "callback `%s` is wrong in row %d, column %d at t = %.9g: it returned %.9g, "
                   "differences give %.9g",
                   info.name, worst / info.cols + 1, worst % info.cols + 1, at->t,
                   check->given[worst], check->spare[worst]);
}

static cardan_status check_mass(checker *check, const cardan_point *at)
{
    const cardan_system *system = check->ws->system;
    const int k = system->k;
    cardan_status status = cd_evaluate_mass(check->ws, at, check->given);
    if (status != CARDAN_OK || system->def.unsymmetric_mass)
        return status;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            check->spare[i * k + j] = check->given[j * k + i];
    const int worst = worst_entry(check, k * k);
    if (worst < 0)
        return CARDAN_OK;
    return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                   "the mass matrix is not symmetric: entry (%d, %d) is %.9g but (%d, %d) is %.9g",
                   worst / k + 1, worst % k + 1, check->given[worst], worst % k + 1, worst / k + 1,
                   check->spare[worst]);
}

/* A claim says that a part does not depend on a variable: its differences must vanish. */
static cardan_status check_claim(checker *check, bool claimed, const char *claim, cd_part part,
                                 cd_variable variable, const cardan_point *at)
{
    const int cols = cd_variable_count(check->ws->system, variable);
    const int count = cd_part_rows(check->ws->system, part) * cols;
    if (!claimed || count == 0)
        return CARDAN_OK;
    cd_zero(count, check->given);
    cardan_status status = cd_difference(check->ws, 0, part, variable, at, check->spare);
    if (status != CARDAN_OK)
        return status;
    const int worst = worst_entry(check, count);
    if (worst < 0)
        return CARDAN_OK;
    return cd_fail(check->ws->error, CARDAN_WRONG_DERIVATIVE,
                   "the definition says `%s`, but row %d changes with variable %d at t = %.9g "
                   "(derivative %.9g)",
                   claim, worst / cols + 1, worst % cols + 1, at->t, check->spare[worst]);
}

static cardan_status check_claims(checker *check, const cardan_point *at)
{
    const cardan_system_def *def = &check->ws->system->def;
    cardan_status status =
        check_claim(check, def->constant_mass, "constant_mass", CD_INERTIA, CD_BY_Q, at);
    if (status == CARDAN_OK)
        status = check_claim(check, def->constant_mass, "constant_mass", CD_INERTIA, CD_BY_T, at);
    if (status == CARDAN_OK)
        status = check_claim(check, !def->rheonomic, "not rheonomic", CD_CONSTRAINT, CD_BY_T, at);
    if (status == CARDAN_OK)
        status = check_claim(check, !def->force_depends_on_lambda, "not force_depends_on_lambda",
                             CD_FORCE, CD_BY_LAMBDA, at);
    if (status == CARDAN_OK)
        status = check_claim(check, !def->force_depends_on_psi, "not force_depends_on_psi",
                             CD_FORCE, CD_BY_PSI, at);
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
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "system and point may not be NULL");
    if (!is_complete(system, at))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "the point must have q and v, and lambda and psi if there are constraints");
    checker check = {.tolerance = tolerance > 0.0 ? tolerance : 1e-6};
    cardan_status status = checker_open(&check, system, error);
    cardan_point moving = *at;
    moving.vdot = check.vdot; /* a given v' may be zero and then tells nothing of M */
    if (status == CARDAN_OK)
        status = check_mass(&check, at);
    if (status == CARDAN_OK)
        status = check_claims(&check, &moving);
    /* In table order: B comes before what is differenced from B. */
    for (int id = 0; status == CARDAN_OK && id < CD_DERIVATIVES; id++)
        status = check_derivative(&check, (cd_derivative_id)id, &moving);
    cd_arena_destroy(&check.arena);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}

cardan_status cd_system_energy(cd_workspace *ws, const cardan_point *at, double *kinetic,
                               double *potential)
{
    const cardan_system *system = ws->system;
    const int k = system->k;
    double *mass = ws->level[0].matrix, *momentum = ws->vector;
    cardan_status status = cd_evaluate_mass(ws, at, mass);
    if (status != CARDAN_OK)
        return status;
    cd_multiply(k, k, mass, at->v, momentum);
    *kinetic = 0.5 * cd_dot(k, at->v, momentum);
    return cd_call(ws, system->def.potential, "potential", at, 1, potential);
}

cardan_status cardan_system_energy(const cardan_system *system, const cardan_point *at,
                                   double *kinetic, double *potential, cardan_error *error)
{
    if (system == NULL || at == NULL || kinetic == NULL || potential == NULL || at->q == NULL ||
        at->v == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "no argument but `error` may be NULL, nor the point's q and v");
    checker check = {0};
    cardan_status status = checker_open(&check, system, error);
    if (status == CARDAN_OK)
        status = cd_system_energy(check.ws, at, kinetic, potential);
    cd_arena_destroy(&check.arena);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}

/* Projections without an integrator, and checks of the definition of a projection. */
#include "base/error.h"
#include "base/numeric.h"
#include "linalg/lapack.h"
#include "projection.h"

cardan_projection cardan_projection_default(void)
{
    return (cardan_projection){.level = CARDAN_PROJECT_NONE,
                               .target = CARDAN_TARGET_ZERO,
                               .norm = CARDAN_NORM_MASS,
                               .solver = CARDAN_PROJECTION_EXACT,
                               .penalty = 1.0};
}

static bool has_known_choices(const cardan_projection *how)
{
    return (unsigned)how->level <= CARDAN_PROJECT_BOTH &&
           (unsigned)how->target <= CARDAN_TARGET_SETTLED &&
           (unsigned)how->norm <= CARDAN_NORM_MATRIX &&
           (unsigned)how->solver <= CARDAN_PROJECTION_AUGMENTED;
}

static cardan_status check_diagonal(int k, const double *diagonal, cardan_error *error)
{
    for (int i = 0; i < k; i++)
        if (!isfinite(diagonal[i]) || !(diagonal[i] > 0.0))
            return cd_invalid(
                error,
                "entry %d of the projection's diagonal matrix is %g; a norm needs positive entries",
                i + 1, diagonal[i]);
    return CARDAN_OK;
}

static cardan_status check_definite(int k, const double *matrix, double *scratch,
                                    cardan_error *error)
{
    int info = 0;
    cd_copy(k * k, matrix, scratch);
    dpotrf_("U", &k, scratch, &k, &info, 1);
    if (info != 0)
        return cd_invalid(error,
                          "the projection matrix is not positive definite: its leading block of "
                          "order %d has no Cholesky factor; a norm needs a symmetric positive "
                          "definite matrix, such as the mass matrix",
                          info);
    return CARDAN_OK;
}

static cardan_status check_matrix(const cardan_system *system, const double *matrix,
                                  cardan_error *error)
{
    const int k = system->k;
    const int bad = cd_first_not_finite(k * k, matrix);
    if (bad >= 0)
        return cd_invalid(error, "entry (%d, %d) of the projection matrix is %g", bad / k + 1,
                          bad % k + 1, matrix[bad]);
    const double allowed = 1e-12 * cd_max_abs(k * k, matrix);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < i; j++)
            if (fabs(matrix[i * k + j] - matrix[j * k + i]) > allowed)
                return cd_invalid(error,
                                  "the projection matrix is not symmetric: entry (%d, %d) is "
                                  "%.17g, entry (%d, %d) is %.17g",
                                  i + 1, j + 1, matrix[i * k + j], j + 1, i + 1, matrix[j * k + i]);
    cd_arena arena;
    cd_arena_init(&arena, &system->arena.allocator);
    double *scratch = cd_arena_doubles(&arena, k * k);
    cardan_status status =
        scratch == NULL ? cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a projection matrix")
                        : check_definite(k, matrix, scratch, error);
    cd_arena_destroy(&arena);
    return status;
}

int cd_projection_numbers(const cardan_projection *projection, int k)
{
    if (projection->norm == CARDAN_NORM_MATRIX)
        return k * k;
    return projection->norm == CARDAN_NORM_DIAGONAL ? k : 0;
}

static cardan_status check_numbers(const cardan_projection *how, cardan_error *error)
{
    if (how->solver != CARDAN_PROJECTION_EXACT &&
        (!isfinite(how->penalty) || !(how->penalty > 0.0)))
        return cd_invalid(error, "the projection's penalty alpha is %g; it must be positive",
                          how->penalty);
    if (how->norm == CARDAN_NORM_TANGENT && !(isfinite(how->damping) && how->damping >= 0.0 &&
                                              isfinite(how->stiffness) && how->stiffness >= 0.0))
        return cd_invalid(error,
                          "the tangent norm's weights of damping and stiffness are %g and %g; they "
                          "must not be negative",
                          how->damping, how->stiffness);
    return CARDAN_OK;
}

/* Checks level, target, norm, solver and penalty. */
static cardan_status check_projection(const cardan_system *system, const cardan_projection *how,
                                      cardan_error *error)
{
    if (!has_known_choices(how))
        return cd_invalid(
            error, "the projection's level, target, norm or solver is none of the named ones");
    const cardan_status status = check_numbers(how, error);
    if (status != CARDAN_OK)
        return status;
    if (cd_projection_numbers(how, system->k) > 0 && how->matrix == NULL)
        return cd_invalid(error, "this projection norm needs a matrix, and none is given");
    if (how->norm == CARDAN_NORM_DIAGONAL)
        return check_diagonal(system->k, how->matrix, error);
    if (how->norm == CARDAN_NORM_MATRIX)
        return check_matrix(system, how->matrix, error);
    return CARDAN_OK;
}

cardan_status cd_projection_check(const cardan_system *system, const cardan_projection *projection,
                                  cardan_error *error)
{
    const cardan_status status = check_projection(system, projection, error);
    return status == CARDAN_OK && projection->accelerations != NULL
               ? check_projection(system, projection->accelerations, error)
               : status;
}

cardan_status cd_projection_check_weights(const cardan_projection *how, cardan_error *error)
{
    if (how->norm == CARDAN_NORM_TANGENT && how->damping == 0.0 && how->stiffness == 0.0)
        return cd_invalid(error,
                          "the tangent norm A = M + damping C + stiffness K needs its two weights "
                          "here, where there is no step: h/2 and h^2/4, for example");
    return CARDAN_OK;
}

/* What a projection without an integrator works with. */
typedef struct projection_tools {
    cd_arena arena;
    cardan_error cause;
    cd_projector *projector;
} projection_tools;

/* Takes the memory and checks the projection. */
static cardan_status create_tools(projection_tools *t, const cardan_system *system,
                                  const cardan_projection *projection, cardan_error *error)
{
    cd_arena_init(&t->arena, &system->arena.allocator);
    cd_workspace *ws = cd_workspace_create(&t->arena, system, &t->cause);
    if (ws != NULL)
        t->projector = cd_projector_create(&t->arena, ws, system, NULL, &t->cause);
    if (t->arena.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a projection");
    const cardan_status status = cd_projection_check(system, projection, error);
    return status == CARDAN_OK ? cd_projection_check_weights(projection, error) : status;
}

/* Releases the memory, and completes the message of `error` if the projection has failed. */
static cardan_status destroy_tools(projection_tools *t, cardan_status status, cardan_error *error)
{
    cd_arena_destroy(&t->arena);
    if (status == CARDAN_OK)
        return cd_succeed(error);
    return t->cause.status != CARDAN_OK ? cd_fail(error, status, "%s", t->cause.text) : status;
}

/* Projects q and v at the levels asked for; the report gets residuals before and after. */
static cardan_status project_state(cd_projector *p, const cardan_projection *how, double t,
                                   double *q, double *v, cardan_projection_report *report)
{
    const bool position =
        how->level == CARDAN_PROJECT_POSITION || how->level == CARDAN_PROJECT_BOTH;
    const bool velocity =
        how->level == CARDAN_PROJECT_VELOCITY || how->level == CARDAN_PROJECT_BOTH;
    cardan_status status = cd_projector_residual(p, t, q, v, &report->before);
    if (status == CARDAN_OK && position)
        status = cd_projector_position(p, how, t, q, v, report);
    if (status == CARDAN_OK && velocity)
        status = cd_projector_velocity(p, how, t, q, NULL, v, report);
    if (status == CARDAN_OK)
        status = cd_projector_residual(p, t, q, v, &report->after);
    return status;
}

cardan_status cardan_projection_apply(const cardan_system *system,
                                      const cardan_projection *projection, double t, double *q,
                                      double *v, cardan_projection_report *report,
                                      cardan_error *error)
{
    if (system == NULL || projection == NULL || q == NULL || v == NULL || !isfinite(t))
        return cd_invalid(error,
                          "system, projection, q and v must be given and the time be finite");
    if (projection->target == CARDAN_TARGET_SETTLED)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "where the hidden residual settles depends on the method; call "
                       "cardan_integrator_project");
    projection_tools tools = {0};
    cardan_projection_report made = {0};
    cardan_status status = create_tools(&tools, system, projection, error);
    if (status == CARDAN_OK)
        status = project_state(tools.projector, projection, t, q, v, &made);
    if (report != NULL)
        *report = made;
    return destroy_tools(&tools, status, error);
}

cardan_status cardan_projection_apply_acceleration(const cardan_system *system,
                                                   const cardan_projection *projection, double t,
                                                   const double *q, const double *v, double *vdot,
                                                   cardan_error *error)
{
    if (system == NULL || projection == NULL || q == NULL || v == NULL || vdot == NULL ||
        !isfinite(t))
        return cd_invalid(error,
                          "system, projection, q, v and v' must be given and the time be finite");
    projection_tools tools = {0};
    const double none = 0.0; /* the constraints read no multipliers */
    const cardan_point at = {t, q, v, vdot, &none, &none};
    const cardan_projection *how = cd_projection_of_accelerations(projection);
    cardan_status status = create_tools(&tools, system, how, error);
    if (status == CARDAN_OK)
        status = cd_projector_acceleration(tools.projector, how, &at, vdot, NULL);
    return destroy_tools(&tools, status, error);
}

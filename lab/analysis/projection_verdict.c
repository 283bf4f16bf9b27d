/* ENERGY: whether a velocity projection with matrix A can add energy (GO10 Sec. 5, Prop. 2-6).
 *
 * With C = (B; K) the stacked constraint rows and N = M A^-1 C^T C (B of GO10 (20)), a penalty
 * projection changes the energy by v^T D v, D^s = -alpha (N^s + alpha/2 (A^-1 C^T C)^T N), (19).
 * The cases are the relations of Fig. 1 between the compatible velocities C = ker C, K_B = ker N
 * and K_D, the velocities that leave the energy alone:
 *
 *   I    C < K_B < K_D        II   C = K_B < K_D
 *   III  C < K_B = K_D        IV   C = K_B = K_D
 *
 * K_B = K_D as soon as N^s is positive semidefinite (Prop. 4), and then no energy is ever added. */
#include "projection_verdict.h"
#include "base/error.h"
#include "base/numeric.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "projection_verdict_large.h"
#include "row_rank.h"
#include "system/projection.h"
#include "system/structure.h"
#include "system/tangent.h"

#include <float.h>
#include <stdio.h>

typedef struct cd_judge {
    cd_arena arena;
    cardan_error cause;
    cd_workspace *ws;
    const cardan_system *system;
    int k, n;          /* dof, rows of C */
    double *evaluated; /* k x k: M as it is */
    double *mass;      /* symmetric part of M, k x k */
    double *rows;      /* C, n x k */
    double *lever;     /* A^-1 C^T, by rows: n x k */
    double *force;     /* M A^-1 C^T, by rows: n x k */
    double *form;      /* k x k: a quadratic form; its eigenvectors afterwards */
    double *values;    /* k: its eigenvalues */
    double *reduced;   /* n x n */
    double *scratch;   /* k x k */
    cd_tangent tangent;
} cd_judge;

static cardan_status open_judge(cd_judge *j, const cardan_system *system, cardan_error *error)
{
    cd_arena *arena = &j->arena;
    const int k = system->k, n = system->m + system->l;
    cd_arena_init(arena, &system->arena.allocator);
    j->system = system;
    j->k = k;
    j->n = n;
    j->ws = cd_workspace_create(arena, system, &j->cause);
    j->evaluated = cd_arena_doubles(arena, k * k);
    j->mass = cd_arena_doubles(arena, k * k);
    j->rows = cd_arena_doubles(arena, n * k);
    j->lever = cd_arena_doubles(arena, n * k);
    j->force = cd_arena_doubles(arena, n * k);
    j->form = cd_arena_doubles(arena, k * k);
    j->values = cd_arena_doubles(arena, k > n ? k : n);
    j->reduced = cd_arena_doubles(arena, n * n);
    j->scratch = cd_arena_doubles(arena, k * k);
    return arena->failed ? cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a verdict")
                         : CARDAN_OK;
}

/* M (its symmetric part is what the kinetic energy sees) and C at the point. */
static cardan_status evaluate(cd_judge *j, const cardan_point *at)
{
    const int k = j->k;
    cardan_status status = cd_system_equations(j->ws, at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    cd_system_expand(j->ws, j->evaluated, j->rows);
    for (int i = 0; i < k; i++)
        for (int p = 0; p < k; p++)
            j->mass[i * k + p] = 0.5 * (j->evaluated[i * k + p] + j->evaluated[p * k + i]);
    return status;
}

/* A in j->scratch */
static void expand_norm(cd_judge *j, const cardan_projection *projection)
{
    const int k = j->k;
    if (projection->norm == CARDAN_NORM_TANGENT) {
        cd_pattern_expand(&j->tangent.pattern, j->tangent.values, j->scratch);
        return;
    }
    if (projection->norm == CARDAN_NORM_MASS || projection->norm == CARDAN_NORM_MATRIX) {
        cd_copy(k * k, projection->norm == CARDAN_NORM_MASS ? j->evaluated : projection->matrix,
                j->scratch);
        return;
    }
    cd_zero(k * k, j->scratch);
    for (int i = 0; i < k; i++)
        j->scratch[i * (k + 1)] =
            projection->norm == CARDAN_NORM_DIAGONAL ? projection->matrix[i] : 1.0;
}

/* A^-1 C^T and M A^-1 C^T; in the mass norm the second is C^T even if M is singular, and the first
 * is not needed. False: another A is singular. */
static bool apply_norm(cd_judge *j, const cardan_projection *projection)
{
    const int k = j->k, n = j->n;
    int info = 0;
    cd_copy(n * k, j->rows, j->lever);
    cd_copy(n * k, j->rows, j->force);
    expand_norm(j, projection);
    dpotrf_("U", &k, j->scratch, &k, &info, 1);
    if (info != 0)
        return projection->norm == CARDAN_NORM_MASS;
    dpotrs_("U", &k, &n, j->scratch, &k, j->lever, &k, &info, 1);
    for (int i = 0; i < n && projection->norm != CARDAN_NORM_MASS; i++)
        cd_multiply(k, k, j->mass, j->lever + i * k, j->force + i * k);
    return true;
}

/* form += weight sym(X^T Y) for n x k matrices X, Y */
static void add_form(cd_judge *j, double weight, const double *x, const double *y)
{
    const int k = j->k;
    for (int r = 0; r < j->n; r++)
        for (int a = 0; a < k; a++)
            for (int b = 0; b < k; b++)
                j->form[a * k + b] +=
                    0.5 * weight * (x[r * k + a] * y[r * k + b] + x[r * k + b] * y[r * k + a]);
}

/* What rounding leaves of a zero eigenvalue beside the largest one. */
static double zero_level(int n, const double *values)
{
    return 64.0 * (n + 1) * DBL_EPSILON * cd_max_abs(n, values);
}

/* dim of K_B: C^T C A^-1 M A^-1 C^T C has the rank of the small matrix (A^-1 C^T)^T M (A^-1 C^T).
 */
static bool find_kernel_b(cd_judge *j, lab_projection_verdict *verdict, bool mass_norm)
{
    const int k = j->k, n = j->n;
    verdict->kernel_b = verdict->compatible;
    if (mass_norm)
        return true;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            j->reduced[a * n + b] = 0.5 * (cd_dot(k, j->lever + a * k, j->force + b * k) +
                                           cd_dot(k, j->lever + b * k, j->force + a * k));
    if (!cd_symmetric_eigen(&j->arena, n, j->reduced, j->values))
        return false;
    const double zero = 1e-12 * cd_max_abs(n, j->values);
    verdict->kernel_b = k;
    for (int i = 0; i < n; i++)
        verdict->kernel_b -= j->values[i] > zero;
    return true;
}

/* Smallest eigenvalue of N^s: what decides. */
static bool find_smallest(cd_judge *j, lab_projection_verdict *verdict)
{
    cd_zero(j->k * j->k, j->form);
    add_form(j, 1.0, j->force, j->rows);
    if (!cd_symmetric_eigen(&j->arena, j->k, j->form, j->values))
        return false;
    const double largest = cd_max_abs(j->k, j->values);
    verdict->smallest = j->values[0];
    verdict->smallest_relative = largest > 0.0 ? j->values[0] / largest : 0.0;
    verdict->can_add_energy = j->values[0] < -zero_level(j->k, j->values);
    return true;
}

/* dim of the space that K_D spans. N^s semidefinite: K_D = K_B. Otherwise by the eigenvalues of
 * -D^s / alpha = N^s + alpha/2 C^T (C A^-1 M A^-1 C^T) C; the null cone of an indefinite form spans
 * everything. */
static bool find_kernel_d(cd_judge *j, double alpha, lab_projection_verdict *verdict)
{
    const int k = j->k, n = j->n;
    verdict->kernel_d = verdict->kernel_b;
    if (!verdict->can_add_energy)
        return true;
    for (int a = 0; a < n; a++) {
        double *row = j->lever + a * k; /* row a of (C A^-1 M A^-1 C^T) C in place of the lever */
        cd_zero(k, j->scratch);
        for (int b = 0; b < n; b++)
            cd_add(k, cd_dot(k, row, j->force + b * k), j->rows + b * k, j->scratch);
        cd_copy(k, j->scratch, row);
    }
    cd_zero(k * k, j->form);
    add_form(j, 1.0, j->force, j->rows);
    add_form(j, 0.5 * alpha, j->rows, j->lever);
    if (!cd_symmetric_eigen(&j->arena, k, j->form, j->values))
        return false;
    const double zero = zero_level(k, j->values);
    int kernel = 0;
    for (int i = 0; i < k; i++)
        kernel += fabs(j->values[i]) <= zero;
    verdict->kernel_d = j->values[0] < -zero ? k : kernel;
    return true;
}

static void advise(lab_projection_verdict *verdict)
{
    static const char *const advice[] = {
        "this matrix can add energy, and it leaves some velocities alone that violate the "
        "constraints: use the mass matrix",
        "this matrix can add energy although it acts on every velocity that violates the "
        "constraints: use the mass matrix, or keep the energy balance in sight",
        "this matrix never adds energy, but moves without mass that violate the constraints are "
        "projected at no cost in energy: sound; the mass matrix is the natural choice",
        "this matrix never adds energy and takes some from every velocity that violates the "
        "constraints: sound"};
    const bool first = verdict->kernel_b == verdict->compatible;
    const bool second = verdict->kernel_d == verdict->kernel_b;
    verdict->case_number = 1 + (first ? 1 : 0) + (second ? 2 : 0);
    if (second && verdict->can_add_energy)
        snprintf(verdict->advice, sizeof verdict->advice,
                 "with this penalty no energy is added here, with a smaller one it can be: use the "
                 "mass matrix");
    else
        snprintf(verdict->advice, sizeof verdict->advice, "%s", advice[verdict->case_number - 1]);
}

static cardan_status evaluate_tangent(cd_judge *j, const cardan_projection *projection,
                                      const cardan_point *at)
{
    if (projection->norm != CARDAN_NORM_TANGENT)
        return CARDAN_OK;
    cd_tangent_make(&j->arena, j->system, &j->tangent);
    if (j->arena.failed)
        return cd_fail(&j->cause, CARDAN_OUT_OF_MEMORY, "no memory for a verdict");
    return cd_tangent_evaluate(&j->tangent, j->ws, at, projection->damping, projection->stiffness);
}

static cardan_status find_verdict(cd_judge *j, const cardan_projection *projection,
                                  lab_projection_verdict *verdict, cardan_error *error)
{
    int *dependent = cd_arena_take(&j->arena, (size_t)(j->n + 1) * sizeof(int));
    const int rank = lab_row_rank(&j->arena, j->n, j->k, j->rows, dependent);
    verdict->compatible = j->k - rank;
    if (!apply_norm(j, projection))
        return cd_fail(error, CARDAN_SINGULAR_MATRIX,
                       "the matrix of the projection is singular: some direction has neither mass "
                       "nor damping nor stiffness; only the mass norm can be judged then, and it "
                       "never adds energy");
    if (rank < 0 || !find_kernel_b(j, verdict, projection->norm == CARDAN_NORM_MASS) ||
        !find_smallest(j, verdict) || !find_kernel_d(j, projection->penalty, verdict))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a verdict");
    advise(verdict);
    return cd_succeed(error);
}

cardan_status lab_projection_judge(const cardan_system *system, const cardan_projection *projection,
                                   const cardan_point *at, lab_projection_verdict *verdict,
                                   cardan_error *error)
{
    if (system == NULL || projection == NULL || at == NULL || verdict == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "no argument but `error` may be NULL");
    *verdict = (lab_projection_verdict){0};
    cardan_status status = cd_projection_check(system, projection, error);
    if (status == CARDAN_OK)
        status = cd_projection_check_weights(projection, error);
    if (status != CARDAN_OK)
        return status;
    if (cd_structure_is_sparse(system)) {
        status = lab_verdict_find_large(system, projection, at, verdict, error);
        if (status == CARDAN_OK)
            advise(verdict);
        return status == CARDAN_OK ? cd_succeed(error) : status;
    }
    cd_judge j = {0};
    status = open_judge(&j, system, error);
    if (status == CARDAN_OK && ((status = evaluate(&j, at)) != CARDAN_OK ||
                                (status = evaluate_tangent(&j, projection, at)) != CARDAN_OK))
        status = cd_fail(error, status, "%s", j.cause.text);
    if (status == CARDAN_OK)
        status = find_verdict(&j, projection, verdict, error);
    cd_arena_destroy(&j.arena);
    return status;
}

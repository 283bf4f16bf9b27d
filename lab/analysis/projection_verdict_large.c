/* The verdict on a projection (verdict.c) for large systems: N^s is known by its products only,
 *
 *   N^s x = (M A^-1 C^T C x + C^T C A^-1 M x) / 2,
 *
 * and its smallest eigenvalue is that of largest modulus of N^s - mu with mu its largest one. In
 * the mass norm N^s = C^T C, and there is nothing to search. */
#include "projection_verdict_large.h"
#include "projection_verdict.h"

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/krylov.h"
#include "system/structure.h"
#include "system/tangent.h"

enum { PRODUCTS = 200 };

typedef struct form {
    const cd_workspace *ws;
    int k, n;
    double shift;                 /* mu */
    double alpha;                 /* of -D^s / alpha; 0: N^s alone */
    const cd_matrix *norm;        /* A with its factors; NULL: the mass norm */
    double *rows, *turned, *part; /* n, k, k */
} form;

/* out = M A^-1 C^T C x */
static void apply_force(const form *f, const double *x, double *out)
{
    cd_system_constrain(f->ws, x, f->rows);
    cd_system_react(f->ws, f->rows, f->turned);
    cd_matrix_solve(f->norm, f->turned);
    cd_system_multiply_mass(f->ws, NULL, f->turned, out);
}

/* out = C^T C A^-1 M x */
static void apply_reaction(const form *f, const double *x, double *out)
{
    cd_system_multiply_mass(f->ws, NULL, x, f->turned);
    cd_matrix_solve(f->norm, f->turned);
    cd_system_constrain(f->ws, f->turned, f->rows);
    cd_system_react(f->ws, f->rows, out);
}

/* N^s x - mu x, and alpha/2 C^T (C A^-1 M A^-1 C^T) C x */
static void apply(void *self, const double *x, double *y)
{
    const form *f = self;
    apply_reaction(f, x, y);
    apply_force(f, x, f->part);
    for (int i = 0; i < f->k; i++)
        y[i] = 0.5 * (y[i] + f->part[i]) - f->shift * x[i];
    if (!(f->alpha > 0.0))
        return;
    cd_copy(f->k, f->part, f->turned);
    cd_matrix_solve(f->norm, f->turned);
    cd_system_constrain(f->ws, f->turned, f->rows);
    cd_system_react(f->ws, f->rows, f->part);
    cd_add(f->k, 0.5 * f->alpha, f->part, y);
}

/* The eigenvalue of largest modulus. */
static bool find_extreme(cd_arena *arena, form *f, double *value)
{
    const cd_linear_map map = {f->k, f, apply};
    const cd_krylov_def def = {
        .wanted = 1, .tolerance = 1e-6, .most_products = PRODUCTS, .once = true};
    cd_arena scratch;
    cd_subspace space;
    cd_ritz ritz = {0};
    cd_arena_init(&scratch, &arena->allocator);
    const bool found =
        cd_krylov_find(&scratch, &map, &def, &space) && cd_ritz_find(&scratch, &map, &space, &ritz);
    *value = ritz.count > 0 ? ritz.pair[0].real : 0.0;
    cd_arena_destroy(&scratch);
    return found;
}

/* Both ends of the spectrum; that with the larger modulus is found first. */
static bool find_ends(cd_arena *arena, form *f, double *smallest, double *largest)
{
    double first, second;
    f->shift = 0.0;
    if (!find_extreme(arena, f, &first))
        return false;
    f->shift = first;
    const bool found = find_extreme(arena, f, &second);
    second += first;
    *smallest = fmin(first, second);
    *largest = fmax(first, second);
    return found;
}

/* Is -D^s / alpha = N^s + alpha/2 C^T (C A^-1 M A^-1 C^T) C indefinite if N^s is? A y of ker C adds
 * y^T M A^-1 C^T C x and no square to its value at x: if that is not 0 for some x and y, then yes.
 * Else its smallest eigenvalue decides. */
static bool stays_indefinite(cd_arena *arena, form *f, double alpha, bool *answer)
{
    double smallest, largest, *force = cd_arena_doubles(arena, f->k);
    if (arena->failed)
        return false;
    for (int i = 0; i < f->k; i++)
        f->part[i] = 1.0 + 0.5 * cos(3.7 * i);
    apply_force(f, f->part, force);
    const double size = sqrt(cd_dot(f->k, force, force));
    *answer = !cd_structure_project(arena, f->ws, force) ||
              sqrt(cd_dot(f->k, force, force)) > 1e-8 * size;
    if (*answer)
        return true;
    f->alpha = alpha;
    if (!find_ends(arena, f, &smallest, &largest))
        return false;
    *answer = smallest < -1e-10 * fmax(largest, -smallest);
    return true;
}

/* M regular: K_B = ker C. */
static bool fill(cd_arena *arena, form *f, double penalty, lab_projection_verdict *verdict)
{
    double largest;
    verdict->kernel_b = verdict->kernel_d = verdict->compatible;
    if (f->norm == NULL)
        return true;
    if (!find_ends(arena, f, &verdict->smallest, &largest))
        return false;
    largest = fmax(largest, fabs(verdict->smallest));
    verdict->smallest_relative = largest > 0.0 ? verdict->smallest / largest : 0.0;
    verdict->can_add_energy = verdict->smallest_relative < -1e-10;
    bool indefinite = false;
    if (verdict->can_add_energy && !stays_indefinite(arena, f, penalty, &indefinite))
        return false;
    verdict->kernel_d = indefinite ? f->k : verdict->kernel_b;
    return true;
}

/* A and its pattern. */
typedef struct norm {
    cd_pattern pattern;
    const double *values;
} norm;

/* Of the identity or a diagonal. */
static norm diagonal_norm(cd_arena *arena, const cardan_projection *projection, int k)
{
    int *start = cd_arena_take(arena, ((size_t)k + 1) * sizeof *start);
    int *column = cd_arena_take(arena, (size_t)k * sizeof *column);
    double *values = cd_arena_doubles(arena, k);
    for (int i = 0; !arena->failed && i < k; i++) {
        start[i + 1] = i + 1;
        column[i] = i;
        values[i] = projection->norm == CARDAN_NORM_DIAGONAL ? projection->matrix[i] : 1.0;
    }
    return (norm){{.rows = k, .cols = k, .entries = k, .row_start = start, .column = column},
                  values};
}

static cardan_status find_norm(cd_arena *arena, const cardan_system *system, cd_workspace *ws,
                               const cardan_point *at, const cardan_projection *projection,
                               norm *found)
{
    const int k = system->k;
    cd_tangent *tangent;
    switch (projection->norm) {
    case CARDAN_NORM_MATRIX:
        *found = (norm){cd_pattern_full(k, k), projection->matrix};
        return CARDAN_OK;
    case CARDAN_NORM_TANGENT:
        tangent = cd_arena_take(arena, sizeof *tangent);
        if (tangent != NULL)
            cd_tangent_make(arena, system, tangent);
        if (tangent == NULL || arena->failed)
            return CARDAN_OUT_OF_MEMORY;
        *found = (norm){tangent->pattern, tangent->values};
        return cd_tangent_evaluate(tangent, ws, at, projection->damping, projection->stiffness);
    default:
        *found = diagonal_norm(arena, projection, k);
        return arena->failed ? CARDAN_OUT_OF_MEMORY : CARDAN_OK;
    }
}

/* The factors of A; NULL of the mass norm. */
static cardan_status factor_norm(cd_arena *arena, const cardan_system *system, cd_workspace *ws,
                                 const cardan_point *at, const cardan_projection *projection,
                                 const cd_matrix **factors)
{
    norm a;
    *factors = NULL;
    if (projection->norm == CARDAN_NORM_MASS)
        return CARDAN_OK;
    const cardan_status status = find_norm(arena, system, ws, at, projection, &a);
    cd_matrix *matrix = status == CARDAN_OK ? cd_matrix_create(arena, system->k) : NULL;
    if (matrix == NULL)
        return status == CARDAN_OK ? CARDAN_OUT_OF_MEMORY : status;
    const int slot = cd_matrix_declare(matrix, 0, 0, &a.pattern);
    cd_matrix_seal(matrix);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, slot, 1.0, a.values);
    *factors = matrix;
    return cd_matrix_factor(matrix);
}

static cardan_status judge(cd_arena *arena, const cardan_system *system, cd_workspace *ws,
                           const cardan_projection *projection, const cd_matrix *factors,
                           lab_projection_verdict *verdict, cardan_error *error)
{
    const int k = system->k, n = system->m + system->l;
    cd_structure structure;
    form f = {.ws = ws,
              .k = k,
              .n = n,
              .norm = factors,
              .rows = cd_arena_doubles(arena, n),
              .turned = cd_arena_doubles(arena, k),
              .part = cd_arena_doubles(arena, k)};
    if (arena->failed || !cd_structure_find(arena, ws, &structure))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a verdict");
    if (f.norm != NULL && structure.mass_rank < k)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "a verdict on other matrices than the mass matrix takes full matrices if "
                       "directions have no mass, for up to %d velocities, and this system has %d; "
                       "the mass norm never adds energy",
                       (int)CD_QUICK_ANALYSIS, k);
    verdict->compatible = k - structure.constraint_rank;
    return fill(arena, &f, projection->penalty, verdict)
               ? CARDAN_OK
               : cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a verdict");
}

cardan_status lab_verdict_find_large(const cardan_system *system,
                                     const cardan_projection *projection, const cardan_point *at,
                                     lab_projection_verdict *verdict, cardan_error *error)
{
    cd_arena arena;
    cardan_error cause = {0};
    const cd_matrix *factors;
    if (system->def.unsymmetric_mass)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "a verdict with an unsymmetric mass matrix is for systems of up to %d "
                       "velocities, and this one has %d",
                       (int)CD_QUICK_ANALYSIS, system->k);
    cd_arena_init(&arena, &system->arena.allocator);
    cd_workspace *ws = cd_workspace_create(&arena, system, &cause);
    cardan_status status = ws == NULL ? CARDAN_OUT_OF_MEMORY : CARDAN_OK;
    if (status == CARDAN_OK)
        status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status == CARDAN_OK)
        status = factor_norm(&arena, system, ws, at, projection, &factors);
    if (status == CARDAN_OUT_OF_MEMORY)
        cd_fail(error, status, "no memory for a verdict");
    else if (status != CARDAN_OK)
        cd_fail(error, status, "%s",
                cause.status != CARDAN_OK ? cause.text
                                          : "the matrix of the projection is singular");
    if (status == CARDAN_OK)
        status = judge(&arena, system, ws, projection, factors, verdict, error);
    cd_arena_destroy(&arena);
    return status;
}

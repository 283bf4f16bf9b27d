/* The verdict on a projection (verdict.c) for large systems: N^s is known by its products only,
 *
 *   N^s x = (M A^-1 C^T C x + C^T C A^-1 M x) / 2,
 *
 * and its smallest eigenvalue is that of largest modulus of N^s - mu with mu its largest one. In
 * the mass norm N^s = C^T C, and there is nothing to search. */
#include "analysis/verdict_large.h"

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/krylov.h"
#include "system/structure.h"

enum { PRODUCTS = 200 };

typedef struct form {
    const cd_workspace *ws;
    int k, n;
    double shift;                 /* mu */
    double alpha;                 /* of -D^s / alpha; 0: N^s alone */
    const double *inverse;        /* k: A^-1 */
    double *rows, *turned, *part; /* n, k, k */
} form;

/* out = M A^-1 C^T C x */
static void apply_force(const form *f, const double *x, double *out)
{
    cd_system_constrain(f->ws, x, f->rows);
    cd_system_react(f->ws, f->rows, f->turned);
    for (int i = 0; i < f->k; i++)
        f->turned[i] *= f->inverse[i];
    cd_system_multiply_mass(f->ws, NULL, f->turned, out);
}

/* out = C^T C A^-1 M x */
static void apply_reaction(const form *f, const double *x, double *out)
{
    cd_system_multiply_mass(f->ws, NULL, x, f->turned);
    for (int i = 0; i < f->k; i++)
        f->turned[i] *= f->inverse[i];
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
    for (int i = 0; i < f->k; i++)
        f->turned[i] = f->inverse[i] * f->part[i];
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
static bool fill(cd_arena *arena, form *f, double penalty, cardan_projection_verdict *verdict)
{
    double largest;
    verdict->kernel_b = verdict->kernel_d = verdict->compatible;
    if (f->inverse == NULL) /* the mass norm */
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

/* A^-1 of a diagonal A; NULL of the mass norm. */
static const double *invert(cd_arena *arena, const cardan_projection *projection, int k)
{
    if (projection->norm == CARDAN_NORM_MASS)
        return NULL;
    double *inverse = cd_arena_doubles(arena, k);
    for (int i = 0; inverse != NULL && i < k; i++)
        inverse[i] = projection->norm == CARDAN_NORM_DIAGONAL ? 1.0 / projection->matrix[i] : 1.0;
    return inverse;
}

static cardan_status judge(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                           const cardan_projection *projection, cardan_projection_verdict *verdict,
                           cardan_error *error)
{
    const int k = system->k, n = system->m + system->l;
    const int mass_rank = cd_structure_mass_rank(arena, ws);
    const int constraint_rank = cd_structure_constraint_rank(arena, ws);
    form f = {.ws = ws,
              .k = k,
              .n = n,
              .inverse = invert(arena, projection, k),
              .rows = cd_arena_doubles(arena, n),
              .turned = cd_arena_doubles(arena, k),
              .part = cd_arena_doubles(arena, k)};
    if (arena->failed || mass_rank < 0 || constraint_rank < 0)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a verdict");
    if (f.inverse != NULL && mass_rank < k)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "a verdict on other matrices than the mass matrix takes full matrices if "
                       "directions have no mass, for up to %d velocities, and this system has %d; "
                       "the mass norm never adds energy",
                       (int)CD_QUICK_ANALYSIS, k);
    verdict->compatible = k - constraint_rank;
    return fill(arena, &f, projection->penalty, verdict)
               ? CARDAN_OK
               : cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a verdict");
}

cardan_status cd_verdict_find_large(const cardan_system *system,
                                    const cardan_projection *projection, const cardan_point *at,
                                    cardan_projection_verdict *verdict, cardan_error *error)
{
    cd_arena arena;
    cardan_error cause = {0};
    if (projection->norm == CARDAN_NORM_MATRIX || system->def.unsymmetric_mass)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "a verdict on a full matrix, or with an unsymmetric mass matrix, is for "
                       "systems of up to %d velocities, and this one has %d; the mass norm never "
                       "adds energy",
                       (int)CD_QUICK_ANALYSIS, system->k);
    cd_arena_init(&arena, &system->arena.allocator);
    cd_workspace *ws = cd_workspace_create(&arena, system, &cause);
    cardan_status status =
        ws == NULL ? cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a verdict") : CARDAN_OK;
    if (status == CARDAN_OK &&
        (status = cd_system_equations(ws, at, &(cd_equations){0})) != CARDAN_OK)
        status = cd_fail(error, status, "%s", cause.text);
    if (status == CARDAN_OK)
        status = judge(&arena, ws, system, projection, verdict, error);
    cd_arena_destroy(&arena);
    return status;
}

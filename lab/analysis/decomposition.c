/* The structural decomposition of Lemma 1, ACB-R (13), with C = (B; K) in the place of B.
 *
 * With M = Ubar D Ubar^T and ker M spanned by the columns of Unull, and the singular value
 * decomposition C Unull = (W1 W2) (S; 0) V^T:
 *
 *   Q = (W2, C Unull),  Q^-1 = (W2^T; V S^-1 W1^T),  (Bbar; Bnull) = Q^-1 C Ubar,
 *   U = (Unull + Ubar Bnull^T, Ubar). */
#include "decomposition.h"
#include "base/error.h"
#include "base/numeric.h"
#include "linalg/dense.h"
#include "system/structure.h"

#include <cardan/rank.h>

/* The public part first: a decomposition is released through its address. */
typedef struct owned_decomposition {
    lab_decomposition view;
    cd_arena arena;
} owned_decomposition;

/* The arrays under construction; views of them become public. */
typedef struct factors {
    int k, n, r, d;     /* d = k - r */
    double *vectors;    /* k x k: eigenvectors of M as rows, those of the null space first */
    double *values;     /* k */
    double *reach;      /* n x d: C Unull */
    double *left;       /* n x n: (W1 W2) */
    double *singular;   /* d */
    double *right;      /* d x d: V^T */
    double *q, *u, *b;  /* the result */
    double *share;      /* n */
    double *null_block; /* d x r: Bnull */
} factors;

static bool make_factors(cd_arena *arena, const cd_structure *s, factors *f)
{
    const int k = s->k, n = s->n, r = s->mass_rank, d = k - r;
    *f = (factors){.k = k,
                   .n = n,
                   .r = r,
                   .d = d,
                   .vectors = cd_arena_doubles(arena, k * k),
                   .values = cd_arena_doubles(arena, k),
                   .reach = cd_arena_doubles(arena, n * d),
                   .left = cd_arena_doubles(arena, n * n),
                   .singular = cd_arena_doubles(arena, d),
                   .right = cd_arena_doubles(arena, d * d),
                   .q = cd_arena_doubles(arena, n * n),
                   .u = cd_arena_doubles(arena, k * k),
                   .b = cd_arena_doubles(arena, (n - d) * r),
                   .share = cd_arena_doubles(arena, n),
                   .null_block = cd_arena_doubles(arena, d * r)};
    if (arena->failed)
        return false;
    cd_copy(k * k, s->mass, f->vectors);
    return cd_symmetric_eigen(arena, k, f->vectors, f->values);
}

static bool find_q(cd_arena *arena, const cd_structure *s, factors *f)
{
    const int n = f->n, d = f->d, tied = n - d;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            f->reach[i * d + j] = cd_dot(f->k, s->constraints + i * f->k, f->vectors + j * f->k);
    if (!cd_singular_values(arena, n, d, f->reach, f->left, f->singular, f->right))
        return false;
    for (int i = 0; i < n; i++) {
        cd_copy(tied, f->left + i * n + d, f->q + i * n);
        cd_copy(d, f->reach + i * d, f->q + i * n + tied);
        f->share[i] = cd_dot(d, f->left + i * n, f->left + i * n);
    }
    return true;
}

/* Bbar and Bnull, column by column: Q^-1 C u for every eigenvector u of a positive eigenvalue. */
static void find_b(const cd_structure *s, factors *f, double *image, double *parts)
{
    const int n = f->n, d = f->d, r = f->r;
    for (int j = 0; j < r; j++) {
        cd_multiply(n, f->k, s->constraints, f->vectors + (d + j) * f->k, image);
        cd_zero(n, parts);
        cd_add_transposed(n, n, f->left, image, parts); /* (W1 W2)^T C u */
        for (int i = 0; i < n - d; i++)
            f->b[i * r + j] = parts[d + i];
        for (int i = 0; i < d; i++)
            for (int p = 0; p < d; p++)
                f->null_block[i * r + j] += f->right[p * d + i] * parts[p] / f->singular[p];
    }
}

static void find_u(factors *f)
{
    const int k = f->k, d = f->d, r = f->r;
    for (int i = 0; i < k; i++) {
        double *row = f->u + i * k;
        for (int j = 0; j < k; j++)
            row[j] = f->vectors[j * k + i];
        for (int j = 0; j < d; j++)
            for (int p = 0; p < r; p++)
                row[j] += f->vectors[(d + p) * k + i] * f->null_block[j * r + p];
    }
}

/* Column j of (0 Bbar; I 0) U^T; Q times it is that of the constraints. */
static void constraint_column(const factors *f, int j, double *column)
{
    const int tied = f->n - f->d;
    const double *u = f->u + j * f->k;
    for (int p = 0; p < tied; p++)
        column[p] = cd_dot(f->r, f->b + p * f->r, u + f->d);
    cd_copy(f->d, u, column + tied);
}

static double mass_entry(const factors *f, int i, int j)
{
    double sum = 0.0;
    for (int p = f->d; p < f->k; p++)
        sum += f->u[i * f->k + p] * f->values[p] * f->u[j * f->k + p];
    return sum;
}

/* Multiplies out; `column` has room for n numbers. */
static double defect_of(const cd_structure *s, const factors *f, double *column)
{
    const double mass = cd_max_abs(f->k * f->k, s->mass);
    const double constraints = cd_max_abs(f->n * f->k, s->constraints);
    double defect = 0.0;
    for (int j = 0; j < f->k; j++) {
        for (int i = 0; i < f->k && mass > 0.0; i++)
            defect = fmax(defect, fabs(mass_entry(f, i, j) - s->mass[i * f->k + j]) / mass);
        constraint_column(f, j, column);
        for (int i = 0; i < f->n && constraints > 0.0; i++)
            defect = fmax(
                defect, fabs(cd_dot(f->n, f->q + i * f->n, column) - s->constraints[i * f->k + j]) /
                            constraints);
    }
    return defect;
}

static bool decompose(cd_arena *arena, const cd_structure *s, lab_decomposition *out)
{
    factors f;
    double *image = cd_arena_doubles(arena, s->n), *parts = cd_arena_doubles(arena, s->n);
    if (!make_factors(arena, s, &f) || !find_q(arena, s, &f))
        return false;
    find_b(s, &f, image, parts);
    find_u(&f);
    *out = (lab_decomposition){.dof = f.k,
                               .constraints = f.n,
                               .mass_rank = f.r,
                               .u = f.u,
                               .q = f.q,
                               .eigenvalues = f.values + f.d,
                               .b = f.b,
                               .share = f.share,
                               .defect = defect_of(s, &f, image)};
    return true;
}

static cardan_status build(owned_decomposition *owned, const cardan_system *system,
                           const cardan_point *at, cardan_error *error)
{
    cd_structure structure;
    cardan_error trouble;
    cd_workspace *ws = cd_workspace_create(&owned->arena, system, &trouble);
    if (owned->arena.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the decomposition");
    cardan_status status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return cd_fail(error, status, "%s", trouble.text);
    if (!cd_structure_find(&owned->arena, ws, &structure) ||
        !cd_structure_expand(&owned->arena, ws, &structure))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the decomposition");
    status = cd_structure_judge(&structure, at->t, error);
    if (status == CARDAN_OK && !decompose(&owned->arena, &structure, &owned->view))
        status = cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the decomposition");
    return status;
}

cardan_status lab_decomposition_create(lab_decomposition **decomposition,
                                       const cardan_system *system, const cardan_point *at,
                                       cardan_error *error)
{
    if (decomposition == NULL || system == NULL || at == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "no argument but `error` may be NULL");
    *decomposition = NULL;
    if (system->def.unsymmetric_mass)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "the decomposition needs a symmetric mass matrix");
    if (system->k > CD_DENSE_ANALYSIS)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "the decomposition consists of full matrices: at most %d velocities, and "
                       "this system has %d",
                       (int)CD_DENSE_ANALYSIS, system->k);
    owned_decomposition *owned = cd_allocate(&system->arena.allocator, sizeof *owned);
    if (owned == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the decomposition");
    cd_arena_init(&owned->arena, &system->arena.allocator);
    cardan_status status = build(owned, system, at, error);
    if (status != CARDAN_OK) {
        lab_decomposition_destroy(&owned->view);
        return status;
    }
    *decomposition = &owned->view;
    return cd_succeed(error);
}

void lab_decomposition_destroy(lab_decomposition *decomposition)
{
    owned_decomposition *owned = (owned_decomposition *)decomposition;
    if (owned == NULL)
        return;
    const cardan_allocator allocator = owned->arena.allocator;
    cd_arena_destroy(&owned->arena);
    cd_release(&allocator, owned);
}

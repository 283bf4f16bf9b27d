/* The lowest modes by sparse factors.
 *
 * The linearised equations (modes.c) with the bases of free directions replaced by multipliers,
 *
 *   xi' = w - [v, xi] - W^-1 B^T mu      B xi = 0
 *   M w' + D w + S xi + G nu = 0         C w + (drift) xi = 0
 *
 * with W the squared scales of velocities, are x' = A x on the x = (xi, w) that obey the
 * constraints. F = (A - sigma)^-1 is one solve with a sparse matrix, whose results obey them. The
 * eigenvalues s of A nearest to 0 are the largest s^2 / (s - sigma)^3 of A^2 F^3, for sigma below
 * all |s| that are not 0. Those that are 0, also the double ones of free directions, vanish: else
 * the neutral directions of long chains, one for every link, would hide everything. */
#include "base/error.h"
#include "base/numeric.h"
#include "linalg/krylov.h"
#include "linearise.h"
#include "mode_shape.h"
#include "system/consistent.h"
#include "system/structure.h"

#include <stdlib.h>

/* Eigenvalues below this part of the highest frequency are 0: rounding of 1e-12 in the matrices
 * moves a double 0 by so much. */
static const double NOTHING = 1e-6;

enum { TERMS = 13, TRIALS = 12, MORE = 4 };

typedef struct inverse {
    const cardan_system *system;
    cd_workspace *ws;
    const cardan_point *at;
    int k, size;         /* velocities; unknowns of the matrix */
    const double *scale; /* k */
    double sigma;
    double rate; /* about the highest frequency */
    cd_matrix *matrix;
    cd_term terms[TERMS];
    double *projector; /* entries of W^-1 B^T */
    int projector_slot;
    double *x;   /* size */
    double *sum; /* 2 k */
} inverse;

/* ---- the matrix ---- */

static void make_terms(inverse *f, bool undamped)
{
    const int k = f->k, m = f->system->m, w = k, mu = 2 * k, nu = mu + m, psi = nu + m;
    const cd_term terms[TERMS] = {{CD_BRACKET, 0, 0, -1.0, false, 0},
                                  {CD_IDENTITY, 0, 0, 1.0, false, 0}, /* -sigma */
                                  {CD_IDENTITY, 0, w, 1.0, false, 0},
                                  {CD_DYNAMICS_VDOT, w, w, 1.0, false, 0}, /* sigma */
                                  {CD_DYNAMICS_V, w, w, undamped ? 0.0 : 1.0, false, 0},
                                  {CD_DYNAMICS_Q, w, 0, 1.0, false, 0},
                                  {CD_DYNAMICS_LAMBDA, w, nu, 1.0, false, 0},
                                  {CD_DYNAMICS_PSI, w, psi, 1.0, false, 0},
                                  {CD_POSITION_Q, mu, 0, 1.0, false, 0},
                                  {CD_HIDDEN_Q, nu, 0, 1.0, false, 0},
                                  {CD_HIDDEN_V, nu, w, 1.0, false, 0},
                                  {CD_ROLLING_Q, psi, 0, 1.0, false, 0},
                                  {CD_ROLLING_V, psi, w, 1.0, false, 0}};
    memcpy(f->terms, terms, sizeof terms);
}

/* W^-1 B^T, by rows of B. */
static cd_pattern make_projector(cd_arena *arena, inverse *f)
{
    const int m = f->system->m;
    int entries = 0, *start = cd_arena_take(arena, ((size_t)m + 1) * sizeof *start);
    for (int i = 0; i < m; i++)
        entries += cd_system_constraint_row(f->ws, i).count;
    int *column = cd_arena_take(arena, (size_t)entries * sizeof *column);
    f->projector = cd_arena_doubles(arena, entries);
    for (int i = 0, next = 0; !arena->failed && i < m; i++) {
        const cd_row row = cd_system_constraint_row(f->ws, i);
        for (int e = 0; e < row.count; e++, next++) {
            const int j = column[next] = cd_row_column(&row, e);
            f->projector[next] = -row.values[e] / (f->scale[j] * f->scale[j]);
        }
        start[i + 1] = next;
    }
    return (cd_pattern){
        .rows = m, .cols = f->k, .entries = entries, .row_start = start, .column = column};
}

static bool open_inverse(cd_arena *arena, inverse *f, bool undamped)
{
    const int k = f->k, m = f->system->m, l = f->system->l;
    f->size = 2 * k + 2 * m + l;
    f->matrix = cd_matrix_create(arena, f->size);
    f->x = cd_arena_doubles(arena, f->size);
    f->sum = cd_arena_doubles(arena, 2 * k);
    const cd_pattern projector = make_projector(arena, f);
    if (arena->failed)
        return false;
    make_terms(f, undamped);
    cd_system_declare(f->system, f->terms, TERMS, f->matrix);
    f->projector_slot = cd_matrix_declare_transposed(f->matrix, 0, 2 * k, &projector);
    cd_matrix_seal(f->matrix);
    return !arena->failed;
}

static cardan_status shift(inverse *f, double sigma)
{
    const cd_map map = {.increment = f->at->v, .ratio = 1.0, .bracket = f->at->v, .weight = 0.0};
    cardan_status status;
    f->sigma = sigma;
    f->terms[1].weight = -sigma;
    f->terms[3].weight = sigma;
    do {
        cd_matrix_clear(f->matrix);
        cd_matrix_add(f->matrix, f->projector_slot, 1.0, f->projector);
        status = cd_system_assemble(f->ws, f->at, &map, f->terms, TERMS, f->matrix);
        if (status != CARDAN_OK)
            return status;
        status = cd_matrix_factor(f->matrix);
    } while (status != CARDAN_OK && cd_matrix_retry(f->matrix));
    return status;
}

/* ---- products, in states (sigma scale xi, scale w) ---- */

static void apply_inverse(void *self, const double *x, double *y)
{
    inverse *f = self;
    const int k = f->k;
    double *velocity = y; /* y is free until the end */
    cd_zero(f->size, f->x);
    for (int i = 0; i < k; i++) {
        f->x[i] = x[i] / (f->sigma * f->scale[i]);
        velocity[i] = -x[k + i] / f->scale[i];
    }
    cd_system_multiply_mass(f->ws, NULL, velocity, f->x + k);
    cd_matrix_solve(f->matrix, f->x);
    for (int i = 0; i < k; i++) {
        y[i] = f->sigma * f->scale[i] * f->x[i];
        y[k + i] = f->scale[i] * f->x[k + i];
    }
}

/* F (1 + sigma F)^2 = A^2 F^3 */
static void apply_without_zeros(void *self, const double *x, double *y)
{
    inverse *f = self;
    cd_copy(2 * f->k, x, f->sum);
    for (int pass = 0; pass < 2; pass++) {
        apply_inverse(f, f->sum, y);
        cd_add(2 * f->k, f->sigma, y, f->sum);
    }
    apply_inverse(f, f->sum, y);
}

/* ---- eigenvalues ---- */

typedef struct root {
    double real, imag, size, residual;
    const double *vector;
} root;

typedef struct root_list {
    int count;
    root *root;
} root_list;

static int by_size(const void *a, const void *b)
{
    const root *one = a, *two = b;
    if (one->size != two->size)
        return one->size < two->size ? -1 : 1;
    return (one->real > two->real) - (one->real < two->real);
}

/* Those of A in a subspace that are not 0, ascending by modulus. A double 0 may be off by the
 * square root of its residual. */
static bool find_roots(cd_arena *arena, inverse *f, const cd_subspace *space, root_list *list)
{
    const cd_linear_map map = {2 * f->k, f, apply_inverse};
    cd_ritz ritz;
    if (!cd_ritz_find(arena, &map, space, &ritz))
        return false;
    *list = (root_list){0, cd_arena_take(arena, (size_t)(ritz.count + 1) * sizeof(root))};
    for (int i = 0; list->root != NULL && i < ritz.count; i++) {
        const cd_ritz_pair *pair = &ritz.pair[i];
        const double square = pair->real * pair->real + pair->imag * pair->imag;
        const double real = f->sigma + pair->real / square, imag = -pair->imag / square;
        const double size = hypot(real, imag);
        const double zero = fmax(NOTHING * f->rate, f->sigma * sqrt(pair->residual));
        if (size > zero && isfinite(size))
            list->root[list->count++] =
                (root){real, fabs(imag), size, pair->residual, pair->vector};
    }
    if (list->root != NULL)
        qsort(list->root, (size_t)list->count, sizeof(root), by_size);
    return list->root != NULL;
}

/* About the smallest modulus that is not 0, from a few products; INFINITY if none is seen. */
static bool estimate(cd_arena *arena, inverse *f, double *smallest)
{
    const cd_linear_map map = {2 * f->k, f, apply_without_zeros};
    const cd_krylov_def def = {.wanted = 4, .tolerance = 1e-2, .most_products = 30, .once = true};
    cd_arena scratch;
    cd_subspace space;
    root_list list = {0};
    cd_arena_init(&scratch, &arena->allocator);
    const bool found =
        cd_krylov_find(&scratch, &map, &def, &space) && find_roots(&scratch, f, &space, &list);
    *smallest = list.count > 0 ? list.root[0].size : INFINITY;
    cd_arena_destroy(&scratch);
    return found;
}

/* A shift below the smallest modulus and not far from it, from below: too small a shift shows the
 * smallest modulus, too large a one hides it. */
static cardan_status choose_shift(cd_arena *arena, inverse *f, bool *any)
{
    double sigma = 3.0 * NOTHING * f->rate, smallest = INFINITY;
    cardan_status status = CARDAN_OK;
    *any = false;
    for (int trial = 0; trial < TRIALS; trial++) {
        status = shift(f, sigma);
        if (status != CARDAN_OK && status != CARDAN_SINGULAR_MATRIX)
            return status;
        if (status == CARDAN_OK && !estimate(arena, f, &smallest))
            return CARDAN_OUT_OF_MEMORY;
        *any = status == CARDAN_OK && isfinite(smallest);
        if (*any && smallest >= 1.2 * sigma && smallest <= 8.0 * sigma)
            return CARDAN_OK;
        sigma = *any ? smallest / 2.5 : 10.0 * sigma;
        if (sigma > 1e3 * f->rate)
            break;
    }
    return status;
}

/* All wanted roots with the present shift. */
static cardan_status find_lowest(cd_arena *arena, inverse *f, int wanted, root_list *list,
                                 bool *converged)
{
    const cd_linear_map map = {2 * f->k, f, apply_without_zeros};
    const int dimension = 2 * (wanted + MORE);
    const cd_krylov_def def = {.wanted = dimension < 2 * f->k ? dimension : 2 * f->k,
                               .tolerance = 1e-10,
                               .most_products = 40 * dimension};
    cd_subspace space;
    if (!cd_krylov_find(arena, &map, &def, &space) || !find_roots(arena, f, &space, list))
        return CARDAN_OUT_OF_MEMORY;
    int good = 0;
    for (int i = 0; i < list->count && good < wanted; i++)
        if (list->root[i].residual < 1e-7)
            list->root[good++] = list->root[i];
    list->count = good;
    *converged = space.converged || good == wanted;
    return CARDAN_OK;
}

/* Finds the shift and the roots; once more if a root is below the shift after all. */
static cardan_status solve(cd_arena *arena, inverse *f, int wanted, root_list *list,
                           bool *converged)
{
    bool any = false;
    *list = (root_list){0};
    *converged = true;
    cardan_status status = cd_stiffness_rate(arena, f->ws, f->system, f->at, f->scale, &f->rate);
    if (status == CARDAN_OK)
        status = choose_shift(arena, f, &any);
    for (int pass = 0; pass < 3 && status == CARDAN_OK && any; pass++) {
        status = find_lowest(arena, f, wanted, list, converged);
        if (status != CARDAN_OK || list->count == 0 || list->root[0].size >= f->sigma)
            break;
        status = shift(f, list->root[0].size / 4.0);
    }
    return status;
}

/* ---- the state ---- */

/* Complete accelerations and multipliers, and the structure there. */
static cardan_status complete(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                              cardan_point *at, cd_structure *structure, cardan_error *error)
{
    double *vdot = cd_arena_doubles(arena, system->k);
    double *lambda = cd_arena_doubles(arena, system->m);
    double *psi = cd_arena_doubles(arena, system->l);
    cd_consistent *consistent = cd_consistent_create(arena, ws, system, 0, error);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    at->vdot = vdot;
    at->lambda = lambda;
    at->psi = psi;
    cardan_status status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    if (!cd_structure_find_large(arena, system, ws, structure))
        return CARDAN_OUT_OF_MEMORY;
    status = cd_structure_judge(structure, at->t, error);
    if (status == CARDAN_OK)
        status = cd_consistent_accelerations(consistent, at, vdot, lambda, psi);
    if (status == CARDAN_OK)
        status = cd_system_equations(ws, at, &(cd_equations){0});
    return status;
}

/* Does F, which knows nothing of how constraints are written, do the same further on? */
static cardan_status compare_further(cd_arena *arena, const inverse *here, bool undamped,
                                     cardan_error *error, bool *same)
{
    const cardan_system *system = here->system;
    const int k = here->k;
    const double time = 0.1 / cd_max_abs(k, here->at->v);
    inverse further = {.system = system, .k = k};
    cd_structure structure;
    cardan_point at = *here->at;
    double *q = cd_arena_doubles(arena, cardan_group_size(system->group));
    double *probe = cd_arena_doubles(arena, 2 * k), *one = cd_arena_doubles(arena, 2 * k);
    double *two = cd_arena_doubles(arena, 2 * k);
    further.ws = cd_workspace_create(arena, system, error);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_add(k, time, at.v, one);
    cardan_group_update(system->group, at.q, one, q);
    at.t += time;
    at.q = q;
    cardan_status status = complete(arena, further.ws, system, &at, &structure, error);
    further.at = &at;
    further.scale = here->scale;
    if (status == CARDAN_OK && !open_inverse(arena, &further, undamped))
        return CARDAN_OUT_OF_MEMORY;
    if (status == CARDAN_OK)
        status = shift(&further, here->sigma);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < 2 * k; i++)
        probe[i] = 1.0 + 0.5 * cos(3.7 * i);
    inverse copy = *here;
    apply_inverse(&copy, probe, one);
    apply_inverse(&further, probe, two);
    const double size = cd_max_abs(2 * k, one);
    cd_add(2 * k, -1.0, one, two);
    *same = cd_max_abs(2 * k, two) <= 1e3 * cd_analysis_tolerance(system) * size;
    return CARDAN_OK;
}

static cardan_status judge_steady(cd_arena *arena, const inverse *f, bool undamped,
                                  cardan_modes *modes, cardan_error *error)
{
    const double speed = cd_max_abs(f->k, f->at->v);
    const double still = 1e3 * cd_analysis_tolerance(f->system);
    modes->acceleration = cd_max_abs(f->k, f->at->vdot);
    modes->is_steady = modes->acceleration <= still * (1.0 + speed * speed);
    if (!modes->is_steady || speed == 0.0)
        return CARDAN_OK;
    bool same = false;
    const cardan_status status = compare_further(arena, f, undamped, error, &same);
    modes->is_steady = status == CARDAN_OK && same;
    return status > 0 ? CARDAN_OK : status; /* a point beyond what the model can do is no failure */
}

static bool fill(cd_arena *arena, const inverse *f, const root_list *roots, cardan_modes *modes)
{
    const int k = f->k;
    cardan_mode *list = cd_arena_take(arena, (size_t)(roots->count + 1) * sizeof *list);
    for (int i = 0; list != NULL && i < roots->count; i++) {
        const root *r = &roots->root[i];
        double *shape = cd_arena_doubles(arena, 4 * k);
        if (shape == NULL)
            return false;
        for (int part = 0; part < 2; part++)
            for (int j = 0; j < k; j++) {
                /* theta = 1 / (s - sigma) has the other sign of the imaginary part */
                const double sign = part == 0 ? 1.0 : -1.0;
                const double *x = r->vector + part * 2 * k;
                shape[part * k + j] = sign * x[j] / (f->sigma * f->scale[j]);
                shape[(2 + part) * k + j] = sign * x[k + j] / f->scale[j];
            }
        list[i] = cd_mode_make(arena, f->system, r->real, r->imag, shape);
        if (list[i].moves == NULL)
            return false;
        modes->largest_real = i == 0 ? r->real : fmax(modes->largest_real, r->real);
    }
    modes->count = roots->count;
    modes->mode = list;
    return list != NULL;
}

cardan_status cd_modes_find_large(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                                  const cardan_point *given, const cardan_modes_def *def,
                                  int wanted, cardan_modes *modes, cardan_error *error)
{
    cd_structure structure;
    root_list roots;
    bool converged;
    cardan_point at = *given;
    inverse f = {.system = system, .k = system->k, .at = &at};
    f.ws = cd_workspace_create(scratch, system, error);
    if (scratch->failed)
        return CARDAN_OUT_OF_MEMORY;
    cardan_status status = complete(scratch, f.ws, system, &at, &structure, error);
    if (status != CARDAN_OK)
        return status;
    f.scale = structure.scale;
    if (!open_inverse(scratch, &f, def->undamped))
        return CARDAN_OUT_OF_MEMORY;
    status = solve(scratch, &f, wanted, &roots, &converged);
    if (status == CARDAN_SINGULAR_MATRIX)
        return cd_fail(error, status,
                       "at t = %.9g the linearised equations do not determine the motion: some "
                       "direction has neither mass nor stiffness",
                       at.t);
    if (status == CARDAN_OK && !converged)
        return cd_fail(error, CARDAN_NOT_CONVERGED,
                       "the search for the lowest %d modes did not end; ask for fewer (--count)",
                       wanted);
    modes->dof = system->k;
    modes->displacements = system->k - structure.holonomic_rank;
    modes->velocities = system->k - structure.constraint_rank;
    modes->is_partial = true;
    if (status == CARDAN_OK)
        status = judge_steady(scratch, &f, def->undamped, modes, error);
    if (status == CARDAN_OK && !fill(arena, &f, &roots, modes))
        status = CARDAN_OUT_OF_MEMORY;
    return status;
}

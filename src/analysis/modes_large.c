/* The lowest modes by sparse factors.
 *
 * The linearised equations (linearise.h) with the bases of free directions replaced by multipliers,
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
#include "border.h"
#include "linalg/krylov.h"
#include "linearise.h"
#include "mode_shape.h"
#include "system/consistent.h"
#include "system/structure.h"
#include "system/workspace.h"

/* Eigenvalues below this share of the highest frequency count as 0: rounding moves a double 0. */
static const double NOTHING = 1e-6;

enum { TRIALS = 12, MORE = 4, IDENTITY = 1, MASS = 3, DAMPING = 4 };

/* The matrix of F at a point, and the states that are multiplied by it. */
typedef struct mode_search {
    cd_arena *arena;
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    bool undamped;
    cardan_point at; /* complete */
    cd_structure structure;
    int k, size;         /* velocities; unknowns of the matrix */
    const double *scale; /* k */
    double sigma;
    double rate; /* about the highest frequency */
    cd_term_matrix matrix;
    double *projector; /* entries of -W^-1 B^T */
    double *x;         /* size */
    double *sum;       /* 2 k */
} mode_search;

/* ---- the matrix ---- */

/* -W^-1 B^T, in the entries of B. */
static void make_projector(mode_search *f, const cd_pattern *pattern)
{
    f->projector = cd_arena_doubles(f->arena, pattern->entries);
    for (int i = 0; !f->arena->failed && i < pattern->rows; i++) {
        const cd_row row = cd_system_constraint_row(f->ws, i);
        for (int e = 0; e < row.count; e++) {
            const double scale = f->scale[cd_row_column(&row, e)];
            f->projector[cd_pattern_begin(pattern, i) + e] = -row.values[e] / (scale * scale);
        }
    }
}

static bool declare_matrix(mode_search *f)
{
    const int k = f->k, m = f->system->m, l = f->system->l;
    const int w = k, mu = 2 * k, nu = mu + m, psi = nu + m;
    const cd_pattern *projector = cd_pattern_of(f->ws, CD_P_constraint_dq);
    make_projector(f, projector);
    f->size = psi + l;
    f->x = cd_arena_doubles(f->arena, f->size);
    f->sum = cd_arena_doubles(f->arena, 2 * k);
    f->matrix =
        (cd_term_matrix){.matrix = cd_matrix_create(f->arena, f->size),
                         .terms = {{CD_BRACKET, 0, 0, -1.0, false, 0},
                                   [IDENTITY] = {CD_IDENTITY, 0, 0, 1.0, false, 0}, /* -sigma */
                                   {CD_IDENTITY, 0, w, 1.0, false, 0},
                                   [MASS] = {CD_DYNAMICS_VDOT, w, w, 1.0, false, 0}, /* sigma */
                                   [DAMPING] = {CD_DYNAMICS_V, w, w, 1.0, false, 0},
                                   {CD_DYNAMICS_Q, w, 0, 1.0, false, 0},
                                   {CD_DYNAMICS_LAMBDA, w, nu, 1.0, false, 0},
                                   {CD_DYNAMICS_PSI, w, psi, 1.0, false, 0},
                                   {CD_POSITION_Q, mu, 0, 1.0, false, 0},
                                   {CD_HIDDEN_Q, nu, 0, 1.0, false, 0},
                                   {CD_HIDDEN_V, nu, w, 1.0, false, 0},
                                   {CD_NONHOLONOMIC_Q, psi, 0, 1.0, false, 0},
                                   {CD_NONHOLONOMIC_V, psi, w, 1.0, false, 0}},
                         .count = CD_MOST_TERMS,
                         .values = f->projector};
    if (f->undamped)
        f->matrix.terms[DAMPING].weight = 0.0;
    return cd_term_matrix_create(&f->matrix, f->arena, f->system, projector, 2 * k);
}

/* Factors the matrix for this sigma. */
static cardan_status set_shift(mode_search *f, double sigma)
{
    f->sigma = sigma;
    f->matrix.terms[IDENTITY].weight = -sigma;
    f->matrix.terms[MASS].weight = sigma;
    return cd_term_matrix_factor(&f->matrix, f->ws, &f->at);
}

/* Finds v' and multipliers at a point and declares the matrix there. */
static cardan_status linearise_at(mode_search *f, const cardan_point *at)
{
    const cardan_system *system = f->system;
    cd_arena *arena = f->arena;
    double *vdot = cd_arena_doubles(arena, system->k);
    double *lambda = cd_arena_doubles(arena, system->m);
    double *psi = cd_arena_doubles(arena, system->l);
    f->ws = cd_workspace_create(arena, system, f->error);
    cd_consistent *consistent = cd_consistent_create(arena, f->ws, system, 0, f->error);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    f->at = (cardan_point){at->t, at->q, at->v, vdot, lambda, psi};
    cardan_status status = cd_system_equations(f->ws, &f->at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    if (!cd_structure_find(arena, f->ws, &f->structure))
        return CARDAN_OUT_OF_MEMORY;
    status = cd_structure_judge(&f->structure, at->t, f->error);
    if (status == CARDAN_OK)
        status = cd_consistent_accelerations(consistent, &f->at, vdot, lambda, psi);
    if (status == CARDAN_OK)
        status = cd_system_equations(f->ws, &f->at, &(cd_equations){0});
    if (status != CARDAN_OK)
        return status;
    f->scale = f->scale != NULL ? f->scale : f->structure.scale;
    return declare_matrix(f) ? CARDAN_OK : CARDAN_OUT_OF_MEMORY;
}

/* Linearises at another point and factors the matrix for the same sigma. */
static cardan_status linearise_and_factor(void *self, const cardan_point *at)
{
    mode_search *f = self;
    const cardan_status status = linearise_at(f, at);
    return status == CARDAN_OK ? set_shift(f, f->sigma) : status;
}

/* ---- products, in states (sigma scale xi, scale w) ---- */

/* y = F x */
static void apply_inverse(void *self, const double *x, double *y)
{
    mode_search *f = self;
    const int k = f->k;
    double *velocity = y; /* y is free until the end */
    cd_zero(f->size, f->x);
    for (int i = 0; i < k; i++) {
        f->x[i] = x[i] / (f->sigma * f->scale[i]);
        velocity[i] = -x[k + i] / f->scale[i];
    }
    cd_system_multiply_mass(f->ws, NULL, velocity, f->x + k);
    cd_matrix_solve(f->matrix.matrix, f->x);
    for (int i = 0; i < k; i++) {
        y[i] = f->sigma * f->scale[i] * f->x[i];
        y[k + i] = f->scale[i] * f->x[k + i];
    }
}

/* y = F (1 + sigma F)^2 x = A^2 F^3 x, in which eigenvalues 0 of A vanish */
static void apply_without_zeros(void *self, const double *x, double *y)
{
    mode_search *f = self;
    cd_copy(2 * f->k, x, f->sum);
    for (int pass = 0; pass < 2; pass++) {
        apply_inverse(f, f->sum, y);
        cd_add(2 * f->k, f->sigma, y, f->sum);
    }
    apply_inverse(f, f->sum, y);
}

/* ---- eigenvalues ---- */

typedef struct root_list {
    int count;
    cd_eigenpair *root;
} root_list;

static double modulus_of(const cd_eigenpair *root)
{
    return hypot(root->real, root->imag);
}

/* Finds the eigenvalues of A with the smallest modulus, ascending, without those that are 0. A
 * double 0 may have an error of the square root of its residual. */
static bool find_roots(cd_arena *arena, mode_search *f, const cd_krylov_def *def, root_list *list,
                       bool *converged)
{
    const cd_linear_map search = {2 * f->k, f, apply_without_zeros};
    const cd_linear_map map = {2 * f->k, f, apply_inverse};
    cd_subspace space;
    cd_ritz ritz;
    if (!cd_krylov_find(arena, &search, def, &space) || !cd_ritz_find(arena, &map, &space, &ritz))
        return false;
    *converged = space.converged;
    *list = (root_list){0, cd_arena_take(arena, (size_t)(ritz.count + 1) * sizeof(cd_eigenpair))};
    for (int i = 0; list->root != NULL && i < ritz.count; i++) {
        const cd_ritz_pair *pair = &ritz.pair[i];
        const double square = pair->real * pair->real + pair->imag * pair->imag;
        const double real = f->sigma + pair->real / square, imag = -pair->imag / square;
        const double size = hypot(real, imag);
        const double zero = fmax(NOTHING * f->rate, f->sigma * sqrt(pair->residual));
        if (size > zero && isfinite(size))
            list->root[list->count++] =
                (cd_eigenpair){real, fabs(imag), pair->residual, pair->vector};
    }
    cd_eigenpairs_sort(list->root, list->count);
    return list->root != NULL;
}

/* Estimates the smallest modulus that is not 0 by a few products; INFINITY if none is seen. */
static bool estimate_smallest(cd_arena *arena, mode_search *f, double *smallest)
{
    const cd_krylov_def def = {.wanted = 4, .tolerance = 1e-2, .most_products = 30, .once = true};
    cd_arena scratch;
    root_list list = {0};
    bool converged;
    cd_arena_init(&scratch, &arena->allocator);
    const bool found = find_roots(&scratch, f, &def, &list, &converged);
    *smallest = list.count > 0 ? modulus_of(&list.root[0]) : INFINITY;
    cd_arena_destroy(&scratch);
    return found;
}

/* Finds a shift just below the smallest modulus, from below: one too large would hide it. */
static cardan_status choose_shift(cd_arena *arena, mode_search *f, bool *found_any)
{
    double sigma = 3.0 * NOTHING * f->rate, smallest = INFINITY;
    cardan_status status = CARDAN_OK;
    *found_any = false;
    for (int trial = 0; trial < TRIALS; trial++) {
        status = set_shift(f, sigma);
        if (status != CARDAN_OK && status != CARDAN_SINGULAR_MATRIX)
            return status;
        if (status == CARDAN_OK && !estimate_smallest(arena, f, &smallest))
            return CARDAN_OUT_OF_MEMORY;
        *found_any = status == CARDAN_OK && isfinite(smallest);
        if (*found_any && smallest >= 1.2 * sigma && smallest <= 8.0 * sigma)
            return CARDAN_OK;
        sigma = *found_any ? smallest / 2.5 : 10.0 * sigma;
        if (sigma > 1e3 * f->rate)
            break;
    }
    return status;
}

/* Finds the wanted roots with the present shift. */
static cardan_status find_lowest(cd_arena *arena, mode_search *f, int wanted, root_list *list,
                                 bool *converged)
{
    const int dimension = 2 * (wanted + MORE);
    const cd_krylov_def def = {.wanted = dimension < 2 * f->k ? dimension : 2 * f->k,
                               .tolerance = 1e-10,
                               .most_products = 40 * dimension};
    if (!find_roots(arena, f, &def, list, converged))
        return CARDAN_OUT_OF_MEMORY;
    int good = 0;
    for (int i = 0; i < list->count && good < wanted; i++)
        if (list->root[i].residual < 1e-7)
            list->root[good++] = list->root[i];
    list->count = good;
    *converged = *converged || good == wanted;
    return CARDAN_OK;
}

/* Finds the shift and the roots; once more if a root is below the shift after all. */
static cardan_status find_all_roots(cd_arena *arena, mode_search *f, int wanted, root_list *list,
                                    bool *converged)
{
    bool found_any = false;
    *list = (root_list){0};
    *converged = true;
    cardan_status status =
        cd_estimate_highest_rate(arena, f->ws, f->system, &f->at, f->scale, &f->rate);
    if (status == CARDAN_OK)
        status = choose_shift(arena, f, &found_any);
    for (int pass = 0; pass < 3 && status == CARDAN_OK && found_any; pass++) {
        status = find_lowest(arena, f, wanted, list, converged);
        if (status != CARDAN_OK || list->count == 0 || modulus_of(&list->root[0]) >= f->sigma)
            break;
        status = set_shift(f, modulus_of(&list->root[0]) / 4.0);
    }
    return status;
}

static bool fill_modes(cd_arena *arena, const mode_search *f, const root_list *roots,
                       cardan_modes *modes)
{
    const int k = f->k;
    double *shapes = cd_arena_take(arena, (size_t)roots->count * 4 * (size_t)k * sizeof *shapes);
    for (int i = 0; shapes != NULL && i < roots->count; i++)
        for (int imaginary = 0; imaginary < 2; imaginary++)
            for (int j = 0; j < k; j++) {
                /* theta = 1 / (s - sigma) has the other sign of the imaginary part */
                const double sign = imaginary == 0 ? 1.0 : -1.0;
                const double *x = roots->root[i].vector + imaginary * 2 * k;
                double *shape = shapes + (size_t)i * 4 * (size_t)k;
                shape[imaginary * k + j] = sign * x[j] / (f->sigma * f->scale[j]);
                shape[(2 + imaginary) * k + j] = sign * x[k + j] / f->scale[j];
            }
    return !arena->failed &&
           cd_modes_fill(arena, f->system, roots->root, roots->count, shapes, modes);
}

cardan_status cd_modes_find_large(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                                  const cardan_point *given, const cardan_modes_def *def,
                                  int wanted, cardan_modes *modes, cardan_error *error)
{
    root_list roots;
    bool converged;
    mode_search f = {.arena = scratch,
                     .system = system,
                     .error = error,
                     .undamped = def->undamped,
                     .k = system->k};
    mode_search further = f;
    cardan_status status = linearise_at(&f, given);
    if (status != CARDAN_OK)
        return status;
    status = find_all_roots(scratch, &f, wanted, &roots, &converged);
    if (status == CARDAN_SINGULAR_MATRIX)
        return cd_fail(error, status,
                       "at t = %.9g the linearised equations do not determine the motion: some "
                       "direction has neither mass nor stiffness",
                       given->t);
    if (status == CARDAN_OK && !converged)
        return cd_fail(error, CARDAN_NOT_CONVERGED,
                       "the search for the lowest %d modes did not end; ask for fewer (--count)",
                       wanted);
    modes->dof = system->k;
    modes->displacements = system->k - f.structure.holonomic_rank;
    modes->velocities = system->k - f.structure.constraint_rank;
    modes->is_partial = true;
    further.scale = f.scale;
    further.sigma = f.sigma;
    const cd_steadiness test = {&f, &further, cd_analysis_tolerance(system), linearise_and_factor,
                                apply_inverse};
    if (status == CARDAN_OK)
        status = cd_modes_judge_steady(scratch, system, &f.at, &test, modes);
    if (status == CARDAN_OK && !fill_modes(arena, &f, &roots, modes))
        status = CARDAN_OUT_OF_MEMORY;
    return status;
}

/* Terms, factors and least squares; see border.h. */
#include "border.h"

#include "base/error.h"
#include "base/numeric.h"
#include "linalg/dense.h"
#include "linearise.h"

#include <limits.h>

enum { LARGEST_FULL = 3000, STIFFNESS = 5, SOFTNESS = 6 };

bool cd_term_matrix_create(cd_term_matrix *a, cd_arena *arena, const cardan_system *system,
                           const cd_pattern *other, int column)
{
    if (arena->failed)
        return false;
    cd_system_declare(system, a->terms, a->count, a->matrix);
    if (other != NULL)
        a->slot = cd_matrix_declare_transposed(a->matrix, 0, column, other);
    if (a->full)
        cd_matrix_dense_up_to(a->matrix, INT_MAX);
    cd_matrix_seal(a->matrix);
    return !arena->failed;
}

cardan_status cd_term_matrix_fill(cd_term_matrix *a, cd_workspace *ws, const cardan_point *at)
{
    const cd_map map = {.increment = at->v, .ratio = 1.0, .bracket = at->v, .weight = 0.0};
    cd_matrix_clear(a->matrix);
    if (a->values != NULL)
        cd_matrix_add(a->matrix, a->slot, 1.0, a->values);
    return cd_system_assemble(ws, at, a->terms[0].kind == CD_BRACKET ? &map : NULL, a->terms,
                              a->count, a->matrix);
}

cardan_status cd_term_matrix_factor(cd_term_matrix *a, cd_workspace *ws, const cardan_point *at)
{
    cardan_status status;
    do {
        status = cd_term_matrix_fill(a, ws, at);
        if (status != CARDAN_OK)
            return status;
        status = cd_matrix_factor(a->matrix);
    } while (status != CARDAN_OK && cd_matrix_retry(a->matrix));
    return status;
}

bool cd_border_create(cd_border *s, cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                      bool stiffness, cardan_error *error)
{
    const int k = system->k, m = system->m;
    *s = (cd_border){.arena = arena,
                     .system = system,
                     .ws = ws,
                     .error = error,
                     .k = k,
                     .n = k + m + system->l,
                     .sparse = {.terms = {{CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0},
                                          {CD_DYNAMICS_LAMBDA, 0, k, 1.0, false, 0},
                                          {CD_DYNAMICS_PSI, 0, k + m, 1.0, false, 0},
                                          {CD_POSITION_Q, k, 0, 1.0, false, 0},
                                          {CD_NONHOLONOMIC_V, k + m, 0, 1.0, false, 0},
                                          [STIFFNESS] = {CD_FORCES_Q, 0, 0, 1.0, false, 0},
                                          [SOFTNESS] = {CD_PENALTY, k, k, 0.0, false, 0}},
                                .count = stiffness ? SOFTNESS + 1 : STIFFNESS}};
    s->full = s->sparse;
    s->right = cd_arena_doubles(arena, s->n);
    s->sparse.matrix = cd_matrix_create(arena, s->n);
    return cd_term_matrix_create(&s->sparse, arena, system, NULL, 0);
}

cardan_status cd_border_factor(cd_border *s, const cardan_point *at, double mass, double stiffness)
{
    s->sparse.terms[0].weight = mass;
    s->sparse.terms[STIFFNESS].weight = stiffness;
    return cd_term_matrix_factor(&s->sparse, s->ws, at);
}

/* Scales rows to a largest entry of 1 and multipliers by the unit returned, so that least squares
 * treat all equations and unknowns alike. */
static double scale_rows(cd_border *s)
{
    double unit = 0.0;
    for (int i = 0; i < s->k; i++)
        unit = fmax(unit, cd_max_abs(s->k, s->square + (size_t)i * (size_t)s->n));
    unit = unit > 0.0 ? unit : 1.0;
    for (int i = 0; i < s->n; i++) {
        double *row = s->square + (size_t)i * (size_t)s->n;
        cd_scale(s->n - s->k, unit, row + s->k);
        const double size = cd_max_abs(s->n, row);
        for (int j = 0; j < s->n && size > 0.0; j++)
            row[j] /= size;
        if (size > 0.0)
            s->right[i] /= size;
    }
    return unit;
}

/* The largest error that least squares leave in an equation. */
static double largest_misfit(const cd_border *s, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < s->n; i++) {
        const double *row = s->square + (size_t)i * (size_t)s->n;
        largest = fmax(largest, fabs(cd_dot(s->n, row, x) - s->right[i]));
    }
    return largest;
}

/* Solves for s->right by least squares with the full matrix; s->solved: the equations hold. */
static cardan_status solve_least_squares(cd_border *s, const cardan_point *at, double *x)
{
    cd_arena scratch;
    int rank;
    if (s->full.matrix == NULL) {
        s->square = cd_arena_doubles(s->arena, s->n * s->n);
        s->full.matrix = cd_matrix_create(s->arena, s->n);
        s->full.full = true;
        if (!cd_term_matrix_create(&s->full, s->arena, s->system, NULL, 0))
            return CARDAN_OUT_OF_MEMORY;
    }
    s->full.terms[0].weight = s->sparse.terms[0].weight;
    s->full.terms[STIFFNESS].weight = s->sparse.terms[STIFFNESS].weight;
    const cardan_status status = cd_term_matrix_fill(&s->full, s->ws, at);
    if (status != CARDAN_OK)
        return status;
    cd_matrix_expand(s->full.matrix, s->square);
    const double unit = scale_rows(s);
    cd_arena_init(&scratch, &s->system->arena.allocator);
    const bool done = cd_least_squares(&scratch, s->n, s->n, s->square, s->right,
                                       cd_analysis_tolerance(s->system), x, &rank);
    cd_arena_destroy(&scratch);
    s->solved = done && largest_misfit(s, x) <= 1e-8 * cd_max_abs(s->n, s->right);
    cd_scale(s->n - s->k, unit, x + s->k);
    return done ? CARDAN_OK : CARDAN_OUT_OF_MEMORY;
}

/* Solves with a little mass and softness added, which the next correction makes up for. */
static cardan_status solve_softened(cd_border *s, const cardan_point *at, double *x)
{
    const cd_scales scales = cd_system_scales(s->ws);
    const double softness = 1e-10 * scales.largest_row * scales.largest_row /
                            (scales.mass > 0.0 ? scales.mass * (1.0 + s->least) : 1.0);
    s->sparse.terms[SOFTNESS].weight = -softness;
    s->sparse.terms[0].weight += s->least;
    const cardan_status status = cd_term_matrix_factor(&s->sparse, s->ws, at);
    s->sparse.terms[SOFTNESS].weight = 0.0;
    cd_copy(s->n, s->right, x);
    if (status == CARDAN_OK)
        cd_matrix_solve(s->sparse.matrix, x);
    s->solved = status == CARDAN_OK && cd_first_not_finite(s->n, x) < 0;
    if (s->solved || (status != CARDAN_OK && status != CARDAN_SINGULAR_MATRIX))
        return status;
    return cd_fail(s->error, CARDAN_SINGULAR_MATRIX,
                   "the matrix of the equations is singular, and %d unknowns are too many for "
                   "least squares; remove redundant constraints and parts without mass",
                   s->n);
}

/* Are the factors accurate enough? Not if rows repeat others up to rounding. An equilibrium
 * corrects its solutions, and its matrix may be ill-conditioned for good reasons (long chains), for
 * which full matrices would take minutes. */
static bool is_regular(const cd_border *s)
{
    const double least = 1e-12;
    const bool accelerations = s->sparse.count == STIFFNESS;
    return !accelerations || cd_matrix_rcond(s->sparse.matrix) > least;
}

cardan_status cd_border_solve(cd_border *s, const cardan_point *at, double mass, double stiffness,
                              double *x)
{
    const cardan_status status = cd_border_factor(s, at, mass, stiffness);
    cd_copy(s->n, x, s->right);
    if (status == CARDAN_OK && is_regular(s)) {
        cd_matrix_solve(s->sparse.matrix, x);
        s->solved = true;
        if (cd_first_not_finite(s->n, x) < 0)
            return CARDAN_OK;
    } else if (status != CARDAN_OK && status != CARDAN_SINGULAR_MATRIX) {
        return status;
    }
    return s->n > LARGEST_FULL ? solve_softened(s, at, x) : solve_least_squares(s, at, x);
}

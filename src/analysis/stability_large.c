/* Stability of large systems: the smallest eigenvalue of the stiffness against the mass on what the
 * constraints allow, by sparse factors and from below.
 *
 * With the weight w above all -mu the largest eigenvalue 1 / (mu + w) of
 *
 *   F = (w M + S  G; C  0)^-1 M
 *
 * belongs to the smallest mu. w begins above the largest stiffness and is lowered to the smallest
 * mu by factors of ten: a search that begins close to 0 could miss an eigenvalue below. */
#include "base/error.h"
#include "base/numeric.h"
#include "border.h"
#include "linalg/krylov.h"
#include "linearise.h"
#include "system/structure.h"

#include <stdio.h>

enum { DESCENTS = 40 }; /* of the weight */

/* The matrix of F and the smallest mu found so far. */
typedef struct stiffness_search {
    const cardan_system *system;
    cd_workspace *ws;
    const cardan_point *at;
    int k;
    const double *scale;
    cd_border border;
    double *x;       /* k + m + l */
    double weight;   /* w */
    double smallest; /* mu */
    double *shape;   /* k: its direction */
} stiffness_search;

static cardan_status factor_with_weight(stiffness_search *s, double weight)
{
    s->weight = weight;
    return cd_border_factor(&s->border, s->at, weight, 1.0);
}

/* y = F x in scaled velocities */
static void apply_inverse(void *self, const double *x, double *y)
{
    stiffness_search *s = self;
    for (int i = 0; i < s->k; i++)
        y[i] = x[i] / s->scale[i];
    cd_system_multiply_mass(s->ws, NULL, y, s->x);
    cd_zero(s->border.n - s->k, s->x + s->k);
    cd_matrix_solve(s->border.sparse.matrix, s->x);
    for (int i = 0; i < s->k; i++)
        y[i] = s->scale[i] * s->x[i];
}

/* Finds the smallest mu with the present weight; INFINITY: no free motion. False: no memory. */
static bool find_smallest(cd_arena *arena, stiffness_search *s, double tolerance)
{
    const cd_linear_map map = {s->k, s, apply_inverse};
    const cd_krylov_def def = {
        .wanted = 3, .tolerance = tolerance, .most_products = 400, .once = true};
    cd_arena scratch;
    cd_subspace space;
    cd_ritz ritz = {0};
    cd_arena_init(&scratch, &arena->allocator);
    const bool found =
        cd_krylov_find(&scratch, &map, &def, &space) && cd_ritz_find(&scratch, &map, &space, &ritz);
    s->smallest = INFINITY;
    for (int i = 0; found && i < ritz.count; i++) {
        const cd_ritz_pair *pair = &ritz.pair[i];
        const double square = pair->real * pair->real + pair->imag * pair->imag;
        const double mu = pair->real / square - s->weight;
        if (!(square > 0.0) || mu >= s->smallest || pair->residual > 0.1)
            continue;
        s->smallest = mu;
        for (int j = 0; j < s->k; j++)
            s->shape[j] = pair->vector[j] / s->scale[j];
    }
    cd_arena_destroy(&scratch);
    return found;
}

/* Lowers the weight w until it shows the smallest mu; a mu up to `nothing` counts as 0. */
static cardan_status lower_weight(cd_arena *arena, stiffness_search *s, double highest,
                                  double *nothing)
{
    const double least = 1e-12 * highest;
    double weight = 10.0 * highest;
    for (int i = 0; i < DESCENTS; i++) {
        const cardan_status status = factor_with_weight(s, weight);
        if (status == CARDAN_SINGULAR_MATRIX && i > 0) { /* as near to 0 as digits allow */
            *nothing = fmax(*nothing, 0.1 * weight);
            return CARDAN_OK;
        }
        if (status != CARDAN_OK)
            return status;
        if (!find_smallest(arena, s, 1e-2))
            return CARDAN_OUT_OF_MEMORY;
        *nothing = fmax(least, 1e-3 * weight);
        const double above = s->smallest + weight;
        if (!isfinite(s->smallest) || weight <= least || fabs(s->smallest) > 0.5 * above)
            break;
        weight = fmax(0.1 * above - s->smallest, least);
    }
    return CARDAN_OK;
}

/* Do all forces have a potential: is M F symmetric? */
static bool is_symmetric(cd_arena *arena, stiffness_search *s)
{
    const int k = s->k;
    double *probe[2] = {cd_arena_doubles(arena, k), cd_arena_doubles(arena, k)};
    double *image = cd_arena_doubles(arena, k), *other = cd_arena_doubles(arena, k);
    double *heavy = cd_arena_doubles(arena, k), product[2] = {0.0, 0.0}, size = 0.0;
    if (arena->failed)
        return false;
    for (int i = 0; i < k; i++) {
        probe[0][i] = s->scale[i] * (1.0 + 0.5 * cos(3.7 * i));
        probe[1][i] = s->scale[i] * cos(1.3 * i);
    }
    for (int j = 0; j < 2; j++) {
        apply_inverse(s, probe[j], image);
        for (int i = 0; i < k; i++)
            other[i] = probe[1 - j][i] / s->scale[i];
        cd_system_multiply_mass(s->ws, NULL, other, heavy);
        for (int i = 0; i < k; i++) {
            const double term = heavy[i] * image[i] / s->scale[i];
            product[j] += term;
            size += fabs(term);
        }
    }
    return fabs(product[0] - product[1]) <= 1e-6 * size;
}

static cardan_status judge_stability(cd_arena *arena, stiffness_search *s,
                                     cardan_equilibrium_report *report)
{
    double rate, nothing = 0.0;
    cardan_status status =
        cd_estimate_highest_rate(arena, s->ws, s->system, s->at, s->scale, &rate);
    if (status == CARDAN_OK)
        status = factor_with_weight(s, 10.0 * rate * rate);
    if (status != CARDAN_OK)
        return status;
    if (!is_symmetric(arena, s)) {
        snprintf(report->text, sizeof report->text,
                 "Stability was not judged: some forces have no potential, and whether their "
                 "oscillations grow takes full matrices, for up to 300 velocities.");
        return CARDAN_OK;
    }
    status = lower_weight(arena, s, rate * rate, &nothing);
    if (status == CARDAN_OK && s->smallest > nothing && factor_with_weight(s, 0.0) == CARDAN_OK &&
        !find_smallest(arena, s, 1e-10)) /* to all digits */
        status = CARDAN_OUT_OF_MEMORY;
    if (status != CARDAN_OK)
        return status;
    report->smallest = s->smallest;
    report->unstable_directions = s->smallest < -nothing;
    report->free_directions = fabs(s->smallest) <= nothing;
    cd_describe_stability(s->system, s->shape, sqrt(fabs(s->smallest)), false, report);
    return CARDAN_OK;
}

cardan_status cd_judge_stability_large(cd_arena *arena, cd_workspace *ws,
                                       const cardan_system *system, const cardan_point *at,
                                       cardan_equilibrium_report *report, cardan_error *error)
{
    stiffness_search s = {.system = system, .ws = ws, .at = at, .k = system->k};
    double *scale = cd_arena_doubles(arena, s.k);
    s.scale = scale;
    s.shape = cd_arena_doubles(arena, s.k);
    s.x = cd_arena_doubles(arena, s.k + system->m + system->l);
    report->stability = CARDAN_NOT_JUDGED;
    if (!cd_border_create(&s.border, arena, ws, system, true, error))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to judge stability");
    cardan_status status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status == CARDAN_OK && !cd_structure_find_scale(arena, ws, scale))
        status = CARDAN_OUT_OF_MEMORY;
    if (status == CARDAN_OK)
        status = judge_stability(arena, &s, report);
    if (status == CARDAN_SINGULAR_MATRIX)
        snprintf(report->text, sizeof report->text,
                 "Stability was not judged: constraints depend on each other there, or a direction "
                 "that is free to move has no mass.");
    return status == CARDAN_SINGULAR_MATRIX ? CARDAN_OK : status;
}

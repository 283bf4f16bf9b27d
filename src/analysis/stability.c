/* The stiffness that the constraints leave, L^T S Y, against the mass L^T M Y: its eigenvalues are
 * squared frequencies. Negative: the system runs away; zero: it is free to move; not real:
 * oscillations that grow, as follower forces make them. */
#include "stability.h"

#include "base/numeric.h"
#include "linalg/dense_lu.h"
#include "linearise.h"

#include <stdio.h>

/* Up to this many velocities full matrices take about a second. */
enum { QUICK = 300 };

typedef struct spectrum {
    int y;
    double *real, *imag, *vectors;
    double largest;
} spectrum;

static bool project(cd_arena *arena, const cd_linearisation *lin, const double *x, double *out)
{
    const int y = cd_free_velocities(lin), k = lin->k;
    double *part = cd_arena_doubles(arena, y * k);
    if (arena->failed)
        return false;
    cd_product(y, k, k, cd_equation_basis(lin), x, part);
    cd_product_transposed(y, k, y, part, cd_velocity_basis(lin), out);
    return true;
}

/* out = mass^-1 stiffness */
static cardan_status divide(cd_arena *arena, int y, const double *mass, const double *stiffness,
                            double *out)
{
    cd_dense_lu lu;
    double *column = cd_arena_doubles(arena, y);
    cd_dense_lu_init(&lu, arena, y);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_transpose(y, y, mass, lu.values);
    if (y > 0 && cd_dense_lu_factor(&lu) != CARDAN_OK)
        return CARDAN_SINGULAR_MATRIX;
    for (int j = 0; j < y; j++) {
        for (int i = 0; i < y; i++)
            column[i] = stiffness[i * y + j];
        cd_dense_lu_solve(&lu, column);
        for (int i = 0; i < y; i++)
            out[i * y + j] = column[i];
    }
    return CARDAN_OK;
}

static cardan_status find_spectrum(cd_arena *arena, const cd_linearisation *lin, spectrum *s)
{
    const int y = cd_free_velocities(lin);
    double *mass = cd_arena_doubles(arena, y * y), *stiffness = cd_arena_doubles(arena, y * y);
    double *ratio = cd_arena_doubles(arena, y * y);
    *s = (spectrum){y, cd_arena_doubles(arena, y), cd_arena_doubles(arena, y),
                    cd_arena_doubles(arena, y * y), 0.0};
    if (arena->failed || !project(arena, lin, lin->mass, mass) ||
        !project(arena, lin, lin->stiffness, stiffness))
        return CARDAN_OUT_OF_MEMORY;
    cardan_status status = divide(arena, y, mass, stiffness, ratio);
    if (status != CARDAN_OK)
        return status;
    if (!cd_general_eigen(arena, y, ratio, s->real, s->imag, s->vectors))
        return CARDAN_OUT_OF_MEMORY;
    for (int i = 0; i < y; i++)
        s->largest = fmax(s->largest, hypot(s->real[i], s->imag[i]));
    return CARDAN_OK;
}

/* The direction of eigenvalue i, by the names of its largest velocities. */
static void name(const cd_linearisation *lin, const spectrum *s, int i, double *scratch, char *text,
                 int size)
{
    cd_zero(lin->k, scratch);
    cd_add_transposed(s->y, lin->k, cd_velocity_basis(lin), s->vectors + i * s->y, scratch);
    for (int j = 0; j < lin->k; j++)
        scratch[j] /= lin->scale[j];
    cd_name_direction(lin->system, scratch, text, size);
}

static void say(const cd_linearisation *lin, const spectrum *s, int worst, double *scratch,
                cardan_equilibrium_report *r)
{
    char direction[200];
    if (s->y == 0) {
        snprintf(r->text, sizeof r->text, "The constraints allow no displacement.");
        return;
    }
    name(lin, s, worst, scratch, direction, sizeof direction);
    if (r->stability == CARDAN_UNSTABLE)
        snprintf(r->text, sizeof r->text,
                 "Unstable in %d direction%s: the worst grows as exp(%.4g t) and moves %s.",
                 r->unstable_directions, r->unstable_directions == 1 ? "" : "s",
                 sqrt(0.5 * (hypot(s->real[worst], s->imag[worst]) - s->real[worst])), direction);
    else if (r->stability == CARDAN_NEUTRAL)
        snprintf(r->text, sizeof r->text,
                 "Neutral: nothing holds %d direction%s; one moves %s. Positions along them are "
                 "those of the start.",
                 r->free_directions, r->free_directions == 1 ? "" : "s", direction);
    else
        snprintf(r->text, sizeof r->text, "Stable: the softest direction has %.4g Hz and moves %s.",
                 sqrt(r->smallest) / 6.283185307179586, direction);
}

static void judge(const cd_linearisation *lin, const spectrum *s, double *scratch,
                  cardan_equilibrium_report *r)
{
    const double nothing = 1e2 * lin->tolerance * s->largest;
    int worst = 0;
    for (int i = 0; i < s->y; i++) {
        /* A double root of a defective matrix splits by the square root of rounding. */
        const bool flutters = fabs(s->imag[i]) > 1e-6 * s->largest;
        const bool grows = s->real[i] < -nothing || flutters;
        r->unstable_directions += grows;
        r->free_directions += !grows && s->real[i] <= nothing;
        const double growth = flutters ? hypot(s->real[i], s->imag[i]) - s->real[i] : 0.0;
        const double best = fabs(s->imag[worst]) > 1e-6 * s->largest
                                ? hypot(s->real[worst], s->imag[worst]) - s->real[worst]
                                : 0.0;
        if (growth > best || (growth == best && s->real[i] < s->real[worst]))
            worst = i;
    }
    r->smallest = s->y > 0 ? s->real[worst] : INFINITY;
    r->stability = r->unstable_directions > 0 ? CARDAN_UNSTABLE
                   : r->free_directions > 0   ? CARDAN_NEUTRAL
                                              : CARDAN_STABLE;
    say(lin, s, worst, scratch, r);
}

cardan_status cd_judge_stability(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                 const cardan_point *at, cardan_equilibrium_report *report,
                                 cardan_error *error)
{
    cd_linearisation lin;
    spectrum s;
    report->stability = CARDAN_NOT_JUDGED;
    if (system->k > QUICK)
        return cd_judge_stability_large(arena, ws, system, at, report, error);
    double *scratch = cd_arena_doubles(arena, system->k);
    cardan_status status = arena->failed ? CARDAN_OUT_OF_MEMORY
                                         : cd_linearise(arena, ws, system, at,
                                                        cd_analysis_tolerance(system), &lin, error);
    if (status == CARDAN_OK)
        status = find_spectrum(arena, &lin, &s);
    if (status == CARDAN_OK)
        judge(&lin, &s, scratch, report);
    if (status == CARDAN_SINGULAR_MATRIX)
        snprintf(report->text, sizeof report->text,
                 "Stability was not judged: a direction that is free to move has no mass.");
    return status == CARDAN_SINGULAR_MATRIX ? CARDAN_OK : status;
}

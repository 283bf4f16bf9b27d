/* The stiffness that the constraints leave, L^T S Y, against the mass L^T M Y: its eigenvalues are
 * squared frequencies. Negative: the system runs away; zero: it is free to move; not real:
 * oscillations that grow, as follower forces make them. */
#include "base/numeric.h"
#include "linearise.h"

#include <stdio.h>

/* Up to this many velocities full matrices take about a second. */
enum { QUICK = 300 };

/* The eigenvalues (squared frequencies) and vectors of the stiffness against the mass. */
typedef struct spectrum {
    int y;
    double *real, *imag, *vectors;
    double largest; /* modulus */
} spectrum;

/* Finds the eigenvalues. At rest p' = Z^T Y u, and u' = -(L^T M Y)^-1 L^T S Z p without damping. */
static cardan_status find_spectrum(cd_arena *arena, const cd_linearisation *lin, spectrum *s)
{
    const int y = lin->y, z = lin->z, n = y + z;
    cd_reduction r;
    double *down = cd_arena_doubles(arena, y * z), *up = cd_arena_doubles(arena, z * y);
    double *ratio = cd_arena_doubles(arena, y * y);
    *s = (spectrum){y, cd_arena_doubles(arena, y), cd_arena_doubles(arena, y),
                    cd_arena_doubles(arena, y * y), 0.0};
    cardan_status status =
        arena->failed ? CARDAN_OUT_OF_MEMORY : cd_reduce_linearisation(arena, lin, &r);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < z; i++)
        cd_copy(y, r.a + i * n + z, up + i * y);
    for (int i = 0; i < y; i++)
        cd_add(z, -1.0, r.a + (z + i) * n, down + i * z);
    cd_product(y, z, y, down, up, ratio);
    if (!cd_general_eigen(arena, y, ratio, s->real, s->imag, s->vectors))
        return CARDAN_OUT_OF_MEMORY;
    for (int i = 0; i < y; i++)
        s->largest = fmax(s->largest, hypot(s->real[i], s->imag[i]));
    return CARDAN_OK;
}

/* Twice the squared rate at which oscillations of eigenvalue i grow; 0 for a split double root. */
static double flutter_of(const spectrum *s, int i)
{
    return fabs(s->imag[i]) > 1e-6 * s->largest ? hypot(s->real[i], s->imag[i]) - s->real[i] : 0.0;
}

void cd_describe_stability(const cardan_system *system, const double *direction, double rate,
                           bool counted, cardan_equilibrium_report *r)
{
    const int count = r->unstable_directions > 0 ? r->unstable_directions : r->free_directions;
    char moves[200], number[32] = "some directions";
    r->stability = r->unstable_directions > 0 ? CARDAN_UNSTABLE
                   : r->free_directions > 0   ? CARDAN_NEUTRAL
                                              : CARDAN_STABLE;
    if (!isfinite(r->smallest)) {
        snprintf(r->text, sizeof r->text, "The constraints allow no displacement.");
        return;
    }
    cd_name_direction(system, direction, moves, sizeof moves);
    if (counted)
        snprintf(number, sizeof number, "%d direction%s", count, count == 1 ? "" : "s");
    if (r->stability == CARDAN_UNSTABLE)
        snprintf(r->text, sizeof r->text,
                 "Unstable%s%s: the worst grows as exp(%.4g t) and moves %s.",
                 counted ? " in " : "", counted ? number : "", rate, moves);
    else if (r->stability == CARDAN_NEUTRAL)
        snprintf(r->text, sizeof r->text,
                 "Neutral: nothing holds %s; one moves %s. Positions along them are those of the "
                 "start.",
                 number, moves);
    else
        snprintf(r->text, sizeof r->text, "Stable: the softest direction has %.4g Hz and moves %s.",
                 sqrt(r->smallest) / 6.283185307179586, moves);
}

/* Counts unstable and free directions and describes the worst one. */
static void judge_spectrum(const cd_linearisation *lin, const spectrum *s, double *direction,
                           cardan_equilibrium_report *r)
{
    const double nothing = 1e2 * lin->tolerance * s->largest;
    int worst = 0;
    for (int i = 0; i < s->y; i++) {
        const double flutter = flutter_of(s, i), most = flutter_of(s, worst);
        const bool grows = s->real[i] < -nothing || flutter > 0.0;
        r->unstable_directions += grows;
        r->free_directions += !grows && s->real[i] <= nothing;
        if (flutter > most || (flutter == most && s->real[i] < s->real[worst]))
            worst = i;
    }
    const double mu = r->smallest = s->y > 0 ? s->real[worst] : INFINITY;
    if (s->y > 0)
        cd_add_transposed(s->y, lin->k, lin->velocities, s->vectors + worst * s->y, direction);
    for (int j = 0; j < lin->k; j++)
        direction[j] /= lin->scale[j];
    cd_describe_stability(lin->system, direction,
                          s->y > 0 ? sqrt(0.5 * (hypot(mu, s->imag[worst]) - mu)) : 0.0, true, r);
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
        judge_spectrum(&lin, &s, scratch, report);
    if (status == CARDAN_SINGULAR_MATRIX)
        snprintf(report->text, sizeof report->text,
                 "Stability was not judged: a direction that is free to move has no mass.");
    return status == CARDAN_SINGULAR_MATRIX ? CARDAN_OK : status;
}

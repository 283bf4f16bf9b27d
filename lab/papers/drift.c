/* DRIFT: the index-reduced forms of ACB-R Sec. 3, with and without projection. */
#include "paper_runs.h"

#include <math.h>

static papers_setup top(const char *method, cardan_projection_level level, double h, double end)
{
    papers_setup setup = papers_setup_of("heavy_top", method, 0.9, h, end);
    setup.def.projection.level = level;
    return setup;
}

/* The constraint residuals at the times first, 2 first, 4 first, ... */
typedef struct drift {
    int count;
    double t[8], position[8], velocity[8];
    double largest_position, largest_velocity;
} drift;

static drift follow(papers_report *report, const papers_setup *setup, double first,
                    papers_series *series)
{
    drift found = {0};
    double next = first;
    papers_trail trail = papers_begin(report, setup);
    while (papers_advance(&trail)) {
        double phi = NAN, hidden = NAN;
        if (!papers_check(&trail, cardan_integrator_residuals(trail.it, &phi, &hidden)))
            break;
        found.largest_position = papers_larger(found.largest_position, phi);
        found.largest_velocity = papers_larger(found.largest_velocity, hidden);
        if (trail.n % 10 == 0)
            papers_push(series, trail.now->t, phi);
        if (trail.now->t > next - 1e-9 && found.count < 8) {
            found.t[found.count] = trail.now->t;
            found.position[found.count] = phi;
            found.velocity[found.count++] = hidden;
            next *= 2.0;
        }
    }
    if (trail.failed)
        found.largest_position = found.largest_velocity = NAN;
    return found;
}

static void exponent(papers_report *report, double expected, const drift *found,
                     const double *residual, const char *what)
{
    const bool enough = found->count >= 4;
    papers_judge(
        report,
        (papers_bound){expected == 1.0 ? "linear" : "quadratic", PAPERS_EQUAL, expected, 0.1},
        enough ? papers_slope(4, found->t, residual) : NAN, "exponent of t in %s", what);
}

static void without_projection(papers_report *report, papers_panel *panel)
{
    papers_setup setup = top("ga2", CARDAN_PROJECT_NONE, 1e-3, 20.0);
    drift found = follow(report, &setup, 0.01,
                         papers_new_series(panel, PAPERS_LINE, false, "ga2, no projection"));
    papers_source(report, "ACB-R Sec. 3");
    exponent(report, 1.0, &found, found.position, "|Phi(q)| of ga2, t = 0.01 .. 0.08");
    papers_note(report,
                "Linear at first; later the drift turns with the slow motion of the top (4.6 "
                "rad/s) and stays below %.1e m up to t = 20.",
                found.largest_position);
    setup = top("ga1", CARDAN_PROJECT_NONE, 1e-3, 20.0);
    found = follow(report, &setup, 2.5,
                   papers_new_series(panel, PAPERS_DASHED, false, "ga1, no projection"));
    exponent(report, 2.0, &found, found.position, "|Phi(q)| of ga1, t = 2.5 .. 20");
    exponent(report, 1.0, &found, found.velocity, "|B v| of ga1, t = 2.5 .. 20");
}

/* The residuals themselves, against an independent program. */
static void residuals(papers_report *report)
{
    static const struct {
        const char *method;
        double end;
        const char *position, *velocity;
    } list[] = {{"ga2", 0.08, "1.2217e-3", NULL}, {"ga1", 0.5, "8.4474e-2", "0.48013"}};
    papers_derived(report, "ACB-R Sec. 3, (3)");
    for (int i = 0; i < 2; i++) {
        const papers_setup setup = top(list[i].method, CARDAN_PROJECT_NONE, 1e-3, list[i].end);
        papers_trail trail = papers_begin(report, &setup);
        double phi = NAN, hidden = NAN;
        while (papers_advance(&trail) && trail.now->t < list[i].end - 1e-9)
            continue;
        if (!trail.failed)
            papers_check(&trail, cardan_integrator_residuals(trail.it, &phi, &hidden));
        papers_finish(&trail);
        papers_printed(report, list[i].position, phi, "max |Phi(q)| of %s at t = %g",
                       list[i].method, list[i].end);
        if (list[i].velocity != NULL)
            papers_printed(report, list[i].velocity, hidden, "max |B v| of %s at t = %g",
                           list[i].method, list[i].end);
    }
    papers_note(report, "Digits of an independent program, tests/reference/heavy_top.py.");
}

static void with_projection(papers_report *report, papers_panel *panel)
{
    static const char *const methods[] = {"ga2", "ga1"};
    for (int i = 0; i < 2; i++) {
        const papers_setup setup = top(methods[i], CARDAN_PROJECT_BOTH, 1e-3, 20.0);
        papers_series *series =
            papers_new_series(panel, PAPERS_DOT, false, "%s, both projected", methods[i]);
        const drift found = follow(report, &setup, 2.5, series);
        papers_source(report, "ACB-R (6), (7)");
        papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12},
                     found.largest_position, "max |Phi(q)| of %s with projection", methods[i]);
        papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12},
                     found.largest_velocity, "max |B v| of %s with projection", methods[i]);
        papers_note(report, "Tolerance of both: rounding of |v| = 150 in B v.");
    }
    papers_source(report, "ACB-R Sec. 3");
    for (int i = 0; i < 2; i++) {
        const papers_setup setup = top(methods[i], CARDAN_PROJECT_BOTH, 1e-3, 1.0);
        const papers_study study = papers_halve(report, setup, 6, 0.0);
        papers_order(report, 2.0, &study, PAPERS_Q, "e_q, %s with projection", methods[i]);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, %s with projection",
                     methods[i]);
    }
}

void papers_drift(papers_report *report)
{
    papers_figure *figure = papers_new_figure(
        report, "drift-sec3",
        "ACB-R Sec. 3 in a picture: residual of the position constraints of the index-reduced "
        "forms on the heavy top, ρ∞ = 0.9, h = 1.0e-3, without and with projection of positions "
        "and velocities after every step.");
    papers_panel *panel = papers_new_panel(figure, "drift-off", (papers_axis){"t", true, 0, 0},
                                           (papers_axis){"max |Φ(q)|", true, 1e-17, 1e3});
    without_projection(report, panel);
    residuals(report);
    with_projection(report, panel);
}

/* JN2: the pendulum with spring and damper of JN07 Sec. 5.2, Fig. 5.6 to 5.8, and Lunk-Simeon's
 * method on it: its r is linear in lambda, as these ask for. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <math.h>

enum { ANGLE = 2 }; /* y3, z3 */

static papers_setup pendulum(double alpha, double h, double end)
{
    papers_setup setup = papers_setup_of("jn2", "hht3", 1.0, h, end);
    setup.def.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    setup.def.experimental.hht3_b = 0.0;
    return setup;
}

static papers_errors errors_of(papers_report *report, const papers_setup *given)
{
    const papers_setup setup = *given;
    papers_errors last = {.q = NAN, .v = NAN};
    papers_trail trail = papers_begin(report, &setup);
    while (papers_advance(&trail)) {
        double q[PAPERS_LARGEST], v[PAPERS_LARGEST];
        if (trail.now->t < 2.0 - 1e-9 || lab_problem_reference(trail.problem, trail.now->t, q, v,
                                                               NULL, NULL, NULL, NULL) != CARDAN_OK)
            continue;
        last.q = fabs(trail.now->q[ANGLE] - q[ANGLE]);
        last.v = fabs(trail.now->v[ANGLE] - v[ANGLE]);
    }
    return last;
}

static papers_errors errors_at_end(papers_report *report, double alpha, double h)
{
    const papers_setup setup = pendulum(alpha, h, 2.0);
    return errors_of(report, &setup);
}

static papers_setup lunk_simeon(double h, double end)
{
    papers_setup setup = pendulum(0.0, h, end);
    setup.def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.4);
    setup.def.experimental.hht3_b = 0.3;
    setup.def.experimental.hht3_variant = CARDAN_HHT3_LUNK_SIMEON;
    return setup;
}

static void generalized_alpha(papers_report *report)
{
    papers_study study = {.count = PAPERS_SLOPE_STEPS};
    for (int i = 0; i < study.count; i++) {
        study.h[i] = ldexp(1e-3, -i);
        const papers_setup setup = lunk_simeon(study.h[i], 2.0);
        study.errors[i] = errors_of(report, &setup);
    }
    papers_derived(report, "JN07 Sec. 7");
    papers_order(report, 2.0, &study, PAPERS_Q, "y3 at t = 2, Lunk-Simeon, rho = 0.4");
    papers_order(report, 2.0, &study, PAPERS_V, "z3 at t = 2, Lunk-Simeon, rho = 0.4");
    papers_setup setup = lunk_simeon(0.01, 0.1);
    double last[4] = {NAN, NAN, NAN, NAN};
    setup.def.experimental.start = CARDAN_START_PLAIN;
    papers_trail trail = papers_begin(report, &setup);
    while (papers_advance(&trail)) {
        last[0] = trail.now->q[ANGLE];
        last[1] = fabs(trail.now->v[ANGLE]);
        last[2] = fabs(trail.now->a[ANGLE]);
        last[3] = fabs(trail.now->stage[3]); /* of the two of Lambda_1 the second */
    }
    papers_derived(report, "JN07 Sec. 7, prototype");
    papers_prototype(report, "jn2 lunk-simeon", "Lunk-Simeon, t = 0.1, h = 0.01", last);
}

static void time_evolution(papers_report *report)
{
    papers_figure *figure = papers_new_figure(
        report, "jn2-fig56",
        "JN07 Fig. 5.6: time evolution of the pendulum angle y3, extended HHT-α method with α = "
        "-0.3, b = 0, h = 1e-3.");
    papers_panel *panel =
        papers_new_panel(figure, "pendulum angle", (papers_axis){"time", false, 0.0, 4.0},
                         (papers_axis){"y3", false, 0, 0});
    papers_series *series = papers_new_series(panel, PAPERS_LINE, false, "y3");
    const papers_setup setup = pendulum(-0.3, 1e-3, 4.0);
    papers_trail trail = papers_begin(report, &setup);
    double highest = 0.0, lowest = INFINITY;
    while (papers_advance(&trail)) {
        const double angle = trail.now->q[ANGLE];
        papers_push(series, trail.now->t, angle);
        highest = papers_larger(highest, angle);
        lowest = papers_smaller(lowest, angle);
    }
    papers_derived(report, "JN07 Fig. 5.6");
    papers_printed(report, "5.438", trail.failed ? NAN : highest, "largest y3 on [0, 4]");
    papers_note(report,
                "The figure has no numbers: those of scipy's DOP853 for the equation of the "
                "angle.");
    papers_printed(report, "4.296", trail.failed ? NAN : lowest, "smallest y3 on [0, 4]");
}

void papers_jn2(papers_report *report)
{
    static const double alphas[] = {0.0, -0.3};
    static const char *const sources[] = {"JN07 Fig. 5.7", "JN07 Fig. 5.8"};
    static const char *const titles[] = {"α = 0, b = 0", "α = -0.3, b = 0"};
    papers_figure *figure = papers_new_figure(
        report, "jn2-fig57-58",
        "JN07 Fig. 5.7 and 5.8: global errors of y3 (□) and z3 (○) at t = 2 over the step size, "
        "extended HHT-α method with b = 0 and α = 0 (left), α = -0.3 (right).");
    for (int i = 0; i < 2; i++) {
        papers_study study = {.count = 10};
        for (int k = 0; k < study.count; k++) {
            study.h[k] = ldexp(1e-2, -k);
            study.errors[k] = errors_at_end(report, alphas[i], study.h[k]);
        }
        papers_panel *panel =
            papers_new_panel(figure, titles[i], (papers_axis){"step size h", true, 0, 0},
                             (papers_axis){"global error at t = 2", true, 0, 0});
        papers_source(report, sources[i]);
        papers_order(report, 2.0, &study, PAPERS_Q, "y3 at t = 2, alpha = %g", alphas[i]);
        papers_order(report, 2.0, &study, PAPERS_V, "z3 at t = 2, alpha = %g", alphas[i]);
        papers_note(report,
                    "The error of z3 changes sign near h = 3e-3, which bends the curve; the "
                    "order is that of the finest four step sizes.");
        papers_series *y = papers_plot(panel, &study, PAPERS_Q, PAPERS_SQUARE, "y3");
        papers_plot(panel, &study, PAPERS_V, PAPERS_CIRCLE, "z3");
        papers_guide(panel, y, 2);
    }
    time_evolution(report);
    generalized_alpha(report);
}

/* PEND: the pendulum of ACB15 Example 1, Fig. 1 and Sec. 4.2. */
#include "measure.h"

#include <math.h>

static papers_setup pendulum(double x0, cardan_start start, double h)
{
    papers_setup setup = papers_setup_of("pendulum", "ga3", 0.9, h, 2.0);
    setup.setting = (cardan_setting){"x0", x0};
    setup.def.start = start;
    return setup;
}

/* The signed error of lambda over time, as Fig. 1 shows it; returns the largest beyond `from`. */
static double trace(papers_report *report, papers_series *series, const papers_setup *setup,
                    long from)
{
    papers_trail trail = papers_begin(report, setup);
    double largest = 0.0;
    while (papers_advance(&trail)) {
        double lambda;
        if (cardan_problem_reference(trail.problem, trail.now->t, NULL, NULL, NULL, &lambda, NULL,
                                     NULL) != CARDAN_OK)
            lambda = NAN;
        const double error = lambda - trail.now->lambda[0];
        papers_push(series, trail.now->t, error);
        if (trail.n >= from && !(fabs(error) <= largest))
            largest = fabs(error);
    }
    return trail.failed ? NAN : largest;
}

static void plain_start(papers_report *report)
{
    const papers_setup setup = pendulum(0.2, CARDAN_START_PLAIN, 2e-2);
    const papers_study study = papers_halve(report, setup, 5, 0.0);
    papers_source(report, "ACB15 Fig. 1");
    papers_printed(report, "2.48e-1", study.errors[0].lambda,
                   "max |e_lambda|, x0 = 0.2, plain start, h = 2e-2");
    papers_printed(report, "1.23e-1", study.errors[1].lambda,
                   "max |e_lambda|, x0 = 0.2, plain start, h = 1e-2");
    papers_order(report, 1.0, &study, PAPERS_LAMBDA, "e_lambda, x0 = 0.2, plain start");
    papers_note(report, "The defect: the paper calls the amplitude O(h).");
    papers_source(report, "ACB15 Sec. 4.1");
    papers_near(report, 15, 1, (double)study.errors[0].peak,
                "step n of the largest |e_lambda|, plain, h = 2e-2");
    papers_near(report, 15, 1, (double)study.errors[1].peak,
                "step n of the largest |e_lambda|, plain, h = 1e-2");
    papers_note(report,
                "The curve is flat there; the maximum of the recursion itself is at n = 15.");
}

static void perturbed_start(papers_report *report)
{
    const papers_setup setup = pendulum(0.2, CARDAN_START_PERTURBED, 2e-2);
    const papers_study study = papers_halve(report, setup, 5, 0.0);
    papers_source(report, "ACB15 Sec. 4.2");
    papers_printed(report, "3.99e-3", study.errors[0].lambda,
                   "max |e_lambda|, x0 = 0.2, perturbed start, h = 2e-2");
    papers_printed(report, "9.96e-4", study.errors[1].lambda,
                   "max |e_lambda|, x0 = 0.2, perturbed start, h = 1e-2");
    papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, x0 = 0.2, perturbed start");
}

static void lowest_point(papers_report *report)
{
    static const struct {
        cardan_start start;
        const char *name;
    } starts[] = {{CARDAN_START_PLAIN, "plain"}, {CARDAN_START_PERTURBED, "perturbed"}};
    for (int i = 0; i < 2; i++) {
        const papers_setup setup = pendulum(0.0, starts[i].start, 2e-2);
        const papers_study study = papers_halve(report, setup, 4, 0.0);
        papers_judge(report, (papers_bound){"<= 3.95e-3", PAPERS_AT_MOST, 3.95e-3, 5e-6},
                     study.errors[0].lambda, "max |e_lambda|, x0 = 0, %s start, h = 2e-2",
                     starts[i].name);
        if (i == 0)
            papers_note(report, "The paper states bounds here, not values.");
        papers_judge(report, (papers_bound){"<= 9.85e-4", PAPERS_AT_MOST, 9.85e-4, 5e-7},
                     study.errors[1].lambda, "max |e_lambda|, x0 = 0, %s start, h = 1e-2",
                     starts[i].name);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, x0 = 0, %s start",
                     starts[i].name);
    }
}

static void draw(papers_report *report)
{
    static const double steps[] = {2e-2, 1e-2};
    papers_figure *figure = papers_new_figure(
        report, "pend-fig1",
        "ACB15 Fig. 1: mathematical pendulum, global error in λ for x0 = 0 (dots) and x0 = 0.2 "
        "(+); ga3, ρ∞ = 0.9, plain start. The oscillation is of size O(h) and is damped out after "
        "about 100 steps.");
    double beyond = 0.0;
    for (int i = 0; i < 2; i++) {
        papers_panel *panel = papers_new_panel(figure, i == 0 ? "h = 2.0e-2" : "h = 1.0e-2",
                                               (papers_axis){"t", false, 0.0, 2.0},
                                               (papers_axis){"error in λ", false, -0.26, 0.26});
        papers_setup setup = pendulum(0.0, CARDAN_START_PLAIN, steps[i]);
        trace(report, papers_new_series(panel, PAPERS_DOT, false, "x0 = 0"), &setup, 0);
        setup = pendulum(0.2, CARDAN_START_PLAIN, steps[i]);
        beyond =
            trace(report, papers_new_series(panel, PAPERS_PLUS, false, "x0 = 0.2"), &setup, 100);
    }
    papers_source(report, "ACB15 Fig. 1");
    papers_judge(report, (papers_bound){"damped out", PAPERS_AT_MOST, 0.0123, 0.0}, beyond,
                 "max |e_lambda| after 100 steps, plain, h = 1e-2");
    papers_note(report,
                "Bound: a tenth of the transient's peak. The paper says that after about 100 "
                "time steps these transient errors are damped out.");
}

void papers_pend(papers_report *report)
{
    plain_start(report);
    draw(report);
    perturbed_start(report);
    lowest_point(report);
}

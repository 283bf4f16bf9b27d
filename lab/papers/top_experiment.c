/* TOP: the heavy top of ACB15 Sec. 5, Fig. 3 to 6. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <math.h>

static papers_setup top(const char *method, double rho, cardan_start start, double h, double end)
{
    papers_setup setup = papers_setup_of("heavy_top", method, rho, h, end);
    setup.def.experimental.start = start;
    return setup;
}

/* x3 and lambda of the method that the paper made its reference with, against our reference. */
static void reference_solution(papers_report *report)
{
    const papers_setup setup = top("ga2s", 0.9, CARDAN_START_PERTURBED, 2.5e-5, 1.0);
    papers_figure *figure = papers_new_figure(
        report, "top-fig3",
        "ACB15 Fig. 3: heavy top, reference solution computed with the stabilised index-2 form and "
        "h = 2.5e-5: x3 (left) and the Lagrange multipliers (right).");
    papers_panel *left = papers_new_panel(figure, "position", (papers_axis){"t", false, 0.0, 1.0},
                                          (papers_axis){"x3", false, 0, 0});
    papers_panel *right =
        papers_new_panel(figure, "Lagrange multipliers", (papers_axis){"t", false, 0.0, 1.0},
                         (papers_axis){"λ", false, 0, 0});
    papers_series *x3 = papers_new_series(left, PAPERS_LINE, false, "x3");
    papers_series *lambda[3];
    for (int i = 0; i < 3; i++)
        lambda[i] =
            papers_new_series(right, i == 1 ? PAPERS_DASHED : PAPERS_LINE, false, "λ%d", i + 1);
    papers_trail trail = papers_begin(report, &setup);
    papers_errors last = {.x = NAN, .lambda = NAN};
    double x3_end = NAN;
    while (papers_advance(&trail)) {
        if (trail.n % 100 == 0) {
            papers_push(x3, trail.now->t, trail.now->q[2]);
            for (int i = 0; i < 3; i++)
                papers_push(lambda[i], trail.now->t, trail.now->lambda[i]);
        }
        if (trail.n == 40000) {
            double q[PAPERS_LARGEST];
            last = papers_errors_now(&trail, false);
            if (lab_problem_reference(trail.problem, 1.0, q, NULL, NULL, NULL, NULL, NULL) ==
                CARDAN_OK)
                x3_end = q[2];
        }
    }
    papers_derived(report, "ACB15 Fig. 3");
    papers_printed(report, "-0.748490791", x3_end, "x3(1) of our reference");
    papers_note(report,
                "The paper prints no digits; these are from an independent integration that "
                "agrees with the elliptic solution of the symmetric top. The other derived "
                "digits are of an independent program, tests/reference/heavy_top.py.");
    papers_printed(report, "2.893e-6", last.x,
                   "|x(1) - exact| of the paper's reference: ga2s, h = 2.5e-5");
}

typedef struct trace {
    double peak;    /* largest error of lambda3 */
    double largest; /* and of lambda */
    long peak_step; /* step with the largest error of lambda */
    long own_step;  /* and of lambda3 alone */
} trace;

/* lambda3 over the first 0.1 s, as in Fig. 4 and 5. */
static trace trace_lambda3(papers_report *report, const papers_setup *setup, papers_series *series,
                           papers_series *exact)
{
    trace found = {0};
    papers_errors worst = {0};
    papers_trail trail = papers_begin(report, setup);
    while (papers_advance(&trail)) {
        double lambda[PAPERS_LARGEST] = {0};
        if (lab_problem_reference(trail.problem, trail.now->t, NULL, NULL, NULL, lambda, NULL,
                                  NULL) != CARDAN_OK)
            lambda[2] = NAN;
        const papers_errors now = papers_errors_now(&trail, false);
        const double error = fabs(trail.now->lambda[2] - lambda[2]);
        papers_grow(&worst, &now, trail.n);
        if (!isnan(found.peak) && !(error <= found.peak)) {
            found.peak = error;
            found.own_step = trail.n;
        }
        papers_push(series, trail.now->t, trail.now->lambda[2]);
        if (exact != NULL)
            papers_push(exact, trail.now->t, lambda[2]);
    }
    found.peak_step = worst.peak;
    found.largest = worst.lambda;
    if (trail.failed)
        found.peak = found.largest = NAN;
    return found;
}

static papers_panel *lambda3_panel(papers_figure *figure, const char *title)
{
    return papers_new_panel(figure, title, (papers_axis){"t", false, 0.0, 0.1},
                            (papers_axis){"λ3", false, -450.0, -150.0});
}

static const double radii[] = {0.9, 0.6};

/* "The maximum amplitudes are reached at t = t_15 for rho = 0.9 and at t = t_4 for rho = 0.6": of
 * lambda3, which Fig. 4 shows, the second is so and the first is not. */
static void judge_plain(papers_report *report, int i, const trace *found)
{
    static const char *const digits[] = {"122.43", "26.383"};
    static const double peak_step[] = {16, 3};
    papers_source(report, "ACB15 Sec. 5, Fig. 4");
    if (i == 0) {
        papers_false_in_print(report, (papers_bound){"15", PAPERS_EQUAL, 15.0, 0.0}, "12",
                              (double)found->own_step,
                              "step n of the largest |e_lambda3|, plain, rho = 0.9");
        papers_note(report, "By an independent program, tests/reference/heavy_top.py. The norm of "
                            "all three components is largest at n = 16.");
    } else
        papers_near(report, 4, 0, (double)found->own_step,
                    "step n of the largest |e_lambda3|, plain, rho = 0.6");
    papers_derived(report, "ACB15 (9)");
    papers_near(report, peak_step[i], 0, (double)found->peak_step,
                "step n of the largest |e_lambda|, plain, rho = %g", radii[i]);
    papers_note(report, "Norm of the three components; the transient turns from component 1 to 3 "
                        "and back.");
    papers_printed(report, digits[i], found->largest, "max |e_lambda|, plain, rho = %g", radii[i]);
}

/* "The test results coincide with the reference solution up to plot accuracy." */
static void judge_perturbed(papers_report *report, int i, const trace *found)
{
    static const char *const digits[] = {"2.1165", "2.1617"};
    papers_derived(report, "ACB15 (9), (56), (57)");
    papers_printed(report, digits[i], found->peak, "max |e_lambda3|, perturbed, rho = %g",
                   radii[i]);
    papers_note(report, "Of 115 and 15.7 after a plain start: \"up to plot accuracy\".");
}

static void transient(papers_report *report)
{
    static const cardan_start starts[] = {CARDAN_START_PLAIN, CARDAN_START_PERTURBED};
    static const char *const names[] = {"plain start", "perturbed start"};
    papers_figure *figure = papers_new_figure(
        report, "top-fig4",
        "ACB15 Fig. 4: index-3 form (ga3), transient behaviour of λ3 for h = 1.0e-3 with exact "
        "starting values (left) and with perturbed ones (right).");
    for (int start = 0; start < 2; start++) {
        papers_panel *panel = lambda3_panel(figure, names[start]);
        papers_series *exact = papers_new_series(panel, PAPERS_LINE, false, "reference");
        for (int i = 0; i < 2; i++) {
            const papers_setup setup = top("ga3", radii[i], starts[start], 1e-3, 0.1);
            papers_series *series = papers_new_series(panel, i == 0 ? PAPERS_CIRCLE : PAPERS_CROSS,
                                                      i == 0, "ρ∞ = %g", radii[i]);
            const trace found = trace_lambda3(report, &setup, series, i == 0 ? exact : NULL);
            (start == 0 ? judge_plain : judge_perturbed)(report, i, &found);
        }
    }
}

/* The other starts: (57) alone, and first-order differences. */
static void other_starts(papers_report *report)
{
    papers_setup setup = top("ga3", 0.9, CARDAN_START_ACCELERATION, 1e-3, 0.1);
    papers_derived(report, "ACB15 (9), (57)");
    papers_printed(report, "122.67", papers_worst(report, &setup, 0.0).lambda,
                   "max |e_lambda|, (57) alone, rho = 0.9");
    setup.def.experimental.start = CARDAN_START_PERTURBED;
    papers_derived(report, "ACB15 (9), (56), (57)");
    papers_printed(report, "2.1241", papers_worst(report, &setup, 0.0).lambda,
                   "max |e_lambda|, perturbed, s = 1, rho = 0.9");
    setup.def.experimental.difference = CARDAN_DIFFERENCE_FORWARD;
    papers_printed(report, "2.1237", papers_worst(report, &setup, 0.0).lambda,
                   "max |e_lambda|, perturbed, s = 0.01, rho = 0.9");
    const papers_study study = papers_halve(report, setup, 4, 0.0);
    papers_source(report, "ACB15 Sec. 4.2");
    papers_order(report, 2.0, &study, PAPERS_LAMBDA,
                 "e_lambda on [0, 0.1], perturbed, s = 0.01, rho = 0.9");
}

/* "It explains why the spurious oscillations may disappear for alternative Lie group settings": on
 * SE(3) v, v' and v'' stay in the subalgebra of rotations about the tip, which is ker B, so that B
 * l^q = 0 and the plain start has no order reduction. */
static void rigid_motions(papers_report *report)
{
    papers_setup setup = papers_setup_of("heavy_top_se3", "ga3", 0.9, 1e-3, 0.1);
    setup.def.experimental.start = CARDAN_START_PLAIN;
    const papers_study study = papers_halve(report, setup, 4, 0.0);
    papers_source(report, "ACB15 Sec. 3, Remark 3(a)");
    papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda on [0, 0.1], SE(3), plain start");
    papers_note(report, "No oscillations on another group, here SE(3): the paper's [8] uses it.");
    papers_derived(report, "ACB15 (9)");
    papers_printed(report, "8.8624", study.errors[0].lambda, "max |e_lambda|, SE(3), plain start");
    setup.def.experimental.start = CARDAN_START_PERTURBED;
    papers_derived(report, "ACB15 (9), (57)");
    papers_printed(report, "8.8712", papers_worst(report, &setup, 0.0).lambda,
                   "max |e_lambda|, SE(3), perturbed start");
    papers_trail trail = papers_begin(report, &setup);
    double moved = NAN;
    if (!trail.failed) {
        double q[PAPERS_LARGEST], v[PAPERS_LARGEST];
        lab_problem_initial(trail.problem, q, v);
        moved = 0.0;
        for (int i = 0; i < 6; i++)
            moved = papers_larger(moved, fabs(trail.now->v[i] - v[i]));
        papers_finish(&trail);
    }
    papers_derived(report, "ACB15 (17), (56)");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12}, moved,
                 "|v_0 - v(t_0)| of (56), SE(3)");
    papers_note(report, "B l^q = 0; on R3 x SO(3) it is 0.016. Tolerance: rounding of |v| = 150.");
}

static void transient_orders(papers_report *report)
{
    papers_source(report, "ACB15 Fig. 4");
    for (int i = 0; i < 2; i++) {
        papers_setup setup = top("ga3", radii[i], CARDAN_START_PLAIN, 1e-3, 0.1);
        papers_study study = papers_halve(report, setup, 5, 0.0);
        papers_order(report, 1.0, &study, PAPERS_LAMBDA, "e_lambda on [0, 0.1], plain, rho = %g",
                     radii[i]);
        setup.def.experimental.start = CARDAN_START_PERTURBED;
        study = papers_halve(report, setup, 5, 0.0);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA,
                     "e_lambda on [0, 0.1], perturbed, rho = %g", radii[i]);
    }
}

/* |eta| over time for one step size; the largest is returned. */
static double trace_eta(papers_report *report, double h, papers_series *series)
{
    const papers_setup setup = top("ga2s", 0.9, CARDAN_START_PERTURBED, h, 1.0);
    papers_trail trail = papers_begin(report, &setup);
    double largest = 0.0;
    while (papers_advance(&trail)) {
        double square = 0.0;
        for (int i = 0; i < 3; i++)
            square += trail.now->eta[i] * trail.now->eta[i];
        largest = papers_larger(largest, sqrt(square));
        papers_push(series, trail.now->t, sqrt(square));
    }
    return trail.failed ? NAN : largest;
}

static void stabilised(papers_report *report)
{
    papers_figure *figure = papers_new_figure(
        report, "top-fig5",
        "ACB15 Fig. 5: stabilised index-2 form (ga2s), ρ∞ = 0.9: norm of η for two step sizes "
        "(left) and transient behaviour of λ3 for h = 1.0e-3 (right).");
    papers_panel *panel =
        papers_new_panel(figure, "auxiliary variables", (papers_axis){"t", false, 0.0, 1.0},
                         (papers_axis){"||η||", true, 0, 0});
    const double coarse =
        trace_eta(report, 1e-3, papers_new_series(panel, PAPERS_LINE, false, "h = 1.0e-3"));
    const double fine =
        trace_eta(report, 5e-4, papers_new_series(panel, PAPERS_DASHED, false, "h = 5.0e-4"));
    panel = lambda3_panel(figure, "multiplier");
    papers_series *exact = papers_new_series(panel, PAPERS_LINE, false, "reference");
    papers_series *series = papers_new_series(panel, PAPERS_CIRCLE, false, "ga2s, h = 1.0e-3");
    const papers_setup setup = top("ga2s", 0.9, CARDAN_START_PLAIN, 1e-3, 0.1);
    const trace found = trace_lambda3(report, &setup, series, exact);
    papers_source(report, "ACB15 Fig. 5");
    papers_near(report, 2.0, 0.1, log2(coarse / fine),
                "order of max ||eta|| from h = 1e-3 to 5e-4, ga2s");
    papers_note(report, "\"Illustrating the second order convergence\"; as for all orders +-0.1.");
    papers_derived(report, "ACB15 (58)");
    papers_printed(report, "1.1440e-2", coarse, "max ||eta||, h = 1e-3, ga2s");
    papers_printed(report, "0.51873", found.peak, "max |e_lambda3| on [0, 0.1], ga2s, plain start");
    papers_note(report, "\"Coincide again up to plot accuracy with the reference solution\".");
}

static void beyond_transient(papers_report *report)
{
    static const char *const methods[] = {"ga3", "ga2s"};
    papers_figure *figure = papers_new_figure(report, "top-fig6",
                                              "ACB15 Fig. 6: maximum global errors of q and λ "
                                              "beyond the transient phase (t in [0.5, 1]), "
                                              "ρ∞ = 0.9, plain start.");
    papers_panel *panels[2] = {papers_new_panel(figure, "q", (papers_axis){"h", true, 0, 0},
                                                (papers_axis){"max ||e_q||", true, 0, 0}),
                               papers_new_panel(figure, "λ", (papers_axis){"h", true, 0, 0},
                                                (papers_axis){"max ||e_λ||", true, 0, 0})};
    for (int i = 0; i < 2; i++) {
        const papers_mark mark = i == 0 ? PAPERS_SQUARE : PAPERS_CIRCLE;
        const papers_setup setup = top(methods[i], 0.9, CARDAN_START_PLAIN, 2e-3, 1.0);
        const papers_study study = papers_halve(report, setup, 6, 0.5);
        papers_source(report, "ACB15 Fig. 6");
        papers_order(report, 2.0, &study, PAPERS_Q, "e_q on [0.5, 1], %s, plain start", methods[i]);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda on [0.5, 1], %s, plain start",
                     methods[i]);
        if (i == 1) {
            papers_source(report, "ACB15 Fig. 5");
            papers_order(report, 2.0, &study, PAPERS_ETA, "eta, ga2s");
        }
        papers_plot(panels[0], &study, PAPERS_Q, mark, "%s", methods[i]);
        papers_plot(panels[1], &study, PAPERS_LAMBDA, mark, "%s", methods[i]);
    }
    for (int i = 0; i < 2; i++)
        papers_guide(panels[i], &panels[i]->series[1], 2);
}

void papers_top(papers_report *report)
{
    reference_solution(report);
    transient(report);
    transient_orders(report);
    other_starts(report);
    rigid_motions(report);
    stabilised(report);
    beyond_transient(report);
}

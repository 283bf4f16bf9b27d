/* JAY1: the mathematical problem of Jay11 (7.1), Fig. 7.1, with both choices of M_alpha. */
#include "paper_runs.h"

static void order_rows(papers_report *report, const papers_study *study, const char *title)
{
    papers_order(report, 2.0, study, PAPERS_Q, "y at t = 1%s", title);
    papers_order(report, 2.0, study, PAPERS_V, "z at t = 1%s", title);
    papers_order(report, 2.0, study, PAPERS_A, "a(t + alpha h) at t = 1%s", title);
    papers_order(report, 2.0, study, PAPERS_PSI, "psi at t = 1%s", title);
}

static papers_setup setup_of(double rho, int n, cardan_start start, cardan_mass_choice mass)
{
    papers_setup setup = papers_setup_of("jay1", "nonholonomic", rho, 1.0 / n, 1.0);
    setup.def.experimental.start = start;
    setup.def.experimental.nonholonomic_mass = mass;
    return setup;
}

static papers_study study_of(papers_report *report, double rho, cardan_start start,
                             cardan_mass_choice mass)
{
    return papers_halve(report, setup_of(rho, 256, start, mass), PAPERS_SLOPE_STEPS, -1.0);
}

static void prototype_rows(papers_report *report)
{
    static const char *const names[] = {"jay1 predicted", "jay1 previous"};
    static const char *const titles[] = {"h = 1/32", "M_alpha of the step before, h = 1/32"};
    papers_derived(report, "Jay11 (2.3), prototype");
    for (int i = 0; i < 2; i++) {
        const papers_setup setup = setup_of(0.2, 32, CARDAN_START_PLAIN,
                                            i == 0 ? CARDAN_MASS_PREDICTED : CARDAN_MASS_PREVIOUS);
        const papers_errors e = papers_last(report, &setup);
        papers_prototype(report, names[i], titles[i], (const double[]){e.q, e.v, e.a, e.psi});
    }
}

static void without_figures(papers_report *report)
{
    const double equal_rates = 0.1715728752538099; /* 3 - 2 sqrt(2) */
    const papers_study previous =
        study_of(report, 0.2, CARDAN_START_PERTURBED, CARDAN_MASS_PREVIOUS);
    papers_source(report, "Jay11 Sec. 2");
    order_rows(report, &previous, ", M_alpha of the step before");
    const papers_study plain = study_of(report, 0.2, CARDAN_START_PLAIN, CARDAN_MASS_PREDICTED);
    papers_source(report, "Jay11 Thm 6.1");
    order_rows(report, &plain, ", a_alpha = a_0");
    const papers_study equal =
        study_of(report, equal_rates, CARDAN_START_PLAIN, CARDAN_MASS_PREDICTED);
    papers_derived(report, "Jay11 Thm 6.1");
    papers_order(report, 2.0, &equal, PAPERS_PSI, "psi at t = 1, r_gamma = r_alpha_f");
    papers_note(report, "rho = 3 - 2 sqrt(2). The theorem leaves this case out; its transient is "
                        "n r^n, and the order at t = 1 is the same.");
}

static void figure(papers_report *report)
{
    const papers_setup setup = papers_setup_of("jay1", "nonholonomic", 0.2, 1.0 / 32.0, 1.0);
    const papers_study study = papers_halve(report, setup, 7, -1.0);
    papers_figure *drawing = papers_new_figure(
        report, "jay1-fig71",
        "Jay11 Fig. 7.1: global errors of y (□), z (○), a(t + αh) (×) and ψ (*) at t = 1 over the "
        "step size h; test problem (7.1), method (2.3) with ρ∞ = 0.2.");
    papers_panel *panel =
        papers_new_panel(drawing, "test problem (7.1)", (papers_axis){"step size h", true, 0, 0},
                         (papers_axis){"global error at t = 1", true, 0, 0});
    papers_source(report, "Jay11 Fig. 7.1");
    order_rows(report, &study, ", rho = 0.2");
    const papers_series *y = papers_plot(panel, &study, PAPERS_Q, PAPERS_SQUARE, "y");
    papers_plot(panel, &study, PAPERS_V, PAPERS_CIRCLE, "z");
    papers_plot(panel, &study, PAPERS_A, PAPERS_CROSS, "a(t + αh)");
    papers_plot(panel, &study, PAPERS_PSI, PAPERS_STAR, "ψ");
    papers_guide(panel, y, 2);
}

void papers_jay1(papers_report *report)
{
    figure(report);
    without_figures(report);
    prototype_rows(report);
}

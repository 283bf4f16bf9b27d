/* JAY1: the mathematical problem of Jay11 (7.1), Fig. 7.1. */
#include "measure.h"

void papers_jay1(papers_report *report)
{
    const papers_setup setup = papers_setup_of("jay1", "nonholonomic", 0.2, 1.0 / 32.0, 1.0);
    const papers_study study = papers_halve(report, setup, 7, -1.0);
    papers_figure *figure = papers_new_figure(
        report, "jay1-fig71",
        "Jay11 Fig. 7.1: global errors of y (□), z (○), a(t + αh) (×) and ψ (*) at t = 1 over the "
        "step size h; test problem (7.1), method (2.3) with ρ∞ = 0.2.");
    papers_panel *panel =
        papers_new_panel(figure, "test problem (7.1)", (papers_axis){"step size h", true, 0, 0},
                         (papers_axis){"global error at t = 1", true, 0, 0});
    papers_source(report, "Jay11 Fig. 7.1");
    papers_order(report, 2.0, &study, PAPERS_Q, "y at t = 1");
    papers_order(report, 2.0, &study, PAPERS_V, "z at t = 1");
    papers_order(report, 2.0, &study, PAPERS_A, "a(t + alpha h) at t = 1");
    papers_order(report, 2.0, &study, PAPERS_PSI, "psi at t = 1");
    const papers_series *y = papers_plot(panel, &study, PAPERS_Q, PAPERS_SQUARE, "y");
    papers_plot(panel, &study, PAPERS_V, PAPERS_CIRCLE, "z");
    papers_plot(panel, &study, PAPERS_A, PAPERS_CROSS, "a(t + αh)");
    papers_plot(panel, &study, PAPERS_PSI, PAPERS_STAR, "ψ");
    papers_guide(panel, y, 2);
}

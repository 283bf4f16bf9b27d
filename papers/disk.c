/* DISK: the rolling disk of Jay11 (7.2), Fig. 7.2. */
#include "measure.h"

void papers_disk(papers_report *report)
{
    const papers_setup setup = papers_setup_of("rolling_disk", "nonholonomic", 0.2, 2e-2, 10.0);
    const papers_study study = papers_halve(report, setup, 10, -1.0);
    papers_figure *figure = papers_new_figure(
        report, "disk-fig72",
        "Jay11 Fig. 7.2: global errors of y (□), z (○) and ψ (*) at t = 10 over the step size h; "
        "rolling disk (7.2), method (2.3) with ρ∞ = 0.2.");
    papers_panel *panel =
        papers_new_panel(figure, "rolling disk (7.2)", (papers_axis){"step size h", true, 0, 0},
                         (papers_axis){"global error at t = 10", true, 0, 0});
    papers_source(report, "Jay11 Fig. 7.2");
    papers_order(report, 2.0, &study, PAPERS_Q, "y at t = 10");
    papers_note(report, "Misprint in the paper: f_4 of (7.2) lacks the term -I2 z5 z3 cos(y3) that "
                        "follows from the printed Lagrangian, which is what we integrate. "
                        "The paper does not say which step sizes it used. Above h = 1e-3 a term of "
                        "order three dominates; the order is that of the finest four of our ten.");
    papers_order(report, 2.0, &study, PAPERS_V, "z at t = 10");
    papers_order(report, 2.0, &study, PAPERS_PSI, "psi at t = 10");
    const papers_series *y = papers_plot(panel, &study, PAPERS_Q, PAPERS_SQUARE, "y");
    papers_plot(panel, &study, PAPERS_V, PAPERS_CIRCLE, "z");
    papers_plot(panel, &study, PAPERS_PSI, PAPERS_STAR, "ψ");
    papers_guide(panel, y, 2);
}

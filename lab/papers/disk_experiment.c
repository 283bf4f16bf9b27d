/* DISK: the rolling disk of Jay11 (7.2), Fig. 7.2; and its printed equations beside those that
 * follow from the printed Lagrangian. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <math.h>

static void convergence(papers_report *report)
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
    papers_note(report, "The paper does not say which step sizes it used. Above h = 1e-3 a term of "
                        "order three dominates; the order is that of the finest four of our ten.");
    papers_order(report, 2.0, &study, PAPERS_V, "z at t = 10");
    papers_order(report, 2.0, &study, PAPERS_PSI, "psi at t = 10");
    const papers_series *y = papers_plot(panel, &study, PAPERS_Q, PAPERS_SQUARE, "y");
    papers_plot(panel, &study, PAPERS_V, PAPERS_CIRCLE, "z");
    papers_plot(panel, &study, PAPERS_PSI, PAPERS_STAR, "ψ");
    papers_guide(panel, y, 2);
}

enum { DOF = 5 };

/* (7.2) as it is printed: f less M a. */
static void printed_equations(const double *y, const double *z, const double *a, const double *psi,
                              double f[DOF])
{
    const double m = 2.0, r = 1.0, i1 = 2.0, i2 = 2.0, g = 10.0, mr = m * r;
    const double c3 = cos(y[2]), s3 = sin(y[2]), c4 = cos(y[3]), s4 = sin(y[3]);
    const double z1 = z[0], z2 = z[1], z3 = z[2], z4 = z[3], z5 = z[4];
    f[0] =
        mr * (-z3 * s3 * s4 + z4 * c3 * c4) * z3 + mr * (z3 * c3 * c4 - z4 * s3 * s4) * z4 - psi[0];
    f[1] =
        mr * (z3 * s3 * c4 + z4 * c3 * s4) * z3 + mr * (z3 * c3 * s4 + z4 * s3 * c4) * z4 - psi[1];
    f[2] = mr * r * z4 * z4 * s3 * c3 -
           mr * (-z3 * s3 * (z1 * s4 - z2 * c4) + z4 * c3 * (z1 * c4 + z2 * s4)) -
           i1 * z4 * z4 * c3 * s3 + i2 * (z5 + z4 * s3) * z4 * c3 + mr * g * s3 -
           mr * s3 * (z1 * s4 - z2 * c4) * z3 + mr * c3 * (z1 * c4 + z2 * s4) * z4;
    f[3] = -mr * (z3 * c3 * (z1 * c4 + z2 * s4) + z4 * s3 * (-z1 * s4 + z2 * c4)) -
           (2.0 * mr * r * z4 * s3 * c3 - mr * c3 * (z1 * c4 + z2 * s4) - 2.0 * i1 * z4 * s3 * c3 +
            2.0 * i2 * z4 * s3 * c3) *
               z3 +
           mr * s3 * (-z1 * s4 + z2 * c4) * z4;
    f[4] = -i2 * z4 * c3 * z3 + r * (c4 * psi[0] + s4 * psi[1]);
    f[0] -= m * a[0] - mr * c3 * s4 * a[2] - mr * s3 * c4 * a[3];
    f[1] -= m * a[1] + mr * c3 * c4 * a[2] - mr * s3 * s4 * a[3];
    f[2] -= -mr * c3 * s4 * a[0] + mr * c3 * c4 * a[1] + (mr * r + i1) * a[2];
    f[3] -= -mr * s3 * c4 * a[0] - mr * s3 * s4 * a[1] +
            (mr * r * s3 * s3 + i1 * c3 * c3 + i2 * s3 * s3) * a[3] + i2 * s3 * a[4];
    f[4] -= i2 * s3 * a[3] + i2 * a[4];
}

/* f - M a of the library less that in print, somewhere. */
static bool compare(papers_report *report, double difference[DOF])
{
    static const double y[DOF] = {0.1, 0.2, 0.3, 0.4, 0.5}, z[DOF] = {0.6, 0.7, 0.8, 0.9, 1.0};
    static const double a[DOF] = {0.3, -0.5, 0.7, -0.9, 1.1}, psi[2] = {1.3, -1.7};
    const cardan_point at = {.q = y, .v = z, .vdot = a, .lambda = a, .psi = psi};
    lab_problem *problem = NULL;
    cardan_evaluator *evaluator = NULL;
    cardan_error error = {0};
    double ours[DOF], printed[DOF];
    bool done = lab_problem_create(&problem, "rolling_disk", NULL, 0, &error) == CARDAN_OK &&
                cardan_evaluator_create(&evaluator, lab_problem_system(problem), NULL, &error) ==
                    CARDAN_OK &&
                cardan_evaluator_evaluate(evaluator, &at, &(cardan_equations){.dynamics = ours}) ==
                    CARDAN_OK;
    if (!done)
        papers_fail(report, error.text);
    printed_equations(y, z, a, psi, printed);
    for (int i = 0; i < DOF; i++)
        difference[i] = done ? -ours[i] - printed[i] : NAN;
    cardan_evaluator_destroy(evaluator);
    lab_problem_destroy(problem);
    return done;
}

static void equations(papers_report *report)
{
    double difference[DOF], largest = 0.0;
    const bool done = compare(report, difference);
    for (int i = 0; i < DOF; i++)
        if (i != 3)
            largest = papers_larger(largest, fabs(difference[i]));
    papers_source(report, "Jay11 (7.2)");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12}, done ? largest : NAN,
                 "M, f_1, f_2, f_3, f_5 less those of the Lagrangian");
    papers_note(report, "To rounding, at y = (.1, .2, .3, .4, .5), z = (.6, .7, .8, .9, 1).");
    papers_false_in_print(report, (papers_bound){"0", PAPERS_EQUAL, 0.0, 1e-12}, "-1.52854",
                          difference[3], "f_4 of the Lagrangian less f_4 as printed");
    papers_note(report,
                "In print f_4 lacks the term -I2 z5 z3 cos(y3) that follows from the Lagrangian "
                "below it, which is what we integrate: -2 (1) (0.8) cos(0.3) here.");
}

void papers_disk(papers_report *report)
{
    convergence(report);
    equations(report);
}

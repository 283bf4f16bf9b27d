/* SPATIAL: body and inertial velocities on the heavy top. */
#include "paper_runs.h"

#include <stdlib.h>

typedef struct variant {
    const char *problem, *method;
    cardan_update update;
    const char *name, *x, *lambda; /* printed errors in x and lambda */
    double tolerance;              /* of lambda */
} variant;

static const variant variants[] = {
    {"heavy_top", "ga3", CARDAN_UPDATE_EXP, "body frame", "7.27e-3", "8.72", 5e-3},
    {"heavy_top_spatial", "ga3", CARDAN_UPDATE_EXP, "spatial", "1.55e-3", "1.84", 5e-3},
    {"heavy_top_spatial", "ga3", CARDAN_UPDATE_MAGNUS, "spatial + magnus", "1.20e-4", "0.130",
     5e-4},
    {"heavy_top", "ga2s", CARDAN_UPDATE_EXP, "body frame", "4.70e-3", "4.13", 5e-3},
    {"heavy_top_spatial", "ga2s", CARDAN_UPDATE_EXP, "spatial", "3.84e-3", "3.97", 5e-3},
    {"heavy_top_spatial", "ga2s", CARDAN_UPDATE_MAGNUS, "spatial + magnus", "1.16e-4", "0.122",
     1e-3},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

void papers_spatial(papers_report *report)
{
    static const papers_mark marks[] = {PAPERS_SQUARE, PAPERS_CIRCLE, PAPERS_CROSS};
    papers_figure *figure = papers_new_figure(
        report, "spatial-top",
        "Heavy top, ρ∞ = 0.9, perturbed start (experiment SPATIAL): largest errors on [0, 1] with "
        "the angular velocity in the body frame and in the inertial frame.");
    papers_panel *panels[2] = {papers_new_panel(figure, "position", (papers_axis){"h", true, 0, 0},
                                                (papers_axis){"max error in x", true, 0, 0}),
                               papers_new_panel(figure, "multipliers",
                                                (papers_axis){"h", true, 0, 0},
                                                (papers_axis){"max error in λ", true, 0, 0})};
    papers_ours(report, "SPATIAL");
    for (int i = 0; i < VARIANTS; i++) {
        const variant *v = &variants[i];
        papers_setup setup = papers_setup_of(v->problem, v->method, 0.9, 1e-3, 1.0);
        setup.def.update = v->update;
        const papers_study study = papers_halve(report, setup, 4, 0.0);
        papers_printed(report, v->x, study.errors[0].x, "max |e_x|, %s, %s, h = 1e-3", v->method,
                       v->name);
        papers_near(report, strtod(v->lambda, NULL), v->tolerance, study.errors[0].lambda,
                    "max |e_lambda|, %s, %s, h = 1e-3", v->method, v->name);
        if (i == VARIANTS - 1)
            papers_note(report, "Within one unit of the last digit: ours is %.5f.",
                        study.errors[0].lambda);
        papers_order(report, 2.0, &study, PAPERS_X, "e_x, %s, %s", v->method, v->name);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, %s, %s", v->method, v->name);
        papers_plot(panels[0], &study, PAPERS_X, marks[i % 3], "%s, %s", v->method, v->name);
        papers_plot(panels[1], &study, PAPERS_LAMBDA, marks[i % 3], "%s, %s", v->method, v->name);
    }
    for (int i = 0; i < 2; i++)
        papers_guide(panels[i], &panels[i]->series[2], 2);
}

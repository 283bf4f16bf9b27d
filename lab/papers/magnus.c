/* MAGNUS: the commutator-corrected update on the heavy top. */
#include "paper_runs.h"

#include <math.h>

typedef struct variant {
    const char *method;
    cardan_update update;
    const char *name, *x, *lambda; /* printed errors in x and lambda */
} variant;

static const variant variants[] = {
    {"ga3", CARDAN_UPDATE_EXP, "exp", "7.27e-3", "8.72"},
    {"ga3", CARDAN_UPDATE_MAGNUS, "magnus", "4.26e-3", "5.12"},
    {"ga2s", CARDAN_UPDATE_EXP, "exp", "4.70e-3", "4.13"},
    {"ga2s", CARDAN_UPDATE_MAGNUS, "magnus", "1.74e-3", "1.18"},
};

/* No bracket, no change: the pendulum lives in a linear space. */
static double change_on_linear_space(papers_report *report)
{
    double lambda[2];
    for (int i = 0; i < 2; i++) {
        papers_setup setup = papers_setup_of("pendulum", "ga3", 0.9, 1e-2, 2.0);
        setup.def.update = i == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
        lambda[i] = papers_worst(report, &setup, 0.0).lambda;
    }
    return fabs(lambda[1] - lambda[0]);
}

void papers_magnus(papers_report *report)
{
    static const papers_mark marks[] = {PAPERS_SQUARE, PAPERS_CIRCLE, PAPERS_CROSS, PAPERS_STAR};
    papers_figure *figure = papers_new_figure(
        report, "magnus-top",
        "Heavy top, ρ∞ = 0.9, perturbed start (experiment MAGNUS): largest errors on [0, 1] with "
        "the exponential update and with the commutator-corrected one.");
    papers_panel *panels[2] = {papers_new_panel(figure, "position", (papers_axis){"h", true, 0, 0},
                                                (papers_axis){"max error in x", true, 0, 0}),
                               papers_new_panel(figure, "multipliers",
                                                (papers_axis){"h", true, 0, 0},
                                                (papers_axis){"max error in λ", true, 0, 0})};
    papers_ours(report, "MAGNUS");
    for (int i = 0; i < 4; i++) {
        const variant *v = &variants[i];
        papers_setup setup = papers_setup_of("heavy_top", v->method, 0.9, 1e-3, 1.0);
        setup.def.update = v->update;
        const papers_study study = papers_halve(report, setup, 4, 0.0);
        papers_printed(report, v->x, study.errors[0].x, "max |e_x|, %s, %s, h = 1e-3", v->method,
                       v->name);
        papers_printed(report, v->lambda, study.errors[0].lambda,
                       "max |e_lambda|, %s, %s, h = 1e-3", v->method, v->name);
        papers_order(report, 2.0, &study, PAPERS_X, "e_x, %s, %s", v->method, v->name);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, %s, %s", v->method, v->name);
        papers_plot(panels[0], &study, PAPERS_X, marks[i], "%s, %s", v->method, v->name);
        papers_plot(panels[1], &study, PAPERS_LAMBDA, marks[i], "%s, %s", v->method, v->name);
    }
    for (int i = 0; i < 2; i++)
        papers_guide(panels[i], &panels[i]->series[3], 2);
    papers_judge(report, (papers_bound){"no change", PAPERS_AT_MOST, 0.0, 1e-10},
                 change_on_linear_space(report), "difference of magnus to exp on the pendulum");
}

/* STEP: what a change of the step size costs in lambda with each policy (PAPERS.md). */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How the steps are chosen: one change from H to H/2 at t = 1, or 2H/3 and 4H/3 in turn. */
typedef enum pattern { ONE_CHANGE, ALTERNATING } pattern;

typedef struct trial {
    const char *problem;
    double rho, end;
    pattern steps;
    cardan_step_change policy;
} trial;

static double next_step(const trial *run, double size, double t, long n)
{
    if (run->steps == ALTERNATING)
        return n % 2 == 0 ? 2.0 * size / 3.0 : 4.0 * size / 3.0;
    return t < 1.0 - 1e-9 ? size : 0.5 * size;
}

static double worst_lambda(papers_report *report, const trial *run, double size)
{
    papers_setup setup =
        papers_setup_of(run->problem, "ga3", run->rho, next_step(run, size, 0.0, 0), run->end);
    papers_errors worst = {0};
    setup.def.step_change = run->policy;
    if (strcmp(run->problem, "pendulum") == 0)
        setup.setting = (cardan_setting){"x0", 0.2};
    papers_trail trail = papers_begin(report, &setup);
    while (papers_advance(&trail)) {
        const papers_errors now = papers_errors_now(&trail, false);
        papers_grow(&worst, &now, trail.n);
        const double next = next_step(run, size, trail.now->t, trail.n);
        papers_check(&trail, cardan_integrator_set_step(trail.it, next));
    }
    return trail.failed ? NAN : worst.lambda;
}

static papers_study halve(papers_report *report, const trial *run, double size, int count)
{
    papers_study study = {.count = count};
    for (int i = 0; i < count; i++) {
        study.h[i] = ldexp(size, -i);
        study.errors[i].lambda = worst_lambda(report, run, study.h[i]);
    }
    return study;
}

typedef struct trial_rows {
    trial run;
    const char *name;       /* of the policy */
    double size;            /* the largest H */
    int sizes;              /* how many, each half the one before */
    const char *printed[3]; /* for H, H/2, H/4 */
    double order;           /* over the finest four sizes; 0: no convergence is claimed */
} trial_rows;

static const trial_rows trials[] = {
    {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_NONE},
     "uncorrected",
     2e-2,
     4,
     {"3.64e-1", "1.82e-1", "9.07e-2"},
     1.0},
    {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_ACCELERATION},
     "JN07 (2.3) alone",
     2e-2,
     4,
     {"3.64e-1", "1.82e-1", "9.07e-2"},
     1.0},
    {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_PROJECTED},
     "projected",
     2e-2,
     4,
     {"1.22e-1", "6.09e-2", "3.04e-2"},
     1.0},
    {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_SETTLED},
     "corrected",
     2e-2,
     4,
     {"2.59e-3", "6.23e-4", "1.56e-4"},
     2.0},
    {{"pendulum", 0.9, 2.0, ALTERNATING, CARDAN_STEP_NONE},
     "uncorrected",
     2e-2,
     3,
     {"4.0", "4.1", "2.6"},
     0.0},
    {{"pendulum", 0.9, 2.0, ALTERNATING, CARDAN_STEP_SETTLED},
     "corrected",
     2e-2,
     6,
     {"2.69e-2", "6.10e-3", "1.08e-3"},
     2.0},
    {{"heavy_top", 0.6, 0.5, ALTERNATING, CARDAN_STEP_NONE},
     "uncorrected",
     2e-3,
     4,
     {"728", "371", "190"},
     1.0},
    {{"heavy_top", 0.6, 0.5, ALTERNATING, CARDAN_STEP_SETTLED},
     "corrected",
     2e-3,
     5,
     {"29.8", "7.34", "1.69"},
     2.0},
    {{"heavy_top", 0.9, 0.5, ALTERNATING, CARDAN_STEP_NONE},
     "uncorrected",
     2e-3,
     3,
     {"2.15e3", "2.87e3", "3.01e3"},
     0.0},
    {{"heavy_top", 0.9, 0.5, ALTERNATING, CARDAN_STEP_SETTLED},
     "corrected",
     2e-3,
     6,
     {"33.1", "11.1", "3.5"},
     2.0},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static void title_of(const trial_rows *t, char *text, size_t size)
{
    snprintf(text, size, "%s, rho = %g, %s", t->run.problem, t->run.rho,
             t->run.steps == ONE_CHANGE ? "H to H/2 at t = 1" : "steps 2H/3, 4H/3");
}

static void add_rows(papers_report *report, const trial_rows *t, const papers_study *study)
{
    char title[80];
    title_of(t, title, sizeof title);
    for (int i = 0; i < 3; i++)
        papers_printed(report, t->printed[i], study->errors[i].lambda,
                       "max |e_lambda|, %s, %s, H = %g", title, t->name, study->h[i]);
    if (t->order <= 0.0)
        return;
    papers_order(report, t->order, study, PAPERS_LAMBDA, "e_lambda, %s, %s", title, t->name);
}

/* Uncorrected and corrected stand one after the other in the table. */
static void compare(papers_report *report, const trial_rows *t, const papers_study *none,
                    const papers_study *both)
{
    char title[80];
    double smallest = INFINITY;
    title_of(t, title, sizeof title);
    for (int i = 0; i < 3; i++)
        smallest = fmin(smallest, none->errors[i].lambda / both->errors[i].lambda);
    papers_judge(report, (papers_claim){">= 50", PAPERS_AT_LEAST, 50.0, 0.0}, smallest,
                 "uncorrected / corrected |e_lambda|, %s", title);
}

void papers_step(papers_report *report)
{
    static const papers_mark marks[] = {PAPERS_CROSS, PAPERS_PLUS, PAPERS_SQUARE, PAPERS_CIRCLE};
    papers_figure *figure = papers_new_figure(
        report, "step-policies",
        "Step-size changes with ga3 (PAPERS.md, STEP): largest error in λ over the step size H. "
        "Left: one change from H to H/2 at t = 1. Right: steps 2H/3 and 4H/3 in turn on the heavy "
        "top.");
    papers_panel *panels[2];
    papers_study previous = {0};
    panels[0] =
        papers_new_panel(figure, "pendulum, one change, rho = 0.9", (papers_axis){"H", true, 0, 0},
                         (papers_axis){"max error in λ", true, 0, 0});
    panels[1] =
        papers_new_panel(figure, "heavy top, alternating steps", (papers_axis){"H", true, 0, 0},
                         (papers_axis){"max error in λ", true, 0, 0});
    papers_source(report, "ours, STEP");
    for (int i = 0; i < TRIALS; i++) {
        const trial_rows *t = &trials[i];
        const papers_study study = halve(report, &t->run, t->size, t->sizes);
        add_rows(report, t, &study);
        if (t->run.policy == CARDAN_STEP_SETTLED && t->run.rho > 0.8 && t->run.steps == ALTERNATING)
            compare(report, t, &previous, &study);
        previous = study;
        if (i >= 4 && i < 6)
            continue;
        papers_series *series = papers_plot(panels[i >= 4], &study, PAPERS_LAMBDA, marks[i % 4],
                                            "%s, ρ∞ = %g", t->name, t->run.rho);
        if (i == 3 || i == 7)
            papers_guide(panels[i >= 4], series, 2);
    }
}

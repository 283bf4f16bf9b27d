/* STEP: what a change of the step size costs in lambda with each policy. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

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
    setup.def.experimental.step_change = run->policy;
    if (strcmp(run->problem, "pendulum") == 0)
        setup.setting = (lab_setting){"x0", 0.2};
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
    const char *printed[3]; /* for H, H/2, H/4; NULL: none */
    papers_bound order;     /* over the finest four sizes; no text: no convergence is claimed */
} trial_rows;

#define FIRST_ORDER                                                                                \
    {                                                                                              \
        "order 1", PAPERS_EQUAL, 1.0, PAPERS_SLOPE_TOLERANCE                                       \
    }
#define SECOND_ORDER                                                                               \
    {                                                                                              \
        "order 2", PAPERS_EQUAL, 2.0, PAPERS_SLOPE_TOLERANCE                                       \
    }
/* With little damping the asymptotic range is reached late, from above. */
#define SECOND_ORDER_AT_LEAST                                                                      \
    {                                                                                              \
        "order 2", PAPERS_AT_LEAST, 2.0, PAPERS_SLOPE_TOLERANCE                                    \
    }

enum { NONE, ALONE, PROJECTED, SETTLED }; /* the trials of one change */

static const trial_rows one_change[] = {
    [NONE] = {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_NONE},
              "uncorrected",
              2e-2,
              4,
              {"3.64e-1", "1.82e-1", "9.07e-2"},
              FIRST_ORDER},
    [ALONE] = {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_ACCELERATION},
               "JN07 (2.3) alone",
               2e-2,
               4,
               {NULL},
               FIRST_ORDER},
    [PROJECTED] = {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_PROJECTED},
                   "projected",
                   2e-2,
                   4,
                   {"1.22e-1", "6.09e-2", "3.04e-2"},
                   FIRST_ORDER},
    [SETTLED] = {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_SETTLED},
                 "corrected",
                 2e-2,
                 4,
                 {"2.59e-3", "6.23e-4", "1.56e-4"},
                 SECOND_ORDER},
};

/* Uncorrected and corrected in turn. */
static const trial_rows alternating[] = {
    {{"pendulum", 0.6, 2.0, ALTERNATING, CARDAN_STEP_NONE}, "uncorrected", 2e-2, 6, {NULL}, {0}},
    {{"pendulum", 0.6, 2.0, ALTERNATING, CARDAN_STEP_SETTLED},
     "corrected",
     2e-2,
     6,
     {NULL},
     SECOND_ORDER},
    {{"pendulum", 0.9, 2.0, ALTERNATING, CARDAN_STEP_NONE},
     "uncorrected",
     2e-2,
     6,
     {"4.0", "4.1", "2.6"},
     {0}},
    {{"pendulum", 0.9, 2.0, ALTERNATING, CARDAN_STEP_SETTLED},
     "corrected",
     2e-2,
     6,
     {"2.69e-2", "6.10e-3", "1.08e-3"},
     SECOND_ORDER_AT_LEAST},
    {{"heavy_top", 0.6, 0.5, ALTERNATING, CARDAN_STEP_NONE},
     "uncorrected",
     2e-3,
     6,
     {"728", "371", "190"},
     FIRST_ORDER},
    {{"heavy_top", 0.6, 0.5, ALTERNATING, CARDAN_STEP_SETTLED},
     "corrected",
     2e-3,
     6,
     {"29.8", "7.34", "1.69"},
     SECOND_ORDER},
    {{"heavy_top", 0.9, 0.5, ALTERNATING, CARDAN_STEP_NONE},
     "uncorrected",
     2e-3,
     6,
     {"2.15e3", "2.87e3", "3.01e3"},
     {0}},
    {{"heavy_top", 0.9, 0.5, ALTERNATING, CARDAN_STEP_SETTLED},
     "corrected",
     2e-3,
     7,
     {"33.1", "11.1", "3.5"},
     SECOND_ORDER_AT_LEAST},
};
enum { ALTERNATING_TRIALS = sizeof alternating / sizeof alternating[0] };

static void title_of(const trial_rows *t, char *text, size_t size)
{
    snprintf(text, size, "%s, rho = %g, %s", t->run.problem, t->run.rho,
             t->run.steps == ONE_CHANGE ? "H to H/2 at t = 1" : "steps 2H/3, 4H/3");
}

static void add_rows(papers_report *report, const trial_rows *t, const papers_study *study)
{
    char title[80];
    double errors[PAPERS_SLOPE_STEPS];
    const int skip = study->count - PAPERS_SLOPE_STEPS;
    title_of(t, title, sizeof title);
    for (int i = 0; i < 3 && t->printed[i] != NULL; i++)
        papers_printed(report, t->printed[i], study->errors[i].lambda,
                       "max |e_lambda|, %s, %s, H = %g", title, t->name, study->h[i]);
    if (t->order.published == NULL)
        return;
    for (int i = 0; i < PAPERS_SLOPE_STEPS; i++)
        errors[i] = study->errors[skip + i].lambda;
    papers_judge(report, t->order, papers_slope(PAPERS_SLOPE_STEPS, study->h + skip, errors),
                 "order of e_lambda, %s, %s", title, t->name);
    if (t->order.rule == PAPERS_AT_LEAST)
        papers_note(report, "With little damping the errors of coarse steps are in no asymptotic "
                            "range and fall faster than h^2.");
}

/* "JN07 alone the same": correcting the acceleration only is no cure for ga3. */
static void compare_alone(papers_report *report, const papers_study *none,
                          const papers_study *alone)
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++)
        largest =
            papers_larger(largest, fabs(alone->errors[i].lambda / none->errors[i].lambda - 1.0));
    papers_judge(report, (papers_bound){"the same", PAPERS_AT_MOST, 0.0, 5e-3}, largest,
                 "relative difference of JN07 (2.3) alone to uncorrected, three H");
}

static void compare(papers_report *report, const trial_rows *t, const papers_study *none,
                    const papers_study *both)
{
    char title[80];
    double smallest = INFINITY;
    title_of(t, title, sizeof title);
    for (int i = 0; i < 3; i++)
        smallest = papers_smaller(smallest, none->errors[i].lambda / both->errors[i].lambda);
    papers_judge(report, (papers_bound){">= 50", PAPERS_AT_LEAST, 50.0, 0.0}, smallest,
                 "uncorrected / corrected |e_lambda|, %s", title);
}

static void after_one_change(papers_report *report, papers_panel *panel)
{
    static const papers_mark marks[] = {PAPERS_CROSS, PAPERS_PLUS, PAPERS_SQUARE, PAPERS_CIRCLE};
    papers_study studies[4];
    for (int i = NONE; i <= SETTLED; i++) {
        studies[i] = halve(report, &one_change[i].run, one_change[i].size, one_change[i].sizes);
        add_rows(report, &one_change[i], &studies[i]);
        if (i == ALONE)
            compare_alone(report, &studies[NONE], &studies[ALONE]);
        papers_plot(panel, &studies[i], PAPERS_LAMBDA, marks[i], "%s", one_change[i].name);
    }
    papers_guide(panel, &panel->series[NONE], 1);
    papers_guide(panel, &panel->series[SETTLED], 2);
}

static void in_turn(papers_report *report, papers_panel *panel)
{
    papers_study none = {0};
    for (int i = 0; i < ALTERNATING_TRIALS; i++) {
        const trial_rows *t = &alternating[i];
        const papers_study study = halve(report, &t->run, t->size, t->sizes);
        const bool corrected = t->run.policy == CARDAN_STEP_SETTLED;
        add_rows(report, t, &study);
        if (corrected && t->run.rho > 0.8)
            compare(report, t, &none, &study);
        none = study;
        if (strcmp(t->run.problem, "heavy_top") == 0)
            papers_plot(panel, &study, PAPERS_LAMBDA, corrected ? PAPERS_CIRCLE : PAPERS_CROSS,
                        "%s, ρ∞ = %g", t->name, t->run.rho);
    }
    papers_guide(panel, &panel->series[1], 2);
}

void papers_step(papers_report *report)
{
    papers_figure *figure = papers_new_figure(
        report, "step-policies",
        "Step-size changes with ga3 (experiment STEP): largest error in λ over the step size H. "
        "Left: one change from H to H/2 at t = 1. Right: steps 2H/3 and 4H/3 in turn on the heavy "
        "top.");
    papers_panel *left =
        papers_new_panel(figure, "pendulum, one change, ρ∞ = 0.9", (papers_axis){"H", true, 0, 0},
                         (papers_axis){"max error in λ", true, 0, 0});
    papers_panel *right =
        papers_new_panel(figure, "heavy top, alternating steps", (papers_axis){"H", true, 0, 0},
                         (papers_axis){"max error in λ", true, 0, 0});
    papers_ours(report, "STEP");
    after_one_change(report, left);
    in_turn(report, right);
}

/* JN1: the first test problem of JN07 Sec. 5.1, Fig. 5.1 to 5.4, and the variants that have no
 * figure. */
#include "paper_runs.h"

#include <math.h>

typedef struct variant {
    const char *figure, *title;
    cardan_hht3_variant form;
    bool alternating; /* steps h/3, 2h/3 */
    cardan_step_change policy;
    double order;
} variant;

static const variant variants[] = {
    {"JN07 Fig. 5.1", "method (3.4)", CARDAN_HHT3_FULL, false, CARDAN_STEP_ACCELERATION, 2.0},
    {"JN07 Fig. 5.2", "with (3.5)", CARDAN_HHT3_EXPLICIT, false, CARDAN_STEP_ACCELERATION, 2.0},
    {"JN07 Fig. 5.3", "h/3, 2h/3, a_n unmodified", CARDAN_HHT3_FULL, true, CARDAN_STEP_NONE, 1.0},
    {"JN07 Fig. 5.4", "h/3, 2h/3, a_n by (2.3)", CARDAN_HHT3_FULL, true, CARDAN_STEP_ACCELERATION,
     2.0},
};

/* a is f(t, y, z) here: the acceleration without the reaction, at t + alpha h. */
static double error_of_a(const papers_trail *trail)
{
    const cardan_state *s = trail->now;
    const double decay = exp(-2.0 * (s->t + trail->shift * s->h));
    return hypot(s->a[0], s->a[1] - (4.0 * decay - decay * decay));
}

static double next_step(const variant *v, double h, long n)
{
    if (!v->alternating)
        return h;
    return n % 2 == 0 ? h / 3.0 : 2.0 * h / 3.0;
}

static bool has_middle(const variant *v)
{
    return v->form == CARDAN_HHT3_MIDPOINT || v->form == CARDAN_HHT3_MIDPOINT_EXPLICIT;
}

static papers_setup setup_of(const variant *v, double h)
{
    papers_setup setup = papers_setup_of("jn1", "hht3", 1.0, next_step(v, h, 0), 1.0);
    setup.def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.15);
    setup.def.experimental.hht3_b = has_middle(v) ? 0.0 : 0.3;
    setup.def.experimental.hht3_variant = v->form;
    setup.def.experimental.step_change = v->policy;
    return setup;
}

static papers_errors errors_of(papers_report *report, const variant *v, const papers_setup *given,
                               double h)
{
    const papers_setup setup = *given;
    papers_errors last = {0};
    papers_trail trail = papers_begin(report, &setup);
    while (papers_advance(&trail)) {
        if (trail.now->t > 1.0 - 1e-9) {
            last = papers_errors_now(&trail, false);
            last.a = error_of_a(&trail);
        } else {
            papers_check(&trail, cardan_integrator_set_step(trail.it, next_step(v, h, trail.n)));
        }
    }
    if (trail.failed)
        last.q = last.v = last.a = NAN;
    return last;
}

static papers_errors errors_at_end(papers_report *report, const variant *v, double h)
{
    const papers_setup setup = setup_of(v, h);
    return errors_of(report, v, &setup, h);
}

static papers_study study_of(papers_report *report, const variant *v,
                             void (*change)(papers_setup *setup))
{
    papers_study study = {.count = PAPERS_SLOPE_STEPS};
    for (int i = 0; i < study.count; i++) {
        study.h[i] = ldexp(0.0025, -i);
        papers_setup setup = setup_of(v, study.h[i]);
        if (change != NULL)
            change(&setup);
        study.errors[i] = errors_of(report, v, &setup, study.h[i]);
    }
    return study;
}

static void order_rows(papers_report *report, const papers_study *study, const char *title)
{
    papers_order(report, 2.0, study, PAPERS_Q, "y at t = 1, %s", title);
    papers_order(report, 2.0, study, PAPERS_V, "z at t = 1, %s", title);
    papers_order(report, 2.0, study, PAPERS_A, "a(t + alpha h), %s", title);
}

static void make_lobatto(papers_setup *setup)
{
    setup->def.params = cardan_params_make(CARDAN_FAMILY_HHT, 0.0);
    setup->def.experimental.hht3_b = 0.0;
}

static void make_plain(papers_setup *setup)
{
    setup->def.experimental.start = CARDAN_START_PLAIN;
}

/* Second order is claimed in words for all of these. */
static void without_figures(papers_report *report)
{
    static const variant middle[] = {
        {"", "R_1/2", CARDAN_HHT3_MIDPOINT, false, CARDAN_STEP_ACCELERATION, 2.0},
        {"", "R_1/2 with (3.5)", CARDAN_HHT3_MIDPOINT_EXPLICIT, false, CARDAN_STEP_ACCELERATION,
         2.0}};
    papers_source(report, "JN07 Sec. 3");
    for (int i = 0; i < 2; i++) {
        const papers_study study = study_of(report, &middle[i], NULL);
        order_rows(report, &study, middle[i].title);
    }
    const papers_study lobatto = study_of(report, &variants[0], make_lobatto);
    order_rows(report, &lobatto, "alpha = b = 0 (Lobatto)");
    const papers_study plain = study_of(report, &variants[0], make_plain);
    papers_source(report, "JN07 Thm 4.5");
    order_rows(report, &plain, "a_0 = f_0");
}

/* (3.4e): both constraints in every step. */
static void constraints(papers_report *report)
{
    const papers_setup setup = setup_of(&variants[0], 0.05);
    papers_trail trail = papers_begin(report, &setup);
    double position = 0.0, velocity = 0.0;
    while (papers_advance(&trail)) {
        const double *y = trail.now->q, *z = trail.now->v;
        position = papers_larger(position, fabs(y[0] * y[0] * y[1] - 1.0));
        velocity = papers_larger(velocity, fabs(2.0 * y[0] * y[1] * z[0] + y[0] * y[0] * z[1]));
    }
    papers_source(report, "JN07 (3.4e)");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12},
                 trail.failed ? NAN : position, "largest |g(t, y)| of all steps, h = 0.05");
    papers_note(report, "To rounding.");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12},
                 trail.failed ? NAN : velocity, "largest |g_t + g_y z| of all steps, h = 0.05");
    papers_note(report, "To rounding.");
}

static void prototype_rows(papers_report *report)
{
    static const struct {
        variant how;
        const char *name, *title;
        double h;
    } cases[] = {
        {{"", "", CARDAN_HHT3_FULL, false, CARDAN_STEP_ACCELERATION, 2.0},
         "jn1 full",
         "(3.4), h = 1/16",
         1.0 / 16},
        {{"", "", CARDAN_HHT3_EXPLICIT, false, CARDAN_STEP_ACCELERATION, 2.0},
         "jn1 explicit",
         "(3.5), h = 1/16",
         1.0 / 16},
        {{"", "", CARDAN_HHT3_MIDPOINT, false, CARDAN_STEP_ACCELERATION, 2.0},
         "jn1 midpoint",
         "R_1/2, h = 1/16",
         1.0 / 16},
        {{"", "", CARDAN_HHT3_MIDPOINT_EXPLICIT, false, CARDAN_STEP_ACCELERATION, 2.0},
         "jn1 midpoint-explicit",
         "R_1/2 with (3.5), h = 1/16",
         1.0 / 16},
        {{"", "", CARDAN_HHT3_FULL, true, CARDAN_STEP_ACCELERATION, 2.0},
         "jn1 changing",
         "steps 1/48, 1/24",
         1.0 / 16},
    };
    papers_derived(report, "JN07 Sec. 3, prototype");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        papers_setup setup = setup_of(&cases[i].how, cases[i].h);
        make_plain(&setup);
        const papers_errors e = errors_of(report, &cases[i].how, &setup, cases[i].h);
        papers_prototype(report, cases[i].name, cases[i].title, (const double[]){e.q, e.v, e.a});
    }
}

static void figures(papers_report *report)
{
    papers_figure *figure = papers_new_figure(
        report, "jn1-fig51-54",
        "JN07 Fig. 5.1 to 5.4: global errors of y (□), z (○) and a(t + αh) (×) at t = 1 for the "
        "first test problem, extended HHT-α method with α = -0.15, b = 0.3: constant steps, "
        "modification (3.5), and steps h/3, 2h/3 without and with (2.3), over the average step.");
    for (int i = 0; i < 4; i++) {
        const variant *v = &variants[i];
        papers_study study = {.count = 9};
        for (int k = 0; k < study.count; k++) {
            const double h = ldexp(0.05, -k);
            study.h[k] = v->alternating ? 0.5 * h : h;
            study.errors[k] = errors_at_end(report, v, h);
        }
        papers_panel *panel = papers_new_panel(
            figure, v->title, (papers_axis){v->alternating ? "average step" : "h", true, 0, 0},
            (papers_axis){"global error at t = 1", true, 0, 0});
        papers_source(report, v->figure);
        papers_order(report, v->order, &study, PAPERS_Q, "y at t = 1, %s", v->title);
        if (v->order < 2.0)
            papers_note(report, "The defect. Steps above 3e-3 are not in the asymptotic range; the "
                                "order is that of the finest four.");
        papers_order(report, v->order, &study, PAPERS_V, "z at t = 1, %s", v->title);
        papers_order(report, v->order, &study, PAPERS_A, "a(t + alpha h), %s", v->title);
        papers_series *y = papers_plot(panel, &study, PAPERS_Q, PAPERS_SQUARE, "y");
        papers_plot(panel, &study, PAPERS_V, PAPERS_CIRCLE, "z");
        papers_plot(panel, &study, PAPERS_A, PAPERS_CROSS, "a(t + αh)");
        papers_guide(panel, y, (int)v->order);
    }
}

void papers_jn1(papers_report *report)
{
    figures(report);
    without_figures(report);
    constraints(report);
    prototype_rows(report);
}

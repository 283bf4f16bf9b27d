/* JN1: the first test problem of JN07 Sec. 5.1, Fig. 5.1 to 5.4. */
#include "measure.h"

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

static papers_errors errors_at_end(papers_report *report, const variant *v, double h)
{
    papers_setup setup = papers_setup_of("jn1", "hht3", 1.0, next_step(v, h, 0), 1.0);
    papers_errors last = {0};
    setup.def.params = cardan_params_hht(-0.15);
    setup.def.options.hht3_b = 0.3;
    setup.def.options.hht3_variant = v->form;
    setup.def.step_change = v->policy;
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

void papers_jn1(papers_report *report)
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

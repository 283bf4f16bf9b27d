/* TOP-P: the heavy top with one velocity projection at t* = 0.7, ACB-R Fig. 1 and 2. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <math.h>

#define PROJECTION_TIME 0.7

/* Measured along one run. */
typedef struct findings {
    double residual;             /* largest first component of B v before t* */
    double projected;            /* largest |B v| right after the projection */
    double before, after, later; /* largest relative errors of lambda: t < t*, t >= t*, and more
                                    than 100 steps after t* */
} findings;

typedef struct drawing {
    papers_series *residual, *lambda[3]; /* or NULL */
} drawing;

static double largest_of(double a, double b)
{
    return b <= a ? a : b; /* a NaN stays */
}

/* First component of B v = -u + R (Omega x X) with X = (0, 1, 0). */
static double first_residual(const papers_trail *trail)
{
    enum { E0 = 3, U1 = 7, OMEGA1 = 10 }; /* positions among the outputs */
    const cardan_state *s = trail->now;
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    double out[PAPERS_LARGEST];
    lab_problem_output(trail->problem, &at, out);
    const double *e = out + E0, *omega = out + OMEGA1;
    const double r11 = 1.0 - 2.0 * (e[2] * e[2] + e[3] * e[3]);
    const double r13 = 2.0 * (e[1] * e[3] + e[0] * e[2]);
    return -out[U1] - r11 * omega[2] + r13 * omega[0];
}

static double relative_error(const papers_trail *trail)
{
    double square = 0.0;
    for (int i = 0; i < 3; i++)
        square += trail->now->lambda[i] * trail->now->lambda[i];
    return papers_errors_now(trail, false).lambda / sqrt(square);
}

static void project(papers_trail *trail, cardan_projection_target target, findings *found)
{
    cardan_projection projection = cardan_projection_default();
    cardan_projection_report done = {0};
    projection.level = CARDAN_PROJECT_VELOCITY;
    projection.target = target;
    if (papers_check(trail, cardan_integrator_project(trail->it, &projection, &done)))
        found->projected = done.after;
}

static void draw_point(const papers_trail *trail, const drawing *draw)
{
    if (draw->residual != NULL)
        papers_push(draw->residual, trail->now->t, first_residual(trail));
    for (int i = 0; i < 3 && draw->lambda[0] != NULL; i++)
        if (trail->now->t > 0.649 && trail->now->t < 0.801)
            papers_push(draw->lambda[i], trail->now->t, trail->now->lambda[i]);
}

static findings run(papers_report *report, double h, cardan_projection_target target, drawing draw)
{
    const papers_setup setup = papers_setup_of("heavy_top", "ga3", 0.9, h, 1.0);
    const long star = lround(PROJECTION_TIME / h);
    findings found = {.projected = NAN};
    papers_trail trail = papers_begin(report, &setup);
    while (papers_advance(&trail)) {
        const double error = relative_error(&trail);
        draw_point(&trail, &draw);
        if (trail.n < star) {
            found.before = largest_of(found.before, error);
            found.residual = largest_of(found.residual, fabs(first_residual(&trail)));
            continue;
        }
        found.after = largest_of(found.after, error);
        if (trail.n > star + 100)
            found.later = largest_of(found.later, error);
        if (trail.n == star)
            project(&trail, target, &found);
    }
    if (trail.failed)
        found.before = found.after = found.later = found.residual = NAN;
    return found;
}

static void residual_figure(papers_report *report)
{
    static const double steps[] = {1e-3, 5e-4};
    papers_figure *figure = papers_new_figure(
        report, "top-p-fig1",
        "ACB-R Fig. 1: heavy top, ga3, ρ∞ = 0.9: first component of the residual in the hidden "
        "constraints, h = 1.0e-3 (left) and h = 5.0e-4 (right), velocity projection at t* = 0.7.");
    findings found[2];
    for (int i = 0; i < 2; i++) {
        papers_panel *panel = papers_new_panel(
            figure, i == 0 ? "h = 1.0e-3" : "h = 5.0e-4", (papers_axis){"t", false, 0.0, 1.0},
            (papers_axis){"first component of B(q) v", false, 0, 0});
        const drawing draw = {papers_new_series(panel, PAPERS_LINE, false, "B(q) v"), {NULL}};
        found[i] = run(report, steps[i], CARDAN_TARGET_ZERO, draw);
    }
    papers_source(report, "ACB-R Fig. 1");
    papers_near(report, 4.0, 0.1, found[0].residual / found[1].residual,
                "amplitude of (B v)_1 for t < t*, h = 1e-3 over h = 5e-4");
    papers_note(report, "\"Decreased by a factor of 2^2 = 4\".");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12}, found[0].projected,
                 "max |B v| after the projection");
    papers_note(report, "Tolerance: rounding of |v| = 150 in B v.");
    papers_derived(report, "ACB-R (3), (7)");
    papers_printed(report, "2.1991e-2", found[0].residual,
                   "largest |(B v)_1| for t < t*, h = 1e-3");
    papers_note(report, "Digits of an independent program, tests/reference/heavy_top.py.");
    papers_printed(report, "0.30497", found[0].after,
                   "largest relative e_lambda after t*, h = 1e-3");
    papers_printed(report, "1.1499e-2", found[0].later,
                   "relative e_lambda beyond 100 steps after t*, h = 1e-3");
    papers_note(report, "\"Damped out after about 100 time steps\": the recursion leaves 3.9e-3 of "
                        "its peak, the rest is the error of second order.");
}

static papers_series *plot(papers_panel *panel, papers_mark mark, const char *name,
                           const papers_study *study)
{
    return papers_plot(panel, study, PAPERS_LAMBDA, mark, "%s", name);
}

static void order_figure(papers_report *report)
{
    papers_figure *figure = papers_new_figure(
        report, "top-p-fig2",
        "ACB-R Fig. 2: left, λ for h = 1.0e-3 around the velocity projection at t* = 0.7; right, "
        "maximum relative error of λ in [0, 1] (solid) and in [0, t*] (dashed), and ours with the "
        "projection that aims at the settled residual instead of zero (PROJ-2).");
    papers_panel *left =
        papers_new_panel(figure, "numerical solution", (papers_axis){"t", false, 0.65, 0.8},
                         (papers_axis){"λ", false, 0, 0});
    papers_panel *right =
        papers_new_panel(figure, "order reduction", (papers_axis){"h", true, 0, 0},
                         (papers_axis){"max relative error of λ", true, 0, 0});
    drawing draw = {0};
    for (int i = 0; i < 3; i++)
        draw.lambda[i] = papers_new_series(left, PAPERS_LINE, false, "λ%d", i + 1);
    papers_study before = {.count = 5}, whole = {.count = 5}, settled = {.count = 5};
    for (int i = 0; i < 5; i++) {
        const double h = ldexp(1e-3, -i);
        findings found = run(report, h, CARDAN_TARGET_ZERO, draw);
        draw = (drawing){0};
        before.h[i] = whole.h[i] = settled.h[i] = h;
        before.errors[i].lambda = found.before;
        whole.errors[i].lambda = largest_of(found.before, found.after);
        found = run(report, h, CARDAN_TARGET_SETTLED, draw);
        settled.errors[i].lambda = largest_of(found.before, found.after);
    }
    papers_source(report, "ACB-R Fig. 2");
    papers_order(report, 1.0, &whole, PAPERS_LAMBDA, "relative e_lambda on [0, 1]");
    papers_order(report, 2.0, &before, PAPERS_LAMBDA, "relative e_lambda on [0, t*]");
    papers_ours(report, "PROJ-2");
    papers_order(report, 2.0, &settled, PAPERS_LAMBDA,
                 "relative e_lambda on [0, 1], projected to h^2 B r");
    plot(right, PAPERS_LINE, "[0, 1], projection at t*", &whole);
    plot(right, PAPERS_DASHED, "[0, t*]", &before);
    plot(right, PAPERS_CIRCLE, "[0, 1], PROJ-2 at t*", &settled);
    papers_guide(right, &right->series[0], 1);
    papers_guide(right, &right->series[1], 2);
}

/* The largest |change of lambda by the projection| over n^2 rho^n, n the steps after t*: what the
 * transient of the bound C (n^2 rho^n h + h^2) is, without the error that is there anyhow. */
static double transient_constant(papers_report *report, double h)
{
    enum { WATCHED = 50 }; /* later the change is the lasting one, of second order */
    const papers_setup setup =
        papers_setup_of("heavy_top", "ga3", 0.9, h, PROJECTION_TIME + WATCHED * h);
    const long star = lround(PROJECTION_TIME / h);
    findings found = {.projected = NAN};
    papers_trail with = papers_begin(report, &setup), without = papers_begin(report, &setup);
    double largest = 0.0;
    while (papers_advance(&with) && papers_advance(&without)) {
        const double n = (double)(with.n - star);
        double square = 0.0;
        if (with.n == star)
            project(&with, CARDAN_TARGET_ZERO, &found);
        for (int i = 0; i < 3; i++)
            square += pow(with.now->lambda[i] - without.now->lambda[i], 2.0);
        if (with.n > star)
            largest = largest_of(largest, sqrt(square) / (n * n * pow(0.9, n)));
    }
    papers_advance(&without); /* ends it */
    return with.failed || without.failed ? NAN : largest;
}

static void error_bound(papers_report *report)
{
    papers_study study = {.count = PAPERS_SLOPE_STEPS};
    for (int i = 0; i < study.count; i++) {
        study.h[i] = ldexp(1e-3, -i);
        study.errors[i].lambda = transient_constant(report, study.h[i]);
    }
    papers_source(report, "ACB-R Sec. 3");
    papers_order(report, 1.0, &study, PAPERS_LAMBDA,
                 "max change of lambda by the projection / (n^2 rho^n)");
    papers_note(report,
                "The bound C (n^2 rho^n h + h^2), n the steps after t*: of first order, and "
                "n^2 rho^n is its shape.");
    papers_derived(report, "ACB-R (3), (7)");
    papers_printed(report, "16.794", study.errors[0].lambda, "the same at h = 1e-3, rho = 0.9");
}

void papers_top_p(papers_report *report)
{
    residual_figure(report);
    order_figure(report);
    error_bound(report);
}

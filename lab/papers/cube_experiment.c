/* CUBE: ACB15 Example 2. With e = exact - numerical and B = S = 1,
 * E = (r^B, e_lambda, e_a), r^B = (h e_v + l^q) / h^2, l^q = C_q h^3. */
#include "lab/analysis/analysis.h"
#include "paper_runs.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 100 };

typedef struct cube {
    cardan_params params;
    lab_recursion recursion;
    double h;
} cube;

static void error_vector(const cube *c, const cardan_state *s, double e[3])
{
    const double shift = c->params.alpha_m - c->params.alpha_f;
    e[0] = (3.0 * s->t * s->t - s->v[0]) / c->h + c->recursion.local_error * c->h;
    e[1] = -6.0 * s->t - s->lambda[0];
    e[2] = 6.0 * (s->t + shift * c->h) - s->a[0];
}

static void multiply(const double matrix[9], double e[3])
{
    double product[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            product[i] += matrix[3 * i + j] * e[j];
    memcpy(e, product, sizeof product);
}

/* ---- rounding ---- */

/* x = T_+^-1 d, written out for (46). */
static void divide(const cardan_params *p, const double d[3], double x[3])
{
    x[2] = -d[0] / p->beta;
    x[0] = d[1] + p->gamma * x[2];
    x[1] = (d[2] - (1.0 - p->alpha_m) * x[2]) / (1.0 - p->alpha_f);
}

/* response[n] = (T_+^-1 T_0)^n T_+^-1 e_j: what an error in equation j has become n steps later. */
static void respond(const cardan_params *p, int j, double response[STEPS][3])
{
    double d[3] = {0};
    d[j] = 1.0;
    for (int n = 0; n < STEPS; n++) {
        double *x = response[n];
        divide(p, d, x);
        d[0] = x[0] + (0.5 - p->beta) * x[2];
        d[1] = x[0] + (1.0 - p->gamma) * x[2];
        d[2] = -p->alpha_f * x[1] - p->alpha_m * x[2];
    }
}

/* What rounding makes of E_n, n <= last. A step rounds q = t^3 (and t^3 in the constraint), v = 3
 * t^2 and a = 6 t by about an eps, an eps and two of their sizes; in (46) these are errors d =
 * (dq/h^2, dv/h, da). Roundings are independent: their squares add up, and three times the root is
 * the bound. */
static double rounding(const cube *c, int last)
{
    static double response[3][STEPS][3];
    double largest = 0.0;
    for (int j = 0; j < 3; j++)
        respond(&c->params, j, response[j]);
    for (int n = 1; n <= last; n++) {
        double square[3] = {0};
        for (int k = 1; k <= n; k++) {
            const double t = k * c->h;
            const double size[3] = {t * t * t / (c->h * c->h), 3.0 * t * t / c->h, 12.0 * t};
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++)
                    square[i] += pow(size[j] * response[j][n - k][i], 2);
        }
        for (int i = 0; i < 3; i++)
            largest = papers_larger(largest, square[i]);
    }
    return 3.0 * DBL_EPSILON * sqrt(largest);
}

/* ---- the run ---- */

/* Largest difference between the measured E_n and the recursion's. *residual: r^B_0 as the first
 * step shows it, -(1/2 - beta) e^a_0 - beta e^a_1 (42). */
static double deviation(papers_report *report, const cube *c, papers_series *ours,
                        papers_series *predicted, double *residual)
{
    papers_setup setup = papers_setup_of("cube", "ga3", 0.9, c->h, 1.0);
    double expected[3], e[3], largest = 0.0;
    setup.def.params = c->params;
    setup.def.experimental.start = CARDAN_START_PLAIN;
    papers_trail trail = papers_begin(report, &setup);
    if (trail.failed)
        return NAN;
    error_vector(c, trail.now, expected);
    *residual = -(0.5 - c->params.beta) * expected[2];
    while (papers_advance(&trail)) {
        multiply(c->recursion.matrix, expected);
        error_vector(c, trail.now, e);
        *residual -= trail.n == 1 ? c->params.beta * e[2] : 0.0;
        for (int i = 0; i < 3; i++)
            largest = papers_larger(largest, fabs(e[i] - expected[i]));
        if (ours != NULL) {
            papers_push(ours, (double)trail.n, e[1]);
            papers_push(predicted, (double)trail.n, expected[1]);
        }
    }
    return trail.failed ? NAN : largest;
}

/* The largest error of lambda with exact starting values. */
static void order_row(papers_report *report)
{
    papers_setup setup = papers_setup_of("cube", "ga3", 0.9, 1e-2, 1.0);
    setup.def.experimental.start = CARDAN_START_PLAIN;
    const papers_study study = papers_halve(report, setup, 4, 0.0);
    papers_order(report, 1.0, &study, PAPERS_LAMBDA, "e_lambda with exact starting values");
}

static void row(papers_report *report, double rho, papers_series *measured,
                papers_series *predicted)
{
    cube c = {.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho), .h = 1e-2};
    double residual = NAN;
    lab_find_recursion("ga3", &c.params, &c.recursion, NULL);
    const double off = deviation(report, &c, measured, predicted, &residual);
    papers_judge(report, (papers_bound){"0 (exact)", PAPERS_AT_MOST, 0.0, rounding(&c, STEPS)}, off,
                 "max |E_n - T^n E_0|, n <= 100, rho = %g", rho);
    if (rho == 0.0)
        papers_note(report, "Bound: three times the root of the sum of squares of all roundings, "
                            "each amplified by the recursion.");
    if (measured == NULL)
        return;
    /* C_q = 1 - 6 beta - 3 (alpha_m - alpha_f) = -182/361 for rho = 9/10 */
    papers_judge(report,
                 (papers_bound){"C_q h", PAPERS_EQUAL, -182.0 / 361.0 * c.h, rounding(&c, 1)},
                 residual, "r^B_0 of exact starting values, rho = 0.9");
    papers_note(report, "Not O(h^2): order reduction with exact starting values. C_q = -182/361.");
}

void papers_cube(papers_report *report)
{
    static const double radii[] = {0.0, 0.2, 0.6, 0.9, 0.99};
    papers_figure *figure = papers_new_figure(
        report, "cube-example2",
        "ACB15 Example 2 in a picture: error of λ of ga3 on q = t³ with exact starting values, "
        "ρ∞ = 0.9, h = 1e-2, and what the recursion E_n = (T₊⁻¹T₀)ⁿ E₀ says.");
    papers_panel *panel = papers_new_panel(figure, "rho = 0.9", (papers_axis){"n", false, 0, 100},
                                           (papers_axis){"error in λ", false, 0, 0});
    papers_series *predicted = papers_new_series(panel, PAPERS_LINE, false, "recursion");
    papers_series *measured = papers_new_series(panel, PAPERS_CIRCLE, false, "measured");
    papers_source(report, "ACB15 Ex. 2");
    for (int i = 0; i < 5; i++)
        row(report, radii[i], radii[i] == 0.9 ? measured : NULL, predicted);
    order_row(report);
}

/* CUBE: ACB15 Example 2. With e = exact - numerical and B = S = 1,
 * E = (r^B, e_lambda, e_a), r^B = (h e_v + l^q) / h^2, l^q = C_q h^3. */
#include "measure.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct cube {
    cardan_params params;
    cardan_recursion recursion;
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

/* Largest difference between the measured E_n and the recursion's, over |E_0| h-free rounding. */
static double deviation(papers_report *report, cube *c, cardan_start start, papers_series *ours,
                        papers_series *predicted, double *start_residual)
{
    papers_setup setup = papers_setup_of("cube", "ga3", 0.9, c->h, 1.0);
    double expected[3], e[3], largest = 0.0;
    setup.def.params = c->params;
    setup.def.start = start;
    papers_trail trail = papers_begin(report, &setup);
    if (trail.failed)
        return NAN;
    error_vector(c, trail.now, expected);
    *start_residual = expected[0];
    while (papers_advance(&trail)) {
        multiply(c->recursion.matrix, expected);
        error_vector(c, trail.now, e);
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fabs(e[i] - expected[i]));
        if (ours != NULL) {
            papers_push(ours, (double)trail.n, e[1]);
            papers_push(predicted, (double)trail.n, expected[1]);
        }
    }
    return trail.failed ? NAN : largest;
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
    for (int i = 0; i < 5; i++) {
        cube c = {.params = cardan_params_chung_hulbert(radii[i]), .h = 1e-2};
        double residual = NAN;
        cardan_analysis_recursion("ga3", &c.params, &c.recursion, NULL);
        const bool drawn = radii[i] == 0.9;
        const double off = deviation(report, &c, CARDAN_START_PLAIN, drawn ? measured : NULL,
                                     predicted, &residual);
        /* rounding of q = t^3 in a and lambda is DBL_EPSILON / h^2, amplified by the recursion */
        const double rounding = 1e4 * DBL_EPSILON / (c.h * c.h);
        papers_judge(report, (papers_bound){"0 (exact)", PAPERS_AT_MOST, 0.0, rounding}, off,
                     "max |E_n - T^n E_0|, n <= 100, rho = %g", radii[i]);
        if (i == 0)
            papers_note(report, "Bound: rounding of q, 1e4 eps/h^2.");
        if (drawn) {
            papers_judge(
                report,
                (papers_bound){"C_q h", PAPERS_EQUAL, c.recursion.local_error * c.h, rounding},
                residual, "r^B_0 of exact starting values, rho = 0.9");
            papers_note(report, "Not O(h^2): order reduction with exact starting values.");
        }
    }
}

/* AMPL: ACB15 Sec. 4.1 and 4.2, powers of the error recursion's matrix. */
#include "measure.h"

#include <math.h>
#include <string.h>

static cardan_recursion recursion_of(const char *method, double rho)
{
    const cardan_params params = cardan_params_chung_hulbert(rho);
    cardan_recursion recursion = {0};
    if (cardan_analysis_recursion(method, &params, &recursion, NULL) != CARDAN_OK)
        recursion.peak = recursion.radius = recursion.jordan_bound = NAN;
    return recursion;
}

static void multiply(const double a[9], double b[9])
{
    double product[9] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                product[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    memcpy(b, product, sizeof product);
}

/* Largest entries of the second row of the powers, over all n (step 1) or even n (step 2). */
static void row_maxima(double rho, int step, double largest[3])
{
    const cardan_recursion recursion = recursion_of("ga3", rho);
    double power[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(largest, 0, 3 * sizeof largest[0]);
    for (int n = 1; n <= 400; n++) {
        multiply(recursion.matrix, power);
        for (int j = 0; j < 3 && n % step == 0; j++)
            largest[j] = fmax(largest[j], fabs(power[3 + j]));
    }
}

static void peaks(papers_report *report)
{
    papers_source(report, "ACB15 Sec. 4.1, 5");
    papers_printed(report, "34.3", recursion_of("ga3", 0.9).peak,
                   "max_n ||(T_+^-1 T_0)^n||_2, rho = 0.9");
    papers_near(report, 14, 0, recursion_of("ga3", 0.9).peak_step, "reached at n, rho = 0.9");
    papers_printed(report, "7.4", recursion_of("ga3", 0.6).peak,
                   "max_n ||(T_+^-1 T_0)^n||_2, rho = 0.6");
    papers_near(report, 3, 0, recursion_of("ga3", 0.6).peak_step, "reached at n, rho = 0.6");
    papers_source(report, "ACB15 Sec. 4.1");
    papers_printed(report, "2.2", recursion_of("ga3", 0.6).jordan_bound, "c_inf, rho = 0.6");
    papers_printed(report, "28.5", recursion_of("ga3", 0.9).jordan_bound, "c_inf, rho = 0.9");
    papers_printed(report, "2.7e3", recursion_of("ga3", 0.99).jordan_bound, "c_inf, rho = 0.99");
    papers_near(report, 0.9, 1e-12, recursion_of("ga3", 0.9).radius,
                "spectral radius of T_+^-1 T_0, rho = 0.9");
    papers_source(report, "ACB-R (27)");
    papers_judge(report, (papers_bound){"< 1", PAPERS_AT_MOST, 1.0, -1e-9},
                 recursion_of("null", 0.9).radius,
                 "spectral radius in the null space of M, rho = 0.9");
}

static void rule_of_thumb(papers_report *report)
{
    double largest = 0.0, where = 0.0;
    for (int i = 0; i <= 6900; i++) {
        const double rho = 0.3 + 1e-4 * i;
        const cardan_recursion r = recursion_of("ga3", rho);
        const double off = fabs(r.rule_of_thumb / r.peak - 1.0);
        if (!(off <= largest)) {
            largest = off;
            where = rho;
        }
    }
    papers_source(report, "ACB15 Sec. 4.1");
    papers_judge(report, (papers_bound){"< 3 %", PAPERS_AT_MOST, 3.0, 0.5}, 100.0 * largest,
                 "relative error of 0.9/(1 - rho^0.25) on [0.3, 0.99] in %%");
    papers_note(report,
                "Taken strictly the published bound is too small: the largest error is %.2f %%, "
                "at rho = %.3f. It is right when rounded to whole percent, which is what the row "
                "asks for.",
                100.0 * largest, where);
}

static void second_row(papers_report *report)
{
    double even[3], all[3];
    row_maxima(0.9, 2, even);
    row_maxima(0.9, 1, all);
    papers_source(report, "ACB15 Sec. 4.2");
    papers_printed(report, "31.91", even[0], "max entry of T^n, lambda <- r^B, even n, rho = 0.9");
    papers_note(report,
                "The printed maxima are those over even n; over all n they are %.2f, %.2f "
                "and %.2f.",
                all[0], all[1], all[2]);
    papers_printed(report, "0.81", even[1], "max entry of T^n, lambda <- lambda, even n");
    papers_printed(report, "0.31", even[2], "max entry of T^n, lambda <- a, even n");
    papers_judge(report, (papers_bound){"> 100", PAPERS_AT_LEAST, 100.0, 0.0}, even[0] / even[2],
                 "ratio of the first to the third");
}

/* The 2-norm of a 3 x 3 matrix by power iteration on A^T A. */
static double spectral_norm(const double a[9])
{
    double x[3] = {1.0, 0.7, 0.4}, size = 0.0;
    for (int round = 0; round < 200; round++) {
        double y[3] = {0}, z[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                y[i] += a[3 * i + j] * x[j];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                z[j] += a[3 * i + j] * y[i];
        size = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
        for (int i = 0; i < 3; i++)
            x[i] = z[i] / size;
    }
    return sqrt(size);
}

static void draw(papers_report *report)
{
    static const double radii[] = {0.6, 0.9};
    papers_figure *figure = papers_new_figure(report, "ampl-sec41",
                                              "ACB15 Sec. 4.1 in pictures: norms of the powers of "
                                              "the recursion's matrix (left) and their "
                                              "maximum over ρ∞ with the paper's rule (right).");
    papers_panel *panel =
        papers_new_panel(figure, "transient growth", (papers_axis){"n", false, 0, 60},
                         (papers_axis){"||(T₊⁻¹T₀)ⁿ||₂", false, 0, 0});
    for (int i = 0; i < 2; i++) {
        const cardan_recursion recursion = recursion_of("ga3", radii[i]);
        papers_series *series = papers_new_series(panel, i == 0 ? PAPERS_SQUARE : PAPERS_CIRCLE,
                                                  true, "ρ∞ = %g", radii[i]);
        double power[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int n = 1; n <= 60; n++) {
            multiply(recursion.matrix, power);
            papers_push(series, n, spectral_norm(power));
        }
    }
    panel = papers_new_panel(figure, "largest amplification", (papers_axis){"ρ∞", false, 0.3, 1.0},
                             (papers_axis){"max over n", true, 0, 0});
    papers_series *peak = papers_new_series(panel, PAPERS_CIRCLE, false, "largest norm");
    papers_series *rule = papers_new_series(panel, PAPERS_LINE, false, "0.9 / (1 - ρ^0.25)");
    for (int i = 0; i <= 69; i++) {
        const double rho = 0.3 + 0.01 * i;
        const cardan_recursion recursion = recursion_of("ga3", rho);
        papers_push(rule, rho, recursion.rule_of_thumb);
        if (i % 3 == 0)
            papers_push(peak, rho, recursion.peak);
    }
}

void papers_ampl(papers_report *report)
{
    peaks(report);
    rule_of_thumb(report);
    second_row(report);
    draw(report);
}

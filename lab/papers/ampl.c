/* AMPL: ACB15 Sec. 4.1 and 4.2, powers of the error recursion's matrix. */
#include "ampl.h"
#include "lab/analysis/analysis.h"

#include <math.h>
#include <string.h>

lab_recursion ampl_recursion(const char *method, double rho)
{
    const cardan_params params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    lab_recursion recursion = {0};
    if (lab_find_recursion(method, &params, &recursion, NULL) != CARDAN_OK)
        recursion.peak = recursion.radius = recursion.jordan_bound = NAN;
    return recursion;
}

void ampl_multiply(const double a[9], double b[9])
{
    double product[9] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                product[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    memcpy(b, product, sizeof product);
}

/* Largest entries of the second row of the powers. */
static void row_maxima(double rho, double largest[3])
{
    const lab_recursion recursion = ampl_recursion("ga3", rho);
    double power[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(largest, 0, 3 * sizeof largest[0]);
    for (int n = 1; n <= 400; n++) {
        ampl_multiply(recursion.matrix, power);
        for (int j = 0; j < 3; j++)
            largest[j] = papers_larger(largest[j], power[3 + j]);
    }
}

static void peaks(papers_report *report)
{
    papers_source(report, "ACB15 Sec. 4.1, 5");
    papers_printed(report, "34.3", ampl_recursion("ga3", 0.9).peak,
                   "max_n ||(T_+^-1 T_0)^n||_2, rho = 0.9");
    papers_near(report, 14, 0, ampl_recursion("ga3", 0.9).peak_step, "reached at n, rho = 0.9");
    papers_printed(report, "7.4", ampl_recursion("ga3", 0.6).peak,
                   "max_n ||(T_+^-1 T_0)^n||_2, rho = 0.6");
    papers_near(report, 3, 0, ampl_recursion("ga3", 0.6).peak_step, "reached at n, rho = 0.6");
    papers_source(report, "ACB15 Sec. 4.1");
    papers_printed(report, "2.2", ampl_recursion("ga3", 0.6).jordan_bound, "c_inf, rho = 0.6");
    papers_printed(report, "28.5", ampl_recursion("ga3", 0.9).jordan_bound, "c_inf, rho = 0.9");
    papers_printed(report, "2.7e3", ampl_recursion("ga3", 0.99).jordan_bound, "c_inf, rho = 0.99");
    papers_near(report, 0.9, 1e-12, ampl_recursion("ga3", 0.9).normal_radius,
                "spectral radius of T_+^-1 T_0, rho = 0.9");
}

static double rule_error(double rho)
{
    const lab_recursion r = ampl_recursion("ga3", rho);
    return fabs(r.rule_of_thumb / r.peak - 1.0);
}

/* Where it is largest, by a scan and a finer one there. */
static double worst_of_rule(void)
{
    double where = 0.3, largest = 0.0;
    for (double width = 0.69, middle = 0.645; width > 1e-6; width /= 100.0, middle = where) {
        const double from = middle - 0.5 * width;
        for (int i = 0; i <= 2000; i++) {
            const double rho = fmin(0.99, from + width * i / 2000.0);
            const double off = rule_error(rho);
            if (off >= 1.0) /* powers that do not fade */
                return rho;
            if (off > largest) {
                largest = off;
                where = rho;
            }
        }
    }
    return where;
}

static void rule_of_thumb(papers_report *report)
{
    const double where = worst_of_rule();
    papers_source(report, "ACB15 Sec. 4.1");
    papers_false_in_print(report, (papers_bound){"< 3 %", PAPERS_AT_MOST, 3.0, 0.0}, "3.35",
                          100.0 * rule_error(where),
                          "relative error of 0.9/(1 - rho^0.25) on [0.3, 0.99] in %%");
    papers_note(report,
                "Found at rho = %.4f, where the largest power changes from n = 2 to 3; above 3 %% "
                "on [0.524, 0.533] and [0.638, 0.644]. True number by numpy.",
                where);
}

static void second_row(papers_report *report)
{
    double largest[3];
    row_maxima(0.9, largest);
    papers_source(report, "ACB15 Sec. 4.2");
    papers_false_in_print(report, (papers_bound){"31.91", PAPERS_EQUAL, 31.91, 0.005}, "31.93",
                          largest[0], "largest entry of T^n, lambda <- r^B, rho = 0.9");
    papers_note(report, "31.91 is the modulus at n = 16; the largest is at n = 15 (numpy). The "
                        "moduli of the second entry reach 0.9 at n = 1, where it is negative.");
    papers_printed(report, "0.81", largest[1], "largest entry of T^n, lambda <- lambda");
    papers_printed(report, "0.31", largest[2], "largest entry of T^n, lambda <- a");
    papers_judge(report, (papers_bound){"> 100", PAPERS_AT_LEAST, 100.0, 0.0},
                 largest[0] / largest[2], "ratio of the first to the third");
}

/* By power iteration on A^T A. */
double ampl_norm(const double a[9])
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
        const lab_recursion recursion = ampl_recursion("ga3", radii[i]);
        papers_series *series = papers_new_series(panel, i == 0 ? PAPERS_SQUARE : PAPERS_CIRCLE,
                                                  true, "ρ∞ = %g", radii[i]);
        double power[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int n = 1; n <= 60; n++) {
            ampl_multiply(recursion.matrix, power);
            papers_push(series, n, ampl_norm(power));
        }
    }
    panel = papers_new_panel(figure, "largest amplification", (papers_axis){"ρ∞", false, 0.3, 1.0},
                             (papers_axis){"max over n", true, 0, 0});
    papers_series *peak = papers_new_series(panel, PAPERS_CIRCLE, false, "largest norm");
    papers_series *rule = papers_new_series(panel, PAPERS_LINE, false, "0.9 / (1 - ρ^0.25)");
    for (int i = 0; i <= 69; i++) {
        const double rho = 0.3 + 0.01 * i;
        const lab_recursion recursion = ampl_recursion("ga3", rho);
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
    ampl_forms(report);
    ampl_stabilised(report);
    ampl_null_space(report);
    ampl_projection(report);
    draw(report);
}

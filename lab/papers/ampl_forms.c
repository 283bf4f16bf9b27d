/* AMPL: the Jordan form and the overshoot of ACB15 Sec. 4.1, the contraction of Lemma 8, Remark
 * 4(c) and ACB-R (27), and the bound of ACB-R Sec. 3 in runs. */
#include "ampl.h"
#include "lab/analysis/analysis.h"
#include "lab/problems/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double largest_entry(int count, const double *a)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest = papers_larger(largest, fabs(a[i]));
    return largest;
}

/* ---- Jordan form ---- */

/* X of ACB15 Sec. 4.1 with a denominator of X_12. */
static void fill_x(double mu, double denominator, double x[9])
{
    const double entries[9] = {0.0,
                               0.5 * (1.0 + mu) / denominator,
                               -1.0 / ((1.0 - mu) * (1.0 - mu)),
                               1.0 - mu * mu,
                               -(2.0 + mu),
                               0.0,
                               0.0,
                               1.0,
                               0.0};
    memcpy(x, entries, sizeof entries);
}

/* The largest entry of T X - X J. */
static double jordan_defect(double rho, bool as_printed)
{
    const double mu = -rho, j[9] = {mu, 1, 0, 0, mu, 1, 0, 0, mu};
    double x[9], left[9], right[9];
    fill_x(mu, as_printed ? 1.0 - mu * mu : 1.0 - mu, x);
    memcpy(left, x, sizeof left);
    ampl_multiply(ampl_recursion("ga3", rho).matrix, left);
    memcpy(right, j, sizeof right);
    ampl_multiply(x, right);
    for (int i = 0; i < 9; i++)
        left[i] -= right[i];
    return largest_entry(9, left);
}

/* The largest entry of (T + rho)^3: zero for an eigenvalue of multiplicity three. */
static double triple_defect(double rho)
{
    const lab_recursion r = ampl_recursion("ga3", rho);
    double shifted[9], cube[9];
    memcpy(shifted, r.matrix, sizeof shifted);
    for (int i = 0; i < 3; i++)
        shifted[4 * i] += rho;
    memcpy(cube, shifted, sizeof cube);
    ampl_multiply(shifted, cube);
    ampl_multiply(shifted, cube);
    return largest_entry(9, cube);
}

/* The smallest ||T^n|| cond(X) / ||J^n|| over n <= 400. */
static double bound_quotient(double rho)
{
    const double mu = -rho, j[9] = {mu, 1, 0, 0, mu, 1, 0, 0, mu};
    const lab_recursion r = ampl_recursion("ga3", rho);
    double power[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, block[9], smallest = INFINITY;
    memcpy(block, power, sizeof block);
    for (int n = 1; n <= 400; n++) {
        ampl_multiply(r.matrix, power);
        ampl_multiply(j, block);
        smallest =
            papers_smaller(smallest, ampl_norm(power) * r.jordan_condition / ampl_norm(block));
    }
    return smallest;
}

static void jordan_rows(papers_report *report)
{
    const double rounding = 64.0 * DBL_EPSILON;
    double triple = 0.0, defect = 0.0;
    for (int i = 0; i < 100 && triple < 1e-3; i++) {
        triple = papers_larger(triple, triple_defect(0.01 * i));
        defect = papers_larger(defect, jordan_defect(0.01 * i, false));
    }
    papers_source(report, "ACB15 Sec. 4.1");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, rounding}, triple,
                 "triple eigenvalue: largest entry of (T_+^-1 T_0 + rho)^3, rho < 1");
    papers_note(report, "Bound: 16 roundings of numbers up to 4.");
    papers_false_in_print(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, rounding}, "0.9405",
                          jordan_defect(0.9, true),
                          "largest entry of T X - X J with X as printed, rho = 0.9");
    papers_note(report, "1881/2000 in exact fractions: X_12 = (1 + mu)/2/(1 - mu^2) in our text, "
                        "machine-read from the uncorrected proof.");
    papers_derived(report, "ACB15 Sec. 4.1");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, rounding}, defect,
                 "largest entry of T X - X J with 1 - mu in X_12, rho < 1");
    papers_near(report, 11.738847811, 1e-8, ampl_recursion("ga3", 0.9).jordan_condition,
                "cond(X), rho = 0.9");
    papers_note(report, "numpy");
    papers_source(report, "ACB15 Sec. 4.1");
    papers_judge(report, (papers_bound){">= 1", PAPERS_AT_LEAST, 1.0, 0.0}, bound_quotient(0.9),
                 "smallest ||T^n|| cond(X)/||J^n||, n <= 400, rho = 0.9");
}

/* ---- overshoot ---- */

static lab_overshoot overshoot_of(double rho, double z)
{
    const cardan_params params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    lab_overshoot overshoot;
    if (lab_find_overshoot(&params, z, &overshoot, NULL) != CARDAN_OK)
        overshoot = (lab_overshoot){.peak = NAN, .matrix = {NAN}};
    return overshoot;
}

/* The largest ||E_n|| / ||E_0|| over n <= 400. */
static double growth(double rho, double z, const double start[3])
{
    const lab_overshoot o = overshoot_of(rho, z);
    double e[3], largest = 0.0;
    memcpy(e, start, sizeof e);
    for (int n = 1; n <= 400; n++) {
        double next[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                next[i] += o.matrix[3 * i + j] * e[j];
        memcpy(e, next, sizeof e);
        largest = papers_larger(largest, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
    }
    return largest / sqrt(start[0] * start[0] + start[1] * start[1] + start[2] * start[2]);
}

/* z^2 max |T_+-(z) - T_+-|: T_+-(z) have 1/z^2 where T_+- have 0. */
static double limit_of(double z)
{
    const lab_overshoot o = overshoot_of(0.9, z);
    const lab_recursion r = ampl_recursion("ga3", 0.9);
    double difference[18];
    for (int i = 0; i < 9; i++) {
        difference[i] = z * z * (o.plus[i] - r.plus[i]);
        difference[9 + i] = z * z * (o.zero[i] - r.zero[i]);
    }
    return largest_entry(18, difference);
}

static double largest_radius_of_oscillator(void)
{
    static const char *const families[] = {"ch:0", "ch:0.6", "ch:0.9", "ch:0.99"};
    double largest = 0.0;
    for (int i = 0; i < 4; i++)
        for (double z = 0.1; z < 1e7; z *= 1.1) {
            lab_spectrum s;
            if (lab_find_spectrum(families[i], z, &s, NULL) != CARDAN_OK)
                return NAN;
            largest = papers_larger(largest, s.spectral_radius);
        }
    return largest;
}

static void overshoot_rows(papers_report *report)
{
    const double displaced[3] = {0.0, 1.0, -1.0}, moving[3] = {1.0, 0.0, 0.0};
    papers_derived(report, "ACB15 Sec. 4.1");
    papers_near(report, 1.0, 1e-9, limit_of(1e3),
                "z^2 max |T_+-(z) - T_+-| at z = 1e3: the limit of large z");
    papers_source(report, "ACB15 Sec. 4.1");
    papers_judge(report, (papers_bound){"< 1", PAPERS_AT_MOST, 1.0, -DBL_EPSILON},
                 largest_radius_of_oscillator(),
                 "largest spectral radius of T_+(z)^-1 T_0(z), rho < 1, 0.1 <= z <= 1e7");
    papers_derived(report, "ACB15 Sec. 4.1");
    papers_near(report, 34.2639, 5e-5, growth(0.9, 1e4, moving),
                "max ||E_n||/||E_0|| from v_0 alone, z = 1e4, rho = 0.9");
    papers_near(report, 0.8998, 5e-5, growth(0.9, 1e4, displaced),
                "max ||E_n||/||E_0|| from q_0 alone, a_0 = -omega^2 q_0, z = 1e4, rho = 0.9");
    papers_note(report, "The paper says that ||E_n|| may become much larger than ||E_0|| if q_0 "
                        "does not vanish. In E = (h v, z^2 q, h^2 a) it is v_0 that does it; both "
                        "numbers are numpy's.");
    papers_near(report, 11.02045, 5e-6, overshoot_of(0.9, 10.0).peak,
                "overshoot max ||(T_+(z)^-1 T_0(z))^n||, z = 10, rho = 0.9");
    papers_note(report, "numpy");
}

void ampl_forms(papers_report *report)
{
    jordan_rows(report);
    overshoot_rows(report);
}

/* ---- contraction ---- */

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (double)0xFFFFFFu;
}

/* The largest spectral radius of T over parameters that meet (12) and (50). */
static double largest_radius(const char *method)
{
    unsigned seed = 50;
    double largest = 0.0;
    for (int i = 0; i < 500 && largest < 1.0; i++) {
        cardan_params p = {.alpha_f = 0.49 - 1.5 * random_unit(&seed)};
        lab_recursion r;
        p.alpha_m = p.alpha_f - 0.01 - 2.0 * random_unit(&seed);
        p.gamma = 0.5 + p.alpha_f - p.alpha_m;
        p.beta = 0.25 + 0.5 * (p.alpha_f - p.alpha_m) + 0.01 + 2.0 * random_unit(&seed);
        if (lab_find_recursion(method, &p, &r, NULL) != CARDAN_OK)
            return NAN;
        largest = papers_larger(largest, r.radius);
    }
    return largest;
}

/* rho(T) of ACB15 Remark 4(c). */
static double published_radius(double rho)
{
    return fmax(fmax(fabs((2.0 * rho - 1.0) / (2.0 - rho)), fabs((3.0 * rho - 1.0) / (3.0 - rho))),
                fabs(rho));
}

/* How far x is from being an eigenvalue of the 2 x 2 matrix. */
static double eigenvalue_defect(const double m[4], double x)
{
    return fabs((m[0] - x) * (m[3] - x) - m[1] * m[2]);
}

typedef struct stabilised {
    double radius, eigenvalues, peak; /* largest differences, largest 2-norm of powers */
} stabilised;

static stabilised look_at_stabilised(void)
{
    stabilised worst = {0};
    for (int i = 0; i < 100 && worst.radius < 1e-3 && worst.eigenvalues < 1e-3; i++) {
        const double rho = 0.01 * i;
        const lab_recursion r = ampl_recursion("ga2s", rho);
        const double second = -(3.0 * rho - 1.0) / (3.0 - rho);
        const double third = -(2.0 * rho - 1.0) / (2.0 - rho);
        worst.radius = papers_larger(worst.radius, fabs(r.radius - published_radius(rho)));
        worst.eigenvalues = papers_larger(worst.eigenvalues, eigenvalue_defect(r.matrix, -rho));
        worst.eigenvalues = papers_larger(worst.eigenvalues, eigenvalue_defect(r.matrix, second));
        worst.eigenvalues = papers_larger(worst.eigenvalues, fabs(r.tangential - third));
        worst.peak = papers_larger(worst.peak, r.peak);
    }
    return worst;
}

void ampl_stabilised(papers_report *report)
{
    const stabilised worst = look_at_stabilised();
    const double rounding = 8.0 * DBL_EPSILON;
    papers_source(report, "ACB15 Lemma 8");
    papers_judge(report, (papers_bound){"< 1", PAPERS_AT_MOST, 1.0, -DBL_EPSILON},
                 largest_radius("ga3"),
                 "largest spectral radius of T of ga3, 500 parameters with (12) and (50)");
    papers_judge(report, (papers_bound){"< 1", PAPERS_AT_MOST, 1.0, -DBL_EPSILON},
                 largest_radius("ga2s"),
                 "largest spectral radius of T of ga2s, 500 parameters with (12) and (50)");
    papers_source(report, "ACB15 Remark 4(c)");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, rounding}, worst.radius,
                 "spectral radius of T of ga2s less its formula, 100 rho < 1");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, rounding}, worst.eigenvalues,
                 "T of ga2s has the three eigenvalues of the formula, 100 rho < 1");
    papers_note(report, "They differ from each other for rho < 1. Bound: eight roundings of "
                        "numbers up to 1.");
    papers_judge(report, (papers_bound){"no amplification", PAPERS_AT_MOST, 1.0, 0.0}, worst.peak,
                 "max_n ||(T_+^-1 T_0)^n||_2 of ga2s, 100 rho < 1");
    papers_derived(report, "ACB15 Remark 4(c)");
    papers_near(report, 0.5, 1e-15, ampl_recursion("ga2s", 0.0).radius,
                "spectral radius of T of ga2s, rho = 0");
    papers_near(report, 8.0 / 19.0, 1e-15, ampl_recursion("ga2s", 0.1).radius,
                "spectral radius of T of ga2s, rho = 0.1");
    papers_derived(report, "ACB15 Theorem 1");
    papers_near(report, 0.5, 1e-15, ampl_recursion("ga3", 0.0).radius,
                "spectral radius of T of ga3, rho = 0");
}

/* ---- the null space of M ---- */

static double null_radius(double beta, double gamma)
{
    const cardan_params p = {.beta = beta, .gamma = gamma};
    lab_recursion r = {.radius = NAN};
    lab_find_recursion("null", &p, &r, NULL);
    return r.radius;
}

static double largest_null_radius(void)
{
    unsigned seed = 27;
    double largest = 0.0;
    for (int i = 0; i < 500 && largest < 1.0; i++) {
        const double gamma = 0.51 + 2.0 * random_unit(&seed);
        largest = papers_larger(largest,
                                null_radius(0.5 * gamma + 0.01 + 2.0 * random_unit(&seed), gamma));
    }
    return largest;
}

void ampl_null_space(papers_report *report)
{
    double trace = 0.0, determinant = 0.0;
    for (int i = 0; i < 100 && trace < 1e-3 && determinant < 1e-3; i++) {
        const double rho = 0.01 * i;
        const lab_recursion r = ampl_recursion("null", rho);
        trace = papers_larger(trace, fabs(r.matrix[0] + r.matrix[3] + 2.0 * rho));
        determinant = papers_larger(
            determinant, fabs(r.matrix[0] * r.matrix[3] - r.matrix[1] * r.matrix[2] - rho * rho));
    }
    const double rounding = 16.0 * DBL_EPSILON;
    papers_source(report, "ACB-R (27)");
    papers_judge(report, (papers_bound){"< 1", PAPERS_AT_MOST, 1.0, -DBL_EPSILON},
                 largest_null_radius(),
                 "spectral radius in the null space of M, 500 gamma > 1/2, beta > gamma/2");
    papers_derived(report, "ACB-R (27)");
    papers_near(report, 1.0, 1e-14, null_radius(0.35, 0.7),
                "spectral radius in the null space of M, beta = gamma/2 = 0.35");
    papers_near(report, 1.0, 1e-14, null_radius(0.6, 0.5),
                "spectral radius in the null space of M, gamma = 1/2, beta = 0.6");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, rounding}, trace,
                 "trace in the null space of M, plus 2 rho, 100 rho < 1");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, rounding}, determinant,
                 "determinant in the null space of M, less rho^2, 100 rho < 1");
    papers_note(report, "Both eigenvalues are -rho. Bound: four roundings of numbers up to 4.");
}

/* ---- a velocity projection ---- */

typedef struct projected {
    double constant; /* the largest |difference of lambda| / (n^2 rho^n h + h^2) */
    double peak;     /* the largest |difference of lambda| over |B v| / h before the projection */
} projected;

/* B v = x x' + y y' of the pendulum, m = l = 1. */
static double residual(const cardan_state *s)
{
    return s->q[0] * s->v[0] + s->q[1] * s->v[1];
}

static bool project(papers_trail *trail)
{
    cardan_projection projection = cardan_projection_default();
    cardan_projection_report done = {0};
    projection.level = CARDAN_PROJECT_VELOCITY;
    projection.target = CARDAN_TARGET_ZERO;
    return papers_check(trail, cardan_integrator_project(trail->it, &projection, &done));
}

/* Two runs of the pendulum of ACB15 Ex. 1 that part at t = 0.5, where one is projected. */
static projected part_runs(papers_report *report, double h)
{
    papers_setup setup = papers_setup_of("pendulum", "ga3", 0.9, h, 0.5 + 200.5 * h);
    setup.setting = (lab_setting){"x0", 0.2};
    papers_trail one = papers_begin(report, &setup), other = papers_begin(report, &setup);
    projected found = {0};
    const long star = lround(0.5 / h);
    double scaled = NAN;
    while (papers_advance(&one) && papers_advance(&other)) {
        const long n = one.n - star;
        if (n == 0) {
            scaled = fabs(residual(one.now)) / h;
            if (!project(&one))
                break;
        }
        if (n <= 0)
            continue;
        const double off = fabs(one.now->lambda[0] - other.now->lambda[0]);
        found.peak = papers_larger(found.peak, off / scaled);
        found.constant = papers_larger(found.constant,
                                       off / ((double)(n * n) * pow(0.9, (double)n) * h + h * h));
    }
    if (one.failed || other.failed)
        found.constant = found.peak = NAN;
    papers_finish(&one);
    papers_finish(&other);
    return found;
}

void ampl_projection(papers_report *report)
{
    double h[PAPERS_SLOPE_STEPS], constants[PAPERS_SLOPE_STEPS], peak = NAN;
    for (int i = 0; i < PAPERS_SLOPE_STEPS; i++) {
        h[i] = ldexp(5e-3, -i);
        const projected found = part_runs(report, h[i]);
        constants[i] = found.constant;
        peak = found.peak;
    }
    papers_source(report, "ACB-R Sec. 3");
    papers_near(report, 0.0, PAPERS_SLOPE_TOLERANCE, papers_slope(PAPERS_SLOPE_STEPS, h, constants),
                "order of C in |e_lambda| <= C (n^2 rho^n h + h^2), n steps after a projection");
    papers_derived(report, "ACB-R (8)");
    papers_near(report, 31.93, 0.16, peak,
                "peak of e_lambda over |B v|/h before the projection, h = 6.25e-4");
    papers_note(report, "The largest entry of T^n from the first to the second component is 31.93 "
                        "(numpy); half a percent for the terms of second order.");
}

/* JAY1-L: one step, and what errors of the start become, on the test problem (7.1) of Jay11:
 * Theorems 3.1, 4.1, 5.2 and 6.1. At t = 0: y = (1, 1), z = (1, -2), a = (1, 4), psi = 1, M = I,
 * F = f_psi = (1, 2), K = k_z = (2, 1). */
#include "paper_runs.h"

#include <math.h>

static const double rho = 0.2;

enum { STEPS = 5 };

static papers_setup steps_of(cardan_start start, double h, int steps)
{
    papers_setup setup = papers_setup_of("jay1", "nonholonomic", rho, h, steps * h);
    setup.def.experimental.start = start;
    return setup;
}

static double distance(const double *x, double x1, double x2)
{
    return hypot(x[0] - x1, x[1] - x2);
}

/* ---- one step: Theorems 3.1 and 4.1 ---- */

static void measure_changes(papers_report *report, const void *what, double h, double *numbers)
{
    const papers_setup setup = steps_of(*(const cardan_start *)what, h, 1);
    papers_trail trail = papers_begin(report, &setup);
    papers_spoil(numbers);
    if (trail.it == NULL)
        return;
    const double a0[2] = {trail.now->a[0], trail.now->a[1]};
    if (!papers_advance(&trail))
        return;
    const cardan_state *s = trail.now;
    numbers[0] = distance(s->q, 1.0, 1.0);
    numbers[1] = distance(s->v, 1.0, -2.0);
    numbers[2] = distance(s->a, a0[0], a0[1]);
    numbers[3] = fabs(s->psi[0] - 1.0);
    papers_finish(&trail);
}

static void measure_errors(papers_report *report, const void *what, double h, double *numbers)
{
    const papers_setup setup = steps_of(*(const cardan_start *)what, h, 1);
    papers_trail trail = papers_begin(report, &setup);
    papers_spoil(numbers);
    if (!papers_advance(&trail))
        return;
    const cardan_state *s = trail.now;
    const double late = (1.0 + trail.shift) * h;
    numbers[0] = distance(s->q, exp(h), exp(-2.0 * h));
    numbers[1] = distance(s->v, exp(h), -2.0 * exp(-2.0 * h));
    numbers[2] = distance(s->a, exp(late), 4.0 * exp(-2.0 * late));
    numbers[3] = fabs(s->psi[0] - exp(-h));
    numbers[4] = distance(s->a, exp(h), 4.0 * exp(-2.0 * h));
    papers_finish(&trail);
}

static void one_step(papers_report *report)
{
    static const cardan_start plain = CARDAN_START_PLAIN, perturbed = CARDAN_START_PERTURBED;
    static const papers_expected changes[] = {{1.0, "y_1 - y_0"},
                                              {1.0, "z_1 - z_0"},
                                              {1.0, "a_1+alpha - a_alpha"},
                                              {1.0, "psi_1 - psi_0"}};
    static const papers_expected rough[] = {{3.0, "y_1 - y(t_1), q = 1"},
                                            {2.0, "z_1 - z(t_1), q = 1"},
                                            {1.0, "a_1+alpha - a(t_1+alpha), q = 1"},
                                            {1.0, "psi_1 - psi(t_1), q = 1"}};
    static const papers_expected fine[] = {{3.0, "y_1 - y(t_1), q = 2"},
                                           {3.0, "z_1 - z(t_1), q = 2"},
                                           {2.0, "a_1+alpha - a(t_1+alpha), q = 2"},
                                           {2.0, "psi_1 - psi(t_1), q = 2"}};
    static const papers_expected unshifted[] = {
        {0.0, NULL}, {0.0, NULL}, {0.0, NULL}, {0.0, NULL}, {1.0, "a_1+alpha - a(t_1)"}};
    papers_source(report, "Jay11 Thm 3.1");
    papers_orders(report, measure_changes, &perturbed, 0.001, 4, changes);
    papers_source(report, "Jay11 Thm 4.1");
    papers_orders(report, measure_errors, &plain, 0.002, 4, rough);
    papers_orders(report, measure_errors, &perturbed, 0.002, 4, fine);
    papers_source(report, "Jay11 Sec. 1");
    papers_orders(report, measure_errors, &perturbed, 0.002, 5, unshifted);
}

/* ---- two runs whose a_alpha differ: Theorems 5.2 and 6.1 ---- */

typedef struct course {
    double y[2], z[2], a[STEPS + 1][2], psi[STEPS + 1]; /* y, z after the first step */
    bool failed;
} course;

static void keep(course *out, const cardan_state *s, int n)
{
    for (int i = 0; i < 2; i++) {
        out->a[n][i] = s->a[i];
        if (n == 1) {
            out->y[i] = s->q[i];
            out->z[i] = s->v[i];
        }
    }
    out->psi[n] = s->psi[0];
}

static course follow(papers_report *report, cardan_start start, double h)
{
    const papers_setup setup = steps_of(start, h, STEPS);
    papers_trail trail = papers_begin(report, &setup);
    course out = {.failed = true};
    if (trail.it == NULL)
        return out;
    keep(&out, trail.now, 0);
    while (papers_advance(&trail))
        keep(&out, trail.now, (int)trail.n);
    out.failed = trail.failed;
    return out;
}

/* What is left of x - y by P, which annihilates F, and by Q, which has the kernel of K. */
static double by_p(const double *x, const double *y)
{
    return 2.0 * (x[0] - y[0]) - (x[1] - y[1]);
}

static double by_q(const double *x, const double *y)
{
    return 2.0 * (x[0] - y[0]) + (x[1] - y[1]);
}

static void measure_factors(papers_report *report, const void *what, double h, double *numbers)
{
    const course one = follow(report, CARDAN_START_PERTURBED, h);
    const course two = follow(report, CARDAN_START_PLAIN, h);
    const double p = by_p(one.a[0], two.a[0]), q = by_q(one.a[0], two.a[0]);
    (void)what;
    papers_spoil(numbers);
    if (one.failed || two.failed)
        return;
    numbers[0] = by_p(one.y, two.y) / (h * h * p);
    numbers[1] = by_q(one.y, two.y) / (h * h * q);
    numbers[2] = by_p(one.z, two.z) / (h * p);
    numbers[3] = by_q(one.z, two.z) / (h * q);
    numbers[4] = by_p(one.a[1], two.a[1]) / p;
    numbers[5] = by_q(one.a[1], two.a[1]) / q;
    numbers[6] = (one.psi[1] - two.psi[1]) / (q / 4.0); /* K M^-1 F = 4 */
    numbers[7] = (one.psi[2] - two.psi[2]) / (one.psi[1] - two.psi[1]);
}

/* By what P da shrinks in a step, on the average of five. */
static double decay(papers_report *report, double h)
{
    const course one = follow(report, CARDAN_START_PERTURBED, h);
    const course two = follow(report, CARDAN_START_PLAIN, h);
    const double ratio = by_p(one.a[STEPS], two.a[STEPS]) / by_p(one.a[0], two.a[0]);
    return one.failed || two.failed ? NAN : pow(fabs(ratio), 1.0 / STEPS);
}

/* alpha_m = -1/2, alpha_f = 1/6, beta = 25/36, gamma = 7/6. */
static void perturbed_steps(papers_report *report)
{
    static const papers_limit limits[] = {
        {"1/27", 1.0 / 27, 1e-4, "h -> 0: P dy_1/(h^2 P da_0), 1/2 + beta/(alpha_m - 1)"},
        {"-2/21", -2.0 / 21, 1e-4, "h -> 0: Q dy_1/(h^2 Q da_0), 1/2 - beta/gamma"},
        {"2/9", 2.0 / 9, 2e-4, "h -> 0: P dz_1/(h P da_0), 1 + gamma/(alpha_m - 1)"},
        {"0", 0.0, 1e-4, "h -> 0: Q dz_1/(h Q da_0)"},
        {"1/3", 1.0 / 3, 2e-4, "h -> 0: P da_1/P da_0, alpha_m/(alpha_m - 1)"},
        {"1/7", 1.0 / 7, 2e-4, "h -> 0: Q da_1/Q da_0, (gamma - 1)/gamma"},
        {"-12/35", -12.0 / 35, 2e-4, "h -> 0: dpsi_1/((K M^-1 F)^-1 K da_0), nu"},
        {"-2/35", -2.0 / 35, 2e-4, "h -> 0: dpsi_2/dpsi_1, r_alpha_f + r_gamma"}};
    papers_derived(report, "Jay11 Thm 5.2, Lemma 5.1");
    papers_limits(report, measure_factors, NULL, 2e-4, 8, limits);
    papers_note(report,
                "Two runs from the same y_0, z_0, psi_0 whose a_alpha differ. Here r are the "
                "factors with their signs, -1/5 and 1/7.");
}

void papers_jay1_local(papers_report *report)
{
    one_step(report);
    perturbed_steps(report);
    const double h = 2e-4, coarse = decay(report, h), fine = decay(report, 0.5 * h);
    papers_source(report, "Jay11 Thm 6.1");
    papers_false_in_print(report, (papers_bound){"r_gamma = 0.143", PAPERS_AT_MOST, 1.0 / 7, 5e-4},
                          "0.333", 2.0 * fine - coarse,
                          "h -> 0: by what errors of a shrink in a step");
    papers_note(
        report,
        "The error of a is O(h^2 + r_gamma^n delta_0) in print. Its part P da shrinks by "
        "r_alpha_m = |alpha_m/(alpha_m - 1)| in a step, by the paper's own Theorem 5.2, and "
        "r_alpha_m = 1/3 > r_gamma = 1/7 for rho = 0.2: r_gamma^n should be "
        "r_gamma^n + r_alpha_m^n (in M^m of the proof, too).");
}

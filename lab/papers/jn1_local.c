/* JN1-L: one step of the extended HHT method on the first test problem of JN07: Theorems 4.1, 4.3
 * and 4.4. At t = 0: y = (1, 1), z = (1, -2), lambda = 1, f = (0, 3), g_y = (2, 1), r_lambda = (1,
 * 2). */
#include "paper_runs.h"

#include <math.h>

static const double alpha = -0.15;

static papers_setup one_step(cardan_start start, double h)
{
    papers_setup setup = papers_setup_of("jn1", "hht3", 1.0, h, h);
    setup.def.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    setup.def.experimental.hht3_b = 0.3;
    setup.def.experimental.start = start;
    return setup;
}

static double distance(const double *x, double x1, double x2)
{
    return hypot(x[0] - x1, x[1] - x2);
}

/* f along the exact solution. */
static double second_force(double t)
{
    return 4.0 * exp(-2.0 * t) - exp(-4.0 * t);
}

/* ---- changes in one step: Theorem 4.1 ---- */

static void measure_changes(papers_report *report, const void *what, double h, double *numbers)
{
    const papers_setup setup = one_step(*(const cardan_start *)what, h);
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
    numbers[3] = fabs(s->stage[0] - 1.0);
    numbers[4] = fabs(s->stage[1] - 1.0);
    papers_finish(&trail);
}

/* ---- errors of one step: Theorem 4.3 ---- */

static void measure_errors(papers_report *report, const void *what, double h, double *numbers)
{
    const papers_setup setup = one_step(*(const cardan_start *)what, h);
    papers_trail trail = papers_begin(report, &setup);
    papers_spoil(numbers);
    if (!papers_advance(&trail))
        return;
    const cardan_state *s = trail.now;
    numbers[0] = distance(s->q, exp(h), exp(-2.0 * h));
    numbers[1] = distance(s->v, exp(h), -2.0 * exp(-2.0 * h));
    numbers[2] = distance(s->a, 0.0, second_force((1.0 + alpha) * h));
    numbers[3] = fabs(0.5 * (s->stage[0] + s->stage[1]) - exp(-0.5 * h));
    papers_finish(&trail);
}

/* ---- what a change of a_0 changes: Theorem 4.4 ---- */

typedef struct outcome {
    double a0[2], y[2], z[2], a[2];
    bool failed;
} outcome;

static outcome step_from(papers_report *report, cardan_start start, double h)
{
    const papers_setup setup = one_step(start, h);
    papers_trail trail = papers_begin(report, &setup);
    outcome out = {.failed = true};
    if (trail.it == NULL)
        return out;
    for (int i = 0; i < 2; i++)
        out.a0[i] = trail.now->a[i];
    if (!papers_advance(&trail))
        return out;
    for (int i = 0; i < 2; i++) {
        out.y[i] = trail.now->q[i];
        out.z[i] = trail.now->v[i];
        out.a[i] = trail.now->a[i];
    }
    out.failed = false;
    papers_finish(&trail);
    return out;
}

/* P x = 0 where this is 0: it annihilates r_lambda = (1, 2). */
static double along_p(const double *x, const double *y)
{
    return 2.0 * (x[0] - y[0]) - (x[1] - y[1]);
}

static void measure_perturbation(papers_report *report, const void *what, double h, double *numbers)
{
    const outcome one = step_from(report, CARDAN_START_PERTURBED, h);
    const outcome two = step_from(report, CARDAN_START_PLAIN, h);
    const double cause = along_p(one.a0, two.a0);
    (void)what;
    papers_spoil(numbers);
    if (one.failed || two.failed)
        return;
    numbers[0] = along_p(one.y, two.y) / (h * h * cause);
    numbers[1] = along_p(one.z, two.z) / (h * cause);
    numbers[2] = hypot(one.a[0] - two.a[0], one.a[1] - two.a[1]) / fabs(cause);
}

/* ---- another branch: Remark 4.2 ---- */

/* lambda + ... = 0 of (3.2) at t = 0 is lambda^2 + 2 lambda - 3 = 0. */
static void measure_branch(papers_report *report, const void *what, double h, double *numbers)
{
    const papers_setup setup = one_step(CARDAN_START_PLAIN, h);
    const double guess = -4.0, y[2] = {1.0, 1.0}, z[2] = {1.0, -2.0};
    papers_trail trail = papers_begin(report, &setup);
    (void)what;
    papers_spoil(numbers);
    if (trail.it == NULL ||
        !papers_check(&trail, cardan_integrator_start_from(trail.it, 0.0, y, z, &guess, NULL)))
        return;
    numbers[2] = trail.now->lambda[0];
    if (!papers_advance(&trail))
        return;
    numbers[0] = fabs(trail.now->stage[0] + 3.0);
    numbers[1] = fabs(trail.now->stage[1] + 3.0);
    papers_finish(&trail);
}

static void branch(papers_report *report)
{
    static const papers_expected near[] = {{1.0, "Lambda_0 + 3, branch of lambda_0 = -3"},
                                           {1.0, "Lambda_1 + 3, branch of lambda_0 = -3"}};
    double numbers[PAPERS_NUMBERS];
    papers_derived(report, "JN07 Rem. 4.2");
    measure_branch(report, NULL, 0.01, numbers);
    papers_near(report, -3.0, 1e-10, numbers[2], "lambda_0 from the guess -4");
    papers_note(report, "(3.2) at t = 0 is lambda^2 + 2 lambda - 3 = 0: lambda_0 is 1 or -3.");
    papers_orders(report, measure_branch, NULL, 0.002, 2, near);
}

void papers_jn1_local(papers_report *report)
{
    static const cardan_start plain = CARDAN_START_PLAIN, perturbed = CARDAN_START_PERTURBED;
    static const papers_expected changes[] = {{1.0, "y_1 - y_0"},
                                              {1.0, "z_1 - z_0"},
                                              {1.0, "a_1 - a_0"},
                                              {1.0, "Lambda_0 - lambda_0"},
                                              {1.0, "Lambda_1 - lambda_0"}};
    static const papers_expected rough[] = {{3.0, "y_1 - y(t_1), a_0 = f_0"},
                                            {2.0, "z_1 - z(t_1), a_0 = f_0"},
                                            {2.0, "a_1 - a(t_1 + alpha h), a_0 = f_0"}};
    static const papers_expected fine[] = {
        {3.0, "y_1 - y(t_1), (4.3)"},
        {3.0, "z_1 - z(t_1), (4.3)"},
        {0.0, NULL}, /* f'' = 0 at t = 0: a_1 is of order 3 by chance */
        {2.0, "(Lambda_0 + Lambda_1)/2 - lambda(t_1/2)"}};
    static const papers_limit limits[] = {
        {"0.169375", 0.169375, 5e-4, "h -> 0: P dy_1 / (h^2 P da_0) = 1/2 - beta"},
        {"0.35", 0.35, 5e-4, "h -> 0: P dz_1 / (h P da_0) = 1 - gamma"},
        {"0", 0.0, 1e-4, "h -> 0: da_1 / da_0"}};
    papers_source(report, "JN07 Thm 4.1");
    papers_orders(report, measure_changes, &perturbed, 0.002, 5, changes);
    papers_source(report, "JN07 Thm 4.3");
    papers_orders(report, measure_errors, &plain, 0.01, 3, rough);
    papers_orders(report, measure_errors, &perturbed, 0.01, 4, fine);
    papers_derived(report, "JN07 Thm 4.4");
    papers_limits(report, measure_perturbation, NULL, 0.002, 3, limits);
    papers_note(report, "Two runs from the same y_0, z_0 whose a_0 differ.");
    branch(report);
}

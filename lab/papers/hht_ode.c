/* HHT: the HHT method for ordinary differential equations, JN07 Sec. 2, on y'' = -y - y'/2. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <math.h>

static const double alpha = -0.3, damping = 0.5;

static papers_setup oscillator(const char *method, double h, double end)
{
    papers_setup setup = papers_setup_of("oscillator", method, 1.0, h, end);
    setup.setting = (lab_setting){"damping", damping};
    setup.def.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    setup.def.experimental.start = CARDAN_START_PLAIN;
    return setup;
}

/* The exact motion: y and z after the time t. */
static void flow(double t, double y, double z, double after[2])
{
    const double a = 0.5 * damping, w = sqrt(1.0 - a * a);
    after[0] = exp(-a * t) * (y * cos(w * t) + (z + a * y) / w * sin(w * t));
    after[1] = exp(-a * t) * (z * cos(w * t) - (y + a * z) / w * sin(w * t));
}

static double acceleration(const double at[2])
{
    return -at[0] - damping * at[1];
}

/* a(t) of the motion that begins with y = 1, z = 0. */
static double exact_acceleration(double t)
{
    double at[2];
    flow(t, 1.0, 0.0, at);
    return acceleration(at);
}

/* ---- the first two steps ---- */

enum { FIRST_Z, FIRST_A, SECOND_Z, RULE };

static void measure_first(papers_report *report, const void *what, double h, double *numbers)
{
    papers_setup setup = oscillator("hht", h, 2.0 * h);
    double exact[2];
    setup.def.experimental.start = *(const cardan_start *)what;
    papers_trail trail = papers_begin(report, &setup);
    papers_spoil(numbers);
    if (!papers_advance(&trail))
        return;
    const double y = trail.now->q[0], z = trail.now->v[0];
    flow(h, 1.0, 0.0, exact);
    numbers[FIRST_Z] = fabs(z - exact[1]);
    numbers[FIRST_A] = fabs(trail.now->a[0] - exact_acceleration((1.0 + alpha) * h));
    numbers[RULE] = fabs(z - 0.5 * h * (-1.0 + acceleration((const double[]){y, z})));
    if (!papers_advance(&trail))
        return;
    flow(h, y, z, exact);
    numbers[SECOND_Z] = fabs(trail.now->v[0] - exact[1]);
    papers_finish(&trail);
}

static void first_steps(papers_report *report)
{
    static const cardan_start starts[] = {CARDAN_START_PLAIN, CARDAN_START_PERTURBED,
                                          CARDAN_START_TRAPEZOIDAL};
    static const papers_expected plain[] = {{2.0, "z_1 - z(t_1), a_0 = f_0"},
                                            {2.0, "a_1 - a(t_1 + alpha h), a_0 = f_0"},
                                            {3.0, "the local error of z_2, a_0 = f_0"}};
    static const papers_expected shifted[] = {{3.0, "z_1 - z(t_1), a_0 = a(t_0 + alpha h)"}};
    static const papers_expected trapezoidal[] = {
        {3.0, "z_1 - z(t_1), a_0 = alpha f_1 + (1 - alpha) f_0"}};
    double numbers[PAPERS_NUMBERS];
    papers_source(report, "JN07 Sec. 2");
    papers_orders(report, measure_first, &starts[0], 0.02, 3, plain);
    papers_orders(report, measure_first, &starts[1], 0.02, 1, shifted);
    measure_first(report, &starts[2], 0.1, numbers);
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-13}, numbers[RULE],
                 "z_1 - z_0 - h (f_0 + f_1)/2, trapezoidal start");
    papers_note(report, "To rounding.");
    papers_derived(report, "JN07 Sec. 2");
    papers_orders(report, measure_first, &starts[2], 0.02, 1, trapezoidal);
}

/* ---- at t = 1 ---- */

typedef struct course {
    bool alternating; /* steps h/3, 2h/3 */
    cardan_step_change policy;
    cardan_start start;
} course;

enum { Y, Z, A, A_UNSHIFTED };

static double size_of(const course *how, double h, long n)
{
    if (!how->alternating)
        return h;
    return n % 2 == 0 ? h / 3.0 : 2.0 * h / 3.0;
}

static void measure_end(papers_report *report, const void *what, double h, double *numbers)
{
    const course *how = what;
    papers_setup setup = oscillator("hht", size_of(how, h, 0), 1.0);
    double exact[2];
    setup.def.experimental.step_change = how->policy;
    setup.def.experimental.start = how->start;
    papers_trail trail = papers_begin(report, &setup);
    papers_spoil(numbers);
    flow(1.0, 1.0, 0.0, exact);
    while (papers_advance(&trail)) {
        const cardan_state *s = trail.now;
        numbers[Y] = fabs(s->q[0] - exact[0]);
        numbers[Z] = fabs(s->v[0] - exact[1]);
        numbers[A] = fabs(s->a[0] - exact_acceleration(1.0 + alpha * s->h));
        numbers[A_UNSHIFTED] = fabs(s->a[0] - exact_acceleration(1.0));
        if (s->t < 1.0 - 1e-9)
            papers_check(&trail, cardan_integrator_set_step(trail.it, size_of(how, h, trail.n)));
    }
    if (trail.failed)
        papers_spoil(numbers);
}

static void at_end(papers_report *report)
{
    static const course equal = {false, CARDAN_STEP_ACCELERATION, CARDAN_START_PLAIN};
    static const course trapezoidal = {false, CARDAN_STEP_ACCELERATION, CARDAN_START_TRAPEZOIDAL};
    static const course uncorrected = {true, CARDAN_STEP_NONE, CARDAN_START_PLAIN};
    static const course corrected = {true, CARDAN_STEP_ACCELERATION, CARDAN_START_PLAIN};
    static const papers_expected two[] = {{2.0, "y at t = 1, a_0 = f_0"},
                                          {2.0, "z at t = 1, a_0 = f_0"},
                                          {2.0, "a_n - a(t_n + alpha h)"},
                                          {1.0, "a_n - a(t_n)"}};
    static const papers_expected one[] = {{1.0, "y, steps h/3, 2h/3, a_n unmodified"},
                                          {1.0, "z, steps h/3, 2h/3, a_n unmodified"},
                                          {1.0, "a, steps h/3, 2h/3, a_n unmodified"}};
    static const papers_expected cured[] = {{2.0, "y, steps h/3, 2h/3, a_n by (2.3)"},
                                            {2.0, "z, steps h/3, 2h/3, a_n by (2.3)"},
                                            {2.0, "a, steps h/3, 2h/3, a_n by (2.3)"}};
    double numbers[PAPERS_NUMBERS];
    papers_source(report, "JN07 Sec. 2");
    papers_orders(report, measure_end, &equal, 1.0 / 1280, 4, two);
    papers_orders(report, measure_end, &uncorrected, 1.0 / 320, 3, one);
    papers_orders(report, measure_end, &corrected, 0.0125, 3, cured);
    papers_derived(report, "JN07 (2.2), prototype");
    measure_end(report, &equal, 0.1, numbers);
    papers_prototype(report, "oscillator", "HHT, h = 1/10", numbers);
    measure_end(report, &trapezoidal, 0.1, numbers);
    papers_prototype(report, "oscillator trapezoidal", "trapezoidal start, h = 1/10", numbers);
    papers_derived(report, "JN07 (2.3), prototype");
    measure_end(report, &corrected, 0.1, numbers);
    papers_prototype(report, "oscillator changing", "steps 1/30, 1/15", numbers);
}

/* ---- the step after a change of the step size ---- */

enum { BEFORE, AFTER };

/* Equal steps to t = 1/2, then one of twice the size with the a_0 of the step before. */
static void measure_change(papers_report *report, const void *what, double h, double *numbers)
{
    papers_setup setup = oscillator("hht", h, 0.5);
    (void)what;
    setup.def.experimental.step_change = CARDAN_STEP_NONE;
    papers_trail trail = papers_begin(report, &setup);
    papers_spoil(numbers);
    while (papers_advance(&trail) && trail.now->t < 0.5 - 1e-9)
        continue;
    if (trail.it == NULL)
        return;
    const double begin = trail.now->t, step = 2.0 * h;
    numbers[BEFORE] = fabs(trail.now->a[0] - exact_acceleration(begin + alpha * step));
    if (!papers_check(&trail, cardan_integrator_set_step(trail.it, step)) ||
        !papers_check(&trail, cardan_integrator_step(trail.it)))
        return;
    numbers[AFTER] = fabs(trail.now->a[0] - exact_acceleration(begin + (1.0 + alpha) * step));
    papers_finish(&trail);
}

static void after_change(papers_report *report)
{
    static const papers_expected before[] = {{1.0, "a_0 - a(t_0 + alpha h), h doubled"}};
    double h[PAPERS_SLOPE_STEPS], errors[PAPERS_SLOPE_STEPS], numbers[PAPERS_NUMBERS];
    papers_source(report, "JN07 Sec. 2");
    papers_orders(report, measure_change, NULL, 0.01, 1, before);
    for (int i = 0; i < PAPERS_SLOPE_STEPS; i++) {
        h[i] = ldexp(2.5e-4, -i);
        measure_change(report, NULL, h[i], numbers);
        errors[i] = numbers[AFTER];
    }
    papers_derived(report, "JN07 (4.2)");
    papers_judge(report, (papers_bound){"order 2", PAPERS_EQUAL, 2.0, PAPERS_SLOPE_TOLERANCE},
                 papers_slope(PAPERS_SLOPE_STEPS, h, errors),
                 "order of a_1 - a(t_1 + alpha h), h doubled");
    papers_note(report,
                "\"By changing the step size a_1 is no more an approximation of local order 1\": "
                "true of the a_1 of the step before, which is a_0 here (the row above). The a_1 of "
                "the step itself, (1 + alpha) f_1 - alpha f_0, has no a_0 in it, and (4.2) gives "
                "it order 2.");
}

/* ---- alpha = 0 ---- */

static void without_damping(papers_report *report)
{
    papers_setup ours = oscillator("hht", 0.1, 1.0), rule = oscillator("trapezoidal", 0.1, 1.0);
    ours.def.params = cardan_params_make(CARDAN_FAMILY_HHT, 0.0);
    papers_trail a = papers_begin(report, &ours), b = papers_begin(report, &rule);
    double largest = 0.0;
    while (papers_advance(&a) && papers_advance(&b)) {
        largest = papers_larger(largest, fabs(a.now->q[0] - b.now->q[0]));
        largest = papers_larger(largest, fabs(a.now->v[0] - b.now->v[0]));
    }
    if (a.failed || b.failed)
        largest = NAN;
    papers_finish(&a);
    papers_finish(&b);
    papers_source(report, "JN07 Sec. 3");
    papers_judge(report, (papers_bound){"equivalent", PAPERS_AT_MOST, 0.0, 1e-13}, largest,
                 "HHT with alpha = 0 less the trapezoidal rule");
    papers_note(report, "To rounding.");
}

void papers_hht(papers_report *report)
{
    first_steps(report);
    at_end(report);
    after_change(report);
    without_damping(report);
}

/* PEND: the pendulum of ACB15 Example 1, Fig. 1 and Sec. 4.2. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <math.h>

static papers_setup pendulum(double x0, cardan_start start, double h)
{
    papers_setup setup = papers_setup_of("pendulum", "ga3", 0.9, h, 2.0);
    setup.setting = (lab_setting){"x0", x0};
    setup.def.experimental.start = start;
    return setup;
}

/* The signed error of lambda over time, as Fig. 1 shows it. */
static void trace(papers_report *report, papers_series *series, const papers_setup *setup)
{
    papers_trail trail = papers_begin(report, setup);
    while (papers_advance(&trail)) {
        double lambda;
        if (lab_problem_reference(trail.problem, trail.now->t, NULL, NULL, NULL, &lambda, NULL,
                                  NULL) != CARDAN_OK)
            lambda = NAN;
        papers_push(series, trail.now->t, lambda - trail.now->lambda[0]);
    }
}

/* lambda after each step, at most `most` of them; a run that fails leaves NaN. */
enum { MOST_LOADS = 200 };
typedef struct loads {
    int count;
    double value[MOST_LOADS];
} loads;

static loads loads_of(papers_report *report, cardan_start start, cardan_start_difference difference,
                      double h)
{
    papers_setup setup = pendulum(0.2, start, h);
    setup.def.experimental.difference = difference;
    loads found = {0};
    papers_trail trail = papers_begin(report, &setup);
    while (papers_advance(&trail))
        if (found.count < MOST_LOADS)
            found.value[found.count++] = trail.now->lambda[0];
    if (trail.failed)
        found.value[0] = NAN;
    return found;
}

/* Of the steps `first` (from 1) to the last; NaN stays. */
static double largest_difference(const loads *a, const loads *b, int first)
{
    double largest = a->count == b->count ? 0.0 : NAN;
    for (int i = first - 1; i < a->count; i++) {
        const double size = fabs(a->value[i] - b->value[i]);
        largest = papers_larger(largest, size);
    }
    return largest;
}

/* "max_n |e_n| = |e_15|": so for small h, but with the steps of Fig. 1 the sixteenth is larger, as
 * an independent program has it, too. */
static void step_of_the_peak(papers_report *report, const papers_study *study)
{
    const papers_bound printed = {"15", PAPERS_EQUAL, 15.0, 0.0};
    papers_source(report, "ACB15 Sec. 4.1");
    papers_false_in_print(report, printed, "16", (double)study->errors[0].peak,
                          "step n of the largest |e_lambda|, plain, h = 2e-2");
    papers_note(report, "By an independent program, tests/reference/pendulum_starts.py.");
    papers_false_in_print(report, printed, "16", (double)study->errors[1].peak,
                          "step n of the largest |e_lambda|, plain, h = 1e-2");
    papers_note(report,
                "The steps of Fig. 1. The curve is flat there: |e_16| is larger than |e_15| "
                "by 1.5 %% and 0.4 %%.");
    papers_derived(report, "ACB15 Sec. 4.1"); /* a step that the paper does not use */
    papers_near(report, 15, 0, (double)study->errors[2].peak,
                "step n of the largest |e_lambda|, plain, h = 5e-3");
}

static void plain_start(papers_report *report)
{
    const papers_setup setup = pendulum(0.2, CARDAN_START_PLAIN, 2e-2);
    const papers_study study = papers_halve(report, setup, 5, 0.0);
    papers_source(report, "ACB15 Fig. 1");
    papers_printed(report, "2.48e-1", study.errors[0].lambda,
                   "max |e_lambda|, x0 = 0.2, plain start, h = 2e-2");
    papers_printed(report, "1.23e-1", study.errors[1].lambda,
                   "max |e_lambda|, x0 = 0.2, plain start, h = 1e-2");
    papers_order(report, 1.0, &study, PAPERS_LAMBDA, "e_lambda, x0 = 0.2, plain start");
    papers_note(report, "The defect: the paper calls the amplitude O(h).");
    step_of_the_peak(report, &study);
}

/* (57) with the exact velocity: "up to plot accuracy identical results". */
static void acceleration_alone(papers_report *report)
{
    const papers_setup setup = pendulum(0.2, CARDAN_START_ACCELERATION, 2e-2);
    const papers_study study = papers_halve(report, setup, 5, 0.0);
    papers_source(report, "ACB15 Ex. 1");
    papers_printed(report, "2.48e-1", study.errors[0].lambda,
                   "max |e_lambda|, x0 = 0.2, (57) alone, h = 2e-2");
    papers_printed(report, "1.23e-1", study.errors[1].lambda,
                   "max |e_lambda|, x0 = 0.2, (57) alone, h = 1e-2");
    papers_note(report, "\"Up to plot accuracy identical results\" with a_0 = v'(t_0 + Delta h) "
                        "+ O(h^2): the printed digits of Fig. 1 do not change.");
    papers_order(report, 1.0, &study, PAPERS_LAMBDA, "e_lambda, x0 = 0.2, (57) alone");
}

/* What each of the two perturbations changes, against an independent program. */
static void parts_of_the_start(papers_report *report)
{
    const loads plain = loads_of(report, CARDAN_START_PLAIN, CARDAN_DIFFERENCE_CENTRAL, 1e-2),
                late = loads_of(report, CARDAN_START_ACCELERATION, CARDAN_DIFFERENCE_CENTRAL, 1e-2),
                cured = loads_of(report, CARDAN_START_PERTURBED, CARDAN_DIFFERENCE_CENTRAL, 1e-2);
    const double by_a = largest_difference(&plain, &late, 1);
    const double by_v = largest_difference(&late, &cured, 1);
    const double whole = largest_difference(&plain, &cured, 1);
    papers_source(report, "ACB15 Sec. 4.2");
    papers_judge(report, (papers_bound){"> 100", PAPERS_AT_LEAST, 100.0, 0.0}, by_v / by_a,
                 "what (56) changes in lambda over what (57) does, h = 1e-2");
    papers_derived(report, "ACB15 (57)");
    papers_printed(report, "6.4520e-4", by_a, "max change of lambda by (57), h = 1e-2");
    papers_note(report, "Here and below: digits of an independent program, "
                        "tests/reference/pendulum_starts.py.");
    papers_derived(report, "ACB15 (56)");
    papers_printed(report, "1.22848e-1", by_v, "max change of lambda by (56), h = 1e-2");
    papers_derived(report, "ACB15 Ex. 1");
    papers_printed(report, "4.2526e-3", largest_difference(&plain, &cured, 100) / whole,
                   "plain - perturbed from n = 100 on, over its peak, h = 1e-2");
    papers_note(report, "\"After about 100 time steps these transient errors are damped out\": the "
                        "recursion (46) leaves 3.9e-3 of the peak in the limit of small h.");
}

/* Remark 3(a): the leading term B v'' of the local error, from the velocity of the start. */
static void leading_error(papers_report *report)
{
    const double x = 0.2, y = -sqrt(1.0 - x * x), g = 9.81;
    const double speed = sqrt(2.0 * (0.5 - g - g * y)), h = 1e-3;
    const papers_setup setup = pendulum(x, CARDAN_START_PERTURBED, h);
    const cardan_params p = setup.def.params;
    const double c_q = 1.0 - 6.0 * p.beta - 3.0 * (p.alpha_m - p.alpha_f);
    papers_trail trail = papers_begin(report, &setup);
    double jerk = NAN;
    if (!trail.failed) {
        const double *q = trail.now->q, *v = trail.now->v;
        jerk = 6.0 * (q[0] * v[0] + q[1] * v[1]) / (h * h * c_q);
        papers_finish(&trail);
    }
    papers_derived(report, "ACB15 Remark 3(a), (17)");
    papers_near(report, -3.0 * g * x * (-y * speed) / y, 1e-4, jerk,
                "B v'' = -3 g x0 x0' / y0, from B v_0 = h^2 C_q B v'' / 6 of (56)");
    papers_note(report, "Tolerance: the central difference is off by O(h^2), h = 1e-3.");
}

/* Where B v settles: at + h^2 B r, by the recursions of ACB15 (35) and of the sign that (8) of
 * ACB-R must have. For the pendulum r = C_q v'' / 6. */
static void settled_residual(papers_report *report)
{
    papers_setup setup = pendulum(0.2, CARDAN_START_PERTURBED, 1e-2);
    const cardan_params p = setup.def.params;
    const double h = setup.def.step, c_q = 1.0 - 6.0 * p.beta - 3.0 * (p.alpha_m - p.alpha_f);
    papers_trail trail = papers_begin(report, &setup);
    double share = NAN;
    while (papers_advance(&trail) && trail.n < 50)
        continue;
    if (!trail.failed) {
        const double *q = trail.now->q, *v = trail.now->v;
        const double jerk = -3.0 * 9.81 * q[0] * v[0] / q[1]; /* B v'' */
        share = 6.0 * (q[0] * v[0] + q[1] * v[1]) / (h * h * c_q * jerk);
        papers_finish(&trail);
    }
    papers_source(report, "ACB-R (8)");
    papers_false_in_print(report, (papers_bound){"-1", PAPERS_EQUAL, -1.0, 0.1}, "1.0002", share,
                          "B v_n / (h^2 B r(t_n)) at t = 0.5, pendulum, h = 1e-2");
    papers_note(report,
                "(8) has + h B r beside B v / h, which would settle at -1; with the r that is "
                "printed the sign must be -, as in (56) of ACB15.");
}

static void perturbed_start(papers_report *report)
{
    static const struct {
        cardan_start_difference difference;
        const char *name, *coarse, *fine;
    } list[] = {{CARDAN_DIFFERENCE_CENTRAL, "s = 1", "3.9886e-3", "9.95878e-4"},
                {CARDAN_DIFFERENCE_FORWARD, "s = 0.01", "3.9863e-3", "9.95877e-4"}};
    for (int i = 0; i < 2; i++) {
        papers_setup setup = pendulum(0.2, CARDAN_START_PERTURBED, 2e-2);
        setup.def.experimental.difference = list[i].difference;
        const papers_study study = papers_halve(report, setup, 5, 0.0);
        papers_source(report, "ACB15 Sec. 4.2");
        papers_printed(report, "3.99e-3", study.errors[0].lambda,
                       "max |e_lambda|, x0 = 0.2, perturbed start, %s, h = 2e-2", list[i].name);
        papers_printed(report, "9.96e-4", study.errors[1].lambda,
                       "max |e_lambda|, x0 = 0.2, perturbed start, %s, h = 1e-2", list[i].name);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, x0 = 0.2, perturbed start, %s",
                     list[i].name);
        papers_derived(report, "ACB15 (9), (56), (57)");
        papers_printed(report, list[i].coarse, study.errors[0].lambda,
                       "more digits of it, %s, h = 2e-2", list[i].name);
        papers_printed(report, list[i].fine, study.errors[1].lambda,
                       "more digits of it, %s, h = 1e-2", list[i].name);
    }
}

/* The same while the start still shows, n <= 16. */
static void early_errors(papers_report *report)
{
    static const struct {
        cardan_start_difference difference;
        const char *name, *digits;
    } list[] = {{CARDAN_DIFFERENCE_CENTRAL, "s = 1", "2.58258e-3"},
                {CARDAN_DIFFERENCE_FORWARD, "s = 0.01", "2.22109e-3"}};
    papers_derived(report, "ACB15 (9), (56), (57)");
    for (int i = 0; i < 2; i++) {
        papers_setup setup = pendulum(0.2, CARDAN_START_PERTURBED, 2e-2);
        setup.def.experimental.difference = list[i].difference;
        setup.end = 16 * 2e-2;
        papers_printed(report, list[i].digits, papers_worst(report, &setup, 0.0).lambda,
                       "max |e_lambda| for n <= 16, perturbed start, %s, h = 2e-2", list[i].name);
    }
}

static void lowest_point(papers_report *report)
{
    static const struct {
        cardan_start start;
        const char *name;
    } starts[] = {{CARDAN_START_PLAIN, "plain"}, {CARDAN_START_PERTURBED, "perturbed"}};
    for (int i = 0; i < 2; i++) {
        const papers_setup setup = pendulum(0.0, starts[i].start, 2e-2);
        const papers_study study = papers_halve(report, setup, 4, 0.0);
        papers_source(report, "ACB15 Sec. 4.2");
        papers_judge(report, (papers_bound){"<= 3.95e-3", PAPERS_AT_MOST, 3.95e-3, 5e-6},
                     study.errors[0].lambda, "max |e_lambda|, x0 = 0, %s start, h = 2e-2",
                     starts[i].name);
        if (i == 0)
            papers_note(report, "The paper states bounds here, not values.");
        papers_judge(report, (papers_bound){"<= 9.85e-4", PAPERS_AT_MOST, 9.85e-4, 5e-7},
                     study.errors[1].lambda, "max |e_lambda|, x0 = 0, %s start, h = 1e-2",
                     starts[i].name);
        papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, x0 = 0, %s start",
                     starts[i].name);
    }
}

static void draw(papers_report *report)
{
    static const double steps[] = {2e-2, 1e-2};
    papers_figure *figure = papers_new_figure(
        report, "pend-fig1",
        "ACB15 Fig. 1: mathematical pendulum, global error in λ for x0 = 0 (dots) and x0 = 0.2 "
        "(+); ga3, ρ∞ = 0.9, plain start. The oscillation is of size O(h) and is damped out after "
        "about 100 steps.");
    for (int i = 0; i < 2; i++) {
        papers_panel *panel = papers_new_panel(figure, i == 0 ? "h = 2.0e-2" : "h = 1.0e-2",
                                               (papers_axis){"t", false, 0.0, 2.0},
                                               (papers_axis){"error in λ", false, -0.26, 0.26});
        papers_setup setup = pendulum(0.0, CARDAN_START_PLAIN, steps[i]);
        trace(report, papers_new_series(panel, PAPERS_DOT, false, "x0 = 0"), &setup);
        setup = pendulum(0.2, CARDAN_START_PLAIN, steps[i]);
        trace(report, papers_new_series(panel, PAPERS_PLUS, false, "x0 = 0.2"), &setup);
    }
}

/* ---- a residual of the constraints, the term theta / h^2 of (54) ---- */

/* The pendulum with Phi = (x^2 + y^2 - 1) / 2 - theta in one step. */
typedef struct leak {
    double t, theta; /* when, to half a step */
    double h;
} leak;

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int weight(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[1] = 9.81;
    return 0;
}

static int circle(void *context, const cardan_point *at, double *out)
{
    const leak *it = context;
    const bool leaks = fabs(at->t - it->t) < 0.5 * it->h;
    out[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0) - (leaks ? it->theta : 0.0);
    return 0;
}

static int circle_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0];
    out[1] = at->q[1];
    return 0;
}

static int nothing(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at, (void)out;
    return 0;
}

static int circle_bias(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
    return 0;
}

/* lambda from the lowest point on with speed 1, the leak in step 50 of 100. */
static loads leaking(double h, double theta)
{
    const cardan_factor plane = {CARDAN_RN, CARDAN_LEFT, 2};
    leak it = {50.0 * h, theta, h};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_integrator *run = NULL;
    cardan_system_def def = cardan_system_def_default();
    cardan_integrator_def how = cardan_integrator_def_default();
    loads found = {.value = {NAN}};
    how.method = "ga3";
    how.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    how.step = h;
    def.context = &it;
    def.constraints = 1;
    def.rheonomic = true;
    def.mass = unit_mass;
    def.force = weight;
    def.constraint = circle;
    def.constraint_dq = circle_dq;
    def.constraint_dt = nothing;
    def.constraint_bias = circle_bias;
    bool well = cardan_group_create(&group, &plane, 1, NULL, NULL) == CARDAN_OK;
    def.group = group;
    well =
        well && cardan_system_create(&system, &def, NULL) == CARDAN_OK &&
        cardan_integrator_create(&run, system, &how, NULL) == CARDAN_OK &&
        cardan_integrator_start(run, 0.0, (double[]){0.0, -1.0}, (double[]){1.0, 0.0}) == CARDAN_OK;
    while (well && found.count < 100 && cardan_integrator_step(run) == CARDAN_OK)
        found.value[found.count++] = cardan_integrator_state(run)->lambda[0];
    cardan_integrator_destroy(run);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
    return found;
}

static void one_residual(papers_report *report)
{
    const double theta = 1e-8;
    papers_study study = {.count = PAPERS_SLOPE_STEPS};
    for (int i = 0; i < study.count; i++) {
        const double h = ldexp(2e-2, -i);
        const loads sound = leaking(h, 0.0), off = leaking(h, theta);
        study.h[i] = h;
        study.errors[i].lambda = largest_difference(&sound, &off, 1);
    }
    const double h = study.h[PAPERS_SLOPE_STEPS - 1];
    papers_source(report, "ACB15 (54b), Sec. 4.1");
    papers_order(report, -2.0, &study, PAPERS_LAMBDA, "lambda's error from |Phi(q_n)| = theta");
    papers_derived(report, "ACB15 (45), (46)");
    papers_near(report, 127.5365, 127.5365 * h,
                h * h / theta * study.errors[PAPERS_SLOPE_STEPS - 1].lambda,
                "max change of lambda over theta / h^2, Phi = theta in one step");
    papers_note(report,
                "From the recursion with D_2 = (theta, -2 theta, theta) / h^2; it holds up "
                "to O(h), hence the tolerance, relative h = %.2g.",
                h);
}

/* Sec. 2.2, Remark 1: friction that depends on lambda changes neither the order reduction nor its
 * cure. */
static void friction(papers_report *report)
{
    static const struct {
        cardan_start start;
        const char *name;
        double order;
    } list[] = {{CARDAN_START_PLAIN, "plain", 1.0}, {CARDAN_START_PERTURBED, "perturbed", 2.0}};
    papers_source(report, "ACB15 Sec. 2.2, Remark 1");
    for (int i = 0; i < 2; i++) {
        papers_setup setup = papers_setup_of("friction_slider", "ga3", 0.9, 2e-3, 1.0);
        setup.def.experimental.start = list[i].start;
        const papers_study study = papers_halve(report, setup, 4, 0.0);
        papers_order(report, 2.0, &study, PAPERS_Q, "e_q, friction_slider, %s start", list[i].name);
        papers_order(report, list[i].order, &study, PAPERS_LAMBDA,
                     "e_lambda, friction_slider, %s start", list[i].name);
    }
}

void papers_pend(papers_report *report)
{
    plain_start(report);
    acceleration_alone(report);
    draw(report);
    perturbed_start(report);
    early_errors(report);
    parts_of_the_start(report);
    leading_error(report);
    settled_residual(report);
    lowest_point(report);
    one_residual(report);
    friction(report);
}

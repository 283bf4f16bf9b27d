/* hht3 (JN07 (3.4)) on the paper's own problems with the paper's own parameters, on Lie groups and
 * with friction: orders, the defect and the cure of changing steps (Fig. 5.1-5.8), constraints at
 * both levels, and the multipliers inside a step. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

enum { MAX = 32, SIZES = 4 };

static experiment hht3_of(const char *problem, double alpha, double b, cardan_hht3_variant variant,
                          double end)
{
    experiment run = experiment_of(problem, "hht3", 0.8, 0.0, end);
    run.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    run.options.hht3_b = b;
    run.options.hht3_variant = variant;
    return run;
}

static void check_order(const char *what, double coarse, double fine)
{
    const double order = observed_order(coarse, fine);
    ck_assert_msg(order > 1.9 && order < 2.2, "%s: errors %g, %g, order %g", what, coarse, fine,
                  order);
}

/* Order two in everything over four step sizes, at most `largest` in q at the coarsest. */
static void check_orders(experiment run, double step, double largest)
{
    trajectory_errors errors[SIZES];
    for (int i = 0; i < SIZES; i++, step /= 2.0) {
        run.step = step;
        errors[i] = experiment_run(&run);
    }
    ck_assert_double_lt(errors[0].q, largest);
    for (int i = 0; i + 1 < SIZES; i++) {
        check_order("q", errors[i].q, errors[i + 1].q);
        check_order("v", errors[i].v, errors[i + 1].v);
        check_order("v'", errors[i].vdot, errors[i + 1].vdot);
        check_order("lambda", errors[i].lambda, errors[i + 1].lambda);
    }
}

static const struct {
    cardan_hht3_variant variant;
    double b;
} variants[] = {
    {CARDAN_HHT3_FULL, 0.3},
    {CARDAN_HHT3_FULL, 0.0},
    {CARDAN_HHT3_EXPLICIT, 0.3},
    {CARDAN_HHT3_MIDPOINT, 0.0},
    {CARDAN_HHT3_LUNK_SIMEON, 0.3},
    {CARDAN_HHT3_FULL, 1.0},
    {CARDAN_HHT3_MIDPOINT_EXPLICIT, 0.0},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* JN07 Fig. 5.1 and 5.2, and the variants that the paper says keep the order. */
START_TEST(jn1_is_of_order_two)
{
    check_orders(hht3_of("jn1", -0.15, variants[_i].b, variants[_i].variant, 1.0), 0.01, 1e-3);
}
END_TEST

/* JN07 Fig. 5.7 and 5.8. */
START_TEST(jn2_is_of_order_two)
{
    check_orders(hht3_of("jn2", _i == 0 ? 0.0 : -0.3, 0.0, CARDAN_HHT3_FULL, 2.0), 4e-3, 2e-3);
}
END_TEST

/* f of jn1 along the exact solution. */
static void exact_force(double t, double f[2])
{
    const double y[2] = {exp(t), exp(-2.0 * t)}, z[2] = {exp(t), -2.0 * exp(-2.0 * t)};
    f[0] = y[0] * z[1] + 2.0 * y[1] * z[0];
    f[1] = 0.5 * y[1] * z[1] - 2.0 * y[0] * z[0] * y[1] * z[1];
}

typedef struct errors_at_end {
    double y, z, a;
} errors_at_end;

/* Errors at t = 1 with steps h, or alternating h/3 and 2h/3; a_n against a(t_n + alpha h_{n-1}). */
static errors_at_end jn1_at_end(cardan_integrator_def def, double h, bool alternating)
{
    const double alpha = -0.15;
    lab_problem *problem = open_problem("jn1", NULL, 0);
    def.method = "hht3";
    def.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    def.experimental.hht3_b = 0.3;
    def.step = alternating ? h / 3.0 : h;
    cardan_integrator *it = start_problem(problem, &def);
    const long steps = lround(1.0 / h) * (alternating ? 2 : 1);
    for (long i = 0; i < steps; i++) {
        if (alternating)
            cardan_integrator_set_step(it, i % 2 == 0 ? h / 3.0 : 2.0 * h / 3.0);
        CHECK_STATUS(it, cardan_integrator_step(it));
    }
    const cardan_state *s = cardan_integrator_state(it);
    double f[2];
    exact_force(s->t + alpha * s->h, f);
    const errors_at_end errors = {
        hypot(s->q[0] - exp(s->t), s->q[1] - exp(-2.0 * s->t)),
        hypot(s->v[0] - exp(s->t), s->v[1] + 2.0 * exp(-2.0 * s->t)),
        hypot(s->a[0] - f[0], s->a[1] - f[1]),
    };
    ck_assert_double_eq_tol(s->t, 1.0, 1e-12);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return errors;
}

/* a_n approximates f(t_n + alpha h) to second order with both starts: the method corrects itself
 * (JN07 Sec. 2). */
START_TEST(a_belongs_to_a_shifted_time)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.experimental.start = _i == 0 ? CARDAN_START_PLAIN : CARDAN_START_PERTURBED;
    errors_at_end coarse = jn1_at_end(def, 0.02, false);
    for (double h = 0.01; h > 1e-3; h /= 2.0) {
        const errors_at_end fine = jn1_at_end(def, h, false);
        check_order("y", coarse.y, fine.y);
        check_order("z", coarse.z, fine.z);
        check_order("a", coarse.a, fine.a);
        coarse = fine;
    }
}
END_TEST

/* JN07 Fig. 5.3: the defect. */
START_TEST(changing_steps_uncorrected)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.experimental.step_change = CARDAN_STEP_NONE;
    errors_at_end coarse = jn1_at_end(def, 1.0 / 640.0, true);
    for (int i = 1; i < SIZES; i++) {
        const errors_at_end fine = jn1_at_end(def, 1.0 / (640.0 * (1 << i)), true);
        ck_assert_double_eq_tol(observed_order(coarse.y, fine.y), 1.0, 0.1);
        ck_assert_double_eq_tol(observed_order(coarse.z, fine.z), 1.0, 0.1);
        ck_assert_double_eq_tol(observed_order(coarse.a, fine.a), 1.0, 0.1);
        coarse = fine;
    }
}
END_TEST

/* JN07 Fig. 5.4: the cure (2.3). */
START_TEST(changing_steps_corrected)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.experimental.step_change = _i == 0 ? CARDAN_STEP_SETTLED : CARDAN_STEP_ACCELERATION;
    errors_at_end coarse = jn1_at_end(def, 1.0 / 40.0, true);
    for (int i = 1; i < SIZES; i++) {
        const errors_at_end fine = jn1_at_end(def, 1.0 / (40.0 * (1 << i)), true);
        check_order("y", coarse.y, fine.y);
        check_order("z", coarse.z, fine.z);
        check_order("a", coarse.a, fine.a);
        coarse = fine;
    }
}
END_TEST

/* Rotations in every form, a nonconstant mass, a rheonomic constraint, friction. */
static const struct {
    const char *name;
    double alpha, b, step, end, largest;
    cardan_hht3_variant variant;
    cardan_update update;
} others[] = {
    {"heavy_top", -0.1, 0.0, 1e-3, 0.3, 0.1, CARDAN_HHT3_FULL, CARDAN_UPDATE_EXP},
    {"heavy_top", -0.1, 0.3, 1e-3, 0.3, 0.1, CARDAN_HHT3_EXPLICIT, CARDAN_UPDATE_MAGNUS},
    {"heavy_top", 0.0, 0.0, 1e-3, 0.3, 0.1, CARDAN_HHT3_MIDPOINT, CARDAN_UPDATE_MAGNUS},
    {"heavy_top_spatial", -0.3, 0.3, 2e-3, 0.3, 1e-2, CARDAN_HHT3_FULL, CARDAN_UPDATE_MAGNUS},
    {"heavy_top_spatial", -0.1, 0.3, 2e-3, 0.3, 1e-2, CARDAN_HHT3_LUNK_SIMEON,
     CARDAN_UPDATE_MAGNUS},
    {"heavy_top_spatial", -0.1, 0.0, 2e-3, 0.3, 1e-2, CARDAN_HHT3_MIDPOINT, CARDAN_UPDATE_EXP},
    {"heavy_top_spatial", -0.1, 0.0, 1e-3, 0.3, 1e-2, CARDAN_HHT3_MIDPOINT_EXPLICIT,
     CARDAN_UPDATE_MAGNUS},
    {"driven_pendulum", -0.3, 0.0, 1e-2, 1.0, 1e-3, CARDAN_HHT3_MIDPOINT_EXPLICIT,
     CARDAN_UPDATE_EXP},
    {"heavy_top_quat", -0.2, 0.2, 1e-3, 0.2, 0.1, CARDAN_HHT3_FULL, CARDAN_UPDATE_EXP},
    {"heavy_top_se3", -0.2, 0.2, 5e-4, 0.1, 0.1, CARDAN_HHT3_FULL, CARDAN_UPDATE_EXP},
    {"slider_crank", -0.2, 0.2, 1e-2, 1.0, 1e-5, CARDAN_HHT3_FULL, CARDAN_UPDATE_EXP},
    {"driven_pendulum", -0.2, 0.2, 1e-2, 1.0, 1e-3, CARDAN_HHT3_EXPLICIT, CARDAN_UPDATE_EXP},
    {"friction_slider", -0.2, 0.2, 5e-3, 1.0, 1e-3, CARDAN_HHT3_FULL, CARDAN_UPDATE_EXP},
    {"friction_slider", -0.2, 0.2, 2.5e-3, 1.0, 1e-3, CARDAN_HHT3_LUNK_SIMEON, CARDAN_UPDATE_EXP},
};
enum { OTHERS = sizeof others / sizeof others[0] };

START_TEST(other_problems_are_of_order_two)
{
    experiment run = hht3_of(others[_i].name, others[_i].alpha, others[_i].b, others[_i].variant,
                             others[_i].end);
    run.update = others[_i].update;
    check_orders(run, others[_i].step, others[_i].largest);
}
END_TEST

/* JN07 Sec. 7: Lunk and Simeon extend the generalized-alpha method. */
static const struct {
    const char *name, *params;
    double b, step, end, largest;
    cardan_update update;
} general[] = {
    {"jn1", "ch:0.2", 0.3, 0.005, 1.0, 1e-3, CARDAN_UPDATE_EXP},
    {"jn1", "ch:0.9", 0.0, 0.01, 1.0, 1e-3, CARDAN_UPDATE_EXP},
    {"jn1", "wbz:-0.3", 0.8, 0.005, 1.0, 1e-2, CARDAN_UPDATE_EXP},
    {"jn2", "ch:0.5", 0.3, 2e-3, 2.0, 2e-3, CARDAN_UPDATE_EXP},
    {"heavy_top_spatial", "ch:0.3", 0.3, 2e-3, 0.3, 1e-2, CARDAN_UPDATE_MAGNUS},
    {"slider_crank", "ch:0", 0.2, 1e-2, 1.0, 1e-5, CARDAN_UPDATE_EXP},
    {"friction_slider", "ch:0.6", 0.2, 2.5e-3, 1.0, 1e-3, CARDAN_UPDATE_EXP},
};
enum { GENERAL = sizeof general / sizeof general[0] };

START_TEST(lunk_simeon_takes_generalized_alpha_parameters)
{
    experiment run =
        hht3_of(general[_i].name, 0.0, general[_i].b, CARDAN_HHT3_LUNK_SIMEON, general[_i].end);
    ck_assert_int_eq(cardan_params_parse(general[_i].params, &run.params, NULL), CARDAN_OK);
    run.update = general[_i].update;
    check_orders(run, general[_i].step, general[_i].largest);
}
END_TEST

/* Position and velocity constraints both hold to the tolerance of the iteration, at any step. */
START_TEST(both_constraints_hold)
{
    const double steps[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    experiment run = hht3_of(_i / VARIANTS == 0 ? "pendulum" : "heavy_top_spatial", -0.2,
                             variants[_i % VARIANTS].b, variants[_i % VARIANTS].variant, 0.0);
    for (int i = _i / VARIANTS; i < 5; i++) {
        run.step = steps[i];
        run.end = 100.0 * steps[i];
        const trajectory_errors errors = experiment_run(&run);
        ck_assert_double_lt(errors.phi, 1e-13);
        ck_assert_double_lt(errors.hidden, 2e-12);
    }
}
END_TEST

/* Rounding must not come back in q, v and lambda as the step gets small: over 100 steps the errors
 * are those of the method, of third order in h. */
START_TEST(small_steps_are_accurate)
{
    const char *const names[] = {"pendulum", "heavy_top", "jn1"};
    experiment run = hht3_of(names[_i], -0.2, 0.0, CARDAN_HHT3_FULL, 1e-3);
    run.step = 1e-5;
    const trajectory_errors coarse = experiment_run(&run);
    run.end = 1e-4;
    run.step = 1e-6;
    const trajectory_errors fine = experiment_run(&run);
    ck_assert_double_lt(fine.q, 2e-3 * coarse.q + 1e-13);
    ck_assert_double_lt(fine.v, 2e-3 * coarse.v + 1e-11);
    ck_assert_double_lt(fine.lambda, 2e-3 * coarse.lambda + 1e-11);
}
END_TEST

/* Largest distance of the middle multiplier, or the mean of the two, from lambda at the middle of
 * its step; and of the single ones from lambda at their own times. */
static void measure_stages(cardan_hht3_variant variant, double b, double h, double *middle,
                           double *single)
{
    lab_problem *problem = open_problem("jn1", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "hht3";
    def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.15);
    def.experimental.hht3_b = b;
    def.experimental.hht3_variant = variant;
    def.step = h;
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    ck_assert_ptr_null(s->stage);
    ck_assert_int_eq(s->stages, 0);
    *middle = *single = 0.0;
    for (double before = 0.0; s->t < 1.0 - 0.5 * h; before = s->t) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        ck_assert_int_eq(s->stages, 2);
        ck_assert_double_eq_tol(s->stage_time[0], before, 1e-12);
        const bool half =
            variant == CARDAN_HHT3_MIDPOINT || variant == CARDAN_HHT3_MIDPOINT_EXPLICIT;
        ck_assert_double_eq_tol(s->stage_time[1], half ? s->t - 0.5 * h : s->t, 1e-12);
        const double mean = half ? s->stage[1] : 0.5 * (s->stage[0] + s->stage[1]);
        *middle = fmax(*middle, fabs(mean - exp(-(s->t - 0.5 * h))));
        for (int i = 0; i < 2; i++)
            *single = fmax(*single, fabs(s->stage[i] - exp(-s->stage_time[i])));
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

/* The multipliers of a step are of first order, their mean (or the middle one) of second. */
START_TEST(multipliers_inside_a_step)
{
    double middle[SIZES], single[SIZES], h = 0.01;
    for (int i = 0; i < SIZES; i++, h /= 2.0)
        measure_stages(variants[_i].variant, variants[_i].b, h, &middle[i], &single[i]);
    for (int i = 0; i + 1 < SIZES; i++) {
        check_order("the mean", middle[i], middle[i + 1]);
        ck_assert_double_eq_tol(observed_order(single[i], single[i + 1]), 1.0, 0.1);
    }
}
END_TEST

static cardan_status refusal(const char *name, cardan_params params, double b,
                             cardan_hht3_variant variant, cardan_error *error)
{
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_integrator *it = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.method = "hht3";
    def.params = params;
    def.expert = true;
    def.experimental.hht3_b = b;
    def.experimental.hht3_variant = variant;
    const cardan_status status =
        cardan_integrator_create(&it, lab_problem_system(problem), &def, error);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return status;
}

START_TEST(bad_use_is_refused)
{
    const cardan_params hht = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    const struct {
        const char *problem;
        cardan_params params;
        double b;
        cardan_hht3_variant variant;
        cardan_status status;
        const char *word;
    } cases[] = {
        {"jn1", hht, 0.5, CARDAN_HHT3_FULL, CARDAN_INVALID_ARGUMENT, "b != 1/2"},
        {"jn1", hht, NAN, CARDAN_HHT3_FULL, CARDAN_INVALID_ARGUMENT, "b != 1/2"},
        {"jn1", hht, 0.2, CARDAN_HHT3_MIDPOINT, CARDAN_INVALID_ARGUMENT, "b = 0"},
        {"jn1", hht, 0.0, (cardan_hht3_variant)7, CARDAN_INVALID_ARGUMENT, "variant"},
        {"jn1", cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8), 0.0, CARDAN_HHT3_FULL,
         CARDAN_BAD_PARAMETERS, "HHT family"},
        {"jn1", cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8), 0.0, CARDAN_HHT3_MIDPOINT,
         CARDAN_BAD_PARAMETERS, "lunk-simeon"},
        {"jn1", cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8), 0.0, CARDAN_HHT3_LUNK_SIMEON,
         CARDAN_OK, ""},
        {"jn1",
         {1.0, 0.5, 0.25, 0.5},
         0.0,
         CARDAN_HHT3_LUNK_SIMEON,
         CARDAN_BAD_PARAMETERS,
         "alpha_m != 1"},
        {"jn1", cardan_params_make(CARDAN_FAMILY_HHT, -0.34), 0.0, CARDAN_HHT3_FULL,
         CARDAN_BAD_PARAMETERS, "-1/3"},
        {"jn1", cardan_params_make(CARDAN_FAMILY_HHT, 0.01), 0.0, CARDAN_HHT3_FULL,
         CARDAN_BAD_PARAMETERS, "-1/3"},
        {"oscillator", hht, 0.0, CARDAN_HHT3_FULL, CARDAN_UNSUPPORTED, "use hht"},
        {"skate", hht, 0.0, CARDAN_HHT3_FULL, CARDAN_UNSUPPORTED, "hht2"},
        {"jn1", hht, 0.3, CARDAN_HHT3_FULL, CARDAN_OK, ""},
        {"jn1", cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0), 0.3, CARDAN_HHT3_FULL,
         CARDAN_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cardan_error error = {0};
        const cardan_status status =
            refusal(cases[i].problem, cases[i].params, cases[i].b, cases[i].variant, &error);
        ck_assert_int_eq(status, cases[i].status);
        ck_assert_msg(strstr(error.text, cases[i].word) != NULL, "case %d: %s", (int)i, error.text);
    }
}
END_TEST

static int half_a_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int both_equal(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0] - at->q[1];
    return 0;
}

/* The second coordinate has no mass of its own: fine for ga2s, not for a method that needs f. */
START_TEST(singular_mass_is_refused)
{
    const double q[2] = {0.0, 0.0}, v[2] = {1.0, 1.0};
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 2};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.constraints = 1;
    def.mass = half_a_mass;
    def.constraint = both_equal;
    def.constant_mass = true;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    cardan_integrator_def how = cardan_integrator_def_default();
    how.step = 1e-3;
    how.method = "hht3";
    how.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    cardan_integrator *it = NULL;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &how, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q, v), CARDAN_NO_START);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "use ga2s"));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("scheme: hht3");
    TCase *tests = tcase_create("hht3");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, jn1_is_of_order_two, 0, VARIANTS);
    tcase_add_loop_test(tests, jn2_is_of_order_two, 0, 2);
    tcase_add_loop_test(tests, a_belongs_to_a_shifted_time, 0, 2);
    tcase_add_test(tests, changing_steps_uncorrected);
    tcase_add_loop_test(tests, changing_steps_corrected, 0, 2);
    tcase_add_loop_test(tests, other_problems_are_of_order_two, 0, OTHERS);
    tcase_add_loop_test(tests, lunk_simeon_takes_generalized_alpha_parameters, 0, GENERAL);
    tcase_add_loop_test(tests, both_constraints_hold, 0, 2 * VARIANTS);
    tcase_add_loop_test(tests, small_steps_are_accurate, 0, 3);
    tcase_add_loop_test(tests, multipliers_inside_a_step, 0, VARIANTS);
    tcase_add_test(tests, bad_use_is_refused);
    tcase_add_test(tests, singular_mass_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

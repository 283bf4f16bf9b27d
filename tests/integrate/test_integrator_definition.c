/* Mistakes in an integrator's definition, refused parameters, unknown methods, calls out of turn.
 */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

typedef void (*mistake)(cardan_integrator_def *def);

static void no_cookie(cardan_integrator_def *def)
{
    def->cookie = 7;
}

static void unknown_method(cardan_integrator_def *def)
{
    def->method = "ga7";
}

static void no_method(cardan_integrator_def *def)
{
    def->method = NULL;
}

static void no_step(cardan_integrator_def *def)
{
    def->method = "ga2";
    def->step = 0.0;
}

static void negative_step(cardan_integrator_def *def)
{
    def->step = -1e-3;
}

static void no_number_step(cardan_integrator_def *def)
{
    def->step = NAN;
}

static void endless_step(cardan_integrator_def *def)
{
    def->step = INFINITY;
}

static void vanishing_step(cardan_integrator_def *def)
{
    def->step = 1e-200; /* its square is zero */
}

static void unknown_start(cardan_integrator_def *def)
{
    def->experimental.start = (cardan_start)7;
}

static void unknown_update(cardan_integrator_def *def)
{
    def->update = (cardan_update)7;
}

static void negative_tolerance(cardan_integrator_def *def)
{
    def->newton.velocity.relative = -1e-9;
}

static void no_tolerance(cardan_integrator_def *def)
{
    def->newton.position = (cardan_tolerance){0.0, 0.0};
}

static void no_number_tolerance(cardan_integrator_def *def)
{
    def->newton.multiplier.absolute = NAN;
}

static void too_few_iterations(cardan_integrator_def *def)
{
    def->newton.max_iterations = 1;
}

static void negative_difference(cardan_integrator_def *def)
{
    def->experimental.difference_step = -1.0;
}

static void no_number_correction(cardan_integrator_def *def)
{
    def->start_correction = NAN;
}

static void no_number_parameter(cardan_integrator_def *def)
{
    def->params.beta = NAN;
}

static void first_order(cardan_integrator_def *def)
{
    def->params.gamma += 0.1;
}

static void without_damping(cardan_integrator_def *def)
{
    def->params = cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0);
}

static void explicit_form(cardan_integrator_def *def)
{
    def->params = cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0);
}

static void beta_too_small(cardan_integrator_def *def)
{
    def->params.beta = 0.2;
}

static const struct {
    mistake make;
    cardan_status status;
    const char *sentence;
} mistakes[] = {
    {no_cookie, CARDAN_UNINITIALISED, "cardan_integrator_def_default"},
    {unknown_method, CARDAN_UNKNOWN_NAME, "`ga7`"},
    {unknown_method, CARDAN_UNKNOWN_NAME, "the methods are auto, ga3, "},
    {no_method, CARDAN_UNKNOWN_NAME, "ga3"},
    {no_step, CARDAN_UNSUPPORTED, "give a step"},
    {negative_step, CARDAN_INVALID_ARGUMENT, "step"},
    {no_number_step, CARDAN_INVALID_ARGUMENT, "step"},
    {endless_step, CARDAN_INVALID_ARGUMENT, "step"},
    {vanishing_step, CARDAN_INVALID_ARGUMENT, "unit of time"},
    {unknown_start, CARDAN_INVALID_ARGUMENT, "start = 7"},
    {unknown_update, CARDAN_INVALID_ARGUMENT, "update = 7"},
    {negative_tolerance, CARDAN_INVALID_ARGUMENT, "olerance"},
    {no_tolerance, CARDAN_INVALID_ARGUMENT, "olerance"},
    {no_number_tolerance, CARDAN_INVALID_ARGUMENT, "olerance"},
    {too_few_iterations, CARDAN_INVALID_ARGUMENT, "max_iterations"},
    {negative_difference, CARDAN_INVALID_ARGUMENT, "difference_step"},
    {no_number_correction, CARDAN_INVALID_ARGUMENT, "start_correction"},
    {no_number_parameter, CARDAN_BAD_PARAMETERS, "finite"},
    {first_order, CARDAN_BAD_PARAMETERS, "order condition gamma = 1/2 + alpha_f - alpha_m"},
    {without_damping, CARDAN_BAD_PARAMETERS, "alpha_m < alpha_f (ACB15 (50))"},
    {explicit_form, CARDAN_BAD_PARAMETERS, "beta"},
    {beta_too_small, CARDAN_BAD_PARAMETERS, "beta"},
};

START_TEST(definition_mistakes)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it = (cardan_integrator *)problem;
    cardan_error error = {0};
    mistakes[_i].make(&def);
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, &error),
                     mistakes[_i].status);
    ck_assert_int_eq(error.status, mistakes[_i].status);
    ck_assert_ptr_null(it);
    ck_assert_msg(strstr(error.text, mistakes[_i].sentence) != NULL, "%s", error.text);
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     mistakes[_i].status);
    lab_problem_destroy(problem);
}
END_TEST

static cardan_status create_with(const char *name, const char *method, cardan_params params,
                                 bool expert, cardan_error *error)
{
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it = NULL;
    def.method = method;
    def.params = params;
    def.expert = expert;
    const cardan_status status =
        cardan_integrator_create(&it, lab_problem_system(problem), &def, error);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return status;
}

START_TEST(experts_may_use_other_parameters)
{
    cardan_params first_order = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8);
    cardan_error error;
    first_order.gamma += 0.05;
    ck_assert_int_eq(create_with("pendulum", "ga2s", first_order, false, &error),
                     CARDAN_BAD_PARAMETERS);
    ck_assert_ptr_nonnull(strstr(error.text, "expert"));
    ck_assert_int_eq(create_with("pendulum", "ga2s", first_order, true, NULL), CARDAN_OK);
    ck_assert_int_eq(create_with("pendulum", "ga2s",
                                 cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0), true, NULL),
                     CARDAN_OK);
    /* Where nothing is constrained the trapezoidal rule is a matter of taste. */
    ck_assert_int_eq(create_with("oscillator", "ga3",
                                 cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0), false, NULL),
                     CARDAN_OK);
    ck_assert_int_eq(create_with("oscillator", "ga3",
                                 cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0), false, &error),
                     CARDAN_BAD_PARAMETERS);
    ck_assert_ptr_nonnull(strstr(error.text, "conditionally stable"));
    ck_assert_int_eq(create_with("oscillator", "ga3",
                                 cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0), true, NULL),
                     CARDAN_OK);
}
END_TEST

/* What cannot work is refused to experts as well. */
START_TEST(impossible_parameters)
{
    cardan_error error = {0};
    ck_assert_int_eq(create_with("pendulum", "ga3", cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0),
                                 true, &error),
                     CARDAN_BAD_PARAMETERS);
    ck_assert_msg(strstr(error.text, "beta > 0") != NULL, "%s", error.text);
    const cardan_params impossible[] = {
        {1.0, 0.3, 0.3, 0.6}, {0.2, 1.0, 0.3, 0.6}, {0.2, 0.3, 0.3, 0.0}, {0.2, 0.3, 0.3, -0.5}};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(create_with("pendulum", "ga3", impossible[i], true, NULL),
                         CARDAN_BAD_PARAMETERS);
        ck_assert_int_eq(create_with("pendulum", "ga2s", impossible[i], true, NULL),
                         CARDAN_BAD_PARAMETERS);
    }
}
END_TEST

START_TEST(null_arguments)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    const cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it;
    ck_assert_int_eq(cardan_integrator_create(NULL, system, &def, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_create(&it, NULL, &def, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_create(&it, system, NULL, NULL), CARDAN_INVALID_ARGUMENT);
    cardan_integrator_destroy(NULL);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(not_started)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    const cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    double a, b;
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    ck_assert_str_eq(cardan_integrator_message(it), "");
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_STARTED);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "cardan_integrator_start"));
    ck_assert_int_eq(cardan_integrator_advance(it, 1.0), CARDAN_NOT_STARTED);
    ck_assert_int_eq(cardan_integrator_residuals(it, &a, &b), CARDAN_NOT_STARTED);
    ck_assert_int_eq(cardan_integrator_energy(it, &a, &b), CARDAN_NOT_STARTED);
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 0);
    ck_assert_ptr_nonnull(cardan_integrator_state(it)->q);
    ck_assert_ptr_eq(cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW),
                     lab_problem_system(problem));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(table_of_methods)
{
    ck_assert_int_ge(cardan_method_count(), 2);
    int known = 0;
    for (int i = 0; i < cardan_method_count(); i++) {
        ck_assert_uint_gt(strlen(cardan_method_describe(i).summary), 10);
        known += strcmp(cardan_method_describe(i).name, "ga3") == 0;
        known += strcmp(cardan_method_describe(i).name, "ga2s") == 0;
    }
    ck_assert_int_eq(known, 2);
    ck_assert_ptr_null(cardan_method_describe(-1).name);
    ck_assert_ptr_null(cardan_method_describe(cardan_method_count()).name);
    ck_assert_ptr_null(cardan_method_describe(cardan_method_count()).summary);
}
END_TEST

/* The best choice for someone who knows nothing. */
START_TEST(defaults)
{
    const cardan_integrator_def def = cardan_integrator_def_default();
    const cardan_params chung_hulbert = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8);
    ck_assert_str_eq(def.method, "auto");
    ck_assert_double_eq(def.params.beta, chung_hulbert.beta);
    ck_assert_int_eq(def.experimental.start, CARDAN_START_PERTURBED);
    ck_assert_int_eq(def.experimental.difference, CARDAN_DIFFERENCE_CENTRAL);
    ck_assert(!def.expert);
}
END_TEST

/* k * k numbers of a dense system with 2^16 coordinates are 32 GB, which an int cannot count: the
 * definition must be refused, not wrapped around to a small one. */
static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

START_TEST(sizes_do_not_wrap_around)
{
    const int sizes[] = {65536, 50000, 1 << 20};
    for (int i = 0; i < 3; i++) {
        const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, sizes[i]};
        cardan_group *group = NULL;
        cardan_system *system = NULL;
        cardan_integrator *it = NULL;
        cardan_system_def def = cardan_system_def_default();
        const cardan_integrator_def settings = cardan_integrator_def_default();
        ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
        def.group = group;
        def.mass = unit_mass;
        cardan_error error = {0};
        cardan_status status = cardan_system_create(&system, &def, &error);
        if (status == CARDAN_OK)
            status = cardan_integrator_create(&it, system, &settings, &error);
        ck_assert_int_lt(status, 0);
        ck_assert_int_ne(error.text[0], '\0');
        cardan_system_destroy(system);
        cardan_group_destroy(group);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: definition");
    TCase *tests = tcase_create("definition");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, definition_mistakes, 0, (int)(sizeof mistakes / sizeof mistakes[0]));
    tcase_add_test(tests, experts_may_use_other_parameters);
    tcase_add_test(tests, impossible_parameters);
    tcase_add_test(tests, null_arguments);
    tcase_add_test(tests, not_started);
    tcase_add_test(tests, table_of_methods);
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, sizes_do_not_wrap_around);
    suite_add_tcase(suite, tests);
    return suite;
}

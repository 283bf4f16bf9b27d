/* The catalogue and what happens with wrong names and values. */
#include "lab/problems/problem.h"
#include "problem_test.h"

static const char *const names[] = {"pendulum",
                                    "cube",
                                    "oscillator",
                                    "free_body",
                                    "heavy_top",
                                    "heavy_top_spatial",
                                    "heavy_top_se3",
                                    "heavy_top_quat",
                                    "driven_pendulum",
                                    "double_pendulum",
                                    "spherical_pendulum",
                                    "friction_slider",
                                    "slider_crank",
                                    "andrews",
                                    "jay1",
                                    "rolling_disk",
                                    "jn1",
                                    "jn2",
                                    "two_particles",
                                    "skate",
                                    "chaplygin_sleigh",
                                    "pendulum_massless",
                                    "heavy_top_massless",
                                    "index2_example",
                                    "rolling_ball_turntable",
                                    "disk_so3",
                                    "disk_on_platform",
                                    "skate_trailer",
                                    "bouncing_pendulum",
                                    "stick_slip",
                                    "wall_pendulum",
                                    "load_branches"};
enum { NAMES = (int)(sizeof names / sizeof *names) };

START_TEST(all_problems_are_there)
{
    ck_assert_int_eq(lab_problem_count(), NAMES);
    for (int i = 0; i < NAMES; i++) {
        const lab_parameter *parameters = NULL;
        int count = lab_problem_parameters(i, &parameters);
        ck_assert_str_eq(lab_problem_name(i), names[i]);
        ck_assert_uint_gt(strlen(lab_problem_summary(i)), 10);
        for (int j = 0; j < count; j++) {
            ck_assert_uint_gt(strlen(parameters[j].name), 0);
            ck_assert_uint_gt(strlen(parameters[j].text), 0);
        }
        lab_problem *problem = make_problem(names[i], NULL, 0);
        ck_assert_uint_gt(strlen(lab_problem_reference_text(problem)), 10);
        ck_assert(lab_problem_end(problem) > lab_problem_begin(problem));
        ck_assert(lab_problem_step(problem) > 0.0);
        lab_problem_destroy(problem);
    }
    ck_assert_ptr_null(lab_problem_name(-1));
    ck_assert_ptr_null(lab_problem_name(NAMES));
    ck_assert_ptr_null(lab_problem_summary(NAMES));
    ck_assert_int_eq(lab_problem_parameters(NAMES, NULL), 0);
}
END_TEST

/* A time at which things have moved. */
static double early(const lab_problem *problem)
{
    return fmin(0.5, lab_problem_end(problem));
}

/* Every default is what a problem made without settings uses: naming it changes nothing. */
START_TEST(defaults_can_be_set)
{
    const lab_parameter *parameters = NULL;
    int count = lab_problem_parameters(_i, &parameters);
    lab_problem *plain = make_problem(names[_i], NULL, 0);
    for (int j = 0; j < count; j++) {
        lab_setting setting = {parameters[j].name, parameters[j].value};
        lab_problem *same = make_problem(names[_i], &setting, 1);
        test_point a, b;
        reference_point(plain, early(plain), &a);
        reference_point(same, early(plain), &b);
        ck_assert_mem_eq(a.lambda, b.lambda, (size_t)plain->def.constraints * sizeof *a.lambda);
        ck_assert_mem_eq(a.psi, b.psi, (size_t)plain->def.nonholonomic * sizeof *a.psi);
        ck_assert_mem_eq(a.q, b.q, (size_t)cardan_group_size(plain->group) * sizeof *a.q);
        lab_problem_destroy(same);
    }
    lab_problem_destroy(plain);
}
END_TEST

/* Every parameter matters: another value gives another motion. `stop` only ends runs
 * (tests/cli/test_event_runs.sh). */
START_TEST(parameters_matter)
{
    const lab_parameter *parameters = NULL;
    int count = lab_problem_parameters(_i, &parameters);
    lab_problem *plain = make_problem(names[_i], NULL, 0);
    for (int j = 0; j < count; j++) {
        lab_setting setting = {parameters[j].name, parameters[j].value + 1e-3};
        if (strcmp(setting.name, "stop") == 0)
            continue;
        lab_problem *other = make_problem(names[_i], &setting, 1);
        test_point a = {0}, b = {0};
        reference_point(plain, early(plain), &a);
        reference_point(other, early(plain), &b);
        int size = cardan_group_size(plain->group), m = plain->def.constraints;
        int l = plain->def.nonholonomic;
        cd_add(size, -1.0, a.q, b.q);
        cd_add(m, -1.0, a.lambda, b.lambda);
        cd_add(l, -1.0, a.psi, b.psi);
        double change = fmax(cd_max_abs(size, b.q), cd_max_abs(m, b.lambda));
        change = fmax(change, cd_max_abs(l, b.psi));
        ck_assert_msg(change > 1e-9, "%s does not react to %s", names[_i], setting.name);
        lab_problem_destroy(other);
    }
    lab_problem_destroy(plain);
}
END_TEST

START_TEST(outputs_have_names)
{
    lab_problem *problem = make_problem(names[_i], NULL, 0);
    int count = lab_problem_outputs(problem);
    double values[MAX_OUTPUTS];
    ck_assert_int_gt(count, 0);
    ck_assert_int_le(count, MAX_OUTPUTS);
    for (int i = 0; i < MAX_OUTPUTS; i++)
        values[i] = NAN;
    outputs_at(problem, early(problem), values);
    for (int i = 0; i < count; i++) {
        ck_assert_uint_gt(strlen(lab_problem_output_name(problem, i)), 0);
        ck_assert(isfinite(values[i]));
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(lab_problem_output_name(problem, i),
                             lab_problem_output_name(problem, j));
    }
    ck_assert(count == MAX_OUTPUTS || isnan(values[count]));
    ck_assert_ptr_null(lab_problem_output_name(problem, count));
    ck_assert_ptr_null(lab_problem_output_name(problem, -1));
    lab_problem_destroy(problem);
}
END_TEST

static void expect_names(const char *name, const char *expected)
{
    char text[512] = "";
    lab_problem *problem = make_problem(name, NULL, 0);
    for (int i = 0; i < lab_problem_outputs(problem); i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, lab_problem_output_name(problem, i));
    }
    ck_assert_str_eq(text, expected);
    lab_problem_destroy(problem);
}

START_TEST(published_output_names)
{
    expect_names("pendulum", "x y vx vy lambda");
    expect_names("heavy_top", "x1 x2 x3 e0 e1 e2 e3 u1 u2 u3 Omega1 Omega2 Omega3 "
                              "lambda1 lambda2 lambda3");
    expect_names("heavy_top_spatial", "x1 x2 x3 e0 e1 e2 e3 u1 u2 u3 Omega1 Omega2 Omega3 "
                                      "omega1 omega2 omega3 lambda1 lambda2 lambda3");
    expect_names("jay1", "y1 y2 z1 z2 psi");
    expect_names("rolling_disk", "x y lean heading spin vx vy lean_rate heading_rate spin_rate "
                                 "psi1 psi2");
    expect_names("disk_so3", "x1 x2 x3 e0 e1 e2 e3 u1 u2 u3 Omega1 Omega2 Omega3 lambda psi1 psi2");
    expect_names("free_body", "e0 e1 e2 e3 Omega1 Omega2 Omega3 L1 L2 L3");
}
END_TEST

static void expect_refusal(const char *name, const char *parameter, double value,
                           cardan_status status, const char *part)
{
    lab_problem *problem = (lab_problem *)&status;
    lab_setting setting = {parameter, value};
    cardan_error error;
    ck_assert_int_eq(
        lab_problem_create(&problem, name, &setting, parameter != NULL ? 1 : 0, &error), status);
    ck_assert_ptr_null(problem);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.text, part) != NULL, "'%s' lacks '%s'", error.text, part);
    ck_assert_int_eq(lab_problem_create(&problem, name, &setting, parameter != NULL ? 1 : 0, NULL),
                     status);
}

START_TEST(unknown_names)
{
    expect_refusal("heavytop", NULL, 0.0, CARDAN_UNKNOWN_NAME, "did you mean 'heavy_top'");
    expect_refusal("slider-crank", NULL, 0.0, CARDAN_UNKNOWN_NAME, "'slider_crank'");
    expect_refusal("qqqqqqqq", NULL, 0.0, CARDAN_UNKNOWN_NAME, "cardan problems");
    expect_refusal("", NULL, 0.0, CARDAN_UNKNOWN_NAME, "no problem ''");
    expect_refusal(NULL, NULL, 0.0, CARDAN_INVALID_ARGUMENT, "name");
    expect_refusal("pendulum", "mass", 1.0, CARDAN_UNKNOWN_NAME, "m, l, g, x0");
    expect_refusal("heavy_top", "omega2", 1.0, CARDAN_UNKNOWN_NAME, "did you mean 'Omega2'");
    expect_refusal("heavy_top", "omega2", 1.0, CARDAN_UNKNOWN_NAME, "Omega3, X2");
    expect_refusal("cube", "m", 1.0, CARDAN_UNKNOWN_NAME, "it has none");
}
END_TEST

START_TEST(impossible_values)
{
    const cardan_status no = CARDAN_INVALID_ARGUMENT;
    expect_refusal("pendulum", "m", 0.0, no, "m = 0 is not possible; it must be positive");
    expect_refusal("pendulum", "m", -1.0, no, "positive");
    expect_refusal("pendulum", "g", -1.0, no, "negative");
    expect_refusal("pendulum", "l", NAN, no, "finite");
    expect_refusal("pendulum", "x0", INFINITY, no, "finite");
    expect_refusal("pendulum", "x0", 1.0, no, "smaller than the length");
    expect_refusal("pendulum", "x0", -1.5, no, "smaller than the length");
    expect_refusal("pendulum", "x0", 0.5, no, "does not reach so high");
    expect_refusal("oscillator", "stiffness", -1.0, no, "negative");
    expect_refusal("free_body", "J3", 0.0, no, "positive");
    expect_refusal("heavy_top", "X2", 0.0, no, "positive");
    expect_refusal("heavy_top_quat", "J1", -2.0, no, "positive");
    expect_refusal("spherical_pendulum", "theta0", 3.2, no, "between");
    expect_refusal("friction_slider", "mu", -0.1, no, "negative");
    expect_refusal("friction_slider", "eps_v", 0.0, no, "positive");
    expect_refusal("slider_crank", "a", 1.5, no, "does not reach");
    expect_refusal("skate", "w", 0.0, no, "positive");
    expect_refusal("chaplygin_sleigh", "a", 0.0, no, "positive");
    expect_refusal("chaplygin_sleigh", "w0", -1.0, no, "positive");
    expect_refusal("pendulum_massless", "x0", 2.0, no, "smaller than the length");
    expect_refusal("heavy_top_massless", "X2", -1.0, no, "positive");
    expect_refusal("disk_so3", "lean", 1.6, no, "between");
    expect_refusal("disk_on_platform", "w3", -1.0, no, "negative");
    expect_refusal("wall_pendulum", "w", 0.0, no, "positive");
    expect_refusal("disk_so3", "w3", 1.0, CARDAN_UNKNOWN_NAME, "no parameter");
}
END_TEST

START_TEST(bad_arguments)
{
    lab_problem *problem;
    cardan_error error;
    lab_setting nameless = {NULL, 1.0};
    ck_assert_int_eq(lab_problem_create(NULL, "cube", NULL, 0, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(lab_problem_create(&problem, "pendulum", NULL, 1, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(lab_problem_create(&problem, "pendulum", &nameless, -1, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(lab_problem_create(&problem, "pendulum", &nameless, 1, &error),
                     CARDAN_INVALID_ARGUMENT);
    lab_problem_destroy(NULL);
}
END_TEST

/* The last of two settings of one name counts, and settings act together. */
START_TEST(settings_combine)
{
    const lab_setting settings[] = {{"l", 1.0}, {"x0", 1.5}, {"l", 2.0}, {"g", 0.5}};
    double q[2], v[2];
    lab_problem *problem = make_problem("pendulum", settings, 4);
    lab_problem_initial(problem, q, v);
    ck_assert_double_eq_tol(q[0], 1.5, 1e-15);
    ck_assert_double_eq_tol(q[1], -sqrt(1.75), 1e-15);
    /* energy m/2 - m g l */
    ck_assert_double_eq_tol(0.5 * (v[0] * v[0] + v[1] * v[1]) + 0.5 * q[1], 0.5 - 1.0, 1e-15);
    ck_assert(v[0] > 0.0);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("problem_catalogue");
    TCase *tcase = tcase_create("catalogue");
    tcase_set_timeout(tcase, 120.0);
    tcase_add_test(tcase, all_problems_are_there);
    tcase_add_loop_test(tcase, defaults_can_be_set, 0, NAMES);
    tcase_add_loop_test(tcase, parameters_matter, 0, NAMES);
    tcase_add_loop_test(tcase, outputs_have_names, 0, NAMES);
    tcase_add_test(tcase, published_output_names);
    tcase_add_test(tcase, unknown_names);
    tcase_add_test(tcase, impossible_values);
    tcase_add_test(tcase, bad_arguments);
    tcase_add_test(tcase, settings_combine);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* START: consistent and perturbed initial values, corrections with a message, refusals, restarts.
 */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <stdio.h>

enum { MAX = 16 };

static lab_problem *problem;
static cardan_integrator *it;
static double q0[MAX], v0[MAX];

static void open(const char *name, cardan_integrator_def def)
{
    problem = open_problem(name, NULL, 0);
    it = NULL;
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    lab_problem_initial(problem, q0, v0);
}

static void close_all(void)
{
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

static void read_message(double *positions, double *velocities)
{
    const char *message = cardan_integrator_message(it);
    const char *found = strstr(message, "by up to ");
    ck_assert_msg(found != NULL, "message is `%s`", message);
    ck_assert_int_eq(sscanf(found, "by up to %lf, velocities by up to %lf", positions, velocities),
                     2);
}

START_TEST(consistent_values_stay)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    open("pendulum", def);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.25, q0, v0));
    const cardan_state *s = cardan_integrator_state(it);
    ck_assert_str_eq(cardan_integrator_message(it), "");
    ck_assert_double_eq(s->t, 0.25);
    ck_assert_double_eq(s->h, 1e-3);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(s->q[i], q0[i], 1e-15);
        ck_assert_double_eq_tol(s->v[i], v0[i], 1e-15);
    }
    close_all();
}
END_TEST

/* Off the circle by 1e-5 along the rod: the mass norm is the Euclidean one, so the projection goes
 * back along the rod; likewise for the velocity. */
START_TEST(slightly_inconsistent_values_are_moved)
{
    open("pendulum", cardan_integrator_def_default());
    double q[2], v[2], moved_q, moved_v, phi, hidden;
    for (int i = 0; i < 2; i++) {
        q[i] = q0[i] * (1.0 + 1e-5);
        v[i] = v0[i] + 2e-5 * q0[i];
    }
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    read_message(&moved_q, &moved_v);
    const cardan_state *s = cardan_integrator_state(it);
    double largest_q = 0.0, largest_v = 0.0;
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(s->q[i], q0[i], 1e-14);
        ck_assert_double_eq_tol(s->v[i], v0[i], 1e-9);
        largest_q = fmax(largest_q, fabs(s->q[i] - q[i]));
        largest_v = fmax(largest_v, fabs(s->v[i] - v[i]));
    }
    ck_assert_double_eq_tol(moved_q, largest_q, 0.01 * largest_q);
    ck_assert_double_eq_tol(moved_v, largest_v, 0.01 * largest_v);
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
    ck_assert_double_le(phi, 1e-15);
    ck_assert_double_le(hidden, 1e-15);
    CHECK_STATUS(it, cardan_integrator_step(it));
    close_all();
}
END_TEST

/* On R3 x SO(3) the joint is opened by 1e-4; both x and R may give way. */
START_TEST(slightly_inconsistent_top)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    double phi, hidden, moved_q, moved_v;
    open("heavy_top", def);
    q0[1] += 1e-4;
    v0[2] -= 1e-3;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    read_message(&moved_q, &moved_v);
    ck_assert_double_le(moved_q, 1.01e-4);
    ck_assert_double_ge(moved_q, 1e-6);
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
    ck_assert_double_le(phi, 1e-14);
    ck_assert_double_le(hidden, 1e-11);
    close_all();
}
END_TEST

static void expect_refusal(const double *q, const double *v, const char *sentence)
{
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q, v), CARDAN_INCONSISTENT_START);
    ck_assert_msg(strstr(cardan_integrator_message(it), sentence) != NULL, "%s",
                  cardan_integrator_message(it));
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_STARTED);
}

START_TEST(grossly_inconsistent_values_are_refused)
{
    open("pendulum", cardan_integrator_def_default());
    const double long_rod[2] = {0.3, -1.4}, fast[2] = {v0[0], v0[1] + 1.0};
    expect_refusal(long_rod, v0, "positions would have to move by 0.");
    expect_refusal(q0, fast, "velocities by 0.");
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    CHECK_STATUS(it, cardan_integrator_step(it));
    close_all();
}
END_TEST

START_TEST(the_limit_is_the_users)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.start_correction = 1e-8;
    open("pendulum", def);
    const double off[2] = {q0[0] * (1.0 + 1e-5), q0[1] * (1.0 + 1e-5)};
    expect_refusal(off, v0, "allowed: 1e-08");
    close_all();
    def.start_correction = 10.0;
    open("pendulum", def);
    const double far[2] = {q0[0] * 1.5, q0[1] * 1.5};
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, far, v0));
    ck_assert_double_eq_tol(cardan_integrator_state(it)->q[1], q0[1], 1e-14);
    close_all();
}
END_TEST

START_TEST(no_consistent_configuration_at_all)
{
    open("slider_crank", cardan_integrator_def_default());
    const double q[3] = {0.0, 40.0, 0.0};
    ck_assert_int_lt(cardan_integrator_start(it, 0.0, q, v0), 0);
    ck_assert_uint_gt(strlen(cardan_integrator_message(it)), 20);
    close_all();
}
END_TEST

START_TEST(rotations_off_the_group)
{
    open("heavy_top", cardan_integrator_def_default());
    double q[12], moved_q, moved_v;
    cd_copy(12, q0, q);
    for (int i = 3; i < 12; i++)
        q[i] *= 1.01;
    expect_refusal(q, v0, "orthogonal");
    cd_copy(12, q0, q);
    for (int i = 3; i < 12; i++)
        q[i] *= 1.0 + 1e-4;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v0));
    const cardan_group *group = cardan_system_describe(lab_problem_system(problem)).group;
    ck_assert_double_le(cardan_group_defect(group, cardan_integrator_state(it)->q), 1e-15);
    read_message(&moved_q, &moved_v); /* what was moved is said */
    ck_assert_double_eq_tol(moved_q, 1e-4, 1e-6);
    close_all();
    open("heavy_top_quat", cardan_integrator_def_default());
    cd_copy(7, q0, q);
    for (int i = 3; i < 7; i++)
        q[i] *= 1.01;
    expect_refusal(q, v0, "unit length");
    close_all();
}
END_TEST

START_TEST(bad_arguments)
{
    open("pendulum", cardan_integrator_def_default());
    const double bad[2] = {0.0, NAN}, endless[2] = {INFINITY, 0.0};
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, NULL, v0), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q0, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_start(it, NAN, q0, v0), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, bad, v0), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q0, endless), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_ne(cardan_integrator_message(it)[0], '\0');
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_STARTED);
    close_all();
}
END_TEST

/* Arguments that are not even numbers leave a running integrator as it was. */
START_TEST(a_refused_restart_leaves_the_run)
{
    const double bad[2] = {0.0, NAN};
    open("pendulum", cardan_integrator_def_default());
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    CHECK_STATUS(it, cardan_integrator_step(it));
    const double t = cardan_integrator_state(it)->t, x = cardan_integrator_state(it)->q[0];
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, bad, v0), CARDAN_INVALID_ARGUMENT);
    ck_assert_double_eq(cardan_integrator_state(it)->t, t);
    ck_assert_double_eq(cardan_integrator_state(it)->q[0], x);
    CHECK_STATUS(it, cardan_integrator_step(it));
    close_all();
}
END_TEST

/* v'' of the pendulum from its angle, for the perturbed start in closed form. */
static void exact_jerk(double *jerk)
{
    const double g = 9.81, s = q0[0], c = -q0[1]; /* sine and cosine of the angle, l = 1 */
    const double w = v0[0] / c, w1 = -g * s, w2 = -g * c * w;
    jerk[0] = c * w2 - 3.0 * s * w * w1 - c * w * w * w;
    jerk[1] = s * w2 + 3.0 * c * w * w1 - s * w * w * w;
}

/* ACB15 (56), (57): a_0 = v' + Delta_alpha h v'' and B v_0 = h^2 / 6 C_q B v''. */
static void check_perturbed(double h, cardan_start_difference difference, double accuracy)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    double jerk[2];
    def.method = "ga3";
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    def.experimental.difference = difference;
    def.step = h;
    open("pendulum", def);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    exact_jerk(jerk);
    const cardan_state *s = cardan_integrator_state(it);
    const double shift = def.params.alpha_m - def.params.alpha_f;
    const double c_q = 1.0 - 6.0 * def.params.beta - 3.0 * shift, size = hypot(jerk[0], jerk[1]);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol((s->a[i] - s->vdot[i]) / (shift * h), jerk[i], accuracy * size);
    const double hidden = cd_dot(2, s->q, s->v);
    ck_assert_double_eq_tol(hidden / (h * h), c_q / 6.0 * cd_dot(2, q0, jerk), accuracy * size);
    /* v is moved across the constraint only. */
    ck_assert_double_eq_tol(-s->q[1] * s->v[0] + s->q[0] * s->v[1], -q0[1] * v0[0] + q0[0] * v0[1],
                            1e-14);
    close_all();
}

START_TEST(perturbed_start)
{
    check_perturbed(1e-2, CARDAN_DIFFERENCE_CENTRAL, 1e-2);
    check_perturbed(1e-3, CARDAN_DIFFERENCE_CENTRAL, 1e-4);
    check_perturbed(1e-3, CARDAN_DIFFERENCE_FORWARD, 1e-4);
}
END_TEST

/* (57) with the exact velocity: a_0 of the perturbed start, v_0 as given. */
START_TEST(start_of_the_acceleration)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    double a[2];
    def.method = "ga3";
    def.step = 1e-2;
    open("pendulum", def);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    cd_copy(2, cardan_integrator_state(it)->a, a);
    close_all();
    def.experimental.start = CARDAN_START_ACCELERATION;
    open("pendulum", def);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq(cardan_integrator_state(it)->a[i], a[i]);
        ck_assert_double_eq_tol(cardan_integrator_state(it)->v[i], v0[i], 1e-15);
    }
    close_all();
}
END_TEST

/* A start for 2 h that turns to h before its first step is a start for h, of whatever kind. */
START_TEST(another_first_step_starts_anew)
{
    double lambda[2];
    for (int i = 0; i < 2; i++) {
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = "ga3";
        def.experimental.start = (cardan_start)_i;
        def.step = i == 0 ? 1e-2 : 2e-2;
        open("pendulum", def);
        CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
        CHECK_STATUS(it, cardan_integrator_set_step(it, 1e-2));
        CHECK_STATUS(it, cardan_integrator_step(it));
        lambda[i] = cardan_integrator_state(it)->lambda[0];
        close_all();
    }
    ck_assert_double_eq_tol(lambda[0], lambda[1], 1e-9);
}
END_TEST

START_TEST(stabilised_form_keeps_v)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "ga2s";
    open("pendulum", def);
    double phi, hidden;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
    ck_assert_double_le(hidden, 1e-15);
    ck_assert_double_ne(cardan_integrator_state(it)->a[0], cardan_integrator_state(it)->vdot[0]);
    close_all();
}
END_TEST

START_TEST(plain_start)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.experimental.start = CARDAN_START_PLAIN;
    def.method = "ga3";
    open("pendulum", def);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    const cardan_state *s = cardan_integrator_state(it);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq(s->a[i], s->vdot[i]);
        ck_assert_double_eq_tol(s->v[i], v0[i], 1e-15);
    }
    close_all();
}
END_TEST

typedef struct record {
    double q[MAX], v[MAX], a[MAX], lambda[MAX];
} record;

static void run_and_record(int steps, record *out)
{
    const cardan_system *system = lab_problem_system(problem);
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q0, v0));
    for (int i = 0; i < steps; i++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_state *s = cardan_integrator_state(it);
        memset(&out[i], 0, sizeof out[i]);
        cd_copy(cardan_group_size(cardan_system_describe(system).group), s->q, out[i].q);
        cd_copy(k, s->v, out[i].v);
        cd_copy(k, s->a, out[i].a);
        cd_copy(m, s->lambda, out[i].lambda);
    }
}

static const char *const restarted[] = {"heavy_top", "slider_crank", "double_pendulum"};
static const char *const methods[] = {"ga3", "ga2s"};

/* A second start after anything, shortened steps included, repeats the run bit for bit. */
START_TEST(restarts_are_exact)
{
    static record first[60], second[60];
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[_i % 2];
    def.step = 2e-3;
    open(restarted[_i / 2], def);
    run_and_record(60, first);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.1517));
    run_and_record(60, second);
    ck_assert_mem_eq(first, second, sizeof first);
    CHECK_STATUS(it, cardan_integrator_advance(it, cardan_integrator_state(it)->t + 3e-4));
    run_and_record(60, second);
    ck_assert_mem_eq(first, second, sizeof first);
    close_all();
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: start");
    TCase *tests = tcase_create("start");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, consistent_values_stay);
    tcase_add_test(tests, slightly_inconsistent_values_are_moved);
    tcase_add_test(tests, slightly_inconsistent_top);
    tcase_add_test(tests, grossly_inconsistent_values_are_refused);
    tcase_add_test(tests, the_limit_is_the_users);
    tcase_add_test(tests, no_consistent_configuration_at_all);
    tcase_add_test(tests, rotations_off_the_group);
    tcase_add_test(tests, bad_arguments);
    tcase_add_test(tests, a_refused_restart_leaves_the_run);
    tcase_add_test(tests, perturbed_start);
    tcase_add_test(tests, start_of_the_acceleration);
    tcase_add_loop_test(tests, another_first_step_starts_anew, CARDAN_START_PLAIN,
                        CARDAN_START_ACCELERATION + 1);
    tcase_add_test(tests, stabilised_form_keeps_v);
    tcase_add_test(tests, plain_start);
    tcase_add_loop_test(tests, restarts_are_exact, 0, 6);
    suite_add_tcase(suite, tests);
    return suite;
}

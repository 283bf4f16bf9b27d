/* The peer IDA: its coordinates of Lie groups, and that its errors against the problems' own
 * references fall with its tolerance. Without SUNDIALS it must say so. */
#include "experiment.h"
#include "lab/peers/coordinates.h"
#include "lab/peers/ida.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 };

static const cardan_group_kind kinds[] = {CARDAN_SO3, CARDAN_S3, CARDAN_R3_SO3, CARDAN_R3_S3,
                                          CARDAN_SE3};

/* R^2 and a factor of the i-th kind, left for even i, else right. */
static cardan_group *make_group(int i)
{
    const cardan_factor factors[] = {{CARDAN_RN, CARDAN_LEFT, 2},
                                     {kinds[i / 2], i % 2 == 0 ? CARDAN_LEFT : CARDAN_RIGHT, 0}};
    cardan_group *group = NULL;
    ck_assert_int_eq(cardan_group_create(&group, factors, 2, NULL, NULL), CARDAN_OK);
    return group;
}

static void check_near(int n, const double *x, const double *y, double tolerance)
{
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(x[i], y[i], tolerance);
}

/* There and back, and the rates against differences of cardan_group_update. */
START_TEST(coordinates_follow_the_group)
{
    static const double turn[] = {0.3, -0.4, 0.7, 0.5, -0.9, 1.1, 0.8, -0.2};
    static const double w[] = {0.2, 0.6, -0.5, 0.3, 0.8, -0.7, 0.4, 1.2};
    const double e = 1e-5, nu[] = {0.0};
    cardan_group *group = make_group(_i);
    const int dof = cardan_group_dof(group), count = peer_coordinates_count(group);
    double q[MOST], back[MOST], x[MOST], scratch[MOST], rate[MOST], unit[2], step[MOST];
    double ahead[MOST], behind[MOST];
    ck_assert_int_eq(peer_coordinates_quaternions(group), 1);
    cardan_group_exp(group, turn, q);
    peer_coordinates_of(group, q, scratch, x);
    peer_coordinates_element(group, x, back);
    check_near(cardan_group_size(group), q, back, 1e-14);
    peer_coordinates_rate(group, x, w, nu, rate, unit);
    ck_assert_double_eq_tol(unit[0], 0.0, 1e-15);
    for (int i = 0; i < dof; i++)
        step[i] = e * w[i];
    cardan_group_update(group, q, step, back);
    peer_coordinates_of(group, back, scratch, ahead);
    for (int i = 0; i < dof; i++)
        step[i] = -e * w[i];
    cardan_group_update(group, q, step, back);
    peer_coordinates_of(group, back, scratch, behind);
    for (int i = 0; i < count; i++)
        ahead[i] = (ahead[i] - behind[i]) / (2.0 * e);
    check_near(count, rate, ahead, 1e-9);
    cardan_group_destroy(group);
}
END_TEST

typedef struct errors {
    double q, v, multiplier;
    long steps;
} errors;

static double distance(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

static errors compare(lab_problem *problem, const cardan_point *at)
{
    static const double zeros[MOST];
    const cardan_system *system = lab_problem_system(problem);
    double q[MOST], v[MOST], lambda[MOST], psi[MOST], w[MOST];
    cardan_error error;
    ck_assert_msg(lab_problem_reference(problem, at->t, q, v, NULL, lambda, psi, &error) ==
                      CARDAN_OK,
                  "%s", error.text);
    cardan_group_difference(cardan_system_describe(system).group, q, at->q, w);
    return (errors){
        .q = distance(cardan_system_describe(system).dof, w, zeros),
        .v = distance(cardan_system_describe(system).dof, at->v, v),
        .multiplier =
            distance(cardan_system_describe(system).constraint_count, at->lambda, lambda) +
            distance(cardan_system_describe(system).nonholonomic_count, at->psi, psi)};
}

static errors run(const char *name, double end, double tolerance)
{
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error;
    peer_ida *peer = NULL;
    def.experimental.start = CARDAN_START_PLAIN;
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_tolerance both = {tolerance, tolerance};
    ck_assert_msg(peer_ida_create(&peer, lab_problem_system(problem), cardan_integrator_state(it),
                                  both, end, &error) == CARDAN_OK,
                  "%s", error.text);
    cardan_integrator_destroy(it);
    cardan_point at = peer_ida_point(peer);
    while (at.t < end) {
        ck_assert_msg(peer_ida_step(peer, &error) == CARDAN_OK, "%s at %g: %s", name, at.t,
                      error.text);
        at = peer_ida_point(peer);
    }
    ck_assert_double_eq(at.t, end);
    errors result = compare(problem, &at);
    result.steps = peer_ida_work(peer).steps;
    peer_ida_destroy(peer);
    lab_problem_destroy(problem);
    return result;
}

typedef struct example {
    const char *problem;
    double end;
} example;

static const example examples[] = {{"pendulum", 1.0},      {"heavy_top", 0.2},
                                   {"heavy_top_se3", 0.2}, {"heavy_top_spatial", 0.2},
                                   {"rolling_disk", 0.5},  {"double_pendulum", 0.5},
                                   {"oscillator", 1.0},    {"driven_pendulum", 0.5}};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

/* Four orders in the tolerance: at least two and a half in the errors. */
START_TEST(errors_fall_with_the_tolerance)
{
    const example *this = &examples[_i];
    if (peer_ida_text() == NULL)
        return; /* without SUNDIALS there is nothing to test */
    const errors coarse = run(this->problem, this->end, 1e-5);
    const errors fine = run(this->problem, this->end, 1e-9);
    printf("%s: q %.1e %.1e, v %.1e %.1e, multipliers %.1e %.1e, steps %ld %ld\n", this->problem,
           coarse.q, fine.q, coarse.v, fine.v, coarse.multiplier, fine.multiplier, coarse.steps,
           fine.steps);
    ck_assert_double_lt(fine.q, coarse.q / 300.0);
    ck_assert_double_lt(fine.v, coarse.v / 300.0);
    ck_assert_double_le(fine.multiplier, coarse.multiplier / 300.0);
    ck_assert_int_gt(fine.steps, coarse.steps);
}
END_TEST

START_TEST(absence_is_said)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    const cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_tolerance both = {1e-6, 1e-6};
    cardan_error error = {0};
    peer_ida *peer = NULL;
    const cardan_status status = peer_ida_create(&peer, lab_problem_system(problem),
                                                 cardan_integrator_state(it), both, 1.0, &error);
    if (peer_ida_text() == NULL) {
        ck_assert_int_eq(status, CARDAN_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(error.text, "without SUNDIALS"));
    } else {
        ck_assert_int_eq(status, CARDAN_OK);
        ck_assert_ptr_nonnull(strstr(peer_ida_text(), "SUNDIALS"));
    }
    peer_ida_destroy(peer);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("peer IDA");
    TCase *tcase = tcase_create("ida");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, coordinates_follow_the_group, 0,
                        2 * (int)(sizeof kinds / sizeof kinds[0]));
    tcase_add_loop_test(tcase, errors_fall_with_the_tolerance, 0, EXAMPLES);
    tcase_add_test(tcase, absence_is_said);
    suite_add_tcase(suite, tcase);
    return suite;
}

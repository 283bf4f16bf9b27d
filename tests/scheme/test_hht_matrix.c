/* The iteration matrices of the HHT methods against their differenced residuals: A^-1 times the
 * residual's derivative along an unknown must be that unknown. And: stepping allocates nothing. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem.h"
#include "next_step.h"
#include "suite.h"

#include <stdlib.h>

enum { MAX = 40 };

/* The residual's derivative along unknown j by the fourth-order formula. */
static void difference(cardan_integrator *it, int n, int j, double width, double *out)
{
    const double move[4] = {-2.0, 1.0, 2.0, 1.0}; /* from one point to the next */
    const double weight[4] = {1.0, -8.0, 8.0, -1.0};
    double residual[MAX], direction[MAX] = {0};
    direction[j] = 1.0;
    cd_zero(n, out);
    for (int p = 0; p < 4; p++) {
        it->scheme->correct(&it->step, direction, move[p] * width);
        ck_assert_int_eq(it->scheme->residual(&it->step, residual), CARDAN_OK);
        cd_add(n, weight[p] / (12.0 * width), residual, out);
    }
    it->scheme->correct(&it->step, direction, -2.0 * width);
}

/* After some steps, so that nothing is zero, at the prediction of the next. */
static void check_matrix(cardan_integrator *it)
{
    const int n = it->scheme->unknowns(it->system);
    double residual[MAX], column[MAX];
    ck_assert_int_le(n, MAX);
    for (int i = 0; i < 3; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    prepare_next_step(it);
    ck_assert_int_eq(it->scheme->residual(&it->step, residual), CARDAN_OK);
    cd_matrix_clear(it->matrix);
    ck_assert_int_eq(it->scheme->assemble(&it->step, it->terms, it->term_count, it->matrix),
                     CARDAN_OK);
    ck_assert_int_eq(cd_matrix_factor(it->matrix), CARDAN_OK);
    for (int j = 0; j < n; j++) {
        difference(it, n, j, 3e-2 * it->step.h * it->step.h, column);
        cd_matrix_solve(it->matrix, column);
        column[j] -= 1.0;
        ck_assert_msg(cd_max_abs(n, column) < 2e-6, "unknown %d of %d is off by %g", j + 1, n,
                      cd_max_abs(n, column));
    }
}

static const struct {
    const char *problem, *method;
    double step;
} cases[] = {
    {"heavy_top", "hht3", 3e-3},
    {"heavy_top_spatial", "hht3", 3e-3},
    {"heavy_top_se3", "hht3", 3e-3},
    {"heavy_top_quat", "hht3", 3e-3},
    {"slider_crank", "hht3", 5e-2},
    {"friction_slider", "hht3", 2e-2},
    {"driven_pendulum", "hht3", 3e-2},
    {"jn1", "hht3", 3e-2},
    {"jn2", "hht3", 1e-2},
    {"jay1", "hht2", 3e-2},
    {"skate", "hht2", 3e-2},
    {"chaplygin_sleigh", "hht2", 3e-2},
    {"rolling_disk", "hht2", 3e-2},
    {"oscillator", "hht", 5e-2},
    {"free_body", "hht", 0.1},
};
enum { CASES = sizeof cases / sizeof cases[0], CHOICES = 10 };

/* All variants, with and without the commutator. */
static cardan_integrator_def definition(int which, int choice)
{
    static const double b[] = {0.3, -0.2, 0.0, 0.0, 0.3};
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = cases[which].method;
    def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.3);
    def.step = cases[which].step;
    def.update = choice % 2 == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
    def.experimental.hht3_variant = (cardan_hht3_variant)(choice / 2);
    def.experimental.hht3_b = b[choice / 2];
    return def;
}

START_TEST(built_in_problems)
{
    lab_problem *problem = open_problem(cases[_i / CHOICES].problem, NULL, 0);
    const cardan_integrator_def def = definition(_i / CHOICES, _i % CHOICES);
    cardan_integrator *it = start_problem(problem, &def);
    check_matrix(it);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A body on R3 x SO(3) that rolls in a manner of speaking: K depends on the rotation, on v and,
 * with its motion, on t, so that every term of hht2 is there. */
static int body_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    for (int i = 0; i < 3; i++) {
        out[7 * i] = 1.5;
        out[7 * (i + 3)] = 0.2 + 0.1 * i;
    }
    return 0;
}

static int body_force(void *context, const cardan_point *at, double *out)
{
    (void)context;
    const double *w = at->v + 3;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = 0.3 * at->q[i] + 0.1 * at->v[i];
        out[3 + i] = 0.1 * (l - j) * w[j] * w[l] + 0.2 * at->q[3 + i];
    }
    return 0;
}

static int body_slip(void *context, const cardan_point *at, double *out)
{
    (void)context;
    const double *r = at->q + 3, *v = at->v;
    double omega[3];
    for (int i = 0; i < 3; i++)
        omega[i] = r[3 * i] * v[3] + r[3 * i + 1] * v[4] + r[3 * i + 2] * v[5];
    out[0] = v[0] - 0.5 * omega[1];
    out[1] = v[1] + 0.5 * omega[0] + 0.1 * sin(at->t) + 0.05 * v[2] * v[2];
    return 0;
}

static cardan_system *body(void)
{
    const cardan_factor factor = {CARDAN_R3_SO3, CARDAN_LEFT, 0};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_error error = {0};
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.nonholonomic = 2;
    def.constant_mass = true;
    def.mass = body_mass;
    def.force = body_force;
    def.nonholonomic_residual = body_slip;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(group);
    return system;
}

static const double body_q[12] = {0.1, 0.2, 0.3, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double body_v[6] = {0.5, -0.352, 0.2, 0.7, 1.0, -0.6};

static cardan_integrator *start_body(const cardan_system *system, cardan_update update, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    def.method = "hht2";
    def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.3);
    def.step = step;
    def.update = update;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, body_q, body_v));
    return it;
}

START_TEST(nonholonomic_on_a_group)
{
    cardan_system *system = body();
    cardan_integrator *it =
        start_body(system, _i == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS, 3e-2);
    check_matrix(it);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* Position and attitude at t = 1, against ga2s with small steps: no code in common but the group
 * and the equations. */
START_TEST(nonholonomic_on_a_group_is_of_order_two)
{
    const cardan_update update = _i == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
    cardan_system *system = body();
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *reference = NULL;
    def.step = 1e-4;
    ck_assert_int_eq(cardan_integrator_create(&reference, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(reference, cardan_integrator_start(reference, 0.0, body_q, body_v));
    CHECK_STATUS(reference, cardan_integrator_advance(reference, 1.0));
    const cardan_state *exact = cardan_integrator_state(reference);
    double last[3] = {0};
    for (int i = 0; i < 4; i++) {
        cardan_integrator *it = start_body(system, update, 0.04 / (1 << i));
        CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
        const cardan_state *s = cardan_integrator_state(it);
        double errors[3] = {0};
        for (int j = 0; j < 12; j++)
            errors[0] = fmax(errors[0], fabs(s->q[j] - exact->q[j]));
        for (int j = 0; j < 6; j++)
            errors[1] = fmax(errors[1], fabs(s->v[j] - exact->v[j]));
        for (int j = 0; j < 2; j++)
            errors[2] = fmax(errors[2], fabs(s->psi[j] - exact->psi[j]));
        for (int j = 0; j < 3; j++) {
            if (i > 0)
                ck_assert_double_eq_tol(observed_order(last[j], errors[j]), 2.0, 0.1);
            last[j] = errors[j];
        }
        cardan_integrator_destroy(it);
    }
    cardan_integrator_destroy(reference);
    cardan_system_destroy(system);
}
END_TEST

static void *count_allocate(size_t size, void *context)
{
    ++*(long *)context;
    return malloc(size);
}

static void count_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* Steps, changed steps, a restart. */
START_TEST(stepping_allocates_nothing)
{
    long given = 0;
    lab_problem *problem = open_problem(cases[_i].problem, NULL, 0);
    cardan_integrator_def def = definition(_i, 0);
    def.allocator = (cardan_allocator){count_allocate, count_release, &given};
    cardan_integrator *it = start_problem(problem, &def);
    const long before = given;
    double q[MAX], v[MAX];
    for (int i = 0; i < 20; i++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        CHECK_STATUS(it, cardan_integrator_set_step(it, def.step * (i % 2 == 0 ? 0.1 : 1.0)));
    }
    lab_problem_initial(problem, q, v);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    ck_assert_int_gt(before, 0);
    ck_assert_int_eq(given, before);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("scheme: iteration matrices of HHT");
    TCase *tests = tcase_create("matrix");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, built_in_problems, 0, CASES * CHOICES);
    tcase_add_loop_test(tests, nonholonomic_on_a_group, 0, 2);
    tcase_add_loop_test(tests, nonholonomic_on_a_group_is_of_order_two, 0, 2);
    tcase_add_loop_test(tests, stepping_allocates_nothing, 0, CASES);
    suite_add_tcase(suite, tests);
    return suite;
}

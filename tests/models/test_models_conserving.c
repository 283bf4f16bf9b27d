/* The shipped models by `conserving`: the energy changes by the work that the energy balance books
 * and by nothing else; without friction, dampers and drives it stays. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "model_run.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>

#define HINGE   "location: [0, 0, 0], axis: [0, 0, 1], x_axis: [1, 0, 0]"
#define INNER   "location: [0, 0, 0], axis: [1, 0, 0]"
#define RUBBING ", friction: {coefficient: 0.3, radius: 0.02, viscous: 0.01}"

typedef enum kind { CONSERVATIVE, DISSIPATIVE, DRIVEN } kind;

static const struct {
    const char *model;
    const char *changes[3];
    kind kind;
    double step;
    int steps;
} cases[] = {
    {"pendulum", {NULL}, CONSERVATIVE, 1e-3, 2000},
    {"spherical_pendulum", {NULL}, CONSERVATIVE, 1e-3, 2000},
    {"double_pendulum", {NULL}, CONSERVATIVE, 1e-3, 2000},
    {"heavy_top", {NULL}, CONSERVATIVE, 1e-3, 2000},
    {"gyroscope", {NULL}, CONSERVATIVE, 1e-3, 2000},
    {"four_bar", {NULL}, CONSERVATIVE, 1e-3, 2000},
    {"four_bar_3d", {NULL}, CONSERVATIVE, 1e-3, 2000}, /* redundant joints */
    {"bricard", {NULL}, CONSERVATIVE, 5e-3, 1000},     /* always singular */
    {"pendulum", {HINGE, HINGE RUBBING}, DISSIPATIVE, 1e-3, 2000},
    {"gyroscope", {INNER, INNER RUBBING}, DISSIPATIVE, 1e-3, 2000},
    {"four_bar", {HINGE, HINGE RUBBING}, DISSIPATIVE, 1e-3, 2000},
    {"suspension", {NULL}, DRIVEN, 1e-3, 1000}, /* springs, dampers, a road */
    {"suspension", {NULL}, DRIVEN, 2e-3, 500},  /* the road stops within a step */
    {"suspension", {NULL}, DRIVEN, 4e-3, 250},
    {"robot", {NULL}, DRIVEN, 1e-3, 1000}, /* motions of joints */
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* A second integrator, with a energy balance, at the start of the run's. */
static cardan_integrator *start_again(const model_run *run, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    const cardan_model *model = cardan_model_file_model(run->file);
    const cardan_state *now = cardan_integrator_state(run->it);
    def.method = "conserving";
    def.step = step;
    def.energy_balance = true;
    const cardan_status status =
        cardan_integrator_create(&it, cardan_model_system(model), &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    CHECK_STATUS(it, cardan_integrator_start(it, now->t, now->q, now->v));
    return it;
}

START_TEST(energy_balance)
{
    model_run *run = open_model_run(cases[_i].model, cases[_i].changes, cases[_i].step);
    cardan_integrator *it = start_again(run, cases[_i].step);
    double scale = 1.0;
    for (int n = 0; n < cases[_i].steps; n++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_energy_balance e = cardan_integrator_energy_balance(it);
        scale = fmax(scale, fmax(e.kinetic, fabs(e.potential)));
    }
    const cardan_energy_balance e = cardan_integrator_energy_balance(it);
    ck_assert_double_le(fabs(e.integrator), 1e-12 * scale);
    ck_assert_double_eq_tol(e.change, e.work, 1e-12 * scale);
    if (cases[_i].kind == CONSERVATIVE)
        ck_assert_double_le(fabs(e.change), 1e-12 * scale);
    else if (cases[_i].kind == DISSIPATIVE)
        ck_assert_double_le(e.work, -1e-3 * scale);
    else
        ck_assert_double_ge(fabs(e.work), 1e-4 * scale);
    cardan_integrator_destroy(it);
    close_model_run(run);
}
END_TEST

/* The three forms of a body, against the reference of the catalogue's top. */
static void run_top(const char *form, double step, double error[2])
{
    const char *const settings[] = {form, "solver.method=conserving", NULL};
    shipped run = shipped_begin("heavy_top", settings, step);
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    error[0] = error[1] = 0.0;
    for (int n = 1; n <= 10; n++) {
        double q[12], v[6], vdot[6], lambda[3], force[3], moment[3];
        shipped_advance(&run, 0.03 * n);
        ck_assert_int_eq(lab_problem_reference(problem, 0.03 * n, q, v, vdot, lambda, NULL, NULL),
                         CARDAN_OK);
        const cardan_body_state state = shipped_body(&run, "top");
        shipped_wrench(&run, "tip", force, moment);
        error[0] = fmax(error[0], experiment_distance(3, state.position, q));
        error[1] = fmax(error[1], experiment_distance(3, force, lambda));
    }
    lab_problem_destroy(problem);
    shipped_close(&run);
}

START_TEST(order_two_in_every_form)
{
    static const char *const forms[] = {"bodies.top.form=spatial", "bodies.top.form=body",
                                        "bodies.top.form=se3"};
    double coarse[2], fine[2];
    run_top(forms[_i], 5e-4, coarse);
    run_top(forms[_i], 2.5e-4, fine);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(observed_order(coarse[i], fine[i]), 2.0, 0.1);
    ck_assert_double_lt(fine[0], 1e-2);
}
END_TEST

/* Bodies in space and in their own frame move in the same way: what differs is the frame. */
START_TEST(same_motion_in_both_frames)
{
    static const char *const spatial[] = {"bodies.top.form=spatial", "solver.method=conserving",
                                          "solver.start=plain", NULL};
    static const char *const body[] = {"bodies.top.form=body", "solver.method=conserving",
                                       "solver.start=plain", NULL};
    shipped a = shipped_begin("heavy_top", spatial, 1e-3),
            b = shipped_begin("heavy_top", body, 1e-3);
    shipped_advance(&a, 0.2);
    shipped_advance(&b, 0.2);
    ck_assert_double_le(shipped_difference(&a, &b), 1e-8); /* of 150 rad/s */
    shipped_close(&a);
    shipped_close(&b);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: conserving");
    TCase *tcase = tcase_create("models");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, energy_balance, 0, CASES);
    tcase_add_loop_test(tcase, order_two_in_every_form, 0, 3);
    tcase_add_test(tcase, same_motion_in_both_frames);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* The verdict on a run: each concern is found where it was put, and nowhere else. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cardan_health health_of(const cardan_integrator *it)
{
    cardan_health health;
    ck_assert_int_eq(cardan_integrator_health(it, &health), CARDAN_OK);
    return health;
}

/* The first finding on it; NULL: none. */
static const cardan_health_finding *finding_of(const cardan_health *health,
                                               cardan_health_concern concern)
{
    for (int i = 0; i < health->count; i++)
        if (health->findings[i].concern == concern)
            return &health->findings[i];
    return NULL;
}

static void expect_only(const cardan_health *health, cardan_health_concern concern,
                        cardan_verdict verdict)
{
    for (int i = 0; i < health->count; i++)
        ck_assert_msg(health->findings[i].concern == concern ||
                          health->findings[i].verdict == CARDAN_GOOD,
                      "%s", health->findings[i].text);
    const cardan_health_finding *finding = finding_of(health, concern);
    ck_assert_msg(finding != NULL, "concern %d is not found", (int)concern);
    ck_assert_msg(finding->verdict == verdict, "%s", finding->text);
    ck_assert_int_eq(health->verdict, verdict);
}

static cardan_integrator_def watched(const char *method, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    def.health = true;
    return def;
}

static cardan_health run_problem(const char *name, const cardan_integrator_def *def, double end)
{
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_integrator *it = start_problem(problem, def);
    CHECK_STATUS(it, cardan_integrator_advance(it, end));
    const cardan_health health = health_of(it);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return health;
}

/* ---- nothing to find ---- */

START_TEST(test_sound_runs_are_good)
{
    static const char *const problems[] = {"pendulum", "heavy_top", "slider_crank",
                                           "double_pendulum"};
    static const char *const methods[] = {"ga2s", "ga3", "rk5"};
    const char *method = methods[_i % 3];
    const cardan_integrator_def def = watched(method, 0.0);
    const cardan_health health = run_problem(problems[_i / 3], &def, 0.5);
    ck_assert_msg(health.verdict == CARDAN_GOOD && health.count == 0, "%s by %s: %s",
                  problems[_i / 3], method, health.findings[0].text);
    ck_assert_double_lt(health.position, 1e-9);
}
END_TEST

START_TEST(test_arguments)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    const cardan_integrator_def def = watched("ga2s", 1e-3);
    cardan_integrator *it = NULL;
    cardan_health health;
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_health(NULL, &health), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_health(it, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_health(it, &health), CARDAN_NOT_STARTED);
    ck_assert_str_eq(cardan_verdict_name(CARDAN_DOUBTFUL), "doubtful");
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* ---- constraints ---- */

/* Acceleration constraints alone drift away with the square of time (ACB-R Sec. 3). */
START_TEST(test_drift_is_found)
{
    const cardan_integrator_def def = watched("ga1", 2e-2);
    const cardan_health early = run_problem("pendulum", &def, 0.1);
    const cardan_health late = run_problem("pendulum", &def, 60.0);
    ck_assert_ptr_null(finding_of(&early, CARDAN_CONCERN_CONSTRAINTS));
    const cardan_health_finding *found = finding_of(&late, CARDAN_CONCERN_CONSTRAINTS);
    ck_assert_ptr_nonnull(found);
    ck_assert_int_ge(found->verdict, CARDAN_DOUBTFUL);
    ck_assert_double_gt(late.position, 1e-4);
    ck_assert_double_gt(found->t, 1.0);
}
END_TEST

/* ---- energy ---- */

static int ball_mass(void *context, const cardan_point *at, double *mass)
{
    (void)context;
    (void)at;
    *mass = 1.0;
    return 0;
}

/* A ball on an elastic floor at 0. */
static int ball_force(void *context, const cardan_point *at, double *force)
{
    const double stiffness = *(const double *)context;
    force[0] = 9.81 - (at->q[0] < 0.0 ? -stiffness * at->q[0] : 0.0);
    return 0;
}

static int ball_potential(void *context, const cardan_point *at, double *potential)
{
    const double stiffness = *(const double *)context, q = at->q[0];
    *potential = 9.81 * q + (q < 0.0 ? 0.5 * stiffness * q * q : 0.0);
    return 0;
}

/* 5 m high; in the contact of about 2e-3 s there are two steps of 1e-3 s, or 200 of 1e-5 s. */
static cardan_health drop_ball(double step, double rho)
{
    static double stiffness = 2e6;
    cardan_group *line = NULL;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    cardan_system_def equations = cardan_system_def_default();
    ck_assert_int_eq(
        cardan_group_create(&line, &(cardan_factor){.kind = CARDAN_RN, .n = 1}, 1, NULL, NULL),
        CARDAN_OK);
    equations.group = line;
    equations.mass = ball_mass;
    equations.force = ball_force;
    equations.potential = ball_potential;
    equations.context = &stiffness;
    ck_assert_int_eq(cardan_system_create(&system, &equations, NULL), CARDAN_OK);
    cardan_integrator_def def = watched("ga2s", step);
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, (double[]){5.0}, (double[]){0.0}));
    CHECK_STATUS(it, cardan_integrator_advance(it, 5.0));
    const cardan_health health = health_of(it);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(line);
    return health;
}

START_TEST(test_energy_out_of_nothing_is_found)
{
    const cardan_health coarse = drop_ball(1e-3, 0.95), fine = drop_ball(1e-5, 0.95);
    ck_assert_msg(coarse.verdict != CARDAN_GOOD, "%g J of 49 J", coarse.unaccounted);
    ck_assert_ptr_nonnull(finding_of(&coarse, CARDAN_CONCERN_ENERGY));
    ck_assert_ptr_null(finding_of(&fine, CARDAN_CONCERN_ENERGY));
    ck_assert_double_lt(fabs(fine.unaccounted), 0.5);
}
END_TEST

/* ---- forces ---- */

START_TEST(test_oscillation_is_found)
{
    cardan_integrator_def def = watched("ga3", 1e-3);
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    const cardan_health smooth = run_problem("heavy_top", &def, 0.2);
    def.experimental.start = CARDAN_START_PLAIN;
    const cardan_health rough = run_problem("heavy_top", &def, 0.2);
    ck_assert_ptr_null(finding_of(&smooth, CARDAN_CONCERN_OSCILLATION));
    expect_only(&rough, CARDAN_CONCERN_OSCILLATION, CARDAN_DOUBTFUL);
    ck_assert_ptr_nonnull(strstr(finding_of(&rough, CARDAN_CONCERN_OSCILLATION)->text, "plain"));
}
END_TEST

/* ---- tolerances ---- */

static cardan_health run_small(double length, double absolute)
{
    const lab_setting settings[] = {{"l", length}, {"x0", 0.5 * length}};
    lab_problem *problem = open_problem("pendulum", settings, 2);
    cardan_integrator_def def = watched("ga2s", 0.0);
    def.control.position.absolute = def.control.velocity.absolute = absolute;
    def.control.multiplier.absolute = 1e-9;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.01));
    const cardan_health health = health_of(it);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return health;
}

START_TEST(test_useless_absolute_tolerance_is_found)
{
    const cardan_health useless = run_small(1e-5, 1e-6), useful = run_small(1e-5, 1e-11);
    expect_only(&useless, CARDAN_CONCERN_TOLERANCE, CARDAN_DOUBTFUL);
    ck_assert_ptr_null(finding_of(&useful, CARDAN_CONCERN_TOLERANCE));
}
END_TEST

/* The largest true error of the rotation of a heavy top up to t = 1. */
static double error_of_top(double step)
{
    const experiment run = experiment_of("heavy_top_spatial", "ga3", 0.8, step, 1.0);
    return experiment_run(&run).q;
}

/* Constraints hold and energy is kept: nothing but estimates tells that the steps are long. What
 * they say is near the true error. */
START_TEST(test_long_equal_steps_are_found)
{
    const cardan_integrator_def coarse = watched("ga3", 4e-3), fine = watched("ga3", 1e-3);
    const cardan_health bad = run_problem("heavy_top_spatial", &coarse, 1.0);
    const cardan_health good = run_problem("heavy_top_spatial", &fine, 1.0);
    expect_only(&bad, CARDAN_CONCERN_TOLERANCE, CARDAN_DOUBTFUL);
    const cardan_health_finding *found = finding_of(&bad, CARDAN_CONCERN_TOLERANCE);
    ck_assert_msg(strstr(found->text, "fixed steps") != NULL, "%s", found->text);
    ck_assert(found->t > 0.0 && found->t <= 1.0);
    const char *about = strstr(found->text, "about ");
    ck_assert_ptr_nonnull(about);
    const double told = strtod(about + strlen("about "), NULL), error = error_of_top(4e-3);
    ck_assert_msg(told > 0.2 * error && told < 5.0 * error, "error %g: %s", error, found->text);
    ck_assert_msg(good.verdict == CARDAN_GOOD, "%s", good.findings[0].text);
    ck_assert_double_lt(error_of_top(1e-3), 4e-3);
}
END_TEST

/* ---- the start ---- */

START_TEST(test_moved_start_is_told)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    const cardan_integrator_def def = watched("ga2s", 1e-3);
    cardan_integrator *it = NULL;
    double q[2], v[2];
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    lab_problem_initial(problem, q, v);
    q[1] += 1e-5;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    const cardan_health health = health_of(it);
    expect_only(&health, CARDAN_CONCERN_START, CARDAN_GOOD);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A body on a slide to the ground along x that is to turn, or to move along x. */
static cardan_health assemble_slider(const double spin[3], const double speed[3], double turned)
{
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def joint = cardan_joint_def_default();
    cardan_assembly *assembly = NULL;
    cardan_health health = {0};
    body.name = "slider";
    body.mass = 1.0;
    for (int i = 0; i < 3; i++) {
        body.inertia[i] = 1.0;
        body.angular_velocity[i] = spin[i];
        body.velocity[i] = speed[i];
    }
    body.orientation[0] = cos(0.5 * turned);
    body.orientation[3] = sin(0.5 * turned);
    joint.type = CARDAN_JOINT_PRISMATIC; /* along z */
    joint.body2 = put_body(model, body);
    put_joint(model, joint);
    CHECK_MODEL(model, cardan_model_build(model));
    double q[12], v[6];
    cardan_model_initial(model, q, v);
    CHECK_MODEL(model, cardan_model_assemble(model, 0.0, q, v, &assembly, NULL));
    ck_assert_int_eq(cardan_assembly_judge(model, assembly, &health), CARDAN_OK);
    ck_assert_int_eq(cardan_assembly_judge(NULL, assembly, &health), CARDAN_INVALID_ARGUMENT);
    cardan_assembly_destroy(assembly);
    cardan_model_destroy(model);
    return health;
}

START_TEST(test_changed_by_assembly)
{
    const double none[3] = {0}, along[3] = {0, 0, 2}, spin[3] = {0, 0, 10};
    const cardan_health kept = assemble_slider(none, along, 0.0);
    ck_assert_int_eq(kept.count, 0);
    const cardan_health stopped = assemble_slider(spin, along, 0.0);
    expect_only(&stopped, CARDAN_CONCERN_START, CARDAN_DOUBTFUL);
    ck_assert_ptr_nonnull(strstr(stopped.findings[0].text, "`slider`"));
    const cardan_health nudged = assemble_slider(none, along, 0.1);
    expect_only(&nudged, CARDAN_CONCERN_START, CARDAN_GOOD);
    const cardan_health far = assemble_slider(none, along, 1.57);
    expect_only(&far, CARDAN_CONCERN_START, CARDAN_DOUBTFUL);
}
END_TEST

/* ---- restart ---- */

/* The same verdict with a checkpoint in the middle, to the last bit; that of the first integrator.
 */
static cardan_health check_restart(const char *name, const cardan_integrator_def *def,
                                   double middle, double end)
{
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_integrator *it = start_problem(problem, def), *again = start_problem(problem, def);
    CHECK_STATUS(it, cardan_integrator_advance(it, middle));
    const size_t size = cardan_checkpoint_size(it);
    void *checkpoint = malloc(size);
    CHECK_STATUS(it, cardan_checkpoint_save(it, checkpoint, size));
    CHECK_STATUS(again, cardan_checkpoint_load(again, checkpoint, size));
    CHECK_STATUS(it, cardan_integrator_advance(it, end));
    CHECK_STATUS(again, cardan_integrator_advance(again, end));
    const cardan_health a = health_of(it), b = health_of(again);
    ck_assert_int_eq(a.verdict, b.verdict);
    ck_assert_int_eq(a.count, b.count);
    ck_assert_int_gt(a.count, 0);
    for (int i = 0; i < a.count; i++)
        ck_assert_str_eq(a.findings[i].text, b.findings[i].text);
    ck_assert(a.position == b.position && a.energy == b.energy);
    free(checkpoint);
    cardan_integrator_destroy(again);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return a;
}

START_TEST(test_restart_keeps_the_verdict)
{
    cardan_integrator_def def = watched("ga3", 1e-3);
    def.experimental.start = CARDAN_START_PLAIN;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    check_restart("heavy_top", &def, 0.05, 0.1);
}
END_TEST

/* The worst is at t = 0.65: behind the checkpoint, just behind it and before it. */
START_TEST(test_restart_keeps_estimates)
{
    static const double middles[] = {0.5, 0.64, 0.76};
    for (int i = 0; i < 3; i++) {
        const cardan_integrator_def def = watched("ga3", 4e-3);
        const cardan_health health = check_restart("heavy_top_spatial", &def, middles[i], 1.0);
        const cardan_health_finding *found = finding_of(&health, CARDAN_CONCERN_TOLERANCE);
        ck_assert_int_eq(health.verdict, CARDAN_DOUBTFUL);
        ck_assert_ptr_nonnull(found);
        ck_assert_ptr_nonnull(strstr(found->text, "fixed steps"));
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("health");
    TCase *tcase = tcase_create("health");
    tcase_add_loop_test(tcase, test_sound_runs_are_good, 0, 12);
    tcase_add_test(tcase, test_arguments);
    tcase_add_test(tcase, test_drift_is_found);
    tcase_add_test(tcase, test_energy_out_of_nothing_is_found);
    tcase_add_test(tcase, test_oscillation_is_found);
    tcase_add_test(tcase, test_useless_absolute_tolerance_is_found);
    tcase_add_test(tcase, test_long_equal_steps_are_found);
    tcase_add_test(tcase, test_moved_start_is_told);
    tcase_add_test(tcase, test_changed_by_assembly);
    tcase_add_test(tcase, test_restart_keeps_the_verdict);
    tcase_add_test(tcase, test_restart_keeps_estimates);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* What a step costs, in counts: iterations and factorizations of a chain of 400 links with revolute
 * joints about two directions in turn, 1000 steps of 1 ms at a tolerance of 1e-6; that this costs
 * no accuracy; and that counts do not grow with the size of a model. */
#include "experiment.h"
#include "lattice.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

/* Links of 1 m in a row, from the horizontal. */
static cardan_model *make_chain(int links)
{
    const double half = 0.5 * 0.6435011087932844; /* between the axes (0, 0, 1), (0, 0.6, 0.8) */
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    for (int i = 0; i < links; i++) {
        cardan_body_def body = cardan_body_def_default();
        cardan_joint_def joint = cardan_joint_def_default();
        const double place[] = {i + 0.5, 0.0, 0.0}, inertia[] = {1.25e-3, 1.0 / 12, 1.0 / 12};
        body.mass = 1.0;
        for (int k = 0; k < 3; k++) {
            body.position[k] = place[k];
            body.inertia[k] = inertia[k];
        }
        joint.type = CARDAN_JOINT_REVOLUTE;
        joint.frame1.position[0] = i == 0 ? 0.0 : 0.5;
        joint.frame2.position[0] = -0.5;
        if (i % 2 == 1) {
            joint.frame1.orientation[0] = joint.frame2.orientation[0] = cos(half);
            joint.frame1.orientation[1] = joint.frame2.orientation[1] = -sin(half);
        }
        joint.body1 = i == 0 ? CARDAN_GROUND : i - 1;
        CHECK_MODEL(model, cardan_model_add_body(model, &body, &joint.body2));
        CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static cardan_integrator_def practical(const char *method)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = 1e-3;
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-8, 1e-6};
    return def;
}

static cardan_integrator *march(const cardan_model *model, const cardan_integrator_def *def,
                                int steps)
{
    cardan_integrator *it = start_model(model, def);
    for (int i = 0; i < steps; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    return it;
}

static const char *const methods[] = {"ga3", "ga2s"};

START_TEST(two_iterations_a_step_and_few_factorizations)
{
    enum { STEPS = 1000 };
    cardan_model *model = make_chain(400);
    const cardan_integrator_def def = practical(methods[_i]);
    cardan_integrator *it = march(model, &def, STEPS);
    const cardan_statistics s = cardan_integrator_statistics(it);
    printf("%s: %.2f iterations and %.3f factorizations a step\n", methods[_i],
           (double)s.iterations / STEPS, (double)s.factorizations / STEPS);
    ck_assert_int_le(s.iterations, 2.5 * STEPS);
    ck_assert_int_le(s.factorizations, STEPS / 5);
    ck_assert_int_le(s.residuals, s.iterations + STEPS / 50);
    ck_assert_int_eq(s.line_searches, 0);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

static double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* Against the corrector's own tolerances, with new factors in every iteration. What the corrector
 * leaves in Phi comes back in the multipliers of ga3 up to 17 times as large (rho 0.8, the rule of
 * ACB15 Sec. 4.1), and that of several steps adds up. */
START_TEST(the_motion_is_that_of_full_newton)
{
    enum { LINKS = 40, STEPS = 500 };
    cardan_model *model = make_chain(LINKS);
    const cardan_integrator_def def = practical(methods[_i]);
    cardan_integrator_def tight = cardan_integrator_def_default();
    tight.method = methods[_i];
    tight.step = def.step;
    tight.experimental.full_newton = true;
    cardan_integrator *it = march(model, &def, STEPS), *exact = march(model, &tight, STEPS);
    const cardan_statistics work = cardan_integrator_statistics(exact);
    const cardan_state *a = cardan_integrator_state(it), *b = cardan_integrator_state(exact);
    ck_assert_int_eq(work.factorizations, work.iterations);
    ck_assert_int_eq(work.reuses, 0);
    const double q = largest_difference(LINKS * 12, a->q, b->q);
    const double v = largest_difference(LINKS * 6, a->v, b->v);
    const double lambda = largest_difference(LINKS * 5, a->lambda, b->lambda);
    double largest = 0.0;
    for (int i = 0; i < LINKS * 5; i++)
        largest = fmax(largest, fabs(b->lambda[i]));
    printf("%s: differences %.2e, %.2e, %.2e of %.3g\n", methods[_i], q, v, lambda, largest);
    ck_assert_double_le(q, 1e-6);
    ck_assert_double_le(v, 1e-5);
    ck_assert_double_le(lambda, 3.0 * 17.0 * 1e-6 * largest);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(exact);
    cardan_model_destroy(model);
}
END_TEST

/* The matrix depends on the step size through damping and stiffness only. */
START_TEST(factors_outlive_a_change_of_the_step)
{
    cardan_model *model = make_chain(40);
    const cardan_integrator_def def = practical(methods[_i]);
    cardan_integrator *it = march(model, &def, 200);
    const long before = cardan_integrator_statistics(it).factorizations;
    for (int i = 0; i < 20; i++) {
        CHECK_STATUS(it, cardan_integrator_set_step(it, i % 2 == 0 ? 1.1e-3 : 1e-3));
        CHECK_STATUS(it, cardan_integrator_step(it));
    }
    ck_assert_int_le(cardan_integrator_statistics(it).factorizations - before, 10);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

static cardan_model *make_spherical(lattice_shape shape, int n)
{
    cardan_model *model =
        make_lattice(&(lattice_order){.shape = shape, .n = n, .type = CARDAN_JOINT_SPHERICAL});
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* Positions along 2 km of links have fewer digits; with their low words
 * (docs/methods/compensated-positions.md) no step ends on rounding. What grows is the tension,
 * which makes of a small angle a large force: two iterations are then needed where one is enough
 * for a hundred links. */
START_TEST(iterations_do_not_grow_with_the_model)
{
    enum { WARM = 10, STEPS = 30 };
    const lattice_shape shapes[] = {LATTICE_CHAIN, LATTICE_RING};
    long iterations[2], factorizations[2];
    for (int size = 0; size < 2; size++) {
        cardan_model *model = make_spherical(shapes[_i], size == 0 ? 100 : 2000);
        cardan_integrator_def def = practical("ga3");
        def.newton.multiplier.absolute = 1e-6;
        cardan_integrator *it = march(model, &def, WARM);
        const cardan_statistics before = cardan_integrator_statistics(it);
        for (int i = 0; i < STEPS; i++)
            CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_statistics s = cardan_integrator_statistics(it);
        iterations[size] = s.iterations - before.iterations;
        factorizations[size] = s.factorizations - before.factorizations;
        ck_assert_int_eq(s.line_searches, 0);
        ck_assert_int_eq(s.unresolved, 0);
        cardan_integrator_destroy(it);
        cardan_model_destroy(model);
    }
    printf("%ld and %ld iterations, %ld and %ld factorizations\n", iterations[0], iterations[1],
           factorizations[0], factorizations[1]);
    ck_assert_double_le((double)iterations[1], fmax(1.45 * (double)iterations[0], 2.1 * STEPS));
    ck_assert_int_le(factorizations[1], STEPS / 4);
}
END_TEST

/* Where old factors are what makes corrections grow, that is not taken for rounding, which would
 * let forces be off by a hundred tolerances. */
START_TEST(slow_convergence_of_long_chains_is_not_rounding)
{
    cardan_model *model = make_spherical(LATTICE_CHAIN, 10000);
    cardan_integrator_def def = practical("ga3");
    def.newton.multiplier.absolute = 1e-6;
    cardan_integrator *it = march(model, &def, 15);
    ck_assert_int_eq(cardan_integrator_statistics(it).unresolved, 0);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Steps as long as an error of a hundredth allows: multipliers swing from step to step, and the
 * links near the support turn by a tenth of a radian. */
START_TEST(coarse_steps_take_few_factorizations)
{
    enum { LINKS = 100, STEPS = 20 };
    cardan_model *model = make_spherical(LATTICE_CHAIN, LINKS);
    cardan_integrator_def def = practical("ga3"), fine = practical("ga2s");
    def.step = 0.05;
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-4, 1e-4};
    cardan_integrator *it = march(model, &def, STEPS), *reference = march(model, &fine, 1000);
    const cardan_statistics s = cardan_integrator_statistics(it);
    const cardan_state *a = cardan_integrator_state(it), *b = cardan_integrator_state(reference);
    const double error = largest_difference(LINKS * 12, a->q, b->q);
    printf("coarse: %.2f iterations and %.2f factorizations a step, error %.2e\n",
           (double)s.iterations / STEPS, (double)s.factorizations / STEPS, error);
    ck_assert_int_le(s.iterations, 6 * STEPS);
    ck_assert_int_le(s.factorizations, 2 * STEPS);
    ck_assert_double_le(error, 0.1);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(reference);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("work of the corrector");
    TCase *tcase = tcase_create("counts");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, two_iterations_a_step_and_few_factorizations, 0, 2);
    tcase_add_loop_test(tcase, the_motion_is_that_of_full_newton, 0, 2);
    tcase_add_loop_test(tcase, factors_outlive_a_change_of_the_step, 0, 2);
    tcase_add_loop_test(tcase, iterations_do_not_grow_with_the_model, 0, 2);
    tcase_add_test(tcase, slow_convergence_of_long_chains_is_not_rounding);
    tcase_add_test(tcase, coarse_steps_take_few_factorizations);
    suite_add_tcase(suite, tcase);
    return suite;
}

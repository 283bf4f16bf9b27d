/* Checkpoints of large models hold the factors of all parts of the iteration matrix: a run goes on
 * to the last bit, also with factors that are some steps old. */
#include "experiment.h"
#include "lattice.h"
#include "models.h"
#include "saved.h"
#include "suite.h"

#include <cardan/checkpoint.h>
#include <stdlib.h>

static const char *const methods[] = {"ga2s", "ga3", "nonholonomic"};
static const lattice_shape shapes[] = {LATTICE_CHAIN, LATTICE_TREE};
enum { METHODS = 3, SHAPES = 2 };

static cardan_model *make_model(lattice_shape shape)
{
    const lattice_order order = {
        .shape = shape, .n = 40, .type = CARDAN_JOINT_REVOLUTE, .form = CARDAN_FORM_SPATIAL};
    cardan_model *model = make_lattice(&order);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(factors_go_on)
{
    cardan_model *model = make_model(shapes[_i / METHODS]);
    const cardan_tolerance tolerance = {1e-6, 1e-6};
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *two = NULL;
    cardan_error error = {0};
    def.method = methods[_i % METHODS];
    def.step = 1e-3;
    def.newton.position = def.newton.velocity = def.newton.multiplier = tolerance;
    cardan_integrator *one = start_model(model, &def);
    for (int i = 0; i < 12; i++)
        CHECK_STATUS(one, cardan_integrator_step(one));
    const saved bytes = save(one);
    const long before = cardan_integrator_statistics(one).factorizations;
    ck_assert_int_eq(cardan_integrator_create(&two, cardan_model_system(model), &def, &error),
                     CARDAN_OK);
    CHECK_STATUS(two, cardan_checkpoint_load(two, bytes.bytes, bytes.size));
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(one, cardan_integrator_step(one));
        CHECK_STATUS(two, cardan_integrator_step(two));
        check_identical(one, two);
    }
    /* Not every step has made its own, or nothing would have been tested. */
    ck_assert_int_lt(cardan_integrator_statistics(one).factorizations - before, 3);
    free(bytes.bytes);
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("checkpoints of chains");
    TCase *cases = tcase_create("all");
    tcase_set_timeout(cases, 120.0);
    tcase_add_loop_test(cases, factors_go_on, 0, METHODS * SHAPES);
    suite_add_tcase(suite, cases);
    return suite;
}

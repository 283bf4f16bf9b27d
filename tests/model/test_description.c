/* What a model tells of itself: definitions, gravity and shapes, for those who draw it. */
#include "suite.h"

#include <cardan/model.h>

static cardan_model *make_rod(void)
{
    cardan_model *model;
    cardan_body_def rod = cardan_body_def_default();
    cardan_joint_def hinge = cardan_joint_def_default();
    const double size[] = {2.0}, down[] = {0.0, 0.0, -9.81};
    cardan_error error;
    ck_assert_int_eq(cardan_model_create(&model, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_model_set_gravity(model, down), CARDAN_OK);
    rod.name = "rod";
    ck_assert_int_eq(cardan_body_add_solid(&rod, CARDAN_SOLID_ROD, 3.0, size, NULL, NULL, &error),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_model_add_body(model, &rod, NULL), CARDAN_OK);
    hinge.name = "hinge";
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body1 = CARDAN_GROUND;
    hinge.body2 = 0;
    hinge.frame2.position[0] = -1.0;
    ck_assert_int_eq(cardan_model_add_joint(model, &hinge, NULL), CARDAN_OK);
    return model;
}

START_TEST(definitions_come_back)
{
    cardan_model *model = make_rod();
    ck_assert_double_eq(cardan_model_describe(model).gravity[2], -9.81);
    cardan_body_def body;
    cardan_joint_def joint;
    cardan_force_def force;
    ck_assert(cardan_model_body(model, 0, &body));
    ck_assert_str_eq(body.name, "rod");
    ck_assert_double_eq_tol(body.mass, 6.0, 1e-14);
    ck_assert(cardan_model_joint(model, 0, &joint));
    ck_assert_str_eq(joint.name, "hinge");
    ck_assert_double_eq(joint.frame2.position[0], -1.0);
    ck_assert(!cardan_model_body(model, 1, &body));
    ck_assert(!cardan_model_joint(model, -1, &joint));
    ck_assert(!cardan_model_force(model, 0, &force));
    cardan_model_destroy(model);
}
END_TEST

START_TEST(shapes_are_kept_in_order)
{
    cardan_model *model = make_rod();
    cardan_shape shape = {.type = CARDAN_SOLID_BOX, .size = {1, 2, 3}, .orientation = {1}};
    int body = 7;
    ck_assert_int_eq(cardan_model_add_shape(model, 0, &shape), CARDAN_OK);
    shape.type = CARDAN_SOLID_SPHERE;
    ck_assert_int_eq(cardan_model_add_shape(model, CARDAN_GROUND, &shape), CARDAN_OK);
    ck_assert_int_eq(cardan_model_describe(model).shape_count, 2);
    ck_assert_double_eq(cardan_model_shape(model, 0, &body)->size[2], 3.0);
    ck_assert_int_eq(body, 0);
    ck_assert_int_eq(cardan_model_shape(model, 1, &body)->type, CARDAN_SOLID_SPHERE);
    ck_assert_int_eq(body, CARDAN_GROUND);
    ck_assert_ptr_null(cardan_model_shape(model, 2, NULL));
    cardan_model_destroy(model);
}
END_TEST

START_TEST(bad_shapes_are_refused)
{
    cardan_model *model = make_rod();
    cardan_shape shape = {.type = CARDAN_SOLID_BOX, .size = {1, 2, NAN}, .orientation = {1}};
    ck_assert_int_ne(cardan_model_add_shape(model, 0, &shape), CARDAN_OK);
    shape.size[2] = 1.0;
    ck_assert_int_ne(cardan_model_add_shape(model, 4, &shape), CARDAN_OK);
    shape.type = (cardan_solid_type)9;
    ck_assert_int_ne(cardan_model_add_shape(model, 0, &shape), CARDAN_OK);
    ck_assert_int_eq(cardan_model_describe(model).shape_count, 0);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("description");
    TCase *all = tcase_create("all");
    tcase_add_test(all, definitions_come_back);
    tcase_add_test(all, shapes_are_kept_in_order);
    tcase_add_test(all, bad_shapes_are_refused);
    suite_add_tcase(suite, all);
    return suite;
}

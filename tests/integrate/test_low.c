/* Low words of positions (docs/methods/compensated-positions.md): a mechanism far from the origin
 * has the joint forces of the same one at the origin, takes as many iterations, and can be saved
 * and loaded. */
#include "experiment.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 60 };

static const double gravity = 9.81;

/* Where the first joint is. None of the far numbers is a sum of few powers of two, so that links
 * are joined to the last digit of such numbers only. */
static const double near[3] = {0.0, 0.0, 0.0}, far[3] = {1.0e5 + 0.1, -3.0e5 - 0.7, 2.0e5 + 0.3};

typedef struct order {
    const double *origin;
    double slope; /* of the links against the horizontal */
    int kind;     /* of bodies: KIND_SPATIAL, KIND_BODY or KIND_PLANAR */
    cardan_joint_type type;
    bool turned; /* ground is the second body of its joint */
    bool thrown; /* there is no such joint, and all fly with the same velocity */
} order;

static cardan_body_def rod(const order *o, int i)
{
    cardan_body_def body = cardan_body_def_default();
    const double c = cos(o->slope), s = sin(o->slope);
    body.form = o->kind == KIND_BODY ? CARDAN_FORM_BODY : CARDAN_FORM_SPATIAL;
    if (o->kind == KIND_PLANAR)
        body.type = CARDAN_BODY_PLANAR;
    body.mass = 1.0;
    body.inertia[0] = 1e-3;
    body.inertia[1] = body.inertia[2] = 1.0 / 12.0;
    body.position[0] = o->origin[0] + (i + 0.5) * c;
    body.position[1] = o->origin[1] + (i + 0.5) * s;
    body.position[2] = o->origin[2];
    body.orientation[0] = cos(0.5 * o->slope);
    body.orientation[3] = sin(0.5 * o->slope);
    for (int k = 0; o->thrown && k < 3; k++)
        body.velocity[k] = 3.0 - k;
    return body;
}

/* Rods of 1 m and 1 kg in a row. */
static cardan_model *make_chain(const order *o)
{
    cardan_model *model = model_with_gravity((double[]){0.0, -gravity, 0.0});
    for (int i = 0; i < LINKS; i++) {
        cardan_joint_def joint = cardan_joint_def_default();
        const int body = put_body(model, rod(o, i));
        const bool turned = i == 0 && o->turned;
        cardan_frame *own = turned ? &joint.frame1 : &joint.frame2;
        cardan_frame *other = turned ? &joint.frame2 : &joint.frame1;
        joint.type = o->type;
        joint.body1 = turned ? body : i == 0 ? CARDAN_GROUND : body - 1;
        joint.body2 = turned ? CARDAN_GROUND : body;
        own->position[0] = -0.5;
        other->position[0] = 0.5;
        if (i == 0)
            memcpy(other->position, o->origin, sizeof other->position);
        if (i > 0 || !o->thrown)
            put_joint(model, joint);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static cardan_integrator_def definition(const char *method)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = 1e-3;
    return def;
}

static double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* Largest difference of multipliers over a run of both, in parts of the largest. */
static double compare_runs(const order *o, const cardan_integrator_def *def, int steps)
{
    const order home = {near, o->slope, o->kind, o->type, o->turned, o->thrown};
    cardan_model *models[] = {make_chain(&home), make_chain(o)};
    cardan_integrator *it[] = {start_model(models[0], def), start_model(models[1], def)};
    const int m = cardan_system_describe(cardan_model_system(models[0])).constraint_count;
    const double zero[6 * LINKS] = {0.0};
    double apart = 0.0, largest = 0.0;
    for (int i = 0; i < steps; i++) {
        for (int j = 0; j < 2; j++)
            CHECK_STATUS(it[j], cardan_integrator_step(it[j]));
        const double *one = cardan_integrator_state(it[0])->lambda;
        const double *two = cardan_integrator_state(it[1])->lambda;
        apart = fmax(apart, largest_difference(m, one, two));
        largest = fmax(largest, largest_difference(m, one, zero));
    }
    for (int j = 0; j < 2; j++) {
        ck_assert_int_eq(cardan_integrator_statistics(it[j]).unresolved, 0);
        cardan_integrator_destroy(it[j]);
        cardan_model_destroy(models[j]);
    }
    return apart / largest;
}

static const struct {
    const char *method;
    order chain;
    double bound; /* without low words: 1e-4, of ga2s 2e-8, of trapezoidal 2e-7 */
} runs[] = {
    {"ga3", {far, 0.3, KIND_SPATIAL, CARDAN_JOINT_REVOLUTE, false, false}, 1e-7},
    {"ga3", {far, 0.3, KIND_SPATIAL, CARDAN_JOINT_SPHERICAL, true, false}, 1e-7},
    {"ga3", {far, 0.3, KIND_BODY, CARDAN_JOINT_SPHERICAL, false, false}, 1e-7},
    {"ga3", {far, 0.3, KIND_PLANAR, CARDAN_JOINT_REVOLUTE, false, false}, 1e-7},
    {"ga2s", {far, 0.3, KIND_SPATIAL, CARDAN_JOINT_REVOLUTE, false, false}, 1e-8},
    {"trapezoidal", {far, 0.3, KIND_SPATIAL, CARDAN_JOINT_REVOLUTE, false, false}, 1e-8},
};

START_TEST(joint_forces_do_not_depend_on_the_origin)
{
    const cardan_integrator_def def = definition(runs[_i].method);
    const double apart = compare_runs(&runs[_i].chain, &def, 60);
    printf("%s, kind %d: %.2e\n", runs[_i].method, runs[_i].chain.kind, apart);
    ck_assert_double_le(apart, runs[_i].bound);
}
END_TEST

/* Joint i carries the links below it. */
START_TEST(a_hanging_chain_carries_its_weight)
{
    static const char *const methods[] = {"ga3", "ga2s"};
    const order hanging = {
        far, -0.5 * 3.14159265358979323846, KIND_SPATIAL, CARDAN_JOINT_SPHERICAL, _i == 1, false};
    const cardan_integrator_def def = definition(methods[_i]);
    cardan_model *model = make_chain(&hanging);
    cardan_integrator *it = start_model(model, &def);
    double worst = 0.0;
    for (int step = 0; step < 100; step++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        const double *lambda = cardan_integrator_state(it)->lambda;
        for (int i = 0; i < LINKS; i++)
            worst = fmax(worst, fabs(fabs(lambda[3 * i + 1]) - (LINKS - i) * gravity));
    }
    printf("%s: %.2e N of %g N\n", methods[_i], worst, LINKS * gravity);
    ck_assert_double_le(worst, 1e-10);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* All fall alike. */
START_TEST(a_thrown_chain_carries_nothing)
{
    const char *method = _i == 0 ? "ga3" : "ga2s";
    const order thrown = {far, 0.3, KIND_SPATIAL, CARDAN_JOINT_SPHERICAL, false, true};
    const cardan_integrator_def def = definition(method);
    cardan_model *model = make_chain(&thrown);
    cardan_integrator *it = start_model(model, &def);
    const double zero[3 * LINKS] = {0.0};
    double worst = 0.0;
    for (int step = 0; step < 100; step++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        worst = fmax(
            worst, largest_difference(3 * (LINKS - 1), cardan_integrator_state(it)->lambda, zero));
    }
    printf("%s: %.2e N\n", method, worst);
    ck_assert_double_le(worst, 1e-6); /* N, in links of 9.81 N */
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Positions that a projection has written are put right as those of a start are. */
START_TEST(projected_steps_keep_the_forces)
{
    cardan_integrator_def def = definition("ga3");
    const order chain = {far, 0.3, KIND_SPATIAL, CARDAN_JOINT_SPHERICAL, false, false};
    def.projection.level = CARDAN_PROJECT_BOTH;
    def.projection.target = CARDAN_TARGET_SETTLED;
    const double apart = compare_runs(&chain, &def, 30);
    printf("projected: %.2e\n", apart);
    ck_assert_double_le(apart, 1e-8); /* without low words 7e-6 */
}
END_TEST

static cardan_statistics work_at(const double *origin, const char *method)
{
    const order chain = {origin, 0.3, KIND_SPATIAL, CARDAN_JOINT_REVOLUTE, false, false};
    cardan_integrator_def def = definition(method);
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-8, 1e-6};
    cardan_model *model = make_chain(&chain);
    cardan_integrator *it = start_model(model, &def);
    for (int i = 0; i < 200; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    const cardan_statistics work = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
    return work;
}

START_TEST(far_away_takes_no_more_iterations)
{
    const char *method = _i == 0 ? "ga3" : "ga2s";
    const cardan_statistics here = work_at(near, method), there = work_at(far, method);
    printf("%s: %ld and %ld iterations, %ld and %ld factorizations\n", method, here.iterations,
           there.iterations, here.factorizations, there.factorizations);
    ck_assert_int_eq(there.unresolved, 0);
    ck_assert_double_le((double)there.iterations, 1.02 * (double)here.iterations);
    ck_assert_int_le(there.factorizations, here.factorizations + 2);
}
END_TEST

static void expect_same_state(const cardan_integrator *a, const cardan_integrator *b, int m)
{
    const cardan_state *one = cardan_integrator_state(a), *two = cardan_integrator_state(b);
    ck_assert_int_eq(memcmp(one->q, two->q, 12 * LINKS * sizeof(double)), 0);
    ck_assert_int_eq(memcmp(one->v, two->v, 6 * LINKS * sizeof(double)), 0);
    ck_assert_int_eq(memcmp(one->lambda, two->lambda, (size_t)m * sizeof(double)), 0);
}

/* Bit for bit: in the last digit of q such steps would soon differ without them. */
START_TEST(a_checkpoint_holds_low_words)
{
    const order chain = {far, 0.3, KIND_SPATIAL, CARDAN_JOINT_REVOLUTE, false, false};
    const cardan_integrator_def def = definition(_i == 0 ? "ga3" : "ga2s");
    cardan_model *model = make_chain(&chain);
    const int m = cardan_system_describe(cardan_model_system(model)).constraint_count;
    cardan_integrator *it = start_model(model, &def), *other = start_model(model, &def);
    const size_t size = cardan_checkpoint_size(it);
    void *saved = malloc(size);
    for (int i = 0; i < 20; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    CHECK_STATUS(it, cardan_checkpoint_save(it, saved, size));
    CHECK_STATUS(other, cardan_checkpoint_load(other, saved, size));
    for (int i = 0; i < 20; i++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        CHECK_STATUS(other, cardan_integrator_step(other));
        expect_same_state(it, other, m);
    }
    free(saved);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(other);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("low words of positions");
    TCase *tcase = tcase_create("far away");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, joint_forces_do_not_depend_on_the_origin, 0,
                        (int)(sizeof runs / sizeof runs[0]));
    tcase_add_loop_test(tcase, a_hanging_chain_carries_its_weight, 0, 2);
    tcase_add_loop_test(tcase, a_thrown_chain_carries_nothing, 0, 2);
    tcase_add_test(tcase, projected_steps_keep_the_forces);
    tcase_add_loop_test(tcase, far_away_takes_no_more_iterations, 0, 2);
    tcase_add_loop_test(tcase, a_checkpoint_holds_low_words, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* Chains of growing length: the same motion as with full matrices, and cost in proportion to the
 * length. */
#include "beads.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "matrix_inside.h"
#include "suite.h"

#include <cardan/model.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>

typedef struct chain {
    beads beads;
    cardan_system *system;
    cardan_integrator *it;
    double *q, *v;
} chain;

static chain *open_system(int count, bool patterned, bool units, const char *method)
{
    chain *c = calloc(1, sizeof *c);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error = {0};
    beads_open(&c->beads, count, patterned);
    c->system = beads_system(&c->beads);
    if (!units)
        c->system->units.count = 0;
    c->q = calloc((size_t)count * 6, sizeof(double));
    c->v = c->q + 3 * count;
    beads_initial(&c->beads, c->q, c->v);
    def.method = method;
    if (strcmp(method, "hht3") == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    def.step = 2e-3;
    const cardan_status status = cardan_integrator_create(&c->it, c->system, &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    CHECK_STATUS(c->it, cardan_integrator_start(c->it, 0.0, c->q, c->v));
    return c;
}

static chain *open_chain(int count, bool patterned, const char *method)
{
    return open_system(count, patterned, true, method);
}

/* Bodies and joints are not known to be such: KLU instead of blocks. */
static chain *open_chain_without(int count, const char *method)
{
    return open_system(count, true, false, method);
}

static void close_chain(chain *c)
{
    cardan_integrator_destroy(c->it);
    cardan_system_destroy(c->system);
    beads_close(&c->beads);
    free(c->q);
    free(c);
}

static const char *const methods[] = {
    "ga3", "ga2s", "ga2", "ga1", "nonholonomic", "hht3", "conserving", "midpoint", "trapezoidal"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* 30 beads have 120 unknowns or more: blocks and KLU against LAPACK. */
START_TEST(same_motion_as_with_full_matrices)
{
    enum { COUNT = 30 };
    chain *sparse = _i % 2 == 0 ? open_chain(COUNT, true, methods[_i / 2])
                                : open_chain_without(COUNT, methods[_i / 2]);
    chain *full = open_chain(COUNT, false, methods[_i / 2]);
    ck_assert(cd_matrix_is_sparse(sparse->it->matrix));
    ck_assert(cd_matrix_has_blocks(sparse->it->matrix) == (_i % 2 == 0));
    ck_assert(!cd_matrix_is_sparse(full->it->matrix));
    for (int i = 0; i < 25; i++) {
        CHECK_STATUS(sparse->it, cardan_integrator_step(sparse->it));
        CHECK_STATUS(full->it, cardan_integrator_step(full->it));
    }
    const cardan_state *a = cardan_integrator_state(sparse->it);
    const cardan_state *b = cardan_integrator_state(full->it);
    for (int i = 0; i < 3 * COUNT; i++) {
        ck_assert_double_eq_tol(a->q[i], b->q[i], 1e-11);
        ck_assert_double_eq_tol(a->v[i], b->v[i], 1e-9);
    }
    for (int i = 0; i < COUNT; i++)
        ck_assert_double_eq_tol(a->lambda[i], b->lambda[i], 1e-5 * (1.0 + fabs(b->lambda[i])));
    close_chain(sparse);
    close_chain(full);
}
END_TEST

/* Bytes in use by malloc, from which the arenas and KLU take theirs. */
static double used_memory(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

typedef struct size {
    double factors, memory; /* entries of L and U, and bytes, per bead */
} size;

static size measure(int count, const char *method)
{
    const double before = used_memory();
    chain *c = open_chain(count, true, method);
    for (int i = 0; i < 3; i++)
        CHECK_STATUS(c->it, cardan_integrator_step(c->it));
    const size found = {(double)cd_matrix_statistics(c->it->matrix).factor_entries / count,
                        (used_memory() - before) / count};
    close_chain(c);
    return found;
}

START_TEST(fill_and_memory_grow_with_the_length)
{
    const char *method = _i == 0 ? "ga3" : "ga2s";
    const size small = measure(100, method), large = measure(10000, method);
    ck_assert_double_le(large.factors, 1.2 * small.factors);
    ck_assert_double_le(large.memory, 1.2 * small.memory);
    ck_assert_double_gt(large.factors, 10.0);
}
END_TEST

/* Blocks need no help from KLU while the beads swing. */
START_TEST(blocks_are_enough)
{
    chain *c = open_chain(100, true, _i == 0 ? "ga3" : "ga2s");
    ck_assert(cd_matrix_has_blocks(c->it->matrix));
    for (int i = 0; i < 100; i++)
        CHECK_STATUS(c->it, cardan_integrator_step(c->it));
    const cd_sparse_lu_counts counts = cd_matrix_statistics(c->it->matrix);
    ck_assert_int_ge(counts.kept, 1);
    ck_assert_int_eq(counts.pivoted, 0);
    close_chain(c);
}
END_TEST

/* What speed is compared with: KLU, and factors in every iteration. */
START_TEST(full_newton_uses_no_blocks)
{
    chain *c = open_chain(100, true, "ga3");
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it;
    def.step = 2e-3;
    def.experimental.full_newton = true;
    ck_assert_int_eq(cardan_integrator_create(&it, c->system, &def, NULL), CARDAN_OK);
    ck_assert(cd_matrix_is_sparse(it->matrix));
    ck_assert(!cd_matrix_has_blocks(it->matrix));
    cardan_integrator_destroy(it);
    close_chain(c);
}
END_TEST

/* KLU keeps its pivots while the beads swing: it allocates nothing then. */
START_TEST(pivots_are_kept)
{
    chain *c = open_chain_without(100, "ga3");
    ck_assert(!cd_matrix_has_blocks(c->it->matrix));
    for (int i = 0; i < 100; i++)
        CHECK_STATUS(c->it, cardan_integrator_step(c->it));
    const cd_sparse_lu_counts counts = cd_matrix_statistics(c->it->matrix);
    ck_assert_int_ge(counts.pivoted, 1);
    ck_assert_int_le(counts.pivoted, 2);
    close_chain(c);
}
END_TEST

static int add_link(cardan_model *model, int number, int before)
{
    const double half = sqrt(0.5), turned[4] = {half, half, 0.0, 0.0}; /* hinges along y */
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def hinge = cardan_joint_def_default();
    body.mass = 1.0;
    body.inertia[0] = 0.01;
    body.inertia[1] = body.inertia[2] = 1.0 / 12.0;
    body.position[0] = number + 0.5;
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body1 = before;
    hinge.frame1.position[0] = number == 0 ? 0.0 : 0.5;
    hinge.frame2.position[0] = -0.5;
    memcpy(hinge.frame1.orientation, turned, sizeof turned);
    memcpy(hinge.frame2.orientation, turned, sizeof turned);
    ck_assert_int_eq(cardan_model_add_body(model, &body, &hinge.body2), CARDAN_OK);
    ck_assert_int_eq(cardan_model_add_joint(model, &hinge, NULL), CARDAN_OK);
    return hinge.body2;
}

/* Bodies with parallel hinges, stretched out: like a beam in the other direction, so that the
 * condition of the matrix grows with the fourth power of the length. It is not singular for that:
 * released, every link but those near the support falls freely. */
START_TEST(ten_thousand_links)
{
    enum { LINKS = 10000 };
    cardan_model *model;
    ck_assert_int_eq(cardan_model_create(&model, NULL), CARDAN_OK);
    cardan_model_set_gravity(model, (double[]){0.0, 0.0, -9.81});
    for (int i = 0, last = CARDAN_GROUND; i < LINKS; i++)
        last = add_link(model, i, last);
    ck_assert_msg(cardan_model_build(model) == CARDAN_OK, "%s", cardan_model_message(model));
    const cardan_system *system = cardan_model_system(model);
    double *q = calloc((size_t)cardan_group_size(system->group), sizeof *q);
    double *v = calloc((size_t)system->k, sizeof *v);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it;
    def.method = "ga3";
    def.newton.position = def.newton.velocity = (cardan_tolerance){1e-8, 1e-6};
    def.newton.multiplier = (cardan_tolerance){1e-4, 1e-4};
    cardan_model_initial(model, q, v);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    for (int i = 0; i < 3; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert(cd_matrix_has_blocks(it->matrix));
    ck_assert_int_eq(cd_matrix_statistics(it->matrix).pivoted, 0); /* without KLU */
    const cardan_state *state = cardan_integrator_state(it);
    for (int i = 100; i < LINKS; i++)
        ck_assert_double_eq_tol(state->v[6 * i + 2], -9.81 * state->t, 1e-6);
    ck_assert_double_gt(state->v[2], -0.75 * 9.81 * state->t);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
    free(q);
    free(v);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrate: sparse chains");
    TCase *tests = tcase_create("chains");
    tcase_set_timeout(tests, 600.0);
    tcase_add_loop_test(tests, same_motion_as_with_full_matrices, 0, 2 * METHODS);
    tcase_add_loop_test(tests, fill_and_memory_grow_with_the_length, 0, 2);
    tcase_add_loop_test(tests, blocks_are_enough, 0, 2);
    tcase_add_test(tests, full_newton_uses_no_blocks);
    tcase_add_test(tests, pivots_are_kept);
    tcase_add_test(tests, ten_thousand_links);
    suite_add_tcase(suite, tests);
    return suite;
}

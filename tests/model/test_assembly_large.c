/* Assembly of mechanisms of any size from rough guesses: the nearest places against a dense
 * least-squares solution of the same problem, and a cost that does not grow faster than the model.
 */
#include "group/rotation.h"
#include "lattice.h"
#include "linalg/lapack.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MILLIMETRE = 1e-3, DEGREE = 0.0174532925199432958;

typedef struct start {
    cardan_model *model;
    int size, k;
    double *guess, *q, *v;
    cardan_assembly *report;
    cardan_error error;
    cardan_status status;
} start;

static start assemble(const lattice_order *order)
{
    start it = {.model = make_lattice(order)};
    CHECK_MODEL(it.model, cardan_model_build(it.model));
    const cardan_system *system = cardan_model_system(it.model);
    it.size = cardan_group_size(cardan_system_describe(system).group);
    it.k = cardan_system_describe(system).dof;
    it.guess = calloc((size_t)it.size, sizeof(double));
    it.q = calloc((size_t)it.size, sizeof(double));
    it.v = calloc((size_t)it.k, sizeof(double));
    cardan_model_initial(it.model, it.guess, it.v);
    it.guess[0] += 1e-9; /* a guess of its own, not the one that build has assembled */
    memcpy(it.q, it.guess, (size_t)it.size * sizeof(double));
    it.status = cardan_model_assemble(it.model, 0.0, it.q, it.v, &it.report, &it.error);
    return it;
}

static void finish(start *it)
{
    cardan_assembly_destroy(it->report);
    cardan_model_destroy(it->model);
    free(it->guess);
    free(it->q);
    free(it->v);
}

static void expect_closed(const start *it, double tolerance)
{
    const cardan_system *system = cardan_model_system(it->model);
    const size_t m = (size_t)cardan_system_describe(system).constraint_count;
    double *zero = calloc((size_t)it->k + m, sizeof(double));
    const cardan_point at = {0.0, it->q, it->v, zero, zero, zero};
    cardan_residuals residual;
    cardan_error error;
    ck_assert_msg(it->status == CARDAN_OK, "%s", it->error.text);
    ck_assert_int_eq(cardan_system_residuals(system, &at, &residual, &error), CARDAN_OK);
    ck_assert_double_lt(residual.position, tolerance);
    free(zero);
}

/* ---- small: a dense reference ---- */

/* Rows of the reference: displacements of all bodies (angles times L), then the constraints times a
 * large number. The constraints that the system leaves out hold where the others do. */
typedef struct reference {
    const start *from;
    cardan_evaluator *evaluator;
    int k, m, bodies;
    double *q, *zero;
} reference;

static const double PENALTY = 1e5;

static void find_rows(reference *it, const double *x, double *rows)
{
    const cardan_model *model = it->from->model;
    const cardan_system *system = cardan_model_system(model);
    const double length = it->from->report->length;
    cardan_group_update(cardan_system_describe(system).group, it->from->guess, x, it->q);
    const cardan_point at = {0.0, it->q, it->zero, it->zero, it->zero, it->zero};
    const cardan_point before = {.q = it->from->guess, .v = it->zero};
    for (int b = 0; b < it->bodies; b++) {
        cardan_body_state now, then;
        double turn[9], phi[3];
        cardan_model_body_state(model, b, &at, &now);
        cardan_model_body_state(model, b, &before, &then);
        const double *R = now.rotation, *R0 = then.rotation;
        for (int i = 0; i < 9; i++)
            turn[i] = R[i / 3 * 3] * R0[i % 3 * 3] + R[i / 3 * 3 + 1] * R0[i % 3 * 3 + 1] +
                      R[i / 3 * 3 + 2] * R0[i % 3 * 3 + 2];
        cd_rotation_log(turn, phi);
        for (int i = 0; i < 3; i++) {
            rows[6 * b + i] = now.position[i] - then.position[i];
            rows[6 * b + 3 + i] = length * phi[i];
        }
    }
    double *phi = rows + 6 * it->bodies;
    ck_assert_int_eq(
        cardan_evaluator_evaluate(it->evaluator, &at, &(cardan_equations){.position = phi}),
        CARDAN_OK);
    for (int i = 0; i < it->m; i++)
        phi[i] *= PENALTY;
}

/* One Gauss-Newton step with differences; returns the largest change. */
static double improve(reference *it, double *x)
{
    const int n = 6 * it->bodies + it->m, one = 1, lwork = 64 * (n + it->k);
    const double h = 1e-5, rcond = 1e-15;
    double *J = calloc((size_t)n * (size_t)it->k, sizeof(double));
    double *r = calloc((size_t)n, sizeof(double)), *low = calloc((size_t)n, sizeof(double));
    double *work = calloc((size_t)lwork, sizeof(double)), largest = 0.0;
    int *pivot = calloc((size_t)it->k, sizeof(int)), rank, info;
    for (int j = 0; j < it->k; j++) {
        const double here = x[j];
        double *column = J + (size_t)n * (size_t)j;
        x[j] = here - h;
        find_rows(it, x, low);
        x[j] = here + h;
        find_rows(it, x, column);
        x[j] = here;
        for (int i = 0; i < n; i++)
            column[i] = (column[i] - low[i]) / (2.0 * h);
    }
    find_rows(it, x, r);
    dgelsy_(&n, &it->k, &one, J, &n, r, &n, pivot, &rcond, &rank, work, &lwork, &info);
    ck_assert_int_eq(info, 0);
    for (int j = 0; j < it->k; j++) {
        x[j] -= r[j];
        largest = fmax(largest, fabs(r[j]));
    }
    free(J);
    free(r);
    free(low);
    free(work);
    free(pivot);
    return largest;
}

/* Centres of mass and directions of all rods are those of the reference. */
static void compare(const lattice_order *order)
{
    start from = assemble(order);
    const cardan_system *system = cardan_model_system(from.model);
    reference it = {.from = &from,
                    .k = from.k,
                    .m = cardan_system_describe(system).constraint_count,
                    .bodies = cardan_model_describe(from.model).body_count,
                    .q = calloc((size_t)from.size, sizeof(double)),
                    .zero = calloc((size_t)from.k + 1000, sizeof(double))};
    double *x = calloc((size_t)it.k, sizeof(double)), change = 1.0;
    cardan_error error;
    expect_closed(&from, 1e-10);
    ck_assert_int_eq(cardan_evaluator_create(&it.evaluator, system, NULL, &error), CARDAN_OK);
    for (int i = 0; i < 40 && change > 1e-9; i++)
        change = improve(&it, x);
    ck_assert_double_le(change, 1e-9);
    const cardan_point ours = {.q = from.q, .v = it.zero}, theirs = {.q = it.q, .v = it.zero};
    for (int b = 0; b < it.bodies; b++) {
        cardan_body_state a, c;
        cardan_model_body_state(from.model, b, &ours, &a);
        cardan_model_body_state(from.model, b, &theirs, &c);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(a.position[i], c.position[i], 1e-7);
        for (int i = 0; i < 9; i++)
            ck_assert_double_eq_tol(a.rotation[i], c.rotation[i], 1e-7);
    }
    cardan_evaluator_destroy(it.evaluator);
    free(it.q);
    free(it.zero);
    free(x);
    finish(&from);
}

START_TEST(nearest_places)
{
    const cardan_joint_type types[] = {CARDAN_JOINT_SPHERICAL, CARDAN_JOINT_REVOLUTE};
    const cardan_body_form forms[] = {CARDAN_FORM_SPATIAL, CARDAN_FORM_BODY, CARDAN_FORM_SE3};
    lattice_order order = {.shape = (lattice_shape)(_i % LATTICE_SHAPES),
                           .n = _i % LATTICE_SHAPES == LATTICE_LADDER ? 2 : 5,
                           .type = types[_i / LATTICE_SHAPES],
                           .form = forms[_i % 3],
                           .shift = MILLIMETRE,
                           .turn = DEGREE};
    compare(&order);
    order.shift *= 50.0; /* rough: curvature matters */
    order.turn *= 5.0;
    compare(&order);
}
END_TEST

/* ---- large ---- */

/* As it should be is a place that closes, so that the nearest one is not further away; and the
 * number of factorizations hardly grows. */
START_TEST(large_models)
{
    lattice_order order = {.shape = (lattice_shape)_i,
                           .type = _i == LATTICE_FOURBARS ? CARDAN_JOINT_REVOLUTE
                                                          : CARDAN_JOINT_SPHERICAL,
                           .shift = MILLIMETRE,
                           .turn = DEGREE};
    int iterations[2];
    for (int size = 0; size < 2; size++) {
        order.n = (size == 0 ? 60 : 1200) / (_i == LATTICE_LADDER ? 3 : 1);
        start it = assemble(&order);
        const double length = it.report->length, mean = order.shift * order.shift / 3.0,
                     turn = length * length * order.turn * order.turn / 3.0;
        expect_closed(&it, 1e-8);
        ck_assert_double_lt(it.report->distance, sqrt(3.2 * (mean + turn) * it.k / 6.0));
        iterations[size] = it.report->iterations;
        finish(&it);
    }
    ck_assert_int_le(iterations[1], 25);
}
END_TEST

/* Hinges in a row hold their axes like a beam, whose softest bending grows with the fourth power of
 * its length: all are as parallel as rounding allows, so that loops of them have three rows too
 * many, each, and no more. */
START_TEST(thousands_of_hinges)
{
    const lattice_shape shape[] = {LATTICE_CHAIN, LATTICE_RING, LATTICE_LADDER, LATTICE_FOURBARS};
    const int n[] = {3000, 3000, 900, 1000}, loops[] = {0, 1, 900, 1000};
    const lattice_order order = {.shape = shape[_i],
                                 .n = n[_i],
                                 .type = CARDAN_JOINT_REVOLUTE,
                                 .shift = MILLIMETRE,
                                 .turn = DEGREE};
    start it = assemble(&order);
    expect_closed(&it, 1e-9);
    ck_assert_int_eq(cardan_model_redundancy(it.model)->count, 3 * loops[_i]);
    ck_assert_int_le(it.report->iterations, 25);
    for (int b = 0; b < cardan_model_describe(it.model).body_count; b++) {
        const cardan_point at = {.q = it.q, .v = it.v};
        cardan_body_state body;
        cardan_model_body_state(it.model, b, &at, &body);
        ck_assert_double_le(fabs(body.rotation[2]), 1e-12);
        ck_assert_double_le(fabs(body.rotation[5]), 1e-12);
        ck_assert_double_le(fabs(body.position[2]), 1e-9);
    }
    finish(&it);
}
END_TEST

/* The guess that build has assembled already: the same places, and next to no work. */
START_TEST(known_start)
{
    const lattice_order order = {.shape = LATTICE_LADDER,
                                 .n = 30,
                                 .type = CARDAN_JOINT_SPHERICAL,
                                 .shift = MILLIMETRE,
                                 .turn = DEGREE};
    start it = assemble(&order);
    cardan_assembly *report;
    double *q = calloc((size_t)it.size, sizeof(double));
    cardan_model_initial(it.model, q, it.v);
    ck_assert_int_eq(cardan_model_assemble(it.model, 0.0, q, it.v, &report, &it.error), CARDAN_OK);
    for (int i = 0; i < it.size; i++)
        ck_assert_double_eq_tol(q[i], it.q[i], 2e-9);
    ck_assert_double_eq_tol(report->distance, it.report->distance, 1e-8);
    ck_assert_int_eq(report->moved_count, it.report->moved_count);
    ck_assert_int_lt(report->iterations, 2);
    cardan_assembly_destroy(report);
    free(q);
    finish(&it);
}
END_TEST

/* One pin of many in a place where it still can close, though not without others. */
START_TEST(gap_that_closes)
{
    const lattice_order order = {.shape = LATTICE_RING,
                                 .n = 1000,
                                 .type = CARDAN_JOINT_REVOLUTE,
                                 .shift = MILLIMETRE,
                                 .turn = DEGREE,
                                 .is_spoilt = true,
                                 .spoilt = 500,
                                 .gap = 3.5};
    start it = assemble(&order);
    expect_closed(&it, 1e-9);
    ck_assert_int_eq(cardan_model_redundancy(it.model)->count, 3);
    finish(&it);
}
END_TEST

/* One pin of many in the wrong place: it and its neighbours are named with what remains. */
START_TEST(gap_in_a_large_model)
{
    const lattice_order order = {.shape = LATTICE_FOURBARS,
                                 .n = 400,
                                 .type = CARDAN_JOINT_REVOLUTE,
                                 .shift = MILLIMETRE,
                                 .turn = DEGREE,
                                 .is_spoilt = true,
                                 .spoilt = 3 * 200 - 1,
                                 .gap = 3.5};
    start it = assemble(&order);
    ck_assert_int_eq(it.status, CARDAN_INCONSISTENT_START);
    ck_assert_int_gt(it.report->gap_count, 0);
    ck_assert_ptr_nonnull(strstr(it.error.text, "`pin599` by 0."));
    ck_assert_int_le(abs(it.report->gaps[0].joint - order.spoilt), 4);
    ck_assert_double_gt(it.report->gaps[0].distance, 0.2);
    /* the other loops are closed, and not held up by this one */
    ck_assert_int_le(it.report->gap_count, 400);
    finish(&it);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("assembly_large");
    TCase *tcase = tcase_create("assembly_large");
    tcase_set_timeout(tcase, 240.0);
    tcase_add_loop_test(tcase, nearest_places, 0, 2 * LATTICE_SHAPES);
    tcase_add_loop_test(tcase, large_models, 0, LATTICE_SHAPES);
    tcase_add_loop_test(tcase, thousands_of_hinges, 0, 4);
    tcase_add_test(tcase, known_start);
    tcase_add_test(tcase, gap_that_closes);
    tcase_add_test(tcase, gap_in_a_large_model);
    suite_add_tcase(suite, tcase);
    return suite;
}

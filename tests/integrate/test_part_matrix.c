/* The iteration matrix of models, assembled in a part only: its factors are those of a matrix that
 * was assembled as a whole twice, at two places, and has the units of the part from the second. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lattice.h"
#include "models.h"
#include "next_step.h"
#include "suite.h"
#include "system/workspace.h"

#include <stdlib.h>

typedef struct subject {
    const char *method;
    lattice_order order;
} subject;

static const subject subjects[] = {
    {"ga3", {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_SPHERICAL}},
    {"ga2s", {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_SPHERICAL}},
    {"ga3", {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_REVOLUTE}},
    {"ga2s", {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_REVOLUTE}},
    {"ga3",
     {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_SPHERICAL, .form = CARDAN_FORM_BODY}},
    {"ga3", {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_REVOLUTE, .planar = true}},
    {"ga2s", {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_REVOLUTE, .planar = true}},
    {"ga3", {.shape = LATTICE_LADDER, .n = 90, .type = CARDAN_JOINT_SPHERICAL}},
    {"ga3", {.shape = LATTICE_RING, .n = 300, .type = CARDAN_JOINT_SPHERICAL}},
    {"ga3", {.shape = LATTICE_TREE, .n = 300, .type = CARDAN_JOINT_REVOLUTE}},
    /* so many that increments are not kept (src/scheme/ga.c) */
    {"ga3", {.shape = LATTICE_CHAIN, .n = 1300, .type = CARDAN_JOINT_SPHERICAL}},
    {"ga3", {.shape = LATTICE_CHAIN, .n = 1300, .type = CARDAN_JOINT_REVOLUTE, .planar = true}},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static int turn(void *context, double t, const cardan_body_state *body1,
                const cardan_body_state *body2, double force1[3], double moment1[3],
                double force2[3], double moment2[3])
{
    (void)context, (void)t, (void)moment2, (void)force2;
    for (int i = 0; i < 3; i++) {
        force1[i] = -5.0 * body1->position[i] - 9.0 * (body1->velocity[i] - body2->velocity[i]);
        moment1[i] = -4.0 * body1->angular_velocity[i];
    }
    return 0;
}

/* Springs, dampers and a user's force. */
static cardan_model *make_model(const lattice_order *order)
{
    const double side = order->type == CARDAN_JOINT_SPHERICAL ? 0.5 : 0.0;
    cardan_model *model = make_lattice(order);
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){1.0, -9.81, side}));
    for (int i = 0; i < 12; i++) {
        cardan_force_def def = cardan_force_def_default();
        def.type = i % 4 == 3 ? CARDAN_FORCE_USER : CARDAN_FORCE_SPRING;
        def.body1 = i;
        def.body2 = i % 3 == 0 ? CARDAN_GROUND : i + 2;
        def.frame1.position[1] = 0.2;
        def.frame2.position[1] = 0.7;
        def.length = 2.0;
        def.stiffness = 20.0;
        def.damping = 5.0;
        def.user = i % 4 == 3 ? turn : NULL;
        CHECK_MODEL(model, cardan_model_add_force(model, &def, NULL));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static cardan_integrator *start(const cardan_model *model, const char *method)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = 2e-3;
    def.threads = 1;
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-8, 1e-6};
    return start_model(model, &def);
}

static void march(cardan_integrator *it, int steps)
{
    for (int i = 0; i < steps; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
}

/* An iterate of the next step: the prediction, corrected. */
static void iterate(cardan_integrator *it)
{
    double *residual = calloc((size_t)it->newton.n, sizeof *residual);
    double *change = calloc((size_t)it->newton.n, sizeof *change);
    for (int i = 0; i < it->system->k; i++)
        change[i] = 1e-2 * sin(0.7 * i);
    prepare_next_step(it);
    it->scheme->correct(&it->step, change, 1.0);
    ck_assert_int_eq(it->scheme->residual(&it->step, residual), CARDAN_OK);
    free(residual);
    free(change);
}

/* The whole or, if that is open, the part. */
static void assemble(cardan_integrator *it)
{
    if (!cd_matrix_part_is_open(it->matrix))
        cd_matrix_clear(it->matrix);
    ck_assert_int_eq(it->scheme->assemble(&it->step, it->terms, it->term_count, it->matrix),
                     CARDAN_OK);
}

static double *copy_values(const cd_block_lu *lu)
{
    double *copy = calloc(cd_block_lu_entries(lu), sizeof *copy);
    memcpy(copy, lu->values, cd_block_lu_entries(lu) * sizeof *copy);
    return copy;
}

/* Solutions with some right-hand side in all rows but those of the tree. */
static double *solve(const cardan_integrator *it)
{
    double *x = calloc((size_t)it->newton.n, sizeof *x);
    for (int i = 0; i < cd_matrix_lu(it->matrix)->n; i++)
        x[i] = cos(1.3 * i);
    cd_matrix_solve(it->matrix, x);
    return x;
}

static double difference(int n, const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest / cd_max_abs(n, y);
}

static double *factor_and_solve(const cardan_integrator *it, const double *values)
{
    const cd_block_lu *lu = cd_matrix_lu(it->matrix);
    memcpy(lu->values, values, cd_block_lu_entries(lu) * sizeof *values);
    ck_assert_int_eq(cd_matrix_factor(it->matrix), CARDAN_OK);
    return solve(it);
}

/* Takes the unit's numbers in the part from `fresh`. */
static double *mix(const cd_block_lu *lu, const double *old, const double *fresh)
{
    double *mixed = calloc(cd_block_lu_entries(lu), sizeof *mixed);
    for (int unit = 0; unit < lu->count; unit++) {
        const size_t begin = lu->offset[unit], count = lu->offset[unit + 1] - begin;
        memcpy(mixed + begin, (lu->part.in[unit] ? fresh : old) + begin, count * sizeof *mixed);
    }
    return mixed;
}

/* The bodies next to the ground. */
static void choose(const cardan_integrator *it)
{
    const int k = it->system->k;
    double *x = calloc((size_t)it->newton.n, sizeof *x);
    for (int i = 0; i < k / 40; i++)
        x[i] = 1.0;
    ck_assert(cd_matrix_choose_part(it->matrix, k, 0.5, x, 0));
    ck_assert_double_gt(cd_matrix_part_share(it->matrix), 0.0);
    free(x);
}

START_TEST(parts_are_those_of_the_whole)
{
    cardan_model *model = make_model(&subjects[_i].order);
    cardan_integrator *it = start(model, subjects[_i].method);
    const cd_block_lu *lu = cd_matrix_lu(it->matrix);
    iterate(it);
    assemble(it);
    double *old = copy_values(lu);
    march(it, 40); /* and everybody has turned */
    iterate(it);
    free(factor_and_solve(it, old));
    cd_matrix_forget_part(it->matrix);
    choose(it);
    const cd_scales scales = it->ws->scales;
    cd_matrix_open_part(it->matrix);
    assemble(it);
    ck_assert_mem_eq(&it->ws->scales, &scales, sizeof scales);
    ck_assert_int_eq(cd_matrix_factor(it->matrix), CARDAN_OK);
    double *found = solve(it);
    assemble(it);
    double *fresh = copy_values(lu), *mixed = mix(lu, old, fresh);
    double *expected = factor_and_solve(it, mixed);
    double *with_old = factor_and_solve(it, old), *with_new = factor_and_solve(it, fresh);
    ck_assert_double_ge(difference(lu->n, with_old, expected), 1e-3);
    ck_assert_double_ge(difference(lu->n, with_new, expected), 1e-6);
    ck_assert_double_le(difference(lu->n, found, expected), 1e-9);
    double *all[] = {old, found, fresh, mixed, expected, with_old, with_new};
    for (int i = 0; i < 7; i++)
        free(all[i]);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("iteration matrices in parts");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, parts_are_those_of_the_whole, 0, SUBJECTS);
    suite_add_tcase(suite, all);
    return suite;
}

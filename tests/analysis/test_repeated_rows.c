/* Accelerations and multipliers where constraints repeat each other, exactly or nearly: loads are
 * then shared equally, as by exact repetition, and not made huge by what the rows differ by. */
#include "base/numeric.h"
#include "suite.h"
#include "system/system.h"

#include "analysis/linearise.h"

#include <cardan/cardan.h>

/* A unit mass in a space of so many dimensions, held by two rows along the first one that differ by
 * `apart`, and pushed. */
typedef struct pushed {
    int k;
    double apart;
} pushed;

static int give_mass(void *context, const cardan_point *at, double *out)
{
    const int k = ((const pushed *)context)->k;
    (void)at;
    for (int i = 0; i < k; i++)
        out[i * k + i] = 1.0;
    return 0;
}

static int give_rows(void *context, const cardan_point *at, double *out)
{
    const pushed *p = context;
    (void)at;
    out[0] = out[p->k] = 1.0;
    out[p->k + 1] = p->apart;
    return 0;
}

static int give_constraints(void *context, const cardan_point *at, double *out)
{
    const pushed *p = context;
    out[0] = at->q[0];
    out[1] = at->q[0] + p->apart * at->q[1];
    return 0;
}

static int give_zeros(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at, (void)out;
    return 0;
}

/* M v' + g + B^T lambda = 0 */
static int give_force(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = 2.0;
    out[1] = 0.5;
    return 0;
}

static void solve(pushed *p, bool sparse, double *vdot, double *lambda)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, p->k};
    cardan_group *group;
    cardan_system *system;
    cardan_error error = {0};
    cd_arena arena;
    double zeros[128] = {0.0}, psi = 0.0;
    const cardan_point at = {0.0, zeros, zeros, zeros, zeros, zeros};
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.context = p;
    def.constraints = 2;
    def.constant_mass = true;
    def.mass = give_mass;
    def.constraint = give_constraints;
    def.constraint_dq = give_rows;
    def.hidden_dq = give_zeros;
    def.reaction_dq = give_zeros;
    def.force = give_force;
    def.force_dq = give_zeros;
    def.force_dv = give_zeros;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    system->dense_up_to = sparse ? -1 : system->dense_up_to;
    cd_arena_init(&arena, NULL);
    cd_workspace *ws = cd_workspace_create(&arena, system, &error);
    ck_assert_msg(cd_accelerations(&arena, ws, system, &at, vdot, lambda, &psi, &error) ==
                      CARDAN_OK,
                  "%s", error.text);
    cd_arena_destroy(&arena);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}

static const struct {
    int k;
    double apart;
    bool sparse;
} cases[] = {{3, 0.0, false},   {3, 1e-9, false}, {3, 1e-7, false},
             {50, 1e-7, false}, {3, 1e-7, true},  {50, 1e-7, true}};

START_TEST(loads_of_rows_that_repeat_each_other_are_shared)
{
    pushed p = {cases[_i].k, cases[_i].apart};
    double vdot[128] = {0.0}, lambda[2] = {0.0};
    solve(&p, cases[_i].sparse, vdot, lambda);
    ck_assert_double_eq_tol(lambda[0], -1.0, 1e-6);
    ck_assert_double_eq_tol(lambda[1], -1.0, 1e-6);
    ck_assert_double_eq_tol(vdot[0], 0.0, 1e-6);
    ck_assert_double_eq_tol(vdot[1], -0.5, 1e-6);
}
END_TEST

/* Rows that differ by more than rounding are independent: nothing moves along both. */
START_TEST(rows_that_differ_hold_what_they_differ_by)
{
    pushed p = {3, 1e-3};
    double vdot[128] = {0.0}, lambda[2] = {0.0};
    solve(&p, _i == 1, vdot, lambda);
    ck_assert_double_eq_tol(lambda[0], -2.0 + 500.0, 1e-6);
    ck_assert_double_eq_tol(lambda[1], -500.0, 1e-6);
    ck_assert_double_eq_tol(vdot[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(vdot[1], 0.0, 1e-8);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("repeated rows");
    TCase *tests = tcase_create("accelerations");
    tcase_add_loop_test(tests, loads_of_rows_that_repeat_each_other_are_shared, 0,
                        sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, rows_that_differ_hold_what_they_differ_by, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

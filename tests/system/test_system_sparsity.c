/* Groups of columns that are found by probing: derivatives are those of single columns to the last
 * bit, also when equations begin to depend on other coordinates. */
#include "base/numeric.h"
#include "suite.h"
#include "swarm.h"
#include "system/workspace.h"

enum { COUNT = 24, MOST_DOF = 6 * COUNT, MOST_SIZE = 12 * COUNT };

static swarm particles;
static cardan_system *particle_system;
static cd_arena memory;
static cd_workspace *grouped, *single;
static cardan_error error;
static double q[MOST_SIZE], v[MOST_DOF], vdot[MOST_DOF], lambda[COUNT];
static unsigned seed;

static double draw(double size)
{
    seed = seed * 1664525u + 1013904223u;
    return size * (2.0 * (double)(seed >> 8) / (double)0xFFFFFFu - 1.0);
}

static void open_workspaces(void)
{
    cd_arena_init(&memory, NULL);
    grouped = cd_workspace_create(&memory, particle_system, &error);
    single = cd_workspace_create(&memory, particle_system, &error);
    cd_workspace_expect(grouped, &memory, NULL, 0);
    ck_assert(!memory.failed);
}

static void open_swarm(swarm what)
{
    particles = what;
    particle_system = swarm_system(&particles);
    open_workspaces();
    swarm_initial(&particles, q, v);
    seed = 3;
}

static void close_swarm(void)
{
    cd_arena_destroy(&memory);
    cardan_system_destroy(particle_system);
    swarm_close(&particles);
}

static cardan_point random_point(double t, double size)
{
    const cardan_group *group = cardan_system_describe(particle_system).group;
    double move[MOST_DOF];
    for (int i = 0; i < swarm_dof(&particles); i++) {
        move[i] = draw(size);
        v[i] = draw(2.0);
        vdot[i] = draw(5.0);
    }
    for (int i = 0; i < COUNT / 2; i++)
        lambda[i] = draw(10.0);
    cardan_group_update(group, q, move, q);
    return (cardan_point){t, q, v, vdot, lambda, NULL};
}

static const cd_sparsity *sparsity_of(cd_derivative_id id)
{
    const cd_derivative_info info = cd_derivative_of(particle_system, id);
    return cd_sparsity_of(grouped, (cd_pattern_id)info.pattern, info.equation);
}

static bool is_known(cd_derivative_id id)
{
    return sparsity_of(id)->groups > 0;
}

static const cd_derivative_id matrices[] = {CD_D_constraint_dq, CD_D_hidden_dq, CD_D_reaction_dq,
                                            CD_D_inertia_dq,    CD_D_force_dq,  CD_D_force_dv};
enum { MATRICES = sizeof matrices / sizeof matrices[0] };

static void compare_matrix(cd_derivative_id id, const cardan_point *at)
{
    static double one[MOST_DOF * MOST_DOF], other[MOST_DOF * MOST_DOF];
    const cd_derivative_info info = cd_derivative_of(particle_system, id);
    ck_assert_int_eq(cd_derivative(grouped, 0, id, at, one), CARDAN_OK);
    ck_assert_int_eq(cd_derivative(single, 0, id, at, other), CARDAN_OK);
    for (int i = 0; i < info.entries; i++)
        ck_assert_msg(one[i] == other[i], "%s, row %d, column %d: %.17g by groups, %.17g",
                      info.name, i / info.cols, i % info.cols, one[i], other[i]);
}

static void compare(const cardan_point *at)
{
    for (int i = 0; i < MATRICES; i++)
        compare_matrix(matrices[i], at);
}

/* Near the start, where many coordinates are zero, then far from it. */
START_TEST(same_bits)
{
    open_swarm((swarm){.count = COUNT, .bodies = _i == 1});
    const cardan_point start = {0.0, q, v, vdot, lambda, NULL};
    compare(&start);
    for (int trial = 0; trial < (_i == 1 ? 2 : 10); trial++) {
        const cardan_point at = random_point(0.0, 0.3);
        compare(&at);
    }
    for (int i = 0; i < MATRICES; i++)
        ck_assert_msg(is_known(matrices[i]), "matrix %d", i);
    close_swarm();
}
END_TEST

/* The first row on the last particle; two rows on the distance of two particles, which are in one
 * group until then; the mass. Every matrix sees it in its first evaluation. */
static const struct {
    swarm_late late;
    cd_derivative_id id;
} late[] = {{SWARM_CONSTRAINT, CD_D_constraint_dq}, {SWARM_CONSTRAINT, CD_D_hidden_dq},
            {SWARM_CONSTRAINT, CD_D_reaction_dq},   {SWARM_FORCE, CD_D_force_dq},
            {SWARM_FORCE_TIME, CD_D_force_dq},      {SWARM_MASS, CD_D_inertia_dq}};

START_TEST(late_entries)
{
    open_swarm((swarm){.count = COUNT, .late = late[_i].late});
    cardan_point at = random_point(0.0, 1e-3);
    at.t = -1.0;
    q[1] = -0.1;
    compare(&at);
    ck_assert(is_known(late[_i].id));
    ck_assert_int_eq(sparsity_of(late[_i].id)->mistakes, 0);
    at.t = 1.0;
    q[1] = 0.1;
    compare_matrix(late[_i].id, &at);
    ck_assert_int_eq(sparsity_of(late[_i].id)->mistakes, 1);
    compare(&at);
    ck_assert(is_known(late[_i].id));
    close_swarm();
}
END_TEST

/* Where the first particle is about to open the late part: some points of a difference are behind
 * it and others are not. */
START_TEST(at_the_corner)
{
    open_swarm((swarm){.count = COUNT, .late = SWARM_CONSTRAINT});
    const cardan_point at = random_point(0.0, 1e-3);
    for (int i = 0; i <= 20; i++) {
        q[1] = 0.02 + 4e-5 * (i - 10);
        cd_workspace_forget(grouped);
        q[1] -= 0.1;
        compare(&at);
        q[1] += 0.1;
        compare(&at);
    }
    close_swarm();
}
END_TEST

START_TEST(values_that_differ_from_call_to_call)
{
    open_swarm((swarm){.count = COUNT, .quirk = SWARM_NOISE});
    const cardan_point at = random_point(0.0, 0.1);
    static double one[MOST_DOF * MOST_DOF], other[MOST_DOF * MOST_DOF];
    for (int trial = 0; trial < 3; trial++) {
        ck_assert_int_eq(cd_derivative(grouped, 0, CD_D_force_dq, &at, one), CARDAN_OK);
        ck_assert_int_eq(cd_derivative(single, 0, CD_D_force_dq, &at, other), CARDAN_OK);
        for (int i = 0; i < MOST_DOF * MOST_DOF / 4; i++)
            ck_assert_double_eq_tol(one[i], other[i], 1e-5);
    }
    ck_assert(!is_known(CD_D_force_dq));
    close_swarm();
}
END_TEST

/* Points that only groups need, and points that only probing needs. */
START_TEST(points_that_are_refused)
{
    open_swarm((swarm){.count = COUNT, .quirk = _i == 0 ? SWARM_NARROW : SWARM_NARROW_NAN});
    const cardan_point at = {0.0, q, v, vdot, lambda, NULL};
    compare(&at);
    ck_assert_int_eq(error.status, CARDAN_OK);
    close_swarm();
    open_swarm((swarm){.count = COUNT, .quirk = SWARM_FLAT});
    compare_matrix(CD_D_constraint_dq, &at);
    ck_assert(is_known(CD_D_constraint_dq));
    ck_assert_int_eq(error.status, CARDAN_OK);
    close_swarm();
}
END_TEST

/* Where nothing has a value: the failure of single columns, and no harm done. */
START_TEST(point_without_values)
{
    open_swarm((swarm){.count = COUNT, .quirk = SWARM_FLAT});
    const cardan_point at = {0.0, q, v, vdot, lambda, NULL};
    static double b[COUNT * MOST_DOF];
    compare_matrix(CD_D_constraint_dq, &at);
    q[2] = q[5] = 0.1;
    ck_assert_int_eq(cd_derivative(grouped, 0, CD_D_constraint_dq, &at, b), CARDAN_CALLBACK_RETRY);
    ck_assert_int_eq(error.status, CARDAN_CALLBACK_RETRY);
    q[2] = q[5] = 0.0;
    compare_matrix(CD_D_constraint_dq, &at);
    ck_assert(is_known(CD_D_constraint_dq));
    close_swarm();
}
END_TEST

static int unit_mass(void *context, const cardan_point *at, double *m)
{
    (void)context, (void)at;
    for (int i = 0; i < 16; i++)
        m[17 * i] = 1.0;
    return 0;
}

/* Row 0 needs two columns, so the second of them has a group of its own; later row 5 needs it, too.
 */
static int two_columns(void *context, const cardan_point *at, double *g)
{
    (void)context;
    for (int i = 0; i < 16; i++)
        g[i] = at->q[i];
    g[0] += 3.0 * at->q[1];
    g[1] = 0.0;
    g[5] += at->t > 0.0 ? 2.0 * at->q[1] : 0.0;
    return 0;
}

START_TEST(group_of_one_column)
{
    cardan_group *group = NULL;
    const cardan_factor factor = {.kind = CARDAN_RN, .n = 16};
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.mass = unit_mass;
    def.force = two_columns;
    ck_assert_int_eq(cardan_system_create(&particle_system, &def, NULL), CARDAN_OK);
    open_workspaces();
    cardan_point at = {-1.0, q, v, vdot, NULL, NULL};
    compare_matrix(CD_D_force_dq, &at);
    ck_assert_int_eq(sparsity_of(CD_D_force_dq)->groups, 2);
    at.t = 1.0;
    compare_matrix(CD_D_force_dq, &at);
    ck_assert_int_eq(sparsity_of(CD_D_force_dq)->mistakes, 1);
    cardan_group_destroy(group);
    close_swarm();
}
END_TEST

/* Springs between all give a full matrix, of which little has been tried. */
START_TEST(full_matrix)
{
    open_swarm((swarm){.count = COUNT, .all = true});
    const cardan_point at = random_point(0.0, 0.1);
    static double matrix[MOST_DOF * MOST_DOF];
    ck_assert_int_eq(cd_derivative(grouped, 0, CD_D_force_dq, &at, matrix), CARDAN_OK);
    ck_assert(!is_known(CD_D_force_dq));
    ck_assert_int_le(particles.force_calls, 4 * swarm_dof(&particles));
    compare(&at);
    close_swarm();
}
END_TEST

START_TEST(small_systems_are_left_alone)
{
    open_swarm((swarm){.count = 4});
    ck_assert_ptr_null(cd_sparsity_of(grouped, CD_P_constraint_dq, CD_CONSTRAINT));
    close_swarm();
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("system: groups of columns that are found");
    TCase *tests = tcase_create("sparsity");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, same_bits, 0, 2);
    tcase_add_loop_test(tests, late_entries, 0, (int)(sizeof late / sizeof late[0]));
    tcase_add_test(tests, at_the_corner);
    tcase_add_test(tests, values_that_differ_from_call_to_call);
    tcase_add_loop_test(tests, points_that_are_refused, 0, 2);
    tcase_add_test(tests, point_without_values);
    tcase_add_test(tests, group_of_one_column);
    tcase_add_test(tests, full_matrix);
    tcase_add_test(tests, small_systems_are_left_alone);
    suite_add_tcase(suite, tests);
    return suite;
}

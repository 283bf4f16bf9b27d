/* An allocator that fails at its n-th call, for every n: a status, no leak, no crash. */
#include "beads.h"
#include "experiment.h"
#include "lab/problems/problem_type.h"
#include "suite.h"
#include "zoo.h"

#include <stdlib.h>

typedef struct miser {
    long calls, fail_at, outstanding;
} miser;

static void *miser_allocate(size_t size, void *context)
{
    miser *m = context;
    if (++m->calls == m->fail_at)
        return NULL;
    m->outstanding++;
    return malloc(size > 0 ? size : 1);
}

static void miser_release(void *memory, void *context)
{
    ((miser *)context)->outstanding--;
    free(memory);
}

static cardan_allocator allocator_of(miser *m)
{
    return (cardan_allocator){miser_allocate, miser_release, m};
}

static cardan_system *good_system(cardan_group *group, zoo *animals)
{
    cardan_system *system = NULL;
    const cardan_system_def def = zoo_def(group, animals);
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    return system;
}

START_TEST(group)
{
    const cardan_factor factors[] = {{CARDAN_RN, CARDAN_LEFT, 2}, {CARDAN_SE3, CARDAN_RIGHT, 0}};
    long n = 0;
    cardan_status status;
    do {
        miser m = {.fail_at = ++n};
        const cardan_allocator allocator = allocator_of(&m);
        cardan_group *made = NULL;
        cardan_error error = {0};
        status = cardan_group_create(&made, factors, 2, &allocator, &error);
        if (status != CARDAN_OK) {
            ck_assert_int_eq(status, CARDAN_OUT_OF_MEMORY);
            ck_assert_int_ne(error.text[0], '\0');
            ck_assert_ptr_null(made);
        }
        cardan_group_destroy(made);
        ck_assert_int_eq(m.outstanding, 0);
    } while (status != CARDAN_OK);
    ck_assert_int_gt(n, 1);
}
END_TEST

START_TEST(system_)
{
    static const char *const names[] = {"a", "b", "c"};
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *space = zoo_group();
    long n = 0;
    cardan_status status;
    do {
        miser m = {.fail_at = ++n};
        cardan_system_def def = zoo_def(space, &animals);
        cardan_system *made = NULL;
        cardan_error error = {0};
        def.allocator = allocator_of(&m);
        def.velocity_names = def.constraint_names = def.nonholonomic_names = names;
        status = cardan_system_create(&made, &def, &error);
        if (status != CARDAN_OK) {
            ck_assert_int_eq(status, CARDAN_OUT_OF_MEMORY);
            ck_assert_int_eq(error.status, CARDAN_OUT_OF_MEMORY);
            ck_assert_ptr_null(made);
        }
        cardan_system_destroy(made);
        ck_assert_int_eq(m.outstanding, 0);
    } while (status != CARDAN_OK);
    ck_assert_int_gt(n, 5);
    cardan_group_destroy(space);
}
END_TEST

START_TEST(integrator)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *space = zoo_group();
    cardan_system *system = good_system(space, &animals);
    long n = 0;
    cardan_status status;
    do {
        miser m = {.fail_at = ++n};
        cardan_integrator_def def = cardan_integrator_def_default();
        def.step = 1e-3;
        cardan_integrator *made = NULL;
        cardan_error error = {0};
        def.allocator = allocator_of(&m);
        def.method = cardan_method_describe(_i).name;
        status = cardan_integrator_create(&made, system, &def, &error);
        if (status == CARDAN_UNSUPPORTED)
            break; /* this method is not for this system */
        if (status != CARDAN_OK) {
            ck_assert_msg(status == CARDAN_OUT_OF_MEMORY, "%s", error.text);
            ck_assert_int_eq(error.status, CARDAN_OUT_OF_MEMORY);
            ck_assert_ptr_null(made);
        }
        cardan_integrator_destroy(made);
        ck_assert_int_eq(m.outstanding, 0);
    } while (status != CARDAN_OK);
    if (status == CARDAN_OK)
        ck_assert_int_gt(n, 10);
    cardan_system_destroy(system);
    cardan_group_destroy(space);
}
END_TEST

/* The checker and the energy borrow from the system's allocator and give everything back. */
START_TEST(borrowed_memory)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    miser m = {0};
    cardan_group *space = zoo_group();
    cardan_system_def def = zoo_def(space, &animals);
    cardan_system *made = NULL;
    def.allocator = allocator_of(&m);
    ck_assert_int_eq(cardan_system_create(&made, &def, NULL), CARDAN_OK);
    const long kept = m.outstanding;
    const double vdot[3] = {0.9, -1.3, 0.6}, multiplier = 1.7;
    const cardan_point at = {zoo_time, zoo_q, zoo_v, vdot, &multiplier, &multiplier};
    cardan_status status;
    long n = 0;
    do {
        double kinetic, potential;
        cardan_error error = {0};
        m.calls = 0;
        m.fail_at = ++n;
        status = cardan_system_check(made, &at, 0.0, &error);
        ck_assert(status == CARDAN_OK || status == CARDAN_OUT_OF_MEMORY);
        ck_assert_int_eq(m.outstanding, kept);
        m.calls = 0;
        const cardan_status energy = cardan_system_energy(made, &at, &kinetic, &potential, &error);
        ck_assert(energy == CARDAN_OK || energy == CARDAN_OUT_OF_MEMORY);
        ck_assert_int_eq(m.outstanding, kept);
    } while (status != CARDAN_OK);
    ck_assert_int_gt(n, 5);
    cardan_system_destroy(made);
    ck_assert_int_eq(m.outstanding, 0);
    cardan_group_destroy(space);
}
END_TEST

/* Modes and equilibrium of hanging beads, with the allocator of the system. */
static cardan_status analyse(const cardan_system *system, bool static_, cardan_error *error)
{
    double q[6] = {0.0}, v[6] = {0.0}, lambda[2];
    cardan_modes *modes;
    q[0] = 0.6;
    q[3] = 1.2;
    q[1] = q[4] = -0.8;
    if (static_)
        return cardan_equilibrium_find(system, 0.0, q, lambda, NULL, NULL, NULL, error);
    const cardan_point at = {.q = q, .v = v};
    cardan_status status = cardan_modes_create(&modes, system, &at, NULL, error);
    cardan_modes_destroy(modes);
    return status;
}

START_TEST(analyses)
{
    beads b;
    beads_open(&b, 2, false);
    cardan_group *space = beads_group(&b);
    miser m = {.fail_at = 0};
    cardan_system_def def = beads_def(&b, space);
    cardan_system *system = NULL;
    def.allocator = allocator_of(&m);
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    const long before = m.outstanding;
    long n = 0;
    cardan_status status;
    do {
        cardan_error error = {0};
        m.calls = 0;
        m.fail_at = ++n;
        status = analyse(system, _i == 1, &error);
        ck_assert_int_eq(m.outstanding, before);
        ck_assert_msg(status == CARDAN_OK || status == CARDAN_OUT_OF_MEMORY, "%s", error.text);
        ck_assert_int_eq(error.text[0] == '\0', status == CARDAN_OK);
    } while (status != CARDAN_OK);
    ck_assert_int_gt(n, 10);
    cardan_system_destroy(system);
    cardan_group_destroy(space);
    beads_close(&b);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: out of memory");
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, group);
    tcase_add_test(tests, system_);
    tcase_add_loop_test(tests, integrator, 0, cardan_method_count());
    tcase_add_loop_test(tests, analyses, 0, 2);
    tcase_add_test(tests, borrowed_memory);
    suite_add_tcase(suite, tests);
    return suite;
}

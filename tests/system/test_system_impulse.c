/* The impulse equations with constraints and with contacts that are hit together, against closed
 * forms and against all combinations of open and closed contacts. */
#include "base/error.h"
#include "base/numeric.h"
#include "suite.h"
#include "system/impulse.h"

#include <stdio.h>

enum { DOF = 3, MOST = 4 };

/* A point in space with masses 1, 2, 3 along the axes; with a constraint along `row` or without. */
typedef struct space {
    double row[DOF], drift;
} space;

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    out[4] = 2.0;
    out[8] = 3.0;
    return 0;
}

static int plane(void *context, const cardan_point *at, double *out)
{
    const space *s = context;
    out[0] = cd_dot(DOF, s->row, at->q) - s->drift * at->t;
    return 0;
}

static int plane_dq(void *context, const cardan_point *at, double *out)
{
    (void)at;
    cd_copy(DOF, ((const space *)context)->row, out);
    return 0;
}

typedef struct setting {
    cardan_group *group;
    cardan_system *system;
    cd_arena arena;
    cardan_error error;
    cd_impulse *impulse;
} setting;

static void open_setting(setting *s, space *data, int constraints)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, DOF};
    ck_assert_int_eq(cardan_group_create(&s->group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = s->group;
    def.context = data;
    def.mass = mass;
    def.constraints = constraints;
    def.constraint = constraints > 0 ? plane : NULL;
    def.constraint_dq = constraints > 0 ? plane_dq : NULL;
    def.rheonomic = constraints > 0;
    ck_assert_int_eq(cardan_system_create(&s->system, &def, NULL), CARDAN_OK);
    cd_arena_init(&s->arena, NULL);
    cd_workspace *ws = cd_workspace_create(&s->arena, s->system, &s->error);
    cd_projector *projector = cd_projector_create(&s->arena, ws, s->system, NULL, &s->error);
    ck_assert_ptr_nonnull(projector);
    s->impulse = cd_impulse_create(&s->arena, projector, MOST);
    ck_assert_ptr_nonnull(s->impulse);
}

static void close_setting(setting *s)
{
    cd_arena_destroy(&s->arena);
    cardan_system_destroy(s->system);
    cardan_group_destroy(s->group);
}

/* v+ obeys the moving plane and goes back along the normal; impulses balance the momentum. */
START_TEST(one_contact_with_a_constraint)
{
    space data = {{0.0, 1.0, -1.0}, 0.5};
    setting s;
    open_setting(&s, &data, 1);
    const double q[DOF] = {0, 0, 0}, n[DOF] = {0.6, 0.8, 0.0}, rate = 0.3, e = 0.7;
    double v[DOF] = {-2.0, 0.25, -0.25}, p, reaction;
    const double before[DOF] = {v[0], v[1], v[2]};
    const cd_contacts contact = {1, n, &rate, &e, &p};
    ck_assert_int_eq(cd_impulse_apply(s.impulse, 0.0, q, &contact, v, &reaction), CARDAN_OK);
    ck_assert_double_eq_tol(v[1] - v[2], 0.5, 1e-10);
    ck_assert_double_eq_tol(cd_dot(DOF, n, v) + rate, -e * (cd_dot(DOF, n, before) + rate), 1e-10);
    ck_assert_double_gt(p, 0.0);
    for (int i = 0; i < DOF; i++) {
        const double m = i + 1.0;
        ck_assert_double_eq_tol(m * (v[i] - before[i]) + data.row[i] * reaction, n[i] * p, 1e-10);
    }
    close_setting(&s);
}
END_TEST

/* No contact: the smallest impulse that the constraint needs. */
START_TEST(plastic)
{
    space data = {{0.0, 1.0, 0.0}, 0.0};
    setting s;
    open_setting(&s, &data, 1);
    double v[DOF] = {1.0, 2.0, 3.0}, reaction;
    const double q[DOF] = {0, 0, 0};
    const cd_contacts none = {0};
    ck_assert_int_eq(cd_impulse_apply(s.impulse, 0.0, q, &none, v, &reaction), CARDAN_OK);
    ck_assert_double_eq_tol(v[0], 1.0, 1e-14);
    ck_assert_double_eq_tol(v[1], 0.0, 1e-14);
    ck_assert_double_eq_tol(v[2], 3.0, 1e-14);
    ck_assert_double_eq_tol(reaction, 4.0, 1e-13);
    close_setting(&s);
}
END_TEST

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

/* The conditions that have one solution: P >= 0, w >= 0, one of them zero; energy is not gained. */
START_TEST(several_contacts)
{
    unsigned seed = (unsigned)_i + 1u;
    space data = {{0.3, 0.2, 1.0}, 0.0};
    setting s;
    open_setting(&s, &data, _i % 2);
    for (int trial = 0; trial < 50; trial++) {
        const int count = _i % 2 == 1 ? 2 : 2 + trial % 2; /* not more than can move */
        double n[3 * DOF], rates[3] = {0}, e[3], p[3], v[DOF], reaction[1], free[DOF], none[1];
        const double q[DOF] = {0, 0, 0};
        for (int i = 0; i < count * DOF; i++)
            n[i] = random_unit(&seed);
        for (int i = 0; i < count; i++)
            e[i] = 0.9;
        for (int i = 0; i < DOF; i++)
            v[i] = random_unit(&seed);
        const cd_contacts contacts = {count, n, rates, e, p}, nothing = {0};
        ck_assert_int_eq(cd_impulse_apply(s.impulse, 0.0, q, &nothing, v, none), CARDAN_OK);
        cd_copy(DOF, v, free);
        const cardan_status status = cd_impulse_apply(s.impulse, 0.0, q, &contacts, v, reaction);
        ck_assert_msg(status == CARDAN_OK, "%s", s.error.text);
        for (int i = 0; i < count; i++) {
            const double speed = cd_dot(DOF, n + i * DOF, free);
            const double w = cd_dot(DOF, n + i * DOF, v) + e[i] * fmin(0.0, speed);
            ck_assert_double_ge(p[i], 0.0);
            ck_assert_double_ge(w, -1e-9);
            ck_assert_double_le(fabs(w * p[i]), 1e-9 * (1.0 + p[i]));
        }
    }
    close_setting(&s);
}
END_TEST

/* Three feet on the floor along one direction: they share what one would take. */
START_TEST(dependent_contacts)
{
    space data = {0};
    setting s;
    open_setting(&s, &data, 0);
    const double n[] = {0, 0, 1, 0, 0, 1, 0, 0, 1}, rates[3] = {0}, e[] = {0.5, 0.5, 0.5};
    const double q[DOF] = {0, 0, 0};
    double v[DOF] = {0.0, 0.0, -2.0}, p[3], none[1];
    const cd_contacts contacts = {3, n, rates, e, p};
    ck_assert_int_eq(cd_impulse_apply(s.impulse, 0.0, q, &contacts, v, none), CARDAN_OK);
    ck_assert_double_eq_tol(v[2], 1.0, 1e-12);
    ck_assert_double_eq_tol(p[0] + p[1] + p[2], 9.0, 1e-12);
    close_setting(&s);
}
END_TEST

/* Between walls that close in there is no velocity that leaves all of them. */
START_TEST(trapped)
{
    space data = {0};
    setting s;
    open_setting(&s, &data, 0);
    const double n[] = {1, 0, 0, -1, 0, 0}, rates[] = {-1.0, -1.0}, e[] = {0.5, 0.5};
    const double q[DOF] = {0, 0, 0};
    double v[DOF] = {0}, p[2], none[1];
    const cd_contacts contacts = {2, n, rates, e, p};
    ck_assert_int_eq(cd_impulse_apply(s.impulse, 0.0, q, &contacts, v, none), CARDAN_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(s.error.text, "no way out"));
    close_setting(&s);
}
END_TEST

/* A wall that the constraint keeps from yielding. */
START_TEST(blocked_normal)
{
    space data = {{0.0, 0.0, 1.0}, 0.0};
    setting s;
    open_setting(&s, &data, 1);
    const double n[] = {0, 0, 1}, rate = -1.0, e = 0.5, q[DOF] = {0, 0, 0};
    double v[DOF] = {0}, p, reaction;
    const cd_contacts contact = {1, n, &rate, &e, &p};
    ck_assert_int_eq(cd_impulse_apply(s.impulse, 0.0, q, &contact, v, &reaction),
                     CARDAN_SINGULAR_MATRIX);
    ck_assert_ptr_nonnull(strstr(s.error.text, "do not let the system move"));
    close_setting(&s);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("impulse equations");
    TCase *tests = tcase_create("impulses");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, one_contact_with_a_constraint);
    tcase_add_test(tests, plastic);
    tcase_add_loop_test(tests, several_contacts, 0, 6);
    tcase_add_test(tests, dependent_contacts);
    tcase_add_test(tests, trapped);
    tcase_add_test(tests, blocked_normal);
    suite_add_tcase(suite, tests);
    return suite;
}

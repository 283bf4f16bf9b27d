/* Runs into singular configurations: the diagnosis names the combination of constraints that is
 * lost, as it is known in closed form. */
#include "adaptive.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const char *const methods[] = {"ga3", "ga2s", "hht3", "ga2", "rk5"};

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[4] = out[8] = 1.0;
    return 0;
}

/* A parallelogram linkage: three links with angles q, crank and rocker of length 1, coupler and
 * ground of length 2. The loop is closed in axes that are turned by `turn`:
 *   x = cos q1 + 2 cos q2 - cos q3 - 2,  y = sin q1 + 2 sin q2 - sin q3
 * are cos(turn) Phi1 + sin(turn) Phi2 and -sin(turn) Phi1 + cos(turn) Phi2. At q = 0 all links lie
 * on one line, dx/dq = 0, and the lost combination is (cos(turn), sin(turn)). Without forces the
 * crank turns uniformly: q1 = q3 = q1(0) + t, q2 = 0. */
typedef struct linkage {
    double turn;
} linkage;

static int closure(void *context, const cardan_point *at, double *out)
{
    const linkage *it = context;
    const double c = cos(it->turn), s = sin(it->turn), *q = at->q;
    const double x = cos(q[0]) + 2.0 * cos(q[1]) - cos(q[2]) - 2.0;
    const double y = sin(q[0]) + 2.0 * sin(q[1]) - sin(q[2]);
    out[0] = c * x - s * y;
    out[1] = s * x + c * y;
    return 0;
}

static int closure_dq(void *context, const cardan_point *at, double *out)
{
    static const double length[] = {1.0, 2.0, -1.0};
    const linkage *it = context;
    const double c = cos(it->turn), s = sin(it->turn);
    for (int i = 0; i < 3; i++) {
        const double x = -length[i] * sin(at->q[i]), y = length[i] * cos(at->q[i]);
        out[i] = c * x - s * y;
        out[3 + i] = s * x + c * y;
    }
    return 0;
}

typedef struct rig {
    linkage linkage;
    cardan_group *group;
    cardan_system *system;
    cardan_integrator *it;
} rig;

static void open_rig(rig *r, double turn, const cardan_integrator_def *def)
{
    static const char *const names[] = {"loop_1", "loop_2"};
    const cardan_factor angles = {CARDAN_RN, CARDAN_LEFT, 3};
    cardan_system_def definition = cardan_system_def_default();
    cardan_error error = {0};
    *r = (rig){.linkage = {turn}};
    ck_assert_int_eq(cardan_group_create(&r->group, &angles, 1, NULL, NULL), CARDAN_OK);
    definition.group = r->group;
    definition.context = &r->linkage;
    definition.mass = unit_mass;
    definition.constraints = 2;
    definition.constraint = closure;
    definition.constraint_dq = closure_dq;
    definition.constraint_names = names;
    ck_assert_msg(cardan_system_create(&r->system, &definition, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_msg(cardan_integrator_create(&r->it, r->system, def, &error) == CARDAN_OK, "%s",
                  error.text);
}

static void close_rig(rig *r)
{
    cardan_integrator_destroy(r->it);
    cardan_system_destroy(r->system);
    cardan_group_destroy(r->group);
}

static void check_lost(const cardan_diagnosis *d, double turn)
{
    const double expected[] = {cos(turn), sin(turn)};
    const double unit = fabs(expected[0]) > fabs(expected[1]) ? expected[0] : expected[1];
    double seen[] = {0.0, 0.0};
    ck_assert_int_ge(d->constraint_count, 1);
    ck_assert_double_eq(d->constraints[0].coefficient, 1.0);
    for (int i = 0; i < d->constraint_count; i++) {
        const int index = d->constraints[i].index;
        ck_assert(index == 0 || index == 1);
        ck_assert_ptr_nonnull(strstr(d->constraints[i].name, index == 0 ? "(loop_1)" : "(loop_2)"));
        seen[index] = d->constraints[i].coefficient;
    }
    for (int i = 0; i < 2; i++) /* 1e-2: smaller coefficients are not listed */
        ck_assert_double_eq_tol(seen[i], expected[i] / unit,
                                seen[i] == 0.0 ? 1e-2 : 1e-12 + d->dependence);
}

/* The crank comes to the line exactly at the end of the fourth step, whose size is a new one, so
 * that it makes its own factors there. */
START_TEST(parallelogram_on_one_line)
{
    const double turns[] = {0.3, 1.2, -0.7, 0.785, 2.0};
    const double turn = turns[_i / 5], q[] = {-0.5, 0.0, -0.5}, v[] = {1.0, 0.0, 1.0};
    cardan_integrator_def def = cardan_integrator_def_default();
    rig r;
    def.method = methods[_i % 5];
    if (strcmp(def.method, "hht3") == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    def.step = 0.1;
    open_rig(&r, turn, &def);
    CHECK_STATUS(r.it, cardan_integrator_start(r.it, 0.0, q, v));
    for (int i = 0; i < 3; i++)
        CHECK_STATUS(r.it, cardan_integrator_step(r.it));
    CHECK_STATUS(r.it, cardan_integrator_set_step(r.it, 0.2));
    const cardan_state *state = cardan_integrator_state(r.it);
    double kept[3];
    memcpy(kept, state->q, sizeof kept);
    ck_assert_int_eq(cardan_integrator_step(r.it), CARDAN_SINGULAR_MATRIX);
    const cardan_diagnosis *d = cardan_integrator_diagnosis(r.it);
    ck_assert_int_eq(d->status, CARDAN_SINGULAR_MATRIX);
    ck_assert_double_eq(d->t, state->t);
    ck_assert_double_eq(d->h, 0.2);
    ck_assert_double_le(d->dependence, 1e-7);
    check_lost(d, turn);
    ck_assert_ptr_nonnull(strstr(d->suggestion, "before this configuration"));
    ck_assert_mem_eq(state->q, kept, sizeof kept);
    /* Another step size jumps over the line. */
    CHECK_STATUS(r.it, cardan_integrator_set_step(r.it, 0.23));
    CHECK_STATUS(r.it, cardan_integrator_step(r.it));
    ck_assert_double_eq_tol(state->q[0], 0.03, 1e-8);
    ck_assert_int_eq(cardan_integrator_diagnosis(r.it)->status, CARDAN_OK);
    close_rig(&r);
}
END_TEST

/* A start on the line is refused with the same combination. */
START_TEST(start_on_one_line)
{
    const double q[] = {0.0, 0.0, 0.0}, v[] = {1.0, 0.0, 1.0};
    const cardan_integrator_def def = cardan_integrator_def_default();
    rig r;
    open_rig(&r, 0.3, &def);
    const cardan_status status = cardan_integrator_start(r.it, 0.0, q, v);
    ck_assert_int_ne(status, CARDAN_OK);
    const cardan_diagnosis *d = cardan_integrator_diagnosis(r.it);
    ck_assert_int_eq(d->status, status);
    ck_assert_double_eq(d->h, 0.0);
    ck_assert_uint_gt(strlen(d->reason), 20);
    ck_assert_uint_gt(strlen(d->suggestion), 20);
    close_rig(&r);
}
END_TEST

/* y = 0 and y + s (x^2 / 2 + t - 1) = 0: the rows (0, 1) and (s x, 1) become dependent as x goes
 * to 0 at t = 1, where the motion ends; what is lost is (1, -1). In other units of the second,
 * w times it, (1, -1 / w), normalised. */
typedef struct corner {
    double steepness, unit;
} corner;

static int corner_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int corner_constraint(void *context, const cardan_point *at, double *out)
{
    const corner *it = context;
    out[0] = at->q[1];
    out[1] = it->unit * (at->q[1] + it->steepness * (0.5 * at->q[0] * at->q[0] + at->t - 1.0));
    return 0;
}

static void check_corner(const cardan_diagnosis *d, double unit)
{
    const double coefficients[] = {1.0, -1.0 / unit};
    const double largest = unit >= 1.0 ? 1.0 : -1.0 / unit;
    ck_assert_int_eq(d->constraint_count, fabs(log10(unit)) < 2.0 ? 2 : 1);
    for (int i = 0; i < d->constraint_count; i++)
        ck_assert_double_eq_tol(d->constraints[i].coefficient,
                                coefficients[d->constraints[i].index] / largest,
                                2.0 * d->dependence);
}

START_TEST(corner_where_the_motion_ends)
{
    static const char *const names[] = {"floor", "ramp"};
    const double units[] = {1.0, 10.0, 0.02, 1e5};
    corner it_is = {1.0, units[_i / 2]};
    const cardan_factor plane = {CARDAN_RN, CARDAN_LEFT, 2};
    const double q[] = {sqrt(2.0), 0.0}, v[] = {-1.0 / sqrt(2.0), 0.0};
    const cardan_tolerance loose = {1e-3, 1e-3};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    cardan_system_def definition = cardan_system_def_default();
    cardan_integrator_def def = cardan_integrator_def_default();
    ck_assert_int_eq(cardan_group_create(&group, &plane, 1, NULL, NULL), CARDAN_OK);
    definition.group = group;
    definition.context = &it_is;
    definition.mass = corner_mass;
    definition.constraints = 2;
    definition.constraint = corner_constraint;
    definition.rheonomic = true;
    definition.constraint_names = names;
    ck_assert_int_eq(cardan_system_create(&system, &definition, NULL), CARDAN_OK);
    def.method = methods[_i % 2];
    def.control.adaptive = true;
    def.step = 0.0;
    def.control.position = def.control.velocity = def.control.multiplier = loose;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    ck_assert_int_gt(cardan_integrator_advance(it, 2.0), 0);
    const cardan_diagnosis *d = cardan_integrator_diagnosis(it);
    ck_assert_int_ge(d->attempts, 1);
    ck_assert_double_gt(d->least_step, 0.0);
    ck_assert_double_lt(d->dependence, 0.02);
    ck_assert_double_eq(d->t, cardan_integrator_state(it)->t);
    check_corner(d, it_is.unit);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

/* A failure that has nothing to do with the constraints does not blame them. */
START_TEST(constraints_are_not_blamed_for_others)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[_i];
    def.newton.max_iterations = 2;
    def.step = 5e-3;
    cardan_integrator *it = start_problem(problem, &def);
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_CONVERGED);
    const cardan_diagnosis *d = cardan_integrator_diagnosis(it);
    ck_assert_int_eq(d->constraint_count, 0);
    ck_assert_double_gt(d->dependence, 0.02);
    ck_assert(isfinite(d->dependence));
    ck_assert_ptr_nonnull(strstr(d->suggestion, "smaller step"));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Too many constraints for the search: that is said, not passed over. */
START_TEST(what_was_not_found_is_said)
{
    const cardan_diagnosis missed = {.status = CARDAN_SINGULAR_MATRIX, .dependence_missed = true};
    const cardan_diagnosis none = {.status = CARDAN_SINGULAR_MATRIX};
    char text[2048];
    cardan_diagnosis_text(&missed, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "not known: the search is incomplete"));
    cardan_diagnosis_text(&none, text, sizeof text);
    ck_assert_ptr_null(strstr(text, "search is incomplete"));
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("diagnosis: singular configurations");
    TCase *tests = tcase_create("singular");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, parallelogram_on_one_line, 0, 25);
    tcase_add_test(tests, start_on_one_line);
    tcase_add_loop_test(tests, corner_where_the_motion_ends, 0, 8);
    tcase_add_loop_test(tests, constraints_are_not_blamed_for_others, 0, 2);
    tcase_add_test(tests, what_was_not_found_is_said);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Equations with several multipliers, or one that is singular at zero (JN07 Theorem 4.1, Remark
 * 4.2): the guess says which, and nothing that a run does leaves the branch. A mass is led along y
 * = p(t), by a holonomic constraint or by one of its velocity, by a reaction r(lambda) that does
 * not go through the constraint's matrix; x'' = lambda shows which root it is. */
#include "suite.h"

#include <cardan/checkpoint.h>
#include <cardan/integrator.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* p'' = r(1 + t): lambda = 1 + t, or, of r = lambda + lambda^2, -2 - t. */
typedef enum law { QUADRATIC, CUBIC, STEADY } law;

typedef struct slide {
    law law;
    bool nonholonomic; /* v_y = p' instead of y = p */
    double demand;     /* STEADY: r = lambda^3 = demand */
} slide;

static double reaction(const slide *s, double x)
{
    return s->law == QUADRATIC ? x + x * x : x * x * x;
}

static double place(const slide *s, double t)
{
    if (s->law == STEADY)
        return 0.5 * s->demand * t * t;
    return s->law == QUADRATIC ? t * t * (1.0 + t * (0.5 + t / 12.0))
                               : (pow(1.0 + t, 5.0) - 1.0 - 5.0 * t) / 20.0;
}

static double speed(const slide *s, double t)
{
    if (s->law == STEADY)
        return s->demand * t;
    return s->law == QUADRATIC ? t * (2.0 + t * (1.5 + t / 3.0)) : (pow(1.0 + t, 4.0) - 1.0) / 4.0;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static double load_of(const slide *s, const cardan_point *at)
{
    return s->nonholonomic ? at->psi[0] : at->lambda[0];
}

static int force(void *context, const cardan_point *at, double *out)
{
    const double load = load_of(context, at);
    out[0] = -load;
    out[1] = -reaction(context, load);
    return 0;
}

static int force_dload(void *context, const cardan_point *at, double *out)
{
    const slide *s = context;
    const double load = load_of(s, at);
    out[0] = -1.0;
    out[1] = s->law == QUADRATIC ? -1.0 - 2.0 * load : -3.0 * load * load;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[1] - place(context, at->t);
    return 0;
}

static int nonholonomic(void *context, const cardan_point *at, double *out)
{
    out[0] = at->v[1] - speed(context, at->t);
    return 0;
}

/* Turns the velocity along x back. */
static int fall(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.4 - at->t;
    return 0;
}

static int turn_back(void *context, int event, cardan_event_change *change)
{
    (void)context, (void)event;
    change->v[0] = -change->v[0];
    return 0;
}

static cardan_group *group;
static cardan_system *sys;
static cardan_integrator *it;
static const double q0[2] = {0.0, 0.0}, v0[2] = {0.5, 0.0};
static const cardan_event turning = {.name = "turn", .function = fall, .action = turn_back};
static const cardan_events events = {.list = &turning, .count = 1};

static void open_with(slide *s, cardan_integrator_def how)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 2};
    cardan_error error;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.context = s;
    def.mass = mass;
    def.force = force;
    def.rheonomic = true;
    if (s->nonholonomic) {
        def.nonholonomic = 1;
        def.nonholonomic_residual = nonholonomic;
        def.force_dpsi = force_dload;
        def.force_depends_on_psi = def.psi_in_force_only = true;
    } else {
        def.constraints = 1;
        def.constraint = constraint;
        def.force_dlambda = force_dload;
        def.force_depends_on_lambda = def.lambda_in_force_only = true;
    }
    ck_assert_msg(cardan_system_create(&sys, &def, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_msg(cardan_integrator_create(&it, sys, &how, &error) == CARDAN_OK, "%s", error.text);
}

static void close_all(void)
{
    cardan_integrator_destroy(it);
    cardan_system_destroy(sys);
    cardan_group_destroy(group);
}

#define IS_OK(call) ck_assert_msg((call) == CARDAN_OK, "%s", cardan_integrator_message(it))

static double load_now(const slide *s)
{
    const cardan_state *now = cardan_integrator_state(it);
    return s->nonholonomic ? now->psi[0] : now->lambda[0];
}

static void start_near(const slide *s, double guess)
{
    IS_OK(cardan_integrator_start_from(it, 0.0, q0, v0, s->nonholonomic ? NULL : &guess,
                                       s->nonholonomic ? &guess : NULL));
}

/* The multiplier of a branch at t. */
static double exact(bool lower, double t)
{
    return lower ? -2.0 - t : 1.0 + t;
}

static const struct {
    const char *method;
    bool holonomic, nonholonomic;
} methods[] = {{"ga3", true, false},     {"ga2s", true, true},        {"rk5", true, true},
               {"hht3", true, false},    {"hht2", false, true},       {"nonholonomic", true, true},
               {"midpoint", true, true}, {"trapezoidal", true, false}};
enum { METHODS = (int)(sizeof methods / sizeof *methods), CASES = METHODS * 2 * 2 };

/* Which method, which kind of constraint, which branch; false: there is no such thing. */
static bool case_of(int i, slide *s, cardan_integrator_def *def, bool *lower)
{
    const int method = i / 4;
    *s = (slide){.law = QUADRATIC, .nonholonomic = i % 2 == 1};
    *lower = i / 2 % 2 == 1;
    *def = cardan_integrator_def_default();
    def->method = methods[method].method;
    def->step = 0.01;
    if (strncmp(def->method, "hht", 3) == 0)
        def->params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    return s->nonholonomic ? methods[method].nonholonomic : methods[method].holonomic;
}

/* Through a perturbed start, output inside of the first step, another step and an event. */
START_TEST(a_run_stays_on_its_branch)
{
    slide s;
    cardan_integrator_def def;
    bool lower;
    double midstep;
    if (!case_of(_i, &s, &def, &lower))
        return;
    def.events = &events;
    open_with(&s, def);
    start_near(&s, lower ? -5.0 : 3.0);
    ck_assert_double_eq_tol(load_now(&s), exact(lower, 0.0), 1e-9);
    IS_OK(cardan_integrator_step(it));
    const double half = 0.5 * cardan_integrator_state(it)->t;
    IS_OK(cardan_integrator_interpolate(it, half, NULL, NULL, NULL,
                                        s.nonholonomic ? NULL : &midstep,
                                        s.nonholonomic ? &midstep : NULL));
    ck_assert_double_eq_tol(midstep, exact(lower, half), 1e-3);
    IS_OK(cardan_integrator_advance(it, 0.2));
    IS_OK(cardan_integrator_set_step(it, 0.03));
    while (cardan_integrator_state(it)->t < 1.0) {
        IS_OK(cardan_integrator_step_towards(it, 1.0));
        ck_assert_double_eq_tol(load_now(&s), exact(lower, cardan_integrator_state(it)->t), 5e-3);
    }
    ck_assert_int_eq(cardan_integrator_statistics(it).events, 1);
    close_all();
}
END_TEST

START_TEST(steps_by_the_error_and_checkpoints_stay_on_it)
{
    slide s;
    cardan_integrator_def def;
    bool lower;
    double load[2];
    if (!case_of(_i, &s, &def, &lower) || strcmp(def.method, "hht2") == 0 ||
        strcmp(def.method, "midpoint") == 0 || strcmp(def.method, "trapezoidal") == 0)
        return;
    def.step = 0.0;
    open_with(&s, def);
    start_near(&s, lower ? -5.0 : 3.0);
    IS_OK(cardan_integrator_advance(it, 0.5));
    const size_t size = cardan_checkpoint_size(it);
    void *saved = malloc(size);
    IS_OK(cardan_checkpoint_save(it, saved, size));
    for (int i = 0; i < 2; i++) {
        IS_OK(cardan_integrator_advance(it, 1.0));
        load[i] = load_now(&s);
        ck_assert_double_eq_tol(load[i], exact(lower, 1.0), 1e-3);
        IS_OK(cardan_checkpoint_load(it, saved, size));
    }
    ck_assert_double_eq(load[0], load[1]);
    free(saved);
    close_all();
}
END_TEST

/* lambda^3 = demand: no guess is needed though zero is singular, whatever the size. */
START_TEST(a_reaction_that_is_singular_at_zero_starts)
{
    static const double demands[] = {1.0, -1.0, 1e-9, -1e-6, 2e4, -1e12};
    for (size_t i = 0; i < sizeof demands / sizeof *demands; i++) {
        slide s = {.law = STEADY, .nonholonomic = _i == 1, .demand = demands[i]};
        const double root = cbrt(demands[i]);
        cardan_integrator_def def = cardan_integrator_def_default();
        def.step = 0.01;
        open_with(&s, def);
        IS_OK(cardan_integrator_start(it, 0.0, q0, v0));
        ck_assert_double_eq_tol(load_now(&s), root, 1e-10 * fabs(root));
        ck_assert_double_eq_tol(cardan_integrator_state(it)->vdot[0], root, 1e-10 * fabs(root));
        close_all();
    }
}
END_TEST

START_TEST(a_run_with_a_cubic_reaction)
{
    slide s;
    cardan_integrator_def def;
    bool lower;
    if (!case_of(_i, &s, &def, &lower) || lower)
        return;
    s.law = CUBIC;
    open_with(&s, def);
    IS_OK(cardan_integrator_start(it, 0.0, q0, v0));
    IS_OK(cardan_integrator_advance(it, 1.0));
    ck_assert_double_eq_tol(load_now(&s), 2.0, 1e-3);
    close_all();
}
END_TEST

/* Remark 4.2: "Varying slightly lambda_0 does not change the numerical solution." */
START_TEST(the_guess_itself_leaves_no_trace)
{
    static const double guesses[2][3] = {{0.9, 1.0, 1.2}, {-1.9, -2.0, -2.3}};
    for (int lower = 0; lower < 2; lower++) {
        double load[3];
        for (int i = 0; i < 3; i++) {
            slide s = {.law = QUADRATIC};
            cardan_integrator_def def = cardan_integrator_def_default();
            def.method = "hht3";
            def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
            def.step = 0.01;
            open_with(&s, def);
            start_near(&s, guesses[lower][i]);
            IS_OK(cardan_integrator_step(it));
            load[i] = load_now(&s);
            close_all();
        }
        ck_assert_double_eq_tol(load[0], load[1], 1e-12);
        ck_assert_double_eq_tol(load[2], load[1], 1e-12);
    }
}
END_TEST

/* At the double root the solution is not determined by the equations. */
START_TEST(a_guess_at_the_double_root_is_refused)
{
    slide s = {.law = QUADRATIC};
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 0.01;
    open_with(&s, def);
    ck_assert_int_eq(cardan_integrator_start_from(it, 0.0, q0, v0, (double[]){-0.5}, NULL),
                     CARDAN_NO_START);
    start_near(&s, -0.6);
    ck_assert_double_eq_tol(load_now(&s), -2.0, 1e-9);
    close_all();
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("branches");
    TCase *tests = tcase_create("which multiplier");
    tcase_add_loop_test(tests, a_run_stays_on_its_branch, 0, CASES);
    tcase_add_loop_test(tests, steps_by_the_error_and_checkpoints_stay_on_it, 0, CASES);
    tcase_add_loop_test(tests, a_reaction_that_is_singular_at_zero_starts, 0, 2);
    tcase_add_loop_test(tests, a_run_with_a_cubic_reaction, 0, CASES);
    tcase_add_test(tests, the_guess_itself_leaves_no_trace);
    tcase_add_test(tests, a_guess_at_the_double_root_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

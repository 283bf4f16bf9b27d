/* Friction that has no value or no derivative without load: starts with and without a guess of the
 * multipliers; several solutions; failures have one status and no advice on steps. */
#include "suite.h"

#include <cardan/diagnosis.h>
#include <cardan/integrator.h>
#include <math.h>
#include <string.h>

/* A block of mass 2 on the x axis (y = 0 is the constraint) pushed with 30 along x: m x'' = 30 - r,
 * m y'' = -weight - lambda, so lambda = -weight with constraint y = 0 (B^T lambda = (0, lambda)).
 * With `sign` the constraint is sign y, so that lambda = -sign weight. */
typedef struct block {
    double sign;
    enum { ROOT, ABSOLUTE, QUADRATIC, NEVER, RECIPROCAL } law;
} block;

static const double mass_of = 2.0, weight = 19.62, push = 30.0, mu = 0.3;

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = out[3] = mass_of;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    out[0] = ((const block *)context)->sign * at->q[1];
    return 0;
}

/* The friction, a function of the load N = lambda (in the sense of the law). */
static int resistance(const block *b, double load, double *out)
{
    switch (b->law) {
    case ROOT: /* for loads of one sign only */
        *out = mu * sqrt(weight * load);
        return 0;
    case ABSOLUTE: /* no derivative without load */
        *out = load != 0.0 ? mu * load * load / fabs(load) : NAN;
        return 0;
    case RECIPROCAL:
        *out = mu * weight * weight / load;
        return 0;
    case QUADRATIC:
        *out = 0.0;
        return 0;
    case NEVER:
        break;
    }
    *out = NAN;
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const block *b = context;
    double friction = 0.0;
    const int code = resistance(b, at->lambda[0], &friction);
    out[0] = friction - push;
    out[1] = weight;
    if (b->law == QUADRATIC) /* lambda^2 / 4 + lambda + weight' = 0 with two solutions */
        out[1] = 0.25 * at->lambda[0] * at->lambda[0] + 0.75;
    return code;
}

static cardan_group *group;
static cardan_system *sys;
static cardan_integrator *it;
static const double q0[2] = {0.0, 0.0}, v0[2] = {1.0, 0.0};

static void open(block *b, const char *method)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 2};
    cardan_error error;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.context = b;
    def.constraints = 1;
    def.mass = mass;
    def.constraint = constraint;
    def.force = force;
    def.force_depends_on_lambda = true;
    ck_assert_msg(cardan_system_create(&sys, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_integrator_def how = cardan_integrator_def_default();
    how.method = method;
    ck_assert_msg(cardan_integrator_create(&it, sys, &how, &error) == CARDAN_OK, "%s", error.text);
}

static void close_all(void)
{
    cardan_integrator_destroy(it);
    cardan_system_destroy(sys);
    cardan_group_destroy(group);
}

static const char *const methods[] = {"ga2s", "ga3", "rk5"};

/* Without a guess, for loads of both signs; and the motion that follows. */
START_TEST(friction_without_value_at_no_load_starts)
{
    for (int law = ROOT; law <= RECIPROCAL; law++)
        for (int side = 0; side < 2; side++) {
            block b = {.sign = side == 0 ? -1.0 : 1.0, .law = law};
            if (law == QUADRATIC || law == NEVER || (law != ABSOLUTE && side == 1))
                continue; /* ROOT and RECIPROCAL mean a positive load */
            open(&b, methods[_i]);
            ck_assert_msg(cardan_integrator_start(it, 0.0, q0, v0) == CARDAN_OK, "law %d: %s", law,
                          cardan_integrator_message(it));
            const cardan_state *now = cardan_integrator_state(it);
            const double friction = mu * weight, slope = (push - friction) / mass_of;
            ck_assert_double_eq_tol(now->lambda[0], -b.sign * weight, 1e-9);
            ck_assert_double_eq_tol(now->vdot[0], slope, 1e-9);
            ck_assert_msg(cardan_integrator_advance(it, 0.5) == CARDAN_OK, "law %d: %s", law,
                          cardan_integrator_message(it));
            ck_assert_double_eq_tol(now->v[0], 1.0 + 0.5 * slope, 1e-6);
            close_all();
        }
}
END_TEST

/* lambda^2/4 + lambda + 3/4 = 0: -1 and -3, whichever the guess is nearer to. */
START_TEST(the_solution_near_the_guess_is_taken)
{
    block b = {.sign = 1.0, .law = QUADRATIC};
    const double guess[] = {0.0, -0.5, -1.5, -2.6, -5.0},
                 solution[] = {-1.0, -1.0, -1.0, -3.0, -3.0};
    open(&b, "ga2s");
    for (int i = 0; i < 5; i++) {
        ck_assert_msg(cardan_integrator_start_from(it, 0.0, q0, v0, &guess[i], NULL) == CARDAN_OK,
                      "%s", cardan_integrator_message(it));
        ck_assert_double_eq_tol(cardan_integrator_state(it)->lambda[0], solution[i], 1e-9);
    }
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q0, v0), CARDAN_OK);
    ck_assert_double_eq_tol(cardan_integrator_state(it)->lambda[0], -1.0, 1e-9);
    ck_assert_int_eq(cardan_integrator_start_from(it, 0.0, q0, v0, (double[]){NAN}, NULL),
                     CARDAN_INVALID_ARGUMENT);
    close_all();
}
END_TEST

/* One meaning: negative, no state, and a suggestion that fits where there is no step. */
START_TEST(a_start_that_fails_is_final)
{
    block b = {.sign = 1.0, .law = NEVER};
    char text[4096];
    open(&b, methods[_i]);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q0, v0), CARDAN_NO_START);
    const cardan_diagnosis *d = cardan_integrator_diagnosis(it);
    ck_assert_int_eq(d->status, CARDAN_NO_START);
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_STARTED);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q0, v0), CARDAN_NO_START);
    cardan_diagnosis_text(d, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "callback `force` returned nan"));
    ck_assert_ptr_nonnull(strstr(text, "cardan_integrator_start_from"));
    ck_assert_msg(strstr(text, "step") == NULL && strstr(text, "last good state") == NULL, "%s",
                  text);
    ck_assert_ptr_null(strstr(cardan_integrator_message(it), "step"));
    close_all();
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("starts from loads");
    TCase *tests = tcase_create("friction");
    tcase_add_loop_test(tests, friction_without_value_at_no_load_starts, 0, 3);
    tcase_add_test(tests, the_solution_near_the_guess_is_taken);
    tcase_add_loop_test(tests, a_start_that_fails_is_final, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}

/* The same pendulum in many units, its constraint written in several ways, and constraints that
 * vanish on the way: what is singular must not depend on units, and must be named where it is. */
#include "suite.h"

#include <cardan/cardan.h>
#include <math.h>

static const double gravity = 9.81, steps = 200.0;

typedef enum form { DISTANCE, SQUARE, RATIO, FORMS } form;

typedef struct rod {
    double mass, length;
    form form;
} rod;

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)at;
    out[0] = out[3] = ((const rod *)context)->mass;
    return 0;
}

static int weight(void *context, const cardan_point *at, double *out)
{
    (void)at;
    out[1] = ((const rod *)context)->mass * gravity;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const rod *r = context;
    const double square = at->q[0] * at->q[0] + at->q[1] * at->q[1], l = r->length;
    out[0] = r->form == DISTANCE ? sqrt(square) - l
             : r->form == SQUARE ? 0.5 * (square - l * l)
                                 : square / (l * l) - 1.0;
    return 0;
}

/* What multiplies q / l in B. */
static double slope(const rod *r)
{
    return r->form == DISTANCE ? 1.0 : r->form == SQUARE ? r->length : 2.0 / r->length;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const rod *r = context;
    const double l = r->form == DISTANCE ? hypot(at->q[0], at->q[1]) : r->length;
    for (int i = 0; i < 2; i++)
        out[i] = slope(r) * at->q[i] / l;
    return 0;
}

/* Angle and its rate, in units of length and gravity, at time 2 after the release from horizontal;
 * classical Runge-Kutta. */
static void exact(double *angle, double *rate)
{
    const int count = 4000;
    const double h = 2.0 / count;
    *angle = acos(0.0);
    *rate = 0.0;
    for (int i = 0; i < count; i++) {
        const double a = *angle, w = *rate, k1 = -sin(a), k2 = -sin(a + 0.5 * h * w);
        const double k3 = -sin(a + 0.5 * h * (w + 0.5 * h * k1));
        const double k4 = -sin(a + h * (w + 0.5 * h * k2));
        *angle += h * (w + h / 6.0 * (k1 + k2 + k3));
        *rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
}

static void swing(rod r, const char *method, bool with_derivative)
{
    const double unit = sqrt(r.length / gravity);
    cardan_group *plane;
    cardan_system *system;
    cardan_integrator *it;
    cardan_system_def equations = cardan_system_def_default();
    cardan_integrator_def settings = cardan_integrator_def_default();
    ck_assert_int_eq(
        cardan_group_create(&plane, &(cardan_factor){CARDAN_RN, CARDAN_LEFT, 2}, 1, NULL, NULL),
        CARDAN_OK);
    equations.group = plane;
    equations.context = &r;
    equations.mass = mass;
    equations.force = weight;
    equations.constraint = constraint;
    equations.constraints = 1;
    equations.constraint_dq = with_derivative ? constraint_dq : NULL;
    settings.method = method;
    settings.step = 2.0 * unit / steps;
    ck_assert_int_eq(cardan_system_create(&system, &equations, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &settings, NULL), CARDAN_OK);
    cardan_status status =
        cardan_integrator_start(it, 0.0, (double[]){r.length, 0.0}, (double[]){0.0, 0.0});
    if (status == CARDAN_OK)
        status = cardan_integrator_advance(it, 2.0 * unit);
    ck_assert_msg(status == CARDAN_OK, "%s, mass %g, length %g, form %d: %s", method, r.mass,
                  r.length, (int)r.form, cardan_integrator_message(it));
    double angle, rate;
    exact(&angle, &rate);
    const cardan_state *now = cardan_integrator_state(it);
    ck_assert_double_eq_tol(now->q[0] / r.length, sin(angle), 2e-4);
    ck_assert_double_eq_tol(now->q[1] / r.length, -cos(angle), 2e-4);
    ck_assert_double_eq_tol(now->lambda[0] * slope(&r) / (r.mass * gravity),
                            rate * rate + cos(angle), 2e-4);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(plane);
}

START_TEST(units_do_not_matter)
{
    const double masses[] = {1e-6, 1.0, 1e6}, lengths[] = {1e-3, 1.0, 1e3, 1e6};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            const rod r = {masses[i], lengths[j], (form)_i};
            swing(r, "ga3", true);
            swing(r, "ga2s", true);
            if (r.form == DISTANCE && r.length < 1.0)
                continue; /* curved on the scale of the differences, as cardan/system.h says */
            swing(r, "ga3", false);
            swing(r, "ga2s", false);
        }
}
END_TEST

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int push(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 1.0 + at->t;
    out[1] = -1.0;
    return 0;
}

/* x = 0 and a second constraint that fades away until t = 0.1. */
static int fading(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0];
    out[1] = at->q[1] * fmax(0.0, 1.0 - 10.0 * at->t);
    return 0;
}

START_TEST(constraints_that_vanish_are_named)
{
    const char *const names[] = {"floor", "wall"};
    cardan_group *plane;
    cardan_system *system;
    cardan_integrator *it;
    cardan_system_def equations = cardan_system_def_default();
    cardan_integrator_def settings = cardan_integrator_def_default();
    ck_assert_int_eq(
        cardan_group_create(&plane, &(cardan_factor){CARDAN_RN, CARDAN_LEFT, 2}, 1, NULL, NULL),
        CARDAN_OK);
    equations.group = plane;
    equations.mass = unit_mass;
    equations.force = push;
    equations.constraint = fading;
    equations.constraints = 2;
    equations.rheonomic = true;
    equations.constraint_names = names;
    settings.method = _i == 0 ? "ga3" : "ga2s";
    settings.step = 1e-2;
    ck_assert_int_eq(cardan_system_create(&system, &equations, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &settings, NULL), CARDAN_OK);
    const double rest[] = {0.0, 0.0};
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, rest, rest), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_advance(it, 0.2), CARDAN_SINGULAR_MATRIX);
    const char *message = cardan_integrator_message(it);
    ck_assert_msg(strstr(message, "constraint 2 (wall)") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "from t = 0.09") != NULL, "%s", message);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(plane);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrate: units");
    TCase *tests = tcase_create("units");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, units_do_not_matter, 0, FORMS);
    tcase_add_loop_test(tests, constraints_that_vanish_are_named, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Experiment SING (docs/papers.md): rank-deficient mass matrices keep order two in all components
 * (ACB-R Sec. 4).
 *
 * A pendulum (x, y) of mass 1 and length 1 carries a massless coordinate s = x y, on which a spring
 * and a damper act. Reference: the angle's equation. With theta from the lowest point,
 *
 *   x = sin theta, y = -cos theta, s = -sin(2 theta)/2,
 *   theta'' = -g sin theta - s_theta (K s + C s'),   s_theta = -cos(2 theta),
 *
 * the multiplier of s - x y = 0 is -(K s + C s'), a function of (q, v), and that of
 * x^2 + y^2 - 1 = 0 is tied to v'. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/analysis/decomposition.h"
#include "suite.h"

static const double gravity = 9.81, spring = 20.0, damper = 0.5;

enum { K = 3, M = 2 };

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[4] = 1.0;
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[1] = gravity;
    out[2] = spring * at->q[2] + damper * at->v[2];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    out[1] = q[2] - q[0] * q[1];
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    const double b[M * K] = {2.0 * q[0], 2.0 * q[1], 0.0, -q[1], -q[0], 1.0};
    (void)context;
    cd_copy(M * K, b, out);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double *v = at->v;
    (void)context;
    out[0] = 2.0 * (v[0] * v[0] + v[1] * v[1]);
    out[1] = -2.0 * v[0] * v[1];
    return 0;
}

typedef struct model {
    cardan_group *group;
    cardan_system *system;
} model;

static model open_model(void)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, K};
    model made = {0};
    cardan_error error = {0};
    ck_assert_int_eq(cardan_group_create(&made.group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = made.group;
    def.constraints = M;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constraint_dq = constraint_dq;
    def.constraint_bias = constraint_bias;
    def.constant_mass = true;
    cardan_status status = cardan_system_create(&made.system, &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    return made;
}

static void close_model(model *made)
{
    cardan_system_destroy(made->system);
    cardan_group_destroy(made->group);
}

static double angular_acceleration(double theta, double omega)
{
    const double s = -0.5 * sin(2.0 * theta), slope = -cos(2.0 * theta);
    return -gravity * sin(theta) - slope * (spring * s + damper * slope * omega);
}

/* The classical Runge-Kutta method in substeps of at most 1e-4: errors below 1e-12. */
static void swing_to(double *t, double y[2], double end)
{
    const int n = (int)ceil((end - *t) / 1e-4);
    const double h = n > 0 ? (end - *t) / n : 0.0;
    for (int i = 0; i < n; i++) {
        const double a1 = angular_acceleration(y[0], y[1]), w1 = y[1];
        const double w2 = y[1] + 0.5 * h * a1;
        const double a2 = angular_acceleration(y[0] + 0.5 * h * w1, w2);
        const double w3 = y[1] + 0.5 * h * a2;
        const double a3 = angular_acceleration(y[0] + 0.5 * h * w2, w3);
        const double w4 = y[1] + h * a3;
        const double a4 = angular_acceleration(y[0] + h * w3, w4);
        y[0] += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
        y[1] += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    *t = end;
}

typedef struct motion {
    double q[K], v[K], vdot[K], lambda[M];
} motion;

static motion motion_of(double theta, double omega)
{
    const double a = angular_acceleration(theta, omega), s = sin(theta), c = cos(theta);
    const double s2 = sin(2.0 * theta), c2 = cos(2.0 * theta);
    motion m = {.q = {s, -c, -0.5 * s2},
                .v = {c * omega, s * omega, -c2 * omega},
                .vdot = {c * a - s * omega * omega, s * a + c * omega * omega,
                         -c2 * a + 2.0 * s2 * omega * omega}};
    m.lambda[1] = -(spring * m.q[2] + damper * m.v[2]);
    /* Radial part of x'' + 2 x l1 - y l2 = 0, y'' + g + 2 y l1 - x l2 = 0. */
    m.lambda[0] = 0.5 * (omega * omega - gravity * m.q[1] + 2.0 * m.q[0] * m.q[1] * m.lambda[1]);
    return m;
}

/* Largest errors over all steps. */
typedef struct errors {
    double q, v, vdot, tied, algebraic, position, hidden;
} errors;

static double distance(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

static const double theta_0 = 0.4, omega_0 = 1.5;

static void compare(cardan_integrator *it, const motion *exact, errors *e)
{
    const cardan_state *s = cardan_integrator_state(it);
    double position, hidden;
    e->q = fmax(e->q, distance(K, s->q, exact->q));
    e->v = fmax(e->v, distance(K, s->v, exact->v));
    e->vdot = fmax(e->vdot, distance(K, s->vdot, exact->vdot));
    e->tied = fmax(e->tied, fabs(s->lambda[0] - exact->lambda[0]));
    e->algebraic = fmax(e->algebraic, fabs(s->lambda[1] - exact->lambda[1]));
    CHECK_STATUS(it, cardan_integrator_residuals(it, &position, &hidden));
    e->position = fmax(e->position, position);
    e->hidden = fmax(e->hidden, hidden);
}

static errors integrate(const char *method, double rho, cardan_start start, double h)
{
    model made = open_model();
    cardan_integrator *it = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error = {0};
    def.method = method;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    def.experimental.start = start;
    def.step = h;
    cardan_status status = cardan_integrator_create(&it, made.system, &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    const motion initial = motion_of(theta_0, omega_0);
    double t = 0.0, y[2] = {theta_0, omega_0};
    errors e = {0};
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, initial.q, initial.v));
    for (long n = lround(2.0 / h); n > 0; n--) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        swing_to(&t, y, cardan_integrator_state(it)->t);
        const motion exact = motion_of(y[0], y[1]);
        compare(it, &exact, &e);
    }
    cardan_integrator_destroy(it);
    close_model(&made);
    return e;
}

START_TEST(structure_is_seen)
{
    model made = open_model();
    const motion m = motion_of(theta_0, omega_0);
    const cardan_point at = {0.0, m.q, m.v, m.vdot, m.lambda, m.lambda};
    cardan_rank_report r;
    lab_decomposition *d = NULL;
    ck_assert_int_eq(cardan_rank_analyse(made.system, &at, &r, NULL), CARDAN_OK);
    ck_assert_int_eq(r.mass_rank, 2);
    ck_assert_int_eq(r.algebraic, 1);
    ck_assert_int_eq(r.tied, 1);
    ck_assert_int_eq(r.index, 3);
    ck_assert_int_eq(lab_decomposition_create(&d, made.system, &at, NULL), CARDAN_OK);
    ck_assert_double_le(d->share[0], 1e-14);
    ck_assert_double_eq_tol(d->share[1], 1.0, 1e-14);
    lab_decomposition_destroy(d);
    close_model(&made);
}
END_TEST

/* START solves with the bordered matrix: accelerations and multipliers to rounding. */
START_TEST(start_is_exact)
{
    model made = open_model();
    cardan_integrator *it = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    const motion m = motion_of(theta_0, omega_0);
    def.experimental.start = CARDAN_START_PLAIN;
    ck_assert_int_eq(cardan_integrator_create(&it, made.system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, m.q, m.v));
    const cardan_state *s = cardan_integrator_state(it);
    for (int i = 0; i < K; i++)
        ck_assert_double_eq_tol(s->vdot[i], m.vdot[i], 1e-12);
    for (int i = 0; i < M; i++)
        ck_assert_double_eq_tol(s->lambda[i], m.lambda[i], 1e-12);
    cardan_integrator_destroy(it);
    close_model(&made);
}
END_TEST

static void check_order(const char *what, double coarse, double fine, double order)
{
    const double seen = observed_order(coarse, fine);
    ck_assert_msg(fabs(seen - order) <= 0.1, "%s: order %.3f (%.4g, %.4g)", what, seen, coarse,
                  fine);
}

static const char *const methods[] = {"ga3", "ga2s", "ga2", "ga1"};

START_TEST(order_two_in_all_components)
{
    const char *method = methods[_i / 2];
    const double rho = _i % 2 == 0 ? 0.6 : 0.9;
    errors e[4];
    for (int i = 0; i < 4; i++)
        e[i] = integrate(method, rho, CARDAN_START_PERTURBED, ldexp(5e-3, -i));
    for (int i = 0; i < 3; i++) {
        check_order("q", e[i].q, e[i + 1].q, 2.0);
        check_order("v", e[i].v, e[i + 1].v, 2.0);
        check_order("v'", e[i].vdot, e[i + 1].vdot, 2.0);
        check_order("tied lambda", e[i].tied, e[i + 1].tied, 2.0);
        check_order("algebraic lambda", e[i].algebraic, e[i + 1].algebraic, 2.0);
    }
}
END_TEST

/* (18): the algebraic multiplier follows the errors of q and v and has no transient of its own,
 * while a plain start of ga3 costs the tied one an order. */
START_TEST(plain_start_harms_the_tied_multiplier_only)
{
    errors e[4];
    for (int i = 0; i < 4; i++)
        e[i] = integrate("ga3", 0.9, CARDAN_START_PLAIN, ldexp(5e-3, -i));
    for (int i = 0; i < 3; i++) {
        check_order("tied lambda", e[i].tied, e[i + 1].tied, 1.0);
        check_order("algebraic lambda", e[i].algebraic, e[i + 1].algebraic, 2.0);
    }
}
END_TEST

START_TEST(constraints_hold)
{
    const errors index_three = integrate("ga3", 0.8, CARDAN_START_PERTURBED, 5e-3);
    const errors stabilised = integrate("ga2s", 0.8, CARDAN_START_PERTURBED, 5e-3);
    ck_assert_double_le(index_three.position, 1e-12);
    ck_assert_double_le(stabilised.position, 1e-12);
    ck_assert_double_le(stabilised.hidden, 1e-11);
}
END_TEST

/* The built-in problems with massless coordinates, on a linear space and on a Lie group. */
START_TEST(built_in_problems_keep_order_two)
{
    const bool top = _i / 2 == 1;
    trajectory_errors e[4];
    for (int i = 0; i < 4; i++) {
        const experiment run =
            experiment_of(top ? "heavy_top_massless" : "pendulum_massless", methods[_i % 2], 0.8,
                          ldexp(top ? 1e-3 : 1e-2, -i), top ? 0.5 : 2.0);
        e[i] = experiment_run(&run);
    }
    for (int i = 0; i < 3; i++) {
        check_order("q", e[i].q, e[i + 1].q, 2.0);
        check_order("v", e[i].v, e[i + 1].v, 2.0);
        check_order("v'", e[i].vdot, e[i + 1].vdot, 2.0);
        check_order("lambda", e[i].lambda, e[i + 1].lambda, 2.0);
    }
}
END_TEST

/* What the integrator refuses it refuses with the massless direction named. */
START_TEST(massless_motion_is_refused_at_the_start)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, K};
    static const char *const names[] = {"vx", "vy", "vs"};
    const double q[K] = {0.0, -1.0, 0.0}, v[K] = {1.0, 0.0, 0.0};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.mass = mass;
    def.velocity_names = names;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    const cardan_integrator_def method = cardan_integrator_def_default();
    ck_assert_int_eq(cardan_integrator_create(&it, system, &method, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q, v), CARDAN_NO_START);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "velocity 3 (vs)"));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("singular mass");
    TCase *tests = tcase_create("SING");
    tcase_set_timeout(tests, 300.0);
    tcase_add_test(tests, structure_is_seen);
    tcase_add_test(tests, start_is_exact);
    tcase_add_loop_test(tests, order_two_in_all_components, 0, 8);
    tcase_add_test(tests, plain_start_harms_the_tied_multiplier_only);
    tcase_add_test(tests, constraints_hold);
    tcase_add_loop_test(tests, built_in_problems_keep_order_two, 0, 4);
    tcase_add_test(tests, massless_motion_is_refused_at_the_start);
    suite_add_tcase(suite, tests);
    return suite;
}

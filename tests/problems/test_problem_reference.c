/* The references against the equations themselves: residual of the dynamics and of all three levels
 * of the constraints through the problem's callbacks, derivatives by differences, conserved
 * quantities, initial values, and the same motion in all forms of the heavy top. */
#include "lab/problems/problem.h"
#include "problem_test.h"

/* Problems in their default form and with other parameters (a count of 0 is the default). */
typedef struct variant {
    const char *name;
    int count;
    lab_setting settings[6];
    double end;
} variant;

static const variant variants[] = {
    {"pendulum", 0, {{0}}, 2.0},
    {"pendulum", 4, {{"m", 2.0}, {"l", 3.0}, {"g", 1.6}, {"x0", -1.2}}, 5.0},
    {"pendulum", 2, {{"x0", 0.0}, {"g", 0.1}}, 20.0},
    {"cube", 0, {{0}}, 3.0},
    {"oscillator", 0, {{0}}, 50.0},
    {"oscillator", 4, {{"mass", 2.0}, {"stiffness", 30.0}, {"damping", 0.7}, {"v0", -3.0}}, 10.0},
    {"oscillator", 2, {{"stiffness", 4.0}, {"damping", 4.0}}, 5.0},
    {"oscillator", 2, {{"stiffness", 4.0}, {"damping", 4.0000001}}, 5.0},
    {"oscillator", 3, {{"stiffness", 0.5}, {"damping", 9.0}, {"v0", 2.0}}, 30.0},
    {"oscillator", 2, {{"stiffness", 0.0}, {"v0", 2.0}}, 5.0},
    {"free_body", 0, {{0}}, 10.0},
    {"free_body", 3, {{"w1", 0.01}, {"w2", 2.0}, {"w3", 0.01}}, 10.0},
    {"heavy_top", 0, {{0}}, 2.0},
    {"heavy_top", 4, {{"J1", 2.0}, {"Omega1", 3.0}, {"Omega2", 5.0}, {"X2", 0.4}}, 2.0},
    {"heavy_top_spatial", 0, {{0}}, 2.0},
    {"heavy_top_spatial", 4, {{"J1", 2.0}, {"Omega1", 3.0}, {"Omega2", 5.0}, {"X2", 0.4}}, 2.0},
    {"heavy_top_se3", 0, {{0}}, 2.0},
    {"heavy_top_se3", 4, {{"J1", 2.0}, {"Omega1", 3.0}, {"Omega2", 5.0}, {"X2", 0.4}}, 2.0},
    {"heavy_top_quat", 0, {{0}}, 2.0},
    {"heavy_top_quat", 4, {{"J1", 2.0}, {"Omega1", 3.0}, {"Omega2", 5.0}, {"X2", 0.4}}, 2.0},
    {"driven_pendulum", 0, {{0}}, 2.0},
    {"driven_pendulum", 4, {{"m", 3.0}, {"l", 0.5}, {"ax", 0.9}, {"omega0", 7.0}}, 3.0},
    {"double_pendulum", 0, {{0}}, 2.0},
    {"double_pendulum",
     5,
     {{"m1", 2.0}, {"m2", 0.5}, {"l2", 0.3}, {"theta1", 2.5}, {"omega2", -6.0}},
     2.0},
    {"spherical_pendulum", 0, {{0}}, 5.0},
    {"spherical_pendulum", 3, {{"m", 2.0}, {"l", 0.5}, {"v0", 6.0}}, 5.0},
    {"friction_slider", 0, {{0}}, 2.0},
    {"friction_slider", 4, {{"m", 2.0}, {"l", 0.7}, {"mu", 0.5}, {"speed0", 12.0}}, 2.0},
    {"slider_crank", 0, {{0}}, 10.0},
    {"slider_crank", 5, {{"a", 0.9}, {"F", -3.0}, {"k", 5.0}, {"c", 0.1}, {"J2", 0.3}}, 5.0},
    {"jay1", 0, {{0}}, 2.0},
    {"rolling_disk", 0, {{0}}, 10.0},
    {"rolling_disk",
     6,
     {{"rolling", -1.0}, {"r", 0.5}, {"I1", 0.3}, {"spin_rate", -6.0}, {"lean", 0.2}, {"I2", 0.6}},
     5.0},
    {"jn1", 0, {{0}}, 2.0},
    {"load_branches", 0, {{0}}, 5.0},
    {"load_branches", 1, {{"level", -2.0}}, 5.0},
    {"load_branches", 3, {{"linear", 0.0}, {"quadratic", 0.0}, {"cubic", 1.0}}, 5.0},
    {"load_branches", 3, {{"linear", 3.0}, {"quadratic", -0.2}, {"cubic", 0.7}}, 5.0},
    {"jn2", 0, {{0}}, 4.0},
    {"jn2", 5, {{"m", 2.0}, {"L", 0.7}, {"k", 50.0}, {"c", 0.0}, {"theta0", 1.0}}, 3.0},
    {"two_particles", 0, {{0}}, 10.0},
    {"two_particles", 3, {{"m1", 0.3}, {"m2", 2.0}, {"v0", -3.0}}, 10.0},
    {"skate", 0, {{0}}, 5.0},
    {"skate", 5, {{"m", 3.0}, {"alpha", 0.2}, {"w", 0.7}, {"v0", -2.0}, {"g", 1.6}}, 10.0},
    {"chaplygin_sleigh", 0, {{0}}, 10.0},
    {"chaplygin_sleigh", 4, {{"m", 2.0}, {"a", 1.3}, {"u0", -4.0}, {"w0", 0.1}}, 10.0},
    {"pendulum_massless", 0, {{0}}, 2.0},
    {"pendulum_massless", 4, {{"m", 2.0}, {"l", 3.0}, {"g", 1.6}, {"x0", -1.2}}, 5.0},
    {"heavy_top_massless", 0, {{0}}, 2.0},
    {"heavy_top_massless", 4, {{"J1", 2.0}, {"Omega1", 3.0}, {"Omega2", 5.0}, {"X2", 0.4}}, 2.0},
    {"index2_example", 0, {{0}}, 5.0},
    {"rolling_ball_turntable", 0, {{0}}, 5.0},
    {"rolling_ball_turntable", 4, {{"m", 2.0}, {"r", 0.2}, {"kappa", 0.6}, {"W", -1.0}}, 5.0},
    {"rolling_ball_turntable", 2, {{"W", 0.0}, {"spin", 3.0}}, 5.0},
    {"disk_so3", 0, {{0}}, 5.0},
    {"disk_so3", 5, {{"m", 2.0}, {"r", 0.5}, {"I1", 0.3}, {"lean", -0.9}, {"heading", 2.0}}, 5.0},
    {"disk_on_platform", 0, {{0}}, 5.0},
    {"disk_on_platform",
     5,
     {{"a1", 0.5}, {"w1", 7.0}, {"a3", -0.1}, {"r", 0.7}, {"lean", -0.2}},
     3.0},
    {"bouncing_pendulum", 0, {{0}}, 0.35},
    {"bouncing_pendulum", 4, {{"m", 2.0}, {"l", 3.0}, {"wall", -1.0}, {"omega0", 1.0}}, 0.9},
    {"stick_slip", 0, {{0}}, 0.45},
    {"wall_pendulum", 0, {{0}}, 3.7},
    {"wall_pendulum", 1, {{"w", 0.1}}, 4.0},
    {"wall_pendulum", 5, {{"m", 2.0}, {"l", 3.0}, {"wall", 0.1}, {"E", 40.0}, {"w", 0.1}}, 4.0},
    {"skate_trailer", 0, {{0}}, 5.0},
    {"skate_trailer", 5, {{"m2", 3.0}, {"I2", 0.9}, {"b", 0.3}, {"w", -2.0}, {"v0", -1.0}}, 5.0},
};
enum { VARIANTS = (int)(sizeof variants / sizeof *variants), TIMES = 23 };

static lab_problem *make_variant(const variant *of)
{
    return make_problem(of->name, of->settings, of->count);
}

/* An irregular grid from 0 to the variant's end. */
static double time_of(const variant *of, int i)
{
    double fraction = (double)i / (TIMES - 1);
    return of->end * (i == TIMES - 1 ? 1.0 : fraction * (0.7 + 0.3 * fraction));
}

/* |sum of terms| / sum of |terms|, the largest over all rows. */
typedef struct balance {
    double sum[MAX_DOF], size[MAX_DOF];
} balance;

static void balance_add(balance *b, int count, const double *term)
{
    for (int i = 0; i < count; i++) {
        b->sum[i] += term[i];
        b->size[i] += fabs(term[i]);
    }
}

/* Adds matrix * x, term by term, to the balance of each row. */
static void balance_add_product(balance *b, int rows, int cols, const double *matrix,
                                const double *x)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            b->sum[i] += matrix[i * cols + j] * x[j];
            b->size[i] += fabs(matrix[i * cols + j] * x[j]);
        }
}

static double balance_ratio(const balance *b, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, b->size[i]);
    return largest > 0.0 ? cd_max_abs(count, b->sum) / largest : 0.0;
}

static void evaluate(const lab_problem *problem, cardan_callback *function, const test_point *point,
                     double *out, int count)
{
    cd_zero(count, out);
    if (function != NULL)
        ck_assert_int_eq(function(problem->def.context, &point->at, out), 0);
}

static void expect_dynamics(const lab_problem *problem, const test_point *point)
{
    const cardan_system_def *def = &problem->def;
    int k = cardan_group_dof(problem->group), m = def->constraints, l = def->nonholonomic;
    double matrix[MAX_DOF * MAX_DOF], term[MAX_DOF];
    balance b = {0};
    evaluate(problem, def->mass, point, matrix, k * k);
    cd_multiply(k, k, matrix, point->vdot, term);
    balance_add(&b, k, term);
    evaluate(problem, def->force, point, term, k);
    balance_add(&b, k, term);
    evaluate(problem, def->constraint_dq, point, matrix, m * k);
    cd_zero(k, term);
    if (!def->lambda_in_force_only)
        cd_add_transposed(m, k, matrix, point->lambda, term);
    balance_add(&b, k, term);
    evaluate(problem, def->nonholonomic_dv, point, matrix, l * k);
    cd_zero(k, term);
    if (!def->psi_in_force_only)
        cd_add_transposed(l, k, matrix, point->psi, term);
    balance_add(&b, k, term);
    ck_assert_msg(balance_ratio(&b, k) <= 1e-13, "%s at %g: dynamics %g", problem->type->name,
                  point->at.t, balance_ratio(&b, k));
}

static void expect_constraints(const lab_problem *problem, const test_point *point)
{
    const cardan_system_def *def = &problem->def;
    int k = cardan_group_dof(problem->group), m = def->constraints;
    double rows[MAX_CONSTRAINTS * MAX_DOF], value[MAX_CONSTRAINTS];
    double scale = 1.0 + pow(cd_max_abs(cardan_group_size(problem->group), point->q), 2.0);
    balance velocity = {0}, acceleration = {0};
    evaluate(problem, def->constraint, point, value, m);
    ck_assert_msg(cd_max_abs(m, value) <= 1e-14 * scale, "%s at %g: position %g",
                  problem->type->name, point->at.t, cd_max_abs(m, value));
    evaluate(problem, def->constraint_dq, point, rows, m * k);
    balance_add_product(&velocity, m, k, rows, point->v);
    balance_add_product(&acceleration, m, k, rows, point->vdot);
    evaluate(problem, def->constraint_dt, point, value, m);
    balance_add(&velocity, m, value);
    evaluate(problem, def->constraint_bias, point, value, m);
    balance_add(&acceleration, m, value);
    ck_assert_msg(balance_ratio(&velocity, m) <= 1e-13, "%s at %g: velocity %g",
                  problem->type->name, point->at.t, balance_ratio(&velocity, m));
    ck_assert_msg(balance_ratio(&acceleration, m) <= 1e-13, "%s at %g: acceleration %g",
                  problem->type->name, point->at.t, balance_ratio(&acceleration, m));
}

/* k = 0 and its derivative K v' + dk/dq v + dk/dt = 0; dk/dq is directional, so v is what it takes
 * on every group. */
static void expect_rolling(const lab_problem *problem, const test_point *point)
{
    const cardan_system_def *def = &problem->def;
    int k = cardan_group_dof(problem->group), l = def->nonholonomic;
    double rows[MAX_ROLLING * MAX_DOF], value[MAX_ROLLING];
    double scale = 1.0 + pow(cd_max_abs(k, point->v), 2.0);
    balance change = {0};
    evaluate(problem, def->nonholonomic_residual, point, value, l);
    ck_assert_msg(cd_max_abs(l, value) <= 1e-14 * scale, "%s at %g: rolling %g",
                  problem->type->name, point->at.t, cd_max_abs(l, value));
    evaluate(problem, def->nonholonomic_dv, point, rows, l * k);
    balance_add_product(&change, l, k, rows, point->vdot);
    evaluate(problem, def->nonholonomic_dq, point, rows, l * k);
    balance_add_product(&change, l, k, rows, point->v);
    evaluate(problem, def->nonholonomic_dt, point, value, l);
    balance_add(&change, l, value);
    ck_assert_msg(balance_ratio(&change, l) <= 1e-13, "%s at %g: derivative of rolling %g",
                  problem->type->name, point->at.t, balance_ratio(&change, l));
}

START_TEST(reference_satisfies_the_equations)
{
    const variant *of = &variants[_i];
    lab_problem *problem = make_variant(of);
    for (int i = 0; i < TIMES; i++) {
        test_point point;
        reference_point(problem, time_of(of, i), &point);
        ck_assert(cardan_group_defect(problem->group, point.q) <= 1e-15);
        expect_dynamics(problem, &point);
        expect_constraints(problem, &point);
        expect_rolling(problem, &point);
    }
    lab_problem_destroy(problem);
}
END_TEST

/* Central differences of order 8: derivative of the configuration in the algebra, and of v. The
 * step is chosen by the fastest motion among the variants, Omega2 = 150. */
START_TEST(reference_is_the_derivative_of_itself)
{
    static const double weight[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const variant *of = &variants[_i];
    lab_problem *problem = make_variant(of);
    const double h = 5e-4;
    int k = cardan_group_dof(problem->group);
    for (int i = 1; i < TIMES; i += 3) {
        double t = time_of(of, i), v[MAX_DOF] = {0.0}, vdot[MAX_DOF] = {0.0}, w[MAX_DOF];
        test_point middle, side;
        reference_point(problem, t, &middle);
        for (int j = -4; j <= 4; j++) {
            if (j == 0)
                continue;
            double c = (j > 0 ? 1.0 : -1.0) * weight[abs(j) - 1] / h;
            reference_point(problem, t + j * h, &side);
            cardan_group_difference(problem->group, middle.q, side.q, w);
            cd_add(k, c, w, v);
            cd_add(k, c, side.v, vdot);
        }
        double v_size = 1.0 + cd_max_abs(k, middle.v), a_size = 1.0 + cd_max_abs(k, middle.vdot);
        cd_add(k, -1.0, middle.v, v);
        cd_add(k, -1.0, middle.vdot, vdot);
        ck_assert_msg(cd_max_abs(k, v) <= 1e-10 * v_size, "%s at %g: v off by %g", of->name, t,
                      cd_max_abs(k, v));
        ck_assert_msg(cd_max_abs(k, vdot) <= 1e-10 * fmax(v_size, a_size), "%s at %g: v' off by %g",
                      of->name, t, cd_max_abs(k, vdot));
    }
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(reference_starts_at_the_initial_values)
{
    lab_problem *problem = make_variant(&variants[_i]);
    int k = cardan_group_dof(problem->group);
    double q[MAX_SIZE], v[MAX_DOF], w[MAX_DOF];
    test_point point;
    lab_problem_initial(problem, q, v);
    reference_point(problem, 0.0, &point);
    cardan_group_difference(problem->group, q, point.q, w);
    ck_assert(cd_max_abs(k, w) <= 4e-16 * (1.0 + cd_max_abs(k, q)));
    for (int i = 0; i < k; i++)
        ck_assert_double_eq_tol(v[i], point.v[i], 4e-16 * (1.0 + cd_max_abs(k, v)));
    lab_problem_destroy(problem);
}
END_TEST

/* Total energy where no force dissipates and no constraint does work. */
static bool conservative(const variant *of)
{
    static const char *const others[] = {"cube",
                                         "driven_pendulum",
                                         "friction_slider",
                                         "slider_crank",
                                         "jay1",
                                         "jn1",
                                         "index2_example",
                                         "rolling_ball_turntable",
                                         "disk_on_platform",
                                         "stick_slip",
                                         "load_branches"};
    if (strcmp(of->name, "oscillator") == 0)
        return of->count == 0;
    if (strcmp(of->name, "jn2") == 0)
        return of->count > 0; /* the variant without damping */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(of->name, others[i]) == 0)
            return false;
    return true;
}

START_TEST(energy_is_conserved)
{
    const variant *of = &variants[_i];
    lab_problem *problem = make_variant(of);
    test_point point;
    reference_point(problem, 0.0, &point);
    double first = energy_at(problem, &point.at);
    for (int i = 1; conservative(of) && i < TIMES; i++) {
        reference_point(problem, time_of(of, i), &point);
        ck_assert_double_eq_tol(energy_at(problem, &point.at), first, 1e-14 * (10.0 + fabs(first)));
    }
    lab_problem_destroy(problem);
}
END_TEST

/* Friction and damping: the loss of energy is the integral of the power g_d . v of the
 * non-conservative force, here by Simpson's rule on a fine grid. */
static double dissipated_power(const lab_problem *problem, const test_point *point)
{
    const cardan_system_def *def = &problem->def;
    int k = cardan_group_dof(problem->group);
    double moving[MAX_DOF], resting[MAX_DOF];
    test_point rest = *point;
    point_connect(&rest, point->at.t);
    cd_zero(MAX_DOF, rest.v);
    evaluate(problem, def->force, point, moving, k);
    evaluate(problem, def->force, &rest, resting, k);
    cd_add(k, -1.0, resting, moving);
    return cd_dot(k, moving, point->v);
}

static void expect_energy_balance(const char *name)
{
    enum { INTERVALS = 4000 };
    lab_problem *problem = make_problem(name, NULL, 0);
    double h = lab_problem_end(problem) / INTERVALS, work = 0.0, first = 0.0, last = 0.0;
    for (int i = 0; i <= INTERVALS; i++) {
        test_point point;
        reference_point(problem, i * h, &point);
        double weight = i == 0 || i == INTERVALS ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
        work += weight * h / 3.0 * dissipated_power(problem, &point);
        last = energy_at(problem, &point.at);
        if (i == 0)
            first = last;
    }
    ck_assert_msg(work > 0.1, "%s dissipates only %g", name, work);
    ck_assert_double_eq_tol(first - last, work, 1e-9 * (1.0 + fabs(first)));
    lab_problem_destroy(problem);
}

START_TEST(dissipation_balances_energy)
{
    expect_energy_balance("friction_slider");
    expect_energy_balance("slider_crank");
    expect_energy_balance("jn2");
}
END_TEST

/* The default run is one where lambda matters and stays away from its sign change: it varies by
 * more than a factor of three, and dg/dlambda is about mu wherever the bead moves. */
START_TEST(friction_depends_on_lambda)
{
    lab_problem *problem = make_problem("friction_slider", NULL, 0);
    double least = INFINITY, largest = 0.0;
    for (int i = 0; i < 200; i++) {
        test_point point;
        double dlambda[2];
        reference_point(problem, 0.01 * i, &point);
        evaluate(problem, problem->def.force_dlambda, &point, dlambda, 2);
        least = fmin(least, point.lambda[0]);
        largest = fmax(largest, point.lambda[0]);
        ck_assert(point.lambda[0] > 0.0);
        if (hypot(point.v[0], point.v[1]) > 1.0)
            ck_assert(hypot(dlambda[0], dlambda[1]) > 0.19);
    }
    ck_assert(largest > 3.0 * least);
    lab_problem_destroy(problem);
}
END_TEST

static void expect_momentum(const variant *of, int first, double tolerance)
{
    lab_problem *problem = make_variant(of);
    double start[MAX_OUTPUTS], values[MAX_OUTPUTS];
    outputs_at(problem, 0.0, start);
    for (int i = 0; i < TIMES; i++) {
        outputs_at(problem, time_of(of, i), values);
        for (int j = first; j < first + 3; j++)
            ck_assert_double_eq_tol(values[j], start[j], tolerance);
    }
    lab_problem_destroy(problem);
}

START_TEST(free_body_keeps_its_momentum)
{
    for (int i = 0; i < VARIANTS; i++)
        if (strcmp(variants[i].name, "free_body") == 0)
            expect_momentum(&variants[i], 7, 1e-14);
}
END_TEST

/* Vertical momentum about the fixed point: m (x1 u2 - x2 u1) + (R J Omega)_3, and for the symmetric
 * top the spin Omega2. */
START_TEST(heavy_top_keeps_its_vertical_momentum)
{
    lab_problem *problem = make_problem("heavy_top", NULL, 0);
    const double inertia[3] = {0.234375, 0.46875, 0.234375};
    double first = 0.0;
    for (int i = 0; i <= 20; i++) {
        test_point point;
        reference_point(problem, 0.1 * i, &point);
        double momentum = 15.0 * (point.q[0] * point.v[1] - point.q[1] * point.v[0]);
        for (int j = 0; j < 3; j++)
            momentum += point.q[9 + j] * inertia[j] * point.v[3 + j];
        if (i == 0)
            first = momentum;
        ck_assert_double_eq_tol(momentum, first, 1e-12);
        ck_assert_double_eq_tol(point.v[4], 150.0, 1e-12);
    }
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(spherical_pendulum_keeps_its_vertical_momentum)
{
    lab_problem *problem = make_problem("spherical_pendulum", NULL, 0);
    double first = 1.5 * sin(1.0471975511965976);
    for (int i = 0; i <= 50; i++) {
        test_point point;
        reference_point(problem, 0.1 * i, &point);
        ck_assert_double_eq_tol(point.q[0] * point.v[1] - point.q[1] * point.v[0], first, 1e-14);
    }
    lab_problem_destroy(problem);
}
END_TEST

/* With settings of an asymmetric top too: the physical outputs are the same numbers. */
static void expect_same_top(const char *name, const lab_setting *settings, int count)
{
    static const int shared[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -3, -2, -1};
    lab_problem *a = make_problem("heavy_top", settings, count);
    lab_problem *b = make_problem(name, settings, count);
    for (int i = 0; i <= 10; i++) {
        double one[MAX_OUTPUTS], other[MAX_OUTPUTS];
        outputs_at(a, 0.1 * i, one);
        outputs_at(b, 0.1 * i, other);
        double sign = cd_dot(4, one + 3, other + 3) < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < 16; j++) {
            int at = shared[j] < 0 ? lab_problem_outputs(b) + shared[j] : shared[j];
            double value = (j >= 3 && j < 7 ? sign : 1.0) * other[at];
            ck_assert_str_eq(lab_problem_output_name(a, j), lab_problem_output_name(b, at));
            ck_assert_double_eq_tol(one[j], value, 1e-14 * (1.0 + fabs(one[j])));
        }
    }
    lab_problem_destroy(a);
    lab_problem_destroy(b);
}

START_TEST(all_tops_agree)
{
    static const char *const forms[] = {"heavy_top_spatial", "heavy_top_se3", "heavy_top_quat"};
    const lab_setting asymmetric[] = {
        {"J1", 1.0}, {"J3", 0.5}, {"Omega1", 2.0}, {"Omega2", 10.0}, {"X2", 0.3}};
    for (int i = 0; i < 3; i++) {
        expect_same_top(forms[i], NULL, 0);
        expect_same_top(forms[i], asymmetric, 5);
    }
}
END_TEST

/* omega of the spatial form is R Omega. */
START_TEST(spatial_output_turns_the_velocity)
{
    lab_problem *problem = make_problem("heavy_top_spatial", NULL, 0);
    double values[MAX_OUTPUTS], turned[3];
    test_point point;
    reference_point(problem, 0.37, &point);
    lab_problem_output(problem, &point.at, values);
    cd_multiply(3, 3, point.q + 3, values + 10, turned);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(values[13 + i], turned[i], 1e-13);
    lab_problem_destroy(problem);
}
END_TEST

/* Orientation and centre of a disk from the angles of rolling_disk with rolling = -1: the disk
 * rolls forward for a negative spin, body axis 2 points to its left. */
static void disk_from_angles(const double *angle, double radius, double *centre, double *r)
{
    const double sl = sin(angle[2]), cl = cos(angle[2]), sh = sin(angle[3]), ch = cos(angle[3]);
    const double ss = sin(-angle[4]), cs = cos(angle[4]);
    const double ahead[3] = {ch, sh, 0.0}, axle[3] = {-cl * sh, cl * ch, -sl};
    const double up[3] = {-sl * sh, sl * ch, cl};
    for (int i = 0; i < 3; i++) {
        r[3 * i] = cs * ahead[i] - ss * up[i];
        r[3 * i + 1] = axle[i];
        r[3 * i + 2] = ss * ahead[i] + cs * up[i];
        centre[i] = (i < 2 ? angle[i] : 0.0) + radius * up[i];
    }
}

/* Two derivations that share nothing: Lagrange's equations of three angles and Euler's equations
 * with a quaternion. */
START_TEST(disks_agree)
{
    const lab_setting angles[] = {{"m", 1.5},
                                  {"r", 0.8},
                                  {"I1", 0.3},
                                  {"I2", 0.5},
                                  {"g", 9.81},
                                  {"rolling", -1.0},
                                  {"x", 0.0},
                                  {"lean", 0.4},
                                  {"heading", -0.7},
                                  {"lean_rate", 0.2},
                                  {"heading_rate", 0.6},
                                  {"spin_rate", -3.5},
                                  {"spin", 0.0}};
    const lab_setting body[] = {{"m", 1.5},        {"r", 0.8},         {"I1", 0.3},
                                {"I2", 0.5},       {"g", 9.81},        {"lean", 0.4},
                                {"heading", -0.7}, {"lean_rate", 0.2}, {"heading_rate", 0.6},
                                {"spin_rate", 3.5}};
    lab_problem *a = make_problem("rolling_disk", angles, 13);
    lab_problem *b = make_problem("disk_so3", body, 10);
    for (int i = 0; i <= 20; i++) {
        test_point one, other;
        double centre[3], r[9];
        reference_point(a, 0.2 * i, &one);
        reference_point(b, 0.2 * i, &other);
        disk_from_angles(one.q, 0.8, centre, r);
        for (int j = 0; j < 3; j++)
            ck_assert_double_eq_tol(other.q[j], centre[j], 2e-14);
        for (int j = 0; j < 9; j++)
            ck_assert_double_eq_tol(other.q[3 + j], r[j], 2e-14);
        for (int j = 0; j < 2; j++)
            ck_assert_double_eq_tol(other.psi[j], one.psi[j], 1e-13 * (1.0 + fabs(one.psi[j])));
        ck_assert_double_eq_tol(energy_at(b, &other.at), energy_at(a, &one.at), 1e-13);
    }
    lab_problem_destroy(a);
    lab_problem_destroy(b);
}
END_TEST

/* Massless coordinates do not change the motion, nor the force of the pendulum's arm. */
START_TEST(massless_forms_move_alike)
{
    lab_problem *pendulum = make_problem("pendulum", NULL, 0);
    lab_problem *massless = make_problem("pendulum_massless", NULL, 0);
    lab_problem *top = make_problem("heavy_top", NULL, 0);
    lab_problem *light = make_problem("heavy_top_massless", NULL, 0);
    for (int i = 0; i <= 20; i++) {
        test_point one, other;
        reference_point(pendulum, 0.1 * i, &one);
        reference_point(massless, 0.1 * i, &other);
        ck_assert_mem_eq(one.q, other.q, 2 * sizeof *one.q);
        for (int j = 0; j < 2; j++)
            ck_assert_double_eq_tol(one.q[j] * one.lambda[0], other.lambda[j], 1e-14);
        reference_point(top, 0.1 * i, &one);
        reference_point(light, 0.1 * i, &other);
        ck_assert_mem_eq(one.q, other.q, 12 * sizeof *one.q);
        ck_assert_mem_eq(one.lambda, other.lambda, 3 * sizeof *one.lambda);
        ck_assert_mem_eq(one.lambda, other.lambda + 3, 3 * sizeof *one.lambda);
    }
    lab_problem_destroy(pendulum);
    lab_problem_destroy(massless);
    lab_problem_destroy(top);
    lab_problem_destroy(light);
}
END_TEST

START_TEST(times_without_reference)
{
    lab_problem *problem = make_problem("pendulum", NULL, 0);
    cardan_error error;
    double q[2];
    ck_assert_int_eq(lab_problem_reference(problem, -0.1, q, NULL, NULL, NULL, NULL, &error),
                     CARDAN_NO_REFERENCE);
    ck_assert_ptr_nonnull(strstr(error.text, "starts at t = 0"));
    ck_assert_int_eq(lab_problem_reference(problem, NAN, q, NULL, NULL, NULL, NULL, NULL),
                     CARDAN_NO_REFERENCE);
    ck_assert_int_eq(lab_problem_reference(problem, 0.1, NULL, NULL, NULL, NULL, NULL, NULL),
                     CARDAN_OK);
    lab_problem_destroy(problem);
}
END_TEST

/* A crank longer than the rod reaches the position where the rod is at right angles to the guide;
 * a spherical pendulum over the top leaves the stereographic map. */
static void expect_end_of_reference(const char *name, const lab_setting *settings, int count,
                                    double late)
{
    lab_problem *problem = make_problem(name, settings, count);
    cardan_error error;
    double q[3];
    ck_assert_int_eq(lab_problem_reference(problem, 0.01, q, NULL, NULL, NULL, NULL, &error),
                     CARDAN_OK);
    ck_assert_int_eq(lab_problem_reference(problem, late, q, NULL, NULL, NULL, NULL, &error),
                     CARDAN_NO_REFERENCE);
    ck_assert_ptr_nonnull(strstr(error.text, "singular"));
    ck_assert_int_eq(lab_problem_reference(problem, 0.01, q, NULL, NULL, NULL, NULL, &error),
                     CARDAN_OK);
    lab_problem_destroy(problem);
}

START_TEST(singular_references_are_reported)
{
    const lab_setting crank[] = {{"a", 2.0}, {"q0", 0.3}, {"F", -5.0}};
    const lab_setting over_the_top[] = {{"theta0", 0.0}, {"v0", 8.0}};
    expect_end_of_reference("slider_crank", crank, 3, 10.0);
    expect_end_of_reference("spherical_pendulum", over_the_top, 2, 5.0);
}
END_TEST

/* As a convergence study asks: 1e5 increasing times, and again from the start. */
START_TEST(many_close_times)
{
    lab_problem *problem = make_problem("heavy_top", NULL, 0);
    test_point point, again;
    for (int i = 0; i <= 100000; i++)
        reference_point(problem, 1e-5 * i, &point);
    reference_point(problem, 0.25, &again);
    reference_point(problem, 1.0, &again);
    ck_assert_mem_eq(point.q, again.q, 12 * sizeof *point.q);
    ck_assert_mem_eq(point.lambda, again.lambda, 3 * sizeof *point.lambda);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("problem_reference");
    TCase *tcase = tcase_create("reference");
    tcase_set_timeout(tcase, 300.0);
    tcase_add_loop_test(tcase, reference_satisfies_the_equations, 0, VARIANTS);
    tcase_add_loop_test(tcase, reference_is_the_derivative_of_itself, 0, VARIANTS);
    tcase_add_loop_test(tcase, reference_starts_at_the_initial_values, 0, VARIANTS);
    tcase_add_loop_test(tcase, energy_is_conserved, 0, VARIANTS);
    tcase_add_test(tcase, dissipation_balances_energy);
    tcase_add_test(tcase, friction_depends_on_lambda);
    tcase_add_test(tcase, free_body_keeps_its_momentum);
    tcase_add_test(tcase, heavy_top_keeps_its_vertical_momentum);
    tcase_add_test(tcase, spherical_pendulum_keeps_its_vertical_momentum);
    tcase_add_test(tcase, all_tops_agree);
    tcase_add_test(tcase, spatial_output_turns_the_velocity);
    tcase_add_test(tcase, disks_agree);
    tcase_add_test(tcase, massless_forms_move_alike);
    tcase_add_test(tcase, times_without_reference);
    tcase_add_test(tcase, singular_references_are_reported);
    tcase_add_test(tcase, many_close_times);
    suite_add_tcase(suite, tcase);
    return suite;
}

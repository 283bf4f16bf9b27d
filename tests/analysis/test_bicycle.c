/* The bicycle's linearised equations against Meijaard et al. (2007), whose digits they print. */
#include "bicycle.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Modes of the bicycle rolling straight ahead. */
static cardan_modes *modes_with(double speed, const cardan_modes_def *def)
{
    cardan_model *model = bicycle_model(speed);
    const cardan_system *system = cardan_model_system(model);
    const size_t size = (size_t)cardan_group_size(cardan_system_describe(system).group);
    double *q = calloc(size, sizeof *q), *v = calloc(24, sizeof *v);
    cardan_modes *modes;
    cardan_error error;
    ck_assert_int_eq(cardan_system_describe(system).dof, 24);
    cardan_model_initial(model, q, v);
    const cardan_point at = {.q = q, .v = v};
    ck_assert_msg(cardan_modes_create(&modes, system, &at, def, &error) == CARDAN_OK, "%s",
                  error.text);
    free(q);
    free(v);
    cardan_model_destroy(model);
    return modes;
}

static cardan_modes *modes_at(double speed)
{
    return modes_with(speed, NULL);
}

/* The published model M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 with q = (lean, steer). */
static const double M[4] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686};
static const double C1[4] = {0.0, 33.86641391492494, -0.85035641456978, 1.68540397397560};
static const double K0[4] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618};
static const double K2[4] = {0.0, 76.59734589573222, 0.0, 2.65431523794604};

static double stiffness(double speed, int i)
{
    return 9.81 * K0[i] + speed * speed * K2[i];
}

/* How singular the published s^2 M + s v C1 + K is: |det| over the sizes of its products. */
static double published_defect(double speed, double complex s)
{
    double complex a[4];
    for (int i = 0; i < 4; i++)
        a[i] = s * s * M[i] + s * speed * C1[i] + stiffness(speed, i);
    return cabs(a[0] * a[3] - a[1] * a[2]) / (cabs(a[0] * a[3]) + cabs(a[1] * a[2]));
}

static void expect_eigenvalue(const cardan_mode *mode, double real, double imag, double tolerance)
{
    ck_assert_double_eq_tol(mode->real, real, tolerance);
    ck_assert_double_eq_tol(mode->imag, imag, tolerance);
}

START_TEST(test_eigenvalues_at_5_are_the_published_ones)
{
    cardan_modes *modes = modes_at(5.0);
    ck_assert_int_eq(modes->displacements, 7);
    ck_assert_int_eq(modes->velocities, 3);
    ck_assert_int_eq(modes->zeros, 6);
    ck_assert_int_eq(modes->count, 3);
    ck_assert_double_lt(modes->acceleration, 1e-12);
    ck_assert(modes->is_steady);
    expect_eigenvalue(&modes->mode[0], -0.32286642900409, 0.0, 1e-11);
    expect_eigenvalue(&modes->mode[1], -0.77534188219585, 4.46486771378823, 1e-11);
    expect_eigenvalue(&modes->mode[2], -14.07838969279822, 0.0, 1e-11);
    cardan_modes_destroy(modes);
}
END_TEST

START_TEST(test_eigenvalues_are_those_of_the_published_matrices)
{
    for (int i = 0; i <= 20; i++) {
        const double speed = 0.5 * i;
        cardan_modes *modes = modes_at(speed);
        int found = 0;
        for (int j = 0; j < modes->count; j++) {
            const cardan_mode *mode = &modes->mode[j];
            found += mode->imag > 0.0 ? 2 : 1;
            ck_assert_double_lt(published_defect(speed, mode->real + I * mode->imag), 1e-11);
        }
        ck_assert_int_eq(found, 4);
        cardan_modes_destroy(modes);
    }
}
END_TEST

/* Lean and steer of a mode: the frame's rotation about x, and what the fork turns against it about
 * the steer axis. */
static void lean_and_steer(const cardan_mode *mode, double complex q[2])
{
    const double tilt = 3.14159265358979323846 / 10.0;
    const int frame = 6 * BICYCLE_FRAME + 3, fork = 6 * BICYCLE_FORK + 3;
    double complex turn[3];
    for (int i = 0; i < 3; i++) {
        const double *x = mode->displacement;
        turn[i] = x[fork + i] - x[frame + i] + I * (x[24 + fork + i] - x[24 + frame + i]);
    }
    q[0] = mode->displacement[frame] + I * mode->displacement[24 + frame];
    q[1] = sin(tilt) * turn[0] + cos(tilt) * turn[2];
}

START_TEST(test_shapes_satisfy_the_published_equations)
{
    for (int i = 1; i <= 8; i++) {
        const double speed = i;
        cardan_modes *modes = modes_at(speed);
        for (int j = 0; j < modes->count; j++) {
            const double complex s = modes->mode[j].real + I * modes->mode[j].imag;
            double complex q[2], sum[2] = {0.0, 0.0};
            double size = 0.0;
            lean_and_steer(&modes->mode[j], q);
            for (int e = 0; e < 4; e++) {
                const double complex a = s * s * M[e] + s * speed * C1[e] + stiffness(speed, e);
                sum[e / 2] += a * q[e % 2];
                size = fmax(size, cabs(a));
            }
            /* The largest displacement is 1, so this is the rounding of the shape. */
            ck_assert_double_gt(cabs(q[0]), 1e-7);
            ck_assert_double_lt(cabs(sum[0]) / size, 1e-13);
            ck_assert_double_lt(cabs(sum[1]) / size, 1e-13);
        }
        cardan_modes_destroy(modes);
    }
}
END_TEST

/* Positive if some motion grows. */
static double growth_at(double speed)
{
    cardan_modes_def def = cardan_modes_def_default();
    def.tolerance = 1e-14; /* an eigenvalue near 0 is not to be taken for 0 */
    cardan_modes *modes = modes_with(speed, &def);
    double largest = -INFINITY;
    for (int i = 0; i < modes->count; i++)
        largest = fmax(largest, modes->mode[i].real);
    cardan_modes_destroy(modes);
    return largest;
}

/* Where the growth changes its sign, by bisection. */
static double limit_between(double low, double high)
{
    const bool grows = growth_at(low) > 0.0;
    for (int i = 0; i < 44; i++) {
        const double middle = 0.5 * (low + high);
        if ((growth_at(middle) > 0.0) == grows)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

START_TEST(test_stable_range_is_the_published_one)
{
    ck_assert_double_gt(growth_at(4.0), 0.0);
    ck_assert_double_lt(growth_at(5.0), 0.0);
    ck_assert_double_gt(growth_at(7.0), 0.0);
    ck_assert_double_eq_tol(limit_between(4.0, 5.0), 4.29238253634111, 1e-10);
    ck_assert_double_eq_tol(limit_between(5.0, 7.0), 6.02426201538837, 1e-10);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("bicycle");
    TCase *tcase = tcase_create("published");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_eigenvalues_at_5_are_the_published_ones);
    tcase_add_test(tcase, test_eigenvalues_are_those_of_the_published_matrices);
    tcase_add_test(tcase, test_shapes_satisfy_the_published_equations);
    tcase_add_test(tcase, test_stable_range_is_the_published_one);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* Tangent operators against the derivative of the exponential, their inverses, transposes, blocks.
 */
#include "group_support.h"

#include <stdbool.h>
#include <stdlib.h>

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* hat(T x) for factor i from the definition: exp(-W) dexp(W)[X] on the left, dexp(W)[X] exp(-W) on
 * the right, in long double. */
static int exact_tangent(const cardan_group *group, int i, const double *w, const double *x,
                         long double *result)
{
    long double hat_w[MOST_ENTRIES], hat_x[MOST_ENTRIES], derivative[MOST_ENTRIES];
    long double back[MOST_ENTRIES];
    int n = cardan_group_hat(group, i, NULL, NULL);
    ld_hat(group, i, w, hat_w);
    ld_hat(group, i, x, hat_x);
    ld_exponential_derivative(n, hat_w, hat_x, derivative);
    for (int k = 0; k < n * n; k++)
        hat_w[k] = -hat_w[k];
    ld_exponential(n, hat_w, back);
    if (cardan_group_factor(group, i, NULL, NULL).side == CARDAN_LEFT)
        ld_product(n, back, derivative, result);
    else
        ld_product(n, derivative, back, result);
    return n;
}

START_TEST(tangent_is_the_derivative_of_exp)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 30;
    for (int k = 0; k < ANGLES; k++) {
        double w[MOST], x[MOST], tx[MOST], angle = test_angle(k, &state);
        random_velocity(group, &state, angle, w);
        random_vector(&state, cardan_group_dof(group), x);
        cardan_group_tangent(group, CARDAN_TANGENT, w, x, tx);
        for (int i = 0; i < cardan_group_factor_count(group); i++) {
            long double exact[MOST_ENTRIES], ours[MOST_ENTRIES];
            int n = exact_tangent(group, i, w, x, exact);
            ld_hat(group, i, tx, ours);
            ck_assert_double_le(ld_largest_difference(n * n, ours, exact), 2e-15 * (1.0 + angle));
        }
    }
    cardan_group_destroy(group);
}
END_TEST

/* The sentence of the header, with the library's own update and difference:
 * difference(update(q, w), update(q, w + e x)) = e T(w) x + O(e^2), by sixth-order differences. */
START_TEST(tangent_is_the_derivative_of_update)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 31;
    for (int k = 0; k < ANGLES; k++) {
        double q[MOST], q1[MOST], w[MOST], x[MOST], tx[MOST];
        double slope[MOST] = {0.0}, step = 2e-3;
        random_element(group, &state, q);
        random_velocity(group, &state, test_angle(k, &state), w);
        random_vector(&state, dof, x);
        cardan_group_tangent(group, CARDAN_TANGENT, w, x, tx);
        cardan_group_update(group, q, w, q1);
        static const double weights[7] = {-1, 9, -45, 0, 45, -9, 1};
        for (int m = 0; m < 7; m++) {
            double moved[MOST], q2[MOST], change[MOST];
            for (int j = 0; j < dof; j++)
                moved[j] = w[j] + (m - 3) * step * x[j];
            cardan_group_update(group, q, moved, q2);
            cardan_group_difference(group, q1, q2, change);
            for (int j = 0; j < dof; j++)
                slope[j] += weights[m] * change[j] / (60.0 * step);
        }
        ck_assert_double_le(largest_difference(dof, slope, tx), 1e-11);
    }
    cardan_group_destroy(group);
}
END_TEST

/* 1/(2 pi - angle) bounds the norm of the inverse; with the coupling block its square. */
static double pole(double angle)
{
    double distance = 2.0 * PI / (2.0 * PI - angle);
    return distance * distance;
}

START_TEST(inverse_inverts)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 32;
    for (int k = 0; k < ANGLES; k++) {
        double w[MOST], x[MOST], y[MOST], z[MOST], angle = test_angle(k, &state);
        if (angle > 2.0 * PI - 1e-3)
            continue;
        random_velocity(group, &state, angle, w);
        random_vector(&state, dof, x);
        double bound = 4e-15 * pole(angle);
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, w, x, y);
        cardan_group_tangent(group, CARDAN_TANGENT, w, y, z);
        ck_assert_double_le(largest_difference(dof, x, z), bound);
        cardan_group_tangent(group, CARDAN_TANGENT, w, x, y);
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, w, y, z);
        ck_assert_double_le(largest_difference(dof, x, z), bound);
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE_TRANSPOSE, w, x, y);
        cardan_group_tangent(group, CARDAN_TANGENT_TRANSPOSE, w, y, z);
        ck_assert_double_le(largest_difference(dof, x, z), bound);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(transposes_are_transposes)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 33;
    for (int k = 0; k < ANGLES; k++) {
        double w[MOST], x[MOST], y[MOST], tx[MOST], ty[MOST];
        double angle = fmod(test_angle(k, &state), 6.0);
        random_velocity(group, &state, angle, w);
        random_vector(&state, dof, x);
        random_vector(&state, dof, y);
        cardan_group_tangent(group, CARDAN_TANGENT, w, x, tx);
        cardan_group_tangent(group, CARDAN_TANGENT_TRANSPOSE, w, y, ty);
        ck_assert_double_eq_tol(dot(dof, y, tx), dot(dof, x, ty), 4e-14);
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, w, x, tx);
        cardan_group_tangent(group, CARDAN_TANGENT_INVERSE_TRANSPOSE, w, y, ty);
        ck_assert_double_eq_tol(dot(dof, y, tx), dot(dof, x, ty), 4e-14 * pole(angle));
    }
    cardan_group_destroy(group);
}
END_TEST

static void check_block(const cardan_group *group, cardan_tangent which, const double *w,
                        const double *x, double bound)
{
    double out[MOST], block[MOST];
    cardan_group_tangent(group, which, w, x, out);
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        int at, dof = factor_dof(cardan_group_factor(group, i, NULL, &at));
        cardan_group_tangent_block(group, which, i, w, block);
        for (int row = 0; row < dof; row++)
            ck_assert_double_eq_tol(dot(dof, block + row * dof, x + at), out[at + row], bound);
    }
}

START_TEST(blocks_are_the_applied_operators)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 34;
    for (int k = 0; k < ANGLES; k++) {
        double w[MOST], x[MOST], angle = fmod(test_angle(k, &state), 6.0);
        random_velocity(group, &state, angle, w);
        random_vector(&state, cardan_group_dof(group), x);
        for (cardan_tangent which = CARDAN_TANGENT; which <= CARDAN_TANGENT_INVERSE_TRANSPOSE;
             which++) {
            const bool direct = which == CARDAN_TANGENT || which == CARDAN_TANGENT_TRANSPOSE;
            check_block(group, which, w, x, direct ? 3e-15 : 3e-15 * pole(angle));
        }
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(out_may_be_x)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 35;
    double w[MOST], x[MOST], out[MOST];
    for (cardan_tangent which = CARDAN_TANGENT; which <= CARDAN_TANGENT_INVERSE_TRANSPOSE;
         which++) {
        random_velocity(group, &state, 1.0, w);
        random_vector(&state, dof, x);
        cardan_group_tangent(group, which, w, x, out);
        cardan_group_tangent(group, which, w, x, x);
        ck_assert_int_eq(memcmp(x, out, (size_t)dof * sizeof *x), 0);
    }
    cardan_group_destroy(group);
}
END_TEST

/* T_right(w) = T_left(-w), kind by kind. */
START_TEST(right_is_left_of_the_opposite)
{
    cardan_group *left = make_group(2 * _i), *right = make_group(2 * _i + 1);
    int dof = cardan_group_dof(left);
    uint64_t state = 36;
    for (int k = 0; k < ANGLES; k++) {
        double w[MOST], opposite[MOST], x[MOST], a[MOST], b[MOST];
        random_velocity(left, &state, test_angle(k, &state), w);
        random_vector(&state, dof, x);
        for (int j = 0; j < dof; j++)
            opposite[j] = -w[j];
        cardan_group_tangent(right, CARDAN_TANGENT, w, x, a);
        cardan_group_tangent(left, CARDAN_TANGENT, opposite, x, b);
        ck_assert_double_le(largest_difference(dof, a, b), 0.0);
    }
    cardan_group_destroy(left);
    cardan_group_destroy(right);
}
END_TEST

/* The operator to second order, T = I - ad/2 + ad^2/6, by brackets only: this fixes the sign. */
START_TEST(small_arguments_give_brackets)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 37;
    for (int k = 0; k < 200; k++) {
        double w[MOST], x[MOST], once[MOST], twice[MOST], tx[MOST], size = 1e-6;
        random_vector(&state, dof, w);
        random_vector(&state, dof, x);
        for (int j = 0; j < dof; j++)
            w[j] *= size;
        cardan_group_bracket(group, w, x, once);
        cardan_group_bracket(group, w, once, twice);
        cardan_group_tangent(group, CARDAN_TANGENT, w, x, tx);
        for (int j = 0; j < dof; j++)
            ck_assert_double_eq_tol(tx[j], x[j] - once[j] / 2 + twice[j] / 6, 5e-16);
    }
    cardan_group_destroy(group);
}
END_TEST

/* A long R^n passes through unchanged and in place, and its block is the identity. */
START_TEST(linear_factors_of_any_length)
{
    enum { LONG = 5000, SHORT = 40 };
    const cardan_factor factors[3] = {{CARDAN_RN, CARDAN_LEFT, LONG},
                                      {CARDAN_SE3, CARDAN_RIGHT, 0},
                                      {CARDAN_RN, CARDAN_RIGHT, SHORT}};
    cardan_group *group;
    ck_assert_int_eq(cardan_group_create(&group, factors, 3, NULL, NULL), CARDAN_OK);
    int dof = cardan_group_dof(group);
    ck_assert_int_eq(dof, LONG + 6 + SHORT);
    double *memory = malloc(3 * (size_t)dof * sizeof *memory);
    double *w = memory, *x = memory + dof, *out = memory + 2 * dof, block[SHORT * SHORT];
    uint64_t state = 38;
    random_vector(&state, dof, w);
    random_vector(&state, dof, x);
    cardan_group_tangent(group, CARDAN_TANGENT_INVERSE, w, x, out);
    ck_assert_int_eq(memcmp(x, out, LONG * sizeof *x), 0);
    ck_assert_int_eq(memcmp(x + LONG + 6, out + LONG + 6, SHORT * sizeof *x), 0);
    ck_assert_double_ne(out[LONG], x[LONG]);
    cardan_group_tangent_block(group, CARDAN_TANGENT, 2, w, block);
    for (int k = 0; k < SHORT * SHORT; k++)
        ck_assert_double_eq(block[k], k % (SHORT + 1) == 0 ? 1.0 : 0.0);
    free(memory);
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("group tangent");
    TCase *tcase = tcase_create("tangent");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, tangent_is_the_derivative_of_exp, 0, GROUPS);
    tcase_add_loop_test(tcase, tangent_is_the_derivative_of_update, 0, GROUPS);
    tcase_add_loop_test(tcase, inverse_inverts, 0, GROUPS);
    tcase_add_loop_test(tcase, transposes_are_transposes, 0, GROUPS);
    tcase_add_loop_test(tcase, blocks_are_the_applied_operators, 0, GROUPS);
    tcase_add_loop_test(tcase, out_may_be_x, 0, GROUPS);
    tcase_add_loop_test(tcase, right_is_left_of_the_opposite, 0, KINDS);
    tcase_add_loop_test(tcase, small_arguments_give_brackets, 0, GROUPS);
    tcase_add_test(tcase, linear_factors_of_any_length);
    suite_add_tcase(suite, tcase);
    return suite;
}

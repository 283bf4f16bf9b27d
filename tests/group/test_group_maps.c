/* Elements: exponential and logarithm, composition, update and difference, staying on the group. */
#include "group_support.h"

enum { RANDOM_CASES = 10 };

/* Rounding of the argument moves the result by angle * eps. */
static double rounding(double angle)
{
    return 1e-15 * (1.0 + angle);
}

static void check_exp(const cardan_group *group, double angle, const double *w)
{
    double q[MOST];
    cardan_group_exp(group, w, q);
    ck_assert_double_le(cardan_group_defect(group, q), rounding(angle));
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        long double hat[MOST_ENTRIES], exact[MOST_ENTRIES], ours[MOST_ENTRIES];
        int n = element_matrix(group, i, q, ours);
        ld_hat(group, i, w, hat);
        ld_exponential(n, hat, exact);
        ck_assert_double_le(ld_largest_difference(n * n, ours, exact), rounding(angle));
    }
}

START_TEST(exp_is_the_matrix_exponential_of_hat)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 10;
    for (int k = 0; k < ANGLES; k++)
        for (int repeat = 0; repeat < 4; repeat++) {
            double w[MOST], angle = test_angle(k, &state);
            random_velocity(group, &state, angle, w);
            check_exp(group, angle, w);
        }
    cardan_group_destroy(group);
}
END_TEST

/* The small entries of a small rotation carry its direction: they must be right relative to it. */
START_TEST(small_rotations_keep_their_relative_accuracy)
{
    cardan_group *group = make_group(2 * CARDAN_SO3);
    uint64_t state = 11;
    for (int exponent = -300; exponent <= -1; exponent++) {
        double w[3], r[9], angle = pow(10.0, exponent);
        long double hat[9], exact[9];
        random_velocity(group, &state, angle, w);
        cardan_group_exp(group, w, r);
        ld_hat(group, 0, w, hat);
        ld_exponential(3, hat, exact);
        for (int k = 0; k < 9; k++)
            if (k % 4 != 0)
                ck_assert_double_le(fabs((double)(r[k] - exact[k])), 2.0 * DBL_EPSILON * angle);
    }
    cardan_group_destroy(group);
}
END_TEST

/* Rotation vectors compare relative to their length; translations pass through two operators. */
static void check_log_of_exp(const cardan_group *group, double angle, const double *w)
{
    double q[MOST], back[MOST];
    cardan_group_exp(group, w, q);
    cardan_group_log(group, q, back);
    ck_assert_double_le(largest_difference(cardan_group_dof(group), w, back), 4e-15);
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        int at;
        cardan_factor factor = cardan_group_factor(group, i, NULL, &at);
        if (rotation_offset(factor.kind) < 0)
            continue;
        at += rotation_offset(factor.kind);
        double bound = angle < 1.0 ? 8.0 * DBL_EPSILON * angle : 3e-15;
        ck_assert_double_le(largest_difference(3, w + at, back + at), bound);
    }
}

START_TEST(log_inverts_exp_below_pi)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 12;
    for (int k = 0; k < ANGLES; k++)
        for (int repeat = 0; repeat < RANDOM_CASES; repeat++) {
            double w[MOST], angle = test_angle(k, &state);
            random_velocity(group, &state, angle, w);
            if (angle <= PI - 1e-13)
                check_log_of_exp(group, angle, w);
        }
    cardan_group_destroy(group);
}
END_TEST

/* Also beyond pi, where log finds the shorter way, and at pi, where either axis is right. */
START_TEST(exp_inverts_log_everywhere)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 13;
    for (int k = 0; k < ANGLES; k++)
        for (int repeat = 0; repeat < RANDOM_CASES; repeat++) {
            double w[MOST], q[MOST], back[MOST];
            random_velocity(group, &state, test_angle(k, &state), w);
            cardan_group_exp(group, w, q);
            cardan_group_log(group, q, w);
            cardan_group_exp(group, w, back);
            ck_assert_double_le(element_difference(group, q, back), 5e-15);
        }
    cardan_group_destroy(group);
}
END_TEST

static double rotation_angle(const double *w)
{
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

START_TEST(log_has_angles_up_to_pi)
{
    cardan_group *group = make_group(2 * (_i == 0 ? CARDAN_SO3 : CARDAN_S3));
    uint64_t state = 14;
    for (int k = 0; k < ANGLES; k++)
        for (int repeat = 0; repeat < RANDOM_CASES; repeat++) {
            double w[3], back[3], q[9], angle = test_angle(k, &state);
            random_velocity(group, &state, angle, w);
            cardan_group_exp(group, w, q);
            cardan_group_log(group, q, back);
            double folded = fabs(remainder(angle, 2.0 * PI));
            ck_assert_double_eq_tol(rotation_angle(back), folded, 5e-15);
            ck_assert_double_le(rotation_angle(back), PI * (1.0 + 2.0 * DBL_EPSILON));
        }
    cardan_group_destroy(group);
}
END_TEST

/* Within 1e-12 and less of pi the axis must come out on the right side: the sign is decided by the
 * skew part alone, which is of the size of the distance. */
START_TEST(log_near_pi_keeps_the_sign_of_the_axis)
{
    cardan_group *group = make_group(2 * (_i == 0 ? CARDAN_SO3 : CARDAN_S3));
    uint64_t state = 15;
    for (int exponent = -14; exponent <= -1; exponent++)
        for (int repeat = 0; repeat < 1000; repeat++) {
            double w[3], q[9], back[3], distance = pow(10.0, exponent);
            random_velocity(group, &state, PI - distance, w);
            cardan_group_exp(group, w, q);
            cardan_group_log(group, q, back);
            ck_assert_double_le(largest_difference(3, w, back), 3e-15);
        }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(half_turns_have_their_axis)
{
    static const double axes[6][3] = {{1, 0, 0}, {0, 1, 0},       {0, 0, 1},
                                      {0, 0, 1}, {0.6, 0.8, 0.0}, {0.36, -0.48, 0.8}};
    cardan_group *group = make_group(2 * CARDAN_SO3);
    for (int k = 0; k < 6; k++) {
        const double *n = axes[k];
        double r[9], w[3];
        for (int i = 0; i < 9; i++)
            r[i] = 2.0 * n[i / 3] * n[i % 3] - (i % 4 == 0 ? 1.0 : 0.0);
        cardan_group_log(group, r, w);
        double sign = w[0] * n[0] + w[1] * n[1] + w[2] * n[2] > 0.0 ? 1.0 : -1.0;
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(w[i], sign * PI * n[i], 2e-15);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(quaternions_and_matrices_are_the_same_rotations)
{
    static const cardan_group_kind pairs[2][2] = {{CARDAN_SO3, CARDAN_S3},
                                                  {CARDAN_R3_SO3, CARDAN_R3_S3}};
    cardan_group *matrices = make_group(2 * (int)pairs[_i / 2][0] + _i % 2);
    cardan_group *quaternions = make_group(2 * (int)pairs[_i / 2][1] + _i % 2);
    uint64_t state = 16;
    double r[MOST], q[MOST], w[MOST], x[MOST], xr[MOST], xq[MOST];
    cardan_group_identity(matrices, r);
    cardan_group_identity(quaternions, q);
    for (int k = 0; k < 2000; k++) {
        random_velocity(matrices, &state, 3.0 * uniform(&state), w);
        cardan_group_update(matrices, r, w, r);
        cardan_group_update(quaternions, q, w, q);
        long double mr[MOST_ENTRIES], mq[MOST_ENTRIES];
        int n = element_matrix(matrices, 0, r, mr);
        element_matrix(quaternions, 0, q, mq);
        ck_assert_double_le(ld_largest_difference(n * n, mr, mq), 5e-14);
        random_vector(&state, cardan_group_dof(matrices), x);
        cardan_group_adjoint(matrices, r, x, xr);
        cardan_group_adjoint(quaternions, q, x, xq);
        ck_assert_double_le(largest_difference(cardan_group_dof(matrices), xr, xq), 1e-13);
        cardan_group_log(matrices, r, xr);
        cardan_group_log(quaternions, q, xq);
        if (rotation_angle(xr + rotation_offset(
                                    cardan_group_factor(matrices, 0, NULL, NULL).kind)) < PI - 1e-6)
            ck_assert_double_le(largest_difference(cardan_group_dof(matrices), xr, xq), 2e-13);
    }
    cardan_group_destroy(matrices);
    cardan_group_destroy(quaternions);
}
END_TEST

START_TEST(compose_and_inverse_obey_the_group_laws)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 17;
    for (int k = 0; k < 500; k++) {
        double a[MOST], b[MOST], c[MOST], one[MOST], x[MOST], y[MOST], z[MOST];
        random_element(group, &state, a);
        random_element(group, &state, b);
        random_element(group, &state, c);
        cardan_group_identity(group, one);
        cardan_group_compose(group, a, one, x);
        ck_assert_double_eq(element_difference(group, x, a), 0.0);
        cardan_group_compose(group, one, a, x);
        ck_assert_double_eq(element_difference(group, x, a), 0.0);
        cardan_group_inverse(group, a, x);
        cardan_group_compose(group, a, x, y);
        ck_assert_double_le(element_difference(group, y, one), 3e-15);
        cardan_group_compose(group, x, a, y);
        ck_assert_double_le(element_difference(group, y, one), 3e-15);
        cardan_group_compose(group, a, b, x);
        cardan_group_compose(group, x, c, y);
        cardan_group_compose(group, b, c, x);
        cardan_group_compose(group, a, x, z);
        ck_assert_double_le(element_difference(group, y, z), 5e-15);
    }
    cardan_group_destroy(group);
}
END_TEST

/* Matrices multiply: the composition of the library against the product of matrix forms. */
START_TEST(compose_is_the_product_of_matrices)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 18;
    for (int k = 0; k < 200; k++) {
        double a[MOST], b[MOST], ab[MOST];
        random_element(group, &state, a);
        random_element(group, &state, b);
        cardan_group_compose(group, a, b, ab);
        for (int i = 0; i < cardan_group_factor_count(group); i++) {
            long double ma[MOST_ENTRIES], mb[MOST_ENTRIES], mab[MOST_ENTRIES], exact[MOST_ENTRIES];
            int n = element_matrix(group, i, a, ma);
            element_matrix(group, i, b, mb);
            element_matrix(group, i, ab, mab);
            ld_product(n, ma, mb, exact);
            ck_assert_double_le(ld_largest_difference(n * n, mab, exact), 3e-15);
        }
    }
    cardan_group_destroy(group);
}
END_TEST

/* q exp(w) on the left, exp(w) q on the right, by long double matrices. */
static void check_update(const cardan_group *group, double angle, const double *q, const double *w)
{
    double q1[MOST], alias[MOST];
    cardan_group_update(group, q, w, q1);
    memcpy(alias, q, sizeof alias);
    cardan_group_update(group, alias, w, alias);
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        cardan_factor factor = cardan_group_factor(group, i, NULL, NULL);
        long double hat[MOST_ENTRIES], exp[MOST_ENTRIES], before[MOST_ENTRIES];
        long double exact[MOST_ENTRIES], ours[MOST_ENTRIES];
        int n = element_matrix(group, i, q, before);
        ld_hat(group, i, w, hat);
        ld_exponential(n, hat, exp);
        if (factor.side == CARDAN_LEFT)
            ld_product(n, before, exp, exact);
        else
            ld_product(n, exp, before, exact);
        element_matrix(group, i, q1, ours);
        ck_assert_double_le(ld_largest_difference(n * n, ours, exact), 2.0 * rounding(angle));
    }
    ck_assert_int_eq(memcmp(alias, q1, (size_t)cardan_group_size(group) * sizeof *q1), 0);
}

START_TEST(update_multiplies_on_its_side)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 19;
    for (int k = 0; k < ANGLES; k++) {
        double q[MOST] = {0.0}, w[MOST], angle = test_angle(k, &state);
        random_element(group, &state, q);
        random_velocity(group, &state, angle, w);
        check_update(group, angle, q, w);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(difference_inverts_update)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 20;
    for (int k = 0; k < ANGLES; k++)
        for (int repeat = 0; repeat < RANDOM_CASES; repeat++) {
            double q0[MOST], q1[MOST], q2[MOST], w[MOST], back[MOST];
            double angle = fmod(test_angle(k, &state), PI - 1e-9);
            random_element(group, &state, q0);
            random_velocity(group, &state, angle, w);
            cardan_group_update(group, q0, w, q1);
            cardan_group_difference(group, q0, q1, back);
            ck_assert_double_le(largest_difference(dof, w, back), 1e-14);
            random_element(group, &state, q1);
            cardan_group_difference(group, q0, q1, w);
            cardan_group_update(group, q0, w, q2);
            ck_assert_double_le(element_difference(group, q1, q2), 1e-14);
        }
    cardan_group_destroy(group);
}
END_TEST

/* Large and small rotations in turn, on both sides. */
START_TEST(a_million_updates_stay_on_the_group)
{
    cardan_group *group = make_group(2 * CARDAN_SO3 + _i);
    int offset = rotation_offset(cardan_group_factor(group, 0, NULL, NULL).kind);
    uint64_t state = 21;
    double q[MOST], w[MOST], worst = 0.0;
    cardan_group_identity(group, q);
    for (int k = 0; k < 1000000; k++) {
        random_vector(&state, cardan_group_dof(group), w);
        double scale = k % 3 == 0 ? 3.0 : 1e-3;
        for (int i = offset; i < offset + 3; i++)
            w[i] *= scale;
        cardan_group_update(group, q, w, q);
        double defect = cardan_group_defect(group, q);
        worst = defect <= worst ? worst : defect;
    }
    ck_assert_double_le(worst, 2e-15);
    cardan_group_destroy(group);
}
END_TEST

/* Steps about one axis: the angle after 1e6 updates of 1e-3 is known. */
START_TEST(small_updates_add_up)
{
    cardan_group *group = make_group(2 * CARDAN_SO3 + _i);
    int offset = rotation_offset(cardan_group_factor(group, 0, NULL, NULL).kind);
    double q[MOST], expected[MOST], w[MOST] = {0.0};
    enum { STEPS = 1000000 };
    w[offset] = 0x1p-11;
    w[offset + 1] = 0x1p-10;
    w[offset + 2] = -0x1p-12;
    cardan_group_identity(group, q);
    for (int k = 0; k < STEPS; k++)
        cardan_group_update(group, q, w, q);
    for (int i = 0; i < 3; i++)
        w[offset + i] *= STEPS;
    cardan_group_exp(group, w, expected);
    ck_assert_double_le(element_difference(group, q, expected), 1e-12);
    cardan_group_destroy(group);
}
END_TEST

/* normalise gives the orthogonal polar factor: m = R S with S = R^T m symmetric. */
START_TEST(normalise_finds_the_nearest_rotation)
{
    cardan_group *group = make_group(2 * CARDAN_SO3);
    uint64_t state = 22;
    for (int k = 0; k < 1000; k++) {
        double r[9], m[9], s[9] = {0.0};
        random_element(group, &state, m);
        for (int i = 0; i < 9; i++)
            m[i] += 0.05 * uniform(&state);
        memcpy(r, m, sizeof r);
        cardan_group_normalise(group, r);
        ck_assert_double_le(cardan_group_defect(group, r), 1e-15);
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < 3; l++)
                s[i] += r[3 * l + i / 3] * m[3 * l + i % 3];
        ck_assert_double_eq_tol(s[1], s[3], 2e-15);
        ck_assert_double_eq_tol(s[2], s[6], 2e-15);
        ck_assert_double_eq_tol(s[5], s[7], 2e-15);
        ck_assert_double_gt(s[0], 0.8);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(normalise_returns_to_the_group_and_keeps_its_elements)
{
    cardan_group *group = make_group(_i);
    int size = cardan_group_size(group);
    uint64_t state = 23;
    for (int k = 0; k < 200; k++) {
        double q[MOST], exact[MOST];
        random_element(group, &state, exact);
        memcpy(q, exact, sizeof q);
        cardan_group_normalise(group, q);
        ck_assert_double_le(largest_difference(size, q, exact), 2e-15);
        for (int i = 0; i < size; i++)
            q[i] *= 1.0 + 0.05 * uniform(&state);
        cardan_group_normalise(group, q);
        ck_assert_double_le(cardan_group_defect(group, q), 1e-15);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(defect_measures_the_distance)
{
    cardan_group *group = make_group(_i);
    double q[MOST], stretch = 1.0 + 1e-3;
    uint64_t state = 24;
    random_element(group, &state, q);
    for (int i = 0; i < cardan_group_size(group); i++)
        q[i] *= stretch;
    double expected = _i / 2 == CARDAN_RN ? 0.0 : stretch * stretch - 1.0;
    ck_assert_double_eq_tol(cardan_group_defect(group, q), expected, 5e-15);
    q[cardan_group_size(group) - 1] = NAN;
    if (_i / 2 != CARDAN_RN)
        ck_assert(isnan(cardan_group_defect(group, q)));
    cardan_group_destroy(group);
}
END_TEST

static TCase *maps_case(void)
{
    TCase *tcase = tcase_create("exp and log");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, exp_is_the_matrix_exponential_of_hat, 0, GROUPS);
    tcase_add_test(tcase, small_rotations_keep_their_relative_accuracy);
    tcase_add_loop_test(tcase, log_inverts_exp_below_pi, 0, GROUPS);
    tcase_add_loop_test(tcase, exp_inverts_log_everywhere, 0, GROUPS);
    tcase_add_loop_test(tcase, log_has_angles_up_to_pi, 0, 2);
    tcase_add_loop_test(tcase, log_near_pi_keeps_the_sign_of_the_axis, 0, 2);
    tcase_add_test(tcase, half_turns_have_their_axis);
    tcase_add_loop_test(tcase, quaternions_and_matrices_are_the_same_rotations, 0, 4);
    return tcase;
}

static TCase *elements_case(void)
{
    TCase *tcase = tcase_create("elements");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, compose_and_inverse_obey_the_group_laws, 0, GROUPS);
    tcase_add_loop_test(tcase, compose_is_the_product_of_matrices, 0, GROUPS);
    tcase_add_loop_test(tcase, update_multiplies_on_its_side, 0, GROUPS);
    tcase_add_loop_test(tcase, difference_inverts_update, 0, GROUPS);
    tcase_add_loop_test(tcase, a_million_updates_stay_on_the_group, 0, 10);
    tcase_add_loop_test(tcase, small_updates_add_up, 0, 10);
    tcase_add_test(tcase, normalise_finds_the_nearest_rotation);
    tcase_add_loop_test(tcase, normalise_returns_to_the_group_and_keeps_its_elements, 0, GROUPS);
    tcase_add_loop_test(tcase, defect_measures_the_distance, 0, SINGLE_GROUPS);
    return tcase;
}

Suite *make_suite(void)
{
    Suite *suite = suite_create("group maps");
    suite_add_tcase(suite, maps_case());
    suite_add_tcase(suite, elements_case());
    return suite;
}

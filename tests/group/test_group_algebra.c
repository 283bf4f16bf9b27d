/* The algebra: hat and vee, brackets, Jacobi, the Baker-Campbell-Hausdorff series, adjoints. */
#include "group_support.h"

enum { CASES = 1000 };

/* What group.h prints of the shape of the matrices. */
START_TEST(hat_has_the_documented_shape)
{
    static const int orders[KINDS] = {RN_ORDER + 1, 3, 3, 7, 7, 4};
    cardan_group *group = make_group(SINGLE_GROUPS);
    double w[MOST], m[MOST_ENTRIES];
    uint64_t state = 40;
    random_vector(&state, cardan_group_dof(group), w);
    for (int i = 0; i < SINGLE_GROUPS; i++) {
        int at, n = cardan_group_hat(group, i, NULL, NULL);
        cardan_factor factor = cardan_group_factor(group, i, NULL, &at);
        ck_assert_int_eq(n, orders[factor.kind]);
        cardan_group_hat(group, i, w, m);
        int translation = factor.kind == CARDAN_RN ? factor.n : rotation_offset(factor.kind);
        int column = factor.kind == CARDAN_RN ? factor.n : 3;
        double expected[MOST_ENTRIES] = {0.0};
        for (int row = 0; row < translation; row++)
            expected[row * n + column] = w[at + row];
        if (factor.kind != CARDAN_RN) {
            const double *r = w + at + rotation_offset(factor.kind);
            double *corner = expected + (n == 7 ? 4 * 7 + 4 : 0);
            corner[1] = -r[2], corner[2] = r[1], corner[n + 2] = -r[0];
            corner[n] = r[2], corner[2 * n] = -r[1], corner[2 * n + 1] = r[0];
        }
        ck_assert_double_eq(largest_difference(n * n, m, expected), 0.0);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(vee_inverts_hat)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 41;
    for (int k = 0; k < CASES; k++) {
        double w[MOST], back[MOST] = {0.0}, matrix[MOST_ENTRIES];
        random_vector(&state, dof, w);
        for (int i = 0; i < cardan_group_factor_count(group); i++) {
            cardan_group_hat(group, i, w, matrix);
            cardan_group_vee(group, i, matrix, back);
        }
        ck_assert_double_eq(largest_difference(dof, w, back), 0.0);
    }
    cardan_group_destroy(group);
}
END_TEST

/* hat([a, b]) = hat(a) hat(b) - hat(b) hat(a) on the left, the opposite on the right. */
static void check_commutator(const cardan_group *group, int i, const double *a, const double *b,
                             const double *bracket)
{
    long double ha[MOST_ENTRIES], hb[MOST_ENTRIES], hc[MOST_ENTRIES];
    long double ab[MOST_ENTRIES], ba[MOST_ENTRIES];
    int n = cardan_group_hat(group, i, NULL, NULL);
    ld_hat(group, i, a, ha);
    ld_hat(group, i, b, hb);
    ld_hat(group, i, bracket, hc);
    ld_product(n, ha, hb, ab);
    ld_product(n, hb, ha, ba);
    int sign = cardan_group_factor(group, i, NULL, NULL).side == CARDAN_LEFT ? 1 : -1;
    for (int k = 0; k < n * n; k++)
        ck_assert_double_le(fabs((double)(sign * (ab[k] - ba[k]) - hc[k])), 1e-15);
}

START_TEST(bracket_is_the_commutator_of_hats)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 42;
    for (int k = 0; k < CASES; k++) {
        double a[MOST], b[MOST], bracket[MOST];
        random_vector(&state, dof, a);
        random_vector(&state, dof, b);
        cardan_group_bracket(group, a, b, bracket);
        for (int i = 0; i < cardan_group_factor_count(group); i++)
            check_commutator(group, i, a, b, bracket);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(bracket_is_antisymmetric_and_obeys_jacobi)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 43;
    for (int k = 0; k < CASES; k++) {
        double v[3][MOST], inner[MOST], outer[MOST], sum[MOST] = {0.0}, swapped[MOST];
        for (int i = 0; i < 3; i++)
            random_vector(&state, dof, v[i]);
        for (int i = 0; i < 3; i++) {
            const double *a = v[i], *b = v[(i + 1) % 3], *c = v[(i + 2) % 3];
            cardan_group_bracket(group, b, c, inner);
            cardan_group_bracket(group, c, b, swapped);
            for (int j = 0; j < dof; j++)
                ck_assert_double_eq(inner[j], -swapped[j]);
            cardan_group_bracket(group, a, inner, outer);
            for (int j = 0; j < dof; j++)
                sum[j] += outer[j];
        }
        for (int j = 0; j < dof; j++)
            ck_assert_double_le(fabs(sum[j]), 4e-15);
    }
    cardan_group_destroy(group);
}
END_TEST

/* What is left of log(exp(e a) exp(e b)) after the terms up to e^3, largest entry. */
static double bch_remainder(const cardan_group *group, double e, const double *a, const double *b)
{
    int dof = cardan_group_dof(group);
    double ea[MOST], eb[MOST], q[MOST], w[MOST], ab[MOST], aab[MOST], bab[MOST], largest = 0.0;
    for (int j = 0; j < dof; j++) {
        ea[j] = e * a[j];
        eb[j] = e * b[j];
    }
    cardan_group_exp(group, ea, q);
    cardan_group_update(group, q, eb, q);
    cardan_group_log(group, q, w);
    cardan_group_bracket(group, ea, eb, ab);
    cardan_group_bracket(group, ea, ab, aab);
    cardan_group_bracket(group, eb, ab, bab);
    for (int j = 0; j < dof; j++) {
        double series = ea[j] + eb[j] + ab[j] / 2 + (aab[j] - bab[j]) / 12;
        largest = fmax(largest, fabs(w[j] - series));
    }
    return largest;
}

START_TEST(composition_follows_baker_campbell_hausdorff)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 44;
    double sums[4] = {0.0};
    for (int k = 0; k < CASES; k++) {
        double a[MOST], b[MOST];
        random_vector(&state, cardan_group_dof(group), a);
        random_vector(&state, cardan_group_dof(group), b);
        for (int level = 0; level < 4; level++)
            sums[level] += bch_remainder(group, ldexp(0.1, -level), a, b);
    }
    if (_i / 2 == CARDAN_RN) {
        ck_assert_double_le(sums[0] / CASES, 1e-16);
    } else {
        ck_assert_double_gt(sums[3] / CASES, 1e-13);
        for (int level = 1; level < 4; level++)
            ck_assert_double_eq_tol(log2(sums[level - 1] / sums[level]), 4.0, 0.05);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(adjoint_conjugates)
{
    cardan_group *group = make_group(_i);
    uint64_t state = 45;
    for (int k = 0; k < ANGLES; k++) {
        double q[MOST], x[MOST], e[MOST], inverse[MOST], qe[MOST], left[MOST], right[MOST];
        random_element(group, &state, q);
        random_velocity(group, &state, test_angle(k, &state), x);
        cardan_group_exp(group, x, e);
        cardan_group_inverse(group, q, inverse);
        cardan_group_compose(group, q, e, qe);
        cardan_group_compose(group, qe, inverse, left);
        cardan_group_adjoint(group, q, x, e);
        cardan_group_exp(group, e, right);
        ck_assert_double_le(element_difference(group, left, right), 2e-14);
    }
    cardan_group_destroy(group);
}
END_TEST

/* Ad_ab = Ad_a Ad_b, and Ad_q [x, y] = [Ad_q x, Ad_q y]. */
START_TEST(adjoint_is_a_homomorphism)
{
    cardan_group *group = make_group(_i);
    int dof = cardan_group_dof(group);
    uint64_t state = 46;
    for (int k = 0; k < CASES; k++) {
        double a[MOST], b[MOST], ab[MOST], x[MOST], y[MOST], u[MOST], v[MOST], z[MOST];
        random_element(group, &state, a);
        random_element(group, &state, b);
        random_vector(&state, dof, x);
        random_vector(&state, dof, y);
        cardan_group_compose(group, a, b, ab);
        cardan_group_adjoint(group, ab, x, u);
        cardan_group_adjoint(group, b, x, v);
        cardan_group_adjoint(group, a, v, z);
        ck_assert_double_le(largest_difference(dof, u, z), 1e-14);
        cardan_group_bracket(group, x, y, z);
        cardan_group_adjoint(group, a, z, ab);
        cardan_group_adjoint(group, a, x, u);
        cardan_group_adjoint(group, a, y, v);
        cardan_group_bracket(group, u, v, z);
        ck_assert_double_le(largest_difference(dof, ab, z), 1e-14);
    }
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("group algebra");
    TCase *tcase = tcase_create("algebra");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, hat_has_the_documented_shape);
    tcase_add_loop_test(tcase, vee_inverts_hat, 0, GROUPS);
    tcase_add_loop_test(tcase, bracket_is_the_commutator_of_hats, 0, GROUPS);
    tcase_add_loop_test(tcase, bracket_is_antisymmetric_and_obeys_jacobi, 0, GROUPS);
    tcase_add_loop_test(tcase, composition_follows_baker_campbell_hausdorff, 0, GROUPS);
    tcase_add_loop_test(tcase, adjoint_conjugates, 0, GROUPS);
    tcase_add_loop_test(tcase, adjoint_is_a_homomorphism, 0, GROUPS);
    suite_add_tcase(suite, tcase);
    return suite;
}

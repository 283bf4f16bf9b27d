/* Cayley's map, carried velocities and their matrices: against closed forms in long double and
 * against differences. */
#include "group/cayley.h"
#include "group/group.h"
#include "group_support.h"

/* The curved part of a factor. */
typedef struct part {
    int first, inner, n;
    bool right;
} part;

static bool part_of(const cardan_group *group, int i, part *out)
{
    int first;
    const cardan_factor f = cardan_group_factor(group, i, NULL, &first);
    const int inner = f.kind == CARDAN_R3_SO3 || f.kind == CARDAN_R3_S3 ? 3 : 0;
    const int n = f.kind == CARDAN_SE3 ? 6 : 3;
    *out = (part){first + inner, inner, n, f.side == CARDAN_RIGHT};
    return f.kind != CARDAN_RN;
}

/* R (I - d~/2) = I + d~/2 for R = exp(w) */
START_TEST(map_is_cayleys)
{
    static const double sizes[] = {0.0, 1e-9, 1e-3, 0.5, 3.0, 40.0};
    const cardan_factor factor = {CARDAN_SO3, _i % 2 ? CARDAN_RIGHT : CARDAN_LEFT, 0};
    cardan_group *group = NULL;
    uint64_t seed = 7;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    for (int s = 0; s < 6; s++) {
        double d[3], w[3], r[9];
        random_direction(&seed, d);
        for (int i = 0; i < 3; i++)
            d[i] *= sizes[s];
        const double skew[9] = {0.0, -d[2], d[1], d[2], 0.0, -d[0], -d[1], d[0], 0.0};
        cd_group_cayley(group, d, w);
        cardan_group_exp(group, w, r);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double left = r[3 * i + j];
                for (int p = 0; p < 3; p++)
                    left -= 0.5 * r[3 * i + p] * skew[3 * p + j];
                const double right = (i == j ? 1.0 : 0.0) + 0.5 * skew[3 * i + j];
                ck_assert_double_eq_tol(left, right, 1e-14 * (1.0 + sizes[s]));
            }
    }
    cardan_group_destroy(group);
}
END_TEST

/* w is d on R^n and SE(3), along d for rotations. */
START_TEST(other_parts_stay)
{
    cardan_group *group = make_group(_i);
    double d[MOST], w[MOST];
    uint64_t seed = 3;
    part p;
    random_vector(&seed, cardan_group_dof(group), d);
    cd_group_cayley(group, d, w);
    for (int f = 0; f < cardan_group_factor_count(group); f++) {
        int first;
        const cardan_factor factor = cardan_group_factor(group, f, NULL, &first);
        const int flat = !part_of(group, f, &p)      ? factor.n
                         : factor.kind == CARDAN_SE3 ? 6
                                                     : p.inner;
        for (int i = 0; i < flat; i++)
            ck_assert_double_eq(w[first + i], d[first + i]);
    }
    cardan_group_destroy(group);
}
END_TEST

START_TEST(right_factors_are_carried)
{
    cardan_group *group = make_group(_i);
    double w[MOST], x[MOST], q[MOST], carried[MOST], adjoint[MOST];
    uint64_t seed = 5;
    part p;
    random_vector(&seed, cardan_group_dof(group), w);
    random_vector(&seed, cardan_group_dof(group), x);
    cardan_group_exp(group, w, q);
    cardan_group_adjoint(group, q, x, adjoint);
    cd_group_carry_velocity(group, w, x, carried);
    for (int f = 0; f < cardan_group_factor_count(group); f++)
        if (part_of(group, f, &p))
            for (int i = p.first; i < p.first + p.n; i++)
                ck_assert_double_eq_tol(carried[i], p.right ? adjoint[i] : x[i], 1e-14);
    cardan_group_destroy(group);
}
END_TEST

/* Where d + carry(-w / 2) e z leads: to the end, or to the middle. */
static void displaced(const cardan_group *group, const double *q, const double *d, const double *z,
                      double e, double share, double *out)
{
    const int k = cardan_group_dof(group);
    double back[MOST], seen[MOST], w[MOST];
    cd_group_cayley(group, d, back);
    for (int i = 0; i < k; i++)
        back[i] *= -0.5;
    cd_group_carry_velocity(group, back, z, seen);
    for (int i = 0; i < k; i++)
        seen[i] = d[i] + e * seen[i];
    cd_group_cayley(group, seen, w);
    for (int i = 0; i < k; i++)
        w[i] *= share;
    cardan_group_update(group, q, w, out);
}

static void expect_derivative(const cardan_group *group, const double *q, const double *d,
                              double share, cd_curve_block *block)
{
    const double e = 1e-5;
    for (int f = 0; f < cardan_group_factor_count(group); f++) {
        double matrix[36];
        part p;
        if (!part_of(group, f, &p))
            continue;
        block(group, f, d, matrix);
        for (int j = 0; j < p.n; j++) {
            double z[MOST] = {0}, ahead[MOST], behind[MOST], change[MOST];
            z[p.first + j] = 1.0;
            displaced(group, q, d, z, e, share, ahead);
            displaced(group, q, d, z, -e, share, behind);
            cardan_group_difference(group, behind, ahead, change);
            for (int i = 0; i < p.n; i++)
                ck_assert_double_eq_tol(change[p.first + i] / (2.0 * e),
                                        share * matrix[p.n * i + j], 1e-9);
        }
    }
}

START_TEST(derivatives)
{
    cardan_group *group = make_group(_i);
    double q[MOST], w[MOST], d[MOST];
    uint64_t seed = 11;
    random_vector(&seed, cardan_group_dof(group), w);
    random_vector(&seed, cardan_group_dof(group), d);
    cardan_group_exp(group, w, q);
    expect_derivative(group, q, d, 1.0, cd_group_change_at_end);
    expect_derivative(group, q, d, 0.5, cd_group_change_mid_step);
    cardan_group_destroy(group);
}
END_TEST

/* Left rotations: R_m^T^-1 applied to a torque in space is what it is in the middle, for R_m = (R_n
 * + R_{n+1}) / 2; that is, block^T = R_m^-1 R at either end, or R_m block^T = R. */
START_TEST(forces_have_their_momentum)
{
    const cardan_factor factor = {CARDAN_SO3, CARDAN_LEFT, 0};
    cardan_group *group = NULL;
    double d[3], w[3], q[2][9], block[9];
    uint64_t seed = 13;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    random_vector(&seed, 3, w);
    random_vector(&seed, 3, d);
    cardan_group_exp(group, w, q[0]);
    cd_group_cayley(group, d, w);
    cardan_group_update(group, q[0], w, q[1]);
    for (int end = 0; end < 2; end++) {
        (end == 0 ? cd_group_force_at_start : cd_group_force_at_end)(group, 0, d, block);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double sum = 0.0;
                for (int p = 0; p < 3; p++)
                    sum += 0.5 * (q[0][3 * i + p] + q[1][3 * i + p]) * block[3 * j + p];
                ck_assert_double_eq_tol(sum, q[end][3 * i + j], 1e-14);
            }
    }
    cardan_group_destroy(group);
}
END_TEST

/* out = Ad_q block Ad_p^-1, column by column */
static void conjugate(const cardan_group *group, const double *q, const double *p, int n,
                      const double *block, double *out)
{
    double inverse[12], basis[6], back[6], column[6], turned[6];
    cardan_group_inverse(group, p, inverse);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            basis[i] = i == j ? 1.0 : 0.0;
        cardan_group_adjoint(group, inverse, basis, back);
        for (int i = 0; i < n; i++) {
            column[i] = 0.0;
            for (int c = 0; c < n; c++)
                column[i] += block[n * i + c] * back[c];
        }
        cardan_group_adjoint(group, q, column, turned);
        for (int i = 0; i < n; i++)
            out[n * i + j] = turned[i];
    }
}

/* The same force seen from space: rows of B are B_b Ad_q^-1 there. */
START_TEST(forces_of_right_factors)
{
    const cardan_group_kind kind = _i == 0 ? CARDAN_SO3 : CARDAN_SE3;
    const int n = _i == 0 ? 3 : 6;
    cardan_group *side[2];
    for (int i = 0; i < 2; i++) {
        const cardan_factor factor = {kind, i == 0 ? CARDAN_LEFT : CARDAN_RIGHT, 0};
        ck_assert_int_eq(cardan_group_create(&side[i], &factor, 1, NULL, NULL), CARDAN_OK);
    }
    double w[6], d[6], in_space[6], q[12], middle[12], end[12], body[36], seen[36], space[36];
    uint64_t seed = 17;
    random_vector(&seed, n, w);
    random_vector(&seed, n, d);
    cardan_group_exp(side[0], w, q);
    cardan_group_adjoint(side[0], q, d, in_space);
    cd_group_cayley(side[0], d, w);
    cardan_group_update(side[0], q, w, end);
    for (int i = 0; i < n; i++)
        w[i] *= 0.5;
    cardan_group_update(side[0], q, w, middle);
    for (int which = 0; which < 2; which++) {
        cd_curve_block *block = which == 0 ? cd_group_force_at_start : cd_group_force_at_end;
        block(side[0], 0, d, body);
        block(side[1], 0, in_space, space);
        conjugate(side[0], which == 0 ? q : end, middle, n, body, seen);
        for (int i = 0; i < n * n; i++)
            ck_assert_double_eq_tol(space[i], seen[i], 1e-13);
    }
    cardan_group_destroy(side[0]);
    cardan_group_destroy(side[1]);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("group_cayley");
    TCase *tcase = tcase_create("map");
    tcase_add_loop_test(tcase, map_is_cayleys, 0, 2);
    tcase_add_loop_test(tcase, other_parts_stay, 0, GROUPS);
    tcase_add_loop_test(tcase, right_factors_are_carried, 0, GROUPS);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("matrices");
    tcase_add_loop_test(tcase, derivatives, 0, GROUPS);
    tcase_add_test(tcase, forces_have_their_momentum);
    tcase_add_loop_test(tcase, forces_of_right_factors, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}

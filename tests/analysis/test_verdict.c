/* The verdict on projection matrices: one example of each case of GO10 Fig. 1 worked out by hand,
 * random matrices against sampled energies, and the paper's own example. */
#include "base/numeric.h"
#include "lab/analysis/projection_verdict.h"
#include "matrices.h"
#include "suite.h"

#include <cardan/projection.h>
#include <string.h>

static lab_projection_verdict judge(matrices *s, const double *a, double alpha)
{
    cardan_system *system = matrices_system(s);
    cardan_projection how = cardan_projection_default();
    lab_projection_verdict verdict;
    cardan_error error;
    double zero[MATRICES_MAX] = {0};
    const cardan_point at = {0.0, zero, zero, zero, zero, zero};
    how.norm = a != NULL ? CARDAN_NORM_MATRIX : CARDAN_NORM_MASS;
    how.matrix = a;
    how.penalty = alpha;
    ck_assert_msg(lab_projection_judge(system, &how, &at, &verdict, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_int_gt((int)strlen(verdict.advice), 20);
    cardan_system_destroy(system);
    return verdict;
}

/* GO10 Sec. 6 at q1 = 0.6, q2 = 0.8: B = M W^-1 Phi_q^T Phi_q is printed there, det B^s too. */
START_TEST(two_particles_is_case_two)
{
    const double mu = 0.1, a = 15.0, q1 = 0.6, q2 = 0.8, w[4] = {a, 0, 0, 1};
    matrices s = {.k = 2, .m = 1, .mass = {1, 0, 0, mu}, .b = {2 * q1, 2 * q2}};
    const lab_projection_verdict verdict = judge(&s, w, 1.0);
    const double off = 2 * q1 * q2 * (mu + 1 / a), first = 4 * q1 * q1 / a, last = 4 * mu * q2 * q2;
    const double mean = 0.5 * (first + last), half = 0.5 * (first - last);
    ck_assert_double_eq_tol(verdict.smallest, mean - sqrt(half * half + off * off), 1e-14);
    ck_assert(verdict.can_add_energy);
    ck_assert_int_eq(verdict.case_number, 2);
    ck_assert_int_eq(verdict.compatible, 1);
    ck_assert_int_eq(verdict.kernel_b, 1);
    ck_assert_int_eq(verdict.kernel_d, 2);
}
END_TEST

/* Prop. 6 */
START_TEST(mass_matrix_is_case_four)
{
    unsigned seed = 3;
    matrices s = {.k = 5, .m = 2, .l = 1};
    random_positive(&seed, 5, 0.1, s.mass);
    random_vector(&seed, 10, s.b);
    random_vector(&seed, 5, s.nonholonomic);
    for (int given = 0; given < 2; given++) {
        const lab_projection_verdict verdict = judge(&s, given ? s.mass : NULL, 1.0);
        ck_assert_int_eq(verdict.case_number, 4);
        ck_assert(!verdict.can_add_energy);
        ck_assert_int_eq(verdict.compatible, 2);
        ck_assert_int_eq(verdict.kernel_b, 2);
        ck_assert_int_eq(verdict.kernel_d, 2);
    }
}
END_TEST

/* The second coordinate has no mass: projecting it costs nothing, N = 0. */
START_TEST(massless_direction_is_case_three)
{
    matrices s = {.k = 2, .m = 1, .mass = {1, 0, 0, 0}, .b = {0, 1}};
    const double identity[4] = {1, 0, 0, 1};
    const lab_projection_verdict verdict = judge(&s, identity, 1.0);
    ck_assert_int_eq(verdict.case_number, 3);
    ck_assert(!verdict.can_add_energy);
    ck_assert_int_eq(verdict.compatible, 1);
    ck_assert_int_eq(verdict.kernel_b, 2);
    ck_assert_int_eq(verdict.kernel_d, 2);
}
END_TEST

/* Two particles beside a constrained coordinate without mass. */
START_TEST(both_together_is_case_one)
{
    matrices s = {
        .k = 3, .m = 2, .mass = {1, 0, 0, 0, 0.1, 0, 0, 0, 0}, .b = {1.2, 1.6, 0, 0, 0, 1}};
    const double a[9] = {15, 0, 0, 0, 1, 0, 0, 0, 1};
    const lab_projection_verdict verdict = judge(&s, a, 1.0);
    ck_assert_int_eq(verdict.case_number, 1);
    ck_assert(verdict.can_add_energy);
    ck_assert_int_eq(verdict.compatible, 1);
    ck_assert_int_eq(verdict.kernel_b, 2);
    ck_assert_int_eq(verdict.kernel_d, 3);
}
END_TEST

/* Energy gained by the penalty projection to v: v* = P v, P = 1 + alpha A^-1 C^T C. */
static double gained(const matrices *s, const double *a, double alpha, const double *v)
{
    double r[MATRICES_MAX], d[MATRICES_MAX] = {0}, before[MATRICES_MAX];
    cd_multiply(s->m, s->k, s->b, v, r);
    cd_add_transposed(s->m, s->k, s->b, r, d);
    dense_solve(s->k, a, d);
    for (int i = 0; i < s->k; i++)
        before[i] = v[i] + alpha * d[i];
    return 0.5 * (dense_form(s->k, s->mass, v, v) - dense_form(s->k, s->mass, before, before));
}

/* Samples velocities near the compatible ones, where gains are to be found, and anywhere. */
static double largest_gain(const matrices *s, const double *a, double alpha, unsigned *seed)
{
    double best = -INFINITY;
    for (int sample = 0; sample < 4000; sample++) {
        double v[MATRICES_MAX], w[MATRICES_MAX], r[MATRICES_MAX], gram[36];
        random_vector(seed, s->k, v);
        for (int i = 0; i < s->m; i++)
            for (int j = 0; j < s->m; j++)
                gram[i * s->m + j] = cd_dot(s->k, s->b + i * s->k, s->b + j * s->k);
        cd_multiply(s->m, s->k, s->b, v, r);
        dense_solve(s->m, gram, r);
        cd_copy(s->k, v, w);
        const double share = pow(10.0, -2.0 * fabs(random_number(seed)));
        for (int i = 0; i < s->m; i++)
            cd_add(s->k, -(1.0 - share) * r[i], s->b + i * s->k, w);
        best = fmax(best, gained(s, a, alpha, w));
    }
    return best;
}

START_TEST(agrees_with_sampled_energies)
{
    unsigned seed = 41;
    int yes = 0, no = 0;
    for (int round = 0; round < 40; round++) {
        matrices s = {.k = 4, .m = 2};
        double a[16];
        random_positive(&seed, 4, 0.2, s.mass);
        random_vector(&seed, 8, s.b);
        if (round % 2 == 0) {
            random_positive(&seed, 4, 0.2, a);
        } else { /* A = M + B^T B: M A^-1 maps the range of B^T into itself */
            cd_copy(16, s.mass, a);
            for (int p = 0; p < 2; p++)
                for (int i = 0; i < 4; i++)
                    cd_add(4, s.b[p * 4 + i], s.b + p * 4, a + i * 4);
        }
        const lab_projection_verdict verdict = judge(&s, a, 1.0);
        const double gain = largest_gain(&s, a, 1e-3, &seed);
        if (verdict.can_add_energy && verdict.smallest_relative < -1e-3) {
            ck_assert_double_gt(gain, 0.0);
            yes++;
        }
        if (!verdict.can_add_energy) {
            ck_assert_double_le(gain, 1e-15);
            no++;
        }
    }
    ck_assert_int_ge(yes, 10);
    ck_assert_int_ge(no, 10);
}
END_TEST

START_TEST(refuses_what_is_no_norm)
{
    matrices s = {.k = 2, .m = 1, .mass = {1, 0, 0, 1}, .b = {1, 0}};
    const double indefinite[4] = {1, 2, 2, 1}, zero[2] = {0};
    cardan_system *system = matrices_system(&s);
    cardan_projection how = cardan_projection_default();
    const cardan_point at = {0.0, zero, zero, zero, zero, zero};
    lab_projection_verdict verdict;
    cardan_error error;
    how.norm = CARDAN_NORM_MATRIX;
    how.matrix = indefinite;
    ck_assert_int_eq(lab_projection_judge(system, &how, &at, &verdict, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "positive definite"));
    ck_assert_int_eq(lab_projection_judge(NULL, &how, &at, &verdict, &error),
                     CARDAN_INVALID_ARGUMENT);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("verdict");
    TCase *tests = tcase_create("cases");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, two_particles_is_case_two);
    tcase_add_test(tests, mass_matrix_is_case_four);
    tcase_add_test(tests, massless_direction_is_case_three);
    tcase_add_test(tests, both_together_is_case_one);
    tcase_add_test(tests, agrees_with_sampled_energies);
    tcase_add_test(tests, refuses_what_is_no_norm);
    suite_add_tcase(suite, tests);
    return suite;
}

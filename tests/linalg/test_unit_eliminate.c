/* Elimination of units of known shapes against LAPACK: pivots, factors and updates, with and
 * without exchanges of rows. */
#include "linalg/unit_eliminate.h"

#include "base/numeric.h"
#include "linalg/lapack.h"
#include "matrices.h"
#include "suite.h"

enum { MOST = 16, ALL = MOST * 3 * MOST };

typedef struct shape {
    int n, m, lead;
    double (*eliminate)(const cd_block_numbers *own, double *made, short *swaps, cd_unit_target to);
} shape;

#define MAKE(n_, m_, lead_)                                                                        \
    static double eliminate_##n_##_##m_(const cd_block_numbers *own, double *made, short *swaps,   \
                                        cd_unit_target to)                                         \
    {                                                                                              \
        return cd_unit_eliminate(n_, m_, lead_, own, made, swaps, to);                             \
    }
CD_UNIT_SHAPES(MAKE)

#define LIST(n_, m_, lead_) {n_, m_, lead_, eliminate_##n_##_##m_},
static const shape shapes[] = {CD_UNIT_SHAPES(LIST)};
enum { SHAPES = sizeof shapes / sizeof shapes[0], KINDS = 4 };

/* A unit: the blocks (A B; C 0), C with zeros in its first columns. */
typedef struct unit {
    int n, m, lead;
    double numbers[ALL];
    cd_block_numbers own;
    double made[MOST];
    short swaps[MOST];
} unit;

/* A <- A A^T + I / 10 */
static void make_positive(int n, double *a)
{
    double turned[MOST * MOST], product[MOST * MOST];
    dense_transpose(n, n, a, turned);
    dense_product(n, n, n, a, turned, product);
    cd_copy(n * n, product, a);
    for (int i = 0; i < n; i++)
        a[i * (n + 1)] += 0.1;
}

/* Kinds: positive definite, general, zeros on the diagonal, and a body behind its joint. */
static void make_unit(unit *u, const shape *s, int kind, unsigned seed)
{
    *u = (unit){.n = s->n, .m = s->m, .lead = s->lead};
    double *diagonal = u->numbers + s->m * (s->n - s->lead);
    random_vector(&seed, s->m * (2 * s->n - s->lead) + s->n * s->n, u->numbers);
    if (kind == 0)
        make_positive(s->n, diagonal);
    for (int i = 0; kind >= 2 && i < s->n; i++)
        diagonal[i * (s->n + 1)] = 0.0;
    for (int j = 0; kind == 3 && j < s->n / 2; j++)
        for (int i = 0; i < s->n / 2; i++)
            diagonal[j * s->n + i] = 0.0;
    for (int i = 0; i < s->n; i++)
        u->made[i] = 0.5 * (i + 1);
    u->own = (cd_block_numbers){s->n, s->m, s->lead, u->numbers, diagonal, diagonal + s->n * s->n};
}

/* L and U of LAPACK with its pivots, and C A^-1 B. */
typedef struct expected {
    double diagonal[MOST]; /* of A */
    double lu[MOST * MOST], right[MOST * MOST], below[MOST * MOST], update[MOST * MOST];
    int pivots[MOST];
} expected;

static void expect(const unit *u, expected *e)
{
    const int n = u->n, m = u->m;
    int info;
    cd_copy(n * n, u->own.diagonal, e->lu);
    for (int i = 0; i < n; i++)
        e->diagonal[i] = fabs(e->lu[i * (n + 1)]) + u->made[i];
    cd_copy(n * m, u->own.right, e->right);
    cd_zero(MOST * MOST, e->below);
    cd_copy(m * (n - u->lead), u->own.below, e->below + m * u->lead);
    dgetrf_(&n, &n, e->lu, &n, e->pivots, &info);
    ck_assert_int_eq(info, 0);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < m; j++)
            cd_kernel_exchange(&e->right[j * n + k], &e->right[j * n + e->pivots[k] - 1]);
    for (int j = 0; j < m; j++)
        for (int k = 0; k < n; k++)
            for (int i = k + 1; i < n; i++)
                e->right[j * n + i] -= e->lu[k * n + i] * e->right[j * n + k];
    for (int k = 0; k < n; k++) {
        for (int p = 0; p < k; p++)
            cd_add(m, -e->lu[k * n + p], e->below + p * m, e->below + k * m);
        for (int i = 0; i < m; i++)
            e->below[k * m + i] *= 1.0 / e->lu[k * (n + 1)];
    }
    cd_zero(m * m, e->update);
    for (int j = 0; j < m; j++)
        for (int k = 0; k < n; k++)
            cd_add(m, -e->right[j * n + k], e->below + k * m, e->update + j * m);
}

/* The largest of what the row and the column of a pivot were made of, over its square. */
static double expect_lost(const unit *u, const expected *e)
{
    const int n = u->n;
    double rows[MOST], lost = 0.0;
    cd_copy(n, e->diagonal, rows);
    for (int k = 0; k < n; k++) {
        const double pivot = e->lu[k * (n + 1)];
        cd_kernel_exchange(&rows[k], &rows[e->pivots[k] - 1]);
        lost = fmax(lost, rows[k] * e->diagonal[k] / (pivot * pivot));
    }
    return lost;
}

static void compare(const unit *u, const expected *e)
{
    const int n = u->n, m = u->m;
    const double *lower = u->own.diagonal, *upper = lower + n * (n - 1) / 2, tolerance = 1e-9;
    for (int k = 0; k < n; k++) {
        ck_assert_int_eq(u->swaps[k], e->pivots[k] - 1);
        for (int i = k + 1; i < n; i++)
            ck_assert_double_eq_tol(*lower++, e->lu[k * n + i], tolerance);
        for (int i = 0; i < k; i++)
            ck_assert_double_eq_tol(*upper++, e->lu[k * n + i], tolerance);
        ck_assert_double_eq_tol(*upper++ * e->lu[k * (n + 1)], 1.0, tolerance);
    }
    for (int i = 0; i < n * m; i++)
        ck_assert_double_eq_tol(u->own.right[i], e->right[i], tolerance);
    for (int i = 0; i < m * (n - u->lead); i++)
        ck_assert_double_eq_tol(u->own.below[i], e->below[u->lead * m + i], tolerance);
}

/* The update alone. */
START_TEST(factors)
{
    const shape *s = &shapes[_i / KINDS];
    unit u;
    expected e;
    double update[MOST * MOST];
    make_unit(&u, s, _i % KINDS, 17u + (unsigned)_i);
    expect(&u, &e);
    const cd_unit_target to = {.columns = update, .stride = s->m};
    const double lost = s->eliminate(&u.own, u.made, u.swaps, to);
    compare(&u, &e);
    ck_assert_double_eq_tol(lost / expect_lost(&u, &e), 1.0, 1e-9);
    for (int i = 0; i < s->m * s->m; i++)
        ck_assert_double_eq_tol(update[i], e.update[i], 1e-8);
}
END_TEST

/* The update added to the block of another unit; numbers beside it stay as they are. */
START_TEST(adds_updates)
{
    const shape *s = &shapes[_i];
    enum { STRIDE = 11, FIRST = 2 };
    unit u;
    expected e;
    double block[STRIDE * STRIDE], made[MOST];
    make_unit(&u, s, 0, 5u + (unsigned)_i);
    expect(&u, &e);
    for (int i = 0; i < STRIDE * STRIDE; i++)
        block[i] = i;
    for (int i = 0; i < MOST; i++)
        made[i] = 3.0;
    const cd_unit_target to = {
        .columns = block + FIRST * (STRIDE + 1), .made = made, .stride = STRIDE};
    ck_assert(s->eliminate(&u.own, u.made, u.swaps, to) > 0.0);
    for (int j = 0; j < STRIDE; j++)
        for (int i = 0; i < STRIDE; i++) {
            const int row = i - FIRST, col = j - FIRST;
            const bool inside = row >= 0 && col >= 0 && row < s->m && col < s->m;
            const double added = block[j * STRIDE + i] - (j * STRIDE + i);
            if (inside)
                ck_assert_double_eq_tol(added, e.update[col * s->m + row], 1e-8);
            else
                ck_assert(added == 0.0);
        }
    for (int i = 0; i < MOST; i++)
        ck_assert_double_eq_tol(made[i], 3.0 + (i < s->m ? fabs(e.update[i * (s->m + 1)]) : 0.0),
                                1e-8);
}
END_TEST

/* Singular ones and those that are not finite are refused. */
START_TEST(refuses)
{
    const shape *s = &shapes[_i];
    double update[MOST * MOST];
    const cd_unit_target to = {.columns = update, .stride = s->m};
    for (int bad = 0; bad < 3; bad++) {
        unit u;
        make_unit(&u, s, 0, 7u + (unsigned)_i);
        for (int i = 0; i < s->n; i++)
            u.own.diagonal[(s->n - 1) * s->n + i] = bad == 0 ? 0.0 : bad == 1 ? NAN : INFINITY;
        ck_assert(s->eliminate(&u.own, u.made, u.swaps, to) < 0.0);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: units of known shapes");
    TCase *tcase = tcase_create("units");
    tcase_add_loop_test(tcase, factors, 0, SHAPES * KINDS);
    tcase_add_loop_test(tcase, adds_updates, 0, SHAPES);
    tcase_add_loop_test(tcase, refuses, 0, SHAPES);
    suite_add_tcase(suite, tcase);
    return suite;
}

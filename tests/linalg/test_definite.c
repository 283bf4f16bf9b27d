/* The test for semidefinite matrices: against eigenvalues by LAPACK on random patterns, and on
 * matrices made to be singular or slightly indefinite. */
#include "linalg/definite.h"

#include "base/numeric.h"
#include "linalg/dense.h"
#include "matrices.h"
#include "suite.h"

#include <string.h>

enum { MOST = 40 };

typedef struct sample {
    int n, start[MOST + 1], column[MOST * MOST];
    double dense[MOST * MOST], values[MOST * MOST];
} sample;

/* The pattern of what is not zero, or that of a full matrix. */
static cd_pattern pattern_of(sample *s, bool full)
{
    int count = 0;
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++)
            if (full || i == j || s->dense[i * s->n + j] != 0.0) {
                s->column[count] = j;
                s->values[count++] = s->dense[i * s->n + j];
            }
        s->start[i + 1] = count;
    }
    if (full)
        return cd_pattern_full(s->n, s->n);
    return (cd_pattern){
        .rows = s->n, .cols = s->n, .entries = count, .row_start = s->start, .column = s->column};
}

static int test(sample *s, bool full)
{
    cd_arena arena;
    const cd_pattern pattern = pattern_of(s, full);
    cd_arena_init(&arena, NULL);
    cd_definite d = cd_definite_make(&arena, &pattern);
    ck_assert(!arena.failed);
    const int first = cd_definite_test(&d, s->values);
    ck_assert_int_eq(cd_definite_test(&d, s->values), first); /* it can be used again */
    cd_arena_destroy(&arena);
    return first;
}

/* A graph with few edges, weights that couple their ends, and a shift. */
static void make_graph(sample *s, int n, unsigned *seed, double shift)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    for (int i = 0; i < n; i++)
        s->dense[i * n + i] = shift;
    for (int e = 0; e < 2 * n; e++) {
        const int i = (int)(fabs(random_number(seed)) * (n - 1));
        const int j = e % 3 == 0 ? 0 : (int)(fabs(random_number(seed)) * (n - 1)); /* a hub */
        const double x = random_number(seed);
        s->dense[i * n + j] += i == j ? 0.0 : x;
        s->dense[j * n + i] += i == j ? 0.0 : x;
    }
}

static double smallest_eigenvalue(const sample *s)
{
    cd_arena arena;
    double a[MOST * MOST], values[MOST];
    cd_arena_init(&arena, NULL);
    cd_copy(s->n * s->n, s->dense, a);
    ck_assert(cd_symmetric_eigen(&arena, s->n, a, values));
    cd_arena_destroy(&arena);
    return values[0];
}

/* Shifted to either side of zero by a millionth. */
START_TEST(random_graphs_against_lapack)
{
    static sample s;
    unsigned seed = 17u + (unsigned)_i;
    const int n = 2 + _i % (MOST - 1);
    make_graph(&s, n, &seed, 0.0);
    const double shift = -smallest_eigenvalue(&s);
    for (int side = -1; side <= 1; side += 2)
        for (int full = 0; full < 2; full++) {
            seed = 17u + (unsigned)_i;
            make_graph(&s, n, &seed, shift + side * 1e-6);
            ck_assert_int_eq(test(&s, full == 1) < 0, side > 0);
        }
}
END_TEST

/* A chain of springs without ground is singular, and stays semidefinite. */
START_TEST(singular_chains)
{
    static sample s;
    const int n = 2 + _i;
    memset(&s, 0, sizeof s);
    s.n = n;
    for (int i = 0; i + 1 < n; i++) {
        const double k = pow(10.0, i % 7 - 3);
        s.dense[i * n + i] += k;
        s.dense[(i + 1) * n + i + 1] += k;
        s.dense[i * n + i + 1] = s.dense[(i + 1) * n + i] = -k;
    }
    ck_assert_int_eq(test(&s, false), -1);
    s.dense[0] -= 1e-6; /* of 1e-3 */
    ck_assert_int_ge(test(&s, false), 0);
}
END_TEST

/* (0 1; 1 0) and (0 1; 1 5) are indefinite without a negative entry on the diagonal. */
START_TEST(entries_beside_a_zero)
{
    sample s = {.n = 2, .dense = {0, 1, 1, 0}};
    ck_assert_int_ge(test(&s, false), 0);
    s.dense[3] = 5.0;
    ck_assert_int_ge(test(&s, false), 0);
    s.dense[1] = s.dense[2] = 0.0;
    ck_assert_int_eq(test(&s, false), -1);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("definite");
    TCase *tests = tcase_create("semidefinite");
    tcase_add_loop_test(tests, random_graphs_against_lapack, 0, 120);
    tcase_add_loop_test(tests, singular_chains, 0, 30);
    tcase_add_test(tests, entries_beside_a_zero);
    suite_add_tcase(suite, tests);
    return suite;
}

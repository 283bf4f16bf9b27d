/* Status texts, error sentences, the arena, and the small vector helpers. */
#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/numeric.h"
#include "base/shared.h"
#include "suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Every code has its own name and a text; positive is recoverable, negative fatal. */
START_TEST(status_names_and_texts)
{
#define X(name, code, text)                                                                        \
    ck_assert_str_eq(cardan_status_name(CARDAN_##name), #name);                                    \
    ck_assert_str_eq(cardan_status_text(CARDAN_##name), text);
    CARDAN_STATUS_LIST(X)
#undef X
    ck_assert_int_eq(CARDAN_OK, 0);
    ck_assert_int_gt(CARDAN_NOT_CONVERGED, 0);
    ck_assert_int_gt(CARDAN_CALLBACK_RETRY, 0);
    ck_assert_int_gt(CARDAN_NOT_FINITE, 0);
    ck_assert_int_lt(CARDAN_CALLBACK_FAILED, 0);
    ck_assert_int_lt(CARDAN_RANK_DEFICIENT, 0);
    ck_assert_ptr_nonnull(cardan_status_name((cardan_status)1234));
    ck_assert_ptr_nonnull(cardan_status_text((cardan_status)1234));
}
END_TEST

START_TEST(error_sentences)
{
    cardan_error error = {0};
    ck_assert_int_eq(cd_fail(&error, CARDAN_UNSUPPORTED, "no %s %d", "way", 7), CARDAN_UNSUPPORTED);
    ck_assert_int_eq(error.status, CARDAN_UNSUPPORTED);
    ck_assert_str_eq(error.text, "no way 7");
    ck_assert_int_eq(cd_fail(NULL, CARDAN_UNSUPPORTED, "no %s", "way"), CARDAN_UNSUPPORTED);
    ck_assert_int_eq(cd_succeed(&error), CARDAN_OK);
    ck_assert_int_eq(error.status, CARDAN_OK);
    ck_assert_str_eq(error.text, "");
    ck_assert_int_eq(cd_succeed(NULL), CARDAN_OK);
}
END_TEST

START_TEST(long_sentences_are_cut)
{
    char word[1000];
    cardan_error error;
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    cd_fail(&error, CARDAN_UNSUPPORTED, "%s", word);
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
}
END_TEST

typedef struct tally {
    int given, taken_back;
} tally;

static void *count_allocate(size_t size, void *context)
{
    tally *t = context;
    t->given++;
    void *memory = malloc(size > 0 ? size : 1);
    if (memory != NULL)
        memset(memory, 0xAB, size); /* the library promises zeros, the allocator does not */
    return memory;
}

static void count_release(void *memory, void *context)
{
    tally *t = context;
    t->taken_back++;
    free(memory);
}

START_TEST(arena_gives_zeros_and_takes_all_back)
{
    tally t = {0};
    const cardan_allocator allocator = {count_allocate, count_release, &t};
    cd_arena arena;
    cd_arena_init(&arena, &allocator);
    double *numbers = cd_arena_doubles(&arena, 100);
    for (int i = 0; i < 100; i++)
        ck_assert_double_eq(numbers[i], 0.0);
    ck_assert_ptr_nonnull(cd_arena_take(&arena, 0));
    ck_assert_uint_eq((uintptr_t)cd_arena_take(&arena, 3) % _Alignof(max_align_t), 0);
    ck_assert_str_eq(cd_arena_string(&arena, "hinge"), "hinge");
    ck_assert_int_eq(arena.failed, 0);
    const int given = t.given;
    cd_arena_destroy(&arena);
    ck_assert_int_eq(t.taken_back, given);
    cd_arena_destroy(&arena);
    ck_assert_int_eq(t.taken_back, given);
}
END_TEST

/* Of any size, none on top of another, whichever way they share blocks. */
START_TEST(arena_gives_room_to_all)
{
    enum { COUNT = 400 };
    tally t = {0};
    const cardan_allocator allocator = {count_allocate, count_release, &t};
    unsigned char *taken[COUNT];
    cd_arena arena;
    cd_arena_init(&arena, &allocator);
    for (int i = 0; i < COUNT; i++) {
        const size_t size = 1 + (size_t)(37 * i % 300);
        taken[i] = cd_arena_take(&arena, size);
        ck_assert_ptr_nonnull(taken[i]);
        ck_assert_uint_eq((uintptr_t)taken[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < size; j++)
            if (taken[i][j] != 0)
                ck_abort_msg("request %d is not zero at %zu", i, j);
        memset(taken[i], i % 251, size);
    }
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < 1 + 37 * i % 300; j++)
            if (taken[i][j] != i % 251)
                ck_abort_msg("request %d was overwritten at %d", i, j);
    cd_arena_destroy(&arena);
    ck_assert_int_eq(t.taken_back, t.given);
}
END_TEST

START_TEST(arena_remembers_failure)
{
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    ck_assert_ptr_null(cd_arena_take(&arena, SIZE_MAX));
    ck_assert_int_eq(arena.failed, 1);
    ck_assert_ptr_nonnull(cd_arena_doubles(&arena, 5));
    ck_assert_int_eq(arena.failed, 1);
    cd_arena_destroy(&arena);
}
END_TEST

START_TEST(vectors)
{
    double x[3] = {1.0, -5.0, 2.0}, y[3] = {1.0, 1.0, 1.0}, z[2], w[3] = {0};
    const double a[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    cd_add(3, 2.0, x, y);
    ck_assert_double_eq(y[1], -9.0);
    ck_assert_double_eq(cd_dot(3, x, x), 30.0);
    ck_assert_double_eq(cd_max_abs(3, x), 5.0);
    ck_assert_double_eq(cd_max_abs(0, x), 0.0);
    cd_multiply(2, 3, a, x, z);
    ck_assert_double_eq(z[0], -3.0);
    ck_assert_double_eq(z[1], -9.0);
    cd_add_transposed(2, 3, a, z, w);
    ck_assert_double_eq(w[0], -39.0);
    ck_assert_double_eq(w[2], -63.0);
    ck_assert_int_eq(cd_first_not_finite(3, x), -1);
    x[1] = INFINITY;
    x[2] = NAN;
    ck_assert_int_eq(cd_first_not_finite(3, x), 1);
    ck_assert(!cd_all_finite(3, x));
    ck_assert(cd_all_finite(1, x));
    ck_assert_double_eq(cd_max_abs(2, x), INFINITY);
    ck_assert(isnan(cd_max_abs(3, x)));
    cd_zero(3, x);
    ck_assert_double_eq(x[2], 0.0);
}
END_TEST

/* Large blocks are zero, whole and apart; what is forgotten can be used again. */
START_TEST(large_blocks)
{
    enum { COUNT = 30000 };
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    double *block[3];
    for (int i = 0; i < 3; i++) {
        block[i] = cd_arena_doubles(&arena, COUNT);
        ck_assert_ptr_nonnull(block[i]);
        for (int j = 0; j < COUNT; j++)
            ck_assert_double_eq(block[i][j], 0.0);
        for (int j = 0; j < COUNT; j++)
            block[i][j] = i + 1.0;
    }
    cd_arena_forget(&arena, block[1], COUNT * sizeof(double));
    for (int j = 0; j < COUNT; j++) {
        ck_assert_double_eq(block[0][j], 1.0);
        ck_assert_double_eq(block[2][j], 3.0);
        block[1][j] = 2.0;
    }
    ck_assert_double_eq(cd_dot(COUNT, block[1], block[1]), 4.0 * COUNT);
    cd_arena_destroy(&arena);
}
END_TEST

/* The first, the last and all between; infinity is larger than numbers, NaN wins. */
START_TEST(shared_loops)
{
    enum { COUNT = 37 };
    double x[COUNT], w[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i % 2 == 0 ? 0.5 * i : -0.5 * i;
        w[i] = 1.0 + i % 3;
    }
    for (int n = 1; n <= COUNT; n++) {
        double largest = 0.0, norm = 0.0;
        for (int i = 0; i < n; i++) {
            largest = fmax(largest, fabs(x[i]));
            norm = fmax(norm, fabs(x[i]) / w[i]);
        }
        ck_assert_double_eq(cd_shared_max_abs(NULL, n, x), largest);
        ck_assert_double_eq(cd_shared_norm(NULL, n, x, w), norm);
        ck_assert_double_eq(cd_shared_negate(NULL, n, x, y), largest);
        ck_assert_double_eq(y[n - 1], -x[n - 1]);
    }
    for (int i = 0; i < COUNT; i++) {
        const double kept = x[i];
        x[i] = -INFINITY;
        ck_assert_double_eq(cd_shared_max_abs(NULL, COUNT, x), INFINITY);
        ck_assert_double_eq(cd_shared_norm(NULL, COUNT, x, w), INFINITY);
        x[i] = NAN;
        x[(i + 1) % COUNT] = INFINITY;
        ck_assert_double_nan(cd_shared_max_abs(NULL, COUNT, x));
        ck_assert_double_nan(cd_shared_norm(NULL, COUNT, x, w));
        ck_assert_double_nan(cd_shared_negate(NULL, COUNT, x, y));
        x[(i + 1) % COUNT] = 0.0;
        x[i] = kept;
    }
}
END_TEST

/* Equal bytes are kept once, others are not mixed up, however many there are. */
START_TEST(equal_data_is_kept_once)
{
    enum { DIFFERENT = 1000 };
    cd_arena arena;
    cd_index index;
    const int *kept[DIFFERENT];
    cd_arena_init(&arena, NULL);
    cd_index_init(&index, NULL);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < DIFFERENT; i++) {
            const int data[3] = {i % 10, i / 10, 7};
            const int *found = cd_index_keep(&index, &arena, data, sizeof data);
            ck_assert_ptr_nonnull(found);
            ck_assert_mem_eq(found, data, sizeof data);
            if (round == 0)
                kept[i] = found;
            ck_assert_ptr_eq(found, kept[i]);
            bool fresh = true;
            for (int j = 0; j < i; j++)
                fresh = fresh && found != kept[j];
            ck_assert(fresh);
        }
    const int shorter[2] = {0, 0};
    ck_assert_ptr_ne(cd_index_keep(&index, &arena, shorter, sizeof shorter), kept[0]);
    cd_index_destroy(&index);
    ck_assert_int_eq(kept[123][0], 3);
    cd_arena_destroy(&arena);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("base");
    TCase *tests = tcase_create("base");
    tcase_add_test(tests, status_names_and_texts);
    tcase_add_test(tests, error_sentences);
    tcase_add_test(tests, long_sentences_are_cut);
    tcase_add_test(tests, arena_gives_zeros_and_takes_all_back);
    tcase_add_test(tests, arena_gives_room_to_all);
    tcase_add_test(tests, arena_remembers_failure);
    tcase_add_test(tests, vectors);
    tcase_add_test(tests, large_blocks);
    tcase_add_test(tests, shared_loops);
    tcase_add_test(tests, equal_data_is_kept_once);
    suite_add_tcase(suite, tests);
    return suite;
}

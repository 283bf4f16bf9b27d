/* Making groups: sizes and offsets, refusals and their sentences, memory, copies. */
#include "group/group.h"
#include "group_support.h"

#include <limits.h>
#include <stdlib.h>

START_TEST(sizes_and_offsets_add_up)
{
    static const int sizes[KINDS] = {RN_ORDER, 9, 4, 12, 7, 12};
    static const int dofs[KINDS] = {RN_ORDER, 3, 3, 6, 6, 6};
    cardan_group *group = make_group(SINGLE_GROUPS);
    ck_assert_int_eq(cardan_group_factor_count(group), SINGLE_GROUPS);
    int element = 0, velocity = 0;
    for (int i = 0; i < SINGLE_GROUPS; i++) {
        int at = -1, velocity_at = -1;
        cardan_factor factor = cardan_group_factor(group, i, &at, &velocity_at);
        ck_assert_int_eq((int)factor.kind, i / 2);
        ck_assert_int_eq((int)factor.side, i % 2);
        ck_assert_int_eq(at, element);
        ck_assert_int_eq(velocity_at, velocity);
        cardan_group_factor(group, i, NULL, NULL);
        element += sizes[i / 2];
        velocity += dofs[i / 2];
    }
    ck_assert_int_eq(cardan_group_size(group), element);
    ck_assert_int_eq(cardan_group_dof(group), velocity);
    cardan_group_destroy(group);
}
END_TEST

/* Increments that are multiples of 2^-50, added to 1e5 ten thousand times: none is lost. */
START_TEST(low_words_hold_what_positions_cannot)
{
    enum { SIZE = 12, DOF = 6, FLAT = 3 };
    const double unit = 0x1p-50, begin = 1e5 + 0.1;
    cardan_group *group = NULL;
    double q[SIZE] = {begin, -begin, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double low[FLAT] = {0.0}, w[DOF] = {0.0}, sum[FLAT] = {0.0};
    const double start[FLAT] = {q[0], q[1], q[2]};
    const cardan_factor factor = {CARDAN_R3_SO3, CARDAN_RIGHT, 0};
    unsigned seed = 1;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    ck_assert_int_eq(cd_group_flat_count(group), FLAT);
    for (int i = 0; i < 10000; i++) {
        for (int j = 0; j < FLAT; j++) {
            seed = seed * 1664525u + 1013904223u;
            w[j] = (double)(seed >> 4) * unit;
            sum[j] += w[j]; /* exact: below 2^53 units */
        }
        cd_group_update_span(group, (cd_span){0, cardan_group_factor_count(group)},
                             (cd_group_point){q, low}, w, (cd_group_target){q, low});
    }
    for (int j = 0; j < FLAT; j++) {
        ck_assert_double_eq((q[j] - start[j]) + low[j], sum[j]);
        ck_assert_double_le(fabs(low[j]), 0.5 * (nextafter(fabs(q[j]), INFINITY) - fabs(q[j])));
    }
    ck_assert_double_ne(low[0], 0.0);
    cardan_group_destroy(group);
}
END_TEST

typedef struct refusal {
    cardan_factor factors[3];
    int count;
    const char *sentence;
} refusal;

static const refusal refusals[] = {
    {{{CARDAN_SO3, CARDAN_LEFT, 0}}, 0, "at least one factor"},
    {{{CARDAN_SO3, CARDAN_LEFT, 0}}, -3, "at least one factor, not -3"},
    {{{CARDAN_SO3, CARDAN_LEFT, 0}, {CARDAN_RN, CARDAN_LEFT, 0}},
     2,
     "factor 1 of the group is R^n"},
    {{{CARDAN_RN, CARDAN_LEFT, -7}}, 1, "n = -7"},
    {{{(cardan_group_kind)6, CARDAN_LEFT, 1}}, 1, "factor 0 of the group has the unknown kind 6"},
    {{{(cardan_group_kind)-1, CARDAN_LEFT, 1}}, 1, "unknown kind -1"},
    {{{CARDAN_S3, CARDAN_LEFT, 0},
      {CARDAN_S3, CARDAN_LEFT, 0},
      {CARDAN_SE3, (cardan_group_side)2, 0}},
     3,
     "factor 2 of the group has the unknown side 2"},
    {{{CARDAN_RN, CARDAN_LEFT, INT_MAX / 2}, {CARDAN_RN, CARDAN_LEFT, INT_MAX}},
     2,
     "factor 1 makes the group too large"},
};

START_TEST(wrong_factors_are_named)
{
    const refusal *wrong = &refusals[_i];
    cardan_group *group = (cardan_group *)&group;
    cardan_error error;
    cardan_status status = cardan_group_create(&group, wrong->factors, wrong->count, NULL, &error);
    ck_assert_int_eq(status, CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(error.status, CARDAN_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error.text, wrong->sentence) != NULL, "'%s' lacks '%s'", error.text,
                  wrong->sentence);
    ck_assert_ptr_null(group);
    status = cardan_group_create(&group, wrong->factors, wrong->count, NULL, NULL);
    ck_assert_int_eq(status, CARDAN_INVALID_ARGUMENT);
}
END_TEST

START_TEST(missing_pointers_are_refused)
{
    const cardan_factor factor = {CARDAN_SE3, CARDAN_LEFT, 0};
    cardan_group *group;
    cardan_error error;
    ck_assert_int_eq(cardan_group_create(&group, NULL, 1, NULL, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "NULL"));
    ck_assert_int_eq(cardan_group_create(NULL, &factor, 1, NULL, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "NULL"));
    cardan_group_destroy(NULL);
}
END_TEST

START_TEST(success_clears_the_error)
{
    const cardan_factor factor = {CARDAN_SE3, CARDAN_LEFT, -1};
    cardan_error error = {.status = CARDAN_NOT_FINITE, .text = "old"};
    cardan_group *group;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, &error), CARDAN_OK);
    ck_assert_int_eq(error.status, CARDAN_OK);
    ck_assert_str_eq(error.text, "");
    cardan_group_destroy(group);
}
END_TEST

typedef struct energy_balance {
    int given, returned, limit;
} energy_balance;

static void *counted_allocate(size_t size, void *context)
{
    energy_balance *book = context;
    if (book->given >= book->limit)
        return NULL;
    book->given++;
    return malloc(size);
}

static void counted_release(void *memory, void *context)
{
    energy_balance *book = context;
    book->returned++;
    free(memory);
}

/* With room for k allocations only: out of memory, all of them returned, until k is enough. */
START_TEST(memory_comes_from_the_allocator_and_returns)
{
    const cardan_factor factors[2] = {{CARDAN_RN, CARDAN_LEFT, 2}, {CARDAN_R3_S3, CARDAN_RIGHT, 0}};
    cardan_status status = CARDAN_OUT_OF_MEMORY;
    for (int limit = 0; status != CARDAN_OK; limit++) {
        energy_balance book = {.limit = limit};
        cardan_allocator allocator = {counted_allocate, counted_release, &book};
        cardan_group *group;
        cardan_error error;
        status = cardan_group_create(&group, factors, 2, &allocator, &error);
        ck_assert_int_lt(limit, 20);
        if (status != CARDAN_OK) {
            ck_assert_int_eq(status, CARDAN_OUT_OF_MEMORY);
            ck_assert_ptr_null(group);
            ck_assert_ptr_nonnull(strstr(error.text, "group"));
        }
        cardan_group_destroy(group);
        ck_assert_int_eq(book.given, limit);
        ck_assert_int_eq(book.returned, limit);
    }
}
END_TEST

START_TEST(clone_is_the_same_group)
{
    cardan_group *group = make_group(SINGLE_GROUPS), *copy = NULL;
    energy_balance book = {.limit = INT_MAX};
    cardan_allocator allocator = {counted_allocate, counted_release, &book};
    double q[MOST], w[MOST], a[MOST], b[MOST];
    uint64_t state = 50;
    random_element(group, &state, q);
    random_velocity(group, &state, 1.0, w);
    cardan_group_update(group, q, w, a);
    int size = cardan_group_size(group), dof = cardan_group_dof(group);
    ck_assert_int_eq(cd_group_clone(&copy, group, &allocator), CARDAN_OK);
    cardan_group_destroy(group);
    ck_assert_int_eq(cardan_group_size(copy), size);
    ck_assert_int_eq(cardan_group_dof(copy), dof);
    cardan_group_update(copy, q, w, b);
    ck_assert_int_eq(memcmp(a, b, (size_t)size * sizeof *a), 0);
    cardan_group_destroy(copy);
    ck_assert_int_gt(book.given, 0);
    ck_assert_int_eq(book.given, book.returned);
}
END_TEST

START_TEST(clone_without_memory_fails)
{
    cardan_group *group = make_group(0), *copy = group;
    energy_balance book = {.limit = 0};
    cardan_allocator allocator = {counted_allocate, counted_release, &book};
    ck_assert_int_eq(cd_group_clone(&copy, group, &allocator), CARDAN_OUT_OF_MEMORY);
    ck_assert_ptr_null(copy);
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("group create");
    TCase *tcase = tcase_create("create");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, sizes_and_offsets_add_up);
    tcase_add_test(tcase, low_words_hold_what_positions_cannot);
    tcase_add_loop_test(tcase, wrong_factors_are_named, 0,
                        (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(tcase, missing_pointers_are_refused);
    tcase_add_test(tcase, success_clears_the_error);
    tcase_add_test(tcase, memory_comes_from_the_allocator_and_returns);
    tcase_add_test(tcase, clone_is_the_same_group);
    tcase_add_test(tcase, clone_without_memory_fails);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* Patterns in a definition: what is refused, and that a system with patterns is the same system. */
#include "beads.h"
#include "suite.h"

#include <cardan/cardan.h>

#include <string.h>

enum { COUNT = 4, DOF = 3 * COUNT };

static beads string_of_beads;
static cardan_group *group;

static void set_up(void)
{
    beads_open(&string_of_beads, COUNT, true);
    group = beads_group(&string_of_beads);
}

static void tear_down(void)
{
    cardan_group_destroy(group);
    beads_close(&string_of_beads);
}

typedef void mistake(cardan_pattern *pattern, int *start, int *column);

static void no_starts(cardan_pattern *pattern, int *start, int *column)
{
    (void)start, (void)column;
    pattern->row_start = NULL;
}

static void negative_entries(cardan_pattern *pattern, int *start, int *column)
{
    (void)start, (void)column;
    pattern->entries = -1;
}

static void late_begin(cardan_pattern *pattern, int *start, int *column)
{
    (void)pattern, (void)column;
    start[0] = 1;
}

static void wrong_end(cardan_pattern *pattern, int *start, int *column)
{
    (void)start, (void)column;
    pattern->entries--;
}

static void descending_starts(cardan_pattern *pattern, int *start, int *column)
{
    (void)pattern, (void)column;
    start[2] = 100;
}

static void column_beyond(cardan_pattern *pattern, int *start, int *column)
{
    (void)start;
    column[pattern->entries - 1] = DOF;
}

static void negative_column(cardan_pattern *pattern, int *start, int *column)
{
    (void)pattern, (void)start;
    column[0] = -1;
}

static void twice(cardan_pattern *pattern, int *start, int *column)
{
    (void)pattern;
    column[start[2] - 1] = column[start[2] - 2];
}

static void no_diagonal(cardan_pattern *pattern, int *start, int *column)
{
    (void)pattern, (void)start;
    column[3] = 4;
}

static void unsymmetric(cardan_pattern *pattern, int *start, int *column)
{
    for (int i = pattern->entries; i > 1; i--)
        column[i] = column[i - 1];
    column[1] = 5; /* row 0 has the columns 0 and 5 */
    for (int i = 1; i <= DOF; i++)
        start[i]++;
    pattern->entries++;
}

static const struct {
    mistake *make;
    bool in_mass;         /* in the pattern `mass`, else `constraint_dq` */
    const char *sentence; /* part of it */
} mistakes[] = {
    {no_starts, false, "`constraint_dq` is not complete"},
    {negative_entries, true, "`mass` is not complete"},
    {late_begin, false, "goes from 1 to 21"},
    {wrong_end, false, "its 20 entries over 4 rows, but goes from 0 to 21"},
    {descending_starts, false, "row 2 goes from 3 to 100"},
    {column_beyond, false, "column 12 in row 4; columns are counted from 0 to 11"},
    {negative_column, false, "column -1 in row 1"},
    {twice, false, "must ascend, but row 2 has column 4 after 4"},
    {no_diagonal, true, "no entry on the diagonal in row 4"},
    {unsymmetric, true, "column 5 in row 1, but not the reverse"},
};

START_TEST(pattern_mistakes)
{
    cardan_system_def def = beads_def(&string_of_beads, group);
    int start[DOF + 1], column[64];
    const bool in_mass = mistakes[_i].in_mass;
    const cardan_pattern *good = in_mass ? def.patterns.mass : def.patterns.constraint_dq;
    cardan_pattern bad = {good->entries, start, column};
    memcpy(start, good->row_start, (size_t)((in_mass ? DOF : COUNT) + 1) * sizeof(int));
    memcpy(column, good->column, (size_t)good->entries * sizeof(int));
    mistakes[_i].make(&bad, start, column);
    if (in_mass)
        def.patterns.mass = &bad;
    else
        def.patterns.constraint_dq = &bad;
    cardan_system *system;
    cardan_error error = {0};
    ck_assert_int_eq(cardan_system_create(&system, &def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error.text, mistakes[_i].sentence) != NULL, "%s", error.text);
    ck_assert_ptr_null(system);
}
END_TEST

/* The checker compares every patterned callback with differences. */
START_TEST(patterned_callbacks_pass_the_checker)
{
    cardan_system *system = beads_system(&string_of_beads);
    double q[DOF], v[DOF], lambda[COUNT];
    cardan_error error = {0};
    beads_initial(&string_of_beads, q, v);
    for (int i = 0; i < COUNT; i++)
        lambda[i] = 1.0 + i;
    const cardan_point at = {0.0, q, v, v, lambda, NULL};
    const cardan_status status = cardan_system_check(system, &at, 0.0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_system_destroy(system);
}
END_TEST

/* The definition's arrays may go once the system is made. */
START_TEST(patterns_are_copied)
{
    cardan_system *system = beads_system(&string_of_beads);
    double q[DOF], v[DOF], kinetic, potential, expected = 0.0;
    beads_initial(&string_of_beads, q, v);
    memset(string_of_beads.memory, 0xff, DOF * sizeof(int));
    const cardan_point at = {0.0, q, v, v, v, NULL};
    ck_assert_int_eq(cardan_system_energy(system, &at, &kinetic, &potential, NULL), CARDAN_OK);
    for (int i = 0; i < DOF; i++)
        expected += 0.5 * v[i] * v[i];
    ck_assert_double_eq_tol(kinetic, expected, 1e-14);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("system: patterns");
    TCase *tests = tcase_create("patterns");
    tcase_set_timeout(tests, 60.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, pattern_mistakes, 0, (int)(sizeof mistakes / sizeof mistakes[0]));
    tcase_add_test(tests, patterned_callbacks_pass_the_checker);
    tcase_add_test(tests, patterns_are_copied);
    suite_add_tcase(suite, tests);
    return suite;
}

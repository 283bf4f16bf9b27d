/* A team does every part once, whatever its size; teams do not know of each other, and end at any
 * time. */
#include "base/shared.h"
#include "base/team.h"
#include "suite.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

enum { PARTS = 37, RUNS = 2000 };

typedef struct tally {
    int count[PARTS];
} tally;

static void count(void *self, int part)
{
    ((tally *)self)->count[part]++;
}

static const int sizes[] = {1, 2, 3, 5, 9};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Runs of all lengths one after the other; false if a part was left out or done twice. */
static bool do_runs(int threads)
{
    cd_arena arena;
    bool good = true;
    cd_arena_init(&arena, NULL);
    cd_team *team = cd_team_create(&arena, threads);
    for (int run = 0; run < RUNS; run++) {
        tally seen = {{0}};
        const int parts = run % (PARTS + 1);
        cd_team_run(team, parts, count, &seen);
        for (int i = 0; i < PARTS; i++)
            good = good && seen.count[i] == (i < parts);
    }
    cd_arena_destroy(&arena);
    return good;
}

START_TEST(every_part_is_done_once)
{
    ck_assert(do_runs(sizes[_i]));
}
END_TEST

static void *run_elsewhere(void *good)
{
    *(bool *)good = do_runs(3);
    return NULL;
}

START_TEST(two_teams_at_the_same_time)
{
    pthread_t other;
    bool good = false;
    ck_assert_int_eq(pthread_create(&other, NULL, run_elsewhere, &good), 0);
    ck_assert(do_runs(2));
    pthread_join(other, NULL);
    ck_assert(good);
}
END_TEST

/* Ends at once, after a sleep, and after a run. */
START_TEST(ends_while_idle)
{
    for (int i = 0; i < 30; i++) {
        cd_arena arena;
        tally seen = {{0}};
        cd_arena_init(&arena, NULL);
        cd_team *team = cd_team_create(&arena, 4);
        ck_assert_int_eq(cd_team_size(team), 4);
        if (i % 3 == 1)
            nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
        if (i % 3 == 2)
            cd_team_run(team, PARTS, count, &seen);
        cd_arena_destroy(&arena);
    }
}
END_TEST

START_TEST(one_thread_is_no_team)
{
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    ck_assert_ptr_null(cd_team_create(&arena, 1));
    ck_assert_int_eq(cd_team_size(NULL), 1);
    ck_assert_int_ge(cd_processors(), 1);
    cd_arena_destroy(&arena);
}
END_TEST

/* Ranges are disjoint, in order, and cover all. */
START_TEST(spans_cover_all)
{
    for (int n = 0; n < 50; n++)
        for (int parts = 1; parts < 20; parts++) {
            int end = 0;
            for (int i = 0; i < parts; i++) {
                const cd_span span = cd_span_of(n, parts, i);
                ck_assert_int_eq(span.begin, end);
                ck_assert_int_ge(span.end, span.begin);
                end = span.end;
            }
            ck_assert_int_eq(end, n);
        }
}
END_TEST

/* What is not a number shows wherever it is, with and without threads. */
START_TEST(nan_wins_in_every_span)
{
    enum { N = 50000, APART = 5000 };
    static double x[N], w[N], y[N];
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    cd_team *teams[] = {NULL, cd_team_create(&arena, 3)};
    for (int i = 0; i < N; i++)
        x[i] = w[i] = 1.0 + i;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < N; i += APART) {
            const double kept = x[i];
            x[i] = NAN;
            ck_assert_double_nan(cd_shared_max_abs(teams[t], N, x));
            ck_assert_double_nan(cd_shared_norm(teams[t], N, x, w));
            ck_assert_double_nan(cd_shared_negate(teams[t], N, x, y));
            x[i] = kept;
        }
    ck_assert_double_eq(cd_shared_max_abs(teams[1], N, x), N);
    cd_arena_destroy(&arena);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("team");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, every_part_is_done_once, 0, SIZES);
    tcase_add_test(all, two_teams_at_the_same_time);
    tcase_add_test(all, ends_while_idle);
    tcase_add_test(all, one_thread_is_no_team);
    tcase_add_test(all, spans_cover_all);
    tcase_add_test(all, nan_wins_in_every_span);
    suite_add_tcase(suite, all);
    return suite;
}

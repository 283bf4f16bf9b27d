/* Tasks of an elimination: every unit once and in an order that the graph allows, tasks that do not
 * know of each other, halves of equal cost, and joints with moments eliminated from the free end.
 */
#include "joint_graph.h"
#include "linalg/unit_tasks.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

typedef struct found {
    cd_arena arena;
    cd_unit_order order;
    cd_unit_tasks tasks;
} found;

/* What units of a task reach is in the task, or in the rest and then in the reach of its last. */
static void expect_apart(const found *f)
{
    const cd_unit_order *order = &f->order;
    for (int t = 0; t < f->tasks.count; t++) {
        const cd_span own = f->tasks.task[t];
        for (int i = own.begin; i < own.end; i++)
            for (int r = order->reach_start[i]; r < order->reach_start[i + 1]; r++) {
                bool known = order->reach[r] < own.end;
                ck_assert(known || order->reach[r] >= f->tasks.rest.begin);
                for (int l = order->reach_start[own.end - 1]; l < order->reach_start[own.end]; l++)
                    known = known || order->reach[l] == order->reach[r];
                ck_assert(known);
            }
    }
}

static int largest_task(const found *f)
{
    int largest = 0;
    for (int t = 0; t < f->tasks.count; t++) {
        const int units = f->tasks.task[t].end - f->tasks.task[t].begin;
        largest = units > largest ? units : largest;
    }
    return largest;
}

static void find(const mechanism *m, unit_graph *g, found *f)
{
    *g = make_unit_graph(m);
    memset(f, 0, sizeof *f);
    cd_arena_init(&f->arena, NULL);
    ck_assert(cd_unit_tasks_find(&f->arena, &g->units, &f->order, &f->tasks));
    expect_elimination(g, &f->order);
    expect_apart(f);
}

static void finish(mechanism *m, unit_graph *g, found *f)
{
    cd_arena_destroy(&f->arena);
    free_unit_graph(g);
    free_mechanism(m);
}

START_TEST(a_tree_has_many)
{
    mechanism m = make_tree(511, 5);
    unit_graph g;
    found f;
    find(&m, &g, &f);
    ck_assert_int_ge(f.tasks.count, 2);
    ck_assert_int_le(largest_task(&f), 1022 / 2);
    ck_assert_int_le(f.tasks.rest.end - f.tasks.rest.begin, 100);
    finish(&m, &g, &f);
}
END_TEST

/* Rings, and chains of balls and sockets. */
START_TEST(paths_are_divided)
{
    mechanism m = make_chain(900, _i == 0, 3);
    unit_graph g;
    found f;
    find(&m, &g, &f);
    ck_assert_int_eq(f.tasks.count, 2);
    ck_assert_int_le(largest_task(&f), 1100); /* of 1800 units: ends differ in cost */
    ck_assert_int_le(f.tasks.rest.end - f.tasks.rest.begin, 10);
    finish(&m, &g, &f);
}
END_TEST

START_TEST(hinges_keep_their_leaves)
{
    mechanism m = make_chain(900, false, 5);
    unit_graph g;
    found f;
    m.stiff = _i == 1;
    find(&m, &g, &f);
    ck_assert_int_eq(f.tasks.count, 0);
    ck_assert_int_eq(f.order.leaves, 900);
    for (int i = 0; i < 900; i++) { /* from the free end: a body, its joint */
        ck_assert_int_eq(f.order.unit[2 * i], 899 - i);
        ck_assert_int_eq(f.order.unit[2 * i + 1], 900 + 899 - i);
    }
    finish(&m, &g, &f);
}
END_TEST

START_TEST(small_systems_stay_whole)
{
    mechanism m = make_tree(7, 5);
    unit_graph g;
    found f;
    find(&m, &g, &f);
    ck_assert_int_eq(f.tasks.count, 0);
    ck_assert_int_eq(f.tasks.rest.begin, 0);
    ck_assert_int_eq(f.tasks.rest.end, 14);
    finish(&m, &g, &f);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("unit tasks");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, a_tree_has_many);
    tcase_add_loop_test(all, paths_are_divided, 0, 2);
    tcase_add_loop_test(all, hinges_keep_their_leaves, 0, 2);
    tcase_add_test(all, small_systems_stay_whole);
    suite_add_tcase(suite, all);
    return suite;
}

/* Tasks of an elimination: every unit once and in an order that the graph allows, tasks that do not
 * know of each other, halves of equal cost, and joints with moments eliminated from the free end.
 */
#include "linalg/unit_tasks.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* Bodies 0 ... n - 1 and joints between body[j][0] (-1: ground) and body[j][1]. */
typedef struct mechanism {
    int bodies, joints, joint_size;
    bool stiff; /* the bodies of a joint are neighbours, too */
    int (*body)[2];
} mechanism;

typedef struct graph {
    cd_unit_graph units;
    int *size, *start, *neighbour;
} graph;

static graph make_graph(const mechanism *from)
{
    const int count = from->bodies + from->joints;
    graph g = {.size = calloc((size_t)count, sizeof(int)),
               .start = calloc((size_t)count + 1, sizeof(int)),
               .neighbour = calloc(6 * (size_t)from->joints, sizeof(int))};
    int *degree = calloc((size_t)count, sizeof(int));
    for (int pass = 0; pass < 2; pass++) {
        memset(degree, 0, (size_t)count * sizeof *degree);
        for (int j = 0; j < from->joints; j++)
            for (int s = 0; s < 2; s++) {
                const int b = from->body[j][s], joint = from->bodies + j;
                if (b < 0)
                    continue;
                if (pass == 1) {
                    g.neighbour[g.start[b] + degree[b]] = joint;
                    g.neighbour[g.start[joint] + degree[joint]] = b;
                }
                degree[b]++;
                degree[joint]++;
            }
        for (int j = 0; from->stiff && j < from->joints; j++)
            for (int s = 0; s < 2; s++) {
                const int b = from->body[j][s], other = from->body[j][1 - s];
                if (b < 0 || other < 0)
                    continue;
                if (pass == 1)
                    g.neighbour[g.start[b] + degree[b]] = other;
                degree[b]++;
            }
        for (int u = 0; pass == 0 && u < count; u++)
            g.start[u + 1] = g.start[u] + degree[u];
    }
    for (int u = 0; u < count; u++)
        g.size[u] = u < from->bodies ? 6 : from->joint_size;
    g.units = (cd_unit_graph){.count = count,
                              .bodies = from->bodies,
                              .size = g.size,
                              .start = g.start,
                              .neighbour = g.neighbour};
    free(degree);
    return g;
}

static void free_graph(graph *g)
{
    free(g->size);
    free(g->start);
    free(g->neighbour);
}

static mechanism make_chain(int n, bool closed, int joint_size)
{
    mechanism m = {n, closed ? n + 1 : n, joint_size, false, calloc((size_t)n + 1, sizeof *m.body)};
    for (int j = 0; j < n; j++) {
        m.body[j][0] = j - 1;
        m.body[j][1] = j;
    }
    if (closed) {
        m.body[n][0] = n - 1;
        m.body[n][1] = 0;
    }
    return m;
}

static mechanism make_tree(int n)
{
    mechanism m = {n, n, 5, false, calloc((size_t)n, sizeof *m.body)};
    for (int j = 0; j < n; j++) {
        m.body[j][0] = j > 0 ? (j - 1) / 2 : -1;
        m.body[j][1] = j;
    }
    return m;
}

typedef struct found {
    cd_arena arena;
    cd_unit_order order;
    cd_unit_tasks tasks;
} found;

/* Every unit is there once, and reaches are those of the elimination of the graph in that order. */
static void expect_order(const graph *g, const found *f)
{
    const int count = g->units.count;
    bool *connected = calloc((size_t)count * (size_t)count, sizeof *connected);
    int *place = malloc((size_t)count * sizeof *place);
    for (int u = 0; u < count; u++)
        place[u] = -1;
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(place[f->order.unit[i]], -1);
        place[f->order.unit[i]] = i;
    }
    for (int u = 0; u < count; u++)
        for (int i = g->start[u]; i < g->start[u + 1]; i++)
            connected[place[u] * count + place[g->neighbour[i]]] = true;
    for (int i = 0; i < count; i++) {
        int r = f->order.reach_start[i];
        for (int a = i + 1; a < count; a++) {
            if (!connected[i * count + a])
                continue;
            ck_assert_int_lt(r, f->order.reach_start[i + 1]);
            ck_assert_int_eq(f->order.reach[r++], a);
            for (int b = i + 1; b < count; b++)
                if (connected[i * count + b])
                    connected[a * count + b] = true;
        }
        ck_assert_int_eq(r, f->order.reach_start[i + 1]);
    }
    free(connected);
    free(place);
}

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

static void find(const mechanism *m, graph *g, found *f)
{
    *g = make_graph(m);
    memset(f, 0, sizeof *f);
    cd_arena_init(&f->arena, NULL);
    ck_assert(cd_unit_tasks_find(&f->arena, &g->units, &f->order, &f->tasks));
    expect_order(g, f);
    expect_apart(f);
}

static void finish(mechanism *m, graph *g, found *f)
{
    cd_arena_destroy(&f->arena);
    free_graph(g);
    free(m->body);
}

START_TEST(a_tree_has_many)
{
    mechanism m = make_tree(511);
    graph g;
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
    graph g;
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
    graph g;
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
    mechanism m = make_tree(7);
    graph g;
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

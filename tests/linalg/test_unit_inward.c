/* Orders of elimination that go inward: what is next to the ground comes last, so that a change
 * there is one of few units. */
#include "joint_graph.h"
#include "linalg/unit_tasks.h"
#include "suite.h"

typedef struct found {
    cd_arena arena;
    cd_unit_order order;
    cd_unit_tasks tasks;
} found;

typedef enum shape { CHAIN, HINGES, RING, LADDER, TREE, SHAPES } shape;

static mechanism make_mechanism(shape which)
{
    switch (which) {
    case LADDER:
        return make_ladder(400, 3);
    case TREE:
        return make_tree(511, 3);
    default:
        return make_chain(900, which == RING, which == HINGES ? 5 : 3);
    }
}

static found find(const unit_graph *g)
{
    found f = {0};
    cd_arena_init(&f.arena, NULL);
    ck_assert(cd_unit_tasks_find(&f.arena, &g->units, &f.order, &f.tasks));
    expect_elimination(g, &f.order);
    return f;
}

/* Units that have to be eliminated again if this one changes: all that it acts on, directly or not.
 */
static int count_ancestors(const cd_unit_order *order, int count, int place)
{
    bool above[4000] = {false};
    int ancestors = 0;
    above[place] = true;
    for (int i = place; i < count; i++) {
        ancestors += above[i];
        for (int r = order->reach_start[i]; above[i] && r < order->reach_start[i + 1]; r++)
            above[order->reach[r]] = true;
    }
    return ancestors;
}

/* The most of the joints on the ground, and of the bodies up to some number. */
static int longest_way(const unit_graph *g, const mechanism *m, const cd_unit_order *order,
                       int bodies)
{
    int longest = 0;
    for (int i = 0; i < g->units.count; i++) {
        const int unit = order->unit[i];
        const bool grounded = unit >= m->bodies && m->body[unit - m->bodies][0] < 0;
        ck_assert_int_eq(cd_unit_is_grounded(&g->units, unit), grounded);
        const int way = grounded || unit < bodies ? count_ancestors(order, g->units.count, i) : 0;
        longest = way > longest ? way : longest;
    }
    return longest;
}

START_TEST(the_ground_comes_last)
{
    /* behind a joint on the ground: nothing, or what was held back for another half */
    static const int most[SHAPES] = {4, 1, 8, 8, 1};
    mechanism m = make_mechanism((shape)(_i / 2));
    m.stiff = _i % 2 == 1;
    unit_graph g = make_unit_graph(&m);
    g.units.inward = true;
    found f = find(&g);
    ck_assert_int_le(longest_way(&g, &m, &f.order, 0), most[_i / 2]);
    ck_assert_int_le(longest_way(&g, &m, &f.order, 21), most[_i / 2] + 2 * 21);
    cd_arena_destroy(&f.arena);
    free_unit_graph(&g);
    free_mechanism(&m);
}
END_TEST

/* Halves that begin at the ground are not made, but ladders have one that begins at the middle. */
START_TEST(division_of_paths)
{
    static const bool divided[SHAPES][2] = {[CHAIN] = {true, true},
                                            [HINGES] = {false, false},
                                            [RING] = {true, true},
                                            [LADDER] = {true, true},
                                            [TREE] = {true, true}};
    for (int inward = 0; inward < 2; inward++) {
        mechanism m = make_mechanism((shape)_i);
        unit_graph g = make_unit_graph(&m);
        g.units.inward = inward == 1;
        found f = find(&g);
        ck_assert_int_eq(f.tasks.count > 0, divided[_i][inward]);
        cd_arena_destroy(&f.arena);
        free_unit_graph(&g);
        free_mechanism(&m);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("units inward");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, the_ground_comes_last, 0, 2 * SHAPES);
    tcase_add_loop_test(all, division_of_paths, 0, SHAPES);
    suite_add_tcase(suite, all);
    return suite;
}

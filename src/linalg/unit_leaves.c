/* See unit_leaves.h. A ring has no leaves; without a joint that closes it, it has two branches. */
#include "unit_leaves.h"

typedef struct search {
    const cd_unit_graph *graph;
    const bool *held;
    cd_unit_leaves *found;
    int *queue;    /* bodies */
    int count;     /* of them */
    int *left;     /* joints of a body */
    bool *reached; /* bodies */
    bool *used;    /* joints */
} search;

static bool is_body(const search *s, int unit)
{
    return unit < s->graph->bodies;
}

/* ---- loops ---- */

/* Goes over a joint to all of its bodies; false if these had been reached before. */
static bool cross(search *s, int joint)
{
    const cd_unit_graph *g = s->graph;
    bool new = false;
    s->used[joint] = true;
    for (int i = g->start[joint]; i < g->start[joint + 1]; i++) {
        const int body = g->neighbour[i];
        if (!is_body(s, body) || s->reached[body])
            continue;
        new = s->reached[body] = true;
        s->queue[s->count++] = body;
    }
    return new;
}

/* Breadth first from the bodies in the queue: branches become equally long. */
static void walk(search *s, int next)
{
    const cd_unit_graph *g = s->graph;
    for (; next < s->count; next++) {
        const int body = s->queue[next];
        for (int i = g->start[body]; i < g->start[body + 1]; i++) {
            const int joint = g->neighbour[i];
            if (!is_body(s, joint) && !s->used[joint])
                s->found->aside[joint] = !cross(s, joint);
        }
    }
}

static int count_bodies(const search *s, int joint)
{
    const cd_unit_graph *g = s->graph;
    int bodies = 0;
    for (int i = g->start[joint]; i < g->start[joint + 1]; i++)
        bodies += is_body(s, g->neighbour[i]);
    return bodies;
}

/* Finds the joints that close loops: first come the bodies that are held to the ground. */
static void find_loops(search *s)
{
    const cd_unit_graph *g = s->graph;
    for (int j = g->bodies; j < g->count; j++)
        if (count_bodies(s, j) == 1)
            s->found->aside[j] = !cross(s, j);
    walk(s, 0);
    for (int b = 0; b < g->bodies; b++)
        if (!s->reached[b]) {
            s->reached[b] = true;
            s->queue[s->count++] = b;
            walk(s, s->count - 1);
        }
    s->count = 0;
}

/* A few joints that close loops, with no more rows than a body has velocities: without them there
 * are leaves, and rings are eliminated from ends like chains, at the price of these rows in every
 * unit. A ring of hinges has no digits left if it is not. */
static void set_loops_aside(search *s)
{
    enum { MOST_ROWS = 6 };
    const cd_unit_graph *g = s->graph;
    int rows = 0;
    find_loops(s);
    for (int j = g->bodies; j < g->count; j++)
        rows += s->found->aside[j] ? g->size[j] : 0;
    for (int j = g->bodies; rows > MOST_ROWS && j < g->count; j++)
        s->found->aside[j] = false;
}

/* ---- leaves ---- */

/* A body's first joint that has no leaf yet. */
static int free_joint(const search *s, int body)
{
    const cd_unit_graph *g = s->graph;
    for (int i = g->start[body]; i < g->start[body + 1]; i++) {
        const int joint = g->neighbour[i];
        if (!is_body(s, joint) && s->found->leaf[joint] < 0 && !s->found->aside[joint] &&
            (s->held == NULL || !s->held[joint]))
            return joint;
    }
    return -1;
}

static void add_leaf(search *s, int body)
{
    if (s->left[body] == 1)
        s->queue[s->count++] = body;
}

/* Gives a joint its leaf; the bodies that are left with one joint become leaves. */
static void pair(search *s, int joint, int leaf)
{
    const cd_unit_graph *g = s->graph;
    s->found->leaf[joint] = leaf;
    s->found->joint[s->found->count++] = joint;
    for (int i = g->start[joint]; i < g->start[joint + 1]; i++) {
        const int body = g->neighbour[i];
        if (!is_body(s, body))
            continue;
        s->left[body]--;
        add_leaf(s, body);
    }
}

static void pair_leaves(search *s)
{
    const cd_unit_graph *g = s->graph;
    for (int b = 0; b < g->bodies; b++) {
        for (int i = g->start[b]; i < g->start[b + 1]; i++)
            s->left[b] += !is_body(s, g->neighbour[i]) && !s->found->aside[g->neighbour[i]];
        add_leaf(s, b);
    }
    for (int next = 0; next < s->count; next++) {
        const int leaf = s->queue[next], joint = s->left[leaf] == 1 ? free_joint(s, leaf) : -1;
        if (joint >= 0 && g->size[joint] <= g->size[leaf])
            pair(s, joint, leaf);
    }
}

bool cd_unit_leaves_find(cd_arena *arena, const cd_unit_graph *graph, const bool *held,
                         cd_unit_leaves *leaves)
{
    const size_t count = (size_t)graph->count, bodies = (size_t)graph->bodies;
    search s = {.graph = graph, .held = held, .found = leaves};
    *leaves = (cd_unit_leaves){.leaf = cd_arena_take(arena, count * sizeof(int)),
                               .aside = cd_arena_take(arena, count * sizeof(bool)),
                               .joint = cd_arena_take(arena, count * sizeof(int))};
    s.queue = cd_arena_take(arena, bodies * sizeof *s.queue);
    s.left = cd_arena_take(arena, bodies * sizeof *s.left);
    s.reached = cd_arena_take(arena, bodies * sizeof *s.reached);
    s.used = cd_arena_take(arena, count * sizeof *s.used);
    if (arena->failed)
        return false;
    for (int u = 0; u < graph->count; u++)
        leaves->leaf[u] = -1;
    set_loops_aside(&s);
    pair_leaves(&s);
    return true;
}

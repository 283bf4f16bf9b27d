/* Finds leaves and loops of the mechanism first, then eliminates units by minimum degree. The
 * elimination graph is stored as lists of neighbours: units are few and their neighbours fewer. */
#include "unit_order.h"

#include "base/numeric.h"

#include <stdlib.h>

static bool is_body(const cd_unit_graph *graph, int unit)
{
    return unit < graph->bodies;
}

/* The search for loops and leaves. */
typedef struct search {
    const cd_unit_graph *graph;
    const bool *held;
    int *leaf; /* of every unit: the body that a joint waits for alone; -1: all, or no joint */
    bool *closes_loop; /* of every unit: is it a joint that the search for leaves ignores? */
    int *queue;        /* bodies */
    int count;         /* bodies in the queue */
    int *left;         /* of every body: joints without a leaf */
    bool *reached;     /* of every body */
    bool *used;        /* of every unit: joints that were crossed */
} search;

/* ---- loops ---- */

/* Adds the bodies behind a joint to the queue; false if all had been reached before. */
static bool cross_joint(search *s, int joint)
{
    const cd_unit_graph *g = s->graph;
    bool new = false;
    s->used[joint] = true;
    for (int i = g->start[joint]; i < g->start[joint + 1]; i++) {
        const int body = g->neighbour[i];
        if (!is_body(g, body) || s->reached[body])
            continue;
        new = s->reached[body] = true;
        s->queue[s->count++] = body;
    }
    return new;
}

/* Walks breadth first from the bodies in the queue, so that loops are opened in their middle. Marks
 * the joints that close loops. */
static void walk_bodies(search *s, int next)
{
    const cd_unit_graph *g = s->graph;
    for (; next < s->count; next++) {
        const int body = s->queue[next];
        for (int i = g->start[body]; i < g->start[body + 1]; i++) {
            const int joint = g->neighbour[i];
            if (!is_body(g, joint) && !s->used[joint])
                s->closes_loop[joint] = !cross_joint(s, joint);
        }
    }
}

static int count_bodies_of(const search *s, int joint)
{
    const cd_unit_graph *g = s->graph;
    int bodies = 0;
    for (int i = g->start[joint]; i < g->start[joint + 1]; i++)
        bodies += is_body(g, g->neighbour[i]);
    return bodies;
}

/* Finds the joints that close loops, beginning with the bodies that are held to the ground. */
static void find_loops(search *s)
{
    const cd_unit_graph *g = s->graph;
    for (int j = g->bodies; j < g->count; j++)
        if (count_bodies_of(s, j) == 1)
            s->closes_loop[j] = !cross_joint(s, j);
    walk_bodies(s, 0);
    for (int b = 0; b < g->bodies; b++)
        if (!s->reached[b]) {
            s->reached[b] = true;
            s->queue[s->count++] = b;
            walk_bodies(s, s->count - 1);
        }
    s->count = 0;
}

/* Marks joints that close loops, if these have no more rows than a body has velocities. Eliminated
 * last, they leave a ring with two ends, from which it is eliminated like a chain, at the price of
 * these rows in every unit. Otherwise a long ring of hinges would lose all digits. */
static void choose_loop_joints(search *s)
{
    enum { MOST_ROWS = 6 };
    const cd_unit_graph *g = s->graph;
    int rows = 0;
    find_loops(s);
    for (int j = g->bodies; j < g->count; j++)
        rows += s->closes_loop[j] ? g->size[j] : 0;
    for (int j = g->bodies; rows > MOST_ROWS && j < g->count; j++)
        s->closes_loop[j] = false;
}

/* ---- leaves ---- */

/* A body's first joint that has no leaf yet, is not held and closes no loop; -1: there is none. */
static int find_free_joint(const search *s, int body)
{
    const cd_unit_graph *g = s->graph;
    for (int i = g->start[body]; i < g->start[body + 1]; i++) {
        const int joint = g->neighbour[i];
        if (!is_body(g, joint) && s->leaf[joint] < 0 && !s->closes_loop[joint] &&
            (s->held == NULL || !s->held[joint]))
            return joint;
    }
    return -1;
}

static void add_if_leaf(search *s, int body)
{
    if (s->left[body] == 1)
        s->queue[s->count++] = body;
}

/* Gives a joint its leaf; a body that has one joint left then becomes a leaf. */
static void pair_joint(search *s, int joint, int leaf)
{
    const cd_unit_graph *g = s->graph;
    s->leaf[joint] = leaf;
    for (int i = g->start[joint]; i < g->start[joint + 1]; i++) {
        const int body = g->neighbour[i];
        if (!is_body(g, body))
            continue;
        s->left[body]--;
        add_if_leaf(s, body);
    }
}

/* Gives joints their leaves, from the ends of branches inwards. */
static void pair_leaves(search *s)
{
    const cd_unit_graph *g = s->graph;
    for (int b = 0; b < g->bodies; b++) {
        for (int i = g->start[b]; i < g->start[b + 1]; i++)
            s->left[b] += !is_body(g, g->neighbour[i]) && !s->closes_loop[g->neighbour[i]];
        add_if_leaf(s, b);
    }
    for (int next = 0; next < s->count; next++) {
        const int leaf = s->queue[next], joint = s->left[leaf] == 1 ? find_free_joint(s, leaf) : -1;
        if (joint >= 0 && g->size[joint] <= g->size[leaf])
            pair_joint(s, joint, leaf);
    }
}

/* Allocates the search, and finds loops and leaves. */
static bool find_leaves(search *s, cd_arena *arena)
{
    const size_t count = (size_t)s->graph->count, bodies = (size_t)s->graph->bodies;
    s->leaf = cd_arena_take(arena, count * sizeof *s->leaf);
    s->closes_loop = cd_arena_take(arena, count * sizeof *s->closes_loop);
    s->queue = cd_arena_take(arena, bodies * sizeof *s->queue);
    s->left = cd_arena_take(arena, bodies * sizeof *s->left);
    s->reached = cd_arena_take(arena, bodies * sizeof *s->reached);
    s->used = cd_arena_take(arena, count * sizeof *s->used);
    if (arena->failed)
        return false;
    for (size_t u = 0; u < count; u++)
        s->leaf[u] = -1;
    choose_loop_joints(s);
    pair_leaves(s);
    return true;
}

/* ---- elimination ---- */

/* A list of numbers: neighbours of a unit, some of which may have been eliminated, or a reach. */
typedef struct list {
    int *at;
    int count, capacity;
} list;

enum { FORCES = 3 }; /* unknowns of a joint that transmits no moments, at most */

/* A unit that waits for nothing, with its degree when it was added. */
typedef struct candidate {
    int degree, unit;
} candidate;

typedef struct elimination {
    cd_arena scratch;
    const cd_unit_graph *graph;
    bool *held;         /* of every unit: does it come last? */
    bool held_released; /* such units are eliminated now */
    list *neighbours;   /* of every unit */
    int *degree;        /* of every unit: unknowns of the neighbours that are left */
    int *waits;         /* of every unit: how many bodies a joint still waits for */
    int *leaf;          /* of every unit: the body that a joint waits for alone, or -1 */
    bool *eliminated;   /* of every unit */
    int *mark;          /* of every unit: the unit whose neighbours were marked last; scratch */
    candidate *heap;    /* the smallest degree on top; entries with another degree are outdated */
    int heap_count, heap_capacity;
    list reach; /* of all units so far, one after the other */
    int *found; /* the reach of the last one */
} elimination;

/* Makes room for one more number; false if memory runs out. */
static bool grow_list(cd_arena *arena, list *l)
{
    if (l->count < l->capacity)
        return true;
    const int capacity = l->capacity > 0 ? 2 * l->capacity : 8;
    int *at = cd_arena_take(arena, (size_t)capacity * sizeof *at);
    if (at == NULL)
        return false;
    if (l->count > 0)
        memcpy(at, l->at, (size_t)l->count * sizeof *at);
    l->at = at;
    l->capacity = capacity;
    return true;
}

static void append_number(cd_arena *arena, list *l, int number)
{
    if (grow_list(arena, l))
        l->at[l->count++] = number;
}

static bool comes_before(candidate a, candidate b)
{
    return a.degree != b.degree ? a.degree < b.degree : a.unit < b.unit;
}

static bool must_wait_to_end(const elimination *e, int unit)
{
    return e->held[unit] && !e->held_released;
}

/* Adds a unit to the heap unless it is held. */
static void push_candidate(elimination *e, int unit)
{
    if (must_wait_to_end(e, unit))
        return;
    if (e->heap_count == e->heap_capacity) {
        const int capacity = 2 * e->heap_capacity + 64;
        candidate *heap = cd_arena_take(&e->scratch, (size_t)capacity * sizeof *heap);
        if (heap == NULL)
            return;
        if (e->heap_count > 0)
            memcpy(heap, e->heap, (size_t)e->heap_count * sizeof *heap);
        e->heap = heap;
        e->heap_capacity = capacity;
    }
    const candidate new = {e->degree[unit], unit};
    int at = e->heap_count++;
    for (; at > 0 && comes_before(new, e->heap[(at - 1) / 2]); at = (at - 1) / 2)
        e->heap[at] = e->heap[(at - 1) / 2];
    e->heap[at] = new;
}

static candidate pop_candidate(elimination *e)
{
    const candidate first = e->heap[0], last = e->heap[--e->heap_count];
    int at = 0;
    for (int child = 1; child < e->heap_count; child = 2 * at + 1) {
        if (child + 1 < e->heap_count && comes_before(e->heap[child + 1], e->heap[child]))
            child++;
        if (!comes_before(e->heap[child], last))
            break;
        e->heap[at] = e->heap[child];
        at = child;
    }
    if (e->heap_count > 0)
        e->heap[at] = last;
    return first;
}

/* Counts for every joint its bodies, for which it waits, or one if it has a leaf. */
static void count_awaited_bodies(elimination *e)
{
    const cd_unit_graph *g = e->graph;
    for (int j = g->bodies; j < g->count; j++) {
        for (int i = g->start[j]; i < g->start[j + 1]; i++)
            e->waits[j] += is_body(e->graph, g->neighbour[i]);
        if (e->leaf[j] >= 0)
            e->waits[j] = 1;
    }
}

/* Finds which units wait: joints for bodies; held units and joints that close loops for all. */
static bool find_waiting_units(elimination *e, const bool *held)
{
    const cd_unit_graph *g = e->graph;
    search s = {.graph = g, .held = held};
    if (!find_leaves(&s, &e->scratch))
        return false;
    e->leaf = s.leaf;
    e->held = s.closes_loop;
    for (int u = 0; held != NULL && u < g->count; u++)
        e->held[u] = e->held[u] || held[u];
    count_awaited_bodies(e);
    return true;
}

/* Allocates the elimination and adds all units that need not wait to the heap. */
static bool start_elimination(elimination *e, const cd_unit_graph *g, const bool *held)
{
    const size_t count = (size_t)g->count;
    e->graph = g;
    e->neighbours = cd_arena_take(&e->scratch, count * sizeof *e->neighbours);
    e->degree = cd_arena_take(&e->scratch, count * sizeof *e->degree);
    e->waits = cd_arena_take(&e->scratch, count * sizeof *e->waits);
    e->eliminated = cd_arena_take(&e->scratch, count * sizeof *e->eliminated);
    e->mark = cd_arena_take(&e->scratch, count * sizeof *e->mark);
    e->found = cd_arena_take(&e->scratch, count * sizeof *e->found);
    int *copy = cd_arena_take(&e->scratch, (size_t)g->start[g->count] * sizeof *copy);
    if (e->scratch.failed || !find_waiting_units(e, held))
        return false;
    if (g->start[g->count] > 0)
        memcpy(copy, g->neighbour, (size_t)g->start[g->count] * sizeof *copy);
    for (int u = 0; u < g->count; u++) {
        const int length = g->start[u + 1] - g->start[u];
        e->neighbours[u] = (list){copy + g->start[u], length, length};
        e->mark[u] = -1;
        for (int i = g->start[u]; i < g->start[u + 1]; i++)
            e->degree[u] += g->size[g->neighbour[i]];
    }
    for (int u = 0; u < g->count; u++)
        if (e->waits[u] == 0)
            push_candidate(e, u);
    return !e->scratch.failed;
}

/* Removes eliminated units from the neighbours of a unit; returns how many are left. */
static int drop_eliminated(elimination *e, int unit)
{
    list *l = &e->neighbours[unit];
    int kept = 0;
    for (int i = 0; i < l->count; i++)
        if (!e->eliminated[l->at[i]])
            l->at[kept++] = l->at[i];
    l->count = kept;
    return kept;
}

static bool contains(const list *l, int number)
{
    for (int i = 0; i < l->count; i++)
        if (l->at[i] == number)
            return true;
    return false;
}

/* Connects a unit with all of `others`. If the unit has very many neighbours, the shorter lists of
 * the others tell which of them are new. */
static void connect_neighbours(elimination *e, int unit, int count, const int *others)
{
    const int many = 8 * count + 32;
    const bool hub = e->neighbours[unit].count > many && drop_eliminated(e, unit) > many;
    for (int i = 0; !hub && i < e->neighbours[unit].count; i++)
        e->mark[e->neighbours[unit].at[i]] = unit;
    for (int i = 0; i < count; i++) {
        const int other = others[i];
        if (other == unit || (hub ? contains(&e->neighbours[other], unit) : e->mark[other] == unit))
            continue;
        append_number(&e->scratch, &e->neighbours[unit], other);
        e->degree[unit] += e->graph->size[other];
    }
    for (int i = 0; !hub && i < e->neighbours[unit].count; i++)
        e->mark[e->neighbours[unit].at[i]] = -1;
}

/* Lets the joints of an eliminated body wait for one body less. */
static void release_joints(elimination *e, int body)
{
    const cd_unit_graph *g = e->graph;
    for (int i = g->start[body]; i < g->start[body + 1]; i++) {
        const int joint = g->neighbour[i];
        if (!is_body(e->graph, joint) && !e->eliminated[joint] && e->waits[joint] > 0 &&
            (e->leaf[joint] < 0 || e->leaf[joint] == body))
            e->waits[joint]--;
    }
}

/* Eliminates a unit: stores its reach and connects all units in it. */
static void eliminate_unit(elimination *e, int unit)
{
    const int count = drop_eliminated(e, unit);
    if (count > 0)
        memcpy(e->found, e->neighbours[unit].at, (size_t)count * sizeof *e->found);
    e->eliminated[unit] = true;
    for (int i = 0; i < count; i++)
        append_number(&e->scratch, &e->reach, e->found[i]);
    for (int i = 0; i < count; i++)
        connect_neighbours(e, e->found[i], count, e->found);
    if (is_body(e->graph, unit))
        release_joints(e, unit);
    for (int i = 0; i < count; i++) {
        const int other = e->found[i];
        e->degree[other] -= e->graph->size[unit];
        if (e->waits[other] == 0)
            push_candidate(e, other);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

bool cd_unit_order_permute(cd_arena *arena, int count, const cd_unit_order *from, const int *index,
                           const int *new_number, cd_unit_order *to)
{
    const int *old = from->reach_start;
    int *unit = cd_arena_take(arena, (size_t)count * sizeof *unit);
    int *start = cd_arena_take(arena, ((size_t)count + 1) * sizeof *start);
    int *reach = cd_arena_take(arena, (size_t)old[count] * sizeof *reach);
    if (arena->failed)
        return false;
    for (int i = 0; i < count; i++) {
        const int at = index != NULL ? index[i] : i;
        unit[at] = from->unit[i];
        start[at + 1] = old[i + 1] - old[i];
    }
    for (int i = 0; i < count; i++)
        start[i + 1] += start[i];
    for (int i = 0; i < count; i++) {
        const int length = old[i + 1] - old[i];
        int *own = reach + start[index != NULL ? index[i] : i];
        for (int r = 0; r < length; r++)
            own[r] = new_number[from->reach[old[i] + r]];
        qsort(own, (size_t)length, sizeof *own, compare_numbers);
    }
    *to = (cd_unit_order){unit, start, reach, from->leaves};
    return true;
}

/* Copies the order that was found into the arena; a reach gets indices in place of units. */
static bool store_order(cd_arena *arena, elimination *e, int *units, int *start,
                        cd_unit_order *order)
{
    const int count = e->graph->count;
    cd_unit_order found = {units, start, e->reach.at, 0};
    for (int i = 0; i < count; i++)
        e->mark[units[i]] = i;
    for (int u = e->graph->bodies; u < count; u++)
        found.leaves += e->leaf[u] >= 0 && e->graph->size[u] > FORCES;
    return cd_unit_order_permute(arena, count, &found, NULL, e->mark, order);
}

/* Lets held units be eliminated. */
static void release_held(elimination *e)
{
    e->held_released = true;
    for (int u = 0; u < e->graph->count; u++)
        if (e->held[u] && e->waits[u] == 0)
            push_candidate(e, u);
}

/* The next unit that can be eliminated, or -1. */
static int next_unit(elimination *e)
{
    for (;;) {
        if (e->heap_count == 0 && !e->held_released)
            release_held(e);
        if (e->heap_count == 0)
            return -1;
        const candidate best = pop_candidate(e);
        if (!e->eliminated[best.unit] && best.degree == e->degree[best.unit])
            return best.unit;
    }
}

bool cd_unit_order_find(cd_arena *arena, const cd_unit_graph *graph, const bool *held,
                        cd_unit_order *order)
{
    elimination e = {0};
    cd_arena_init(&e.scratch, &arena->allocator);
    int *units = cd_arena_take(&e.scratch, (size_t)graph->count * sizeof *units);
    int *start = cd_arena_take(&e.scratch, ((size_t)graph->count + 1) * sizeof *start);
    int done = 0;
    if (start_elimination(&e, graph, held))
        for (int unit = next_unit(&e); unit >= 0 && !e.scratch.failed; unit = next_unit(&e)) {
            eliminate_unit(&e, unit);
            units[done++] = unit;
            start[done] = e.reach.count;
        }
    const bool good =
        !e.scratch.failed && done == graph->count && store_order(arena, &e, units, start, order);
    arena->failed = arena->failed || e.scratch.failed;
    cd_arena_destroy(&e.scratch);
    return good;
}

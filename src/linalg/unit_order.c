/* Minimum degree on the elimination graph, whose edges are kept as lists: units are few and their
 * neighbours fewer. */
#include "unit_order.h"

#include "base/numeric.h"
#include "unit_leaves.h"

#include <stdlib.h>

/* Neighbours of a unit; eliminated ones are dropped now and then. */
typedef struct list {
    int *at;
    int count, capacity;
} list;

enum { FORCES = 3 }; /* unknowns of a joint that transmits no moments, at most */

typedef struct candidate {
    int degree, unit;
} candidate;

typedef struct elimination {
    cd_arena scratch;
    const cd_unit_graph *graph;
    bool *held;  /* units that are not taken yet */
    bool let_go; /* they are now */
    list *neighbours;
    int *degree; /* unknowns of the neighbours that are left */
    int *waits;  /* bodies that a joint waits for */
    int *leaf;   /* the body that a joint waits for alone, or -1 */
    bool *gone;
    int *mark; /* the unit whose neighbours were marked last */
    candidate *heap;
    int heap_count, heap_capacity;
    list reach; /* of all units so far */
    int *found; /* the reach of one */
} elimination;

/* Room for one more. */
static bool grow(cd_arena *arena, list *l)
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

static void append(cd_arena *arena, list *l, int number)
{
    if (grow(arena, l))
        l->at[l->count++] = number;
}

static bool before(candidate a, candidate b)
{
    return a.degree != b.degree ? a.degree < b.degree : a.unit < b.unit;
}

static bool is_held(const elimination *e, int unit)
{
    return e->held[unit] && !e->let_go;
}

static void push(elimination *e, int unit)
{
    if (is_held(e, unit))
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
    for (; at > 0 && before(new, e->heap[(at - 1) / 2]); at = (at - 1) / 2)
        e->heap[at] = e->heap[(at - 1) / 2];
    e->heap[at] = new;
}

static candidate pop(elimination *e)
{
    const candidate first = e->heap[0], last = e->heap[--e->heap_count];
    int at = 0;
    for (int child = 1; child < e->heap_count; child = 2 * at + 1) {
        if (child + 1 < e->heap_count && before(e->heap[child + 1], e->heap[child]))
            child++;
        if (!before(e->heap[child], last))
            break;
        e->heap[at] = e->heap[child];
        at = child;
    }
    if (e->heap_count > 0)
        e->heap[at] = last;
    return first;
}

static bool is_body(const elimination *e, int unit)
{
    return unit < e->graph->bodies;
}

static void count_waits(elimination *e)
{
    const cd_unit_graph *g = e->graph;
    for (int j = g->bodies; j < g->count; j++) {
        for (int i = g->start[j]; i < g->start[j + 1]; i++)
            e->waits[j] += is_body(e, g->neighbour[i]);
        if (e->leaf[j] >= 0)
            e->waits[j] = 1;
    }
}

/* Who has to wait for whom: joints for bodies, those that close loops for all that they are aside
 * of. */
static bool arrange(elimination *e, const bool *held)
{
    const cd_unit_graph *g = e->graph;
    cd_unit_leaves leaves;
    if (!cd_unit_leaves_find(&e->scratch, g, held, &leaves))
        return false;
    e->leaf = leaves.leaf;
    e->held = leaves.aside;
    for (int u = 0; held != NULL && u < g->count; u++)
        e->held[u] = e->held[u] || held[u];
    count_waits(e);
    return true;
}

static bool prepare(elimination *e, const cd_unit_graph *g, const bool *held)
{
    const size_t count = (size_t)g->count;
    e->graph = g;
    e->neighbours = cd_arena_take(&e->scratch, count * sizeof *e->neighbours);
    e->degree = cd_arena_take(&e->scratch, count * sizeof *e->degree);
    e->waits = cd_arena_take(&e->scratch, count * sizeof *e->waits);
    e->gone = cd_arena_take(&e->scratch, count * sizeof *e->gone);
    e->mark = cd_arena_take(&e->scratch, count * sizeof *e->mark);
    e->found = cd_arena_take(&e->scratch, count * sizeof *e->found);
    int *copy = cd_arena_take(&e->scratch, (size_t)g->start[g->count] * sizeof *copy);
    if (e->scratch.failed || !arrange(e, held))
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
            push(e, u);
    return !e->scratch.failed;
}

/* The neighbours of a unit that are left; the list keeps only them. */
static int drop_gone(elimination *e, int unit)
{
    list *l = &e->neighbours[unit];
    int kept = 0;
    for (int i = 0; i < l->count; i++)
        if (!e->gone[l->at[i]])
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

/* Connects a unit with all of `others`. Of a unit with very many neighbours these are not looked
 * at: the shorter lists of the others say the same. */
static void connect(elimination *e, int unit, int count, const int *others)
{
    const int many = 8 * count + 32;
    const bool hub = e->neighbours[unit].count > many && drop_gone(e, unit) > many;
    for (int i = 0; !hub && i < e->neighbours[unit].count; i++)
        e->mark[e->neighbours[unit].at[i]] = unit;
    for (int i = 0; i < count; i++) {
        const int other = others[i];
        if (other == unit || (hub ? contains(&e->neighbours[other], unit) : e->mark[other] == unit))
            continue;
        append(&e->scratch, &e->neighbours[unit], other);
        e->degree[unit] += e->graph->size[other];
    }
    for (int i = 0; !hub && i < e->neighbours[unit].count; i++)
        e->mark[e->neighbours[unit].at[i]] = -1;
}

/* Joints that waited for a body wait no longer. */
static void release_joints(elimination *e, int body)
{
    const cd_unit_graph *g = e->graph;
    for (int i = g->start[body]; i < g->start[body + 1]; i++) {
        const int joint = g->neighbour[i];
        if (!is_body(e, joint) && !e->gone[joint] && e->waits[joint] > 0 &&
            (e->leaf[joint] < 0 || e->leaf[joint] == body))
            e->waits[joint]--;
    }
}

static void eliminate(elimination *e, int unit)
{
    const int count = drop_gone(e, unit);
    if (count > 0)
        memcpy(e->found, e->neighbours[unit].at, (size_t)count * sizeof *e->found);
    e->gone[unit] = true;
    for (int i = 0; i < count; i++)
        append(&e->scratch, &e->reach, e->found[i]);
    for (int i = 0; i < count; i++)
        connect(e, e->found[i], count, e->found);
    if (is_body(e, unit))
        release_joints(e, unit);
    for (int i = 0; i < count; i++) {
        const int other = e->found[i];
        e->degree[other] -= e->graph->size[unit];
        if (e->waits[other] == 0)
            push(e, other);
    }
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Copies what was found into the arena, units by their places. */
static bool keep(cd_arena *arena, elimination *e, const int *units, const int *start,
                 cd_unit_order *order)
{
    const int count = e->graph->count;
    int *unit = cd_arena_take(arena, (size_t)count * sizeof *unit);
    int *reach_start = cd_arena_take(arena, ((size_t)count + 1) * sizeof *reach_start);
    int *reach = cd_arena_take(arena, (size_t)e->reach.count * sizeof *reach);
    int *place = e->mark;
    if (arena->failed)
        return false;
    for (int i = 0; i < count; i++)
        place[units[i]] = i;
    for (int i = 0; i < e->reach.count; i++)
        reach[i] = place[e->reach.at[i]];
    for (int i = 0; i < count; i++) {
        unit[i] = units[i];
        reach_start[i + 1] = start[i + 1];
        qsort(reach + start[i], (size_t)(start[i + 1] - start[i]), sizeof *reach, ascending);
    }
    *order = (cd_unit_order){unit, reach_start, reach, 0};
    for (int u = e->graph->bodies; u < count; u++)
        order->leaves += e->leaf[u] >= 0 && e->graph->size[u] > FORCES;
    return true;
}

/* Units that were held are taken now. */
static void let_go(elimination *e)
{
    e->let_go = true;
    for (int u = 0; u < e->graph->count; u++)
        if (e->held[u] && e->waits[u] == 0)
            push(e, u);
}

/* The next unit that can be eliminated, or -1. */
static int next_unit(elimination *e)
{
    for (;;) {
        if (e->heap_count == 0 && !e->let_go)
            let_go(e);
        if (e->heap_count == 0)
            return -1;
        const candidate best = pop(e);
        if (!e->gone[best.unit] && best.degree == e->degree[best.unit])
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
    if (prepare(&e, graph, held))
        for (int unit = next_unit(&e); unit >= 0 && !e.scratch.failed; unit = next_unit(&e)) {
            eliminate(&e, unit);
            units[done++] = unit;
            start[done] = e.reach.count;
        }
    const bool good =
        !e.scratch.failed && done == graph->count && keep(arena, &e, units, start, order);
    arena->failed = arena->failed || e.scratch.failed;
    cd_arena_destroy(&e.scratch);
    return good;
}

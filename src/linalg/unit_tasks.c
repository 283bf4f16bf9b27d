/* From the roots down the heaviest subtree is opened, one after the other: its root joins the rest,
 * its children become tasks. The best of these states for two threads is taken.
 *
 * If that gains nothing, the tree is a path. Its units are eliminated from one end to the other;
 * the reach of a unit in the middle separates those before it from all others. Held back, it leaves
 * two halves, which may differ in cost: a chain costs more from the ground to the middle than from
 * its free end. Nor has it as many digits: there the mobility of n bodies is a difference of
 * numbers that are n times larger, with joints that transmit moments n^3 times, while from the free
 * end inertias are added up. So nothing is divided where such joints have their leaves. */
#include "unit_tasks.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of a factorization below which nothing is gained, and that a task has at least, of all */
static const double least_weight = 3e3, least_share = 1.0 / 256.0;
static const double smallest_task = 1.0 / 32.0; /* is not opened any more */
static const double least_gain = 0.8;           /* of the time of one thread is accepted */
static const double least_divided = 1e5;        /* numbers of paths that are worth dividing */
enum { MOST_TASKS = 1024, NEIGHBOURHOOD = 8 };

typedef struct tree {
    cd_arena *scratch;
    const cd_unit_graph *graph;
    const cd_unit_order *order;
    int *parent;           /* -1: a root */
    int *child, *sibling;  /* the last child and the one before it; -1: none */
    double *own, *subtree; /* numbers of a unit, and of all below it */
    int *task;             /* of a unit; -1: the rest */
} tree;

/* The tasks at some moment. */
typedef struct state {
    int count, tops[MOST_TASKS];
    double rest, total;
} state;

static bool plant(tree *t)
{
    const cd_unit_order *order = t->order;
    const int count = t->graph->count;
    const size_t units = (size_t)count;
    t->parent = cd_arena_take(t->scratch, units * sizeof *t->parent);
    t->child = cd_arena_take(t->scratch, units * sizeof *t->child);
    t->sibling = cd_arena_take(t->scratch, units * sizeof *t->sibling);
    t->task = cd_arena_take(t->scratch, units * sizeof *t->task);
    t->own = cd_arena_doubles(t->scratch, count);
    t->subtree = cd_arena_doubles(t->scratch, count);
    if (t->scratch->failed)
        return false;
    for (int i = 0; i < count; i++)
        t->child[i] = -1;
    for (int i = 0; i < count; i++) {
        const double n = t->graph->size[order->unit[i]];
        double m = 0.0;
        for (int r = order->reach_start[i]; r < order->reach_start[i + 1]; r++)
            m += t->graph->size[order->unit[order->reach[r]]];
        t->own[i] = n * (n + 2.0 * m);
        t->subtree[i] += t->own[i];
        t->sibling[i] = -1;
        const bool ends = order->reach_start[i + 1] == order->reach_start[i];
        t->parent[i] = ends ? -1 : order->reach[order->reach_start[i]];
        if (t->parent[i] < 0)
            continue;
        t->subtree[t->parent[i]] += t->subtree[i];
        t->sibling[i] = t->child[t->parent[i]];
        t->child[t->parent[i]] = i;
    }
    return true;
}

/* Numbers of all units. */
static double total_of(const tree *t)
{
    double total = 0.0;
    for (int i = 0; i < t->graph->count; i++)
        total += t->own[i];
    return total;
}

/* A subtree becomes a task, or joins the rest if it is too small. */
static void add_top(const tree *t, state *s, int top)
{
    if (t->subtree[top] >= least_share * s->total && s->count < MOST_TASKS)
        s->tops[s->count++] = top;
    else
        s->rest += t->subtree[top];
}

static state begin(const tree *t)
{
    state s = {.total = total_of(t)};
    for (int i = 0; i < t->graph->count; i++)
        if (t->parent[i] < 0)
            add_top(t, &s, i);
    return s;
}

static int heaviest(const tree *t, const state *s)
{
    int best = 0;
    for (int i = 1; i < s->count; i++)
        if (t->subtree[s->tops[i]] > t->subtree[s->tops[best]])
            best = i;
    return best;
}

static void open_top(const tree *t, state *s, int number)
{
    const int top = s->tops[number];
    s->tops[number] = s->tops[--s->count];
    s->rest += t->own[top];
    for (int c = t->child[top]; c >= 0; c = t->sibling[c])
        add_top(t, s, c);
}

/* The time of two threads at this moment. */
static double time_of(const tree *t, const state *s)
{
    const double half = 0.5 * (s->total - s->rest);
    const double largest = s->count > 0 ? t->subtree[s->tops[heaviest(t, s)]] : 0.0;
    return s->rest + (largest > half ? largest : half);
}

static bool can_open(const tree *t, const state *s)
{
    return s->count > 0 && s->count < MOST_TASKS &&
           t->subtree[s->tops[heaviest(t, s)]] > smallest_task * s->total;
}

/* How often the heaviest has to be opened; -1: it does not pay. */
static int best_moment(const tree *t, double *time)
{
    state s = begin(t);
    double best = least_gain * s.total;
    int moment = -1;
    *time = s.total;
    for (int opened = 0; s.total >= least_weight; opened++) {
        if (time_of(t, &s) < best) {
            best = *time = time_of(t, &s);
            moment = opened;
        }
        if (!can_open(t, &s))
            break;
        open_top(t, &s, heaviest(t, &s));
    }
    return moment;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Gives the units their tasks; returns how many there are. */
static int choose(tree *t)
{
    const int count = t->graph->count;
    double time;
    const int moment = best_moment(t, &time);
    state s = begin(t);
    for (int i = 0; i < count; i++)
        t->task[i] = -1;
    if (moment < 0)
        return 0;
    for (int opened = 0; opened < moment; opened++)
        open_top(t, &s, heaviest(t, &s));
    qsort(s.tops, (size_t)s.count, sizeof *s.tops, ascending);
    for (int i = 0; i < s.count; i++)
        t->task[s.tops[i]] = i;
    for (int i = count - 1; i >= 0; i--)
        if (t->task[i] < 0 && t->parent[i] >= 0)
            t->task[i] = t->task[t->parent[i]];
    return s.count;
}

/* place[i]: where unit i of the order comes now. */
static void place_units(const tree *t, cd_unit_tasks *tasks, int *place)
{
    const int count = t->graph->count;
    int next = 0;
    for (int task = 0; task < tasks->count; task++)
        tasks->task[task] = (cd_span){0, 0};
    for (int i = 0; i < count; i++)
        if (t->task[i] >= 0)
            tasks->task[t->task[i]].end++; /* counts */
    for (int task = 0; task < tasks->count; task++) {
        const int units = tasks->task[task].end;
        tasks->task[task] = (cd_span){next, next};
        next += units;
    }
    tasks->rest = (cd_span){next, count};
    for (int i = 0; i < count; i++)
        place[i] = t->task[i] >= 0 ? tasks->task[t->task[i]].end++ : next++;
}

/* The order with the new places. */
static bool reorder(const tree *t, const int *place, cd_arena *arena, cd_unit_order *out)
{
    const cd_unit_order *order = t->order;
    const size_t count = (size_t)t->graph->count;
    const int *old_start = order->reach_start;
    int *unit = cd_arena_take(arena, count * sizeof *unit);
    int *start = cd_arena_take(arena, (count + 1) * sizeof *start);
    int *reach = cd_arena_take(arena, (size_t)old_start[count] * sizeof *reach);
    if (arena->failed)
        return false;
    for (size_t i = 0; i < count; i++) {
        unit[place[i]] = order->unit[i];
        start[place[i] + 1] = old_start[i + 1] - old_start[i];
    }
    for (size_t i = 0; i < count; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < count; i++) {
        int *own = reach + start[place[i]];
        const int length = old_start[i + 1] - old_start[i];
        for (int r = 0; r < length; r++)
            own[r] = place[order->reach[old_start[i] + r]];
        qsort(own, (size_t)length, sizeof *own, ascending);
    }
    *out = (cd_unit_order){unit, start, reach, order->leaves};
    return true;
}

static bool keep(tree *t, cd_arena *arena, cd_unit_order *order, cd_unit_tasks *tasks)
{
    int *place = cd_arena_take(t->scratch, (size_t)t->graph->count * sizeof *place);
    if (place == NULL)
        return false;
    tasks->count = choose(t);
    tasks->task = cd_arena_take(arena, (size_t)tasks->count * sizeof *tasks->task);
    if (tasks->task == NULL)
        return false;
    place_units(t, tasks, place);
    return reorder(t, place, arena, order);
}

/* ---- paths ---- */

/* The time of two threads. */
static double best_time(const tree *t)
{
    double time;
    best_moment(t, &time);
    return time;
}

static int heaviest_child(const tree *t, int unit)
{
    int best = t->child[unit];
    for (int c = best; c >= 0; c = t->sibling[c])
        if (t->subtree[c] > t->subtree[best])
            best = c;
    return best;
}

/* Unknowns in the reach of a unit, and whether these belong to joints only, which come after their
 * bodies anyway. */
static double width_of(const tree *t, int unit)
{
    const cd_unit_order *order = t->order;
    double width = 0.0;
    for (int r = order->reach_start[unit]; r < order->reach_start[unit + 1]; r++) {
        const int other = order->unit[order->reach[r]];
        width += t->graph->size[other] + (other < t->graph->bodies ? 1e3 : 0.0);
    }
    return width;
}

/* The unit of the heaviest path whose reach is to be held back: `share` of all is below it,
 * or nearly so. -1: there is none. */
static int find_middle(const tree *t, double share)
{
    const state s = begin(t);
    if (s.count == 0)
        return -1;
    int unit = s.tops[heaviest(t, &s)], best;
    while (unit >= 0 && t->subtree[unit] > share * s.total)
        unit = heaviest_child(t, unit);
    best = unit;
    for (int i = 0; unit >= 0 && i < NEIGHBOURHOOD; i++, unit = heaviest_child(t, unit))
        if (width_of(t, unit) < width_of(t, best))
            best = unit;
    return best;
}

/* Marks the units to hold back; false: there is nothing to divide. */
static bool hold_back(const tree *t, double share, bool *held)
{
    double time;
    const int middle = best_moment(t, &time) < 0 ? find_middle(t, share) : -1;
    memset(held, 0, (size_t)t->graph->count * sizeof *held);
    if (middle < 0)
        return false;
    for (int r = t->order->reach_start[middle]; r < t->order->reach_start[middle + 1]; r++)
        held[t->order->unit[t->order->reach[r]]] = true;
    return true;
}

/* What of the numbers should be before the middle, if `t` was divided at `share`. */
static double better_share(const tree *t, double whole, double share)
{
    const double other = (total_of(t) - share * whole) / ((1.0 - share) * whole);
    return other > 0.0 ? other / (1.0 + other) : share;
}

/* Divides paths: `divided` becomes the tree of another order if that is faster. */
static bool divide(const tree *t, cd_unit_order *order, tree *divided)
{
    const double whole = total_of(t);
    double share = 0.5;
    bool *held = cd_arena_take(t->scratch, (size_t)t->graph->count * sizeof *held);
    for (int attempt = 0; attempt < 2; attempt++) {
        *divided = (tree){.scratch = t->scratch, .graph = t->graph, .order = order};
        if (held == NULL || !hold_back(t, share, held) ||
            !cd_unit_order_find(t->scratch, t->graph, held, order) || !plant(divided))
            return false;
        share = better_share(divided, whole, share);
    }
    return best_time(divided) < least_gain * whole;
}

/* An order whose tree is `t`, from which all tasks are taken. */
static bool find_order(tree *t, const bool *held, cd_unit_order *order)
{
    t->order = order;
    return cd_unit_order_find(t->scratch, t->graph, held, order) && plant(t);
}

bool cd_unit_tasks_find(cd_arena *arena, const cd_unit_graph *graph, cd_unit_order *order,
                        cd_unit_tasks *tasks)
{
    cd_arena scratch;
    cd_unit_order found, other;
    tree t = {.scratch = &scratch, .graph = graph}, divided;
    bool good = false;
    cd_arena_init(&scratch, &arena->allocator);
    *tasks = (cd_unit_tasks){0};
    if (find_order(&t, NULL, &found)) {
        const double total = total_of(&t);
        const bool path =
            found.leaves == 0 && total >= least_divided && best_time(&t) > least_gain * total;
        const bool better = path && divide(&t, &other, &divided);
        good = keep(better ? &divided : &t, arena, order, tasks);
    }
    if (scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&scratch);
    return good;
}

/* A subtree becomes a task if its cost is at most some share of the whole and that of its parent is
 * not. Of several shares the best for two threads is taken.
 *
 * If that gains nothing, the tree is a path. Its units are eliminated from one end to the other;
 * the reach of a unit in the middle separates those before it from all others. Held back, it leaves
 * two halves, which may differ in cost: a chain costs more from the ground to the middle than from
 * its free end. Nor has it as many digits: there the mobility of n bodies is a difference of
 * numbers that are n times larger, with joints that transmit moments n^3 times, while from the free
 * end inertias are added up. So nothing is divided where such joints have their leaves. */
#include "unit_tasks.h"

#include <math.h>

/* Numbers of a factorization below which nothing is gained, and that a task has at least, of all */
static const double least_weight = 3e3, least_share = 1.0 / 256.0;
static const double smallest_share = 1.0 / 32.0; /* that is tried */
static const double least_gain = 0.8;            /* of the time of one thread is accepted */
static const double least_divided = 1e5;         /* numbers of paths that are worth dividing */
enum { NEIGHBOURHOOD = 8 };

typedef struct tree {
    cd_arena *scratch;
    const cd_unit_graph *graph;
    const cd_unit_order *order;
    int *parent;           /* -1: a root */
    int *heaviest;         /* of the children; -1: none */
    double *own, *subtree; /* numbers of a unit, and of all below it */
    double total;          /* of all units */
    int *task;             /* of a unit; -1: the rest */
} tree;

static bool plant(tree *t)
{
    const cd_unit_order *order = t->order;
    const int count = t->graph->count;
    const size_t units = (size_t)count;
    t->parent = cd_arena_take(t->scratch, units * sizeof *t->parent);
    t->heaviest = cd_arena_take(t->scratch, units * sizeof *t->heaviest);
    t->task = cd_arena_take(t->scratch, units * sizeof *t->task);
    t->own = cd_arena_doubles(t->scratch, count);
    t->subtree = cd_arena_doubles(t->scratch, count);
    if (t->scratch->failed)
        return false;
    t->total = 0.0;
    for (int i = 0; i < count; i++)
        t->heaviest[i] = -1;
    for (int i = 0; i < count; i++) {
        const double n = t->graph->size[order->unit[i]];
        double m = 0.0;
        for (int r = order->reach_start[i]; r < order->reach_start[i + 1]; r++)
            m += t->graph->size[order->unit[order->reach[r]]];
        t->own[i] = n * (n + 2.0 * m);
        t->subtree[i] += t->own[i];
        t->total += t->own[i];
        const bool ends = order->reach_start[i + 1] == order->reach_start[i];
        t->parent[i] = ends ? -1 : order->reach[order->reach_start[i]];
        if (t->parent[i] < 0)
            continue;
        int *heaviest = &t->heaviest[t->parent[i]];
        t->subtree[t->parent[i]] += t->subtree[i];
        if (*heaviest < 0 || t->subtree[i] >= t->subtree[*heaviest])
            *heaviest = i;
    }
    return true;
}

/* Is the subtree of a unit a task? */
static bool is_task(const tree *t, int unit, double share)
{
    const int parent = t->parent[unit];
    return t->subtree[unit] <= share * t->total && t->subtree[unit] >= least_share * t->total &&
           (parent < 0 || t->subtree[parent] > share * t->total);
}

/* The time of two threads. */
static double time_of(const tree *t, double share)
{
    double inside = 0.0, largest = 0.0;
    for (int i = 0; i < t->graph->count; i++)
        if (is_task(t, i, share)) {
            inside += t->subtree[i];
            largest = t->subtree[i] > largest ? t->subtree[i] : largest;
        }
    return t->total - inside + (largest > 0.5 * inside ? largest : 0.5 * inside);
}

/* The best share, 0 if one thread is better, and the time with it. */
static double best_share(const tree *t, double *time)
{
    double best = 0.0;
    *time = t->total;
    for (double share = 0.5; t->total >= least_weight && share >= smallest_share; share *= 0.7)
        if (time_of(t, share) < fmin(*time, least_gain * t->total)) {
            *time = time_of(t, share);
            best = share;
        }
    return best;
}

/* Gives the units their tasks; returns how many there are. */
static int choose(tree *t)
{
    double time;
    const double share = best_share(t, &time);
    int count = 0;
    for (int i = 0; i < t->graph->count; i++)
        t->task[i] = is_task(t, i, share) ? count++ : -1;
    for (int i = t->graph->count - 1; i >= 0; i--)
        if (t->task[i] < 0 && t->parent[i] >= 0)
            t->task[i] = t->task[t->parent[i]];
    return count;
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
    return cd_unit_order_copy(arena, t->graph->count, t->order, place, place, order);
}

/* ---- paths ---- */

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
    int unit = -1, best;
    for (int i = 0; i < t->graph->count; i++)
        if (t->parent[i] < 0 && (unit < 0 || t->subtree[i] > t->subtree[unit]))
            unit = i;
    while (unit >= 0 && t->subtree[unit] > share * t->total)
        unit = t->heaviest[unit];
    best = unit;
    for (int i = 0; unit >= 0 && i < NEIGHBOURHOOD; i++, unit = t->heaviest[unit])
        if (width_of(t, unit) < width_of(t, best))
            best = unit;
    return best;
}

/* An order whose tree is `t`, from which all tasks are taken. */
static bool find_order(tree *t, const bool *held, cd_unit_order *order)
{
    t->order = order;
    return cd_unit_order_find(t->scratch, t->graph, held, order) && plant(t);
}

/* Divides a path: `divided` becomes the tree of another order if that is faster. */
static bool divide(const tree *t, cd_unit_order *order, tree *divided)
{
    double share = 0.5, time;
    for (int attempt = 0; attempt < 2; attempt++) {
        const int middle = find_middle(t, share);
        bool *held = cd_arena_take(t->scratch, (size_t)t->graph->count * sizeof *held);
        if (held == NULL || middle < 0)
            return false;
        for (int r = t->order->reach_start[middle]; r < t->order->reach_start[middle + 1]; r++)
            held[t->order->unit[t->order->reach[r]]] = true;
        *divided = (tree){.scratch = t->scratch, .graph = t->graph};
        if (!find_order(divided, held, order))
            return false;
        /* the second part may cost more or less than in the order of `t` */
        const double other = (divided->total - share * t->total) / ((1.0 - share) * t->total);
        share = other > 0.0 ? other / (1.0 + other) : share;
    }
    best_share(divided, &time);
    return time < least_gain * t->total;
}

bool cd_unit_tasks_find(cd_arena *arena, const cd_unit_graph *graph, cd_unit_order *order,
                        cd_unit_tasks *tasks)
{
    cd_arena scratch;
    cd_unit_order found, other;
    tree t = {.scratch = &scratch, .graph = graph}, divided;
    bool good = false;
    double time;
    cd_arena_init(&scratch, &arena->allocator);
    *tasks = (cd_unit_tasks){0};
    if (find_order(&t, NULL, &found)) {
        const bool path =
            found.leaves == 0 && t.total >= least_divided && best_share(&t, &time) == 0.0;
        const bool better = path && divide(&t, &other, &divided);
        good = keep(better ? &divided : &t, arena, order, tasks);
    }
    if (scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&scratch);
    return good;
}

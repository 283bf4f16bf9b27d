/* A subtree becomes a task if its cost is at most some share of the total cost and that of its
 * parent's subtree is not. Of several shares the best for two threads is taken.
 *
 * If that gains nothing, the tree is a path, whose units are eliminated from one end to the other.
 * The reach of a unit in the middle separates the units before it from those behind it. If it is
 * held back, two halves are left, which may differ in cost: a chain costs more from the ground to
 * the middle than from its free end. It also loses digits there: the mobility of n bodies is a
 * difference of numbers that are n times larger (n^3 times with joints that transmit moments),
 * while from the free end inertias are added up. A path of such joints is not divided. */
#include "unit_tasks.h"

#include <math.h>

static const double least_total = 3e3;           /* numbers of a matrix worth having tasks */
static const double least_share = 1.0 / 256.0;   /* of all numbers, at least in a task */
static const double smallest_share = 1.0 / 32.0; /* that is tried */
static const double time_worth = 0.8;            /* at most this share of one thread's time */
static const double least_divided = 1e5;         /* numbers of a path worth dividing */
enum { NEIGHBOURHOOD = 8 };                      /* units among which a middle is chosen */

/* The forest of an order of elimination, and the tasks chosen in it. */
typedef struct tree {
    cd_arena *scratch;
    const cd_unit_graph *graph;
    const cd_unit_order *order;
    int *parent;     /* of each unit; -1: it is a root */
    int *heaviest;   /* of each unit: the child with the largest subtree; -1: it is a leaf */
    double *own;     /* of each unit: numbers it has in the factors */
    double *subtree; /* numbers of all units in its subtree */
    double total;    /* numbers of all units */
    int *task;       /* of each unit; -1: the rest */
} tree;

/* Makes the forest of t->order, with the cost of all subtrees. */
static bool make_tree(tree *t)
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

/* Is the subtree of a unit a task, with this share? */
static bool is_task(const tree *t, int unit, double share)
{
    const int parent = t->parent[unit];
    return t->subtree[unit] <= share * t->total && t->subtree[unit] >= least_share * t->total &&
           (parent < 0 || t->subtree[parent] > share * t->total);
}

/* The time that two threads take, in numbers of the factors. */
static double time_of_two_threads(const tree *t, double share)
{
    double in_tasks = 0.0, largest = 0.0;
    for (int i = 0; i < t->graph->count; i++)
        if (is_task(t, i, share)) {
            in_tasks += t->subtree[i];
            largest = t->subtree[i] > largest ? t->subtree[i] : largest;
        }
    return t->total - in_tasks + (largest > 0.5 * in_tasks ? largest : 0.5 * in_tasks);
}

/* Returns the best share, or 0 if one thread is better; `time`: that of two threads with it. */
static double find_best_share(const tree *t, double *time)
{
    double best = 0.0;
    *time = t->total;
    for (double share = 0.5; t->total >= least_total && share >= smallest_share; share *= 0.7)
        if (time_of_two_threads(t, share) < fmin(*time, time_worth * t->total)) {
            *time = time_of_two_threads(t, share);
            best = share;
        }
    return best;
}

/* Gives the units their tasks; returns how many tasks there are. */
static int assign_tasks(tree *t)
{
    double time;
    const double share = find_best_share(t, &time);
    int count = 0;
    for (int i = 0; i < t->graph->count; i++)
        t->task[i] = is_task(t, i, share) ? count++ : -1;
    for (int i = t->graph->count - 1; i >= 0; i--)
        if (t->task[i] < 0 && t->parent[i] >= 0)
            t->task[i] = t->task[t->parent[i]];
    return count;
}

/* Sorts the units by task, the rest last. index[i]: the new index of unit i of the order. */
static void order_by_task(const tree *t, cd_unit_tasks *tasks, int *index)
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
        index[i] = t->task[i] >= 0 ? tasks->task[t->task[i]].end++ : next++;
}

/* Chooses the tasks of a forest, and stores them and the order sorted by task. */
static bool store_tasks(tree *t, cd_arena *arena, cd_unit_order *order, cd_unit_tasks *tasks)
{
    int *index = cd_arena_take(t->scratch, (size_t)t->graph->count * sizeof *index);
    if (index == NULL)
        return false;
    tasks->count = assign_tasks(t);
    tasks->task = cd_arena_take(arena, (size_t)tasks->count * sizeof *tasks->task);
    if (tasks->task == NULL)
        return false;
    order_by_task(t, tasks, index);
    return cd_unit_order_permute(arena, t->graph->count, t->order, index, index, order);
}

/* ---- paths ---- */

/* How bad a separator the reach of a unit is: its unknowns, and much more if it has bodies. (Joints
 * come after their bodies anyway.) */
static double separator_width(const tree *t, int unit)
{
    const cd_unit_order *order = t->order;
    double width = 0.0;
    for (int r = order->reach_start[unit]; r < order->reach_start[unit + 1]; r++) {
        const int other = order->unit[order->reach[r]];
        width += t->graph->size[other] + (other < t->graph->bodies ? 1e3 : 0.0);
    }
    return width;
}

/* The unit on the heaviest path whose reach is to be held back: about `share` of all numbers are
 * below it. -1: there is none. */
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
        if (separator_width(t, unit) < separator_width(t, best))
            best = unit;
    return best;
}

/* Finds an order, in which `held` units come last, and its forest. */
static bool find_order(tree *t, const bool *held, cd_unit_order *order)
{
    t->order = order;
    return cd_unit_order_find(t->scratch, t->graph, held, order) && make_tree(t);
}

/* Divides a path: finds another order and its tree `divided`. True if that is faster. */
static bool divide_path(const tree *t, cd_unit_order *order, tree *divided)
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
        /* the second half may cost more or less than in the order of `t` */
        const double other = (divided->total - share * t->total) / ((1.0 - share) * t->total);
        share = other > 0.0 ? other / (1.0 + other) : share;
    }
    find_best_share(divided, &time);
    return time < time_worth * t->total;
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
            found.leaves == 0 && t.total >= least_divided && find_best_share(&t, &time) == 0.0;
        const bool better = path && divide_path(&t, &other, &divided);
        good = store_tasks(better ? &divided : &t, arena, order, tasks);
    }
    if (scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&scratch);
    return good;
}

/* See unit_pairs.h. The trees are those of unit_leaves.h: every joint has its leaf, the body that
 * it holds, and stands on one other body or on the ground. */
#include "unit_pairs.h"

#include "unit_leaves.h"

#include <math.h>

/* Numbers of factors below which nothing is gained, and what of the time of one thread is accepted
 */
static const double least_divided = 1e5, least_gain = 0.8;

typedef struct forest {
    const cd_unit_graph *graph;
    cd_unit_leaves leaves;
    int *holder;     /* of a body: the joint; -1: none */
    int *parent;     /* the other body of that joint; -1: the ground */
    int *heavy;      /* the child with the largest subtree; -1: none */
    bool *sound;     /* its joint has no further bodies */
    double *subtree; /* numbers of its factors and of those of all bodies that it carries */
} forest;

static double size_of(const forest *f, int unit)
{
    return unit >= 0 ? f->graph->size[unit] : 0.0;
}

/* Numbers of the factors: body and joint one after the other, from the free end, */
static double apart(const forest *f, int body)
{
    const double n = size_of(f, body), m = size_of(f, f->holder[body]);
    return n * (n + 2.0 * m) + m * (m + 2.0 * size_of(f, f->parent[body]));
}

/* or together, from the ground: a number takes somewhat longer there. */
static double together(const forest *f, int body)
{
    const double m = size_of(f, f->holder[body]), n = size_of(f, body) + m, longer = 1.15;
    return longer * n * (n + 2.0 * m);
}

/* The other body of a joint. */
static void find_parent(forest *f, int joint)
{
    const cd_unit_graph *g = f->graph;
    const int body = f->leaves.leaf[joint];
    f->holder[body] = joint;
    f->sound[body] = true;
    for (int i = g->start[joint]; i < g->start[joint + 1]; i++) {
        const int other = g->neighbour[i];
        if (other >= g->bodies || other == body)
            continue;
        f->sound[body] = f->parent[body] < 0;
        f->parent[body] = other;
    }
}

/* Leaves come before what they stand on. */
static void add_up(forest *f)
{
    for (int i = 0; i < f->leaves.count; i++)
        find_parent(f, f->leaves.joint[i]);
    for (int i = 0; i < f->leaves.count; i++) {
        const int body = f->leaves.leaf[f->leaves.joint[i]], to = f->parent[body];
        f->subtree[body] += apart(f, body);
        if (to < 0)
            continue;
        f->subtree[to] += f->subtree[body];
        if (f->heavy[to] < 0 || f->subtree[f->heavy[to]] < f->subtree[body])
            f->heavy[to] = body;
    }
}

static bool plant(forest *f, cd_arena *scratch)
{
    const int bodies = f->graph->bodies;
    const size_t count = (size_t)bodies;
    f->holder = cd_arena_take(scratch, count * sizeof *f->holder);
    f->parent = cd_arena_take(scratch, count * sizeof *f->parent);
    f->heavy = cd_arena_take(scratch, count * sizeof *f->heavy);
    f->sound = cd_arena_take(scratch, count * sizeof *f->sound);
    f->subtree = cd_arena_doubles(scratch, bodies);
    if (scratch->failed || !cd_unit_leaves_find(scratch, f->graph, NULL, &f->leaves))
        return false;
    for (int b = 0; b < bodies; b++)
        f->holder[b] = f->parent[b] = f->heavy[b] = -1;
    add_up(f);
    return true;
}

/* The body on the ground that carries most; -1: none. */
static int find_root(const forest *f)
{
    int root = -1;
    for (int b = 0; b < f->graph->bodies; b++)
        if (f->holder[b] >= 0 && f->parent[b] < 0 && (root < 0 || f->subtree[b] > f->subtree[root]))
            root = b;
    return root;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* From the root along the heaviest branches: the last body that is to be paired, -1 if that gains
 * nothing. Compared is the time of two threads with that of two threads without pairs, which have
 * the branches of the path. */
static int find_middle(const forest *f, int root)
{
    double total = 0.0, rest = 0.0, left = 0.0;
    for (int b = 0; b < f->graph->bodies; b++)
        total += f->holder[b] >= 0 ? apart(f, b) : 0.0;
    double without = total, best = total;
    int middle = -1;
    for (int b = root; b >= 0 && f->sound[b]; b = f->heavy[b]) {
        const double right = f->heavy[b] >= 0 ? f->subtree[f->heavy[b]] : 0.0;
        const double others = total - f->subtree[root] + left;
        if (larger(others, right) + together(f, b) < best) {
            best = larger(others, right) + together(f, b);
            middle = b;
        }
        rest += apart(f, b);
        without = fmin(without, rest + larger(right, 0.5 * (total - rest)));
        left += together(f, b) + f->subtree[b] - apart(f, b) - right;
    }
    return total >= least_divided && best < least_gain * without ? middle : -1;
}

bool cd_unit_pairs_find(cd_arena *arena, const cd_unit_graph *graph, cd_unit_pairs *pairs)
{
    cd_arena scratch;
    forest f = {.graph = graph};
    *pairs = (cd_unit_pairs){.body = cd_arena_take(arena, (size_t)graph->count * sizeof(int)),
                             .anchored = cd_arena_take(arena, (size_t)graph->bodies * sizeof(bool)),
                             .middle = -1};
    if (arena->failed)
        return false;
    for (int u = 0; u < graph->count; u++)
        pairs->body[u] = -1;
    cd_arena_init(&scratch, &arena->allocator);
    const bool good = plant(&f, &scratch);
    const int root = good ? find_root(&f) : -1;
    pairs->middle = root >= 0 ? find_middle(&f, root) : -1;
    for (int b = root; pairs->middle >= 0 && b != f.heavy[pairs->middle]; b = f.heavy[b]) {
        pairs->body[f.holder[b]] = b;
        pairs->anchored[b] = true;
    }
    arena->failed = arena->failed || scratch.failed;
    cd_arena_destroy(&scratch);
    return good;
}

/* See joint_graph.h. */
#include "joint_graph.h"

#include "base/numeric.h"
#include "matrices.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* ---- who is connected with whom ---- */

static mechanism new_mechanism(int bodies, int joints, int joint_size)
{
    mechanism m = {bodies, joints, joint_size, false, calloc((size_t)joints, sizeof *m.body)};
    ck_assert_ptr_nonnull(m.body);
    return m;
}

static void connect(mechanism *m, int joint, int first, int second)
{
    m->body[joint][0] = first;
    m->body[joint][1] = second;
}

mechanism make_chain(int n, bool closed, int joint_size)
{
    mechanism m = new_mechanism(n, closed ? n + 1 : n, joint_size);
    for (int j = 0; j < n; j++)
        connect(&m, j, j - 1, j);
    if (closed)
        connect(&m, n, n - 1, 0);
    return m;
}

mechanism make_ladder(int n, int joint_size)
{
    mechanism m = new_mechanism(3 * n, 4 * n, joint_size);
    for (int i = 0, above = -1; i < n; i++) {
        const int left = 3 * i, right = left + 1, rung = left + 2;
        connect(&m, 4 * i, above, left);
        connect(&m, 4 * i + 1, left, rung);
        connect(&m, 4 * i + 2, above, right);
        connect(&m, 4 * i + 3, right, rung);
        above = rung;
    }
    return m;
}

mechanism make_tree(int n, int joint_size)
{
    mechanism m = new_mechanism(n, n, joint_size);
    for (int j = 0; j < n; j++)
        connect(&m, j, j > 0 ? (j - 1) / 2 : -1, j);
    return m;
}

void free_mechanism(mechanism *m)
{
    free(m->body);
    m->body = NULL;
}

/* ---- the graph of the units ---- */

/* Lists the neighbours, or only counts them. */
static void list_neighbours(const mechanism *from, const unit_graph *g, bool count, int *degree)
{
    memset(degree, 0, (size_t)(from->bodies + from->joints) * sizeof *degree);
    for (int j = 0; j < from->joints; j++)
        for (int s = 0; s < 2; s++) {
            const int b = from->body[j][s], other = from->body[j][1 - s], joint = from->bodies + j;
            if (b < 0)
                continue;
            if (!count) {
                g->neighbour[g->start[b] + degree[b]] = joint;
                g->neighbour[g->start[joint] + degree[joint]] = b;
            }
            degree[b]++;
            degree[joint]++;
            if (!from->stiff || other < 0)
                continue;
            if (!count)
                g->neighbour[g->start[b] + degree[b]] = other;
            degree[b]++;
        }
}

unit_graph make_unit_graph(const mechanism *from)
{
    const int count = from->bodies + from->joints;
    unit_graph g = {.size = calloc((size_t)count, sizeof(int)),
                    .start = calloc((size_t)count + 1, sizeof(int)),
                    .neighbour = calloc(6 * (size_t)from->joints, sizeof(int))};
    int *degree = calloc((size_t)count, sizeof(int));
    list_neighbours(from, &g, true, degree);
    for (int u = 0; u < count; u++)
        g.start[u + 1] = g.start[u] + degree[u];
    list_neighbours(from, &g, false, degree);
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

void free_unit_graph(unit_graph *g)
{
    free(g->size);
    free(g->start);
    free(g->neighbour);
}

void expect_elimination(const unit_graph *g, const cd_unit_order *order)
{
    const int count = g->units.count;
    bool *connected = calloc((size_t)count * (size_t)count, sizeof *connected);
    int *place = malloc((size_t)count * sizeof *place);
    for (int u = 0; u < count; u++)
        place[u] = -1;
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(place[order->unit[i]], -1);
        place[order->unit[i]] = i;
    }
    for (int u = 0; u < count; u++)
        for (int i = g->start[u]; i < g->start[u + 1]; i++)
            connected[place[u] * count + place[g->neighbour[i]]] = true;
    for (int i = 0; i < count; i++) {
        int r = order->reach_start[i];
        for (int a = i + 1; a < count; a++) {
            if (!connected[i * count + a])
                continue;
            ck_assert_int_lt(r, order->reach_start[i + 1]);
            ck_assert_int_eq(order->reach[r++], a);
            for (int b = i + 1; b < count; b++)
                if (connected[i * count + b])
                    connected[a * count + b] = true;
        }
        ck_assert_int_eq(r, order->reach_start[i + 1]);
    }
    free(connected);
    free(place);
}

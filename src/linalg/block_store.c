/* Makes the storage that block_store.h describes, and writes the factors in it as bytes. */
#include "block_store.h"

#include "base/numeric.h"

#include <limits.h>
#include <string.h>

/* Orders the unknowns as their units are eliminated. */
static void number_unknowns(cd_block_lu *lu, const cd_unit_graph *graph, const cd_block_map *map)
{
    for (int i = 0; i < lu->count; i++) {
        map->node[lu->order.unit[i]] = i;
        lu->first[i + 1] = lu->first[i] + graph->size[lu->order.unit[i]];
    }
    for (int i = 0; i < lu->n; i++)
        map->index[i] = lu->first[map->node[map->unit_of[i]]] + map->inner[i];
}

/* Does an unknown follow the one before it, in the same unit? */
static bool follows_in_unit(const cd_block_map *map, int i)
{
    return i > 0 && map->unit_of[i] == map->unit_of[i - 1] &&
           map->index[i] == map->index[i - 1] + 1;
}

/* Lists the runs of unknowns in the order of elimination; x serves as scratch. */
static bool find_runs(cd_block_lu *lu, cd_arena *arena, const cd_block_map *map)
{
    int count = 0;
    for (int i = 0; i < lu->n; i++) {
        lu->x[map->index[i]] = i;
        lu->run_count += !follows_in_unit(map, i);
    }
    lu->run = cd_arena_take(arena, ((size_t)lu->run_count + 1) * sizeof *lu->run);
    if (lu->run == NULL)
        return false;
    for (int i = 0; i < lu->n; i++)
        if (!follows_in_unit(map, (int)lu->x[i]))
            lu->run[count++] = (cd_unknown_run){i, (int)lu->x[i]};
    lu->run[count].index = lu->n;
    cd_zero(lu->n, lu->x);
    return true;
}

void cd_unit_range_widen(cd_unit_range *range, cd_unit_range other)
{
    const int first = range->first < other.first ? range->first : other.first;
    const int end = range->first + range->count, other_end = other.first + other.count;
    if (other.count == 0)
        return;
    *range =
        range->count == 0
            ? other
            : (cd_unit_range){(short)first, (short)((end > other_end ? end : other_end) - first)};
}

/* Index in order.reach of a later node, searched from index r on. */
static int find_in_reach(const cd_block_lu *lu, int r, int later)
{
    while (lu->order.reach[r] != later)
        r++;
    return r;
}

/* Notes in `lead` that a node has entries below its diagonal block from unknown `first` on. */
static void lower_lead(cd_block_lu *lu, int node, int first)
{
    lu->lead[node] = (short)(first < lu->lead[node] ? first : lu->lead[node]);
}

/* Sets the ranges of neighbours in the graph. */
static void set_neighbour_ranges(cd_block_lu *lu, const cd_unit_graph *graph,
                                 const cd_unit_range *range, const int *node)
{
    for (int i = 0; i < lu->count; i++) {
        const int unit = lu->order.unit[i];
        for (int e = graph->start[unit]; e < graph->start[unit + 1]; e++) {
            const int later = node[graph->neighbour[e]];
            if (later <= i) {
                lower_lead(lu, later, range[e].first);
                continue;
            }
            lu->range[find_in_reach(lu, lu->order.reach_start[i], later)] = range[e];
        }
    }
}

/* The elimination of a node gives all unknowns in its reach entries in common: widens the ranges in
 * the reach of the first node of its reach. */
static void spread_ranges(cd_block_lu *lu)
{
    for (int i = 0; i < lu->count; i++) {
        const cd_span own = cd_block_reach(lu, i);
        if (own.begin == own.end)
            continue;
        for (int r = own.begin; r < own.end - 1; r++)
            lower_lead(lu, lu->order.reach[r], lu->range[r].first);
        int to = lu->order.reach_start[lu->order.reach[own.begin]];
        for (int r = own.begin + 1; r < own.end; r++) {
            to = find_in_reach(lu, to, lu->order.reach[r]);
            cd_unit_range_widen(&lu->range[to], lu->range[r]);
        }
    }
}

/* Lays out the numbers of all nodes; false if there are too many. */
static bool set_offsets(cd_block_lu *lu)
{
    for (int i = 0; i < lu->count; i++) {
        const cd_span own = cd_block_reach(lu, i);
        for (int r = own.begin; r < own.end; r++)
            lu->reach[i] += lu->range[r].count;
        const size_t n = (size_t)cd_block_size(lu, i), m = (size_t)lu->reach[i];
        const size_t end = lu->offset[i] + n * n + m * (2 * n - (size_t)lu->lead[i]);
        if (end > INT_MAX || m * m > (size_t)INT_MAX - 2 * n - m)
            return false;
        lu->offset[i + 1] = (unsigned)end;
    }
    return true;
}

void cd_block_task_allocate(const cd_block_lu *lu, cd_arena *arena, cd_block_task *t)
{
    int largest = 0;
    for (int i = t->nodes.begin; i < t->nodes.end; i++) {
        const int n = cd_block_size(lu, i), m = lu->reach[i], update = m * m + 2 * n + m;
        const int needed = update > n * n ? update : n * n;
        largest = needed > largest ? needed : largest;
    }
    const int outer = t->last >= 0 ? lu->reach[t->last] : 0;
    t->update = cd_arena_doubles(arena, largest);
    t->added = cd_arena_doubles(arena, outer * outer);
    t->vector = cd_arena_doubles(arena, outer);
}

/* Makes the tasks that were found, and the last one of the remaining nodes. */
static bool create_tasks(cd_block_lu *lu, cd_arena *arena, const cd_unit_tasks *found)
{
    lu->task_count = found->count;
    lu->tasks = cd_arena_take(arena, (size_t)(found->count + 1) * sizeof *lu->tasks);
    for (int i = 0; lu->tasks != NULL && i <= found->count; i++) {
        const bool is_last = i == found->count;
        const cd_span nodes = is_last ? found->rest : found->task[i];
        lu->tasks[i] = (cd_block_task){.nodes = nodes, .last = is_last ? -1 : nodes.end - 1};
        cd_block_task_allocate(lu, arena, &lu->tasks[i]);
    }
    return !arena->failed;
}

static bool allocate_arrays(cd_block_lu *lu, cd_arena *arena)
{
    const size_t count = (size_t)lu->count, unknowns = (size_t)lu->n;
    const size_t connections = (size_t)lu->order.reach_start[count];
    lu->first = cd_arena_take(arena, (count + 1) * sizeof *lu->first);
    lu->offset = cd_arena_take(arena, (count + 1) * sizeof *lu->offset);
    lu->reach = cd_arena_take(arena, count * sizeof *lu->reach);
    lu->lead = cd_arena_take(arena, count * sizeof *lu->lead);
    lu->range = cd_arena_take(arena, connections * sizeof *lu->range);
    lu->swaps = cd_arena_take(arena, unknowns * sizeof *lu->swaps);
    lu->x = cd_arena_doubles(arena, lu->n);
    return !arena->failed;
}

cd_block_lu *cd_block_lu_create(cd_arena *arena, const cd_unit_graph *graph,
                                const cd_unit_range *range, int n, cd_block_map *map)
{
    cd_block_lu *lu = cd_arena_take(arena, sizeof *lu);
    cd_unit_tasks tasks;
    if (lu == NULL || !cd_unit_tasks_find(arena, graph, &lu->order, &tasks))
        return NULL;
    lu->n = n;
    lu->count = graph->count;
    if (!allocate_arrays(lu, arena))
        return NULL;
    number_unknowns(lu, graph, map);
    if (!find_runs(lu, arena, map))
        return NULL;
    for (int i = 0; i < lu->count; i++)
        lu->lead[i] = (short)cd_block_size(lu, i);
    set_neighbour_ranges(lu, graph, range, map->node);
    spread_ranges(lu);
    cd_arena_forget(arena, lu->order.unit, (size_t)lu->count * sizeof *lu->order.unit);
    lu->order.unit = NULL;
    return set_offsets(lu) && create_tasks(lu, arena, &tasks) ? lu : NULL;
}

void cd_block_lu_discard(const cd_block_lu *lu, const cd_arena *arena)
{
    cd_arena_forget(arena, lu->x, (size_t)lu->n * sizeof *lu->x);
    cd_arena_forget(arena, lu->swaps, (size_t)lu->n * sizeof *lu->swaps);
}

size_t cd_block_lu_entries(const cd_block_lu *lu)
{
    return lu->offset[lu->count];
}

cd_block_offset cd_block_lu_offset(const cd_block_lu *lu, const cd_block_map *map, int row, int col)
{
    const int above = map->node[map->unit_of[row]], left = map->node[map->unit_of[col]];
    const int in_row = map->index[row] - lu->first[above],
              in_col = map->index[col] - lu->first[left];
    const int node = left < above ? left : above, n = cd_block_size(lu, node);
    const int m = lu->reach[node], lead = lu->lead[node], begin = (int)lu->offset[node];
    if (left < above) {
        const int down = cd_block_reach_offset(lu, left, above, in_row);
        return (cd_block_offset){begin + (in_col - lead) * m + down, m};
    }
    const int right = left == above ? in_col : n + cd_block_reach_offset(lu, above, left, in_col);
    return (cd_block_offset){begin + m * (n - lead) + right * n + in_row, n};
}

static size_t count_value_bytes(const cd_block_lu *lu)
{
    return cd_block_lu_entries(lu) * sizeof *lu->values;
}

static size_t count_swap_bytes(const cd_block_lu *lu)
{
    return (size_t)lu->n * sizeof *lu->swaps;
}

size_t cd_block_lu_size(const cd_block_lu *lu)
{
    return count_value_bytes(lu) + count_swap_bytes(lu);
}

void cd_block_lu_save(const cd_block_lu *lu, void *bytes)
{
    char *next = bytes;
    memcpy(next, lu->values, count_value_bytes(lu));
    memcpy(next + count_value_bytes(lu), lu->swaps, count_swap_bytes(lu));
}

bool cd_block_lu_can_load(const cd_block_lu *lu, const void *bytes)
{
    const char *swaps = (const char *)bytes + count_value_bytes(lu);
    for (int node = 0; node < lu->count; node++)
        for (int i = 0; i < cd_block_size(lu, node); i++) {
            short swap;
            memcpy(&swap, swaps + (size_t)(lu->first[node] + i) * sizeof swap, sizeof swap);
            if (swap < i || swap >= cd_block_size(lu, node))
                return false;
        }
    return true;
}

void cd_block_lu_load(cd_block_lu *lu, const void *bytes)
{
    const char *next = bytes;
    memcpy(lu->values, next, count_value_bytes(lu));
    memcpy(lu->swaps, next + count_value_bytes(lu), count_swap_bytes(lu));
}

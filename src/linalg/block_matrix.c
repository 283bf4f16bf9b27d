/* From slots to blocks: the graph of the units, and the tiles of every slot; and KLU for matrices
 * that the blocks decline. */
#include "block_matrix.h"

#include "base/numeric.h"

#include <limits.h>
#include <stdlib.h>

typedef enum solver { BLOCKS, DECLINED, KLU_NEXT, KLU } solver;

struct cd_block_matrix {
    cd_unknowns unknowns;
    cd_arena *arena;
    int n;
    cd_slot *slots;
    int slot_count;
    cd_block_lu *lu;
    double *values;
    solver solver;
    long by_blocks;
    cd_sparse_lu *klu; /* NULL until it is needed */
    int *source;       /* which of the values its entries are */
};

/* Scratch while the matrix is made. */
typedef struct making {
    cd_arena scratch;
    const cd_unit_list *units;
    int *inner;       /* of every unknown: its number in its unit */
    int *rows, *cols; /* of a slot's entries */
    int *stamp;       /* units */
    int *pairs;       /* of connected units */
    int pair_count;
} making;

static bool prepare(making *m, const cd_slot *slots, int slot_count)
{
    int largest = 0;
    for (int i = 0; i < slot_count; i++)
        largest = slots[i].pattern.entries > largest ? slots[i].pattern.entries : largest;
    m->rows = cd_arena_take(&m->scratch, (size_t)largest * sizeof *m->rows);
    m->cols = cd_arena_take(&m->scratch, (size_t)largest * sizeof *m->cols);
    m->stamp = cd_arena_take(&m->scratch, (size_t)m->units->count * sizeof *m->stamp);
    return !m->scratch.failed;
}

/* Lists the pairs of units that have an entry in common (some more than once), or counts them. */
static void list_pairs(making *m, const cd_slot *slots, int slot_count)
{
    int count = 0;
    for (int u = 0; u < m->units->count; u++)
        m->stamp[u] = -1;
    for (int s = 0; s < slot_count; s++) {
        cd_slot_list(&slots[s], m->rows, m->cols);
        for (int e = 0; e < slots[s].pattern.entries; e++) {
            const int a = m->units->of[m->rows[e]], b = m->units->of[m->cols[e]];
            const int low = a < b ? a : b, high = a < b ? b : a;
            if (low == high || m->stamp[low] == high)
                continue;
            m->stamp[low] = high;
            if (m->pairs != NULL) {
                m->pairs[2 * count] = low;
                m->pairs[2 * count + 1] = high;
            }
            count++;
        }
    }
    m->pair_count = count;
}

static bool find_pairs(making *m, const cd_slot *slots, int slot_count)
{
    list_pairs(m, slots, slot_count);
    m->pairs = cd_arena_take(&m->scratch, 2 * (size_t)m->pair_count * sizeof *m->pairs);
    if (m->pairs == NULL)
        return false;
    list_pairs(m, slots, slot_count);
    return true;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Sorts every unit's neighbours and drops those that were there before. */
static void tidy(int count, int *start, int *neighbour)
{
    int kept = 0;
    for (int u = 0; u < count; u++) {
        const int begin = start[u], end = start[u + 1];
        start[u] = kept;
        qsort(neighbour + begin, (size_t)(end - begin), sizeof *neighbour, ascending);
        for (int i = begin; i < end; i++)
            if (i == begin || neighbour[i] != neighbour[i - 1])
                neighbour[kept++] = neighbour[i];
    }
    start[count] = kept;
}

static bool make_graph(making *m, int n, cd_unit_graph *graph)
{
    const int count = m->units->count;
    int *size = cd_arena_take(&m->scratch, (size_t)count * sizeof *size);
    int *start = cd_arena_take(&m->scratch, ((size_t)count + 2) * sizeof *start);
    int *neighbour = cd_arena_take(&m->scratch, 2 * (size_t)m->pair_count * sizeof *neighbour);
    if (m->scratch.failed)
        return false;
    for (int i = 0; i < n; i++)
        size[m->units->of[i]]++;
    for (int i = 0; i < 2 * m->pair_count; i++)
        start[m->pairs[i] + 2]++;
    for (int u = 0; u < count; u++)
        start[u + 2] += start[u + 1];
    for (int i = 0; i < m->pair_count; i++) {
        const int a = m->pairs[2 * i], b = m->pairs[2 * i + 1];
        neighbour[start[a + 1]++] = b;
        neighbour[start[b + 1]++] = a;
    }
    tidy(count, start, neighbour);
    *graph = (cd_unit_graph){.count = count,
                             .bodies = m->units->bodies,
                             .size = size,
                             .start = start,
                             .neighbour = neighbour};
    return true;
}

/* ---- which unknowns of two neighbours have entries in common ---- */

/* The number of a neighbour in the graph, -1: it is none. The lists ascend. */
static int find_neighbour(const cd_unit_graph *graph, int unit, int other)
{
    int low = graph->start[unit], high = graph->start[unit + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (graph->neighbour[middle] < other)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->start[unit + 1] && graph->neighbour[low] == other ? low : -1;
}

/* Makes a range contain number i of the unit. */
static void include(cd_unit_range *range, int i)
{
    const int first = range->count == 0 || i < range->first ? i : range->first;
    const int end = range->first + range->count > i ? range->first + range->count : i + 1;
    *range = (cd_unit_range){(short)first, (short)(end - first)};
}

static void include_slot(const making *m, const cd_unit_graph *graph, const cd_slot *slot,
                         cd_unit_range *range)
{
    int a = -1, b = -1, forth = -1, back = -1;
    cd_slot_list(slot, m->rows, m->cols);
    for (int e = 0; e < slot->pattern.entries; e++) {
        const int row = m->units->of[m->rows[e]], col = m->units->of[m->cols[e]];
        if (row != a || col != b) {
            a = row;
            b = col;
            forth = a != b ? find_neighbour(graph, a, b) : -1;
            back = forth >= 0 ? find_neighbour(graph, b, a) : -1;
        }
        if (forth < 0)
            continue;
        include(&range[forth], m->inner[m->cols[e]]);
        include(&range[back], m->inner[m->rows[e]]);
    }
}

/* Their unknowns as in the matrix; false if there are too many. */
static bool number_within(making *m, int n)
{
    int *next = cd_arena_take(&m->scratch, (size_t)m->units->count * sizeof *next);
    m->inner = cd_arena_take(&m->scratch, (size_t)n * sizeof *m->inner);
    for (int i = 0; !m->scratch.failed && i < n; i++) {
        m->inner[i] = next[m->units->of[i]]++;
        if (m->inner[i] == SHRT_MAX)
            return false;
    }
    return !m->scratch.failed;
}

/* For every neighbour in the graph; NULL if memory runs out. */
static cd_unit_range *find_ranges(making *m, const cd_unit_graph *graph, const cd_block_matrix *b)
{
    const size_t count = (size_t)graph->start[graph->count];
    cd_unit_range *range = cd_arena_take(&m->scratch, count * sizeof *range);
    for (int s = 0; range != NULL && s < b->slot_count; s++)
        include_slot(m, graph, &b->slots[s], range);
    return range;
}

/* The units' graph and the ranges of their neighbours. */
static bool find_graph(making *m, const cd_block_matrix *b, cd_unit_graph *graph,
                       cd_unit_range **range)
{
    if (!find_pairs(m, b->slots, b->slot_count) || !make_graph(m, b->n, graph) ||
        !number_within(m, b->n))
        return false;
    *range = find_ranges(m, graph, b);
    return *range != NULL;
}

/* Do unknowns a and b follow each other in a unit of the storage? */
static bool are_neighbours(const cd_block_map *map, int a, int b)
{
    return map->unit_of[a] == map->unit_of[b] && map->place[b] == map->place[a] + 1;
}

/* The runs of a diagonal, or only their number. False if a stride is too large. */
static bool find_runs(const cd_block_lu *lu, const cd_block_map *map, const cd_slot *slot,
                      cd_run *runs, int *count)
{
    const int n = slot->pattern.entries;
    *count = 0;
    for (int e = 0, next; e < n; e = next) {
        for (next = e + 1; next < n && next - e < CD_LONGEST_RUN &&
                           are_neighbours(map, slot->row + next - 1, slot->row + next) &&
                           are_neighbours(map, slot->col + next - 1, slot->col + next);)
            next++;
        if (runs != NULL) {
            const cd_block_place at = cd_block_lu_place(lu, map, slot->row + e, slot->col + e);
            if (at.stride >= CD_LARGEST_STRIDE)
                return false;
            runs[*count] = (cd_run){at.number, (unsigned)(at.stride + 1) & CD_LARGEST_STRIDE,
                                    (unsigned)(next - e) & CD_LONGEST_RUN};
        }
        ++*count;
    }
    return true;
}

static bool place_diagonal(cd_block_matrix *b, const cd_block_map *map, cd_slot *slot)
{
    find_runs(b->lu, map, slot, NULL, &slot->run_count);
    slot->runs = cd_arena_take(b->arena, (size_t)slot->run_count * sizeof *slot->runs);
    return slot->runs != NULL && find_runs(b->lu, map, slot, slot->runs, &slot->run_count);
}

/* The tiles of a slot, or only their number. False if a stride is too large. */
static bool find_tiles(const cd_block_lu *lu, const cd_block_map *map, const cd_slot *slot,
                       cd_tile *tiles, int *count)
{
    cd_tiling tiling = {.pattern = &slot->pattern,
                        .first_row = slot->row,
                        .first_col = slot->col,
                        .transposed = slot->transposed,
                        .unit_of = map->unit_of,
                        .place = map->place};
    cd_tile tile;
    int row, col;
    for (*count = 0; cd_tiling_next(&tiling, &tile, &row, &col); ++*count) {
        if (tiles == NULL)
            continue;
        const cd_block_place at =
            cd_block_lu_place(lu, map, slot->row + (slot->transposed ? col : row),
                              slot->col + (slot->transposed ? row : col));
        if (at.stride > CD_TILE_STRIDE)
            return false;
        tile.place = at.number;
        tile.stride = (unsigned)at.stride & CD_TILE_STRIDE;
        tiles[*count] = tile;
    }
    return true;
}

static bool place_tiles(cd_block_matrix *b, const cd_block_map *map, cd_slot *slot)
{
    find_tiles(b->lu, map, slot, NULL, &slot->tile_count);
    slot->tiles = cd_arena_take(b->arena, (size_t)slot->tile_count * sizeof *slot->tiles);
    return slot->tiles != NULL && find_tiles(b->lu, map, slot, slot->tiles, &slot->tile_count);
}

/* The same block at the same place. */
static bool is_repeated(const cd_slot *a, const cd_slot *b)
{
    return a->row == b->row && a->col == b->col && a->transposed == b->transposed &&
           a->diagonal == b->diagonal && a->pattern.rows == b->pattern.rows &&
           a->pattern.cols == b->pattern.cols && a->pattern.entries == b->pattern.entries &&
           a->pattern.row_start == b->pattern.row_start && a->pattern.column == b->pattern.column;
}

/* Blocks that were declared more than once have one list of tiles. */
static bool share_tiles(cd_slot *slots, int s)
{
    for (int i = 0; i < s; i++)
        if (is_repeated(&slots[i], &slots[s])) {
            slots[s].runs = slots[i].runs;
            slots[s].run_count = slots[i].run_count;
            slots[s].tiles = slots[i].tiles;
            slots[s].tile_count = slots[i].tile_count;
            return true;
        }
    return false;
}

static bool place_slots(cd_block_matrix *b, const cd_block_map *map)
{
    bool placed = true;
    for (int s = 0; placed && s < b->slot_count; s++) {
        cd_slot *slot = &b->slots[s];
        if (!share_tiles(b->slots, s))
            placed = slot->diagonal ? place_diagonal(b, map, slot) : place_tiles(b, map, slot);
    }
    return placed;
}

/* Numbers from the pool; if they are too few, new ones that the next matrices get. */
static double *take_values(cd_arena *arena, size_t count, cd_matrix_pool *pool)
{
    if (pool != NULL && pool->count >= count)
        return pool->values;
    double *values = cd_arena_take(arena, count * sizeof *values);
    if (values != NULL && pool != NULL)
        *pool = (cd_matrix_pool){values, count};
    return values;
}

static bool make(cd_block_matrix *b, making *m, double most, cd_matrix_pool *pool)
{
    cd_unit_graph graph;
    cd_unit_range *range;
    if (!prepare(m, b->slots, b->slot_count) || !find_graph(m, b, &graph, &range))
        return false;
    cd_block_map map = {m->units->of, m->inner,
                        cd_arena_take(&m->scratch, (size_t)m->units->count * sizeof(int)),
                        cd_arena_take(&m->scratch, (size_t)b->n * sizeof(int))};
    if (m->scratch.failed)
        return false;
    b->lu = cd_block_lu_create(b->arena, &graph, range, b->n, &map);
    if (b->lu == NULL || (double)cd_block_lu_entries(b->lu) >= most)
        return false;
    if (!place_slots(b, &map))
        return false;
    b->values = take_values(b->arena, cd_block_lu_entries(b->lu), pool);
    cd_block_lu_set_values(b->lu, b->values);
    return b->values != NULL;
}

void cd_block_matrix_tell(cd_block_matrix *m, cd_unknowns unknowns)
{
    m->unknowns = unknowns;
}

cd_block_matrix *cd_block_matrix_create(cd_arena *arena, int n, const cd_unit_list *units,
                                        cd_slot *slots, int slot_count, double most,
                                        cd_matrix_pool *pool)
{
    making m = {.units = units};
    cd_block_matrix *b = cd_arena_take(arena, sizeof *b);
    if (b == NULL)
        return NULL;
    cd_arena_init(&m.scratch, &arena->allocator);
    *b = (cd_block_matrix){.arena = arena, .n = n, .slots = slots, .slot_count = slot_count};
    const bool made = make(b, &m, most, pool);
    if (m.scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&m.scratch);
    for (int s = 0; !made && s < slot_count; s++) {
        slots[s].runs = NULL;
        slots[s].tiles = NULL;
        slots[s].place = NULL;
    }
    return made ? b : NULL;
}

void cd_block_matrix_set_team(cd_block_matrix *m, cd_team *team)
{
    cd_block_lu_set_team(m->lu, team);
}

const cd_block_lu *cd_block_matrix_lu(const cd_block_matrix *m)
{
    return m->lu;
}

void cd_block_matrix_rest(const cd_block_matrix *m)
{
    cd_block_lu_rest(m->lu, m->arena);
}

double *cd_block_matrix_values(cd_block_matrix *m)
{
    return m->values;
}

size_t cd_block_matrix_entries(const cd_block_matrix *m)
{
    return cd_block_lu_entries(m->lu);
}

/* Columns of a matrix, while its entries are listed. */
typedef struct columns {
    const unsigned char *used; /* places that some slot adds to */
    int *start, *row, *source; /* no rows: they are counted */
} columns;

static void list_entry(void *self, int row, int col, int place)
{
    columns *c = self;
    if (!c->used[place])
        return;
    if (c->row != NULL) {
        c->row[c->start[col + 1]] = row;
        c->source[c->start[col + 1]] = place;
    }
    c->start[col + (c->row != NULL ? 1 : 2)]++;
}

/* Rows in ascending order. */
static void sort_column(int count, int *row, int *source)
{
    for (int i = 1; i < count; i++) {
        const int key = row[i], place = source[i];
        int at = i;
        for (; at > 0 && row[at - 1] > key; at--) {
            row[at] = row[at - 1];
            source[at] = source[at - 1];
        }
        row[at] = key;
        source[at] = place;
    }
}

static void mark_tiles(const cd_slot *slot, unsigned char *used)
{
    for (const cd_tile *t = slot->tiles; t < slot->tiles + slot->tile_count; t++) {
        const unsigned rows = slot->transposed ? t->cols : t->rows;
        const unsigned cols = slot->transposed ? t->rows : t->cols;
        for (unsigned j = 0; j < cols; j++)
            memset(used + (unsigned)t->place + j * t->stride, 1, rows);
    }
}

static void mark_runs(const cd_slot *slot, unsigned char *used)
{
    for (int r = 0; r < slot->run_count; r++)
        for (unsigned i = 0; i < slot->runs[r].count; i++)
            used[(unsigned)slot->runs[r].place + i * slot->runs[r].stride] = 1;
}

static void mark_used(const cd_block_matrix *m, unsigned char *used)
{
    for (int s = 0; s < m->slot_count; s++) {
        mark_tiles(&m->slots[s], used);
        mark_runs(&m->slots[s], used);
    }
}

/* KLU for the entries that the slots have. */
static bool make_klu(cd_block_matrix *m)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &m->arena->allocator);
    unsigned char *used = cd_arena_take(&scratch, cd_block_lu_entries(m->lu));
    columns c = {.used = used,
                 .start = cd_arena_take(m->arena, ((size_t)m->n + 2) * sizeof *c.start)};
    if (used != NULL && c.start != NULL) {
        mark_used(m, used);
        cd_block_lu_visit(m->lu, list_entry, &c);
        for (int j = 0; j < m->n; j++)
            c.start[j + 2] += c.start[j + 1];
        const size_t entries = (size_t)c.start[m->n + 1];
        c.row = cd_arena_take(m->arena, entries * sizeof *c.row);
        m->source = c.source = cd_arena_take(m->arena, entries * sizeof *c.source);
    }
    if (c.row != NULL && c.source != NULL) {
        cd_block_lu_visit(m->lu, list_entry, &c);
        for (int j = 0; j < m->n; j++)
            sort_column(c.start[j + 1] - c.start[j], c.row + c.start[j], c.source + c.start[j]);
        m->klu = cd_sparse_lu_create(m->arena, m->n, c.start, c.row);
        if (m->klu != NULL)
            cd_sparse_lu_tell(m->klu, m->unknowns);
    }
    cd_arena_destroy(&scratch);
    return m->klu != NULL;
}

/* Pivots are always chosen anew: a checkpoint holds the entries only. */
static cardan_status factor_by_klu(cd_block_matrix *m)
{
    m->solver = KLU;
    if (m->klu == NULL && !make_klu(m))
        return CARDAN_OUT_OF_MEMORY;
    double *values = cd_sparse_lu_values(m->klu);
    for (int e = 0; e < cd_sparse_lu_entries(m->klu); e++)
        values[e] = m->values[m->source[e]];
    cd_sparse_lu_forget(m->klu);
    return cd_sparse_lu_factor(m->klu);
}

cardan_status cd_block_matrix_factor(cd_block_matrix *m)
{
    if (m->solver == KLU_NEXT)
        return factor_by_klu(m);
    m->solver = cd_block_lu_factor(m->lu) ? BLOCKS : DECLINED;
    m->by_blocks += m->solver == BLOCKS;
    return m->solver == BLOCKS ? CARDAN_OK : CARDAN_SINGULAR_MATRIX;
}

bool cd_block_matrix_retry(cd_block_matrix *m)
{
    if (m->solver != DECLINED)
        return false;
    m->solver = KLU_NEXT;
    return true;
}

void cd_block_matrix_solve(cd_block_matrix *m, double *x)
{
    if (m->solver == BLOCKS)
        cd_block_lu_solve(m->lu, x);
    else if (m->klu != NULL)
        cd_sparse_lu_solve(m->klu, x);
}

cd_sparse_lu_counts cd_block_matrix_statistics(const cd_block_matrix *m)
{
    cd_sparse_lu_counts counts =
        m->klu != NULL ? cd_sparse_lu_statistics(m->klu) : (cd_sparse_lu_counts){0};
    counts.kept = m->by_blocks;
    if (m->solver != KLU)
        counts.factor_entries = (long)cd_block_lu_entries(m->lu);
    return counts;
}

/* A byte for the solver, and the factors; of KLU's the entries that they were made from, which the
 * blocks still have. */
size_t cd_block_matrix_size(const cd_block_matrix *m)
{
    return 1 + cd_block_lu_size(m->lu);
}

void cd_block_matrix_save(const cd_block_matrix *m, void *bytes)
{
    *(unsigned char *)bytes = m->solver == KLU;
    cd_block_lu_save(m->lu, (char *)bytes + 1);
}

bool cd_block_matrix_accepts(const cd_block_matrix *m, const void *bytes)
{
    const unsigned char by_klu = *(const unsigned char *)bytes;
    return by_klu == 1 || (by_klu == 0 && cd_block_lu_accepts(m->lu, (const char *)bytes + 1));
}

void cd_block_matrix_load(cd_block_matrix *m, const void *bytes)
{
    const bool by_klu = *(const unsigned char *)bytes != 0;
    cd_block_lu_load(m->lu, (const char *)bytes + 1);
    m->solver = BLOCKS;
    if (by_klu)
        factor_by_klu(m);
}

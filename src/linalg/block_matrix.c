/* Makes block storage from slots: the graph of the units, and the tiles of every slot; and KLU for
 * matrices whose blocks are singular. */
#include "block_matrix.h"

#include "base/numeric.h"

#include <limits.h>
#include <stdlib.h>

/* A unit that another one has entries in common with. */
typedef struct connection {
    int other;
    cd_unit_range range; /* of the unknowns of `other` */
} connection;

/* Begins a loop over the tiles of a slot. */
static cd_tiling make_tiling(const cd_slot *slot, const int *unit_of, const int *index)
{
    return (cd_tiling){.pattern = &slot->pattern,
                       .first_row = slot->row,
                       .first_col = slot->col,
                       .transposed = slot->transposed,
                       .unit_of = unit_of,
                       .index = index};
}

/* Scratch while the matrix is made. */
typedef struct builder {
    cd_arena scratch;
    const cd_unit_list *units;
    int *inner;      /* of every unknown: its index in its unit */
    int *start;      /* units + 2: where the connections of each begin in `all` */
    connection *all; /* NULL while they are counted */
} builder;

/* Numbers the unknowns of every unit in their order in the matrix; false if a unit has too many. */
static bool index_unknowns(builder *m, int n, int *size)
{
    m->inner = cd_arena_take(&m->scratch, (size_t)n * sizeof *m->inner);
    for (int i = 0; m->inner != NULL && i < n; i++) {
        m->inner[i] = size[m->units->of[i]]++;
        if (m->inner[i] == SHRT_MAX)
            return false;
    }
    return m->inner != NULL;
}

/* Adds, or only counts, a connection of a unit with unknowns of another. */
static void add_connection(builder *m, int unit, int other, int first, int count)
{
    if (m->all == NULL)
        m->start[unit + 2]++;
    else
        m->all[m->start[unit + 1]++] = (connection){other, {(short)m->inner[first], (short)count}};
}

/* Connects the unit of some rows with the unit of some columns, if these are two. */
static void connect_units(builder *m, cd_span rows, cd_span cols)
{
    const int row = m->units->of[rows.begin], col = m->units->of[cols.begin];
    if (row == col)
        return;
    add_connection(m, row, col, cols.begin, cols.end - cols.begin);
    add_connection(m, col, row, rows.begin, rows.end - rows.begin);
}

/* Connects the units that have an entry of a slot in common. */
static void list_connections(builder *m, const cd_slot *slots, int slot_count)
{
    for (const cd_slot *s = slots; s < slots + slot_count; s++) {
        cd_tiling tiling = make_tiling(s, m->units->of, NULL);
        cd_tile t;
        int row, col;
        for (int i = 0; s->diagonal && i < s->pattern.rows; i++)
            connect_units(m, (cd_span){s->row + i, s->row + i + 1},
                          (cd_span){s->col + i, s->col + i + 1});
        while (!s->diagonal && cd_tiling_next(&tiling, &t, &row, &col)) {
            const int first = s->row + (s->transposed ? col : row);
            const int left = s->col + (s->transposed ? row : col);
            const int down = tiling.rows, right = tiling.diagonal ? down : (int)t.cols;
            const int rows = s->transposed ? right : down, cols = s->transposed ? down : right;
            connect_units(m, (cd_span){first, first + rows}, (cd_span){left, left + cols});
        }
    }
}

static int compare_connections(const void *a, const void *b)
{
    return ((const connection *)a)->other - ((const connection *)b)->other;
}

/* Leaves one connection of every two units, with a range that contains those of all. */
static void merge_connections(builder *m)
{
    int kept = 0;
    for (int u = 0; u < m->units->count; u++) {
        const int begin = m->start[u], end = m->start[u + 1];
        m->start[u] = kept;
        qsort(m->all + begin, (size_t)(end - begin), sizeof *m->all, compare_connections);
        for (int i = begin; i < end; i++)
            if (kept > m->start[u] && m->all[kept - 1].other == m->all[i].other)
                cd_unit_range_widen(&m->all[kept - 1].range, m->all[i].range);
            else
                m->all[kept++] = m->all[i];
    }
    m->start[m->units->count] = kept;
}

static bool find_connections(builder *m, const cd_slot *slots, int slot_count)
{
    const int count = m->units->count;
    m->start = cd_arena_take(&m->scratch, ((size_t)count + 2) * sizeof *m->start);
    if (m->start == NULL)
        return false;
    list_connections(m, slots, slot_count);
    for (int u = 0; u < count; u++)
        m->start[u + 2] += m->start[u + 1];
    m->all = cd_arena_take(&m->scratch, (size_t)m->start[count + 1] * sizeof *m->all);
    if (m->all == NULL)
        return false;
    list_connections(m, slots, slot_count);
    merge_connections(m);
    return true;
}

/* Makes the graph of the units; `range`: unknowns of each neighbour with entries in common. */
static bool make_graph(builder *m, const cd_block_matrix *b, cd_unit_graph *graph,
                       cd_unit_range **range)
{
    int *size = cd_arena_take(&m->scratch, (size_t)m->units->count * sizeof *size);
    if (size == NULL || !index_unknowns(m, b->n, size) ||
        !find_connections(m, b->slots, b->slot_count))
        return false;
    const int count = m->start[m->units->count];
    int *neighbour = cd_arena_take(&m->scratch, (size_t)count * sizeof *neighbour);
    *range = cd_arena_take(&m->scratch, (size_t)count * sizeof **range);
    for (int i = 0; !m->scratch.failed && i < count; i++) {
        neighbour[i] = m->all[i].other;
        (*range)[i] = m->all[i].range;
    }
    *graph = (cd_unit_graph){m->units->count, m->units->bodies, size, m->start, neighbour};
    return !m->scratch.failed;
}

static bool find_diagonal_offsets(const cd_block_matrix *b, const cd_block_map *map, cd_slot *slot)
{
    const int n = slot->pattern.entries;
    slot->index = cd_arena_take(b->arena, (size_t)n * sizeof *slot->index);
    for (int i = 0; slot->index != NULL && i < n; i++)
        slot->index[i] = cd_block_lu_offset(b->lu, map, slot->row + i, slot->col + i).offset;
    return slot->index != NULL;
}

/* Finds the tiles of a slot, or with NULL only their number. False if a stride is too large. */
static bool find_tiles(const cd_block_lu *lu, const cd_block_map *map, const cd_slot *slot,
                       cd_tile *tiles, int *count)
{
    cd_tiling tiling = make_tiling(slot, map->unit_of, map->index);
    cd_tile tile;
    int row, col;
    for (*count = 0; cd_tiling_next(&tiling, &tile, &row, &col); ++*count) {
        if (tiles == NULL)
            continue;
        const cd_block_offset at =
            cd_block_lu_offset(lu, map, slot->row + (slot->transposed ? col : row),
                               slot->col + (slot->transposed ? row : col));
        const int stride = at.stride + tiling.diagonal;
        if (stride > CD_TILE_STRIDE)
            return false;
        tile.offset = at.offset;
        tile.stride = (unsigned)stride & CD_TILE_STRIDE;
        tiles[*count] = tile;
    }
    return true;
}

static bool list_tiles(cd_block_matrix *b, const cd_block_map *map, cd_slot *slot)
{
    find_tiles(b->lu, map, slot, NULL, &slot->tile_count);
    slot->tiles = cd_arena_take(b->arena, (size_t)slot->tile_count * sizeof *slot->tiles);
    return slot->tiles != NULL && find_tiles(b->lu, map, slot, slot->tiles, &slot->tile_count);
}

/* Are two slots the same block of the matrix? */
static bool is_same_block(const cd_slot *a, const cd_slot *b)
{
    return a->row == b->row && a->col == b->col && a->transposed == b->transposed &&
           a->diagonal == b->diagonal && a->pattern.rows == b->pattern.rows &&
           a->pattern.cols == b->pattern.cols && a->pattern.entries == b->pattern.entries &&
           a->pattern.row_start == b->pattern.row_start && a->pattern.column == b->pattern.column;
}

/* Gives slot s the tiles of an earlier slot that is the same block; false if there is none. */
static bool share_tiles(cd_slot *slots, int s)
{
    for (int i = 0; i < s; i++)
        if (is_same_block(&slots[i], &slots[s])) {
            slots[s].index = slots[i].index;
            slots[s].tiles = slots[i].tiles;
            slots[s].tile_count = slots[i].tile_count;
            return true;
        }
    return false;
}

static bool find_slot_offsets(cd_block_matrix *b, const cd_block_map *map)
{
    bool done = true;
    for (int s = 0; done && s < b->slot_count; s++) {
        cd_slot *slot = &b->slots[s];
        if (!share_tiles(b->slots, s))
            done = slot->diagonal ? find_diagonal_offsets(b, map, slot) : list_tiles(b, map, slot);
    }
    return done;
}

/* Memory for the values: that of the pool or, if it is too small, new memory that the pool gets. */
static double *take_values(cd_arena *arena, size_t count, cd_matrix_pool *pool)
{
    if (pool != NULL && pool->count >= count)
        return pool->values;
    double *values = cd_arena_take(arena, count * sizeof *values);
    if (values != NULL && pool != NULL)
        *pool = (cd_matrix_pool){values, count};
    return values;
}

/* Makes the block storage; false if blocks do not pay or memory runs out. */
static bool build_matrix(cd_block_matrix *b, builder *m, double most, cd_matrix_pool *pool)
{
    cd_unit_graph graph;
    cd_unit_range *range;
    if (!make_graph(m, b, &graph, &range))
        return false;
    cd_block_map map = {m->units->of, m->inner,
                        cd_arena_take(&m->scratch, (size_t)m->units->count * sizeof(int)),
                        cd_arena_take(&m->scratch, (size_t)b->n * sizeof(int))};
    if (m->scratch.failed)
        return false;
    b->lu = cd_block_lu_create(b->arena, &graph, range, b->n, &map);
    if (b->lu == NULL || (double)cd_block_lu_entries(b->lu) >= most)
        return false;
    if (!find_slot_offsets(b, &map))
        return false;
    b->values = take_values(b->arena, cd_block_lu_entries(b->lu), pool);
    b->lu->values = b->values;
    return b->values != NULL;
}

cd_block_matrix *cd_block_matrix_create(cd_arena *arena, int n, const cd_unit_list *units,
                                        cd_slot *slots, int slot_count, double most,
                                        cd_matrix_pool *pool)
{
    builder m = {.units = units};
    cd_block_matrix *b = cd_arena_take(arena, sizeof *b);
    if (b == NULL)
        return NULL;
    cd_arena_init(&m.scratch, &arena->allocator);
    *b = (cd_block_matrix){.arena = arena, .n = n, .slots = slots, .slot_count = slot_count};
    const bool made = build_matrix(b, &m, most, pool);
    if (m.scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&m.scratch);
    for (int s = 0; !made && s < slot_count; s++) {
        slots[s].tiles = NULL;
        slots[s].index = NULL;
    }
    return made ? b : NULL;
}

/* Finds where KLU reads the entries of a slot. `sparse`: index of each in KLU's storage. */
static void find_sources(const cd_slot *slot, const int *sparse, int *source)
{
    for (int i = 0; slot->index != NULL && i < slot->pattern.entries; i++)
        source[sparse[i]] = slot->index[i];
    for (const cd_tile *t = slot->tiles; t < slot->tiles + slot->tile_count; t++)
        for (int i = 0; i < (int)t->rows; i++)
            for (int j = 0; j < (int)t->cols; j++) {
                const int down = slot->transposed ? j : i, right = slot->transposed ? i : j;
                source[sparse[t->entry + i * (int)t->row_length + j]] =
                    t->offset + right * (int)t->stride + down;
            }
}

/* Creates a KLU matrix with the entries of all slots. */
static bool create_klu(cd_block_matrix *m)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &m->arena->allocator);
    const cd_slot_index all = cd_slot_index_make(&scratch, m->slots, m->slot_count);
    if (!scratch.failed) {
        m->klu = cd_slot_index_create_klu(m->arena, &all, m->n, m->unknowns);
        m->source = cd_arena_take(m->arena, (size_t)all.distinct * sizeof *m->source);
    }
    const int *sparse = all.index;
    for (int s = 0; m->klu != NULL && m->source != NULL && s < m->slot_count; s++) {
        find_sources(&m->slots[s], sparse, m->source);
        sparse += m->slots[s].pattern.entries;
    }
    cd_arena_destroy(&scratch);
    return m->klu != NULL && m->source != NULL;
}

/* Factors by KLU, always with new pivots, because a checkpoint holds the entries only. */
static cardan_status factor_by_klu(cd_block_matrix *m)
{
    m->solver = CD_KLU;
    if (m->klu == NULL && !create_klu(m))
        return CARDAN_OUT_OF_MEMORY;
    double *values = cd_sparse_lu_values(m->klu);
    for (int e = 0; e < cd_sparse_lu_entries(m->klu); e++)
        values[e] = m->values[m->source[e]];
    cd_sparse_lu_discard(m->klu);
    return cd_sparse_lu_factor(m->klu);
}

cardan_status cd_block_matrix_factor(cd_block_matrix *m)
{
    if (m->solver == CD_KLU_NEXT)
        return factor_by_klu(m);
    m->solver = cd_block_lu_factor(m->lu) ? CD_BLOCKS : CD_DECLINED;
    m->block_count += m->solver == CD_BLOCKS;
    return m->solver == CD_BLOCKS ? CARDAN_OK : CARDAN_SINGULAR_MATRIX;
}

bool cd_block_matrix_retry(cd_block_matrix *m)
{
    if (m->solver != CD_DECLINED)
        return false;
    m->solver = CD_KLU_NEXT;
    return true;
}

double cd_block_matrix_rcond(const cd_block_matrix *m)
{
    return m->solver == CD_BLOCKS ? 1.0 : cd_sparse_lu_rcond(m->klu);
}

void cd_block_matrix_solve(cd_block_matrix *m, double *x)
{
    if (m->solver == CD_BLOCKS)
        cd_block_lu_solve(m->lu, x);
    else if (m->klu != NULL)
        cd_sparse_lu_solve(m->klu, x);
}

cd_sparse_lu_counts cd_block_matrix_statistics(const cd_block_matrix *m)
{
    cd_sparse_lu_counts counts =
        m->klu != NULL ? cd_sparse_lu_statistics(m->klu) : (cd_sparse_lu_counts){0};
    counts.kept = m->block_count;
    if (m->solver != CD_KLU)
        counts.factor_entries = (long)cd_block_lu_entries(m->lu);
    return counts;
}

/* Bytes: one for the solver, then the factors of the blocks, or for KLU the entries that it
 * factored, which are still in the blocks. */
size_t cd_block_matrix_size(const cd_block_matrix *m)
{
    return 1 + cd_block_lu_size(m->lu);
}

void cd_block_matrix_save(const cd_block_matrix *m, void *bytes)
{
    *(unsigned char *)bytes = m->solver == CD_KLU;
    cd_block_lu_save(m->lu, (char *)bytes + 1);
}

bool cd_block_matrix_can_load(const cd_block_matrix *m, const void *bytes)
{
    const unsigned char by_klu = *(const unsigned char *)bytes;
    return by_klu == 1 || (by_klu == 0 && cd_block_lu_can_load(m->lu, (const char *)bytes + 1));
}

void cd_block_matrix_load(cd_block_matrix *m, const void *bytes)
{
    const bool by_klu = *(const unsigned char *)bytes != 0;
    cd_block_lu_load(m->lu, (const char *)bytes + 1);
    m->solver = CD_BLOCKS;
    if (by_klu)
        factor_by_klu(m);
}

/* Chooses dense, sparse or block storage, adds blocks to it, and calls its factorization. */
#include "matrix_storage.h"

#include "base/numeric.h"

enum { LEAST_TILES = 256, LEAST_CLEARED = 16384 }; /* tiles, numbers for one thread */

cd_matrix *cd_matrix_create(cd_arena *arena, int n)
{
    cd_matrix *matrix = cd_arena_take(arena, sizeof *matrix);
    if (matrix == NULL)
        return NULL;
    matrix->arena = arena;
    matrix->n = n;
    matrix->dense_up_to = CD_DENSE_UNKNOWNS;
    return matrix;
}

void cd_matrix_dense_up_to(cd_matrix *matrix, int unknowns)
{
    matrix->dense_up_to = unknowns;
}

void cd_matrix_set_unknowns(cd_matrix *matrix, cd_unknowns unknowns)
{
    matrix->unknowns = unknowns;
}

void cd_matrix_set_tree(cd_matrix *matrix, int first, const cd_joint_tree *tree)
{
    matrix->n = first;
    cd_tree_factors_init(&matrix->tree, matrix->arena, tree);
}

cd_tree_factors *cd_matrix_tree(cd_matrix *matrix)
{
    return &matrix->tree;
}

static int add_slot(cd_matrix *matrix, cd_slot slot)
{
    cd_slot *slots = cd_arena_grow(matrix->arena, matrix->slots, matrix->count, &matrix->capacity,
                                   sizeof *slots);
    if (slots == NULL)
        return 0;
    matrix->slots = slots;
    slots[matrix->count] = slot;
    return matrix->count++;
}

int cd_matrix_declare(cd_matrix *matrix, int row, int col, const cd_pattern *pattern)
{
    return add_slot(matrix, (cd_slot){.row = row, .col = col, .pattern = *pattern});
}

int cd_matrix_declare_transposed(cd_matrix *matrix, int row, int col, const cd_pattern *pattern)
{
    return add_slot(matrix,
                    (cd_slot){.row = row, .col = col, .pattern = *pattern, .transposed = true});
}

int cd_matrix_declare_diagonal(cd_matrix *matrix, int row, int col, int n)
{
    const cd_pattern size = {.rows = n, .cols = n, .entries = n};
    return add_slot(matrix, (cd_slot){.row = row, .col = col, .pattern = size, .diagonal = true});
}

void cd_matrix_set_pool(cd_matrix *matrix, cd_matrix_pool *pool)
{
    matrix->pool = pool;
}

void cd_matrix_set_units(cd_matrix *matrix, cd_unit_list units)
{
    if (matrix->unit_of != NULL)
        return; /* all that share a matrix have the same units */
    matrix->unit_of = cd_arena_take(matrix->arena, (size_t)matrix->n * sizeof *matrix->unit_of);
    for (int i = 0; matrix->unit_of != NULL && i < matrix->n; i++)
        matrix->unit_of[i] = -1;
    matrix->units = units;
    matrix->units.of = matrix->unit_of;
}

void cd_matrix_forget_units(cd_matrix *matrix)
{
    matrix->unit_of = NULL;
}

void cd_matrix_assign_unit(cd_matrix *matrix, int first, int count, int unit)
{
    for (int i = 0; matrix->unit_of != NULL && i < count; i++)
        matrix->unit_of[first + i] = unit;
}

static void make_dense(cd_matrix *matrix, const cd_slot_index *all)
{
    for (size_t i = 0; i < all->count; i++)
        all->index[all->entry[i].number] = all->entry[i].col * matrix->n + all->entry[i].row;
    cd_dense_lu_init(&matrix->dense, matrix->arena, matrix->n);
    matrix->dense.unknowns = matrix->unknowns;
    matrix->values = matrix->dense.values;
    matrix->entries = matrix->n * matrix->n;
}

/* Is the matrix so large, with enough zeros, that sparse storage pays? */
static bool sparse_pays(const cd_matrix *matrix)
{
    const double full = (double)matrix->n * matrix->n, share = 0.4;
    return matrix->n > 0 && (matrix->dense_up_to < 0 ||
                             (matrix->n > matrix->dense_up_to && matrix->entries < share * full));
}

/* Stores the indices of entries in those slots that need them; `index`: of all entries. */
static void store_indices(cd_matrix *matrix, const int *index)
{
    for (int i = 0; i < matrix->count; i++) {
        cd_slot *block = &matrix->slots[i];
        const size_t size = (size_t)block->pattern.entries * sizeof *index;
        if (matrix->sparse != NULL || (!block->diagonal && !block->pattern.full))
            block->index = cd_arena_take(matrix->arena, size);
        if (block->index != NULL)
            memcpy(block->index, index, size);
        index += block->pattern.entries;
    }
}

/* Makes block storage if it pays: all unknowns have units, and the factors are far from full. */
static void try_block_storage(cd_matrix *matrix)
{
    const double full = (double)matrix->n * matrix->n, share = 0.5;
    bool known = matrix->unit_of != NULL && matrix->n > 0 && matrix->n > matrix->dense_up_to;
    for (int i = 0; known && i < matrix->n; i++)
        known = matrix->unit_of[i] >= 0;
    if (!known)
        return;
    matrix->by_blocks = cd_block_matrix_create(
        matrix->arena, matrix->n, &matrix->units, matrix->slots, matrix->count,
        matrix->dense_up_to < 0 ? INFINITY : share * full, matrix->pool);
    if (matrix->by_blocks == NULL)
        return;
    matrix->by_blocks->unknowns = matrix->unknowns;
    matrix->values = matrix->by_blocks->values;
    matrix->entries = (int)cd_block_lu_entries(matrix->by_blocks->lu);
}

/* Makes the matrix sparse or dense, and stores where the entries of all slots are. */
static void make_sparse_or_dense(cd_matrix *matrix)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &matrix->arena->allocator);
    const cd_slot_index all = cd_slot_index_make(&scratch, matrix->slots, matrix->count);
    if (scratch.failed) {
        matrix->arena->failed = 1;
    } else {
        matrix->entries = all.distinct;
        if (sparse_pays(matrix))
            matrix->sparse =
                cd_slot_index_create_klu(matrix->arena, &all, matrix->n, matrix->unknowns);
        else
            make_dense(matrix, &all);
        if (matrix->sparse != NULL)
            matrix->values = cd_sparse_lu_values(matrix->sparse);
        store_indices(matrix, all.index);
    }
    cd_arena_destroy(&scratch);
}

void cd_matrix_seal(cd_matrix *matrix)
{
    try_block_storage(matrix);
    if (matrix->unit_of != NULL)
        cd_arena_forget(matrix->arena, matrix->unit_of,
                        (size_t)matrix->n * sizeof *matrix->unit_of);
    if (matrix->by_blocks == NULL && !matrix->arena->failed)
        make_sparse_or_dense(matrix);
}

void cd_matrix_set_team(cd_matrix *matrix, cd_team *team)
{
    matrix->team = team;
    if (matrix->by_blocks != NULL)
        matrix->by_blocks->lu->team = team;
}

void cd_matrix_discard_factors(const cd_matrix *matrix)
{
    if (matrix->by_blocks != NULL)
        cd_block_lu_discard(matrix->by_blocks->lu, matrix->arena);
}

cd_team *cd_matrix_team(const cd_matrix *matrix)
{
    return matrix->team;
}

static void clear_span(void *self, cd_span span)
{
    cd_zero(span.end - span.begin, (double *)self + span.begin);
}

void cd_matrix_clear(cd_matrix *matrix)
{
    cd_team_loop(matrix->team, matrix->entries, LEAST_CLEARED, clear_span, matrix->values);
}

static double *dense_entry(const cd_matrix *matrix, int row, int col)
{
    return matrix->values + (size_t)col * (size_t)matrix->n + row;
}

static void add_full_block(cd_matrix *matrix, const cd_slot *b, double weight, const double *values)
{
    const int rows = b->pattern.rows, cols = b->pattern.cols;
    if (b->transposed) {
        for (int i = 0; i < rows; i++)
            cd_add(cols, weight, values + (size_t)i * (size_t)cols,
                   dense_entry(matrix, b->row, b->col + i));
        return;
    }
    for (int j = 0; j < cols; j++) {
        double *column = dense_entry(matrix, b->row, b->col + j);
        for (int i = 0; i < rows; i++)
            column[i] += weight * values[i * cols + j];
    }
}

/* A block that is added to block storage. */
typedef struct addition {
    const cd_slot *slot;
    double weight;
    const double *values;
    double *to;
} addition;

/* Adds values to some tiles of a slot, which have no entry in common. */
static void add_tiles(void *self, cd_span span)
{
    const addition *it = self;
    for (const cd_tile *t = it->slot->tiles + span.begin; t < it->slot->tiles + span.end; t++)
        cd_tile_add(t, it->slot->transposed, it->weight, it->values, it->to);
}

void cd_matrix_add(cd_matrix *matrix, int slot, double weight, const double *values)
{
    const cd_slot *b = &matrix->slots[slot];
    addition it = {b, weight, values, matrix->values};
    if (matrix->by_blocks != NULL)
        cd_team_loop(matrix->team, b->tile_count, LEAST_TILES, add_tiles, &it);
    else if (b->index == NULL)
        add_full_block(matrix, b, weight, values);
    else
        for (int e = 0; e < b->pattern.entries; e++)
            matrix->values[b->index[e]] += weight * values[e];
}

cd_tile_list cd_matrix_tiles(cd_matrix *matrix, int slot)
{
    const cd_slot *b = &matrix->slots[slot];
    if (b->tiles == NULL || b->transposed)
        return (cd_tile_list){0};
    return (cd_tile_list){b->tiles, b->tile_count, matrix->values};
}

void cd_matrix_add_identity(cd_matrix *matrix, int slot, double weight)
{
    const cd_slot *b = &matrix->slots[slot];
    for (int i = 0; i < b->pattern.rows; i++)
        *(b->index != NULL ? matrix->values + b->index[i]
                           : dense_entry(matrix, b->row + i, b->col + i)) += weight;
}

/* Factors all but the tree. */
static cardan_status factor_storage(cd_matrix *matrix)
{
    if (matrix->by_blocks != NULL)
        return cd_block_matrix_factor(matrix->by_blocks);
    return matrix->sparse != NULL ? cd_sparse_lu_factor(matrix->sparse)
                                  : cd_dense_lu_factor(&matrix->dense);
}

static bool has_tree(const cd_matrix *matrix)
{
    return matrix->tree.tree != NULL;
}

cardan_status cd_matrix_factor(cd_matrix *matrix)
{
    const cardan_status status = factor_storage(matrix);
    return status == CARDAN_OK && has_tree(matrix) && !matrix->tree.regular ? CARDAN_SINGULAR_MATRIX
                                                                            : status;
}

bool cd_matrix_retry(cd_matrix *matrix)
{
    return matrix->by_blocks != NULL && cd_block_matrix_retry(matrix->by_blocks);
}

double cd_matrix_rcond(const cd_matrix *matrix)
{
    if (matrix->by_blocks != NULL)
        return cd_block_matrix_rcond(matrix->by_blocks);
    return matrix->sparse != NULL ? cd_sparse_lu_rcond(matrix->sparse) : matrix->dense.rcond;
}

void cd_matrix_solve(const cd_matrix *matrix, double *x)
{
    if (matrix->by_blocks != NULL)
        cd_block_matrix_solve(matrix->by_blocks, x);
    else if (matrix->sparse != NULL)
        cd_sparse_lu_solve(matrix->sparse, x);
    else
        cd_dense_lu_solve(&matrix->dense, x);
    if (has_tree(matrix))
        cd_tree_solve(&matrix->tree, x + matrix->n);
}

void cd_matrix_expand(const cd_matrix *matrix, double *out)
{
    const size_t n = (size_t)matrix->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = matrix->values[j * n + i];
}

/* ---- factors as bytes: those of the tree, then those of the storage ---- */

static size_t count_tree_bytes(const cd_matrix *matrix)
{
    return has_tree(matrix) ? matrix->tree.tree->numbers * sizeof *matrix->tree.values : 0;
}

static size_t count_storage_bytes(const cd_matrix *matrix)
{
    if (matrix->by_blocks != NULL)
        return cd_block_matrix_size(matrix->by_blocks);
    return matrix->sparse != NULL ? cd_sparse_lu_size(matrix->sparse)
                                  : cd_dense_lu_size(&matrix->dense);
}

size_t cd_matrix_factors_size(const cd_matrix *matrix)
{
    return count_tree_bytes(matrix) + count_storage_bytes(matrix);
}

bool cd_matrix_keeps_pivots(const cd_matrix *matrix)
{
    return matrix->by_blocks == NULL && matrix->sparse != NULL &&
           cd_sparse_lu_has_pivots(matrix->sparse);
}

void cd_matrix_save_factors(const cd_matrix *matrix, void *bytes)
{
    const size_t before = count_tree_bytes(matrix);
    if (before > 0)
        memcpy(bytes, matrix->tree.values, before);
    bytes = (char *)bytes + before;
    if (matrix->by_blocks != NULL)
        cd_block_matrix_save(matrix->by_blocks, bytes);
    else if (matrix->sparse != NULL)
        cd_sparse_lu_save(matrix->sparse, bytes);
    else
        cd_dense_lu_save(&matrix->dense, bytes);
}

bool cd_matrix_can_load_factors(const cd_matrix *matrix, const void *bytes)
{
    bytes = (const char *)bytes + count_tree_bytes(matrix);
    if (matrix->by_blocks != NULL)
        return cd_block_matrix_can_load(matrix->by_blocks, bytes);
    return matrix->sparse != NULL ? cd_sparse_lu_can_load(matrix->sparse, bytes)
                                  : cd_dense_lu_can_load(&matrix->dense, bytes);
}

void cd_matrix_load_factors(cd_matrix *matrix, const void *bytes)
{
    const size_t before = count_tree_bytes(matrix);
    if (before > 0)
        memcpy(matrix->tree.values, bytes, before);
    matrix->tree.regular = true;
    bytes = (const char *)bytes + before;
    if (matrix->by_blocks != NULL)
        cd_block_matrix_load(matrix->by_blocks, bytes);
    else if (matrix->sparse != NULL)
        cd_sparse_lu_load(matrix->sparse, bytes);
    else
        cd_dense_lu_load(&matrix->dense, bytes);
}

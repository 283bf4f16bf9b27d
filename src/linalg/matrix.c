/* Blocks and their places in dense, sparse or block storage. */
#include "matrix.h"

#include "base/numeric.h"
#include "dense_lu.h"
#include "slots.h"

struct cd_matrix {
    cd_arena *arena;
    int n, dense_up_to;
    cd_unknowns unknowns;
    cd_slot *slots;
    int count, capacity;
    int *unit_of; /* n, or NULL: not known */
    cd_unit_list units;
    cd_matrix_pool *pool; /* or NULL */
    double *values;       /* of the storage in use */
    int entries;          /* of sparse storage */
    cd_dense_lu dense;
    cd_sparse_lu *sparse;
    cd_block_matrix *by_blocks; /* both NULL: dense */
    cd_tree_factors tree;       /* of the unknowns from n on; tree.tree is NULL: none */
    cd_team *team;
};

enum { LEAST_TILES = 256, LEAST_CLEARED = 16384 }; /* that threads share */

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

void cd_matrix_tell(cd_matrix *matrix, cd_unknowns unknowns)
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

static int declare(cd_matrix *matrix, cd_slot slot)
{
    if (matrix->count == matrix->capacity) {
        int capacity = matrix->capacity > 0 ? 2 * matrix->capacity : 16;
        cd_slot *slots = cd_arena_take(matrix->arena, (size_t)capacity * sizeof *slots);
        if (slots == NULL)
            return 0;
        if (matrix->count > 0)
            memcpy(slots, matrix->slots, (size_t)matrix->count * sizeof *slots);
        matrix->slots = slots;
        matrix->capacity = capacity;
    }
    matrix->slots[matrix->count] = slot;
    return matrix->count++;
}

int cd_matrix_declare(cd_matrix *matrix, int row, int col, const cd_pattern *pattern)
{
    return declare(matrix, (cd_slot){.row = row, .col = col, .pattern = *pattern});
}

int cd_matrix_declare_transposed(cd_matrix *matrix, int row, int col, const cd_pattern *pattern)
{
    return declare(matrix,
                   (cd_slot){.row = row, .col = col, .pattern = *pattern, .transposed = true});
}

int cd_matrix_declare_diagonal(cd_matrix *matrix, int row, int col, int n)
{
    const cd_pattern size = {.rows = n, .cols = n, .entries = n};
    return declare(matrix, (cd_slot){.row = row, .col = col, .pattern = size, .diagonal = true});
}

void cd_matrix_share(cd_matrix *matrix, cd_matrix_pool *pool)
{
    matrix->pool = pool;
}

void cd_matrix_set_units(cd_matrix *matrix, cd_unit_list units)
{
    if (matrix->unit_of != NULL)
        return; /* those who share a matrix say the same */
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

void cd_matrix_belong(cd_matrix *matrix, int first, int count, int shift, const int *units)
{
    for (int i = 0; matrix->unit_of != NULL && i < count; i++)
        matrix->unit_of[first + i] = units[i] + shift;
}

/* All entries of all slots, while the matrix is sealed. */
typedef struct listing {
    size_t count;
    int *row, *col;
    int *order; /* their numbers by columns, and by rows within */
} listing;

static size_t count_entries(const cd_matrix *matrix)
{
    size_t count = 0;
    for (int i = 0; i < matrix->count; i++)
        count += (size_t)matrix->slots[i].pattern.entries;
    return count;
}

/* Stable counting sort of numbers by their keys < n. */
static void sort_by(const int *key, int n, size_t count, const int *from, int *to, size_t *start)
{
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[key[i] + 1]++;
    for (int i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < count; i++) {
        const int number = from != NULL ? from[i] : (int)i;
        to[start[key[number]]++] = number;
    }
}

static bool list_entries(const cd_matrix *matrix, cd_arena *scratch, listing *all)
{
    all->count = count_entries(matrix);
    all->row = cd_arena_take(scratch, all->count * sizeof(int));
    all->col = cd_arena_take(scratch, all->count * sizeof(int));
    all->order = cd_arena_take(scratch, all->count * sizeof(int));
    int *by_row = cd_arena_take(scratch, all->count * sizeof(int));
    size_t *start = cd_arena_take(scratch, ((size_t)matrix->n + 1) * sizeof *start);
    if (scratch->failed)
        return false;
    size_t next = 0;
    for (int i = 0; i < matrix->count; i++) {
        cd_slot_list(&matrix->slots[i], all->row + next, all->col + next);
        next += (size_t)matrix->slots[i].pattern.entries;
    }
    sort_by(all->row, matrix->n, all->count, NULL, by_row, start);
    sort_by(all->col, matrix->n, all->count, by_row, all->order, start);
    return true;
}

/* Numbers different places in order; their number is returned. */
static int number_places(const listing *all, int *place)
{
    int last = -1;
    for (size_t i = 0; i < all->count; i++) {
        const int now = all->order[i], before = i > 0 ? all->order[i - 1] : now;
        if (i == 0 || all->row[now] != all->row[before] || all->col[now] != all->col[before])
            last++;
        place[now] = last;
    }
    return last + 1;
}

static void make_sparse(cd_matrix *matrix, const listing *all, const int *place)
{
    int *start = cd_arena_take(matrix->arena, ((size_t)matrix->n + 1) * sizeof *start);
    int *row = cd_arena_take(matrix->arena, (size_t)matrix->entries * sizeof *row);
    if (matrix->arena->failed)
        return;
    for (size_t i = 0; i < all->count; i++) {
        row[place[i]] = all->row[i];
        start[all->col[i] + 1] =
            place[i] + 1 > start[all->col[i] + 1] ? place[i] + 1 : start[all->col[i] + 1];
    }
    for (int j = 0; j < matrix->n; j++) /* columns without entries */
        if (start[j + 1] < start[j])
            start[j + 1] = start[j];
    matrix->sparse = cd_sparse_lu_create(matrix->arena, matrix->n, start, row);
    if (matrix->sparse == NULL)
        return;
    cd_sparse_lu_tell(matrix->sparse, matrix->unknowns);
    matrix->values = cd_sparse_lu_values(matrix->sparse);
}

static void make_dense(cd_matrix *matrix)
{
    cd_dense_lu_init(&matrix->dense, matrix->arena, matrix->n);
    matrix->dense.unknowns = matrix->unknowns;
    matrix->values = matrix->dense.values;
}

/* Sparse storage pays for a matrix that is large and has enough zeros. */
static bool pays(const cd_matrix *matrix)
{
    const double full = (double)matrix->n * matrix->n, share = 0.4;
    return matrix->n > 0 && (matrix->dense_up_to < 0 ||
                             (matrix->n > matrix->dense_up_to && matrix->entries < share * full));
}

static bool needs_places(const cd_matrix *matrix, const cd_slot *block)
{
    return matrix->sparse != NULL || (!block->diagonal && !block->pattern.full);
}

static int place_of(const cd_matrix *matrix, const listing *all, const int *place, size_t entry)
{
    return matrix->sparse != NULL ? place[entry] : all->col[entry] * matrix->n + all->row[entry];
}

/* Gives every block that needs them the places of its entries. */
static void keep_places(cd_matrix *matrix, const listing *all, const int *place)
{
    size_t next = 0;
    for (int i = 0; i < matrix->count; i++) {
        cd_slot *block = &matrix->slots[i];
        const int entries = block->pattern.entries;
        if (needs_places(matrix, block))
            block->place = cd_arena_take(matrix->arena, (size_t)entries * sizeof(int));
        for (int e = 0; block->place != NULL && e < entries; e++)
            block->place[e] = place_of(matrix, all, place, next + (size_t)e);
        next += (size_t)entries;
    }
}

/* Blocks pay if units are known that consist of several unknowns, and if the factors are far from
 * full. */
static void try_blocks(cd_matrix *matrix)
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
    cd_block_matrix_tell(matrix->by_blocks, matrix->unknowns);
    matrix->values = cd_block_matrix_values(matrix->by_blocks);
}

static void place_entries(cd_matrix *matrix)
{
    cd_arena scratch;
    listing all;
    cd_arena_init(&scratch, &matrix->arena->allocator);
    int *place = cd_arena_take(&scratch, count_entries(matrix) * sizeof *place);
    if (place == NULL || !list_entries(matrix, &scratch, &all)) {
        matrix->arena->failed = 1;
    } else {
        matrix->entries = number_places(&all, place);
        if (pays(matrix))
            make_sparse(matrix, &all, place);
        else
            make_dense(matrix);
        keep_places(matrix, &all, place);
    }
    cd_arena_destroy(&scratch);
}

void cd_matrix_seal(cd_matrix *matrix)
{
    try_blocks(matrix);
    if (matrix->unit_of != NULL)
        cd_arena_forget(matrix->arena, matrix->unit_of,
                        (size_t)matrix->n * sizeof *matrix->unit_of);
    if (matrix->by_blocks == NULL && !matrix->arena->failed)
        place_entries(matrix);
}

void cd_matrix_set_team(cd_matrix *matrix, cd_team *team)
{
    matrix->team = team;
    if (matrix->by_blocks != NULL)
        cd_block_matrix_set_team(matrix->by_blocks, team);
}

void cd_matrix_rest(const cd_matrix *matrix)
{
    if (matrix->by_blocks != NULL)
        cd_block_matrix_rest(matrix->by_blocks);
}

cd_team *cd_matrix_team(const cd_matrix *matrix)
{
    return matrix->team;
}

static void clear_blocks(void *self, cd_span span)
{
    double *values = self;
    memset(values + span.begin, 0, (size_t)(span.end - span.begin) * sizeof *values);
}

void cd_matrix_clear(cd_matrix *matrix)
{
    if (matrix->by_blocks != NULL) {
        cd_team_loop(matrix->team, (int)cd_block_matrix_entries(matrix->by_blocks), LEAST_CLEARED,
                     clear_blocks, matrix->values);
        return;
    }
    const size_t n = (size_t)matrix->n;
    const size_t count = matrix->sparse != NULL ? (size_t)matrix->entries : n * n;
    if (count > 0)
        memset(matrix->values, 0, count * sizeof *matrix->values);
}

static double *dense_entry(const cd_matrix *matrix, int row, int col)
{
    return matrix->values + (size_t)col * (size_t)matrix->n + row;
}

static void add_dense(cd_matrix *matrix, const cd_slot *b, double weight, const double *values)
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

/* The tiles of a slot have no entry in common. */
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
    else if (b->place == NULL)
        add_dense(matrix, b, weight, values);
    else
        for (int e = 0; e < b->pattern.entries; e++)
            matrix->values[b->place[e]] += weight * values[e];
}

cd_tile_list cd_matrix_tiles(cd_matrix *matrix, int slot)
{
    const cd_slot *b = &matrix->slots[slot];
    if (b->tiles == NULL || b->transposed)
        return (cd_tile_list){0};
    return (cd_tile_list){b->tiles, b->tile_count, matrix->values};
}

const cd_block_lu *cd_matrix_lu(const cd_matrix *matrix)
{
    return matrix->by_blocks != NULL ? cd_block_matrix_lu(matrix->by_blocks) : NULL;
}

/* In block storage. */
static void add_to_runs(void *self, cd_span span)
{
    const addition *it = self;
    for (const cd_run *run = it->slot->runs + span.begin; run < it->slot->runs + span.end; run++)
        for (unsigned i = 0; i < run->count; i++)
            it->to[(unsigned)run->place + i * run->stride] += it->weight;
}

void cd_matrix_add_identity(cd_matrix *matrix, int slot, double weight)
{
    const cd_slot *b = &matrix->slots[slot];
    if (b->runs != NULL) {
        addition it = {b, weight, NULL, matrix->values};
        cd_team_loop(matrix->team, b->run_count, LEAST_TILES, add_to_runs, &it);
        return;
    }
    for (int i = 0; i < b->pattern.rows; i++)
        *(b->place != NULL ? matrix->values + b->place[i]
                           : dense_entry(matrix, b->row + i, b->col + i)) += weight;
}

static cardan_status factor_main(cd_matrix *matrix)
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
    const cardan_status status = factor_main(matrix);
    return status == CARDAN_OK && has_tree(matrix) && !matrix->tree.regular ? CARDAN_SINGULAR_MATRIX
                                                                            : status;
}

bool cd_matrix_retry(cd_matrix *matrix)
{
    return matrix->by_blocks != NULL && cd_block_matrix_retry(matrix->by_blocks);
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

bool cd_matrix_is_sparse(const cd_matrix *matrix)
{
    return matrix->sparse != NULL || matrix->by_blocks != NULL;
}

bool cd_matrix_has_blocks(const cd_matrix *matrix)
{
    return matrix->by_blocks != NULL;
}

cd_sparse_lu_counts cd_matrix_statistics(const cd_matrix *matrix)
{
    cd_sparse_lu_counts counts = {0};
    if (matrix->by_blocks != NULL)
        counts = cd_block_matrix_statistics(matrix->by_blocks);
    else if (matrix->sparse != NULL)
        counts = cd_sparse_lu_statistics(matrix->sparse);
    if (has_tree(matrix))
        counts.factor_entries += (long)matrix->tree.tree->numbers;
    return counts;
}

/* ---- bytes: of the tree, then of the others ---- */

static size_t tree_size(const cd_matrix *matrix)
{
    return has_tree(matrix) ? matrix->tree.tree->numbers * sizeof *matrix->tree.values : 0;
}

static size_t main_size(const cd_matrix *matrix)
{
    if (matrix->by_blocks != NULL)
        return cd_block_matrix_size(matrix->by_blocks);
    return matrix->sparse != NULL ? cd_sparse_lu_size(matrix->sparse)
                                  : cd_dense_lu_size(&matrix->dense);
}

size_t cd_matrix_factors_size(const cd_matrix *matrix)
{
    return tree_size(matrix) + main_size(matrix);
}

void cd_matrix_save_factors(const cd_matrix *matrix, void *bytes)
{
    const size_t before = tree_size(matrix);
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

bool cd_matrix_accepts_factors(const cd_matrix *matrix, const void *bytes)
{
    bytes = (const char *)bytes + tree_size(matrix);
    if (matrix->by_blocks != NULL)
        return cd_block_matrix_accepts(matrix->by_blocks, bytes);
    return matrix->sparse != NULL ? cd_sparse_lu_accepts(matrix->sparse, bytes)
                                  : cd_dense_lu_accepts(&matrix->dense, bytes);
}

void cd_matrix_load_factors(cd_matrix *matrix, const void *bytes)
{
    const size_t before = tree_size(matrix);
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

/* Blocks are sets of rows and columns that the pattern connects, found by a search. The eigenvalues
 * of each are those of a full matrix. */
#include "block_eigen.h"

#include "base/numeric.h"
#include "dense.h"

/* Rows and columns that are connected with a first one. */
typedef struct block {
    int count;
    int *member; /* their indices in the matrix */
    int *local;  /* of every row of the matrix: index in its block + 1, or 0 */
} block;

/* Adds a row to the block if it is new; false if the block is too large. */
static bool add_member(block *b, int number)
{
    if (b->local[number] != 0)
        return true;
    if (b->count == CD_LARGEST_BLOCK)
        return false;
    b->member[b->count] = number;
    b->local[number] = ++b->count;
    return true;
}

/* Adds all rows that are connected with the first, by entries of the matrix or of its transpose. */
static bool complete_block(const cd_pattern *p, const cd_pattern *transposed, block *b)
{
    for (int i = 0; i < b->count; i++) {
        const int row = b->member[i];
        for (int e = cd_pattern_begin(p, row); e < cd_pattern_end(p, row); e++)
            if (!add_member(b, cd_pattern_column(p, row, e)))
                return false;
        for (int e = transposed->row_start[row]; e < transposed->row_start[row + 1]; e++)
            if (!add_member(b, transposed->column[e]))
                return false;
    }
    return true;
}

static void fill_symmetric_part(const cd_pattern *p, const double *values, const double *scale,
                                const block *b, double *full)
{
    const int n = b->count;
    cd_zero(n * n, full);
    for (int i = 0; i < n; i++) {
        const int row = b->member[i];
        for (int e = cd_pattern_begin(p, row); e < cd_pattern_end(p, row); e++) {
            const int column = cd_pattern_column(p, row, e), j = b->local[column] - 1;
            const double unit = scale != NULL ? scale[row] * scale[column] : 1.0;
            full[i * n + j] += 0.5 * values[e] / unit;
            full[j * n + i] += 0.5 * values[e] / unit;
        }
    }
}

static bool find_eigenvalues(cd_arena *arena, const cd_pattern *p, const double *values,
                             const double *scale, const block *b, double *eigenvalues)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    double *full = cd_arena_doubles(&scratch, b->count * b->count);
    bool found = full != NULL;
    if (found) {
        fill_symmetric_part(p, values, scale, b, full);
        found = cd_symmetric_eigen(&scratch, b->count, full, eigenvalues);
    }
    cd_arena_destroy(&scratch);
    return found;
}

bool cd_block_eigenvalues(cd_arena *arena, const cd_pattern *pattern, const double *values,
                          const double *scale, double *eigenvalues)
{
    block b = {.member = cd_arena_take(arena, CD_LARGEST_BLOCK * sizeof(int)),
               .local = cd_arena_take(arena, (size_t)pattern->rows * sizeof(int))};
    const cd_pattern transposed = cd_pattern_transpose(arena, pattern, NULL);
    int found = 0;
    for (int i = 0; !arena->failed && i < pattern->rows; i++) {
        if (b.local[i] != 0)
            continue;
        b.count = 0;
        if (!add_member(&b, i) || !complete_block(pattern, &transposed, &b) ||
            !find_eigenvalues(arena, pattern, values, scale, &b, eigenvalues + found))
            return false;
        found += b.count;
    }
    return !arena->failed;
}

/* Greedy colouring of columns in their order, which is optimal for bands. A colour is a group. */
#include "colouring.h"

static int *allocate_ints(cd_arena *arena, int count)
{
    return cd_arena_take(arena, (size_t)count * sizeof(int));
}

/* The first colour of no earlier column with a common row; `used` marks others by column + 1. */
static int choose_colour(const cd_pattern *rows, const cd_pattern *columns, int column,
                         const int *colour, int *used)
{
    for (int e = columns->row_start[column]; e < columns->row_start[column + 1]; e++) {
        const int row = columns->column[e];
        for (int f = cd_pattern_begin(rows, row); f < cd_pattern_end(rows, row); f++) {
            const int other = cd_pattern_column(rows, row, f);
            if (other < column)
                used[colour[other]] = column + 1;
        }
    }
    int chosen = 0;
    while (used[chosen] == column + 1)
        chosen++;
    return chosen;
}

static int colour_columns(cd_arena *scratch, const cd_pattern *closed, int *colour)
{
    const cd_pattern columns = cd_pattern_transpose(scratch, closed, NULL);
    int *used = allocate_ints(scratch, closed->cols + 1), groups = 0;
    if (scratch->failed)
        return 0;
    for (int j = 0; j < closed->cols; j++) {
        colour[j] = choose_colour(closed, &columns, j, colour, used);
        if (colour[j] >= groups)
            groups = colour[j] + 1;
    }
    return groups;
}

/* The numbers 0 ... count - 1 sorted by colour; `starts`: where each colour begins. */
static const int *sort_by_colour(cd_arena *arena, int count, const int *colour, int groups,
                                 const int **starts)
{
    int *start = allocate_ints(arena, groups + 2), *order = allocate_ints(arena, count);
    if (arena->failed)
        return NULL;
    for (int i = 0; i < count; i++)
        start[colour[i] + 2]++;
    for (int g = 0; g < groups; g++)
        start[g + 2] += start[g + 1];
    for (int i = 0; i < count; i++)
        order[start[colour[i] + 1]++] = i;
    *starts = start;
    return order;
}

/* Sorts the entries of the pattern by group; `scratch`: one number for each entry. */
static void group_entries(cd_arena *arena, const cd_pattern *p, const int *colour, int *scratch,
                          cd_colouring *out)
{
    int *row = allocate_ints(arena, p->entries), *column = allocate_ints(arena, p->entries);
    for (int i = 0; i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++)
            scratch[e] = colour[cd_pattern_column(p, i, e)];
    out->entry = sort_by_colour(arena, p->entries, scratch, out->groups, &out->entry_start);
    if (arena->failed)
        return;
    for (int i = 0; i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++)
            scratch[e] = i;
    for (int e = 0; e < p->entries; e++) {
        row[e] = scratch[out->entry[e]];
        column[e] = cd_pattern_column(p, row[e], out->entry[e]);
    }
    out->row = row;
    out->entry_column = column;
}

cd_colouring cd_colouring_make(cd_arena *arena, const cd_pattern *pattern, cd_runs runs)
{
    cd_arena scratch;
    cd_colouring out = {0};
    cd_arena_init(&scratch, &arena->allocator);
    const cd_pattern closed = cd_pattern_complete_runs(&scratch, pattern, runs);
    int *colour = allocate_ints(&scratch, pattern->cols);
    int *of_entry = allocate_ints(&scratch, pattern->entries);
    if (!scratch.failed)
        out.groups = colour_columns(&scratch, &closed, colour);
    if (scratch.failed) {
        arena->failed = 1;
    } else {
        out.column = sort_by_colour(arena, pattern->cols, colour, out.groups, &out.column_start);
        if (!arena->failed)
            group_entries(arena, pattern, colour, of_entry, &out);
    }
    cd_arena_destroy(&scratch);
    return out;
}

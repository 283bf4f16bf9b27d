/* Lists the entries of declared blocks, and sorts them by columns. */
#include "slots.h"

#include <stdlib.h>

void cd_slot_list_entries(const cd_slot *slot, int *rows, int *cols)
{
    const cd_pattern *p = &slot->pattern;
    for (int i = 0; slot->diagonal && i < p->rows; i++) {
        rows[i] = slot->row + i;
        cols[i] = slot->col + i;
    }
    for (int i = 0; !slot->diagonal && i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++) {
            const int j = cd_pattern_column(p, i, e);
            rows[e] = slot->row + (slot->transposed ? j : i);
            cols[e] = slot->col + (slot->transposed ? i : j);
        }
}

/* For qsort: by column, row and number. */
static int compare_columns(const void *a, const void *b)
{
    const cd_slot_entry *one = a, *two = b;
    if (one->col != two->col)
        return one->col - two->col;
    return one->row != two->row ? one->row - two->row : one->number - two->number;
}

/* Numbers entries with different rows or columns, in their order. */
static void number_distinct(cd_slot_index *all)
{
    const cd_slot_entry *entry = all->entry;
    for (size_t i = 0; i < all->count; i++) {
        if (i == 0 || entry[i].row != entry[i - 1].row || entry[i].col != entry[i - 1].col)
            all->distinct++;
        all->index[entry[i].number] = all->distinct - 1;
    }
}

cd_slot_index cd_slot_index_make(cd_arena *arena, const cd_slot *slots, int slot_count)
{
    cd_slot_index all = {0};
    for (int s = 0; s < slot_count; s++)
        all.count += (size_t)slots[s].pattern.entries;
    int *row = cd_arena_take(arena, all.count * sizeof *row), next = 0;
    int *col = cd_arena_take(arena, all.count * sizeof *col);
    all.entry = cd_arena_take(arena, all.count * sizeof *all.entry);
    all.index = cd_arena_take(arena, all.count * sizeof *all.index);
    if (arena->failed)
        return all;
    for (int s = 0; s < slot_count; s++) {
        cd_slot_list_entries(&slots[s], row + next, col + next);
        next += slots[s].pattern.entries;
    }
    for (size_t i = 0; i < all.count; i++)
        all.entry[i] = (cd_slot_entry){row[i], col[i], (int)i};
    qsort(all.entry, all.count, sizeof *all.entry, compare_columns);
    number_distinct(&all);
    return all;
}

cd_sparse_lu *cd_slot_index_create_klu(cd_arena *arena, const cd_slot_index *all, int n,
                                       cd_unknowns unknowns)
{
    int *start = cd_arena_take(arena, ((size_t)n + 1) * sizeof *start);
    int *row = cd_arena_take(arena, (size_t)all->distinct * sizeof *row);
    if (arena->failed)
        return NULL;
    for (const cd_slot_entry *e = all->entry; e < all->entry + all->count; e++) {
        row[all->index[e->number]] = e->row;
        start[e->col + 1] = all->index[e->number] + 1;
    }
    for (int j = 0; j < n; j++) /* columns without entries */
        if (start[j + 1] < start[j])
            start[j + 1] = start[j];
    cd_sparse_lu *lu = cd_sparse_lu_create(arena, n, start, row);
    if (lu != NULL)
        cd_sparse_lu_set_unknowns(lu, unknowns);
    return lu;
}

/* Lists the entries of declared blocks, and sorts them by columns. */
#include "slots.h"

#include <stdlib.h>

void cd_slot_list(const cd_slot *slot, int *rows, int *cols)
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

static int by_columns(const void *a, const void *b)
{
    const cd_slot_entry *one = a, *two = b;
    if (one->col != two->col)
        return one->col - two->col;
    return one->row != two->row ? one->row - two->row : one->number - two->number;
}

/* Numbers different places in the order of their entries. */
static void number_places(cd_slot_places *all)
{
    const cd_slot_entry *entry = all->entry;
    for (size_t i = 0; i < all->count; i++) {
        if (i == 0 || entry[i].row != entry[i - 1].row || entry[i].col != entry[i - 1].col)
            all->places++;
        all->place[entry[i].number] = all->places - 1;
    }
}

cd_slot_places cd_slot_places_find(cd_arena *arena, const cd_slot *slots, int slot_count)
{
    cd_slot_places all = {0};
    for (int s = 0; s < slot_count; s++)
        all.count += (size_t)slots[s].pattern.entries;
    int *row = cd_arena_take(arena, all.count * sizeof *row), next = 0;
    int *col = cd_arena_take(arena, all.count * sizeof *col);
    all.entry = cd_arena_take(arena, all.count * sizeof *all.entry);
    all.place = cd_arena_take(arena, all.count * sizeof *all.place);
    if (arena->failed)
        return all;
    for (int s = 0; s < slot_count; s++) {
        cd_slot_list(&slots[s], row + next, col + next);
        next += slots[s].pattern.entries;
    }
    for (size_t i = 0; i < all.count; i++)
        all.entry[i] = (cd_slot_entry){row[i], col[i], (int)i};
    qsort(all.entry, all.count, sizeof *all.entry, by_columns);
    number_places(&all);
    return all;
}

cd_sparse_lu *cd_slot_places_sparse(cd_arena *arena, const cd_slot_places *all, int n,
                                    cd_unknowns unknowns)
{
    int *start = cd_arena_take(arena, ((size_t)n + 1) * sizeof *start);
    int *row = cd_arena_take(arena, (size_t)all->places * sizeof *row);
    if (arena->failed)
        return NULL;
    for (const cd_slot_entry *e = all->entry; e < all->entry + all->count; e++) {
        row[all->place[e->number]] = e->row;
        start[e->col + 1] = all->place[e->number] + 1;
    }
    for (int j = 0; j < n; j++) /* columns without entries */
        if (start[j + 1] < start[j])
            start[j + 1] = start[j];
    cd_sparse_lu *lu = cd_sparse_lu_create(arena, n, start, row);
    if (lu != NULL)
        cd_sparse_lu_tell(lu, unknowns);
    return lu;
}

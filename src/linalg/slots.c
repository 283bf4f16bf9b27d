/* Lists the entries of a declared block. */
#include "linalg/slots.h"

static void list_cells(const cd_slot *slot, int *rows, int *cols)
{
    int e = 0;
    for (const cd_cell *cell = slot->cells; cell < slot->cells + slot->cell_count; cell++)
        for (int j = 0; j < cell->cols; j++)
            for (int i = 0; i < cell->rows; i++, e++) {
                rows[e] = cell->row + i;
                cols[e] = cell->col + j;
            }
}

int cd_slot_columns(const cd_slot *slot)
{
    int count = 0;
    for (int c = 0; c < slot->cell_count; c++)
        count += slot->cells[c].cols;
    return count;
}

void cd_slot_list(const cd_slot *slot, int *rows, int *cols)
{
    const cd_pattern *p = &slot->pattern;
    if (slot->cells != NULL) {
        list_cells(slot, rows, cols);
        return;
    }
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

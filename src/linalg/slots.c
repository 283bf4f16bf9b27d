/* Lists the entries of a declared block. */
#include "slots.h"

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

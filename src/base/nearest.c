/* Names are compared by the number of edits between them, for proposals in error messages. */
#include "nearest.h"

#include <string.h>

enum { LONGEST = 63 }; /* letters of a name that is compared */

static int least_of_three(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* How many insertions, deletions, replacements and swaps of neighbours turn a into b. */
static int edit_distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1]; /* of the table of edits: for the last letters of a */
    const int columns = (int)strlen(b);
    int *above = rows[0], *before = rows[1], *row = rows[2];
    for (int j = 0; j <= columns; j++)
        row[j] = j;
    for (int i = 0; a[i] != '\0'; i++) {
        int *free_row = above;
        above = before;
        before = row;
        row = free_row;
        row[0] = i + 1;
        for (int j = 1; j <= columns; j++) {
            const int replaced = before[j - 1] + (a[i] == b[j - 1] ? 0 : 1);
            row[j] = least_of_three(before[j] + 1, row[j - 1] + 1, replaced);
            if (i > 0 && j > 1 && a[i] == b[j - 2] && a[i - 1] == b[j - 1])
                row[j] = least_of_three(row[j], above[j - 2] + 1, row[j]);
        }
    }
    return row[columns];
}

int cd_nearest_name(const char *text, const void *list, int count, cd_name_at *name)
{
    const int own = (int)strlen(text);
    int best = -1, best_distance = 0;
    if (own > LONGEST)
        return -1;
    for (int i = 0; i < count; i++) {
        const char *candidate = name(list, i);
        int length = (int)strlen(candidate);
        if (length > LONGEST)
            continue;
        int edits = edit_distance(text, candidate);
        if (3 * edits <= (own > length ? own : length) + 1 && (best < 0 || edits < best_distance)) {
            best = i;
            best_distance = edits;
        }
    }
    return best;
}

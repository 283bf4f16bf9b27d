/* Levenshtein distance, for proposals in error sentences. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Insertions, deletions and replacements that turn a into b. */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1];
    int columns = (int)strlen(b);
    for (int j = 0; j <= columns; j++)
        row[j] = j;
    for (int i = 0; a[i] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 1; j <= columns; j++) {
            int replaced = diagonal + (a[i] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, replaced);
        }
    }
    return row[columns];
}

int cd_nearest_name(const char *text, const void *list, int count, cd_name_at *name)
{
    int best = -1, best_distance = 0;
    if (strlen(text) > LONGEST)
        return -1;
    for (int i = 0; i < count; i++) {
        const char *candidate = name(list, i);
        int length = (int)strlen(candidate);
        if (length > LONGEST)
            continue;
        int edits = distance(text, candidate);
        if (2 * edits <= length + 1 && (best < 0 || edits < best_distance)) {
            best = i;
            best_distance = edits;
        }
    }
    return best;
}

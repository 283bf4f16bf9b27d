/* Which units a part consists of; block_lu.c eliminates them. */
#include "block_part.h"

#include "base/numeric.h"

#include <stdlib.h>

enum { LARGEST = 8, /* a part has no more than 1/LARGEST of the factors */ LEAST_UNITS = 512 };

bool cd_block_part_make(cd_block_lu *lu, cd_arena *arena)
{
    cd_block_part *part = &lu->part;
    size_t largest = 0;
    if (lu->count < LEAST_UNITS)
        return true;
    for (int i = 0; i < lu->count; i++) {
        const size_t numbers = lu->offset[i + 1] - lu->offset[i];
        largest = numbers > largest ? numbers : largest;
    }
    part->most = lu->count / LARGEST;
    part->room = (lu->offset[lu->count] + (size_t)lu->n) / LARGEST;
    part->in = cd_arena_take(arena, (size_t)lu->count * sizeof *part->in);
    part->unit = cd_arena_take(arena, (size_t)part->most * sizeof *part->unit);
    part->base = cd_arena_take(arena, part->room * sizeof *part->base);
    part->dump = cd_arena_take(arena, largest * sizeof *part->dump);
    part->task = (cd_block_task){.units = {0, lu->count}, .last = -1};
    cd_block_equip(lu, arena, &part->task);
    return !arena->failed;
}

static size_t numbers_of(const cd_block_lu *lu, int unit)
{
    return lu->offset[unit + 1] - lu->offset[unit] + (size_t)cd_block_size(lu, unit);
}

/* The unit that is the first to be acted on by a unit; -1: there is none. */
static int parent_of(const cd_block_lu *lu, int unit)
{
    const cd_span reach = cd_block_reach(lu, unit);
    return reach.begin < reach.end ? lu->order.reach[reach.begin] : -1;
}

/* A unit with its ancestors, as far as they are not in the part; false: that makes too many. */
static bool include(cd_block_lu *lu, int unit, int most)
{
    cd_block_part *part = &lu->part;
    for (; unit >= 0 && !part->in[unit]; unit = parent_of(lu, unit)) {
        if (part->count == most || part->numbers + numbers_of(lu, unit) > part->room)
            return false;
        part->in[unit] = 1;
        part->unit[part->count++] = unit;
        part->numbers += numbers_of(lu, unit);
    }
    return true;
}

/* Drops the units that were included last. */
static void exclude(cd_block_lu *lu, int count)
{
    cd_block_part *part = &lu->part;
    while (part->count > count) {
        const int unit = part->unit[--part->count];
        part->in[unit] = 0;
        part->numbers -= numbers_of(lu, unit);
    }
}

static bool is_above(const cd_block_lu *lu, int unit, int rows, double limit, const double *x)
{
    for (int i = lu->first[unit]; i < lu->first[unit + 1]; i++)
        if (lu->unknown[i] < rows && fabs(x[lu->unknown[i]]) > limit)
            return true;
    return false;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

bool cd_block_part_choose(cd_block_lu *lu, int rows, double limit, const double *x, int growth)
{
    cd_block_part *part = &lu->part;
    const int before = part->count;
    const int most = growth > 0 && before < part->most / growth ? growth * before : part->most;
    bool fits = part->in != NULL;
    for (int unit = 0; fits && unit < lu->count; unit++)
        if (!part->in[unit] && is_above(lu, unit, rows, limit, x))
            fits = include(lu, unit, most);
    if (!fits)
        exclude(lu, before);
    if (part->count == before)
        return fits;
    qsort(part->unit, (size_t)part->count, sizeof *part->unit, ascending);
    part->based = false;
    return true;
}

void cd_block_part_forget(cd_block_lu *lu)
{
    exclude(lu, 0);
    lu->part.open = false;
}

double cd_block_part_share(const cd_block_lu *lu)
{
    return (double)lu->part.numbers / (double)(lu->offset[lu->count] + (size_t)lu->n);
}

/* ---- bytes: how many, and which; the rest of the list is zero ---- */

size_t cd_block_part_size(const cd_block_lu *lu)
{
    return lu->part.in != NULL ? ((size_t)lu->part.most + 1) * sizeof(int) : 0;
}

void cd_block_part_save(const cd_block_lu *lu, char *bytes)
{
    const cd_block_part *part = &lu->part;
    if (part->in == NULL)
        return;
    memset(bytes, 0, cd_block_part_size(lu));
    memcpy(bytes, &part->count, sizeof part->count);
    memcpy(bytes + sizeof part->count, part->unit, (size_t)part->count * sizeof *part->unit);
}

static int number_at(const char *bytes, int i)
{
    int number;
    memcpy(&number, bytes + (size_t)i * sizeof number, sizeof number);
    return number;
}

bool cd_block_part_accepts(const cd_block_lu *lu, const char *bytes)
{
    if (lu->part.in == NULL)
        return true;
    const int count = number_at(bytes, 0);
    if (count < 0 || count > lu->part.most)
        return false;
    for (int i = 1; i <= count; i++)
        if (number_at(bytes, i) < 0 || number_at(bytes, i) >= lu->count)
            return false;
    return true;
}

void cd_block_part_load(cd_block_lu *lu, const char *bytes)
{
    cd_block_part *part = &lu->part;
    if (part->in == NULL)
        return;
    bool fits = true;
    cd_block_part_forget(lu);
    for (int i = 1; fits && i <= number_at(bytes, 0); i++)
        fits = include(lu, number_at(bytes, i), part->most);
    if (!fits)
        cd_block_part_forget(lu);
    qsort(part->unit, (size_t)part->count, sizeof *part->unit, ascending);
    part->based = part->open = false;
}

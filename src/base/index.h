/* Arrays that grow while an object is filled, and names or other bytes found in constant time. */
#ifndef CD_BASE_INDEX_H
#define CD_BASE_INDEX_H

#include "memory.h"

#include <stdbool.h>

/* Room for one more item of `size` bytes behind `count` of them: the array, moved if it had to be;
 * NULL without memory (the old array is then still there). */
void *cd_grow(const cardan_allocator *allocator, void *items, int count, int *capacity,
              size_t size);

/* Keys with their numbers 0, 1, 2, ... in the order in which they were added. All zero: no keys,
 * and malloc. */
typedef struct cd_index {
    cardan_allocator allocator;
    const void **key; /* count; names, not copied, or data that cd_index_keep has copied */
    bool keeps;       /* the latter: their sizes lie before them */
    int count, capacity;
    int *slot; /* open addressing: number + 1, or 0 */
    int slots; /* a power of two, more than twice count; or 0 */
} cd_index;

void cd_index_init(cd_index *index, const cardan_allocator *allocator);
/* Forgets all keys; memory that was kept stays in its arena. */
void cd_index_destroy(cd_index *index);

/* The number of a name, or -1. */
int cd_index_find(const cd_index *index, const char *name);

/* Adds a name that is not there yet; it must outlive the index. False without memory. */
bool cd_index_add(cd_index *index, const char *name);

static inline const char *cd_index_name(const cd_index *index, int i)
{
    return index->key[i];
}

/* Equal data kept once: large models are made of many bodies and joints that are the same. Returns
 * the bytes of `data` in memory of the arena: those of an earlier call with the same bytes, or a
 * copy. NULL without memory. Where padding differs equal structures are just kept twice. */
const void *cd_index_keep(cd_index *index, cd_arena *arena, const void *data, size_t size);

#endif

/* Arrays that grow, and a hash table that numbers names or other keys and finds them again. */
#ifndef CD_BASE_INDEX_H
#define CD_BASE_INDEX_H

#include "memory.h"

#include <stdbool.h>

/* Makes room for one more item of `size` bytes in an array of `count` items; returns the array,
 * which may have moved. NULL if memory runs out (the old array then still exists). */
void *cd_grow(const cardan_allocator *allocator, void *items, int count, int *capacity,
              size_t size);

/* Keys, numbered 0, 1, 2, ... as they are added. An index of zeros has no keys and uses malloc. */
typedef struct cd_index {
    cardan_allocator allocator;
    const void **key; /* count: names, which are not copied, or copies made by cd_index_keep */
    bool keeps;       /* keys are such copies, each with its size stored before it */
    int count, capacity;
    int *slot; /* the hash table, with open addressing: number of a key + 1, or 0 */
    int slots; /* a power of two, more than twice count; or 0 */
} cd_index;

void cd_index_init(cd_index *index, const cardan_allocator *allocator);
/* Forgets all keys; copies stay in their arena. */
void cd_index_destroy(cd_index *index);

/* The number of a name, or -1. */
int cd_index_find(const cd_index *index, const char *name);

/* Adds a new name, which must outlive the index. False if memory runs out. */
bool cd_index_add(cd_index *index, const char *name);

static inline const char *cd_index_name(const cd_index *index, int i)
{
    return index->key[i];
}

/* Stores equal data once, since large models have many equal bodies and joints. Returns a copy of
 * `data` in the arena, made by this call or by an earlier one with the same bytes; NULL if memory
 * runs out. Equal structures whose padding differs are stored twice. */
const void *cd_index_keep(cd_index *index, cd_arena *arena, const void *data, size_t size);

#endif

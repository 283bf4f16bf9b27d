/* Arrays that grow while an object is filled, and numbers found by name in constant time. */
#ifndef CD_BASE_INDEX_H
#define CD_BASE_INDEX_H

#include "memory.h"

#include <stdbool.h>

/* Room for one more item of `size` bytes behind `count` of them: the array, moved if it had to be;
 * NULL without memory (the old array is then still there). */
void *cd_grow(const cardan_allocator *allocator, void *items, int count, int *capacity,
              size_t size);

/* Gives back the room behind `count` items; the array stays as it is without memory. */
void *cd_trim(const cardan_allocator *allocator, void *items, int count, int *capacity,
              size_t size);

/* Names with their numbers 0, 1, 2, ... in the order in which they were added. */
typedef struct cd_index {
    cardan_allocator allocator;
    const char **name; /* count; not copied */
    int count, capacity;
    int *slot; /* open addressing: number + 1, or 0 */
    int slots; /* a power of two, more than twice count; or 0 */
} cd_index;

void cd_index_init(cd_index *index, const cardan_allocator *allocator);
void cd_index_destroy(cd_index *index);

/* The number of a name, or -1. */
int cd_index_find(const cd_index *index, const char *name);

/* Adds a name that is not there yet; it must outlive the index. False without memory. */
bool cd_index_add(cd_index *index, const char *name);

#endif

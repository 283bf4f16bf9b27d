/* Equal data kept once: large models are made of many bodies and joints that are the same. */
#ifndef CD_BASE_ONCE_H
#define CD_BASE_ONCE_H

#include "memory.h"

#include <stdint.h>

/* What has been kept so far, found by its bytes. All zero: nothing, and malloc. */
typedef struct cd_once {
    cardan_allocator allocator;
    struct cd_once_item {
        const void *data; /* NULL: a free slot */
        size_t size;
        uint64_t hash;
    } * slot;
    size_t slots, count; /* slots: a power of two, or 0 */
} cd_once;

void cd_once_init(cd_once *table, const cardan_allocator *allocator);
/* What was kept stays in its arena. */
void cd_once_destroy(cd_once *table);

/* The bytes of `data` in memory of the arena: those of an earlier call with the same bytes, or a
 * copy. NULL without memory. Where padding differs equal structures are just kept twice. */
const void *cd_once_keep(cd_once *table, cd_arena *arena, const void *data, size_t size);

#endif

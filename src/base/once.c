/* A hash table of blocks of bytes, with open addressing. */
#include "once.h"

#include <stdbool.h>
#include <string.h>

void cd_once_init(cd_once *table, const cardan_allocator *allocator)
{
    *table = (cd_once){0};
    if (allocator != NULL)
        table->allocator = *allocator;
}

void cd_once_destroy(cd_once *table)
{
    cd_release(&table->allocator, table->slot);
    table->slot = NULL;
    table->slots = table->count = 0;
}

/* FNV-1a, eight bytes at a time. */
static uint64_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, byte + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The slot of an item, or the free one where it belongs. */
static struct cd_once_item *find_slot(const cd_once *table, const void *data, size_t size,
                                      uint64_t hash)
{
    const size_t mask = table->slots - 1;
    size_t at = (size_t)hash & mask;
    for (; table->slot[at].data != NULL; at = (at + 1) & mask) {
        const struct cd_once_item *item = &table->slot[at];
        if (item->hash == hash && item->size == size && memcmp(item->data, data, size) == 0)
            break;
    }
    return &table->slot[at];
}

static bool enlarge(cd_once *table)
{
    cd_once larger = {.allocator = table->allocator,
                      .slots = table->slots > 0 ? 2 * table->slots : 64,
                      .count = table->count};
    larger.slot = cd_allocate(&table->allocator, larger.slots * sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    for (size_t i = 0; i < table->slots; i++) {
        const struct cd_once_item *item = &table->slot[i];
        if (item->data != NULL)
            *find_slot(&larger, item->data, item->size, item->hash) = *item;
    }
    cd_release(&table->allocator, table->slot);
    *table = larger;
    return true;
}

const void *cd_once_keep(cd_once *table, cd_arena *arena, const void *data, size_t size)
{
    if (2 * (table->count + 1) > table->slots && !enlarge(table)) {
        arena->failed = 1;
        return NULL;
    }
    const uint64_t hash = hash_bytes(data, size);
    struct cd_once_item *item = find_slot(table, data, size, hash);
    if (item->data != NULL)
        return item->data;
    void *copy = cd_arena_take(arena, size);
    if (copy == NULL)
        return NULL;
    memcpy(copy, data, size);
    *item = (struct cd_once_item){copy, size, hash};
    table->count++;
    return copy;
}

/* Growing arrays, and a hash table of keys with open addressing. */
#include "index.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *cd_grow(const cardan_allocator *allocator, void *items, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    const int wanted = *capacity > 0 ? 2 * *capacity : 16;
    if (*capacity > INT_MAX / 2 || (size_t)wanted > SIZE_MAX / size)
        return NULL;
    void *larger = cd_allocate(allocator, (size_t)wanted * size);
    if (larger == NULL)
        return NULL;
    if (count > 0)
        memcpy(larger, items, (size_t)count * size);
    cd_release(allocator, items);
    *capacity = wanted;
    return larger;
}

void cd_index_init(cd_index *index, const cardan_allocator *allocator)
{
    *index = (cd_index){0};
    if (allocator != NULL)
        index->allocator = *allocator;
}

void cd_index_destroy(cd_index *index)
{
    const cardan_allocator allocator = index->allocator;
    cd_release(&allocator, (void *)index->key);
    cd_release(&allocator, index->slot);
    *index = (cd_index){.allocator = allocator};
}

/* The hash FNV-1a, eight bytes at a time. */
static uint64_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, byte + i, size - i < 8 ? size - i : 8);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

enum { HEADER = sizeof(max_align_t) }; /* bytes before a copy of cd_index_keep: its size */

/* Bytes of key i, without the end of a string. */
static size_t key_size(const cd_index *index, int i)
{
    size_t size;
    if (!index->keeps)
        return strlen(index->key[i]);
    memcpy(&size, (const char *)index->key[i] - HEADER, sizeof size);
    return size;
}

/* The slot of a key, or the free one where it belongs. */
static int *find_slot(const cd_index *index, const void *bytes, size_t size)
{
    const uint64_t mask = (uint64_t)index->slots - 1u;
    uint64_t at = hash_bytes(bytes, size) & mask;
    for (; index->slot[at] != 0; at = (at + 1u) & mask) {
        const int i = index->slot[at] - 1;
        if (key_size(index, i) == size && memcmp(index->key[i], bytes, size) == 0)
            break;
    }
    return &index->slot[at];
}

static int find_key(const cd_index *index, const void *bytes, size_t size)
{
    return index->slots == 0 ? -1 : *find_slot(index, bytes, size) - 1;
}

static bool enlarge_table(cd_index *index)
{
    const int slots = index->slots > 0 ? 2 * index->slots : 64;
    int *slot = cd_allocate(&index->allocator, (size_t)slots * sizeof *slot);
    if (slot == NULL)
        return false;
    cd_release(&index->allocator, index->slot);
    index->slot = slot;
    index->slots = slots;
    for (int i = 0; i < index->count; i++)
        *find_slot(index, index->key[i], key_size(index, i)) = i + 1;
    return true;
}

static bool add_key(cd_index *index, const void *bytes, size_t size)
{
    const void **key =
        cd_grow(&index->allocator, (void *)index->key, index->count, &index->capacity, sizeof *key);
    if (key == NULL)
        return false;
    index->key = key;
    if (2 * (index->count + 1) >= index->slots && !enlarge_table(index))
        return false;
    key[index->count++] = bytes;
    *find_slot(index, bytes, size) = index->count;
    return true;
}

int cd_index_find(const cd_index *index, const char *name)
{
    return find_key(index, name, strlen(name));
}

bool cd_index_add(cd_index *index, const char *name)
{
    return add_key(index, name, strlen(name));
}

const void *cd_index_keep(cd_index *index, cd_arena *arena, const void *data, size_t size)
{
    const int number = find_key(index, data, size);
    if (number >= 0)
        return index->key[number];
    char *room = cd_arena_take(arena, HEADER + size);
    if (room == NULL)
        return NULL;
    memcpy(room, &size, sizeof size);
    memcpy(room + HEADER, data, size);
    index->keeps = true;
    if (add_key(index, room + HEADER, size))
        return room + HEADER;
    arena->failed = 1;
    return NULL;
}

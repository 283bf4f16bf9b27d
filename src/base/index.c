/* Growing arrays, and a hash table of names with open addressing. */
#include "index.h"

#include <limits.h>
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

void *cd_trim(const cardan_allocator *allocator, void *items, int count, int *capacity, size_t size)
{
    if (count == *capacity || count == 0)
        return items;
    void *smaller = cd_allocate(allocator, (size_t)count * size);
    if (smaller == NULL)
        return items;
    memcpy(smaller, items, (size_t)count * size);
    cd_release(allocator, items);
    *capacity = count;
    return smaller;
}

void cd_index_init(cd_index *index, const cardan_allocator *allocator)
{
    *index = (cd_index){0};
    if (allocator != NULL)
        index->allocator = *allocator;
}

void cd_index_destroy(cd_index *index)
{
    cd_release(&index->allocator, index->name);
    cd_release(&index->allocator, index->slot);
    index->name = NULL;
    index->slot = NULL;
}

/* FNV-1a */
static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* The slot of a name, or the free one where it belongs. */
static int find_slot(const cd_index *index, const char *name)
{
    const uint32_t mask = (uint32_t)index->slots - 1u;
    uint32_t at = hash(name) & mask;
    while (index->slot[at] != 0 && strcmp(index->name[index->slot[at] - 1], name) != 0)
        at = (at + 1u) & mask;
    return (int)at;
}

int cd_index_find(const cd_index *index, const char *name)
{
    return index->slots == 0 ? -1 : index->slot[find_slot(index, name)] - 1;
}

static bool enlarge(cd_index *index)
{
    const int slots = index->slots > 0 ? 2 * index->slots : 64;
    int *slot = cd_allocate(&index->allocator, (size_t)slots * sizeof *slot);
    if (slot == NULL)
        return false;
    cd_release(&index->allocator, index->slot);
    index->slot = slot;
    index->slots = slots;
    for (int i = 0; i < index->count; i++)
        index->slot[find_slot(index, index->name[i])] = i + 1;
    return true;
}

bool cd_index_add(cd_index *index, const char *name)
{
    const char **names = cd_grow(&index->allocator, (void *)index->name, index->count,
                                 &index->capacity, sizeof *names);
    if (names == NULL)
        return false;
    index->name = names;
    if (2 * (index->count + 1) >= index->slots && !enlarge(index))
        return false;
    index->name[index->count++] = name;
    index->slot[find_slot(index, name)] = index->count;
    return true;
}

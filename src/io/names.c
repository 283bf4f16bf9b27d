/* Open addressing over a list of entries; at most half of the slots are taken. */
#include "io/names.h"

#include "problems/nearest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *name;
    int number;
} entry;

struct cd_names {
    entry *entries;
    int count, capacity;
    int *slots; /* index of an entry + 1, or 0; 2 * capacity of them */
};

/* FNV-1a */
static size_t hash(const char *name)
{
    uint64_t sum = 14695981039346656037u;
    for (; *name != '\0'; name++)
        sum = (sum ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(sum ^ (sum >> 29));
}

cd_names *cd_names_create(void)
{
    return calloc(1, sizeof(cd_names));
}

void cd_names_destroy(cd_names *names)
{
    if (names == NULL)
        return;
    free(names->entries);
    free(names->slots);
    free(names);
}

/* The slot of a name, or the free one where it belongs. */
static int *slot_of(const cd_names *names, const char *name)
{
    const size_t mask = 2 * (size_t)names->capacity - 1;
    size_t i = hash(name) & mask;
    while (names->slots[i] != 0 && strcmp(names->entries[names->slots[i] - 1].name, name) != 0)
        i = (i + 1) & mask;
    return &names->slots[i];
}

static int grow(cd_names *names)
{
    const int capacity = names->capacity > 0 ? 2 * names->capacity : 8;
    entry *entries = realloc(names->entries, (size_t)capacity * sizeof *entries);
    int *slots = calloc(2 * (size_t)capacity, sizeof *slots);
    if (entries != NULL)
        names->entries = entries;
    if (entries == NULL || slots == NULL) {
        free(slots);
        return 0;
    }
    free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    for (int i = 0; i < names->count; i++)
        *slot_of(names, entries[i].name) = i + 1;
    return 1;
}

int cd_names_add(cd_names *names, const char *name, int number)
{
    if (names->count == names->capacity && !grow(names))
        return -2;
    int *slot = slot_of(names, name);
    if (*slot != 0)
        return names->entries[*slot - 1].number;
    names->entries[names->count++] = (entry){name, number};
    *slot = names->count;
    return -1;
}

int cd_names_find(const cd_names *names, const char *name)
{
    if (names->count == 0)
        return -1;
    const int slot = *slot_of(names, name);
    return slot != 0 ? names->entries[slot - 1].number : -1;
}

int cd_names_count(const cd_names *names)
{
    return names->count;
}

const char *cd_names_at(const void *names, int i)
{
    return ((const cd_names *)names)->entries[i].name;
}

const char *cd_names_nearest(const cd_names *names, const char *text)
{
    const int nearest = cd_nearest_name(text, names, names->count, cd_names_at);
    return nearest >= 0 ? names->entries[nearest].name : NULL;
}

/* A table of names, each with a number that the caller chooses. */
#include "name_numbers.h"

#include "base/index.h"
#include "base/nearest.h"

typedef struct name_entry {
    int number;
    bool invalid;
} name_entry;

struct cd_names {
    cd_index index;
    name_entry *entries;
    int capacity;
    bool incomplete; /* some names could not be read */
    cd_arena *arena;
};

static void release_names(void *object)
{
    cd_names *names = object;
    cd_index_destroy(&names->index);
    cd_release(NULL, names->entries);
}

cd_names *cd_names_create(cd_arena *arena)
{
    cd_names *names = cd_arena_take(arena, sizeof *names);
    if (names == NULL)
        return NULL;
    names->arena = arena;
    cd_arena_on_destroy(arena, release_names, names);
    return names;
}

int cd_names_add(cd_names *names, const char *name, int number)
{
    const int earlier = cd_names_find(names, name), count = names->index.count;
    if (earlier >= 0)
        return earlier;
    name_entry *entries = cd_grow(NULL, names->entries, count, &names->capacity, sizeof *entries);
    if (entries != NULL) {
        names->entries = entries;
        entries[count] = (name_entry){number, false};
        if (cd_index_add(&names->index, name))
            return -1;
    }
    names->arena->failed = 1;
    return -2;
}

int cd_names_find(const cd_names *names, const char *name)
{
    const int i = cd_index_find(&names->index, name);
    return i >= 0 ? names->entries[i].number : -1;
}

int cd_names_count(const cd_names *names)
{
    return names->index.count;
}

void cd_names_mark_invalid(cd_names *names, const char *name)
{
    const int i = cd_index_find(&names->index, name);
    if (i >= 0)
        names->entries[i].invalid = true;
}

void cd_names_mark_incomplete(cd_names *names)
{
    names->incomplete = true;
}

static const char *name_at(const void *names, int i)
{
    return cd_index_name(&((const cd_names *)names)->index, i);
}

/* The name, or an empty text, which resembles nothing, if it is invalid. */
static const char *valid_name_at(const void *names, int i)
{
    return ((const cd_names *)names)->entries[i].invalid ? "" : name_at(names, i);
}

bool cd_names_explain_absence(const cd_names *names, const char *text)
{
    const int nearest = cd_nearest_name(text, names, names->index.count, name_at);
    return nearest >= 0 ? names->entries[nearest].invalid : names->incomplete;
}

const char *cd_names_nearest(const cd_names *names, const char *text)
{
    const int nearest = cd_nearest_name(text, names, names->index.count, valid_name_at);
    return nearest >= 0 ? name_at(names, nearest) : NULL;
}

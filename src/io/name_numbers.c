/* An index of names with a number of the caller's choice beside each. */
#include "name_numbers.h"

#include "base/index.h"
#include "base/nearest.h"

typedef struct mark {
    int number;
    bool refused;
} mark;

struct cd_names {
    cd_index index;
    mark *mark;
    int capacity;
    bool doubtful; /* some are missing */
    cd_arena *arena;
};

static void close_names(void *object)
{
    cd_names *names = object;
    cd_index_destroy(&names->index);
    cd_release(NULL, names->mark);
}

cd_names *cd_names_create(cd_arena *arena)
{
    cd_names *names = cd_arena_take(arena, sizeof *names);
    if (names == NULL)
        return NULL;
    names->arena = arena;
    cd_arena_on_destroy(arena, close_names, names);
    return names;
}

int cd_names_add(cd_names *names, const char *name, int number)
{
    const int earlier = cd_names_find(names, name), count = names->index.count;
    if (earlier >= 0)
        return earlier;
    mark *marks = cd_grow(NULL, names->mark, count, &names->capacity, sizeof *marks);
    if (marks != NULL) {
        names->mark = marks;
        marks[count] = (mark){number, false};
        if (cd_index_add(&names->index, name))
            return -1;
    }
    names->arena->failed = 1;
    return -2;
}

int cd_names_find(const cd_names *names, const char *name)
{
    const int i = cd_index_find(&names->index, name);
    return i >= 0 ? names->mark[i].number : -1;
}

int cd_names_count(const cd_names *names)
{
    return names->index.count;
}

void cd_names_refuse(cd_names *names, const char *name)
{
    const int i = cd_index_find(&names->index, name);
    if (i >= 0)
        names->mark[i].refused = true;
}

void cd_names_doubt(cd_names *names)
{
    names->doubtful = true;
}

static const char *name_at(const void *names, int i)
{
    return cd_index_name(&((const cd_names *)names)->index, i);
}

/* No name is like an empty one. */
static const char *sound_name_at(const void *names, int i)
{
    return ((const cd_names *)names)->mark[i].refused ? "" : name_at(names, i);
}

bool cd_names_excuse(const cd_names *names, const char *text)
{
    const int nearest = cd_nearest_name(text, names, names->index.count, name_at);
    return nearest >= 0 ? names->mark[nearest].refused : names->doubtful;
}

const char *cd_names_nearest(const cd_names *names, const char *text)
{
    const int nearest = cd_nearest_name(text, names, names->index.count, sound_name_at);
    return nearest >= 0 ? name_at(names, nearest) : NULL;
}

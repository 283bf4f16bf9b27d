/* An index of names with a number of the caller's choice beside each. */
#include "io/names.h"

#include "base/index.h"
#include "base/nearest.h"

struct cd_names {
    cd_index index;
    int *number;
    int capacity;
};

cd_names *cd_names_create(void)
{
    cd_names *names = cd_allocate(NULL, sizeof *names);
    if (names != NULL)
        cd_index_init(&names->index, NULL);
    return names;
}

void cd_names_destroy(cd_names *names)
{
    if (names == NULL)
        return;
    cd_index_destroy(&names->index);
    cd_release(NULL, names->number);
    cd_release(NULL, names);
}

int cd_names_add(cd_names *names, const char *name, int number)
{
    const int earlier = cd_names_find(names, name), count = names->index.count;
    if (earlier >= 0)
        return earlier;
    int *numbers = cd_grow(NULL, names->number, count, &names->capacity, sizeof *numbers);
    if (numbers == NULL)
        return -2;
    names->number = numbers;
    numbers[count] = number;
    return cd_index_add(&names->index, name) ? -1 : -2;
}

int cd_names_find(const cd_names *names, const char *name)
{
    const int i = cd_index_find(&names->index, name);
    return i >= 0 ? names->number[i] : -1;
}

int cd_names_count(const cd_names *names)
{
    return names->index.count;
}

static const char *name_at(const void *names, int i)
{
    return ((const cd_names *)names)->index.name[i];
}

const char *cd_names_nearest(const cd_names *names, const char *text)
{
    const int nearest = cd_nearest_name(text, names, names->index.count, name_at);
    return nearest >= 0 ? name_at(names, nearest) : NULL;
}

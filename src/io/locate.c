/* Finds the line of the element that a message of the library names. Messages about what fails
 * after a file was read (building, assembly, start, a step) name bodies, joints and forces. */
#include "read.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *word;
    cardan_element element;
} kinds[CD_LOCATED_KINDS] = {{"joint", CARDAN_ELEMENT_JOINT},
                             {"body", CARDAN_ELEMENT_BODY},
                             {"force", CARDAN_ELEMENT_FORCE}};

bool cd_element_locations_copy(cd_document *document, const cd_model_item *items,
                               cd_element_locations *locations)
{
    const cd_body_item *bodies = items->bodies.items;
    const cd_joint_item *joints = items->joints.items;
    const cd_force_item *forces = items->forces.items;
    const int last = items->joints.count; /* then come the joints of fixed bodies (fill.c) */
    const int max_count[CD_LOCATED_KINDS] = {last + items->bodies.count, items->bodies.count,
                                             items->forces.count};
    for (int kind = 0; kind < CD_LOCATED_KINDS; kind++) {
        locations->location[kind] =
            cd_document_allocate_kept(document, (size_t)max_count[kind] * sizeof(cd_location));
        if (locations->location[kind] == NULL)
            return false;
        locations->count[kind] = max_count[kind];
    }
    locations->count[0] = last;
    for (int i = 0; i < last; i++)
        locations->location[0][joints[i].number] = joints[i].item.node->location;
    for (int i = 0; i < items->bodies.count; i++) {
        locations->location[1][i] = bodies[i].item.node->location;
        if (bodies[i].fixed.body)
            locations->location[0][locations->count[0]++] = bodies[i].item.node->location;
    }
    for (int i = 0; i < items->forces.count; i++)
        locations->location[2][i] = forces[i].item.node->location;
    return true;
}

/* Whether the `length` letters at `at` are a whole name, as `name` or as name.component. */
static bool is_named_at(const char *sentence, const char *at, size_t length)
{
    const char before = at > sentence ? at[-1] : ' ', *after = at + length;
    if (before == '`' && *after == '`')
        return true;
    if (isalnum((unsigned char)before) || before == '_' || before == '.' || *after != '.' ||
        !isalpha((unsigned char)after[1]))
        return false;
    for (after++; isalnum((unsigned char)*after) || *after == '_'; after++)
        ;
    return *after != '.'; /* e.g. */
}

/* The first position of a name in a sentence, or rather one with the word of its kind before it,
 * such as "joint `crank`"; `kind_told` says whether there is one. */
static const char *find_name_in(const char *sentence, const char *name, const char *kind,
                                bool *kind_told)
{
    const size_t length = strlen(name), word = strlen(kind);
    const char *first = NULL;
    for (const char *at = strstr(sentence, name); at != NULL && length > 0;
         at = strstr(at + 1, name)) {
        if (!is_named_at(sentence, at, length))
            continue;
        const size_t used = (size_t)(at - sentence);
        *kind_told = used >= word + 2 && strncmp(at - word - 2, kind, word) == 0;
        if (*kind_told)
            return at;
        first = first != NULL ? first : at;
    }
    return first;
}

const cd_location *cd_element_location_find(const cd_element_locations *locations,
                                            const cardan_model *model, const char *sentence)
{
    const cd_location *found = NULL;
    const char *first = NULL;
    size_t longest = 0;
    bool found_kind_told = false;
    for (int kind = 0; kind < CD_LOCATED_KINDS; kind++)
        for (int i = 0; i < locations->count[kind]; i++) {
            const char *name = cardan_model_name(model, kinds[kind].element, i);
            bool kind_told = false;
            const char *at =
                name != NULL ? find_name_in(sentence, name, kinds[kind].word, &kind_told) : NULL;
            const size_t length = at != NULL ? strlen(name) : 0;
            if (at == NULL || (first != NULL && at > first) ||
                (at == first && length <= longest && (found_kind_told || !kind_told)))
                continue;
            found = &locations->location[kind][i];
            first = at;
            longest = length;
            found_kind_told = kind_told;
        }
    return found;
}

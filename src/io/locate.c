/* Where the element stands of which a sentence of the library speaks: what goes wrong after a file
 * was read (building, assembly, start, a step) names bodies, joints and forces, not lines. */
#include "read.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *word;
    cardan_element element;
} kinds[CD_PLACED] = {{"joint", CARDAN_ELEMENT_JOINT},
                      {"body", CARDAN_ELEMENT_BODY},
                      {"force", CARDAN_ELEMENT_FORCE}};

bool cd_places_keep(cd_document *document, const cd_model_item *items, cd_places *places)
{
    const cd_body_item *bodies = items->bodies.items;
    const cd_joint_item *joints = items->joints.items;
    const cd_force_item *forces = items->forces.items;
    const int last = items->joints.count; /* behind it, joints that hold bodies, in their order */
    const int most[CD_PLACED] = {last + items->bodies.count, items->bodies.count,
                                 items->forces.count};
    for (int kind = 0; kind < CD_PLACED; kind++) {
        places->spot[kind] = cd_document_keep(document, (size_t)most[kind] * sizeof(cd_location));
        if (places->spot[kind] == NULL)
            return false;
        places->count[kind] = most[kind];
    }
    places->count[0] = last;
    for (int i = 0; i < last; i++)
        places->spot[0][joints[i].number] = joints[i].item.node->place;
    for (int i = 0; i < items->bodies.count; i++) {
        places->spot[1][i] = bodies[i].item.node->place;
        if (bodies[i].fixed.body)
            places->spot[0][places->count[0]++] = bodies[i].item.node->place;
    }
    for (int i = 0; i < items->forces.count; i++)
        places->spot[2][i] = forces[i].item.node->place;
    return true;
}

/* Names stand in sentences as `name`, or as name.component. */
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

/* Where a name stands first; with the word of its kind before it, if there is such a place. */
static const char *find_name(const char *sentence, const char *name, const char *kind, bool *told)
{
    const size_t length = strlen(name), word = strlen(kind);
    const char *first = NULL;
    for (const char *at = strstr(sentence, name); at != NULL && length > 0;
         at = strstr(at + 1, name)) {
        if (!is_named_at(sentence, at, length))
            continue;
        const size_t used = (size_t)(at - sentence);
        *told = used >= word + 2 && strncmp(at - word - 2, kind, word) == 0;
        if (*told)
            return at;
        first = first != NULL ? first : at;
    }
    return first;
}

const cd_location *cd_places_find(const cd_places *places, const cardan_model *model,
                                  const char *sentence)
{
    const cd_location *found = NULL;
    const char *first = NULL;
    size_t longest = 0;
    bool sure = false;
    for (int kind = 0; kind < CD_PLACED; kind++)
        for (int i = 0; i < places->count[kind]; i++) {
            const char *name = cardan_model_name(model, kinds[kind].element, i);
            bool told = false;
            const char *at =
                name != NULL ? find_name(sentence, name, kinds[kind].word, &told) : NULL;
            const size_t length = at != NULL ? strlen(name) : 0;
            if (at == NULL || (first != NULL && at > first) ||
                (at == first && length <= longest && (sure || !told)))
                continue;
            found = &places->spot[kind][i];
            first = at;
            longest = length;
            sure = told;
        }
    return found;
}

/* Where the element stands of which a sentence of the library speaks: what goes wrong after a file
 * was read (building, assembly, start, a step) names bodies, joints and forces, not lines. */
#include "read.h"

#include <ctype.h>
#include <string.h>

static const char *const kinds[CD_PLACED] = {"joint", "body", "force"};

bool cd_places_keep(cd_document *document, const cd_model_item *items, cd_places *places)
{
    const cd_body_item *bodies = items->bodies.items;
    const cd_joint_item *joints = items->joints.items;
    const cd_force_item *forces = items->forces.items;
    int count[CD_PLACED] = {items->joints.count, items->bodies.count, items->forces.count};
    for (int i = 0; i < items->bodies.count; i++)
        count[0] += bodies[i].fixed.body;
    for (int kind = 0; kind < CD_PLACED; kind++) {
        places->spot[kind] =
            cd_document_keep(document, ((size_t)count[kind] + 1) * sizeof(cd_spot));
        if (places->spot[kind] == NULL)
            return false;
    }
    for (int i = 0; i < items->bodies.count; i++)
        places->spot[1][i] = bodies[i].item.node->place;
    for (int i = 0; i < items->forces.count; i++)
        places->spot[2][i] = forces[i].item.node->place;
    for (int i = 0; i < items->joints.count; i++)
        places->spot[0][joints[i].number] = joints[i].item.node->place;
    memcpy(places->count, count, sizeof count);
    places->count[0] = items->joints.count;
    for (int i = 0; i < items->bodies.count;
         i++) /* joints that hold bodies come after all others */
        if (bodies[i].fixed.body)
            places->spot[0][places->count[0]++] = bodies[i].item.node->place;
    return true;
}

static const char *name_of(const cardan_model *model, int kind, int i)
{
    return kind == 0   ? cardan_model_name(model, CARDAN_ELEMENT_JOINT, i)
           : kind == 1 ? cardan_model_name(model, CARDAN_ELEMENT_BODY, i)
                       : cardan_model_name(model, CARDAN_ELEMENT_FORCE, i);
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

const cd_spot *cd_places_find(const cd_places *places, const cardan_model *model,
                              const char *sentence)
{
    const cd_spot *found = NULL;
    const char *first = NULL;
    size_t longest = 0;
    bool sure = false;
    for (int kind = 0; kind < CD_PLACED; kind++)
        for (int i = 0; i < places->count[kind]; i++) {
            const char *name = name_of(model, kind, i);
            bool told = false;
            const char *at = name != NULL ? find_name(sentence, name, kinds[kind], &told) : NULL;
            if (at == NULL)
                continue;
            const size_t length = strlen(name);
            if (first == NULL || at < first ||
                (at == first && (length > longest || (told && !sure)))) {
                found = &places->spot[kind][i];
                first = at;
                longest = length;
                sure = told;
            }
        }
    return found;
}

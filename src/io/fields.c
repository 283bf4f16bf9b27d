/* Maps and lists of maps, field by field as the schema says. */
#include "read.h"

#include <stdio.h>
#include <string.h>

/* The type of an element as far as its map tells; -1 if it does not. */
static int type_of(const cd_element *element, const cd_node *node, const void *target)
{
    const int i = cd_field_find(element, "type");
    if (i < 0)
        return -1;
    const cd_field *field = &element->fields[i];
    const cd_node *given = cd_node_find(node, "type");
    if (given == NULL)
        return *(const int *)((const char *)target + field->offset);
    return given->kind == CD_SCALAR ? cd_word_find(field->detail, given->text) : -1;
}

/* "a joint", "an orientation", "the solver" */
static const char *called(const cd_element *element, char text[32])
{
    const char *what = element->what;
    const char *article = strcmp(what, "solver") == 0 || strcmp(what, "units") == 0 ? "the"
                          : strchr("aeio", what[0]) != NULL                         ? "an"
                                                                                    : "a";
    snprintf(text, 32, "%s %s", article, what);
    return text;
}

int cd_refuse_unknown(cd_reading *r, const cd_element *element, const cd_node *entry)
{
    const bool section = element == &cd_model_element;
    char quoted[CD_QUOTED], where[40] = "", all[600], name[32];
    size_t used = 0;
    const char *nearest = cd_field_nearest(element, entry->key);
    cd_quoted(entry->key, quoted);
    if (!section)
        snprintf(where, sizeof where, " in %s", called(element, name));
    for (int i = 0; i < element->count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "",
                                 element->fields[i].word);
    if (nearest != NULL)
        cd_report_error(r->report, entry->key_place, "unknown %s `%s`%s; did you mean `%s`?",
                        section ? "section" : "word", quoted, where, nearest);
    else
        cd_report_error(r->report, entry->key_place, "unknown %s `%s`%s; there are %s",
                        section ? "section" : "word", quoted, where, all);
    return nearest != NULL ? cd_field_find(element, nearest) : -1;
}

static void refuse_for_type(cd_reading *r, const cd_element *element, const cd_field *field,
                            int type, const cd_node *entry)
{
    const cd_words *types = cd_element_types(element);
    char takers[300] = "";
    size_t used = 0;
    for (int i = 0; i < types->count && used < sizeof takers; i++)
        if ((field->types & 1u << i) != 0)
            used += (size_t)snprintf(takers + used, sizeof takers - used, "%s%s",
                                     used > 0 ? ", " : "", types->list[i].word);
    cd_report_error(r->report, entry->key_place,
                    "a %s of type `%s` has no `%s`; remove it, or change the type (it belongs to "
                    "%s)",
                    element->what, types->list[type].word, field->word, takers);
}

static void require(cd_reading *r, const cd_element *element, int type, const cd_node *node,
                    const cd_node *const *given)
{
    for (int i = 0; i < element->count; i++) {
        const cd_field *field = &element->fields[i];
        const bool needed =
            field->required == CD_EVERY || (type >= 0 && (field->required & 1u << type) != 0);
        if (!needed || given[i] != NULL)
            continue;
        const cd_words *types = cd_element_types(element);
        if (field->required == CD_EVERY || types == NULL)
            cd_reject(r, node, "this %s has no `%s`; state it: %s", element->what, field->word,
                      field->text);
        else
            cd_reject(r, node, "this %s has no `%s`; a `%s` needs it: %s", element->what,
                      field->word, types->list[type].word, field->text);
    }
}

void cd_read_fields(cd_reading *r, const cd_element *element, const cd_node *node, void *target,
                    const cd_node **given)
{
    enum { MOST_FIELDS = 40 };
    const cd_node *local[MOST_FIELDS] = {NULL};
    char buffer[CD_QUOTED + 2], name[32];
    if (given == NULL)
        given = local;
    if (node->kind != CD_MAP) {
        cd_reject(r, node, "%s should be a map of words and values; this is %s",
                  called(element, name), cd_describe(node, buffer));
        return;
    }
    const int type = type_of(element, node, target);
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        int i = cd_field_find(element, entry->key);
        if (i < 0)
            i = cd_refuse_unknown(r, element, entry);
        if (i < 0 || given[i] != NULL)
            continue;
        const cd_field *field = &element->fields[i];
        given[i] = entry;
        if (type >= 0 && (field->types & 1u << type) == 0)
            refuse_for_type(r, element, field, type, entry);
        else
            cd_read_value(r, field, entry, (char *)target + field->offset);
    }
    require(r, element, type, node, given);
}

void cd_read_parts(cd_reading *r, const cd_field *field, const cd_node *node, void *list)
{
    const cd_element *element = field->detail;
    char buffer[CD_QUOTED + 2];
    if (cd_is_nothing(node))
        return;
    if (node->kind != CD_LIST) {
        cd_reject(r, node, "`%s` wants a list with a `-` before each %s; this is %s", node->key,
                  element->what, cd_describe(node, buffer));
        return;
    }
    const size_t count = (size_t)node->count;
    char *items = cd_arena_take(&r->document->arena, count * element->size);
    const cd_node **given =
        cd_arena_take(&r->document->arena, count * (size_t)element->count * sizeof *given);
    if (items == NULL || given == NULL)
        return;
    *(cd_list *)list = (cd_list){items, node->count};
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        element->set_default(items);
        *(cd_item *)items = (cd_item){element, entry, given};
        cd_read_fields(r, element, entry, items, given);
        items += element->size;
        given += element->count;
    }
}

const cd_node *cd_given(const cd_item *item, const char *word)
{
    return item->given[cd_field_find(item->element, word)];
}

cd_location cd_spot_of(const cd_item *item, const char *word)
{
    const cd_node *node = cd_given(item, word);
    return node != NULL ? node->place : item->node->place;
}

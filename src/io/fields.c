/* Reads maps and lists of maps, field by field, as the schema says. */
#include "read.h"

#include <stdio.h>
#include <string.h>

/* The `type` that a map states, or the default of `target`; -1 if it is none of the schema's. */
static int find_type(const cd_schema *schema, const cd_node *node, const void *target)
{
    const int i = cd_field_find(schema, "type");
    if (i < 0)
        return -1;
    const cd_field *field = &schema->fields[i];
    const cd_node *given = cd_node_find(node, "type");
    if (given == NULL)
        return *(const int *)((const char *)target + field->offset);
    return given->kind == CD_SCALAR ? cd_word_find(field->detail, given->text) : -1;
}

/* Writes "a joint", "an orientation" or "the solver" to `text`. */
static const char *with_article(const cd_schema *schema, char text[32])
{
    const char *what = schema->what;
    const char *article = strcmp(what, "solver") == 0 || strcmp(what, "units") == 0 ? "the"
                          : strchr("aeio", what[0]) != NULL                         ? "an"
                                                                                    : "a";
    snprintf(text, 32, "%s %s", article, what);
    return text;
}

int cd_reject_unknown_field(cd_reading *r, const cd_schema *schema, const cd_node *entry)
{
    const bool section = schema == &cd_model_schema;
    char quoted[CD_QUOTE], where[40] = "", all[600], name[32];
    size_t used = 0;
    const char *nearest = cd_field_nearest(schema, entry->key);
    cd_quotable(entry->key, quoted);
    if (!section)
        snprintf(where, sizeof where, " in %s", with_article(schema, name));
    for (int i = 0; i < schema->count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "",
                                 schema->fields[i].word);
    if (nearest != NULL)
        cd_report_error(r->report, entry->key_location, "unknown %s `%s`%s; did you mean `%s`?",
                        section ? "section" : "word", quoted, where, nearest);
    else
        cd_report_error(r->report, entry->key_location, "unknown %s `%s`%s; there are %s",
                        section ? "section" : "word", quoted, where, all);
    return nearest != NULL ? cd_field_find(schema, nearest) : -1;
}

/* Reports a field that belongs to other types of the element than the one stated. */
static void reject_for_type(cd_reading *r, const cd_schema *schema, const cd_field *field, int type,
                            const cd_node *entry)
{
    const cd_words *types = cd_schema_types(schema);
    char takers[300] = "";
    size_t used = 0;
    for (int i = 0; i < types->count && used < sizeof takers; i++)
        if ((field->types & 1u << i) != 0)
            used += (size_t)snprintf(takers + used, sizeof takers - used, "%s%s",
                                     used > 0 ? ", " : "", types->list[i].word);
    cd_report_error(r->report, entry->key_location,
                    "a %s of type `%s` has no `%s`; remove it, or change the type (it belongs to "
                    "%s)",
                    schema->what, types->list[type].word, field->word, takers);
}

/* Reports the required fields that a map does not have. */
static void require_fields(cd_reading *r, const cd_schema *schema, int type, const cd_node *node,
                           const cd_node *const *given)
{
    for (int i = 0; i < schema->count; i++) {
        const cd_field *field = &schema->fields[i];
        const bool needed =
            field->required == CD_EVERY || (type >= 0 && (field->required & 1u << type) != 0);
        if (!needed || given[i] != NULL)
            continue;
        const cd_words *types = cd_schema_types(schema);
        if (field->required == CD_EVERY || types == NULL)
            cd_reject(r, node, "this %s has no `%s`; state it: %s", schema->what, field->word,
                      field->text);
        else
            cd_reject(r, node, "this %s has no `%s`; a `%s` needs it: %s", schema->what,
                      field->word, types->list[type].word, field->text);
    }
}

void cd_read_fields(cd_reading *r, const cd_schema *schema, const cd_node *node, void *target,
                    const cd_node **given)
{
    enum { MOST_FIELDS = 40 };
    const cd_node *local[MOST_FIELDS] = {NULL};
    char buffer[CD_QUOTE + 2], name[32];
    if (given == NULL)
        given = local;
    if (node->kind != CD_MAP) {
        cd_reject(r, node, "%s should be a map of words and values; this is %s",
                  with_article(schema, name), cd_describe(node, buffer));
        return;
    }
    const int type = find_type(schema, node, target);
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        int i = cd_field_find(schema, entry->key);
        if (i < 0)
            i = cd_reject_unknown_field(r, schema, entry);
        if (i < 0 || given[i] != NULL)
            continue;
        const cd_field *field = &schema->fields[i];
        given[i] = entry;
        if (type >= 0 && (field->types & 1u << type) == 0)
            reject_for_type(r, schema, field, type, entry);
        else
            cd_read_value(r, field, entry, (char *)target + field->offset);
    }
    require_fields(r, schema, type, node, given);
}

/* Reads a section such as `bodies`: one item of the schema for each map of the list. */
void cd_read_list_of_maps(cd_reading *r, const cd_field *field, const cd_node *node, void *list)
{
    const cd_schema *schema = field->detail;
    char buffer[CD_QUOTE + 2];
    if (cd_is_empty(node))
        return;
    if (node->kind != CD_LIST) {
        cd_reject(r, node, "`%s` wants a list with a `-` before each %s; this is %s", node->key,
                  schema->what, cd_describe(node, buffer));
        return;
    }
    const size_t count = (size_t)node->count;
    char *items = cd_arena_take(&r->document->arena, count * schema->size);
    const cd_node **given =
        cd_arena_take(&r->document->arena, count * (size_t)schema->count * sizeof *given);
    if (items == NULL || given == NULL)
        return;
    *(cd_list *)list = (cd_list){items, node->count};
    for (const cd_node *entry = node->first; entry != NULL; entry = entry->next) {
        schema->set_default(items);
        *(cd_item *)items = (cd_item){schema, entry, given};
        cd_read_fields(r, schema, entry, items, given);
        items += schema->size;
        given += schema->count;
    }
}

const cd_node *cd_given_field(const cd_item *item, const char *word)
{
    return item->given[cd_field_find(item->schema, word)];
}

cd_location cd_field_location(const cd_item *item, const char *word)
{
    const cd_node *node = cd_given_field(item, word);
    return node != NULL ? node->location : item->node->location;
}

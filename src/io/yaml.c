/* YAML by libyaml: its events become nodes. What would make a reader's life hard (anchors, tags,
 * several documents, bottomless nesting) is refused where it stands. */
#include "document.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

static const char no_anchors[] =
    "anchors (&) and tags (!) are not read; use `parameters` for values that repeat";

typedef struct reader {
    cd_document *document;
    const cd_source *source;
    const char *text;
    size_t size;
    yaml_parser_t parser;
    cd_node *open[CD_DEEPEST]; /* lists and maps that are not yet closed */
    cd_index keys[CD_DEEPEST]; /* of the open maps */
    int depth;
    const char *key; /* of the value that comes next, or NULL */
    cd_location key_place;
    cd_node *root;
    bool failed;
} reader;

static cd_location place_of(const reader *r, yaml_mark_t mark)
{
    return (cd_location){r->source, (int)mark.line + 1, (int)mark.column + 1};
}

/* The place of a byte, for errors that libyaml gives an offset only. */
static cd_location place_of_offset(const reader *r, size_t offset)
{
    cd_location place = {r->source, 1, 1};
    for (size_t i = 0; i < offset && i < r->size; i++) {
        place.column++;
        if (r->text[i] == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    return place;
}

/* Is there nothing more after a mark? libyaml counts characters. */
static bool is_at_end(const reader *r, yaml_mark_t mark)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < r->size; i++) {
        count += ((unsigned char)r->text[i] & 0xC0u) != 0x80u;
        if (strchr(" \t\r\n", r->text[i]) == NULL)
            last = count;
    }
    return mark.index >= last;
}

/* What is still open at the end of a file is wrong where it begins. */
static cd_location place_of_mistake(const reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    return place_of(r, parser->context != NULL && is_at_end(r, parser->problem_mark)
                           ? parser->context_mark
                           : parser->problem_mark);
}

static void refuse_syntax(reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    cd_report *report = &r->document->report;
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    const size_t index = parser->problem_mark.index;
    if (parser->error == YAML_MEMORY_ERROR)
        r->document->arena.failed = 1;
    else if (parser->error == YAML_READER_ERROR)
        cd_report_error(report, place_of_offset(r, parser->problem_offset),
                        "this is not a text file in UTF-8 (%s); is it the right file?", problem);
    else if (index < r->size && r->text[index] == '\t')
        cd_report_error(report, place_of(r, parser->problem_mark),
                        "a tab cannot indent in YAML; use spaces");
    else if (parser->context != NULL)
        cd_report_error(report, place_of_mistake(r),
                        "this is not YAML: %s %s in line %zu; check indentation, colons, quotes "
                        "and brackets",
                        problem, parser->context, parser->context_mark.line + 1);
    else
        cd_report_error(report, place_of(r, parser->problem_mark),
                        "this is not YAML: %s; check indentation, colons, quotes and brackets",
                        problem);
    r->failed = true;
}

static void refuse(reader *r, yaml_mark_t mark, const char *sentence)
{
    cd_report_error(&r->document->report, place_of(r, mark), "%s", sentence);
    r->failed = true;
}

static cd_node *new_node(reader *r, cd_node_kind kind, yaml_mark_t mark)
{
    cd_node *node = cd_node_new(r->document, kind, place_of(r, mark));
    if (node == NULL && !r->document->arena.failed)
        refuse(r, mark, "the model is larger than anything that can be read; split it");
    r->failed = r->failed || node == NULL;
    return node;
}

/* A key was met: it must be new in its map. */
static void take_key(reader *r, const char *key, cd_location place)
{
    char quoted[CD_QUOTED];
    cd_index *keys = &r->keys[r->depth - 1];
    if (cd_index_find(keys, key) >= 0)
        cd_report_error(
            &r->document->report, place, "`%s` is given twice, first in line %d; keep one of them",
            cd_quoted(key, quoted), cd_node_find(r->open[r->depth - 1], key)->key_place.line);
    else if (!cd_index_add(keys, key))
        r->document->arena.failed = 1;
    r->key = key;
    r->key_place = place;
}

/* Hangs a node into the innermost open list or map. */
static void attach(reader *r, cd_node *node)
{
    if (r->depth == 0) {
        r->root = node;
        return;
    }
    node->key = r->key;
    node->key_place = r->key_place;
    r->key = NULL;
    cd_node_append(r->open[r->depth - 1], node);
}

static bool expects_key(const reader *r)
{
    return r->depth > 0 && r->open[r->depth - 1]->kind == CD_MAP && r->key == NULL;
}

static void take_scalar(reader *r, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL)
        refuse(r, event->start_mark, no_anchors);
    else if (strlen(value) != length)
        refuse(r, event->start_mark, "this text contains a zero character; remove it");
    if (r->failed)
        return;
    const bool is_key = expects_key(r);
    const char *text = is_key ? cd_document_key(r->document, value, length)
                              : cd_document_text(r->document, value, length);
    if (text == NULL) {
        r->failed = true;
    } else if (is_key) {
        take_key(r, text, place_of(r, event->start_mark));
    } else {
        cd_node *node = new_node(r, CD_SCALAR, event->start_mark);
        if (node == NULL)
            return;
        node->text = text;
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        attach(r, node);
    }
}

static void open_container(reader *r, const yaml_event_t *event, cd_node_kind kind,
                           const void *anchor, const void *tag)
{
    if (anchor != NULL || tag != NULL)
        refuse(r, event->start_mark, no_anchors);
    else if (expects_key(r))
        refuse(r, event->start_mark, "a key must be a word; quote what starts with [ or {");
    else if (r->depth == CD_DEEPEST)
        refuse(r, event->start_mark,
               "lists and maps are nested deeper than 64 levels; no part of "
               "a model is, check the brackets");
    if (r->failed)
        return;
    cd_node *node = new_node(r, kind, event->start_mark);
    if (node == NULL)
        return;
    attach(r, node);
    cd_index_init(&r->keys[r->depth], NULL);
    r->open[r->depth++] = node;
}

static void close_container(reader *r)
{
    cd_index_destroy(&r->keys[--r->depth]);
    r->key = NULL;
}

static void take_event(reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->root != NULL)
            refuse(r, event->start_mark,
                   "a second document starts here; a model file holds one, use `include` for more");
        break;
    case YAML_ALIAS_EVENT:
        refuse(r, event->start_mark,
               "aliases (*) are not read; use `parameters` for values that repeat");
        break;
    case YAML_SCALAR_EVENT:
        take_scalar(r, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        open_container(r, event, CD_LIST, event->data.sequence_start.anchor,
                       event->data.sequence_start.tag);
        break;
    case YAML_MAPPING_START_EVENT:
        open_container(r, event, CD_MAP, event->data.mapping_start.anchor,
                       event->data.mapping_start.tag);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_container(r);
        break;
    default:
        break;
    }
}

static void take_all(reader *r)
{
    bool ended = false;
    while (!r->failed && !ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            refuse_syntax(r);
            return;
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        take_event(r, &event);
        yaml_event_delete(&event);
    }
}

cd_node *cd_yaml_parse(cd_document *document, const cd_source *source, const char *text,
                       size_t size)
{
    reader r = {.document = document, .source = source, .text = text, .size = size};
    if (!yaml_parser_initialize(&r.parser)) {
        document->arena.failed = 1;
        return NULL;
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    take_all(&r);
    yaml_parser_delete(&r.parser);
    while (r.depth > 0)
        cd_index_destroy(&r.keys[--r.depth]);
    if (!r.failed && r.root == NULL)
        cd_report_error(&document->report, (cd_location){source, 1, 1}, CD_EMPTY_FILE);
    return r.failed ? NULL : r.root;
}

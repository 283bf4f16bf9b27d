/* Parses YAML with libyaml into nodes. Anchors, tags and several documents are errors. */
#include "document.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

static const char no_anchors[] =
    "anchors (&) and tags (!) are not read; use `parameters` for values that repeat";

typedef struct yaml_reader {
    cd_document *document;
    const cd_source *source;
    const char *text;
    size_t size;
    yaml_parser_t parser;
    cd_node *open[CD_MAX_NESTING]; /* lists and maps that are not yet closed */
    cd_index keys[CD_MAX_NESTING]; /* of the open maps */
    int depth;
    const char *key; /* of the value that comes next, or NULL */
    cd_location key_location;
    cd_node *root;
    bool failed;
} yaml_reader;

static cd_location location_of(const yaml_reader *r, yaml_mark_t mark)
{
    return (cd_location){r->source, (int)mark.line + 1, (int)mark.column + 1};
}

/* The position of a byte, for errors where libyaml gives an offset only. */
static cd_location location_of_offset(const yaml_reader *r, size_t offset)
{
    cd_location location = {r->source, 1, 1};
    for (size_t i = 0; i < offset && i < r->size; i++) {
        location.column++;
        if (r->text[i] == '\n') {
            location.line++;
            location.column = 1;
        }
    }
    return location;
}

/* Whether only blanks follow a mark, which counts characters, not bytes. */
static bool is_at_end(const yaml_reader *r, yaml_mark_t mark)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < r->size; i++) {
        count += ((unsigned char)r->text[i] & 0xC0u) != 0x80u;
        if (strchr(" \t\r\n", r->text[i]) == NULL)
            last = count;
    }
    return mark.index >= last;
}

/* A mistake at the end of the file is something left open: returns the position where it begins. */
static cd_location location_of_syntax_error(const yaml_reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    return location_of(r, parser->context != NULL && is_at_end(r, parser->problem_mark)
                              ? parser->context_mark
                              : parser->problem_mark);
}

/* Reports why libyaml could not parse the text. */
static void report_syntax_error(yaml_reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    cd_report *report = &r->document->report;
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    const size_t index = parser->problem_mark.index;
    if (parser->error == YAML_MEMORY_ERROR)
        r->document->arena.failed = 1;
    else if (parser->error == YAML_READER_ERROR)
        cd_report_error(report, location_of_offset(r, parser->problem_offset),
                        "this is not a text file in UTF-8 (%s); is it the right file?", problem);
    else if (index < r->size && r->text[index] == '\t')
        cd_report_error(report, location_of(r, parser->problem_mark),
                        "a tab cannot indent in YAML; use spaces");
    else if (parser->context != NULL)
        cd_report_error(report, location_of_syntax_error(r),
                        "this is not YAML: %s %s in line %zu; check indentation, colons, quotes "
                        "and brackets",
                        problem, parser->context, parser->context_mark.line + 1);
    else
        cd_report_error(report, location_of(r, parser->problem_mark),
                        "this is not YAML: %s; check indentation, colons, quotes and brackets",
                        problem);
    r->failed = true;
}

static void report_error_at(yaml_reader *r, yaml_mark_t mark, const char *sentence)
{
    cd_report_error(&r->document->report, location_of(r, mark), "%s", sentence);
    r->failed = true;
}

static cd_node *new_node(yaml_reader *r, cd_node_kind kind, yaml_mark_t mark)
{
    cd_node *node = cd_node_new(r->document, kind, location_of(r, mark));
    if (node == NULL && !r->document->arena.failed)
        report_error_at(r, mark, "the model is larger than anything that can be read; split it");
    r->failed = r->failed || node == NULL;
    return node;
}

/* Notes the key of the value that comes next; it must be new in its map. */
static void begin_entry(yaml_reader *r, const char *key, cd_location location)
{
    char quoted[CD_QUOTE];
    cd_index *keys = &r->keys[r->depth - 1];
    if (cd_index_find(keys, key) >= 0)
        cd_report_error(&r->document->report, location,
                        "`%s` is given twice, first in line %d; keep one of them",
                        cd_quotable(key, quoted),
                        cd_node_find(r->open[r->depth - 1], key)->key_location.line);
    else if (!cd_index_add(keys, key))
        r->document->arena.failed = 1;
    r->key = key;
    r->key_location = location;
}

/* Appends a node to the innermost open list or map. */
static void append_to_container(yaml_reader *r, cd_node *node)
{
    if (r->depth == 0) {
        r->root = node;
        return;
    }
    node->key = r->key;
    node->key_location = r->key_location;
    r->key = NULL;
    cd_node_append(r->open[r->depth - 1], node);
}

/* Whether the next scalar is a key. */
static bool expects_key(const yaml_reader *r)
{
    return r->depth > 0 && r->open[r->depth - 1]->kind == CD_MAP && r->key == NULL;
}

static void read_scalar(yaml_reader *r, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL)
        report_error_at(r, event->start_mark, no_anchors);
    else if (strlen(value) != length)
        report_error_at(r, event->start_mark, "this text contains a zero character; remove it");
    if (r->failed)
        return;
    const bool is_key = expects_key(r);
    const char *text = is_key ? cd_document_share_key(r->document, value, length)
                              : cd_document_copy_text(r->document, value, length);
    if (text == NULL) {
        r->failed = true;
    } else if (is_key) {
        begin_entry(r, text, location_of(r, event->start_mark));
    } else {
        cd_node *node = new_node(r, CD_SCALAR, event->start_mark);
        if (node == NULL)
            return;
        node->text = text;
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        append_to_container(r, node);
    }
}

static void open_container(yaml_reader *r, const yaml_event_t *event, cd_node_kind kind,
                           const void *anchor, const void *tag)
{
    if (anchor != NULL || tag != NULL)
        report_error_at(r, event->start_mark, no_anchors);
    else if (expects_key(r))
        report_error_at(r, event->start_mark,
                        "a key must be a word; quote what starts with [ or {");
    else if (r->depth == CD_MAX_NESTING)
        report_error_at(r, event->start_mark,
                        "lists and maps are nested deeper than 64 levels; no part of "
                        "a model is, check the brackets");
    if (r->failed)
        return;
    cd_node *node = new_node(r, kind, event->start_mark);
    if (node == NULL)
        return;
    append_to_container(r, node);
    cd_index_init(&r->keys[r->depth], NULL);
    r->open[r->depth++] = node;
}

static void close_container(yaml_reader *r)
{
    cd_index_destroy(&r->keys[--r->depth]);
    r->key = NULL;
}

static void handle_event(yaml_reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->root != NULL)
            report_error_at(
                r, event->start_mark,
                "a second document starts here; a model file holds one, use `include` for more");
        break;
    case YAML_ALIAS_EVENT:
        report_error_at(r, event->start_mark,
                        "aliases (*) are not read; use `parameters` for values that repeat");
        break;
    case YAML_SCALAR_EVENT:
        read_scalar(r, event);
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

static void read_events(yaml_reader *r)
{
    bool ended = false;
    while (!r->failed && !ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            report_syntax_error(r);
            return;
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        handle_event(r, &event);
        yaml_event_delete(&event);
    }
}

cd_node *cd_yaml_parse(cd_document *document, const cd_source *source, const char *text,
                       size_t size)
{
    yaml_reader r = {.document = document, .source = source, .text = text, .size = size};
    if (!yaml_parser_initialize(&r.parser)) {
        document->arena.failed = 1;
        return NULL;
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    read_events(&r);
    yaml_parser_delete(&r.parser);
    while (r.depth > 0)
        cd_index_destroy(&r.keys[--r.depth]);
    if (!r.failed && r.root == NULL)
        cd_report_error(&document->report, (cd_location){source, 1, 1}, CD_EMPTY_FILE);
    return r.failed ? NULL : r.root;
}

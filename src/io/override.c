/* Values of the command line in place of those of the file: bodies.crank.mass=2. */
#include "read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One override on its way down the tree. */
typedef struct walk {
    cd_document *document;
    cd_location place; /* of the path, for messages */
    cd_node *node;
    char part[128]; /* the next part of the path */
} walk;

__attribute__((format(printf, 2, 3))) static bool fail(walk *w, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cd_report_error(&w->document->report, w->place, "%s", text);
    return false;
}

/* Proposes an element of the list, or a key of the map, where the path went astray. */
static bool fail_unknown(walk *w)
{
    cd_names *names = cd_names_create(&w->document->arena);
    for (const cd_node *entry = w->node->first; entry != NULL && names != NULL;
         entry = entry->next) {
        const cd_node *name = w->node->kind == CD_LIST ? cd_node_find(entry, "name") : NULL;
        if (w->node->kind == CD_MAP || name != NULL)
            cd_names_add(names, name != NULL ? name->text : entry->key, 0);
    }
    const char *nearest = names != NULL ? cd_names_nearest(names, w->part) : NULL;
    if (nearest != NULL)
        return fail(w, "there is no `%s` in the file; did you mean `%s`?", w->part, nearest);
    return fail(w,
                "there is no `%s` in the file; write a path such as bodies.crank.mass or "
                "parameters.length",
                w->part);
}

/* The element of a list with this name, or with this number from 0. */
static cd_node *in_list(const cd_node *list, const char *part)
{
    char *rest;
    for (cd_node *entry = list->first; entry != NULL; entry = entry->next) {
        const cd_node *name = cd_node_find(entry, "name");
        if (name != NULL && strcmp(name->text, part) == 0)
            return entry;
    }
    const long index = strtol(part, &rest, 10);
    if (rest == part || *rest != '\0' || index < 0 || index >= list->count)
        return NULL;
    cd_node *entry = list->first;
    for (long i = 0; i < index; i++)
        entry = entry->next;
    return entry;
}

static cd_node *child_of(const cd_node *node, const char *part)
{
    if (node->kind == CD_LIST)
        return in_list(node, part);
    return node->kind == CD_MAP ? cd_node_find(node, part) : NULL;
}

/* Puts a node under the last part of the path, which the map has not. */
static bool append(walk *w, cd_node *node)
{
    node->key = cd_document_text(w->document, w->part, strlen(w->part));
    node->key_place = w->place;
    if (node->key != NULL)
        cd_node_append(w->node, node);
    return node->key != NULL;
}

/* A part of a map that the file leaves out, such as `solver`, if the schema has it. */
static cd_node *new_map(walk *w, const cd_node *root)
{
    const int i = cd_field_find(&cd_model_element, w->part);
    if (w->node != root || i < 0 || cd_model_element.fields[i].kind != CD_PART)
        return NULL;
    cd_node *map = cd_node_new(w->document, CD_MAP, w->place);
    return map != NULL && append(w, map) ? map : NULL;
}

/* Cuts the next part off the path; false at its end. */
static bool next_part(walk *w, const char **path)
{
    const size_t length = strcspn(*path, ".");
    if (length == 0 || length >= sizeof w->part)
        return false;
    memcpy(w->part, *path, length);
    w->part[length] = '\0';
    *path += length;
    return true;
}

/* Puts the value where the path ends. */
static bool put(walk *w, const cd_node *root, cd_node *value)
{
    cd_node *old = child_of(w->node, w->part);
    const bool parameters = w->node->key != NULL && strcmp(w->node->key, "parameters") == 0;
    if (old != NULL) {
        cd_node_replace(w->node, old, value);
        value->key_place = w->place;
        return true;
    }
    /* New words are for the reader to judge, but not new parameters and elements. */
    if (w->node->kind != CD_MAP || parameters ||
        (w->node == root && cd_field_find(&cd_model_element, w->part) < 0))
        return fail_unknown(w);
    return append(w, value);
}

static bool apply(walk *w, cd_node *root, const char *path, cd_node *value)
{
    cd_node *parameters = cd_node_find(root, "parameters");
    w->node = root;
    if (strchr(path, '.') == NULL && parameters != NULL && cd_node_find(parameters, path) != NULL)
        w->node = parameters;
    while (next_part(w, &path)) {
        if (*path == '\0')
            return put(w, root, value);
        cd_node *child = child_of(w->node, w->part);
        if (child == NULL)
            child = new_map(w, root);
        if (child == NULL)
            return fail_unknown(w);
        w->node = child;
        path++;
    }
    return fail(w, "this path has an empty or endless part; write it like bodies.crank.mass");
}

void cd_document_override(cd_document *document, cd_node *root,
                          const cardan_file_override *overrides, int count)
{
    for (int i = 0; i < count; i++) {
        const char *path = overrides[i].path, *text = overrides[i].value;
        const size_t size = strlen(path) + sizeof "--set ";
        char *file = cd_document_keep(document, size);
        if (file == NULL)
            return;
        snprintf(file, size, "--set %s", path);
        const cd_source *source = cd_document_source(document, file);
        if (source == NULL)
            return;
        cd_node *value = cd_yaml_parse(document, source, text, strlen(text));
        walk w = {.document = document, .place = {source, 1, 1}};
        if (value != NULL)
            apply(&w, root, path, value);
    }
}

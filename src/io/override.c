/* Replaces values of a file by those of the command line: --set bodies.crank.mass=2. */
#include "read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An override whose path is followed down the tree, one key after the other. */
typedef struct override_walk {
    cd_document *document;
    cd_location location; /* of the path, for messages */
    cd_node *node;        /* where the path has led so far */
    char key[128];        /* the next key of the path */
} override_walk;

__attribute__((format(printf, 2, 3))) static bool report_error(override_walk *w, const char *format,
                                                               ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cd_report_error(&w->document->report, w->location, "%s", text);
    return false;
}

/* Reports that the path leads nowhere, and proposes the name or key that is spelled most alike. */
static bool report_unknown_key(override_walk *w)
{
    cd_names *names = cd_names_create(&w->document->arena);
    for (const cd_node *entry = w->node->first; entry != NULL && names != NULL;
         entry = entry->next) {
        const cd_node *name = w->node->kind == CD_LIST ? cd_node_find(entry, "name") : NULL;
        if (w->node->kind == CD_MAP || name != NULL)
            cd_names_add(names, name != NULL ? name->text : entry->key, 0);
    }
    const char *nearest = names != NULL ? cd_names_nearest(names, w->key) : NULL;
    if (nearest != NULL)
        return report_error(w, "there is no `%s` in the file; did you mean `%s`?", w->key, nearest);
    return report_error(w,
                        "there is no `%s` in the file; write a path such as bodies.crank.mass or "
                        "parameters.length",
                        w->key);
}

/* The entry of a list with this name, or with this number, counted from 0. */
static cd_node *find_in_list(const cd_node *list, const char *key)
{
    char *rest;
    for (cd_node *entry = list->first; entry != NULL; entry = entry->next) {
        const cd_node *name = cd_node_find(entry, "name");
        if (name != NULL && strcmp(name->text, key) == 0)
            return entry;
    }
    const long index = strtol(key, &rest, 10);
    if (rest == key || *rest != '\0' || index < 0 || index >= list->count)
        return NULL;
    cd_node *entry = list->first;
    for (long i = 0; i < index; i++)
        entry = entry->next;
    return entry;
}

static cd_node *find_child(const cd_node *node, const char *key)
{
    if (node->kind == CD_LIST)
        return find_in_list(node, key);
    return node->kind == CD_MAP ? cd_node_find(node, key) : NULL;
}

/* Adds a node to the map under the present key, which the map does not have. */
static bool append_under_key(override_walk *w, cd_node *node)
{
    node->key = cd_document_copy_text(w->document, w->key, strlen(w->key));
    node->key_location = w->location;
    if (node->key != NULL)
        cd_node_append(w->node, node);
    return node->key != NULL;
}

/* Adds an empty section of the schema, such as `solver`, that the file does not have. */
static cd_node *add_missing_section(override_walk *w, const cd_node *root)
{
    const int i = cd_field_find(&cd_model_schema, w->key);
    if (w->node != root || i < 0 || cd_model_schema.fields[i].kind != CD_NESTED_MAP)
        return NULL;
    cd_node *map = cd_node_new(w->document, CD_MAP, w->location);
    return map != NULL && append_under_key(w, map) ? map : NULL;
}

/* Cuts the next key off the path; false at its end. */
static bool cut_next_key(override_walk *w, const char **path)
{
    const size_t length = strcspn(*path, ".");
    if (length == 0 || length >= sizeof w->key)
        return false;
    memcpy(w->key, *path, length);
    w->key[length] = '\0';
    *path += length;
    return true;
}

/* Replaces or adds the value where the path ends. */
static bool put_value(override_walk *w, const cd_node *root, cd_node *value)
{
    cd_node *old = find_child(w->node, w->key);
    const bool parameters = w->node->key != NULL && strcmp(w->node->key, "parameters") == 0;
    if (old != NULL) {
        cd_node_replace(w->node, old, value);
        value->key_location = w->location;
        return true;
    }
    /* The reader rejects unknown keys; new parameters and elements are rejected here. */
    if (w->node->kind != CD_MAP || parameters ||
        (w->node == root && cd_field_find(&cd_model_schema, w->key) < 0))
        return report_unknown_key(w);
    return append_under_key(w, value);
}

/* Follows a path such as bodies.crank.mass, or the name of a parameter, and sets the value. */
static bool apply_override(override_walk *w, cd_node *root, const char *path, cd_node *value)
{
    cd_node *parameters = cd_node_find(root, "parameters");
    w->node = root;
    if (strchr(path, '.') == NULL && parameters != NULL && cd_node_find(parameters, path) != NULL)
        w->node = parameters;
    while (cut_next_key(w, &path)) {
        if (*path == '\0')
            return put_value(w, root, value);
        cd_node *child = find_child(w->node, w->key);
        if (child == NULL)
            child = add_missing_section(w, root);
        if (child == NULL)
            return report_unknown_key(w);
        w->node = child;
        path++;
    }
    return report_error(w,
                        "this path has an empty or endless part; write it like bodies.crank.mass");
}

void cd_document_override(cd_document *document, cd_node *root,
                          const cardan_file_override *overrides, int count)
{
    for (int i = 0; i < count; i++) {
        const char *path = overrides[i].path, *text = overrides[i].value;
        const size_t size = strlen(path) + sizeof "--set ";
        char *file = cd_document_allocate_kept(document, size);
        if (file == NULL)
            return;
        snprintf(file, size, "--set %s", path);
        const cd_source *source = cd_document_add_source(document, file);
        if (source == NULL)
            return;
        cd_node *value = cd_yaml_parse(document, source, text, strlen(text));
        override_walk w = {.document = document, .location = {source, 1, 1}};
        if (value != NULL)
            apply_override(&w, root, path, value);
    }
}

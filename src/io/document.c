/* The tree of a model file: making, linking and finding its nodes, and their memory. */
#include "document.h"

#include <string.h>

void cd_document_init(cd_document *document)
{
    memset(document, 0, sizeof *document);
    cd_arena_init(&document->arena, NULL);
    cd_arena_init(&document->kept, NULL);
    document->report.arena = &document->kept;
}

void cd_document_destroy(cd_document *document)
{
    cd_document_release_tree(document);
    cd_arena_destroy(&document->kept);
}

void cd_document_release_tree(cd_document *document)
{
    cd_index_destroy(&document->keys);
    cd_arena_destroy(&document->arena);
}

void *cd_document_allocate_kept(cd_document *document, size_t size)
{
    void *memory = cd_arena_take(&document->kept, size);
    if (memory == NULL)
        document->arena.failed = 1;
    return memory;
}

char *cd_document_copy_text(cd_document *document, const char *text, size_t length)
{
    char *copy = cd_arena_take(&document->arena, length + 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

const char *cd_document_share_key(cd_document *document, const char *text, size_t length)
{
    const char *kept = cd_index_keep(&document->keys, &document->arena, text, length + 1);
    if (kept == NULL)
        document->arena.failed = 1;
    return kept;
}

const cd_source *cd_document_add_source(cd_document *document, const char *name)
{
    cd_source *source = cd_document_allocate_kept(document, sizeof *source);
    if (source != NULL)
        *source = (cd_source){name, document->files++};
    return source;
}

cd_node *cd_node_new(cd_document *document, cd_node_kind kind, cd_location location)
{
    if (document->nodes >= CD_MAX_NODES)
        return NULL;
    cd_node *node = cd_arena_take(&document->arena, sizeof *node);
    if (node == NULL)
        return NULL;
    document->nodes++;
    node->kind = (unsigned char)kind;
    node->location = location;
    node->text = "";
    return node;
}

void cd_node_append(cd_node *parent, cd_node *child)
{
    child->next = NULL;
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

cd_node *cd_node_find(const cd_node *map, const char *key)
{
    if (map->kind != CD_MAP)
        return NULL;
    for (cd_node *node = map->first; node != NULL; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

void cd_node_replace(cd_node *parent, cd_node *old, cd_node *fresh)
{
    cd_node **link = &parent->first;
    while (*link != old)
        link = &(*link)->next;
    *link = fresh;
    fresh->key = old->key;
    fresh->key_location = old->key_location;
    fresh->next = old->next;
    if (parent->last == old)
        parent->last = fresh;
}

/* A model file as a tree of scalars, lists and maps; every key and value knows its line. */
#ifndef CD_IO_DOCUMENT_H
#define CD_IO_DOCUMENT_H

#include "base/index.h"
#include "messages.h"

/* Limits beyond any real model. */
enum {
    CD_MAX_NESTING = 64,        /* nesting of lists and maps */
    CD_MAX_NODES = 1 << 24,     /* of all files together */
    CD_MAX_FILE_SIZE = 1 << 28, /* bytes */
    CD_MAX_FILES = 256
};

#define CD_EMPTY_FILE "this file is empty; a model starts with `cardan: 1`"

typedef enum cd_node_kind { CD_SCALAR, CD_LIST, CD_MAP } cd_node_kind;

typedef struct cd_node cd_node;
struct cd_node {        /* small, because a large model has many */
    unsigned char kind; /* a cd_node_kind */
    bool quoted;        /* the scalar stands in quotes */
    int count;
    cd_location location;
    const char *text;      /* of a scalar; "" otherwise */
    cd_node *first, *last; /* of a list or map */
    cd_node *next;         /* in the list or map that contains it */
    const char *key;       /* its key in a map; NULL in a list */
    cd_location key_location;
};

typedef struct cd_document {
    cd_arena arena; /* the tree, and what is needed only while a file is read */
    cd_arena kept;  /* names of files, messages and others that outlive the tree */
    cd_report report;
    cd_index keys; /* of all maps; equal keys share one copy */
    int nodes, files;
    const char *paths[CD_MAX_FILES]; /* of the files that were read, the model first */
    int path_count;
    bool lacks_file; /* an included file could not be read */
} cd_document;

void cd_document_init(cd_document *document);
void cd_document_destroy(cd_document *document);
/* Releases the tree, but not what was allocated to outlive it. */
void cd_document_release_tree(cd_document *document);

/* A copy of a text that lives as long as the tree; NULL without memory. */
char *cd_document_copy_text(cd_document *document, const char *text, size_t length);
/* Memory that outlives the tree, for what messages and the finished model refer to. */
void *cd_document_allocate_kept(cd_document *document, size_t size);

/* The one copy of a key that all maps share; NULL without memory. */
const char *cd_document_share_key(cd_document *document, const char *text, size_t length);

/* Numbers a further file or text. Its name must outlive the tree; NULL without memory. */
const cd_source *cd_document_add_source(cd_document *document, const char *name);

/* A new node, or NULL without memory or beyond CD_MAX_NODES. */
cd_node *cd_node_new(cd_document *document, cd_node_kind kind, cd_location location);
void cd_node_append(cd_node *parent, cd_node *child);
/* The value under a key of a map, or NULL. */
cd_node *cd_node_find(const cd_node *map, const char *key);
/* Replaces the child `old` of `parent` by `fresh`, under the same key. */
void cd_node_replace(cd_node *parent, cd_node *old, cd_node *fresh);

/* Parses one YAML text into a tree; NULL, with a message, if it is empty or not YAML. */
cd_node *cd_yaml_parse(cd_document *document, const cd_source *source, const char *text,
                       size_t size);

/* Reads a file with all files that it includes; or, if `text` is not NULL, that text as if it were
 * the file. NULL if there is no tree. */
cd_node *cd_document_read(cd_document *document, const char *path, const char *text, size_t size);

/* Replaces values of the tree by those of the command line (--set). */
void cd_document_override(cd_document *document, cd_node *root,
                          const cardan_file_override *overrides, int count);

#endif

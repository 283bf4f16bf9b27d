/* A model file as a tree of scalars, lists and maps; every key and value knows its place. */
#ifndef CD_IO_DOCUMENT_H
#define CD_IO_DOCUMENT_H

#include "base/index.h"
#include "messages.h"

/* Bounds that no honest model meets. */
enum {
    CD_DEEPEST = 64,           /* nesting of lists and maps */
    CD_MOST_NODES = 1 << 24,   /* of all files together */
    CD_LARGEST_FILE = 1 << 28, /* bytes */
    CD_MOST_FILES = 256
};

#define CD_EMPTY_FILE "this file is empty; a model starts with `cardan: 1`"

typedef enum cd_node_kind { CD_SCALAR, CD_LIST, CD_MAP } cd_node_kind;

typedef struct cd_node cd_node;
struct cd_node {        /* a large model has many: kept small */
    unsigned char kind; /* a cd_node_kind */
    bool quoted;        /* the scalar stands in quotes */
    int count;
    cd_location place;
    const char *text;      /* of a scalar; "" otherwise */
    cd_node *first, *last; /* of a list or map */
    cd_node *next;         /* in the list or map that holds it */
    const char *key;       /* under which a map holds it, or NULL */
    cd_location key_place;
};

typedef struct cd_document {
    cd_arena arena; /* the tree, and all that is made from it while a file is read */
    cd_arena kept;  /* names of files and messages, which stay */
    cd_report report;
    cd_index keys; /* of maps: a few words, many times */
    int nodes, files;
    const char *paths[CD_MOST_FILES]; /* of the files that were read, the model first */
    int path_count;
    bool lacks_file; /* one that is included could not be read */
} cd_document;

void cd_document_init(cd_document *document);
void cd_document_destroy(cd_document *document);
/* Gives the tree back; what is kept stays. */
void cd_document_prune(cd_document *document);

/* A copy that lives as long as the document, or NULL. */
char *cd_document_text(cd_document *document, const char *text, size_t length);
/* The same that outlives the tree, for texts that messages refer to. */
void *cd_document_keep(cd_document *document, size_t size);

/* The copy of a key that all maps share, or NULL. */
const char *cd_document_key(cd_document *document, const char *text, size_t length);

/* The next file or text, whose name outlives the tree; NULL without memory. */
const cd_source *cd_document_source(cd_document *document, const char *name);

/* A new node, or NULL without memory or beyond CD_MOST_NODES. */
cd_node *cd_node_new(cd_document *document, cd_node_kind kind, cd_location place);
void cd_node_append(cd_node *parent, cd_node *child);
/* The value under a key of a map, or NULL. */
cd_node *cd_node_find(const cd_node *map, const char *key);
/* Puts `fresh` where `old` is in `parent`. */
void cd_node_replace(cd_node *parent, cd_node *old, cd_node *fresh);

/* One YAML text as a tree; NULL if it is empty or not YAML, which is reported. */
cd_node *cd_yaml_parse(cd_document *document, const cd_source *source, const char *text,
                       size_t size);

/* The tree of a file or text (not NULL: instead of the file) with all files that it includes; NULL
 * if there is none. */
cd_node *cd_document_read(cd_document *document, const char *path, const char *text, size_t size);

/* Puts values in place of those of the file. */
void cd_document_override(cd_document *document, cd_node *root,
                          const cardan_file_override *overrides, int count);

#endif

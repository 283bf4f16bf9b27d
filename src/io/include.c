/* Reads a file with the files that it includes, and merges them section by section. */
#include "document.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file that is being read, and the one that included it. */
typedef struct open_file {
    const char *path;
    dev_t device;
    ino_t inode;
    const struct open_file *included_by;
    int depth;
} open_file;

enum { DEEPEST_INCLUDE = 16 };

static cd_node *read_file(cd_document *document, const char *path, cd_location named_at,
                          const open_file *included_by);

/* The path of `name`, which is relative to the folder of the file `from`. */
static const char *resolve_path(cd_document *document, const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    const size_t folder = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash - from) + 1;
    char *path = cd_document_allocate_kept(document, folder + strlen(name) + 1);
    if (path != NULL) {
        memcpy(path, from, folder);
        strcpy(path + folder, name);
    }
    return path;
}

/* Adds the entries of an included map to the map `own`. Where both have a key, maps are merged,
 * lists joined with the included one first, and of other values the own one stays. */
static void merge_map(cd_node *own, cd_node *included)
{
    cd_node *next;
    for (cd_node *entry = included->first; entry != NULL; entry = next) {
        cd_node *mine = cd_node_find(own, entry->key);
        next = entry->next;
        if (mine == NULL) {
            cd_node_append(own, entry);
        } else if (mine->kind == CD_LIST && entry->kind == CD_LIST && entry->last != NULL &&
                   strcmp(entry->key, "gravity") != 0) {
            entry->last->next = mine->first;
            mine->first = entry->first;
            mine->last = mine->last != NULL ? mine->last : entry->last;
            mine->count += entry->count;
        } else if (mine->kind == CD_MAP && entry->kind == CD_MAP) {
            merge_map(mine, entry);
        }
    }
}

/* Whether a file is a model file: nothing of another file may be quoted in messages. `name` and
 * `description` prove nothing, many files have them. */
static bool has_model_section(const cd_node *root)
{
    for (const cd_node *entry = root->first; entry != NULL; entry = entry->next)
        if (cd_field_find(&cd_model_schema, entry->key) >= 0 && strcmp(entry->key, "name") != 0 &&
            strcmp(entry->key, "description") != 0)
            return true;
    return false;
}

/* Reads the file that `name` names and merges it into the tree of `file`. */
static void include_file(cd_document *document, cd_node *root, const cd_node *name,
                         const open_file *file)
{
    char quoted[CD_QUOTE];
    if (name->kind != CD_SCALAR || name->text[0] == '\0') {
        cd_report_error(&document->report, name->location,
                        "`include` wants the name of a file, or a list of names");
        document->lacks_file = true;
        return;
    }
    const char *path = resolve_path(document, file->path, name->text);
    const int count = document->report.count, errors = document->report.errors;
    cd_node *included = path != NULL ? read_file(document, path, name->location, file) : NULL;
    if (included != NULL && has_model_section(included)) {
        merge_map(root, included);
        return;
    }
    document->lacks_file = true;
    cd_report_withdraw(&document->report, count, errors, included == NULL);
    if (included != NULL)
        cd_report_error(&document->report, name->location,
                        "`%s` is not a model file: it has no section such as `bodies` or "
                        "`parameters`; check the name",
                        cd_quotable(name->text, quoted));
}

static void include_listed_files(cd_document *document, cd_node *root, const open_file *file)
{
    cd_node *include = cd_node_find(root, "include");
    if (include == NULL)
        return;
    if (include->kind != CD_LIST) {
        include_file(document, root, include, file);
        return;
    }
    /* Of several files the last one wins, as the including one does over all. */
    const cd_node *names[CD_MAX_FILES];
    int count = 0;
    for (const cd_node *name = include->first; name != NULL && count < CD_MAX_FILES;
         name = name->next)
        names[count++] = name;
    while (count > 0)
        include_file(document, root, names[--count], file);
}

/* The tree of a text with all that it includes; NULL, with a message, if it is no model file. */
static cd_node *parse_file_text(cd_document *document, const open_file *file, const char *text,
                                size_t size)
{
    if (document->path_count < CD_MAX_FILES)
        document->paths[document->path_count++] = file->path;
    const cd_source *source = cd_document_add_source(document, file->path);
    const cd_location begin = {source, 1, 1};
    cd_node *root = source != NULL ? cd_yaml_parse(document, source, text, size) : NULL;
    if (root == NULL)
        return NULL;
    if (root->kind == CD_SCALAR && !root->quoted && root->text[0] == '\0') {
        cd_report_error(&document->report, begin, CD_EMPTY_FILE);
        return NULL;
    }
    if (root->kind != CD_MAP) {
        cd_report_error(&document->report, root->kind == CD_LIST ? root->location : begin,
                        "a model file is a map of sections such as `bodies:` and `joints:`, "
                        "this is %s",
                        root->kind == CD_LIST ? "a list" : "a single value");
        return NULL;
    }
    include_listed_files(document, root, file);
    return root;
}

/* Why a file must not be read, or NULL. */
static const char *reason_not_to_read(const cd_document *document, const open_file *file,
                                      const struct stat *status)
{
    if (status->st_size > CD_MAX_FILE_SIZE)
        return "it is larger than 256 MB; no model is, check the name";
    if (document->files >= CD_MAX_FILES || file->depth > DEEPEST_INCLUDE)
        return "too many files include each other; put some of them together";
    for (const open_file *other = file->included_by; other != NULL; other = other->included_by)
        if (other->device == file->device && other->inode == file->inode && other->inode != 0)
            return "it is being read already, so the files include each other in a circle; "
                   "remove one `include`";
    return NULL;
}

/* Reads `size` bytes into new memory. NULL with the reason in `why`, or without memory. */
static char *read_stream(cd_document *document, FILE *stream, size_t size, const char **why)
{
    char *text = malloc(size + 1);
    errno = 0;
    if (text != NULL && fread(text, 1, size, stream) == size)
        return text;
    if (text == NULL || errno == ENOMEM)
        document->arena.failed = 1;
    else
        *why = strerror(errno != 0 ? errno : EIO);
    free(text);
    return NULL;
}

static cd_node *read_file(cd_document *document, const char *path, cd_location named_at,
                          const open_file *included_by)
{
    open_file file = {.path = path,
                      .included_by = included_by,
                      .depth = included_by != NULL ? included_by->depth + 1 : 0};
    char quoted[CD_QUOTE], *text = NULL;
    struct stat status;
    /* Looks before it opens: opening a pipe that nobody writes to would wait for ever. */
    const bool regular = stat(path, &status) != 0 || S_ISREG(status.st_mode);
    FILE *stream = regular ? fopen(path, "rb") : NULL;
    if (stream == NULL || fstat(fileno(stream), &status) != 0) {
        cd_report_error(&document->report, named_at, "cannot open `%s`: %s; check the name",
                        cd_quotable(path, quoted),
                        regular ? strerror(errno) : "it is a folder or a device");
        return NULL;
    }
    file.device = status.st_dev;
    file.inode = status.st_ino;
    const char *why = reason_not_to_read(document, &file, &status);
    if (why == NULL)
        text = read_stream(document, stream, (size_t)status.st_size, &why);
    fclose(stream);
    if (why != NULL)
        cd_report_error(&document->report, named_at, "cannot read `%s`: %s",
                        cd_quotable(path, quoted), why);
    cd_node *root =
        text != NULL ? parse_file_text(document, &file, text, (size_t)status.st_size) : NULL;
    free(text);
    return root;
}

cd_node *cd_document_read(cd_document *document, const char *path, const char *text, size_t size)
{
    const cd_source nowhere = {path, 0};
    if (text == NULL)
        return read_file(document, path, (cd_location){&nowhere, 1, 1}, NULL);
    const open_file file = {.path = path};
    return parse_file_text(document, &file, text, size);
}

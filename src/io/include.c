/* Files and the files that they include: read once each, checked for circles, merged section by
 * section. */
#include "document.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file that is being read, and the one that included it. */
typedef struct opened {
    const char *path;
    dev_t device;
    ino_t inode;
    const struct opened *by;
    int depth;
} opened;

enum { DEEPEST_INCLUDE = 16 };

static cd_node *read_file(cd_document *document, const char *path, cd_location named_at,
                          const opened *by);

/* `name` relative to the folder of the file `from`. */
static const char *beside(cd_document *document, const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    const size_t folder = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash - from) + 1;
    char *path = cd_document_keep(document, folder + strlen(name) + 1);
    if (path != NULL) {
        memcpy(path, from, folder);
        strcpy(path + folder, name);
    }
    return path;
}

/* Own entries go before those of an included file; lists are joined, the included part first. */
static void merge(cd_node *own, cd_node *included)
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
            merge(mine, entry);
        }
    }
}

/* A file that has no section of a model is another one, and nothing of it may be quoted. Many have
 * names and descriptions. */
static bool is_part_of_model(const cd_node *root)
{
    for (const cd_node *entry = root->first; entry != NULL; entry = entry->next)
        if (cd_field_find(&cd_model_element, entry->key) >= 0 && strcmp(entry->key, "name") != 0 &&
            strcmp(entry->key, "description") != 0)
            return true;
    return false;
}

static void include_one(cd_document *document, cd_node *root, const cd_node *name,
                        const opened *file)
{
    char quoted[CD_QUOTED];
    if (name->kind != CD_SCALAR || name->text[0] == '\0') {
        cd_report_error(&document->report, name->place,
                        "`include` wants the name of a file, or a list of names");
        document->lacks_file = true;
        return;
    }
    const char *path = beside(document, file->path, name->text);
    const int count = document->report.count, errors = document->report.errors;
    cd_node *included = path != NULL ? read_file(document, path, name->place, file) : NULL;
    if (included != NULL && is_part_of_model(included)) {
        merge(root, included);
        return;
    }
    document->lacks_file = true;
    cd_report_withdraw(&document->report, count, errors, included == NULL);
    if (included != NULL)
        cd_report_error(&document->report, name->place,
                        "`%s` is not a model file: it has no section such as `bodies` or "
                        "`parameters`; check the name",
                        cd_quoted(name->text, quoted));
}

static void include_all(cd_document *document, cd_node *root, const opened *file)
{
    cd_node *include = cd_node_find(root, "include");
    if (include == NULL)
        return;
    if (include->kind != CD_LIST) {
        include_one(document, root, include, file);
        return;
    }
    /* Of several files the last one wins, as the including one does over all. */
    const cd_node *names[CD_MOST_FILES];
    int count = 0;
    for (const cd_node *name = include->first; name != NULL && count < CD_MOST_FILES;
         name = name->next)
        names[count++] = name;
    while (count > 0)
        include_one(document, root, names[--count], file);
}

static cd_node *take_text(cd_document *document, const opened *file, const char *text, size_t size)
{
    if (document->path_count < CD_MOST_FILES)
        document->paths[document->path_count++] = file->path;
    const cd_source *source = cd_document_source(document, file->path);
    const cd_location begin = {source, 1, 1};
    cd_node *root = source != NULL ? cd_yaml_parse(document, source, text, size) : NULL;
    if (root == NULL)
        return NULL;
    if (root->kind == CD_SCALAR && !root->quoted && root->text[0] == '\0') {
        cd_report_error(&document->report, begin, CD_EMPTY_FILE);
        return NULL;
    }
    if (root->kind != CD_MAP) {
        cd_report_error(&document->report, root->kind == CD_LIST ? root->place : begin,
                        "a model file is a map of sections such as `bodies:` and `joints:`, "
                        "this is %s",
                        root->kind == CD_LIST ? "a list" : "a single value");
        return NULL;
    }
    include_all(document, root, file);
    return root;
}

/* Why a file is not opened, or NULL. */
static const char *obstacle(const cd_document *document, const opened *file,
                            const struct stat *status)
{
    if (status->st_size > CD_LARGEST_FILE)
        return "it is larger than 256 MB; no model is, check the name";
    if (document->files >= CD_MOST_FILES || file->depth > DEEPEST_INCLUDE)
        return "too many files include each other; put some of them together";
    for (const opened *other = file->by; other != NULL; other = other->by)
        if (other->device == file->device && other->inode == file->inode && other->inode != 0)
            return "it is being read already, so the files include each other in a circle; "
                   "remove one `include`";
    return NULL;
}

/* NULL with the reason why; without one there is no memory. */
static char *load(cd_document *document, FILE *stream, size_t size, const char **why)
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
                          const opened *by)
{
    opened file = {.path = path, .by = by, .depth = by != NULL ? by->depth + 1 : 0};
    char quoted[CD_QUOTED], *text = NULL;
    struct stat status;
    /* Looks before it opens: opening a pipe that nobody writes to would wait for ever. */
    const bool regular = stat(path, &status) != 0 || S_ISREG(status.st_mode);
    FILE *stream = regular ? fopen(path, "rb") : NULL;
    if (stream == NULL || fstat(fileno(stream), &status) != 0) {
        cd_report_error(&document->report, named_at, "cannot open `%s`: %s; check the name",
                        cd_quoted(path, quoted),
                        regular ? strerror(errno) : "it is a folder or a device");
        return NULL;
    }
    file.device = status.st_dev;
    file.inode = status.st_ino;
    const char *why = obstacle(document, &file, &status);
    if (why == NULL)
        text = load(document, stream, (size_t)status.st_size, &why);
    fclose(stream);
    if (why != NULL)
        cd_report_error(&document->report, named_at, "cannot read `%s`: %s",
                        cd_quoted(path, quoted), why);
    cd_node *root = text != NULL ? take_text(document, &file, text, (size_t)status.st_size) : NULL;
    free(text);
    return root;
}

cd_node *cd_document_read(cd_document *document, const char *path, const char *text, size_t size)
{
    const cd_source nowhere = {path, 0};
    if (text == NULL)
        return read_file(document, path, (cd_location){&nowhere, 1, 1}, NULL);
    const opened file = {.path = path};
    return take_text(document, &file, text, size);
}

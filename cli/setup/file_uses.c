/* Files of a command that must not be the same; see the header. */
#include "file_uses.h"
#include "cli/results/output_file.h"
#include "setup.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cli_file_uses_add(cli_file_uses *uses, const char *what, const char *path, cli_use use)
{
    if (path == NULL)
        return;
    uses->list = cli_reallocate(uses->list, (size_t)uses->count + 1, sizeof *uses->list);
    uses->list[uses->count++] = (cli_file_use){what, path, use};
}

void cli_file_uses_add_setup(cli_file_uses *uses, const cli_setup *setup)
{
    const char *path;
    for (int i = 0; setup->model_file != NULL &&
                    (path = cardan_model_file_source(setup->model_file, i)) != NULL;
         i++)
        cli_file_uses_add(uses, i == 0 ? "the model" : "a file that the model includes", path,
                          CLI_READ);
    cli_file_uses_add(uses, "the matrix of --projection", setup->projection.entries.file, CLI_READ);
    cli_file_uses_add(uses, "the matrix of --acceleration-projection",
                      setup->projection.acceleration_entries.file, CLI_READ);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The folder that a file is or would be in. */
static bool look_at_folder(const char *path, struct stat *about)
{
    const size_t length = (size_t)(name_of(path) - path);
    char *folder = cli_allocate(length + 2, 1);
    memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
    const bool found = stat(folder, about) == 0;
    free(folder);
    return found;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool same_place(const char *a, const char *b)
{
    struct stat one, two;
    return strcmp(name_of(a), name_of(b)) == 0 && look_at_folder(a, &one) &&
           look_at_folder(b, &two) && is_same(&one, &two);
}

static bool look(const char *path, struct stat *about)
{
    return strcmp(path, "-") == 0 ? fstat(STDOUT_FILENO, about) == 0 : stat(path, about) == 0;
}

/* Two that are written may both go to nowhere; pipes and terminals may be read and written. */
static bool same_file(const cli_file_use *a, const cli_file_use *b)
{
    struct stat one, two, nowhere;
    const bool written = a->use == CLI_WRITTEN && b->use == CLI_WRITTEN;
    if (written && strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0)
        return true;
    if (!look(a->path, &one) || !look(b->path, &two))
        return same_place(a->path, b->path);
    if (stat("/dev/null", &nowhere) == 0 && S_ISCHR(one.st_mode) && one.st_rdev == nowhere.st_rdev)
        return false;
    return is_same(&one, &two) && (written || S_ISREG(one.st_mode));
}

bool cli_is_same_file(const char *one, const char *two)
{
    return same_file(&(cli_file_use){.path = one, .use = CLI_WRITTEN},
                     &(cli_file_use){.path = two, .use = CLI_WRITTEN});
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool is_in_series(const char *folder, const char *path)
{
    struct stat one, two;
    const char *name = name_of(path);
    return (strcmp(name, "run.pvd") == 0 || ends_with(name, ".vtp")) && stat(folder, &one) == 0 &&
           look_at_folder(path, &two) && is_same(&one, &two);
}

static bool clash(const cli_file_use *a, const cli_file_use *b)
{
    if (a->use == CLI_READ && b->use == CLI_READ)
        return false;
    if (a->use == CLI_WRITTEN_FOLDER || b->use == CLI_WRITTEN_FOLDER)
        return a->use != b->use && (a->use == CLI_WRITTEN_FOLDER ? is_in_series(a->path, b->path)
                                                                 : is_in_series(b->path, a->path));
    return same_file(a, b);
}

bool cli_file_uses_agree(cli_file_uses *uses, const char *command)
{
    bool agree = true;
    for (int i = 0; i < uses->count; i++)
        for (int k = 0; agree && k < i; k++) {
            const bool first = uses->list[k].use > uses->list[i].use;
            const cli_file_use *one = &uses->list[first ? k : i];
            const cli_file_use *two = &uses->list[first ? i : k];
            agree = !clash(one, two);
            if (!agree && one->use == CLI_WRITTEN_FOLDER)
                cli_complain(command, "%s %s would write over %s, %s; name another folder",
                             one->what, one->path, two->what, two->path);
            else if (!agree)
                cli_complain(command, "%s %s and %s %s are the same file; name two", one->what,
                             one->path, two->what, two->path);
        }
    free(uses->list);
    *uses = (cli_file_uses){0};
    return agree;
}

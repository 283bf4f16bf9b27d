/* Models that come with the program: the folders they may be in, and what is there. */
#include "shipped.h"
#include "options.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".yaml";

/* `a/b` as memory of its own. */
static char *join(const char *a, size_t length, const char *b, const char *end)
{
    const size_t size = length + strlen(b) + strlen(end) + 2;
    char *path = cli_allocate(size, 1);
    snprintf(path, size, "%.*s/%s%s", (int)length, a, b, end);
    return path;
}

/* The folder of the program itself, so that an installed tree can be moved; NULL where the system
 * does not tell. */
static char *program_folder(void)
{
    char *path = cli_allocate(PATH_MAX, 1);
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash = length > 0 ? strrchr(path, '/') : NULL;
    if (slash == NULL) {
        free(path);
        return NULL;
    }
    *slash = '\0';
    return path;
}

/* Where the build or the installation has put the models: the way there from the program, with each
 * `../` walked, so that the path reads well in messages. */
static char *own_folder(void)
{
    char *program = program_folder();
    if (program == NULL)
        return cli_copy(CLI_MODELS_INSTALLED);
    const char *way = CLI_MODELS_FROM_PROGRAM;
    size_t length = strlen(program);
    for (; strncmp(way, "../", 3) == 0; way += 3)
        while (length > 0 && program[--length] != '/')
            ;
    char *folder = join(program, length, way, "");
    free(program);
    return folder;
}

/* Calls `visit` with each folder in turn until it returns true. */
static bool visit_folders(bool (*visit)(void *context, const char *folder, size_t length),
                          void *context)
{
    const char *given = getenv("CARDAN_MODELS");
    for (const char *at = given != NULL ? given : ""; *at != '\0';) {
        const size_t length = strcspn(at, ":");
        if (length > 0 && visit(context, at, length))
            return true;
        at += length + (at[length] == ':');
    }
    char *own = own_folder();
    const bool done = visit(context, own, strlen(own));
    free(own);
    return done;
}

typedef struct quest {
    const char *name;
    char *path; /* NULL: not found yet */
} quest;

static bool find_in(void *context, const char *folder, size_t length)
{
    quest *wanted = context;
    struct stat status;
    wanted->path = join(folder, length, wanted->name, ending);
    if (stat(wanted->path, &status) == 0 && S_ISREG(status.st_mode))
        return true;
    free(wanted->path);
    wanted->path = NULL;
    return false;
}

/* The length of a file's name without .yaml, or 0 if it has another ending. */
static size_t stem_length(const char *file)
{
    const size_t length = strlen(file), tail = sizeof ending - 1;
    return length > tail && strcmp(file + length - tail, ending) == 0 ? length - tail : 0;
}

char *cli_shipped_find(const char *name)
{
    const size_t stem = stem_length(name);
    char *plain = cli_copy(name);
    if (stem > 0)
        plain[stem] = '\0';
    quest wanted = {.name = plain};
    if (plain[0] != '\0' && strchr(plain, '/') == NULL)
        visit_folders(find_in, &wanted);
    free(plain);
    return wanted.path;
}

static bool is_listed(const cli_shipped *list, const char *file, size_t stem)
{
    for (int i = 0; i < list->count; i++)
        if (strlen(list->names[i]) == stem && strncmp(list->names[i], file, stem) == 0)
            return true;
    return false;
}

static bool list_folder(void *context, const char *folder, size_t length)
{
    cli_shipped *list = context;
    char *path = join(folder, length, "", "");
    DIR *open_folder = opendir(path);
    free(path);
    if (open_folder == NULL)
        return false;
    for (const struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        const size_t stem = stem_length(entry->d_name);
        if (stem == 0 || is_listed(list, entry->d_name, stem))
            continue;
        list->names = cli_reallocate(list->names, (size_t)list->count + 1, sizeof *list->names);
        list->names[list->count] = cli_copy(entry->d_name);
        list->names[list->count++][stem] = '\0';
    }
    closedir(open_folder);
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

cli_shipped cli_shipped_list(void)
{
    cli_shipped list = {NULL, 0};
    visit_folders(list_folder, &list);
    if (list.count > 0)
        qsort(list.names, (size_t)list.count, sizeof *list.names, compare);
    return list;
}

void cli_shipped_free(cli_shipped *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (cli_shipped){NULL, 0};
}

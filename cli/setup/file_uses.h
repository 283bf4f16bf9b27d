/* The files that a command reads and writes: none that is written may be another one, by whatever
 * name. Files are the same by device and inode; those that do not exist yet, by their folder and
 * their name in it. */
#ifndef CLI_FILE_USES_H
#define CLI_FILE_USES_H

#include <stdbool.h>

typedef struct cli_setup cli_setup;

typedef enum cli_use {
    CLI_READ,
    CLI_WRITTEN,
    CLI_WRITTEN_FOLDER /* files of VTK in it: run.pvd, NAME.vtp */
} cli_use;

typedef struct cli_file_use {
    const char *what; /* "--out", "the model" */
    const char *path;
    cli_use use;
} cli_file_use;

typedef struct cli_file_uses {
    cli_file_use *list;
    int count;
} cli_file_uses;

/* Adds a file; nothing if `path` is NULL. Names are not copied. */
void cli_file_uses_add(cli_file_uses *uses, const char *what, const char *path, cli_use use);

/* Adds the files that a problem was read from: the model, and those that it includes. */
void cli_file_uses_add_setup(cli_file_uses *uses, const cli_setup *setup);

/* Complains and returns false if a file would be written over another one; releases the list. */
bool cli_file_uses_agree(cli_file_uses *uses, const char *command);

/* Whether two names mean the same file. */
bool cli_is_same_file(const char *one, const char *two);

#endif

/* Reading the command line: the option loop, numbers, lists and words, each with a message that
 * says what is wrong and what to do. Functions that return bool have already complained when they
 * return false; the command then ends with CLI_BAD_INPUT. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/commands/commands.h"
#include "colour.h"
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* Prints `cardan: COMMAND: sentence` on stderr. */
__attribute__((format(printf, 2, 3))) void cli_complain(const char *command, const char *format,
                                                        ...);

/* The same for what is no error, with the `cardan:` in another colour. */
__attribute__((format(printf, 3, 4))) void cli_tell(cli_colour colour, const char *command,
                                                    const char *format, ...);

/* Zeroed memory; ends the program with CLI_FAILED if there is none. */
void *cli_allocate(size_t count, size_t size);

/* The same for memory that grows (its new part is not zeroed), and for a copy of a text. */
void *cli_reallocate(void *memory, size_t count, size_t size);
char *cli_copy(const char *text);

/* Numbers; `what` names the option in messages. cli_number takes finite numbers only. */
bool cli_number(const char *command, const char *what, const char *text, double *value);
bool cli_positive(const char *command, const char *what, const char *text, double *value);
bool cli_count(const char *command, const char *what, const char *text, long long *value);

/* A comma-separated list of numbers, or of numbers > 0; *values is to be released with free. */
bool cli_number_list(const char *command, const char *what, const char *text, double **values,
                     int *count);
bool cli_positive_list(const char *command, const char *what, const char *text, double **values,
                       int *count);

/* The word nearest to a mistyped one, or NULL if none is near. */
const char *cli_nearest(const char *word, const char *const *words, int count);

/* Index of `text` among `words`; complains about an unknown `what` with the nearest word. */
bool cli_choice(const char *command, const char *what, const char *text, const char *const *words,
                int count, int *index);

/* The shortest decimal text that reads back as exactly `value`; returns `text`. */
#define CLI_NUMBER_TEXT 32
const char *cli_shortest(double value, char text[CLI_NUMBER_TEXT]);

/* Option codes of a command's `struct option` table start here; --help is 'h'. */
#define CLI_OPTION_FIRST 256
#define CLI_POSITIONAL   1

/* As the only argument: print the options, one a line, for `cardan completion`. */
#define CLI_LIST_OPTIONS "--list-options"

typedef struct cli_syntax {
    const char *command;
    const char *help;             /* printed for --help */
    const char *help_rest;        /* printed after it (C17 limits a literal to 4095); or NULL */
    const char *help_end;         /* and after that */
    const struct option *options; /* ends with an all-zero entry; at most 64 entries */
    int repeatable;               /* code of the option that may be given more than once, or 0 */
    /* Takes one option or, with code CLI_POSITIONAL, one plain argument. */
    bool (*apply)(void *context, int code, const char *value);
} cli_syntax;

/* Reads all arguments. Returns true to go on; false to end the program with *exit_code. */
bool cli_parse(const cli_syntax *syntax, int argc, char **argv, void *context, int *exit_code);

#endif

/* The options that a run was given, by name: kept in its checkpoints, and compared with those of a
 * restart. Names and values are not copied. */
#ifndef CLI_GIVEN_H
#define CLI_GIVEN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_given_option {
    const char *name, *value; /* without dashes; "" for an option without value */
} cli_given_option;

typedef struct cli_given {
    cli_given_option *list;
    int count;
} cli_given;

void cli_given_add(cli_given *given, const char *name, const char *value);
void cli_given_free(cli_given *given);

/* The option of the same name, and for `set` of the same setting, or NULL. */
const cli_given_option *cli_given_find(const cli_given *given, const cli_given_option *option);

/* Whether two values mean the same: equal texts or equal numbers. */
bool cli_given_same(const cli_given_option *one, const cli_given_option *two);

/* As text: name and value in turn, each with its final zero; `text` may be NULL to ask for the size
 * alone. Reading returns false if the text is not of this form; it is pointed into. */
size_t cli_given_write(const cli_given *given, char *text);
bool cli_given_read(cli_given *given, const char *text, size_t size);

#endif

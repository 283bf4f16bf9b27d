/* Colours on a terminal. */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include <stdio.h>

typedef enum cli_colour {
    CLI_COLOUR_NONE, /* back to ordinary text */
    CLI_COLOUR_GOOD,
    CLI_COLOUR_DOUBTFUL,
    CLI_COLOUR_WRONG, /* errors too */
} cli_colour;

/* What switches `file` to a colour; "" where it is no terminal, the terminal is `dumb`, or the
 * environment has NO_COLOR (no-color.org). */
const char *cli_colour_code(FILE *file, cli_colour colour);

#endif

/* See colour.h. */
#include "colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colours(FILE *file)
{
    const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (unwanted == NULL || unwanted[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0) && isatty(fileno(file)) == 1;
}

const char *cli_colour_code(FILE *file, cli_colour colour)
{
    static const char *const codes[] = {[CLI_COLOUR_NONE] = "\033[0m",
                                        [CLI_COLOUR_GOOD] = "\033[32m",
                                        [CLI_COLOUR_DOUBTFUL] = "\033[33m",
                                        [CLI_COLOUR_WRONG] = "\033[1;31m"};
    return has_colours(file) ? codes[colour] : "";
}

/* Sentences on a terminal of 80 columns. */
#include "wrap.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 78 };

void cli_print_wrapped(const char *indent, const char *text)
{
    size_t column = 0;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (column > 0 && column + 1 + word > LINE_WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += (size_t)printf("%s%.*s", column == 0 ? indent : " ", (int)word, text);
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

/* JSON as the commands print it: numbers with all digits, keys in the order they were set. */
#include "json.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_text(const char *text)
{
    json_t *json = json_string(text);
    if (json != NULL)
        return json;
    char *ascii = cli_allocate(strlen(text) + 1, 1);
    for (size_t i = 0; text[i] != '\0'; i++)
        ascii[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    json = json_string(ascii);
    free(ascii);
    return json;
}

void cli_json_print(json_t *object)
{
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    fputc('\n', stdout);
    json_decref(object);
}

/* JSON as the commands print it: numbers with all digits, keys in the order they were set. */
#include "json.h"

#include <math.h>
#include <stdio.h>

json_t *cli_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void cli_json_print(json_t *object)
{
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    fputc('\n', stdout);
    json_decref(object);
}

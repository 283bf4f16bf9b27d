/* JSON as the commands print it. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>

/* A JSON number, or null for a value that is not finite (which JSON cannot express). */
json_t *cli_json_number(double value);

/* A JSON text; bytes that are not UTF-8 (JSON cannot hold them) become question marks. */
json_t *cli_json_text(const char *text);

/* Prints the object on stdout with all digits, and releases it. */
void cli_json_print(json_t *object);

#endif

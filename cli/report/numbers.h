/* Arrays of numbers as text for the report page: bytes in an order that deflate likes, deflated,
 * base64. viewer/src/data.js reads them. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include "cli/results/json.h"

#include <stddef.h>

typedef struct cli_numbers {
    unsigned char *bytes;
    size_t size, capacity;
} cli_numbers;

/* How an array is kept. */
typedef enum cli_precision {
    CLI_EXACT,  /* all bits */
    CLI_SHORT,  /* the leading 12 bits of each number: 1 part in 8000 */
    CLI_ROUNDED /* to 1/65000 of the range of the array */
} cli_precision;

void cli_numbers_free(cli_numbers *numbers);

/* Adds an array and gives its description, {"at", "n", ...}. Arrays with numbers that are not
 * finite cannot be rounded to their range; they are shortened instead. */
json_t *cli_numbers_add(cli_numbers *numbers, const double *values, size_t count,
                        cli_precision precision);

/* All bytes, deflated, as base64; `malloc`ed. */
char *cli_numbers_text(const cli_numbers *numbers, size_t *length);

#endif

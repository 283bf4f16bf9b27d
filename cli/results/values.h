/* Named values with their units as a table for people. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

/* Name `i` of those that `from` holds, until the next is asked for. */
typedef const char *cli_name_at(void *from, int i);

/* Prints values in lines of up to three. Of more than `CLI_MOST_VALUES` it prints the first ones,
 * how many are left out, and `where` the others are. */
enum { CLI_MOST_VALUES = 120 };
void cli_values_print(cli_name_at *name, void *from, const double *values, int count,
                      const char *where);

#endif

/* The models that come with the program, found by their names. */
#ifndef CLI_SHIPPED_H
#define CLI_SHIPPED_H

/* The path of the shipped model `name`, with or without .yaml, to be released with free; or NULL.
 * Folders are searched in this order: those of the environment's CARDAN_MODELS (separated by `:`),
 * then the one that lies where this program was built or installed. */
char *cli_shipped_find(const char *name);

/* The names of all of them, without .yaml, sorted, each once. */
typedef struct cli_shipped {
    char **names;
    int count;
} cli_shipped;

cli_shipped cli_shipped_list(void);
void cli_shipped_free(cli_shipped *list);

#endif

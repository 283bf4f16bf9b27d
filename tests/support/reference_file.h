/* Data files of tests/reference/make_references.py: options of a run and its states, step by step.
 */
#ifndef CARDAN_TESTS_REFERENCE_FILE_H
#define CARDAN_TESTS_REFERENCE_FILE_H

enum {
    REFERENCE_OPTIONS = 20,
    REFERENCE_COLUMNS = 128,
    REFERENCE_ROWS = 40,
    REFERENCE_LINE = 4096
};

typedef struct reference_file {
    int options, columns, rows;
    char key[REFERENCE_OPTIONS][32], value[REFERENCE_OPTIONS][REFERENCE_LINE / 4];
    char column[REFERENCE_COLUMNS][16];
    double number[REFERENCE_ROWS][REFERENCE_COLUMNS];
} reference_file;

/* Fails the running test if the file is not there or not as it should be. The caller's to free. */
reference_file *reference_read(const char *path);

/* The value of an option, or `otherwise`. */
const char *reference_option(const reference_file *file, const char *key, const char *otherwise);

/* The columns NAME0, NAME1, ...: the first one and how many; 0 if there are none. */
int reference_columns(const reference_file *file, const char *name, int *first);

#endif

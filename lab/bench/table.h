/* Rows of results, written as CSV and gathered as JSON from one list of named cells. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "cli/results/output_file.h"

#include <jansson.h>

/* A text, or (text NULL) a number; not finite: empty, and null in JSON. */
typedef struct bench_cell {
    const char *name;
    const char *text;
    double number;
} bench_cell;

typedef struct bench_table {
    cli_output_file csv; /* its file is NULL: none is written */
    char path[4096];
    json_t *rows; /* NULL: not wanted */
    bool headed;
} bench_table;

/* `directory` NULL: no file. Complains and returns false if DIRECTORY/NAME.csv cannot be made. */
bool bench_table_open(bench_table *table, const char *directory, const char *name, bool json);
/* All rows of a table have the same cells. */
void bench_table_add(bench_table *table, const bench_cell *cells, int count);
/* False, with a complaint, if not all could be written. The JSON rows stay with the caller. */
bool bench_table_close(bench_table *table);

#endif

/* What the writers and the reader of HDF5 share: tables and the views of them, and everything that
 * is no table. Functions that return bool leave HDF5's reason for cli_h5_complain. */
#ifndef CLI_HDF5_PARTS_H
#define CLI_HDF5_PARTS_H

#include "output_file.h"
#include "result.h"

#include <hdf5.h>

/* Some neighbouring columns of a table, as one dataset. */
typedef struct cli_h5_view {
    char *path;
    const char *unit;
    int first, width;
} cli_h5_view;

/* Numbers in rows of the same length. */
typedef struct cli_h5_table {
    const char *path; /* of the dataset with all columns, in a file that is being written */
    int width;
    cli_h5_view *views;
    int count;
} cli_h5_table;

enum {
    CLI_H5_ROWS,
    CLI_H5_STEPS,
    CLI_H5_EVENTS,
    CLI_H5_PROJECTIONS,
    CLI_H5_TABLES,
    CLI_H5_STEP_WIDTH = 15,
    CLI_H5_EVENT_NAME = 128,    /* bytes of an event's name */
    CLI_H5_MOST_TEXT = 32 << 10 /* of an attribute */
};

typedef struct cli_h5_layout {
    cli_h5_table tables[CLI_H5_TABLES];
} cli_h5_layout;

/* Which datasets a result has. */
cli_h5_layout cli_h5_layout_of(const cli_result *result);
void cli_h5_layout_free(cli_h5_layout *layout);

void cli_h5_step_numbers(const cli_step *step, double numbers[CLI_H5_STEP_WIDTH]);
cli_step cli_h5_step_of(const double numbers[CLI_H5_STEP_WIDTH]);

/* Texts, settings, columns and scene; `final`: also statistics and notes. */
bool cli_h5_write_head(hid_t file, const cli_result *result, const cli_h5_layout *layout,
                       bool final);
bool cli_h5_read_head(hid_t file, cli_result *result);

/* Small things. Strings are UTF-8 of any length. */
hid_t cli_h5_string_type(size_t size);
bool cli_h5_is_string(hid_t type, size_t *size);
bool cli_h5_write_strings(hid_t place, const char *name, const char *const *texts, int count);
bool cli_h5_attribute(hid_t object, const char *name, const char *text);
/* A copy, or NULL if there is none. */
char *cli_h5_read_attribute(hid_t object, const char *name);
hid_t cli_h5_creation(void); /* link creation that makes missing groups */
hid_t cli_h5_access(void);   /* to files, which we lock in a way of our own (output_file.h) */
/* Before anything else: HDF5 shall not print, and not write at the program's end. */
void cli_h5_quiet(void);

/* "cannot WHAT PATH: reason". */
void cli_h5_complain(const char *command, const char *what, const char *path);

/* Dataset of a file that is being written: how many rows of each table are in it. HDF5 makes a
 * table longer before it writes the rows; if that fails, or the run is killed, those behind are
 * none. */
#define CLI_H5_COMPLETE "/Complete"

/* A file from which tables are read: one that is finished, or one that is (or was) being written.
 */
typedef struct cli_h5_source {
    hid_t file;
    cli_h5_layout layout;
    bool live;
    hsize_t lengths[CLI_H5_TABLES];
} cli_h5_source;

/* Opens it and reads its head into `result`; complains and returns false if that fails. */
bool cli_h5_source_open(const char *command, const char *path, cli_result *result,
                        cli_h5_source *source);
void cli_h5_source_close(cli_h5_source *source);

/* Rows `first`.. of a table, row by row; and the names of events. */
bool cli_h5_source_read(const cli_h5_source *source, int table, hsize_t first, hsize_t count,
                        double *rows);
bool cli_h5_source_names(const cli_h5_source *source, hsize_t first, hsize_t count,
                         char (*names)[CLI_H5_EVENT_NAME]);

/* How many rows of a table are handled at once. */
hsize_t cli_h5_block(const cli_h5_table *table);

/* Writes the final file to its place, which is claimed; complains and returns false if that fails.
 * Rows come from `read`, like cli_h5_source_read. */
typedef struct cli_h5_input {
    const void *context;
    hsize_t lengths[CLI_H5_TABLES];
    bool (*read)(const void *context, int table, hsize_t first, hsize_t count, double *rows);
    bool (*names)(const void *context, hsize_t first, hsize_t count,
                  char (*names)[CLI_H5_EVENT_NAME]);
} cli_h5_input;

cli_h5_input cli_h5_input_of(const cli_h5_source *source);

bool cli_h5_write_final(cli_output_file *out, const cli_result *result, const cli_h5_layout *layout,
                        const cli_h5_input *input);

/* Takes the mark "is being written" off a file, which other programs would stop at; `file` is a
 * descriptor open for reading and writing. */
bool cli_h5_unmark(int file);

#endif

/* Results as HDF5 (docs/results.md).
 *
 * While a run goes on its rows are appended to one table, `/Rows`, and the datasets that a user
 * looks for (`/Bodies/crank/pos`) are views of it. The file is written as for one writer and many
 * readers (SWMR), so that it is whole at any moment, also when the run is killed. At the end it is
 * replaced by a file with these datasets in full, compressed. */
#ifndef CLI_HDF5_FILE_H
#define CLI_HDF5_FILE_H

#include "csv.h"
#include "result.h"

typedef struct cli_hdf5 cli_hdf5;

/* Begins a file for a run; `result` has names, settings and columns, and must outlive it. Complains
 * and returns NULL if that fails. */
cli_hdf5 *cli_hdf5_open(const char *command, const char *path, const cli_result *result);

/* The same, going on behind `mark` and the time `t` of a file of an earlier run, which stays as it
 * is if this fails. */
cli_hdf5 *cli_hdf5_reopen(const char *command, const char *path, const cli_result *result,
                          const cli_csv_mark *mark, double t);

/* These complain once and return false from then on if something could not be written. */
bool cli_hdf5_row(cli_hdf5 *file, const double *values);
bool cli_hdf5_step(cli_hdf5 *file, const cli_step *step);
bool cli_hdf5_event(cli_hdf5 *file, const cli_event *event);
bool cli_hdf5_projection(cli_hdf5 *file, const cli_projected *projection);
bool cli_hdf5_flush(cli_hdf5 *file); /* hands everything to the system */
bool cli_hdf5_sync(cli_hdf5 *file);  /* and waits until it is on the disk */

long long cli_hdf5_rows(const cli_hdf5 *file);

/* What has been written, counted in numbers of eight bytes; after a flush that is everything. */
cli_csv_mark cli_hdf5_mark(const cli_hdf5 *file);

/* Replaces the file by the final one, with statistics and notes of the result. */
bool cli_hdf5_close(cli_hdf5 *file);

/* A file as a finished one, compressed; how many rows and columns it has. */
bool cli_hdf5_copy(const char *command, const char *from, const char *to, long long *rows,
                   int *columns);

/* Writes a result whose rows are in memory. */
bool cli_hdf5_write(const char *command, const char *path, const cli_result *result);

#endif

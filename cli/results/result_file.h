/* Files that hold results, or something else: which kind one is, and the readers by kind. */
#ifndef CLI_RESULT_FILE_H
#define CLI_RESULT_FILE_H

#include "result.h"

typedef enum cli_file_kind {
    CLI_FILE_CSV, /* or any other text */
    CLI_FILE_HDF5,
    CLI_FILE_CHECKPOINT,
    CLI_FILE_MODEL,  /* by its ending .yaml, .yml or .json */
    CLI_FILE_SERIES, /* of VTK files, by its ending .pvd */
    CLI_FILE_BINARY  /* nothing that we know */
} cli_file_kind;

/* Looks at the first bytes, and for texts at the name; complains and returns false if the file
 * cannot be read. A pipe is taken for CSV: HDF5 is read at several places. */
bool cli_file_kind_of(const char *command, const char *path, cli_file_kind *kind);

/* Whether a file of this name is to be HDF5: the ending .h5 or .hdf5. */
bool cli_file_is_hdf5(const char *path);

/* The readers: they fill `result`, or complain and return false. */
bool cli_result_read_csv(const char *command, const char *path, cli_result *result);
bool cli_result_read_hdf5(const char *command, const char *path, cli_result *result);

#endif

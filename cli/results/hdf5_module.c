/* What the module of HDF5 shows to the program. */
#include "hdf5_module.h"

#include "result_file.h"

__attribute__((visibility("default"))) const cli_hdf5_functions cli_hdf5_module = {
    .open = cli_hdf5_open,
    .reopen = cli_hdf5_reopen,
    .row = cli_hdf5_row,
    .step = cli_hdf5_step,
    .event = cli_hdf5_event,
    .projection = cli_hdf5_projection,
    .flush = cli_hdf5_flush,
    .sync = cli_hdf5_sync,
    .rows = cli_hdf5_rows,
    .mark = cli_hdf5_mark,
    .close = cli_hdf5_close,
    .copy = cli_hdf5_copy,
    .write = cli_hdf5_write,
    .read = cli_result_read_hdf5,
};

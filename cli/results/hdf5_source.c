/* Reading the tables of an HDF5 result: from the one dataset of a file that is being written, or
 * from the many of a finished one. */
#include "cli/setup/options.h"
#include "hdf5_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of a dataset and how many numbers a row has; false if it is none of ours. */
static bool measure(hid_t file, const char *path, hsize_t *length, hsize_t *width)
{
    hsize_t dims[2] = {0, 1};
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        return false;
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool sound = (rank == 1 || rank == 2) && H5Tget_class(type) == H5T_FLOAT &&
                       H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    *length = dims[0];
    *width = dims[1];
    return sound;
}

/* All views of a table must be there, and as long as the first. */
static bool measure_views(cli_h5_source *s, int t)
{
    const cli_h5_table *table = &s->layout.tables[t];
    hsize_t length, width;
    for (int i = 0; i < table->count; i++) {
        const cli_h5_view *view = &table->views[i];
        if (!measure(s->file, view->path, &length, &width) || width != (hsize_t)view->width)
            return false;
        if (i == 0)
            s->lengths[t] = length;
        if (length != s->lengths[t])
            return false;
    }
    return true;
}

/* How many rows a writer has finished: all, if it did not say. */
static void read_complete(hid_t file, uint64_t rows[CLI_H5_TABLES])
{
    for (int t = 0; t < CLI_H5_TABLES; t++)
        rows[t] = UINT64_MAX;
    if (H5Lexists(file, CLI_H5_COMPLETE, H5P_DEFAULT) <= 0)
        return;
    const hid_t set = H5Dopen2(file, CLI_H5_COMPLETE, H5P_DEFAULT), space = H5Dget_space(set);
    uint64_t read[CLI_H5_TABLES];
    if (H5Sget_simple_extent_npoints(space) == CLI_H5_TABLES &&
        H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0)
        memcpy(rows, read, sizeof read);
    H5Sclose(space);
    H5Dclose(set);
}

static bool measure_all(cli_h5_source *s)
{
    hsize_t width;
    uint64_t complete[CLI_H5_TABLES];
    bool sound = true;
    s->live = H5Lexists(s->file, "/Rows", H5P_DEFAULT) > 0;
    read_complete(s->file, complete); /* before the lengths, as a writer may go on meanwhile */
    for (int t = 0; sound && t < CLI_H5_TABLES; t++) {
        const cli_h5_table *table = &s->layout.tables[t];
        if (s->live)
            sound = measure(s->file, table->path, &s->lengths[t], &width) &&
                    width == (hsize_t)table->width;
        else
            sound = measure_views(s, t);
        if (s->live && s->lengths[t] > complete[t])
            s->lengths[t] = complete[t];
    }
    return sound;
}

/* As for a reader beside a writer: this also opens what a killed run has left, and reads again what
 * a writer is about to change; not often, since HDF5 waits twice as long each time. */
static hid_t open_file(const char *path)
{
    enum { ATTEMPTS = 10 };
    const hid_t access = cli_h5_access(), plain = cli_h5_access();
    H5Pset_metadata_read_attempts(access, ATTEMPTS);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (file < 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, plain);
    H5Pclose(plain);
    H5Pclose(access);
    return file;
}

bool cli_h5_source_open(const char *command, const char *path, cli_result *result,
                        cli_h5_source *source)
{
    cli_h5_quiet();
    *source = (cli_h5_source){0};
    source->file = open_file(path);
    if (source->file < 0) {
        cli_h5_complain(command, "read", path);
        return false;
    }
    bool sound = cli_h5_read_head(source->file, result);
    if (!sound) {
        cli_complain(command, "%s is HDF5, but not a result of `cardan run`", path);
    } else {
        source->layout = cli_h5_layout_of(result);
        sound = measure_all(source);
        if (!sound)
            cli_complain(command,
                         "%s: datasets are missing or of different lengths; the file is "
                         "damaged or was edited",
                         path);
    }
    if (!sound)
        cli_h5_source_close(source);
    return sound;
}

void cli_h5_source_close(cli_h5_source *source)
{
    cli_h5_layout_free(&source->layout);
    if (source->file > 0)
        H5Fclose(source->file);
    source->file = 0;
}

/* Rows of one dataset, into columns `first`.. of rows that are `stride` long. */
static bool read_slab(hid_t file, const char *path, hsize_t start, hsize_t count, int width,
                      int first, int stride, double *rows)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        return false;
    const hid_t space = H5Dget_space(set);
    const hsize_t from[2] = {start, 0}, size[2] = {count, (hsize_t)width};
    const hsize_t room[2] = {count, (hsize_t)stride}, to[2] = {0, (hsize_t)first};
    const hid_t memory = H5Screate_simple(2, room, NULL);
    const bool done = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
                      H5Sselect_hyperslab(memory, H5S_SELECT_SET, to, NULL, size, NULL) >= 0 &&
                      H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return done;
}

bool cli_h5_source_read(const cli_h5_source *source, int t, hsize_t first, hsize_t count,
                        double *rows)
{
    const cli_h5_table *table = &source->layout.tables[t];
    bool done = true;
    if (count == 0)
        return true;
    if (source->live)
        return read_slab(source->file, table->path, first, count, table->width, 0, table->width,
                         rows);
    for (int i = 0; done && i < table->count; i++)
        done = read_slab(source->file, table->views[i].path, first, count, table->views[i].width,
                         table->views[i].first, table->width, rows);
    return done;
}

bool cli_h5_source_names(const cli_h5_source *source, hsize_t first, hsize_t count,
                         char (*names)[CLI_H5_EVENT_NAME])
{
    const hid_t set = H5Dopen2(source->file, "/Events/name", H5P_DEFAULT);
    if (set < 0)
        return false;
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hid_t memory = H5Screate_simple(1, &count, NULL);
    size_t size;
    bool done = H5Sget_simple_extent_ndims(space) == 1 && cli_h5_is_string(type, &size) &&
                size == CLI_H5_EVENT_NAME;
    if (done && count > 0)
        done = H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
               H5Dread(set, type, memory, space, H5P_DEFAULT, names) >= 0;
    for (hsize_t i = 0; done && i < count; i++)
        names[i][CLI_H5_EVENT_NAME - 1] = '\0';
    H5Sclose(memory);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return done;
}

/* The HDF5 file of a run that is going on: tables that grow, and views of them. */
#define _GNU_SOURCE /* fallocate */
#include "cli/setup/options.h"
#include "hdf5_file.h"
#include "hdf5_parts.h"

#include <cardan/checkpoint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows that wait to be written, and the dataset they go to. */
typedef struct growing {
    hid_t set;
    int width;
    double *pending;
    hsize_t waiting, room;
    hsize_t length; /* in the file */
} growing;

struct cli_hdf5 {
    const char *command, *path;
    const cli_result *result;
    cli_h5_layout layout;
    hid_t file, names;
    growing tables[CLI_H5_TABLES];
    char (*event_names)[CLI_H5_EVENT_NAME]; /* of the waiting events */
    hid_t name_type;
    cli_output_file out;
    off_t complete;         /* where the file holds the numbers of complete rows */
    off_t flushed, pending; /* size after the last flush, and what came since at most */
    cli_csv_mark mark;
};

static bool complain(cli_hdf5 *f)
{
    if (!f->out.told)
        cli_h5_complain(f->command, "write", f->path);
    f->out.failed = f->out.told = true;
    return false;
}

/* ---- making the file ---- */

/* Some 256 kB a chunk. Chunks are not compressed here: each is written again with every flush, in
 * its place. */
static hsize_t chunk_rows(int width)
{
    const hsize_t rows = (1 << 15) / (hsize_t)width;
    return rows > 1024 ? 1024 : rows < 1 ? 1 : rows;
}

static hid_t create_growing(hid_t file, const char *path, hid_t type, int rank, hsize_t width)
{
    const hsize_t dims[2] = {0, width}, most[2] = {H5S_UNLIMITED, width};
    const hsize_t chunk[2] = {chunk_rows((int)width), width};
    const hid_t space = H5Screate_simple(rank, dims, most), links = cli_h5_creation();
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, rank, chunk);
    const hid_t set = H5Dcreate2(file, path, type, space, links, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Pclose(links);
    H5Sclose(space);
    return set;
}

/* A dataset that shows some columns of the table, as far as that goes. */
static bool create_view(hid_t file, const cli_h5_table *table, const cli_h5_view *view)
{
    const hsize_t width = (hsize_t)view->width, all = (hsize_t)table->width;
    const int rank = width > 1 ? 2 : 1;
    const hsize_t from_dims[2] = {0, all}, from_most[2] = {H5S_UNLIMITED, all};
    const hsize_t to_dims[2] = {0, width}, to_most[2] = {H5S_UNLIMITED, width};
    const hsize_t from_start[2] = {0, (hsize_t)view->first}, to_start[2] = {0, 0};
    const hsize_t stride[2] = {1, 1}, count[2] = {H5S_UNLIMITED, 1}, block[2] = {1, width};
    const hid_t from = H5Screate_simple(2, from_dims, from_most);
    const hid_t to = H5Screate_simple(rank, to_dims, to_most), links = cli_h5_creation();
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, from_start, stride, count, block);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, to_start, stride, count, block);
    bool done = H5Pset_virtual(creation, to, ".", table->path, from) >= 0;
    const hid_t set =
        done ? H5Dcreate2(file, view->path, H5T_IEEE_F64LE, to, links, creation, H5P_DEFAULT) : -1;
    done = set >= 0 && (view->unit[0] == '\0' || cli_h5_attribute(set, "unit", view->unit));
    if (set >= 0)
        done = H5Dclose(set) >= 0 && done;
    H5Pclose(creation);
    H5Pclose(links);
    H5Sclose(to);
    H5Sclose(from);
    return done;
}

static bool create_table(cli_hdf5 *f, int t)
{
    const cli_h5_table *table = &f->layout.tables[t];
    growing *g = &f->tables[t];
    g->width = table->width;
    g->room = chunk_rows(g->width);
    g->pending = cli_allocate((size_t)g->room * (size_t)g->width, sizeof *g->pending);
    g->set = create_growing(f->file, table->path, H5T_IEEE_F64LE, 2, (hsize_t)g->width);
    bool done = g->set >= 0;
    for (int i = 0; done && i < table->count; i++)
        done = create_view(f->file, table, &table->views[i]);
    return done;
}

static bool create_names(cli_hdf5 *f)
{
    f->name_type = cli_h5_string_type(CLI_H5_EVENT_NAME);
    f->event_names = cli_allocate((size_t)f->tables[CLI_H5_EVENTS].room, sizeof *f->event_names);
    f->names = create_growing(f->file, "/Events/name", f->name_type, 1, 1);
    return f->names >= 0;
}

/* Room that is there from the begin, so that the numbers in it can change on a full disk. */
static bool create_complete(cli_hdf5 *f)
{
    const uint64_t none[CLI_H5_TABLES] = {0};
    const hsize_t count = CLI_H5_TABLES;
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t set = H5Dcreate2(f->file, CLI_H5_COMPLETE, H5T_NATIVE_UINT64, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    bool done =
        set >= 0 && H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, none) >= 0;
    const haddr_t at = done ? H5Dget_offset(set) : HADDR_UNDEF;
    if (set >= 0)
        done = H5Dclose(set) >= 0 && done;
    H5Sclose(space);
    f->complete = (off_t)at;
    return done && at != HADDR_UNDEF;
}

static bool create(cli_hdf5 *f, const char *path)
{
    const hid_t access = cli_h5_access();
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    f->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    bool done = f->file >= 0 && cli_h5_write_head(f->file, f->result, &f->layout, false);
    for (int t = 0; done && t < CLI_H5_TABLES; t++)
        done = create_table(f, t);
    return done && create_names(f) && create_complete(f) && H5Fstart_swmr_write(f->file) >= 0;
}

static cli_hdf5 *new_file(const char *command, const char *path, const cli_result *result)
{
    cli_hdf5 *f = cli_allocate(1, sizeof *f);
    f->command = command;
    f->path = path;
    f->result = result;
    f->layout = cli_h5_layout_of(result);
    f->file = f->names = f->name_type = -1;
    for (int t = 0; t < CLI_H5_TABLES; t++)
        f->tables[t].set = -1;
    cli_h5_quiet();
    return f;
}

/* After a failure nothing is closed: HDF5 would write tables that are longer than their rows, or
 * crash. The file is as after a kill, which it is made for. */
static bool close_live(cli_hdf5 *f)
{
    bool done = true;
    if (f->out.failed)
        return false;
    for (int t = 0; t < CLI_H5_TABLES; t++)
        if (f->tables[t].set >= 0)
            done = H5Dclose(f->tables[t].set) >= 0 && done;
    if (f->names >= 0)
        done = H5Dclose(f->names) >= 0 && done;
    if (f->name_type >= 0)
        H5Tclose(f->name_type);
    if (f->file >= 0)
        done = H5Fclose(f->file) >= 0 && done;
    return done;
}

static void destroy(cli_hdf5 *f)
{
    cli_h5_layout_free(&f->layout);
    for (int t = 0; t < CLI_H5_TABLES; t++)
        free(f->tables[t].pending);
    free(f->event_names);
    free(f);
}

/* ---- appending ---- */

static bool append(hid_t set, hid_t type, int rank, hsize_t length, hsize_t count, hsize_t width,
                   const void *what)
{
    const hsize_t dims[2] = {length + count, width}, at[2] = {length, 0}, size[2] = {count, width};
    if (H5Dset_extent(set, dims) < 0)
        return false;
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, size, NULL);
    const bool done = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL) >= 0 &&
                      H5Dwrite(set, type, memory, space, H5P_DEFAULT, what) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return done;
}

/* The rows are in the file: from now on they count. */
static bool tell_complete(cli_hdf5 *f)
{
    uint64_t rows[CLI_H5_TABLES];
    struct stat about;
    const int file = fileno(f->out.file);
    for (int t = 0; t < CLI_H5_TABLES; t++)
        rows[t] = f->tables[t].length;
    if (fstat(file, &about) != 0)
        return false;
    f->flushed = about.st_size;
    f->pending = 0;
    return pwrite(file, rows, sizeof rows, f->complete) == (ssize_t)sizeof rows;
}

/* Asks for the room on the disk before HDF5 gets the rows: it cannot undo a write that fails. File
 * systems that do not know this find out later. */
static bool reserve(cli_hdf5 *f, int t)
{
    const growing *g = &f->tables[t];
    const hsize_t chunk = g->room, before = (g->length + chunk - 1) / chunk;
    const hsize_t more = (g->length + g->waiting + chunk - 1) / chunk - before;
    const hsize_t name = t == CLI_H5_EVENTS ? CLI_H5_EVENT_NAME : 0;
    const off_t around = 1 << 16; /* index of the chunks and such */
    f->pending += (off_t)(more * chunk * ((hsize_t)g->width * sizeof(double) + name));
    if (more == 0 ||
        fallocate(fileno(f->out.file), FALLOC_FL_KEEP_SIZE, f->flushed, f->pending + around) == 0)
        return true;
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR)
        return true;
    cli_output_file_complain(&f->out);
    if (H5Fflush(f->file, H5F_SCOPE_LOCAL) >= 0) /* there is room for what came before */
        tell_complete(f);
    return false;
}

/* Gives back what was not needed. */
static void release(const cli_hdf5 *f)
{
    struct stat about;
    const int file = f->out.file != NULL ? fileno(f->out.file) : -1;
    if (file >= 0 && fstat(file, &about) == 0 && ftruncate(file, about.st_size) != 0)
        errno = 0;
}

/* Hands the waiting rows to HDF5. */
static bool hand_over(cli_hdf5 *f, int t)
{
    growing *g = &f->tables[t];
    if (f->out.failed || g->waiting == 0)
        return !f->out.failed;
    if (!reserve(f, t))
        return false;
    const hsize_t width = (hsize_t)g->width;
    bool done = append(g->set, H5T_NATIVE_DOUBLE, 2, g->length, g->waiting, width, g->pending);
    if (t == CLI_H5_EVENTS)
        done = done && append(f->names, f->name_type, 1, g->length, g->waiting, 1, f->event_names);
    if (done && t == CLI_H5_ROWS) {
        const size_t size = (size_t)g->waiting * (size_t)width * sizeof(double);
        f->mark.checksum = cardan_checkpoint_checksum(f->mark.checksum, g->pending, size);
        f->mark.rows += (long long)g->waiting;
        f->mark.bytes += (long long)size;
    }
    if (!done)
        return complain(f);
    g->length += g->waiting;
    g->waiting = 0;
    return true;
}

/* Where the next row of a table goes; NULL if an earlier one could not be written. */
static double *next_row(cli_hdf5 *f, int t)
{
    growing *g = &f->tables[t];
    if (g->waiting == g->room && !hand_over(f, t))
        return NULL;
    return f->out.failed ? NULL : g->pending + (size_t)g->waiting++ * (size_t)g->width;
}

bool cli_hdf5_row(cli_hdf5 *f, const double *values)
{
    double *row = next_row(f, CLI_H5_ROWS);
    if (row != NULL)
        memcpy(row, values, (size_t)f->tables[CLI_H5_ROWS].width * sizeof *row);
    return row != NULL;
}

bool cli_hdf5_step(cli_hdf5 *f, const cli_step *step)
{
    double *row = next_row(f, CLI_H5_STEPS);
    if (row != NULL)
        cli_h5_step_numbers(step, row);
    return row != NULL;
}

static bool add_pair(cli_hdf5 *f, int t, double time, double energy)
{
    double *row = next_row(f, t);
    if (row == NULL)
        return false;
    row[0] = time;
    row[1] = energy;
    return true;
}

bool cli_hdf5_event(cli_hdf5 *f, const cli_event *event)
{
    if (!add_pair(f, CLI_H5_EVENTS, event->t, event->energy))
        return false;
    snprintf(f->event_names[f->tables[CLI_H5_EVENTS].waiting - 1], CLI_H5_EVENT_NAME, "%s",
             event->name);
    return true;
}

bool cli_hdf5_projection(cli_hdf5 *f, const cli_projected *projection)
{
    return add_pair(f, CLI_H5_PROJECTIONS, projection->t, projection->energy);
}

bool cli_hdf5_flush(cli_hdf5 *f)
{
    bool done = true;
    for (int t = 0; done && t < CLI_H5_TABLES; t++)
        done = hand_over(f, t);
    if (!done)
        return false;
    if (H5Fflush(f->file, H5F_SCOPE_LOCAL) < 0 || !tell_complete(f))
        return complain(f);
    cli_h5_unmark(fileno(f->out.file));
    return true;
}

bool cli_hdf5_sync(cli_hdf5 *f)
{
    return cli_hdf5_flush(f) && cli_output_file_sync(&f->out);
}

long long cli_hdf5_rows(const cli_hdf5 *f)
{
    return (long long)(f->tables[CLI_H5_ROWS].length + f->tables[CLI_H5_ROWS].waiting);
}

cli_csv_mark cli_hdf5_mark(const cli_hdf5 *f)
{
    return f->mark;
}

/* ---- the end ---- */

/* The file that has been written, once more: finished and compressed. */
static bool finish(cli_hdf5 *f)
{
    cli_result *head = cli_result_create();
    cli_h5_source source;
    bool done = cli_h5_source_open(f->command, f->path, head, &source);
    if (done) {
        const cli_h5_input input = cli_h5_input_of(&source);
        done = cli_h5_write_final(&f->out, f->result, &f->layout, &input);
        if (!done)
            cli_complain(f->command,
                         "%s contains all rows, but not compressed and without statistics",
                         f->path);
        cli_h5_source_close(&source);
    }
    cli_result_destroy(head);
    return done;
}

bool cli_hdf5_close(cli_hdf5 *f)
{
    if (f == NULL)
        return true;
    bool done = cli_hdf5_flush(f);
    if (!close_live(f) && done)
        done = complain(f);
    release(f);
    done = done && finish(f);
    done = cli_output_file_close(&f->out) && done;
    destroy(f);
    return done;
}

/* ---- going on with a file ---- */

/* How many rows of a table belong to the time up to t. */
static bool count_until(const cli_h5_source *source, int table, double t, hsize_t *count)
{
    const int width = source->layout.tables[table].width;
    double *row = cli_allocate((size_t)width, sizeof *row);
    hsize_t low = 0, high = source->lengths[table];
    bool done = true;
    while (done && low < high) { /* rows before `low` are, those from `high` on are not */
        const hsize_t middle = low + (high - low) / 2;
        done = cli_h5_source_read(source, table, middle, 1, row);
        if (row[0] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    free(row);
    *count = low;
    return done;
}

static bool copy_rows(cli_hdf5 *f, const cli_h5_source *source, int t, hsize_t length)
{
    const hsize_t block = f->tables[t].room;
    bool done = true;
    for (hsize_t first = 0; done && first < length; first += block) {
        const hsize_t count = length - first < block ? length - first : block;
        done = cli_h5_source_read(source, t, first, count, f->tables[t].pending);
        if (done && t == CLI_H5_EVENTS)
            done = cli_h5_source_names(source, first, count, f->event_names);
        f->tables[t].waiting = done ? count : 0;
        done = done && hand_over(f, t);
    }
    return done;
}

static bool same_columns(const cli_result *one, const cli_result *two)
{
    bool same = one->column_count == two->column_count;
    for (int i = 0; same && i < one->column_count; i++)
        same = strcmp(one->columns[i].name, two->columns[i].name) == 0;
    return same;
}

static bool copy_source(cli_hdf5 *f, const cli_h5_source *source, const cli_csv_mark *mark,
                        double t)
{
    hsize_t counts[CLI_H5_TABLES] = {(hsize_t)mark->rows, 0, 0, 0};
    bool done = true;
    if (source->lengths[CLI_H5_ROWS] < counts[CLI_H5_ROWS]) {
        cli_complain(f->command,
                     "%s is shorter than when the checkpoint was written: %llu of %lld rows; "
                     "restore it, or start the run anew",
                     f->path, (unsigned long long)source->lengths[CLI_H5_ROWS], mark->rows);
        return false;
    }
    for (int i = CLI_H5_STEPS; done && i < CLI_H5_TABLES; i++)
        done = count_until(source, i, t, &counts[i]);
    for (int i = 0; done && i < CLI_H5_TABLES; i++)
        done = copy_rows(f, source, i, counts[i]);
    if (!done)
        return complain(f);
    if (f->mark.checksum == mark->checksum && f->mark.bytes == mark->bytes)
        return true;
    cli_complain(
        f->command,
        "%s does not contain the rows of the run that wrote the checkpoint; restore it, or "
        "start the run anew",
        f->path);
    return false;
}

static bool copy_old(cli_hdf5 *f, const cli_csv_mark *mark, double t)
{
    cli_result *head = cli_result_create();
    cli_h5_source source;
    bool done = cli_h5_source_open(f->command, f->path, head, &source);
    if (done && !same_columns(head, f->result)) {
        cli_complain(f->command, "%s has other columns than the run that wrote the checkpoint",
                     f->path);
        done = false;
    }
    if (source.file > 0) {
        done = done && copy_source(f, &source, mark, t);
        cli_h5_source_close(&source);
    }
    cli_result_destroy(head);
    return done;
}

/* The file takes its place when it is whole. */
static cli_hdf5 *begin(const char *command, const char *path, const cli_result *result,
                       const cli_csv_mark *mark, double t)
{
    cli_hdf5 *f = new_file(command, path, result);
    bool done = cli_output_file_open(&f->out, command, path, CLI_OUTPUT_WHOLE) &&
                (create(f, f->out.beside) || complain(f));
    done = done && (mark == NULL || copy_old(f, mark, t)) && cli_hdf5_flush(f) &&
           cli_output_file_place(&f->out);
    if (done)
        return f;
    close_live(f);
    cli_output_file_close(&f->out);
    destroy(f);
    return NULL;
}

cli_hdf5 *cli_hdf5_open(const char *command, const char *path, const cli_result *result)
{
    return begin(command, path, result, NULL, 0.0);
}

cli_hdf5 *cli_hdf5_reopen(const char *command, const char *path, const cli_result *result,
                          const cli_csv_mark *mark, double t)
{
    if (access(path, R_OK) == 0)
        return begin(command, path, result, mark, t);
    cli_complain(command, "cannot go on with %s: %s", path, strerror(errno));
    return NULL;
}

/* The finished HDF5 file: every quantity a dataset of its own, in chunks, compressed. */
#include "cli/setup/options.h"
#include "hdf5_file.h"
#include "hdf5_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPRESSION = 4 };

/* An array with one dimension more if its rows have several numbers. */
static hid_t create_dataset(hid_t file, const cli_h5_view *view, hsize_t length, hsize_t block)
{
    const int rank = view->width > 1 ? 2 : 1;
    const hsize_t dims[2] = {length, (hsize_t)view->width};
    const hsize_t chunk[2] = {length > 0 && length < block ? length : block, (hsize_t)view->width};
    const hid_t space = H5Screate_simple(rank, dims, NULL), links = cli_h5_creation();
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(creation, rank, chunk);
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, COMPRESSION);
    H5Pset_chunk_cache(access, 1, 0, 1.0); /* every chunk is written once and whole */
    hid_t set = H5Dcreate2(file, view->path, H5T_IEEE_F64LE, space, links, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    H5Pclose(links);
    H5Sclose(space);
    if (set >= 0 && view->unit[0] != '\0' && !cli_h5_attribute(set, "unit", view->unit)) {
        H5Dclose(set);
        set = -1;
    }
    return set;
}

/* Rows `start`.. of a dataset, from columns of rows that are `stride` long. */
static bool write_slab(hid_t set, const cli_h5_view *view, hsize_t start, hsize_t count,
                       hsize_t stride, const double *rows)
{
    const hid_t space = H5Dget_space(set);
    const hsize_t at[2] = {start, 0}, size[2] = {count, (hsize_t)view->width};
    const hsize_t room[2] = {count, stride}, from[2] = {0, (hsize_t)view->first};
    const hid_t memory = H5Screate_simple(2, room, NULL);
    const bool done = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, size, NULL) >= 0 &&
                      H5Sselect_hyperslab(memory, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
                      H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return done;
}

static bool write_blocks(const cli_h5_table *table, const hid_t *sets, int t,
                         const cli_h5_input *input)
{
    const hsize_t block = cli_h5_block(table), length = input->lengths[t];
    double *rows = cli_allocate((size_t)block * (size_t)table->width, sizeof *rows);
    bool done = true;
    for (hsize_t first = 0; done && first < length; first += block) {
        const hsize_t count = length - first < block ? length - first : block;
        done = input->read(input->context, t, first, count, rows);
        for (int i = 0; done && i < table->count; i++)
            done = write_slab(sets[i], &table->views[i], first, count, (hsize_t)table->width, rows);
    }
    free(rows);
    return done;
}

static bool write_table(hid_t file, const cli_h5_table *table, int t, const cli_h5_input *input)
{
    hid_t *sets = cli_allocate((size_t)table->count, sizeof *sets);
    bool done = true;
    int made = 0;
    for (; done && made < table->count; made++) {
        sets[made] =
            create_dataset(file, &table->views[made], input->lengths[t], cli_h5_block(table));
        done = sets[made] >= 0;
    }
    done = done && write_blocks(table, sets, t, input);
    for (int i = 0; done && i < made; i++)
        done = H5Dclose(sets[i]) >= 0;
    free(sets);
    return done;
}

static bool write_names(hid_t file, const cli_h5_input *input)
{
    const hsize_t count = input->lengths[CLI_H5_EVENTS];
    char(*names)[CLI_H5_EVENT_NAME] = cli_allocate((size_t)count, sizeof *names);
    const hid_t type = cli_h5_string_type(CLI_H5_EVENT_NAME);
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t set =
        H5Dcreate2(file, "/Events/name", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = set >= 0 && input->names(input->context, 0, count, names);
    if (done && count > 0)
        done = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    if (set >= 0)
        done = H5Dclose(set) >= 0 && done;
    H5Sclose(space);
    H5Tclose(type);
    free(names);
    return done;
}

/* Half the entries of a node of the chunks' index: small for short runs, since each of thousands of
 * datasets has one. */
static unsigned index_size(const cli_h5_table *rows, const cli_h5_input *input)
{
    const hsize_t chunks = input->lengths[CLI_H5_ROWS] / cli_h5_block(rows) + 1;
    return chunks > 64 ? 32 : (unsigned)(chunks + 1) / 2;
}

/* A file that could not be written is left to the end of the program: closing it may crash. */
static bool write_all(const char *path, const cli_result *result, const cli_h5_layout *layout,
                      const cli_h5_input *input)
{
    const hid_t access = cli_h5_access(), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_istore_k(creation, index_size(&layout->tables[CLI_H5_ROWS], input));
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18); /* for old readers as well */
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    bool done = file >= 0 && cli_h5_write_head(file, result, layout, true);
    for (int t = 0; done && t < CLI_H5_TABLES; t++)
        done = write_table(file, &layout->tables[t], t, input);
    done = done && write_names(file, input);
    done = done && H5Fclose(file) >= 0;
    H5Pclose(access);
    return done;
}

bool cli_h5_write_final(cli_output_file *out, const cli_result *result, const cli_h5_layout *layout,
                        const cli_h5_input *input)
{
    cli_h5_quiet();
    if (!cli_output_file_begin(out))
        return false;
    if (write_all(out->beside, result, layout, input))
        return cli_output_file_place(out);
    cli_h5_complain(out->command, "write", out->path);
    out->failed = out->told = true;
    return false;
}

/* The same to a place that is not claimed yet. */
static bool write_to(const char *command, const char *path, const cli_result *result,
                     const cli_h5_layout *layout, const cli_h5_input *input)
{
    cli_output_file out;
    const bool done = cli_output_file_claim(&out, command, path, CLI_OUTPUT_WHOLE) &&
                      cli_h5_write_final(&out, result, layout, input);
    return cli_output_file_close(&out) && done;
}

/* ---- from a file ---- */

static bool read_source(const void *context, int table, hsize_t first, hsize_t count, double *rows)
{
    return cli_h5_source_read(context, table, first, count, rows);
}

static bool read_source_names(const void *context, hsize_t first, hsize_t count,
                              char (*names)[CLI_H5_EVENT_NAME])
{
    return cli_h5_source_names(context, first, count, names);
}

cli_h5_input cli_h5_input_of(const cli_h5_source *source)
{
    cli_h5_input input = {.context = source, .read = read_source, .names = read_source_names};
    memcpy(input.lengths, source->lengths, sizeof input.lengths);
    return input;
}

bool cli_hdf5_copy(const char *command, const char *from, const char *to, long long *rows,
                   int *columns)
{
    cli_result *head = cli_result_create();
    cli_h5_source source;
    bool done = cli_h5_source_open(command, from, head, &source);
    if (done) {
        const cli_h5_input input = cli_h5_input_of(&source);
        *rows = (long long)source.lengths[CLI_H5_ROWS];
        *columns = head->column_count;
        done = write_to(command, to, head, &source.layout, &input);
        cli_h5_source_close(&source);
    }
    cli_result_destroy(head);
    return done;
}

/* ---- from memory ---- */

static bool read_memory(const void *context, int table, hsize_t first, hsize_t count, double *rows)
{
    const cli_result *result = context;
    const int width = result->column_count;
    for (hsize_t i = 0; i < count; i++)
        switch (table) {
        case CLI_H5_ROWS:
            for (int j = 0; j < width; j++)
                rows[i * (hsize_t)width + (hsize_t)j] = result->columns[j].values[first + i];
            break;
        case CLI_H5_STEPS:
            cli_h5_step_numbers(&result->steps[first + i], rows + i * CLI_H5_STEP_WIDTH);
            break;
        case CLI_H5_EVENTS:
            rows[2 * i] = result->events[first + i].t;
            rows[2 * i + 1] = result->events[first + i].energy;
            break;
        default:
            rows[2 * i] = result->projections[first + i].t;
            rows[2 * i + 1] = result->projections[first + i].energy;
            break;
        }
    return true;
}

static bool read_memory_names(const void *context, hsize_t first, hsize_t count,
                              char (*names)[CLI_H5_EVENT_NAME])
{
    const cli_result *result = context;
    for (hsize_t i = 0; i < count; i++)
        snprintf(names[i], CLI_H5_EVENT_NAME, "%s", result->events[first + i].name);
    return true;
}

bool cli_hdf5_write(const char *command, const char *path, const cli_result *result)
{
    cli_h5_layout layout = cli_h5_layout_of(result);
    const cli_h5_input input = {.context = result,
                                .lengths = {(hsize_t)result->rows, (hsize_t)result->step_count,
                                            (hsize_t)result->event_count,
                                            (hsize_t)result->projection_count},
                                .read = read_memory,
                                .names = read_memory_names};
    const bool done = write_to(command, path, result, &layout, &input);
    cli_h5_layout_free(&layout);
    return done;
}

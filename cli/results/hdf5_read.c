/* Reading an HDF5 result into memory. */
#include "cli/setup/options.h"
#include "hdf5_parts.h"
#include "result_file.h"

#include <stdlib.h>

static void add_numbers(cli_result *result, int table, const double *numbers)
{
    switch (table) {
    case CLI_H5_ROWS:
        cli_result_add_row(result, numbers);
        break;
    case CLI_H5_STEPS: {
        const cli_step step = cli_h5_step_of(numbers);
        cli_result_add_step(result, &step);
        break;
    }
    default:
        cli_result_add_projection(result, numbers[0], numbers[1]);
        break;
    }
}

static bool read_table(const cli_h5_source *source, int t, cli_result *result)
{
    const cli_h5_table *table = &source->layout.tables[t];
    const hsize_t block = cli_h5_block(table), length = source->lengths[t];
    double *rows = cli_allocate((size_t)block * (size_t)table->width, sizeof *rows);
    bool done = true;
    for (hsize_t first = 0; done && first < length; first += block) {
        const hsize_t count = length - first < block ? length - first : block;
        done = cli_h5_source_read(source, t, first, count, rows);
        for (hsize_t i = 0; done && i < count; i++)
            add_numbers(result, t, rows + i * (hsize_t)table->width);
    }
    free(rows);
    return done;
}

static bool read_events(const cli_h5_source *source, cli_result *result)
{
    const hsize_t count = source->lengths[CLI_H5_EVENTS];
    char(*names)[CLI_H5_EVENT_NAME] = cli_allocate((size_t)count, sizeof *names);
    double *numbers = cli_allocate(2 * (size_t)count, sizeof *numbers);
    const bool done = cli_h5_source_read(source, CLI_H5_EVENTS, 0, count, numbers) &&
                      cli_h5_source_names(source, 0, count, names);
    for (hsize_t i = 0; done && i < count; i++)
        cli_result_add_event(result, numbers[2 * i], names[i], numbers[2 * i + 1]);
    free(names);
    free(numbers);
    return done;
}

bool cli_result_read_hdf5(const char *command, const char *path, cli_result *result)
{
    cli_h5_source source;
    if (!cli_h5_source_open(command, path, result, &source))
        return false;
    const bool done =
        read_table(&source, CLI_H5_ROWS, result) && read_table(&source, CLI_H5_STEPS, result) &&
        read_table(&source, CLI_H5_PROJECTIONS, result) && read_events(&source, result);
    if (!done)
        cli_h5_complain(command, "read", path);
    cli_result_end_rows(result);
    cli_h5_source_close(&source);
    return done;
}

/* cardan convert: a result from one kind of file into another. */
#include "cli/report/scene.h"
#include "cli/results/hdf5_file.h"
#include "cli/results/result_file.h"
#include "cli/results/vtk.h"
#include "cli/setup/case.h"
#include "cli/setup/file_uses.h"
#include "cli/setup/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPTION_EVERY = CLI_OPTION_FIRST, OPTION_FROM, OPTION_TO, OPTION_MODEL, OPTION_QUIET };

static const struct option options[] = {{"every", required_argument, NULL, OPTION_EVERY},
                                        {"from", required_argument, NULL, OPTION_FROM},
                                        {"to", required_argument, NULL, OPTION_TO},
                                        {"model", required_argument, NULL, OPTION_MODEL},
                                        {"quiet", no_argument, NULL, OPTION_QUIET},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan convert FROM TO [OPTIONS]\n\n"
    "Converts a result of `cardan run` from CSV or HDF5 into CSV, HDF5 or VTK files. The format\n"
    "of FROM follows from its contents, that of TO from its name: .csv, - (CSV to standard\n"
    "output), .h5 or .hdf5, or a folder: NAME/ gets run.pvd for ParaView and two files per row,\n"
    "bodies with their shapes, and joints with force and torque vectors. The file of a killed\n"
    "run is converted as far as it is complete; converting HDF5 to HDF5 compresses it.\n\n"
    "CSV holds numbers only; settings, statistics, steps, events and the scene are not\n"
    "converted.\n\n"
    "  --every K                 only every K-th row\n"
    "  --from T, --to T          only rows within these times\n"
    "  --model PROBLEM|FILE      model of a CSV result: shapes for VTK and HDF5; without it\n"
    "                            bodies are drawn as boxes\n"
    "  --quiet                   say nothing\n\n"
    "examples:\n"
    "  cardan convert run.h5 run.csv\n"
    "  cardan convert run.h5 - --every 10 --from 0.5 | head\n"
    "  cardan convert run.csv run.h5\n"
    "  cardan convert killed.h5 compressed.h5\n"
    "  cardan convert run.h5 frames/ --every 10\n"
    "  cardan convert run.csv frames/ --model fourbar.yaml\n";

typedef struct job {
    const char *command, *from, *to, *model;
    cli_rows rows;
    bool quiet;
    long long written;
    int columns;
} job;

static bool apply(void *context, int code, const char *value)
{
    job *j = context;
    switch (code) {
    case OPTION_EVERY:
        return cli_count(j->command, "--every", value, &j->rows.every);
    case OPTION_FROM:
        return cli_number(j->command, "--from", value, &j->rows.from);
    case OPTION_TO:
        return cli_number(j->command, "--to", value, &j->rows.to);
    case OPTION_MODEL:
        j->model = value;
        return true;
    case OPTION_QUIET:
        return j->quiet = true;
    default:
        if (j->to != NULL) {
            cli_complain(j->command, "unexpected argument `%s`; name two files", value);
            return false;
        }
        if (j->from == NULL)
            j->from = value;
        else
            j->to = cli_is_stdout(value) && !cli_file_is_hdf5(value) ? "-" : value;
        return true;
    }
}

static bool write_csv(job *j, const cli_result *result)
{
    const int columns = result->column_count;
    char **names = cli_allocate((size_t)columns, sizeof *names);
    double *row = cli_allocate((size_t)columns, sizeof *row);
    cli_csv csv;
    for (int i = 0; i < columns; i++)
        names[i] = result->columns[i].name;
    bool done = cli_csv_open(&csv, j->command, j->to, names, columns, false);
    for (long long r = 0; done && r < result->rows; r++) {
        for (int i = 0; i < columns; i++)
            row[i] = result->columns[i].values[r];
        done = cli_csv_row(&csv, row);
    }
    done = cli_csv_close(&csv, done) && done;
    free(row);
    free(names);
    return done;
}

static bool is_folder(const char *path)
{
    struct stat about;
    const size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

static bool files_agree(const job *j, const cli_setup *setup)
{
    cli_file_uses uses = {0};
    cli_file_uses_add(&uses, "the result", j->from, CLI_READ);
    cli_file_uses_add(&uses, "the model", j->model, CLI_READ);
    if (setup != NULL)
        cli_file_uses_add_setup(&uses, setup);
    cli_file_uses_add(&uses, "the new file", j->to,
                      is_folder(j->to) ? CLI_WRITTEN_FOLDER : CLI_WRITTEN);
    return cli_file_uses_agree(&uses, j->command);
}

/* The scene of the problem or model that the user names. */
static bool add_scene(const job *j, cli_result *result)
{
    cli_setup setup = cli_setup_default(j->command);
    cli_case *problem = NULL;
    setup.quiet = true;
    setup.end = 0.0; /* nothing is run, so that a file need not say an end */
    const bool done = cli_setup_apply(&setup, CLI_POSITIONAL, j->model) &&
                      cli_setup_case(&setup, &problem) && files_agree(j, &setup);
    if (done) {
        free(result->scene);
        result->scene = cli_scene_text(&setup);
    }
    cli_case_destroy(problem);
    cli_setup_free(&setup);
    return done;
}

static bool write_result(job *j, const cli_result *result)
{
    int frames = 0;
    if (is_folder(j->to)) {
        const bool done = cli_vtk_write(j->command, j->to, result, &frames);
        j->written = frames;
        return done;
    }
    j->written = result->rows;
    return cli_file_is_hdf5(j->to) ? cli_hdf5_write(j->command, j->to, result)
                                   : write_csv(j, result);
}

/* In memory, all rows. */
static bool convert_rows(job *j)
{
    cli_result *result = cli_result_read_whole(j->command, j->from);
    if (result == NULL)
        return false;
    cli_result_select(result, &j->rows);
    j->columns = result->column_count;
    const bool done = (j->model == NULL || add_scene(j, result)) && write_result(j, result);
    cli_result_destroy(result);
    return done;
}

static bool is_csv_name(const char *path)
{
    struct stat about;
    const size_t length = strlen(path);
    if (strcmp(path, "-") == 0 || (length > 4 && strcmp(path + length - 4, ".csv") == 0))
        return true;
    return stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode));
}

static int convert(job *j)
{
    cli_file_kind kind;
    if (j->to == NULL) {
        cli_complain(j->command, "name the file to read and the file to write");
        return CLI_BAD_INPUT;
    }
    if (!is_csv_name(j->to) && !cli_file_is_hdf5(j->to) && !is_folder(j->to)) {
        cli_complain(j->command,
                     "what shall %s be? Give a name that ends with .csv, .h5, .hdf5 or / (VTK)",
                     j->to);
        return CLI_BAD_INPUT;
    }
    if (!files_agree(j, NULL) || !cli_file_kind_of(j->command, j->from, &kind))
        return CLI_BAD_INPUT;
    const bool copies = kind == CLI_FILE_HDF5 && cli_file_is_hdf5(j->to) &&
                        !cli_rows_given(&j->rows) && j->model == NULL;
    if (!(copies ? cli_hdf5_copy(j->command, j->from, j->to, &j->written, &j->columns)
                 : convert_rows(j)))
        return CLI_FAILED;
    if (!j->quiet && is_folder(j->to))
        printf("written      %lld frames to %s%srun.pvd\n", j->written, j->to,
               j->to[strlen(j->to) - 1] == '/' ? "" : "/");
    else if (!j->quiet && strcmp(j->to, "-") != 0)
        printf("written      %lld rows of %d columns to %s\n", j->written, j->columns, j->to);
    return CLI_DONE;
}

int cli_convert(int argc, char **argv)
{
    job j = {.command = argv[0], .rows = cli_rows_all()};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &j, &code))
        code = convert(&j);
    return code;
}

/* cardan info: what a file is, whatever it is. */
#include "info.h"
#include "cli/results/result_file.h"
#include "cli/setup/options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { OPTION_JSON = CLI_OPTION_FIRST };

static const struct option options[] = {
    {"json", no_argument, NULL, OPTION_JSON}, {"help", no_argument, NULL, 'h'}, {0}};

static const char usage[] = "usage: cardan info FILE [--json]\n\n"
                            "Describes a file: a result (CSV or HDF5, complete or not), a\n"
                            "series of VTK files (.pvd), a checkpoint, or a model.\n\n"
                            "  --json                    print it as JSON\n\n"
                            "examples:\n"
                            "  cardan info run.h5\n"
                            "  cardan info run.csv --json\n"
                            "  cardan info run.ckp\n"
                            "  cardan info fourbar.yaml\n";

static bool apply(void *context, int code, const char *value)
{
    cli_info *info = context;
    if (code == OPTION_JSON)
        return info->json = true;
    if (info->path != NULL) {
        cli_complain(info->command, "unexpected argument `%s` after `%s`; name one file", value,
                     info->path);
        return false;
    }
    info->path = value;
    return true;
}

const char *cli_info_size(long long bytes, char text[32])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 1000.0 && unit < 4; unit++)
        size /= 1000.0;
    snprintf(text, 32, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
    return text;
}

static int describe(cli_info *info)
{
    struct stat about;
    cli_file_kind kind;
    if (info->path == NULL) {
        cli_complain(info->command, "name a file; `cardan info --help` shows examples");
        return CLI_BAD_INPUT;
    }
    if (!cli_file_kind_of(info->command, info->path, &kind))
        return CLI_BAD_INPUT;
    if (stat(info->path, &about) == 0)
        info->bytes = (long long)about.st_size;
    switch (kind) {
    case CLI_FILE_CSV:
        return cli_info_result(info, "CSV");
    case CLI_FILE_HDF5:
        return cli_info_result(info, "HDF5");
    case CLI_FILE_CHECKPOINT:
        return cli_info_checkpoint(info);
    case CLI_FILE_MODEL:
        return cli_info_model(info);
    case CLI_FILE_SERIES:
        return cli_info_series(info);
    default:
        cli_complain(info->command, "%s is not a result, checkpoint or model of Cardan",
                     info->path);
        return CLI_BAD_INPUT;
    }
}

int cli_info_command(int argc, char **argv)
{
    cli_info info = {.command = argv[0]};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &info, &code))
        code = describe(&info);
    return code;
}

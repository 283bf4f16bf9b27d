/* cardan report: a page that shows a run, or two of them side by side. */
#include "cli/report/report_page.h"
#include "cli/report/scene.h"
#include "cli/setup/case.h"
#include "cli/setup/file_uses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPTION_OUT = CLI_OPTION_OWN, OPTION_TITLE, OPTION_MODEL, OPTION_TEXT, OPTION_SIZE };

static const struct option options[] = {{"out", required_argument, NULL, OPTION_OUT},
                                        {"title", required_argument, NULL, OPTION_TITLE},
                                        {"model", required_argument, NULL, OPTION_MODEL},
                                        {"set", required_argument, NULL, CLI_OPTION_SET},
                                        {"text", no_argument, NULL, OPTION_TEXT},
                                        {"size", required_argument, NULL, OPTION_SIZE},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan report RUN [RUN2] [-o FILE.html] [OPTIONS]\n\n"
    "Makes one HTML page of a result (HDF5 or CSV): the mechanism in 3D, plots, health of the\n"
    "integration and a summary in plain words. The page needs no network and can be mailed.\n"
    "A second result (another method, another step size) is shown on top of the first, with\n"
    "the differences. `cardan run MODEL --report FILE.html` makes it at once.\n\n"
    "  -o, --out FILE.html       the page; default: the name of RUN with .html\n"
    "  --model FILE|PROBLEM      model of a CSV result, for the 3D view; HDF5 has it\n"
    "  --set NAME=VALUE          a parameter of that model or problem; may be repeated\n"
    "  --title TEXT              instead of the model's name\n"
    "  --text                    print the summary, and write a page only with -o;\n"
    "                            exit code 1 if it has an error\n"
    "  --size MB                 keep the page below this size if possible, by rounding, then\n"
    "                            by omitting rows; default 3\n\n"
    "examples:\n"
    "  cardan run models/four_bar.yaml --report four_bar.html\n"
    "  cardan run heavy_top --out top.h5 && cardan report top.h5 -o top.html\n"
    "  cardan report top.csv --model heavy_top -o top.html\n"
    "  cardan report ga3.h5 ga2s.h5 -o both.html\n"
    "  cardan report top.h5 --text\n";

typedef struct job {
    cli_setup setup; /* of --model */
    cli_report report;
    const char *path[CLI_REPORT_RUNS];
    const char *out;
    bool text;
} job;

static bool add_run(job *it, const char *path)
{
    if (it->report.count == CLI_REPORT_RUNS) {
        cli_complain("report", "`%s`: two runs can be compared, not more", path);
        return false;
    }
    it->path[it->report.count++] = path;
    return true;
}

static bool apply(void *context, int code, const char *value)
{
    job *it = context;
    switch (code) {
    case CLI_POSITIONAL:
        return add_run(it, value);
    case OPTION_OUT:
        it->out = value;
        if (value[0] != '\0')
            return true;
        cli_complain("report", "--out: the file's name is empty; give a name or -");
        return false;
    case OPTION_TITLE:
        it->report.title = value;
        return true;
    case OPTION_MODEL:
        return cli_setup_apply(&it->setup, CLI_POSITIONAL, value);
    case OPTION_TEXT:
        return it->text = true;
    case OPTION_SIZE:
        return cli_positive("report", "--size", value, &it->report.megabytes);
    default:
        return cli_setup_apply(&it->setup, code, value);
    }
}

/* Gives a result that does not know its looks those of --model. */
static bool add_scene(job *it, cli_result *run)
{
    cli_case *problem = NULL;
    it->setup.quiet = true;
    it->setup.end = isfinite(run->end) ? run->end : 1.0;
    if (!cli_setup_case(&it->setup, &problem))
        return false;
    free(run->scene);
    run->scene = cli_scene_text(&it->setup);
    cli_case_destroy(problem);
    return true;
}

/* Refuses what cannot be shown. */
static bool has_rows(const cli_result *run, const char *path)
{
    if (run->rows > 0 && run->column_count > 0)
        return true;
    cli_complain("report", "%s contains no rows; there is nothing to show", path);
    return false;
}

/* RUN without its ending, and .html. */
static char *default_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t length =
        dot != NULL && (slash == NULL || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
    char *name = cli_allocate(length + 6, 1);
    memcpy(name, path, length);
    strcpy(name + length, ".html");
    return name;
}

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool has_error(const cli_report *report)
{
    json_t *statements = cli_report_statements(report), *statement;
    size_t i;
    bool error = false;
    json_array_foreach(statements, i, statement) error =
        error || strcmp(json_string_value(json_object_get(statement, "level")), "error") == 0;
    json_decref(statements);
    return error;
}

static bool files_agree(const job *it, const char *out)
{
    cli_file_uses uses = {0};
    for (int i = 0; i < it->report.count; i++)
        cli_file_uses_add(&uses, "the result", it->path[i], CLI_READ);
    cli_file_uses_add_setup(&uses, &it->setup);
    cli_file_uses_add(&uses, "--out", out, CLI_WRITTEN);
    return cli_file_uses_agree(&uses, "report");
}

static int write_page(const job *it, const char *out)
{
    if (!files_agree(it, out))
        return CLI_BAD_INPUT;
    if (!cli_report_write(&it->report, out))
        return CLI_FAILED;
    if (!cli_is_stdout(out) && !it->text)
        printf("written      %s\n", out);
    return CLI_DONE;
}

static int write_all(job *it)
{
    if (it->text)
        cli_report_print(&it->report);
    if (it->text && it->out == NULL)
        return has_error(&it->report) ? CLI_FAILED : CLI_DONE;
    if (it->out == NULL && !is_file(it->path[0])) {
        cli_complain("report", "%s has no name to call the page by; give one: -o report.html",
                     it->path[0]);
        return CLI_BAD_INPUT;
    }
    char *name = it->out != NULL ? cli_copy(it->out) : default_name(it->path[0]);
    const int code = write_page(it, name);
    free(name);
    return code;
}

static int execute(job *it)
{
    cli_result *runs[CLI_REPORT_RUNS] = {NULL};
    int code = CLI_BAD_INPUT;
    bool fine = it->report.count > 0;
    if (!fine)
        cli_complain("report", "which result? `cardan report run.h5 -o report.html`; `cardan help "
                               "report` has more");
    for (int i = 0; fine && i < it->report.count; i++) {
        runs[i] = cli_result_read("report", it->path[i]);
        it->report.run[i] = runs[i];
        fine = runs[i] != NULL && has_rows(runs[i], it->path[i]) &&
               (it->setup.problem == NULL || add_scene(it, runs[i]));
    }
    if (fine)
        code = write_all(it);
    for (int i = 0; i < CLI_REPORT_RUNS; i++)
        cli_result_destroy(runs[i]);
    return code;
}

int cli_report_command(int argc, char **argv)
{
    job it = {.setup = cli_setup_default(argv[0]), .report = cli_report_default(argv[0])};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &it, &code))
        code = execute(&it);
    cli_setup_free(&it.setup);
    return code;
}

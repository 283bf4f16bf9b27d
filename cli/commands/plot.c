/* cardan plot: columns of a result over time, as a picture for a paper. */
#include "cli/results/result.h"
#include "cli/setup/file_uses.h"
#include "cli/setup/options.h"
#include "plot_gnuplot.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64 };

enum {
    OPTION_OUT = CLI_OPTION_FIRST,
    OPTION_TITLE,
    OPTION_SIZE,
    OPTION_LOG,
    OPTION_FROM,
    OPTION_TO
};

static const struct option options[] = {{"out", required_argument, NULL, OPTION_OUT},
                                        {"title", required_argument, NULL, OPTION_TITLE},
                                        {"size", required_argument, NULL, OPTION_SIZE},
                                        {"log", no_argument, NULL, OPTION_LOG},
                                        {"from", required_argument, NULL, OPTION_FROM},
                                        {"to", required_argument, NULL, OPTION_TO},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static const char usage[] =
    "usage: cardan plot RUN NAMES -o FIGURE.svg|png|pdf [OPTIONS]\n\n"
    "Draws columns of a result (CSV or HDF5) over time, with gnuplot. NAMES are names of\n"
    "columns as in `cardan info` and in the first line of a CSV, separated by commas; * and ?\n"
    "match any characters. Columns with different units get separate panels.\n\n"
    "  -o, --out FIGURE          the picture; its name determines the format\n"
    "  --title TEXT              above the picture; default: the title of the run; \"\": none\n"
    "  --size WxH                pixels, default 800x500; a PDF has 100 pixels per inch\n"
    "  --log                     logarithmic axis; values that are not positive are omitted\n"
    "  --from T, --to T          only within these times\n\n"
    "examples:\n"
    "  cardan plot top.csv x1,lambda3 -o top.svg\n"
    "  cardan plot fourbar.h5 'C.f*,D.f*' -o forces.pdf --size 400x300 --title \"\"\n"
    "  cardan plot run.h5 phi_max,hidden_max --log -o residuals.png --from 0.5\n";

typedef struct job {
    cli_plot plot;
    const char *run;
    const char **names; /* plain arguments after the run */
    int name_count;
    bool title_given;
    cli_rows rows;
    int columns[MOST_COLUMNS];
} job;

static bool apply_size(job *j, const char *value)
{
    char end;
    if (sscanf(value, "%6dx%6d%c", &j->plot.width, &j->plot.height, &end) == 2 &&
        j->plot.width >= 50 && j->plot.height >= 50 && j->plot.width <= 20000 &&
        j->plot.height <= 20000)
        return true;
    cli_complain(j->plot.command,
                 "--size: `%s` is not a size of 50x50 to 20000x20000; write 800x500", value);
    return false;
}

/* The kind of picture from the ending of the name. */
static bool apply_out(job *j, const char *value)
{
    static const char *const endings[] = {".svg", ".png", ".pdf"};
    const size_t length = strlen(value);
    j->plot.path = value;
    for (int i = 0; i < 3; i++)
        if (length > 4 && strcmp(value + length - 4, endings[i]) == 0) {
            j->plot.picture = (cli_picture)i;
            return true;
        }
    cli_complain(j->plot.command,
                 "--out: `%s` does not end with .svg, .png or .pdf; name a picture", value);
    return false;
}

static bool apply(void *context, int code, const char *value)
{
    job *j = context;
    const char *command = j->plot.command;
    switch (code) {
    case OPTION_OUT:
        return apply_out(j, value);
    case OPTION_TITLE:
        j->plot.title = value;
        return j->title_given = true;
    case OPTION_SIZE:
        return apply_size(j, value);
    case OPTION_LOG:
        return j->plot.log = true;
    case OPTION_FROM:
        return cli_number(command, "--from", value, &j->rows.from);
    case OPTION_TO:
        return cli_number(command, "--to", value, &j->rows.to);
    default:
        if (j->run == NULL) {
            j->run = value;
            return true;
        }
        j->names = cli_reallocate(j->names, (size_t)j->name_count + 1, sizeof *j->names);
        j->names[j->name_count++] = value;
        return true;
    }
}

/* ---- which columns ---- */

static bool add_column(job *j, int column)
{
    for (int i = 0; i < j->plot.count; i++)
        if (j->columns[i] == column)
            return true;
    if (j->plot.count == MOST_COLUMNS) {
        cli_complain(j->plot.command, "more than %d columns in one picture; choose fewer",
                     MOST_COLUMNS);
        return false;
    }
    j->columns[j->plot.count++] = column;
    return true;
}

static bool complain_unknown(const job *j, const cli_result *result, const char *name)
{
    const char **words = cli_allocate((size_t)result->column_count, sizeof *words);
    for (int i = 0; i < result->column_count; i++)
        words[i] = result->columns[i].name;
    const char *nearest = cli_nearest(name, words, result->column_count);
    if (nearest != NULL)
        cli_complain(j->plot.command, "%s has no column `%s`; did you mean `%s`?", j->run, name,
                     nearest);
    else
        cli_complain(j->plot.command, "%s has no column `%s`; `cardan info %s` lists them", j->run,
                     name, j->run);
    free(words);
    return false;
}

/* A name, or all names that a pattern fits; the time is left out. */
static bool choose(job *j, const cli_result *result, const char *name)
{
    const int exact = cli_result_column(result, name);
    bool found = false;
    if (exact >= 0)
        return add_column(j, exact);
    for (int i = 1; i < result->column_count; i++) {
        if (fnmatch(name, result->columns[i].name, 0) != 0)
            continue;
        found = true;
        if (!add_column(j, i))
            return false;
    }
    return found || complain_unknown(j, result, name);
}

/* A name that has commas may be given alone. */
static bool choose_list(job *j, const cli_result *result, const char *list)
{
    if (cli_result_column(result, list) >= 0)
        return choose(j, result, list);
    char *copy = cli_copy(list), *rest = copy;
    bool done = true;
    while (done && rest != NULL) {
        char *name = rest, *comma = strchr(rest, ',');
        rest = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL)
            *comma = '\0';
        done = choose(j, result, name);
    }
    free(copy);
    return done;
}

static bool complete(const job *j)
{
    const char *missing = j->run == NULL              ? "name a result and columns of it"
                          : j->name_count == 0        ? "name columns, like x1,lambda3 or 'hinge.*'"
                          : j->plot.path == NULL      ? "say where: -o figure.svg, .png or .pdf"
                          : j->rows.from > j->rows.to ? "--from is after --to; nothing is between"
                                                      : NULL;
    if (missing != NULL)
        cli_complain(j->plot.command, "%s", missing);
    cli_file_uses uses = {0};
    cli_file_uses_add(&uses, "the result", j->run, CLI_READ);
    cli_file_uses_add(&uses, "--out", j->plot.path, CLI_WRITTEN);
    return cli_file_uses_agree(&uses, j->plot.command) && missing == NULL;
}

static int plot(job *j)
{
    if (!complete(j))
        return CLI_BAD_INPUT;
    cli_result *result = cli_result_read(j->plot.command, j->run);
    if (result == NULL)
        return CLI_BAD_INPUT;
    bool sound = true;
    for (int i = 0; sound && i < j->name_count; i++)
        sound = choose_list(j, result, j->names[i]);
    cli_result_select(result, &j->rows);
    if (sound && result->rows == 0) {
        cli_complain(j->plot.command, "%s has no rows of this time", j->run);
        sound = false;
    }
    j->plot.result = result;
    j->plot.columns = j->columns;
    if (!j->title_given)
        j->plot.title = result->title;
    const int code = !sound ? CLI_BAD_INPUT : cli_plot_draw(&j->plot) ? CLI_DONE : CLI_FAILED;
    cli_result_destroy(result);
    return code;
}

int cli_plot_command(int argc, char **argv)
{
    job j = {.plot = {.command = argv[0], .width = 800, .height = 500}, .rows = cli_rows_all()};
    const cli_syntax syntax = {
        .command = argv[0], .help = usage, .options = options, .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &j, &code))
        code = plot(&j);
    free(j.names);
    return code;
}

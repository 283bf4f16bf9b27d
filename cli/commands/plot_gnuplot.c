/* Drawing with gnuplot: it gets commands and numbers through a pipe and writes the picture to a
 * file that we have opened, so that names of files never reach it. Of texts only harmless
 * characters reach it as they are; the others are written as numbers. */
#include "plot_gnuplot.h"
#include "cli/results/output_file.h"
#include "cli/setup/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, LONGEST_TEXT = 120, BUCKETS = 2000 };

/* ---- the script ---- */

static void put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (int i = 0; text[i] != '\0'; i++) {
        const unsigned char c = (unsigned char)text[i];
        /* Long texts end between characters: bytes 10xxxxxx go on with one. */
        if (i >= LONGEST_TEXT && (c & 0xc0) != 0x80) {
            fputs("...", to);
            break;
        }
        if (c < 32 || c == 127)
            fputc(' ', to);
        else if (c < 128 && (isalnum(c) || strchr(" ._-,()", c) != NULL))
            fputc(c, to);
        else
            fprintf(to, "\\%03o", c);
    }
    fputc('"', to);
}

static void put_number(FILE *to, double value, bool log)
{
    if (isfinite(value) && !(log && value <= 0.0))
        fprintf(to, " %.10g", value);
    else
        fputs(" ?", to);
}

static void put_row(FILE *to, const cli_plot *plot, int column, long long row)
{
    const cli_column *columns = plot->result->columns;
    put_number(to, columns[0].values[row], false);
    put_number(to, columns[column].values[row], plot->log);
    fputc('\n', to);
}

/* Of many rows the first, the smallest, the largest and the last of every bucket: the picture is
 * the same. */
static void put_bucket(FILE *to, const cli_plot *plot, int column, long long first, long long end)
{
    const double *values = plot->result->columns[column].values;
    long long low = first, high = first;
    for (long long r = first; r < end; r++) {
        low = values[r] < values[low] ? r : low;
        high = values[r] > values[high] ? r : high;
    }
    const long long rows[4] = {first, low < high ? low : high, low < high ? high : low, end - 1};
    for (int i = 0; i < 4; i++)
        if (i == 0 || rows[i] > rows[i - 1])
            put_row(to, plot, column, rows[i]);
}

static void put_data(FILE *to, const cli_plot *plot)
{
    const long long rows = plot->result->rows, size = rows > 4 * BUCKETS ? rows / BUCKETS : 1;
    for (int i = 0; i < plot->count; i++) {
        fprintf(to, "$data%d << END_OF_DATA\n", i);
        for (long long r = 0; r < rows; r += size)
            put_bucket(to, plot, plot->columns[i], r, r + size < rows ? r + size : rows);
        fputs("END_OF_DATA\n", to);
    }
}

static void put_terminal(FILE *to, const cli_plot *plot)
{
    const int w = plot->width, h = plot->height;
    if (plot->picture == CLI_SVG)
        fprintf(to, "set terminal svg size %d,%d noenhanced background rgb 'white'\n", w, h);
    else if (plot->picture == CLI_PNG)
        fprintf(to, "set terminal pngcairo size %d,%d noenhanced\n", w, h);
    else
        fprintf(to, "set terminal pdfcairo size %gin,%gin noenhanced\n", w / 100.0, h / 100.0);
}

static const char *unit_of(const cli_plot *plot, int i)
{
    return plot->result->columns[plot->columns[i]].unit;
}

/* Whether two columns belong into one panel: they have the same unit or, where none is known, names
 * that differ in their numbers only (outputs of problems) or the same kind. */
static bool share_panel(const cli_plot *plot, int i, int k)
{
    const cli_column *a = &plot->result->columns[plot->columns[i]];
    const cli_column *b = &plot->result->columns[plot->columns[k]];
    const size_t length = strcspn(a->name, "0123456789");
    if (strcmp(a->unit, b->unit) != 0 || a->unit[0] != '\0')
        return strcmp(a->unit, b->unit) == 0;
    if (a->kind != CLI_COLUMN_OUTPUT && a->kind != CLI_COLUMN_MULTIPLIER)
        return a->kind == b->kind;
    return strcspn(b->name, "0123456789") == length && strncmp(a->name, b->name, length) == 0;
}

/* Whether a column is the first of its panel. */
static bool begins_panel(const cli_plot *plot, int i)
{
    for (int k = 0; k < i; k++)
        if (share_panel(plot, k, i))
            return false;
    return true;
}

/* "C.fx (N)" for one curve, "N" for several. */
static void put_label(FILE *to, const cli_plot *plot, int first)
{
    char label[256];
    int curves = 0;
    for (int i = 0; i < plot->count; i++)
        curves += share_panel(plot, first, i);
    const char *name = curves == 1 ? plot->result->columns[plot->columns[first]].name : "";
    const char *unit = unit_of(plot, first);
    snprintf(label, sizeof label,
             unit[0] == '\0' ? "%.100s%s"
             : *name         ? "%.100s (%s)"
                             : "%s%s",
             name, unit);
    fputs("set ylabel ", to);
    put_text(to, label);
    fputc('\n', to);
}

static void put_panel(FILE *to, const cli_plot *plot, int first)
{
    bool begun = false;
    put_label(to, plot, first);
    for (int i = first; i < plot->count; i++) {
        if (!share_panel(plot, first, i))
            continue;
        fprintf(to, "%s$data%d using 1:2 with lines lw 1.5 title ", begun ? ", " : "plot ", i);
        put_text(to, plot->result->columns[plot->columns[i]].name);
        begun = true;
    }
    fputc('\n', to);
}

/* Characters that the legends of all panels need. */
static int legend_width(const cli_plot *plot)
{
    size_t most = 4;
    for (int i = 0; i < plot->count; i++) {
        const size_t length = strlen(plot->result->columns[plot->columns[i]].name);
        most = length > most ? length : most;
    }
    return 8 + (int)(most < 30 ? most : 30);
}

static void put_script(FILE *to, const cli_plot *plot)
{
    int panels = 0;
    for (int i = 0; i < plot->count; i++)
        panels += begins_panel(plot, i);
    put_terminal(to, plot);
    put_data(to, plot);
    fputs("set encoding utf8\nset datafile missing '?'\nset grid\nset key outside right\n"
          "set xlabel 't (s)'\n",
          to);
    if (plot->log)
        fputs("set logscale y\nset format y '%.0e'\n", to);
    if (panels > 1)
        fprintf(to, "set lmargin 12\nset rmargin %d\nset multiplot layout %d,1 title ",
                legend_width(plot), panels);
    else
        fputs("set title ", to);
    put_text(to, plot->title);
    fputc('\n', to);
    for (int i = 0; i < plot->count; i++)
        if (begins_panel(plot, i))
            put_panel(to, plot, i);
    if (panels > 1)
        fputs("unset multiplot\n", to);
}

/* ---- the process ---- */

/* The child: gnuplot with its files in place. Never returns. */
static void become_gnuplot(int input, int output, int errors)
{
    char name[] = "gnuplot", plain[] = "-d"; /* -d: without the user's own settings */
    char *const arguments[] = {name, plain, NULL};
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(errors, STDERR_FILENO) >= 0)
        execvp(name, arguments);
    _exit(NOT_FOUND);
}

/* Runs gnuplot on the script; its exit code, or -1. */
static int run_gnuplot(const cli_plot *plot, int output, int errors)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return -1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        become_gnuplot(ends[0], output, errors);
    }
    close(ends[0]);
    FILE *to = child > 0 ? fdopen(ends[1], "w") : NULL;
    if (to == NULL) {
        close(ends[1]);
        return -1;
    }
    put_script(to, plot);
    fclose(to);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* The line of gnuplot's complaint that says something. */
static void tell_failure(const cli_plot *plot, FILE *errors)
{
    char line[256], said[256] = "it gave no reason";
    rewind(errors);
    while (fgets(line, sizeof line, errors) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")] != '\0')
            snprintf(said, sizeof said, "%s", line);
    }
    cli_complain(plot->command, "gnuplot failed: %s", said + strspn(said, " \t"));
}

static bool draw_into(const cli_plot *plot, int output, FILE *errors)
{
    const int code = run_gnuplot(plot, output, fileno(errors));
    if (code == 0 && lseek(output, 0, SEEK_END) > 0)
        return true;
    if (code == NOT_FOUND)
        cli_complain(plot->command,
                     "gnuplot is not installed; install it (Debian: gnuplot-nox), or "
                     "draw the CSV that `cardan convert` makes with any program");
    else
        tell_failure(plot, errors);
    return false;
}

bool cli_plot_draw(const cli_plot *plot)
{
    cli_output_file out;
    FILE *errors = tmpfile();
    bool done = cli_output_file_open(&out, plot->command, plot->path, CLI_OUTPUT_WHOLE) &&
                (errors != NULL || cli_output_file_complain(&out));
    done = done && draw_into(plot, fileno(out.file), errors) && cli_output_file_place(&out);
    if (errors != NULL)
        fclose(errors);
    return cli_output_file_close(&out) && done;
}

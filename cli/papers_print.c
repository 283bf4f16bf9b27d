/* Reports of `cardan papers` as text, as JSON and as a Markdown page. */
#include "papers_print.h"

#include "json.h"
#include "output_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHAT_WIDTH = 50, NOTE_WIDTH = 82, NUMBER_TEXT = 32 };

/* As many significant digits as the tolerance looks at, four at least. */
static const char *number_text(const papers_row *row, char text[NUMBER_TEXT])
{
    int digits = 4;
    if (row->rule == PAPERS_EQUAL && row->tolerance > 0.0 && row->ours != 0.0)
        digits = (int)fmin(12.0, fmax(4.0, 2.0 + log10(fabs(row->ours) / row->tolerance)));
    if (isnan(row->ours))
        snprintf(text, NUMBER_TEXT, "failed");
    else
        snprintf(text, NUMBER_TEXT, "%.*g", digits, row->ours);
    return text;
}

static int rows_of(papers_report *const *reports, int count, int *failed)
{
    int rows = 0;
    *failed = 0;
    for (int i = 0; i < count; i++) {
        rows += reports[i]->row_count;
        *failed += papers_failed(reports[i]);
    }
    return rows;
}

/* Length of the next line of at most `width` letters, broken at a space where there is one. */
static int line_length(const char *text, int width)
{
    const int rest = (int)strlen(text);
    int length = width;
    if (rest <= width)
        return rest;
    while (length > 0 && text[length] != ' ')
        length--;
    return length > 0 ? length : width;
}

static void print_wrapped(const char *text, int indent, int width)
{
    while (*text != '\0') {
        const int length = line_length(text, width);
        printf("%*s%.*s\n", indent, "", length, text);
        text += length;
        text += strspn(text, " ");
    }
}

static void print_row(const papers_row *row)
{
    char tolerance[PAPERS_TOLERANCE_TEXT], ours[NUMBER_TEXT];
    const int length = line_length(row->what, WHAT_WIDTH);
    papers_tolerance(row, tolerance);
    printf("  %s  %-*.*s %14s %13s  %s\n", row->pass ? "pass" : "FAIL", WHAT_WIDTH, length,
           row->what, row->published, number_text(row, ours), tolerance);
    const char *rest = row->what + length;
    print_wrapped(rest + strspn(rest, " "), 10, WHAT_WIDTH - 2);
    print_wrapped(row->note, 10, NOTE_WIDTH);
}

void cli_papers_text(const papers_report *report)
{
    const char *source = "";
    printf("%s: %s\n", report->experiment->id, report->experiment->title);
    for (int i = 0; i < report->row_count; i++) {
        const papers_row *row = &report->rows[i];
        if (strcmp(source, row->source) != 0)
            printf(" %-*s %14s %13s  %s\n", WHAT_WIDTH + 7, row->source, "published", "ours",
                   "tolerance");
        source = row->source;
        print_row(row);
    }
    putchar('\n');
}

void cli_papers_total(papers_report *const *reports, int count)
{
    int failed;
    const int rows = rows_of(reports, count, &failed);
    printf("%d of %d rows pass\n", rows - failed, rows);
}

static json_t *json_row(const papers_row *row)
{
    static const char *const rules[] = {"equal", "at_most", "at_least"};
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:o}", "source", row->source, "what",
                     row->what, "published", row->published, "rule", rules[row->rule], "expected",
                     cli_json_number(row->expected), "tolerance", cli_json_number(row->tolerance),
                     "ours", cli_json_number(row->ours), "pass", (int)row->pass, "note",
                     row->note[0] != '\0' ? json_string(row->note) : json_null());
}

static json_t *json_figure(const papers_figure *figure, const char *figures)
{
    return json_pack("{s:s, s:o, s:s}", "name", figure->name, "file",
                     figures != NULL ? json_sprintf("%s/%s.svg", figures, figure->name)
                                     : json_null(),
                     "caption", figure->caption);
}

static json_t *json_report(const papers_report *report, const char *figures)
{
    json_t *rows = json_array(), *drawings = json_array();
    for (int i = 0; i < report->row_count; i++)
        json_array_append_new(rows, json_row(&report->rows[i]));
    for (int i = 0; i < report->figure_count; i++)
        json_array_append_new(drawings, json_figure(&report->figures[i], figures));
    return json_pack("{s:s, s:s, s:o, s:o}", "id", report->experiment->id, "title",
                     report->experiment->title, "rows", rows, "figures", drawings);
}

void cli_papers_json(papers_report *const *reports, int count, const char *figures)
{
    int failed;
    const int rows = rows_of(reports, count, &failed);
    json_t *experiments = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(experiments, json_report(reports[i], figures));
    cli_json_print(json_pack("{s:b, s:i, s:i, s:o}", "passed", failed == 0, "rows", rows, "failed",
                             failed, "experiments", experiments));
}

/* Text in a table cell: bars, stars and underscores must not become markup. */
static void print_cell(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (strchr("|*_<>", *c) != NULL)
            putchar('\\');
        putchar(*c);
    }
}

static void markdown_row(const papers_row *row)
{
    char tolerance[PAPERS_TOLERANCE_TEXT], ours[NUMBER_TEXT];
    papers_tolerance(row, tolerance);
    printf("| %s | ", row->source);
    print_cell(row->what);
    fputs(" | ", stdout);
    print_cell(row->published);
    printf(" | %s | ", number_text(row, ours));
    print_cell(tolerance);
    printf(" | %s |\n", row->pass ? "pass" : "**FAIL**");
}

static void markdown_notes(const papers_report *report)
{
    for (int i = 0; i < report->row_count; i++) {
        const papers_row *row = &report->rows[i];
        if (row->note[0] == '\0')
            continue;
        fputs("\n- ", stdout);
        print_cell(row->what);
        fputs(": ", stdout);
        print_cell(row->note);
    }
    putchar('\n');
}

static void markdown_report(const papers_report *report, const char *figures)
{
    printf("\n## %s: %s\n\n", report->experiment->id, report->experiment->title);
    print_cell(report->experiment->text);
    fputs("\n\n| where | what | published | ours | tolerance | |\n|---|---|---|---|---|---|\n",
          stdout);
    for (int i = 0; i < report->row_count; i++)
        markdown_row(&report->rows[i]);
    markdown_notes(report);
    for (int i = 0; figures != NULL && i < report->figure_count; i++) {
        fputs("\n![", stdout);
        print_cell(report->figures[i].caption);
        printf("](%s/%s.svg)\n", figures, report->figures[i].name);
    }
}

void cli_papers_markdown(papers_report *const *reports, int count, const char *figures)
{
    int failed;
    const int rows = rows_of(reports, count, &failed);
    printf("# The papers' numbers and figures, ours beside them\n\n"
           "This page is made by the program (`make papers`, which is `cardan papers --markdown "
           "--figures DIR`); nothing on it is written by hand. `cardan papers` prints the same "
           "tables and ends with exit code 1 if a row fails.\n\n"
           "Every run uses the paper's own parameters. A printed number passes if ours rounds to "
           "the same digits, unless the row shows another tolerance and says why; an order of "
           "convergence passes if the least-squares slope over the finest four step sizes is "
           "within 0.1 of it; a claim in words is given the bound that is shown. Papers: ACB15, "
           "ACB-R, Jay11, JN07 as in "
           "[README.md](README.md), GO10 is J. C. Garcia Orden, Energy considerations for the "
           "stabilization of constrained mechanical systems with velocity projection.\n\n"
           "**%d of %d rows pass.**\n",
           rows - failed, rows);
    for (int i = 0; i < count; i++)
        markdown_report(reports[i], figures);
}

bool cli_papers_draw(const char *command, const papers_figure *figure, const char *path)
{
    cli_output_file out;
    bool drawn = cli_output_file_open(&out, command, path, CLI_OUTPUT_STREAM);
    if (drawn) {
        papers_draw(figure, out.file);
        drawn = cli_output_file_place(&out);
    }
    return cli_output_file_close(&out) && drawn;
}

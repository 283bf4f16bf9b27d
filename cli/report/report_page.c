/* The page of a report: the template of viewer/ with title and runs put in. Nothing that a run,
 * a model or a file name says gets into the page but as JSON without `<`, or as escaped text. */
#include "report_page.h"
#include "cli/setup/options.h"

#include <cardan/export.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cli_report cli_report_default(const char *command)
{
    return (cli_report){.command = command, .megabytes = 3.0};
}

static const char *title_of(const cli_report *report)
{
    const char *title = report->title != NULL ? report->title : report->run[0]->title;
    return title[0] != '\0' ? title : "Cardan report";
}

json_t *cli_report_statements(const cli_report *report)
{
    json_t *statements = json_array();
    if (report->count > 1)
        cli_report_compare(report->run[0], report->run[1], statements);
    for (int i = 0; i < report->count; i++) {
        json_t *own = json_array(), *statement;
        size_t k;
        cli_report_summarise(report->run[i], own);
        json_array_foreach(own, k, statement)
        {
            char text[1200];
            snprintf(text, sizeof text, "%s%s",
                     report->count < 2 ? ""
                     : i == 0          ? "(1) "
                                       : "(2) ",
                     json_string_value(json_object_get(statement, "text")));
            json_object_set_new(statement, "text", cli_json_text(text));
            json_array_append(statements, statement);
        }
        json_decref(own);
    }
    return statements;
}

void cli_report_print(const cli_report *report)
{
    json_t *statements = cli_report_statements(report), *statement;
    size_t i;
    printf("%s\n", title_of(report));
    json_array_foreach(statements, i, statement)
        printf("  %-8s %s\n", json_string_value(json_object_get(statement, "level")),
               json_string_value(json_object_get(statement, "text")));
    json_decref(statements);
}

/* ---- writing ---- */

/* JSON inside a script element: `<` could end it, and `&` and `>` are kept away too. */
static void write_json(FILE *file, const json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    for (const char *c = text; c != NULL && *c != '\0'; c++)
        if (*c == '<' || *c == '>' || *c == '&')
            fprintf(file, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, file);
    free(text);
}

static void write_escaped(FILE *file, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        const char *entity = *c == '&'    ? "&amp;"
                             : *c == '<'  ? "&lt;"
                             : *c == '>'  ? "&gt;"
                             : *c == '"'  ? "&quot;"
                             : *c == '\'' ? "&#39;"
                                          : NULL;
        if (entity != NULL)
            fputs(entity, file);
        else if ((unsigned char)*c >= 0x20)
            fputc(*c, file);
    }
}

static const char *precision_text(int level)
{
    if (level == 0)
        return "All numbers are exactly those of the run.";
    if (level == 1)
        return "Motions of bodies are rounded to 1/65000 of their range to keep the page small.";
    if (level == 2)
        return "Numbers are rounded to 1/65000 of their range to keep the page small.";
    return "Numbers are rounded to 1/65000 of their range and rows omitted to keep the page "
           "small.";
}

typedef struct page {
    json_t *json;
    char *numbers[CLI_REPORT_RUNS];
    size_t length[CLI_REPORT_RUNS];
} page;

static void page_free(page *it)
{
    json_decref(it->json);
    for (int i = 0; i < CLI_REPORT_RUNS; i++)
        free(it->numbers[i]);
    *it = (page){0};
}

static size_t page_make(const cli_report *report, int level, page *it)
{
    json_t *runs = json_array();
    size_t size = cli_report_page_size;
    for (int i = 0; i < report->count; i++) {
        json_array_append_new(
            runs, cli_report_run(report->run[i], level, &it->numbers[i], &it->length[i]));
        size += it->length[i];
    }
    char *text = json_dumps(runs, JSON_COMPACT);
    size += text != NULL ? strlen(text) : 0;
    free(text);
    it->json = json_pack("{s:o,s:s,s:s,s:o,s:o}", "title", cli_json_text(title_of(report)),
                         "generator", "cardan " CARDAN_VERSION, "precision", precision_text(level),
                         "summary", cli_report_statements(report), "runs", runs);
    return size;
}

/* Keeps as much as fits. */
static void page_fit(const cli_report *report, page *it)
{
    for (int level = 0; level < CLI_REPORT_LEVELS; level++) {
        page_free(it);
        if ((double)page_make(report, level, it) <= 1e6 * report->megabytes)
            return;
    }
}

/* Writes the template up to a mark and returns what follows it. */
static const char *write_until(FILE *file, const char *from, const char *mark)
{
    const char *found = strstr(from, mark);
    if (found == NULL)
        return from;
    fwrite(from, 1, (size_t)(found - from), file);
    return found + strlen(mark);
}

static void write_page(FILE *file, const cli_report *report, const page *it)
{
    const char *rest = write_until(file, (const char *)cli_report_page, "@TITLE@");
    write_escaped(file, title_of(report));
    rest = write_until(file, rest, "@DATA@");
    fputs("<script type=\"application/json\" id=\"report\">", file);
    write_json(file, it->json);
    fputs("</script>\n", file);
    for (int i = 0; i < report->count; i++) {
        fprintf(file, "<script type=\"text/plain\" id=\"numbers-%d\">", i);
        fwrite(it->numbers[i], 1, it->length[i], file);
        fputs("</script>\n", file);
    }
    fputs(rest, file);
}

bool cli_report_write_to(const cli_report *report, cli_output_file *out)
{
    page it = {0};
    bool written = !out->failed && cli_output_file_begin(out);
    if (written) {
        page_fit(report, &it);
        write_page(out->file, report, &it);
        page_free(&it);
        written = cli_output_file_place(out);
    }
    return cli_output_file_close(out) && written;
}

bool cli_report_write(const cli_report *report, const char *path)
{
    cli_output_file out;
    const bool claimed = cli_output_file_claim(&out, report->command, path, CLI_OUTPUT_STREAM);
    return cli_report_write_to(report, &out) && claimed;
}

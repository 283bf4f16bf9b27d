/* Reports: one HTML page with a run, or two to compare, and what there is to say about them. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "cli/results/json.h"
#include "cli/results/output_file.h"
#include "cli/results/result.h"

enum { CLI_REPORT_RUNS = 2 };

typedef struct cli_report {
    const char *command; /* for messages */
    const char *title;   /* NULL: that of the first run */
    double megabytes;    /* the page's size to aim for */
    const cli_result *run[CLI_REPORT_RUNS];
    int count;
} cli_report;

cli_report cli_report_default(const char *command);

/* Writes the page; complains and returns false if that fails. */
bool cli_report_write(const cli_report *report, const char *path);
/* The same to a place that has been claimed, and is closed. */
bool cli_report_write_to(const cli_report *report, cli_output_file *out);

/* Statements about the runs: a JSON array of {"level": "good", "note", "warning" or "error",
 * "text"}. cli_report_summarise has those of one run, cli_report_compare those about two. */
json_t *cli_report_statements(const cli_report *report);
void cli_report_summarise(const cli_result *run, json_t *statements);
void cli_report_compare(const cli_result *first, const cli_result *second, json_t *statements);

__attribute__((format(printf, 3, 4))) void cli_report_state(json_t *statements, const char *level,
                                                            const char *format, ...);

/* The statements as lines of text. */
void cli_report_print(const cli_report *report);

/* One run as JSON, and its numbers as text. `level`: 0 keeps all, more keep less (report_run.c). */
json_t *cli_report_run(const cli_result *run, int level, char **numbers, size_t *length);
enum { CLI_REPORT_LEVELS = 8 };

/* The page without a run (viewer/dist/report.html), with a zero at its end. */
extern const unsigned char cli_report_page[];
extern const unsigned long cli_report_page_size;

#endif

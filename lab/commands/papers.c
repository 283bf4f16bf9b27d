/* cardan papers: published numbers and figures, compared with Cardan's. */
#include "lab/papers/papers.h"

#include "cli/setup/options.h"
#include "lab/papers/claims.h"
#include "lab_commands.h"
#include "papers_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64 };

static const char help[] =
    "usage: cardan papers [ID ...] [--figures DIR] [--json | --markdown]\n"
    "\n"
    "Runs the experiments of the papers on which Cardan is based, with the parameters of\n"
    "the papers. Prints for every published number or order of convergence: paper and\n"
    "place, quantity, published value, Cardan's value (`ours`), tolerance, pass or fail.\n"
    "Published defects of methods are reproduced, too. A number passes if it rounds to\n"
    "the published digits, an order if the least-squares slope over the finest four step\n"
    "sizes is within 0.1 of it.\n"
    "\n"
    "  ID             experiments, in upper or lower case; default: all of\n"
    "                 PEND CUBE AMPL TOP TOP-P DRIFT SING JAY1 JAY1-L\n"
    "                 DISK HHT JN1 JN1-L JN2 HHT2 TWO TWO-P BALANCE ENERGY,\n"
    "                 our own STEP MAGNUS SPATIAL BODIES, and PROTO: all methods\n"
    "                 compared with prototypes in Python\n"
    "  --figures DIR  draw the published figures from Cardan's data, as SVG files in DIR\n"
    "  --json         print JSON with all digits instead of text\n"
    "  --markdown     print a page instead, which includes the figures of --figures\n"
    "\n"
    "examples:\n"
    "  cardan papers\n"
    "  cardan papers PEND JAY1\n"
    "  cardan papers --figures out --json\n"
    "\n"
    "Rows are `published` (a paper prints the number), `derived` (it follows from a\n"
    "paper) or `ours` (Cardan's own methods), and are counted separately. The verdict\n"
    "`false` means that the printed claim is wrong; Cardan must then give the right\n"
    "number.\n"
    "\n"
    "JSON keys: passed (bool),\n"
    "  counts {published, derived, ours: {rows, passed, false_in_print, failed}},\n"
    "  experiments [{id, title, rows [{origin, source, what, published (as printed),\n"
    "    rule (equal, at_most or at_least), expected, tolerance, ours (null if the\n"
    "    run failed), verdict (pass, fail, false in print), truth, note (or null)}],\n"
    "    figures [{name, file (or null), caption}]}],\n"
    "  claims [{paper, place, claim, code, rows, misprint, run, missing (no such\n"
    "    row), passed, false_in_print, failed (rows of it)}].\n"
    "\n"
    "Exit codes: 0 all pass, 1 a row failed or a figure could not be written,\n"
    "  2 bad input.\n";

typedef struct request {
    const char *figures;
    bool json, markdown;
    bool wanted[MOST];
    bool some; /* experiments were named */
} request;

enum { OPTION_FIGURES = CLI_OPTION_FIRST, OPTION_JSON, OPTION_MARKDOWN };

static const struct option options[] = {
    {"figures", required_argument, NULL, OPTION_FIGURES},
    {"json", no_argument, NULL, OPTION_JSON},
    {"markdown", no_argument, NULL, OPTION_MARKDOWN},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_experiment(request *asked, const char *value)
{
    const char *names[MOST];
    char upper[64];
    int found = 0;
    for (int i = 0; i < papers_count(); i++)
        names[i] = papers_at(i)->id;
    snprintf(upper, sizeof upper, "%s", value);
    for (char *c = upper; *c != '\0'; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    if (!cli_choice("papers", "experiment", upper, names, papers_count(), &found))
        return false;
    asked->wanted[found] = true;
    asked->some = true;
    return true;
}

static bool apply(void *context, int code, const char *value)
{
    request *asked = context;
    switch (code) {
    case CLI_POSITIONAL:
        return take_experiment(asked, value);
    case OPTION_FIGURES:
        asked->figures = value;
        return true;
    case OPTION_JSON:
        asked->json = true;
        return true;
    default:
        asked->markdown = true;
        return true;
    }
}

/* The folder for the figures exists or can be made. */
static bool prepare_folder(const char *directory)
{
    struct stat status;
    if (mkdir(directory, 0777) == 0)
        return true;
    if (errno == EEXIST && stat(directory, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    cli_complain("papers", "--figures: cannot make the folder `%s`: %s", directory,
                 strerror(errno));
    return false;
}

static bool draw(const papers_report *report, const char *directory)
{
    char path[4096];
    bool drawn = true;
    for (int i = 0; drawn && i < report->figure_count; i++) {
        snprintf(path, sizeof path, "%s/%s.svg", directory, report->figures[i].name);
        drawn = cli_papers_draw("papers", &report->figures[i], path);
    }
    return drawn;
}

static void show_progress(const char *id, int number, int count)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s (%d of %d)", id, number, count);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static int run_all(const request *asked)
{
    papers_report *reports[MOST];
    int count = 0, chosen = 0, failed = 0;
    bool drawn = true;
    for (int i = 0; i < papers_count(); i++)
        chosen += !asked->some || asked->wanted[i];
    for (int i = 0; i < papers_count(); i++) {
        if (asked->some && !asked->wanted[i])
            continue;
        show_progress(papers_at(i)->id, count + 1, chosen);
        reports[count] = papers_run(papers_at(i));
        clear_progress();
        if (!asked->json && !asked->markdown) {
            cli_papers_text(reports[count]);
            fflush(stdout);
        }
        if (asked->figures != NULL && drawn)
            drawn = draw(reports[count], asked->figures);
        failed += papers_failed(reports[count++]);
    }
    if (asked->json)
        cli_papers_json(reports, count, asked->figures);
    else if (asked->markdown)
        cli_papers_markdown(reports, count, asked->figures);
    else
        cli_papers_total(reports, count);
    failed += papers_claims_missing(reports, count);
    for (int i = 0; i < count; i++)
        papers_release(reports[i]);
    return failed == 0 && drawn ? CLI_DONE : CLI_FAILED;
}

int lab_papers(int argc, char **argv)
{
    static const cli_syntax syntax = {
        .command = "papers", .help = help, .options = options, .apply = apply};
    request asked = {0};
    int exit_code;
    if (!cli_parse(&syntax, argc, argv, &asked, &exit_code))
        return exit_code;
    if (asked.json && asked.markdown) {
        cli_complain("papers", "--json and --markdown exclude each other; give one of them");
        return CLI_BAD_INPUT;
    }
    if (asked.figures != NULL && !prepare_folder(asked.figures))
        return CLI_BAD_INPUT;
    return run_all(&asked);
}

/* Reports of `cardan papers` as text, as JSON and as a Markdown page. */
#include "papers_print.h"

#include "cli/results/json.h"
#include "cli/results/output_file.h"
#include "lab/papers/claims.h"

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

static const char *const origins[] = {"published", "derived", "ours"};
static const char *const verdicts[] = {"FAIL", "pass", "false"};

static int rows_of(papers_report *const *reports, int count, papers_origin origin,
                   papers_verdict verdict)
{
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += papers_count_rows(reports[i], origin, verdict);
    return rows;
}

/* One line each origin that has rows: how many there are, pass, are false in print, fail. */
static void print_totals(papers_report *const *reports, int count, const char *start,
                         const char *end)
{
    static const char *const of_what[] = {"published in the papers", "derived from the papers",
                                          "of our own methods"};
    for (int i = 0; i < PAPERS_ORIGINS; i++) {
        const papers_origin origin = (papers_origin)i;
        const int failed = rows_of(reports, count, origin, PAPERS_FAIL);
        const int passed = rows_of(reports, count, origin, PAPERS_PASS);
        const int untrue = rows_of(reports, count, origin, PAPERS_FALSE_IN_PRINT);
        const int rows = failed + passed + untrue;
        if (rows == 0)
            continue;
        printf("%s%d of %d rows %s pass", start, passed, rows, of_what[i]);
        if (untrue > 0)
            printf(", %d %s false in print", untrue, untrue == 1 ? "is" : "are");
        if (failed > 0)
            printf(", %d FAIL", failed);
        printf("%s\n", end);
    }
}

static void print_claims_missing(papers_report *const *reports, int count)
{
    const int missing = papers_claims_missing(reports, count);
    if (missing > 0)
        printf("%d claims FAIL: they name rows that are not there\n", missing);
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
    printf("  %-5s %-*.*s %14s %13s  %s\n", verdicts[row->verdict], WHAT_WIDTH, length, row->what,
           row->published, number_text(row, ours), tolerance);
    const char *rest = row->what + length;
    print_wrapped(rest + strspn(rest, " "), 10, WHAT_WIDTH - 2);
    if (row->truth[0] != '\0')
        printf("%10s%s as printed; true is %s\n", "",
               row->verdict == PAPERS_FALSE_IN_PRINT ? "false" : "not found false", row->truth);
    print_wrapped(row->note, 10, NOTE_WIDTH);
}

void cli_papers_text(const papers_report *report)
{
    const papers_row *last = NULL;
    printf("%s: %s\n", report->experiment->id, report->experiment->title);
    for (int i = 0; i < report->row_count; i++) {
        const papers_row *row = &report->rows[i];
        if (last == NULL || strcmp(last->source, row->source) != 0 || last->origin != row->origin) {
            char heading[64];
            snprintf(heading, sizeof heading, "%s%s", row->source,
                     row->origin == PAPERS_DERIVED ? " (derived)" : "");
            printf(" %-*s %14s %13s  %s\n", WHAT_WIDTH + 6, heading, origins[row->origin], "ours",
                   "tolerance");
        }
        last = row;
        print_row(row);
    }
    putchar('\n');
}

void cli_papers_total(papers_report *const *reports, int count)
{
    print_totals(reports, count, "", "");
    print_claims_missing(reports, count);
}

static json_t *json_row(const papers_row *row)
{
    static const char *const rules[] = {"equal", "at_most", "at_least"};
    static const char *const names[] = {"fail", "pass", "false in print"};
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:o}", "origin",
                     origins[row->origin], "source", row->source, "what", row->what, "published",
                     row->published, "rule", rules[row->rule], "expected",
                     cli_json_number(row->expected), "tolerance", cli_json_number(row->tolerance),
                     "ours", cli_json_number(row->ours), "verdict", names[row->verdict], "truth",
                     row->truth[0] != '\0' ? json_string(row->truth) : json_null(), "note",
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

static json_t *json_counts(papers_report *const *reports, int count, papers_origin origin)
{
    const int failed = rows_of(reports, count, origin, PAPERS_FAIL);
    const int passed = rows_of(reports, count, origin, PAPERS_PASS);
    const int untrue = rows_of(reports, count, origin, PAPERS_FALSE_IN_PRINT);
    return json_pack("{s:i, s:i, s:i, s:i}", "rows", failed + passed + untrue, "passed", passed,
                     "false_in_print", untrue, "failed", failed);
}

static json_t *json_claims(papers_report *const *reports, int count)
{
    json_t *all = json_array();
    for (int p = 0; p < papers_paper_count(); p++) {
        const papers_paper *paper = papers_paper_at(p);
        for (int i = 0; i < paper->count; i++) {
            const papers_claim *claim = &paper->claims[i];
            const papers_support support = papers_claim_support(claim, reports, count);
            json_array_append_new(
                all, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:b, s:i, s:i, s:i}", "paper",
                               paper->label, "place", claim->place, "claim", claim->text, "code",
                               claim->code, "rows", claim->rows, "misprint", (int)claim->misprint,
                               "run", (int)support.run, "missing", (int)support.missing, "passed",
                               support.rows[PAPERS_PASS], "false_in_print",
                               support.rows[PAPERS_FALSE_IN_PRINT], "failed",
                               support.rows[PAPERS_FAIL]));
        }
    }
    return all;
}

void cli_papers_json(papers_report *const *reports, int count, const char *figures)
{
    json_t *experiments = json_array(), *counts = json_object();
    int failed = papers_claims_missing(reports, count);
    for (int i = 0; i < count; i++) {
        json_array_append_new(experiments, json_report(reports[i], figures));
        failed += papers_failed(reports[i]);
    }
    for (int i = 0; i < PAPERS_ORIGINS; i++)
        json_object_set_new(counts, origins[i], json_counts(reports, count, (papers_origin)i));
    cli_json_print(json_pack("{s:b, s:o, s:o, s:o}", "passed", failed == 0, "counts", counts,
                             "experiments", experiments, "claims", json_claims(reports, count)));
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
    printf("| %s%s | ", row->source, row->origin == PAPERS_DERIVED ? ", derived" : "");
    print_cell(row->what);
    fputs(" | ", stdout);
    print_cell(row->published);
    printf(" | %s | ", number_text(row, ours));
    print_cell(tolerance);
    if (row->verdict == PAPERS_FALSE_IN_PRINT)
        printf(" | **false in print**, true: %s |\n", row->truth);
    else
        printf(" | %s |\n", row->verdict == PAPERS_PASS ? "pass" : "**FAIL**");
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

/* What the rows of a claim say, in a cell. */
static void print_support(const papers_support *support)
{
    if (support->missing)
        fputs("**no such row**", stdout);
    else if (support->rows[PAPERS_FAIL] > 0)
        printf("**%d FAIL**", support->rows[PAPERS_FAIL]);
    else if (support->rows[PAPERS_FALSE_IN_PRINT] > 0)
        fputs("false in print", stdout);
    else if (support->rows[PAPERS_PASS] > 0)
        printf("pass (%d)", support->rows[PAPERS_PASS]);
    else
        putchar('-');
}

static void markdown_claims(const papers_paper *paper, papers_report *const *reports, int count)
{
    printf("\n### %s\n\n%s.\n\n| where | claim | code | rows | |\n|---|---|---|---|---|\n",
           paper->label, paper->title);
    for (int i = 0; i < paper->count; i++) {
        const papers_claim *claim = &paper->claims[i];
        const papers_support support = papers_claim_support(claim, reports, count);
        printf("| %s | %s", claim->place, claim->misprint ? "**misprint:** " : "");
        print_cell(claim->text);
        fputs(" | ", stdout);
        print_cell(claim->code);
        fputs(" | ", stdout);
        print_cell(claim->rows);
        fputs(" | ", stdout);
        print_support(&support);
        puts(" |");
    }
}

static void markdown_misprints(void)
{
    puts("\n## Misprints\n\n"
         "Of our texts of the papers: they are machine-read, and that of ACB15 is the uncorrected\n"
         "proof of the article, so that a final print may be right where they are not.\n\n"
         "| where | what is printed, and what is right |\n|---|---|");
    for (int p = 0; p < papers_paper_count(); p++) {
        const papers_paper *paper = papers_paper_at(p);
        for (int i = 0; i < paper->count; i++) {
            if (!paper->claims[i].misprint)
                continue;
            printf("| %s %s | ", paper->label, paper->claims[i].place);
            print_cell(paper->claims[i].text);
            puts(" |");
        }
    }
}

void cli_papers_markdown(papers_report *const *reports, int count, const char *figures)
{
    fputs(
        "# The papers' claims, ours beside them\n\n"
        "This page is made by the program (`make papers`, which is `cardan papers --markdown "
        "--figures DIR`); nothing on it is written by hand. `cardan papers` prints the same "
        "tables and ends with exit code 1 if a row fails.\n\n"
        "Every run uses the paper's own parameters. A row is *published* if a paper prints its "
        "number or claim, *derived* if it follows from a paper that prints no such number, and "
        "*ours* if it is about one of Cardan's own methods; they are counted separately. A printed "
        "number "
        "passes if ours rounds to the same digits, unless the row shows another tolerance and "
        "says why; an order of convergence passes if the least-squares slope over the finest "
        "four step sizes is within 0.1 of it; a claim in words is given the bound that is shown. "
        "A claim that is *false in print* does not hold as printed; Cardan must then give the true "
        "number, which was found in another way.\n\n",
        stdout);
    print_totals(reports, count, "- **", "**");
    print_claims_missing(reports, count);
    puts("\n## Claim by claim\n\n"
         "The rows are named by their experiment and how they begin; the last column says how "
         "many of them pass.");
    for (int i = 0; i < papers_paper_count(); i++)
        markdown_claims(papers_paper_at(i), reports, count);
    markdown_misprints();
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

/* The published experiments, run again with the library: each published number becomes a row
 * (published, ours, tolerance, pass or fail) and each published figure a figure of our own data.
 *
 * One file per experiment fills a report; lab/commands/papers.c chooses the experiments and prints
 * them. Only public headers of the library are used, as any user would. */
#ifndef PAPERS_PAPERS_H
#define PAPERS_PAPERS_H

#include "figure.h"

#include <stdbool.h>

/* How `ours` is judged. */
typedef enum papers_rule {
    PAPERS_EQUAL,   /* |ours - expected| <= tolerance */
    PAPERS_AT_MOST, /* ours <= expected + tolerance */
    PAPERS_AT_LEAST /* ours >= expected - tolerance */
} papers_rule;

/* Where the number comes from that a row is judged by. */
typedef enum papers_origin {
    PAPERS_PUBLISHED, /* a paper prints it, or says it in words */
    PAPERS_DERIVED,   /* follows from a paper's formula, but is printed nowhere */
    PAPERS_OURS       /* a method of our own */
} papers_origin;
enum { PAPERS_ORIGINS = 3 };

typedef enum papers_verdict {
    PAPERS_FAIL,
    PAPERS_PASS,
    PAPERS_FALSE_IN_PRINT /* the claim does not hold, and ours is the true number */
} papers_verdict;

/* One number or claim. */
typedef struct papers_row {
    papers_origin origin;
    char source[40];    /* paper and figure or section */
    char what[120];     /* what was measured */
    char published[40]; /* as the paper has it */
    papers_rule rule;
    double expected, tolerance, ours;
    char truth[40]; /* of a claim that is false in print: the true number; else "" */
    papers_verdict verdict;
    char note[600]; /* "", or what a reader must know: misprints, bounds, differences */
} papers_row;

typedef struct papers_report papers_report;

/* An experiment of `cardan papers`. */
typedef struct papers_experiment {
    const char *id;    /* "PEND" */
    const char *title; /* one line */
    const char *text;  /* what is done, for the page */
    void (*run)(papers_report *report);
} papers_experiment;

enum { PAPERS_FIGURES = 4, PAPERS_TROUBLE = 1024 };

struct papers_report {
    const papers_experiment *experiment;
    papers_row *rows;
    int row_count;
    papers_figure figures[PAPERS_FIGURES];
    int figure_count;
    papers_origin origin;         /* of the rows to come */
    char source[40];              /* of the rows to come */
    char trouble[PAPERS_TROUBLE]; /* why a run since the last row failed, or "" */
};

/* The experiments in the order of docs/papers.md, 0 <= i < count. */
int papers_count(void);
const papers_experiment *papers_at(int i);

/* Runs an experiment. The report is to be released. */
papers_report *papers_run(const papers_experiment *experiment);
void papers_release(papers_report *report);
int papers_count_rows(const papers_report *report, papers_origin origin, papers_verdict verdict);
int papers_failed(const papers_report *report); /* number of rows that failed */

/* The tolerance as a reader wants it: "+-5e-4", "<= 3.955e-3". */
enum { PAPERS_TOLERANCE_TEXT = 48 };
void papers_tolerance(const papers_row *row, char text[PAPERS_TOLERANCE_TEXT]);

/* What follows is for the experiments. Rows that come out of a run that failed hold NaN, fail, and
 * carry the reason. */

/* Paper and place of the rows to come, which reproduce what is printed there. */
void papers_source(papers_report *report, const char *source);
/* The same, but the place prints no such number: it follows from what is said there. */
void papers_derived(papers_report *report, const char *source);
/* Rows to come are of a method of our own. */
void papers_ours(papers_report *report, const char *method);

/* A number as it is printed ("2.48e-1"): ours must round to the same digits. */
__attribute__((format(printf, 4, 5))) void
papers_printed(papers_report *report, const char *published, double ours, const char *what, ...);

/* The number within a stated tolerance. */
__attribute__((format(printf, 5, 6))) void papers_near(papers_report *report, double published,
                                                       double tolerance, double ours,
                                                       const char *what, ...);

/* A bound or any other claim, with its words in the paper. */
typedef struct papers_bound {
    const char *published;
    papers_rule rule;
    double expected, tolerance;
} papers_bound;
__attribute__((format(printf, 4, 5))) void papers_judge(papers_report *report, papers_bound claim,
                                                        double ours, const char *what, ...);

/* A claim that is false as printed. The row does not fail if the claim does not hold for ours and
 * ours rounds to `truth`, a number that was found in another way than by Cardan. */
__attribute__((format(printf, 5, 6))) void papers_false_in_print(papers_report *report,
                                                                 papers_bound claim,
                                                                 const char *truth, double ours,
                                                                 const char *what, ...);

/* An order of convergence: the least-squares slope of log(error) over log(h). */
enum { PAPERS_SLOPE_STEPS = 4 }; /* over the finest four step sizes */
#define PAPERS_SLOPE_TOLERANCE 0.1
double papers_slope(int count, const double *h, const double *errors);

/* The larger and the smaller of two numbers; NaN if one is NaN, which fmax and fmin would drop. */
double papers_larger(double x, double y);
double papers_smaller(double x, double y);

/* A remark on the row added last. */
__attribute__((format(printf, 2, 3))) void papers_note(papers_report *report, const char *format,
                                                       ...);

/* A figure to be filled; `name` is its file name without suffix. */
papers_figure *papers_new_figure(papers_report *report, const char *name, const char *caption);

void papers_pend(papers_report *report);
void papers_cube(papers_report *report);
void papers_ampl(papers_report *report);
void papers_top(papers_report *report);
void papers_top_p(papers_report *report);
void papers_drift(papers_report *report);
void papers_sing(papers_report *report);
void papers_jay1(papers_report *report);
void papers_jay1_local(papers_report *report);
void papers_disk(papers_report *report);
void papers_hht(papers_report *report);
void papers_jn1(papers_report *report);
void papers_jn1_local(papers_report *report);
void papers_jn2(papers_report *report);
void papers_hht2(papers_report *report);
void papers_two(papers_report *report);
void papers_two_p(papers_report *report);
void papers_balance(papers_report *report);
void papers_energy(papers_report *report);
void papers_step(papers_report *report);
void papers_magnus(papers_report *report);
void papers_spatial(papers_report *report);
void papers_bodies(papers_report *report);
void papers_proto(papers_report *report);

#endif

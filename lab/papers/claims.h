/* Claim by claim what the five papers say: where the code is, which rows show it, and what is
 * misprinted. The lines are in claims_PAPER.def, one file each paper. */
#ifndef PAPERS_CLAIMS_H
#define PAPERS_CLAIMS_H

#include "papers.h"

typedef struct papers_claim {
    const char *place; /* "Fig. 1" */
    const char *text;  /* the claim, or what is printed and what is right */
    const char *code;  /* files, from the root of the project */
    const char *rows;  /* "PEND: max |e_lambda|": the rows of an experiment that begin so, several
                        * separated by "; ", or "" */
    bool misprint;
} papers_claim;

typedef struct papers_paper {
    const char *label, *title;
    const papers_claim *claims;
    int count;
} papers_paper;

int papers_paper_count(void);
const papers_paper *papers_paper_at(int i);

/* What the rows of a claim say, of those experiments that were run. */
typedef struct papers_support {
    int rows[3];  /* of each papers_verdict */
    bool run;     /* all of its experiments were run */
    bool missing; /* an experiment was run and has no such row */
} papers_support;
papers_support papers_claim_support(const papers_claim *claim, papers_report *const *reports,
                                    int count);

/* Claims that name rows which are not there. */
int papers_claims_missing(papers_report *const *reports, int count);

#endif

/* What the files of AMPL share. */
#ifndef PAPERS_AMPL_H
#define PAPERS_AMPL_H

#include "lab/analysis/analysis.h"
#include "paper_runs.h"

/* With Chung and Hulbert's parameters; NaN if it is refused. */
lab_recursion ampl_recursion(const char *method, double rho);

/* b = a b, 3 x 3. */
void ampl_multiply(const double a[9], double b[9]);

/* The 2-norm of a 3 x 3 matrix. */
double ampl_norm(const double a[9]);

void ampl_forms(papers_report *report);      /* Jordan form, overshoot: ACB15 Sec. 4.1 */
void ampl_stabilised(papers_report *report); /* Lemma 8, Remark 4(c) */
void ampl_null_space(papers_report *report); /* ACB-R (27) */
void ampl_projection(papers_report *report); /* ACB-R Sec. 3: the bound n^2 rho^n h */

#endif

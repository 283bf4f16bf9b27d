/* Runs of built-in problems and their errors against the problems' own references. */
#ifndef PAPERS_MEASURE_H
#define PAPERS_MEASURE_H

#include "lab/problems/problem.h"
#include "papers.h"

#include <cardan/cardan.h>
#include <stddef.h>

enum { PAPERS_LARGEST = 32 }; /* coordinates of the largest problem */

/* A problem with a method. Start from papers_setup_of. */
typedef struct papers_setup {
    const char *problem;
    lab_setting setting; /* one changed parameter, or {0} */
    cardan_integrator_def def;
    double end;
} papers_setup;

/* The papers' own update (exp) and Chung-Hulbert parameters; all else as by default. */
papers_setup papers_setup_of(const char *problem, const char *method, double rho, double step,
                             double end);

/* A trajectory being computed. */
typedef struct papers_trail {
    papers_report *report;
    lab_problem *problem;
    cardan_integrator *it; /* NULL once the trail has ended */
    const cardan_state *now;
    double end, shift; /* shift: a belongs to t + shift h */
    long n;            /* steps made */
    bool failed;
} papers_trail;

papers_trail papers_begin(papers_report *report, const papers_setup *setup);
/* The same of a system that is in no catalogue, from t = 0; it must outlive the trail. */
papers_trail papers_begin_system(papers_report *report, const cardan_system *system,
                                 const papers_setup *setup, const double *q, const double *v);
/* One step; false, and everything released, at the end or after a failure. */
bool papers_advance(papers_trail *trail);
/* Ends the trail early with the integrator's sentence as the report's trouble if `status` says so.
 * True if all is well. */
bool papers_check(papers_trail *trail, cardan_status status);
void papers_finish(papers_trail *trail);

/* Keeps why a run without a trail failed, for its next row. */
void papers_fail(papers_report *report, const char *text);

/* Differences between the state and the exact solution, Euclidean norms; q in the Lie algebra. */
typedef struct papers_errors {
    double q, v, vdot, a, lambda, psi;
    double x;   /* of the first three outputs: the centre of mass of the tops */
    double eta; /* size of the stabilisation multipliers */
    long peak;  /* step with the largest error in lambda */
} papers_errors;

/* At the current state; `a` is left out unless asked for. NaN if there is no reference. */
papers_errors papers_errors_now(const papers_trail *trail, bool with_a);

/* Component-wise largest; NaN stays. */
void papers_grow(papers_errors *largest, const papers_errors *now, long n);

/* Largest errors over [from, end], or those at the end. */
papers_errors papers_worst(papers_report *report, const papers_setup *setup, double from);
papers_errors papers_last(papers_report *report, const papers_setup *setup);

/* Errors for several step sizes. */
enum { PAPERS_SIZES = 12 };
typedef struct papers_study {
    int count;
    double h[PAPERS_SIZES];
    papers_errors errors[PAPERS_SIZES];
} papers_study;

/* `count` sizes from the setup's own on, each half the one before; measured from `from` on, or at
 * the end if `from` is negative. */
papers_study papers_halve(papers_report *report, papers_setup setup, int count, double from);

/* Row with the slope of one member of papers_errors over the finest four step sizes, 0.1 around
 * `order`. */
__attribute__((format(printf, 5, 6))) void papers_order(papers_report *report, double order,
                                                        const papers_study *study, size_t member,
                                                        const char *what, ...);
/* The member over h as a series. */
__attribute__((format(printf, 5, 6))) papers_series *papers_plot(papers_panel *panel,
                                                                 const papers_study *study,
                                                                 size_t member, papers_mark mark,
                                                                 const char *name, ...);
double papers_member(const papers_errors *errors, size_t member);

/* Numbers measured with step h, NaN if a run failed. */
enum { PAPERS_NUMBERS = 8 };
void papers_spoil(double numbers[PAPERS_NUMBERS]);
typedef void papers_measurement(papers_report *report, const void *what, double h,
                                double numbers[PAPERS_NUMBERS]);

/* A row for each number: its order, 0.1 around `order`, over four step sizes, h and halves of it.
 */
typedef struct papers_expected {
    double order;
    const char *what; /* NULL: no row */
} papers_expected;
void papers_orders(papers_report *report, papers_measurement *measure, const void *what, double h,
                   int count, const papers_expected *expected);

/* A row for each number: its limit for h -> 0 if it is linear in h, from h and h / 2; the tolerance
 * is for what is left of terms in h^2. */
typedef struct papers_limit {
    const char *printed; /* as it follows from the formula */
    double value, tolerance;
    const char *what;
} papers_limit;
void papers_limits(papers_report *report, papers_measurement *measure, const void *what, double h,
                   int count, const papers_limit *limits);

/* Rows with what an independent prototype (tests/reference/papers_hht.py) has for a case. */
void papers_prototype(papers_report *report, const char *name, const char *title,
                      const double *ours);

#define PAPERS_Q      offsetof(papers_errors, q)
#define PAPERS_V      offsetof(papers_errors, v)
#define PAPERS_VDOT   offsetof(papers_errors, vdot)
#define PAPERS_A      offsetof(papers_errors, a)
#define PAPERS_LAMBDA offsetof(papers_errors, lambda)
#define PAPERS_PSI    offsetof(papers_errors, psi)
#define PAPERS_X      offsetof(papers_errors, x)
#define PAPERS_ETA    offsetof(papers_errors, eta)

#endif

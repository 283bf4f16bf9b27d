/* The solvers that are compared, ours and the peers, and single runs of them. */
#ifndef BENCH_SOLVER_H
#define BENCH_SOLVER_H

#include "subject.h"

typedef enum bench_kind { BENCH_CARDAN, BENCH_IDA, BENCH_SIMBODY, BENCH_KINDS } bench_kind;
extern const char *const bench_kind_names[BENCH_KINDS];

typedef struct bench_solver {
    bench_kind kind;
    const char *method; /* of ours */
    bool adaptive;      /* `value` of a run is a relative tolerance, else a step size */
    cardan_update update;
    double newton; /* tolerance of our corrector in fixed steps */
    double rho;    /* of ours: damping of high frequencies; 0: the default, 0.8 */
    bool full;     /* of ours: KLU and new factors in every iteration, to compare with */
    bool amd;      /* IDA: the other ordering of KLU */
} bench_solver;

/* "ga3 h", "ga3 rho 0.6 h", "ga2s rtol", "rtol": what the value of a run is. */
void bench_solver_text(const bench_solver *solver, char *text, size_t size);

/* Where positions are compared: quarters of the span. */
enum { BENCH_SAMPLES = 4 };
typedef struct bench_samples {
    double t[BENCH_SAMPLES];
    double *q[BENCH_SAMPLES];
} bench_samples;
bool bench_samples_create(bench_samples *samples, const bench_subject *subject);
void bench_samples_destroy(bench_samples *samples);

/* The largest difference of a coordinate in all samples, of the largest change of one since the
 * start (lengths in m and angles in rad alike). */
double bench_samples_error(const bench_subject *subject, const bench_samples *reference,
                           const bench_samples *samples);

typedef struct bench_run {
    const bench_solver *solver;
    double value;
    double seconds; /* of stepping, without making and starting; NAN: it failed */
    double error;   /* relative, of positions */
    long steps, iterations, factorizations;
} bench_run;

/* The shortest of several runs: `least` or more, until they have taken a few milliseconds together.
 * Of all solvers alike: the first run of some microseconds meets cold caches. */
bool bench_run_time(const bench_subject *subject, int least, bench_run *run);

/* One run from begin to end; `samples` NULL: for the time only. False if it failed or the solver
 * cannot do it, and `run->seconds` is NAN then. */
bool bench_run_make(const bench_subject *subject, bench_run *run, bench_samples *samples);

/* A trustworthy solution in the samples: the problem's own reference, else IDA at a tight
 * tolerance, else (without IDA) ga2s in small steps, extrapolated. The text says which. */
bool bench_reference_make(bench_subject *subject, bench_samples *samples, const char **text);

#endif

/* What equal accuracy costs: for every problem and every error in positions the cheapest run of
 * ours, of IDA and of Simbody that reaches it. */
#ifndef BENCH_ACCURACY_H
#define BENCH_ACCURACY_H

#include "solver.h"

enum { BENCH_TARGETS = 3, BENCH_MOST_FORMS = 3 };
extern const double bench_targets[BENCH_TARGETS]; /* 1e-2, 1e-3, 1e-4 */

/* A problem in forms that each solver may choose among. */
typedef struct bench_contest {
    const char *name;
    int forms;
    bench_model form[BENCH_MOST_FORMS];
    int level;                /* 0: always, 1: with --full only */
    double coarsest, loosest; /* first step (of the span) and tolerance tried */
} bench_contest;
extern const bench_contest bench_contests[];
extern const int bench_contest_count;

/* The cheapest run of a kind that reaches an error; seconds NAN: none did. */
typedef struct bench_winner {
    bench_run run;
    int form;
} bench_winner;

typedef struct bench_verdict {
    const bench_contest *contest;
    int bodies;
    const char *reference; /* how it was made */
    bench_winner winner[BENCH_TARGETS][BENCH_KINDS];
} bench_verdict;

/* Searches, then times all that may win `repeat` times in turn; the shortest times count. `limit`:
 * seconds after which a solver's search for finer errors ends. False with a message if a problem
 * cannot be made. */
bool bench_contest_hold(const bench_contest *contest, int repeat, double limit,
                        bench_verdict *verdict, cardan_error *error);

#endif

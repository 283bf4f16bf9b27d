/* What stepping a model costs: time, work, memory and start-up, each model in a process of its own.
 */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include "solver.h"

/* A model with the settings of its run. */
typedef struct bench_task {
    const char *group; /* "small", "chain", ...: growth is measured within a group */
    bench_model model;
    bench_solver solver;
    double step;
    int warm, steps; /* steps before the clock is started, and timed ones */
    int level;       /* 0: always, 1: with --full only */
} bench_task;
extern const bench_task bench_tasks[];
extern const int bench_task_count;

typedef struct bench_cost {
    int bodies, joints;
    double seconds;                    /* of a timed step, the shortest of several repetitions:
                                          processor time of one thread */
    int threads;                       /* that share the work of a model of this size by default, */
    double wall;                       /* and the time on the clock with them; NAN: one thread */
    double iterations, factorizations; /* per step */
    double resident, peak;             /* bytes, without those of the program itself */
    double read, build, assemble, create, start, first_step; /* seconds */
    double error; /* relative, of positions after all steps, estimated by halving the step */
    double evaluation, assembly, factorization, solve,
        other;         /* of the time, from a run of its own */
    char failure[400]; /* or "" */
} bench_cost;

/* Measures in a child process, for at least `least` seconds. */
void bench_cost_measure(const bench_task *task, double least, bench_cost *cost);

/* d log(time per step) / d log(bodies) from one size to the next. */
double bench_growth(const bench_cost *small, const bench_cost *large);

#endif

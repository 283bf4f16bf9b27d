/* A few threads that share the work of one integrator.
 *
 * Work is divided into tasks. The calling thread does tasks as the others do and waits only for
 * threads that have begun one, so on a busy machine the team is no slower than the caller alone.
 * Which thread does which task is left to chance. Tasks must not write to the same memory or depend
 * on the number of threads; then the results do not depend on it either. */
#ifndef CD_BASE_TEAM_H
#define CD_BASE_TEAM_H

#include "memory.h"

typedef struct cd_team cd_team;

enum { CD_MOST_THREADS = 64 };

/* A team of this many threads, the caller included; fewer if the system refuses them. It ends with
 * the arena. NULL if there are not two, or if the arena has failed. */
cd_team *cd_team_create(cd_arena *arena, int threads);

/* NULL has one thread. */
int cd_team_size(const cd_team *team);

/* Call this before using a team in what may be the child of a fork. Only the thread that called
 * fork exists there, so the team is reduced to one thread. NULL: does nothing. */
void cd_team_check_fork(cd_team *team);

/* Calls function(self, task) for task = 0 ... tasks - 1 and returns when all are done. There may be
 * one caller at a time, no task itself. Without a team the caller does all tasks in order. */
typedef void cd_task_function(void *self, int task);
void cd_team_run(cd_team *team, int tasks, cd_task_function *function, void *self);

/* A range of numbers, without `end`. */
typedef struct cd_span {
    int begin, end;
} cd_span;
/* Chunk i of the numbers 0 ... n - 1. */
static inline cd_span cd_span_of(int n, int chunks, int i)
{
    if (chunks == 1)
        return (cd_span){0, n};
    return (cd_span){(int)((long long)n * i / chunks), (int)((long long)n * (i + 1) / chunks)};
}

/* Divides 0 ... n - 1 into spans of at least `least` numbers (without a team: into one span) and
 * calls function(self, span) for each. How they are divided must not matter. */
typedef void cd_span_function(void *self, cd_span span);
void cd_team_loop(cd_team *team, int n, int least, cd_span_function *function, void *self);

/* cd_team_loop with a function that returns 0 or more, or NaN; returns the largest, NaN if any. */
typedef double cd_span_measure(void *self, cd_span span);
double cd_team_largest(cd_team *team, int n, int least, cd_span_measure *measure, void *self);

/* Processors that this process may use. */
int cd_processors(void);

#endif

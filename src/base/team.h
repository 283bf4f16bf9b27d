/* A few threads that share the loops of one integrator.
 *
 * A loop is cut into parts; the calling thread works on them as the others do and never waits for a
 * thread that has not begun with one, so a busy machine costs nothing but the help. Which thread
 * does which part is left to chance: parts must write different numbers, and must not depend on how
 * many threads there are; then neither do the results. */
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

/* After a fork only the thread that called it is left in the child: there the team is one of one
 * thread from this call on. NULL: nothing. To be called before a team is used in what may be
 * another process. */
void cd_team_count(cd_team *team);

/* Calls function(self, part) for part = 0 ... parts - 1 and returns when all are done. Nothing is
 * allocated. One caller at a time, and not from within a part. Without a team the caller does all,
 * in order. */
typedef void cd_equation_function(void *self, int part);
void cd_team_run(cd_team *team, int parts, cd_equation_function *function, void *self);

/* The range of part i of n numbers. */
typedef struct cd_span {
    int begin, end;
} cd_span;
static inline cd_span cd_span_of(int n, int parts, int i)
{
    if (parts == 1)
        return (cd_span){0, n};
    return (cd_span){(int)((long long)n * i / parts), (int)((long long)n * (i + 1) / parts)};
}

/* Calls function(self, span) for spans that make up 0 ... n - 1, none shorter than `least` (of a
 * team; without one: all at once). How they are cut must not matter. */
typedef void cd_span_function(void *self, cd_span span);
void cd_team_loop(cd_team *team, int n, int least, cd_span_function *function, void *self);

/* The largest number that the function returns for such spans, which are 0 or more, or NaN: that
 * wins. */
typedef double cd_span_measure(void *self, cd_span span);
double cd_team_largest(cd_team *team, int n, int least, cd_span_measure *measure, void *self);

/* Processors that this process may use. */
int cd_processors(void);

#endif

/* Where the time goes: a clock that is switched from one activity to another, so that no second
 * counts twice however calls are nested. Switched off it costs a comparison. */
#ifndef CD_BASE_CLOCK_H
#define CD_BASE_CLOCK_H

#include <stdbool.h>
#include <time.h>

typedef enum cd_activity {
    CD_OUTSIDE, /* the caller's time */
    CD_STARTING,
    CD_EVALUATING,
    CD_ASSEMBLING,
    CD_FACTORING,
    CD_SOLVING,
    CD_CONTROLLING,
    CD_LOCATING, /* events */
    CD_PROJECTING,
    CD_SHOWING,  /* output */
    CD_STEPPING, /* what else a step consists of */
    CD_ACTIVITIES
} cd_activity;

typedef struct cd_clock {
    bool on;
    cd_activity now;
    double since;
    double seconds[CD_ACTIVITIES];
} cd_clock;

static inline double cd_clock_read(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* From here on time counts for `to`; returns what it counted for, to switch back to. */
static inline cd_activity cd_clock_switch(cd_clock *clock, cd_activity to)
{
    const cd_activity before = clock->now;
    if (!clock->on)
        return before;
    const double now = cd_clock_read();
    clock->seconds[before] += now - clock->since;
    clock->since = now;
    clock->now = to;
    return before;
}

/* The same for what is called from steps and from elsewhere, where it does not count apart; `clock`
 * may be NULL. */
static inline cd_activity cd_clock_enter(cd_clock *clock, cd_activity to)
{
    if (clock == NULL)
        return CD_OUTSIDE;
    return clock->now == CD_STEPPING ? cd_clock_switch(clock, to) : clock->now;
}

static inline void cd_clock_leave(cd_clock *clock, cd_activity before)
{
    if (clock != NULL && clock->now != before)
        cd_clock_switch(clock, before);
}

#endif

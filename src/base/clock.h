/* How long a run spends on each activity. The clock counts for one activity at a time, so no second
 * counts twice however calls are nested. While it is off it costs one comparison. */
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
    CD_SHOWING,   /* output */
    CD_STEPPING,  /* the remainder of a step */
    CD_ACTIVITIES /* how many there are */
} cd_activity;

typedef struct cd_clock {
    bool on;
    cd_activity now;               /* the activity that time counts for */
    double since;                  /* when that began */
    double seconds[CD_ACTIVITIES]; /* of each activity before that */
} cd_clock;

/* Seconds on a clock that is never set back. */
static inline double cd_clock_read(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Lets time count for `to` from now on; returns the activity before, to switch back to. */
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

/* For functions that are called in steps and elsewhere: their time counts for `to` only in a step.
 * `clock` may be NULL. Returns what cd_clock_leave needs. */
static inline cd_activity cd_clock_enter(cd_clock *clock, cd_activity to)
{
    if (clock == NULL)
        return CD_OUTSIDE;
    return clock->now == CD_STEPPING ? cd_clock_switch(clock, to) : clock->now;
}

/* Switches back from cd_clock_enter, which has returned `before`. */
static inline void cd_clock_leave(cd_clock *clock, cd_activity before)
{
    if (clock != NULL && clock->now != before)
        cd_clock_switch(clock, before);
}

#endif

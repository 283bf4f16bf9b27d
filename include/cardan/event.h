/* Events: functions g_i(t, q, v, lambda, psi) whose zeros are found during a run, and what happens
 * there: impacts, other equations (modes), any change of q and v (docs/methods/events.md).
 *
 *   cardan_event wall = {.name = "wall", .function = gap, .direction = CARDAN_FALLING,
 *                        .normal = gap_dq, .restitution = 0.8};
 *   cardan_events events = {.list = &wall, .count = 1, .context = my_data};
 *   def.events = &events;
 *
 * A step that meets an event is shortened so that it ends there; cardan_integrator_step and
 * _step_towards return after every event, cardan_integrator_advance goes on to its target unless
 * the event is terminal: then all three return CARDAN_EVENT, with the state after the event, and
 * may be called again to go on. */
#ifndef CARDAN_EVENT_H
#define CARDAN_EVENT_H

#include <cardan/system.h>

typedef struct cardan_integrator cardan_integrator;

typedef enum cardan_crossing {
    CARDAN_BOTH,    /* every change of sign of g */
    CARDAN_RISING,  /* from - to + */
    CARDAN_FALLING, /* from + to - */
} cardan_crossing;

/* What an action sees and may change. */
typedef struct cardan_event_change {
    cardan_point before;   /* the state that the motion has led to */
    int mode_before;       /* and its mode */
    int count;             /* events at this time: more than one if they are simultaneous */
    const int *events;     /* their numbers, increasing */
    const double *impulse; /* of their impacts, count numbers; 0 for events that are none */
    double *q, *v;         /* after the impacts; may be changed */
    int mode;              /* may be changed */
    bool stop;             /* may be set: makes the event terminal this time */
} cardan_event_change;

/* Changes the state at an event. Returns 0, or another number to stop the run. */
typedef int cardan_event_callback(void *context, int event, cardan_event_change *change);

typedef struct cardan_event {
    const char *name;          /* for messages; NULL: its number */
    cardan_callback *function; /* g: reads everything but v', out[0] */
    cardan_crossing direction;
    bool terminal;
    uint32_t modes; /* bit i: watched in mode i; 0: in every mode */

    /* An impact, if `normal` is given: g(t, q) >= 0 is a distance, its direction FALLING, and
     * dg/dt after the impact is -restitution times that before. */
    cardan_callback *normal;    /* dg/dq on the group: t q, k numbers */
    cardan_callback *normal_dt; /* dg/dt of a moving wall: t q, out[0]; NULL: 0 */
    double restitution;         /* 0 to 1 */

    cardan_event_callback *action; /* after the impacts; NULL: none */
} cardan_event;

/* Modes are systems with the same group and other forces or constraints: mode 0 is the system that
 * the integrator is made with. Arrays of the state hold as many multipliers as the mode with the
 * most of them; those beyond the present mode's are zero. */
typedef struct cardan_events {
    const cardan_event *list; /* copied */
    int count;
    void *context; /* handed to functions and actions */

    const cardan_system *const *modes; /* modes 1, 2, ...; must outlive the integrator */
    int mode_count;                    /* how many of these, at most 31 */
    int first_mode;                    /* mode at a start */

    double tolerance; /* of event times, relative to the step; 0: 1e-11 */
    int limit;        /* events in the time of one step before the run is stopped; 0: 100 */
} cardan_events;

/* What happened at the last time with events. */
typedef struct cardan_event_record {
    double t;
    int count;                /* simultaneous events */
    const int *events;        /* their numbers */
    const cardan_event *list; /* what the integrator watches, by number; every one has a name */
    const int *signs;         /* +1: g was rising, -1: falling */
    cardan_point before;      /* the state that the motion has led to */
    cardan_point after;       /* the state that it goes on from */
    const double *eta;        /* of the step that led to it (ga2s) */
    int mode_before, mode_after;
    const double *impulse;  /* of the impacts, along the normals: count numbers */
    const double *reaction; /* impulses that belong to lambda and psi of mode_after: m + l */
    double energy;          /* kinetic + potential energy gained */
} cardan_event_record;

/* The last ones; NULL if there was none. It stays valid until the integrator is destroyed; its
 * contents change with the next event. */
CARDAN_API const cardan_event_record *
cardan_integrator_last_event(const cardan_integrator *integrator);

enum { CARDAN_MODE_NOW = -1 };

/* The system of a mode, CARDAN_MODE_NOW: of the present one; NULL if there is none of this
 * number. */
CARDAN_API const cardan_system *cardan_integrator_system(const cardan_integrator *integrator,
                                                         int mode);

#endif

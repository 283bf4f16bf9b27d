/* Events: zeros of functions g_i(t, q, v, lambda, psi) that are located during a run. At an event
 * there can be an impact, a switch to other equations (event modes), or any change of q and v
 * (docs/methods/events.md).
 *
 *   cardan_event wall = {.name = "wall", .function = gap, .direction = CARDAN_FALLING,
 *                        .normal = gap_dq, .restitution = 0.8};
 *   cardan_events events = {.list = &wall, .count = 1, .context = my_data};
 *   def.events = &events;
 *
 * A step in which an event occurs is shortened and ends at the event. cardan_integrator_step and
 * _step_towards return after every event; cardan_integrator_advance continues to its target. After
 * a terminal event all three return CARDAN_EVENT, with the state after the event. Call them again
 * to continue. */
#ifndef CARDAN_EVENT_H
#define CARDAN_EVENT_H

#include <cardan/system.h>

typedef struct cardan_integrator cardan_integrator;

typedef enum cardan_crossing {
    CARDAN_BOTH,    /* every change of sign of g */
    CARDAN_RISING,  /* from - to + */
    CARDAN_FALLING, /* from + to - */
} cardan_crossing;

/* The input of an action, and what it may change. */
typedef struct cardan_event_change {
    cardan_point before;   /* the state before the event */
    int mode_before;       /* the event mode before the event */
    int count;             /* number of simultaneous events */
    const int *events;     /* numbers of the simultaneous events, increasing */
    const double *impulse; /* impulse of each of these events; 0 if it is not an impact */
    double *q;             /* configuration after the impacts; may be changed */
    double *v;             /* velocity after the impacts; may be changed */
    int mode;              /* event mode after the event; may be changed */
    bool stop;             /* may be set to make the event terminal this time */
} cardan_event_change;

/* Changes the state at an event. Returns 0, or another number to stop the run. */
typedef int cardan_event_callback(void *context, int event, cardan_event_change *change);

typedef struct cardan_event {
    const char *name;          /* for messages; NULL: its number */
    cardan_callback *function; /* g. Reads everything except v'; one number. */
    cardan_crossing direction; /* the changes of sign that count */
    bool terminal;             /* true: the run stops after the event */
    uint32_t modes;            /* bit i: the event is watched in event mode i; 0: in every mode */

    /* ---- an impact, if `normal` is given: g(t, q) >= 0 is a distance, `direction` FALLING ---- */

    cardan_callback *normal;    /* dg/dq on the group. Reads t, q; k numbers. */
    cardan_callback *normal_dt; /* dg/dt of a moving wall. Reads t, q; one number. NULL: 0. */
    double
        restitution; /* 0 to 1: the rate of g after the impact is -restitution times that before */

    cardan_event_callback *action; /* called after the impacts; NULL: no action */
} cardan_event;

/* The events of a run. Event modes are systems on the same group with other forces or constraints;
 * mode 0 is the system with which the integrator is created. The arrays of the state have the
 * length of the mode with the most multipliers; multipliers that the present mode does not have are
 * zero. */
typedef struct cardan_events {
    const cardan_event *list; /* copied */
    int count;                /* number of events in the list */
    void *context;            /* passed to functions and actions */

    const cardan_system *const *modes; /* event modes 1, 2, ...; must outlive the integrator */
    int mode_count;                    /* length of `modes`, at most 31 */
    int first_mode;                    /* event mode at a start */

    double tolerance; /* of event times, relative to the step; 0: 1e-11 */
    int limit;        /* more events than this within the time of one step stop the run; 0: 100 */
} cardan_events;

/* Record of the last event, or of the last simultaneous events. */
typedef struct cardan_event_record {
    double t;
    int count;                /* number of simultaneous events */
    const int *events;        /* their numbers */
    const cardan_event *list; /* all events of the integrator, by number; every event has a name */
    const int *signs;         /* +1: g was rising, -1: g was falling */
    cardan_point before;      /* the state before the event */
    cardan_point after;       /* the state after the event */
    const double *eta;        /* of the step that led to the event (ga2s) */
    int mode_before;          /* event mode before the event */
    int mode_after;           /* event mode after the event */
    const double *impulse;    /* of each impact along its normal: count numbers */
    const double *reaction;   /* impulses of lambda and psi of mode_after: m + l numbers */
    double energy;            /* gain of kinetic + potential energy */
} cardan_event_record;

/* The last record; NULL if there was no event. It stays valid until the integrator is destroyed;
 * its contents change with the next event. */
CARDAN_API const cardan_event_record *
cardan_integrator_last_event(const cardan_integrator *integrator);

enum { CARDAN_EVENT_MODE_NOW = -1 };

/* The system of an event mode, or of the present mode (CARDAN_EVENT_MODE_NOW); NULL if the mode
 * does not exist. */
CARDAN_API const cardan_system *cardan_integrator_system(const cardan_integrator *integrator,
                                                         int mode);

#endif

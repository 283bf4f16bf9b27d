/* Events of a run: what is watched, where it was found, and what came of it.
 *
 * A step with events goes like this (docs/methods/events.md):
 *   watch   a step is tried; if a function has changed its sign in it, the time is located on
 *           dense output and the step is not accepted (event_locate.c)
 *   land    steps of other lengths from the same state until one ends at the event (event_locate.c)
 *   handle  impacts, actions, change of the event mode, restart (event_handle.c) */
#ifndef CD_INTEGRATE_EVENT_H
#define CD_INTEGRATE_EVENT_H

#include "base/memory.h"
#include "scheme/scheme.h"

#include <cardan/event.h>

/* The search for the length of a step that ends at an event. Candidates are the events that the
 * watched step has crossed; s_i g_i > 0 before the event, falling at `rate`. */
typedef struct cd_landing {
    bool active;       /* the present step is part of the search */
    double whole;      /* length of the watched step */
    double length;     /* to be tried next */
    double low, high;  /* lengths known to end before and after the event */
    double best;       /* smallest |time missing| so far */
    double last;       /* length of the step before */
    int tries;         /* steps made */
    bool *candidate;   /* of every event */
    double *rate;      /* of every candidate */
    double *last_left; /* s_i g_i of the step before */
} cd_landing;

typedef struct cd_events {
    cardan_events def; /* with copied lists and defaults filled in; count is 0 without events */

    /* What a checkpoint holds: */
    int *sign;          /* of every event function: its sign, 0 if not known */
    double burst_begin; /* `burst` events since then; `limit` bounds them */
    int burst;
    cardan_event_record record; /* of the last event; points to the arrays below */
    cd_state left, right;
    int *hits, *hit_signs;
    double *impulse, *reaction;
    bool behind;       /* the last step ended at the event, where the motion was started anew */
    bool third_behind; /* dense output of that step may use the state before it */

    /* Of the present step: */
    bool reached;      /* the accepted step ends at an event */
    bool interpolated; /* its end is a point of dense output */
    cd_landing landing;
    double *value;          /* g at the end of the step */
    double *early, *late;   /* g at the ends of an interval of the step */
    int *side;              /* sign at the begin of that interval */
    cd_state probe;         /* a point of dense output */
    double *normals;        /* of impacts: count x k */
    double *rates, *bounce; /* dg/dt, restitution */
    double *contact_impulse;
    int *contact; /* which hit it belongs to */
} cd_events;

/* Copies the definition, which belongs to the caller; it->def.events is the copy. */
void cd_events_copy(cardan_integrator *it, const cardan_events *events);

/* How many of the definition's events are impacts. */
int cd_events_impacts(const cardan_integrator_def *def);

cardan_status cd_events_check(const cardan_integrator_def *def, cardan_error *error);
void cd_events_init(cardan_integrator *it);

/* Resets the record at a start, where a function that is zero is not an event. */
cardan_status cd_events_start(cardan_integrator *it);

/* Checks the finished step: CARDAN_EVENT if it must be repeated with landing.length. */
cardan_status cd_events_check_step(cardan_integrator *it);
/* Updates the signs of the event functions after a step was accepted. */
void cd_events_accept_step(cardan_integrator *it);

/* Follows up a step that ended with `status`: steps to the event (CARDAN_EVENT) and handles it. */
cardan_status cd_events_follow(cardan_integrator *it, cardan_status status);

/* Points the public record at the arrays it consists of. */
void cd_events_update_record(cardan_integrator *it);

/* Inside the layer. */

static inline int cd_sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/* g at a state; 0 for events that are not watched in the present mode. */
cardan_status cd_events_values(cardan_integrator *it, const cd_state *state, double *values);
/* Calls a function of an event and explains its failures. */
cardan_status cd_events_call_function(cardan_integrator *it, int event, cardan_callback *function,
                                      const cardan_point *at, int count, double *out);
bool cd_event_is_watched(const cardan_integrator *it, int event);
/* Whether a change of sign from `side` is an event in its direction. */
bool cd_event_allows(const cardan_event *event, int side);
/* Time from the end of the step to a candidate; not positive if it has happened, infinite if it is
 * no candidate. */
double cd_landing_time_left(const cd_events *ev, int event);
cardan_status cd_events_handle(cardan_integrator *it);
/* Sets the signs of all functions after a restart; one that is zero gets its sign shortly after. */
cardan_status cd_events_set_signs(cardan_integrator *it);

#endif

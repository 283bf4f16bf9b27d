/* Events: their definition and evaluation, and the steps that lead to an event and past it. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

#include <stdio.h>

static const double default_tolerance = 1e-11;
static const int default_limit = 100;

int cd_events_impacts(const cardan_integrator_def *def)
{
    int count = 0;
    for (int i = 0; def->events != NULL && i < def->events->count; i++)
        count += def->events->list[i].normal != NULL;
    return count;
}

static cardan_status check_event(const cardan_event *event, int number, cardan_error *error)
{
    const char *reason = NULL;
    if (event->function == NULL)
        reason = "has no function";
    else if ((unsigned)event->direction > CARDAN_FALLING)
        reason = "has a direction that is none of the named ones";
    else if (event->normal != NULL && event->direction != CARDAN_FALLING)
        reason = "is an impact, whose g is a distance: its direction must be CARDAN_FALLING";
    else if (!(event->restitution >= 0.0 && event->restitution <= 1.0))
        reason = "has a restitution that is not between 0 and 1";
    if (reason == NULL)
        return CARDAN_OK;
    return cd_invalid(error, "event %d %s", number, reason);
}

cardan_status cd_events_check(const cardan_integrator_def *def, cardan_error *error)
{
    const cardan_events *events = def->events;
    if (events == NULL)
        return CARDAN_OK;
    if (events->count < 0 || (events->count > 0 && events->list == NULL) || events->limit < 0 ||
        !(events->tolerance >= 0.0 && events->tolerance <= 1e-3))
        return cd_invalid(error,
                          "events: count is %d, limit %d, tolerance %g; they must not be negative, "
                          "the tolerance not above 1e-3, and there must be a list",
                          events->count, events->limit, events->tolerance);
    for (int i = 0; i < events->count; i++) {
        cardan_status status = check_event(&events->list[i], i, error);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}

/* The name of an event in messages. */
static const char *make_display_name(cd_arena *arena, const char *name, int number)
{
    char text[96];
    if (name != NULL)
        snprintf(text, sizeof text, "event `%.80s`", name);
    else
        snprintf(text, sizeof text, "event %d", number);
    return cd_arena_string(arena, text);
}

void cd_events_copy(cardan_integrator *it, const cardan_events *events)
{
    static const cardan_events none = {0};
    const cardan_events *from = events != NULL ? events : &none;
    cd_arena *arena = &it->arena;
    cardan_event *list = cd_arena_take(arena, (size_t)from->count * sizeof *list);
    const cardan_system **modes = cd_arena_take(arena, (size_t)from->mode_count * sizeof *modes);
    cardan_events *own = &it->events.def;
    *own = *from;
    for (int i = 0; list != NULL && i < from->count; i++) {
        list[i] = from->list[i];
        list[i].name = make_display_name(arena, from->list[i].name, i);
    }
    for (int i = 0; modes != NULL && i < from->mode_count; i++)
        modes[i] = from->modes[i];
    own->list = list;
    own->modes = modes;
    if (own->tolerance == 0.0)
        own->tolerance = default_tolerance;
    if (own->limit == 0)
        own->limit = default_limit;
    it->def.events = own;
}

static int *allocate_ints(cd_arena *arena, int count)
{
    return cd_arena_take(arena, (size_t)count * sizeof(int));
}

void cd_events_init(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    cd_arena *arena = &it->arena;
    const int n = ev->def.count, k = it->system->k, impacts = cd_events_impacts(&it->def);
    if (n == 0)
        return;
    ev->sign = allocate_ints(arena, n);
    ev->hits = allocate_ints(arena, n);
    ev->hit_signs = allocate_ints(arena, n);
    ev->impulse = cd_arena_doubles(arena, n);
    ev->reaction = cd_arena_doubles(arena, it->most.m + it->most.l);
    ev->value = cd_arena_doubles(arena, n);
    ev->early = cd_arena_doubles(arena, n);
    ev->late = cd_arena_doubles(arena, n);
    ev->side = allocate_ints(arena, n);
    ev->landing.candidate = cd_arena_take(arena, (size_t)n * sizeof(bool));
    ev->landing.rate = cd_arena_doubles(arena, n);
    ev->landing.last_left = cd_arena_doubles(arena, n);
    ev->normals = cd_arena_doubles(arena, impacts * k);
    ev->rates = cd_arena_doubles(arena, impacts);
    ev->bounce = cd_arena_doubles(arena, impacts);
    ev->contact_impulse = cd_arena_doubles(arena, impacts);
    ev->contact = allocate_ints(arena, impacts);
    cd_integrator_allocate_state(it, &ev->left);
    cd_integrator_allocate_state(it, &ev->right);
    cd_integrator_allocate_state(it, &ev->probe);
}

bool cd_event_is_watched(const cardan_integrator *it, int event)
{
    const uint32_t modes = it->events.def.list[event].modes;
    return modes == 0 || (modes >> it->mode & 1u) != 0;
}

bool cd_event_allows(const cardan_event *event, int side)
{
    return side != 0 &&
           (event->direction == CARDAN_BOTH || (event->direction == CARDAN_RISING) == (side < 0));
}

cardan_status cd_events_call_function(cardan_integrator *it, int event, cardan_callback *function,
                                      const cardan_point *at, int count, double *out)
{
    const char *name = it->events.def.list[event].name;
    cd_zero(count, out);
    const int result = function(it->events.def.context, at, out);
    if (result < 0)
        return cd_fail(&it->error, CARDAN_CALLBACK_FAILED,
                       "%s: a function has failed with code %d at t = %.9g", name, result, at->t);
    if (result > 0)
        return cd_fail(&it->error, CARDAN_CALLBACK_RETRY,
                       "%s: a function asked for a smaller step (code %d) at t = %.9g", name,
                       result, at->t);
    if (cd_first_not_finite(count, out) >= 0)
        return cd_fail(&it->error, CARDAN_NOT_FINITE,
                       "%s: a function has no finite value at t = %.9g", name, at->t);
    return CARDAN_OK;
}

cardan_status cd_events_values(cardan_integrator *it, const cd_state *state, double *values)
{
    const cardan_point at = cd_state_point(state);
    cd_zero(it->events.def.count, values);
    for (int i = 0; i < it->events.def.count; i++) {
        if (!cd_event_is_watched(it, i))
            continue;
        cardan_status status =
            cd_events_call_function(it, i, it->events.def.list[i].function, &at, 1, &values[i]);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}

/* Events that were crossed but not handled keep their sign, and the next step finds them. */
void cd_events_accept_step(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    ev->behind = false;
    for (int i = 0; i < ev->def.count; i++) {
        const int side = cd_sign(ev->value[i]);
        const bool is_event = side != ev->sign[i] && cd_event_allows(&ev->def.list[i], ev->sign[i]);
        if (side != 0 && !is_event && cd_event_is_watched(it, i))
            ev->sign[i] = side;
    }
}

/* Steps until a step ends at the event. If one fails, half of it is watched for events instead. */
static cardan_status step_to_event(cardan_integrator *it)
{
    cd_landing *landing = &it->events.landing;
    const double t0 = it->view.t;
    cardan_status status;
    it->control.reselect = false;
    landing->active = true;
    do
        status = cd_integrator_step_with(it, landing->length, t0 + landing->length);
    while (status == CARDAN_EVENT);
    landing->active = false;
    if (status > 0) {
        const double half = 0.5 * landing->length;
        status = cd_integrator_step_with(it, half, t0 + half);
    }
    return status;
}

/* Diagnoses a failure on the way to an event or at it; passes other statuses on. */
static cardan_status diagnose_failure(cardan_integrator *it, cardan_status status)
{
    if (status == CARDAN_OK || status == CARDAN_EVENT)
        return status;
    return cd_diagnose(it, it->events.landing.length, 1, 0.0);
}

cardan_status cd_events_follow(cardan_integrator *it, cardan_status status)
{
    const int most_halvings = 20;
    for (int i = 0; status == CARDAN_EVENT && i < most_halvings; i++)
        status = diagnose_failure(it, step_to_event(it));
    if (status == CARDAN_EVENT)
        return diagnose_failure(
            it, cd_fail(&it->error, CARDAN_NOT_CONVERGED,
                        "no step from t = %.9g ends at the event that lies ahead; see "
                        "whether its function is continuous",
                        it->view.t));
    if (status != CARDAN_OK || !it->events.reached)
        return status;
    it->events.reached = false;
    const cd_activity before = cd_clock_switch(&it->clock, CD_LOCATING);
    status = cd_events_handle(it);
    cd_clock_switch(&it->clock, before);
    return diagnose_failure(it, status);
}

void cd_events_update_record(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    ev->record.events = ev->hits;
    ev->record.list = ev->def.list;
    ev->record.signs = ev->hit_signs;
    ev->record.impulse = ev->impulse;
    ev->record.reaction = ev->reaction;
    ev->record.before = cd_state_point(&ev->left);
    ev->record.after = cd_state_point(&ev->right);
    ev->record.eta = ev->left.eta;
}

const cardan_event_record *cardan_integrator_last_event(const cardan_integrator *integrator)
{
    if (integrator == NULL)
        return NULL;
    return integrator->counts.events > 0 ? &integrator->events.record : NULL;
}

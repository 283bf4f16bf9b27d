/* The program was built without SUNDIALS. */
#include "ida.h"

#include <stddef.h>
#include <stdio.h>

const char *peer_ida_text(void)
{
    return NULL;
}

cardan_status peer_ida_create(peer_ida **peer, const cardan_system *system,
                              const cardan_state *start, cardan_tolerance tolerance, double end,
                              cardan_error *error)
{
    (void)system;
    (void)start;
    (void)tolerance;
    (void)end;
    *peer = NULL;
    error->status = CARDAN_UNSUPPORTED;
    snprintf(error->text, sizeof error->text,
             "this program was built without SUNDIALS; install libsundials-dev and build again");
    return error->status;
}

void peer_ida_destroy(peer_ida *peer)
{
    (void)peer;
}

void peer_ida_order_by_amd(peer_ida *peer)
{
    (void)peer;
}

cardan_status peer_ida_step(peer_ida *peer, cardan_error *error)
{
    (void)peer;
    return error->status = CARDAN_UNSUPPORTED;
}

cardan_status peer_ida_advance(peer_ida *peer, double t, cardan_error *error)
{
    (void)peer;
    (void)t;
    return error->status = CARDAN_UNSUPPORTED;
}

cardan_point peer_ida_point(peer_ida *peer)
{
    (void)peer;
    return (cardan_point){0};
}

peer_work peer_ida_work(const peer_ida *peer)
{
    (void)peer;
    return (peer_work){0};
}

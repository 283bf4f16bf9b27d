/* Markers in the world. */
#include "marker.h"

void cd_marker_at(const cd_marker *marker, const cd_body_state *body_state, cd_marker_state *state)
{
    double turning[3];
    cd_apply3(body_state->R, marker->offset, state->arm);
    cd_product3(body_state->R, marker->axes, state->axes);
    cd_cross(body_state->w, state->arm, turning);
    for (int i = 0; i < 3; i++) {
        state->p[i] = body_state->r[i] + state->arm[i];
        state->v[i] = body_state->u[i] + turning[i];
        state->w[i] = body_state->w[i];
    }
}

void cd_pair_at(const cd_marker marker[2], const cd_body_state *body_state, cd_pair *pair)
{
    double carried[3];
    cd_marker_at(&marker[0], &body_state[0], &pair->one);
    cd_marker_at(&marker[1], &body_state[1], &pair->two);
    for (int i = 0; i < 3; i++) {
        const double apart = body_state[1].r[i] - body_state[0].r[i],
                     low = body_state[1].low[i] - body_state[0].low[i];
        pair->d[i] = cd_origin_difference(apart, pair->one.arm[i], pair->two.arm[i], low);
        pair->reach[i] = cd_origin_difference(apart, 0.0, pair->two.arm[i], low);
        pair->w[i] = pair->two.w[i] - pair->one.w[i];
    }
    cd_cross(body_state[0].w, pair->d, carried);
    for (int i = 0; i < 3; i++)
        pair->v[i] = pair->two.v[i] - pair->one.v[i] - carried[i];
    pair->options = (cd_measure_options){.axis1 = 2, .axis2 = 2};
}

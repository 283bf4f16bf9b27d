/* A force and a torque on body 2 at the origin of frame 2, times a signal: in world axes, or in
 * those of frame 2, with which they rotate. */
#include "force.h"

/* Finds force and torque in the world, and the marker at which they act. */
static void find_applied(const cd_force_data *self, const cd_element_point *at,
                         cd_marker_state *state, double force[3], double torque[3])
{
    double factor[3] = {1.0};
    const cardan_force_def *def = self->def;
    cd_marker_at(&self->pair.marker[1], at->body_state, state);
    if (self->signal != NULL)
        cd_signal_at(self->signal, at->t, factor);
    cd_copy(3, def->force, force);
    cd_copy(3, def->torque, torque);
    if (def->in_body) {
        cd_apply3(state->axes, def->force, force);
        cd_apply3(state->axes, def->torque, torque);
    }
    for (int i = 0; i < 3; i++) {
        force[i] *= factor[0];
        torque[i] *= factor[0];
    }
}

static int applied_force(const void *self, const cd_element_point *at, double *f)
{
    cd_marker_state state;
    double force[3], torque[3], lever[3];
    find_applied(self, at, &state, force, torque);
    cd_cross(state.arm, force, lever);
    cd_add(3, 1.0, force, f);
    cd_add(3, 1.0, lever, f + 3);
    cd_add(3, 1.0, torque, f + 3);
    return 0;
}

/* df/dx: d(arm) = dphi x arm; with `in_body`, force and torque rotate as well. */
static int applied_force_dx(const void *self, const cd_element_point *at, double *out)
{
    cd_marker_state state;
    double force[3], torque[3], skew[9], block[9];
    find_applied(self, at, &state, force, torque);
    cd_skew(force, skew);
    cd_times_skew(skew, state.arm, block);
    cd_add_block(1.0, block, 3, 3, CD_BODY_COLUMNS, out);
    if (!((const cd_force_data *)self)->def->in_body)
        return 0;
    cd_add_block(-1.0, skew, 0, 3, CD_BODY_COLUMNS, out);
    cd_skew(state.arm, skew);
    cd_times_skew(skew, force, block);
    cd_add_block(-1.0, block, 3, 3, CD_BODY_COLUMNS, out);
    cd_skew(torque, skew);
    cd_add_block(-1.0, skew, 3, 3, CD_BODY_COLUMNS, out);
    return 0;
}

static cardan_status check_applied(const cardan_force_def *def, cardan_error *error)
{
    const cardan_status status = cd_force_check_finite("force", def->force, 3, error);
    return status != CARDAN_OK ? status : cd_force_check_finite("torque", def->torque, 3, error);
}

const cd_force_kind cd_force_applied = {
    .type = {.name = "applied force", .force = applied_force, .force_dx = applied_force_dx},
    .single = true,
    .check = check_applied};

/* A force and a torque on body 2 at the origin of frame 2, times a signal: in world axes, or in
 * those of frame 2, with which they turn. */
#include "force.h"

typedef struct applied {
    cd_marker marker;
    double force[3], torque[3];
    bool in_body;
    const cd_signal *signal; /* NULL: 1 */
} applied;

/* Force and torque in the world, and where they act. */
static void act(const applied *self, const cd_place *at, cd_marker_place *place, double force[3],
                double torque[3])
{
    double factor[3] = {1.0};
    cd_marker_at(&self->marker, at->site, place);
    if (self->signal != NULL)
        cd_signal_at(self->signal, at->t, factor);
    cd_copy(3, self->force, force);
    cd_copy(3, self->torque, torque);
    if (self->in_body) {
        cd_apply3(place->axes, self->force, force);
        cd_apply3(place->axes, self->torque, torque);
    }
    for (int i = 0; i < 3; i++) {
        force[i] *= factor[0];
        torque[i] *= factor[0];
    }
}

static int value(const void *self, const cd_place *at, double *f)
{
    cd_marker_place place;
    double force[3], torque[3], lever[3];
    act(self, at, &place, force, torque);
    cd_cross(place.arm, force, lever);
    cd_add(3, 1.0, force, f);
    cd_add(3, 1.0, lever, f + 3);
    cd_add(3, 1.0, torque, f + 3);
    return 0;
}

/* d(arm) = dphi x arm; in the body, force and torque turn as well. */
static int value_dx(const void *self, const cd_place *at, double *out)
{
    cd_marker_place place;
    double force[3], torque[3], skew[9], block[9];
    act(self, at, &place, force, torque);
    cd_skew(force, skew);
    cd_times_skew(skew, place.arm, block);
    cd_add_block(1.0, block, 3, 3, CD_SITE, out);
    if (!((const applied *)self)->in_body)
        return 0;
    cd_add_block(-1.0, skew, 0, 3, CD_SITE, out);
    cd_skew(place.arm, skew);
    cd_times_skew(skew, force, block);
    cd_add_block(-1.0, block, 3, 3, CD_SITE, out);
    cd_skew(torque, skew);
    cd_add_block(-1.0, skew, 3, 3, CD_SITE, out);
    return 0;
}

static const cd_element_type type = {.name = "applied force", .force = value, .force_dx = value_dx};

static cardan_status check(const cardan_force_def *def, cardan_error *error)
{
    const cardan_status status = cd_force_check_finite("force", def->force, 3, error);
    return status != CARDAN_OK ? status : cd_force_check_finite("torque", def->torque, 3, error);
}

static cardan_status make(cd_arena *arena, const cardan_force_def *def, const cd_force_parts *parts,
                          cd_element *element, cardan_error *error)
{
    applied *self = cd_arena_take(arena, sizeof *self);
    if (self == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for a force");
    self->marker = parts->marker[1];
    cd_copy(3, def->force, self->force);
    cd_copy(3, def->torque, self->torque);
    self->in_body = def->in_body;
    self->signal = parts->signal;
    element->type = &type;
    element->self = self;
    element->count = 1;
    element->body[0] = parts->body[1];
    return CARDAN_OK;
}

const cd_force_kind cd_force_applied = {.single = true, .check = check, .make = make};

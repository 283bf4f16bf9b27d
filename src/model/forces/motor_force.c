/* Motor: a force or torque given by a signal along one direction of a joint (or, without a joint,
 * of frame 1), on body 2 and opposite on body 1. The second axis of a universal joint is one of
 * frame 2. */
#include "force.h"
#include "model/elements/pair_force.h"
#include "model/joints/direction.h"

typedef struct motor {
    cd_pair_force pair;
    int component;
    const cd_signal *signal;
} motor;

static int law(const void *self, const cd_place *at, const double *e, const double *rate,
               cd_law *out)
{
    const motor *m = self;
    double effort[3];
    (void)e;
    (void)rate;
    cd_signal_at(m->signal, at->t, effort);
    out->y[m->component] = -effort[0];
    return 0;
}

static const cd_element_type type = {
    .name = "motor", .force = cd_pair_force_value, .force_dx = cd_pair_force_dx};

static cardan_status check(const cardan_force_def *def, cardan_error *error)
{
    if (def->signal == CARDAN_NONE)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "a motor needs a signal that gives its force or torque");
    return CARDAN_OK;
}

static const cd_measure *measure_of(const cardan_joint_def *joint, int index)
{
    if (index < 3)
        return &cd_displacement;
    const bool second = joint != NULL && cd_joint_turns_about_2(joint, index);
    return second ? &cd_spin_in_2 : &cd_spin_in_1;
}

static cardan_status make(cd_arena *arena, const cardan_force_def *def, const cd_force_parts *parts,
                          cd_element *element, cardan_error *error)
{
    const unsigned available =
        parts->joint != NULL ? cd_free_directions(parts->joint) : (unsigned)CD_ALL_DIRECTIONS;
    cardan_direction direction;
    const cardan_status status = cd_direction_choose(available, def->direction, &direction, error);
    if (status != CARDAN_OK)
        return status;
    const int index = cd_direction_index(direction);
    const cd_pair_force head = {.measure = measure_of(parts->joint, index), .law = law};
    motor *self = cd_force_take_pair(arena, sizeof *self, &head, &type, parts, element, error);
    if (self == NULL)
        return CARDAN_OUT_OF_MEMORY;
    self->component = index % 3;
    self->signal = parts->signal;
    return CARDAN_OK;
}

const cd_force_kind cd_force_motor = {.check = check, .make = make};

/* Motor: a force or torque given by a signal along one direction of a joint (without a joint: of
 * frame 1), on body 2 and opposite on body 1. */
#include "force.h"
#include "model/joints/direction.h"

static int motor_law(const void *self, const cd_element_point *at, const cd_pair *pair,
                     const double *e, const double *rate, cd_law *out)
{
    const cd_force_data *m = self;
    double effort[3];
    (void)pair;
    (void)e;
    (void)rate;
    cd_signal_at(m->signal, at->t, effort);
    out->y[m->component] = -effort[0];
    return 0;
}

static cardan_status check_motor(const cardan_force_def *def, cardan_error *error)
{
    if (def->signal == CARDAN_NONE)
        return cd_invalid(error, "a motor needs a signal that gives its force or torque");
    return CARDAN_OK;
}

/* Sets the component along which the motor acts, from the direction of its definition. */
static cardan_status choose_motor_direction(const cd_force_references *references,
                                            cd_force_data *self, cardan_error *error)
{
    const cardan_joint_def *joint = references->joint;
    const unsigned available =
        joint != NULL ? cd_free_directions(joint) : (unsigned)CD_ALL_DIRECTIONS;
    cardan_direction direction;
    const cardan_status status =
        cd_direction_choose(available, self->def->direction, &direction, error);
    if (status != CARDAN_OK)
        return status;
    const int index = cd_direction_index(direction);
    const bool about_2 = joint != NULL && cd_direction_is_about_frame2(joint, index);
    self->component = about_2 ? index + 3 : index;
    return CARDAN_OK;
}

const cd_force_kind cd_force_motor = {
    .type = {.name = "motor", .force = cd_pair_force_value, .force_dx = cd_pair_force_dx},
    .measure = &cd_relative_motion,
    .law = motor_law,
    .check = check_motor,
    .complete = choose_motor_direction};

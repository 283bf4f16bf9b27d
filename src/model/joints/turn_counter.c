/* Turn counters. A counter s is a coordinate without mass; the constraint wrap(angle - s) = 0 makes
 * it follow an angle over any number of turns. Gears and screws are linear in s. */
#include "direction.h"
#include "joint.h"

#include <stdio.h>
#include <string.h>

static const cd_body_kind massless = {.mass = 0.0};
static const cd_initial_motion no_motion = {.orientation = {1.0}};

cardan_status cd_model_append_counter(cardan_model *model, const char *name, const int body[2],
                                      const cd_marker marker[2], int axis, double lead,
                                      int *counter)
{
    cd_body *counters = cd_grow(&model->allocator, model->counter, model->counters,
                                &model->counter_capacity, sizeof *counters);
    const size_t length = strlen(name) + sizeof ".turns";
    if (counters == NULL)
        return cd_model_exhausted(model);
    model->counter = counters;
    char *full = cd_model_allocate(model, length);
    if (full == NULL)
        return cd_model_exhausted(model);
    snprintf(full, length, "%s.turns", name);
    cd_body_state body_state[2];
    cd_pair pair;
    double gradient[CD_PAIR] = {0.0}, start = 0.0, along[3];
    for (int b = 0; b < 2; b++)
        cd_model_initial_state(model, body[b], &body_state[b]);
    cd_pair_at(marker, body_state, &pair);
    pair.options.axis1 = axis;
    (void)cd_angle.value(&pair, &start);
    cd_angle.gradient(&pair, gradient);
    if (lead != 0.0) {
        cd_marker_axis(&pair.one, axis, along);
        start += cd_two_pi * round(cd_dot3(along, pair.d) / lead - start / cd_two_pi);
    }
    *counter = cd_counter_number(model->counters);
    model->counter[model->counters++] =
        (cd_body){.name = full,
                  .form = &cd_form_counter,
                  .body_kind = &massless,
                  .initial_motion = &no_motion,
                  .initial_angle = {start, cd_dot3(gradient + 9, pair.w)}};
    return CARDAN_OK;
}

cardan_status cd_model_add_driven_counter(cardan_model *model, const char *name, const int body[2],
                                          const cd_marker marker[2], int axis, int *counter,
                                          int *element)
{
    static const char *const angle_name[] = {"angle"};
    cardan_status status = cd_model_append_counter(model, name, body, marker, axis, 0.0, counter);
    cd_restraint *self = cd_model_allocate(model, cd_restraint_size(1));
    if (status != CARDAN_OK || self == NULL)
        return cd_model_exhausted(model);
    self->marker[0] = marker[0];
    self->marker[1] = marker[1];
    self->counts = true;
    self->rows = 1;
    self->primitive[0] =
        (cd_primitive){.measure = &cd_angle, .options = {.axis1 = axis}, .factor = 1.0};
    const cd_element tie = {.type = &cd_turn_equation_type,
                            .self = self,
                            .name = cd_model_body(model, *counter)->name,
                            .count = 3,
                            .body = {body[0], body[1], *counter},
                            .rows = 1,
                            .row_name = angle_name};
    return cd_model_add_element(model, &tie, element);
}

cardan_status cd_model_joint_counter(cardan_model *model, int joint, int *counter)
{
    cd_joint *it = &model->joint[joint];
    if (it->counter == 0) {
        const cd_free_rotations rotations = cd_joint_free_rotations(&it->kind->def);
        if (rotations.count != 1)
            return cd_invalid(
                &model->error,
                "joint `%s` does not turn about one axis alone: use a revolute, cylindrical, screw "
                "or planar joint here, or a generic one with one rotation free",
                it->name);
        cardan_status status =
            cd_model_add_driven_counter(model, it->name, it->body, it->kind->marker,
                                        rotations.axis[0], &it->counter, &it->counting);
        if (status != CARDAN_OK)
            return status;
    }
    *counter = it->counter;
    return CARDAN_OK;
}

/* Spring and damper between two points: the tension is preload + stiffness (L - length) + damping
 * L', along the line between the points.
 *
 * The line has no direction where the points meet. A spring of length 0 without preload does not
 * need one: its force is -stiffness d, with the displacement d in frame 1 instead of the distance.
 * Its damper then acts on the whole velocity relative to frame 1. */
#include "force.h"

static int spring_law(const void *self, const cd_element_point *at, const cd_pair *pair,
                      const double *e, const double *rate, cd_law *law)
{
    const cardan_force_def *s = ((const cd_force_data *)self)->def;
    const double stretch = e[0] - s->length;
    (void)at;
    (void)pair;
    law->y[0] = s->preload + s->stiffness * stretch + s->damping * rate[0];
    law->y_de[0] = s->stiffness;
    law->y_drate[0] = s->damping;
    law->energy = stretch * (s->preload + 0.5 * s->stiffness * stretch);
    law->energy_de[0] = s->preload + s->stiffness * stretch;
    return 0;
}

static int zero_length_law(const void *self, const cd_element_point *at, const cd_pair *pair,
                           const double *e, const double *rate, cd_law *law)
{
    const cardan_force_def *s = ((const cd_force_data *)self)->def;
    (void)at;
    (void)pair;
    for (int i = 0; i < 3; i++) {
        law->y[i] = s->stiffness * e[i] + s->damping * rate[i];
        law->y_de[4 * i] = s->stiffness;
        law->y_drate[4 * i] = s->damping;
        law->energy += 0.5 * s->stiffness * e[i] * e[i];
        law->energy_de[i] = s->stiffness * e[i];
    }
    return 0;
}

static cardan_status check_spring(const cardan_force_def *def, cardan_error *error)
{
    const double numbers[] = {def->stiffness, def->damping, def->length, def->preload};
    if (def->length < 0.0)
        return cd_invalid(error, "length is %g, but must not be negative", def->length);
    return cd_force_check_finite("stiffness, damping, length or preload", numbers, 4, error);
}

static cardan_status choose_spring_law(const cd_force_references *references, cd_force_data *self,
                                       cardan_error *error)
{
    (void)references;
    (void)error;
    if (self->def->length == 0.0 && self->def->preload == 0.0) {
        self->pair.measure = &cd_displacement;
        self->pair.law = zero_length_law;
    }
    return CARDAN_OK;
}

const cd_force_kind cd_force_spring = {
    .type = {.name = "spring",
             .no_value_reason =
                 "its ends are at the same place, and the line between them has no "
                 "direction; move them apart, or make its free length 0 and leave the "
                 "preload out",
             CD_PAIR_FORCE},
    .measure = &cd_distance,
    .law = spring_law,
    .check = check_spring,
    .complete = choose_spring_law};

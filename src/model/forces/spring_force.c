/* Spring and damper between two points: the tension is preload + stiffness (L - length) + damping
 * L', along the line between the points.
 *
 * A spring of length 0 without preload has no direction where the points meet, but its force
 * -stiffness d does not need one. It acts on the displacement d in frame 1 instead of the distance,
 * and so does its damper: on the whole velocity seen from frame 1. */
#include "force.h"
#include "model/elements/pair_force.h"

typedef struct spring {
    cd_pair_force pair;
    double stiffness, damping, length, preload;
} spring;

static int along_line(const void *self, const cd_place *at, const double *e, const double *rate,
                      cd_law *law)
{
    const spring *s = self;
    const double stretch = e[0] - s->length;
    (void)at;
    law->y[0] = s->preload + s->stiffness * stretch + s->damping * rate[0];
    law->y_de[0] = s->stiffness;
    law->y_drate[0] = s->damping;
    law->energy = stretch * (s->preload + 0.5 * s->stiffness * stretch);
    law->energy_de[0] = s->preload + s->stiffness * stretch;
    return 0;
}

static int of_no_length(const void *self, const cd_place *at, const double *e, const double *rate,
                        cd_law *law)
{
    const spring *s = self;
    (void)at;
    for (int i = 0; i < 3; i++) {
        law->y[i] = s->stiffness * e[i] + s->damping * rate[i];
        law->y_de[4 * i] = s->stiffness;
        law->y_drate[4 * i] = s->damping;
        law->energy += 0.5 * s->stiffness * e[i] * e[i];
        law->energy_de[i] = s->stiffness * e[i];
    }
    return 0;
}

static const cd_element_type type = {
    .name = "spring",
    .refusal = "its ends are at the same place, and the line between them has no direction; move "
               "them apart, or make its free length 0 and leave the preload out",
    .force = cd_pair_force_value,
    .force_dx = cd_pair_force_dx,
    .force_dw = cd_pair_force_dw,
    .potential = cd_pair_force_potential,
    .potential_dx = cd_pair_force_potential_dx};

static cardan_status check(const cardan_force_def *def, cardan_error *error)
{
    const double numbers[] = {def->stiffness, def->damping, def->length, def->preload};
    if (def->length < 0.0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "length is %g, but must not be negative",
                       def->length);
    return cd_force_check_finite("stiffness, damping, length or preload", numbers, 4, error);
}

static cardan_status make(cd_arena *arena, const cardan_force_def *def, const cd_force_parts *parts,
                          cd_element *element, cardan_error *error)
{
    const bool pointed = def->length > 0.0 || def->preload != 0.0;
    const cd_pair_force head = {.measure = pointed ? &cd_distance : &cd_displacement,
                                .law = pointed ? along_line : of_no_length};
    spring *self = cd_force_take_pair(arena, sizeof *self, &head, &type, parts, element, error);
    if (self == NULL)
        return CARDAN_OUT_OF_MEMORY;
    self->stiffness = def->stiffness;
    self->damping = def->damping;
    self->length = def->length;
    self->preload = def->preload;
    return CARDAN_OK;
}

const cd_force_kind cd_force_spring = {.check = check, .make = make};

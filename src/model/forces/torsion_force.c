/* Torsion spring and damper about z of frame 1: the torque that turns frame 2 back is preload +
 * stiffness (angle - length) + damping angle', over any number of turns.
 *
 * The third body is a turn counter, which follows the angle without jumps; from it only the number
 * of whole turns is taken, so that the spring acts on the bodies and not on the counter. */
#include "force.h"
#include "model/elements/pair_force.h"

typedef struct torsion {
    cd_pair_force pair;
    double stiffness, damping, rest, preload;
} torsion;

static const double two_pi = 6.283185307179586476925286766559;

static int law(const void *self, const cd_place *at, const double *e, const double *rate,
               cd_law *out)
{
    const torsion *s = self;
    const double turns = round((at->site[2].r[0] - e[0]) / two_pi);
    const double twist = e[0] + two_pi * turns - s->rest;
    out->y[0] = s->preload + s->stiffness * twist + s->damping * rate[0];
    out->y_de[0] = s->stiffness;
    out->y_drate[0] = s->damping;
    out->energy = twist * (s->preload + 0.5 * s->stiffness * twist);
    out->energy_de[0] = s->preload + s->stiffness * twist;
    return 0;
}

static const cd_element_type type = {.name = "torsion spring",
                                     .refusal =
                                         "its axes on the two bodies point against each other, and "
                                         "the angle about them is lost; choose other frames",
                                     .force = cd_pair_force_value,
                                     .force_dx = cd_pair_force_dx,
                                     .force_dw = cd_pair_force_dw,
                                     .potential = cd_pair_force_potential,
                                     .potential_dx = cd_pair_force_potential_dx};

static cardan_status check(const cardan_force_def *def, cardan_error *error)
{
    const double numbers[] = {def->stiffness, def->damping, def->length, def->preload};
    return cd_force_check_finite("stiffness, damping, length (rest angle) or preload", numbers, 4,
                                 error);
}

static cardan_status make(cd_arena *arena, const cardan_force_def *def, const cd_force_parts *parts,
                          cd_element *element, cardan_error *error)
{
    const cd_pair_force head = {.measure = &cd_twist, .law = law};
    torsion *self = cd_force_take_pair(arena, sizeof *self, &head, &type, parts, element, error);
    if (self == NULL)
        return CARDAN_OUT_OF_MEMORY;
    self->stiffness = def->stiffness;
    self->damping = def->damping;
    self->rest = def->length;
    self->preload = def->preload;
    self->pair.columns = 3 * CD_SITE;
    element->count = 3;
    element->body[2] = parts->counter;
    return CARDAN_OK;
}

const cd_force_kind cd_force_torsion = {.counts_turns = true, .check = check, .make = make};

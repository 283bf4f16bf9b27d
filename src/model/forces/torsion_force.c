/* Torsion spring and damper about z of frame 1: the torque that rotates frame 2 back is preload +
 * stiffness (angle - length) + damping angle', over any number of turns.
 *
 * The third body is a turn counter, which follows the angle without jumps. Only the number of whole
 * turns is read from it, so that the spring acts on the bodies and not on the counter. */
#include "force.h"

static int torsion_law(const void *self, const cd_element_point *at, const cd_pair *pair,
                       const double *e, const double *rate, cd_law *out)
{
    const cardan_force_def *s = ((const cd_force_data *)self)->def;
    const double turns = round((at->body_state[2].r[0] - e[0]) / cd_two_pi);
    const double twist = e[0] + cd_two_pi * turns - s->length;
    (void)pair;
    out->y[0] = s->preload + s->stiffness * twist + s->damping * rate[0];
    out->y_de[0] = s->stiffness;
    out->y_drate[0] = s->damping;
    out->energy = twist * (s->preload + 0.5 * s->stiffness * twist);
    out->energy_de[0] = s->preload + s->stiffness * twist;
    return 0;
}

static cardan_status check_torsion(const cardan_force_def *def, cardan_error *error)
{
    const double numbers[] = {def->stiffness, def->damping, def->length, def->preload};
    return cd_force_check_finite("stiffness, damping, length (rest angle) or preload", numbers, 4,
                                 error);
}

const cd_force_kind cd_force_torsion = {
    .type = {.name = "torsion spring",
             .no_value_reason =
                 "its axes on the two bodies point against each other, and the angle about "
                 "them is lost; choose other frames",
             CD_PAIR_FORCE},
    .measure = &cd_angle,
    .law = torsion_law,
    .counts_turns = true,
    .check = check_torsion};

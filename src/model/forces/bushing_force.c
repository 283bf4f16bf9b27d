/* Bushing: stiffness and damping matrices (6 x 6) that act on the displacement of frame 2 along the
 * axes of frame 1 and on its rotation vector, e = (x, theta).
 *
 * The force is -G^T (K e + D e') with G = de/dx, so that the symmetric part of K has the potential
 * e^T K e / 2 whatever the rotation. An unsymmetric remainder of K is allowed and has none. Turns
 * stay below half a turn: beyond it the rotation vector would jump, and a smaller step is asked
 * for. */
#include "force.h"
#include "model/elements/pair_force.h"

typedef struct bushing {
    cd_pair_force pair;
    double stiffness[36], damping[36];
} bushing;

static int law(const void *self, const cd_place *at, const double *e, const double *rate,
               cd_law *out)
{
    const bushing *s = self;
    double damped[6];
    (void)at;
    cd_multiply(6, 6, s->stiffness, e, out->y);
    cd_multiply(6, 6, s->damping, rate, damped);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            out->energy_de[i] += 0.5 * (s->stiffness[6 * i + j] + s->stiffness[6 * j + i]) * e[j];
    out->energy = 0.5 * cd_dot(6, e, out->energy_de);
    cd_add(6, 1.0, damped, out->y);
    cd_copy(36, s->stiffness, out->y_de);
    cd_copy(36, s->damping, out->y_drate);
    return 0;
}

static const cd_element_type type = {.name = "bushing",
                                     .refusal =
                                         "its frames are turned against each other by half a turn, "
                                         "where the rotation vector jumps; turn one of them",
                                     .force = cd_pair_force_value,
                                     .force_dx = cd_pair_force_dx,
                                     .force_dw = cd_pair_force_dw,
                                     .potential = cd_pair_force_potential,
                                     .potential_dx = cd_pair_force_potential_dx};

static cardan_status check(const cardan_force_def *def, cardan_error *error)
{
    const cardan_status status = cd_force_check_finite("stiffness6", def->stiffness6, 36, error);
    return status != CARDAN_OK ? status
                               : cd_force_check_finite("damping6", def->damping6, 36, error);
}

static cardan_status make(cd_arena *arena, const cardan_force_def *def, const cd_force_parts *parts,
                          cd_element *element, cardan_error *error)
{
    const cd_pair_force head = {.measure = &cd_rigid_displacement, .law = law};
    bushing *self = cd_force_take_pair(arena, sizeof *self, &head, &type, parts, element, error);
    if (self == NULL)
        return CARDAN_OUT_OF_MEMORY;
    cd_copy(36, def->stiffness6, self->stiffness);
    cd_copy(36, def->damping6, self->damping);
    return CARDAN_OK;
}

const cd_force_kind cd_force_bushing = {.check = check, .make = make};

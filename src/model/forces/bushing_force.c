/* Bushing: stiffness and damping matrices (6 x 6) that act on the displacement of frame 2 along the
 * axes of frame 1 and on its rotation vector, e = (x, theta).
 *
 * The force is -G^T (K e + D e') with G = de/dx, so that the symmetric part of K has the potential
 * e^T K e / 2 for all rotations; the antisymmetric part has none. Rotations stay below half a turn,
 * where the rotation vector would jump: the evaluation then asks for a smaller step. */
#include "force.h"

static int bushing_law(const void *self, const cd_element_point *at, const cd_pair *pair,
                       const double *e, const double *rate, cd_law *out)
{
    const cardan_force_def *s = ((const cd_force_data *)self)->def;
    double damped[6];
    (void)at;
    (void)pair;
    cd_multiply(6, 6, s->stiffness6, e, out->y);
    cd_multiply(6, 6, s->damping6, rate, damped);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            out->energy_de[i] += 0.5 * (s->stiffness6[6 * i + j] + s->stiffness6[6 * j + i]) * e[j];
    out->energy = 0.5 * cd_dot(6, e, out->energy_de);
    cd_add(6, 1.0, damped, out->y);
    cd_copy(36, s->stiffness6, out->y_de);
    cd_copy(36, s->damping6, out->y_drate);
    return 0;
}

static cardan_status check_bushing(const cardan_force_def *def, cardan_error *error)
{
    const cardan_status status = cd_force_check_finite("stiffness6", def->stiffness6, 36, error);
    return status != CARDAN_OK ? status
                               : cd_force_check_finite("damping6", def->damping6, 36, error);
}

const cd_force_kind cd_force_bushing = {
    .type = {.name = "bushing",
             .no_value_reason =
                 "its frames are turned against each other by half a turn, where the "
                 "rotation vector jumps; turn one of them",
             CD_PAIR_FORCE},
    .measure = &cd_rigid_displacement,
    .law = bushing_law,
    .check = check_bushing};

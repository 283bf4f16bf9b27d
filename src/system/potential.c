/* The potential of applied and constraint forces together: V + lambda^T Phi. */
#include "base/numeric.h"
#include "system/workspace.h"

cardan_status cd_system_total_potential(cd_workspace *ws, const cardan_point *at, double *value,
                                        double *gradient)
{
    const cardan_system *system = ws->system;
    double potential = 0.0;
    cardan_status status = cd_part_evaluate(ws, 0, CD_POTENTIAL, at, &potential);
    if (status == CARDAN_OK && value != NULL) {
        status = cd_part_evaluate(ws, 0, CD_CONSTRAINT, at, ws->vector);
        *value = potential + cd_dot(system->m, at->lambda, ws->vector);
    }
    if (status != CARDAN_OK || gradient == NULL)
        return status;
    status = cd_derivative(ws, 0, CD_D_potential_dq, at, gradient);
    if (status == CARDAN_OK)
        status = cd_part_evaluate(ws, 0, CD_REACT, at, ws->vector);
    if (status == CARDAN_OK)
        cd_add(system->k, 1.0, ws->vector, gradient);
    return status;
}

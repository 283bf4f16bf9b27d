/* What conserving methods need to know apart of forces: the potential, and the force alone. */
#include "base/numeric.h"
#include "workspace.h"

cardan_status cd_system_potential(cd_workspace *ws, const cardan_point *at, double *value,
                                  double *gradient)
{
    cardan_status status = CARDAN_OK;
    if (value != NULL)
        status = cd_part_evaluate(ws, 0, CD_POTENTIAL, at, value);
    if (status != CARDAN_OK || gradient == NULL)
        return status;
    if (ws->system->def.potential == NULL) {
        cd_zero(ws->system->k, gradient);
        return CARDAN_OK;
    }
    return cd_derivative(ws, 0, CD_D_potential_dq, at, gradient);
}

cardan_status cd_system_force(cd_workspace *ws, const cardan_point *at, double *force)
{
    return cd_part_evaluate(ws, 0, CD_FORCE, at, force);
}

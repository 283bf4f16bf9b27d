/* Which coordinates are constraints curved in? */
#include "base/numeric.h"
#include "workspace.h"

cardan_status cd_system_curvature(cd_workspace *ws, const cardan_point *at, double *columns)
{
    const cd_pattern *p = cd_pattern_of(ws, CD_P_reaction_dq);
    const cd_derivative_info info = cd_derivative_of(ws->system, CD_D_reaction_dq);
    cd_zero(ws->system->k, columns);
    if (ws->system->m == 0 || p->entries == 0 || cd_derivative_vanishes(ws->system, &info))
        return CARDAN_OK;
    const cardan_status status = cd_derivative(ws, 0, CD_D_reaction_dq, at, ws->block);
    for (int i = 0; status == CARDAN_OK && i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++) {
            double *column = &columns[cd_pattern_column(p, i, e)];
            *column = fmax(*column, fabs(ws->block[e]));
        }
    return status;
}

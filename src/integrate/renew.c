/* Renewal of the system: after events, and when a step fails because the constraints that were
 * chosen from redundant ones have become dependent. */
#include "renew.h"

#include "base/error.h"
#include "integrator.h"

cardan_status cd_integrator_renew(cardan_integrator *it, bool *renewed)
{
    const cd_state *now = cd_integrator_now(it);
    const cardan_system *present = it->system;
    /* after the call the present system may be gone */
    const int k = present->k, m = present->m, l = present->l;
    const int size = cardan_group_size(present->group);
    *renewed = false;
    if (it->def.renew == NULL)
        return CARDAN_OK;
    const cardan_system *next = it->def.renew(it->def.renew_context, now->t, now->q, now->v);
    if (next == NULL || next == present)
        return CARDAN_OK;
    if (next->k != k || next->m != m || next->l != l || cardan_group_size(next->group) != size)
        return cd_fail(&it->error, CARDAN_INVALID_ARGUMENT,
                       "at t = %.9g a system with other sizes was to go on with: it must have %d "
                       "velocities, %d holonomic and %d nonholonomic constraints",
                       now->t, k, m, l);
    *renewed = true;
    it->renewals++;
    const cardan_status status = cd_mode_replace(it, next);
    it->started = status == CARDAN_OK; /* else there is no system any more */
    return status;
}

static bool may_be_dependent(cardan_status status)
{
    return status == CARDAN_SINGULAR_MATRIX || status == CARDAN_RANK_DEFICIENT ||
           status == CARDAN_NOT_CONVERGED || status == CARDAN_REJECTED;
}

bool cd_integrator_recover(cardan_integrator *it, cardan_status status)
{
    cd_state *now = cd_integrator_now(it);
    double moved;
    bool renewed = false;
    if (!may_be_dependent(status) || it->def.renew == NULL)
        return false;
    const cardan_error cause = it->error;
    status = cd_integrator_renew(it, &renewed);
    if (status == CARDAN_OK && !renewed)
        it->error = cause;
    if (!renewed || status != CARDAN_OK)
        return false;
    status = cd_consistent_position(it->consistent, now->t, now->q, &moved);
    if (status == CARDAN_OK)
        status = cd_consistent_velocity(it->consistent, now->t, now->q, NULL, now->v, &moved);
    if (status == CARDAN_OK)
        status = cd_integrator_restart(it, CD_AFTER_OTHER_MODE);
    cd_integrator_show(it);
    return status == CARDAN_OK;
}

/* Residuals for the corrector: by the definition's `evaluate` if there is one, and reactions at an
 * anchor without the matrix B. */
#include "base/error.h"
#include "base/numeric.h"
#include "workspace.h"

/* Checks all values that were written, and names one that is not finite. */
static cardan_status check_values(cd_workspace *ws, const cardan_point *at,
                                  const cardan_equation_values *values)
{
    const cardan_system *system = ws->system;
    const struct {
        const char *name;
        const double *numbers;
        int count;
    } checked[] = {{"evaluate (dynamics)", values->dynamics, system->k},
                   {"evaluate (forces)", values->forces, system->k},
                   {"evaluate (reaction)", values->reaction, system->k},
                   {"evaluate (position)", values->position, system->m},
                   {"evaluate (hidden)", values->hidden, system->m},
                   {"evaluate (nonholonomic)", values->nonholonomic, system->l}};
    cardan_status status = CARDAN_OK;
    for (size_t i = 0; status == CARDAN_OK && i < sizeof checked / sizeof checked[0]; i++)
        if (checked[i].numbers != NULL)
            status = cd_check_finite(ws, checked[i].name, at, checked[i].count, checked[i].numbers);
    return status;
}

cardan_status cd_evaluate_values(cd_workspace *ws, const cardan_point *at,
                                 cardan_equation_values values)
{
    values.scratch = ws->scratch;
    ws->services.calls++;
    const cardan_system_def *def = &ws->system->def;
    const int answer = ws->services.team != NULL ? cd_pieces_evaluate(ws, at, &values)
                                                 : def->evaluate(def->context, at, &values);
    const cardan_status status = cd_check_return_code(ws, "evaluate", at, answer);
    return status == CARDAN_OK ? check_values(ws, at, &values) : status;
}

/* Can one call of `evaluate` write all that is wanted? */
static bool is_fused(const cd_workspace *ws, const cd_equations *wanted)
{
    const int sums =
        (wanted->dynamics != NULL) + (wanted->forces != NULL) + (wanted->reaction != NULL);
    return ws->system->def.evaluate != NULL && ws->evaluated && wanted->accelerated == NULL &&
           wanted->reacting == NULL && wanted->applied == NULL && sums <= 1 &&
           (wanted->reaction == NULL || !cd_force_depends_on_multipliers(ws->system));
}

cardan_status cd_system_residual(cd_workspace *ws, const cardan_point *at, const cd_equations *out)
{
    const cardan_status deferred = ws->deferred;
    ws->deferred = CARDAN_OK;
    if (deferred != CARDAN_OK)
        return deferred;
    if (!is_fused(ws, out))
        return cd_system_equations(ws, at, out);
    ws->stale = true;
    return cd_evaluate_values(ws, at,
                              (cardan_equation_values){.dynamics = out->dynamics,
                                                       .forces = out->forces,
                                                       .reaction = out->reaction,
                                                       .position = out->position,
                                                       .hidden = out->hidden,
                                                       .nonholonomic = out->nonholonomic,
                                                       .low = out->low});
}

bool cd_system_accelerates(const cardan_system *system)
{
    return system->pieces.accelerated != NULL;
}

cardan_status cd_system_accelerated(cd_workspace *ws, const cardan_point *at, double *out)
{
    return cd_call_callback(ws, ws->system->pieces.accelerated, "constraint_bias", at,
                            ws->system->m, out);
}

/* The reaction is needed once per correction and once more. A model evaluates it in a fifth of the
 * time of B; with a user's callbacks both take about the same time, so B is kept. */
bool cd_keeps_anchored_jacobian(const cd_workspace *ws)
{
    const cardan_system *system = ws->system;
    const bool is_model = system->pieces.accelerated != NULL;
    return system->def.evaluate == NULL || (!is_model && system->def.constraint_dq != NULL);
}

cardan_status cd_system_anchor(cd_workspace *ws, const cardan_point *at)
{
    ws->deferred = CARDAN_OK;
    ws->anchor = *at;
    return cd_keeps_anchored_jacobian(ws)
               ? cd_derivative(ws, 0, CD_D_constraint_dq, at, ws->anchored)
               : CARDAN_OK;
}

void cd_system_anchored_reaction(cd_workspace *ws, const double *x, double *out)
{
    if (!cd_keeps_anchored_jacobian(ws)) {
        cardan_point at = ws->anchor;
        at.lambda = x;
        at.psi = ws->no_multipliers;
        const cardan_status status =
            cd_evaluate_values(ws, &at, (cardan_equation_values){.reaction = out});
        if (status != CARDAN_OK) {
            ws->deferred = status;
            for (int i = 0; i < ws->system->k; i++)
                out[i] = NAN; /* nobody can mistake it for a result */
        }
        return;
    }
    cd_zero(ws->system->k, out);
    cd_pattern_add_transposed(cd_pattern_of(ws, CD_P_constraint_dq), ws->anchored, x, out);
}

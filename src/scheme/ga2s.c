/* GA2S: the Lie-group generalized-alpha method for the stabilised index-2 form, ACB15 (58).
 * stabilised.h has unknowns and rows. */
#include "stabilised.h"

static int list_terms(const cd_step *step, cd_term *terms)
{
    return cd_stabilised_terms(step, CD_DYNAMICS_VDOT, CD_DYNAMICS_Q, terms);
}

static cardan_status residual(cd_step *step, double *out)
{
    return cd_stabilised_residual(step, (cd_equations){.dynamics = out}, out);
}

const cd_scheme cd_scheme_ga2s = {
    .name = "ga2s",
    .summary = "generalized-alpha for the stabilised index-2 form, position and velocity "
               "constraints (ACB15 (58))",
    .keeps_low = true,
    .describe = cd_stabilised_describe,
    .begin = cd_stabilised_begin,
    CD_STABILISED_FUNCTIONS,
};

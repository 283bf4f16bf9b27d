/* The heavy top of ACB15 Sec. 5 on R3 x SO(3) with body-frame angular velocity, eq. (62). */
#include "top_body.h"

const cd_problem_type cd_problem_heavy_top = {
    .name = "heavy_top",
    .summary = "heavy top on R3 x SO(3), body-frame velocities, ACB15 Sec. 5",
    .reference_text =
        "rotation about the fixed point (quaternion and Omega), Chebyshev collocation "
        "in extended precision",
    .end = 1.0,
    .step = 1e-3,
    .parameters = cd_top_parameters,
    .ranges = cd_top_ranges,
    .parameter_count = CD_TOP_PARAMETERS,
    .outputs = cd_top_outputs,
    .output_count = CD_TOP_OUTPUTS,
    .output = cd_top_body_output,
    .data_size = sizeof(cd_top),
    .prepare = cd_top_prepare,
    .factors = {{CARDAN_R3_SO3, CARDAN_LEFT, 0}},
    .define = cd_top_body_define,
    .initial = cd_top_initial,
    .order = CD_TOP_ODE_ORDER,
    .ode = cd_top_ode,
    .ode_initial = cd_top_ode_initial,
    .motion = cd_top_body_motion,
};

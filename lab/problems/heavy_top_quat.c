/* The heavy top of ACB15 (62) with the orientation stored as a unit quaternion. */
#include "top_body.h"

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    cd_top *top = data;
    cardan_status status = cd_top_prepare(data, p, error);
    top->quaternion = true;
    return status;
}

const cd_problem_type cd_problem_heavy_top_quat = {
    .name = "heavy_top_quat",
    .summary = "the heavy top on R3 x S3: orientation as unit quaternion",
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
    .prepare = prepare,
    .factors = {{CARDAN_R3_S3, CARDAN_LEFT, 0}},
    .define = cd_top_body_define,
    .initial = cd_top_initial,
    .order = CD_TOP_ODE_ORDER,
    .ode = cd_top_ode,
    .ode_initial = cd_top_ode_initial,
    .motion = cd_top_body_motion,
};

/* The rolling disk on a platform that shakes in all three directions: rheonomic constraints,
 * holonomic (the contact) and nonholonomic (the rolling). */
#include "disk.h"

static void define(cardan_system_def *def)
{
    cd_disk_define(def);
    def->rheonomic = true;
}

const cd_problem_type cd_problem_disk_on_platform = {
    .name = "disk_on_platform",
    .summary =
        "disk rolling on a shaking platform: rheonomic holonomic and nonholonomic constraints",
    .reference_text =
        "Euler's equations with the contact force eliminated (quaternion, Omega, path), "
        "Chebyshev collocation in extended precision",
    .end = 4.0,
    .step = 5e-3,
    .parameters = cd_disk_parameters,
    .ranges = cd_disk_ranges,
    .parameter_count = CD_DISK_PLATFORM_PARAMETERS,
    .outputs = cd_disk_outputs,
    .output_count = CD_DISK_OUTPUTS,
    .output = cd_disk_output,
    .data_size = sizeof(cd_disk),
    .prepare = cd_disk_platform_prepare,
    .factors = {{CARDAN_R3_SO3, CARDAN_LEFT, 0}},
    .define = define,
    .initial = cd_disk_initial,
    .order = CD_DISK_ODE_ORDER,
    .ode = cd_disk_ode,
    .ode_initial = cd_disk_ode_initial,
    .motion = cd_disk_motion,
};

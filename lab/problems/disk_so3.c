/* The rolling disk on R3 x SO(3) on a plane at rest: the same motion as rolling_disk with
 * rolling = -1 and the opposite sign of the spin. */
#include "disk.h"

const cd_problem_type cd_problem_disk_so3 = {
    .name = "disk_so3",
    .summary = "disk rolling on a plane, on R3 x SO(3): holonomic and nonholonomic",
    .reference_text =
        "Euler's equations with the contact force eliminated (quaternion, Omega, path), "
        "Chebyshev collocation in extended precision",
    .end = 4.0,
    .step = 5e-3,
    .parameters = cd_disk_parameters,
    .ranges = cd_disk_ranges,
    .parameter_count = CD_DISK_PARAMETERS,
    .outputs = cd_disk_outputs,
    .output_count = CD_DISK_OUTPUTS,
    .output = cd_disk_output,
    .data_size = sizeof(cd_disk),
    .prepare = cd_disk_prepare,
    .factors = {{CARDAN_R3_SO3, CARDAN_LEFT, 0}},
    .define = cd_disk_define,
    .initial = cd_disk_initial,
    .order = CD_DISK_ODE_ORDER,
    .ode = cd_disk_ode,
    .ode_initial = cd_disk_ode_initial,
    .motion = cd_disk_motion,
};

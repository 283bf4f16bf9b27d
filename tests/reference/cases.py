"""What is run: one line per data file. NAME SYSTEM METHOD PARAMS STEPS then options."""

CASES = """
ga3_wire_plain        wire           ga3 free:-0.2,0.3,0.6,1.0    0.03x24 start=plain
ga3_wire_perturbed    wire           ga3 ch:0.37                  0.04x24
ga3_wire_forward      wire           ga3 free:0.1,0.35,0.45,0.75  0.04x16 difference=forward
ga3_tandem            tandem         ga3 wbz:-0.25                0.02x20
ga3_tandem_magnus     tandem         ga3 ch:0.83                  0.02x16 update=magnus
ga3_spatial           tandem_spatial ga3 hht:-0.21                0.02x16
ga3_spatial_magnus    tandem_spatial ga3 free:0.1,0.35,0.45,0.75  0.02x16 update=magnus difference=forward
ga3_se3               tandem_se3     ga3 free:-0.2,0.3,0.6,1.0    0.02x12
ga3_puck              puck           ga3 ch:0.61                  0.02x24
ga3_puck_magnus       puck           ga3 free:-0.2,0.3,0.6,1.0    0.02x20 update=magnus start=plain
ga3_wire_acceleration wire           ga3 ch:0.62                  0.04x16 start=acceleration
ga3_puck_acceleration puck           ga3 wbz:-0.25                0.02x16 start=acceleration difference=forward
ga3_spiral            spiral         ga3 ch:0.62                  0.04x20 start=plain
ga3_gyro              gyro           ga3 free:0.1,0.35,0.45,0.75  0.05x20
ga2s_wire             wire           ga2s free:-0.2,0.3,0.6,1.0   0.04x24
ga2s_wire_plain       wire           ga2s ch:0.12                 0.04x16 start=plain
ga2s_spatial_magnus   tandem_spatial ga2s ch:0.53                 0.02x16 update=magnus
ga2s_tandem           tandem         ga2s free:0.1,0.35,0.45,0.75 0.02x16 difference=forward
ga2s_se3_magnus       tandem_se3     ga2s ch:0.34                 0.02x12 update=magnus
ga2s_puck             puck           ga2s wbz:-0.25               0.02x20
ga2s_ball             ball           ga2s ch:0.71                 0.03x24
ga2s_knife            knife          ga2s free:-0.2,0.3,0.6,1.0   0.05x20
ga2s_spiral           spiral         ga2s ch:0.34                 0.04x20
ga2s_twist            twist          ga2s wbz:-0.25               0.05x20
ga2_wire              wire           ga2 free:-0.2,0.3,0.6,1.0    0.04x24
ga2_puck_magnus       puck           ga2 ch:0.45                  0.02x20 update=magnus
ga1_wire              wire           ga1 free:0.1,0.35,0.45,0.75  0.04x24
ga1_puck              puck           ga1 wbz:-0.25                0.02x20 start=plain
nh_knife              knife          nonholonomic free:-0.2,0.3,0.6,1.0   0.05x24
nh_knife_previous     knife          nonholonomic ch:0.33                 0.05x24 mass=previous start=plain
nh_pursuit            pursuit        nonholonomic free:0.1,0.35,0.45,0.75 0.04x24
nh_pursuit_previous   pursuit        nonholonomic wbz:-0.25               0.04x12,0.06x8 mass=previous
nh_twist              twist          nonholonomic ch:0.25                 0.05x20
nh_twist_previous     twist          nonholonomic free:-0.2,0.3,0.6,1.0   0.05x20 mass=previous start=plain
nh_suslov             suslov         nonholonomic ch:0.58                 0.05x24 difference=forward
nh_suslov_magnus      suslov         nonholonomic free:-0.2,0.3,0.6,1.0   0.05x20 update=magnus
nh_wire               wire           nonholonomic hht:-0.21               0.04x20
nh_ball               ball           nonholonomic ch:0.42                 0.03x12,0.02x8
hht_free              free_wire      hht hht:-0.21 0.06x20
hht_free_steps        free_wire      hht hht:-0.29 0.06x8,0.03x8,0.08x8 start=plain
hht_gyro              gyro           hht hht:-0.13 0.05x20
hht_gyro_steps        gyro           hht hht:-0.21 0.05x8,0.07x8 update=magnus
hht3_wire_full        wire           hht3 hht:-0.21 0.05x20 b=0.27
hht3_wire_explicit    wire           hht3 hht:-0.13 0.05x20 b=-0.4 variant=explicit
hht3_wire_midpoint    wire           hht3 hht:-0.21 0.05x20 variant=midpoint
hht3_wire_mid_explicit wire          hht3 hht:-0.29 0.05x20 variant=midpoint-explicit start=plain
hht3_wire_lunk        wire           hht3 hht:-0.21 0.05x20 variant=lunk-simeon b=0.8
hht3_spatial_full     tandem_spatial hht3 hht:-0.21 0.02x12 b=0.8
hht3_tandem_explicit  tandem         hht3 hht:-0.11 0.02x12 b=0.27 variant=explicit update=magnus
hht3_spiral_full      spiral         hht3 hht:-0.21 0.05x20 b=0.27
hht3_spiral_explicit  spiral         hht3 hht:-0.29 0.05x20 b=0.8 variant=explicit start=plain
hht3_spiral_midpoint  spiral         hht3 hht:-0.21 0.05x20 variant=midpoint
hht3_spiral_mid_explicit spiral      hht3 hht:-0.13 0.05x20 variant=midpoint-explicit
hht3_spiral_lunk      spiral         hht3 ch:0.37   0.05x20 variant=lunk-simeon b=0.8
hht3_wire_lunk_free   wire           hht3 free:-0.2,0.3,0.6,1.0 0.05x20 variant=lunk-simeon b=0.27
hht3_tandem_lunk      tandem         hht3 wbz:-0.25 0.02x12 variant=lunk-simeon b=-0.4 start=plain
hht3_puck_full        puck           hht3 hht:-0.21 0.02x20 b=0.27
hht3_puck_explicit    puck           hht3 hht:-0.29 0.02x16 b=0.8 variant=explicit
hht3_puck_midpoint    puck           hht3 hht:-0.13 0.02x16 variant=midpoint
hht3_puck_mid_explicit puck          hht3 hht:-0.21 0.02x16 variant=midpoint-explicit
hht3_puck_lunk        puck           hht3 hht:-0.29 0.02x16 variant=lunk-simeon b=0.27
hht3_wire_steps       wire           hht3 hht:-0.21 0.05x6,0.03x6,0.06x6 b=0.27
hht3_puck_no_change   puck           hht3 hht:-0.21 0.02x6,0.03x6 step_change=none
hht_free_trapezoidal  free_wire      hht  hht:-0.21 0.06x12 start=trapezoidal
hht_gyro_trapezoidal  gyro           hht  hht:-0.29 0.05x12 start=trapezoidal
hht3_spiral_trapezoidal spiral       hht3 hht:-0.21 0.05x12 b=0.27 start=trapezoidal
hht3_puck_trapezoidal puck           hht3 ch:0.37   0.02x12 variant=lunk-simeon b=0.8 start=trapezoidal
hht3_tandem_trapezoidal tandem       hht3 hht:-0.13 0.02x8  variant=midpoint start=trapezoidal
hht2_suslov_trapezoidal suslov       hht2 hht:-0.29 0.05x12 start=trapezoidal
hht2_twist_trapezoidal twist         hht2 hht:-0.21 0.05x12 start=trapezoidal
hht2_knife            knife          hht2 hht:-0.21 0.05x24
hht2_knife_steps      knife          hht2 hht:-0.29 0.05x8,0.08x8 start=plain
hht2_pursuit          pursuit        hht2 hht:-0.13 0.04x24
hht2_twist            twist          hht2 hht:-0.21 0.05x20
hht2_twist_steps      twist          hht2 hht:-0.13 0.05x8,0.03x8 start=plain
hht2_suslov           suslov         hht2 hht:-0.21 0.05x24
hht2_suslov_magnus    suslov         hht2 hht:-0.29 0.05x16 update=magnus
midpoint_wire         wire           midpoint - 0.04x20
midpoint_puck         puck           midpoint - 0.02x20
midpoint_knife        knife          midpoint - 0.05x20
midpoint_spatial      tandem_spatial midpoint - 0.02x12 update=magnus start=plain
midpoint_se3          tandem_se3     midpoint - 0.02x10
midpoint_wire_steps   wire           midpoint - 0.04x6,0.06x6
trapezoidal_wire      wire           trapezoidal - 0.03x14
trapezoidal_tandem    tandem         trapezoidal - 0.02x12
conserving_bowl       bowl           conserving - 0.05x24
conserving_bowl_plain bowl           conserving - 0.04x20 start=plain
conserving_net        net            conserving - 0.04x24
conserving_swing      swing          conserving - 0.03x20
conserving_swing_spatial swing_spatial conserving - 0.03x20
conserving_swing_plain swing_spatial conserving - 0.03x12 start=plain
conserving_tandem     tandem         conserving - 0.02x10
conserving_spatial    tandem_spatial conserving - 0.02x10
conserving_se3        tandem_se3     conserving - 0.02x10
conserving_puck       puck           conserving - 0.02x12
conserving_swing_penalty swing       conserving - 0.03x12 penalty=100
conserving_net_penalty net           conserving - 0.05x16 penalty=50
step_ga3_wire         wire           ga3 ch:0.62                 0.03x8,0.05x6,0.02x8
step_ga3_tandem       tandem         ga3 free:0.1,0.35,0.45,0.75 0.02x6,0.03x6
step_ga3_acceleration wire           ga3 ch:0.62                 0.03x8,0.05x8 step_change=acceleration
step_ga3_projected    puck           ga3 ch:0.62                 0.02x8,0.03x8 step_change=projected
step_ga3_none         puck           ga3 ch:0.62                 0.02x8,0.03x8 step_change=none
step_ga2s_wire        wire           ga2s free:-0.2,0.3,0.6,1.0  0.04x8,0.02x8,0.06x8
step_ga2s_ball        ball           ga2s ch:0.71                0.03x8,0.04x8
project_ga2_wire      wire           ga2 ch:0.45  0.04x20 project=both
project_ga1_puck      puck           ga1 ch:0.45  0.02x16 project=both norm=identity
project_ga1_tandem    tandem         ga1 wbz:-0.25 0.02x10 project=both
project_ga3_velocity  wire           ga3 ch:0.62  0.04x20 project=velocity
project_ga3_settled   wire           ga3 ch:0.62  0.04x20 project=velocity target=settled
project_ga3_settled_puck puck        ga3 ch:0.62  0.02x16 project=velocity target=settled
project_ga3_accelerations wire       ga3 ch:0.37  0.04x16 project=velocity accelerations=yes start=plain
project_accelerations puck           ga3 ch:0.62  0.02x16 project=velocity accelerations=yes penalty=2 norm=matrix
project_tangent_wire  wire           ga3 ch:0.62  0.04x16 project=velocity norm=tangent
project_tangent_puck  puck           ga2 ch:0.62  0.02x12 project=both norm=tangent damping=0.4 stiffness=0.05
project_own_wire      wire           ga3 ch:0.62  0.04x12 project=velocity accelerations=yes own_norm=matrix start=plain
project_own_puck      puck           ga3 ch:0.62  0.02x12 project=velocity norm=diagonal accelerations=yes own_norm=mass own_penalty=7
project_positions     puck           ga2 ch:0.62  0.02x16 project=position norm=matrix
project_penalty       wire           ga3 ch:0.62  0.04x20 project=velocity penalty=3 norm=matrix
project_penalty_bowl  bowl           conserving - 0.05x20 project=velocity penalty=0.7 norm=diagonal
project_augmented     puck           ga2 ch:0.62  0.02x16 project=both augmented=5 norm=diagonal
project_penalty_both  wire           ga2 ch:0.62  0.04x16 project=both penalty=20 norm=identity
project_se3           tandem_se3     ga1 ch:0.62  0.02x10 project=both norm=matrix
project_knife         ball           ga2s ch:0.62 0.03x12 project=velocity norm=diagonal
alone_wire            wire           project - 0x6
alone_wire_matrix     wire           project - 0x6 norm=matrix
alone_puck            puck           project - 0x6
alone_puck_penalty    puck           project - 0x6 penalty=40 norm=diagonal
alone_tandem          tandem         project - 0x6 norm=identity
alone_spatial_augmented tandem_spatial project - 0x6 augmented=3
alone_se3             tandem_se3     project - 0x6 norm=matrix
alone_ball            ball           project - 0x6 norm=diagonal
alone_tangent_tandem  tandem         project - 0x6 norm=tangent damping=0.3 stiffness=0.01
alone_tangent_ball    ball           project - 0x6 norm=tangent damping=0.5 stiffness=0.1 penalty=9 own_norm=identity
alone_pursuit         pursuit        project - 0x6
alone_pursuit_penalty pursuit        project - 0x6 penalty=5 norm=matrix
rk5_wire              wire           rk5 - 0.05x20
rk5_puck              puck           rk5 - 0.04x16
rk5_suslov            suslov         rk5 - 0.1x16
rk5_pursuit           pursuit        rk5 - 0.1x16
rk5_gyro              gyro           rk5 - 0.1x16
rk5_ball              ball           rk5 - 0.06x16
bdf_wire              wire           bdf - 0.04x20
bdf_wire_steps        wire           bdf - 0.04x8,0.02x8,0.06x8
bdf_puck              puck           bdf - 0.02x20
bdf_tandem            tandem         bdf - 0.02x12
bdf_se3               tandem_se3     bdf - 0.02x12
bdf_ball              ball           bdf - 0.03x20
bdf_ball_steps        ball           bdf - 0.03x8,0.04x8
bdf_knife             knife          bdf - 0.05x20
bdf_suslov            suslov         bdf - 0.05x20
bdf_gyro              gyro           bdf - 0.05x16
bdf_order3_se3        tandem_se3     bdf - 0.04x12 order=3
bdf_order4_ball       ball           bdf - 0.06x16 order=4
bdf_order5_suslov     suslov         bdf - 0.1x16 order=5
"""


def cases():
    """(name, case) with the options as a dictionary; `h` is the list of steps."""
    for line in CASES.strip().splitlines():
        name, system, method, params, steps, *options = line.split()
        case = dict(option.split("=") for option in options)
        case.update(system=system, method=method, params=params)
        case["h"] = [float(h) for part in steps.split(",")
                     for h, n in [part.split("x")] for _ in range(int(n))]
        for key in ("b", "penalty", "augmented", "damping", "stiffness", "own_penalty"):
            if key in case:
                case[key] = float(case[key])
        yield name, case

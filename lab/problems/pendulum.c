/* The pendulum of ACB15 Example 1 in Cartesian coordinates: the energy is m/2 - m g l whatever the
 * initial deviation x0 is, and the motion starts to the right. */
#include "pendulum.h"

#include <math.h>

enum { M, L, G, X0 };

const lab_parameter cd_pendulum_parameters[CD_PENDULUM_PARAMETERS] = {
    [M] = {"m", 1.0, "mass"},
    [L] = {"l", 1.0, "length"},
    [G] = {"g", 9.81, "gravity"},
    [X0] = {"x0", 0.2, "initial deviation; the energy is m/2 - m g l for every x0"},
};
const cd_range cd_pendulum_ranges[CD_PENDULUM_PARAMETERS] = {
    [M] = CD_POSITIVE, [L] = CD_POSITIVE, [G] = CD_NOT_NEGATIVE, [X0] = CD_ANY};

cardan_status cd_pendulum_prepare(void *data, const double *p, cardan_error *error)
{
    cd_pendulum *it = data;
    it->swing = (cd_swing){.n = 2, .m = p[M], .l = p[L], .g = p[G]};
    it->x0 = p[X0];
    if (!(fabs(it->x0) < p[L]))
        return cd_refuse(error, "x0", it->x0, "it must be smaller than the length l");
    double rise = p[L] - sqrt((p[L] - it->x0) * (p[L] + it->x0));
    double square = 1.0 - 2.0 * p[G] * rise;
    if (!(square >= 0.0))
        return cd_refuse(error, "x0", it->x0,
                         "the energy m/2 - m g l does not reach so high; take a smaller one");
    it->speed = sqrt(square);
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const cd_pendulum *it = data;
    double l = it->swing.l;
    q[0] = it->x0;
    q[1] = -sqrt((l - it->x0) * (l + it->x0));
    v[0] = -q[1] * it->speed / l;
    v[1] = q[0] * it->speed / l;
}

void cd_pendulum_ode_initial(const void *data, long double *y)
{
    const cd_pendulum *it = data;
    y[0] = asinl((long double)it->x0 / it->swing.l);
    y[1] = (long double)it->speed / it->swing.l;
}

int cd_pendulum_ode(const void *data, long double t, const long double *y, long double *f)
{
    const cd_pendulum *it = data;
    (void)t;
    f[0] = y[1];
    f[1] = -(long double)it->swing.g / it->swing.l * sinl(y[0]);
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const cd_pendulum *it = data;
    long double f[2];
    cd_pendulum_ode(data, t, y, f);
    cd_swing_arc arc = cd_swing_from_angle(it->swing.l, y[0], y[1], f[1]);
    cd_swing_motion(&it->swing, &arc, at);
}

static void define(cardan_system_def *def)
{
    static const char *const constraints[] = {"length"};
    cd_swing_define(def);
    def->evaluate = cd_swing_evaluate;
    def->velocity_names = cd_swing_velocities;
    def->constraint_names = constraints;
}

const cd_problem_type cd_problem_pendulum = {
    .name = "pendulum",
    .summary = "pendulum in Cartesian coordinates, ACB15 Example 1",
    .reference_text = "equation of the angle, Chebyshev collocation in extended precision",
    .end = 2.0,
    .step = 1e-2,
    .parameters = cd_pendulum_parameters,
    .ranges = cd_pendulum_ranges,
    .parameter_count = CD_PENDULUM_PARAMETERS,
    .outputs = cd_swing_outputs,
    .output_count = 5,
    .data_size = sizeof(cd_pendulum),
    .prepare = cd_pendulum_prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = cd_pendulum_ode,
    .ode_initial = cd_pendulum_ode_initial,
    .motion = motion,
};

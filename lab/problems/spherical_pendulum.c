/* A point mass on a sphere under gravity in Cartesian coordinates; it starts at the polar angle
 * theta0 from the downward vertical with the horizontal speed v0 across that direction.
 *
 * The reference uses stereographic coordinates s in the plane, seen from the top of the sphere:
 * x = 2 l s1 / D, y = 2 l s2 / D, z = l (1 - 2 / D) with D = 1 + s.s. The kinetic energy is
 * conformal, 2 m l^2 s'.s' / D^2, so Lagrange's equations are
 *
 *   s'' = (4 (s.s') s' - 2 (s'.s') s) / D - (g / l) s,
 *
 * free of constraints and smooth everywhere but at the top (two angles would fail at the bottom,
 * where the motion passes). */
#include "swing.h"

#include <math.h>

typedef struct spherical_pendulum {
    cd_swing swing;
    double theta0, v0;
} spherical_pendulum;

enum { M, L, G, THETA0, V0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass"},
    [L] = {"l", 1.0, "length"},
    [G] = {"g", 9.81, "gravity"},
    [THETA0] = {"theta0", 1.0471975511965976, "initial angle from the downward vertical"},
    [V0] = {"v0", 1.5, "initial horizontal speed"},
};
static const cd_range ranges[] = {
    [M] = CD_POSITIVE, [L] = CD_POSITIVE, [G] = CD_NOT_NEGATIVE, [V0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    spherical_pendulum *it = data;
    *it = (spherical_pendulum){
        .swing = {.n = 3, .m = p[M], .l = p[L], .g = p[G]}, .theta0 = p[THETA0], .v0 = p[V0]};
    if (!(fabs(it->theta0) < 3.14))
        return cd_refuse(error, "theta0", it->theta0, "it must lie between -3.14 and 3.14");
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const spherical_pendulum *it = data;
    q[0] = it->swing.l * sin(it->theta0);
    q[1] = 0.0;
    q[2] = -it->swing.l * cos(it->theta0);
    v[0] = 0.0;
    v[1] = it->v0;
    v[2] = 0.0;
}

/* y = (s1, s2, s1', s2') */
static void ode_initial(const void *data, long double *y)
{
    const spherical_pendulum *it = data;
    y[0] = tanl(0.5L * it->theta0);
    y[1] = 0.0L;
    y[2] = 0.0L;
    y[3] = it->v0 * (1.0L + y[0] * y[0]) / (2.0L * it->swing.l);
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const spherical_pendulum *it = data;
    (void)t;
    long double d = 1.0L + y[0] * y[0] + y[1] * y[1];
    long double cross = 4.0L * (y[0] * y[2] + y[1] * y[3]) / d;
    long double centre = 2.0L * (y[2] * y[2] + y[3] * y[3]) / d;
    for (int i = 0; i < 2; i++) {
        f[i] = y[2 + i];
        f[2 + i] = cross * y[2 + i] - (centre + (long double)it->swing.g / it->swing.l) * y[i];
    }
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const spherical_pendulum *it = data;
    (void)t;
    long double l = it->swing.l;
    long double d = 1.0L + y[0] * y[0] + y[1] * y[1];
    long double rate = 2.0L * (y[0] * y[2] + y[1] * y[3]); /* D' */
    long double r[3], v[3], square = 0.0L;
    for (int i = 0; i < 2; i++) {
        r[i] = 2.0L * l * y[i] / d;
        v[i] = 2.0L * l * (y[2 + i] * d - y[i] * rate) / (d * d);
    }
    r[2] = l * (1.0L - 2.0L / d);
    v[2] = 2.0L * l * rate / (d * d);
    for (int i = 0; i < 3; i++)
        square += v[i] * v[i];
    long double lambda = cd_swing_multiplier(&it->swing, square, r[2]);
    for (int i = 0; i < 3; i++)
        at->vdot[i] = (double)(-lambda * r[i] / it->swing.m - (i == 2 ? it->swing.g : 0.0L));
    cd_round(3, r, at->q);
    cd_round(3, v, at->v);
    at->lambda[0] = (double)lambda;
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx", "vy", "vz"};
    static const char *const constraints[] = {"length"};
    cd_swing_define(def);
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"x", "y", "z", "vx", "vy", "vz", "lambda"};

const cd_problem_type cd_problem_spherical_pendulum = {
    .name = "spherical_pendulum",
    .summary = "point mass on a sphere in Cartesian coordinates",
    .reference_text = "equations in stereographic coordinates, Chebyshev collocation in extended "
                      "precision",
    .end = 2.0,
    .step = 5e-3,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 7,
    .data_size = sizeof(spherical_pendulum),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 3}},
    .define = define,
    .initial = initial,
    .order = 4,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};

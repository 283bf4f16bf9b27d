/* See smooth_systems.h. */
#include "smooth_systems.h"

#include "suite.h"

#include <math.h>

static const double wave_mass = 1.3, gravity = 9.81;
static const double masses[] = {1.0, 0.3, 2.0};

static int wave_masses(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[4] = out[8] = wave_mass;
    return 0;
}

static int wave_force(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1], square = x * x + y * y;
    (void)context;
    out[0] = 2.0 * square * x;
    out[1] = 2.0 * square * y;
    out[2] = wave_mass * gravity;
    return 0;
}

static int wave_potential(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1], square = x * x + y * y;
    (void)context;
    out[0] = wave_mass * gravity * at->q[2] + 0.5 * square * square;
    return 0;
}

static int wave_force_dq(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1], square = x * x + y * y;
    (void)context;
    out[0] = 2.0 * square + 4.0 * x * x;
    out[1] = out[3] = 4.0 * x * y;
    out[4] = 2.0 * square + 4.0 * y * y;
    return 0;
}

static int wave_constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[2] - 0.25 * sin(2.0 * at->q[0]) * cos(at->q[1]);
    return 0;
}

static int wave_constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1];
    (void)context;
    out[0] = -0.5 * cos(2.0 * x) * cos(y);
    out[1] = 0.25 * sin(2.0 * x) * sin(y);
    out[2] = 1.0;
    return 0;
}

static int wave_reaction_dq(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1], lambda = at->lambda[0];
    (void)context;
    out[0] = lambda * sin(2.0 * x) * cos(y);
    out[1] = out[3] = lambda * 0.5 * cos(2.0 * x) * sin(y);
    out[4] = lambda * 0.25 * sin(2.0 * x) * cos(y);
    return 0;
}

static int quartic_masses(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    for (int i = 0; i < 3; i++)
        out[4 * i] = masses[i];
    return 0;
}

static int quartic_constraint(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = pow(q[0], 4) + 2.0 * pow(q[1], 4) + q[2] * q[2] + q[0] * q[1] * q[2] - 1.0;
    return 0;
}

static int quartic_constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = 4.0 * pow(q[0], 3) + q[1] * q[2];
    out[1] = 8.0 * pow(q[1], 3) + q[0] * q[2];
    out[2] = 2.0 * q[2] + q[0] * q[1];
    return 0;
}

static cardan_group *line_group(int n)
{
    cardan_group *group = NULL;
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, n};
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    return group;
}

cardan_system_def smooth_wave_def(const cardan_group *group)
{
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.constraints = 1;
    def.constant_mass = true;
    def.mass = wave_masses;
    def.force = wave_force;
    def.force_dq = wave_force_dq;
    def.potential = wave_potential;
    def.potential_dq = wave_force;
    def.constraint = wave_constraint;
    def.constraint_dq = wave_constraint_dq;
    def.reaction_dq = wave_reaction_dq;
    return def;
}

static void make(smooth *it, const cardan_system_def *def)
{
    cardan_error error = {0};
    const cardan_status status = cardan_system_create(&it->system, def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
}

smooth smooth_wave(void)
{
    smooth it = {.group = line_group(3), .q = {0.4, 0.3, 0.0}, .v = {0.9, -0.7, 0.0}};
    const cardan_system_def def = smooth_wave_def(it.group);
    const double x = it.q[0], y = it.q[1];
    it.q[2] = 0.25 * sin(2.0 * x) * cos(y);
    it.v[2] = 0.5 * cos(2.0 * x) * cos(y) * it.v[0] - 0.25 * sin(2.0 * x) * sin(y) * it.v[1];
    make(&it, &def);
    return it;
}

smooth smooth_quartic(void)
{
    smooth it = {.group = line_group(3), .q = {0.0, 0.0, 1.0}, .v = {1.0, 0.5, 0.0}};
    cardan_system_def def = cardan_system_def_default();
    def.group = it.group;
    def.constraints = 1;
    def.constant_mass = true;
    def.mass = quartic_masses;
    def.constraint = quartic_constraint;
    def.constraint_dq = quartic_constraint_dq;
    make(&it, &def);
    return it;
}

void smooth_close(smooth *it)
{
    cardan_system_destroy(it->system);
    cardan_group_destroy(it->group);
}

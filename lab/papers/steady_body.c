/* The steady body: M = J, g = Omega x J Omega. */
#include "steady_body.h"

const double papers_steady_body_q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
const double papers_steady_body_v[3] = {0.9, 0.5, 1.4};

static const double inertia[3] = {1.0, 2.0, 3.0};

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    for (int i = 0; i < 3; i++)
        out[4 * i] = inertia[i];
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = (inertia[k] - inertia[j]) * at->v[j] * at->v[k];
    }
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[3 * i + j] = (inertia[k] - inertia[j]) * at->v[k];
        out[3 * i + k] = (inertia[k] - inertia[j]) * at->v[j];
    }
    return 0;
}

static int rate(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 3; i++)
        out[0] += 0.5 * (at->v[i] * at->v[i] - papers_steady_body_v[i] * papers_steady_body_v[i]);
    return 0;
}

static int rate_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 3; i++)
        out[i] = at->v[i];
    return 0;
}

static int nothing(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at, (void)out;
    return 0;
}

cardan_system *papers_steady_body(void)
{
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    if (cardan_group_create(&group, &(cardan_factor){.kind = CARDAN_SO3}, 1, NULL, NULL) !=
        CARDAN_OK)
        return NULL;
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.nonholonomic = 1;
    def.constant_mass = true;
    def.mass = mass;
    def.force = force;
    def.force_dv = force_dv;
    def.nonholonomic_residual = rate;
    def.nonholonomic_dv = rate_dv;
    def.inertia_dq = def.force_dq = def.nonholonomic_dq = nothing;
    def.nonholonomic_dt = def.nonholonomic_reaction_dq = nothing;
    cardan_system_create(&system, &def, NULL);
    cardan_group_destroy(group);
    return system;
}

/* See mixed.h. */
#include "mixed.h"

#include <math.h>
#include <stddef.h>

/* Integral of f from 0 to t: Gauss's rule with 5 points on 64 panels. */
static double integral(double (*f)(double t, const void *context), const void *context, double t)
{
    static const double node[5] = {0.0, 0.53846931010568309, -0.53846931010568309,
                                   0.90617984593866399, -0.90617984593866399};
    static const double weight[5] = {0.56888888888888889, 0.47862867049936647, 0.47862867049936647,
                                     0.23692688505618909, 0.23692688505618909};
    const int panels = 64;
    const double half = 0.5 * t / panels;
    double sum = 0.0;
    for (int i = 0; i < panels; i++)
        for (int j = 0; j < 5; j++)
            sum += weight[j] * f(half * (2 * i + 1 + node[j]), context);
    return half * sum;
}

static cardan_system *create(cardan_system_def *def)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, MIXED_DOF};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_group_create(&group, &factor, 1, NULL, NULL);
    def->group = group;
    cardan_system_create(&system, def, NULL);
    cardan_group_destroy(group);
    return system;
}

typedef struct skate {
    double blade, particle; /* masses */
    double inertia, arm;    /* of the blade; distance d of the joint */
    double forward, turning;
} skate;

static const skate heavy = {1.0, 0.5, 0.2, 0.6, 0.3, 1.5};
static const skate massless = {0.0, 0.5, 0.2, 0.6, 0.3, 1.5};
static const double skate_x = 3.0, skate_y = -1.0; /* where it starts, away from r = 0 */

static int skate_mass(void *context, const cardan_point *at, double *out)
{
    const skate *s = context;
    const double r = at->q[3];
    out[0] = out[6] = s->blade;
    out[12] = s->inertia;
    out[18] = s->particle;
    out[24] = s->particle * r * r;
    return 0;
}

static int skate_force(void *context, const cardan_point *at, double *out)
{
    const skate *s = context;
    const double r = at->q[3], r_rate = at->v[3], theta_rate = at->v[4];
    out[3] = -s->particle * r * theta_rate * theta_rate;
    out[4] = 2.0 * s->particle * r * r_rate * theta_rate;
    return 0;
}

static int skate_joint(void *context, const cardan_point *at, double *out)
{
    const skate *s = context;
    const double *q = at->q;
    out[0] = q[3] * cos(q[4]) - q[0] - s->arm * cos(q[2]);
    out[1] = q[3] * sin(q[4]) - q[1] - s->arm * sin(q[2]);
    return 0;
}

static int skate_joint_dq(void *context, const cardan_point *at, double *out)
{
    const skate *s = context;
    const double *q = at->q;
    out[0] = out[6] = -1.0;
    out[2] = s->arm * sin(q[2]);
    out[3] = cos(q[4]);
    out[4] = -q[3] * sin(q[4]);
    out[7] = -s->arm * cos(q[2]);
    out[8] = sin(q[4]);
    out[9] = q[3] * cos(q[4]);
    return 0;
}

static int skate_edge(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -at->v[0] * sin(at->q[2]) + at->v[1] * cos(at->q[2]);
    return 0;
}

static cardan_system *create_skate(const skate *s)
{
    cardan_system_def def = cardan_system_def_default();
    def.constraints = 2;
    def.nonholonomic = 1;
    def.context = (void *)s;
    def.mass = skate_mass;
    def.force = skate_force;
    def.constraint = skate_joint;
    def.constraint_dq = skate_joint_dq;
    def.nonholonomic_residual = skate_edge;
    return create(&def);
}

typedef struct sleigh {
    double u, w, u_rate, w_rate, phi;
} sleigh;

static double gudermann(double x)
{
    return atan(sinh(x));
}

static sleigh sleigh_at(const skate *s, double t)
{
    const double mass = s->blade + s->particle, a = s->particle * s->arm / mass;
    const double kappa = sqrt((s->inertia + s->particle * s->arm * s->arm) / mass);
    const double c = hypot(s->forward, kappa * s->turning);
    const double first = atanh(s->forward / c), tau = first + a * c * t / (kappa * kappa);
    sleigh now = {.u = c * tanh(tau), .w = c / (kappa * cosh(tau))};
    now.u_rate = a * now.w * now.w;
    now.w_rate = -a / (kappa * kappa) * now.u * now.w;
    now.phi = kappa / a * (gudermann(tau) - gudermann(first));
    return now;
}

static double sleigh_x_rate(double t, const void *context)
{
    const sleigh now = sleigh_at(context, t);
    return now.u * cos(now.phi);
}

static double sleigh_y_rate(double t, const void *context)
{
    const sleigh now = sleigh_at(context, t);
    return now.u * sin(now.phi);
}

/* A plane vector and its first two derivatives. */
typedef struct path {
    double at[2], rate[2], rate2[2];
} path;

static path blade_path(const skate *s, double t)
{
    const sleigh now = sleigh_at(s, t);
    const double c = cos(now.phi), n = sin(now.phi);
    return (path){
        {skate_x + integral(sleigh_x_rate, s, t), skate_y + integral(sleigh_y_rate, s, t)},
        {now.u * c, now.u * n},
        {now.u_rate * c - now.u * now.w * n, now.u_rate * n + now.u * now.w * c}};
}

static path particle_path(const skate *s, const path *blade, const sleigh *now)
{
    const double e[2] = {cos(now->phi), sin(now->phi)}, n[2] = {-e[1], e[0]};
    path p = *blade;
    for (int i = 0; i < 2; i++) {
        p.at[i] += s->arm * e[i];
        p.rate[i] += s->arm * now->w * n[i];
        p.rate2[i] += s->arm * (now->w_rate * n[i] - now->w * now->w * e[i]);
    }
    return p;
}

static void make_polar(const path *p, mixed_motion *out)
{
    const double r = hypot(p->at[0], p->at[1]), e[2] = {p->at[0] / r, p->at[1] / r};
    const double r_rate = e[0] * p->rate[0] + e[1] * p->rate[1];
    const double theta_rate = (e[0] * p->rate[1] - e[1] * p->rate[0]) / r;
    out->q[3] = r;
    out->q[4] = atan2(p->at[1], p->at[0]);
    out->v[3] = r_rate;
    out->v[4] = theta_rate;
    out->vdot[3] = e[0] * p->rate2[0] + e[1] * p->rate2[1] + r * theta_rate * theta_rate;
    out->vdot[4] = ((e[0] * p->rate2[1] - e[1] * p->rate2[0]) - 2.0 * r_rate * theta_rate) / r;
}

static mixed_motion skate_motion_of(const skate *s, double t)
{
    const sleigh now = sleigh_at(s, t);
    const path blade = blade_path(s, t), particle = particle_path(s, &blade, &now);
    mixed_motion out = {.q = {blade.at[0], blade.at[1], now.phi},
                        .v = {blade.rate[0], blade.rate[1], now.w},
                        .vdot = {blade.rate2[0], blade.rate2[1], now.w_rate}};
    make_polar(&particle, &out);
    for (int i = 0; i < 2; i++)
        out.lambda[i] = -s->particle * particle.rate2[i];
    out.psi[0] = -sin(now.phi) * (out.lambda[0] - s->blade * blade.rate2[0]) +
                 cos(now.phi) * (out.lambda[1] - s->blade * blade.rate2[1]);
    return out;
}

static cardan_system *create_heavy(void)
{
    return create_skate(&heavy);
}

static cardan_system *create_massless(void)
{
    return create_skate(&massless);
}

static mixed_motion heavy_motion(double t)
{
    return skate_motion_of(&heavy, t);
}

static mixed_motion massless_motion(double t)
{
    return skate_motion_of(&massless, t);
}

const mixed_case mixed_skate = {create_heavy, heavy_motion, 2.0};
const mixed_case mixed_massless_skate = {create_massless, massless_motion, 2.0};

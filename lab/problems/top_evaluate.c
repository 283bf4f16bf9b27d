/* The residual of the heavy top at once, in the body frame: with Omega = R^T omega
 *
 *   (m (x'' - gamma) - lambda,  J Omega' + Omega x J Omega + X x R^T lambda),
 *   Phi = R X - x,   B v = R (Omega x X) - x'
 *
 * and the moment turned by R where angular velocities are spatial. */
#include "gyroscopic.h"
#include "top.h"

/* To the body frame, if it is not there. */
static void turn_back(bool spatial, const double r[9], const double *w, double out[3])
{
    if (spatial)
        cd_apply_transposed3(r, w, out);
    else
        cd_copy(3, w, out);
}

/* The moment, and the force in sum[0 ... 2]. */
static void add_up(const cd_top *top, bool spatial, const double r[9], const double omega[3],
                   const cardan_point *at, const cardan_equation_values *out, double *sum)
{
    double turned[3], moment[3], part[3], rate[3];
    cd_apply_transposed3(r, at->lambda, turned);
    cd_cross(top->arm, turned, moment);
    for (int i = 0; i < 3; i++)
        sum[i] = -at->lambda[i];
    if (out->reaction == NULL) {
        sum[2] += top->m * top->g;
        cd_gyroscopic(top->inertia, omega, part);
        cd_add(3, 1.0, part, moment);
    }
    if (out->dynamics != NULL) {
        cd_add(3, top->m, at->vdot, sum);
        turn_back(spatial, r, at->vdot + 3, rate);
        cd_apply3(top->inertia, rate, part);
        cd_add(3, 1.0, part, moment);
    }
    if (spatial)
        cd_apply3(r, moment, sum + 3);
    else
        cd_copy(3, moment, sum + 3);
}

static int evaluate(const cd_top *top, bool spatial, const cardan_point *at,
                    const cardan_equation_values *out)
{
    double r[9], omega[3], lever[3];
    double *const sums[] = {out->dynamics, out->forces, out->reaction};
    cd_top_rotation(top, at->q, r);
    turn_back(spatial, r, at->v + 3, omega);
    for (int i = 0; i < 3; i++)
        if (sums[i] != NULL)
            add_up(top, spatial, r, omega, at, out, sums[i]);
    if (out->position != NULL) {
        cd_apply3(r, top->arm, out->position);
        cd_add(3, -1.0, at->q, out->position);
    }
    if (out->hidden != NULL) {
        cd_cross(omega, top->arm, lever);
        cd_apply3(r, lever, out->hidden);
        cd_add(3, -1.0, at->v, out->hidden);
    }
    return 0;
}

int cd_top_evaluate(void *context, const cardan_point *at, const cardan_equation_values *out)
{
    return evaluate(context, false, at, out);
}

int cd_top_evaluate_spatial(void *context, const cardan_point *at,
                            const cardan_equation_values *out)
{
    return evaluate(context, true, at, out);
}

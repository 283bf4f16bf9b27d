/* The reference of the heavy top: Euler's equations about the fixed point and the quaternion's
 * kinematics, seven unknowns and no constraint; then positions, accelerations and the joint force
 * lambda = m (x'' - gamma) follow. */
#include "attitude.h"

#include "top.h"

#include <math.h>

/* J + m (X.X I - X X^T) about the fixed point; diagonal, since X lies along axis 2. */
static void inertia_at_joint(const cd_top *top, long double inertia[3])
{
    long double shift = (long double)top->m * top->arm[1] * top->arm[1];
    inertia[0] = top->inertia[0] + shift;
    inertia[1] = top->inertia[4];
    inertia[2] = top->inertia[8] + shift;
}

static void arm_of(const cd_top *top, long double arm[3])
{
    for (int i = 0; i < 3; i++)
        arm[i] = top->arm[i];
}

void cd_top_ode_initial(const void *data, long double *y)
{
    const cd_top *top = data;
    y[0] = 1.0L;
    for (int i = 0; i < 3; i++) {
        y[1 + i] = 0.0L;
        y[4 + i] = top->spin[i];
    }
}

/* Omega' from J_O Omega' + Omega x J_O Omega = X x R^T m gamma */
static void angular_acceleration(const cd_top *top, const long double r[9],
                                 const long double omega[3], long double domega[3])
{
    const long double weight[3] = {0.0L, 0.0L, -(long double)top->m * top->g};
    long double inertia[3], momentum[3], gyroscopic[3], arm[3], pull[3], torque[3];
    inertia_at_joint(top, inertia);
    arm_of(top, arm);
    for (int i = 0; i < 3; i++)
        momentum[i] = inertia[i] * omega[i];
    cd_attitude_cross(omega, momentum, gyroscopic);
    cd_attitude_rotate_back(r, weight, pull);
    cd_attitude_cross(arm, pull, torque);
    for (int i = 0; i < 3; i++)
        domega[i] = (torque[i] - gyroscopic[i]) / inertia[i];
}

int cd_top_ode(const void *data, long double t, const long double *y, long double *f)
{
    long double r[9];
    (void)t;
    cd_attitude_matrix(y, r);
    cd_attitude_rate(y, y + 4, f);
    angular_acceleration(data, r, y + 4, f + 4);
    return 0;
}

void cd_top_state_at(const cd_top *top, const long double *y, cd_top_state *state)
{
    long double arm[3], lever[3], centripetal[3], tangential[3], length = 0.0L;
    arm_of(top, arm);
    for (int i = 0; i < 4; i++)
        length += y[i] * y[i];
    for (int i = 0; i < 4; i++)
        state->e[i] = y[i] / sqrtl(length);
    for (int i = 0; i < 3; i++)
        state->omega[i] = y[4 + i];
    cd_attitude_matrix(state->e, state->r);
    angular_acceleration(top, state->r, state->omega, state->domega);
    cd_attitude_rotate(state->r, arm, state->x);
    cd_attitude_cross(state->omega, arm, lever);
    cd_attitude_rotate(state->r, lever, state->u);
    cd_attitude_cross(state->omega, lever, centripetal);
    cd_attitude_cross(state->domega, arm, tangential);
    for (int i = 0; i < 3; i++)
        centripetal[i] += tangential[i];
    cd_attitude_rotate(state->r, centripetal, state->du);
    for (int i = 0; i < 3; i++)
        state->lambda[i] = top->m * (state->du[i] + (i == 2 ? top->g : 0.0L));
}

void cd_top_write_configuration(const cd_top *top, const cd_top_state *state, double *q)
{
    cd_round(3, state->x, q);
    if (top->quaternion)
        cd_round(4, state->e, q + 3);
    else
        cd_round(9, state->r, q + 3);
}

void cd_top_body_motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    cd_top_state state;
    (void)t;
    cd_top_state_at(data, y, &state);
    cd_top_write_configuration(data, &state, at->q);
    cd_round(3, state.u, at->v);
    cd_round(3, state.omega, at->v + 3);
    cd_round(3, state.du, at->vdot);
    cd_round(3, state.domega, at->vdot + 3);
    cd_round(3, state.lambda, at->lambda);
}

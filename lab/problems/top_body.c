/* ACB15 (62):  M = diag(m I, J),  g = (-m gamma, Omega x J Omega),  B = (-I, -R X~). */
#include "top_body.h"

#include "gyroscopic.h"

static int force(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    out[2] = top->m * top->g;
    cd_gyroscopic(top->inertia, at->v + 3, out + 3);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double r[9], block[9];
    cd_top_rotation(top, at->q, r);
    cd_times_skew(r, top->arm, block);
    for (int i = 0; i < 3; i++)
        out[7 * i] = -1.0;
    cd_add_block(-1.0, block, 0, 3, 6, out);
    return 0;
}

/* R (Omega x (Omega x X)) */
static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    const double *omega = at->v + 3;
    double r[9], lever[3], centripetal[3];
    cd_top_rotation(top, at->q, r);
    cd_cross(omega, top->arm, lever);
    cd_cross(omega, lever, centripetal);
    cd_apply3(r, centripetal, out);
    return 0;
}

/* d(R (Omega x X)) = -R (Omega x X)~ dw */
static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double r[9], lever[3], block[9];
    cd_top_rotation(top, at->q, r);
    cd_cross(at->v + 3, top->arm, lever);
    cd_times_skew(r, lever, block);
    cd_add_block(-1.0, block, 0, 3, 6, out);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    cd_top_add_torque_dq(context, at, out);
    return 0;
}

void cd_top_body_define(cardan_system_def *def)
{
    static const char *const velocities[] = {"u1", "u2", "u3", "Omega1", "Omega2", "Omega3"};
    cd_top_define(def);
    def->constant_mass = true;
    def->mass = cd_top_constant_mass;
    def->force = force;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->inertia_dq = cd_callback_zero;
    def->force_dq = cd_callback_zero;
    def->force_dv = cd_top_gyroscopic_dv;
    def->evaluate = cd_top_evaluate;
    def->dynamics_dq = reaction_dq; /* neither M v' nor the force depends on q */
    def->velocity_names = velocities;
}

void cd_top_body_output(const void *data, const cardan_point *at, double *values)
{
    double r[9];
    cd_top_rotation(data, at->q, r);
    cd_top_write_outputs(at->q, r, at->v, at->v + 3, at->lambda, values);
}

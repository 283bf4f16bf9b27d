/* What the four forms of the heavy top share on the side of the system; see the header. */
#include "top.h"

#include "group/vec3.h"

enum { M, J1, J2, J3, G, OMEGA1, OMEGA2, OMEGA3, X2 };

const lab_parameter cd_top_parameters[CD_TOP_PARAMETERS] = {
    [M] = {"m", 15.0, "mass"},
    [J1] = {"J1", 0.234375, "inertia about the centre of mass, body axis 1"},
    [J2] = {"J2", 0.46875, "inertia about the centre of mass, body axis 2 (of the spin)"},
    [J3] = {"J3", 0.234375, "inertia about the centre of mass, body axis 3"},
    [G] = {"g", 9.81, "gravity"},
    [OMEGA1] = {"Omega1", 0.0, "initial angular velocity, body axis 1"},
    [OMEGA2] = {"Omega2", 150.0, "initial angular velocity, body axis 2"},
    [OMEGA3] = {"Omega3", -4.61538, "initial angular velocity, body axis 3"},
    [X2] = {"X2", 1.0, "distance of the centre of mass from the fixed point, along body axis 2"},
};

const cd_range cd_top_ranges[CD_TOP_PARAMETERS] = {
    [M] = CD_POSITIVE,  [J1] = CD_POSITIVE,    [J2] = CD_POSITIVE,
    [J3] = CD_POSITIVE, [G] = CD_NOT_NEGATIVE, [X2] = CD_POSITIVE};

const char *const cd_top_outputs[CD_TOP_OUTPUTS] = {
    "x1", "x2", "x3",     "e0",     "e1",     "e2",      "e3",      "u1",
    "u2", "u3", "Omega1", "Omega2", "Omega3", "lambda1", "lambda2", "lambda3"};

cardan_status cd_top_prepare(void *data, const double *p, cardan_error *error)
{
    cd_top *top = data;
    (void)error;
    *top = (cd_top){
        .m = p[M],
        .g = p[G],
        .inertia = {[0] = p[J1], [4] = p[J2], [8] = p[J3]},
        .arm = {0.0, p[X2], 0.0},
        .spin = {p[OMEGA1], p[OMEGA2], p[OMEGA3]},
    };
    return CARDAN_OK;
}

void cd_top_rotation(const cd_top *top, const double *q, double r[9])
{
    if (!top->quaternion) {
        cd_copy(9, q + 3, r);
        return;
    }
    /* I + 2 e0 e~ + 2 e~^2 with the vector part e */
    cd_skew_polynomial(q + 4, 2.0 * q[3], 2.0, r);
    cd_add_identity3(r);
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double r[9];
    cd_top_rotation(top, at->q, r);
    cd_apply3(r, top->arm, out);
    cd_add(3, -1.0, at->q, out);
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    out[0] = top->m * top->g * at->q[2];
    return 0;
}

int cd_top_constant_mass(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    (void)at;
    for (int i = 0; i < 3; i++)
        out[7 * i] = top->m;
    cd_add_block(1.0, top->inertia, 3, 3, 6, out);
    return 0;
}

void cd_top_add_torque_dq(const cd_top *top, const cardan_point *at, double *out)
{
    double r[9], force[3], arm[9], block[9];
    cd_top_rotation(top, at->q, r);
    cd_apply_transposed3(r, at->lambda, force);
    cd_skew(top->arm, arm);
    cd_times_skew(arm, force, block); /* d(R^T lambda) = (R^T lambda)~ dw */
    cd_add_block(1.0, block, 3, 3, 6, out);
}

int cd_top_gyroscopic_dv(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double block[9];
    cd_gyroscopic_dw(top->inertia, at->v + 3, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    return 0;
}

void cd_top_define(cardan_system_def *def)
{
    static const char *const names[] = {"joint 1", "joint 2", "joint 3"};
    def->constraints = 3;
    def->constraint = constraint;
    def->potential = potential;
    def->constraint_names = names;
}

void cd_top_write_outputs(const double *x, const double r[9], const double *u,
                          const double *omega_body, const double *lambda, double *values)
{
    cd_copy(3, x, values);
    cd_rotation_quaternion(r, values + 3);
    cd_copy(3, u, values + 7);
    cd_copy(3, omega_body, values + 10);
    cd_copy(3, lambda, values + 13);
}

void cd_top_initial(const void *data, double *q, double *v)
{
    const cd_top *top = data;
    cd_copy(3, top->arm, q);
    if (top->quaternion) {
        cd_zero(4, q + 3);
        q[3] = 1.0;
    } else {
        cd_zero(9, q + 3);
        cd_add_identity3(q + 3);
    }
    cd_cross(top->spin, top->arm, v);
    cd_copy(3, top->spin, v + 3);
}

/* Mass matrix and gyroscopic terms of a body with their derivatives, and its weight, per form. With
 * coordinates at the centre of mass and inertia tensor I, angular velocity w and velocity u in the
 * frame of the form:
 *
 *   spatial   M = diag(m, I),  I = R J R^T    g = (-m gamma, w x I w)
 *   body      M = diag(m, I),  I = J          g = (-m gamma, w x I w)
 *   SE(3)     M = diag(m, I),  I = J          g = (m w x u - m R^T gamma, w x I w)
 *   point     M = m                           g = -m gamma
 *   planar    M = diag(m, m, J_zz)            g = -m gamma in the plane */
#include "inertia.h"

/* Whether a body has a rotation in space, with a 3 x 3 inertia. */
static bool has_rotation(const cd_body *body)
{
    return body->form->parts == 2;
}

/* The inertia tensor in the frame of the angular velocity. */
static void find_inertia_tensor(const cd_body *body, const cd_body_state *body_state, double out[9])
{
    if (body->form->turned[1])
        cd_copy(9, body->body_kind->inertia, out);
    else
        cd_rotate_tensor(body_state->R, body->body_kind->inertia, out);
}

void cd_inertia_mass(const cd_body *body, const cd_body_state *body_state, double *out)
{
    const int translations = body->form == &cd_form_planar ? 2 : 3;
    if (body->form == &cd_form_counter)
        return;
    for (int i = 0; i < translations; i++)
        out[i] = body->body_kind->mass;
    if (body->form == &cd_form_planar)
        out[2] = cd_planar_inertia(body);
    else if (has_rotation(body))
        find_inertia_tensor(body, body_state, out + 3);
}

/* The matrix of d(I x) = (I x~ - (I x)~) dphi for I = R J R^T, since dI = dphi~ I - I dphi~ */
static void momentum_change(const double inertia[9], const double x[3], double out[9])
{
    double momentum[3], skew[9];
    cd_apply3(inertia, x, momentum);
    cd_skew(momentum, skew);
    cd_times_skew(inertia, x, out);
    cd_add(9, -1.0, skew, out);
}

/* The torque J W' + W x J W in the body frame; W' (`rate`) may be NULL */
static inline void torque_in_body(const double J[9], const double W[3], const double *rate,
                                  double out[3])
{
    double momentum[3], change[3];
    cd_apply3(J, W, momentum);
    cd_cross(W, momentum, out);
    if (rate == NULL)
        return;
    cd_apply3(J, rate, change);
    cd_add(3, 1.0, change, out);
}

/* R (J W' + W x J W), the torque in the world, from w = R W and w' (`rate`) in the world */
static inline void torque_in_world(const double J[9], const double R[9], const double w[3],
                                   const double *rate, double out[3])
{
    double W[3], turned[3], torque[3];
    cd_apply_transposed3(R, w, W);
    if (rate != NULL)
        cd_apply_transposed3(R, rate, turned);
    torque_in_body(J, W, rate != NULL ? turned : NULL, torque);
    cd_apply3(R, torque, out);
}

void cd_inertia_spatial_balance(const cd_body_kind *body_kind, const double gravity[3],
                                const double R[9], const double *v, const double *vdot, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = body_kind->mass * ((vdot != NULL ? vdot[i] : 0.0) - gravity[i]);
    torque_in_world(body_kind->inertia, R, v + 3, vdot != NULL ? vdot + 3 : NULL, out + 3);
}

void cd_inertia_balance(const cd_body *body, const double gravity[3], const double R[9],
                        const double *v, const double *vdot, double *out)
{
    const cd_form *form = body->form;
    const double m = body->body_kind->mass;
    double fall[3] = {gravity[0], gravity[1], gravity[2]}, turning[3];
    if (form == &cd_form_counter) {
        out[0] = 0.0;
        return;
    }
    if (form == &cd_form_spatial) {
        cd_inertia_spatial_balance(body->body_kind, gravity, R, v, vdot, out);
        return;
    }
    if (form->turned[0]) {
        cd_apply_transposed3(R, gravity, fall);
        cd_cross(v + 3, v, turning);
        cd_add(3, -1.0, turning, fall);
    }
    for (int i = 0; i < (form == &cd_form_planar ? 2 : 3); i++)
        out[i] = m * ((vdot != NULL ? vdot[i] : 0.0) - fall[i]);
    if (form == &cd_form_planar)
        out[2] = vdot != NULL ? cd_planar_inertia(body) * vdot[2] : 0.0;
    else if (has_rotation(body))
        torque_in_body(body->body_kind->inertia, v + 3, vdot != NULL ? vdot + 3 : NULL, out + 3);
}

void cd_inertia_force_dv(const cd_body *body, const cd_body_state *body_state, const double *v,
                         double *out)
{
    double inertia[9], block[9];
    if (!has_rotation(body))
        return;
    find_inertia_tensor(body, body_state, inertia);
    cd_gyroscopic_dw(inertia, v + 3, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    if (!body->form->turned[0])
        return;
    cd_skew(v + 3, block);
    cd_add_block(body->body_kind->mass, block, 0, 0, 6, out);
    cd_skew(v, block);
    cd_add_block(-body->body_kind->mass, block, 0, 3, 6, out);
}

void cd_inertia_dq(const cd_body *body, const double gravity[3], const cd_body_state *body_state,
                   const double *v, const double *vdot, double *out)
{
    double inertia[9], change[9], skew[9], block[9], weight[3];
    if (body->form == &cd_form_se3 && v != NULL) {
        cd_apply_transposed3(body_state->R, gravity, weight);
        cd_skew(weight, block);
        cd_add_block(-body->body_kind->mass, block, 0, 3, 6, out);
    }
    if (body->form != &cd_form_spatial)
        return;
    find_inertia_tensor(body, body_state, inertia);
    if (vdot != NULL) {
        momentum_change(inertia, vdot + 3, block);
        cd_add_block(1.0, block, 3, 3, 6, out);
    }
    if (v != NULL) { /* w~ d(I w)/dphi */
        momentum_change(inertia, v + 3, change);
        cd_skew(v + 3, skew);
        cd_product3(skew, change, block);
        cd_add_block(1.0, block, 3, 3, 6, out);
    }
}

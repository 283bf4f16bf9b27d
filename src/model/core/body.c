/* The forms of bodies, their states in the world from their coordinates, and initial values. */
#include "model.h"

#define RIGID_COORDINATES .size = 12, .dof = 6, .pick = {0, 1, 2, 3, 4, 5}, .parts = 2
#define VECTOR_COORDINATES(n)                                                                      \
    .factor = {CARDAN_RN, CARDAN_LEFT, n}, .size = n, .dof = n, .parts = 1, .constant_mass = true

/* q of rigid bodies is position and rotation matrix; write_pose tells that of other bodies. */
const cd_form cd_form_spatial = {
    .factor = {CARDAN_R3_SO3, CARDAN_RIGHT, 0},
    RIGID_COORDINATES,
    .names = {"vx", "vy", "vz", "wx", "wy", "wz"},
};
const cd_form cd_form_body = {
    .factor = {CARDAN_R3_SO3, CARDAN_LEFT, 0},
    RIGID_COORDINATES,
    .turned = {false, true},
    .constant_mass = true,
    .names = {"vx", "vy", "vz", "Wx", "Wy", "Wz"},
};
const cd_form cd_form_se3 = {
    .factor = {CARDAN_SE3, CARDAN_LEFT, 0},
    RIGID_COORDINATES,
    .turned = {true, true},
    .constant_mass = true,
    .names = {"Ux", "Uy", "Uz", "Wx", "Wy", "Wz"},
};
const cd_form cd_form_point = {
    VECTOR_COORDINATES(3),
    .pick = {0, 1, 2},
    .names = {"vx", "vy", "vz"},
};
const cd_form cd_form_planar = {
    VECTOR_COORDINATES(3),
    .pick = {0, 1, 5},
    .names = {"vx", "vy", "wz"},
};
const cd_form cd_form_counter = {
    VECTOR_COORDINATES(1),
    .pick = {0},
    .names = {"rate"},
};

/* R = Rz(angle) times the rotation at angle 0. */
static void rotate_planar(const cd_body *body, double angle, double R[9])
{
    const double c = cos(angle), s = sin(angle), *a = body->initial_motion->rotation_at_zero;
    for (int i = 0; i < 3; i++) {
        R[i] = c * a[i] - s * a[3 + i];
        R[3 + i] = s * a[i] + c * a[3 + i];
        R[6 + i] = a[6 + i];
    }
}

/* The pose of a body that is not spatial from its own coordinates q. */
static void write_pose(const cd_body *body, const double *q, cd_body_state *body_state)
{
    if (body->form == &cd_form_counter) {
        body_state->r[0] = q[0];
    } else if (body->form == &cd_form_planar) {
        body_state->r[0] = q[0];
        body_state->r[1] = q[1];
        body_state->r[2] = body->height;
        rotate_planar(body, q[2], body_state->R);
    } else {
        cd_copy(3, q, body_state->r);
        cd_copy(9, body->form == &cd_form_point ? body->initial_motion->rotation_at_zero : q + 3,
                body_state->R);
    }
}

/* (u, w) = J v for a body with this form and the rotation in `body_state`. */
static void write_velocities(const cd_form *form, const double *v, cd_body_state *body_state)
{
    double picked[CD_BODY_COLUMNS] = {0.0};
    for (int i = 0; i < form->dof; i++)
        picked[form->pick[i]] = v[i];
    if (form->turned[0])
        cd_apply3(body_state->R, picked, body_state->u);
    else
        cd_copy(3, picked, body_state->u);
    if (form->turned[1])
        cd_apply3(body_state->R, picked + 3, body_state->w);
    else
        cd_copy(3, picked + 3, body_state->w);
}

/* Copies the state of a spatial body, whose coordinates are r, R, u and w themselves. */
static void copy_spatial_state(const double *q, const double *v, cd_body_state *body_state)
{
    cd_copy(3, q, body_state->r);
    cd_copy(9, q + 3, body_state->R);
    for (int i = 0; i < 3; i++) {
        body_state->u[i] = v != NULL ? v[i] : 0.0;
        body_state->w[i] = v != NULL ? v[3 + i] : 0.0;
        body_state->low[i] = 0.0;
    }
}

void cd_body_state_at(const cd_body *body, const double *q, const double *v,
                      cd_body_state *body_state)
{
    if (body != NULL && body->form == &cd_form_spatial) {
        copy_spatial_state(q, v, body_state);
        return;
    }
    *body_state = (cd_body_state){.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    if (body == NULL)
        return;
    write_pose(body, q, body_state);
    if (v != NULL)
        write_velocities(body->form, v, body_state);
}

void cd_model_body_state_at(const cardan_model *model, int number, const cardan_point *at,
                            cd_body_state *body_state)
{
    const cd_body *body = cd_model_body(model, number);
    cd_body_state_at(body, body != NULL ? at->q + body->q : NULL,
                     body != NULL ? at->v + body->v : NULL, body_state);
}

/* The state of the centre of mass that follows from the definition of the body frame. */
static void find_initial_state(const cd_body *body, cd_body_state *body_state)
{
    const cd_initial_motion *initial_motion = body->initial_motion;
    double arm[3], arm_velocity[3];
    cd_unit_quaternion_matrix(initial_motion->orientation, body_state->R);
    cd_copy(3, initial_motion->angular_velocity, body_state->w);
    cd_apply3(body_state->R, body->body_kind->center_of_mass, arm);
    cd_cross(body_state->w, arm, arm_velocity);
    for (int i = 0; i < 3; i++) {
        body_state->r[i] = body->position[i] + arm[i];
        body_state->u[i] = initial_motion->velocity[i] + arm_velocity[i];
        body_state->low[i] = 0.0;
    }
}

void cd_body_initial_values(const cd_body *body, double *q, double *v)
{
    const cd_form *form = body->form;
    if (form == &cd_form_counter) {
        q[0] = body->initial_angle[0];
        v[0] = body->initial_angle[1];
        return;
    }
    cd_body_state body_state;
    double world[CD_BODY_COLUMNS], motion[CD_BODY_COLUMNS];
    find_initial_state(body, &body_state);
    cd_copy(3, body_state.u, world);
    cd_copy(3, body_state.w, world + 3);
    cd_copy(3, body_state.r, q);
    if (form == &cd_form_planar)
        q[2] = body->initial_angle[0];
    else if (form->size == 12)
        cd_copy(9, body_state.R, q + 3);
    cd_form_from_world(form, body_state.R, world, motion);
    for (int i = 0; i < form->dof; i++)
        v[i] = motion[form->pick[i]];
}

void cd_model_initial_state(const cardan_model *model, int number, cd_body_state *body_state)
{
    const cd_body *body = cd_model_body(model, number);
    double q[12] = {0.0}, v[CD_BODY_COLUMNS] = {0.0};
    if (body != NULL)
        cd_body_initial_values(body, q, v);
    cd_body_state_at(body, q, v, body_state);
}

double cd_planar_inertia(const cd_body *body)
{
    double turned[3];
    cd_apply3(body->body_kind->inertia, body->initial_motion->rotation_at_zero + 6, turned);
    return cd_dot3(body->initial_motion->rotation_at_zero + 6, turned);
}

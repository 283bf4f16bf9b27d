/* Bodies in coordinates: the forms, the way from coordinates to the world, initial values. */
#include "model.h"

/* What q holds: position and rotation for rigid bodies; see cd_body_site. */
const cd_form cd_form_spatial = {
    .factor = {CARDAN_R3_SO3, CARDAN_RIGHT, 0},
    .size = 12,
    .dof = 6,
    .pick = {0, 1, 2, 3, 4, 5},
    .parts = 2,
    .names = {"vx", "vy", "vz", "wx", "wy", "wz"},
};
const cd_form cd_form_body = {
    .factor = {CARDAN_R3_SO3, CARDAN_LEFT, 0},
    .size = 12,
    .dof = 6,
    .pick = {0, 1, 2, 3, 4, 5},
    .turned = {false, true},
    .parts = 2,
    .constant_mass = true,
    .names = {"vx", "vy", "vz", "Wx", "Wy", "Wz"},
};
const cd_form cd_form_se3 = {
    .factor = {CARDAN_SE3, CARDAN_LEFT, 0},
    .size = 12,
    .dof = 6,
    .pick = {0, 1, 2, 3, 4, 5},
    .turned = {true, true},
    .parts = 2,
    .constant_mass = true,
    .names = {"Ux", "Uy", "Uz", "Wx", "Wy", "Wz"},
};
const cd_form cd_form_point = {
    .factor = {CARDAN_RN, CARDAN_LEFT, 3},
    .size = 3,
    .dof = 3,
    .pick = {0, 1, 2},
    .parts = 1,
    .constant_mass = true,
    .names = {"vx", "vy", "vz"},
};
const cd_form cd_form_planar = {
    .factor = {CARDAN_RN, CARDAN_LEFT, 3},
    .size = 3,
    .dof = 3,
    .pick = {0, 1, 5},
    .parts = 1,
    .constant_mass = true,
    .names = {"vx", "vy", "wz"},
};
const cd_form cd_form_counter = {
    .factor = {CARDAN_RN, CARDAN_LEFT, 1},
    .size = 1,
    .dof = 1,
    .pick = {0},
    .parts = 1,
    .constant_mass = true,
    .names = {"rate"},
};

/* Rz(angle) times the attitude at angle 0. */
static void place_planar(const cd_body *body, double angle, double R[9])
{
    const double c = cos(angle), s = sin(angle), *a = body->outset->attitude;
    for (int i = 0; i < 3; i++) {
        R[i] = c * a[i] - s * a[3 + i];
        R[3 + i] = s * a[i] + c * a[3 + i];
        R[6 + i] = a[6 + i];
    }
}

static void place(const cd_body *body, const double *q, cd_site *site)
{
    if (body->form == &cd_form_counter) {
        site->r[0] = q[0];
    } else if (body->form == &cd_form_planar) {
        site->r[0] = q[0];
        site->r[1] = q[1];
        site->r[2] = body->height;
        place_planar(body, q[2], site->R);
    } else {
        cd_copy(3, q, site->r);
        cd_copy(9, body->form == &cd_form_point ? body->outset->attitude : q + 3, site->R);
    }
}

static void move(const cd_form *form, const double *v, cd_site *site)
{
    double picked[CD_SITE] = {0.0};
    for (int i = 0; i < form->dof; i++)
        picked[form->pick[i]] = v[i];
    if (form->turned[0])
        cd_apply3(site->R, picked, site->u);
    else
        cd_copy(3, picked, site->u);
    if (form->turned[1])
        cd_apply3(site->R, picked + 3, site->w);
    else
        cd_copy(3, picked + 3, site->w);
}

/* A spatial body has r, R, u and w as coordinates. */
static void copy_site(const double *q, const double *v, cd_site *site)
{
    cd_copy(3, q, site->r);
    cd_copy(9, q + 3, site->R);
    for (int i = 0; i < 3; i++) {
        site->u[i] = v != NULL ? v[i] : 0.0;
        site->w[i] = v != NULL ? v[3 + i] : 0.0;
        site->low[i] = 0.0;
    }
}

void cd_body_site(const cd_body *body, const double *q, const double *v, cd_site *site)
{
    if (body != NULL && body->form == &cd_form_spatial) {
        copy_site(q, v, site);
        return;
    }
    *site = (cd_site){.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    if (body == NULL)
        return;
    place(body, q, site);
    if (v != NULL)
        move(body->form, v, site);
}

/* The centre of mass in the world as the definition places it. */
static void start_site(const cd_body *body, cd_site *site)
{
    const cd_outset *outset = body->outset;
    double arm[3], turning[3];
    cd_unit_quaternion_matrix(outset->orientation, site->R);
    cd_copy(3, outset->angular_velocity, site->w);
    cd_apply3(site->R, body->matter->center_of_mass, arm);
    cd_cross(site->w, arm, turning);
    for (int i = 0; i < 3; i++) {
        site->r[i] = body->position[i] + arm[i];
        site->u[i] = outset->velocity[i] + turning[i];
        site->low[i] = 0.0;
    }
}

void cd_body_start(const cd_body *body, double *q, double *v)
{
    const cd_form *form = body->form;
    if (form == &cd_form_counter) {
        q[0] = body->start[0];
        v[0] = body->start[1];
        return;
    }
    cd_site site;
    double motion[CD_SITE];
    start_site(body, &site);
    cd_copy(3, site.r, q);
    if (form == &cd_form_planar)
        q[2] = body->start[0];
    else if (form->size == 12)
        cd_copy(9, site.R, q + 3);
    if (form->turned[0])
        cd_apply_transposed3(site.R, site.u, motion);
    else
        cd_copy(3, site.u, motion);
    if (form->turned[1])
        cd_apply_transposed3(site.R, site.w, motion + 3);
    else
        cd_copy(3, site.w, motion + 3);
    for (int i = 0; i < form->dof; i++)
        v[i] = motion[form->pick[i]];
}

void cd_model_start_site(const cardan_model *model, int number, cd_site *site)
{
    const cd_body *body = cd_model_body(model, number);
    double q[12] = {0.0}, v[CD_SITE] = {0.0};
    if (body != NULL)
        cd_body_start(body, q, v);
    cd_body_site(body, q, v, site);
}

double cd_planar_inertia(const cd_body *body)
{
    double turned[3];
    cd_apply3(body->matter->inertia, body->outset->attitude + 6, turned);
    return cd_dot3(body->outset->attitude + 6, turned);
}

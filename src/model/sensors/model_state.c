/* What a built model tells of a point of its system: motion of bodies, joint wrenches and joint
 * coordinates. */
#include "model/core/model.h"
#include "model/equations/chain.h"
#include "model/equations/layout.h"
#include "model/joints/direction.h"
#include "model/redundancy/reduction.h"

cardan_status cardan_model_body_state(const cardan_model *model, int body, const cardan_point *at,
                                      cardan_body_state *state)
{
    if (model == NULL || model->system == NULL || at == NULL || state == NULL || body < 0 ||
        body >= model->bodies)
        return CARDAN_INVALID_ARGUMENT;
    const cd_body *it = &model->body[body];
    cd_site site;
    double arm[3], turning[3];
    cd_body_site(it, at->q + it->q, at->v + it->v, &site);
    cd_apply3(site.R, it->matter->center_of_mass, arm);
    cd_cross(site.w, arm, turning);
    for (int i = 0; i < 3; i++) {
        state->position[i] = site.r[i] - arm[i];
        state->velocity[i] = site.u[i] - turning[i];
        state->angular_velocity[i] = site.w[i];
    }
    cd_copy(9, site.R, state->rotation);
    return CARDAN_OK;
}

static void joint_sites(const cardan_model *model, const cd_joint *joint, const cardan_point *at,
                        cd_site site[2])
{
    const int number[2] = {joint->body[0], joint->body[1]};
    for (int b = 0; b < 2; b++) {
        const cd_body *body = cd_model_body(model, number[b]);
        cd_body_site(body, body != NULL ? at->q + body->q : NULL,
                     body != NULL ? at->v + body->v : NULL, &site[b]);
    }
}

/* Adds the element's force and moment about the centre of mass on its second body. `all` are the
 * multipliers of all rows if the system has not all; friction acts as in the system. */
static int add_wrench(const cardan_model *model, int number, const cardan_point *at,
                      const double *all, double *wrench)
{
    if (number < 0)
        return 0;
    const cd_element *element = &model->element[number];
    const cd_element_type *type = element->type;
    double rows[CD_ELEMENT_ROWS * CD_WORLD] = {0.0}, sliding[CD_ELEMENT_ROWS * CD_WORLD] = {0.0};
    double force[CD_WORLD] = {0.0};
    cd_chain chain;
    int code = 0;
    cd_chain_open(model, element, at, true, &chain);
    if (all != NULL && type->constraint != NULL)
        chain.place.lambda = all + element->first_row;
    if (all != NULL && type->rolling != NULL)
        chain.place.psi = all + model->constraints + element->first_rolling;
    if (type->constraint != NULL)
        code = type->constraint_dx(element->self, &chain.place, rows);
    if (code == 0 && type->rolling != NULL)
        code = type->rolling_dw(element->self, &chain.place, sliding);
    if (code == 0 && type->force != NULL)
        code = type->force(element->self, &chain.place, force);
    for (int i = 0; type->constraint != NULL && i < element->rows; i++)
        cd_add(chain.world, -chain.place.lambda[i], rows + i * chain.world, force);
    for (int i = 0; type->rolling != NULL && i < element->rolling; i++)
        cd_add(chain.world, -chain.place.psi[i], sliding + i * chain.world, force);
    cd_add(CD_SITE, 1.0, force + CD_SITE, wrench);
    return code;
}

/* A gear acts through the angle of its second joint. */
static const cd_joint *gear_joint(const cardan_model *model, const cd_joint *joint, int *element)
{
    if (joint->kind->def.type != CARDAN_JOINT_GEAR)
        return joint;
    const cd_joint *second = &model->joint[joint->kind->def.joints[1]];
    *element = second->counting;
    return second;
}

cardan_status cd_joint_wrench(const cardan_model *model, int joint, const cardan_point *at,
                              const double *all, double force[3], double moment[3])
{
    const cd_joint *it = &model->joint[joint];
    double wrench[CD_SITE] = {0.0}, lever[3], total[3];
    cd_site site[2];
    cd_pair pair;
    int element = it->element;
    const cd_joint *frames = gear_joint(model, it, &element);
    int code = add_wrench(model, element, at, all, wrench);
    if (code == 0)
        code = add_wrench(model, it->rolling, at, all, wrench);
    if (code == 0)
        code = add_wrench(model, it->friction, at, all, wrench);
    joint_sites(model, frames, at, site);
    cd_pair_at(frames->kind->marker, site, &pair);
    cd_cross(pair.two.arm, wrench, lever);
    for (int i = 0; i < 3; i++)
        total[i] = wrench[3 + i] - lever[i];
    cd_apply_transposed3(pair.one.axes, wrench, force);
    cd_apply_transposed3(pair.one.axes, total, moment);
    return code == 0 ? CARDAN_OK : CARDAN_CALLBACK_FAILED;
}

cardan_status cardan_model_joint_wrench(const cardan_model *model, int joint,
                                        const cardan_point *at, double force[3], double moment[3])
{
    if (model == NULL || model->system == NULL || at == NULL || joint < 0 || joint >= model->joints)
        return CARDAN_INVALID_ARGUMENT;
    const bool reduced = model->layout->reduced;
    cd_arena arena;
    cd_arena_init(&arena, &model->allocator);
    const double *all = reduced ? cd_reduction_distribute(model, &arena, at) : NULL;
    const cardan_status status = reduced && all == NULL
                                     ? CARDAN_CALLBACK_FAILED
                                     : cd_joint_wrench(model, joint, at, all, force, moment);
    cd_arena_destroy(&arena);
    return status;
}

/* The angle about an axis that both frames share. */
static double twist(const double q[9], int axis)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return atan2(q[3 * j + i] - q[3 * i + j], q[4 * i] + q[4 * j]);
}

/* Angles that suit the joint: the twist about its only axis, the two of a universal joint (first
 * about an axis of frame 1, then about one of frame 2), else the rotation vector. */
static void joint_angles(const cardan_joint_def *def, const cd_pair *pair, double angle[3])
{
    const cd_turning turning = cd_joint_turning(def);
    const int first = turning.axis[0], second = turning.axis[1], third = 3 - first - second;
    double transposed[9], q[9];
    cd_transpose3(pair->one.axes, transposed);
    cd_product3(transposed, pair->two.axes, q);
    cd_rotation_log(q, angle);
    if (turning.count == 1)
        angle[first] = twist(q, first);
    if (turning.count == 2) {
        angle[first] = atan2(q[3 * third + second], q[4 * second]);
        angle[second] = atan2(q[3 * first + third], q[4 * first]);
        angle[third] = 0.0;
    }
}

cardan_status cardan_model_joint_state(const cardan_model *model, int joint, const cardan_point *at,
                                       double place[6], double rate[6])
{
    if (model == NULL || model->system == NULL || at == NULL || joint < 0 || joint >= model->joints)
        return CARDAN_INVALID_ARGUMENT;
    const cd_joint *it = &model->joint[joint];
    if (it->kind->def.type == CARDAN_JOINT_GEAR)
        return CARDAN_INVALID_ARGUMENT; /* ask for the joints that it couples */
    cd_site site[2];
    cd_pair pair;
    joint_sites(model, it, at, site);
    cd_pair_at(it->kind->marker, site, &pair);
    cd_apply_transposed3(pair.one.axes, pair.d, place);
    joint_angles(&it->kind->def, &pair, place + 3);
    cd_apply_transposed3(pair.one.axes, pair.v, rate);
    cd_apply_transposed3(pair.one.axes, pair.w, rate + 3);
    const cd_turning turning = cd_joint_turning(&it->kind->def);
    if (turning.count == 2) {
        double axis[3];
        cd_marker_axis(&pair.two, turning.axis[1], axis);
        rate[3 + turning.axis[1]] = cd_dot3(axis, pair.w);
    }
    return CARDAN_OK;
}

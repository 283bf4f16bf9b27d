/* Evaluation of a model at a point: motion of bodies, joint wrenches and coordinates. */
#include "model/core/model.h"
#include "model/elements/measure.h"
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
    cd_body_state body_state;
    double arm[3], arm_velocity[3];
    cd_model_body_state_at(model, body, at, &body_state);
    cd_apply3(body_state.R, it->body_kind->center_of_mass, arm);
    cd_cross(body_state.w, arm, arm_velocity);
    for (int i = 0; i < 3; i++) {
        state->position[i] = body_state.r[i] - arm[i];
        state->velocity[i] = body_state.u[i] - arm_velocity[i];
        state->angular_velocity[i] = body_state.w[i];
    }
    cd_copy(9, body_state.R, state->rotation);
    return CARDAN_OK;
}

/* Finds the two frames of a joint in the world. */
static void find_frames(const cardan_model *model, const cd_joint *joint, const cardan_point *at,
                        cd_pair *pair)
{
    cd_body_state body_state[2];
    for (int b = 0; b < 2; b++)
        cd_model_body_state_at(model, joint->body[b], at, &body_state[b]);
    cd_pair_at(joint->kind->marker, body_state, pair);
}

/* Adds the wrench of element `number` (-1: none) on its second body, about the centre of mass.
 * `all`: multipliers of all rows; NULL: `at` has them. Friction reads those of `at`. */
static int add_wrench(const cardan_model *model, int number, const cardan_point *at,
                      const double *all, double *wrench)
{
    if (number < 0)
        return 0;
    const cd_element *element = &model->element[number];
    double force[CD_ELEMENT_COLUMNS] = {0.0};
    cd_chain_rule chain;
    int code = 0;
    cd_chain_set_up(model, element, at, true, &chain);
    if (element->type->force != NULL)
        code = element->type->force(element->self, &chain.point, force);
    for (int nonholonomic = 0; code == 0 && nonholonomic < 2; nonholonomic++) {
        const cd_row_set rows = cd_layout_rows(model, element, nonholonomic);
        const double *y = nonholonomic ? chain.point.psi : chain.point.lambda;
        double gradient[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0};
        if (rows.count == 0)
            continue;
        if (all != NULL)
            y = all + rows.first + (nonholonomic ? model->constraints : 0);
        code = rows.gradient(element->self, &chain.point, gradient);
        for (int i = 0; i < rows.count; i++)
            cd_add(chain.world, -y[i], gradient + i * chain.world, force);
    }
    cd_add(CD_BODY_COLUMNS, 1.0, force + CD_BODY_COLUMNS, wrench);
    return code;
}

/* The joint whose frames carry the wrench: for a gear, its second joint and its counter element. */
static const cd_joint *find_acting_joint(const cardan_model *model, const cd_joint *joint,
                                         int *element)
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
    double wrench[CD_BODY_COLUMNS] = {0.0}, lever[3], total[3];
    cd_pair pair;
    int element = it->element;
    const cd_joint *frames = find_acting_joint(model, it, &element);
    int code = add_wrench(model, element, at, all, wrench);
    if (code == 0)
        code = add_wrench(model, it->nonholonomic, at, all, wrench);
    if (code == 0)
        code = add_wrench(model, it->friction, at, all, wrench);
    find_frames(model, frames, at, &pair);
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

/* Finds the angle about the only axis, both angles of a universal joint, or the rotation vector. */
static void find_joint_angles(const cardan_joint_def *def, cd_pair *pair, double angle[3])
{
    const cd_free_rotations rotations = cd_joint_free_rotations(def);
    cd_zero(3, angle);
    if (rotations.count < 2)
        (void)cd_rotation_vector.value(pair, angle);
    for (int i = 0; i < rotations.count; i++) {
        const int axis = rotations.axis[i];
        pair->options = cd_angle_options(def, axis);
        angle[axis] = 0.0;
        (void)cd_angle.value(pair, &angle[axis]);
    }
}

cardan_status cardan_model_joint_state(const cardan_model *model, int joint, const cardan_point *at,
                                       double coordinates[6], double rate[6])
{
    if (model == NULL || model->system == NULL || at == NULL || joint < 0 || joint >= model->joints)
        return CARDAN_INVALID_ARGUMENT;
    const cd_joint *it = &model->joint[joint];
    if (it->kind->def.type == CARDAN_JOINT_GEAR)
        return CARDAN_INVALID_ARGUMENT; /* the joints that it couples have coordinates */
    cd_pair pair;
    find_frames(model, it, at, &pair);
    cd_apply_transposed3(pair.one.axes, pair.d, coordinates);
    find_joint_angles(&it->kind->def, &pair, coordinates + 3);
    cd_apply_transposed3(pair.one.axes, pair.v, rate);
    cd_apply_transposed3(pair.one.axes, pair.w, rate + 3);
    const cd_free_rotations rotations = cd_joint_free_rotations(&it->kind->def);
    if (rotations.count == 2) {
        double axis[3];
        cd_marker_axis(&pair.two, rotations.axis[1], axis);
        rate[3 + rotations.axis[1]] = cd_dot3(axis, pair.w);
    }
    return CARDAN_OK;
}

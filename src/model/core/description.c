/* The contents of a model as they were added: definitions, gravity, and shapes for pictures. */
#include "model.h"

bool cardan_model_body(const cardan_model *model, int body, cardan_body_def *def)
{
    if (model == NULL || def == NULL || body < 0 || body >= model->bodies)
        return false;
    const cd_body *it = &model->body[body];
    *def = it->body_kind->def;
    def->name = it->name;
    cd_copy(3, it->position, def->position);
    cd_copy(4, it->initial_motion->orientation, def->orientation);
    cd_copy(3, it->initial_motion->velocity, def->velocity);
    cd_copy(3, it->initial_motion->angular_velocity, def->angular_velocity);
    return true;
}

bool cardan_model_joint(const cardan_model *model, int joint, cardan_joint_def *def)
{
    if (model == NULL || def == NULL || joint < 0 || joint >= model->joints)
        return false;
    const cd_joint *it = &model->joint[joint];
    *def = it->kind->def;
    def->name = it->name;
    def->body1 = it->body[0];
    def->body2 = it->body[1];
    return true;
}

bool cardan_model_force(const cardan_model *model, int force, cardan_force_def *def)
{
    if (model == NULL || def == NULL || force < 0 || force >= model->forces)
        return false;
    *def = *model->force[force].def;
    return true;
}

cardan_model_info cardan_model_describe(const cardan_model *model)
{
    cardan_model_info info = {0};
    if (model == NULL)
        return info;
    info.body_count = model->bodies;
    info.joint_count = model->joints;
    info.force_count = model->forces;
    info.shape_count = model->shapes;
    cd_copy(3, model->gravity, info.gravity);
    return info;
}

const cardan_shape *cardan_model_shape(const cardan_model *model, int shape, int *body)
{
    if (model == NULL || shape < 0 || shape >= model->shapes)
        return NULL;
    if (body != NULL)
        *body = model->shape[shape].body;
    return &model->shape[shape].shape;
}

static cardan_status check_shape(cardan_model *model, const cardan_shape *shape)
{
    if (shape == NULL || (unsigned)shape->type > CARDAN_SOLID_RING)
        return cd_invalid(&model->error, "there is no such type of shape");
    if (cd_first_not_finite(3, shape->size) >= 0 || cd_first_not_finite(3, shape->position) >= 0 ||
        cd_first_not_finite(4, shape->orientation) >= 0)
        return cd_invalid(&model->error, "a shape holds a number that is not finite");
    return CARDAN_OK;
}

cardan_status cardan_model_add_shape(cardan_model *model, int body, const cardan_shape *shape)
{
    cardan_status status = cd_model_check_unbuilt(model);
    if (status == CARDAN_OK)
        status = cd_model_check_body(model, "shape", body);
    if (status == CARDAN_OK)
        status = check_shape(model, shape);
    if (status != CARDAN_OK)
        return status;
    cd_shape *shapes = cd_grow(&model->allocator, model->shape, model->shapes,
                               &model->shape_capacity, sizeof *shapes);
    if (shapes == NULL)
        return cd_model_exhausted(model);
    model->shape = shapes;
    shapes[model->shapes++] = (cd_shape){body, *shape};
    return CARDAN_OK;
}

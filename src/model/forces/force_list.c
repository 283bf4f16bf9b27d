/* Adding forces to a model: checks of a definition and of what it refers to, and its element. */
#include "force.h"
#include "model/core/model.h"

/* Checks that bodies, frames, signal and joint of a definition exist. */
static cardan_status check_references(cardan_model *model, const char *name,
                                      const cardan_force_def *def)
{
    const int body[2] = {def->body1, def->body2};
    const cardan_status status = cd_model_check_pair(model, name, body, &def->frame1, &def->frame2);
    if (status != CARDAN_OK)
        return status;
    if (def->signal != CARDAN_NONE && (def->signal < 0 || def->signal >= model->signals))
        return cd_invalid(&model->error, "force `%s`: there is no signal %d (there are %d)", name,
                          def->signal, model->signals);
    if (def->joint != CARDAN_NONE && (def->joint < 0 || def->joint >= model->joints))
        return cd_invalid(&model->error, "force `%s`: there is no joint %d (there are %d)", name,
                          def->joint, model->joints);
    return CARDAN_OK;
}

/* Finds bodies and markers: those of the definition, or of the joint that it names. */
static cardan_status find_references(cardan_model *model, const char *name,
                                     const cardan_force_def *def, const cd_force_kind *kind,
                                     cd_force_references *references)
{
    *references = (cd_force_references){.body = {def->body1, def->body2},
                                        .signal = cd_model_signal(model, def->signal)};
    if (def->joint != CARDAN_NONE && def->type == CARDAN_FORCE_MOTOR) {
        const cd_joint *joint = &model->joint[def->joint];
        if (joint->kind->def.type == CARDAN_JOINT_GEAR)
            return cd_invalid(&model->error,
                              "force `%s`: `%s` is a gear; name one of the joints that it couples",
                              name, joint->name);
        references->joint = &joint->kind->def;
        references->body[0] = joint->body[0];
        references->body[1] = joint->body[1];
        references->marker[0] = joint->kind->marker[0];
        references->marker[1] = joint->kind->marker[1];
        return CARDAN_OK;
    }
    if (kind->single ? def->body2 == CARDAN_GROUND : def->body1 == def->body2)
        return cd_invalid(
            &model->error,
            kind->single ? "force `%s` acts on body2, which is ground; name a body"
                         : "force `%s` acts between a body and itself; body1 and body2 must differ",
            name);
    references->marker[0] = cd_model_marker(model, def->body1, &def->frame1);
    references->marker[1] = cd_model_marker(model, def->body2, &def->frame2);
    return CARDAN_OK;
}

/* Adds the element of a force, and its turn counter if it needs one. */
static cardan_status add_element(cardan_model *model, cd_force *force)
{
    const cd_force_kind *kind = cd_force_kind_of(force->def->type);
    cd_force_references references;
    cd_element element = {.name = force->name};
    int tie;
    cardan_status status = find_references(model, force->name, force->def, kind, &references);
    if (status == CARDAN_OK && kind->counts_turns)
        status = cd_model_add_driven_counter(model, force->name, references.body, references.marker,
                                             2, &references.counter, &tie);
    if (status != CARDAN_OK)
        return status;
    if (cd_force_make(&model->arena, force->def, &references, &element, &model->error) != CARDAN_OK)
        return cd_model_prefix_message(model, "force", force->name);
    return cd_model_add_element(model, &element, &force->element);
}

cardan_status cardan_model_add_force(cardan_model *model, const cardan_force_def *def, int *number)
{
    cardan_status status = cd_model_check_unbuilt(model);
    if (status == CARDAN_OK)
        status = cd_force_check_cookie(def, &model->error);
    if (status != CARDAN_OK)
        return status;
    cardan_force_def *kept = cd_model_allocate(model, sizeof *kept);
    if (kept == NULL)
        return cd_model_exhausted(model);
    cd_force force = {.def = kept};
    *kept = *def;
    status = cd_model_make_name(model, "force", &model->force_names, def->name, &force.name);
    if (status != CARDAN_OK)
        return status;
    kept->name = force.name;
    if (cd_force_check(def, &model->error) != CARDAN_OK)
        return cd_model_prefix_message(model, "force", force.name);
    status = check_references(model, force.name, def);
    if (status == CARDAN_OK)
        status = add_element(model, &force);
    if (status != CARDAN_OK)
        return status;
    cd_force *forces = cd_grow(&model->allocator, model->force, model->forces,
                               &model->force_capacity, sizeof *forces);
    if (forces == NULL)
        return cd_model_exhausted(model);
    model->force = forces;
    if (!cd_index_add(&model->force_names, force.name))
        return cd_model_exhausted(model);
    model->force[model->forces] = force;
    if (number != NULL)
        *number = model->forces;
    model->forces++;
    return CARDAN_OK;
}

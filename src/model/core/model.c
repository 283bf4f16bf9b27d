/* A model as a container: names, messages, adding elements. */
#include "model.h"

#include "base/error.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

const char *cardan_model_message(const cardan_model *model)
{
    return model != NULL ? model->error.text : CD_ABSENT("model");
}

cardan_status cd_model_check_unbuilt(cardan_model *model)
{
    if (model == NULL)
        return CARDAN_INVALID_ARGUMENT;
    if (model->system != NULL)
        return cd_invalid(&model->error,
                          "the model is built: nothing can be added or changed any more");
    return cd_succeed(&model->error);
}

cardan_status cd_model_exhausted(cardan_model *model)
{
    return cd_fail(&model->error, CARDAN_OUT_OF_MEMORY, "no memory for the model");
}

cardan_status cd_model_prefix_message(cardan_model *model, const char *kind, const char *name)
{
    const cardan_error error = model->error;
    return cd_fail(&model->error, error.status, "%s `%s`: %s", kind, name, error.text);
}

void *cd_model_allocate(cardan_model *model, size_t size)
{
    return cd_arena_take(&model->arena, size);
}

const void *cd_model_share(cardan_model *model, const void *data, size_t size)
{
    return cd_index_keep(&model->shared, &model->arena, data, size);
}

cardan_status cardan_model_set_gravity(cardan_model *model, const double gravity[3])
{
    cardan_status status = cd_model_check_unbuilt(model);
    if (status != CARDAN_OK)
        return status;
    if (gravity == NULL || cd_first_not_finite(3, gravity) >= 0)
        return cd_invalid(&model->error,
                          "gravity must be three finite numbers, (0, 0, -9.81) for example");
    cd_copy(3, gravity, model->gravity);
    return CARDAN_OK;
}

cardan_status cd_model_make_name(cardan_model *model, const char *kind, const cd_index *names,
                                 const char *name, const char **copy)
{
    char made[64];
    if (name == NULL) {
        snprintf(made, sizeof made, "%s %d", kind, names->count);
        name = made;
    }
    if (name[0] == '\0')
        return cd_invalid(&model->error, "the name of %s %d is empty; leave it out or give one",
                          kind, names->count);
    if (cd_index_find(names, name) >= 0)
        return cd_invalid(&model->error,
                          "there is a %s `%s` already; names of the same kind must differ", kind,
                          name);
    *copy = cd_arena_string(&model->arena, name);
    return *copy != NULL ? CARDAN_OK : cd_model_exhausted(model);
}

static const char *find_listed_name(const void *list, int i)
{
    return cd_index_name(list, i);
}

/* NULL if there are no such elements. */
static const cd_index *names_of(const cardan_model *model, cardan_element kind)
{
    switch (kind) {
    case CARDAN_ELEMENT_BODY:
        return &model->body_names;
    case CARDAN_ELEMENT_JOINT:
        return &model->joint_names;
    case CARDAN_ELEMENT_FORCE:
        return &model->force_names;
    }
    return NULL;
}

cardan_status cardan_model_find(cardan_model *model, cardan_element kind, const char *name,
                                int *number)
{
    static const char *const words[] = {"body", "joint", "force"};
    if (model == NULL)
        return cd_absent(NULL, "model");
    const cd_index *names = names_of(model, kind);
    if (names == NULL)
        return cd_invalid(&model->error, "%d is no kind of element", (int)kind);
    if (name == NULL || number == NULL)
        return CARDAN_INVALID_ARGUMENT;
    *number = cd_index_find(names, name);
    if (*number >= 0)
        return cd_succeed(&model->error);
    const int nearest = cd_nearest_name(name, names, names->count, find_listed_name);
    if (nearest >= 0)
        return cd_fail(&model->error, CARDAN_UNKNOWN_NAME,
                       "there is no %s `%s`; did you mean `%s`?", words[kind], name,
                       cd_index_name(names, nearest));
    return cd_fail(&model->error, CARDAN_UNKNOWN_NAME, "there is no %s `%s`", words[kind], name);
}

const char *cardan_model_name(const cardan_model *model, cardan_element kind, int number)
{
    if (model == NULL)
        return NULL;
    if (kind == CARDAN_ELEMENT_BODY && number == CARDAN_GROUND)
        return "ground";
    const cd_index *names = names_of(model, kind);
    return names != NULL && number >= 0 && number < names->count ? cd_index_name(names, number)
                                                                 : "";
}

cardan_status cd_model_check_body(cardan_model *model, const char *what, int body)
{
    if (body == CARDAN_GROUND || (body >= 0 && body < model->bodies))
        return CARDAN_OK;
    return cd_invalid(&model->error,
                      "`%s` names body %d, but there are only the bodies 0 to %d and ground (%d)",
                      what, body, model->bodies - 1, CARDAN_GROUND);
}

static cardan_status check_frame(cardan_model *model, const char *what, const char *which,
                                 const cardan_frame *frame)
{
    if (cd_first_not_finite(3, frame->position) >= 0 ||
        cd_first_not_finite(4, frame->orientation) >= 0)
        return cd_invalid(&model->error, "`%s`: %s holds a number that is not finite", what, which);
    if (!(cd_max_abs(4, frame->orientation) > 0.0))
        return cd_invalid(&model->error,
                          "`%s`: the quaternion of %s is zero; (1, 0, 0, 0) stands for no rotation",
                          what, which);
    return CARDAN_OK;
}

cardan_status cd_model_check_pair(cardan_model *model, const char *what, const int body[2],
                                  const cardan_frame *frame1, const cardan_frame *frame2)
{
    cardan_status status = cd_model_check_body(model, what, body[0]);
    if (status == CARDAN_OK)
        status = cd_model_check_body(model, what, body[1]);
    if (status == CARDAN_OK)
        status = check_frame(model, what, "frame1", frame1);
    return status == CARDAN_OK ? check_frame(model, what, "frame2", frame2) : status;
}

cd_marker cd_model_marker(const cardan_model *model, int body, const cardan_frame *frame)
{
    cd_marker marker;
    cd_unit_quaternion_matrix(frame->orientation, marker.axes);
    cd_copy(3, frame->position, marker.offset);
    if (body != CARDAN_GROUND)
        cd_add(3, -1.0, model->body[body].body_kind->center_of_mass, marker.offset);
    return marker;
}

cardan_status cd_model_add_element(cardan_model *model, const cd_element *element, int *number)
{
    cd_element *elements = cd_grow(&model->allocator, model->element, model->elements,
                                   &model->element_capacity, sizeof *elements);
    if (elements == NULL)
        return cd_model_exhausted(model);
    model->element = elements;
    cd_element *added = &model->element[model->elements];
    *added = *element;
    if (added->type->constraint != NULL) {
        added->first_row = model->constraints;
        model->constraints += added->rows;
    }
    if (added->type->nonholonomic != NULL) {
        added->first_nonholonomic = model->nonholonomic;
        model->nonholonomic += added->nonholonomic;
    }
    *number = model->elements++;
    return CARDAN_OK;
}

const cd_signal *cd_model_signal(const cardan_model *model, int signal)
{
    return signal == CARDAN_NONE ? NULL : model->signal[signal];
}

/* Creating and destroying a model. */
#include "model/redundancy/reduction.h"

cardan_status cardan_model_create(cardan_model **model, const cardan_allocator *allocator)
{
    if (model == NULL)
        return CARDAN_INVALID_ARGUMENT;
    *model = cd_allocate(allocator, sizeof **model);
    if (*model == NULL)
        return CARDAN_OUT_OF_MEMORY;
    if (allocator != NULL)
        (*model)->allocator = *allocator;
    cd_arena_init(&(*model)->arena, allocator);
    cd_arena_init(&(*model)->layout_arena, allocator);
    cd_index_init(&(*model)->body_names, allocator);
    cd_index_init(&(*model)->joint_names, allocator);
    cd_index_init(&(*model)->force_names, allocator);
    cd_index_init(&(*model)->shared, allocator);
    return CARDAN_OK;
}

void cardan_model_destroy(cardan_model *model)
{
    if (model == NULL)
        return;
    const cardan_allocator allocator = model->allocator;
    void *const arrays[] = {model->body,           model->counter, model->joint, model->force,
                            (void *)model->signal, model->element, model->shape};
    cardan_system_destroy(model->system);
    cd_reduction_destroy(model->reduction);
    cd_arena_destroy(&model->layout_arena);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cd_release(&allocator, arrays[i]);
    cd_index_destroy(&model->body_names);
    cd_index_destroy(&model->joint_names);
    cd_index_destroy(&model->force_names);
    cd_index_destroy(&model->shared);
    cd_arena_destroy(&model->arena);
    cd_release(&allocator, model);
}

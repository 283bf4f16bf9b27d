/* The signals of a model: adding, evaluation, and what all of them allow as a step. */
#include "model.h"

cardan_status cardan_model_add_signal(cardan_model *model, const cardan_signal_def *def,
                                      int *number)
{
    cardan_status status = cd_model_check_unbuilt(model);
    if (status != CARDAN_OK)
        return status;
    if (def == NULL)
        return cd_invalid(&model->error, "the signal definition is NULL");
    const cd_signal **signals = cd_grow(&model->allocator, (void *)model->signal, model->signals,
                                        &model->signal_capacity, sizeof *signals);
    if (signals == NULL)
        return cd_model_exhausted(model);
    model->signal = signals;
    status = cd_signal_make(&model->arena, def, model->signal, model->signals,
                            &model->signal[model->signals], &model->error);
    if (status != CARDAN_OK)
        return status;
    if (number != NULL)
        *number = model->signals;
    model->signals++;
    return CARDAN_OK;
}

cardan_status cardan_model_signal_at(const cardan_model *model, int signal, double t, double f[3])
{
    if (model == NULL || f == NULL || signal < 0 || signal >= model->signals)
        return CARDAN_INVALID_ARGUMENT;
    cd_signal_at(model->signal[signal], t, f);
    return CARDAN_OK;
}

double cd_model_next_breakpoint(void *context, double t)
{
    const cardan_model *model = context;
    double first = INFINITY;
    for (int i = 0; i < model->signals; i++)
        first = fmin(first, cd_signal_next_breakpoint(model->signal[i], t));
    return first;
}

double cd_model_longest_step(void *context, double t)
{
    const cardan_model *model = context;
    double longest = INFINITY;
    for (int i = 0; i < model->signals; i++)
        longest = fmin(longest, cd_signal_longest_step(model->signal[i], t));
    return longest;
}

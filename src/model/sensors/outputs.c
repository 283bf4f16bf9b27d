/* The named outputs of a model: values, and what is remembered from state to state. */
#include "base/error.h"
#include "base/numeric.h"
#include "group/attitude.h"
#include "model/equations/layout.h"
#include "model/joints/direction.h"
#include "model/joints/turns.h"
#include "model/redundancy/reduction.h"
#include "output_names.h"

#include <cardan/outputs.h>

struct cardan_outputs {
    cd_arena arena;
    const cardan_model *model;
    cardan_sensors *sensors; /* or NULL */
    cd_output_names names;
    cd_turns *turns; /* of the angles of joints, in their order */
    int angles;
};

/* ---- values ---- */

static double *write_body(const cardan_model *model, int body, const cardan_point *at,
                          double *values)
{
    cardan_body_state state;
    if (cardan_model_body_state(model, body, at, &state) != CARDAN_OK) {
        for (int i = 0; i < CD_BODY_OUTPUTS; i++)
            values[i] = NAN;
        return values + CD_BODY_OUTPUTS;
    }
    cd_copy(3, state.position, values);
    cd_attitude_quaternion(state.rotation, values + 3);
    cd_copy(3, state.velocity, values + 7);
    cd_copy(3, state.angular_velocity, values + 10);
    return values + CD_BODY_OUTPUTS;
}

/* `all`: multipliers of all rows, where some of them are left out; else NULL. */
static double *write_wrench(const cardan_model *model, int joint, const cardan_point *at,
                            const double *all, double *values)
{
    if (!cd_has_wrench(&model->joint[joint].kind->def))
        return values;
    const bool known = all != NULL || !model->layout->reduced;
    if (!known || cd_joint_wrench(model, joint, at, all, values, values + 3) != CARDAN_OK)
        for (int i = 0; i < CD_WRENCH_OUTPUTS; i++)
            values[i] = NAN;
    return values + CD_WRENCH_OUTPUTS;
}

/* Places and rates of the coordinates. `turns` are those of the joint's angles; returns how many it
 * has. */
static int write_coordinates(const cardan_model *model, int joint, const cardan_point *at,
                             const cd_turns *turns, double **values)
{
    cd_coordinate list[CD_COORDINATES];
    const int count = cd_coordinates_of(&model->joint[joint].kind->def, list);
    double place[6], rate[6];
    int angles = 0;
    if (count == 0)
        return 0;
    if (cardan_model_joint_state(model, joint, at, place, rate) != CARDAN_OK)
        for (int i = 0; i < 6; i++)
            place[i] = rate[i] = NAN;
    for (int i = 0; i < count; i++) {
        const int index = list[i].index;
        if (index >= 3)
            place[index] = cd_joint_angle(model, joint, index, at, place[index], rate[index],
                                          &turns[angles++]);
        *(*values)++ = place[index];
        *(*values)++ = rate[index];
    }
    return angles;
}

cardan_status cardan_outputs_measure(const cardan_outputs *self, const cardan_point *at,
                                     double *values)
{
    if (self == NULL || at == NULL || values == NULL)
        return CARDAN_INVALID_ARGUMENT;
    const cardan_model *model = self->model;
    for (int i = 0; i < cardan_model_describe(model).body_count; i++)
        values = write_body(model, i, at, values);
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    const double *all = model->layout->reduced ? cd_reduction_distribute(model, &arena, at) : NULL;
    const cd_turns *turns = self->turns;
    for (int i = 0; i < cardan_model_describe(model).joint_count; i++) {
        values = write_wrench(model, i, at, all, values);
        turns += write_coordinates(model, i, at, turns, &values);
    }
    cd_arena_destroy(&arena);
    const int sensors = self->names.sensors;
    if (sensors > 0 && cardan_sensors_measure(self->sensors, at, values) != CARDAN_OK)
        for (int i = 0; i < sensors; i++)
            values[i] = NAN;
    return CARDAN_OK;
}

/* ---- what is remembered ---- */

static int count_angles(const cardan_model *model)
{
    int count = 0;
    for (int i = 0; i < cardan_model_describe(model).joint_count; i++)
        count += cd_joint_turning(&model->joint[i].kind->def).count;
    return count;
}

cardan_status cardan_outputs_follow(cardan_outputs *self, const cardan_point *at)
{
    if (self == NULL || at == NULL)
        return CARDAN_INVALID_ARGUMENT;
    cd_turns *turns = self->turns;
    for (int i = 0; i < cardan_model_describe(self->model).joint_count; i++) {
        double values[2 * CD_COORDINATES], *end = values;
        if (cd_joint_turning(&self->model->joint[i].kind->def).count == 0)
            continue;
        const int angles = write_coordinates(self->model, i, at, turns, &end);
        for (int j = 0; j < angles; j++)
            cd_turns_move(turns++, at->t, values[2 * j], values[2 * j + 1]);
    }
    if (self->sensors != NULL)
        (void)cardan_sensors_follow(self->sensors, at); /* outputs tell what cannot be measured */
    return CARDAN_OK;
}

int cardan_outputs_memory_count(const cardan_outputs *self)
{
    if (self == NULL)
        return 0;
    return cd_reduction_numbers(self->model) + CD_TURNS_NUMBERS * self->angles +
           (self->sensors != NULL ? cardan_sensors_memory_count(self->sensors) : 0);
}

cardan_status cardan_outputs_save(const cardan_outputs *self, double *memory)
{
    if (self == NULL || memory == NULL)
        return CARDAN_INVALID_ARGUMENT;
    cd_reduction_save(self->model, memory);
    memory += cd_reduction_numbers(self->model);
    for (int i = 0; i < self->angles; i++)
        cd_turns_save(&self->turns[i], memory + CD_TURNS_NUMBERS * i);
    if (self->sensors != NULL)
        cardan_sensors_save(self->sensors, memory + CD_TURNS_NUMBERS * self->angles);
    return CARDAN_OK;
}

cardan_status cardan_outputs_load(cardan_outputs *self, const double *memory)
{
    if (self == NULL || memory == NULL)
        return CARDAN_INVALID_ARGUMENT;
    const cardan_status status = cd_reduction_load((cardan_model *)self->model, memory);
    if (status != CARDAN_OK)
        return status;
    memory += cd_reduction_numbers(self->model);
    for (int i = 0; i < self->angles; i++)
        cd_turns_load(&self->turns[i], memory + CD_TURNS_NUMBERS * i);
    if (self->sensors != NULL)
        cardan_sensors_load(self->sensors, memory + CD_TURNS_NUMBERS * self->angles);
    return CARDAN_OK;
}

/* ---- making them ---- */

int cardan_outputs_count(const cardan_outputs *self)
{
    return self != NULL ? self->names.count : 0;
}

size_t cardan_outputs_name(const cardan_outputs *self, int i, char *text, size_t size)
{
    if (self == NULL || i < 0 || i >= self->names.count)
        return 0;
    return cd_output_name(&self->names, i, text, size);
}

cardan_status cardan_outputs_create(cardan_outputs **outputs, const cardan_model *model,
                                    cardan_sensors *sensors, cardan_error *error)
{
    if (outputs == NULL || model == NULL || cardan_model_system(model) == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "outputs are those of a model that has been built");
    *outputs = NULL;
    cardan_outputs *made = cd_allocate(NULL, sizeof *made);
    if (made == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the outputs");
    *made = (cardan_outputs){.model = model, .sensors = sensors, .angles = count_angles(model)};
    cd_arena_init(&made->arena, NULL);
    made->turns = cd_arena_take(&made->arena, ((size_t)made->angles + 1) * sizeof *made->turns);
    cd_output_names_make(&made->arena, model, sensors, &made->names);
    if (made->arena.failed) {
        cardan_outputs_destroy(made);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the outputs");
    }
    *outputs = made;
    return cd_succeed(error);
}

void cardan_outputs_destroy(cardan_outputs *outputs)
{
    if (outputs == NULL)
        return;
    cd_arena_destroy(&outputs->arena);
    cd_release(NULL, outputs);
}

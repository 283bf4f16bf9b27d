/* The named outputs of a model (cardan/outputs.h), with angles counted from state to state. */
#include "base/error.h"
#include "base/numeric.h"
#include "group/rotation.h"
#include "model/equations/layout.h"
#include "model/joints/direction.h"
#include "model/joints/turns.h"
#include "model/redundancy/reduction.h"
#include "output_names.h"
#include "sensor.h"

#include <cardan/outputs.h>

struct cardan_outputs {
    cd_arena arena;
    const cardan_model *model;
    cd_sensors sensors;
    cd_output_names names;
    int angles; /* number of joint angles, which are the first in sensors.turns */
};

/* Writes the outputs of a body, and returns where the next ones go. */
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
    cd_rotation_quaternion(state.rotation, values + 3);
    cd_copy(3, state.velocity, values + 7);
    cd_copy(3, state.angular_velocity, values + 10);
    return values + CD_BODY_OUTPUTS;
}

/* Writes the wrench of a joint; returns where the next ones go. `all`: cd_joint_wrench. */
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

/* Writes positions and rates of a joint's coordinates, and moves *values behind them. `turns` are
 * those of its angles. Returns how many angles it has. */
static int write_coordinates(const cardan_model *model, int joint, const cardan_point *at,
                             const cd_turns *turns, double **values)
{
    cd_coordinate list[CD_COORDINATES];
    const int count = cd_list_coordinates(&model->joint[joint].kind->def, list);
    double position[6], rate[6];
    int angles = 0;
    if (count == 0)
        return 0;
    if (cardan_model_joint_state(model, joint, at, position, rate) != CARDAN_OK)
        for (int i = 0; i < 6; i++)
            position[i] = rate[i] = NAN;
    for (int i = 0; i < count; i++) {
        const int index = list[i].index;
        if (index >= 3)
            position[index] = cd_joint_whole_angle(model, joint, index, at, position[index],
                                                   rate[index], &turns[angles++]);
        *(*values)++ = position[index];
        *(*values)++ = rate[index];
    }
    return angles;
}

/* Writes the outputs of all bodies and joints, and returns where the next ones go. */
static double *write_elements(const cardan_outputs *self, const cardan_point *at, double *values)
{
    const cardan_model *model = self->model;
    for (int i = 0; i < model->bodies; i++)
        values = write_body(model, i, at, values);
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    const double *all = model->layout->reduced ? cd_reduction_distribute(model, &arena, at) : NULL;
    const cd_turns *turns = self->sensors.turns;
    for (int i = 0; i < model->joints; i++) {
        values = write_wrench(model, i, at, all, values);
        turns += write_coordinates(model, i, at, turns, &values);
    }
    cd_arena_destroy(&arena);
    return values;
}

cardan_status cardan_outputs_measure(cardan_outputs *self, const cardan_point *at, double *values)
{
    if (self == NULL || at == NULL || values == NULL)
        return CARDAN_INVALID_ARGUMENT;
    if (self->names.count > 0)
        values = write_elements(self, at, values);
    const int sensors = self->sensors.outputs;
    if (sensors > 0 && cd_sensors_measure(&self->sensors, at, values) != CARDAN_OK)
        for (int i = 0; i < sensors; i++)
            values[i] = NAN;
    return CARDAN_OK;
}

static int count_angles(const cardan_model *model)
{
    int count = 0;
    for (int i = 0; i < model->joints; i++)
        count += cd_joint_free_rotations(&model->joint[i].kind->def).count;
    return count;
}

cardan_status cardan_outputs_follow(cardan_outputs *self, const cardan_point *at)
{
    if (self == NULL || at == NULL)
        return CARDAN_INVALID_ARGUMENT;
    cd_turns *turns = self->sensors.turns;
    for (int i = 0; self->angles > 0 && i < self->model->joints; i++) {
        double values[2 * CD_COORDINATES], *end = values;
        if (cd_joint_free_rotations(&self->model->joint[i].kind->def).count == 0)
            continue;
        const int angles = write_coordinates(self->model, i, at, turns, &end);
        for (int j = 0; j < angles; j++)
            cd_turns_remember(turns++, at->t, values[2 * j], values[2 * j + 1]);
    }
    (void)cd_sensors_measure(&self->sensors, at, NULL); /* a failure shows as NAN in the outputs */
    return CARDAN_OK;
}

int cardan_outputs_save(const cardan_outputs *self, double *memory)
{
    if (self == NULL)
        return 0;
    const int rows = cd_reduction_saved_numbers(self->model);
    const int turns = CD_TURNS_NUMBERS * self->sensors.angles;
    if (memory != NULL) {
        cd_reduction_save(self->model, memory);
        cd_copy(turns, (const double *)self->sensors.turns, memory + rows);
    }
    return rows + turns;
}

cardan_status cardan_outputs_load(cardan_outputs *self, const double *memory)
{
    if (self == NULL)
        return CARDAN_INVALID_ARGUMENT;
    self->sensors.followed = memory != NULL;
    for (int i = 0; memory == NULL && i < self->sensors.angles; i++)
        self->sensors.turns[i].t = NAN;
    if (memory == NULL)
        return CARDAN_OK;
    const cardan_status status = cd_reduction_load((cardan_model *)self->model, memory);
    if (status == CARDAN_OK)
        cd_copy(CD_TURNS_NUMBERS * self->sensors.angles,
                memory + cd_reduction_saved_numbers(self->model), (double *)self->sensors.turns);
    return status;
}

int cardan_outputs_count(const cardan_outputs *self)
{
    return self != NULL ? self->names.count + self->names.sensors.count : 0;
}

size_t cardan_outputs_name(const cardan_outputs *self, int i, char *text, size_t size)
{
    if (self == NULL || i < 0 || i >= cardan_outputs_count(self))
        return 0;
    return cd_output_name(&self->names, i, text, size);
}

const char *cardan_outputs_unit(const cardan_outputs *self, int i)
{
    if (self == NULL)
        return NULL;
    if (i < 0 || i >= cardan_outputs_count(self))
        return "";
    const int own = self->names.count;
    return i < own ? cd_output_unit(&self->names, i) : self->sensors.output[i - own].unit;
}

cardan_status cardan_outputs_create(cardan_outputs **outputs, const cardan_model *model,
                                    cardan_output_choice which, cardan_error *error)
{
    if (outputs == NULL || model == NULL || cardan_model_system(model) == NULL)
        return cd_invalid(error,
                          "outputs need a model that was built: call cardan_model_build first");
    *outputs = NULL;
    cardan_outputs *made = cd_allocate(&model->allocator, sizeof *made);
    if (made == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the outputs");
    const bool elements = which == CARDAN_OUTPUTS_ALL;
    *made = (cardan_outputs){.model = model, .angles = elements ? count_angles(model) : 0};
    cd_arena_init(&made->arena, &model->allocator);
    cd_sensors_init(&made->sensors, model);
    cd_output_names_make(&made->arena, model, elements, &made->names);
    for (int i = 0; i < made->angles; i++)
        if (cd_sensors_add_angle(&made->sensors) < 0)
            made->arena.failed = true;
    if (made->arena.failed) {
        cardan_outputs_destroy(made);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the outputs");
    }
    *outputs = made;
    return cd_succeed(error);
}

cardan_status cardan_outputs_add(cardan_outputs *self, const cardan_sensor_def *def,
                                 cardan_error *error)
{
    if (self == NULL)
        return cd_absent(error, "list of outputs");
    const int before = self->sensors.outputs;
    const cardan_status status = cd_sensors_add(&self->sensors, def, error);
    if (status != CARDAN_OK)
        return status;
    for (int i = before; i < self->sensors.outputs; i++)
        if (!cd_output_names_add(&self->arena, &self->names, self->sensors.output[i].name))
            return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the name of an output");
    return cd_succeed(error);
}

void cardan_outputs_destroy(cardan_outputs *outputs)
{
    if (outputs == NULL)
        return;
    const cardan_allocator allocator = outputs->sensors.allocator;
    cd_sensors_destroy(&outputs->sensors);
    cd_index_destroy(&outputs->names.sensors);
    cd_arena_destroy(&outputs->arena);
    cd_release(&allocator, outputs);
}

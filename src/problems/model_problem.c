/* A model seen as a problem: what a run, a study or a check needs to know of it. */
#include "problems/problem.h"

#include "base/error.h"
#include "base/numeric.h"
#include "model/direction.h"
#include "model/layout.h"
#include "model/reduction.h"
#include "model/turns.h"
#include "problems/attitude.h"
#include "problems/model_columns.h"

#include <cardan/assembly.h>

#include <stdio.h>
#include <string.h>

typedef struct model_data {
    const cardan_model *model;
    cardan_sensors *sensors; /* or NULL */
    double begin;
    double *q, *v; /* assembled, in `assembled`; NULL: as the bodies are defined */
    cd_arena assembled;
    cardan_assembly *assembly; /* what was changed for that */
    cd_columns columns;
    cd_turns *turns; /* of the angles of joints, in their order */
    int angles;
} model_data;

/* ---- values ---- */

static double *write_body(const cardan_model *model, int body, const cardan_point *at,
                          double *values)
{
    cardan_body_state state;
    if (cardan_model_body_state(model, body, at, &state) != CARDAN_OK) {
        for (int i = 0; i < CD_BODY_COLUMNS; i++)
            values[i] = NAN;
        return values + CD_BODY_COLUMNS;
    }
    cd_copy(3, state.position, values);
    cd_attitude_quaternion(state.rotation, values + 3);
    cd_copy(3, state.velocity, values + 7);
    cd_copy(3, state.angular_velocity, values + 10);
    return values + CD_BODY_COLUMNS;
}

/* `all`: multipliers of all rows, where some of them are left out; else NULL. */
static double *write_wrench(const cardan_model *model, int joint, const cardan_point *at,
                            const double *all, double *values)
{
    if (!cd_has_wrench(&model->joint[joint].kind->def))
        return values;
    const bool known = all != NULL || !model->layout->reduced;
    if (!known || cd_joint_wrench(model, joint, at, all, values, values + 3) != CARDAN_OK)
        for (int i = 0; i < CD_WRENCH_COLUMNS; i++)
            values[i] = NAN;
    return values + CD_WRENCH_COLUMNS;
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

static void write_outputs(const void *data, const cardan_point *at, double *values)
{
    const model_data *self = data;
    const cardan_model *model = self->model;
    for (int i = 0; i < cardan_model_bodies(model); i++)
        values = write_body(model, i, at, values);
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    const double *all = model->layout->reduced ? cd_reduction_distribute(model, &arena, at) : NULL;
    const cd_turns *turns = self->turns;
    for (int i = 0; i < cardan_model_joints(model); i++) {
        values = write_wrench(model, i, at, all, values);
        turns += write_coordinates(model, i, at, turns, &values);
    }
    cd_arena_destroy(&arena);
    const int sensors = self->columns.sensors;
    if (sensors > 0 && cardan_sensors_measure(self->sensors, at, values) != CARDAN_OK)
        for (int i = 0; i < sensors; i++)
            values[i] = NAN;
}

static void write_initial(const void *data, double *q, double *v)
{
    const model_data *it = data;
    const cardan_system *system = cardan_model_system(it->model);
    if (it->q == NULL) {
        cardan_model_initial(it->model, q, v);
        return;
    }
    cd_copy(cardan_group_size(cardan_system_group(system)), it->q, q);
    cd_copy(cardan_system_dof(system), it->v, v);
}

static void write_guess(const void *data, double *lambda, double *psi)
{
    const model_data *it = data;
    const cardan_system *system = cardan_model_system(it->model);
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    double *q = cd_arena_doubles(&arena, cardan_group_size(cardan_system_group(system)));
    double *v = cd_arena_doubles(&arena, cardan_system_dof(system));
    if (!arena.failed) {
        write_initial(data, q, v);
        cardan_model_guess(it->model, it->begin, q, lambda, psi);
    }
    cd_arena_destroy(&arena);
}

/* ---- what is remembered ---- */

static int count_angles(const cardan_model *model)
{
    int count = 0;
    for (int i = 0; i < cardan_model_joints(model); i++)
        count += cd_joint_turning(&model->joint[i].kind->def).count;
    return count;
}

static void follow(void *data, const cardan_point *at)
{
    const model_data *self = data;
    cd_turns *turns = self->turns;
    for (int i = 0; i < cardan_model_joints(self->model); i++) {
        double values[2 * CD_COORDINATES], *end = values;
        if (cd_joint_turning(&self->model->joint[i].kind->def).count == 0)
            continue;
        const int angles = write_coordinates(self->model, i, at, turns, &end);
        for (int j = 0; j < angles; j++)
            cd_turns_move(turns++, at->t, values[2 * j], values[2 * j + 1]);
    }
    if (self->sensors != NULL)
        (void)cardan_sensors_follow(self->sensors, at); /* outputs tell what cannot be measured */
}

static int count_memory(const void *data)
{
    const model_data *self = data;
    return cd_reduction_numbers(self->model) + CD_TURNS_NUMBERS * self->angles +
           (self->sensors != NULL ? cardan_sensors_memory(self->sensors) : 0);
}

static void save_memory(const void *data, double *memory)
{
    const model_data *self = data;
    cd_reduction_save(self->model, memory);
    memory += cd_reduction_numbers(self->model);
    for (int i = 0; i < self->angles; i++)
        cd_turns_save(&self->turns[i], memory + CD_TURNS_NUMBERS * i);
    if (self->sensors != NULL)
        cardan_sensors_save(self->sensors, memory + CD_TURNS_NUMBERS * self->angles);
}

static cardan_status load_memory(void *data, const double *memory)
{
    model_data *self = data;
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

/* It is made anew where other rows are chosen. */
static const cardan_system *present_system(const void *data)
{
    return cardan_model_system(((const model_data *)data)->model);
}

/* ---- the problem ---- */

static size_t name_output(const void *data, int i, char *text, size_t size)
{
    const model_data *self = data;
    return cd_columns_name(&self->columns, i, text, size);
}

static void judge_start(const void *data, cardan_health *health)
{
    const model_data *self = data;
    if (self->assembly != NULL)
        cardan_assembly_judge(self->model, self->assembly, health);
}

static cd_problem_type *make_type(cd_arena *arena, const model_data *data, const char *name)
{
    cd_problem_type *type = cd_arena_take(arena, sizeof *type);
    if (type == NULL)
        return NULL;
    type->name = cd_arena_string(arena, name);
    type->summary = "a model";
    type->reference_text = "none";
    type->output_count = data->columns.count;
    type->name_output = name_output;
    type->output = write_outputs;
    type->initial = write_initial;
    type->guess = write_guess;
    type->follow = follow;
    type->memory = count_memory;
    type->save = save_memory;
    type->load = load_memory;
    type->system = present_system;
    type->judge_start = judge_start;
    return arena->failed ? NULL : type;
}

static void close_assembled(void *data)
{
    model_data *self = data;
    cardan_assembly_destroy(self->assembly);
    cd_arena_destroy(&self->assembled);
}

/* What is as the bodies are defined need not be kept. */
static bool is_as_defined(const model_data *data)
{
    const cardan_system *system = cardan_model_system(data->model);
    const int size = cardan_group_size(cardan_system_group(system));
    const int dof = cardan_system_dof(system);
    cd_arena scratch;
    cd_arena_init(&scratch, NULL);
    double *q = cd_arena_doubles(&scratch, size), *v = cd_arena_doubles(&scratch, dof);
    bool same = !scratch.failed;
    if (same) {
        cardan_model_initial(data->model, q, v);
        same = memcmp(q, data->q, (size_t)size * sizeof *q) == 0 &&
               memcmp(v, data->v, (size_t)dof * sizeof *v) == 0;
    }
    cd_arena_destroy(&scratch);
    return same;
}

/* A model that is only read but for its message. */
static cardan_status assemble(cd_arena *arena, model_data *data, double begin, cardan_error *error)
{
    const cardan_system *system = cardan_model_system(data->model);
    cd_arena_init(&data->assembled, NULL);
    cd_arena_finally(arena, close_assembled, data);
    if (arena->failed) /* nothing would be closed */
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the initial values");
    data->q = cd_arena_doubles(&data->assembled, cardan_group_size(cardan_system_group(system)));
    data->v = cd_arena_doubles(&data->assembled, cardan_system_dof(system));
    if (data->assembled.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the initial values");
    cardan_model_initial(data->model, data->q, data->v);
    const cardan_status status = cardan_model_assemble((cardan_model *)data->model, begin, data->q,
                                                       data->v, &data->assembly, error);
    if (status == CARDAN_OK && is_as_defined(data)) {
        cd_arena_destroy(&data->assembled);
        data->q = data->v = NULL;
    }
    return status;
}

cardan_status cardan_problem_of_model(cardan_problem **problem, const cardan_model *model,
                                      cardan_sensors *sensors, const char *name, double begin,
                                      double end, double step, cardan_error *error)
{
    if (problem == NULL || model == NULL || name == NULL || cardan_model_system(model) == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "a problem is made of a model that has been built, and has a name");
    *problem = NULL;
    cardan_problem *made = cd_allocate(NULL, sizeof *made);
    if (made == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for model %s", name);
    cd_arena_init(&made->arena, NULL);
    model_data *data = cd_arena_take(&made->arena, sizeof *data);
    if (data != NULL)
        *data = (model_data){
            .model = model, .sensors = sensors, .begin = begin, .angles = count_angles(model)};
    if (data != NULL)
        data->turns = cd_arena_take(&made->arena, ((size_t)data->angles + 1) * sizeof *data->turns);
    if (data != NULL)
        cd_columns_make(&made->arena, model, sensors, &data->columns);
    cd_problem_type *type = data != NULL ? make_type(&made->arena, data, name) : NULL;
    if (type == NULL) {
        cardan_problem_destroy(made);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for model %s", name);
    }
    type->end = end;
    type->step = step;
    made->type = type;
    made->begin = begin;
    made->data = data;
    made->borrowed = true;
    made->system = (cardan_system *)cardan_model_system(model);
    cardan_status status = assemble(&made->arena, data, begin, error);
    if (status != CARDAN_OK) {
        cardan_problem_destroy(made);
        return status;
    }
    *problem = made;
    return cd_succeed(error);
}

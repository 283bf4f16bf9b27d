/* A model seen as a problem: what a run, a study or a check needs to know of it. */
#include "problems/problem.h"

#include "base/error.h"
#include "base/numeric.h"
#include "model/layout.h"
#include "model/reduction.h"
#include "problems/attitude.h"

#include <cardan/assembly.h>

#include <stdio.h>
#include <string.h>

/* Columns of a body, and of the forces in a joint. */
static const char *const body_columns[] = {"x",  "y",  "z",  "e0", "e1", "e2", "e3",
                                           "vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const wrench_columns[] = {"fx", "fy", "fz", "mx", "my", "mz"};
enum { BODY_COLUMNS = 13, WRENCH_COLUMNS = 6 };

typedef struct model_data {
    const cardan_model *model;
    cardan_sensors *sensors; /* or NULL */
    double *q, *v;           /* assembled */
} model_data;

static bool turns(const cardan_joint_def *def)
{
    return def->type == CARDAN_JOINT_REVOLUTE || def->type == CARDAN_JOINT_CYLINDRICAL ||
           def->type == CARDAN_JOINT_SCREW;
}

static bool slides(const cardan_joint_def *def)
{
    return def->type == CARDAN_JOINT_PRISMATIC || def->type == CARDAN_JOINT_CYLINDRICAL ||
           def->type == CARDAN_JOINT_SCREW;
}

static bool has_wrench(const cardan_joint_def *def)
{
    return def->type != CARDAN_JOINT_GEAR;
}

static int joint_columns(const cardan_joint_def *def)
{
    return (has_wrench(def) ? WRENCH_COLUMNS : 0) + 2 * turns(def) + 2 * slides(def);
}

static int count_sensors(const cardan_sensors *sensors)
{
    return sensors != NULL ? cardan_sensors_count(sensors) : 0;
}

static int count_columns(const cardan_model *model)
{
    int count = BODY_COLUMNS * cardan_model_bodies(model);
    for (int i = 0; i < cardan_model_joints(model); i++)
        count += joint_columns(&model->joint[i].def);
    return count;
}

/* ---- names ---- */

static void add_name(cd_arena *arena, const char ***names, const char *element, const char *column)
{
    const size_t size = strlen(element) + strlen(column) + 2;
    char *name = cd_arena_take(arena, size);
    if (name != NULL)
        snprintf(name, size, "%s.%s", element, column);
    *(*names)++ = name;
}

static void name_joint(cd_arena *arena, const char ***names, const cardan_joint_def *def)
{
    for (int i = 0; i < WRENCH_COLUMNS && has_wrench(def); i++)
        add_name(arena, names, def->name, wrench_columns[i]);
    if (turns(def)) {
        add_name(arena, names, def->name, "angle");
        add_name(arena, names, def->name, "rate");
    }
    if (slides(def)) {
        add_name(arena, names, def->name, "displacement");
        add_name(arena, names, def->name, "speed");
    }
}

static const char *const *name_columns(cd_arena *arena, const model_data *data, int count)
{
    const cardan_model *model = data->model;
    const char **names = cd_arena_take(arena, (size_t)count * sizeof *names), **next = names;
    if (names == NULL)
        return NULL;
    for (int i = 0; i < cardan_model_bodies(model); i++)
        for (int j = 0; j < BODY_COLUMNS; j++)
            add_name(arena, &next, cardan_model_body_name(model, i), body_columns[j]);
    for (int i = 0; i < cardan_model_joints(model); i++)
        name_joint(arena, &next, &model->joint[i].def);
    for (int i = 0; i < count_sensors(data->sensors); i++)
        *next++ = cd_arena_string(arena, cardan_sensors_name(data->sensors, i));
    return names;
}

/* ---- values ---- */

static double *write_body(const cardan_model *model, int body, const cardan_point *at,
                          double *values)
{
    cardan_body_state state;
    if (cardan_model_body_state(model, body, at, &state) != CARDAN_OK) {
        for (int i = 0; i < BODY_COLUMNS; i++)
            values[i] = NAN;
        return values + BODY_COLUMNS;
    }
    cd_copy(3, state.position, values);
    cd_attitude_quaternion(state.rotation, values + 3);
    cd_copy(3, state.velocity, values + 7);
    cd_copy(3, state.angular_velocity, values + 10);
    return values + BODY_COLUMNS;
}

/* `all`: multipliers of all rows, where some of them are left out; else NULL. */
static double *write_joint(const cardan_model *model, int joint, const cardan_point *at,
                           const double *all, double *values)
{
    const cardan_joint_def *def = &model->joint[joint].def;
    double place[6], rate[6];
    double *const end = values + joint_columns(def);
    if (has_wrench(def)) {
        const bool known = all != NULL || !model->layout->reduced;
        if (!known || cd_joint_wrench(model, joint, at, all, values, values + 3) != CARDAN_OK)
            for (int i = 0; i < WRENCH_COLUMNS; i++)
                values[i] = NAN;
        values += WRENCH_COLUMNS;
    }
    if (values == end)
        return end;
    if (cardan_model_joint_state(model, joint, at, place, rate) != CARDAN_OK)
        for (int i = 0; i < 6; i++)
            place[i] = rate[i] = NAN;
    if (turns(def)) {
        *values++ = place[5];
        *values++ = rate[5];
    }
    if (slides(def)) {
        *values++ = place[2];
        *values++ = rate[2];
    }
    return end;
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
    for (int i = 0; i < cardan_model_joints(model); i++)
        values = write_joint(model, i, at, all, values);
    cd_arena_destroy(&arena);
    const int sensors = count_sensors(self->sensors);
    if (sensors > 0 && cardan_sensors_measure(self->sensors, at, values) != CARDAN_OK)
        for (int i = 0; i < sensors; i++)
            values[i] = NAN;
}

static void write_initial(const void *data, double *q, double *v)
{
    const model_data *it = data;
    const cardan_system *system = cardan_model_system(it->model);
    cd_copy(cardan_group_size(cardan_system_group(system)), it->q, q);
    cd_copy(cardan_system_dof(system), it->v, v);
}

/* ---- the problem ---- */

static cd_problem_type *make_type(cd_arena *arena, const model_data *data, const char *name)
{
    cd_problem_type *type = cd_arena_take(arena, sizeof *type);
    if (type == NULL)
        return NULL;
    type->name = cd_arena_string(arena, name);
    type->summary = "a model";
    type->reference_text = "none";
    type->output_count = count_columns(data->model) + count_sensors(data->sensors);
    type->outputs = name_columns(arena, data, type->output_count);
    type->output = write_outputs;
    type->initial = write_initial;
    return arena->failed ? NULL : type;
}

/* A model that is only read but for its message. */
static cardan_status assemble(cd_arena *arena, model_data *data, double begin, cardan_error *error)
{
    const cardan_system *system = cardan_model_system(data->model);
    data->q = cd_arena_doubles(arena, cardan_group_size(cardan_system_group(system)));
    data->v = cd_arena_doubles(arena, cardan_system_dof(system));
    if (arena->failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the initial values");
    cardan_model_initial(data->model, data->q, data->v);
    return cardan_model_assemble((cardan_model *)data->model, begin, data->q, data->v, NULL, error);
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
        *data = (model_data){.model = model, .sensors = sensors};
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

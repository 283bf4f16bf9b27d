/* A model seen as a problem: what a run, a study or a check needs to know of it. */
#include "problems/problem.h"

#include "base/error.h"
#include "base/numeric.h"
#include "model/direction.h"
#include "model/layout.h"
#include "model/reduction.h"
#include "model/turns.h"
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
    cd_turns *turns;         /* of the angles of joints, in their order */
    int angles;
} model_data;

/* ---- coordinates of joints ---- */

/* A free direction (0 to 5) whose place and rate are columns. */
typedef struct coordinate {
    int index;
    const char *place, *rate;
} coordinate;

enum { COORDINATES = 5 }; /* at most: two angles and three displacements */

/* Angles about axes, then displacements. The axis is named where there are several. */
static int list_coordinates(const cardan_joint_def *def, coordinate list[COORDINATES])
{
    static const coordinate angle = {0, "angle", "rate"}, slide = {0, "displacement", "speed"};
    static const coordinate angles[] = {
        {3, "angle_x", "rate_x"}, {4, "angle_y", "rate_y"}, {5, "angle_z", "rate_z"}};
    static const coordinate slides[] = {{0, "displacement_x", "speed_x"},
                                        {1, "displacement_y", "speed_y"},
                                        {2, "displacement_z", "speed_z"}};
    const cd_turning turning = cd_joint_turning(def);
    const unsigned sliding = cd_free_directions(def) & 7u;
    const bool alone = (sliding & (sliding - 1u)) == 0u;
    int count = 0;
    for (int i = 0; i < turning.count; i++) {
        list[count] = turning.count == 1 ? angle : angles[turning.axis[i]];
        list[count++].index = 3 + turning.axis[i];
    }
    for (int i = 0; i < 3; i++)
        if (sliding >> i & 1u) {
            list[count] = alone ? slide : slides[i];
            list[count++].index = i;
        }
    return count;
}

static bool has_wrench(const cardan_joint_def *def)
{
    return def->type != CARDAN_JOINT_GEAR;
}

static int joint_columns(const cardan_joint_def *def)
{
    coordinate list[COORDINATES];
    return (has_wrench(def) ? WRENCH_COLUMNS : 0) + 2 * list_coordinates(def, list);
}

static int count_sensors(const cardan_sensors *sensors)
{
    return sensors != NULL ? cardan_sensors_count(sensors) : 0;
}

static int count_columns(const cardan_model *model)
{
    int count = BODY_COLUMNS * cardan_model_bodies(model);
    for (int i = 0; i < cardan_model_joints(model); i++)
        count += joint_columns(&model->joint[i].kind->def);
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

static void name_joint(cd_arena *arena, const char ***names, const cd_joint *joint)
{
    const cardan_joint_def *def = &joint->kind->def;
    for (int i = 0; i < WRENCH_COLUMNS && has_wrench(def); i++)
        add_name(arena, names, joint->name, wrench_columns[i]);
    coordinate list[COORDINATES];
    const int count = list_coordinates(def, list);
    for (int i = 0; i < count; i++) {
        add_name(arena, names, joint->name, list[i].place);
        add_name(arena, names, joint->name, list[i].rate);
    }
}

/* The name, or with "_2", "_3", ... behind if there is such a column: a sensor without a name has
 * that of its body. */
static const char *own_name(cd_arena *arena, const cd_index *taken, const char *name)
{
    const size_t size = strlen(name) + 16;
    char *text = cd_arena_take(arena, size);
    if (text == NULL)
        return NULL;
    snprintf(text, size, "%s", name);
    for (int i = 2; cd_index_find(taken, text) >= 0; i++)
        snprintf(text, size, "%s_%d", name, i);
    return text;
}

static void name_sensors(cd_arena *arena, const cardan_sensors *sensors, const char **names,
                         int before)
{
    const int count = count_sensors(sensors);
    cd_index taken;
    cd_index_init(&taken, NULL);
    bool noted = count > 0 && !arena->failed;
    for (int i = 0; noted && i < before + count; i++) {
        if (i >= before)
            names[i] = own_name(arena, &taken, cardan_sensors_name(sensors, i - before));
        noted = names[i] != NULL && cd_index_add(&taken, names[i]);
    }
    arena->failed = arena->failed || (count > 0 && !noted);
    cd_index_destroy(&taken);
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
        name_joint(arena, &next, &model->joint[i]);
    name_sensors(arena, data->sensors, names, (int)(next - names));
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
static double *write_wrench(const cardan_model *model, int joint, const cardan_point *at,
                            const double *all, double *values)
{
    if (!has_wrench(&model->joint[joint].kind->def))
        return values;
    const bool known = all != NULL || !model->layout->reduced;
    if (!known || cd_joint_wrench(model, joint, at, all, values, values + 3) != CARDAN_OK)
        for (int i = 0; i < WRENCH_COLUMNS; i++)
            values[i] = NAN;
    return values + WRENCH_COLUMNS;
}

/* Places and rates of the coordinates. `turns` are those of the joint's angles; returns how many it
 * has. */
static int write_coordinates(const cardan_model *model, int joint, const cardan_point *at,
                             const cd_turns *turns, double **values)
{
    coordinate list[COORDINATES];
    const int count = list_coordinates(&model->joint[joint].kind->def, list);
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
        double values[2 * COORDINATES], *end = values;
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
    return 1 + CD_TURNS_NUMBERS * self->angles +
           (self->sensors != NULL ? cardan_sensors_memory(self->sensors) : 0);
}

static void save_memory(const void *data, double *memory)
{
    const model_data *self = data;
    *memory++ = cd_reduction_mark(self->model);
    for (int i = 0; i < self->angles; i++)
        cd_turns_save(&self->turns[i], memory + CD_TURNS_NUMBERS * i);
    if (self->sensors != NULL)
        cardan_sensors_save(self->sensors, memory + CD_TURNS_NUMBERS * self->angles);
}

static cardan_status load_memory(void *data, const double *memory)
{
    model_data *self = data;
    if (*memory++ != cd_reduction_mark(self->model))
        return CARDAN_BAD_CHECKPOINT;
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
    type->follow = follow;
    type->memory = count_memory;
    type->save = save_memory;
    type->load = load_memory;
    type->system = present_system;
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
        *data = (model_data){.model = model, .sensors = sensors, .angles = count_angles(model)};
    if (data != NULL)
        data->turns = cd_arena_take(&made->arena, ((size_t)data->angles + 1) * sizeof *data->turns);
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

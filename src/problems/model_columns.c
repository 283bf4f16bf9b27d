/* Which columns there are, and what they are called. */
#include "problems/model_columns.h"

#include "model/direction.h"
#include "model/turns.h"

#include <stdio.h>
#include <string.h>

static const char *const body_columns[CD_BODY_COLUMNS] = {"x",  "y",  "z",  "e0", "e1", "e2", "e3",
                                                          "vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const wrench_columns[CD_WRENCH_COLUMNS] = {"fx", "fy", "fz", "mx", "my", "mz"};

/* The axis is named where there are several. */
int cd_coordinates_of(const cardan_joint_def *def, cd_coordinate list[CD_COORDINATES])
{
    static const cd_coordinate angle = {0, "angle", "rate"}, slide = {0, "displacement", "speed"};
    static const cd_coordinate angles[] = {
        {3, "angle_x", "rate_x"}, {4, "angle_y", "rate_y"}, {5, "angle_z", "rate_z"}};
    static const cd_coordinate slides[] = {{0, "displacement_x", "speed_x"},
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

bool cd_has_wrench(const cardan_joint_def *def)
{
    return def->type != CARDAN_JOINT_GEAR;
}

static int joint_columns(const cardan_joint_def *def)
{
    cd_coordinate list[CD_COORDINATES];
    return (cd_has_wrench(def) ? CD_WRENCH_COLUMNS : 0) + 2 * cd_coordinates_of(def, list);
}

static const char *joint_column(const cardan_joint_def *def, int i)
{
    cd_coordinate list[CD_COORDINATES];
    const int wrench = cd_has_wrench(def) ? CD_WRENCH_COLUMNS : 0;
    if (i < wrench)
        return wrench_columns[i];
    cd_coordinates_of(def, list);
    const cd_coordinate *one = &list[(i - wrench) / 2];
    return (i - wrench) % 2 == 0 ? one->place : one->rate;
}

static size_t join(const char *element, const char *column, char *text, size_t size)
{
    const int length = snprintf(text, size, "%s.%s", element, column);
    return length > 0 ? (size_t)length : 0;
}

/* The joint that has column i. */
static int owner_of(const cd_columns *columns, int i)
{
    int low = 0, high = columns->model->joints - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (columns->joint[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

size_t cd_columns_name(const cd_columns *columns, int i, char *text, size_t size)
{
    const cardan_model *model = columns->model;
    const int sensors = columns->joint[model->joints];
    if (i < CD_BODY_COLUMNS * model->bodies)
        return join(model->body[i / CD_BODY_COLUMNS].name, body_columns[i % CD_BODY_COLUMNS], text,
                    size);
    if (i < sensors) {
        const int number = owner_of(columns, i);
        const cd_joint *joint = &model->joint[number];
        return join(joint->name, joint_column(&joint->kind->def, i - columns->joint[number]), text,
                    size);
    }
    const char *name = columns->sensor_names[i - sensors];
    snprintf(text, size, "%s", name);
    return strlen(name);
}

/* ---- sensors ---- */

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

/* Notes the names of bodies and joints' columns, which are kept in `scratch`. */
static bool take_others(const cd_columns *columns, cd_arena *scratch, cd_index *taken)
{
    for (int i = 0; i < columns->count - columns->sensors; i++) {
        const size_t size = cd_columns_name(columns, i, NULL, 0) + 1;
        char *name = cd_arena_take(scratch, size);
        if (name == NULL)
            return false;
        cd_columns_name(columns, i, name, size);
        if (!cd_index_add(taken, name))
            return false;
    }
    return true;
}

static bool name_sensors(cd_arena *arena, cd_arena *scratch, const cardan_sensors *sensors,
                         cd_columns *columns)
{
    cd_index taken;
    cd_index_init(&taken, NULL);
    bool noted = take_others(columns, scratch, &taken);
    for (int i = 0; noted && i < columns->sensors; i++) {
        const char *name = own_name(arena, &taken, cardan_sensors_name(sensors, i));
        columns->sensor_names[i] = name;
        noted = name != NULL && cd_index_add(&taken, name);
    }
    cd_index_destroy(&taken);
    return noted;
}

void cd_columns_make(cd_arena *arena, const cardan_model *model, const cardan_sensors *sensors,
                     cd_columns *columns)
{
    *columns = (cd_columns){.model = model,
                            .count = CD_BODY_COLUMNS * model->bodies,
                            .sensors = sensors != NULL ? cardan_sensors_count(sensors) : 0};
    const size_t count = (size_t)columns->sensors;
    columns->joint = cd_arena_take(arena, ((size_t)model->joints + 1) * sizeof *columns->joint);
    columns->sensor_names = cd_arena_take(arena, count * sizeof *columns->sensor_names);
    if (arena->failed)
        return;
    for (int i = 0; i < model->joints; i++) {
        columns->joint[i] = columns->count;
        columns->count += joint_columns(&model->joint[i].kind->def);
    }
    columns->joint[model->joints] = columns->count;
    columns->count += columns->sensors;
    if (columns->sensors == 0)
        return;
    cd_arena scratch;
    cd_arena_init(&scratch, NULL);
    arena->failed = !name_sensors(arena, &scratch, sensors, columns);
    cd_arena_destroy(&scratch);
}

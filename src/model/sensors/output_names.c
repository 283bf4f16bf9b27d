/* Which outputs a model has, and what they are called. */
#include "output_names.h"

#include "model/joints/direction.h"
#include "model/joints/turns.h"

#include <stdio.h>
#include <string.h>

static const char *const body_names[CD_BODY_OUTPUTS] = {"x",  "y",  "z",  "e0", "e1", "e2", "e3",
                                                        "vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const wrench_names[CD_WRENCH_OUTPUTS] = {"fx", "fy", "fz", "mx", "my", "mz"};

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

static int joint_outputs(const cardan_joint_def *def)
{
    cd_coordinate list[CD_COORDINATES];
    return (cd_has_wrench(def) ? CD_WRENCH_OUTPUTS : 0) + 2 * cd_coordinates_of(def, list);
}

static const char *joint_output(const cardan_joint_def *def, int i)
{
    cd_coordinate list[CD_COORDINATES];
    const int wrench = cd_has_wrench(def) ? CD_WRENCH_OUTPUTS : 0;
    if (i < wrench)
        return wrench_names[i];
    cd_coordinates_of(def, list);
    const cd_coordinate *one = &list[(i - wrench) / 2];
    return (i - wrench) % 2 == 0 ? one->place : one->rate;
}

static size_t join(const char *element, const char *output, char *text, size_t size)
{
    const int length = snprintf(text, size, "%s.%s", element, output);
    return length > 0 ? (size_t)length : 0;
}

/* The joint that has output i. */
static int owner_of(const cd_output_names *names, int i)
{
    int low = 0, high = names->model->joints - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (names->joint[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

size_t cd_output_name(const cd_output_names *names, int i, char *text, size_t size)
{
    const cardan_model *model = names->model;
    const int sensors = names->joint[model->joints];
    if (i < CD_BODY_OUTPUTS * model->bodies)
        return join(model->body[i / CD_BODY_OUTPUTS].name, body_names[i % CD_BODY_OUTPUTS], text,
                    size);
    if (i < sensors) {
        const int number = owner_of(names, i);
        const cd_joint *joint = &model->joint[number];
        return join(joint->name, joint_output(&joint->kind->def, i - names->joint[number]), text,
                    size);
    }
    const char *name = names->sensor_names[i - sensors];
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

/* Notes the names of bodies and joints' names, which are kept in `scratch`. */
static bool take_others(const cd_output_names *names, cd_arena *scratch, cd_index *taken)
{
    for (int i = 0; i < names->count - names->sensors; i++) {
        const size_t size = cd_output_name(names, i, NULL, 0) + 1;
        char *name = cd_arena_take(scratch, size);
        if (name == NULL)
            return false;
        cd_output_name(names, i, name, size);
        if (!cd_index_add(taken, name))
            return false;
    }
    return true;
}

static bool name_sensors(cd_arena *arena, cd_arena *scratch, const cardan_sensors *sensors,
                         cd_output_names *names)
{
    cd_index taken;
    cd_index_init(&taken, NULL);
    bool noted = take_others(names, scratch, &taken);
    for (int i = 0; noted && i < names->sensors; i++) {
        const char *name = own_name(arena, &taken, cardan_sensors_name(sensors, i));
        names->sensor_names[i] = name;
        noted = name != NULL && cd_index_add(&taken, name);
    }
    cd_index_destroy(&taken);
    return noted;
}

void cd_output_names_make(cd_arena *arena, const cardan_model *model, const cardan_sensors *sensors,
                          cd_output_names *names)
{
    *names = (cd_output_names){.model = model,
                               .count = CD_BODY_OUTPUTS * model->bodies,
                               .sensors = sensors != NULL ? cardan_sensors_count(sensors) : 0};
    const size_t count = (size_t)names->sensors;
    names->joint = cd_arena_take(arena, ((size_t)model->joints + 1) * sizeof *names->joint);
    names->sensor_names = cd_arena_take(arena, count * sizeof *names->sensor_names);
    if (arena->failed)
        return;
    for (int i = 0; i < model->joints; i++) {
        names->joint[i] = names->count;
        names->count += joint_outputs(&model->joint[i].kind->def);
    }
    names->joint[model->joints] = names->count;
    names->count += names->sensors;
    if (names->sensors == 0)
        return;
    cd_arena scratch;
    cd_arena_init(&scratch, NULL);
    arena->failed = !name_sensors(arena, &scratch, sensors, names);
    cd_arena_destroy(&scratch);
}

/* Which outputs a model has, and what they are called. */
#include "output_names.h"

#include "model/joints/direction.h"
#include "model/joints/turns.h"

#include <stdio.h>
#include <string.h>

static const cd_output body_outputs[CD_BODY_OUTPUTS] = {
    {"x", "m"},      {"y", "m"},      {"z", "m"},      {"e0", ""},    {"e1", ""},
    {"e2", ""},      {"e3", ""},      {"vx", "m/s"},   {"vy", "m/s"}, {"vz", "m/s"},
    {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"},
};
static const cd_output wrench_outputs[CD_WRENCH_OUTPUTS] = {
    {"fx", "N"}, {"fy", "N"}, {"fz", "N"}, {"mx", "N m"}, {"my", "N m"}, {"mz", "N m"}};

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

static cd_output joint_output(const cardan_joint_def *def, int i)
{
    cd_coordinate list[CD_COORDINATES];
    const int wrench = cd_has_wrench(def) ? CD_WRENCH_OUTPUTS : 0;
    if (i < wrench)
        return wrench_outputs[i];
    cd_coordinates_of(def, list);
    const cd_coordinate *one = &list[(i - wrench) / 2];
    const bool angle = one->index >= 3;
    return (i - wrench) % 2 == 0 ? (cd_output){one->place, angle ? "rad" : "m"}
                                 : (cd_output){one->rate, angle ? "rad/s" : "m/s"};
}

/* Output i of a body or joint, and whose it is. */
static cd_output output_of(const cd_output_names *names, int i, const char **owner)
{
    const cardan_model *model = names->model;
    if (i < CD_BODY_OUTPUTS * model->bodies) {
        *owner = model->body[i / CD_BODY_OUTPUTS].name;
        return body_outputs[i % CD_BODY_OUTPUTS];
    }
    const int number = cd_last_up_to(i, model->joints, names->joint, sizeof *names->joint);
    const cd_joint *joint = &model->joint[number];
    *owner = joint->name;
    return joint_output(&joint->kind->def, i - names->joint[number]);
}

size_t cd_output_name(const cd_output_names *names, int i, char *text, size_t size)
{
    const char *owner;
    if (i >= names->count) {
        const char *name = cd_index_name(&names->sensors, i - names->count);
        snprintf(text, size, "%s", name);
        return strlen(name);
    }
    const cd_output output = output_of(names, i, &owner);
    const int length = snprintf(text, size, "%s.%s", owner, output.name);
    return length > 0 ? (size_t)length : 0;
}

const char *cd_output_unit(const cd_output_names *names, int i)
{
    const char *owner;
    return output_of(names, i, &owner).unit;
}

/* ---- sensors ---- */

static bool is_output_of(const cardan_model *model, const char *owner, const char *output)
{
    const int joint = cd_index_find(&model->joint_names, owner);
    const cardan_joint_def *def = joint >= 0 ? &model->joint[joint].kind->def : NULL;
    const bool body = cd_index_find(&model->body_names, owner) >= 0;
    bool found = false;
    for (int i = 0; body && i < CD_BODY_OUTPUTS; i++)
        found = found || strcmp(body_outputs[i].name, output) == 0;
    for (int i = 0; def != NULL && i < joint_outputs(def); i++)
        found = found || strcmp(joint_output(def, i).name, output) == 0;
    return found;
}

/* Whether an output has this name; `owner` is room for it. */
static bool is_taken(const cd_output_names *names, const char *name, char *owner)
{
    const char *dot = strrchr(name, '.');
    if (cd_index_find(&names->sensors, name) >= 0)
        return true;
    if (names->joint == NULL || dot == NULL)
        return false;
    memcpy(owner, name, (size_t)(dot - name));
    owner[dot - name] = '\0';
    return is_output_of(names->model, owner, dot + 1);
}

bool cd_output_names_add(cd_arena *arena, cd_output_names *names, const char *name)
{
    const size_t size = strlen(name) + 16;
    char *text = cd_arena_take(arena, 2 * size);
    if (text == NULL)
        return false;
    snprintf(text, size, "%s", name);
    for (int i = 2; is_taken(names, text, text + size); i++)
        snprintf(text, size, "%s_%d", name, i);
    return cd_index_add(&names->sensors, text);
}

void cd_output_names_make(cd_arena *arena, const cardan_model *model, bool elements,
                          cd_output_names *names)
{
    *names = (cd_output_names){.model = model};
    cd_index_init(&names->sensors, NULL);
    if (!elements)
        return;
    names->joint = cd_arena_take(arena, ((size_t)model->joints + 1) * sizeof *names->joint);
    if (arena->failed)
        return;
    names->count = CD_BODY_OUTPUTS * model->bodies;
    for (int i = 0; i < model->joints; i++) {
        names->joint[i] = names->count;
        names->count += joint_outputs(&model->joint[i].kind->def);
    }
    names->joint[model->joints] = names->count;
}

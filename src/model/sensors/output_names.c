/* The outputs of a model with their names and units. */
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

/* The names contain the axis if there are several angles or displacements. */
int cd_list_coordinates(const cardan_joint_def *def, cd_coordinate list[CD_COORDINATES])
{
    static const cd_coordinate angle = {0, "angle", "rate"}, slide = {0, "displacement", "speed"};
    static const cd_coordinate angles[] = {
        {3, "angle_x", "rate_x"}, {4, "angle_y", "rate_y"}, {5, "angle_z", "rate_z"}};
    static const cd_coordinate slides[] = {{0, "displacement_x", "speed_x"},
                                           {1, "displacement_y", "speed_y"},
                                           {2, "displacement_z", "speed_z"}};
    const cd_free_rotations rotations = cd_joint_free_rotations(def);
    const unsigned sliding = cd_free_directions(def) & 7u;
    const bool alone = (sliding & (sliding - 1u)) == 0u;
    int count = 0;
    for (int i = 0; i < rotations.count; i++) {
        list[count] = rotations.count == 1 ? angle : angles[rotations.axis[i]];
        list[count++].index = 3 + rotations.axis[i];
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

/* The number of outputs of a joint: wrench, then coordinates and rates. */
static int count_joint_outputs(const cardan_joint_def *def)
{
    cd_coordinate list[CD_COORDINATES];
    return (cd_has_wrench(def) ? CD_WRENCH_OUTPUTS : 0) + 2 * cd_list_coordinates(def, list);
}

/* Output i of a joint. */
static cd_output find_joint_output(const cardan_joint_def *def, int i)
{
    cd_coordinate list[CD_COORDINATES];
    const int wrench = cd_has_wrench(def) ? CD_WRENCH_OUTPUTS : 0;
    if (i < wrench)
        return wrench_outputs[i];
    cd_list_coordinates(def, list);
    const cd_coordinate *one = &list[(i - wrench) / 2];
    const bool angle = one->index >= 3;
    return (i - wrench) % 2 == 0 ? (cd_output){one->position, angle ? "rad" : "m"}
                                 : (cd_output){one->rate, angle ? "rad/s" : "m/s"};
}

/* Output i of all bodies and joints, and the name of its body or joint. */
static cd_output find_output(const cd_output_names *names, int i, const char **owner)
{
    const cardan_model *model = names->model;
    if (i < CD_BODY_OUTPUTS * model->bodies) {
        *owner = model->body[i / CD_BODY_OUTPUTS].name;
        return body_outputs[i % CD_BODY_OUTPUTS];
    }
    const int number = cd_last_up_to(i, model->joints, names->joint, sizeof *names->joint);
    const cd_joint *joint = &model->joint[number];
    *owner = joint->name;
    return find_joint_output(&joint->kind->def, i - names->joint[number]);
}

size_t cd_output_name(const cd_output_names *names, int i, char *text, size_t size)
{
    const char *owner;
    if (i >= names->count) {
        const char *name = cd_index_name(&names->sensors, i - names->count);
        snprintf(text, size, "%s", name);
        return strlen(name);
    }
    const cd_output output = find_output(names, i, &owner);
    const int length = snprintf(text, size, "%s.%s", owner, output.name);
    return length > 0 ? (size_t)length : 0;
}

const char *cd_output_unit(const cd_output_names *names, int i)
{
    const char *owner;
    return find_output(names, i, &owner).unit;
}

/* Whether the body or joint `owner` has an output of this name. */
static bool has_output(const cardan_model *model, const char *owner, const char *output)
{
    const int joint = cd_index_find(&model->joint_names, owner);
    const cardan_joint_def *def = joint >= 0 ? &model->joint[joint].kind->def : NULL;
    const bool body = cd_index_find(&model->body_names, owner) >= 0;
    bool found = false;
    for (int i = 0; body && i < CD_BODY_OUTPUTS; i++)
        found = found || strcmp(body_outputs[i].name, output) == 0;
    for (int i = 0; def != NULL && i < count_joint_outputs(def); i++)
        found = found || strcmp(find_joint_output(def, i).name, output) == 0;
    return found;
}

/* Whether an output has this name; `owner` is scratch of the same length. */
static bool is_taken(const cd_output_names *names, const char *name, char *owner)
{
    const char *dot = strrchr(name, '.');
    if (cd_index_find(&names->sensors, name) >= 0)
        return true;
    if (names->joint == NULL || dot == NULL)
        return false;
    memcpy(owner, name, (size_t)(dot - name));
    owner[dot - name] = '\0';
    return has_output(names->model, owner, dot + 1);
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
        names->count += count_joint_outputs(&model->joint[i].kind->def);
    }
    names->joint[model->joints] = names->count;
}

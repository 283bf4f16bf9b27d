/* The scene of a model: shapes as given or guessed, joints and forces where their frames are. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of cardan_joint_type. */
static const char *const joint_words[] = {
    "spherical", "revolute",      "prismatic",      "cylindrical", "universal", "planar",
    "fixed",     "point_on_line", "point_on_plane", "distance",    "screw",     "generic",
    "gear",      "rolling_disk",  "rolling_sphere", "skate",       "wheel",     "speed"};

static const char *const shape_words[] = {"box", "cylinder", "sphere", "rod", "sphere", "ring"};

static char *column(const char *owner, const char *quantity)
{
    const size_t size = strlen(owner) + strlen(quantity) + 2;
    char *name = cli_allocate(size, 1);
    snprintf(name, size, "%s.%s", owner, quantity);
    return name;
}

static json_t *columns(const char *owner, const char *const *quantities, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        char *name = column(owner, quantities[i]);
        json_array_append_new(list, json_string(name));
        free(name);
    }
    return list;
}

/* ---- bodies ---- */

static bool rolls(cardan_joint_type type)
{
    return type == CARDAN_JOINT_ROLLING_DISK || type == CARDAN_JOINT_ROLLING_SPHERE ||
           type == CARDAN_JOINT_WHEEL;
}

/* Where joints hold a body; at most `room` points. */
static int collect_points(const cardan_joint_def *joints, int joint_count, int body, int room,
                          double (*points)[3])
{
    int count = 0;
    for (int i = 0; i < joint_count && count < room; i++) {
        const cardan_joint_def *joint = &joints[i];
        if (joint->type == CARDAN_JOINT_GEAR || rolls(joint->type))
            continue;
        if (joint->body1 == body)
            memcpy(points[count++], joint->frame1.position, sizeof points[0]);
        else if (joint->body2 == body)
            memcpy(points[count++], joint->frame2.position, sizeof points[0]);
    }
    return count;
}

/* Disks, wheels and balls that roll have a radius. */
static bool add_rolling_shape(json_t *scene, const cardan_joint_def *joints, int joint_count,
                              int body)
{
    for (int i = 0; i < joint_count; i++) {
        const cardan_joint_def *joint = &joints[i];
        if (joint->body2 != body || !rolls(joint->type))
            continue;
        const bool ball = joint->type == CARDAN_JOINT_ROLLING_SPHERE;
        cli_scene_shape shape = {.type = ball ? "sphere" : "cylinder",
                                 .size = {joint->radius, 0.06 * joint->radius}};
        memcpy(shape.at, joint->frame2.position, sizeof shape.at);
        memcpy(shape.turn, joint->frame2.orientation, sizeof shape.turn);
        cli_scene_add_shape(scene, body, &shape);
        return true;
    }
    return false;
}

static void add_given_shapes(json_t *scene, const cardan_model *model, bool *shaped)
{
    for (int i = 0; i < cardan_model_describe(model).shape_count; i++) {
        int body;
        const cardan_shape *given = cardan_model_shape(model, i, &body);
        cli_scene_shape shape = {.type = shape_words[given->type]};
        memcpy(shape.size, given->size, sizeof shape.size);
        memcpy(shape.at, given->position, sizeof shape.at);
        memcpy(shape.turn, given->orientation, sizeof shape.turn);
        cli_scene_add_shape(scene, body, &shape);
        if (body >= 0)
            shaped[body] = true;
    }
}

/* Joint points of all bodies cost a pass over all joints each; chains of thousands of bodies that
 * give no shapes would notice, so only so many are looked at. */
enum { MOST_POINTS = 16 };

static void add_bodies(json_t *scene, const cardan_model *model, const cardan_joint_def *joints)
{
    static const char *const place[] = {"x", "y", "z"}, *const turn[] = {"e0", "e1", "e2", "e3"};
    const int count = cardan_model_describe(model).body_count,
              joint_count = cardan_model_describe(model).joint_count;
    bool *shaped = cli_allocate((size_t)count + 1, sizeof *shaped);
    for (int i = 0; i < count; i++) {
        const char *name = cardan_model_name(model, CARDAN_ELEMENT_BODY, i);
        cli_scene_add_body(scene, name, columns(name, place, 3), "quaternion",
                           columns(name, turn, 4));
    }
    add_given_shapes(scene, model, shaped);
    for (int i = 0; i < count; i++) {
        double points[MOST_POINTS][3];
        cardan_body_def body;
        if (shaped[i] || add_rolling_shape(scene, joints, joint_count, i) ||
            !cardan_model_body(model, i, &body))
            continue;
        const int held = collect_points(joints, joint_count, i, MOST_POINTS, points);
        cli_scene_guess_shapes(scene, i, &body, held, (const double(*)[3])points);
    }
    free(shaped);
}

/* ---- joints and forces ---- */

/* Whether a motion is given for a rotation: the only free one, or the one that is named. */
static bool is_turned(const cardan_joint_def *def)
{
    const unsigned rotations = CARDAN_RX | CARDAN_RY | CARDAN_RZ;
    return def->motion != CARDAN_NONE &&
           (def->direction != 0 ? ((unsigned)def->direction & rotations) != 0
                                : def->type == CARDAN_JOINT_REVOLUTE);
}

static void add_joint(json_t *scene, const cardan_joint_def *def)
{
    static const char *const force[] = {"fx", "fy", "fz"}, *const moment[] = {"mx", "my", "mz"};
    char *names[6];
    if (def->type == CARDAN_JOINT_GEAR)
        return;
    cli_scene_joint joint = {.name = def->name,
                             .type = joint_words[def->type],
                             .body = {def->body1, def->body2},
                             .radius = def->radius,
                             .driven = is_turned(def)};
    const cardan_frame *const frames[] = {&def->frame1, &def->frame2};
    for (int b = 0; b < 2; b++) {
        memcpy(joint.at[b], frames[b]->position, sizeof joint.at[b]);
        memcpy(joint.turn[b], frames[b]->orientation, sizeof joint.turn[b]);
    }
    for (int i = 0; i < 3; i++) {
        joint.force[i] = names[i] = column(def->name, force[i]);
        joint.moment[i] = names[3 + i] = column(def->name, moment[i]);
    }
    cli_scene_add_joint(scene, &joint);
    for (int i = 0; i < 6; i++)
        free(names[i]);
    if (rolls(def->type))
        cli_scene_add_plane(scene, def->body1, def->frame1.position, def->frame1.orientation);
    if (def->type == CARDAN_JOINT_DISTANCE)
        cli_scene_add_line(scene, def->name, "rod", joint.body, def->frame1.position,
                           def->frame2.position);
}

static void add_force(json_t *scene, const cardan_force_def *def)
{
    const int body[2] = {def->body1, def->body2};
    if (def->type == CARDAN_FORCE_SPRING || def->type == CARDAN_FORCE_BUSHING)
        cli_scene_add_line(scene, def->name, "spring", body, def->frame1.position,
                           def->frame2.position);
    if (def->type != CARDAN_FORCE_CONTACT)
        return;
    cli_scene_add_plane(scene, def->body1, def->frame1.position, def->frame1.orientation);
    cli_scene_shape ball = {.type = "sphere", .size = {def->radius}, .turn = {1.0}, .guess = true};
    memcpy(ball.at, def->frame2.position, sizeof ball.at);
    if (def->radius > 0.0)
        cli_scene_add_shape(scene, def->body2, &ball);
}

/* Position sensors write name.x, name.y and name.z one after the other. */
static void add_traces(json_t *scene, const cardan_outputs *sensors)
{
    enum { NAME = 256 };
    const int count = cardan_outputs_count(sensors);
    for (int i = 0; i + 2 < count; i++) {
        char name[3][NAME];
        size_t length[3];
        for (int j = 0; j < 3; j++)
            length[j] = cardan_outputs_name(sensors, i + j, name[j], NAME);
        const char *x = name[0], *z = name[2];
        if (length[0] < 3 || length[0] >= NAME || strcmp(x + length[0] - 2, ".x") != 0 ||
            length[2] != length[0] || strcmp(z + length[0] - 2, ".z") != 0 ||
            strcmp(cardan_outputs_unit(sensors, i), "m") != 0)
            continue;
        cli_scene_add_trace(scene, x, json_pack("[s,s,s]", x, name[1], z));
    }
}

json_t *cli_scene_of_model(const cardan_model *model, const cardan_outputs *sensors,
                           const char *name)
{
    const cardan_model_info has = cardan_model_describe(model);
    json_t *scene = cli_scene_new(name, has.gravity);
    const int joint_count = has.joint_count;
    cardan_joint_def *joints = cli_allocate((size_t)joint_count + 1, sizeof *joints);
    for (int i = 0; i < joint_count; i++)
        cardan_model_joint(model, i, &joints[i]);
    add_bodies(scene, model, joints);
    for (int i = 0; i < joint_count; i++)
        add_joint(scene, &joints[i]);
    free(joints);
    cardan_force_def force;
    for (int i = 0; cardan_model_force(model, i, &force); i++)
        add_force(scene, &force);
    add_traces(scene, sensors);
    return scene;
}

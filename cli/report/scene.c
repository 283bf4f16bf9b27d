/* Scenes: the parts that all of them consist of. */
#include "scene.h"

#include <stdlib.h>

json_t *cli_scene_numbers(int count, const double *numbers)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, cli_json_number(numbers[i]));
    return list;
}

json_t *cli_scene_new(const char *name, const double gravity[3])
{
    return json_pack("{s:i,s:o,s:o,s:[],s:[],s:[],s:[],s:[],s:[]}", "version", 1, "name",
                     cli_json_text(name), "gravity", cli_scene_numbers(3, gravity), "ground",
                     "bodies", "joints", "lines", "planes", "traces");
}

int cli_scene_add_body(json_t *scene, const char *name, json_t *place, const char *how,
                       json_t *turn)
{
    json_t *list = json_object_get(scene, "bodies");
    json_t *body = json_pack("{s:s,s:o,s:[]}", "name", name, "position", place, "shapes");
    if (how != NULL)
        json_object_set_new(body, how, turn);
    json_array_append_new(list, body);
    return (int)json_array_size(list) - 1;
}

void cli_scene_add_shape(json_t *scene, int body, const cli_scene_shape *shape)
{
    json_t *list = json_object_get(scene, "ground");
    json_t *object = json_pack(
        "{s:s,s:o,s:o,s:o}", "type", shape->type, "size", cli_scene_numbers(3, shape->size), "at",
        cli_scene_numbers(3, shape->at), "turn", cli_scene_numbers(4, shape->turn));
    if (body != CLI_SCENE_GROUND)
        list = json_object_get(json_array_get(json_object_get(scene, "bodies"), (size_t)body),
                               "shapes");
    if (shape->guess)
        json_object_set_new(object, "guess", json_true());
    json_array_append_new(list, object);
}

static void set_columns(json_t *object, const char *key, const char *const names[3])
{
    if (names[0] != NULL)
        json_object_set_new(object, key, json_pack("[s,s,s]", names[0], names[1], names[2]));
}

void cli_scene_add_joint(json_t *scene, const cli_scene_joint *joint)
{
    json_t *object = json_pack(
        "{s:s,s:s,s:i,s:i,s:o,s:o,s:o,s:o}", "name", joint->name, "type", joint->type, "body1",
        joint->body[0], "body2", joint->body[1], "at1", cli_scene_numbers(3, joint->at[0]), "turn1",
        cli_scene_numbers(4, joint->turn[0]), "at2", cli_scene_numbers(3, joint->at[1]), "turn2",
        cli_scene_numbers(4, joint->turn[1]));
    if (joint->radius > 0.0)
        json_object_set_new(object, "radius", cli_json_number(joint->radius));
    if (joint->driven)
        json_object_set_new(object, "driven", json_true());
    set_columns(object, "force", joint->force);
    set_columns(object, "moment", joint->moment);
    json_array_append_new(json_object_get(scene, "joints"), object);
}

void cli_scene_add_line(json_t *scene, const char *name, const char *kind, const int body[2],
                        const double from[3], const double to[3])
{
    json_array_append_new(json_object_get(scene, "lines"),
                          json_pack("{s:s,s:s,s:i,s:i,s:o,s:o}", "name", name, "kind", kind,
                                    "body1", body[0], "body2", body[1], "at1",
                                    cli_scene_numbers(3, from), "at2", cli_scene_numbers(3, to)));
}

void cli_scene_add_plane(json_t *scene, int body, const double at[3], const double turn[4])
{
    json_array_append_new(json_object_get(scene, "planes"),
                          json_pack("{s:i,s:o,s:o}", "body", body, "at", cli_scene_numbers(3, at),
                                    "turn", cli_scene_numbers(4, turn)));
}

void cli_scene_add_trace(json_t *scene, const char *name, json_t *place)
{
    json_array_append_new(json_object_get(scene, "traces"),
                          json_pack("{s:s,s:o}", "name", name, "position", place));
}

char *cli_scene_text(const cli_setup *setup)
{
    json_t *scene;
    if (setup->model_file != NULL) {
        const char *name = cardan_model_file_describe(setup->model_file).name;
        cardan_outputs *sensors;
        if (cardan_model_file_outputs(setup->model_file, CARDAN_OUTPUTS_ADDED, &sensors, NULL) !=
            CARDAN_OK)
            return NULL;
        scene = cli_scene_of_model(cardan_model_file_model(setup->model_file), sensors,
                                   name[0] != '\0' ? name : setup->problem);
        cardan_outputs_destroy(sensors);
    } else {
        scene = cli_scene_of_problem(setup);
    }
    char *text = scene != NULL ? json_dumps(scene, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(scene);
    return text;
}

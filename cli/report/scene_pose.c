/* Scenes in use: columns looked up once by name, values evaluated row by row. */
#include "scene_pose.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cli_scene {
    json_t *json;
    json_t *numbers; /* column name -> number */
};

cli_scene *cli_scene_parse(const char *text, const char *const *columns, int count)
{
    json_t *json = json_loads(text, 0, NULL);
    if (!json_is_object(json) || !json_is_array(json_object_get(json, "bodies"))) {
        json_decref(json);
        return NULL;
    }
    cli_scene *scene = cli_allocate(1, sizeof *scene);
    scene->json = json;
    scene->numbers = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(scene->numbers, columns[i], json_integer(i));
    return scene;
}

void cli_scene_destroy(cli_scene *scene)
{
    if (scene == NULL)
        return;
    json_decref(scene->json);
    json_decref(scene->numbers);
    free(scene);
}

const json_t *cli_scene_json(const cli_scene *scene)
{
    return scene->json;
}

static const json_t *body_of(const cli_scene *scene, int body)
{
    return json_array_get(json_object_get(scene->json, "bodies"), (size_t)body);
}

int cli_scene_bodies(const cli_scene *scene)
{
    return (int)json_array_size(json_object_get(scene->json, "bodies"));
}

int cli_scene_column(const cli_scene *scene, const json_t *name)
{
    if (!json_is_string(name))
        return -1;
    const json_t *number = json_object_get(scene->numbers, json_string_value(name));
    return number != NULL ? (int)json_integer_value(number) : -1;
}

static double column_value(const cli_scene *scene, const json_t *name, const double *row)
{
    const int column = cli_scene_column(scene, name);
    return column >= 0 ? row[column] : NAN;
}

/* k f(sum of factor times column + plus), or a number */
static double term_value(const cli_scene *scene, const json_t *term, const double *row)
{
    if (json_is_number(term))
        return json_number_value(term);
    const json_t *of = json_object_get(term, "of");
    const char *f = json_string_value(json_object_get(term, "f"));
    double sum = json_number_value(json_object_get(term, "plus"));
    for (size_t i = 0; i < json_array_size(of); i++) {
        const json_t *pair = json_array_get(of, i);
        sum += column_value(scene, json_array_get(pair, 0), row) *
               json_number_value(json_array_get(pair, 1));
    }
    if (f != NULL && strcmp(f, "cos") == 0)
        sum = cos(sum);
    else if (f != NULL && strcmp(f, "sin") == 0)
        sum = sin(sum);
    return json_number_value(json_object_get(term, "k")) * sum;
}

double cli_scene_value(const cli_scene *scene, const json_t *value, const double *row)
{
    if (json_is_number(value))
        return json_number_value(value);
    if (!json_is_array(value))
        return column_value(scene, value, row);
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(value); i++)
        sum += term_value(scene, json_array_get(value, i), row);
    return sum;
}

bool cli_scene_plain(const cli_scene *scene, int body, int columns[7])
{
    const json_t *it = body_of(scene, body), *place = json_object_get(it, "position"),
                 *turn = json_object_get(it, "quaternion");
    bool plain = json_object_get(it, "turns") == NULL;
    for (size_t i = 0; i < 3; i++) {
        columns[i] = cli_scene_column(scene, json_array_get(place, i));
        plain = plain && columns[i] >= 0;
    }
    for (size_t i = 0; i < 4; i++) {
        columns[3 + i] = cli_scene_column(scene, json_array_get(turn, i));
        plain = plain && (turn == NULL || columns[3 + i] >= 0);
    }
    return plain;
}

/* q := q (cos, sin axis) */
static void turn_by(const double axis[3], double angle, double q[4])
{
    const double w = cos(0.5 * angle), s = sin(0.5 * angle);
    const double x = s * axis[0], y = s * axis[1], z = s * axis[2];
    const double p[4] = {q[0], q[1], q[2], q[3]};
    q[0] = p[0] * w - p[1] * x - p[2] * y - p[3] * z;
    q[1] = p[0] * x + p[1] * w + p[2] * z - p[3] * y;
    q[2] = p[0] * y - p[1] * z + p[2] * w + p[3] * x;
    q[3] = p[0] * z + p[1] * y - p[2] * x + p[3] * w;
}

void cli_scene_place(const cli_scene *scene, int body, const double *row, double position[3],
                     double quaternion[4])
{
    const json_t *it = body_of(scene, body), *place = json_object_get(it, "position"),
                 *given = json_object_get(it, "quaternion"), *turns = json_object_get(it, "turns");
    for (size_t i = 0; i < 3; i++)
        position[i] = cli_scene_value(scene, json_array_get(place, i), row);
    for (size_t i = 0; i < 4; i++)
        quaternion[i] = given != NULL ? cli_scene_value(scene, json_array_get(given, i), row)
                                      : (double)(i == 0);
    for (size_t i = 0; i < json_array_size(turns); i++) {
        const json_t *turn = json_array_get(turns, i), *axis = json_object_get(turn, "axis");
        double a[3];
        for (size_t k = 0; k < 3; k++)
            a[k] = json_number_value(json_array_get(axis, k));
        turn_by(a, cli_scene_value(scene, json_object_get(turn, "angle"), row), quaternion);
    }
}

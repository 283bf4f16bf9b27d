/* Places of a scene's bodies, evaluated from rows of a result. */
#ifndef CLI_SCENE_POSE_H
#define CLI_SCENE_POSE_H

#include "cli/results/json.h"

#include <stdbool.h>

typedef struct cli_scene cli_scene;

/* A scene for rows whose columns have these names. NULL if the text is no scene. */
cli_scene *cli_scene_parse(const char *text, const char *const *columns, int count);
void cli_scene_destroy(cli_scene *scene);

/* The text as it was read. */
const json_t *cli_scene_json(const cli_scene *scene);

int cli_scene_bodies(const cli_scene *scene);

/* Whether position (and turn) of a body are just columns; *columns then holds the numbers of
 * three and four of them (-1 each of the latter if it does not turn). */
bool cli_scene_plain(const cli_scene *scene, int body, int columns[7]);

/* Place of a body in a row; NAN where a column is missing. */
void cli_scene_place(const cli_scene *scene, int body, const double *row, double position[3],
                     double quaternion[4]);

/* A value of the scene (number, column or list of terms) in a row. */
double cli_scene_value(const cli_scene *scene, const json_t *value, const double *row);

/* The number of a column, -1 if there is none. */
int cli_scene_column(const cli_scene *scene, const json_t *name);

#endif

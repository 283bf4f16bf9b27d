/* What a run looks like: bodies with shapes, joints, springs and planes as a JSON text that tells
 * how to place every body from the columns of a result. It is stored with results, so that
 * reports and pictures need no model. docs/report.md describes the format. */
#ifndef CLI_SCENE_H
#define CLI_SCENE_H

#include "cli/setup/setup.h"

/* The scene of a model or built-in problem; `malloc`ed. NULL for problems with nothing to draw. */
char *cli_scene_text(const cli_setup *setup);

/* ---- parts of it, for those who make scenes ---- */

enum { CLI_SCENE_GROUND = -1 };

typedef struct cli_scene_shape {
    const char *type; /* box, cylinder, sphere, rod, ring */
    double size[3];   /* of a model's shapes (cardan/model.h); ring: radius, thickness */
    double at[3], turn[4];
    bool guess; /* made from the inertia, not given */
} cli_scene_shape;

typedef struct cli_scene_joint {
    const char *name, *type;
    int body[2];
    double at[2][3], turn[2][4];
    double radius;
    bool driven;                      /* a motion turns it */
    const char *force[3], *moment[3]; /* columns, on body 2 in the axes of frame 1; NULL: none */
} cli_scene_joint;

json_t *cli_scene_new(const char *name, const double gravity[3]);

/* Adds a body and gives its number. `place` holds a number, column or list of terms for each
 * coordinate; `how` is "quaternion" (four columns), "turns" (rotations one after the other) or NULL
 * for a body that does not turn. Takes over the references. */
int cli_scene_add_body(json_t *scene, const char *name, json_t *place, const char *how,
                       json_t *turn);
void cli_scene_add_shape(json_t *scene, int body, const cli_scene_shape *shape);
void cli_scene_add_joint(json_t *scene, const cli_scene_joint *joint);
/* kind: "rod" or "spring" */
void cli_scene_add_line(json_t *scene, const char *name, const char *kind, const int body[2],
                        const double from[3], const double to[3]);
/* The x-y plane of a frame on a body or the ground. */
void cli_scene_add_plane(json_t *scene, int body, const double at[3], const double turn[4]);
/* A path that is shown from the begin. */
void cli_scene_add_trace(json_t *scene, const char *name, json_t *place);

json_t *cli_scene_numbers(int count, const double *numbers);

/* The scene of a built model, and of a built-in problem (NULL: nothing to draw). */
json_t *cli_scene_of_model(const cardan_model *model, const cardan_outputs *sensors,
                           const char *name);
json_t *cli_scene_of_problem(const cli_setup *setup);

/* What a body without shapes may look like: its inertia and rods between `points`, where joints
 * hold it. */
void cli_scene_guess_shapes(json_t *scene, int number, const cardan_body_def *body, int count,
                            const double (*points)[3]);

#endif

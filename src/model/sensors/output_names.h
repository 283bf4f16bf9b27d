/* The names of a model's outputs: thirteen of each body, then forces, angles and displacements of
 * each joint, then sensors. Names are made when they are asked for: a large model has many. */
#ifndef CD_MODEL_OUTPUT_NAMES_H
#define CD_MODEL_OUTPUT_NAMES_H

#include "base/index.h"
#include "base/memory.h"
#include "model/core/model.h"

enum {
    CD_BODY_OUTPUTS = 13,
    CD_WRENCH_OUTPUTS = 6,
    CD_COORDINATES = 5 /* of a joint, at most: two angles and three displacements */
};

typedef struct cd_output {
    const char *name, *unit;
} cd_output;

/* A free direction of a joint whose position and rate are outputs. */
typedef struct cd_coordinate {
    int index;                   /* of the direction, 0 to 5 */
    const char *position, *rate; /* names of both outputs */
} cd_coordinate;

/* Lists the coordinates of a joint, angles about axes and then displacements; returns how many. */
int cd_list_coordinates(const cardan_joint_def *def, cd_coordinate list[CD_COORDINATES]);

bool cd_has_wrench(const cardan_joint_def *def);

/* The outputs of a model by index: bodies, joints, sensors. */
typedef struct cd_output_names {
    const cardan_model *model;
    int count;        /* number of outputs of bodies and joints */
    int *joint;       /* the first output of each joint, and of the sensors; NULL: sensors only */
    cd_index sensors; /* unique names of the outputs of sensors */
} cd_output_names;

/* Without `elements`, only sensors have outputs. The caller destroys `sensors`. */
void cd_output_names_make(cd_arena *arena, const cardan_model *model, bool elements,
                          cd_output_names *names);

/* Adds an output of a sensor; a name in use gets "_2", "_3", ... False without memory. */
bool cd_output_names_add(cd_arena *arena, cd_output_names *names, const char *name);

/* Writes the name of output i, as far as it fits, and returns its whole length. */
size_t cd_output_name(const cd_output_names *names, int i, char *text, size_t size);

/* The unit of output i of a body or joint. */
const char *cd_output_unit(const cd_output_names *names, int i);

#endif

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

/* A free direction (0 to 5) of a joint whose place and rate are outputs. */
typedef struct cd_coordinate {
    int index;
    const char *place, *rate;
} cd_coordinate;

/* Angles about axes, then displacements; returns how many. */
int cd_coordinates_of(const cardan_joint_def *def, cd_coordinate list[CD_COORDINATES]);

/* Whether the forces in the joint are outputs. */
bool cd_has_wrench(const cardan_joint_def *def);

typedef struct cd_output_names {
    const cardan_model *model;
    int count;        /* of bodies and joints */
    int *joint;       /* the first output of each joint, and of the sensors; NULL: sensors only */
    cd_index sensors; /* names of the outputs of sensors, each its own */
} cd_output_names;

/* `elements`: outputs of bodies and joints come first. If memory runs out the arena remembers.
 * cd_index_destroy ends the names of sensors. */
void cd_output_names_make(cd_arena *arena, const cardan_model *model, bool elements,
                          cd_output_names *names);

/* Adds an output of a sensor: the name, or with "_2", "_3", ... behind if there is such an output
 * (a sensor without a name has that of its body). False without memory. */
bool cd_output_names_add(cd_arena *arena, cd_output_names *names, const char *name);

/* Writes what fits of the name of output i and returns its length. */
size_t cd_output_name(const cd_output_names *names, int i, char *text, size_t size);

/* The unit of output i of a body or joint. */
const char *cd_output_unit(const cd_output_names *names, int i);

#endif

/* The columns of a model: thirteen of each body, then forces, angles and displacements of each
 * joint, then sensors. Names are made when they are asked for: a large model has many. */
#ifndef CD_PROBLEMS_MODEL_COLUMNS_H
#define CD_PROBLEMS_MODEL_COLUMNS_H

#include "base/memory.h"
#include "model/model.h"

#include <cardan/sensor.h>

enum {
    CD_BODY_COLUMNS = 13,
    CD_WRENCH_COLUMNS = 6,
    CD_COORDINATES = 5 /* of a joint, at most: two angles and three displacements */
};

/* A free direction (0 to 5) of a joint whose place and rate are columns. */
typedef struct cd_coordinate {
    int index;
    const char *place, *rate;
} cd_coordinate;

/* Angles about axes, then displacements; returns how many. */
int cd_coordinates_of(const cardan_joint_def *def, cd_coordinate list[CD_COORDINATES]);

/* Whether the forces in the joint are columns. */
bool cd_has_wrench(const cardan_joint_def *def);

typedef struct cd_columns {
    const cardan_model *model;
    int count, sensors;
    int *joint;                /* the first column of each joint, and of the sensors */
    const char **sensor_names; /* each its own */
} cd_columns;

/* If memory runs out the arena remembers. */
void cd_columns_make(cd_arena *arena, const cardan_model *model, const cardan_sensors *sensors,
                     cd_columns *columns);

/* Writes what fits of the name of column i and returns its length. */
size_t cd_columns_name(const cd_columns *columns, int i, char *text, size_t size);

#endif

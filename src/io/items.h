/* The items of a model file: definitions of cardan/model.h together with what a file states in
 * other terms (positions and axes in the world, solids, names). */
#ifndef CD_IO_ITEMS_H
#define CD_IO_ITEMS_H

#include "document.h"

typedef struct cd_list {
    void *items; /* each begins with a cd_item */
    int count;
} cd_list;

/* The origin of an item: its node, and the node of every field that was given (by the field's index
 * in the schema; NULL if it was not given). */
typedef struct cd_item {
    const struct cd_schema *schema;
    const cd_node *node;
    const cd_node **given;
} cd_item;

/* `fixed` of a body: all of it, or what assembly must not change. */
typedef struct cd_fixed {
    bool body;
    unsigned values; /* bits in the order of cd_fixed_words */
} cd_fixed;

typedef struct cd_solid_item {
    cd_item item;
    int type;
    double density, mass, size[3], radius, length, position[3], orientation[4];
} cd_solid_item;

typedef struct cd_body_item {
    cd_item item;
    cardan_body_def def;
    int type, form;
    cd_list solids, shapes;
    cd_fixed fixed;
} cd_body_item;

/* Positions and axes of a joint or force in world coordinates, at the start. */
typedef struct cd_world_geometry {
    double location[3], axis[3], x_axis[3], axis1[3], axis2[3], point1[3], point2[3];
} cd_world_geometry;

typedef struct cd_joint_item {
    cd_item item;
    cardan_joint_def def;
    int type;
    cd_world_geometry world;
    double angle, displacement, rate, speed;
    int number; /* in the model */
} cd_joint_item;

typedef struct cd_force_item {
    cd_item item;
    cardan_force_def def;
    int type;
    cd_world_geometry world;
} cd_force_item;

typedef struct cd_signal_item {
    cd_item item;
    const char *name; /* NULL: written where it is used */
    cardan_signal_def def;
    int type;
    int *terms; /* as CD_SIGNAL; later numbers in the model */
    bool used;
    enum { CD_SIGNAL_NOT_ADDED, CD_SIGNAL_BEING_ADDED, CD_SIGNAL_ADDED, CD_SIGNAL_REJECTED } state;
    int number; /* in the model, once it is added */
} cd_signal_item;

typedef struct cd_sensor_item {
    cd_item item;
    cardan_sensor_def def;
    int type;
} cd_sensor_item;

typedef struct cd_orientation_item {
    double axis[3], angle;
    double euler[3];
    const char *sequence;
    double x_axis[3], z_axis[3];
} cd_orientation_item;

enum { CD_RADIANS, CD_DEGREES };

typedef struct cd_units_item {
    int angle;
} cd_units_item;

typedef struct cd_model_item {
    cd_item item;
    int version;
    const char *name, *description;
    cd_units_item units;
    double gravity[3];
    cd_list bodies, joints, forces, sensors;
    cardan_run_settings solver;
} cd_model_item;

#endif

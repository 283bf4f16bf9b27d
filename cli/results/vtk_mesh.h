/* Surfaces of simple shapes, as points and polygons. */
#ifndef CLI_VTK_MESH_H
#define CLI_VTK_MESH_H

#include "json.h"

typedef struct cli_mesh {
    double (*points)[3];
    int point_count;
    int *corners; /* of all polygons, one after the other */
    int corner_count;
    int *ends; /* of each polygon in `corners` */
    int polygon_count;
} cli_mesh;

/* Adds a shape of a scene (box, cylinder, sphere, rod, ring), placed by its `at` and `turn`; what
 * is no such shape is left out. */
void cli_mesh_add(cli_mesh *mesh, const json_t *shape);
void cli_mesh_free(cli_mesh *mesh);

/* v turned by a unit quaternion. */
void cli_turn(const double q[4], const double v[3], double out[3]);

/* Numbers of a JSON list; what is missing becomes 0. */
void cli_mesh_numbers(const json_t *list, int count, double *numbers);

#endif

/* Surfaces: a box by its corners, everything round by a grid of two angles. */
#include "vtk_mesh.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 24, ALONG = 12 };

static const double pi = 3.14159265358979323846;

void cli_mesh_free(cli_mesh *mesh)
{
    free(mesh->points);
    free(mesh->corners);
    free(mesh->ends);
    *mesh = (cli_mesh){0};
}

void cli_turn(const double q[4], const double v[3], double out[3])
{
    /* v + 2 w (u x v) + 2 u x (u x v) with q = (w, u) */
    const double *u = q + 1;
    const double t[3] = {2.0 * (u[1] * v[2] - u[2] * v[1]), 2.0 * (u[2] * v[0] - u[0] * v[2]),
                         2.0 * (u[0] * v[1] - u[1] * v[0])};
    const double twice[3] = {u[1] * t[2] - u[2] * t[1], u[2] * t[0] - u[0] * t[2],
                             u[0] * t[1] - u[1] * t[0]};
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + q[0] * t[i] + twice[i];
}

void cli_mesh_numbers(const json_t *list, int count, double *numbers)
{
    for (int i = 0; i < count; i++)
        numbers[i] = json_number_value(json_array_get(list, (size_t)i));
}

static int add_point(cli_mesh *mesh, double x, double y, double z)
{
    const double point[3] = {x, y, z};
    mesh->points =
        cli_reallocate(mesh->points, (size_t)mesh->point_count + 1, sizeof *mesh->points);
    memcpy(mesh->points[mesh->point_count], point, sizeof point);
    return mesh->point_count++;
}

static void add_corner(cli_mesh *mesh, int point)
{
    mesh->corners =
        cli_reallocate(mesh->corners, (size_t)mesh->corner_count + 1, sizeof *mesh->corners);
    mesh->corners[mesh->corner_count++] = point;
}

static void end_polygon(cli_mesh *mesh)
{
    mesh->ends = cli_reallocate(mesh->ends, (size_t)mesh->polygon_count + 1, sizeof *mesh->ends);
    mesh->ends[mesh->polygon_count++] = mesh->corner_count;
}

static void add_box(cli_mesh *mesh, const double size[3])
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const int first = mesh->point_count;
    for (int i = 0; i < 8; i++)
        add_point(mesh, (i & 1 ? 0.5 : -0.5) * size[0], (i & 2 ? 0.5 : -0.5) * size[1],
                  (i & 4 ? 0.5 : -0.5) * size[2]);
    for (int f = 0; f < 6; f++) {
        for (int k = 0; k < 4; k++)
            add_corner(mesh, first + faces[f][k]);
        end_polygon(mesh);
    }
}

/* Quadrilaterals between rings of AROUND points each; `closes`: from the last ring to the first. */
static void add_quads(cli_mesh *mesh, int first, int rings, bool closes)
{
    for (int r = 0; r + 1 < rings + closes; r++)
        for (int k = 0; k < AROUND; k++) {
            const int next = (k + 1) % AROUND, below = (r + 1) % rings;
            add_corner(mesh, first + r * AROUND + k);
            add_corner(mesh, first + r * AROUND + next);
            add_corner(mesh, first + below * AROUND + next);
            add_corner(mesh, first + below * AROUND + k);
            end_polygon(mesh);
        }
}

/* Axis z. */
static void add_cylinder(cli_mesh *mesh, double radius, double length)
{
    const int first = mesh->point_count;
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < AROUND; k++)
            add_point(mesh, radius * cos(2.0 * pi * k / AROUND),
                      radius * sin(2.0 * pi * k / AROUND), (r - 0.5) * length);
    add_quads(mesh, first, 2, false);
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < AROUND; k++)
            add_corner(mesh, first + r * AROUND + (r == 0 ? AROUND - 1 - k : k));
        end_polygon(mesh);
    }
}

/* Axis x. */
static void add_rod(cli_mesh *mesh, double length, double thickness)
{
    const int first = mesh->point_count;
    add_cylinder(mesh, 0.5 * (thickness > 0.0 ? thickness : length / 30.0), length);
    for (int i = first; i < mesh->point_count; i++) {
        const double x = mesh->points[i][0];
        mesh->points[i][0] = mesh->points[i][2];
        mesh->points[i][2] = -x;
    }
}

static void add_sphere(cli_mesh *mesh, double radius)
{
    const int first = mesh->point_count;
    for (int r = 0; r <= ALONG; r++)
        for (int k = 0; k < AROUND; k++) {
            const double a = pi * r / ALONG, b = 2.0 * pi * k / AROUND;
            add_point(mesh, radius * sin(a) * cos(b), radius * sin(a) * sin(b), radius * cos(a));
        }
    add_quads(mesh, first, ALONG + 1, false);
}

/* A torus about z. */
static void add_ring(cli_mesh *mesh, double radius, double thickness)
{
    const int first = mesh->point_count;
    for (int r = 0; r < ALONG; r++)
        for (int k = 0; k < AROUND; k++) {
            const double a = 2.0 * pi * r / ALONG, b = 2.0 * pi * k / AROUND;
            const double out = radius + 0.5 * thickness * cos(a);
            add_point(mesh, out * cos(b), out * sin(b), 0.5 * thickness * sin(a));
        }
    add_quads(mesh, first, ALONG, true);
}

static void add_shape(cli_mesh *mesh, const char *type, const double size[3])
{
    if (strcmp(type, "box") == 0)
        add_box(mesh, size);
    else if (strcmp(type, "cylinder") == 0)
        add_cylinder(mesh, size[0], size[1]);
    else if (strcmp(type, "rod") == 0)
        add_rod(mesh, size[0], size[1]);
    else if (strcmp(type, "sphere") == 0)
        add_sphere(mesh, size[0]);
    else if (strcmp(type, "ring") == 0)
        add_ring(mesh, size[0], size[1]);
}

void cli_mesh_add(cli_mesh *mesh, const json_t *shape)
{
    const char *type = json_string_value(json_object_get(shape, "type"));
    const int first = mesh->point_count;
    double size[3], at[3], turn[4], turned[3];
    cli_mesh_numbers(json_object_get(shape, "size"), 3, size);
    cli_mesh_numbers(json_object_get(shape, "at"), 3, at);
    cli_mesh_numbers(json_object_get(shape, "turn"), 4, turn);
    add_shape(mesh, type != NULL ? type : "", size);
    for (int i = first; i < mesh->point_count; i++) {
        cli_turn(turn, mesh->points[i], turned);
        for (int k = 0; k < 3; k++)
            mesh->points[i][k] = at[k] + turned[k];
    }
}

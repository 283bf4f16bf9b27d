/* What a body without shapes may look like. Its inertia about the centre of mass is that of one
 * homogeneous box along the principal axes; two equal edges are drawn as a cylinder, three as a
 * sphere. A slender body that joints hold in places is a rod between them. */
#include "scene.h"

#include <math.h>
#include <string.h>

/* Eigenvectors (columns of V) of a symmetric matrix A, which becomes diagonal: Jacobi's rotations.
 */
static void diagonalise(double A[3][3], double V[3][3])
{
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                const double angle = 0.5 * atan2(2.0 * A[p][q], A[q][q] - A[p][p]);
                const double c = cos(angle), s = sin(angle);
                for (int k = 0; k < 3; k++) {
                    const double a = A[k][p], b = A[k][q], v = V[k][p], w = V[k][q];
                    A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
                    V[k][p] = c * v - s * w, V[k][q] = s * v + c * w;
                }
                for (int k = 0; k < 3; k++) {
                    const double a = A[p][k], b = A[q][k];
                    A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
                }
            }
}

/* Quaternion of a rotation matrix, Shepperd's choice by the largest of four. */
static void quaternion_of(double R[3][3], double q[4])
{
    const double trace = R[0][0] + R[1][1] + R[2][2];
    const double four[4] = {1.0 + trace, 1.0 + 2.0 * R[0][0] - trace, 1.0 + 2.0 * R[1][1] - trace,
                            1.0 + 2.0 * R[2][2] - trace};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (four[i] > four[largest])
            largest = i;
    const double w[3] = {R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
    if (largest == 0) {
        q[0] = four[0];
        memcpy(q + 1, w, sizeof w);
    } else {
        const int i = largest - 1;
        q[0] = w[i];
        for (int j = 0; j < 3; j++)
            q[1 + j] = j == i ? four[largest] : R[i][j] + R[j][i];
    }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

static void matrix_of(const double q[4], double R[3][3])
{
    const double s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        R[i][i] = 1.0 - s * (q[1 + j] * q[1 + j] + q[1 + k] * q[1 + k]);
        R[i][j] = s * (q[1 + i] * q[1 + j] - q[0] * q[1 + k]);
        R[i][k] = s * (q[1 + i] * q[1 + k] + q[0] * q[1 + j]);
    }
}

/* A = inertia about the centre of mass in the axes in which it is given, with `axes` those. */
static void inertia_of(const cardan_body_def *body, double A[3][3], double axes[3][3])
{
    const double *j = body->inertia;
    const double given[3][3] = {{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}};
    double arm[3], d[3];
    matrix_of(body->inertia_axes, axes);
    memcpy(A, given, sizeof given);
    if (body->inertia_at_com)
        return;
    for (int i = 0; i < 3; i++)
        d[i] = body->center_of_mass[i] - body->inertia_at[i];
    for (int i = 0; i < 3; i++)
        arm[i] = axes[0][i] * d[0] + axes[1][i] * d[1] + axes[2][i] * d[2];
    const double square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            A[i][k] -= body->mass * ((i == k ? square : 0.0) - arm[i] * arm[k]);
}

/* Edges of the homogeneous box with the body's inertia, and its axes in the body frame. */
static void box_of(const cardan_body_def *body, double edge[3], double axes[3][3])
{
    double A[3][3], given[3][3], V[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    inertia_of(body, A, given);
    diagonalise(A, V);
    for (int i = 0; i < 3; i++) {
        const double square = A[(i + 1) % 3][(i + 1) % 3] + A[(i + 2) % 3][(i + 2) % 3] - A[i][i];
        edge[i] = square > 0.0 && body->mass > 0.0 ? sqrt(6.0 * square / body->mass) : 0.0;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axes[i][k] = given[i][0] * V[0][k] + given[i][1] * V[1][k] + given[i][2] * V[2][k];
    const double determinant = axes[0][0] * (axes[1][1] * axes[2][2] - axes[1][2] * axes[2][1]) -
                               axes[0][1] * (axes[1][0] * axes[2][2] - axes[1][2] * axes[2][0]) +
                               axes[0][2] * (axes[1][0] * axes[2][1] - axes[1][1] * axes[2][0]);
    for (int i = 0; i < 3 && determinant < 0.0; i++)
        axes[i][2] = -axes[i][2];
}

static double largest_of(const double v[3])
{
    return fmax(v[0], fmax(v[1], v[2]));
}

static bool alike(double a, double b)
{
    return fabs(a - b) <= 0.02 * fmax(a, b);
}

/* A box whose x and y edges are equal as a cylinder of the same inertia about z. */
static void round_off(const double edge[3], int axis, cli_scene_shape *shape)
{
    shape->type = "cylinder";
    shape->size[0] = edge[(axis + 1) % 3] / sqrt(3.0);
    shape->size[1] = edge[axis];
    shape->size[2] = 0.0;
}

/* Axes permuted so that `axis` becomes z. */
static void to_z(double axes[3][3], int axis, double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = axes[i][(axis + 1 + k) % 3];
}

static void add_inertia(json_t *scene, int number, const cardan_body_def *body, double edge[3],
                        double axes[3][3], bool guess)
{
    double turned[3][3];
    const double most = largest_of(edge);
    cli_scene_shape shape = {.type = "box", .guess = guess};
    memcpy(shape.at, body->center_of_mass, sizeof shape.at);
    for (int i = 0; i < 3; i++)
        shape.size[i] = fmax(edge[i], 0.04 * most);
    memcpy(turned, axes, sizeof turned);
    if (alike(edge[0], edge[1]) && alike(edge[1], edge[2])) {
        shape.type = "sphere";
        shape.size[0] = edge[0] * sqrt(5.0 / 12.0);
    } else {
        for (int i = 0; i < 3; i++)
            if (alike(edge[(i + 1) % 3], edge[(i + 2) % 3]) && edge[(i + 1) % 3] > 0.0) {
                double size[3];
                memcpy(size, shape.size, sizeof size);
                round_off(size, i, &shape);
                to_z(axes, i, turned);
                break;
            }
    }
    quaternion_of(turned, shape.turn);
    cli_scene_add_shape(scene, number, &shape);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* A rod whose x axis goes from a to b. */
static void add_rod(json_t *scene, int number, const double a[3], const double b[3])
{
    const double length = distance(a, b);
    cli_scene_shape rod = {.type = "rod", .size = {length}};
    double x[3];
    for (int i = 0; i < 3; i++) {
        rod.at[i] = 0.5 * (a[i] + b[i]);
        x[i] = (b[i] - a[i]) / length;
    }
    /* The shortest rotation of e1 to x: (1 + e1.x, e1 cross x), scaled. */
    const double q[4] = {1.0 + x[0], 0.0, -x[2], x[1]};
    const double size = sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
    const double half_turn[4] = {0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < 4; i++)
        rod.turn[i] = size > 1e-9 ? q[i] / size : half_turn[i];
    cli_scene_add_shape(scene, number, &rod);
}

static double extent(const double center[3], int count, const double (*points)[3])
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, distance(center, points[i]));
    return most;
}

static void add_rods(json_t *scene, int number, const double center[3], int count,
                     const double (*points)[3], double reach)
{
    if (count == 2 && distance(points[0], points[1]) > 1e-6 * reach) {
        add_rod(scene, number, points[0], points[1]);
        return;
    }
    for (int i = 0; i < count; i++)
        if (distance(center, points[i]) > 0.02 * reach)
            add_rod(scene, number, center, points[i]);
}

void cli_scene_guess_shapes(json_t *scene, int number, const cardan_body_def *body, int count,
                            const double (*points)[3])
{
    double edge[3], axes[3][3];
    const double *center = body->center_of_mass;
    const double reach = extent(center, count, points);
    box_of(body, edge, axes);
    const double most = largest_of(edge);
    double middle = edge[0] + edge[1] + edge[2] - most - fmin(edge[0], fmin(edge[1], edge[2]));
    const bool slender = most > 0.0 && middle < (count > 1 ? 0.5 : 0.2) * most;
    const bool rods = reach > 1e-9;
    if (rods)
        add_rods(scene, number, center, count, points, reach);
    if (rods && slender && most < 2.5 * reach)
        return;
    if (most > 0.0) {
        add_inertia(scene, number, body, edge, axes, rods);
        return;
    }
    cli_scene_shape point = {.type = "sphere", .size = {rods ? 0.08 * reach : 0.0}, .turn = {1.0}};
    memcpy(point.at, center, sizeof point.at);
    cli_scene_add_shape(scene, number, &point);
}

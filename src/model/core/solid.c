/* Mass and inertia of homogeneous solids, added to a body definition with the parallel axis
 * theorem. The formulas are those of textbooks, such as Goldstein, Classical Mechanics, ch. 5. */
#include "base/error.h"
#include "group/vec3.h"
#include "model.h"

#include <cardan/model.h>

static const double pi = 3.14159265358979323846;

/* How many numbers the `size` of a solid has; -1 for an unknown type. */
static int count_sizes(cardan_solid_type type)
{
    static const int counts[] = {
        [CARDAN_SOLID_BOX] = 3, [CARDAN_SOLID_CYLINDER] = 2, [CARDAN_SOLID_SPHERE] = 1,
        [CARDAN_SOLID_ROD] = 1, [CARDAN_SOLID_POINT] = 0,    [CARDAN_SOLID_RING] = 1};
    return (unsigned)type < sizeof counts / sizeof counts[0] ? counts[type] : -1;
}

/* Returns the mass, and writes the moments of inertia about the solid's axes through its centre. */
static double solid_inertia(cardan_solid_type type, double density, const double *size,
                            double moment[3])
{
    double mass = density;
    moment[0] = moment[1] = moment[2] = 0.0;
    switch (type) {
    case CARDAN_SOLID_BOX:
        mass *= size[0] * size[1] * size[2];
        for (int i = 0; i < 3; i++) {
            const double a = size[(i + 1) % 3], b = size[(i + 2) % 3];
            moment[i] = mass * (a * a + b * b) / 12.0;
        }
        break;
    case CARDAN_SOLID_CYLINDER:
        mass *= pi * size[0] * size[0] * size[1];
        moment[0] = moment[1] = mass * (3.0 * size[0] * size[0] + size[1] * size[1]) / 12.0;
        moment[2] = mass * size[0] * size[0] / 2.0;
        break;
    case CARDAN_SOLID_SPHERE:
        mass *= 4.0 / 3.0 * pi * size[0] * size[0] * size[0];
        moment[0] = moment[1] = moment[2] = 0.4 * mass * size[0] * size[0];
        break;
    case CARDAN_SOLID_ROD:
        mass *= size[0];
        moment[1] = moment[2] = mass * size[0] * size[0] / 12.0;
        break;
    case CARDAN_SOLID_RING:
        mass *= 2.0 * pi * size[0];
        moment[0] = moment[1] = mass * size[0] * size[0] / 2.0;
        moment[2] = mass * size[0] * size[0];
        break;
    case CARDAN_SOLID_POINT:
        break;
    }
    return mass;
}

/* out += mass (|arm|^2 I - arm arm^T), with the arm from one point to another. */
static void add_parallel_axis_term(double mass, const double from[3], const double to[3],
                                   double out[9])
{
    double arm[3], square[9];
    for (int i = 0; i < 3; i++)
        arm[i] = to[i] - from[i];
    cd_skew_polynomial(arm, 0.0, 1.0, square);
    cd_add(9, -mass, square, out);
}

/* out = A given A^T, where the columns of A are the axes of the quaternion `axes` */
static void rotate_inertia(const double axes[4], const double given[9], double out[9])
{
    double A[9];
    cd_unit_quaternion_matrix(axes, A);
    cd_rotate_tensor(A, given, out);
}

void cd_body_central_inertia(const cardan_body_def *body, double out[9])
{
    const double *j = body->inertia;
    const double given[9] = {j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2]};
    rotate_inertia(body->inertia_axes, given, out);
    if (!body->inertia_at_com)
        add_parallel_axis_term(-body->mass, body->inertia_at, body->center_of_mass, out);
}

/* Adds a mass with its centre and central inertia to those of a body. */
static void merge_solid(cardan_body_def *body, double mass, const double at[3],
                        const double inertia[9])
{
    double sum[9], center[3];
    const double total = body->mass + mass;
    cd_body_central_inertia(body, sum);
    cd_add(9, 1.0, inertia, sum);
    for (int i = 0; i < 3; i++)
        center[i] = total > 0.0 ? (body->mass * body->center_of_mass[i] + mass * at[i]) / total
                                : body->center_of_mass[i];
    add_parallel_axis_term(body->mass, body->center_of_mass, center, sum);
    add_parallel_axis_term(mass, at, center, sum);
    const double unique[6] = {sum[0], sum[4], sum[8], sum[1], sum[2], sum[5]};
    const double no_rotation[4] = {1.0, 0.0, 0.0, 0.0};
    cd_copy(6, unique, body->inertia);
    cd_copy(4, no_rotation, body->inertia_axes);
    cd_copy(3, center, body->center_of_mass);
    body->inertia_at_com = true;
    body->mass = total;
}

/* Widens the range of densities that cardan_model_check judges. A density of 0 is no material. */
static void note_density(cardan_body_def *body, double density)
{
    double *range = body->densities;
    if (!(density > 0.0))
        return;
    range[0] = range[0] > 0.0 ? fmin(range[0], density) : density;
    range[1] = fmax(range[1], density);
}

static cardan_status check_solid(cardan_solid_type type, double density, const double *size,
                                 const double *at, const double *axes, cardan_error *error)
{
    const int count = count_sizes(type);
    if (count < 0)
        return cd_invalid(error, "there is no solid of type %d", (int)type);
    if (!(density >= 0.0 && isfinite(density)))
        return cd_invalid(error, "the density is %g; it must be a number that is not negative",
                          density);
    if (count > 0 && size == NULL)
        return cd_invalid(error, "the solid needs %d sizes", count);
    for (int i = 0; i < count; i++)
        if (!(size[i] > 0.0 && isfinite(size[i])))
            return cd_invalid(error, "size %d of the solid is %g; it must be positive", i + 1,
                              size[i]);
    if (at != NULL && cd_first_not_finite(3, at) >= 0)
        return cd_invalid(error, "the place of the solid is not finite");
    if (axes != NULL && (cd_first_not_finite(4, axes) >= 0 || !(cd_max_abs(4, axes) > 0.0)))
        return cd_invalid(error, "the axes of the solid must be a quaternion other than zero");
    return CARDAN_OK;
}

cardan_status cardan_body_add_solid(cardan_body_def *body, cardan_solid_type type, double density,
                                    const double *size, const double *at, const double *axes,
                                    cardan_error *error)
{
    static const double origin[3] = {0.0, 0.0, 0.0}, no_rotation[4] = {1.0, 0.0, 0.0, 0.0};
    double moment[3], inertia[9];
    if (body == NULL)
        return cd_invalid(error, "the body definition is NULL");
    cardan_status status = cd_body_check_cookie(body, error);
    if (status == CARDAN_OK)
        status = check_solid(type, density, size, at, axes, error);
    if (status != CARDAN_OK)
        return status;
    const double mass = solid_inertia(type, density, size, moment);
    const double principal[9] = {moment[0], 0, 0, 0, moment[1], 0, 0, 0, moment[2]};
    rotate_inertia(axes != NULL ? axes : no_rotation, principal, inertia);
    merge_solid(body, mass, at != NULL ? at : origin, inertia);
    if (type != CARDAN_SOLID_ROD && type != CARDAN_SOLID_POINT)
        note_density(body, density);
    return cd_succeed(error);
}

/* See coordinates.h. */
#include "coordinates.h"

#include "group/rotation.h"

#include <stdbool.h>

/* Where a factor's parts lie: a vector first, then a rotation. */
typedef struct layout {
    cardan_factor factor;
    int vector;       /* its length in x and in the velocity */
    bool turns;       /* a quaternion follows */
    bool matrix;      /* that the group stores as a rotation matrix */
    int element, dof; /* offsets in q and in the velocity */
} layout;

static layout layout_of(const cardan_group *group, int i)
{
    layout l = {0};
    l.factor = cardan_group_factor(group, i, &l.element, &l.dof);
    const cardan_group_kind kind = l.factor.kind;
    l.turns = kind != CARDAN_RN;
    l.vector = kind == CARDAN_RN ? l.factor.n : kind == CARDAN_SO3 || kind == CARDAN_S3 ? 0 : 3;
    l.matrix = kind == CARDAN_SO3 || kind == CARDAN_R3_SO3 || kind == CARDAN_SE3;
    return l;
}

static int count_of(const layout *l)
{
    return l->vector + (l->turns ? 4 : 0);
}

int peer_coordinates_count(const cardan_group *group)
{
    int count = 0;
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        const layout l = layout_of(group, i);
        count += count_of(&l);
    }
    return count;
}

int peer_coordinates_quaternions(const cardan_group *group)
{
    int count = 0;
    for (int i = 0; i < cardan_group_factor_count(group); i++)
        count += layout_of(group, i).turns;
    return count;
}

/* The angular part of the logarithm is the rotation vector, on SE(3) too. */
void peer_coordinates_of(const cardan_group *group, const double *q, double *scratch, double *x)
{
    cardan_group_log(group, q, scratch);
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        const layout l = layout_of(group, i);
        cd_copy(l.vector, q + l.element, x);
        if (l.turns && l.matrix) {
            cd_quaternion_increment(scratch + l.dof + l.vector, x + l.vector);
            x[l.vector] += 1.0;
        } else if (l.turns) {
            cd_copy(4, q + l.element + l.vector, x + l.vector);
        }
        x += count_of(&l);
    }
}

static void unit_quaternion(const double *p, double *unit)
{
    const double length = sqrt(cd_dot(4, p, p));
    for (int i = 0; i < 4; i++)
        unit[i] = p[i] / length;
}

/* I + 2 w r~ + 2 r~^2 of the unit quaternion (w, r). */
static void rotation_of(const double unit[4], double matrix[9])
{
    cd_skew_polynomial(unit + 1, 2.0 * unit[0], 2.0, matrix);
    cd_add_identity3(matrix);
}

void peer_coordinates_element(const cardan_group *group, const double *x, double *q)
{
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        const layout l = layout_of(group, i);
        double unit[4];
        cd_copy(l.vector, x, q + l.element);
        if (l.turns) {
            unit_quaternion(x + l.vector, unit);
            if (l.matrix)
                rotation_of(unit, q + l.element + l.vector);
            else
                cd_copy(4, unit, q + l.element + l.vector);
        }
        x += count_of(&l);
    }
}

/* x' = R u for velocities in the body frame, u + omega x x for those in the inertial frame. */
static void rigid_rate(const layout *l, const double *x, const double *w, double *rate)
{
    double unit[4], matrix[9], turned[3];
    if (l->factor.side == CARDAN_LEFT) {
        unit_quaternion(x + 3, unit);
        rotation_of(unit, matrix);
        cd_apply3(matrix, w, rate);
        return;
    }
    cd_cross(w + 3, x, turned);
    for (int i = 0; i < 3; i++)
        rate[i] = w[i] + turned[i];
}

static void quaternion_rate(cardan_group_side side, const double p[4], const double omega[3],
                            double nu, double rate[4])
{
    const double turn[4] = {0.0, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]};
    if (side == CARDAN_LEFT)
        cd_quaternion_product(p, turn, rate);
    else
        cd_quaternion_product(turn, p, rate);
    cd_add(4, nu, p, rate);
}

void peer_coordinates_rate(const cardan_group *group, const double *x, const double *w,
                           const double *nu, double *rate, double *unit)
{
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        const layout l = layout_of(group, i);
        const double *velocity = w + l.dof, *p = x + l.vector;
        if (l.factor.kind == CARDAN_SE3)
            rigid_rate(&l, x, velocity, rate);
        else
            cd_copy(l.vector, velocity, rate);
        if (l.turns) {
            quaternion_rate(l.factor.side, p, velocity + l.vector, *nu++, rate + l.vector);
            *unit++ = 0.5 * cd_quaternion_residual(p);
        }
        x += count_of(&l);
        rate += count_of(&l);
    }
}

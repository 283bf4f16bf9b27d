/* Lie groups on which configurations live: R^n, rotations, rigid motions, and products of these.
 *
 * A group is a list of factors. Each factor stores its elements as plain doubles and has a velocity
 * in R^dof, trivialised on the left (velocity in the body frame, q' = q v~) or on the right
 * (velocity in the inertial frame, q' = v~ q). Schemes are written once for both sides: the order
 * of composition in `update`, the tangent operator and the sign of the bracket belong to the group.
 *
 *   kind           element stored as                 dof  velocity (left | right)
 *   CARDAN_RN      x[n]                                n  x'
 *   CARDAN_SO3     R[9], row by row                    3  angular, body | inertial frame
 *   CARDAN_S3      unit quaternion (w, x, y, z)        3  angular, body | inertial frame
 *   CARDAN_R3_SO3  x[3], R[9]                          6  x' and angular
 *   CARDAN_R3_S3   x[3], quaternion[4]                 6  x' and angular
 *   CARDAN_SE3     x[3], R[9]                          6  body: (R^T x', Omega);
 *                                                         inertial: (x' - omega x x, omega)
 *
 * R maps body to inertial coordinates. Rotation vectors are in radians. Elements are kept on the
 * group by `update`, which ends with one Newton-Schulz step (rotation matrix) or one scaling
 * (quaternion): the distance to the group stays at rounding level however many steps are taken.
 *
 * Element and velocity arguments may not overlap the output unless a function says so. All
 * functions except create and destroy are pure: no allocation, no failure, usable from any thread.
 */
#ifndef CARDAN_GROUP_H
#define CARDAN_GROUP_H

#include <cardan/memory.h>
#include <cardan/status.h>

typedef enum cardan_group_kind {
    CARDAN_RN,
    CARDAN_SO3,
    CARDAN_S3,
    CARDAN_R3_SO3,
    CARDAN_R3_S3,
    CARDAN_SE3
} cardan_group_kind;

typedef enum cardan_group_side { CARDAN_LEFT, CARDAN_RIGHT } cardan_group_side;

/* One factor of a product. `n` is the dimension of CARDAN_RN (1 or more) and ignored otherwise. */
typedef struct cardan_factor {
    cardan_group_kind kind;
    cardan_group_side side;
    int n;
} cardan_factor;

typedef struct cardan_group cardan_group;

/* The product of `count` factors, count >= 1. `allocator` and `error` may be NULL. */
CARDAN_API cardan_status cardan_group_create(cardan_group **group, const cardan_factor *factors,
                                             int count, const cardan_allocator *allocator,
                                             cardan_error *error);
CARDAN_API void cardan_group_destroy(cardan_group *group);

/* Number of factors, doubles per element, and dimension of the algebra. */
CARDAN_API int cardan_group_factor_count(const cardan_group *group);
CARDAN_API int cardan_group_size(const cardan_group *group);
CARDAN_API int cardan_group_dof(const cardan_group *group);

/* Factor i with the offsets of its element and of its velocity; offsets may be NULL. */
CARDAN_API cardan_factor cardan_group_factor(const cardan_group *group, int i, int *element_offset,
                                             int *velocity_offset);

/* The neutral element, the product a b, and the inverse of q. */
CARDAN_API void cardan_group_identity(const cardan_group *group, double *q);
CARDAN_API void cardan_group_compose(const cardan_group *group, const double *a, const double *b,
                                     double *ab);
CARDAN_API void cardan_group_inverse(const cardan_group *group, const double *q, double *inverse);

/* exp: algebra -> group, and its inverse with rotation angles in [0, pi]. */
CARDAN_API void cardan_group_exp(const cardan_group *group, const double *w, double *q);
CARDAN_API void cardan_group_log(const cardan_group *group, const double *q, double *w);

/* q1 = q exp(w) for a left factor, exp(w) q for a right one. q1 may be q. */
CARDAN_API void cardan_group_update(const cardan_group *group, const double *q, const double *w,
                                    double *q1);

/* The w for which update(q0, w) is q1: the difference of two elements in the algebra. */
CARDAN_API void cardan_group_difference(const cardan_group *group, const double *q0,
                                        const double *q1, double *w);

/* Returns q to the group if it is near it (within about 0.1): nearest rotation, unit quaternion. */
CARDAN_API void cardan_group_normalise(const cardan_group *group, double *q);

/* Distance of q to the group: largest entry of |R^T R - I| and | |quaternion|^2 - 1 |. */
CARDAN_API double cardan_group_defect(const cardan_group *group, const double *q);

/* Lie bracket of velocities; of opposite sign for right factors, so that q' = v~ q obeys the same
 * formulas as q' = q v~. */
CARDAN_API void cardan_group_bracket(const cardan_group *group, const double *a, const double *b,
                                     double *out);

/* The tangent operator T(w) of update(q, w + e x) = update(update(q, w), e T(w) x) + O(e^2). The
 * inverse exists for rotation angles below 2 pi. */
typedef enum cardan_tangent {
    CARDAN_TANGENT,
    CARDAN_TANGENT_INVERSE,
    CARDAN_TANGENT_TRANSPOSE,
    CARDAN_TANGENT_INVERSE_TRANSPOSE
} cardan_tangent;

/* Applies a tangent operator to x; out may be x. */
CARDAN_API void cardan_group_tangent(const cardan_group *group, cardan_tangent which,
                                     const double *w, const double *x, double *out);

/* The tangent operator of factor i alone, as a dense dof_i x dof_i matrix, row by row; `w` is the
 * velocity vector of the whole group. */
CARDAN_API void cardan_group_tangent_block(const cardan_group *group, cardan_tangent which, int i,
                                           const double *w, double *block);

/* Adjoint of a group element: q exp(x) q^-1 = exp(Ad_q x). */
CARDAN_API void cardan_group_adjoint(const cardan_group *group, const double *q, const double *x,
                                     double *out);

/* hat and vee of factor i: the matrix of the algebra element, row by row, and back. hat returns the
 * order of the matrix, and only that if `matrix` is NULL.
 * R^n: (n+1) x (n+1) with x in the last column; SO(3), S3: 3 x 3 skew; the 6-dof kinds: 4 x 4 for
 * SE(3) and 7 x 7 = blockdiag(4 x 4 translation, 3 x 3 skew) for the direct products. */
CARDAN_API int cardan_group_hat(const cardan_group *group, int i, const double *w, double *matrix);
CARDAN_API void cardan_group_vee(const cardan_group *group, int i, const double *matrix, double *w);

#endif

/* The derivative dF/dy + c dF/dy' of the stabilised index-2 form (ida.h) as a sparse matrix by
 * columns, from the derivatives of the system and without differences. Left out is
 * d(B^T mu)/dq mu, as mu is zero in the solution; Newton's method converges as without it. */
#ifndef PEERS_IDA_JACOBIAN_H
#define PEERS_IDA_JACOBIAN_H

#include <cardan/evaluator.h>

/* Unknowns in this order: coordinates, v, lambda, psi, mu, nu; and equations: coordinates,
 * dynamics, position, rolling, hidden, unit quaternions. */
typedef struct peer_sizes {
    int coordinates, dof, constraints, nonholonomic, quaternions, count;
} peer_sizes;
peer_sizes peer_sizes_of(const cardan_system *system);

typedef struct peer_jacobian {
    cardan_evaluator *evaluator; /* not owned */
    const cardan_system *system;
    peer_sizes sizes;
    int entries;       /* of the matrix */
    int *column_start; /* count + 1 */
    int *row;          /* entries */
    double *values;    /* where they are added to: of the caller */

    /* The contributions in the order in which they are made, some of them to the same entry. */
    long contributions, capacity, next;
    int *at_row, *at_column; /* while the pattern is found */
    int *place;
    int *coordinate; /* dof: the coordinate of a velocity, or -1 - (3 * quaternion + axis) */
    int *first;      /* quaternions: its first coordinate */
    char *left;      /* quaternions: does the velocity belong to the body frame? */
    double *chart;   /* 12 a quaternion: angles by its numbers, 3 x 4 */
    double *block;   /* entries of one matrix of the system */
} peer_jacobian;

/* False if there is no memory, or the group is not one of those that are covered (SE(3)). */
bool peer_jacobian_create(peer_jacobian *jacobian, const cardan_system *system,
                          cardan_evaluator *evaluator);
void peer_jacobian_destroy(peer_jacobian *jacobian);

/* Adds to `values` (zeroed, `entries` numbers). y: the unknowns; w: v - B^T mu. */
cardan_status peer_jacobian_evaluate(peer_jacobian *jacobian, const cardan_point *at,
                                     const double *y, const double *w, double c, double *values);

#endif

/* Scaling of a matrix by powers of two that make its rows and columns about equal in size. */
#ifndef CD_LINALG_SCALING_H
#define CD_LINALG_SCALING_H

#include <stdbool.h>

/* What the unknowns of a matrix are: first `velocities`, whose diagonal entries are masses; then
 * `displacements` of the same coordinates, as many or none; the others are multipliers, whose rows
 * are constraints. Without velocities nothing is known. */
typedef struct cd_unknowns {
    int velocities, displacements;
} cd_unknowns;

/* A matrix by columns. */
typedef struct cd_scaling {
    int n;
    cd_unknowns unknowns;
    double *values;
    const int *start, *row; /* where columns begin, rows of entries; NULL: the matrix is dense */
    double *scale;          /* 2 n: factors of the rows, then of the columns */
    double *spare;          /* 3 n: scratch */
} cd_scaling;

/* Scales the rows, then the columns, where they need it; false if none do. Entries are finite. */
bool cd_equilibrate(const cd_scaling *m);

#endif

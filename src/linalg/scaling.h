/* Powers of two that make rows or columns of a matrix about equal in size. */
#ifndef CD_LINALG_SCALING_H
#define CD_LINALG_SCALING_H

#include <stdbool.h>

/* The unknowns of a matrix: the first are velocities, whose diagonal entries are masses; the next
 * may be as many displacements of the same coordinates; the others are multipliers, the rows of
 * which are constraints. None: nothing is known. */
typedef struct cd_unknowns {
    int velocities, displacements;
} cd_unknowns;

/* A matrix by columns. */
typedef struct cd_scaling {
    int n;
    cd_unknowns unknowns;
    double *values;
    const int *start, *row; /* its columns and their rows; NULL: it is dense */
    double *scale;          /* 2 n: what the rows, then the columns are multiplied by */
    double *spare;          /* 3 n */
} cd_scaling;

/* Scales the rows, then the columns, where they need it; false if none do. Entries are finite. */
bool cd_equilibrate(const cd_scaling *m);

#endif

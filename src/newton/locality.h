/* Where a matrix has changed: only there are new factors needed.
 *
 * After a correction with factors of an older or another matrix A, F(x + dx) = (F' - A) dx and
 * terms of second order. Rows of the motion in which that is large are those of bodies that have
 * turned since, or that turn within the step; in the others A still is the matrix, or nothing
 * moves. If they are few, the units they belong to become the part of the factors that is made
 * anew. */
#ifndef CD_NEWTON_LOCALITY_H
#define CD_NEWTON_LOCALITY_H

#include "linalg/matrix.h"

typedef struct cd_locality {
    double scale;      /* cd_newton.scale of the factors that parts are made anew of; 0: none */
    int wait, backoff; /* solves before a part is looked for again, after there was none */
} cd_locality;

void cd_locality_forget(cd_locality *locality);

/* Looks for the part; F in the first `rows` rows is that of the motion. True: it has grown. */
bool cd_locality_look(cd_locality *locality, cd_matrix *matrix, int rows, const double *residual);

#endif

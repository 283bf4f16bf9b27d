/* The matrix (A + H, C^T; C, -I/alpha) of a projection: A is its norm, C = (B; K) the derivative of
 * the constraints, H the second derivative of C^T mu if the iteration is to have it. */
#ifndef CD_SYSTEM_BORDERED_H
#define CD_SYSTEM_BORDERED_H

#include "system.h"

/* The slots of its blocks in a cd_matrix. */
typedef struct cd_bordered {
    cd_matrix *matrix;
    const cd_pattern *norm, *hessian; /* of A and of H, NULL: none */
    int norm_slot, hessian_slot;
    int row_slots[2], reaction_slots[2]; /* of C and C^T: B and K */
    int diagonal_slots[2];               /* -1/alpha */
} cd_bordered;

/* The values of its blocks. */
typedef struct cd_bordered_values {
    const double *norm, *hessian; /* H may be NULL: zeros */
    const double *rows[2];        /* B and K; K may be NULL: zeros */
    double alpha;                 /* infinite: an exact projection */
    bool nonholonomic;            /* the rows of K are those of C; else their multipliers are 0 */
} cd_bordered_values;

/* Declares the blocks in `matrix`, which the caller seals. `rows` are the patterns of B and K. */
cd_bordered cd_bordered_declare(cd_matrix *matrix, const cardan_system *system,
                                const cd_pattern *norm, const cd_pattern *hessian,
                                const cd_pattern *const rows[2]);

/* Fills and factors the matrix; rows of C are scaled so that no penalty overflows. */
cardan_status cd_bordered_factor(cd_bordered *b, const cd_bordered_values *values);

/* The factor min(1, alpha) of the rows of C. */
static inline double cd_bordered_scale(double alpha)
{
    return alpha < 1.0 ? alpha : 1.0;
}

/* The entries on the diagonal of the border: 1/alpha times cd_bordered_scale. */
static inline double cd_bordered_border(double alpha)
{
    return alpha > 1.0 ? 1.0 / alpha : 1.0;
}

#endif

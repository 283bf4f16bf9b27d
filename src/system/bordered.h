/* The matrix (A + H, C^T; C, -I/alpha) of a projection: A is its norm, C = (B; K) the derivative of
 * the constraints, H the second derivative of C^T mu if the iteration is to have it. */
#ifndef CD_SYSTEM_BORDERED_H
#define CD_SYSTEM_BORDERED_H

#include "system.h"

typedef struct cd_bordered {
    cd_matrix *matrix;
    const cd_pattern *norm, *hessian; /* of A and of H, NULL: none */
    int norm_slot, hessian_slot;
    int row_slots[2], reaction_slots[2]; /* of the holonomic and the nonholonomic part of C, C^T */
    int diagonal_slots[2];               /* -1/alpha */
} cd_bordered;

/* What it is made of. */
typedef struct cd_bordered_values {
    const double *norm, *hessian; /* H may be NULL: zeros */
    const double *rows[2];        /* both parts of C, the second may be NULL: zeros */
    double alpha;                 /* infinite: an exact projection */
    bool nonholonomic;            /* the second part of C takes part */
} cd_bordered_values;

/* Declares the blocks in `matrix` (k + m + l), which is for the caller to seal. `rows` are the
 * patterns of both parts of C. */
cd_bordered cd_bordered_declare(cd_matrix *matrix, const cardan_system *system,
                                const cd_pattern *norm, const cd_pattern *hessian,
                                const cd_pattern *const rows[2]);

/* Rows of C are scaled by min(1, alpha), so that no penalty overflows. */
cardan_status cd_bordered_factor(cd_bordered *b, const cd_bordered_values *values);

static inline double cd_bordered_scale(double alpha)
{
    return alpha < 1.0 ? alpha : 1.0;
}

/* 1/alpha, scaled likewise. */
static inline double cd_bordered_border(double alpha)
{
    return alpha > 1.0 ? 1.0 / alpha : 1.0;
}

#endif

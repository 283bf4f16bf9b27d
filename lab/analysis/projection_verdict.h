/* The verdict on whether a projection matrix can add energy (ENERGY: GO10 (15)-(21), Prop. 1-6). */
#ifndef LAB_PROJECTION_VERDICT_H
#define LAB_PROJECTION_VERDICT_H

#include <cardan/projection.h>

/* Can velocity projection with this matrix add energy at this configuration? The tangent norm reads
 * the whole point and needs its two weights. */
typedef struct lab_projection_verdict {
    int case_number;          /* I..IV of GO10 Fig. 1 as 1..4 */
    double smallest;          /* smallest eigenvalue of (M A^-1 B^T B)^s: < 0 means yes */
    double smallest_relative; /* the same, relative to the largest */
    bool can_add_energy;
    int compatible;   /* dim of C = ker B */
    int kernel_b;     /* dim of K_B = ker(M A^-1 B^T B) */
    int kernel_d;     /* dim of the span of K_D: velocities whose energy is left alone */
    char advice[320]; /* one sentence */
} lab_projection_verdict;

cardan_status lab_projection_judge(const cardan_system *system, const cardan_projection *projection,
                                   const cardan_point *at, lab_projection_verdict *verdict,
                                   cardan_error *error);

#endif

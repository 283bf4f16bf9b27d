/* Roots of the real cubic x^3 + b x^2 + c x + d in quadruple precision. */
#ifndef LAB_CUBIC_H
#define LAB_CUBIC_H

#include "quad.h"

/* A real root and the other two: mean +- i imaginary, or mean +- distance if they are real. */
typedef struct lab_cubic_roots {
    cd_quad real;
    cd_quad mean;
    cd_quad imaginary; /* >= 0; 0 if all roots are real */
    cd_quad distance;  /* >= 0; 0 if the pair is complex */
} lab_cubic_roots;

lab_cubic_roots lab_cubic_solve(cd_quad b, cd_quad c, cd_quad d);

#endif

/* Quadruple precision (113 bits) for numbers that double would lose: the families' parameters and
 * the roots of the oscillator's characteristic polynomial, which nearly coincide for large and for
 * small omega h. */
#ifndef LAB_QUAD_H
#define LAB_QUAD_H

#include <math.h>
#include <stdlib.h>

#if defined(__clang__)
/* clang knows the type by its older name only, and glibc hides the functions from it. */
__extension__ typedef __float128 cd_quad;
cd_quad atan2f128(cd_quad y, cd_quad x);
cd_quad cbrtf128(cd_quad x);
cd_quad expf128(cd_quad x);
cd_quad fabsf128(cd_quad x);
cd_quad log1pf128(cd_quad x);
cd_quad logf128(cd_quad x);
cd_quad sqrtf128(cd_quad x);
cd_quad strtof128(const char *text, char **end);
#else
#ifndef __STDC_WANT_IEC_60559_TYPES_EXT__
#error                                                                                             \
    "a file that uses analysis/quad.h defines __STDC_WANT_IEC_60559_TYPES_EXT__ before any include"
#endif
__extension__ typedef _Float128 cd_quad;
#endif

#endif

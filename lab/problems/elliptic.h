/* Elliptic integrals and functions of parameter m = k^2, 0 <= m < 1, in extended precision: closed
 * forms of the pendulum. */
#ifndef CD_PROBLEMS_ELLIPTIC_H
#define CD_PROBLEMS_ELLIPTIC_H

typedef struct cd_jacobi {
    long double sn, cn, dn;
} cd_jacobi;

/* F(asin s, m), |s| <= 1, by Carlson's R_F. K(m) is F at s = 1. */
long double cd_elliptic_f(long double s, long double m);

/* sn, cn and dn at u, by the arithmetic-geometric mean. */
cd_jacobi cd_elliptic_functions(long double u, long double m);

#endif

/* Closed loops by a method of the tests' own: Gauss-Newton with differenced derivatives. Equations
 * may be more than unknowns if they can all be satisfied. */
#ifndef CARDAN_TESTS_CLOSURE_H
#define CARDAN_TESTS_CLOSURE_H

enum { CLOSURE_MAX = 6 };

typedef void closure_function(const void *context, const double *x, double *out);

typedef struct closure {
    closure_function *function;
    const void *context;
    int equations, unknowns; /* at most CLOSURE_MAX */
    int variables;           /* numbers in x: the unknowns, then those that are given */
} closure;

/* Derivative of the equations with respect to x[j], by central differences. */
void closure_derivative(const closure *loop, const double *x, int j, double *out);

/* Least-squares solution d of A d = r, A with columns a[j]; unknowns columns. */
void closure_solve(const closure *loop, double a[][CLOSURE_MAX], const double *r, double *d);

/* Changes x until all equations hold to 1e-13; fails the running test if they do not. */
void closure_close(const closure *loop, double *x);

/* out = m turned about a unit axis: m exp(angle axis~). out may be m. */
void turn_about(const double m[9], const double axis[3], double angle, double out[9]);

#endif

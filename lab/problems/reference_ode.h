/* Reference solutions of ordinary differential equations y' = f(t, y) in extended precision.
 *
 * On each of a chain of intervals the solution is a polynomial of degree 24 that satisfies the
 * equation at the 25 Chebyshev points; it is found by Picard iteration and the interval is halved
 * until both the iteration and the tail of the polynomial's Chebyshev series are at rounding level
 * of `long double`. The polynomial gives every time in its interval at the cost of an
 * interpolation, so the value at a time does not depend on which times were asked for before.
 * Nothing here resembles a generalized-alpha step: agreement with one means something. */
#ifndef CD_PROBLEMS_REFERENCE_ODE_H
#define CD_PROBLEMS_REFERENCE_ODE_H

#include <cardan/memory.h>
#include <cardan/status.h>

enum { CD_ODE_MAX_ORDER = 14 };

/* Writes f(t, y) and returns 0, or returns 1 where the equation does not exist. */
typedef int cd_ode_function(const void *context, long double t, const long double *y,
                            long double *f);

typedef struct cd_ode {
    int order; /* number of unknowns, at most CD_ODE_MAX_ORDER */
    cd_ode_function *function;
    const void *context;
    long double begin;
    long double initial[CD_ODE_MAX_ORDER];
    long double longest; /* interval; 0: any. What acts for a short time must not be missed */
} cd_ode;

typedef struct cd_reference_ode cd_reference_ode;

/* NULL if the allocator has no memory. */
cd_reference_ode *cd_reference_ode_create(const cd_ode *ode, const cardan_allocator *allocator);
void cd_reference_ode_destroy(cd_reference_ode *reference, const cardan_allocator *allocator);

/* y(t), t >= begin. A time before the current interval starts again from the initial values.
 * CARDAN_NO_REFERENCE if the solution does not reach t. */
cardan_status cd_reference_ode_at(cd_reference_ode *reference, long double t, long double *y,
                                  cardan_error *error);

#endif

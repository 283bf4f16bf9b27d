/* Small motions about a state: eigenvalues, frequencies, damping and shapes, with the constraints
 * projected out.
 *
 * About a motion q*(t), v*(t) the displacements xi (q = update(q*, xi)) and the changes w of the
 * velocities obey
 *
 *   xi' = w - [v*, xi]
 *   M w' + D w + S xi + (reactions) = 0
 *   B xi = 0,   B w + d(B v + Phi_t)/dq xi = 0,   K w + dk/dq xi = 0
 *
 * with all matrices taken at the state given (docs/methods/modes.md). Holonomic constraints leave
 * k - rank B displacements, all constraints together k - rank C velocities; nonholonomic systems
 * have more of the first. About a state of rest, or a steady motion whose matrices do not change,
 * every motion is a sum of the modes found here; else they describe the moment. */
#ifndef CARDAN_MODES_H
#define CARDAN_MODES_H

#include <cardan/system.h>

typedef struct cardan_modes_def {
    uint32_t cookie;  /* set by cardan_modes_def_default */
    bool undamped;    /* leave out forces due to velocities; for states of rest */
    double tolerance; /* ranks, and eigenvalues that are 0, relative; 0: as exact as the
                         derivatives are */
    int count;        /* the lowest modes only, of systems of more than 240 velocities by sparse
                         factors; 0: all modes of systems of up to 1200 velocities, by full
                         matrices, and the lowest 20 of larger ones */
} cardan_modes_def;

CARDAN_API cardan_modes_def cardan_modes_def_default(void);

/* exp(s t) with s = real + i imag; of a conjugate pair only the one with imag > 0 is listed. */
typedef struct cardan_mode {
    double real, imag;    /* 1/s */
    double frequency;     /* imag / (2 pi), Hz */
    double damping_ratio; /* -real / |s| */
    /* Shapes, 2 dof numbers each: real parts, then imaginary ones. The largest displacement is 1;
     * if nothing is displaced (a speed that dies out), the largest velocity. */
    const char *moves;          /* names of the largest ones: "frame.wx, fork.wz and fork.wx" */
    const double *displacement; /* xi */
    const double *velocity;     /* w */
} cardan_mode;

typedef struct cardan_modes {
    int dof;
    int displacements, velocities; /* numbers of free ones: the order of the equations */
    int count;                     /* modes, in ascending order of |s| */
    const cardan_mode *mode;
    /* Eigenvalues that are 0, counted with multiplicity, and the independent changes of the state
     * that stay as they are: cyclic coordinates, neutral equilibria, other steady motions. */
    int zeros, steady;
    const double *steady_displacement; /* steady x dof */
    const double *steady_velocity;     /* steady x dof */
    double largest_real;               /* of all eigenvalues; 0 if the only ones are 0 */
    double acceleration;               /* largest |v'| */
    /* At rest in equilibrium, or in a motion along which the linearised equations do not change (in
     * the coordinates of the system: for spinning bodies use the spatial form). */
    bool is_steady;
    const double *matrix; /* A of x' = A x, order n = displacements + velocities; or NULL */
    /* Found by sparse factors: the lowest modes alone; zeros and steady are 0, as they were not
     * looked for, and largest_real is that of the modes found. */
    bool is_partial;
} cardan_modes;

/* Linearises at (t, q, v) of the point, which must satisfy the constraints; v', lambda and psi are
 * computed (redundant constraints: least norm). `def` and `error` may be NULL. Made with the
 * system's allocator. */
CARDAN_API cardan_status cardan_modes_create(cardan_modes **modes, const cardan_system *system,
                                             const cardan_point *at, const cardan_modes_def *def,
                                             cardan_error *error);
CARDAN_API void cardan_modes_destroy(cardan_modes *modes);

#endif

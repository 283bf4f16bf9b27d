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
 * with all matrices at the given state (docs/methods/modes.md). There are k - rank B free
 * displacements and k - rank C free velocities; nonholonomic systems have more displacements than
 * velocities. About a state of rest, or a steady motion whose matrices do not change, every small
 * motion is a sum of these modes. Otherwise the modes describe only the present moment. */
#ifndef CARDAN_MODES_H
#define CARDAN_MODES_H

#include <cardan/system.h>

typedef struct cardan_modes_def {
    uint32_t cookie;  /* set by cardan_modes_def_default */
    bool undamped;    /* ignore forces that depend on velocities; for states of rest */
    double tolerance; /* relative tolerance of ranks and of eigenvalues 0; 0: chosen by the accuracy
                         of the derivatives */
    int count;        /* Number of lowest modes; above 240 velocities they are computed by sparse
                         factors. 0: all modes up to 1200 velocities, by full matrices, and the
                         lowest 20 of larger systems. */
} cardan_modes_def;

CARDAN_API cardan_modes_def cardan_modes_def_default(void);

/* exp(s t) with s = real + i imag; of a conjugate pair only the one with imag > 0 is listed. */
typedef struct cardan_mode {
    double real;          /* in 1/s */
    double imag;          /* in 1/s */
    double frequency;     /* imag / (2 pi), in Hz */
    double damping_ratio; /* -real / |s| */
    const char *moves;    /* the largest components by name: "frame.wx, fork.wz and fork.wx" */
    /* Displacements xi: dof real parts, then dof imaginary parts. The largest displacement is 1; if
     * all are zero (a speed that decays), the largest velocity is 1. */
    const double *displacement;
    const double *velocity; /* velocities w, in the same order */
} cardan_mode;

typedef struct cardan_modes {
    int dof;
    int displacements;       /* number of free displacements */
    int velocities;          /* number of free velocities */
    int count;               /* number of modes */
    const cardan_mode *mode; /* the modes, in ascending order of |s| */
    int zeros;               /* number of eigenvalues 0, with multiplicity */
    int steady; /* number of independent changes of the state that stay constant: cyclic
                   coordinates, neutral equilibria, other steady motions */
    const double *steady_displacement; /* their displacements, steady x dof */
    const double *steady_velocity;     /* their velocities, steady x dof */
    double
        largest_real; /* largest real part of all eigenvalues except 0; 0 if there are no others */
    double acceleration; /* largest |v'| */
    /* True: the state is an equilibrium, or the linearised equations do not change along the motion
     * (in the coordinates of the system; use the spatial form for spinning bodies). */
    bool is_steady;
    const double *matrix; /* A of x' = A x, of order displacements + velocities; or NULL */
    /* True: only the lowest modes were computed, by sparse factors. zeros and steady are then 0,
     * and largest_real refers to these modes. */
    bool is_partial;
} cardan_modes;

/* Linearises at (t, q, v) of the point, which must satisfy the constraints. v', lambda and psi are
 * computed (with redundant constraints, those of least norm). `def` and `error` may be NULL. Uses
 * the system's allocator. */
CARDAN_API cardan_status cardan_modes_create(cardan_modes **modes, const cardan_system *system,
                                             const cardan_point *at, const cardan_modes_def *def,
                                             cardan_error *error);
CARDAN_API void cardan_modes_destroy(cardan_modes *modes);

#endif

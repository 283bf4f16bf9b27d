/* Static equilibrium: a configuration with forces in balance at rest,
 *
 *   g(q, 0, lambda, psi, t) + B^T lambda + K^T psi = 0,   Phi(q, t) = 0,
 *
 * and whether it is stable (docs/methods/static.md). By default the system is let go from the
 * configuration given and led downhill, which ends in a stable equilibrium wherever there is one.
 * With load_steps the equilibrium is followed while the start is held and the holding forces are
 * taken away in steps: this stays on its branch, stable or not, and fails where that ends. */
#ifndef CARDAN_EQUILIBRIUM_H
#define CARDAN_EQUILIBRIUM_H

#include <cardan/system.h>

typedef struct cardan_equilibrium_def {
    uint32_t cookie;    /* set by cardan_equilibrium_def_default */
    int load_steps;     /* 0: downhill; else the steps in which holding forces are taken away */
    int max_iterations; /* of all steps together; default 500 */
    double tolerance;   /* force left over, relative to the largest force; default 1e-12 */
} cardan_equilibrium_def;

typedef enum cardan_stability {
    CARDAN_STABLE,    /* every small displacement is pushed back */
    CARDAN_NEUTRAL,   /* some displacement meets no force: a mechanism that is free to move */
    CARDAN_UNSTABLE,  /* some displacement grows */
    CARDAN_NOT_JUDGED /* a free direction without mass; of large systems (more than 300 velocities)
                         dependent constraints, or forces without potential */
} cardan_stability;

typedef struct cardan_equilibrium_report {
    int iterations;
    int load_steps;  /* taken: more than asked for where one had to be divided */
    double residual; /* largest force left over */
    double force;    /* largest force in the balance */
    cardan_stability stability;
    int free_directions, unstable_directions; /* of large systems 1 stands for one or more */
    double smallest; /* smallest stiffness by mass, 1/s^2: a squared frequency if positive */
    char text[512];  /* the verdict in words, with the directions named */
} cardan_equilibrium_report;

CARDAN_API cardan_equilibrium_def cardan_equilibrium_def_default(void);

/* Moves q from where it is to an equilibrium at the time t; lambda and psi (m and l numbers, may be
 * NULL if there are none) become the joint forces. Rolling bodies roll, they do not slip. `def`,
 * `report` and `error` may be NULL. If there is none, the sentence says what is still pushed and
 * what to try; q is then left where it was given. */
CARDAN_API cardan_status cardan_equilibrium_find(const cardan_system *system, double t, double *q,
                                                 double *lambda, double *psi,
                                                 const cardan_equilibrium_def *def,
                                                 cardan_equilibrium_report *report,
                                                 cardan_error *error);

#endif

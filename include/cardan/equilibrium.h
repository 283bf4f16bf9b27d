/* Static equilibrium: a configuration in which the forces are in balance at rest, and its
 * stability.
 *
 *   g(q, 0, lambda, psi, t) + B^T lambda + K^T psi = 0,   Phi(q, t) = 0,
 *
 * See docs/methods/static.md. By default the system creeps from the given
 * configuration along the remaining forces, to a stable equilibrium if there is one. With
 * load_steps the initial configuration is held and the holding forces are removed in steps: this
 * follows one branch of equilibria, stable or not, and fails where the branch ends. */
#ifndef CARDAN_EQUILIBRIUM_H
#define CARDAN_EQUILIBRIUM_H

#include <cardan/system.h>

typedef struct cardan_equilibrium_def {
    uint32_t cookie;    /* set by cardan_equilibrium_def_default */
    int load_steps;     /* number of steps in which holding forces are removed; 0: no load steps */
    int max_iterations; /* of all steps together; default 500 */
    double tolerance;   /* of the remaining force, relative to the largest force; default 1e-12 */
} cardan_equilibrium_def;

typedef enum cardan_stability {
    CARDAN_STABLE,    /* every small displacement decreases */
    CARDAN_NEUTRAL,   /* some displacement causes no force: the mechanism is free to move */
    CARDAN_UNSTABLE,  /* some displacement grows */
    CARDAN_NOT_JUDGED /* Unknown, because a free direction has no mass. For systems of more than 300
                         velocities also if constraints are dependent or forces have no potential.
                       */
} cardan_stability;

typedef struct cardan_equilibrium_report {
    int iterations;
    int load_steps;  /* load steps taken; more than requested if some had to be divided */
    double residual; /* largest remaining force */
    double force;    /* largest force in the balance */
    cardan_stability stability;
    int free_directions;     /* number of free directions; for large systems 1 means one or more */
    int unstable_directions; /* number of unstable directions; likewise */
    double
        smallest; /* smallest ratio of stiffness to mass, 1/s^2: a squared frequency if positive */
    char text[512]; /* the verdict in words, with the names of the directions */
} cardan_equilibrium_report;

CARDAN_API cardan_equilibrium_def cardan_equilibrium_def_default(void);

/* Changes q to an equilibrium at the time t, downhill or, if def->load_steps > 0, by load steps;
 * writes its multipliers to lambda and psi (m and l numbers; NULL if there are none), and judges
 * its stability. Rolling bodies roll and do not slip. `def`, `report` and `error` may be NULL. If
 * no equilibrium is found, q does not change, and the message names the remaining forces and says
 * what to try. */
CARDAN_API cardan_status cardan_equilibrium_find(const cardan_system *system, double t, double *q,
                                                 double *lambda, double *psi,
                                                 const cardan_equilibrium_def *def,
                                                 cardan_equilibrium_report *report,
                                                 cardan_error *error);

#endif

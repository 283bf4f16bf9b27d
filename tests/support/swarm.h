/* Particles or bodies in a row, every second pair of neighbours at a fixed distance, all of them
 * or those near each other joined by springs and dampers: a system of callbacks without derivatives
 * and patterns. */
#ifndef CARDAN_TESTS_SWARM_H
#define CARDAN_TESTS_SWARM_H

#include <cardan/cardan.h>

/* Where equations begin to depend on coordinates that they did not depend on before. */
typedef enum swarm_late {
    SWARM_NEVER,
    SWARM_CONSTRAINT, /* the first constraint on the last particle, once the first has moved */
    SWARM_FORCE,      /* a contact of the first and the last particle, once the first has moved */
    SWARM_FORCE_TIME, /* the same, from a time on */
    SWARM_MASS        /* the mass of the first particle, once it has moved */
} swarm_late;

/* What callbacks may do wrong, or may not like. */
typedef enum swarm_quirk {
    SWARM_PLAIN,
    SWARM_NOISE,      /* values depend on the number of the call */
    SWARM_NARROW,     /* a point is refused if more than three constraints are violated */
    SWARM_NARROW_NAN, /* the same, by a value that is not finite */
    SWARM_FLAT        /* a point is refused if both ends of a rod have left the plane z = 0 */
} swarm_quirk;

typedef struct swarm {
    int count;     /* an even number */
    bool bodies;   /* R3 x SO(3) instead of R^3; rods end beside the centres */
    bool all;      /* springs between all */
    bool patterns; /* given for M and B, and without changes of M */
    swarm_late late;
    swarm_quirk quirk;
    long mass_calls, force_calls, constraint_calls;
    int *memory;
    cardan_pattern mass, rows, none;
} swarm;

cardan_group *swarm_group(const swarm *s);
/* Without derivatives; `s` is the context. */
cardan_system_def swarm_def(swarm *s, const cardan_group *group);
cardan_system *swarm_system(swarm *s);
void swarm_close(swarm *s);
/* B in closed form, for particles. */
int swarm_constraint_dq(void *context, const cardan_point *at, double *b);

enum { SWARM_MOST = 512 };
int swarm_dof(const swarm *s);
/* A consistent state in a straight line, with many zeros in it. */
void swarm_initial(const swarm *s, double *q, double *v);

#endif

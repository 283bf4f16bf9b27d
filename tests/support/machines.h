/* The machines of tests/data/machines by any method, in any form of bodies. */
#ifndef CARDAN_TESTS_MACHINES_H
#define CARDAN_TESTS_MACHINES_H

#include "shipped.h"

typedef struct machine_way {
    const char *method, *form; /* form: of all bodies */
    double rtol, atol;         /* of everything */
    bool health;
} machine_way;

/* Started; fails the running test if it cannot be. The functions of shipped.h work for it. */
shipped machine_start(const char *name, const machine_way *how);
double machine_end(const shipped *run); /* that of its file */

#endif

/* Signals of every type for motions and forces of random machines. */
#ifndef CROSSCHECK_SIGNALS_H
#define CROSSCHECK_SIGNALS_H

#include "machine.h"

/* Adds a signal that is 0 at the start and of the size `amplitude`. `jumps`: its rate may jump. */
void signal_write(machine *m, writing *t, double amplitude, bool jumps);

#endif

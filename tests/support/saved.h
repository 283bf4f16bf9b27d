/* Checkpoints in memory and the comparison of two integrators, bit for bit. */
#ifndef CARDAN_TESTS_SAVED_H
#define CARDAN_TESTS_SAVED_H

#include <cardan/cardan.h>

typedef struct saved {
    size_t size;
    unsigned char *bytes; /* to be freed */
} saved;

/* A checkpoint of the integrator; fails the running test if it cannot be made. */
saved save(cardan_integrator *it);

/* All that the public functions show, and everything in the checkpoint. */
void check_identical(cardan_integrator *one, cardan_integrator *two);

/* Numbers that are the same on every machine. */
void random_seed(unsigned long value);
unsigned random_below(unsigned n);

#endif

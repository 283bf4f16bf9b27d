/* Functions of time that prescribe motions and drive forces: f with f' and f''.
 *
 * A signal belongs to a model (cardan_model_add_signal) and is referred to by its number. */
#ifndef CARDAN_SIGNAL_H
#define CARDAN_SIGNAL_H

#include <stdint.h>

typedef enum cardan_signal_type {
    CARDAN_SIGNAL_CONSTANT,    /* value */
    CARDAN_SIGNAL_RAMP,        /* value before start, then value + slope (t - start) until end */
    CARDAN_SIGNAL_SMOOTH_STEP, /* from value to end_value between start and end, twice
                                  continuously differentiable */
    CARDAN_SIGNAL_HARMONIC,    /* value + amplitude sin(2 pi frequency t + phase) */
    CARDAN_SIGNAL_POLYNOMIAL,  /* sum of coefficients[i] t^i */
    CARDAN_SIGNAL_TABLE,       /* through (times[i], values[i]), straight lines */
    CARDAN_SIGNAL_SPLINE,      /* the same, natural cubic spline */
    CARDAN_SIGNAL_SUM,         /* of the signals in terms */
    CARDAN_SIGNAL_PRODUCT      /* of the signals in terms */
} cardan_signal_type;

typedef struct cardan_signal_def {
    uint32_t cookie; /* set by cardan_signal_def_default */
    cardan_signal_type type;
    double value, slope, start, end, end_value;
    double amplitude, frequency, phase;
    const double *coefficients;   /* count numbers, copied */
    const double *times, *values; /* count numbers each, copied; constant outside of the table */
    const int *terms;             /* count signals, copied */
    int count;
} cardan_signal_def;

#endif

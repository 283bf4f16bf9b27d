/* Signals: functions of time f, with f' and f'', that prescribe motions and drive forces.
 *
 * A signal belongs to a model (cardan_model_add_signal). Other definitions refer to it by its
 * number. */
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
    CARDAN_SIGNAL_TABLE,       /* straight lines through (times[i], values[i]) */
    CARDAN_SIGNAL_SPLINE,      /* natural cubic spline through (times[i], values[i]) */
    CARDAN_SIGNAL_SUM,         /* of the signals in terms */
    CARDAN_SIGNAL_PRODUCT      /* of the signals in terms */
} cardan_signal_type;

typedef struct cardan_signal_def {
    uint32_t cookie; /* set by cardan_signal_def_default */
    cardan_signal_type type;
    double value;               /* constant, first value, or mean of a harmonic */
    double slope;               /* of a ramp */
    double start;               /* time at which a ramp or smooth step begins */
    double end;                 /* time at which a ramp or smooth step ends */
    double end_value;           /* of a smooth step */
    double amplitude;           /* of a harmonic */
    double frequency;           /* of a harmonic, in Hz */
    double phase;               /* of a harmonic, in rad */
    const double *coefficients; /* of a polynomial: `count` numbers, copied */
    const double *times;        /* of a table or spline: `count` ascending numbers, copied */
    const double *values; /* of a table or spline, copied; f is constant before and after it */
    const int *terms;     /* of a sum or product: numbers of `count` signals, copied */
    int count;            /* of coefficients, of points, or of terms */
} cardan_signal_def;

#endif

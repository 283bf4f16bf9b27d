/* Rounding errors in accelerations and multipliers: how large they are assumed to be, what is seen
 * of them while stepping, and what that means for second differences (noise.c). */
#ifndef CD_INTEGRATE_NOISE_H
#define CD_INTEGRATE_NOISE_H

#include <cardan/integrator.h>

/* Three points in a row: weights of the second divided difference. */
typedef struct cd_stencil {
    double gap[2];
    double weight[3];
    double noise;  /* unit rounding error of the last point */
    double spread; /* of the difference, from the unit rounding errors of the three points */
} cd_stencil;

/* The rounding error of one variable, in units: what may be and what surely is one, and what the
 * last step showed if the second difference changed sign there, else 0. */
typedef struct cd_noise {
    double seen, sure, last;
} cd_noise;

/* `own`: the steps that led to the three points, of which the last two part them. */
cd_stencil cd_stencil_of(const cardan_integrator *it, const double own[3]);
/* The begin, the middle and the end of a first step of size h: only the end has such errors. */
cd_stencil cd_stencil_halves(const cardan_integrator *it, double h);
double cd_stencil_apply(const cd_stencil *s, double left, double middle, double right);

/* Two second differences in a row of a quantity whose unit rounding error is `unit` times that of
 * the stencils: lets `noise` grow to what they show, or fade. */
void cd_noise_learn(const cd_stencil *older, const cd_stencil *newer, double before, double now,
                    double unit, cd_noise *noise);

/* What to allow for, in units of the spread. */
double cd_noise_bound(const cardan_integrator *it, double seen);

/* Takes note of the rounding error of a multiplier relative to its tolerance; not in the first
 * steps. */
void cd_noise_compare(cardan_integrator *it, double rounding, double tolerance);

#endif

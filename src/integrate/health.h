/* What is measured of a run so that it can be judged (cardan/health.h): after every accepted step
 * residuals of the constraints, the energy balance, and multipliers that alternate. */
#ifndef CD_INTEGRATE_HEALTH_H
#define CD_INTEGRATE_HEALTH_H

#include "base/memory.h"
#include "control.h"

#include <cardan/health.h>

/* Accelerations so many times the mean of the run turn the motion at once. */
#define CD_SHARP 5e3

/* The largest of something so far; index of its row or -1. */
typedef struct cd_peak {
    double value, t;
    int64_t index;
} cd_peak;

/* One multiplier. It alternates if its distance from the parabola through the three values before
 * changes sign with every step: nothing that the steps resolve does that. */
typedef struct cd_alternation {
    float size;      /* largest so far */
    float last;      /* distance of the last step, with its sign */
    float level;     /* smallest distance since they alternate */
    float amplitude; /* largest level that lasted */
    int32_t count;   /* of alternations in a row */
} cd_alternation;

/* The largest estimated error of a variable so far, and when. */
typedef struct cd_estimate {
    float error, t;
} cd_estimate;

/* Numbers of 8 bytes only: a checkpoint holds them as they are. */
typedef struct cd_seen {
    cd_peak position, velocity; /* residuals at the ends of steps */
    cd_peak midstep;            /* of positions in the middle of steps */
    cd_peak contact;            /* how far a step passed through one that was open at its ends */
    cd_peak load;               /* how far one inside of a step is from those at its ends */
    cd_peak gained, lost;       /* energy that the method has added or taken, both positive */
    cd_peak force;              /* multipliers */
    cd_peak sharpest;           /* acceleration by joints alone, far above the usual */
    double length;              /* largest displacement */
    double speed, turning;      /* largest velocities of displacements, and of rotations */
    double moving, turned;      /* time of fast motion, and all accelerations in it, summed up */
    double first_potential;
    double kinetic, potential; /* largest, and largest change */
    double energy;             /* largest change of their sum */
    double work;               /* sum of the sizes of what forces have done in each step */
    double alternates;         /* when the worst alternation lasted */
    double moved_q, moved_v;   /* by cardan_integrator_start */
} cd_seen;

typedef struct cd_health {
    cd_seen seen;
    cd_estimate *estimates;      /* 2 k + m + l, of equal steps; NULL: none are known */
    cd_alternation *alternation; /* m + l of the mode with most; NULL: nothing is measured */
} cd_health;

void cd_health_init(cardan_integrator *it);
/* At the start, after every accepted step, and where multipliers may jump (events, breakpoints). */
void cd_health_start(cardan_integrator *it);
void cd_health_step(cardan_integrator *it);
void cd_health_restart(cardan_integrator *it);

/* Adds a finding to a verdict, which becomes no better; the worst findings come first. */
__attribute__((format(printf, 5, 6))) void cd_health_add_finding(cardan_health *health,
                                                                 cardan_health_concern concern,
                                                                 cardan_verdict verdict, double t,
                                                                 const char *format, ...);

#endif

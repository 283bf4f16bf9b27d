/* What is measured after every accepted step for the verdict on a run (cardan/health.h): residuals
 * of the constraints, the energy balance, and multipliers that alternate. */
#ifndef CD_INTEGRATE_HEALTH_H
#define CD_INTEGRATE_HEALTH_H

#include "base/memory.h"
#include "control.h"

#include <cardan/health.h>

/* Accelerations so many times the mean of the run change the motion suddenly. */
#define CD_SHARP 5e3

/* The largest value of a quantity so far, when it was, and the index of its row or -1. */
typedef struct cd_peak {
    double value, t;
    int64_t index;
} cd_peak;

/* The alternation of one multiplier: its distance from the parabola through the three values before
 * changes sign with every step. No motion that the steps resolve does that. */
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

/* Measurements of a run. Numbers of 8 bytes only: a checkpoint contains them as they are. */
typedef struct cd_seen {
    cd_peak position, velocity; /* residuals at the ends of steps */
    cd_peak midstep;            /* of positions in the middle of steps */
    cd_peak contact;            /* penetration within a step, of a contact open at its ends */
    cd_peak load;               /* how far a load within a step exceeds those at its ends */
    cd_peak gained, lost;       /* energy that the method has added or taken, both positive */
    cd_peak force;              /* multipliers */
    cd_peak sharpest;           /* acceleration by joints alone, far above the usual */
    double length;              /* largest displacement */
    double speed, turning;      /* largest velocities of displacements, and of rotations */
    double moving, turned;      /* time of fast motion, and the integral of accelerations over it */
    double first_potential;
    double kinetic, potential; /* largest, and largest change */
    double energy;             /* largest change of their sum */
    double work;               /* sum of the sizes of what forces have done in each step */
    double alternates;         /* when the worst alternation lasted */
    double moved_q, moved_v;   /* by cardan_integrator_start */
} cd_seen;

typedef struct cd_health {
    cd_seen seen;
    cd_estimate *estimates;      /* 2 k + m + l, of fixed steps; NULL: none are known */
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

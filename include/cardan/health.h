/* Can the result of a run be trusted? One judge for the program, the report and your own code.
 *
 *   def.health = true;                       // before cardan_integrator_create
 *   ...
 *   cardan_health health;
 *   cardan_integrator_health(it, &health);   // at the end, or at any time on the way
 *   if (health.verdict != CARDAN_GOOD)
 *       puts(health.findings[0].text);
 *
 * docs/health.md lists what is measured and from which size on it is a finding. */
#ifndef CARDAN_HEALTH_H
#define CARDAN_HEALTH_H

#include <cardan/assembly.h>
#include <cardan/integrator.h>

typedef enum cardan_verdict {
    CARDAN_GOOD,     /* nothing speaks against the result; of a finding: worth knowing, no more */
    CARDAN_DOUBTFUL, /* parts of it may be worse than was asked for */
    CARDAN_WRONG     /* it is not the motion that was asked for */
} cardan_verdict;

typedef enum cardan_health_concern {
    CARDAN_CONCERN_START,       /* initial values are not those that were given */
    CARDAN_CONCERN_CONSTRAINTS, /* constraints do not hold at the end of steps */
    CARDAN_CONCERN_INSIDE,      /* they do not hold inside of steps: something was stepped over */
    CARDAN_CONCERN_ENERGY,      /* energy that no force accounts for */
    CARDAN_CONCERN_TOLERANCE,   /* errors may be larger than the tolerances */
    CARDAN_CONCERN_ROUNDING,    /* the corrector ended on rounding errors */
    CARDAN_CONCERN_OSCILLATION, /* forces that go up and down with every step */
    CARDAN_CONCERN_SPEED        /* the result is right, another choice would be quicker */
} cardan_health_concern;

enum { CARDAN_HEALTH_FINDINGS = 16, CARDAN_HEALTH_TEXT = 400 };

typedef struct cardan_health_finding {
    cardan_health_concern concern;
    const char *name; /* of the concern: "start", "constraints", ... */
    cardan_verdict verdict;
    double t;                      /* where it is worst; NAN: of the whole run */
    char text[CARDAN_HEALTH_TEXT]; /* a sentence: what, where, how much, what to do */
} cardan_health_finding;

typedef struct cardan_health {
    cardan_verdict verdict; /* the worst of the findings */
    int count;              /* the worst first */
    cardan_health_finding findings[CARDAN_HEALTH_FINDINGS];
    /* Measured with cardan_integrator_def.health, else 0. */
    double position, velocity; /* largest residuals of the constraints at the ends of steps */
    double inside;             /* of positions in the middle of steps, by dense output */
    double energy;             /* largest |change| of kinetic + potential energy since the start */
    double unaccounted;        /* largest part of it that no force accounts for, with its sign */
} cardan_health;

/* Judges what the integrator has done since its start. Without cardan_integrator_def.health only
 * what its counters tell is judged. */
CARDAN_API cardan_status cardan_integrator_health(const cardan_integrator *integrator,
                                                  cardan_health *health);

/* Adds what the assembly of a model's initial values has changed: velocities that were given, and
 * bodies that were moved. */
CARDAN_API cardan_status cardan_assembly_judge(const cardan_model *model,
                                               const cardan_assembly *assembly,
                                               cardan_health *health);

/* Adds a finding of your own: the verdict becomes no better. The sentence is copied. */
CARDAN_API cardan_status cardan_health_add(cardan_health *health, cardan_health_concern concern,
                                           cardan_verdict verdict, double t, const char *text);

/* "good", "doubtful", "wrong". */
CARDAN_API const char *cardan_verdict_name(cardan_verdict verdict);
#endif

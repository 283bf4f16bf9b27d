/* Can the result of a run be trusted? The program, the report and your own code use the same
 * verdict.
 *
 *   def.health = true;                       // before cardan_integrator_create
 *   ...
 *   cardan_health health;
 *   cardan_integrator_health(it, &health);   // at the end, or at any time before
 *   if (health.verdict != CARDAN_GOOD)
 *       puts(health.findings[0].text);
 *
 * docs/health.md lists the measurements and their limits. */
#ifndef CARDAN_HEALTH_H
#define CARDAN_HEALTH_H

#include <cardan/assembly.h>
#include <cardan/integrator.h>

typedef enum cardan_verdict {
    CARDAN_GOOD,     /* no objection to the result; as a verdict of a finding: information only */
    CARDAN_DOUBTFUL, /* some results may be less accurate than requested */
    CARDAN_WRONG     /* the result is not the requested motion */
} cardan_verdict;

typedef enum cardan_health_concern {
    CARDAN_CONCERN_START,       /* initial values differ from the given ones */
    CARDAN_CONCERN_CONSTRAINTS, /* constraints do not hold at the ends of steps */
    CARDAN_CONCERN_MIDSTEP,     /* constraints do not hold inside steps: something was missed */
    CARDAN_CONCERN_ENERGY,      /* a change of energy that no force explains */
    CARDAN_CONCERN_TOLERANCE,   /* errors may be larger than the tolerances */
    CARDAN_CONCERN_ROUNDING,    /* the corrector ended at rounding level */
    CARDAN_CONCERN_OSCILLATION, /* forces that alternate from step to step */
    CARDAN_CONCERN_SPEED        /* the result is right, but another choice is faster */
} cardan_health_concern;

enum { CARDAN_HEALTH_FINDINGS = 16, CARDAN_HEALTH_TEXT = 400 };

typedef struct cardan_health_finding {
    cardan_health_concern concern;
    const char *name; /* of the concern: "start", "constraints", ... */
    cardan_verdict verdict;
    double t;                      /* time of the worst value; NAN: the whole run */
    char text[CARDAN_HEALTH_TEXT]; /* a message: what, where, how much, what to do */
} cardan_health_finding;

typedef struct cardan_health {
    cardan_verdict verdict;                                 /* the worst verdict of all findings */
    int count;                                              /* number of findings */
    cardan_health_finding findings[CARDAN_HEALTH_FINDINGS]; /* the worst first */

    /* ---- measured with cardan_integrator_def.health, else 0 ---- */

    double position;    /* largest residual of position constraints at the ends of steps */
    double velocity;    /* largest residual of velocity constraints at the ends of steps */
    double midstep;     /* largest residual of position constraints at mid-step, by dense output */
    double energy;      /* largest |change| of kinetic + potential energy since the start */
    double unaccounted; /* largest change of energy that no force explains, with its sign */
} cardan_health;

/* Writes the verdict on the run since its start. Without cardan_integrator_def.health it uses only
 * the statistics. */
CARDAN_API cardan_status cardan_integrator_health(const cardan_integrator *integrator,
                                                  cardan_health *health);

/* Adds findings about the assembly of a model: bodies that were moved, and given velocities that
 * were changed. */
CARDAN_API cardan_status cardan_assembly_judge(const cardan_model *model,
                                               const cardan_assembly *assembly,
                                               cardan_health *health);

/* Adds your own finding. The verdict cannot become better. The text is copied. */
CARDAN_API cardan_status cardan_health_add(cardan_health *health, cardan_health_concern concern,
                                           cardan_verdict verdict, double t, const char *text);

/* "good", "doubtful", "wrong". */
CARDAN_API const char *cardan_verdict_name(cardan_verdict verdict);
#endif

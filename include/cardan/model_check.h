/* Checks a model for mistakes and for properties that are allowed but rarely intended.
 *
 * cardan_model_check assembles the model, counts its degrees of freedom, names redundant rows, and
 * searches for singular configurations nearby, for bodies without mass, joint or force, and for
 * values that suggest wrong units. */
#ifndef CARDAN_MODEL_CHECK_H
#define CARDAN_MODEL_CHECK_H

#include <cardan/assembly.h>
#include <cardan/redundancy.h>

typedef enum cardan_check_kind {
    CARDAN_FINDING_ASSEMBLY,  /* constraints or fixed values that contradict each other */
    CARDAN_FINDING_MOVED,     /* assembly changed positions or velocities */
    CARDAN_FINDING_REDUNDANT, /* redundant constraints */
    CARDAN_FINDING_SINGULAR,  /* a configuration nearby where constraints become dependent */
    CARDAN_FINDING_MASS,      /* a body without mass or inertia */
    CARDAN_FINDING_UNUSED,    /* a body without joint or force */
    CARDAN_FINDING_UNITS /* a mass, density, length or gravity that is probably not in SI units */
} cardan_check_kind;

typedef struct cardan_check_finding {
    cardan_check_kind kind;
    const char *name; /* of the kind: "assembly", "moved", ... */
    bool error;       /* true: a run cannot start */
    const char *text; /* the message */
} cardan_check_finding;

typedef struct cardan_model_report {
    int freedom;     /* degrees of freedom of the motion */
    int redundant;   /* number of redundant rows */
    double smallest; /* Smallest singular value of the independent rows, in units of length and
                        scaled to length 1; 0 in a singular configuration. NAN: not searched,
                        because the model is a tree or has more than 600 rows. */
    bool singular_skipped; /* true: not searched, because loops have more than 600 rows */
    double nearest; /* approximate motion to the nearest singular configuration, in m (rotations
                       times L); infinite if none is approached */
    double step;    /* suggested fixed step in s, small compared with rotations and oscillations */
    int count;      /* number of findings */
    const cardan_check_finding *findings;
} cardan_model_report;

/* Checks a model that has been built, at its initial configuration and time t. The report is
 * created with the model's allocator. */
CARDAN_API cardan_status cardan_model_check(cardan_model *model, double t,
                                            cardan_model_report **report, cardan_error *error);
CARDAN_API void cardan_model_report_destroy(cardan_model_report *report);

#endif

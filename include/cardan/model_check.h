/* What deserves a look in a model: things that are allowed, but seldom meant.
 *
 * Assembles the model, counts its freedom, names redundant rows, looks for singular configurations
 * nearby, for parts without mass, joint or force, and for numbers that smell of wrong units. */
#ifndef CARDAN_MODEL_CHECK_H
#define CARDAN_MODEL_CHECK_H

#include <cardan/assembly.h>
#include <cardan/redundancy.h>

typedef enum cardan_check_kind {
    CARDAN_FINDING_ASSEMBLY,  /* constraints or given values that cannot hold together */
    CARDAN_FINDING_MOVED,     /* assembly changed places or velocities */
    CARDAN_FINDING_REDUNDANT, /* rows that repeat others */
    CARDAN_FINDING_SINGULAR,  /* a configuration nearby where constraints become dependent */
    CARDAN_FINDING_MASS,      /* without mass or inertia */
    CARDAN_FINDING_UNUSED,    /* touched by nothing */
    CARDAN_FINDING_UNITS      /* a mass, density, length or gravity that is hardly in SI units */
} cardan_check_kind;

typedef struct cardan_check_finding {
    cardan_check_kind kind;
    const char *name; /* of the kind: "assembly", "moved", ... */
    bool error;       /* a run cannot start like this */
    const char *text; /* one sentence */
} cardan_check_finding;

typedef struct cardan_model_report {
    int freedom;     /* degrees of freedom of the motion */
    int redundant;   /* rows that are left out */
    double smallest; /* singular value of the independent rows in units of length, each of length 1:
                        0 in a singular configuration. NAN: not looked for (trees have none, and
                        models of more than 600 rows take too long) */
    bool singular_skipped; /* not looked for: loops with more than 600 rows */
    double nearest;        /* about how far the mechanism moves until then, m (rotations times L);
                              infinite if it is not seen to come nearer */
    double step; /* equal steps to begin with, s: the motion turns or swings little in one */
    int count;
    const cardan_check_finding *findings;
} cardan_model_report;

/* Looks at a built model at its initial configuration and time t. The report is made with the
 * model's allocator. */
CARDAN_API cardan_status cardan_model_check(cardan_model *model, double t,
                                            cardan_model_report **report, cardan_error *error);
CARDAN_API void cardan_model_report_destroy(cardan_model_report *report);

#endif

/* Why an integrator stopped: what failed and where, the equations with the largest residuals,
 * nearly dependent constraints, the iterations of the corrector, and a suggestion. */
#ifndef CARDAN_DIAGNOSIS_H
#define CARDAN_DIAGNOSIS_H

#include <cardan/integrator.h>
#include <stddef.h>

enum {
    CARDAN_DIAGNOSIS_EQUATIONS = 4,
    CARDAN_DIAGNOSIS_CONSTRAINTS = 8,
    CARDAN_DIAGNOSIS_ITERATIONS = 8,
    CARDAN_DIAGNOSIS_NAME = 128
};

/* An equation of the step that could not be taken. */
typedef struct cardan_diagnosis_equation {
    int row;                          /* in the equations of the method, from 0 */
    char name[CARDAN_DIAGNOSIS_NAME]; /* such as the name of a constraint */
    double residual; /* as scaled by the corrector: dynamics by h^2, velocity constraints by h
                        (docs/dataflow.md) */
} cardan_diagnosis_equation;

/* A constraint in a combination of rows that is nearly zero. */
typedef struct cardan_diagnosis_constraint {
    int index; /* of a holonomic constraint; m + index of a nonholonomic one */
    char name[CARDAN_DIAGNOSIS_NAME];
    double coefficient; /* of its row of B or K; the largest is 1 */
} cardan_diagnosis_constraint;

/* An iteration of the corrector. */
typedef struct cardan_diagnosis_iteration {
    double correction; /* in tolerances of the corrector */
    double residual;   /* the largest one, before the correction */
} cardan_diagnosis_iteration;

typedef struct cardan_diagnosis {
    cardan_status status; /* CARDAN_OK: the last step was good and nothing below is set */
    double t;             /* of the last good state */
    double h;             /* of the last attempt; 0 if the start itself failed */
    int attempts;         /* adaptive steps: number of attempts */
    double least_step;    /* adaptive steps: the smallest step, if it was the limit; else 0 */
    char reason[800];     /* why the last attempt failed, in a sentence */

    /* ---- equations with the largest residuals ---- */

    int equation_count; /* 0 if residuals could not be evaluated or are small */
    cardan_diagnosis_equation equations[CARDAN_DIAGNOSIS_EQUATIONS]; /* the largest first */

    /* ---- nearly dependent constraints ---- */

    double dependence; /* Smallest singular value of the scaled rows; 0: dependent, infinite: not
                          known. With more than 6000 rows the search is limited, and this is
                          an upper bound. */
    bool dependence_missed; /* true: a dependence may exist that was not found */
    int constraint_count;   /* constraints in the combination of rows that is nearly zero */
    cardan_diagnosis_constraint constraints[CARDAN_DIAGNOSIS_CONSTRAINTS]; /* with the largest
                                                                              coefficients first */

    /* ---- the corrector ---- */

    int iterations;      /* number of iterations */
    int iteration_count; /* number of iterations in `history` */
    cardan_diagnosis_iteration history[CARDAN_DIAGNOSIS_ITERATIONS]; /* the last ones, in order */

    /* ---- the error, if the status is CARDAN_REJECTED ---- */

    char variable[CARDAN_DIAGNOSIS_NAME]; /* the variable with the largest error */
    double error;                         /* its error in tolerances */

    char suggestion[256]; /* what to try */
} cardan_diagnosis;

/* The diagnosis of the last start or step that failed; it belongs to the integrator. */
CARDAN_API const cardan_diagnosis *cardan_integrator_diagnosis(const cardan_integrator *integrator);

/* Writes the diagnosis as readable text, at most size - 1 characters. Returns the length of the
 * whole text, like snprintf. */
CARDAN_API int cardan_diagnosis_text(const cardan_diagnosis *diagnosis, char *text, size_t size);

#endif

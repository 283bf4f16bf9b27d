/* Why an integrator stopped, as data: what failed and where, the equations with the largest
 * residuals, constraints that come close to depending on each other, how the corrector went, and
 * one thing to try. */
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
    int row; /* in the method's system of equations, from 0 */
    char name[CARDAN_DIAGNOSIS_NAME];
    double residual; /* as the corrector scales it: dynamics h^2, velocity constraints h
                        (docs/dataflow.md) */
} cardan_diagnosis_equation;

/* A constraint in a combination that hardly depends on the motion any more. */
typedef struct cardan_diagnosis_constraint {
    int index; /* of Phi, or m + index of the nonholonomic constraints */
    char name[CARDAN_DIAGNOSIS_NAME];
    double coefficient; /* of its row of B (or K); the largest is 1 */
} cardan_diagnosis_constraint;

typedef struct cardan_diagnosis_iteration {
    double correction; /* relative to what the corrector's tolerances allow */
    double residual;   /* largest one, before the correction */
} cardan_diagnosis_iteration;

typedef struct cardan_diagnosis {
    cardan_status status; /* CARDAN_OK: the last step was good and nothing below is set */
    double t;             /* of the last good state */
    double h;             /* of the last attempt; 0 if the start itself failed */
    int attempts;         /* adaptive: how often the step was tried */
    double least_step;    /* adaptive: below which h was not to go; 0: not the reason */
    char reason[800];     /* what made the last attempt fail, in a sentence */

    /* The largest residuals, largest first; none if they could not be evaluated or are small. */
    int equation_count;
    cardan_diagnosis_equation equations[CARDAN_DIAGNOSIS_EQUATIONS];

    /* If constraints come close to depending on each other: how close (0: they do), and the
     * combination of rows that is nearly zero, largest coefficients first. */
    double dependence; /* smallest singular value of the scaled rows (not below it, with more than
                          6000 rows: the search is limited); infinite: not known */
    bool dependence_missed; /* ... and so a dependence may be there that was not found */
    int constraint_count;
    cardan_diagnosis_constraint constraints[CARDAN_DIAGNOSIS_CONSTRAINTS];

    /* The corrector's last iterations, in their order, and how many there were. */
    int iterations, iteration_count;
    cardan_diagnosis_iteration history[CARDAN_DIAGNOSIS_ITERATIONS];

    /* CARDAN_REJECTED: the variable whose error is too large, and how many times. */
    char variable[CARDAN_DIAGNOSIS_NAME];
    double error;

    char suggestion[256]; /* one thing to try */
} cardan_diagnosis;

/* Of the last start or step that failed; belongs to the integrator. */
CARDAN_API const cardan_diagnosis *cardan_integrator_diagnosis(const cardan_integrator *integrator);

/* The diagnosis in lines for a person, at most size - 1 characters; returns the length of the whole
 * text, like snprintf. */
CARDAN_API int cardan_diagnosis_text(const cardan_diagnosis *diagnosis, char *text, size_t size);

#endif

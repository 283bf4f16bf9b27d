/* The equations of a system at a point, for your own solvers: residuals of the equations of motion
 * and of the constraints, and the directions in which constraints act.
 *
 *   cardan_evaluator_create(&evaluator, system, NULL, &error);
 *   cardan_evaluator_evaluate(evaluator, &point, &(cardan_equations){.dynamics = r, .position =
 * phi}); cardan_evaluator_reaction(evaluator, mu, btmu);
 *
 * Only one thread may use an evaluator at a time; many evaluators may share a system. Evaluating
 * allocates nothing. Derivatives that the definition omits are computed by differences. */
#ifndef CARDAN_EVALUATOR_H
#define CARDAN_EVALUATOR_H

#include <cardan/system.h>

/* Where results are written; members that are NULL are not computed. */
typedef struct cardan_equations {
    double *dynamics;     /* M v' + g + B^T lambda + K^T psi, dof */
    double *position;     /* Phi, m */
    double *hidden;       /* B v + dPhi/dt, m */
    double *nonholonomic; /* k, l */
} cardan_equations;

typedef struct cardan_evaluator cardan_evaluator;

/* `allocator` and `error` may be NULL. The system must outlive the evaluator. */
CARDAN_API cardan_status cardan_evaluator_create(cardan_evaluator **evaluator,
                                                 const cardan_system *system,
                                                 const cardan_allocator *allocator,
                                                 cardan_error *error);
CARDAN_API void cardan_evaluator_destroy(cardan_evaluator *evaluator);

/* Evaluates the equations. Reads all members of the point; only members of size 0 may be NULL. */
CARDAN_API cardan_status cardan_evaluator_evaluate(cardan_evaluator *evaluator,
                                                   const cardan_point *at,
                                                   const cardan_equations *out);

/* Writes B^T x (dof numbers) with the B of the last evaluated point; x has m numbers. */
CARDAN_API void cardan_evaluator_reaction(const cardan_evaluator *evaluator, const double *x,
                                          double *out);

/* The matrices of which derivatives of the equations consist. Names and sizes are those of the
 * callbacks in cardan_system_def. */
typedef enum cardan_matrix_kind {
    CARDAN_MATRIX_MASS,
    CARDAN_MATRIX_CONSTRAINT_DQ,
    CARDAN_MATRIX_HIDDEN_DQ,
    CARDAN_MATRIX_REACTION_DQ,
    CARDAN_MATRIX_INERTIA_DQ,
    CARDAN_MATRIX_FORCE_DQ,
    CARDAN_MATRIX_FORCE_DV,
    CARDAN_MATRIX_FORCE_DLAMBDA,
    CARDAN_MATRIX_FORCE_DPSI,
    CARDAN_MATRIX_NONHOLONOMIC_DV,
    CARDAN_MATRIX_NONHOLONOMIC_DQ,
    CARDAN_MATRIX_NONHOLONOMIC_REACTION_DQ,
    CARDAN_MATRIX_COUNT
} cardan_matrix_kind;

/* The pattern of a matrix. It has no entries if the definition says that the matrix is zero, or not
 * part of the equations (reaction_dq if g contains B^T lambda). The arrays belong to the evaluator.
 */
CARDAN_API cardan_pattern cardan_evaluator_pattern(const cardan_evaluator *evaluator,
                                                   cardan_matrix_kind which);

/* Writes the entries of a matrix at a point, in the order of its pattern. */
CARDAN_API cardan_status cardan_evaluator_matrix(cardan_evaluator *evaluator,
                                                 cardan_matrix_kind which, const cardan_point *at,
                                                 double *out);

/* The message of the last status; "" if there is none. */
CARDAN_API const char *cardan_evaluator_message(const cardan_evaluator *evaluator);

#endif

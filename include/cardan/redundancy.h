/* Redundant constraints: rows of joints that repeat other rows.
 *
 * cardan_model_build finds them at the assembled initial configuration. The system of the model has
 * only independent rows, the first ones in the order of the joints. Joint forces are distributed
 * over all rows: of all forces that move the bodies in the same way they are the smallest (forces
 * in N, moments in N m / L). See docs/methods/redundant.md. */
#ifndef CARDAN_REDUNDANCY_H
#define CARDAN_REDUNDANCY_H

#include <cardan/integrator.h>
#include <cardan/model.h>

/* A redundant row: a combination of rows of other joints. */
typedef struct cardan_redundant_row {
    int joint;             /* the joint with this row; CARDAN_NONE: no joint */
    const char *direction; /* "tx", "rz", "length", ... */
    bool nonholonomic;     /* true: a row of K; false: a row of B */
    int joint_count;       /* number of other joints whose rows it repeats */
    const int *joints;     /* these joints */
    double gap;            /* |Phi| of the row at the configuration, in m or rad */
} cardan_redundant_row;

/* The redundant rows of a model. */
typedef struct cardan_redundancy {
    int velocities;   /* k */
    int holonomic;    /* number of holonomic rows of all joints */
    int nonholonomic; /* number of nonholonomic rows of all joints */
    int rank;         /* number of independent rows */
    int freedom;      /* k - rank: degrees of freedom of the motion */
    double length;    /* length L of the model */
    int count;        /* number of redundant rows */
    const cardan_redundant_row *rows;
} cardan_redundancy;

/* The redundant rows. The data belong to the model and are valid until it is reduced again. NULL
 * before cardan_model_build. */
CARDAN_API const cardan_redundancy *cardan_model_redundancy(const cardan_model *model);

/* Selects independent rows again, at a configuration that satisfies the constraints, and creates a
 * new system. Useful after an event, or if the selected rows become dependent. The old system is
 * destroyed: destroy the integrators that use it before. */
CARDAN_API cardan_status cardan_model_reduce(cardan_model *model, double t, const double *q,
                                             const double *v);

/* Evaluates the redundant rows at a state, for cardan_integrator_def.redundant. A row is violated
 * if its residual exceeds 1e-6 L, or for a nonholonomic row 1e-6 of the largest speed. Nothing is
 * allocated; the cost is proportional to the size of the model. */
CARDAN_API int cardan_model_redundant_residuals(void *model, double t, const double *q,
                                                const double *v, cardan_redundant_residuals *out);

/* Sets all members of `def` with which an integrator monitors the redundant rows of a model and
 * selects rows again during a run: reselect, redundant, reactivate, redundancy_context,
 * most_constraints and most_nonholonomic. No other integrator may then use the model.
 *
 * If the selected rows become nearly dependent and clearly better ones exist, these are selected
 * and the system is created anew. In a singular configuration, where all rows together lose rank,
 * the selection does not change. Joint forces at a point belong to the rows selected at that time.
 *
 * If a redundant row is violated, the configuration at the end of the step is closed with all rows.
 * If this is not possible, the joints contradict each other. If more rows are independent there
 * than the system has, the model was in a bifurcation; with CARDAN_BRANCH_KEEP the run continues
 * with the rows that are independent nearby. A start checks the configurations nearby in the same
 * way. */
CARDAN_API void cardan_model_watch(cardan_model *model, cardan_integrator_def *def);

/* Writes message `i` about redundant rows, such as "joint `hinge_b`: rotation about x and rotation
 * about y repeat `hinge_a`". There is one message for each joint with redundant rows;
 * CARDAN_UNKNOWN_NAME if `i` is too large. */
CARDAN_API cardan_status cardan_redundancy_text(const cardan_model *model, int i, char *text,
                                                int size);

/* Distributes the multipliers of the system at a point over all rows of the joints (m and l
 * numbers; NULL: not computed). */
CARDAN_API cardan_status cardan_model_distribute(const cardan_model *model, const cardan_point *at,
                                                 double *lambda, double *psi, cardan_error *error);

#endif

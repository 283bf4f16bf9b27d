/* Redundant constraints: rows of joints that repeat what others say already.
 *
 * cardan_model_build finds them at the assembled initial configuration and leaves them out: the
 * model's system has independent rows only (the first ones, in the order of the joints). Joint
 * forces are distributed over all rows, the smallest ones (forces in N, moments in N m / L) that
 * move the bodies in the same way. See docs/methods/redundant.md. */
#ifndef CARDAN_REDUNDANCY_H
#define CARDAN_REDUNDANCY_H

#include <cardan/integrator.h>
#include <cardan/model.h>

/* A row that is left out, and the joints whose rows it is a combination of. */
typedef struct cardan_redundant_row {
    int joint;             /* CARDAN_NONE: of no joint */
    const char *direction; /* "tx", "rz", "length", ... */
    bool nonholonomic;
    int joint_count; /* others than its own */
    const int *joints;
    double gap; /* |Phi| of the row at the configuration, m or rad */
} cardan_redundant_row;

typedef struct cardan_redundancy {
    int velocities;              /* k */
    int holonomic, nonholonomic; /* rows of all joints: m, l */
    int rank;                    /* independent ones */
    int freedom;                 /* k - rank: degrees of freedom of the motion */
    double length;               /* L */
    int count;                   /* rows left out */
    const cardan_redundant_row *rows;
} cardan_redundancy;

/* What is left out; the data belong to the model and hold until it is reduced again. NULL before
 * build. */
CARDAN_API const cardan_redundancy *cardan_model_redundancy(const cardan_model *model);

/* Chooses the rows anew at a configuration that satisfies the constraints (after an event, or when
 * the rows chosen become dependent on the way) and makes a new system. The old one is destroyed:
 * destroy integrators that use it first. */
CARDAN_API cardan_status cardan_model_reduce(cardan_model *model, double t, const double *q,
                                             const double *v);

/* The rows left out at a state: they are no repetition of others any more if one is off by more
 * than 1e-6 L (by that places fit together), of nonholonomic ones by 1e-6 of the largest speed. No
 * allocation; O(n). For cardan_integrator_def.left_out. */
CARDAN_API int cardan_model_left_out(void *model, double t, const double *q, const double *v,
                                     cardan_left_out *out);

/* Sets all that an integrator needs so that rows left out stay under watch and others can be chosen
 * while it runs: renew, left_out, readmit, renew_context and the room for all rows. The model then
 * belongs to this integrator alone.
 *
 * If the rows of the model's system come near to dependence and as many clearly better ones can be
 * chosen, these are chosen and the system is made anew; in a singular configuration, where all rows
 * together have a smaller rank, nothing helps. Joint forces of a point are those of the rows at
 * that time.
 *
 * If a row that was left out opens, the places at the end of the step are closed with all rows: if
 * that cannot be, the joints contradict each other. If more rows are independent at the places
 * found than the system has, the model stood in a position where rows are dependent that are not
 * next to it, and (CARDAN_BRANCH_KEEP) gets a system with the rows that are independent there. At a
 * start the same is asked a little off in an arbitrary direction. */
CARDAN_API void cardan_model_watch(cardan_model *model, cardan_integrator_def *def);

/* Sentences like "joint `hinge_b`: rotation about x and rotation about y repeat `hinge_a`", one per
 * joint of which rows are left out: number `i` of them, CARDAN_UNKNOWN_NAME if there are fewer. */
CARDAN_API cardan_status cardan_redundancy_text(const cardan_model *model, int i, char *text,
                                                int size);

/* Multipliers of all rows of the joints (m and l numbers; NULL: not wanted), distributed from those
 * of the system at a point. */
CARDAN_API cardan_status cardan_model_distribute(const cardan_model *model, const cardan_point *at,
                                                 double *lambda, double *psi, cardan_error *error);

#endif

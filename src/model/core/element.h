/* What the model layer knows of an element (joint, force, body inertia): functions of the motion of
 * its few bodies in the world. Elements never see coordinates.
 *
 * Each body has six world displacements (dr, dphi): dr moves its centre of mass, dphi rotates it
 * about the world axes, R -> exp(dphi~) R; its velocity (u, w) is their rate. A body's form gives
 * the matrix J with (u, w) = J(q) v, and also (dr, dphi) = J(q) dq because velocities and
 * displacements are trivialised alike; chain.c takes everything an element says from world to
 * coordinates with J and its derivatives. So an element is written and tested once for all forms of
 * bodies.
 *
 * With c bodies, x are the 6 c displacements and w the 6 c velocities, body after body; ground has
 * none (its columns are dropped). A turn counter (a real coordinate s that follows an angle without
 * jumps) is a body whose first displacement is s; its other five are not used. */
#ifndef CD_MODEL_ELEMENT_H
#define CD_MODEL_ELEMENT_H

#include <cardan/model.h>
#include <string.h>

/* The most bodies and rows that an element may have, and the displacements of one body. */
enum { CD_ELEMENT_BODIES = 4, CD_ELEMENT_ROWS = 8, CD_BODY_COLUMNS = 6 };
enum { CD_ELEMENT_COLUMNS = CD_ELEMENT_BODIES * CD_BODY_COLUMNS };

/* Pose and velocity of one body in the world. */
typedef struct cd_body_state {
    double r[3];   /* position of the centre of mass */
    double R[9];   /* rotation from body to world */
    double u[3];   /* velocity of the centre of mass */
    double w[3];   /* angular velocity */
    double low[3]; /* low word of r (docs/methods/compensated-positions.md); 0 outside residuals */
} cd_body_state;

/* Fills a body state from `pose` (r and R), `motion` (u and w) and `low`. */
static inline void cd_body_state_set(cd_body_state *body_state, const double *pose,
                                     const double *motion, const double *low)
{
    memcpy(body_state->r, pose, sizeof body_state->r);
    memcpy(body_state->R, pose + 3, sizeof body_state->R);
    memcpy(body_state->u, motion, sizeof body_state->u);
    memcpy(body_state->w, motion + 3, sizeof body_state->w);
    memcpy(body_state->low, low, sizeof body_state->low);
}

/* The time, body states and multipliers at which an element is evaluated. */
typedef struct cd_element_point {
    double t;
    const cd_body_state *body_state; /* one per body of the element */
    const double *lambda, *psi;      /* the element's own multipliers */
} cd_element_point;

/* The point for a residual function, with pointers into q and v instead of body states. */
typedef struct cd_residual_point {
    double t;
    const double *pose[CD_ELEMENT_BODIES];   /* r and R of cd_body_state, 12 numbers */
    const double *motion[CD_ELEMENT_BODIES]; /* u and w, 6 numbers */
    const double *low[CD_ELEMENT_BODIES];    /* of r, 3 numbers */
    const double *lambda;
} cd_residual_point;

/* Where the constraints of an element write their contribution to a residual. NULL: not wanted. */
typedef struct cd_contribution {
    double *phi;    /* Phi, m numbers */
    double *rate;   /* B w + dPhi/dt, m numbers */
    double *wrench; /* B^T lambda, 6c numbers */
} cd_contribution;

/* The no_value_reason of joints. */
#define CD_LOST_DIRECTION                                                                          \
    "its points or axes coincide and a direction that it needs is lost (a rod of length zero, an " \
    "axis along its own reference, a disk that lies flat); start elsewhere or choose other frames"

/* One kind of element. Functions that do not apply are NULL. Outputs are zero on entry; matrices
 * are row by row, with 6 c columns. All return 0, or > 0 / < 0 like cardan_callback. */
typedef struct cd_element_type {
    const char *name;
    const char
        *no_value_reason; /* why it may have no value, and what to do; NULL: it always has one */
    bool rheonomic, force_depends_on_lambda, force_depends_on_psi;
    bool calls_user; /* calls a callback of the user, so only one thread may evaluate it */

    /* m holonomic constraints */
    int (*constraint)(const void *self, const cd_element_point *at, double *phi);    /* m */
    int (*constraint_dx)(const void *self, const cd_element_point *at, double *B);   /* m x 6c */
    int (*constraint_dt)(const void *self, const cd_element_point *at, double *out); /* m */
    /* d/dt (B w + dPhi/dt) at w' = 0 */
    int (*constraint_bias)(const void *self, const cd_element_point *at, double *out); /* m */
    /* d(B w + dPhi/dt)/dx at fixed w */
    int (*hidden_dx)(const void *self, const cd_element_point *at, double *out); /* m x 6c */
    /* d(B^T lambda)/dx */
    int (*reaction_dx)(const void *self, const cd_element_point *at, double *out); /* 6c x 6c */

    /* All of a residual at once, if that is faster than constraint, _dx and _dt; may be NULL */
    int (*residual)(const void *self, const cd_residual_point *at, const cd_contribution *out);

    /* l nonholonomic constraints, affine in w */
    int (*nonholonomic)(const void *self, const cd_element_point *at, double *k);    /* l */
    int (*nonholonomic_dw)(const void *self, const cd_element_point *at, double *K); /* l x 6c */
    int (*nonholonomic_dx)(const void *self, const cd_element_point *at,
                           double *out); /* l x 6c, fixed w */
    int (*nonholonomic_dt)(const void *self, const cd_element_point *at, double *out); /* l */
    /* d(K^T psi)/dx */
    int (*nonholonomic_reaction_dx)(const void *self, const cd_element_point *at,
                                    double *out); /* 6c x 6c */

    /* forces on the bodies: (force, moment about the centre of mass), world */
    int (*force)(const void *self, const cd_element_point *at, double *f);           /* 6c */
    int (*force_dx)(const void *self, const cd_element_point *at, double *out);      /* 6c x 6c */
    int (*force_dw)(const void *self, const cd_element_point *at, double *out);      /* 6c x 6c */
    int (*force_dlambda)(const void *self, const cd_element_point *at, double *out); /* 6c x m */
    int (*force_dpsi)(const void *self, const cd_element_point *at, double *out);    /* 6c x l */
    int (*potential)(const void *self, const cd_element_point *at, double *energy);  /* 1 */
    /* d(potential)/dx; `force` contains minus this */
    int (*potential_dx)(const void *self, const cd_element_point *at, double *out); /* 6c */
} cd_element_type;

/* An element in a model. */
typedef struct cd_element {
    const cd_element_type *type;
    const void *self; /* the type's own data */
    const char *name;
    int count;                   /* c, the number of its bodies */
    int body[CD_ELEMENT_BODIES]; /* numbers of model bodies (turn counters included), or ground */
    int rows;                    /* m, the number of its holonomic rows */
    int first_row;               /* index of the first one among those of the model */
    int nonholonomic;            /* l, the number of its nonholonomic rows */
    int first_nonholonomic;      /* index of the first one among those of the model */
    const char *const *row_name; /* the direction that each row fixes: "tx", "rz", ... */
    const char *const *nonholonomic_name; /* names of the nonholonomic rows */
} cd_element;

#endif

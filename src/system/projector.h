/* What the files of the projector share: its workspace and the jobs that it does. */
#ifndef CD_SYSTEM_PROJECTOR_H
#define CD_SYSTEM_PROJECTOR_H

#include "bordered.h"
#include "projection.h"
#include "tangent.h"
#include "workspace.h"

/* The pattern of A: that of M, of M and derivatives of forces, or full (a given matrix). */
typedef enum cd_shape { CD_SHAPE_OF_MASS, CD_SHAPE_OF_TANGENT, CD_SHAPE_FULL, CD_SHAPES } cd_shape;

/* Which constraints H, their second derivative, is for. */
typedef enum cd_curved {
    CD_CURVED_NONE,
    CD_CURVED_HOLONOMIC,
    CD_CURVED_NONHOLONOMIC,
    CD_CURVED_COUNT
} cd_curved;

/* A matrix for norms with entries outside of the pattern of M, or with H, the second derivative of
 * the constraints. Few projections need one, so it is made by the first of them. */
typedef struct cd_wide_matrix {
    bool made;
    cd_pattern norm, hessian;
    cd_colouring colouring; /* of H; unused if it is full */
    cd_bordered bordered;
    double *values;        /* of H */
    double *centre, *pull; /* k each: d at which H is taken, and C^T mu beside it */
    double *base;          /* k: d at the begin of a line search */
    double *direction;     /* k + m + l: of the line search */
    double *weight;        /* m + l: of the constraints in the merit function */
    double *work;          /* k + m + l */
} cd_wide_matrix;

/* A, C, r, x*, d, mu and mu_0 are those of projection.h. */
struct cd_projector {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    cd_bordered plain; /* without H, A within the pattern of M */
    cd_wide_matrix wides[CD_SHAPES][CD_CURVED_COUNT];
    cd_wide_matrix *wide;  /* the one in use, unless that is `plain` */
    cd_bordered *bordered; /* the one in use */
    cd_arena later;        /* of `wides` and `tangent`, which are made when they are needed */
    cd_tangent tangent;    /* A of the tangent norm, if one was asked for */
    bool has_tangent;
    double alpha; /* the penalty; INFINITY for an exact projection */
    double step;  /* step size and multipliers, for the tangent norm */
    const double *lambda, *psi;
    const cd_pattern *mass, *patterns[2]; /* of M, and of B and K */
    double *scratch;                      /* memory of all that follows but `zeros` */
    const double *norm, *rows[2];         /* A; B and K: here or in the workspace; NULL: zeros */
    double *own_norm, *own_rows;          /* memory for A and B */
    double *residual;                     /* r: m + l */
    double *origin;                       /* x*: k or group size */
    double *change;                       /* d: k */
    double *multiplier, *shift;           /* mu, mu_0: m + l */
    double *x;                            /* right-hand side and solution: k + m + l */
    double *zeros;                        /* k + m + l */
};

/* What is projected: how the residual r(x) is evaluated and how x = x* + d is formed. */
typedef struct cd_job {
    const cardan_projection *how;
    const char *what;     /* is projected, for messages */
    bool linear;          /* r is linear in x: C and its factors serve for all iterations */
    bool nonholonomic;    /* nonholonomic constraints take part */
    cd_curved curved;     /* the constraints whose derivative depends on x */
    const double *v;      /* at which the forces of the tangent norm are taken */
    cardan_point at;      /* at which r and C are evaluated; its q, v or v' is `value` */
    const double *target; /* of the hidden constraints; NULL: 0 */
    double *value;        /* x: q, v or v' */
    int size;             /* of x */
    bool on_group;        /* x = update(x*, d) on the group, instead of x* + d */
    cardan_status (*evaluate)(cd_projector *p, const struct cd_job *job);
} cd_job;

/* Chooses the matrix without H, and evaluates A of the tangent norm. */
cardan_status cd_projector_choose_norm(cd_projector *p, const cd_job *job);
/* Evaluates A of the other norms, which needs the first evaluation of the equations. */
void cd_projector_evaluate_norm(cd_projector *p, const cd_job *job);
/* Chooses the matrix with H. */
cardan_status cd_projector_add_hessian(cd_projector *p, const cd_job *job);

/* Solves the problem of projection.h; x is where it was if that fails. */
cardan_status cd_projector_minimise(cd_projector *p, const cd_job *job);

#endif

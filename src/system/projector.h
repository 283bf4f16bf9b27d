/* What the files of the projector share: its workspace and what it projects. */
#ifndef CD_SYSTEM_PROJECTOR_H
#define CD_SYSTEM_PROJECTOR_H

#include "bordered.h"
#include "projection.h"
#include "tangent.h"
#include "workspace.h"

/* Where A has its entries: where M has them, where forces have derivatives as well, anywhere (a
 * matrix that the user gives). */
typedef enum cd_shape { CD_SHAPE_OF_MASS, CD_SHAPE_OF_TANGENT, CD_SHAPE_FULL, CD_SHAPES } cd_shape;

/* Which H there is room for: of the first or the second part of C. */
typedef enum cd_curved {
    CD_CURVED_NONE,
    CD_CURVED_HOLONOMIC,
    CD_CURVED_NONHOLONOMIC,
    CD_CURVED_COUNT
} cd_curved;

/* A matrix that few projections need, made when the first of them comes: for a norm with entries
 * outside of the pattern of M, and with room for H, the second derivative of the constraints. */
typedef struct cd_wide {
    bool made;
    cd_pattern norm, hessian;
    cd_colouring colouring; /* of H; unused if it is full */
    cd_bordered bordered;
    double *values;        /* of H */
    double *centre, *pull; /* k each: d and C^T mu */
    double *base;          /* k: d where a line search begins */
    double *direction;     /* k + m + l */
    double *weight, *work; /* m + l of the merit function; k + m + l */
} cd_wide;

struct cd_projector {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    cd_bordered plain; /* without H, A within the pattern of M */
    cd_wide wides[CD_SHAPES][CD_CURVED_COUNT];
    cd_wide *wide;         /* the one in use; not if that is `plain` */
    cd_bordered *bordered; /* the one in use */
    cd_arena later;        /* of what is made when it is needed: `wides` and the tangent */
    cd_tangent tangent;    /* A of the tangent norm, if one was asked for */
    bool has_tangent;
    double alpha; /* of the solver; an exact one is a penalty without bound */
    double step;  /* for the tangent norm, with what forces read besides q and v */
    const double *lambda, *psi;
    const cd_pattern *mass, *patterns[2]; /* of A and of both parts of C */
    double *scratch;                      /* all of the following but `rest` */
    const double *norm, *rows[2];         /* A and C, here or in the workspace; NULL: zeros */
    double *own_norm, *own_rows;          /* room for A and for the first part of C */
    double *residual;                     /* r: m + l */
    double *origin;                       /* x*: k or group size */
    double *change;                       /* d: k */
    double *multiplier, *shift;           /* mu, mu_0: m + l */
    double *x;                            /* right-hand side and solution: k + m + l */
    double *rest;                         /* zeros */
};

/* What is projected: how its residual is evaluated and how x = x* + d is formed. */
typedef struct cd_task {
    const cardan_projection *how;
    const char *what;
    bool linear;       /* r is linear in x: C and its factors serve for all iterations */
    bool nonholonomic; /* nonholonomic constraints take part */
    cd_curved part;    /* of C, the one that depends on x */
    const double *v;   /* where forces are taken */
    cardan_point at;
    const double *target;
    double *value; /* x: q, v or v' */
    int size;      /* of x */
    bool turns;    /* x = update(x*, d) instead of x* + d */
    cardan_status (*evaluate)(cd_projector *p, const struct cd_task *task);
} cd_task;

/* A of the tangent norm, and the matrix without H. */
cardan_status cd_projector_open_norm(cd_projector *p, const cd_task *task);
/* A of the other norms, after the first evaluation. */
void cd_projector_norm(cd_projector *p, const cd_task *task);
/* The matrix with room for H. */
cardan_status cd_projector_bend(cd_projector *p, const cd_task *task);

/* Solves the problem of projection.h; x is where it was if that fails. */
cardan_status cd_projector_minimise(cd_projector *p, const cd_task *task);

#endif

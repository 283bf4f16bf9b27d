/* The chain rule from world displacements to coordinates: (u, w) = J v and (dr, dphi) = J dq
 * (element.h).
 *
 *   B = B_w J,   d(J^T f)/dq = J^T (df/dx) J + (dJ/dq)^T f,   d(B_w w)/dq = ... + B_w d(J v)/dq
 *
 * A chain belongs to one element at one point. Its n local coordinates are the velocities of its
 * bodies, one after the other, without ground. World matrices have 6 c columns. */
#ifndef CD_MODEL_CHAIN_H
#define CD_MODEL_CHAIN_H

#include "model/core/model.h"

typedef struct cd_chain_rule {
    const cd_element *element;
    cd_body_state body_state[CD_ELEMENT_BODIES];
    const cd_form *form[CD_ELEMENT_BODIES]; /* NULL: ground */
    int start[CD_ELEMENT_BODIES];           /* of each body in the local coordinates */
    int world, n;                           /* 6 c and the number of local coordinates */
    bool plain;                             /* local coordinates are world displacements: J = I */
    double lambda[CD_ELEMENT_ROWS];         /* lambda of `point`, if rows are redundant */
    double psi[CD_ELEMENT_ROWS];            /* psi of `point`, if rows are redundant */
    cd_element_point point;
} cd_chain_rule;

/* Prepares the chain rule of an element at a point. Unless `moving`, bodies are at rest. */
void cd_chain_set_up(const cardan_model *model, const cd_element *element, const cardan_point *at,
                     bool moving, cd_chain_rule *chain);

/* cd_chain_set_up without the states of the bodies, which the caller sets. */
void cd_chain_set_up_without_bodies(const cardan_model *model, const cd_element *element,
                                    const cardan_point *at, cd_chain_rule *chain);

/* The index of a body number in a list of all bodies, all counters and ground. */
static inline int cd_body_index(const cardan_model *model, int body)
{
    if (body >= 0)
        return body;
    return body == CARDAN_GROUND ? model->bodies + model->counters
                                 : model->bodies + CARDAN_GROUND - 1 - body;
}

/* out (rows x n) += in (rows x 6c) J */
void cd_chain_columns(const cd_chain_rule *chain, int rows, const double *in, double *out);

/* out (rows x n) += in (rows x 6c) d(J v)/dq */
void cd_chain_velocity_dq(const cd_chain_rule *chain, int rows, const double *in, double *out);

/* out (n x columns) += J^T in (6c x columns) */
void cd_chain_rows(const cd_chain_rule *chain, int columns, const double *in, double *out);

/* out (n x n) += d(J^T f)/dq at fixed f */
void cd_chain_wrench_dq(const cd_chain_rule *chain, const double *f, double *out);

/* rate (rows) += A w for a matrix A (rows x 6c) in the world */
void cd_chain_add_rates(const cd_chain_rule *chain, int rows, const double *A, double *rate);

/* out (6c) = J' v */
void cd_chain_drift(const cd_chain_rule *chain, double *out);

/* Adds the potential of an element to `sum`, if it has one. */
int cd_chain_add_potential(const cardan_model *model, const cd_element *element,
                           const cardan_point *at, double *sum);

#endif

/* The callbacks of a model's system; the context is the model. */
#ifndef CD_MODEL_EQUATIONS_H
#define CD_MODEL_EQUATIONS_H

#include "chain.h"
#include "layout.h"
#include "system/pieces.h"

/* Sets the callbacks that the layout needs. */
void cd_equations_of_bodies(const cd_layout *layout, cardan_system_def *def);
void cd_equations_of_constraints(const cardan_model *model, cardan_system_def *def);
void cd_equations_at_once(const cardan_model *model, cardan_system_def *def);
void cd_equations_of_stiffness(const cardan_model *model, cardan_system_def *def);

/* Which element has no value at a point, and why, in words; false if all have. v may be NULL: then
 * only constraints are looked at. */
bool cd_model_explain(const cardan_model *model, const cardan_point *at, char *text, int size);

/* Says which of them can be evaluated in pieces. */
void cd_pieces_at_once(const cardan_model *model, cd_pieces *pieces);
void cd_pieces_of_bodies(cd_pieces *pieces);
void cd_pieces_of_constraints(const cd_layout *layout, cd_pieces *pieces);
void cd_pieces_of_stiffness(cd_pieces *pieces);

/* A function of one element in the world (element.h). */
typedef int cd_element_function(const void *self, const cd_place *at, double *out);

/* local (n x n) = J^T d(B_w^T y)/dx J + d(J^T f)/dq with f = B_w^T y, for B and for K; and
 * d(J^T f)/dq of an element's force. */
int cd_element_reaction_dq(const cd_chain *chain, int rows, const double *multiplier,
                           cd_element_function *gradient, cd_element_function *by_x, double *local);
int cd_element_force_dq(const cd_chain *chain, double *local);

/* local (rows x n) = B_w J, for B and for K; local (n x n) = J^T df/dw J of an element's force. */
int cd_element_gradient(const cd_chain *chain, int rows, cd_element_function *gradient,
                        double *local);
int cd_element_force_dv(const cd_chain *chain, double *local);

/* local (rows x n) = d(B_w w)/dx J + B_w d(J v)/dq, for B and for K */
int cd_element_hidden_dq(const cd_chain *chain, int rows, cd_element_function *by_x,
                         cd_element_function *by_w, double *local);

/* ---- joints that hold a point (pivot_acceleration.c) ---- */

/* Whether element e is one, between bodies whose velocities are displacements in the world. */
bool cd_pivot_accelerates(const cardan_model *model, int e);

/* The second derivatives of its rows with these v' (NULL: 0), in the rows of `out`. */
void cd_pivot_accelerate(const cardan_model *model, int e, const cardan_point *at,
                         const double *vdot, double *out);

#endif

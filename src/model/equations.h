/* The callbacks of a model's system; the context is the model. */
#ifndef CD_MODEL_EQUATIONS_H
#define CD_MODEL_EQUATIONS_H

#include "model/chain.h"
#include "model/layout.h"

/* Sets the callbacks that the layout needs. */
void cd_equations_of_bodies(const cd_layout *layout, cardan_system_def *def);
void cd_equations_of_constraints(const cardan_model *model, cardan_system_def *def);
void cd_equations_at_once(const cardan_model *model, cardan_system_def *def);
void cd_equations_of_stiffness(const cardan_model *model, cardan_system_def *def);

/* A function of one element in the world (element.h). */
typedef int cd_element_function(const void *self, const cd_place *at, double *out);

/* local (n x n) = J^T d(B_w^T y)/dx J + d(J^T f)/dq with f = B_w^T y, for B and for K; and
 * d(J^T f)/dq of an element's force. */
int cd_element_reaction_dq(const cd_chain *chain, int rows, const double *multiplier,
                           cd_element_function *gradient, cd_element_function *by_x, double *local);
int cd_element_force_dq(const cd_chain *chain, double *local);

#endif

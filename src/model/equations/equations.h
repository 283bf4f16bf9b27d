/* The callbacks of a model's system; the context is the model. */
#ifndef CD_MODEL_EQUATIONS_H
#define CD_MODEL_EQUATIONS_H

#include "chain.h"
#include "layout.h"
#include "system/direct.h"

/* Sets the callbacks that the layout needs. */
void cd_equations_of_bodies(const cd_layout *layout, cardan_system_def *def);
void cd_equations_of_constraints(const cardan_model *model, cardan_system_def *def);
void cd_equations_at_once(const cardan_model *model, cardan_system_def *def);
void cd_equations_of_stiffness(const cardan_model *model, cardan_system_def *def);

/* Which element has no value at a point, and why, in words; false if all have. v may be NULL: then
 * only constraints are looked at. */
bool cd_model_explain(const cardan_model *model, const cardan_point *at, char *text, int size);

/* All of this straight to the blocks of a matrix, if the model's forms allow it (blocks.c). */
void cd_blocks_of_model(const cardan_model *model, cd_direct *direct);

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

/* ---- pivots between spatial or between planar bodies (pivot_matrices.c) ---- */

/* Where the stiffness of two bodies' rotations is: 3 x 3 blocks with `stride` numbers a row, or one
 * number each for planar bodies. NULL: for ground, and where it is not wanted. */
typedef struct cd_pivot_stiffness {
    double *block[2][2];
    int stride[2];
} cd_pivot_stiffness;

/* Whether element e is such a pivot. */
bool cd_pivot_is_direct(const cardan_model *model, int e);

/* Its rows of B that the system has, `stride` numbers each, with the columns of a part of its
 * bodies from offset[part]; what is zero is not written. */
void cd_pivot_rows(const cardan_model *model, int e, const double *q, const int *offset, int stride,
                   double *out);
void cd_pivot_stiffen(const cardan_model *model, int e, const cardan_point *at,
                      const cd_pivot_stiffness *to);

/* The same in the values of the patterns constraint_dq and dynamics_dq; of the latter the rows of
 * bodies in the piece. */
void cd_pivot_put_rows(const cardan_model *model, int e, const double *q, double *out);
void cd_pivot_add_stiffness(const cardan_model *model, const cd_piece *piece, int e,
                            const cardan_point *at, double *out);

/* The same, both at once, to the blocks of a matrix; sizes of the rows are noted. */
void cd_pivot_add_blocks(const cardan_model *model, const cd_piece *piece, int e,
                         const cardan_point *at, const cd_direct_target *to, cd_scales *scales);

/* The same for matrices without stiffness and models whose bodies are all spatial (pivot_saddle.c),
 * if element e is a pivot that the system has all rows of: B and B^T are written. */
bool cd_pivot_is_saddle(const cardan_model *model, int e);
void cd_pivot_put_saddle(const cardan_model *model, const cd_piece *piece, int e,
                         const cardan_point *at, const cd_direct_target *to, cd_scales *scales);

/* The second derivatives of its rows with these v' (NULL: 0), in the rows of `out`
 * (pivot_acceleration.c). */
void cd_pivot_accelerate(const cardan_model *model, int e, const cardan_point *at,
                         const double *vdot, double *out);

#endif

/* The callbacks of a model's system; the context is the model. */
#ifndef CD_MODEL_EQUATIONS_H
#define CD_MODEL_EQUATIONS_H

#include "layout.h"

/* Defines the callback `name` of a system, and name_piece of the same for a piece, which return the
 * cd_failure of an expression of model, piece, at and out. */
#define CD_CALLBACK(name, ...)                                                                     \
    static cd_failure name##_piece(void *context, const cardan_point *at, int number, double *out) \
    {                                                                                              \
        const cardan_model *model = context;                                                       \
        const cd_piece *piece = cd_partition_piece(&model->layout->partition, number);             \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    static int name(void *context, const cardan_point *at, double *out)                            \
    {                                                                                              \
        return name##_piece(context, at, CD_WHOLE, out).code;                                      \
    }

/* Sets the callbacks that the layout needs, and says which of them can be evaluated in pieces. */
void cd_equations_define(const cardan_model *model, cardan_system_def *def);
void cd_equations_of_constraints(const cardan_model *model, cardan_system_def *def);
void cd_equations_at_once(const cardan_model *model, cardan_system_def *def);
void cd_equations_of_stiffness(const cardan_model *model, cardan_system_def *def);
void cd_pieces_define(const cardan_model *model, cd_pieces *pieces);
void cd_pieces_at_once(const cardan_model *model, cd_pieces *pieces);
void cd_pieces_of_constraints(const cd_layout *layout, cd_pieces *pieces);
void cd_pieces_of_stiffness(cd_pieces *pieces);

/* Distances of contacts (cardan_system_def.gaps). */
int cd_gaps_count(const cardan_model *model);
cardan_callback cd_gaps;

/* Which element has no value at a point, and why, in words; false if all have. v may be NULL: then
 * only constraints are looked at. */
bool cd_model_explain(void *model, const cardan_point *at, char *text, int size);

/* ---- joints that hold a point (pivot_acceleration.c) ---- */

/* Whether element e is one, between bodies whose velocities are displacements in the world. */
bool cd_pivot_accelerates(const cardan_model *model, int e);

/* The second derivatives of its rows with these v' (NULL: 0), in the rows of `out`. */
void cd_pivot_accelerate(const cardan_model *model, int e, const cardan_point *at,
                         const double *vdot, double *out);

#endif

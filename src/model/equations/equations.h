/* The callbacks of a model's system. Their context is the model. */
#ifndef CD_MODEL_EQUATIONS_H
#define CD_MODEL_EQUATIONS_H

#include "layout.h"

/* Defines name_piece, which evaluates an expression of model, piece, at and out that returns a
 * cd_failure, and the callback `name` of a system, for the whole model. */
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

/* Set the callbacks of a system, and list those for pieces: all of them, and those of one file. */
void cd_equations_define(const cardan_model *model, cardan_system_def *def);
void cd_equations_define_constraints(const cardan_model *model, cardan_system_def *def);
void cd_equations_define_evaluate(const cardan_model *model, cardan_system_def *def);
void cd_equations_define_stiffness(const cardan_model *model, cardan_system_def *def);
void cd_pieces_define(const cardan_model *model, cd_pieces *pieces);
void cd_pieces_define_evaluate(const cardan_model *model, cd_pieces *pieces);
void cd_pieces_define_constraints(const cd_layout *layout, cd_pieces *pieces);
void cd_pieces_define_stiffness(cd_pieces *pieces);

/* The number of contacts, and their gaps (cardan_system_def.gaps). */
int cd_gaps_count(const cardan_model *model);
cardan_callback cd_gaps;

/* Writes which element has no value at a point, and why. v NULL: only constraints are checked. */
bool cd_model_explain_failure(void *model, const cardan_point *at, char *text, int size);

/* ---- joints that fix a point (pivot_acceleration.c) ---- */

/* Whether element e is a pivot, between bodies with velocities in world axes. */
bool cd_is_pivot(const cardan_model *model, int e);

/* Writes the second time derivatives of its rows for these v' (NULL: 0). */
void cd_pivot_accelerate(const cardan_model *model, int e, const cardan_point *at,
                         const double *vdot, double *out);

#endif

/* The rows that a model's system leaves out, because they repeat others. */
#ifndef CD_MODEL_REDUCTION_H
#define CD_MODEL_REDUCTION_H

#include "choice.h"
#include "model/core/model.h"

#include <cardan/redundancy.h>

/* An element of which rows are left out. */
typedef struct cd_left_out {
    int element;
    bool rolling;    /* of its nonholonomic rows */
    unsigned rows;   /* bit i: row i is left out */
    unsigned angles; /* bit i: it restrains an angle */
} cd_left_out;

typedef struct cd_reduction {
    cd_arena arena; /* holds the reduction itself as well */
    cardan_redundancy face;
    bool *keep; /* m + l */
    cd_left_out *left_out;
    int left_out_count;
    double
        *start; /* the places that the model's own guess was assembled to, at t; NULL: not known */
    double t;
} cd_reduction;

/* Chooses rows at a configuration (NULL: the initial one, assembled if it can be) and replaces
 * model->reduction; rows of which less than `nothing` is left are left out. Models whose joints
 * form a tree need no choice. The layout must know the sizes. */
cardan_status cd_reduction_make(cardan_model *model, const cardan_group *group, double t,
                                const double *q, const double *v, double nothing);
/* The same for a built model, which gets a new system; all stays as it was if that fails. */
cardan_status cd_reduction_again(cardan_model *model, double t, const double *q, const double *v,
                                 double nothing);

/* For cardan_integrator_def.renew and .readmit, as cardan_model_watch sets them; `model` is a
 * cardan_model. */
const cardan_system *cd_model_renew(void *model, double t, const double *q, const double *v);
const cardan_system *cd_model_readmit(void *model, const cardan_opening *opening,
                                      cardan_error *error);
void cd_reduction_destroy(cd_reduction *reduction);

/* The choice of rows as whole numbers, to be kept with a checkpoint. */
int cd_reduction_numbers(const cardan_model *model);
void cd_reduction_save(const cardan_model *model, double *numbers);
/* Chooses these rows, if they are others than the present ones. */
cardan_status cd_reduction_load(cardan_model *model, const double *numbers);

/* All multipliers (m + l) of a point, from `arena`; NULL if it fails or the rows do. */
double *cd_reduction_distribute(const cardan_model *model, cd_arena *arena, const cardan_point *at);

/* cardan_model_joint_wrench with these multipliers (`all` NULL: those of the point, of a model that
 * leaves no rows out): for many joints at one point. */
cardan_status cd_joint_wrench(const cardan_model *model, int joint, const cardan_point *at,
                              const double *all, double force[3], double moment[3]);

/* Makes the system again from the rows kept (build.c). */
cardan_status cd_model_rebuild(cardan_model *model);

#endif

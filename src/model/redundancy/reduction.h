/* The rows that a model's system leaves out, because they repeat others. */
#ifndef CD_MODEL_REDUCTION_H
#define CD_MODEL_REDUCTION_H

#include "model/core/model.h"
#include "row_selection.h"

#include <cardan/redundancy.h>

/* An element of which rows are left out. */
typedef struct cd_redundant {
    int element;
    bool nonholonomic; /* of its nonholonomic rows */
    unsigned rows;     /* bit i: row i is left out */
    unsigned angles;   /* bit i: it restrains an angle */
} cd_redundant;

typedef struct cd_reduction {
    cd_arena arena; /* holds the reduction itself as well */
    cardan_redundancy face;
    bool *keep; /* m + l */
    cd_redundant *redundant;
    int redundant_count;
    double *start; /* of the model: the places to which its own guess was assembled at t, or NULL */
    double t;
} cd_reduction;

/* Chooses rows at the initial configuration, assembled if it can be, and replaces
 * model->reduction. Models whose joints form a tree need no choice. The layout must know the sizes.
 */
cardan_status cd_reduction_make(cardan_model *model, const cardan_group *group);
/* The same of a built model at a configuration, where rows of which less than `nothing` is left are
 * left out; the model gets a new system. All stays as it was if that fails. */
cardan_status cd_reduction_again(cardan_model *model, double t, const double *q, const double *v,
                                 double nothing);

/* For cardan_integrator_def.renew and .readmit, as cardan_model_watch sets them; `model` is a
 * cardan_model. */
const cardan_system *cd_model_reselect(void *model, double t, const double *q, const double *v);
const cardan_system *cd_model_reactivate(void *model, const cardan_opening *opening,
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

/* ", which repeats `a` and `b`" of a row left out; nothing if that is not known. */
void cd_redundancy_repeats(const cardan_model *model, int row, char *text, int size);

/* How near a configuration is to one where the constraints become dependent. */
typedef struct cd_singularity_distance {
    double smallest; /* singular value of the independent rows, each of length 1 */
    double
        distance; /* along the motion until it would be zero, by its slope; INFINITY: none seen */
} cd_singularity_distance;
/* At q and v, which satisfy the constraints. False if it cannot be found. */
bool cd_singularity_distance_find(cardan_model *model, double t, const double *q, const double *v,
                                  cd_singularity_distance *nearness);

/* Makes the system again from the rows kept (build.c). */
cardan_status cd_model_rebuild(cardan_model *model);

#endif

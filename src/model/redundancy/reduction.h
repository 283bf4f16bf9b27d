/* Reduction of a model to independent rows: which rows are redundant, and their reselection. */
#ifndef CD_MODEL_REDUCTION_H
#define CD_MODEL_REDUCTION_H

#include "model/core/model.h"
#include "row_selection.h"

#include <cardan/redundancy.h>

/* An element with redundant rows. */
typedef struct cd_redundant {
    int element;
    bool nonholonomic; /* true: these are its nonholonomic rows */
    unsigned rows;     /* bit i: row i is redundant */
    unsigned angles;   /* bit i: row i restrains an angle */
} cd_redundant;

/* The independent and redundant rows of a model. */
typedef struct cd_reduction {
    cd_arena arena; /* holds the reduction itself as well */
    cardan_redundancy report;
    bool *keep; /* per row (m + l): it is independent; NULL: all are */
    cd_redundant *redundant;
    int redundant_count;
    double *start; /* configuration to which the model's initial values were assembled, or NULL */
    double t;      /* the time of `start` */
} cd_reduction;

/* Replaces model->reduction by one at the initial configuration, assembled if possible. Joints that
 * form a tree have no redundant rows. The layout must have its sizes. */
cardan_status cd_reduction_make(cardan_model *model, const cardan_group *group);
/* Replaces the reduction of a built model by one at a configuration: rows of which elimination
 * leaves less than `threshold` are redundant. The model gets a new system, or keeps the old if this
 * fails. */
cardan_status cd_reduction_make_at(cardan_model *model, double t, const double *q, const double *v,
                                   double threshold);

/* Callbacks of an integrator that watches a model (cardan_model_watch). */
const cardan_system *cd_model_reselect(void *model, double t, const double *q, const double *v);
const cardan_system *cd_model_reactivate(void *model, const cardan_opening *opening,
                                         cardan_error *error);
void cd_reduction_destroy(cd_reduction *reduction);

/* The selection of rows as whole numbers for a checkpoint: how many numbers, and writing them. */
int cd_reduction_saved_numbers(const cardan_model *model);
void cd_reduction_save(const cardan_model *model, double *numbers);
/* Selects the rows that were saved, if they are not the present ones. */
cardan_status cd_reduction_load(cardan_model *model, const double *numbers);

/* The multipliers of all rows (m + l) at a point, from `arena`; NULL if the evaluation fails. */
double *cd_reduction_distribute(const cardan_model *model, cd_arena *arena, const cardan_point *at);

/* cardan_model_joint_wrench for many joints at one point: `all` are the multipliers of all rows;
 * NULL: the point has them, since no rows are redundant. */
cardan_status cd_joint_wrench(const cardan_model *model, int joint, const cardan_point *at,
                              const double *all, double force[3], double moment[3]);

/* Writes ", which repeats `a` and `b`" for a redundant row; "" if the joints are not known. */
void cd_redundancy_write_repeated(const cardan_model *model, int row, char *text, int size);

/* How near a configuration is to a singular one. */
typedef struct cd_singularity_distance {
    double smallest; /* smallest singular value of the independent rows, scaled to length 1 */
    double distance; /* length of motion after which it would be zero; INFINITY: it does not
                        decrease */
} cd_singularity_distance;

/* Finds this at q and v, which satisfy the constraints. False if it fails. */
bool cd_singularity_distance_find(cardan_model *model, double t, const double *q, const double *v,
                                  cd_singularity_distance *nearness);

/* Makes the system again with the independent rows of model->reduction (build.c). */
cardan_status cd_model_rebuild(cardan_model *model);

#endif

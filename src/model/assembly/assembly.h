/* The state of an assembly, shared by assembly.c, its stages assembly_close.c (with
 * assembly_around.c and assembly_walk.c) and assembly_near.c, and assembly_report.c. */
#ifndef CD_MODEL_ASSEMBLY_H
#define CD_MODEL_ASSEMBLY_H

#include "model/equations/rows.h"
#include "saddle.h"

#include <cardan/assembly.h>

/* The order in which bodies are moved one after the other, along the joints (assembly_walk.c). */
typedef struct cd_walk cd_walk;

typedef struct cd_assembly {
    cardan_model *model;
    const cardan_group *group;
    cd_arena *arena; /* scratch */
    double t;
    const double *q0, *v0; /* the initial guess */
    double *q, *v;         /* the present configuration and velocities */
    cd_rows *rows;         /* evaluated at the configuration under consideration */
    cd_saddle *saddle;     /* the factors; NULL until they are needed */
    cd_walk *walk;         /* NULL: bodies are not moved along the joints */
    bool whole;            /* true: the walk moves bodies; false: it only rotates them */
    double *right, *move;  /* right-hand side and solution, a scaled displacement */
    double *step;          /* a displacement in coordinates */
    double *slope;         /* of the distance from the guess */
    double *direction;     /* in which the distance decreases, along the constraints */
    double *trial, *best;  /* configurations */
    double tolerance;      /* of scaled residuals */
    double damping;        /* of the rows (Levenberg-Marquardt), CD_SADDLE_SMALL or more */
    int iterations;
    cardan_error *error;
} cd_assembly;

/* cardan_model_assemble for a model that has its group but no system yet. */
cardan_status cd_model_assemble(cardan_model *model, const cardan_group *group, double t, double *q,
                                double *v, cardan_assembly **assembly, cardan_error *error);

/* Closes a configuration from nearby, in at most this number of steps, without fixed values. */
cardan_status cd_model_close_configuration(cardan_model *model, const cardan_group *group, double t,
                                           int steps, double *q, cardan_error *error);

/* ---- the stages ---- */

enum { CD_RESTORING_STEPS = 12 }; /* most steps back to the constraints from nearby */

/* Models with more bodies are closed along the joints first: closure errors add up in chains. */
enum { CD_MANY_BODIES = 100 };

/* The largest rotation in one step, in rad: the rows are linear in small rotations only. */
#define CD_LARGEST_ROTATION 0.5

/* CARDAN_OK; or, if memory has run out, this status with its message. */
cardan_status cd_assembly_check_memory(const cd_assembly *it);
/* Evaluates the rows at q and v. CARDAN_CALLBACK_RETRY if they have no value there. */
cardan_status cd_assembly_evaluate(cd_assembly *it, const double *q, const double *v);
/* Moves the bodies of q along the joints, if there is a walk, and evaluates the rows there. */
cardan_status cd_assembly_walk(cd_assembly *it, double *q);
/* The largest scaled residual of the rows as they were evaluated. */
double cd_assembly_closure_error(const cd_assembly *it);
/* The sum of squares of the scaled residuals. */
double cd_assembly_squared_residual(const cd_assembly *it);
/* Factors the saddle matrix of the rows, with the damping. */
cardan_status cd_assembly_factor(cd_assembly *it);
/* step = scaled `move` in coordinates, shortened to the largest rotation; returns the factor. */
double cd_assembly_limit_rotation(const cd_assembly *it, const double *move, double *step);

/* Closes a configuration by at most this number of Newton steps, until closure errors vanish or do
 * not become smaller. The rows are evaluated at the resulting q. */
cardan_status cd_assembly_close(cd_assembly *it, int most_steps, double *q);
/* Improves a configuration with the factors that exist, as long as each step leaves a tenth of the
 * closure error or less. The rows are evaluated at q before and after. */
cardan_status cd_assembly_polish(cd_assembly *it, double *q);

/* Outliers: large closure errors of a few joints among many. First all other joints are closed,
 * then the outliers with more and more of their neighbours. `hopeless`: they do not close, and more
 * neighbours would not help. The rows are evaluated at the resulting q. */
bool cd_assembly_has_outliers(const cd_assembly *it);
cardan_status cd_assembly_close_outliers(cd_assembly *it, double *q, bool *hopeless);

/* Moves a closed configuration along the constraints to the one nearest to the initial guess. */
cardan_status cd_assembly_approach_guess(cd_assembly *it);

/* Plans the walk along the joints that have these holonomic rows; NULL if memory runs out. */
cd_walk *cd_walk_create(cd_arena *arena, cd_rows *rows, const cardan_group *group);
/* Whether closure errors of this size stay small if those of all bodies add up in a loop. */
bool cd_walk_is_safe(const cd_walk *walk, double closure_error);
/* Moves the bodies of q one after the other to where their joint with the one before closes, or
 * only rotates them. The values of the rows are overwritten. */
void cd_walk_along(const cd_walk *walk, bool rotate_only, double t, double *q);

/* Finds displacement and rotation vector of a body in the world, from q0 to q. */
void cd_assembly_displacement(const cd_body *body, const double *q0, const double *q, double dr[3],
                              double phi[3]);

/* Makes the report with memory of its own, and the message if the assembly failed. */
cardan_status cd_assembly_report(const cd_assembly *it, bool velocities, cardan_status status,
                                 cardan_assembly **report);

#endif

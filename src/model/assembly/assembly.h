/* One assembly at work, shared by assembly.c, its two stages assembly_close.c and assembly_near.c,
 * and assembly_report.c (the words). */
#ifndef CD_MODEL_ASSEMBLY_H
#define CD_MODEL_ASSEMBLY_H

#include "model/equations/rows.h"
#include "saddle.h"

#include <cardan/assembly.h>

typedef struct cd_walk cd_walk;

typedef struct cd_assembly {
    cardan_model *model;
    const cardan_group *group;
    cd_arena *arena; /* scratch */
    double t;
    const double *q0, *v0; /* the guess */
    double *q, *v;
    cd_rows *rows;
    cd_saddle *saddle;
    cd_walk *walk;               /* NULL: places are not put right along the joints */
    bool whole;                  /* ... and not only turned */
    double *right, *move, *step; /* right-hand side, scaled solution, step in coordinates */
    double *slope, *direction;   /* of the distance, and against it along the constraints */
    double *trial, *best;        /* places */
    double tolerance;            /* of scaled residuals */
    double damping;              /* of the rows (Levenberg-Marquardt), CD_SADDLE_SMALL or more */
    int iterations;
    cardan_error *error;
} cd_assembly;

/* cardan_model_assemble for a model that has its group but no system yet. */
cardan_status cd_model_assemble(cardan_model *model, const cardan_group *group, double t, double *q,
                                double *v, cardan_assembly **assembly, cardan_error *error);

/* Brings places that are nearly right back to the constraints, in at most so many steps; given
 * values do not count. */
cardan_status cd_model_close(cardan_model *model, const cardan_group *group, double t, int steps,
                             double *q, cardan_error *error);

/* ---- the stages ---- */

enum { CD_RESTORING_STEPS = 12 }; /* for places that are nearly right */

/* Beyond, places are put right along the joints: errors add up. */
enum { CD_MANY_BODIES = 100 };

/* The rows are trusted for turns no larger than this in one step, rad. */
#define CD_LARGEST_ROTATION 0.5

/* CARDAN_OK, or that memory has run out. */
cardan_status cd_assembly_memory(const cd_assembly *it);
/* Residuals and rows at q (and v). */
cardan_status cd_assembly_evaluate(cd_assembly *it, const double *q, const double *v);
/* Puts places right along the joints, if it is to be (`walk`), and evaluates there. */
cardan_status cd_assembly_walk(cd_assembly *it, double *q);
/* The largest residual there. */
double cd_assembly_gap(const cd_assembly *it);
/* The sum of all squared. */
double cd_assembly_merit(const cd_assembly *it);
/* Factors of the matrix of saddle.h there, with the damping. */
cardan_status cd_assembly_factor(cd_assembly *it);
/* step = scaled displacement in coordinates, shortened to the largest turn: by the factor returned.
 */
double cd_assembly_limit(const cd_assembly *it, const double *move, double *step);

/* Newton steps until the gaps vanish or do not become smaller; residuals are left at q. */
cardan_status cd_assembly_close(cd_assembly *it, int most, double *q);
/* Steps with the factors in hand, as long as each leaves a tenth of the gaps or less; residuals are
 * those at q before and after. */
cardan_status cd_assembly_polish(cd_assembly *it, double *q);

/* Gaps that stand out, in few joints of many: all others close without them, then these with their
 * neighbours, as many as it takes. `hopeless`: they do not, and more neighbours would not help.
 * Residuals are left at q. */
bool cd_assembly_stands_out(const cd_assembly *it);
cardan_status cd_assembly_close_around(cd_assembly *it, double *q, bool *hopeless);

/* From places that close to the nearest ones. */
cardan_status cd_assembly_near(cd_assembly *it);

/* The way along the joints of rows of places, for elements of the model's group; NULL if memory
 * runs out. */
cd_walk *cd_walk_create(cd_arena *arena, cd_rows *rows, const cardan_group *group);
/* Are gaps of up to `gap` so small that their sum is? */
bool cd_walk_is_safe(const cd_walk *walk, double gap);
/* Puts the bodies of q right, one after the other, or only turns them. What the rows hold is lost.
 */
void cd_walk_along(const cd_walk *walk, bool turn, double t, double *q);

/* Displacement of a body from q0 to q in the world: centre of mass, rotation vector. */
void cd_assembly_displacement(const cd_body *body, const double *q0, const double *q, double dr[3],
                              double phi[3]);

/* The report, made in an arena of its own, and the sentence of a failure. */
cardan_status cd_assembly_report(const cd_assembly *it, bool velocities, cardan_status status,
                                 cardan_assembly **report);

#endif

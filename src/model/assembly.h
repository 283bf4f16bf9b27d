/* One assembly at work, shared by assembly.c (the iteration) and assembly_report.c (the words). */
#ifndef CD_MODEL_ASSEMBLY_H
#define CD_MODEL_ASSEMBLY_H

#include "model/rows.h"
#include "model/saddle.h"

#include <cardan/assembly.h>

typedef struct cd_assembling {
    cardan_model *model;
    const cardan_group *group;
    cd_arena *arena; /* scratch */
    double t;
    const double *q0, *v0; /* the guess */
    double *q, *v;
    cd_rows *rows;
    cd_saddle *saddle;
    double *right, *move, *step; /* right-hand side, scaled solution, step in coordinates */
    double *slope, *direction;   /* of the distance, and against it along the constraints */
    double *trial, *best;        /* places */
    double tolerance;            /* of scaled residuals */
    double damping;              /* of the rows (Levenberg-Marquardt), CD_SADDLE_SMALL or more */
    int iterations;
    cardan_error *error;
} cd_assembling;

/* cardan_model_assemble for a model that has its group but no system yet. */
cardan_status cd_model_assemble(cardan_model *model, const cardan_group *group, double t, double *q,
                                double *v, cardan_assembly **assembly, cardan_error *error);

/* Brings places that are nearly right back to the constraints; given values do not count. */
cardan_status cd_model_close(cardan_model *model, const cardan_group *group, double t, double *q,
                             cardan_error *error);

/* Displacement of a body from q0 to q in the world: centre of mass, rotation vector. */
void cd_assembly_displacement(const cd_body *body, const double *q0, const double *q, double dr[3],
                              double phi[3]);

/* The report, made in an arena of its own, and the sentence of a failure. */
cardan_status cd_assembly_report(const cd_assembling *it, bool velocities, cardan_status status,
                                 cardan_assembly **report);

#endif

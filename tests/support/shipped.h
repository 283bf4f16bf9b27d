/* The models of the folder models/, read and run as `cardan run` does it. */
#ifndef CARDAN_TESTS_SHIPPED_H
#define CARDAN_TESTS_SHIPPED_H

#include <cardan/cardan.h>
#include <cardan/model_file.h>

typedef struct shipped {
    cardan_model_file *file;
    cardan_model *model;
    cardan_integrator *it; /* NULL before shipped_start */
} shipped;

/* Reads models/NAME.yaml with settings "path=value" (at most 16, the last one NULL; may be NULL).
 * The model is not built yet. Every function here fails the running test if it cannot be done. */
shipped shipped_open(const char *name, const char *const *settings);

/* Builds the model and starts with the settings of the file; a step > 0 goes before that of the
 * file. */
void shipped_start(shipped *run, double step);
void shipped_advance(shipped *run, double t);
void shipped_close(shipped *run);

/* The same in one call, up to the start. */
shipped shipped_begin(const char *name, const char *const *settings, double step);

cardan_point shipped_point(const shipped *run);
cardan_body_state shipped_body(const shipped *run, const char *body);
/* Coordinate and rate of a joint about or along z. */
void shipped_joint(const shipped *run, const char *joint, int direction, double *place,
                   double *rate);
void shipped_wrench(const shipped *run, const char *joint, double force[3], double moment[3]);
double shipped_energy(const shipped *run);

/* Largest difference between the places and velocities (positions, rotation matrices, velocities,
 * angular velocities) of all bodies of two runs of the same model. */
double shipped_difference(const shipped *a, const shipped *b);

#endif

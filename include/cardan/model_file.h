/* Model files: a model and the settings of its runs as YAML (JSON is a subset of it).
 *
 *   cardan_model_file *file;
 *   cardan_model_file_read(&file, "fourbar.yaml", NULL, 0, &error);
 *   for (int i = 0; cardan_model_file_message(file, i) != NULL; i++)
 *       tell(cardan_model_file_message(file, i));
 *   cardan_model *model = cardan_model_file_model(file);
 *   if (model != NULL)
 *       cardan_model_build(model);
 *
 * All mistakes in a file are reported, each with its position. docs/model-file.md describes the
 * format; it is generated from the same tables that the reader uses. The library must be built with
 * CARDAN_YAML (the default). */
#ifndef CARDAN_MODEL_FILE_H
#define CARDAN_MODEL_FILE_H

#include <cardan/integrator.h>
#include <cardan/model.h>
#include <cardan/outputs.h>

typedef struct cardan_model_file cardan_model_file;

typedef enum cardan_severity { CARDAN_SEVERITY_ERROR, CARDAN_SEVERITY_WARNING } cardan_severity;

/* A message, to be printed as "FILE:LINE:COLUMN: text". */
typedef struct cardan_file_message {
    const char *file; /* name of the file; "--set PATH" for a mistake in an override */
    int line;         /* from 1 */
    int column;       /* from 1, in characters */
    cardan_severity severity;
    const char *text;
} cardan_file_message;

/* Replaces the value at a path of the file, such as "bodies.crank.mass", "parameters.length" or,
 * for a parameter, "length" alone. */
typedef struct cardan_file_override {
    const char *path;
    const char *value; /* as it would be written in the file */
} cardan_file_override;

/* Whether accelerations are projected, and in which norm. */
typedef enum cardan_acceleration_projection {
    CARDAN_ACCELERATIONS_NONE, /* not projected */
    CARDAN_ACCELERATIONS_SAME, /* projected in the norm of velocities */
    CARDAN_ACCELERATIONS_MASS,
    CARDAN_ACCELERATIONS_IDENTITY,
    CARDAN_ACCELERATIONS_TANGENT
} cardan_acceleration_projection;

/* The section `solver`. Values that the file does not contain are NAN, NULL or 0. */
typedef struct cardan_run_settings {
    const char *method;
    double rho;
    const char *params; /* as for cardan_params_parse */
    cardan_start start;
    cardan_start_difference difference;
    cardan_update update;
    cardan_projection_level project;
    cardan_projection_norm projection; /* mass, identity or tangent */
    cardan_acceleration_projection project_acceleration;
    cardan_branch branch;
    double step;        /* size of fixed steps; 0: adaptive steps */
    double rtol;        /* relative tolerance of the error; 0: the default */
    double atol;        /* absolute tolerance of the error; 0: the default */
    double min_step;    /* smallest adaptive step */
    double max_step;    /* largest adaptive step */
    double newton_rtol; /* relative tolerance of the corrector */
    double newton_atol; /* absolute tolerance of the corrector */
    int threads;        /* number of threads; 0: automatic */
    double begin;       /* start time; default 0 */
    double end;         /* end time */
    double sample;      /* time between rows of the result */
    int every;          /* number of steps between rows of the result */
} cardan_run_settings;

/* Reads a file, or a text as if it were the file `name`. `overrides` may be NULL if `count` is 0.
 * The handle is created even if the file has mistakes. The status is then CARDAN_BAD_MODEL, and
 * `error` (may be NULL) contains the first mistake with its position. */
CARDAN_API cardan_status cardan_model_file_read(cardan_model_file **file, const char *path,
                                                const cardan_file_override *overrides, int count,
                                                cardan_error *error);
CARDAN_API cardan_status cardan_model_file_parse(cardan_model_file **file, const char *text,
                                                 size_t size, const char *name,
                                                 const cardan_file_override *overrides, int count,
                                                 cardan_error *error);
CARDAN_API void cardan_model_file_destroy(cardan_model_file *file);

/* Properties of a model file; zeros if `file` is NULL. */
typedef struct cardan_model_file_info {
    const char *name;        /* "" if the file has no name */
    const char *description; /* "" if the file has none */
    int message_count;       /* number of errors and warnings */
    int error_count;         /* number of errors */
    int source_count;        /* number of files that were read */
} cardan_model_file_info;

CARDAN_API cardan_model_file_info cardan_model_file_describe(const cardan_model_file *file);

/* Message i, in the order of the file; NULL after the last. */
CARDAN_API const cardan_file_message *cardan_model_file_message(const cardan_model_file *file,
                                                                int i);

/* The position in the file of the first body, joint or force that a message of the library names,
 * for example a message of cardan_model_message, of an assembly or of an integrator. False if the
 * message names none. */
CARDAN_API bool cardan_model_file_locate(const cardan_model_file *file, const char *sentence,
                                         cardan_file_message *place);

/* The model, with all elements of the file. It is not built yet, so more elements can be added.
 * NULL if the file has errors. It belongs to the handle. */
CARDAN_API cardan_model *cardan_model_file_model(const cardan_model_file *file);
CARDAN_API const cardan_run_settings *cardan_model_file_settings(const cardan_model_file *file);
/* The files that were read: first the named file, then the included files in the order in which
 * they were opened; NULL after the last. */
CARDAN_API const char *cardan_model_file_source(const cardan_model_file *file, int i);

/* Creates the outputs of the model for one run, with the sensors of the section `sensors`. The
 * model must have been built. Destroy the outputs before the file. */
CARDAN_API cardan_status cardan_model_file_outputs(const cardan_model_file *file,
                                                   cardan_output_choice which,
                                                   cardan_outputs **outputs, cardan_error *error);

/* Sets in `def` what the section `solver` says about the integrator. Method, parameters, step
 * sizes, threads and tolerances that the section does not give stay as they are; start, difference,
 * update, branch and projection are always set. begin, end, sample and every are for the caller.
 * Fails only if `params` is invalid: other values are checked by cardan_integrator_create. */
CARDAN_API cardan_status cardan_run_settings_apply(const cardan_run_settings *settings,
                                                   cardan_integrator_def *def, cardan_error *error);

/* Writes the JSON schema of model files, with which editors check and complete them, by several
 * calls of `write`. */
typedef void cardan_write_callback(void *context, const char *text);

CARDAN_API void cardan_schema_write(cardan_write_callback *write, void *context);

#endif

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
 * All mistakes of a file are reported, each with its place. docs/model-file.md describes the
 * format; it is made from the tables that the reader works with, and so is the JSON schema.
 * Needs a library built with CARDAN_YAML (the default). */
#ifndef CARDAN_MODEL_FILE_H
#define CARDAN_MODEL_FILE_H

#include <cardan/integrator.h>
#include <cardan/model.h>
#include <cardan/outputs.h>

typedef struct cardan_model_file cardan_model_file;

typedef enum cardan_severity { CARDAN_SEVERITY_ERROR, CARDAN_SEVERITY_WARNING } cardan_severity;

/* "FILE:LINE:COLUMN: text"; line and column count from 1, columns in characters. Mistakes in an
 * override have the file "--set PATH". */
typedef struct cardan_file_message {
    const char *file;
    int line, column;
    cardan_severity severity;
    const char *text;
} cardan_file_message;

/* Replaces the value at a path of the file, such as "bodies.crank.mass", "parameters.length" or,
 * for a parameter, "length" alone. */
typedef struct cardan_file_override {
    const char *path, *value;
} cardan_file_override;

/* Whether accelerations are projected, and in which norm. */
typedef enum cardan_acceleration_projection {
    CARDAN_ACCELERATIONS_NONE,
    CARDAN_ACCELERATIONS_SAME, /* as velocities are */
    CARDAN_ACCELERATIONS_MASS,
    CARDAN_ACCELERATIONS_IDENTITY,
    CARDAN_ACCELERATIONS_TANGENT
} cardan_acceleration_projection;

/* The section `solver`; NAN, NULL and 0 stand for what the file does not say. */
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
    double step;                     /* equal steps; 0: by the error */
    double rtol, atol;               /* of the error; 0: the default */
    double min_step, max_step;       /* of steps by the error */
    double newton_rtol, newton_atol; /* of the corrector iteration */
    int threads;                     /* that share the work; 0: automatic */
    double begin, end;               /* begin: 0 by default */
    double sample;
    int every;
} cardan_run_settings;

/* Reads a file, or a text as if it were the file `name`. `overrides` may be NULL, `count` 0. The
 * handle is made whenever there is memory for it, also from a file with mistakes; the status then
 * is CARDAN_BAD_MODEL and `error` (may be NULL) holds the first of them with its place. */
CARDAN_API cardan_status cardan_model_file_read(cardan_model_file **file, const char *path,
                                                const cardan_file_override *overrides, int count,
                                                cardan_error *error);
CARDAN_API cardan_status cardan_model_file_parse(cardan_model_file **file, const char *text,
                                                 size_t size, const char *name,
                                                 const cardan_file_override *overrides, int count,
                                                 cardan_error *error);
CARDAN_API void cardan_model_file_destroy(cardan_model_file *file);

/* What the file calls itself and says about itself ("" if it does not), and how many messages and
 * errors it has and from how many files it was read. Zeros without a file. */
typedef struct cardan_model_file_info {
    const char *name, *description;
    int message_count; /* errors and warnings */
    int error_count;
    int source_count;
} cardan_model_file_info;

CARDAN_API cardan_model_file_info cardan_model_file_describe(const cardan_model_file *file);

/* Message i in the order of the file; NULL behind the last. */
CARDAN_API const cardan_file_message *cardan_model_file_message(const cardan_model_file *file,
                                                                int i);

/* The place of the first body, joint or force that a sentence of the library names: what
 * cardan_model_message, an assembly or an integrator says of a model that was read from this file.
 * False if it names none. */
CARDAN_API bool cardan_model_file_locate(const cardan_model_file *file, const char *sentence,
                                         cardan_file_message *place);

/* The model, with all elements of the file but not yet built, so that more can be added; NULL if
 * the file has errors. It belongs to the handle. */
CARDAN_API cardan_model *cardan_model_file_model(const cardan_model_file *file);
CARDAN_API const cardan_run_settings *cardan_model_file_settings(const cardan_model_file *file);
/* The files it was read from: 0 is the one that was named, then those that it includes, as they
 * were opened; NULL behind the last. */
CARDAN_API const char *cardan_model_file_source(const cardan_model_file *file, int i);

/* The outputs of the model for one run, with the sensors of the section `sensors`; to be destroyed
 * by the caller before the file. The model must have been built. */
CARDAN_API cardan_status cardan_model_file_outputs(const cardan_model_file *file,
                                                   cardan_output_choice which,
                                                   cardan_outputs **outputs, cardan_error *error);

/* Puts what the settings say into the definition of an integrator. */
CARDAN_API cardan_status cardan_run_settings_apply(const cardan_run_settings *settings,
                                                   cardan_integrator_def *def, cardan_error *error);

/* The schema of model files, handed piece by piece to `write`. */
typedef void cardan_write_callback(void *context, const char *text);

typedef enum cardan_schema_format {
    CARDAN_SCHEMA_JSON,    /* a JSON schema, for editors */
    CARDAN_SCHEMA_MARKDOWN /* the reference page */
} cardan_schema_format;

CARDAN_API void cardan_schema_write(cardan_schema_format format, cardan_write_callback *write,
                                    void *context);

#endif

/* One run in memory, whoever made it: a run that goes on, a CSV or an HDF5 file. What is not known
 * is "" for texts, NULL for `scene` and `model_text`, NAN for numbers; a CSV has columns only. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum cli_column_kind {
    CLI_COLUMN_TIME,
    CLI_COLUMN_BODY,
    CLI_COLUMN_JOINT,
    CLI_COLUMN_SENSOR,
    CLI_COLUMN_OUTPUT,     /* of a built-in problem */
    CLI_COLUMN_MULTIPLIER, /* lambda, psi, eta, and those of stages */
    CLI_COLUMN_ENERGY,
    CLI_COLUMN_HEALTH, /* residuals of the constraints */
    CLI_COLUMN_KINDS
} cli_column_kind;

typedef struct cli_column {
    char *name;      /* as in a CSV: "hinge.fx" */
    char *owner;     /* "hinge"; "": belongs to no element */
    char *quantity;  /* "pos", "quat", "vel", "omega", "force", "torque", "angle", "x1", ... */
    char *component; /* "x" of "hinge.fx", "0" of "crank.e0"; "": a scalar */
    char *unit;      /* "N"; "": none or not known */
    cli_column_kind kind;
    double *values; /* one for every row; NULL if rows are not kept */
} cli_column;

/* An accepted step. */
typedef struct cli_step {
    double t, h;                   /* its end and its size */
    double error;                  /* adaptive: estimate relative to the tolerance; else NAN */
    int iterations;                /* of Newton's method */
    bool factored;                 /* the matrix was factorised in it */
    int rejected;                  /* tries before it that were not accepted */
    double phi, hidden;            /* constraint residuals: position, velocity */
    double acceleration;           /* and acceleration; measured at some steps, else NAN */
    double kinetic, potential;     /* energies at t */
    double work, dE_i, dE_p, dE_e; /* energy balance since the start: energy = first energy + their
                                      sum; of forces, integrator, projections, events */
} cli_step;

typedef struct cli_event {
    double t;
    char *name;
    double energy; /* gained */
} cli_event;

/* A projection onto the constraints, and the energy it added. */
typedef struct cli_projected {
    double t, energy;
} cli_projected;

typedef struct cli_setting {
    char *key, *value;
} cli_setting;

typedef struct cli_statistic {
    char *name;
    double value;
} cli_statistic;

typedef enum cli_severity { CLI_NOTE, CLI_WARNING, CLI_ERROR } cli_severity;

/* What `cardan run` said. */
typedef struct cli_note {
    cli_severity severity;
    char *text;
} cli_note;

typedef struct cli_result {
    char *file;        /* it was read from; "": a live run */
    char *title;       /* what the model calls itself, else the problem or the file */
    char *description; /* of the model */
    char *source;      /* problem or model file, as given to `cardan run` */
    char *method;
    char *version;     /* of the program that ran it */
    char *status;      /* "done", "interrupted", "failed", or "running": killed, or still at it */
    double begin, end; /* as asked for */
    bool adaptive;
    bool energy_balance; /* work and dE of the steps are known */

    cli_setting *settings;
    int setting_count;
    cli_column *columns; /* the first is the time */
    int column_count;
    long long rows;
    long long stride; /* 1; k: of a long run only every k-th row has been kept */
    cli_step *steps;  /* at most CLI_MOST_STEPS: of more only the remarkable ones are kept */
    int step_count;
    cli_event *events;
    int event_count;
    cli_projected *projections; /* thinned like the steps, energies added up */
    int projection_count;
    cli_statistic *statistics; /* names as in the JSON summary: "steps", "rejected", ... */
    int statistic_count;
    cli_note *notes;
    int note_count;

    char *scene;      /* JSON (cli/report/scene.h) */
    char *model_text; /* the model file */

    long long capacity; /* of the columns, in rows */
    long long passed;   /* rows since the last that was kept */
    long long most;     /* numbers that the columns may hold together before rows are dropped */
    bool keeps_rows;
} cli_result;

enum { CLI_MOST_STEPS = 20000 };

/* Reads a result by what the file is (CSV or HDF5); complains, naming the file, and returns NULL
 * if it cannot be read. A file that is still written, or was when its run was killed, is read as
 * far as it goes. */
cli_result *cli_result_read(const char *command, const char *path);

/* The same with every row, however many there are. */
cli_result *cli_result_read_whole(const char *command, const char *path);

/* Which rows are wanted: of a time, and of these every so many. */
typedef struct cli_rows {
    double from, to;
    long long every;
} cli_rows;

cli_rows cli_rows_all(void);
bool cli_rows_given(const cli_rows *rows); /* whether these are not all */
void cli_result_select(cli_result *result, const cli_rows *rows);

cli_result *cli_result_create(void);
void cli_result_destroy(cli_result *result);

/* The column of this name, or -1; the first of several. */
int cli_result_column(const cli_result *result, const char *name);

/* A setting's or statistic's value; "" and NAN if there is none of this name. */
const char *cli_result_setting(const cli_result *result, const char *key);
double cli_result_statistic(const cli_result *result, const char *name);

/* "time", "body", "joint", "sensor", "output", "multiplier", "energy", "health". */
const char *cli_column_kind_name(cli_column_kind kind);

/* ---- making one ---- */

/* Replaces one of the texts. */
void cli_result_set(char **text, const char *value);

/* Columns from the names of a CSV; what they mean follows from the names (result_columns.c). */
void cli_result_name_columns(cli_result *result, char *const *names, int count);

/* Room for rows is made as needed; beyond some 500 MB every second row is dropped. */
void cli_result_add_row(cli_result *result, const double *values);
void cli_result_end_rows(cli_result *result); /* after the last one, which is always kept */
void cli_result_add_step(cli_result *result, const cli_step *step);
void cli_result_add_event(cli_result *result, double t, const char *name, double energy);
void cli_result_add_projection(cli_result *result, double t, double energy);
void cli_result_add_setting(cli_result *result, const char *key, const char *value);
void cli_result_add_statistic(cli_result *result, const char *name, double value);
void cli_result_add_note(cli_result *result, cli_severity severity, const char *text);

#endif

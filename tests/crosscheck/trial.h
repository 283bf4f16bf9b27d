/* One run of a machine in one way, as a table of what it gave at given times. */
#ifndef CROSSCHECK_TRIAL_H
#define CROSSCHECK_TRIAL_H

#include <cardan/cardan.h>
#include <cardan/health.h>
#include <cardan/model_file.h>

/* Kinds of columns that are compared. */
typedef enum value_class {
    POSITION,
    ROTATION,
    VELOCITY,
    TURNING,
    JOINT_FORCE,
    JOINT_MOMENT
} value_class;
enum { CLASSES = 6 };

/* Neighbouring columns that make one physical vector. */
typedef struct vector {
    value_class kind;
    int first, count;
} vector;

typedef struct way {
    const char *method;
    double step;       /* equal steps; 0: by the error */
    double rtol, atol; /* then */
    const char *form;
    int threads;
    long most_steps; /* then it is given up */
    long split;      /* steps before a checkpoint from which a second integrator goes on; 0: none */
    bool health;     /* judge it */
    bool sizes;      /* measure the largest values of the classes at every step */
} way;

typedef enum ending {
    RAN,
    REFUSED, /* file, assembly or start */
    STOPPED, /* on the way, with a sentence */
    TOO_LONG
} ending;

typedef struct trial {
    ending ending;
    cardan_status status;
    char reason[1000];
    cardan_verdict verdict;
    cardan_health_concern concern; /* of the worst finding, and its sentence */
    char finding[CARDAN_HEALTH_TEXT];
    long steps;
    double reached;  /* time */
    bool other_rows; /* not restarted: redundant constraints had been chosen anew on the way */
    uint64_t hash;   /* of all states */
    int columns, rows;
    double *values; /* rows x columns */
    vector *vectors;
    int vector_count;
    double size[CLASSES];
} trial;

/* What to run: a text, and the times (ascending, the last is the end) at which it is measured. */
typedef struct task {
    const char *text;
    size_t length;
    int bodies;
    bool forms; /* its bodies have a choice of form */
    const double *times;
    int rows;
} task;

void trial_run(const task *job, const way *how, trial *out);
void trial_free(trial *t);

/* Same bits in all states and rows. */
bool trial_same(const trial *a, const trial *b);

#endif

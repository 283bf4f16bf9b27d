/* A model while it is filled and after it is built: bodies, counters and elements, and where the
 * system keeps their numbers. Files that add a kind of joint or force need this, element.h and
 * marker.h.
 *
 * Bodies are numbered from 0; CARDAN_GROUND is the world; turn counters have the numbers
 * cd_counter_number(0), cd_counter_number(1), ... below it. All memory of a model comes from its
 * arena or is released in cardan_model_destroy. */
#ifndef CD_MODEL_MODEL_H
#define CD_MODEL_MODEL_H

#include "base/error.h"
#include "base/index.h"
#include "element.h"
#include "marker.h"
#include "signal.h"

/* How a body's coordinates make its motion in the world: (u, w) = J v with J = diag(T, T') S, where
 * T and T' are I or R and S picks `dof` of the six. What is turned by R is in the body frame and
 * follows a rotation in the body frame (left-trivialised). */
typedef struct cd_form {
    cardan_factor factor;
    int size, dof;             /* doubles of q and v */
    int pick[CD_BODY_COLUMNS]; /* the world displacement of each velocity */
    bool turned[2];            /* T = R, T' = R */
    int parts;                 /* blocks of the pattern: 2 (translation, rotation) or 1 */
    bool constant_mass;
    const char *names[CD_BODY_COLUMNS]; /* of the velocities */
} cd_form;

extern const cd_form cd_form_spatial, cd_form_body, cd_form_se3, cd_form_point, cd_form_planar,
    cd_form_counter;

/* Whether velocity i of a form is an angular one; counters are angles. */
static inline bool cd_form_turns(const cd_form *form, int i)
{
    return form->pick[i] >= 3 || form == &cd_form_counter;
}

/* Six numbers that belong to world displacements: turned into the body where the form is. */
static inline void cd_form_turn(const cd_form *form, const double R[9], const double *world,
                                double turned[CD_BODY_COLUMNS])
{
    for (int half = 0; half < 2; half++)
        if (form->turned[half])
            cd_apply_transposed3(R, world + 3 * half, turned + 3 * half);
        else
            cd_copy(3, world + 3 * half, turned + 3 * half);
}

/* What many bodies have in common. */
typedef struct cd_body_kind {
    cardan_body_def def; /* without name, position, orientation and velocities */
    double mass, center_of_mass[3];
    double inertia[9]; /* about the centre of mass, in the axes of the body's frame */
} cd_body_kind;

typedef struct cd_initial_motion {
    double orientation[4], velocity[3], angular_velocity[3]; /* of the definition */
    double attitude[9];                                      /* point, planar: R at angle 0 */
} cd_initial_motion;

typedef struct cd_body {
    const char *name;
    const cd_form *form;
    const cd_body_kind *body_kind;
    const cd_initial_motion *outset;
    double position[3]; /* of the definition */
    double height;      /* planar: of the centre of mass */
    double start[2];    /* counter: angle and rate; planar: angle */
    int q, v;           /* where its coordinates start; set by build */
    int part;           /* its first block of the pattern; set by build */
} cd_body;

/* What many joints have in common. */
typedef struct cd_joint_kind {
    cardan_joint_def def; /* without name, body1 and body2 */
    cd_marker marker[2];
} cd_joint_kind;

typedef struct cd_joint {
    const char *name;
    const cd_joint_kind *kind;
    int body[2];
    int element;      /* its constraints between the two bodies; -1: none */
    int nonholonomic; /* its nonholonomic constraints; -1: none */
    int coupling;     /* gear: the element between two counters; -1: none */
    int counter;      /* number of its turn counter; 0: none */
    int counting;     /* the element that ties the counter to the angle; -1: none */
    int friction;     /* a force element, its rows are those of `element`; -1: none */
} cd_joint;

typedef struct cd_force {
    const char *name;
    const cardan_force_def *def; /* with the name above */
    int element;
} cd_force;

typedef struct cd_shape {
    int body;
    cardan_shape shape;
} cd_shape;

struct cardan_model {
    cardan_allocator allocator;
    cd_arena arena;
    cardan_error error;
    double gravity[3];

    cd_body *body;
    int bodies, body_capacity;
    cd_body *counter;
    int counters, counter_capacity;
    cd_joint *joint;
    int joints, joint_capacity;
    cd_force *force;
    int forces, force_capacity;
    cd_shape *shape;
    int shapes, shape_capacity;
    const cd_signal **signal;
    int signals, signal_capacity;
    cd_element *element;
    int elements, element_capacity;
    cd_index body_names, joint_names, force_names;
    cd_index shared; /* data that equal elements share */

    int constraints, nonholonomic; /* rows so far */

    cardan_system *system; /* NULL until built */
    struct cd_layout *layout;
    cd_arena layout_arena;
    struct cd_reduction *reduction; /* which rows the system has; NULL: all, known by the graph */
};

/* ---- while a model is filled ---- */

/* CARDAN_OK if elements can still be added; clears the message. */
cardan_status cd_model_open(cardan_model *model);

/* NULL and definitions without the cookie; before anything else of them is read. */
cardan_status cd_body_check_made(const cardan_body_def *def, cardan_error *error);

/* The inertia of a definition about its centre of mass, in the axes of the body's frame. */
void cd_body_central_inertia(const cardan_body_def *def, double out[9]);

/* Out of memory, as a status with a message. */
cardan_status cd_model_exhausted(cardan_model *model);

/* Puts "kind `name`: " before the message of a failure and returns its status. */
cardan_status cd_model_blame(cardan_model *model, const char *kind, const char *name);

/* Zeroed memory that lives as long as the model, or NULL. */
void *cd_model_keep(cardan_model *model, size_t size);

/* The same for a copy of `data`, which is not to be changed: equal ones are kept once. */
const void *cd_model_share(cardan_model *model, const void *data, size_t size);

/* The name to use for the next element of a kind ("joint" and its index), checked and copied:
 * `name`, or "joint 3" if that is NULL. */
cardan_status cd_model_name(cardan_model *model, const char *kind, const cd_index *names,
                            const char *name, const char **copy);

/* Fails if a number is neither ground nor a body. `what` is the element's name. */
cardan_status cd_model_check_body(cardan_model *model, const char *what, int body);

/* The same for two bodies and the frames on them. */
cardan_status cd_model_check_pair(cardan_model *model, const char *what, const int body[2],
                                  const cardan_frame *frame1, const cardan_frame *frame2);

/* The marker of a frame on a body or on ground; its quaternion need not have unit length. */
cd_marker cd_model_marker(const cardan_model *model, int body, const cardan_frame *frame);

/* Adds an element; `type`, `self`, `name`, `count`, `body`, `rows` and `rolling` are set. Elements
 * with constraints get new rows; one that only reads the multipliers of another (friction: its type
 * has no constraint function) sets first_row and first_nonholonomic itself. */
cardan_status cd_model_add_element(cardan_model *model, const cd_element *element, int *number);

/* A turn counter that follows the angle about an axis (0 to 2) of marker 2 on body 2 against marker
 * 1 on body 1 over any number of turns, and the element that ties it to the angle. */
cardan_status cd_model_add_counter(cardan_model *model, const char *name, const int body[2],
                                   const cd_marker marker[2], int axis, int *counter, int *element);

/* The counter alone. It starts at the angle; with a lead (displacement per turn) in the turn that
 * fits the displacement along the axis best, with lead 0 in the first. */
cardan_status cd_model_new_counter(cardan_model *model, const char *name, const int body[2],
                                   const cd_marker marker[2], int axis, double lead, int *counter);

/* The turn counter of a joint that turns about one axis, made when first asked for. */
cardan_status cd_model_joint_counter(cardan_model *model, int joint, int *counter);

/* NULL for CARDAN_NONE; the number must be valid. */
const cd_signal *cd_model_signal(const cardan_model *model, int signal);

/* Of all signals: the first breakpoint after t (cd_signal_next_breakpoint), and the longest step
 * from t; INFINITY if there is none. */
double cd_model_next_breakpoint(void *model, double t);
double cd_model_longest_step(void *model, double t);

/* ---- bodies ---- */

static inline int cd_counter_number(int i)
{
    return CARDAN_GROUND - 1 - i;
}

/* NULL for ground. */
static inline const cd_body *cd_model_body(const cardan_model *model, int number)
{
    if (number >= 0)
        return &model->body[number];
    return number == CARDAN_GROUND ? NULL : &model->counter[CARDAN_GROUND - 1 - number];
}

/* A body in the world at q and v (its own coordinates); v NULL: at rest. NULL body: ground. */
void cd_body_state_at(const cd_body *body, const double *q, const double *v,
                      cd_body_state *body_state);

/* The same for a body by its number, or ground, with the coordinates of all bodies. */
void cd_model_site(const cardan_model *model, int number, const cardan_point *at,
                   cd_body_state *body_state);

/* q and v of a body as defined. */
void cd_body_start(const cd_body *body, double *q, double *v);

/* Of a planar body: the moment of inertia about z of the world through the centre of mass. */
double cd_planar_inertia(const cd_body *body);

/* The initial place of a body by its number. */
void cd_model_start_state(const cardan_model *model, int number, cd_body_state *body_state);

#endif

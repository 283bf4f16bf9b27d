/* A model while it is filled and after it is built: its bodies, turn counters and elements, and the
 * indices of their coordinates in the system. Files that add a kind of joint or force need this,
 * element.h and marker.h.
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

/* The coordinates of a kind of body, and its motion in the world: (u, w) = J v with
 * J = diag(T, T') S, where T and T' are I or R, and S selects `dof` of the six columns. Velocities
 * that R multiplies are in the axes of the body, and the rotation is then left-trivialised. */
typedef struct cd_form {
    cardan_factor factor;      /* of the model's group */
    int size, dof;             /* numbers in q and in v */
    int pick[CD_BODY_COLUMNS]; /* per velocity: its column in (u, w) */
    bool turned[2];            /* whether T = R, and whether T' = R */
    int parts;                 /* velocity blocks: 2 (translation, rotation) or 1 */
    bool constant_mass;
    const char *names[CD_BODY_COLUMNS]; /* names of the velocities */
} cd_form;

extern const cd_form cd_form_spatial, cd_form_body, cd_form_se3, cd_form_point, cd_form_planar,
    cd_form_counter;

/* Whether velocity i of a form is an angular one; counters are angles. */
static inline bool cd_form_is_rotation(const cd_form *form, int i)
{
    return form->pick[i] >= 3 || form == &cd_form_counter;
}

/* Multiplies six numbers in world axes (a wrench, or a row of a matrix) by diag(T, T')^T. */
static inline void cd_form_from_world(const cd_form *form, const double R[9], const double *world,
                                      double turned[CD_BODY_COLUMNS])
{
    for (int half = 0; half < 2; half++)
        if (form->turned[half])
            cd_apply_transposed3(R, world + 3 * half, turned + 3 * half);
        else
            cd_copy(3, world + 3 * half, turned + 3 * half);
}

/* Properties that equal bodies share in memory. */
typedef struct cd_body_kind {
    cardan_body_def def; /* without name, position, orientation and velocities */
    double mass, center_of_mass[3];
    double inertia[9]; /* about the centre of mass, in the axes of the body's frame */
} cd_body_kind;

/* Initial values of a body, which equal bodies share in memory. */
typedef struct cd_initial_motion {
    double orientation[4], velocity[3], angular_velocity[3]; /* as in the definition */
    double rotation_at_zero[9]; /* R of a point mass, or of a planar body at angle 0 */
} cd_initial_motion;

/* A body, or a turn counter. */
typedef struct cd_body {
    const char *name;
    const cd_form *form;
    const cd_body_kind *body_kind;
    const cd_initial_motion *initial_motion;
    double position[3];      /* as in the definition */
    double height;           /* of a planar body: z of its centre of mass */
    double initial_angle[2]; /* of a counter: angle and rate; of a planar body: the angle */
    int q, v;                /* index of its first coordinate and velocity; set by build */
    int part;                /* index of its first velocity block; set by build */
} cd_body;

/* Properties that equal joints share in memory. */
typedef struct cd_joint_kind {
    cardan_joint_def def; /* without name, body1 and body2 */
    cd_marker marker[2];
} cd_joint_kind;

typedef struct cd_joint {
    const char *name;
    const cd_joint_kind *kind;
    int body[2];
    int element;      /* index of its holonomic constraints; -1: none, as for the other elements */
    int nonholonomic; /* index of its nonholonomic constraints */
    int coupling;     /* of a gear: index of the constraint between two counters */
    int counter;      /* number of its turn counter; 0: none */
    int counting;     /* index of the constraint that ties the counter to the angle */
    int friction;     /* index of a force that reads the multipliers of `element` */
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
    cd_index shared; /* data that bodies and elements share (cd_model_share); until build */

    int constraints, nonholonomic; /* number of rows of all elements added so far */

    cardan_system *system; /* NULL until built */
    struct cd_layout *layout;
    cd_arena layout_arena;
    struct cd_reduction *reduction; /* which rows are redundant; NULL until built */
};

/* ---- while a model is filled ---- */

/* Fails if the model is built, so that nothing can be added any more. Clears the message. */
cardan_status cd_model_check_unbuilt(cardan_model *model);

/* Fails if a definition is NULL or was not made by cardan_body_def_default. */
cardan_status cd_body_check_cookie(const cardan_body_def *def, cardan_error *error);

/* The inertia of a definition about its centre of mass, in the axes of the body's frame. */
void cd_body_central_inertia(const cardan_body_def *def, double out[9]);

/* Returns CARDAN_OUT_OF_MEMORY and sets the message. */
cardan_status cd_model_exhausted(cardan_model *model);

/* Puts "kind `name`: " before the message of a failure and returns its status. */
cardan_status cd_model_prefix_message(cardan_model *model, const char *kind, const char *name);

/* Returns zeroed memory that lives as long as the model; NULL if there is none. */
void *cd_model_allocate(cardan_model *model, size_t size);

/* Copies `data` to such memory. Equal data share one copy, which nobody may change. */
const void *cd_model_share(cardan_model *model, const void *data, size_t size);

/* Checks and copies a new name of a kind ("joint"); NULL: makes one, such as "joint 3". */
cardan_status cd_model_make_name(cardan_model *model, const char *kind, const cd_index *names,
                                 const char *name, const char **copy);

/* Fails if a number is neither ground nor a body. `what` is the element's name. */
cardan_status cd_model_check_body(cardan_model *model, const char *what, int body);

/* Fails if one of two bodies does not exist, or a frame on them is not valid. */
cardan_status cd_model_check_pair(cardan_model *model, const char *what, const int body[2],
                                  const cardan_frame *frame1, const cardan_frame *frame2);

/* The marker of a frame on a body or on ground; its quaternion need not have unit length. */
cd_marker cd_model_marker(const cardan_model *model, int body, const cardan_frame *frame);

/* Adds a copy of an element, and rows for its constraints. All members but first_row and
 * first_nonholonomic are set; these too if it reads the multipliers of another element (friction).
 */
cardan_status cd_model_add_element(cardan_model *model, const cd_element *element, int *number);

/* Adds a turn counter for the angle about an axis (0 to 2) between marker 1 on body 1 and marker 2
 * on body 2, and the constraint element that makes it follow this angle. */
cardan_status cd_model_add_driven_counter(cardan_model *model, const char *name, const int body[2],
                                          const cd_marker marker[2], int axis, int *counter,
                                          int *element);

/* Appends the counter alone, without an element. It starts at the initial angle; with a lead
 * (displacement per turn) in the turn that fits the displacement along the axis best. */
cardan_status cd_model_append_counter(cardan_model *model, const char *name, const int body[2],
                                      const cd_marker marker[2], int axis, double lead,
                                      int *counter);

/* Finds the turn counter of a joint that rotates about one axis; the first call adds it. */
cardan_status cd_model_joint_counter(cardan_model *model, int joint, int *counter);

/* The signal of a valid number; NULL for CARDAN_NONE. */
const cd_signal *cd_model_signal(const cardan_model *model, int signal);

/* The first breakpoint after t, and the longest step from t, of all signals (signal.h); INFINITY if
 * there is none. Callbacks of the system; `model` is a cardan_model. */
double cd_model_next_breakpoint(void *model, double t);
double cd_model_longest_step(void *model, double t);

/* ---- bodies ---- */

/* The number of turn counter i: the numbers below that of the ground. */
static inline int cd_counter_number(int i)
{
    return CARDAN_GROUND - 1 - i;
}

/* The body or turn counter of a number; NULL for ground. */
static inline const cd_body *cd_model_body(const cardan_model *model, int number)
{
    if (number >= 0)
        return &model->body[number];
    return number == CARDAN_GROUND ? NULL : &model->counter[CARDAN_GROUND - 1 - number];
}

/* Finds the state of a body (NULL: ground) from its own coordinates q and v (NULL: at rest). */
void cd_body_state_at(const cd_body *body, const double *q, const double *v,
                      cd_body_state *body_state);

/* Finds the state of a body or the ground by its number, from the coordinates of all bodies. */
void cd_model_body_state_at(const cardan_model *model, int number, const cardan_point *at,
                            cd_body_state *body_state);

/* Writes q and v of a body as its definition has them. */
void cd_body_initial_values(const cd_body *body, double *q, double *v);

/* The moment of inertia of a planar body about z of the world through its centre of mass. */
double cd_planar_inertia(const cd_body *body);

/* Finds the initial state of the body or turn counter of a number, or of the ground. */
void cd_model_initial_state(const cardan_model *model, int number, cd_body_state *body_state);

#endif

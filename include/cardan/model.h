/* Multibody models: bodies, joints and forces that make up a cardan_system.
 *
 *   cardan_model *model;
 *   cardan_model_create(&model, NULL);
 *   cardan_model_set_gravity(model, (double[]){0, 0, -9.81});
 *   cardan_body_def rod = cardan_body_def_default();
 *   rod.mass = 1.0;
 *   ...
 *   cardan_model_add_body(model, &rod, &id);
 *   cardan_joint_def hinge = cardan_joint_def_default();
 *   ...
 *   cardan_model_build(model);
 *   cardan_integrator_create(&it, cardan_model_system(model), &def, &error);
 *
 * A model is filled by one thread, built once, and constant from then on: many integrators may
 * share it. Elements are numbered from 0 in the order in which they are added, each kind apart;
 * CARDAN_GROUND stands for the fixed world where a body is asked for, CARDAN_NONE for no signal.
 * Functions that can fail return a status; cardan_model_message tells what was wrong.
 *
 * Frames: right-handed, SI units, radians; quaternions (w, x, y, z) turn body into world
 * coordinates. A body's frame may lie anywhere on it; its inertia is given in that frame. */
#ifndef CARDAN_MODEL_H
#define CARDAN_MODEL_H

#include <cardan/signal.h>
#include <cardan/system.h>

enum { CARDAN_GROUND = -1, CARDAN_NONE = -1 };

typedef struct cardan_model cardan_model;

/* ---- bodies ---- */

typedef enum cardan_body_type {
    CARDAN_BODY_RIGID,
    CARDAN_BODY_POINT, /* mass without rotation */
    CARDAN_BODY_PLANAR /* moves parallel to the x-y plane of the world and turns about z */
} cardan_body_type;

/* Coordinates of a rigid body (the others have no choice). The motion is the same; see
 * docs/methods/spatial.md for the errors. */
typedef enum cardan_body_form {
    CARDAN_FORM_SPATIAL, /* R3 x SO(3), angular velocity in the world frame (default) */
    CARDAN_FORM_BODY,    /* R3 x SO(3), angular velocity in the body frame */
    CARDAN_FORM_SE3      /* SE(3), both velocities in the body frame */
} cardan_body_form;

typedef struct cardan_body_def {
    uint32_t cookie;  /* set by cardan_body_def_default */
    const char *name; /* unique among bodies; NULL: "body <number>" */
    cardan_body_type type;
    cardan_body_form form;
    double mass;              /* >= 0; 0 where constraints carry the body */
    double center_of_mass[3]; /* in the body frame */
    /* xx, yy, zz, xy, xz, yz (entries of the matrix: xy = -integral of x y dm), about the point
     * `inertia_at` of the body frame, in the axes of the body frame turned by `inertia_axes`. */
    double inertia[6];
    bool inertia_at_com; /* default: about the centre of mass; inertia_at is ignored */
    double inertia_at[3];
    double inertia_axes[4];
    double densities[2]; /* least and largest of the solids added, kg/m^3, for cardan_model_check */

    /* At the start, or a guess of it. */
    double position[3]; /* of the frame's origin */
    double orientation[4];
    double velocity[3];         /* of the frame's origin, in the world */
    double angular_velocity[3]; /* in the world */
    /* Assembly must not change these. */
    bool fixed_position, fixed_orientation, fixed_velocity, fixed_angular_velocity;
} cardan_body_def;

/* Adds mass, centre of mass and inertia of a homogeneous solid to a body definition, placed at
 * `at` with its axes turned by `axes` (NULL: body axes). May be used several times for one body. */
typedef enum cardan_solid_type {
    CARDAN_SOLID_BOX,      /* size: edges along x, y, z */
    CARDAN_SOLID_CYLINDER, /* size: radius, length; axis z */
    CARDAN_SOLID_SPHERE,   /* size: radius */
    CARDAN_SOLID_ROD,      /* size: length; thin, axis x; density is mass per length */
    CARDAN_SOLID_POINT,    /* density is the mass */
    CARDAN_SOLID_RING      /* size: radius; thin, axis z; density is mass per length */
} cardan_solid_type;

/* What a body looks like in pictures; the mechanics do not know it. */
typedef struct cardan_shape {
    cardan_solid_type type;
    double size[3]; /* as above; a rod has its thickness as the second, 0: a thin one */
    double position[3], orientation[4];
} cardan_shape;

/* ---- joints and other constraints ---- */

typedef enum cardan_joint_type {
    CARDAN_JOINT_SPHERICAL,
    CARDAN_JOINT_REVOLUTE,    /* about z of the joint frames */
    CARDAN_JOINT_PRISMATIC,   /* along z */
    CARDAN_JOINT_CYLINDRICAL, /* about and along z */
    CARDAN_JOINT_UNIVERSAL,   /* about x of frame 1 and y of frame 2 */
    CARDAN_JOINT_PLANAR,      /* x-y plane of frame 1 */
    CARDAN_JOINT_FIXED,
    CARDAN_JOINT_POINT_ON_LINE,  /* origin of frame 2 on z of frame 1 */
    CARDAN_JOINT_POINT_ON_PLANE, /* origin of frame 2 in x-y of frame 1 */
    CARDAN_JOINT_DISTANCE,       /* rod of length `length` between the origins */
    CARDAN_JOINT_SCREW,          /* cylindrical, displacement = lead * angle / (2 pi) */
    CARDAN_JOINT_GENERIC,        /* the directions in `fixed` */
    CARDAN_JOINT_GEAR,           /* rotations of joints[0] and joints[1]: ratio a0 + a1 = const */
    /* nonholonomic: psi instead of lambda */
    CARDAN_JOINT_ROLLING_DISK,   /* body 2: disk of `radius`, axis z of frame 2, thin edge, rolls
                                    on the x-y plane of frame 1; holds contact as well */
    CARDAN_JOINT_ROLLING_SPHERE, /* the same with a sphere */
    CARDAN_JOINT_SKATE,          /* origin of frame 2 does not move along y of frame 2 */
    CARDAN_JOINT_WHEEL,          /* rolling disk whose contact height is held by others */
    CARDAN_JOINT_SPEED /* relative speed along or about `direction` is the motion signal */
} cardan_joint_type;

/* Directions of a joint, in the axes of frame 1. */
typedef enum cardan_direction {
    CARDAN_TX = 1,
    CARDAN_TY = 2,
    CARDAN_TZ = 4,
    CARDAN_RX = 8,
    CARDAN_RY = 16,
    CARDAN_RZ = 32
} cardan_direction;

typedef struct cardan_frame {
    double position[3];
    double orientation[4];
} cardan_frame;

/* Friction against the motion in the free directions of a joint, or along the plane of a contact:
 * viscous * rate + N mu(slip), where N is the size of the joint force (docs/methods/elements.md)
 * and slip the speed, for rotations that at `radius`. mu is regularised over `transition` and falls
 * from `static_coefficient` to `coefficient` with the Stribeck rate. */
typedef struct cardan_friction {
    double viscous;                         /* per rate: N s/m or N m s; none in contacts */
    double coefficient, static_coefficient; /* static 0: the same */
    double stribeck_rate, transition;       /* slip speeds, m/s */
    double radius;                          /* of a bearing; turns rotation into slip */
    double rounding;                        /* rounds N off near 0, in N; 0: not */
} cardan_friction;

typedef struct cardan_joint_def {
    uint32_t cookie; /* set by cardan_joint_def_default */
    const char *name;
    cardan_joint_type type;
    int body1, body2;
    cardan_frame frame1, frame2; /* in the frames of body 1 and body 2 */
    unsigned fixed;              /* CARDAN_JOINT_GENERIC: cardan_direction flags */
    double length, radius, lead, ratio;
    int joints[2]; /* CARDAN_JOINT_GEAR */

    /* The free coordinate `direction` follows this signal; CARDAN_NONE: it does not. */
    int motion;
    cardan_direction direction; /* 0: the joint's only free direction */
    cardan_friction friction;

    /* For the start: a joint coordinate and its rate, where given (NAN: not). Of a gear `initial`
     * is the constant; NAN: what the definitions of the bodies give. */
    double initial, initial_rate;
    /* A guess of force and moment on body 2 at the start, as cardan_model_joint_wrench has them but
     * without friction: which of several motions friction allows is the one to be taken. */
    double force_guess[3], moment_guess[3];
} cardan_joint_def;

/* ---- forces ---- */

typedef enum cardan_force_type {
    CARDAN_FORCE_SPRING,         /* between the origins: stiffness, damping, length, preload */
    CARDAN_FORCE_TORSION_SPRING, /* the same about z of frame 1, any number of turns */
    CARDAN_FORCE_BUSHING,        /* 6 x 6 stiffness and damping between frame 1 and frame 2 */
    CARDAN_FORCE_APPLIED,        /* force and torque times the signal, at frame 2 of body 2 */
    CARDAN_FORCE_MOTOR,          /* force or torque = signal, between the bodies of `joint`; without
                                    a joint between frame 1 and frame 2 */
    CARDAN_FORCE_CONTACT,        /* sphere (radius >= 0) at frame 2 against x-y plane of frame 1 */
    CARDAN_FORCE_USER
} cardan_force_type;

/* What a body does, in the world: the place and the speed of the origin of its frame (for a user
 * force: of the frame 1 or 2 on it). */
typedef struct cardan_body_state {
    double position[3], rotation[9], velocity[3], angular_velocity[3];
} cardan_body_state;

/* Writes the forces on body 1 and body 2 and the moments about the origins of frame 1 and frame 2,
 * in world axes; `body1` and `body2` tell what these frames do. Returns 0, > 0 or < 0 like every
 * callback. */
typedef int cardan_force_callback(void *context, double t, const cardan_body_state *body1,
                                  const cardan_body_state *body2, double force1[3],
                                  double moment1[3], double force2[3], double moment2[3]);

typedef struct cardan_force_def {
    uint32_t cookie; /* set by cardan_force_def_default */
    const char *name;
    cardan_force_type type;
    int body1, body2;
    cardan_frame frame1, frame2;
    double stiffness, damping, length, preload; /* springs; contact: stiffness */
    double stiffness6[36], damping6[36];        /* bushing, row by row */
    double force[3], torque[3];                 /* applied */
    bool in_body;                               /* applied: axes of frame 2 instead of the world */
    int signal;                                 /* applied: factor; motor: value; CARDAN_NONE: 1 */
    int joint;                                  /* motor */
    cardan_direction direction;                 /* motor; 0: the joint's only free direction */
    /* contact: Hunt-Crossley force stiffness depth^exponent (1 + 1.5 dissipation depth'), and
     * friction over the tangential speed */
    double radius, exponent, dissipation;
    cardan_friction friction;
    cardan_force_callback *user;
    void *context;
} cardan_force_def;

/* ---- the model ---- */

/* `allocator` may be NULL. */
CARDAN_API cardan_status cardan_model_create(cardan_model **model,
                                             const cardan_allocator *allocator);
CARDAN_API void cardan_model_destroy(cardan_model *model);

CARDAN_API cardan_body_def cardan_body_def_default(void);
CARDAN_API cardan_joint_def cardan_joint_def_default(void);
CARDAN_API cardan_force_def cardan_force_def_default(void);
CARDAN_API cardan_signal_def cardan_signal_def_default(void);

CARDAN_API cardan_status cardan_body_add_solid(cardan_body_def *body, cardan_solid_type type,
                                               double density, const double *size, const double *at,
                                               const double *axes, cardan_error *error);

/* No default: the world has gravity only if a model says so. */
CARDAN_API cardan_status cardan_model_set_gravity(cardan_model *model, const double gravity[3]);

/* Definitions are checked and copied; `number` may be NULL. Names are unique within a kind. */
CARDAN_API cardan_status cardan_model_add_body(cardan_model *model, const cardan_body_def *def,
                                               int *number);
CARDAN_API cardan_status cardan_model_add_joint(cardan_model *model, const cardan_joint_def *def,
                                                int *number);
CARDAN_API cardan_status cardan_model_add_force(cardan_model *model, const cardan_force_def *def,
                                                int *number);
CARDAN_API cardan_status cardan_model_add_signal(cardan_model *model, const cardan_signal_def *def,
                                                 int *number);

/* A shape of a body or, for CARDAN_GROUND, of the world. */
CARDAN_API cardan_status cardan_model_add_shape(cardan_model *model, int body,
                                                const cardan_shape *shape);

/* f, f' and f'' of a signal at t. */
CARDAN_API cardan_status cardan_model_signal_at(const cardan_model *model, int signal, double t,
                                                double f[3]);

/* What the last failed call complained about; "" after success. */
CARDAN_API const char *cardan_model_message(const cardan_model *model);

/* What a model holds; zeros without a model. */
typedef struct cardan_model_info {
    int body_count, joint_count, force_count, shape_count;
    double gravity[3];
} cardan_model_info;

CARDAN_API cardan_model_info cardan_model_describe(const cardan_model *model);

typedef enum cardan_element {
    CARDAN_ELEMENT_BODY,
    CARDAN_ELEMENT_JOINT,
    CARDAN_ELEMENT_FORCE
} cardan_element;

/* The name of an element, "ground" for the body CARDAN_GROUND, and "" if there is none of this
 * number; and an element by its name (CARDAN_UNKNOWN_NAME suggests the nearest). */
CARDAN_API const char *cardan_model_name(const cardan_model *model, cardan_element kind,
                                         int number);
CARDAN_API cardan_status cardan_model_find(cardan_model *model, cardan_element kind,
                                           const char *name, int *number);

/* What was added, with the names in use, which belong to the model; false if there is no such
 * element. */
CARDAN_API bool cardan_model_body(const cardan_model *model, int body, cardan_body_def *def);
CARDAN_API bool cardan_model_joint(const cardan_model *model, int joint, cardan_joint_def *def);
CARDAN_API bool cardan_model_force(const cardan_model *model, int force, cardan_force_def *def);
/* Shape `shape`, and the body it is on; NULL if there is no such shape. */
CARDAN_API const cardan_shape *cardan_model_shape(const cardan_model *model, int shape, int *body);

/* Makes the equations; no more elements can be added. */
CARDAN_API cardan_status cardan_model_build(cardan_model *model);

/* After build. The system belongs to the model and names its velocities and constraints after the
 * elements ("crank.wz", "hinge.tx"). */
CARDAN_API const cardan_system *cardan_model_system(const cardan_model *model);

/* The configuration and velocity that the definitions give, as they are. */
CARDAN_API void cardan_model_initial(const cardan_model *model, double *q, double *v);

/* The multipliers that `force_guess` and `moment_guess` of the joints stand for, at t and q, for
 * cardan_integrator_start_from; zeros for joints without them. */
CARDAN_API void cardan_model_guess(const cardan_model *model, double t, const double *q,
                                   double *lambda, double *psi);

/* A body's motion at a point of the system (reads q and v). */
CARDAN_API cardan_status cardan_model_body_state(const cardan_model *model, int body,
                                                 const cardan_point *at, cardan_body_state *state);

/* Force and moment that a joint exerts on body 2 at the origin of frame 2, in the axes of joint
 * frame 1: reactions and friction. Reads t, q, v, lambda and psi. */
CARDAN_API cardan_status cardan_model_joint_wrench(const cardan_model *model, int joint,
                                                   const cardan_point *at, double force[3],
                                                   double moment[3]);

/* Displacement of frame 2 against frame 1 along and about the axes of frame 1: place and angles
 * (x, y, z, rotation vector), and the rates (relative velocity and angular velocity) in them.
 * Joints that turn about one axis only have their angle about it there, in (-pi, pi], and universal
 * joints (also generic ones with one rotation fixed) the angles about x of frame 1 and y of frame 2
 * (rx fixed: y and z, ry fixed: z and x). Over turns: cardan/sensor.h, lab_problem_follow. */
CARDAN_API cardan_status cardan_model_joint_state(const cardan_model *model, int joint,
                                                  const cardan_point *at, double place[6],
                                                  double rate[6]);

#endif

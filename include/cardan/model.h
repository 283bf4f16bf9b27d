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
 * One thread fills a model and builds it once. After that it does not change, and many integrators
 * may share it. Bodies, joints, forces and signals are numbered separately, from 0, in the order in
 * which they are added. CARDAN_GROUND is the number of the ground among the bodies; CARDAN_NONE
 * means no signal. Functions that can fail return a status; cardan_model_message explains it.
 *
 * Frames are right-handed, units are SI units and radians. Quaternions (w, x, y, z) transform body
 * coordinates into world coordinates. The frame of a body may lie anywhere on it. */
#ifndef CARDAN_MODEL_H
#define CARDAN_MODEL_H

#include <cardan/signal.h>
#include <cardan/system.h>

enum { CARDAN_GROUND = -1, CARDAN_NONE = -1 };

typedef struct cardan_model cardan_model;

/* ---- bodies ---- */

typedef enum cardan_body_type {
    CARDAN_BODY_RIGID,
    CARDAN_BODY_POINT, /* a mass without rotation */
    CARDAN_BODY_PLANAR /* moves parallel to the x-y plane of the world and rotates about z */
} cardan_body_type;

/* Coordinates of a rigid body; other bodies ignore it. The motion is the same;
 * docs/methods/groups.md compares the errors. */
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
    double mass; /* >= 0; it may be 0 if constraints determine the motion of the body */
    double center_of_mass[3]; /* in the body frame */
    /* Entries xx, yy, zz, xy, xz, yz of the inertia matrix; xy = -integral of x y dm. */
    double inertia[6];
    bool inertia_at_com;    /* true (default): `inertia` is about the centre of mass */
    double inertia_at[3];   /* otherwise it is about this point of the body frame */
    double inertia_axes[4]; /* orientation of the axes of `inertia` in the body frame */
    double densities[2];    /* smallest and largest density of the solids added, in kg/m^3; used by
                               cardan_model_check */

    /* ---- initial values; assembly may change them unless they are fixed ---- */

    double position[3];          /* of the origin of the body frame, in the world */
    double orientation[4];       /* of the body frame in the world */
    double velocity[3];          /* of the origin of the body frame, in the world */
    double angular_velocity[3];  /* in the world */
    bool fixed_position;         /* assembly does not change the position */
    bool fixed_orientation;      /* assembly does not change the orientation */
    bool fixed_velocity;         /* assembly does not change the velocity */
    bool fixed_angular_velocity; /* assembly does not change the angular velocity */
} cardan_body_def;

/* Homogeneous solids, with the numbers in their `size`. */
typedef enum cardan_solid_type {
    CARDAN_SOLID_BOX,      /* size: edges along x, y, z */
    CARDAN_SOLID_CYLINDER, /* size: radius, length; the axis is z */
    CARDAN_SOLID_SPHERE,   /* size: radius */
    CARDAN_SOLID_ROD,      /* size: length; a thin rod along x; its density is mass per length */
    CARDAN_SOLID_POINT,    /* no size; its density is the mass */
    CARDAN_SOLID_RING      /* size: radius; a thin ring about z; its density is mass per length */
} cardan_solid_type;

/* The appearance of a body in pictures. It does not affect the motion. */
typedef struct cardan_shape {
    cardan_solid_type type;
    double size[3];        /* as for solids; the second number of a rod is its thickness, 0: thin */
    double position[3];    /* in the body frame */
    double orientation[4]; /* in the body frame */
} cardan_shape;

/* ---- joints and other constraints ---- */

typedef enum cardan_joint_type {
    CARDAN_JOINT_SPHERICAL,      /* the origins of both frames coincide */
    CARDAN_JOINT_REVOLUTE,       /* rotation about z of the joint frames */
    CARDAN_JOINT_PRISMATIC,      /* translation along z */
    CARDAN_JOINT_CYLINDRICAL,    /* rotation about z and translation along it */
    CARDAN_JOINT_UNIVERSAL,      /* rotations about x of frame 1 and y of frame 2 */
    CARDAN_JOINT_PLANAR,         /* motion in the x-y plane of frame 1 */
    CARDAN_JOINT_FIXED,          /* no relative motion */
    CARDAN_JOINT_POINT_ON_LINE,  /* the origin of frame 2 lies on the z axis of frame 1 */
    CARDAN_JOINT_POINT_ON_PLANE, /* the origin of frame 2 lies in the x-y plane of frame 1 */
    CARDAN_JOINT_DISTANCE,       /* a rod of the given `length` between the origins */
    CARDAN_JOINT_SCREW,          /* cylindrical with displacement = lead * angle / (2 pi) */
    CARDAN_JOINT_GENERIC,        /* the directions in `fixed` are fixed */
    CARDAN_JOINT_GEAR, /* couples the angles of joints[0] and joints[1]: ratio a0 + a1 = const */

    /* ---- nonholonomic joints, with multipliers psi ---- */

    CARDAN_JOINT_ROLLING_DISK,   /* A disk of the given `radius` on body 2 rolls on the x-y plane of
                                    frame 1. Its axis is z of frame 2. The joint also enforces the
                                    contact (holonomic). */
    CARDAN_JOINT_ROLLING_SPHERE, /* the same for a sphere around the origin of frame 2 */
    CARDAN_JOINT_SKATE,          /* the origin of frame 2 does not move along y of frame 2 */
    CARDAN_JOINT_WHEEL, /* a rolling disk without the contact; other joints fix its height */
    CARDAN_JOINT_SPEED  /* the motion signal is the relative speed along or about `direction` */
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

/* A frame on a body. */
typedef struct cardan_frame {
    double position[3];    /* in the frame of the body */
    double orientation[4]; /* in the frame of the body */
} cardan_frame;

/* Friction in the free directions of a joint, or along the plane of a contact:
 * viscous * rate + N mu(slip) against the motion. N is the size of the joint force and `slip` the
 * speed of the sliding surfaces (docs/methods/elements.md). */
typedef struct cardan_friction {
    double viscous;            /* force per rate, N s/m or N m s; not used by contacts */
    double coefficient;        /* mu at high slip */
    double static_coefficient; /* mu at low slip; 0: the same as `coefficient` */
    double stribeck_rate; /* the slip, in m/s, at which mu falls from static to sliding friction */
    double transition;    /* below this slip, in m/s, friction decreases smoothly to 0 */
    double radius;        /* of a bearing: the slip of a rotation is its rate times `radius` */
    double rounding;      /* smooths N near 0, in N; 0: no smoothing */
} cardan_friction;

typedef struct cardan_joint_def {
    uint32_t cookie;  /* set by cardan_joint_def_default */
    const char *name; /* unique among joints; NULL: "joint <number>" */
    cardan_joint_type type;
    int body1;           /* number of the first body, or CARDAN_GROUND */
    int body2;           /* number of the second body, or CARDAN_GROUND */
    cardan_frame frame1; /* on body 1 */
    cardan_frame frame2; /* on body 2 */
    unsigned fixed;      /* fixed directions of a generic joint: cardan_direction flags */
    double length;       /* of a distance joint */
    double radius;       /* of a rolling disk or sphere, or of a wheel */
    double lead;         /* of a screw: displacement per turn */
    double ratio;        /* of a gear */
    int joints[2];       /* numbers of the joints that a gear couples */

    int motion; /* number of the signal that prescribes a free coordinate; CARDAN_NONE: no signal */
    cardan_direction direction; /* direction of that coordinate; 0: the only free direction */
    cardan_friction friction;

    double initial;      /* Initial value of the joint coordinate; NAN: not given. For a gear, the
                            constant; NAN: it follows from the initial values of the bodies. */
    double initial_rate; /* initial rate of the joint coordinate; NAN: not given */
    /* Initial guesses of the force and moment on body 2, as given by cardan_model_joint_wrench but
     * without friction. They select the motion if friction allows several. */
    double force_guess[3];
    double moment_guess[3]; /* see force_guess */
} cardan_joint_def;

/* ---- forces ---- */

typedef enum cardan_force_type {
    CARDAN_FORCE_SPRING,         /* a spring with a damper between the origins of both frames */
    CARDAN_FORCE_TORSION_SPRING, /* the same for the rotation about z of frame 1, over any number of
                                    turns */
    CARDAN_FORCE_BUSHING,        /* 6 x 6 stiffness and damping between frame 1 and frame 2 */
    CARDAN_FORCE_APPLIED,        /* a force and a torque times a signal, at frame 2 of body 2 */
    CARDAN_FORCE_MOTOR,          /* a force or torque given by a signal, between the bodies of
                                    `joint`, or without a joint between frame 1 and frame 2 */
    CARDAN_FORCE_CONTACT,        /* contact of a sphere at frame 2 with the x-y plane of frame 1 */
    CARDAN_FORCE_USER            /* a force computed by a callback */
} cardan_force_type;

/* The motion of a body frame in the world. A user force receives the motion of frame 1 and
 * frame 2. */
typedef struct cardan_body_state {
    double position[3];         /* of the origin */
    double rotation[9];         /* from frame to world coordinates, row by row */
    double velocity[3];         /* of the origin */
    double angular_velocity[3]; /* in world axes */
} cardan_body_state;

/* Writes the forces on body 1 and body 2, and the moments about the origins of frame 1 and frame 2,
 * in world axes. `body1` and `body2` are the motions of these frames. Returns 0, > 0 or < 0 like
 * every callback. */
typedef int cardan_force_callback(void *context, double t, const cardan_body_state *body1,
                                  const cardan_body_state *body2, double force1[3],
                                  double moment1[3], double force2[3], double moment2[3]);

typedef struct cardan_force_def {
    uint32_t cookie;  /* set by cardan_force_def_default */
    const char *name; /* unique among forces; NULL: "force <number>" */
    cardan_force_type type;
    int body1;           /* number of the first body, or CARDAN_GROUND */
    int body2;           /* number of the second body, or CARDAN_GROUND */
    cardan_frame frame1; /* on body 1 */
    cardan_frame frame2; /* on body 2 */

    /* ---- springs: tension = preload + stiffness (L - length) + damping L' ---- */

    double stiffness; /* of a spring, or of a contact */
    double damping;   /* of a spring */
    double length;    /* where the spring is relaxed; in radians for a torsion spring */
    double preload;   /* tension at this length */

    /* ---- bushings ---- */

    double stiffness6[36]; /* row by row: x, y, z, then rotations about x, y, z */
    double damping6[36];   /* in the same order */

    /* ---- applied forces and motors ---- */

    double force[3];            /* applied force */
    double torque[3];           /* applied torque */
    bool in_body;               /* true: both are in the axes of frame 2; false: in world axes */
    int signal;                 /* The signal: factor of an applied force and torque, or value of a
                                   motor. CARDAN_NONE: the constant 1. */
    int joint;                  /* the joint of a motor; CARDAN_NONE: between frame 1 and 2 */
    cardan_direction direction; /* of a motor; 0: the only free direction of its joint */

    /* ---- contacts: stiffness depth^exponent (1 + 1.5 dissipation depth'), Hunt-Crossley ---- */

    double radius;            /* of the sphere; 0: a point */
    double exponent;          /* of the depth */
    double dissipation;       /* in s/m */
    cardan_friction friction; /* along the plane */

    /* ---- user forces ---- */

    cardan_force_callback *user;
    void *context; /* passed to `user` */
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

/* Adds the mass, centre of mass and inertia of a homogeneous solid to a body definition. The solid
 * is placed at `at`, with the orientation `axes` (NULL: body axes). May be called several times. */
CARDAN_API cardan_status cardan_body_add_solid(cardan_body_def *body, cardan_solid_type type,
                                               double density, const double *size, const double *at,
                                               const double *axes, cardan_error *error);

/* Without this call there is no gravity. */
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

/* Writes f, f' and f'' of a signal at t. */
CARDAN_API cardan_status cardan_model_signal_at(const cardan_model *model, int signal, double t,
                                                double f[3]);

/* The message of the last failed call; "" after success. */
CARDAN_API const char *cardan_model_message(const cardan_model *model);

/* The contents of a model; zeros if `model` is NULL. */
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

/* The name of an element: "ground" for the body CARDAN_GROUND, "" if the number does not exist.
 * cardan_model_find finds an element by its name; the message for CARDAN_UNKNOWN_NAME suggests the
 * nearest name. */
CARDAN_API const char *cardan_model_name(const cardan_model *model, cardan_element kind,
                                         int number);
CARDAN_API cardan_status cardan_model_find(cardan_model *model, cardan_element kind,
                                           const char *name, int *number);

/* Writes the definition of an element, as it was added. The names in it belong to the model. False
 * if the element does not exist. */
CARDAN_API bool cardan_model_body(const cardan_model *model, int body, cardan_body_def *def);
CARDAN_API bool cardan_model_joint(const cardan_model *model, int joint, cardan_joint_def *def);
CARDAN_API bool cardan_model_force(const cardan_model *model, int force, cardan_force_def *def);
/* A shape, and the number of its body; NULL if the shape does not exist. */
CARDAN_API const cardan_shape *cardan_model_shape(const cardan_model *model, int shape, int *body);

/* Makes the equations; no more elements can be added. */
CARDAN_API cardan_status cardan_model_build(cardan_model *model);

/* The system of a model that has been built. It belongs to the model. Its velocities and
 * constraints are named after the elements ("crank.wz", "hinge.tx"). */
CARDAN_API const cardan_system *cardan_model_system(const cardan_model *model);

/* The initial configuration and velocity of the definitions, not assembled. */
CARDAN_API void cardan_model_initial(const cardan_model *model, double *q, double *v);

/* The multipliers that correspond to `force_guess` and `moment_guess` of the joints at t and q, for
 * cardan_integrator_start_from. They are zero for joints without guesses. */
CARDAN_API void cardan_model_guess(const cardan_model *model, double t, const double *q,
                                   double *lambda, double *psi);

/* The motion of a body frame. Reads q and v. */
CARDAN_API cardan_status cardan_model_body_state(const cardan_model *model, int body,
                                                 const cardan_point *at, cardan_body_state *state);

/* Force and moment of a joint on body 2 at the origin of frame 2, in the axes of frame 1, including
 * friction. Reads t, q, v, lambda and psi. */
CARDAN_API cardan_status cardan_model_joint_wrench(const cardan_model *model, int joint,
                                                   const cardan_point *at, double force[3],
                                                   double moment[3]);

/* Coordinates and rates of a joint, in the axes of frame 1: `coordinates` are the position of
 * frame 2 (x, y, z) and its rotation vector; `rate` is the relative velocity and angular velocity.
 * For joints that rotate about one axis, the rotation is the angle about it, in (-pi, pi]. For
 * universal joints and generic joints with one fixed rotation, it is the angles about both axes: x
 * of frame 1 and y of frame 2 (rx fixed: y and z; ry fixed: z and x). cardan_outputs_measure counts
 * full turns. */
CARDAN_API cardan_status cardan_model_joint_state(const cardan_model *model, int joint,
                                                  const cardan_point *at, double coordinates[6],
                                                  double rate[6]);

#endif

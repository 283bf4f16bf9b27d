/* The bicycle from its published parameters. */
#include "bicycle.h"

#include "models.h"

#include <check.h>
#include <math.h>

static const double wheelbase = 1.02, trail = 0.08, tilt = 3.14159265358979323846 / 10.0;
static const double rear_radius = 0.3, front_radius = 0.35;

static void add_body(cardan_model *model, const char *name, double mass, const double center[3],
                     const double inertia[4], double speed, double spin)
{
    cardan_body_def body = cardan_body_def_default();
    body.name = name;
    body.mass = mass;
    body.inertia[0] = inertia[0];
    body.inertia[1] = inertia[1];
    body.inertia[2] = inertia[2];
    body.inertia[4] = inertia[3];
    for (int i = 0; i < 3; i++)
        body.position[i] = center[i];
    body.velocity[0] = speed;
    body.angular_velocity[1] = spin;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
}

/* A revolute joint at a place of the world; z of its frames is y turned about x by `turn`, or the
 * steer axis. */
static void add_hinge(cardan_model *model, const char *name, int body1, int body2,
                      const double place[3], const double axes[4], const double *const center[2])
{
    cardan_joint_def joint = cardan_joint_def_default();
    joint.name = name;
    joint.type = CARDAN_JOINT_REVOLUTE;
    joint.body1 = body1;
    joint.body2 = body2;
    for (int i = 0; i < 3; i++) {
        joint.frame1.position[i] = place[i] - center[0][i];
        joint.frame2.position[i] = place[i] - center[1][i];
    }
    for (int i = 0; i < 4; i++)
        joint.frame1.orientation[i] = joint.frame2.orientation[i] = axes[i];
    CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
}

static void add_contact(cardan_model *model, const char *name, int wheel, double radius,
                        const double lateral[4])
{
    cardan_joint_def joint = cardan_joint_def_default();
    joint.name = name;
    joint.type = CARDAN_JOINT_ROLLING_DISK;
    joint.body1 = CARDAN_GROUND;
    joint.body2 = wheel;
    joint.radius = radius;
    joint.frame1.orientation[0] = 0.0; /* the road's normal is up: -z */
    joint.frame1.orientation[1] = 1.0;
    for (int i = 0; i < 4; i++)
        joint.frame2.orientation[i] = lateral[i];
    CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
}

cardan_model *bicycle_model(double speed)
{
    static const double rear[3] = {0.0, 0.0, -0.3}, frame[3] = {0.3, 0.0, -0.9};
    static const double fork[3] = {0.9, 0.0, -0.7}, front[3] = {1.02, 0.0, -0.35};
    const double half = sqrt(0.5), lateral[4] = {half, -half, 0.0, 0.0};
    /* The steer axis meets the road ahead of the front contact by the trail. */
    const double steer[3] = {wheelbase + trail, 0.0, 0.0};
    const double axis[4] = {cos(0.5 * tilt), 0.0, sin(0.5 * tilt), 0.0};
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, 9.81}));
    add_body(model, "rear_wheel", 2.0, rear, (double[]){0.0603, 0.12, 0.0603, 0.0}, speed,
             -speed / rear_radius);
    add_body(model, "frame", 85.0, frame, (double[]){9.2, 11.0, 2.8, 2.4}, speed, 0.0);
    add_body(model, "fork", 4.0, fork, (double[]){0.05892, 0.06, 0.00708, -0.00756}, speed, 0.0);
    add_body(model, "front_wheel", 3.0, front, (double[]){0.1405, 0.28, 0.1405, 0.0}, speed,
             -speed / front_radius);
    add_hinge(model, "rear_hub", BICYCLE_FRAME, BICYCLE_REAR_WHEEL, rear, lateral,
              (const double *const[]){frame, rear});
    add_hinge(model, "steer", BICYCLE_FRAME, BICYCLE_FORK, steer, axis,
              (const double *const[]){frame, fork});
    add_hinge(model, "front_hub", BICYCLE_FORK, BICYCLE_FRONT_WHEEL, front, lateral,
              (const double *const[]){fork, front});
    add_contact(model, "rear_contact", BICYCLE_REAR_WHEEL, rear_radius, lateral);
    add_contact(model, "front_contact", BICYCLE_FRONT_WHEEL, front_radius, lateral);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

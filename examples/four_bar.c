/* Bodies and joints: a four-bar linkage from solids and hinges, driven at a constant speed. Three
 * of its directions are redundant, and only the crank is placed; Cardan finds the rest. */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void need(cardan_status status, const char *message)
{
    if (status == CARDAN_OK)
        return;
    fprintf(stderr, "four_bar: %s\n", message);
    exit(1);
}

/* A steel bar along x of its frame, in its middle; place and angle are guesses. */
static int add_bar(cardan_model *model, const char *name, double length, double x, double y,
                   double angle)
{
    cardan_body_def bar = cardan_body_def_default();
    cardan_error error;
    int number;
    bar.name = name;
    need(cardan_body_add_solid(&bar, CARDAN_SOLID_BOX, 7850.0, (double[]){length, 0.04, 0.02}, NULL,
                               NULL, &error),
         error.text);
    bar.position[0] = x;
    bar.position[1] = y;
    bar.orientation[0] = cos(0.5 * angle);
    bar.orientation[3] = sin(0.5 * angle);
    need(cardan_model_add_body(model, &bar, &number), cardan_model_message(model));
    return number;
}

/* A hinge about z between a point on the x axis of each body. */
static int add_hinge(cardan_model *model, const char *name, int body1, double x1, int body2,
                     double x2, int motion)
{
    cardan_joint_def hinge = cardan_joint_def_default();
    int number;
    hinge.name = name;
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body1 = body1;
    hinge.body2 = body2;
    hinge.frame1.position[0] = x1;
    hinge.frame2.position[0] = x2;
    hinge.motion = motion;
    need(cardan_model_add_joint(model, &hinge, &number), cardan_model_message(model));
    return number;
}

/* The crank starts upright and turns with 6 rad/s. */
static int build(cardan_model *model)
{
    const double upright = acos(0.0);
    cardan_signal_def drive = cardan_signal_def_default();
    int angle;
    need(cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}), cardan_model_message(model));
    drive.type = CARDAN_SIGNAL_POLYNOMIAL;
    drive.coefficients = (double[]){upright, 6.0};
    drive.count = 2;
    need(cardan_model_add_signal(model, &drive, &angle), cardan_model_message(model));
    const int crank = add_bar(model, "crank", 0.3, 0.0, 0.15, upright);
    const int coupler = add_bar(model, "coupler", 0.8, 0.4, 0.5, 0.5);
    const int rocker = add_bar(model, "rocker", 0.7, 0.8, 0.3, upright);
    add_hinge(model, "A", CARDAN_GROUND, 0.0, crank, -0.15, angle);
    add_hinge(model, "B", crank, 0.15, coupler, -0.4, CARDAN_NONE);
    add_hinge(model, "C", coupler, 0.4, rocker, 0.35, CARDAN_NONE);
    const int bearing = add_hinge(model, "D", CARDAN_GROUND, 0.8, rocker, -0.35, CARDAN_NONE);
    need(cardan_model_build(model), cardan_model_message(model));
    return bearing;
}

/* Places that close the loop, and the motion from there. */
static cardan_integrator *start(cardan_model *model, double *q, double *v)
{
    cardan_integrator_def settings = cardan_integrator_def_default();
    cardan_integrator *motion;
    cardan_error error;
    cardan_model_initial(model, q, v);
    need(cardan_model_assemble(model, 0.0, q, v, NULL, &error), error.text);
    settings.step = 1e-3;
    need(cardan_integrator_create(&motion, cardan_model_system(model), &settings, &error),
         error.text);
    need(cardan_integrator_start(motion, 0.0, q, v), cardan_integrator_message(motion));
    return motion;
}

int main(void)
{
    enum { BODIES = 3, SIZE = 12 }; /* a rigid body: place and rotation matrix */
    double q[BODIES * SIZE], v[BODIES * 6], place[6], rate[6], force[3], moment[3];
    cardan_model *model;
    need(cardan_model_create(&model, NULL), "no memory");
    const int bearing = build(model);
    cardan_integrator *motion = start(model, q, v);
    const cardan_state *now = cardan_integrator_state(motion);
    for (int i = 1; i <= 4; i++) {
        need(cardan_integrator_advance(motion, 0.25 * i), cardan_integrator_message(motion));
        const cardan_point here = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
        need(cardan_model_joint_state(model, bearing, &here, place, rate), "no such joint");
        need(cardan_model_joint_wrench(model, bearing, &here, force, moment), "no such joint");
        printf("t = %.2f  rocker at %.6f rad, %.6f rad/s  bearing force %.4f %.4f N\n", now->t,
               place[5], rate[5], force[0], force[1]);
    }
    cardan_integrator_destroy(motion);
    cardan_model_destroy(model);
    return 0;
}

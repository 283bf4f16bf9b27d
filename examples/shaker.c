/* Forces and signals: a weight on a spring and a damper above a table that starts to shake, and a
 * force that is applied for a while. */
#include <cardan/cardan.h>
#include <stdio.h>
#include <stdlib.h>

static void need(cardan_status status, const char *message)
{
    if (status == CARDAN_OK)
        return;
    fprintf(stderr, "shaker: %s\n", message);
    exit(1);
}

static int add_signal(cardan_model *model, const cardan_signal_def *signal)
{
    int number;
    need(cardan_model_add_signal(model, signal, &number), cardan_model_message(model));
    return number;
}

/* A block that slides along z of the world; its motion is given by a signal, or free. */
static int add_slider(cardan_model *model, const char *name, double mass, double height, int motion)
{
    cardan_body_def block = cardan_body_def_default();
    cardan_joint_def guide = cardan_joint_def_default();
    block.name = guide.name = name;
    block.mass = mass;
    block.inertia[0] = block.inertia[1] = block.inertia[2] = 0.1;
    block.position[2] = height;
    need(cardan_model_add_body(model, &block, &guide.body2), cardan_model_message(model));
    guide.type = CARDAN_JOINT_PRISMATIC;
    guide.body1 = CARDAN_GROUND;
    guide.frame1.position[2] = height;
    guide.motion = motion;
    need(cardan_model_add_joint(model, &guide, NULL), cardan_model_message(model));
    return guide.body2;
}

/* 10 mm at 2 Hz, faded in over half a second: a product of two signals. */
static int shaking(cardan_model *model)
{
    cardan_signal_def signal = cardan_signal_def_default();
    int parts[2];
    signal.type = CARDAN_SIGNAL_HARMONIC;
    signal.amplitude = 0.01;
    signal.frequency = 2.0;
    parts[0] = add_signal(model, &signal);
    signal = cardan_signal_def_default();
    signal.type = CARDAN_SIGNAL_SMOOTH_STEP;
    signal.end_value = 1.0;
    signal.end = 0.5;
    parts[1] = add_signal(model, &signal);
    signal = cardan_signal_def_default();
    signal.type = CARDAN_SIGNAL_PRODUCT;
    signal.terms = parts;
    signal.count = 2;
    return add_signal(model, &signal);
}

static void add_forces(cardan_model *model, int table, int weight)
{
    cardan_force_def spring = cardan_force_def_default(), push = cardan_force_def_default();
    cardan_signal_def ramp = cardan_signal_def_default();
    spring.type = CARDAN_FORCE_SPRING;
    spring.name = "spring";
    spring.body1 = table;
    spring.body2 = weight;
    spring.stiffness = 800.0;
    spring.damping = 20.0;
    spring.length = 0.5;
    spring.preload = -5.0 * 9.81; /* it carries the weight at the start */
    need(cardan_model_add_force(model, &spring, NULL), cardan_model_message(model));
    ramp.type = CARDAN_SIGNAL_RAMP; /* from 0 at 0.5 s to 1 at 1 s */
    ramp.slope = 2.0;
    ramp.start = 0.5;
    ramp.end = 1.0;
    push.type = CARDAN_FORCE_APPLIED;
    push.name = "push";
    push.body2 = weight;
    push.force[2] = 10.0;
    push.signal = add_signal(model, &ramp);
    need(cardan_model_add_force(model, &push, NULL), cardan_model_message(model));
}

int main(void)
{
    enum { BODIES = 2, SIZE = 12 };
    double q[BODIES * SIZE], v[BODIES * 6];
    cardan_integrator_def settings = cardan_integrator_def_default();
    cardan_integrator *motion;
    cardan_body_state state;
    cardan_error error;
    cardan_model *model;
    need(cardan_model_create(&model, NULL), "no memory");
    need(cardan_model_set_gravity(model, (double[]){0.0, 0.0, -9.81}), cardan_model_message(model));
    const int table = add_slider(model, "table", 20.0, 0.0, shaking(model));
    const int weight = add_slider(model, "weight", 5.0, 0.5, CARDAN_NONE);
    add_forces(model, table, weight);
    need(cardan_model_build(model), cardan_model_message(model));

    settings.step = 1e-3;
    cardan_model_initial(model, q, v);
    need(cardan_integrator_create(&motion, cardan_model_system(model), &settings, &error),
         error.text);
    need(cardan_integrator_start(motion, 0.0, q, v), cardan_integrator_message(motion));
    const cardan_state *now = cardan_integrator_state(motion);
    for (int i = 1; i <= 4; i++) {
        need(cardan_integrator_advance(motion, 0.5 * i), cardan_integrator_message(motion));
        const cardan_point here = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
        need(cardan_model_body_state(model, weight, &here, &state), "no such body");
        printf("t = %.1f  height %.7f m  speed %.6f m/s\n", now->t, state.position[2],
               state.velocity[2]);
    }
    cardan_integrator_destroy(motion);
    cardan_model_destroy(model);
    return 0;
}

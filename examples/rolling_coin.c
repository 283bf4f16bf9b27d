/* Rolling: a coin on its edge. The joint holds the contact (holonomic) and forbids slip
 * (nonholonomic); the method for such systems is `nonholonomic`. */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double mass = 0.2, radius = 0.1, lean = 0.3, lean_rate = 0.1, heading_rate = 0.5,
                    spin_rate = 10.0;

static void need(cardan_status status, const char *message)
{
    if (status == CARDAN_OK)
        return;
    fprintf(stderr, "rolling_coin: %s\n", message);
    exit(1);
}

/* Axle along y of the body; it leans to the left and touches the table at the origin. */
static int add_coin(cardan_model *model)
{
    cardan_body_def coin = cardan_body_def_default();
    const double c = cos(lean), s = sin(lean);
    const double omega[3] = {-lean_rate, spin_rate * c, heading_rate - spin_rate * s};
    int number;
    coin.name = "coin";
    coin.mass = mass;
    coin.inertia[0] = coin.inertia[2] = 0.25 * mass * radius * radius;
    coin.inertia[1] = 0.5 * mass * radius * radius;
    coin.position[1] = radius * s;
    coin.position[2] = radius * c;
    coin.orientation[0] = cos(0.5 * lean);
    coin.orientation[1] = -sin(0.5 * lean);
    coin.velocity[0] = radius * (omega[1] * c - omega[2] * s); /* no slip: omega x r */
    coin.velocity[1] = -radius * omega[0] * c;
    coin.velocity[2] = radius * omega[0] * s;
    for (int i = 0; i < 3; i++)
        coin.angular_velocity[i] = omega[i];
    need(cardan_model_add_body(model, &coin, &number), cardan_model_message(model));
    return number;
}

/* The plane is x-y of frame 1, the axle z of frame 2. */
static int add_contact(cardan_model *model, int coin)
{
    cardan_joint_def contact = cardan_joint_def_default();
    int number;
    contact.name = "table";
    contact.type = CARDAN_JOINT_ROLLING_DISK;
    contact.body1 = CARDAN_GROUND;
    contact.body2 = coin;
    contact.radius = radius;
    contact.frame2.orientation[0] = sqrt(0.5); /* z to y: a quarter turn about -x */
    contact.frame2.orientation[1] = -sqrt(0.5);
    need(cardan_model_add_joint(model, &contact, &number), cardan_model_message(model));
    return number;
}

int main(void)
{
    double q[12], v[6], force[3], moment[3];
    cardan_integrator_def settings = cardan_integrator_def_default();
    cardan_integrator *motion;
    cardan_body_state state;
    cardan_error error;
    cardan_model *model;
    need(cardan_model_create(&model, NULL), "no memory");
    need(cardan_model_set_gravity(model, (double[]){0.0, 0.0, -9.81}), cardan_model_message(model));
    const int coin = add_coin(model), contact = add_contact(model, coin);
    need(cardan_model_build(model), cardan_model_message(model));

    settings.method = "nonholonomic";
    settings.step = 1e-3;
    cardan_model_initial(model, q, v);
    need(cardan_integrator_create(&motion, cardan_model_system(model), &settings, &error),
         error.text);
    need(cardan_integrator_start(motion, 0.0, q, v), cardan_integrator_message(motion));
    need(cardan_integrator_advance(motion, 2.0), cardan_integrator_message(motion));
    const cardan_state *now = cardan_integrator_state(motion);
    const cardan_point here = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    need(cardan_model_body_state(model, coin, &here, &state), "no such body");
    need(cardan_model_joint_wrench(model, contact, &here, force, moment), "no such joint");
    printf("centre %.6f %.6f %.6f\n", state.position[0], state.position[1], state.position[2]);
    printf("force of the table %.4f N along, %.4f N up\n", hypot(force[0], force[1]), force[2]);
    cardan_integrator_destroy(motion);
    cardan_model_destroy(model);
    return 0;
}

/* Sensors: a pendulum whose tip, bearing force and energies are measured while it swings, as a
 * table with names and units. */
#include <cardan/cardan.h>
#include <stdio.h>
#include <stdlib.h>

static void need(cardan_status status, const char *message)
{
    if (status == CARDAN_OK)
        return;
    fprintf(stderr, "swing: %s\n", message);
    exit(1);
}

/* A bar of 1 m that hangs to the right of its bearing, horizontally. */
static void build(cardan_model *model, int *rod, int *bearing)
{
    cardan_body_def bar = cardan_body_def_default();
    cardan_joint_def hinge = cardan_joint_def_default();
    cardan_error error;
    need(cardan_body_add_solid(&bar, CARDAN_SOLID_ROD, 2.0, (double[]){1.0}, NULL, NULL, &error),
         error.text);
    bar.name = "rod";
    bar.position[0] = 0.5;
    need(cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}), cardan_model_message(model));
    need(cardan_model_add_body(model, &bar, rod), cardan_model_message(model));
    hinge.name = "bearing";
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body1 = CARDAN_GROUND;
    hinge.body2 = *rod;
    hinge.frame2.position[0] = -0.5;
    need(cardan_model_add_joint(model, &hinge, bearing), cardan_model_message(model));
    need(cardan_model_build(model), cardan_model_message(model));
}

static cardan_outputs *add_sensors(cardan_model *model, int rod, int bearing)
{
    cardan_outputs *sensors;
    cardan_error error;
    cardan_sensor_def tip = cardan_sensor_def_default(), force = tip, turn = tip, energy = tip;
    need(cardan_outputs_create(&sensors, model, CARDAN_OUTPUTS_ADDED, &error), error.text);
    tip.type = CARDAN_SENSOR_POSITION;
    tip.name = "tip";
    tip.body = rod;
    tip.point[0] = 0.5;
    need(cardan_outputs_add(sensors, &tip, &error), error.text);
    turn.type = CARDAN_SENSOR_JOINT_COORDINATE;
    turn.joint = bearing;
    need(cardan_outputs_add(sensors, &turn, &error), error.text);
    force.type = CARDAN_SENSOR_JOINT_FORCE;
    force.joint = bearing;
    need(cardan_outputs_add(sensors, &force, &error), error.text);
    energy.type = CARDAN_SENSOR_KINETIC_ENERGY;
    energy.name = "all";
    need(cardan_outputs_add(sensors, &energy, &error), error.text);
    return sensors;
}

int main(void)
{
    enum { MOST = 32 };
    double q[12], v[6], value[MOST];
    cardan_integrator_def settings = cardan_integrator_def_default();
    cardan_integrator *motion;
    cardan_error error;
    cardan_model *model;
    int rod, bearing;
    need(cardan_model_create(&model, NULL), "no memory");
    build(model, &rod, &bearing);
    cardan_outputs *sensors = add_sensors(model, rod, bearing);
    const int count = cardan_outputs_count(sensors);
    if (count > MOST)
        return 1;

    settings.step = 1e-3;
    cardan_model_initial(model, q, v);
    need(cardan_integrator_create(&motion, cardan_model_system(model), &settings, &error),
         error.text);
    need(cardan_integrator_start(motion, 0.0, q, v), cardan_integrator_message(motion));
    const cardan_state *now = cardan_integrator_state(motion);
    for (int i = 0; i <= 10; i++) { /* every 0.1 s: angles are followed over all turns */
        need(cardan_integrator_advance(motion, 0.1 * i), cardan_integrator_message(motion));
        const cardan_point here = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
        need(cardan_outputs_measure(sensors, &here, value), "cannot measure");
    }
    for (int i = 0; i < count; i++) {
        char name[64];
        cardan_outputs_name(sensors, i, name, sizeof name);
        printf("%-22s %12.6f %s\n", name, value[i], cardan_outputs_unit(sensors, i));
    }
    cardan_integrator_destroy(motion);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
    return 0;
}

/* The shortest program with a system of one's own: a pendulum in x and y. README.md shows the
 * middle part. */
#include <cardan/cardan.h>
#include <stdio.h>

static int mass(void *context, const cardan_point *at, double *M)
{
    (void)context, (void)at;
    M[0] = M[3] = 1.0; /* 2 x 2, row by row; everything is zero on entry */
    return 0;
}

static int force(void *context, const cardan_point *at, double *g)
{
    (void)context, (void)at;
    g[1] = 9.81; /* M v' + g + B^T lambda = 0: minus the weight */
    return 0;
}

static int rod(void *context, const cardan_point *at, double *phi)
{
    (void)context;
    phi[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

static int swing(const cardan_group *plane)
{
    cardan_system *system = NULL;
    cardan_integrator *pendulum = NULL;

    cardan_system_def equations = cardan_system_def_default();
    equations.group = plane; /* R^2 */
    equations.mass = mass;
    equations.force = force;
    equations.constraint = rod;
    equations.constraints = 1;
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.control.position.relative = 1e-5; /* adaptive steps */
    settings.control.velocity.relative = 1e-5;
    if (cardan_system_create(&system, &equations, NULL) != CARDAN_OK ||
        cardan_integrator_create(&pendulum, system, &settings, NULL) != CARDAN_OK ||
        cardan_integrator_start(pendulum, 0.0, (double[]){1, 0}, (double[]){0, 0}) != CARDAN_OK ||
        cardan_integrator_advance(pendulum, 2.0) != CARDAN_OK)
        return 1;
    const cardan_state *now = cardan_integrator_state(pendulum);
    printf("x = %.6f  y = %.6f  rod force = %.5f\n", now->q[0], now->q[1], now->lambda[0]);

    cardan_integrator_destroy(pendulum);
    cardan_system_destroy(system);
    return 0;
}

int main(void)
{
    cardan_group *plane;
    if (cardan_group_create(&plane, &(cardan_factor){.kind = CARDAN_RN, .n = 2}, 1, NULL, NULL))
        return 1;
    const int failed = swing(plane);
    cardan_group_destroy(plane);
    return failed;
}

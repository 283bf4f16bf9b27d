/* A mechanism in ordinary coordinates: a slider crank with spring and damper (the example of
 * SUNDIALS IDA). Coordinates: crank angle q, slider position x, rod angle p.
 *
 * Only masses, forces and constraints are written down. Cardan differences the rest; derivatives
 * given later make it faster, and cardan_system_check tells whether they are right. */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double crank = 0.5, stiffness = 1.0, damping = 1.0, free_length = 1.0, push = 1.0;

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = 1.0; /* 3 x 3, row by row; zero on entry */
    out[4] = 1.0;
    out[8] = 2.0;
    return 0;
}

/* x and y of the closed loop: crank and rod end at the slider, which stays at height 0. */
static int constraint(void *context, const cardan_point *at, double *out)
{
    const double q = at->q[0], x = at->q[1], p = at->q[2];
    (void)context;
    out[0] = x - cos(p) - crank * cos(q);
    out[1] = -sin(p) - crank * sin(q);
    return 0;
}

/* The equations read M v' + g + B^T lambda = 0: g is minus the applied force. */
static int force(void *context, const cardan_point *at, double *out)
{
    const double q = at->q[0], x = at->q[1], p = at->q[2], a = crank;
    const double vq = at->v[0], vx = at->v[1], vp = at->v[2];
    /* A spring and damper between the midpoints of crank and rod. */
    const double arm = cos(p) + a * cos(q);
    const double length = sqrt(x * x - x * arm + 0.25 * (1.0 + a * a) + 0.5 * a * cos(p - q));
    const double rate = (2.0 * x * vx - vx * arm + x * (vp * sin(p) + a * vq * sin(q)) -
                         0.5 * a * sin(p - q) * (vp - vq)) /
                        (2.0 * length);
    const double pull = (stiffness * (length - free_length) + damping * rate) / length;
    (void)context;
    out[0] = 0.5 * pull * a * (0.5 * sin(p - q) + x * sin(q));
    out[1] = -pull * (0.5 * arm - x) - push;
    out[2] = 0.5 * pull * (x * sin(p) - 0.5 * a * sin(p - q)) + push * sin(p);
    return 0;
}

static void need(cardan_status status, const char *message)
{
    if (status == CARDAN_OK)
        return;
    fprintf(stderr, "slider_crank: %s\n", message);
    exit(1);
}

int main(void)
{
    cardan_error error;
    cardan_group *space; /* where the coordinates live: R^3 */
    need(cardan_group_create(&space, &(cardan_factor){.kind = CARDAN_RN, .n = 3}, 1, NULL, &error),
         error.text);

    cardan_system *system; /* the equations of motion */
    cardan_system_def equations = cardan_system_def_default();
    equations.group = space;
    equations.constraints = 2;
    equations.mass = mass;
    equations.constant_mass = true;
    equations.force = force;
    equations.constraint = constraint;
    need(cardan_system_create(&system, &equations, &error), error.text);

    cardan_integrator *motion; /* one trajectory of them */
    cardan_integrator_def settings = cardan_integrator_def_default();
    const cardan_tolerance fine = {1e-7, 1e-6}; /* the steps follow from it */
    settings.control.position = settings.control.velocity = settings.control.multiplier = fine;
    need(cardan_integrator_create(&motion, system, &settings, &error), error.text);

    const double q0 = acos(0.0), p0 = asin(-crank), rest[3] = {0.0};
    need(cardan_integrator_start(motion, 0.0, (double[]){q0, cos(p0), p0}, rest),
         cardan_integrator_message(motion));
    const cardan_state *now = cardan_integrator_state(motion);
    const cardan_point here = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    need(cardan_system_check(system, &here, 0.0, &error), error.text);

    need(cardan_integrator_advance(motion, 10.0), cardan_integrator_message(motion));
    printf("t = %g\n", now->t);
    printf("q = %.9f  x = %.9f  p = %.9f\n", now->q[0], now->q[1], now->q[2]);
    printf("joint forces %.7f %.7f\n", now->lambda[0], now->lambda[1]);
    cardan_integrator_destroy(motion);
    cardan_system_destroy(system);
    cardan_group_destroy(space);
    return 0;
}

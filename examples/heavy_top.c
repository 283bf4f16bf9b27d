/* A rigid body on a Lie group: a spinning top that is held at its tip. A configuration is the
 * position x of the centre of mass and a rotation matrix R, 3 + 9 numbers; a velocity is
 * (x', Omega), 6 numbers, with Omega in the body frame. There are no angles and no singularity. */
#include <cardan/cardan.h>
#include <stdio.h>
#include <stdlib.h>

static const double m = 15.0, gravity = 9.81;
static const double inertia[3] = {0.234375, 0.46875, 0.234375}; /* about the centre of mass */

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    for (int i = 0; i < 3; i++) {
        out[7 * i] = m; /* diagonal of 6 x 6 */
        out[7 * (i + 3)] = inertia[i];
    }
    return 0;
}

/* M v' + g + B^T lambda = 0 with the weight and Omega x J Omega in g. */
static int force(void *context, const cardan_point *at, double *out)
{
    const double *w = at->v + 3;
    (void)context;
    out[2] = m * gravity;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[3 + i] = (inertia[k] - inertia[j]) * w[j] * w[k];
    }
    return 0;
}

/* The centre of mass is one unit along the body's second axis from the tip: Phi = R (0,1,0) - x. */
static int constraint(void *context, const cardan_point *at, double *out)
{
    const double *x = at->q, *R = at->q + 3;
    (void)context;
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i + 1] - x[i];
    return 0;
}

/* B, so that dPhi/dt = B v: -x' + R (Omega x (0,1,0)) with Omega x (0,1,0) = (-Omega3, 0, Omega1).
 * May be left out; then Phi is differenced. */
static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        const double *row = at->q + 3 + 3 * i; /* of R */
        out[7 * i] = -1.0;
        out[6 * i + 3] = row[2];
        out[6 * i + 5] = -row[0];
    }
    return 0;
}

static void need(cardan_status status, const char *message)
{
    if (status == CARDAN_OK)
        return;
    fprintf(stderr, "heavy_top: %s\n", message);
    exit(1);
}

int main(void)
{
    cardan_error error;
    cardan_group *space;
    need(cardan_group_create(&space, &(cardan_factor){.kind = CARDAN_R3_SO3}, 1, NULL, &error),
         error.text);
    cardan_system *top;
    cardan_system_def equations = cardan_system_def_default();
    equations.group = space;
    equations.constraints = 3;
    equations.mass = mass;
    equations.constant_mass = true;
    equations.force = force;
    equations.constraint = constraint;
    equations.constraint_dq = constraint_dq;
    need(cardan_system_create(&top, &equations, &error), error.text);
    const double q0[12] = {0, 1, 0, /* R = I: */ 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double v0[6] = {4.61538, 0, 0, 0, 150, -4.61538};
    const cardan_point start = {0.0, q0, v0, (double[6]){0}, (double[3]){0}, (double[1]){0}};
    need(cardan_system_check(top, &start, 0.0, &error), error.text); /* is our B right? */
    cardan_integrator *motion;
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = 1e-4;
    need(cardan_integrator_create(&motion, top, &settings, &error), error.text);
    need(cardan_integrator_start(motion, 0.0, q0, v0), cardan_integrator_message(motion));
    need(cardan_integrator_advance(motion, 1.0), cardan_integrator_message(motion));
    const cardan_state *now = cardan_integrator_state(motion);
    printf("t = %g\nx = %.9f %.9f %.9f\n", now->t, now->q[0], now->q[1], now->q[2]);
    printf("tip force %.5f %.5f %.5f\n", now->lambda[0], now->lambda[1], now->lambda[2]);
    cardan_integrator_destroy(motion);
    cardan_system_destroy(top);
    cardan_group_destroy(space);
    return 0;
}

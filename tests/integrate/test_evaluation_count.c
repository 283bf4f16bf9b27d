/* How often a step asks the user's equations: one residual for every iteration, and with ga2s one
 * Jacobian of the constraints; two iterations are two and three evaluations. What a new iteration
 * matrix takes comes on top. */
#include "experiment.h"
#include "suite.h"

typedef struct calls {
    long evaluate, jacobian, mass;
} calls;

static int mass(void *context, const cardan_point *at, double *m)
{
    (void)at;
    ((calls *)context)->mass++;
    m[0] = m[3] = 1.0;
    return 0;
}

static int force(void *context, const cardan_point *at, double *g)
{
    (void)context, (void)at;
    g[1] = 9.81;
    return 0;
}

static int rod(void *context, const cardan_point *at, double *phi)
{
    (void)context;
    phi[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

static int rod_dq(void *context, const cardan_point *at, double *b)
{
    ((calls *)context)->jacobian++;
    b[0] = at->q[0];
    b[1] = at->q[1];
    return 0;
}

static int evaluate(void *context, const cardan_point *at, const cardan_equation_values *out)
{
    ((calls *)context)->evaluate++;
    for (int i = 0; i < 2; i++) {
        const double reaction = at->q[i] * at->lambda[0], applied = i == 1 ? 9.81 : 0.0;
        if (out->reaction != NULL)
            out->reaction[i] = reaction;
        if (out->forces != NULL)
            out->forces[i] = applied + reaction;
        if (out->dynamics != NULL)
            out->dynamics[i] = at->vdot[i] + applied + reaction;
    }
    if (out->position != NULL)
        rod(context, at, out->position);
    if (out->hidden != NULL)
        out->hidden[0] = at->q[0] * at->v[0] + at->q[1] * at->v[1];
    return 0;
}

static const struct {
    const char *method;
    long jacobians; /* of each step */
} methods[] = {{"ga3", 0}, {"ga2s", 1}};

START_TEST(one_evaluation_for_every_iteration)
{
    enum { STEPS = 200 };
    calls seen = {0};
    cardan_group *plane = NULL;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    const cardan_factor factor = {.kind = CARDAN_RN, .n = 2};
    ck_assert_int_eq(cardan_group_create(&plane, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def equations = cardan_system_def_default();
    equations.group = plane;
    equations.context = &seen;
    equations.mass = mass;
    equations.force = force;
    equations.constraint = rod;
    equations.constraint_dq = rod_dq;
    equations.evaluate = evaluate;
    equations.constraints = 1;
    ck_assert_int_eq(cardan_system_create(&system, &equations, NULL), CARDAN_OK);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[_i].method;
    def.step = 1e-3;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, (double[]){1.0, 0.0}, (double[]){0.0, 0.0}));
    int plain = 0;
    for (int i = 0; i < STEPS; i++) {
        const calls before = seen;
        const cardan_statistics then = cardan_integrator_statistics(it);
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_statistics now = cardan_integrator_statistics(it);
        ck_assert_int_eq(seen.evaluate - before.evaluate, now.residuals - then.residuals);
        if (now.matrices > then.matrices)
            continue;
        plain++;
        ck_assert_int_eq(now.residuals - then.residuals, now.iterations - then.iterations);
        ck_assert_int_eq(seen.jacobian - before.jacobian, methods[_i].jacobians);
        ck_assert_int_eq(seen.mass, before.mass);
    }
    ck_assert_int_gt(plain, STEPS / 2);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(plane);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("evaluations");
    TCase *tcase = tcase_create("counts");
    tcase_add_loop_test(tcase, one_evaluation_for_every_iteration, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}

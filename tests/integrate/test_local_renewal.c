/* Long models that begin to fall at the ground: factors are made anew only there, and that costs
 * neither accuracy nor what else a run promises. Against runs with the tightest tolerances, which
 * know no parts. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lattice.h"
#include "models.h"
#include "saved.h"
#include "suite.h"

#include <cardan/checkpoint.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum extra { NOTHING, SPRINGS, SKATES, SPHERES } extra;

typedef struct subject {
    const char *name;
    lattice_order order;
    extra with;
    const char *method;
    double step;
} subject;

#define CHAIN(links, joint, ...)                                                                   \
    {                                                                                              \
        .shape = LATTICE_CHAIN, .n = (links), .type = CARDAN_JOINT_##joint, __VA_ARGS__            \
    }

static const subject subjects[] = {
    {"chain", CHAIN(1000, SPHERICAL, 0), NOTHING, "ga3", 1e-3},
    {"chain", CHAIN(1000, SPHERICAL, 0), NOTHING, "ga2s", 1e-3},
    {"long chain", CHAIN(2000, SPHERICAL, 0), NOTHING, "ga3", 1e-3},
    {"hinges", CHAIN(1000, REVOLUTE, 0), NOTHING, "ga3", 1e-3},
    {"hinges", CHAIN(1000, REVOLUTE, 0), NOTHING, "ga2s", 1e-3},
    {"short chain", CHAIN(260, SPHERICAL, 0), NOTHING, "ga3", 1e-3},
    {"ring", {.shape = LATTICE_RING, .n = 1000}, NOTHING, "ga3", 1e-3},
    {"ladder", {.shape = LATTICE_LADDER, .n = 350}, NOTHING, "ga3", 4e-3},
    {"planar ladder",
     {.shape = LATTICE_LADDER, .n = 350, .type = CARDAN_JOINT_REVOLUTE, .planar = true},
     NOTHING,
     "ga3",
     4e-3},
    {"planar chain", CHAIN(1000, REVOLUTE, .planar = true), NOTHING, "ga3", 1e-3},
    {"planar chain", CHAIN(1000, REVOLUTE, .planar = true), NOTHING, "ga2s", 1e-3},
    {"body frame", CHAIN(1000, SPHERICAL, .form = CARDAN_FORM_BODY), NOTHING, "ga3", 1e-3},
    {"springs", CHAIN(1000, SPHERICAL, 0), SPRINGS, "ga3", 1e-3},
    {"springs", CHAIN(1000, SPHERICAL, 0), SPRINGS, "ga2s", 1e-3},
    /* without parts */
    {"ladder of hinges",
     {.shape = LATTICE_LADDER, .n = 200, .type = CARDAN_JOINT_REVOLUTE},
     NOTHING,
     "ga3",
     4e-3},
    {"ladder of hinges",
     {.shape = LATTICE_LADDER, .n = 200, .type = CARDAN_JOINT_REVOLUTE},
     NOTHING,
     "ga2s",
     4e-3},
    {"ring of hinges",
     {.shape = LATTICE_RING, .n = 400, .type = CARDAN_JOINT_REVOLUTE},
     NOTHING,
     "ga3",
     1e-3},
    {"skates", CHAIN(400, SPHERICAL, 0), SKATES, "ga3", 1e-3},
    {"spheres", CHAIN(400, SPHERICAL, 0), SPHERES, "ga3", 1e-3},
    {"spheres", CHAIN(400, SPHERICAL, 0), SPHERES, "ga2s", 1e-3},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0], WITHOUT = 6, STEPS = 40 };

/* ---- models ---- */

/* Between links and those after the next, and one to the ground; not under load yet. */
static void add_springs(cardan_model *model, int links)
{
    for (int i = 0; i + 3 < links; i += 3) {
        cardan_force_def def = cardan_force_def_default();
        def.type = CARDAN_FORCE_SPRING;
        def.body1 = i;
        def.body2 = i != 3 ? i + 2 : CARDAN_GROUND;
        def.frame1.position[1] = 0.1;
        def.length = hypot(i != 3 ? 2.0 : 3.5, 0.1);
        def.stiffness = 300.0;
        def.damping = 20.0;
        CHECK_MODEL(model, cardan_model_add_force(model, &def, NULL));
    }
}

/* Some links do not move along their own z, though they are pulled that way. */
static void add_skates(cardan_model *model)
{
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 3.0}));
    for (int body = 1; body < 12; body += 5) {
        cardan_joint_def def = cardan_joint_def_default();
        def.type = CARDAN_JOINT_SKATE;
        def.body1 = CARDAN_GROUND;
        def.body2 = body;
        def.frame2.orientation[0] = sqrt(0.5);
        def.frame2.orientation[1] = sqrt(0.5);
        CHECK_MODEL(model, cardan_model_add_joint(model, &def, NULL));
    }
}

/* Balls on a wall behind the first links, which pull them along. */
static void add_spheres(cardan_model *model)
{
    for (int i = 0; i < 4; i++) {
        cardan_body_def ball = cardan_body_def_default();
        cardan_joint_def wall = cardan_joint_def_default();
        cardan_force_def spring = cardan_force_def_default();
        ball.mass = 2.0;
        ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 0.2;
        ball.position[0] = i + 0.5;
        ball.position[2] = -1.0;
        wall.type = CARDAN_JOINT_ROLLING_SPHERE;
        wall.radius = 0.5;
        wall.body1 = CARDAN_GROUND;
        wall.frame1.position[2] = -1.5;
        CHECK_MODEL(model, cardan_model_add_body(model, &ball, &wall.body2));
        CHECK_MODEL(model, cardan_model_add_joint(model, &wall, NULL));
        spring.type = CARDAN_FORCE_SPRING;
        spring.body1 = i;
        spring.body2 = wall.body2;
        spring.stiffness = 500.0;
        spring.damping = 5.0;
        CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
    }
}

static cardan_model *make_model(const lattice_order *order, extra with)
{
    cardan_model *model = make_lattice(order);
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    if (with == SPRINGS)
        add_springs(model, order->n);
    if (with == SKATES)
        add_skates(model);
    if (with == SPHERES)
        add_spheres(model);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static cardan_integrator_def practical(const subject *from)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = from->method;
    def.step = from->step;
    def.threads = 1;
    def.newton.position = def.newton.velocity = (cardan_tolerance){1e-8, 1e-6};
    def.newton.multiplier = (cardan_tolerance){1e-6, 1e-6};
    return def;
}

static void march(cardan_integrator *it, int steps)
{
    for (int i = 0; i < steps; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
}

/* ---- work and accuracy ---- */

static double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

typedef struct distances {
    double q, v, lambda, psi; /* multipliers: of the largest */
} distances;

static double relative(int n, const double *a, const double *b)
{
    return n > 0 ? largest_difference(n, a, b) / fmax(cd_max_abs(n, b), 1e-3) : 0.0;
}

static distances compare(const cardan_integrator *it, const cardan_integrator *exact)
{
    const cardan_system *system = cardan_integrator_system(it, CARDAN_MODE_NOW);
    const cardan_state *a = cardan_integrator_state(it), *b = cardan_integrator_state(exact);
    ck_assert_double_eq(a->t, b->t);
    return (distances){
        largest_difference(cardan_group_size(cardan_system_describe(system).group), a->q, b->q),
        largest_difference(cardan_system_describe(system).dof, a->v, b->v),
        relative(cardan_system_describe(system).constraint_count, a->lambda, b->lambda),
        relative(cardan_system_describe(system).nonholonomic_count, a->psi, b->psi)};
}

/* The result is that of the tightest tolerances. What the corrector leaves in Phi comes back in the
 * multipliers of ga3 up to 17 times as large (ACB15 Sec. 4.1), and that of several steps adds up.
 */
static cardan_statistics expect_accuracy(const subject *from)
{
    cardan_model *model = make_model(&from->order, from->with);
    cardan_integrator_def def = practical(from);
    cardan_integrator *it = start_model(model, &def);
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-12, 1e-12};
    cardan_integrator *exact = start_model(model, &def);
    march(it, STEPS);
    march(exact, STEPS);
    const cardan_statistics s = cardan_integrator_statistics(it);
    const distances d = compare(it, exact);
    printf("%s, %s: %ld iterations, %ld factorizations, %ld of parts; %.1e %.1e %.1e %.1e\n",
           from->name, from->method, s.iterations, s.factorizations, s.partial_factorizations, d.q,
           d.v, d.lambda, d.psi);
    ck_assert_int_eq(cardan_integrator_statistics(exact).partial_factorizations, 0);
    ck_assert_double_le(d.q, 1e-8);
    ck_assert_double_le(d.v, 1e-6);
    ck_assert_double_le(fmax(d.lambda, d.psi), 3.0 * 17.0 * 1e-6);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(exact);
    cardan_model_destroy(model);
    return s;
}

/* Many partial factorizations, hardly any of the whole. */
START_TEST(parts_do)
{
    const cardan_statistics s = expect_accuracy(&subjects[_i]);
    ck_assert_int_ge(s.partial_factorizations, 8);
    ck_assert_int_le(s.factorizations, 2);
    ck_assert_int_le(s.iterations, 2 * STEPS);
    ck_assert_int_eq(s.matrices, s.factorizations);
    ck_assert_int_eq(s.line_searches, 0);
}
END_TEST

/* Steps of three sizes in turn: what stays of the factors has to be of the same size. */
START_TEST(steps_of_several_sizes)
{
    static const double lengths[] = {1e-3, 1e-3, 1e-3, 1e-3, 2e-3, 2e-3, 1.5e-3, 1e-3};
    const subject *from = &subjects[_i];
    cardan_model *model = make_model(&from->order, from->with);
    cardan_integrator_def def = practical(from);
    cardan_integrator *it = start_model(model, &def);
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-12, 1e-12};
    cardan_integrator *exact = start_model(model, &def);
    for (int i = 0; i < STEPS; i++) {
        const double step = lengths[i % (int)(sizeof lengths / sizeof lengths[0])];
        CHECK_STATUS(it, cardan_integrator_set_step(it, step));
        CHECK_STATUS(exact, cardan_integrator_set_step(exact, step));
        march(it, 1);
        march(exact, 1);
        if (it->newton.factors.partial && it->newton.locality.scale != 0.0)
            ck_assert_double_eq(it->newton.factors.scale, it->newton.locality.scale);
    }
    const distances d = compare(it, exact);
    ck_assert_int_ge(cardan_integrator_statistics(it).partial_factorizations, 3);
    ck_assert_double_le(d.q, 1e-8);
    ck_assert_double_le(d.v, 2e-6);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(exact);
    cardan_model_destroy(model);
}
END_TEST

/* The motion goes on along the chain, and the part grows with it. */
START_TEST(parts_grow_with_the_motion)
{
    const subject from = {"chain", CHAIN(400, SPHERICAL, 0), NOTHING, "ga3", 4e-3};
    cardan_model *model = make_model(&from.order, from.with);
    cardan_integrator_def def = practical(&from);
    cardan_integrator *it = start_model(model, &def);
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-12, 1e-12};
    cardan_integrator *exact = start_model(model, &def);
    march(it, 5);
    const double before = cd_matrix_part_share(it->matrix);
    march(it, 145);
    march(exact, 150);
    const cardan_statistics s = cardan_integrator_statistics(it);
    const distances d = compare(it, exact);
    printf(
        "%ld iterations, %ld factorizations, %ld of parts, %.3f and %.3f of them; %.1e %.1e %.1e\n",
        s.iterations, s.factorizations, s.partial_factorizations, before,
        cd_matrix_part_share(it->matrix), d.q, d.v, d.lambda);
    ck_assert_double_gt(before, 0.0);
    ck_assert_double_ge(cd_matrix_part_share(it->matrix), 1.5 * before);
    ck_assert_int_ge(s.partial_factorizations, 75);
    ck_assert_int_le(s.factorizations, 5);
    ck_assert_double_le(d.q, 1e-6);
    ck_assert_double_le(d.v, 1e-5);
    ck_assert_double_le(d.lambda, 3.0 * 17.0 * 1e-6);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(exact);
    cardan_model_destroy(model);
}
END_TEST

/* Hinges that carry moments of the whole chain out of its plane: parts must not cost more than they
 * save, let alone the run. Against the same run with parts that are never found. */
START_TEST(hinges_under_a_side_load)
{
    const lattice_order order = {
        .shape = LATTICE_CHAIN, .n = _i < 2 ? 300 : 1000, .type = CARDAN_JOINT_REVOLUTE};
    const int steps = _i < 2 ? STEPS : STEPS / 3;
    const subject from = {"side load", order, NOTHING, _i == 0 ? "ga3" : "ga2s", 2e-3};
    const cardan_integrator_def def = practical(&from);
    cardan_model *model = make_lattice(&order);
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.5}));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_integrator *it = start_model(model, &def), *whole = start_model(model, &def);
    whole->newton.locality.wait = 1 << 30;
    march(it, steps);
    march(whole, steps);
    const cardan_statistics s = cardan_integrator_statistics(it);
    const cardan_statistics z = cardan_integrator_statistics(whole);
    const distances d = compare(it, whole);
    printf("under a side load, %s: %ld iterations, %ld factorizations, %ld of parts; without %ld "
           "and %ld; "
           "%.1e %.1e %.1e\n",
           from.method, s.iterations, s.factorizations, s.partial_factorizations, z.iterations,
           z.factorizations, d.q, d.v, d.lambda);
    ck_assert_int_eq(z.partial_factorizations, 0);
    ck_assert_int_le(5 * s.iterations, 6 * z.iterations);
    ck_assert_int_le(5 * s.factorizations, 6 * z.factorizations);
    ck_assert_double_le(d.q, 1e-7);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(whole);
    cardan_model_destroy(model);
}
END_TEST

/* Redundant rows, and elements whose blocks are not added directly. */
START_TEST(others_do_without)
{
    expect_accuracy(&subjects[_i]);
}
END_TEST

/* ---- threads ---- */

START_TEST(two_threads_give_the_bits_of_one)
{
    const subject *from = &subjects[_i];
    cardan_model *model = make_model(&from->order, from->with);
    cardan_integrator_def def = practical(from);
    cardan_integrator *one = start_model(model, &def);
    def.threads = 2;
    cardan_integrator *two = start_model(model, &def);
    for (int i = 0; i < STEPS / 2; i++) {
        march(one, 1);
        march(two, 1);
        const cardan_state *a = cardan_integrator_state(one), *b = cardan_integrator_state(two);
        const cardan_system *system = cardan_model_system(model);
        const size_t q = (size_t)cardan_group_size(cardan_system_describe(system).group);
        ck_assert_mem_eq(a->q, b->q, q * sizeof(double));
        ck_assert_mem_eq(a->v, b->v, (size_t)cardan_system_describe(system).dof * sizeof(double));
        ck_assert_mem_eq(a->lambda, b->lambda,
                         (size_t)cardan_system_describe(system).constraint_count * sizeof(double));
    }
    const cardan_statistics s = cardan_integrator_statistics(one);
    const cardan_statistics z = cardan_integrator_statistics(two);
    ck_assert_int_gt(s.partial_factorizations, 2);
    ck_assert_int_eq(s.partial_factorizations, z.partial_factorizations);
    ck_assert_int_eq(s.iterations, z.iterations);
    ck_assert_int_eq(s.factorizations, z.factorizations);
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_model_destroy(model);
}
END_TEST

/* ---- checkpoints ---- */

static const subject short_chains[] = {
    {"chain", CHAIN(400, SPHERICAL, 0), NOTHING, "ga3", 1e-3},
    {"chain", CHAIN(400, SPHERICAL, 0), NOTHING, "ga2s", 1e-3},
    {"hinges in coarse steps", CHAIN(400, REVOLUTE, 0), SPRINGS, "ga2s", 4e-3},
    {"planar ladder",
     {.shape = LATTICE_LADDER, .n = 130, .type = CARDAN_JOINT_REVOLUTE, .planar = true},
     NOTHING,
     "ga3",
     4e-3},
};
enum { SHORT = sizeof short_chains / sizeof short_chains[0] };

/* Was a part made anew in the last step? */
static bool steps_with_part(cardan_integrator *it)
{
    const long before = cardan_integrator_statistics(it).partial_factorizations;
    march(it, 1);
    return cardan_integrator_statistics(it).partial_factorizations > before;
}

static cardan_integrator *make_integrator(const cardan_model *model,
                                          const cardan_integrator_def *def)
{
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    ck_assert_int_eq(cardan_integrator_create(&it, cardan_model_system(model), def, &error),
                     CARDAN_OK);
    return it;
}

static void load(cardan_integrator *it, const saved *bytes)
{
    CHECK_STATUS(it, cardan_checkpoint_load(it, bytes->bytes, bytes->size));
}

/* Both go on alike; in some of these steps a part is made anew. */
static void expect_same_steps(cardan_integrator *one, cardan_integrator *two, int steps)
{
    check_identical(one, two);
    for (int i = 0; i < steps; i++) {
        march(one, 1);
        march(two, 1);
        check_identical(one, two);
    }
}

/* Before the first part is chosen, while it is in use, right after it was made anew and in a step
 * without. */
START_TEST(checkpoints_go_on)
{
    const subject *from = &short_chains[_i];
    cardan_model *model = make_model(&from->order, from->with);
    const cardan_integrator_def def = practical(from);
    cardan_integrator *one = start_model(model, &def);
    int fresh = 0, old = 0;
    for (int i = 0; i < 30 && (fresh < 3 || old < 2); i++) {
        const bool part = steps_with_part(one);
        if ((part ? fresh++ >= 3 : old++ >= 2))
            continue;
        const saved bytes = save(one);
        const long before = cardan_integrator_statistics(one).partial_factorizations;
        cardan_integrator *ahead = make_integrator(model, &def),
                          *two = make_integrator(model, &def);
        load(ahead, &bytes);
        load(two, &bytes);
        check_identical(one, ahead);
        march(two, 1); /* whatever it was: all is loaded over it */
        load(two, &bytes);
        expect_same_steps(ahead, two, 2);
        cardan_integrator_destroy(two);
        two = make_integrator(model, &def);
        load(two, &bytes);
        for (int k = 0; k < 4; k++)
            march(two, 1);
        cardan_integrator *undisturbed = start_model(model, &def);
        march(undisturbed, i + 5);
        check_identical(undisturbed, two);
        ck_assert_int_gt(cardan_integrator_statistics(two).partial_factorizations, before);
        cardan_integrator_destroy(undisturbed);
        cardan_integrator_destroy(ahead);
        cardan_integrator_destroy(two);
        free(bytes.bytes);
    }
    ck_assert_int_ge(fresh, 3);
    ck_assert_int_ge(old, 1);
    cardan_integrator_destroy(one);
    cardan_model_destroy(model);
}
END_TEST

/* All that decides on parts, whatever it is. */
START_TEST(checkpoints_hold_what_was_learnt)
{
    const subject *from = &short_chains[0];
    cardan_model *model = make_model(&from->order, from->with);
    const cardan_integrator_def def = practical(from);
    cardan_integrator *one = start_model(model, &def), *two = make_integrator(model, &def);
    march(one, 8);
    const cd_locality other = {0.5 * one->newton.scale, 3, 4};
    if (_i == 1)
        one->newton.locality = other;
    one->newton.own_enough = 12.5;
    one->newton.factors.cost = 0.25;
    one->newton.factors.partial = _i == 1;
    const saved bytes = save(one);
    load(two, &bytes);
    const cd_locality *a = &one->newton.locality, *b = &two->newton.locality;
    ck_assert_double_eq(a->scale, b->scale);
    ck_assert_int_eq(a->wait, b->wait);
    ck_assert_int_eq(a->backoff, b->backoff);
    ck_assert_double_eq(two->newton.own_enough, 12.5);
    ck_assert_double_eq(two->newton.factors.cost, 0.25);
    ck_assert_int_eq(two->newton.factors.partial, _i == 1);
    ck_assert_double_eq(cd_matrix_part_share(one->matrix), cd_matrix_part_share(two->matrix));
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_model_destroy(model);
    free(bytes.bytes);
}
END_TEST

/* Back to the begin, in an integrator that has a part by now. */
START_TEST(back_to_the_begin)
{
    const subject *from = &short_chains[_i];
    cardan_model *model = make_model(&from->order, from->with);
    const cardan_integrator_def def = practical(from);
    cardan_integrator *one = start_model(model, &def), *two = start_model(model, &def);
    const saved bytes = save(one);
    march(one, 12);
    ck_assert_int_gt(cardan_integrator_statistics(one).partial_factorizations, 0);
    load(one, &bytes);
    expect_same_steps(one, two, 12);
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_model_destroy(model);
    free(bytes.bytes);
}
END_TEST

/* A second start, too, does what the first did. */
START_TEST(restarts_know_no_part)
{
    const subject *from = &short_chains[_i];
    cardan_model *model = make_model(&from->order, from->with);
    const cardan_system *system = cardan_model_system(model);
    const size_t size = (size_t)cardan_group_size(cardan_system_describe(system).group);
    const cardan_integrator_def def = practical(from);
    double *q = calloc(size, sizeof *q);
    double *v = calloc((size_t)cardan_system_describe(system).dof, sizeof *v);
    cardan_integrator *one = start_model(model, &def), *two = start_model(model, &def);
    march(one, 12);
    cardan_model_initial(model, q, v);
    CHECK_STATUS(one, cardan_integrator_start(one, 0.0, q, v));
    march(one, 12);
    march(two, 12);
    ck_assert_mem_eq(cardan_integrator_state(one)->q, cardan_integrator_state(two)->q,
                     size * sizeof *q);
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_model_destroy(model);
    free(q);
    free(v);
}
END_TEST

/* ---- forces that fail ---- */

typedef enum failure { GIVES_UP, ASKS_FOR_LESS, NOT_A_NUMBER, FAILURES } failure;

typedef struct trap {
    const cardan_integrator *it;
    bool in_parts, everywhere; /* fails in assemblies of parts; in all calls */
    failure how;
    long sprung;
} trap;

static int push(void *context, double t, const cardan_body_state *body1,
                const cardan_body_state *body2, double force1[3], double moment1[3],
                double force2[3], double moment2[3])
{
    trap *it = context;
    const bool open = it->in_parts && cd_matrix_part_is_open(it->it->matrix);
    (void)t, (void)moment1, (void)moment2;
    for (int i = 0; i < 3; i++) {
        force2[i] = -3.0 * (body2->velocity[i] - body1->velocity[i]);
        force1[i] = -force2[i];
    }
    if (!open && !it->everywhere)
        return 0;
    it->sprung++;
    if (it->how == NOT_A_NUMBER)
        force2[0] = NAN;
    return it->how == GIVES_UP ? -7 : it->how == ASKS_FOR_LESS ? 7 : 0;
}

static cardan_model *make_trapped(const lattice_order *order, trap *context)
{
    cardan_model *model = make_lattice(order);
    cardan_force_def def = cardan_force_def_default();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    def.type = CARDAN_FORCE_USER;
    def.body1 = CARDAN_GROUND;
    def.body2 = 1;
    def.user = push;
    def.context = context;
    CHECK_MODEL(model, cardan_model_add_force(model, &def, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* Steps until the trap springs; false: it never did. */
static bool spring(cardan_integrator *it, trap *context, cardan_status *status)
{
    context->sprung = 0;
    for (int i = 0; i < STEPS && context->sprung == 0; i++)
        *status = cardan_integrator_step(it);
    return context->sprung > 0;
}

static saved copy_state(const cardan_integrator *it)
{
    const cardan_state *now = cardan_integrator_state(it);
    const cardan_system *system = cardan_integrator_system(it, CARDAN_MODE_NOW);
    const size_t q =
        (size_t)cardan_group_size(cardan_system_describe(system).group) * sizeof(double);
    const size_t v = (size_t)cardan_system_describe(system).dof * sizeof(double);
    const size_t m = (size_t)cardan_system_describe(system).constraint_count * sizeof(double);
    saved s = {q + v + m + sizeof now->t, malloc(q + v + m + sizeof now->t)};
    memcpy(s.bytes, now->q, q);
    memcpy(s.bytes + q, now->v, v);
    memcpy(s.bytes + q + v, now->lambda, m);
    memcpy(s.bytes + q + v + m, &now->t, sizeof now->t);
    return s;
}

/* The last good state stays; once the force can be had again, so does the rest of the run. A part
 * that is not a number is declined, and the whole is made. */
START_TEST(forces_that_fail_in_parts)
{
    static const cardan_status expected[FAILURES] = {CARDAN_CALLBACK_FAILED, CARDAN_CALLBACK_RETRY,
                                                     CARDAN_OK};
    const subject *from = &short_chains[_i % 2];
    trap context = {.how = (failure)(_i / 2)}, quiet = {0};
    cardan_model *model = make_trapped(&from->order, &context);
    cardan_model *other = make_trapped(&from->order, &quiet);
    const cardan_integrator_def def = practical(from);
    cardan_integrator *it = start_model(model, &def), *undisturbed = start_model(other, &def);
    context.it = it;
    march(it, 8);
    ck_assert_int_gt(cardan_integrator_statistics(it).partial_factorizations, 0);
    for (int round = 0; round < 2; round++) {
        saved before, after;
        cardan_status status = CARDAN_OK;
        context.in_parts = true;
        before = copy_state(it);
        do {
            free(before.bytes);
            before = copy_state(it);
            context.sprung = 0;
            status = cardan_integrator_step(it);
        } while (context.sprung == 0 && cardan_integrator_state(it)->t < 0.05);
        ck_assert_int_gt(context.sprung, 0);
        ck_assert_int_eq(status, expected[context.how]);
        after = copy_state(it);
        if (status != CARDAN_OK)
            ck_assert_mem_eq(before.bytes, after.bytes, before.size);
        context.in_parts = false;
        free(before.bytes);
        free(after.bytes);
        march(it, 2);
    }
    const long steps = cardan_integrator_statistics(it).steps;
    const long parts = cardan_integrator_statistics(it).partial_factorizations;
    march(it, (int)(STEPS - steps));
    march(undisturbed, STEPS);
    ck_assert_int_gt(cardan_integrator_statistics(it).partial_factorizations, parts);
    const distances d = compare(it, undisturbed);
    ck_assert_double_le(d.q, 1e-8);
    ck_assert_double_le(d.v, 1e-6);
    ck_assert_double_le(d.lambda, 3.0 * 17.0 * 1e-6);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(undisturbed);
    cardan_model_destroy(model);
    cardan_model_destroy(other);
}
END_TEST

/* A checkpoint after a step that failed: in an assembly of a part, or anywhere. */
START_TEST(checkpoints_after_a_failure)
{
    const subject *from = &short_chains[_i % 2];
    trap context = {.how = GIVES_UP};
    cardan_model *model = make_trapped(&from->order, &context);
    const cardan_integrator_def def = practical(from);
    cardan_integrator *one = start_model(model, &def), *two = make_integrator(model, &def);
    cardan_status status = CARDAN_OK;
    context.it = one;
    march(one, 8);
    ck_assert_double_gt(cd_matrix_part_share(one->matrix), 0.0);
    context.in_parts = _i < 2;
    context.everywhere = _i >= 2;
    ck_assert(spring(one, &context, &status));
    ck_assert_int_eq(status, CARDAN_CALLBACK_FAILED);
    context.in_parts = context.everywhere = false;
    const saved bytes = save(one);
    load(two, &bytes);
    expect_same_steps(one, two, 10);
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_model_destroy(model);
    free(bytes.bytes);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("local renewal");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, parts_do, 0, SUBJECTS - WITHOUT);
    tcase_add_loop_test(all, others_do_without, SUBJECTS - WITHOUT, SUBJECTS);
    tcase_add_loop_test(all, steps_of_several_sizes, 0, 2);
    tcase_add_test(all, parts_grow_with_the_motion);
    tcase_add_loop_test(all, hinges_under_a_side_load, 0, 3);
    tcase_add_loop_test(all, two_threads_give_the_bits_of_one, 0, SUBJECTS - WITHOUT);
    tcase_add_loop_test(all, checkpoints_go_on, 0, SHORT);
    tcase_add_loop_test(all, checkpoints_hold_what_was_learnt, 0, 2);
    tcase_add_loop_test(all, back_to_the_begin, 0, SHORT);
    tcase_add_loop_test(all, restarts_know_no_part, 0, SHORT);
    tcase_add_loop_test(all, forces_that_fail_in_parts, 0, 2 * FAILURES);
    tcase_add_loop_test(all, checkpoints_after_a_failure, 0, 4);
    suite_add_tcase(suite, all);
    return suite;
}

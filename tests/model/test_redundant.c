/* Redundant constraints: found and named, left out of the system, the motion right, and the joint
 * forces the smallest ones. */
#include "lattice.h"
#include "model/redundancy/reduction.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A uniform rod from a to b, its x axis along; thickness gives inertia about the axis. */
static cardan_body_def rod(const double a[3], const double b[3], double mass, double thickness)
{
    cardan_body_def def = cardan_body_def_default();
    double x[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, square = 0.0;
    for (int i = 0; i < 3; i++) {
        def.position[i] = 0.5 * (a[i] + b[i]);
        square += x[i] * x[i];
    }
    const double length = sqrt(square);
    /* the shortest rotation of (1, 0, 0) to x / length: (1 + c, e1 x u) */
    if (x[0] > -0.999 * length) {
        def.orientation[0] = 1.0 + x[0] / length;
        def.orientation[1] = 0.0;
        def.orientation[2] = -x[2] / length;
        def.orientation[3] = x[1] / length;
    } else {
        def.orientation[0] = 0.0;
        def.orientation[3] = 1.0;
    }
    def.mass = mass;
    def.inertia[0] = mass * 2.0 * thickness * thickness / 12.0;
    def.inertia[1] = def.inertia[2] = mass * (square + thickness * thickness) / 12.0;
    return def;
}

/* Frames of a joint at a world point with world axes whose z is `axis` (a unit vector of the
 * coordinate axes), seen from the body as defined. */
static void place(const cardan_body_def *body, const double point[3], int axis, cardan_frame *frame)
{
    static const double turn[3][4] = {{0.5, 0.5, 0.5, 0.5},    /* z -> x */
                                      {0.5, -0.5, -0.5, -0.5}, /* z -> y */
                                      {1.0, 0.0, 0.0, 0.0}};
    const double *t = turn[axis];
    if (body == NULL) {
        memcpy(frame->position, point, sizeof frame->position);
        memcpy(frame->orientation, t, sizeof frame->orientation);
        return;
    }
    double n = 0.0, q[4];
    for (int i = 0; i < 4; i++)
        n += body->orientation[i] * body->orientation[i];
    for (int i = 0; i < 4; i++)
        q[i] = body->orientation[i] / sqrt(n) * (i == 0 ? 1.0 : -1.0); /* world to body */
    const double d[3] = {point[0] - body->position[0], point[1] - body->position[1],
                         point[2] - body->position[2]};
    const double c[3] = {q[2] * d[2] - q[3] * d[1] + q[0] * d[0],
                         q[3] * d[0] - q[1] * d[2] + q[0] * d[1],
                         q[1] * d[1] - q[2] * d[0] + q[0] * d[2]};
    frame->position[0] = d[0] + 2.0 * (q[2] * c[2] - q[3] * c[1]);
    frame->position[1] = d[1] + 2.0 * (q[3] * c[0] - q[1] * c[2]);
    frame->position[2] = d[2] + 2.0 * (q[1] * c[1] - q[2] * c[0]);
    frame->orientation[0] = q[0] * t[0] - q[1] * t[1] - q[2] * t[2] - q[3] * t[3];
    frame->orientation[1] = q[0] * t[1] + q[1] * t[0] + q[2] * t[3] - q[3] * t[2];
    frame->orientation[2] = q[0] * t[2] - q[1] * t[3] + q[2] * t[0] + q[3] * t[1];
    frame->orientation[3] = q[0] * t[3] + q[1] * t[2] - q[2] * t[1] + q[3] * t[0];
}

static cardan_joint_def hinge_at(cardan_joint_type type, const cardan_body_def *bodies, int body1,
                                 int body2, const double point[3], int axis)
{
    cardan_joint_def def = cardan_joint_def_default();
    def.type = type;
    def.body1 = body1;
    def.body2 = body2;
    place(body1 == CARDAN_GROUND ? NULL : &bodies[body1], point, axis, &def.frame1);
    place(body2 == CARDAN_GROUND ? NULL : &bodies[body2], point, axis, &def.frame2);
    return def;
}

static cardan_integrator *run(const cardan_model *model, double step, double end)
{
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = step;
    cardan_integrator *it = start_model(model, &settings);
    ck_assert_msg(cardan_integrator_advance(it, end) == CARDAN_OK, "%s",
                  cardan_integrator_message(it));
    return it;
}

/* ---- a four-bar in the x-y plane ---- */

enum { CRANK, COUPLER, ROCKER };
static const double corners[4][3] = {
    {0.0, 0.0, 0.0}, {0.3, 0.9, 0.0}, {1.9, 1.7, 0.0}, {2.0, 0.0, 0.0}};

static cardan_model *four_bar(const cardan_joint_type types[4], cardan_body_form form)
{
    static const int bodies[4][2] = {
        {CARDAN_GROUND, CRANK}, {CRANK, COUPLER}, {COUPLER, ROCKER}, {CARDAN_GROUND, ROCKER}};
    static const char *const names[4] = {"a", "b", "c", "d"};
    cardan_model *model = model_with_gravity((double[]){1.0, -9.81, 2.0});
    cardan_body_def rods[3];
    for (int i = 0; i < 3; i++) {
        rods[i] = rod(corners[i], corners[i + 1], 1.0 + i, 0.1);
        rods[i].form = form;
        put_body(model, rods[i]);
    }
    for (int i = 0; i < 4; i++) {
        cardan_joint_def joint =
            hinge_at(types[i], rods, bodies[i][0], bodies[i][1], corners[i], 2);
        joint.name = names[i];
        put_joint(model, joint);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static const cardan_joint_type redundant[4] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_REVOLUTE,
                                               CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_REVOLUTE};
static const cardan_joint_type minimal[4] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_SPHERICAL,
                                             CARDAN_JOINT_CYLINDRICAL, CARDAN_JOINT_REVOLUTE};

START_TEST(four_bar_is_named)
{
    cardan_model *model = four_bar(redundant, CARDAN_FORM_SPATIAL);
    const cardan_redundancy *found = cardan_model_redundancy(model);
    char text[300];
    ck_assert_int_eq(found->holonomic, 20);
    ck_assert_int_eq(found->rank, 17);
    ck_assert_int_eq(found->freedom, 1);
    ck_assert_int_eq(found->count, 3);
    ck_assert_int_eq(cardan_system_describe(cardan_model_system(model)).constraint_count, 17);
    ck_assert_int_eq(cardan_redundancy_text(model, 0, text, sizeof text), CARDAN_OK);
    ck_assert_str_eq(text, "joint `d`: displacement along z, rotation about x and y repeat `a`, "
                           "`b` and `c`");
    ck_assert_int_eq(cardan_redundancy_text(model, 1, text, sizeof text), CARDAN_UNKNOWN_NAME);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(four_bar_moves_as_minimal)
{
    const cardan_body_form forms[] = {CARDAN_FORM_SPATIAL, CARDAN_FORM_BODY, CARDAN_FORM_SE3};
    for (int f = 0; f < 3; f++) {
        cardan_model *model = four_bar(redundant, forms[f]), *least = four_bar(minimal, forms[f]);
        ck_assert_int_eq(cardan_model_redundancy(least)->count, 0);
        cardan_integrator *one = run(model, 2e-3, 2.0), *two = run(least, 2e-3, 2.0);
        const cardan_state *a = cardan_integrator_state(one), *b = cardan_integrator_state(two);
        for (int i = 0; i < 36; i++)
            ck_assert_double_eq_tol(a->q[i], b->q[i], 2e-7);
        cardan_integrator_destroy(one);
        cardan_integrator_destroy(two);
        cardan_model_destroy(model);
        cardan_model_destroy(least);
    }
}
END_TEST

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A joint's force and moment on body 2 in world axes at its point; frame 1 of joints on ground has
 * world axes. */
typedef struct world_wrench {
    double force[3], moment[3], at[3];
} world_wrench;

static world_wrench wrench_of(const cardan_model *model, const cardan_body_def *rods, int joint,
                              int body1, const double corner[3], const cardan_point *at)
{
    world_wrench out;
    double force[3], moment[3];
    cardan_body_state state = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    cardan_frame frame;
    ck_assert_int_eq(cardan_model_joint_wrench(model, joint, at, force, moment), CARDAN_OK);
    place(body1 == CARDAN_GROUND ? NULL : &rods[body1], corner, 2, &frame);
    if (body1 != CARDAN_GROUND)
        ck_assert_int_eq(cardan_model_body_state(model, body1, at, &state), CARDAN_OK);
    /* axes of frame 1 in the world: a rotation about z of both */
    const double angle = 2.0 * atan2(frame.orientation[3], frame.orientation[0]);
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        const double *row = state.rotation + 3 * i;
        out.force[i] = row[0] * (c * force[0] - s * force[1]) +
                       row[1] * (s * force[0] + c * force[1]) + row[2] * force[2];
        out.moment[i] = row[0] * (c * moment[0] - s * moment[1]) +
                        row[1] * (s * moment[0] + c * moment[1]) + row[2] * moment[2];
        out.at[i] = state.position[i] + row[0] * frame.position[0] + row[1] * frame.position[1] +
                    row[2] * frame.position[2];
    }
    return out;
}

/* Newton and Euler for every body, and no part of the three states of self-stress of the loop (a
 * force along z and moments about x and y that go round): that is the least-squares solution. */
START_TEST(four_bar_forces)
{
    static const int bodies[4][2] = {
        {CARDAN_GROUND, CRANK}, {CRANK, COUPLER}, {COUPLER, ROCKER}, {CARDAN_GROUND, ROCKER}};
    static const double gravity[3] = {1.0, -9.81, 2.0};
    cardan_model *model = four_bar(redundant, CARDAN_FORM_SPATIAL);
    cardan_body_def rods[3];
    cardan_integrator *it = run(model, 2e-3, 0.7);
    const cardan_point at = point_of_run(it);
    const double length = cardan_model_redundancy(model)->length;
    world_wrench on[4];
    for (int i = 0; i < 3; i++)
        rods[i] = rod(corners[i], corners[i + 1], 1.0 + i, 0.1);
    for (int i = 0; i < 4; i++)
        on[i] = wrench_of(model, rods, i, bodies[i][0], corners[i], &at);
    for (int b = 0; b < 3; b++) {
        double force[3], moment[3] = {0.0, 0.0, 0.0};
        cardan_body_state state;
        ck_assert_int_eq(cardan_model_body_state(model, b, &at, &state), CARDAN_OK);
        for (int i = 0; i < 3; i++)
            force[i] = rods[b].mass * (gravity[i] - at.vdot[6 * b + i]);
        moment[2] = -rods[b].inertia[2] * at.vdot[6 * b + 5];
        for (int j = 0; j < 4; j++)
            for (int side = 0; side < 2; side++) {
                const double sign = side == 1 ? 1.0 : -1.0;
                double arm[3], lever[3];
                if (bodies[j][side] != b)
                    continue;
                for (int i = 0; i < 3; i++)
                    arm[i] = on[j].at[i] - state.position[i];
                cross(arm, on[j].force, lever);
                for (int i = 0; i < 3; i++) {
                    force[i] += sign * on[j].force[i];
                    moment[i] += sign * (on[j].moment[i] + lever[i]);
                }
            }
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(force[i], 0.0, 1e-6);
            ck_assert_double_eq_tol(moment[i], 0.0, 1e-6);
        }
    }
    const double round[4] = {1.0, 1.0, 1.0, -1.0}; /* joint d acts on the rocker from the ground */
    const double self[3][6] = {{0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}};
    for (int s = 0; s < 3; s++) {
        double product = 0.0;
        for (int j = 0; j < 4; j++) {
            double lever[3];
            cross(on[j].at, self[s], lever);
            for (int i = 0; i < 3; i++) {
                product += round[j] * on[j].force[i] * self[s][i];
                product +=
                    round[j] * on[j].moment[i] * (self[s][3 + i] - lever[i]) / (length * length);
            }
        }
        ck_assert_double_eq_tol(product, 0.0, 1e-6);
    }
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* ---- a door: two hinges 1 apart on a vertical edge, its centre 0.5 away ---- */

START_TEST(door)
{
    cardan_model *model = model_with_gravity((double[]){0.0, 0.0, -10.0});
    cardan_body_def leaf = cardan_body_def_default();
    leaf.mass = 4.0;
    leaf.inertia[0] = leaf.inertia[1] = leaf.inertia[2] = 1.0;
    leaf.position[0] = 0.5;
    leaf.position[2] = 1.0;
    put_body(model, leaf);
    for (int i = 0; i < 2; i++) {
        cardan_joint_def hinge = hinge_at(CARDAN_JOINT_REVOLUTE, &leaf, CARDAN_GROUND, 0,
                                          (double[]){0.0, 0.0, 0.5 + i}, 2);
        hinge.name = i == 0 ? "hinge_a" : "hinge_b";
        put_joint(model, hinge);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    char text[300];
    const cardan_redundancy *found = cardan_model_redundancy(model);
    ck_assert_int_eq(found->count, 5);
    ck_assert_int_eq(found->freedom, 1);
    ck_assert_int_eq(cardan_redundancy_text(model, 0, text, sizeof text), CARDAN_OK);
    ck_assert_ptr_nonnull(strstr(text, "joint `hinge_b`: "));
    ck_assert_ptr_nonnull(strstr(text, "repeat `hinge_a`"));
    cardan_integrator *it = run(model, 1e-2, 0.1);
    const cardan_point at = point_of_run(it);
    /* d F + 2 M = T with F^2 + M^2 / L^2 smallest, each half the weight */
    const double L = found->length, T = 40.0 * 0.5, F = T / (1.0 + 4.0 * L * L),
                 M = 2.0 * L * L * F;
    for (int i = 0; i < 2; i++) {
        double force[3], moment[3];
        ck_assert_int_eq(cardan_model_joint_wrench(model, i, &at, force, moment), CARDAN_OK);
        ck_assert_double_eq_tol(force[2], 20.0, 1e-6);
        ck_assert_double_eq_tol(fabs(force[0]), F, 1e-6);
        ck_assert_double_eq_tol(force[0] * (i == 0 ? 1.0 : -1.0), fabs(force[0]), 1e-6);
        ck_assert_double_eq_tol(force[1], 0.0, 1e-6);
        ck_assert_double_eq_tol(fabs(moment[1]), M, 1e-6);
    }
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Hinges whose axes do not agree hold the door; it cannot turn, and nothing is inconsistent. If
 * they are too far apart as well, assembly names them. */
START_TEST(inconsistent_hinges)
{
    cardan_model *model = model_with_gravity((double[]){0.0, 0.0, -10.0});
    cardan_body_def leaf = cardan_body_def_default();
    leaf.mass = leaf.inertia[0] = leaf.inertia[1] = leaf.inertia[2] = 1.0;
    put_body(model, leaf);
    for (int i = 0; i < 2; i++) {
        cardan_joint_def hinge =
            hinge_at(CARDAN_JOINT_REVOLUTE, &leaf, CARDAN_GROUND, 0, (double[]){0.0, 0.0, i}, 2);
        hinge.name = i == 0 ? "hinge_a" : "hinge_b";
        hinge.frame1.position[2] += 0.1 * i;
        put_joint(model, hinge);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    double q[12], v[6];
    cardan_error error;
    cardan_model_initial(model, q, v);
    ck_assert_int_eq(cardan_model_assemble(model, 0.0, q, v, NULL, &error),
                     CARDAN_INCONSISTENT_START);
    ck_assert_ptr_nonnull(strstr(error.text, "`hinge_a` by 0.05 m"));
    ck_assert_ptr_nonnull(strstr(error.text, "`hinge_b` by 0.05 m"));
    ck_assert_int_eq(cardan_model_reduce(model, 0.0, q, v), CARDAN_INCONSISTENT_START);
    cardan_model_destroy(model);
}
END_TEST

/* ---- Bricard: 30 constraints of rank 29 ---- */

enum { BRICARD = 5 };

static cardan_model *bricard(bool leave_out, cardan_body_form form)
{
    static const double points[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                        {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const int axes[6] = {1, 2, 0, 1, 2, 0};
    cardan_model *model = model_with_gravity((double[]){0.0, -9.81, 0.0});
    cardan_body_def rods[BRICARD];
    for (int i = 0; i < BRICARD; i++) {
        rods[i] = rod(points[i], points[i + 1], 1.0, 0.1);
        rods[i].form = form;
        put_body(model, rods[i]);
    }
    for (int i = 0; i < 6; i++) {
        cardan_joint_def joint = hinge_at(CARDAN_JOINT_REVOLUTE, rods, i - 1,
                                          i == 5 ? CARDAN_GROUND : i, points[i], axes[i]);
        if (leave_out && i == 2) {
            joint.type = CARDAN_JOINT_GENERIC; /* a hinge that may slide */
            joint.fixed = CARDAN_TX | CARDAN_TY | CARDAN_RX | CARDAN_RY;
        }
        put_joint(model, joint);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(bricard_moves_as_minimal)
{
    cardan_model *model = bricard(false, CARDAN_FORM_SPATIAL);
    cardan_model *least = bricard(true, CARDAN_FORM_SE3);
    ck_assert_int_eq(cardan_model_redundancy(model)->rank, 29);
    ck_assert_int_eq(cardan_model_redundancy(model)->count, 1);
    ck_assert_int_eq(cardan_model_redundancy(model)->freedom, 1);
    ck_assert_int_eq(cardan_model_redundancy(least)->count, 0);
    cardan_integrator *one = run(model, 1e-3, 1.0), *two = run(least, 1e-3, 1.0);
    const cardan_point a = point_of_run(one), b = point_of_run(two);
    for (int body = 0; body < BRICARD; body++) {
        cardan_body_state x, y;
        ck_assert_int_eq(cardan_model_body_state(model, body, &a, &x), CARDAN_OK);
        ck_assert_int_eq(cardan_model_body_state(least, body, &b, &y), CARDAN_OK);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(x.position[i], y.position[i], 2e-5);
    }
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_model_destroy(model);
    cardan_model_destroy(least);
}
END_TEST

/* The whole ten seconds; the energy stays. */
START_TEST(bricard_keeps_its_energy)
{
    cardan_model *model = bricard(false, CARDAN_FORM_SPATIAL);
    cardan_integrator_def settings = cardan_integrator_def_default();
    double kinetic, potential, before = 0.0, largest = 0.0;
    settings.step = 2e-3;
    cardan_integrator *it = start_model(model, &settings);
    for (int i = 0; i <= 50; i++) {
        ck_assert_msg(cardan_integrator_advance(it, 0.2 * i) == CARDAN_OK, "%s",
                      cardan_integrator_message(it));
        ck_assert_int_eq(cardan_integrator_energy(it, &kinetic, &potential), CARDAN_OK);
        if (i == 0)
            before = kinetic + potential;
        largest = fmax(largest, fabs(kinetic + potential - before));
    }
    ck_assert_double_lt(largest, 0.05); /* of some 10 J */
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* ---- IFToMM A02 with two loops: passes configurations where the freedom jumps ---- */

/* B0 at t = 10 for N = 2: the exact solution by elliptic functions
 * (reference/iftomm_A02_nfourbar/reference_exact.csv). */
static const double exact_b0[4] = {0.3284581115408154, 0.944518538178601, 1.423051470206944,
                                   -0.494868845487043};

/* Thin, but for the inertia about the own axis, which does not matter in the plane. */
static cardan_body_def thin_rod(const double a[3], const double b[3])
{
    cardan_body_def def = rod(a, b, 1.0, 0.0);
    def.inertia[0] = 1e-3;
    return def;
}

static cardan_model *n_four_bar(int n)
{
    cardan_model *model = model_with_gravity((double[]){0.0, -9.81, 0.0});
    cardan_body_def *rods = calloc((size_t)(2 * n + 1), sizeof *rods);
    ck_assert_ptr_nonnull(rods);
    for (int i = 0; i <= n; i++) {
        rods[i] = thin_rod((double[]){i, 0, 0}, (double[]){i, 1, 0});
        rods[i].velocity[0] = 0.5;
        rods[i].angular_velocity[2] = -1.0;
        put_body(model, rods[i]);
    }
    for (int i = 0; i < n; i++) {
        rods[n + 1 + i] = thin_rod((double[]){i, 1, 0}, (double[]){i + 1, 1, 0});
        rods[n + 1 + i].velocity[0] = 1.0;
        put_body(model, rods[n + 1 + i]);
    }
    for (int i = 0; i <= n; i++)
        put_joint(model,
                  hinge_at(CARDAN_JOINT_REVOLUTE, rods, CARDAN_GROUND, i, (double[]){i, 0, 0}, 2));
    for (int i = 0; i < n; i++) {
        put_joint(model,
                  hinge_at(CARDAN_JOINT_REVOLUTE, rods, i, n + 1 + i, (double[]){i, 1, 0}, 2));
        put_joint(model, hinge_at(CARDAN_JOINT_REVOLUTE, rods, i + 1, n + 1 + i,
                                  (double[]){i + 1, 1, 0}, 2));
    }
    free(rods);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* Largest error of the place and the velocity of B0 at t = 10. */
static double n_four_bar_error(const cardan_model *model, double step)
{
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = step;
    cardan_integrator *it = start_model(model, &settings);
    ck_assert_msg(cardan_integrator_advance(it, 10.0) == CARDAN_OK, "%s",
                  cardan_integrator_message(it));
    const cardan_point at = point_of_run(it);
    cardan_body_state crank;
    double error = 0.0;
    ck_assert_int_eq(cardan_model_body_state(model, 0, &at, &crank), CARDAN_OK);
    for (int i = 0; i < 2; i++) {
        error = fmax(error, fabs(2.0 * crank.position[i] - exact_b0[i]));
        error = fmax(error, fabs(2.0 * crank.velocity[i] - exact_b0[2 + i]));
    }
    cardan_integrator_destroy(it);
    return error;
}

START_TEST(singular_configurations_are_passed)
{
    cardan_model *model = n_four_bar(2);
    ck_assert_int_eq(cardan_model_redundancy(model)->count, 6);
    ck_assert_int_eq(cardan_model_redundancy(model)->freedom, 1);
    const double coarse = n_four_bar_error(model, 2e-3), fine = n_four_bar_error(model, 1e-3);
    ck_assert_double_lt(fine, 2e-4);
    ck_assert_double_eq_tol(log2(coarse / fine), 2.0, 0.2);
    cardan_model_destroy(model);
}
END_TEST

/* ---- again, large, and friction ---- */

START_TEST(reduced_again)
{
    cardan_model *model = four_bar(redundant, CARDAN_FORM_SPATIAL);
    cardan_integrator *it = run(model, 2e-3, 0.5);
    const cardan_state *s = cardan_integrator_state(it);
    double q[36], v[18];
    const double t = s->t;
    memcpy(q, s->q, sizeof q);
    memcpy(v, s->v, sizeof v);
    cardan_integrator_destroy(it);
    CHECK_MODEL(model, cardan_model_reduce(model, t, q, v));
    ck_assert_int_eq(cardan_model_redundancy(model)->rank, 17);
    cardan_error error;
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = 2e-3;
    ck_assert_int_eq(cardan_integrator_create(&it, cardan_model_system(model), &settings, &error),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_start(it, t, q, v), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_advance(it, 1.0), CARDAN_OK);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Rods without inertia about their axis, turned so that this axis is one of the world up to
 * rounding or a little more: their redundant loop is independent all the same once it is reduced.
 */
START_TEST(thin_rods_at_any_angle)
{
    static const double turns[] = {0.0, 1e-16, 1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.1};
    for (int quarter = 0; quarter < 4; quarter++)
        for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
            const double about = 0.5 * 3.14159265358979323846 * quarter + turns[i];
            const double c = cos(about), s = sin(about);
            const double at[4][3] = {
                {0, 0, 0}, {-s, c, 0}, {2.0 * c - s, 2.0 * s + c, 0}, {2.0 * c, 2.0 * s, 0}};
            cardan_model *model = model_with_gravity((double[]){0.0, -9.81, 0.0});
            cardan_body_def rods[3];
            for (int j = 0; j < 3; j++) {
                rods[j] = rod(at[j], at[j + 1], 1.0, 0.0);
                put_body(model, rods[j]);
            }
            for (int j = 0; j < 4; j++)
                put_joint(model,
                          hinge_at(CARDAN_JOINT_REVOLUTE, rods, j == 0 ? CARDAN_GROUND : j - 1,
                                   j == 3 ? CARDAN_GROUND : j, at[j], 2));
            CHECK_MODEL(model, cardan_model_build(model));
            double q[36], v[18], zero[20] = {0.0};
            cardan_rank_report ranks;
            cardan_error error;
            cardan_model_initial(model, q, v);
            const cardan_point at_start = {0.0, q, v, zero, zero, zero};
            ck_assert_msg(cardan_rank_analyse(cardan_model_system(model), &at_start, &ranks,
                                              &error) == CARDAN_OK,
                          "%d quarters and %g: %s", quarter, turns[i], error.text);
            ck_assert_int_eq(ranks.mass_rank, 15);
            ck_assert_int_eq(ranks.constraint_rank, 17);
            ck_assert_int_eq(ranks.kernel, 1);
            ck_assert_int_eq(ranks.index, 3);
            cardan_model_destroy(model);
        }
}
END_TEST

/* Sound rows stay, and in a configuration where all rows together lose rank nothing is chosen. */
START_TEST(rows_that_stay)
{
    cardan_model *model = four_bar(redundant, CARDAN_FORM_SPATIAL);
    const cardan_system *system = cardan_model_system(model);
    double q[36], v[18];
    cardan_model_initial(model, q, v);
    ck_assert_ptr_null(cd_model_reselect(model, 0.0, q, v));
    ck_assert_ptr_eq(cardan_model_system(model), system);
    ck_assert_ptr_null(cd_model_reselect(model, 0.0, NULL, v));
    ck_assert_ptr_null(cd_model_reselect(NULL, 0.0, q, v));
    cardan_model_destroy(model);
}
END_TEST

/* Many loops: all that elimination finds fits the count by hand, 3 per loop. */
START_TEST(many_loops)
{
    enum { LOOPS = 300 };
    cardan_model *model = n_four_bar(LOOPS);
    ck_assert_int_eq(cardan_model_redundancy(model)->count, 3 * LOOPS);
    ck_assert_int_eq(cardan_model_redundancy(model)->freedom, 1);
    cardan_model_destroy(model);
}
END_TEST

/* Derivatives of a reduced model, with friction that reads multipliers. */
START_TEST(reduced_derivatives)
{
    cardan_model *model = model_with_gravity((double[]){0.0, 0.0, -10.0});
    cardan_body_def leaf = cardan_body_def_default();
    leaf.mass = leaf.inertia[0] = leaf.inertia[1] = leaf.inertia[2] = 1.0;
    leaf.position[0] = 0.5;
    put_body(model, leaf);
    for (int i = 0; i < 2; i++) {
        cardan_joint_def hinge = hinge_at(CARDAN_JOINT_REVOLUTE, &leaf, CARDAN_GROUND, 0,
                                          (double[]){0.0, 0.0, -0.5 + i}, 2);
        hinge.friction.coefficient = 0.2;
        hinge.friction.radius = 0.1;
        hinge.friction.transition = 0.1;
        hinge.friction.rounding = 0.5;
        if (i == 1) {
            hinge.type = CARDAN_JOINT_GENERIC;
            hinge.fixed = CARDAN_TX | CARDAN_TZ;
        }
        put_joint(model, hinge);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cardan_model_redundancy(model)->count, 2);
    expect_derivatives(model, 3u, "door with friction");
    cardan_model_destroy(model);
    model = four_bar(redundant, CARDAN_FORM_BODY);
    expect_derivatives(model, 4u, "four-bar");
    cardan_model_destroy(model);
}
END_TEST

/* Flat loops of hinges have three rows too many each. Those of a ladder repeat joints of their own
 * loop and no others, those of a ring all other joints; places that are a little off, as a file
 * gives them, change nothing. */
START_TEST(loops_name_their_own_joints)
{
    enum { RUNGS = 150, LINKS = 200 };
    const lattice_order ladder = {.shape = LATTICE_LADDER,
                                  .n = RUNGS,
                                  .type = CARDAN_JOINT_REVOLUTE,
                                  .shift = 1e-3,
                                  .turn = 0.01};
    cardan_model *model = make_lattice(&ladder);
    CHECK_MODEL(model, cardan_model_build(model));
    const cardan_redundancy *all = cardan_model_redundancy(model);
    ck_assert_int_eq(all->count, 3 * RUNGS);
    ck_assert_int_eq(all->freedom, 6 * 3 * RUNGS - (5 * 4 - 3) * RUNGS);
    for (int i = 0; i < all->count; i++) {
        const cardan_redundant_row *row = &all->rows[i];
        ck_assert_int_eq(row->joint % 4, 3); /* the last of its loop */
        ck_assert_int_eq(row->joint_count, 3);
        for (int j = 0; j < row->joint_count; j++)
            ck_assert_int_eq(row->joints[j], row->joint - 3 + j);
    }
    cardan_model_destroy(model);

    const lattice_order ring = {
        .shape = LATTICE_RING, .n = LINKS, .type = CARDAN_JOINT_REVOLUTE, .shift = 1e-3};
    model = make_lattice(&ring);
    CHECK_MODEL(model, cardan_model_build(model));
    all = cardan_model_redundancy(model);
    ck_assert_int_eq(all->count, 3);
    for (int i = 0; i < all->count; i++) {
        ck_assert_int_eq(all->rows[i].joint, LINKS);
        ck_assert_int_ge(all->rows[i].joint_count, LINKS - 3); /* along z: some have no lever */
    }
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("redundant");
    TCase *tcase = tcase_create("redundant");
    tcase_set_timeout(tcase, 300.0);
    tcase_add_test(tcase, four_bar_is_named);
    tcase_add_test(tcase, four_bar_moves_as_minimal);
    tcase_add_test(tcase, four_bar_forces);
    tcase_add_test(tcase, door);
    tcase_add_test(tcase, inconsistent_hinges);
    tcase_add_test(tcase, bricard_moves_as_minimal);
    tcase_add_test(tcase, bricard_keeps_its_energy);
    tcase_add_test(tcase, singular_configurations_are_passed);
    tcase_add_test(tcase, reduced_again);
    tcase_add_test(tcase, thin_rods_at_any_angle);
    tcase_add_test(tcase, rows_that_stay);
    tcase_add_test(tcase, many_loops);
    tcase_add_test(tcase, reduced_derivatives);
    tcase_add_test(tcase, loops_name_their_own_joints);
    suite_add_tcase(suite, tcase);
    return suite;
}

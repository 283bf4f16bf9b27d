/* Second derivatives of constraints (pivot_acceleration.c and the general way, constrain.c): the
 * bias and B v' + bias against differences of the constraints along the motion, for joints of all
 * forms, with ground on either side, driven and not; and accelerations that follow from them with
 * and without matrices (consistent.c). */
#include "base/numeric.h"
#include "element.h"
#include "lattice.h"
#include "matrices.h"
#include "model/equations/equations.h"
#include "models.h"
#include "suite.h"
#include "system/consistent.h"
#include "system/system.h"

#include <stdlib.h>

enum { ROWS = 6, SIZE = 24 };

static const struct {
    const char *name;
    cardan_joint_type type;
    bool in_plane; /* also between planar bodies */
    cardan_direction driven;
} joints[] = {{"spherical", CARDAN_JOINT_SPHERICAL, false, 0},
              {"revolute", CARDAN_JOINT_REVOLUTE, true, 0},
              {"universal", CARDAN_JOINT_UNIVERSAL, false, 0},
              {"fixed", CARDAN_JOINT_FIXED, false, 0},
              {"driven revolute", CARDAN_JOINT_REVOLUTE, true, CARDAN_RZ},
              {"prismatic", CARDAN_JOINT_PRISMATIC, false, 0},
              {"driven prismatic", CARDAN_JOINT_PRISMATIC, false, CARDAN_TZ},
              {"distance", CARDAN_JOINT_DISTANCE, false, 0},
              {"point on plane", CARDAN_JOINT_POINT_ON_PLANE, false, 0}};
enum { JOINTS = sizeof joints / sizeof joints[0], FORMS = 4 };

/* At the time s from `at`, along the parabola with v and `vdot` there. */
static void constraints_after(const cardan_system *system, const cardan_point *at,
                              const double *vdot, double s, double *phi)
{
    double q[SIZE], step[SIZE];
    for (int i = 0; i < system->k; i++)
        step[i] = s * (at->v[i] + 0.5 * s * vdot[i]);
    cardan_group_update(system->group, at->q, step, q);
    const cardan_point there = {at->t + s, q, at->v, at->vdot, at->lambda, at->psi};
    cd_zero(system->m, phi);
    ck_assert_int_eq(system->def.constraint(system->def.context, &there, phi), 0);
}

/* Differences of fourth order. */
static void second_derivative(const cardan_system *system, const cardan_point *at,
                              const double *vdot, double *out)
{
    static const double weight[] = {-1.0, 16.0, -30.0, 16.0, -1.0};
    const double s = 5e-3;
    double phi[ROWS];
    cd_zero(system->m, out);
    for (int i = 0; i < 5; i++) {
        constraints_after(system, at, vdot, (i - 2) * s, phi);
        cd_add(system->m, weight[i] / (12.0 * s * s), phi, out);
    }
}

static void compare(const cardan_system *system, const double *found, const double *expected,
                    const char *what)
{
    for (int i = 0; i < system->m; i++)
        ck_assert_msg(fabs(found[i] - expected[i]) <= 1e-6 * (1.0 + fabs(expected[i])),
                      "%s: row %d is %.9g, by differences %.9g", what, i, found[i], expected[i]);
}

static void check_rows(const cardan_model *model, unsigned *seed, const char *what)
{
    const cardan_system *system = cardan_model_system(model);
    const double rest[SIZE] = {0};
    model_point point = random_point(seed, model);
    double expected[ROWS], found[ROWS] = {0};
    second_derivative(system, &point.at, rest, expected);
    ck_assert_int_eq(system->def.constraint_bias(system->def.context, &point.at, found), 0);
    compare(system, found, expected, what);
    ck_assert(cd_system_accelerates(system));
    cd_zero(ROWS, found);
    second_derivative(system, &point.at, point.at.vdot, expected);
    ck_assert_int_eq(system->pieces.accelerated(system->def.context, &point.at, found), 0);
    compare(system, found, expected, what);
    free_point(&point);
}

static int add_motion(cardan_model *model)
{
    int number;
    cardan_signal_def signal = cardan_signal_def_default();
    signal.type = CARDAN_SIGNAL_HARMONIC;
    signal.amplitude = 0.4;
    signal.frequency = 0.3;
    CHECK_MODEL(model, cardan_model_add_signal(model, &signal, &number));
    return number;
}

/* Sides: 0 both bodies, 1 ground first, 2 ground second. */
static cardan_model *make_pair(int joint, int kind, int side, unsigned *seed)
{
    cardan_model *model = new_model();
    cardan_joint_def def = cardan_joint_def_default();
    def.type = joints[joint].type;
    def.length = 1.3;
    if (joints[joint].driven != 0) {
        def.direction = joints[joint].driven;
        def.motion = add_motion(model);
    }
    for (int b = 0; b < 2; b++) {
        cardan_body_def body = random_body(seed, kind);
        if (kind == KIND_PLANAR)
            random_turn_about_z(seed, body.orientation);
        if (side != b + 1)
            *(b == 0 ? &def.body1 : &def.body2) = put_body(model, body);
    }
    def.frame1 = random_frame(seed);
    def.frame2 = random_frame(seed);
    if (kind == KIND_PLANAR) {
        random_turn_about_z(seed, def.frame1.orientation);
        random_turn_about_z(seed, def.frame2.orientation);
    }
    put_joint(model, def);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(second_derivatives)
{
    const int joint = _i / FORMS,
              kind = (const int[]){KIND_SPATIAL, KIND_PLANAR, KIND_BODY, KIND_SE3}[_i % FORMS];
    unsigned seed = 7u + (unsigned)_i;
    if (kind == KIND_PLANAR && !joints[joint].in_plane)
        return;
    for (int side = 0; side < 3; side++)
        for (int trial = 0; trial < 5; trial++) {
            cardan_model *model = make_pair(joint, kind, side, &seed);
            check_rows(model, &seed, joints[joint].name);
            cardan_model_destroy(model);
        }
}
END_TEST

static void solve(const cardan_system *system, const cardan_point *at, double *out)
{
    cd_arena arena;
    cardan_error error = {0};
    double *vdot = out, *lambda = out + system->k;
    cd_arena_init(&arena, NULL);
    cd_workspace *ws = cd_workspace_create(&arena, system, &error);
    cd_consistent *consistent = cd_consistent_create(&arena, ws, system, 0, &error);
    ck_assert_ptr_nonnull(consistent);
    ck_assert_msg(cd_consistent_solve(consistent, at, vdot, lambda, NULL) == CARDAN_OK, "%s",
                  error.text);
    cd_arena_destroy(&arena);
}

/* A copy of the system that does not know the short way takes the one by matrices. */
START_TEST(accelerations_without_matrices)
{
    const lattice_order orders[] = {
        {.shape = LATTICE_CHAIN, .n = 40, .type = CARDAN_JOINT_REVOLUTE},
        {.shape = LATTICE_CHAIN, .n = 40, .type = CARDAN_JOINT_REVOLUTE, .planar = true},
        {.shape = LATTICE_RING, .n = 40, .type = CARDAN_JOINT_SPHERICAL},
        {.shape = LATTICE_TREE, .n = 31, .type = CARDAN_JOINT_SPHERICAL, .form = CARDAN_FORM_BODY},
        {.shape = LATTICE_CHAIN, .n = 20, .type = CARDAN_JOINT_REVOLUTE, .form = CARDAN_FORM_SE3}};
    unsigned seed = 3u;
    cardan_model *model = make_lattice(&orders[_i]);
    CHECK_MODEL(model, cardan_model_build(model));
    const cardan_system *system = cardan_model_system(model);
    cardan_system plain = *system;
    plain.pieces.accelerated = NULL;
    ck_assert(cd_system_accelerates(system) && !cd_system_accelerates(&plain));
    const int n = system->k + system->m;
    double *fast = calloc((size_t)n, sizeof *fast), *slow = calloc((size_t)n, sizeof *slow);
    for (int trial = 0; trial < 3; trial++) {
        model_point point = random_point(&seed, model);
        random_vector(&seed, n, fast); /* a guess; a solve is exact from anywhere */
        cd_copy(n, fast, slow);
        solve(system, &point.at, fast);
        solve(&plain, &point.at, slow);
        const double size = cd_max_abs(n, slow);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(fast[i], slow[i], 1e-8 * size);
        free_point(&point);
    }
    free(fast);
    free(slow);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("model: accelerations");
    TCase *tests = tcase_create("accelerations");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, second_derivatives, 0, FORMS * JOINTS);
    tcase_add_loop_test(tests, accelerations_without_matrices, 0, 5);
    suite_add_tcase(suite, tests);
    return suite;
}

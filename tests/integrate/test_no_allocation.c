/* Stepping allocates nothing: counted at the allocator hook, and at malloc itself, which this
 * program replaces (not under a sanitizer, which replaces it too). */
#include "base/numeric.h"
#include "beads.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem_type.h"
#include "lattice.h"
#include "matrix_inside.h"
#include "models.h"
#include "suite.h"

#include <stdatomic.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNT_MALLOC 1
#else
#define COUNT_MALLOC 0
#endif

static atomic_long mallocs;

#if COUNT_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    mallocs++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    mallocs++;
    return __libc_realloc(memory, size);
}

void free(void *memory)
{
    __libc_free(memory);
}
#endif

typedef struct tally {
    long given, taken_back;
} tally;

static void *count_allocate(size_t size, void *context)
{
    ((tally *)context)->given++;
    return malloc(size > 0 ? size : 1);
}

static void count_release(void *memory, void *context)
{
    ((tally *)context)->taken_back++;
    free(memory);
}

static const char *const problems[] = {"heavy_top",       "heavy_top_spatial", "heavy_top_se3",
                                       "heavy_top_quat",  "slider_crank",      "friction_slider",
                                       "driven_pendulum", "free_body",         "oscillator"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };
static const char *const methods[] = {"ga3", "ga2s", "rk5"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* A step, and a look into its middle. */
static cardan_status step_and_look(cardan_integrator *it)
{
    double q[16], v[16], vdot[16], lambda[16], psi[16];
    cardan_status status = cardan_integrator_step(it);
    const cardan_state *s = cardan_integrator_state(it);
    if (status == CARDAN_OK)
        status = cardan_integrator_interpolate(it, s->t - 0.5 * s->h, q, v, vdot, lambda, psi);
    return status;
}

/* Steps, shortened steps, restarts, dense output, residuals and energies. No assertions in here:
 * they allocate. */
static cardan_status drive(cardan_integrator *it, const double *q, const double *v)
{
    double a, b;
    cardan_status status = CARDAN_OK;
    for (int round = 0; status == CARDAN_OK && round < 2; round++) {
        status = cardan_integrator_start(it, 0.0, q, v);
        for (int i = 0; status == CARDAN_OK && i < 50; i++)
            status = step_and_look(it);
        if (status == CARDAN_OK)
            status = cardan_integrator_advance(it, cardan_integrator_state(it)->t + 0.0233);
        if (status == CARDAN_OK)
            status = cardan_integrator_residuals(it, &a, &b);
        if (status == CARDAN_OK)
            status = cardan_integrator_energy(it, &a, &b);
        if (status == CARDAN_OK)
            status = cardan_integrator_advance(it, cardan_integrator_state(it)->t + 0.0267);
    }
    return status;
}

static void check_stepping(const char *name, cardan_integrator_def def)
{
    tally objects = {0};
    const cardan_allocator allocator = {count_allocate, count_release, &objects};
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_system_def system_def = problem->def;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    double q[16], v[16];
    system_def.allocator = def.allocator = allocator;
    lab_problem_initial(problem, q, v);
    ck_assert_int_eq(cardan_system_create(&system, &system_def, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    ck_assert_int_gt(objects.given, 0);
    const long given = objects.given, taken_back = objects.taken_back, before = mallocs;
    const cardan_status status = drive(it, q, v);
    const long after = mallocs;
    CHECK_STATUS(it, status);
    ck_assert_int_eq(objects.given, given);
    ck_assert_int_eq(objects.taken_back, taken_back);
    ck_assert_int_eq(after - before, 0);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    ck_assert_int_eq(objects.taken_back, objects.given);
    lab_problem_destroy(problem);
}

/* After every step, in norms that need matrices of their own. */
START_TEST(projecting)
{
    const double full[36] = {3, 1, 0, 0, 0, .1, 1, 3, 0, 0, 0, 0, 0,  0, 2, 0, 0, 0,
                             0, 0, 0, 2, 0, 0,  0, 0, 0, 0, 2, 0, .1, 0, 0, 0, 0, 2};
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_projection own = cardan_projection_default();
    def.step = 1e-3;
    def.method = "ga2";
    def.projection.level = CARDAN_PROJECT_BOTH;
    def.projection.norm = CARDAN_NORM_TANGENT;
    def.projection.acceleration = true;
    own.norm = CARDAN_NORM_MATRIX;
    own.matrix = full;
    def.projection.accelerations = &own;
    check_stepping(_i == 0 ? "heavy_top" : "heavy_top_spatial", def);
}
END_TEST

START_TEST(stepping)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.method = methods[_i % METHODS];
    check_stepping(problems[_i / METHODS], def);
}
END_TEST

/* The start chooses the step; a first step that is far too long is rejected and repeated. */
START_TEST(stepping_by_the_error)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[_i % METHODS];
    def.control.adaptive = true;
    def.step = _i < METHODS * PROBLEMS ? 0.0 : 0.05;
    check_stepping(problems[_i / METHODS % PROBLEMS], def);
}
END_TEST

/* Large systems: block storage. */
START_TEST(large_systems)
{
    enum { COUNT = 60 };
    tally objects = {0};
    beads chain;
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    double q[3 * COUNT], v[3 * COUNT];
    beads_open(&chain, COUNT, true);
    cardan_system *system = beads_system(&chain);
    beads_initial(&chain, q, v);
    def.allocator = (cardan_allocator){count_allocate, count_release, &objects};
    def.step = 2e-3;
    def.method = methods[_i];
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    ck_assert(cd_matrix_has_blocks(it->matrix));
    const long given = objects.given, before = mallocs;
    cardan_status status = cardan_integrator_start(it, 0.0, q, v);
    for (int i = 0; status == CARDAN_OK && i < 50; i++)
        status = cardan_integrator_step(it);
    const long after = mallocs;
    CHECK_STATUS(it, status);
    ck_assert_int_gt(cardan_integrator_statistics(it).factorizations, 0);
    ck_assert_int_eq(objects.given, given);
    ck_assert_int_eq(after - before, 0);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    beads_close(&chain);
}
END_TEST

/* Models in block storage, with one thread and with two. */
START_TEST(models_in_blocks)
{
    tally objects = {0};
    const lattice_order order = {.shape = LATTICE_CHAIN, .n = 300, .type = CARDAN_JOINT_SPHERICAL};
    cardan_model *model = make_lattice(&order);
    cardan_integrator_def def = cardan_integrator_def_default();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    CHECK_MODEL(model, cardan_model_build(model));
    def.allocator = (cardan_allocator){count_allocate, count_release, &objects};
    def.step = 4e-3;
    def.method = methods[_i % 2];
    def.threads = 1 + _i / 2;
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-8, 1e-6};
    cardan_integrator *it = start_model(model, &def);
    const long given = objects.given, before = mallocs;
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && i < 40; i++)
        status = cardan_integrator_step(it);
    const long after = mallocs;
    CHECK_STATUS(it, status);
    ck_assert_int_eq(objects.given, given);
    ck_assert_int_eq(after - before, 0);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Failing steps allocate nothing either (a singular matrix at a start is explained with memory of
 * the system's allocator, which is given back). */
START_TEST(failing)
{
    tally objects = {0};
    const cardan_allocator allocator = {count_allocate, count_release, &objects};
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.allocator = allocator;
    def.newton.max_iterations = 2;
    def.step = 5e-3;
    def.method = methods[_i];
    cardan_integrator *it = start_problem(problem, &def);
    const long given = objects.given, before = mallocs;
    for (int i = 0; i < 10; i++)
        if (cardan_integrator_step(it) == CARDAN_OK)
            break;
    const long after = mallocs;
    ck_assert_int_gt(cardan_integrator_statistics(it).failures, 0);
    ck_assert_int_eq(objects.given, given);
    ck_assert_int_eq(after - before, 0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Impacts and switches of modes. */
START_TEST(events)
{
    static const char *const names[] = {"bouncing_pendulum", "stick_slip"};
    tally objects = {0};
    const lab_setting settings[] = {{"wall", 0.3}, {"e", 0.2}};
    lab_problem *problem = open_problem(names[_i], settings, _i == 0 ? 2 : 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.allocator = (cardan_allocator){count_allocate, count_release, &objects};
    def.step = 5e-3;
    def.energy_balance = true;
    cardan_integrator *it = start_problem(problem, &def);
    const long given = objects.given, before = mallocs;
    const cardan_status status = cardan_integrator_advance(it, 3.0);
    const long after = mallocs;
    CHECK_STATUS(it, status);
    ck_assert_int_ge(cardan_integrator_statistics(it).events, 4);
    ck_assert_int_eq(objects.given, given);
    ck_assert_int_eq(after - before, 0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

#if COUNT_MALLOC
START_TEST(the_counter_counts)
{
    const long before = mallocs;
    void *volatile memory = malloc(10);
    free(memory);
    ck_assert_int_eq(mallocs - before, 1);
}
END_TEST
#endif

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: no allocation");
    TCase *tests = tcase_create("allocation");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, projecting, 0, 2);
    tcase_add_loop_test(tests, stepping, 0, METHODS * PROBLEMS);
    tcase_add_loop_test(tests, stepping_by_the_error, 0, 2 * METHODS * PROBLEMS);
    tcase_add_loop_test(tests, large_systems, 0, 2);
    tcase_add_loop_test(tests, models_in_blocks, 0, 4);
    tcase_add_loop_test(tests, failing, 0, 2);
    tcase_add_loop_test(tests, events, 0, 2);
#if COUNT_MALLOC
    tcase_add_test(tests, the_counter_counts);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}

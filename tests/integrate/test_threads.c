/* Two integrators on one system in two threads give the bits of the serial run. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <pthread.h>

enum { STEPS = 400, MAX = 16, RUNS = 4 };

typedef struct run {
    const cardan_system *system;
    const char *method;
    double rho;
    double q0[MAX], v0[MAX];
    cardan_status status;
    double q[STEPS][MAX], lambda[STEPS][MAX];
    cardan_statistics statistics;
} run;

/* No assertions in here: check's are for the main thread. */
static void *integrate(void *argument)
{
    run *r = argument;
    const int size = cardan_group_size(cardan_system_describe(r->system).group);
    const int m = cardan_system_describe(r->system).constraint_count;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it = NULL;
    def.method = r->method;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, r->rho);
    r->status = cardan_integrator_create(&it, r->system, &def, NULL);
    if (r->status == CARDAN_OK)
        r->status = cardan_integrator_start(it, 0.0, r->q0, r->v0);
    for (int i = 0; r->status == CARDAN_OK && i < STEPS; i++) {
        r->status = cardan_integrator_step(it);
        cd_copy(size, cardan_integrator_state(it)->q, r->q[i]);
        cd_copy(m, cardan_integrator_state(it)->lambda, r->lambda[i]);
    }
    if (it != NULL)
        r->statistics = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    return NULL;
}

static run serial[RUNS], parallel[RUNS];

static void prepare(run *r, const lab_problem *problem, int i)
{
    memset(r, 0, sizeof *r);
    r->system = lab_problem_system(problem);
    r->method = i % 2 == 0 ? "ga3" : "ga2s";
    r->rho = i < 2 ? 0.9 : 0.6;
    lab_problem_initial(problem, r->q0, r->v0);
}

static const char *const problems[] = {"heavy_top",    "heavy_top_spatial", "heavy_top_quat",
                                       "slider_crank", "friction_slider",   "driven_pendulum"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

START_TEST(same_bits)
{
    lab_problem *problem = open_problem(problems[_i], NULL, 0);
    pthread_t threads[RUNS];
    for (int i = 0; i < RUNS; i++) {
        prepare(&serial[i], problem, i);
        prepare(&parallel[i], problem, i);
        integrate(&serial[i]);
        ck_assert_int_eq(serial[i].status, CARDAN_OK);
    }
    for (int i = 0; i < RUNS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, integrate, &parallel[i]), 0);
    for (int i = 0; i < RUNS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < RUNS; i++) {
        ck_assert_int_eq(parallel[i].status, CARDAN_OK);
        ck_assert_mem_eq(serial[i].q, parallel[i].q, sizeof serial[i].q);
        ck_assert_mem_eq(serial[i].lambda, parallel[i].lambda, sizeof serial[i].lambda);
        ck_assert_mem_eq(&serial[i].statistics, &parallel[i].statistics,
                         sizeof serial[i].statistics);
    }
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: threads");
    TCase *tests = tcase_create("threads");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, same_bits, 0, PROBLEMS);
    suite_add_tcase(suite, tests);
    return suite;
}

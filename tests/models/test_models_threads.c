/* Every shipped model and every built-in problem with every method, in equal steps and in steps by
 * the error: 2 and 4 threads give the bits of one. States, multipliers, outputs, sentences and the
 * whole checkpoint at the end are compared. */
#include "cli/setup/case.h"
#include "lattice.h"
#include "model_run.h"
#include "models.h"
#include "paths.h"
#include "suite.h"

#include <cardan/checkpoint.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, MOST_MODELS = 100, NAME = 64 };

static char models[MOST_MODELS][NAME];
static int model_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_models(void)
{
    DIR *folder = opendir(CARDAN_MODELS);
    for (struct dirent *next; folder != NULL && (next = readdir(folder)) != NULL;) {
        const size_t length = strlen(next->d_name);
        if (length > 5 && strcmp(next->d_name + length - 5, ".yaml") == 0 &&
            model_count < MOST_MODELS)
            snprintf(models[model_count++], NAME, "%.*s", (int)(length - 5), next->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    qsort(models, (size_t)model_count, NAME, by_name);
}

/* All that a run has come to, in the order in which it was seen. */
typedef struct record {
    unsigned char *bytes;
    size_t used, room;
    long steps;
} record;

static void put(record *to, const void *data, size_t size)
{
    if (to->used + size > to->room) {
        to->room = 2 * (to->used + size);
        to->bytes = realloc(to->bytes, to->room);
        ck_assert_ptr_nonnull(to->bytes);
    }
    if (size > 0)
        memcpy(to->bytes + to->used, data, size);
    to->used += size;
}

static void put_numbers(record *to, int n, const double *x)
{
    put(to, x, (size_t)n * sizeof *x);
}

static void put_state(record *to, cli_case *problem, const cardan_integrator *it)
{
    const cardan_system *system = cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW);
    const cardan_state *now = cardan_integrator_state(it);
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    const int outputs = cli_case_outputs(problem);
    const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    double *values = calloc((size_t)outputs, sizeof *values);
    put_numbers(to, 1, &now->t);
    put_numbers(to, 1, &now->h);
    put_numbers(to, cardan_group_size(cardan_system_describe(system).group), now->q);
    put_numbers(to, k, now->v);
    put_numbers(to, k, now->vdot);
    put_numbers(to, k, now->a);
    put_numbers(to, m, now->lambda);
    put_numbers(to, cardan_system_describe(system).nonholonomic_count, now->psi);
    put_numbers(to, m, now->eta);
    cli_case_output(problem, &at, values);
    put_numbers(to, outputs, values);
    free(values);
}

static void put_checkpoint(record *to, cardan_integrator *it)
{
    const size_t size = cardan_checkpoint_size(it);
    unsigned char *bytes = calloc(1, size);
    if (cardan_checkpoint_save(it, bytes, size) == CARDAN_OK)
        put(to, bytes, size);
    free(bytes);
}

static cardan_status go(record *to, cli_case *problem, cardan_integrator *it)
{
    double *q = calloc(
        (size_t)cardan_group_size(
            cardan_system_describe(cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW)).group),
        sizeof *q);
    double *v = calloc(
        (size_t)cardan_system_describe(cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW)).dof,
        sizeof *v);
    cli_case_initial(problem, q, v);
    cardan_status status = cardan_integrator_start(it, cli_case_begin(problem), q, v);
    for (int i = 0; i < STEPS && (status == CARDAN_OK || status == CARDAN_EVENT); i++) {
        put_state(to, problem, it);
        status = cardan_integrator_step(it);
    }
    put_state(to, problem, it);
    free(q);
    free(v);
    return status;
}

/* Methods that are not for this system refuse it with the same sentence for any number of threads.
 */
static record run(cli_case *problem, const cardan_integrator_def *def, int threads)
{
    record out = {0};
    cardan_integrator_def own = *def;
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    own.threads = threads;
    own.events = cli_case_events(problem);
    cardan_status status = cardan_integrator_create(&it, cli_case_system(problem), &own, &error);
    if (it != NULL) {
        ck_assert_int_eq(cardan_integrator_statistics(it).threads, threads);
        status = go(&out, problem, it);
        put_checkpoint(&out, it);
        out.steps = cardan_integrator_statistics(it).steps;
    }
    const char *text = it != NULL ? cardan_integrator_message(it) : error.text;
    put(&out, text, strlen(text));
    put(&out, &status, sizeof status);
    cardan_integrator_destroy(it);
    return out;
}

/* Returns how many steps were made. */
static long expect_same(cli_case *problem, const cardan_integrator_def *def, const char *name)
{
    record one = run(problem, def, 1);
    for (int threads = 2; threads <= 4; threads += 2) {
        record many = run(problem, def, threads);
        ck_assert_msg(one.used == many.used && memcmp(one.bytes, many.bytes, one.used) == 0,
                      "%s, %s, step %g: %d threads give other results than one", name, def->method,
                      def->step, threads);
        free(many.bytes);
    }
    free(one.bytes);
    return one.steps;
}

static void expect_same_of_all(cli_case *problem, const cardan_integrator_def *from,
                               const char *name)
{
    int methods = 0;
    for (int i = 0; i < 2 * cardan_method_count(); i++) {
        cardan_integrator_def def = *from;
        def.method = cardan_method_describe(i / 2).name;
        def.step = i % 2 == 0 ? cli_case_step(problem) : 0.0;
        if (!cardan_method_describe(i / 2).uses_params)
            def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8);
        methods += expect_same(problem, &def, name) > 0;
    }
    ck_assert_msg(methods > 1, "%s: %d methods have made steps", name, methods);
}

START_TEST(shipped_models)
{
    model_run *model = open_model_run(models[_i], NULL, 1e-3);
    cardan_integrator_def def = cardan_integrator_def_default();
    ck_assert_int_eq(cardan_run_settings_apply(cardan_model_file_settings(model->file), &def, NULL),
                     CARDAN_OK);
    expect_same_of_all(model->problem, &def, models[_i]);
    close_model_run(model);
}
END_TEST

START_TEST(built_in_problems)
{
    cli_case *problem = NULL;
    const cardan_integrator_def def = cardan_integrator_def_default();
    const char *name = lab_problem_name(_i);
    ck_assert_int_eq(cli_case_of_problem(&problem, name, NULL, 0, NULL), CARDAN_OK);
    expect_same_of_all(problem, &def, name);
    cli_case_destroy(problem);
}
END_TEST

/* Chains on both sides of the sizes from which models are cut into 2, 3, ... pieces. */
START_TEST(chains)
{
    const lattice_order order = {.shape = LATTICE_CHAIN, .n = _i, .type = CARDAN_JOINT_REVOLUTE};
    const cardan_integrator_def def = cardan_integrator_def_default();
    cardan_model *model = make_lattice(&order);
    cli_case *problem = NULL;
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cli_case_of_model(&problem, model, NULL, 0.0, 1.0, 1e-3, NULL), CARDAN_OK);
    expect_same_of_all(problem, &def, "chain");
    cli_case_destroy(problem);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("models: threads");
    TCase *all = tcase_create("all");
    list_models();
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, shipped_models, 0, model_count);
    tcase_add_loop_test(all, built_in_problems, 0, lab_problem_count());
    tcase_add_loop_test(all, chains, 1, 20);
    suite_add_tcase(suite, all);
    return suite;
}

/* Memory that runs out anywhere in the library, also where no allocator can be given: the linker
 * puts functions between the library and the C library that fail at the n-th request, or from the
 * n-th on, for every n (CMakeLists.txt). A status says so, and nothing crashes or hangs; the
 * sanitizer looks for leaks. */
#include "cli/setup/case.h"
#include "lab/analysis/decomposition.h"
#include "lab/analysis/projection_verdict.h"
#include "model/redundancy/reduction.h"
#include "paths.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <cardan/evaluator.h>
#include <cardan/model_check.h>
#include <cardan/model_file.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static long requests, fail_at; /* 0: never */
static bool for_good;          /* and all after it */

static bool is_refused(void)
{
    requests++;
    return fail_at > 0 && (requests == fail_at || (for_good && requests > fail_at));
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return is_refused() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

/* ---- what is done ---- */

enum { MOST = 512 };

/* The first failure of several calls, with its sentence. */
typedef struct outcome {
    cardan_status status;
    cardan_error error;
} outcome;

static bool keep(outcome *out, cardan_status status)
{
    if (out->status == CARDAN_OK)
        out->status = status;
    return status == CARDAN_OK;
}

static bool keep_said(outcome *out, cardan_status status, const char *text)
{
    if (status != CARDAN_OK && out->status == CARDAN_OK)
        snprintf(out->error.text, sizeof out->error.text, "%s", text);
    return keep(out, status);
}

static void run(outcome *out, cli_case *problem, const cardan_integrator_def *def)
{
    cardan_integrator *it = NULL;
    double q[MOST], v[MOST], values[MOST];
    if (!keep(out, cardan_integrator_create(&it, cli_case_system(problem), def, &out->error)))
        return;
    const cardan_state *now = cardan_integrator_state(it);
    cli_case_initial(problem, q, v);
    cardan_status status = cardan_integrator_start(it, cli_case_begin(problem), q, v);
    for (int i = 0; i < 3 && status == CARDAN_OK; i++)
        status = cardan_integrator_step(it);
    keep_said(out, status, cardan_integrator_message(it));
    const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    if (status == CARDAN_OK)
        cli_case_output(problem, &at, values);
    for (int i = 0; status == CARDAN_OK && i < cli_case_outputs(problem); i++)
        if (isnan(values[i])) /* so is told that there was no memory for it */
            keep(out, CARDAN_OUT_OF_MEMORY);
    for (int i = 0; i < cli_case_outputs(problem); i++)
        cli_case_output_name(problem, i);
    cardan_integrator_destroy(it);
}

/* A failure of an analysis for a reason of its own is not meant. */
static void note(outcome *out, cardan_status status)
{
    if (status == CARDAN_OUT_OF_MEMORY)
        keep(out, status);
}

static void analyse(outcome *out, cli_case *problem)
{
    const cardan_system *system = cli_case_system(problem);
    const cardan_projection how = cardan_projection_default();
    double q[MOST], v[MOST], zero[MOST] = {0.0}, kinetic, potential;
    cardan_modes *modes = NULL;
    lab_decomposition *factors = NULL;
    cardan_evaluator *evaluator = NULL;
    cardan_rank_report rank;
    cardan_residuals residual;
    lab_projection_verdict verdict;
    cli_case_initial(problem, q, v);
    const cardan_point at = {cli_case_begin(problem), q, v, zero, zero, zero};
    note(out, cardan_modes_create(&modes, system, &at, NULL, &out->error));
    note(out, lab_decomposition_create(&factors, system, &at, &out->error));
    note(out, cardan_rank_analyse(system, &at, &rank, &out->error));
    note(out, cardan_system_residuals(system, &at, &residual, &out->error));
    note(out, lab_projection_judge(system, &how, &at, &verdict, &out->error));
    note(out, cardan_system_check(system, &at, 0.0, &out->error));
    note(out, cardan_system_energy(system, &at, &kinetic, &potential, &out->error));
    note(out, cardan_evaluator_create(&evaluator, system, NULL, &out->error));
    note(out, cardan_projection_apply(system, &how, at.t, q, v, NULL, &out->error));
    note(out,
         cardan_equilibrium_find(system, at.t, q, zero, zero + MOST / 2, NULL, NULL, &out->error));
    cardan_modes_destroy(modes);
    lab_decomposition_destroy(factors);
    cardan_evaluator_destroy(evaluator);
}

static void use_model(outcome *out, cardan_model_file *file, bool analyses)
{
    cardan_model *model = cardan_model_file_model(file);
    cardan_outputs *sensors = NULL;
    cli_case *problem = NULL;
    cardan_model_report *report = NULL;
    cardan_assembly *assembly = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    double q[MOST], v[MOST];
    char text[200];
    if (!keep_said(out, cardan_model_build(model), cardan_model_message(model)))
        return;
    cardan_model_initial(model, q, v);
    note(out, cardan_model_check(model, 0.0, &report, &out->error));
    note(out, cardan_model_assemble(model, 0.0, q, v, &assembly, &out->error));
    if (out->status == CARDAN_OK)
        keep_said(out, cardan_model_reduce(model, 0.0, q, v), cardan_model_message(model));
    note(out, cardan_redundancy_text(model, 0, text, sizeof text));
    keep(out, cardan_model_file_outputs(file, CARDAN_OUTPUTS_ALL, &sensors, &out->error));
    keep(out, cardan_run_settings_apply(cardan_model_file_settings(file), &def, &out->error));
    if (out->status != CARDAN_OK)
        cardan_outputs_destroy(sensors);
    else
        keep(out, cli_case_of_model(&problem, model, sensors, 0.0, 1.0, 1e-3, &out->error));
    def.reselect = cd_model_reselect;
    def.redundancy_context = model;
    def.threads = 2;
    if (out->status == CARDAN_OK && analyses)
        analyse(out, problem);
    else if (out->status == CARDAN_OK)
        run(out, problem, &def);
    cli_case_destroy(problem);
    cardan_assembly_destroy(assembly);
    cardan_model_report_destroy(report);
}

static void do_model(outcome *out, int which)
{
    static const char *const names[] = {"four_bar_3d", "bicycle", "suspension", "robot"};
    cardan_model_file *file = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", CARDAN_MODELS, names[which / 2]);
    if (keep(out, cardan_model_file_read(&file, path, NULL, 0, &out->error)))
        use_model(out, file, which % 2 == 1);
    cardan_model_file_destroy(file);
}

/* Events, impacts and modes are in some of them. */
static void do_problem(outcome *out, int which)
{
    cli_case *problem = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    if (!keep(out, cli_case_of_problem(&problem, lab_problem_name(which), NULL, 0, &out->error)))
        return;
    def.events = cli_case_events(problem);
    def.method = cardan_system_describe(cli_case_system(problem)).nonholonomic_count > 0
                     ? "nonholonomic"
                     : "ga2s";
    def.threads = 2;
    def.energy_balance = true;
    run(out, problem, &def);
    cli_case_destroy(problem);
}

/* ---- for every request ---- */

static void fail_everywhere(void (*act)(outcome *, int), int which)
{
    outcome whole = {0};
    requests = fail_at = 0;
    act(&whole, which);
    const long all = requests;
    ck_assert_msg(whole.status == CARDAN_OK, "%s", whole.error.text);
    for (long n = 1; n <= all; n += n < 400 ? 1 : 1 + all / 150)
        for (int good = 0; good < 2; good++) {
            outcome out = {0};
            requests = 0;
            fail_at = n;
            for_good = good == 1;
            act(&out, which);
            fail_at = 0;
            ck_assert_msg(out.status == CARDAN_OUT_OF_MEMORY ||
                              (out.status == CARDAN_OK && !for_good),
                          "request %ld of %ld%s: %s: %s", n, all, for_good ? " and later" : "",
                          cardan_status_name(out.status), out.error.text);
        }
}

START_TEST(models)
{
    fail_everywhere(do_model, _i);
}
END_TEST

START_TEST(problems)
{
    fail_everywhere(do_problem, _i);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("library: no memory");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, models, 0, 8);
    tcase_add_loop_test(all, problems, 0, lab_problem_count());
    suite_add_tcase(suite, all);
    return suite;
}

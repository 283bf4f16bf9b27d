/* See machines.h. */
#include "machines.h"

#include "experiment.h"
#include "model/redundancy/reduction.h"
#include "models.h"
#include "paths.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 5 };

/* Bodies of these files are b0, b1, ... */
static int count_bodies(const char *path)
{
    cardan_model_file *file = NULL;
    cardan_error error;
    const cardan_status status = cardan_model_file_read(&file, path, NULL, 0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    const int count = cardan_model_describe(cardan_model_file_model(file)).body_count;
    cardan_model_file_destroy(file);
    ck_assert_int_le(count, BODIES);
    return count;
}

static shipped read_in_form(const char *path, const char *form)
{
    cardan_file_override overrides[BODIES];
    char paths[BODIES][32];
    cardan_error error;
    shipped run = {0};
    const int count = count_bodies(path);
    for (int i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "bodies.b%d.form", i);
        overrides[i] = (cardan_file_override){paths[i], form};
    }
    const cardan_status status = cardan_model_file_read(&run.file, path, overrides, count, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    run.model = cardan_model_file_model(run.file);
    CHECK_MODEL(run.model, cardan_model_build(run.model));
    return run;
}

/* From initial values that fit the joints. */
static void start_assembled(shipped *run, const cardan_integrator_def *def)
{
    const cardan_system *system = cardan_model_system(run->model);
    double *q = calloc((size_t)cardan_group_size(cardan_system_describe(system).group), sizeof *q);
    double *v = calloc((size_t)cardan_system_describe(system).dof, sizeof *v);
    cardan_error error;
    cardan_model_initial(run->model, q, v);
    CHECK_MODEL(run->model, cardan_model_assemble(run->model, 0.0, q, v, NULL, NULL));
    const cardan_status status = cardan_integrator_create(&run->it, system, def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    CHECK_STATUS(run->it, cardan_integrator_start(run->it, 0.0, q, v));
    free(q);
    free(v);
}

shipped machine_start(const char *name, const machine_way *how)
{
    char path[512];
    cardan_integrator_def def = cardan_integrator_def_default();
    snprintf(path, sizeof path, "%s/machines/%s.yaml", CARDAN_TEST_DATA, name);
    shipped run = read_in_form(path, how->form);
    def.method = how->method;
    def.health = how->health;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){how->atol, how->rtol};
    def.reselect = cd_model_reselect;
    def.redundancy_context = run.model;
    start_assembled(&run, &def);
    return run;
}

double machine_end(const shipped *run)
{
    return cardan_model_file_settings(run->file)->end;
}

/* Shipped models by the reader of model files. */
#include "shipped.h"

#include "experiment.h"
#include "models.h"
#include "paths.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SETTINGS = 16, TEXT = 128 };

/* Splits "path=value" texts into overrides. */
static int split(const char *const *settings, char texts[][TEXT], cardan_file_override *overrides)
{
    int count = 0;
    for (; settings != NULL && settings[count] != NULL; count++) {
        ck_assert_int_lt(count, SETTINGS);
        snprintf(texts[count], TEXT, "%s", settings[count]);
        char *equals = strchr(texts[count], '=');
        ck_assert_ptr_nonnull(equals);
        *equals = '\0';
        overrides[count] = (cardan_file_override){texts[count], equals + 1};
    }
    return count;
}

shipped shipped_open(const char *name, const char *const *settings)
{
    char path[512], texts[SETTINGS][TEXT];
    cardan_file_override overrides[SETTINGS];
    const int count = split(settings, texts, overrides);
    cardan_error error;
    shipped run = {0};
    snprintf(path, sizeof path, "%s/%s.yaml", CARDAN_MODELS, name);
    const cardan_status status = cardan_model_file_read(&run.file, path, overrides, count, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(cardan_model_file_describe(run.file).message_count, 0);
    run.model = cardan_model_file_model(run.file);
    return run;
}

void shipped_start(shipped *run, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error;
    const cardan_status status =
        cardan_run_settings_apply(cardan_model_file_settings(run->file), &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    if (step > 0.0)
        def.step = step;
    CHECK_MODEL(run->model, cardan_model_build(run->model));
    run->it = start_model(run->model, &def);
}

shipped shipped_begin(const char *name, const char *const *settings, double step)
{
    shipped run = shipped_open(name, settings);
    shipped_start(&run, step);
    return run;
}

void shipped_advance(shipped *run, double t)
{
    CHECK_STATUS(run->it, cardan_integrator_advance(run->it, t));
}

void shipped_close(shipped *run)
{
    cardan_integrator_destroy(run->it);
    cardan_model_file_destroy(run->file);
}

cardan_point shipped_point(const shipped *run)
{
    const cardan_state *now = cardan_integrator_state(run->it);
    return (cardan_point){now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
}

cardan_body_state shipped_body(const shipped *run, const char *body)
{
    const cardan_point at = shipped_point(run);
    cardan_body_state state;
    int number;
    CHECK_MODEL(run->model, cardan_model_find(run->model, CARDAN_ELEMENT_BODY, body, &number));
    ck_assert_int_eq(cardan_model_body_state(run->model, number, &at, &state), CARDAN_OK);
    return state;
}

void shipped_joint(const shipped *run, const char *joint, int direction, double *place,
                   double *rate)
{
    const cardan_point at = shipped_point(run);
    double places[6], rates[6];
    int number;
    CHECK_MODEL(run->model, cardan_model_find(run->model, CARDAN_ELEMENT_JOINT, joint, &number));
    ck_assert_int_eq(cardan_model_joint_state(run->model, number, &at, places, rates), CARDAN_OK);
    *place = places[direction];
    *rate = rates[direction];
}

void shipped_wrench(const shipped *run, const char *joint, double force[3], double moment[3])
{
    const cardan_point at = shipped_point(run);
    int number;
    CHECK_MODEL(run->model, cardan_model_find(run->model, CARDAN_ELEMENT_JOINT, joint, &number));
    ck_assert_int_eq(cardan_model_joint_wrench(run->model, number, &at, force, moment), CARDAN_OK);
}

double shipped_energy(const shipped *run)
{
    double kinetic, potential;
    ck_assert_int_eq(cardan_integrator_energy(run->it, &kinetic, &potential), CARDAN_OK);
    return kinetic + potential;
}

static double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

double shipped_difference(const shipped *a, const shipped *b)
{
    double largest = 0.0;
    ck_assert_int_eq(cardan_model_describe(a->model).body_count,
                     cardan_model_describe(b->model).body_count);
    for (int i = 0; i < cardan_model_describe(a->model).body_count; i++) {
        const char *name = cardan_model_name(a->model, CARDAN_ELEMENT_BODY, i);
        const cardan_body_state x = shipped_body(a, name), y = shipped_body(b, name);
        largest = fmax(largest, largest_difference(3, x.position, y.position));
        largest = fmax(largest, largest_difference(9, x.rotation, y.rotation));
        largest = fmax(largest, largest_difference(3, x.velocity, y.velocity));
        largest = fmax(largest, largest_difference(3, x.angular_velocity, y.angular_velocity));
    }
    return largest;
}

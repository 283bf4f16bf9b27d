/* See model_run.h. */
#include "model_run.h"

#include "lab/problems/problem.h"
#include "paths.h"
#include "suite.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "cannot open %s", path);
    fseek(in, 0, SEEK_END);
    const long size = ftell(in);
    rewind(in);
    char *text = calloc(1, (size_t)size + 1);
    ck_assert(fread(text, 1, (size_t)size, in) == (size_t)size);
    fclose(in);
    return text;
}

static char *replace_all(const char *text, const char *old, const char *fresh)
{
    size_t count = 0;
    for (const char *at = strstr(text, old); at != NULL; at = strstr(at + strlen(old), old))
        count++;
    ck_assert_msg(count > 0, "there is no `%s` in the model", old);
    char *made = calloc(1, strlen(text) + count * strlen(fresh) + 1), *out = made;
    for (const char *at = strstr(text, old); at != NULL; at = strstr(text, old)) {
        memcpy(out, text, (size_t)(at - text));
        out += at - text;
        memcpy(out, fresh, strlen(fresh));
        out += strlen(fresh);
        text = at + strlen(old);
    }
    memcpy(out, text, strlen(text));
    return made;
}

static void start(model_run *run)
{
    cardan_model *model = cardan_model_file_model(run->file);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error = {0};
    cardan_status status =
        cardan_run_settings_apply(cardan_model_file_settings(run->file), &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    def.step = run->step;
    const cardan_system *system = cardan_model_system(model);
    double *q = calloc((size_t)cardan_group_size(cardan_system_describe(system).group), sizeof *q);
    double *v = calloc((size_t)cardan_system_describe(system).dof, sizeof *v);
    cardan_model_initial(model, q, v);
    status = cardan_model_assemble(model, 0.0, q, v, NULL, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    status = cardan_integrator_create(&run->it, system, &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    status = cardan_integrator_start(run->it, 0.0, q, v);
    ck_assert_msg(status == CARDAN_OK, "%s", cardan_integrator_message(run->it));
    free(q);
    free(v);
}

static model_run *start_text(const char *text, const char *name, double step)
{
    model_run *run = calloc(1, sizeof *run);
    cardan_error error = {0};
    run->step = step;
    cardan_status status =
        cardan_model_file_parse(&run->file, text, strlen(text), name, NULL, 0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_model *model = cardan_model_file_model(run->file);
    status = cardan_model_build(model);
    ck_assert_msg(status == CARDAN_OK, "%s: %s", name, cardan_model_message(model));
    cardan_outputs *outputs;
    status = cardan_model_file_outputs(run->file, CARDAN_OUTPUTS_ALL, &outputs, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    status = cli_case_of_model(&run->problem, model, outputs, 0.0, 1.0, step, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    run->values = calloc((size_t)cli_case_outputs(run->problem), sizeof(double));
    start(run);
    return run;
}

model_run *open_model_run(const char *name, const char *const *changes, double step)
{
    char path[512];
    snprintf(path, sizeof path, CARDAN_MODELS "/%s.yaml", name);
    char *text = read_text(path);
    for (; changes != NULL && changes[0] != NULL; changes += 2) {
        char *changed = replace_all(text, changes[0], changes[1]);
        free(text);
        text = changed;
    }
    model_run *run = start_text(text, name, step);
    free(text);
    return run;
}

void close_model_run(model_run *run)
{
    cardan_integrator_destroy(run->it);
    cli_case_destroy(run->problem);
    cardan_model_file_destroy(run->file);
    free(run->values);
    free(run);
}

/* Sensors count turns: they see every step. */
void advance_model_run(model_run *run, double t)
{
    cardan_status status = CARDAN_OK;
    const cardan_state *now = cardan_integrator_state(run->it);
    while (status == CARDAN_OK && now->t < t) {
        status = cardan_integrator_step_towards(run->it, t);
        ck_assert_msg(status == CARDAN_OK, "%s", cardan_integrator_message(run->it));
        const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
        cli_case_follow(run->problem, &at);
    }
    const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    cli_case_output(run->problem, &at, run->values);
}

static double find(cli_case *problem, const double *values, const char *name)
{
    for (int i = 0; i < cli_case_outputs(problem); i++)
        if (strcmp(cli_case_output_name(problem, i), name) == 0)
            return values[i];
    ck_abort_msg("there is no output %s", name);
    return NAN;
}

double output_of(const model_run *run, const char *name)
{
    return find(run->problem, run->values, name);
}

void joint_force_of(const model_run *run, const char *joint, double angle, double force[2])
{
    char name[64];
    snprintf(name, sizeof name, "%s.fx", joint);
    const double x = output_of(run, name);
    snprintf(name, sizeof name, "%s.fy", joint);
    const double y = output_of(run, name);
    force[0] = cos(angle) * x - sin(angle) * y;
    force[1] = sin(angle) * x + cos(angle) * y;
}

enum { MOST = 64 };

exact_run open_exact(const char *name, double t)
{
    exact_run exact = {0};
    cardan_error error = {0};
    double q[MOST], v[MOST], vdot[MOST], lambda[MOST], psi[MOST];
    cardan_status status = cli_case_of_problem(&exact.problem, name, NULL, 0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    exact.values = calloc((size_t)cli_case_outputs(exact.problem), sizeof(double));
    status = cli_case_reference(exact.problem, t, q, v, vdot, lambda, psi, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cli_case_output(exact.problem, &(cardan_point){t, q, v, vdot, lambda, psi}, exact.values);
    return exact;
}

void close_exact(exact_run *exact)
{
    cli_case_destroy(exact->problem);
    free(exact->values);
}

double exact_of(const exact_run *exact, const char *name)
{
    return find(exact->problem, exact->values, name);
}

void expect_order_two(const char *what, int count, const double *coarse, const double *fine,
                      const double *exact, double floor)
{
    for (int i = 0; i < count; i++) {
        const double large = coarse[i] - exact[i], small = fine[i] - exact[i];
        const double left = (4.0 * fine[i] - coarse[i]) / 3.0 - exact[i];
        if (fabs(small) < floor) {
            ck_assert_msg(fabs(large) < 10.0 * floor, "%s %d: error %g", what, i, large);
            continue;
        }
        ck_assert_msg(fabs(large / small - 4.0) < 0.1, "%s %d: errors %g, %g", what, i, large,
                      small);
        ck_assert_msg(fabs(left) < 0.03 * fabs(small), "%s %d: %g left of %g", what, i, left,
                      small);
    }
}

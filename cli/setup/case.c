/* Cases: a built-in problem, or a model with its assembled initial values and its outputs. */
#include "case.h"
#include "lab/problems/problem.h"

#include <cardan/assembly.h>
#include <cardan/health.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_case {
    lab_problem *problem; /* or NULL, and all of the model: */
    cardan_model *model;
    cardan_outputs *outputs;
    cardan_assembly *assembly; /* what was changed of the initial values */
    double *q, *v;             /* assembled */
    double begin, end, step;
    double *lambda0, *psi0; /* guesses that were set, or NULL */
    char *name;             /* of the output that was asked for last */
};

static cardan_status fail(cardan_error *error, cardan_status status, const char *text)
{
    if (error != NULL) {
        error->status = status;
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return status;
}

static cardan_status no_memory(cardan_error *error)
{
    return fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the initial values");
}

static double *numbers(int count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

static int size_of(const cli_case *it)
{
    return cardan_group_size(cardan_system_describe(cli_case_system(it)).group);
}

cardan_status cli_case_of_problem(cli_case **made, const char *name, const lab_setting *settings,
                                  int count, cardan_error *error)
{
    lab_problem *problem = NULL;
    *made = NULL;
    const cardan_status status = lab_problem_create(&problem, name, settings, count, error);
    if (status != CARDAN_OK)
        return status;
    *made = calloc(1, sizeof **made);
    if (*made == NULL) {
        lab_problem_destroy(problem);
        return no_memory(error);
    }
    **made = (cli_case){.problem = problem,
                        .begin = lab_problem_begin(problem),
                        .end = lab_problem_end(problem),
                        .step = lab_problem_step(problem)};
    return CARDAN_OK;
}

static cardan_status assemble(cli_case *it, cardan_error *error)
{
    it->q = numbers(size_of(it));
    it->v = numbers(cardan_system_describe(cli_case_system(it)).dof);
    if (it->q == NULL || it->v == NULL)
        return no_memory(error);
    cardan_model_initial(it->model, it->q, it->v);
    return cardan_model_assemble(it->model, it->begin, it->q, it->v, &it->assembly, error);
}

cardan_status cli_case_of_model(cli_case **made, cardan_model *model, cardan_outputs *outputs,
                                double begin, double end, double step, cardan_error *error)
{
    cli_case *it = calloc(1, sizeof *it);
    cardan_status status = CARDAN_OK;
    *made = NULL;
    if (it == NULL) {
        cardan_outputs_destroy(outputs);
        return no_memory(error);
    }
    *it = (cli_case){.model = model, .outputs = outputs, .begin = begin, .end = end, .step = step};
    if (outputs == NULL)
        status = cardan_outputs_create(&it->outputs, model, CARDAN_OUTPUTS_ALL, error);
    if (status == CARDAN_OK)
        status = assemble(it, error);
    if (status != CARDAN_OK) {
        cli_case_destroy(it);
        return status;
    }
    *made = it;
    return CARDAN_OK;
}

void cli_case_destroy(cli_case *it)
{
    if (it == NULL)
        return;
    lab_problem_destroy(it->problem);
    cardan_outputs_destroy(it->outputs);
    cardan_assembly_destroy(it->assembly);
    free(it->q);
    free(it->v);
    free(it->lambda0);
    free(it->psi0);
    free(it->name);
    free(it);
}

/* That of a model is made anew where other constraints are chosen. */
const cardan_system *cli_case_system(const cli_case *it)
{
    return it->problem != NULL ? lab_problem_system(it->problem) : cardan_model_system(it->model);
}

const cardan_events *cli_case_events(const cli_case *it)
{
    return it->problem != NULL ? lab_problem_events(it->problem) : NULL;
}

double cli_case_begin(const cli_case *it)
{
    return it->begin;
}

double cli_case_end(const cli_case *it)
{
    return it->end;
}

double cli_case_step(const cli_case *it)
{
    return it->step;
}

void cli_case_initial(const cli_case *it, double *q, double *v)
{
    if (it->problem != NULL) {
        lab_problem_initial(it->problem, q, v);
        return;
    }
    memcpy(q, it->q, (size_t)size_of(it) * sizeof *q);
    memcpy(v, it->v, (size_t)cardan_system_describe(cli_case_system(it)).dof * sizeof *v);
}

static void copy_guess(int count, const double *guess, double *out)
{
    if (guess != NULL)
        memcpy(out, guess, (size_t)count * sizeof *out);
}

void cli_case_guess(const cli_case *it, double *lambda, double *psi)
{
    const cardan_system *system = cli_case_system(it);
    if (it->problem != NULL)
        lab_problem_guess(it->problem, lambda, psi);
    else
        cardan_model_guess(it->model, it->begin, it->q, lambda, psi);
    copy_guess(cardan_system_describe(system).constraint_count, it->lambda0, lambda);
    copy_guess(cardan_system_describe(system).nonholonomic_count, it->psi0, psi);
}

static cardan_status keep_guess(const char *what, int count, const double *values, double **kept,
                                cardan_error *error)
{
    char text[64];
    free(*kept);
    *kept = NULL;
    if (values == NULL)
        return CARDAN_OK;
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            snprintf(text, sizeof text, "guesses of %s must be finite", what);
            return fail(error, CARDAN_INVALID_ARGUMENT, text);
        }
    *kept = numbers(count);
    if (*kept == NULL)
        return no_memory(error);
    copy_guess(count, values, *kept);
    return CARDAN_OK;
}

cardan_status cli_case_set_guess(cli_case *it, const double *lambda0, const double *psi0,
                                 cardan_error *error)
{
    const cardan_system *system = cli_case_system(it);
    const cardan_status status = keep_guess(
        "lambda", cardan_system_describe(system).constraint_count, lambda0, &it->lambda0, error);
    return status != CARDAN_OK
               ? status
               : keep_guess("psi", cardan_system_describe(system).nonholonomic_count, psi0,
                            &it->psi0, error);
}

cardan_status cli_case_start(const cli_case *it, cardan_integrator *integrator)
{
    const cardan_system *system = cli_case_system(it);
    const int size = size_of(it), dof = cardan_system_describe(system).dof;
    const int m = cardan_system_describe(system).constraint_count,
              l = cardan_system_describe(system).nonholonomic_count;
    double *q = numbers(size + dof + m + l);
    if (q == NULL)
        return CARDAN_OUT_OF_MEMORY;
    double *v = q + size, *lambda = v + dof, *psi = lambda + m;
    cli_case_initial(it, q, v);
    cli_case_guess(it, lambda, psi);
    const cardan_status status =
        cardan_integrator_start_from(integrator, it->begin, q, v, lambda, psi);
    free(q);
    return status;
}

cardan_status cli_case_health(const cli_case *it, const cardan_integrator *integrator,
                              cardan_health *health)
{
    const cardan_status status = cardan_integrator_health(integrator, health);
    if (status == CARDAN_OK && it->assembly != NULL)
        cardan_assembly_judge(it->model, it->assembly, health);
    return status;
}

int cli_case_outputs(const cli_case *it)
{
    return it->problem != NULL ? lab_problem_outputs(it->problem)
                               : cardan_outputs_count(it->outputs);
}

size_t cli_case_write_output_name(const cli_case *it, int i, char *text, size_t size)
{
    if (it->problem == NULL)
        return cardan_outputs_name(it->outputs, i, text, size);
    const char *name = lab_problem_output_name(it->problem, i);
    if (name == NULL)
        return 0;
    snprintf(text, size, "%s", name);
    return strlen(name);
}

const char *cli_case_output_name(cli_case *it, int i)
{
    const size_t size = cli_case_write_output_name(it, i, NULL, 0) + 1;
    char *name = size > 1 ? realloc(it->name, size) : NULL;
    if (name == NULL)
        return NULL;
    it->name = name;
    cli_case_write_output_name(it, i, name, size);
    return name;
}

void cli_case_output(const cli_case *it, const cardan_point *at, double *values)
{
    if (it->problem != NULL)
        lab_problem_output(it->problem, at, values);
    else
        (void)cardan_outputs_measure(it->outputs, at, values); /* NAN where there is no value */
}

void cli_case_follow(cli_case *it, const cardan_point *at)
{
    if (it->outputs != NULL)
        (void)cardan_outputs_follow(it->outputs, at);
}

int cli_case_memory(const cli_case *it)
{
    return cardan_outputs_save(it->outputs, NULL);
}

void cli_case_save(const cli_case *it, double *memory)
{
    if (it->outputs != NULL)
        (void)cardan_outputs_save(it->outputs, memory);
}

cardan_status cli_case_load(cli_case *it, const double *memory)
{
    return it->outputs != NULL ? cardan_outputs_load(it->outputs, memory) : CARDAN_OK;
}

cardan_status cli_case_reference(cli_case *it, double t, double *q, double *v, double *vdot,
                                 double *lambda, double *psi, cardan_error *error)
{
    if (it->problem == NULL)
        return fail(error, CARDAN_NO_REFERENCE, "models have no reference solution");
    return lab_problem_reference(it->problem, t, q, v, vdot, lambda, psi, error);
}

const char *cli_case_reference_text(const cli_case *it)
{
    return it->problem != NULL ? lab_problem_reference_text(it->problem) : "none";
}

/* Instances of the built-in problems: making one, its system, its outputs, its reference. */
#include "problem_type.h"

#include "base/error.h"
#include "base/numeric.h"
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int cd_callback_zero(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    (void)out; /* zero on entry */
    return 0;
}

void cd_round(int count, const long double *x, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = (double)x[i];
}

static cardan_status allocate_data(lab_problem *problem, cardan_error *error)
{
    const cd_problem_type *type = problem->type;
    problem->parameters = cd_arena_doubles(&problem->arena, type->parameter_count);
    problem->data = cd_arena_take(&problem->arena, type->data_size);
    if (problem->arena.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for problem %s", type->name);
    return CARDAN_OK;
}

static cardan_status make_system(lab_problem *problem, cardan_error *error)
{
    const cd_problem_type *type = problem->type;
    const cardan_factor *second = &type->factors[1];
    int count = second->kind == CARDAN_RN && second->n == 0 ? 1 : 2;
    cardan_status status = cardan_group_create(&problem->group, type->factors, count, NULL, error);
    if (status != CARDAN_OK)
        return status;
    problem->def = cardan_system_def_default();
    problem->def.group = problem->group;
    problem->def.context = problem->data;
    type->define(&problem->def);
    return cardan_system_create(&problem->system, &problem->def, error);
}

/* The systems of the other modes, and the events that lead to them. */
static cardan_status make_events(lab_problem *problem, cardan_error *error)
{
    const cd_problem_type *type = problem->type;
    cardan_status status = CARDAN_OK;
    if (type->events == NULL)
        return CARDAN_OK;
    problem->modes = cd_arena_take(&problem->arena, (size_t)type->modes * sizeof *problem->modes);
    if (problem->arena.failed)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for problem %s", type->name);
    for (int i = 0; status == CARDAN_OK && i < type->modes; i++) {
        cardan_system_def def = cardan_system_def_default();
        def.group = problem->group;
        def.context = problem->data;
        type->define_mode(i + 1, &def);
        status = cardan_system_create(&problem->modes[i], &def, error);
    }
    type->events(problem->data, &problem->events);
    problem->events.modes = (const cardan_system *const *)problem->modes;
    problem->events.mode_count = type->modes;
    return status;
}

static cardan_status make_reference(lab_problem *problem, cardan_error *error)
{
    const cd_problem_type *type = problem->type;
    int dof = cardan_group_dof(problem->group);
    problem->motion.q = cd_arena_doubles(&problem->arena, cardan_group_size(problem->group));
    problem->motion.v = cd_arena_doubles(&problem->arena, dof);
    problem->motion.vdot = cd_arena_doubles(&problem->arena, dof);
    problem->motion.lambda = cd_arena_doubles(&problem->arena, problem->def.constraints);
    problem->motion.psi = cd_arena_doubles(&problem->arena, problem->def.nonholonomic);
    if (type->order > 0 && !problem->arena.failed) {
        cd_ode ode = {.order = type->order, .function = type->ode, .context = problem->data};
        type->ode_initial(problem->data, ode.initial);
        if (type->ode_longest != NULL)
            ode.longest = type->ode_longest(problem->data);
        problem->reference = cd_reference_ode_create(&ode, NULL);
    }
    if (problem->arena.failed || (type->order > 0 && problem->reference == NULL))
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the reference of problem %s",
                       type->name);
    return CARDAN_OK;
}

static cardan_status build(lab_problem *problem, const lab_setting *settings, int count,
                           cardan_error *error)
{
    cardan_status status = allocate_data(problem, error);
    if (status == CARDAN_OK)
        status = cd_settings_apply(problem->type, settings, count, problem->parameters, error);
    if (status == CARDAN_OK && problem->type->prepare != NULL)
        status = problem->type->prepare(problem->data, problem->parameters, error);
    if (status == CARDAN_OK)
        status = make_system(problem, error);
    if (status == CARDAN_OK)
        status = make_events(problem, error);
    if (status == CARDAN_OK)
        status = make_reference(problem, error);
    return status;
}

cardan_status lab_problem_create(lab_problem **problem, const char *name,
                                 const lab_setting *settings, int count, cardan_error *error)
{
    cardan_error local;
    if (error == NULL)
        error = &local;
    cd_succeed(error);
    if (problem == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "there is no place for the new problem");
    *problem = NULL;
    const cd_problem_type *type = cd_problem_type_find(name, error);
    if (type == NULL)
        return error->status;
    lab_problem *made = cd_allocate(NULL, sizeof *made);
    if (made == NULL)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for problem %s", name);
    made->type = type;
    cd_arena_init(&made->arena, NULL);
    cardan_status status = build(made, settings, count, error);
    if (status != CARDAN_OK) {
        lab_problem_destroy(made);
        return status;
    }
    *problem = made;
    return CARDAN_OK;
}

void lab_problem_destroy(lab_problem *problem)
{
    if (problem == NULL)
        return;
    if (problem->reference != NULL)
        cd_reference_ode_destroy(problem->reference, NULL);
    for (int i = 0; problem->modes != NULL && i < problem->type->modes; i++)
        cardan_system_destroy(problem->modes[i]);
    if (problem->system != NULL)
        cardan_system_destroy(problem->system);
    if (problem->group != NULL)
        cardan_group_destroy(problem->group);
    cd_arena_destroy(&problem->arena);
    cd_release(NULL, problem);
}

const cardan_system *lab_problem_system(const lab_problem *problem)
{
    return problem != NULL ? problem->system : NULL;
}

const cardan_events *lab_problem_events(const lab_problem *problem)
{
    if (problem == NULL)
        return NULL;
    return problem->type->events != NULL ? &problem->events : NULL;
}

double lab_problem_begin(const lab_problem *problem)
{
    return problem != NULL ? problem->begin : NAN;
}

double lab_problem_end(const lab_problem *problem)
{
    return problem != NULL ? problem->type->end : NAN;
}

double lab_problem_step(const lab_problem *problem)
{
    return problem != NULL ? problem->type->step : NAN;
}

void lab_problem_initial(const lab_problem *problem, double *q, double *v)
{
    if (problem == NULL)
        return;
    problem->type->initial(problem->data, q, v);
}

void lab_problem_guess(const lab_problem *problem, double *lambda, double *psi)
{
    if (problem == NULL)
        return;
    const cardan_system *system = problem->system;
    const int m = cardan_system_describe(system).constraint_count,
              l = cardan_system_describe(system).nonholonomic_count;
    cd_zero(m, lambda);
    cd_zero(l, psi);
    if (problem->type->guess != NULL)
        problem->type->guess(problem->data, lambda, psi);
}

cardan_status lab_problem_start(const lab_problem *problem, cardan_integrator *integrator)
{
    if (problem == NULL)
        return CARDAN_INVALID_ARGUMENT;
    const cardan_system *system = problem->system;
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    double *q = cd_arena_doubles(&arena, cardan_group_size(cardan_system_describe(system).group));
    double *v = cd_arena_doubles(&arena, cardan_system_describe(system).dof);
    double *lambda = cd_arena_doubles(&arena, cardan_system_describe(system).constraint_count);
    double *psi = cd_arena_doubles(&arena, cardan_system_describe(system).nonholonomic_count);
    cardan_status status = CARDAN_OUT_OF_MEMORY;
    if (!arena.failed) {
        lab_problem_initial(problem, q, v);
        lab_problem_guess(problem, lambda, psi);
        status = cardan_integrator_start_from(integrator, problem->begin, q, v, lambda, psi);
    }
    cd_arena_destroy(&arena);
    return status;
}

int lab_problem_outputs(const lab_problem *problem)
{
    return problem != NULL ? problem->type->output_count : 0;
}

const char *lab_problem_output_name(const lab_problem *problem, int i)
{
    if (problem == NULL || i < 0 || i >= problem->type->output_count)
        return NULL;
    return problem->type->outputs[i];
}

void lab_problem_output(const lab_problem *problem, const cardan_point *at, double *values)
{
    if (problem == NULL)
        return;
    if (problem->type->output != NULL) {
        problem->type->output(problem->data, at, values);
        return;
    }
    int size = cardan_group_size(problem->group), dof = cardan_group_dof(problem->group);
    cd_copy(size, at->q, values);
    cd_copy(dof, at->v, values + size);
    cd_copy(problem->def.constraints, at->lambda, values + size + dof);
    cd_copy(problem->def.nonholonomic, at->psi, values + size + dof + problem->def.constraints);
}

static void copy_if_asked(int count, const double *from, double *to)
{
    if (to != NULL)
        cd_copy(count, from, to);
}

cardan_status lab_problem_reference(lab_problem *problem, double t, double *q, double *v,
                                    double *vdot, double *lambda, double *psi, cardan_error *error)
{
    if (problem == NULL)
        return cd_absent(error, "problem");
    long double y[CD_ODE_MAX_ORDER] = {0.0L};
    cd_succeed(error);
    if (!isfinite(t) || t < lab_problem_begin(problem))
        return cd_fail(error, CARDAN_NO_REFERENCE,
                       "problem %s has no reference at t = %.9g; it starts at t = %.9g",
                       problem->type->name, t, lab_problem_begin(problem));
    if (problem->reference != NULL) {
        cardan_status status = cd_reference_ode_at(problem->reference, t, y, error);
        if (status != CARDAN_OK)
            return status;
    }
    problem->type->motion(problem->data, t, y, &problem->motion);
    int dof = cardan_group_dof(problem->group);
    copy_if_asked(cardan_group_size(problem->group), problem->motion.q, q);
    copy_if_asked(dof, problem->motion.v, v);
    copy_if_asked(dof, problem->motion.vdot, vdot);
    copy_if_asked(problem->def.constraints, problem->motion.lambda, lambda);
    copy_if_asked(problem->def.nonholonomic, problem->motion.psi, psi);
    return CARDAN_OK;
}

const char *lab_problem_reference_text(const lab_problem *problem)
{
    return problem != NULL ? problem->type->reference_text : NULL;
}

/* Getting a problem into the state that an analysis is about. */
#include "state.h"
#include "case.h"
#include "model_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_state_open(cli_setup *setup, cli_state *state)
{
    if (isnan(setup->end))
        setup->end = INFINITY; /* nothing runs to an end here, so that a file need not say one */
    if (!cli_setup_case(setup, &state->problem))
        return CLI_BAD_INPUT;
    const cardan_system *system = cli_case_system(state->problem);
    const size_t k = (size_t)cardan_system_describe(system).dof;
    state->system = system;
    state->t = cli_case_begin(state->problem);
    state->q = cli_allocate((size_t)cardan_group_size(cardan_system_describe(system).group),
                            sizeof(double));
    state->v = cli_allocate(k, sizeof(double));
    state->vdot = cli_allocate(k, sizeof(double));
    state->lambda =
        cli_allocate((size_t)cardan_system_describe(system).constraint_count, sizeof(double));
    state->psi =
        cli_allocate((size_t)cardan_system_describe(system).nonholonomic_count, sizeof(double));
    cli_case_initial(state->problem, state->q, state->v);
    cli_case_guess(state->problem, state->lambda, state->psi);
    return CLI_DONE;
}

void cli_state_free(cli_state *state)
{
    free(state->q);
    free(state->v);
    free(state->vdot);
    free(state->lambda);
    free(state->psi);
    cli_case_destroy(state->problem);
}

cardan_point cli_state_point(const cli_state *state)
{
    return (cardan_point){state->t, state->q, state->v, state->vdot, state->lambda, state->psi};
}

int cli_state_settle(const cli_setup *setup, int load_steps, cli_state *state,
                     cardan_equilibrium_report *report)
{
    cardan_equilibrium_def def = cardan_equilibrium_def_default();
    cardan_error error;
    def.load_steps = load_steps;
    if (cardan_equilibrium_find(state->system, state->t, state->q, state->lambda, state->psi, &def,
                                report, &error) != CARDAN_OK) {
        cli_model_complain(setup, error.text);
        return CLI_FAILED;
    }
    const size_t size = (size_t)cardan_system_describe(state->system).dof * sizeof(double);
    memset(state->v, 0, size);
    memset(state->vdot, 0, size);
    return CLI_DONE;
}

static void copy(double *to, const double *from, int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

static void take_over(const cardan_integrator *integrator, cli_state *state)
{
    const cardan_state *now = cardan_integrator_state(integrator);
    const int k = cardan_system_describe(state->system).dof;
    state->t = now->t;
    copy(state->q, now->q, cardan_group_size(cardan_system_describe(state->system).group));
    copy(state->v, now->v, k);
    copy(state->vdot, now->vdot, k);
    copy(state->lambda, now->lambda, cardan_system_describe(state->system).constraint_count);
    copy(state->psi, now->psi, cardan_system_describe(state->system).nonholonomic_count);
}

int cli_state_advance(const cli_setup *setup, double time, cli_state *state)
{
    cardan_integrator *integrator;
    cli_setup exact = *setup;
    exact.tolerance.adaptive = true;
    for (int i = 0; i < CLI_CLASSES; i++)
        exact.tolerance.relative[i] = exact.tolerance.absolute[i] = 1e-8;
    if (time < state->t) {
        cli_complain(setup->command, "--about: time %g is before the start at %g", time, state->t);
        return CLI_BAD_INPUT;
    }
    int code = cli_setup_integrator(&exact, state->problem, 0.0, &integrator);
    if (code != CLI_DONE)
        return code;
    cardan_status status = cli_case_start(state->problem, integrator);
    while (status == CARDAN_OK) {
        take_over(integrator, state);
        const cardan_point now = cli_state_point(state);
        cli_case_follow(state->problem, &now);
        if (!(state->t < time))
            break;
        status = cardan_integrator_step_towards(integrator, time);
    }
    if (status != CARDAN_OK) {
        char text[1100];
        snprintf(text, sizeof text, "at t = %.9g: %s", cardan_integrator_state(integrator)->t,
                 cli_reason(integrator, status));
        cli_model_complain(setup, text);
        code = CLI_FAILED;
    }
    cardan_integrator_destroy(integrator);
    return code;
}

double *cli_state_outputs(const cli_state *state)
{
    const cardan_point at = cli_state_point(state);
    double *values = cli_allocate((size_t)cli_case_outputs(state->problem), sizeof *values);
    cli_case_output(state->problem, &at, values);
    return values;
}

json_t *cli_state_json(const cli_state *state)
{
    json_t *object = json_object();
    double *values = cli_state_outputs(state);
    json_object_set_new(object, "t", cli_json_number(state->t));
    for (int i = 0; i < cli_case_outputs(state->problem); i++)
        json_object_set_new(object, cli_case_output_name(state->problem, i),
                            cli_json_number(values[i]));
    free(values);
    return object;
}

/* See compare.h. */
#include "compare.h"
#include "cli/setup/case.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_quantity_names[CLI_QUANTITIES] = {"q", "v", "vdot", "lambda", "psi", "eta"};

cli_comparison cli_comparison_create(cli_case *problem)
{
    const cardan_system *system = cli_case_system(problem);
    const int size = cardan_group_size(cardan_system_describe(system).group);
    cli_comparison c = {.problem = problem,
                        .dof = cardan_system_describe(system).dof,
                        .constraints = cardan_system_describe(system).constraint_count,
                        .nonholonomic = cardan_system_describe(system).nonholonomic_count};
    const int count = size + 3 * c.dof + c.constraints + c.nonholonomic;
    c.q = cli_allocate((size_t)count, sizeof *c.q);
    c.v = c.q + size;
    c.vdot = c.v + c.dof;
    c.difference = c.vdot + c.dof;
    c.lambda = c.difference + c.dof;
    c.psi = c.lambda + c.constraints;
    return c;
}

void cli_comparison_free(cli_comparison *comparison)
{
    free(comparison->q);
    comparison->q = NULL;
}

bool cli_comparison_look_up(cli_comparison *comparison, double t, cardan_error *error)
{
    return cli_case_reference(comparison->problem, t, comparison->q, comparison->v,
                              comparison->vdot, comparison->lambda, comparison->psi,
                              error) == CARDAN_OK;
}

static void keep(int n, const double *from, double *to)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

void cli_comparison_keep(cli_comparison *comparison, const cardan_point *state)
{
    const cardan_system *system = cli_case_system(comparison->problem);
    keep(cardan_group_size(cardan_system_describe(system).group), state->q, comparison->q);
    keep(comparison->dof, state->v, comparison->v);
    keep(comparison->dof, state->vdot, comparison->vdot);
    keep(comparison->constraints, state->lambda, comparison->lambda);
    keep(comparison->nonholonomic, state->psi, comparison->psi);
}

double cli_distance(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double difference = x[i] - (y != NULL ? y[i] : 0.0);
        sum += difference * difference;
    }
    return sqrt(sum);
}

void cli_comparison_errors(const cli_comparison *comparison, const cardan_point *at,
                           double errors[CLI_QUANTITIES])
{
    const cli_comparison *c = comparison;
    cardan_group_difference(cardan_system_describe(cli_case_system(c->problem)).group, c->q, at->q,
                            c->difference);
    errors[CLI_Q] = cli_distance(c->dof, c->difference, NULL);
    errors[CLI_V] = cli_distance(c->dof, at->v, c->v);
    errors[CLI_VDOT] = cli_distance(c->dof, at->vdot, c->vdot);
    errors[CLI_LAMBDA] = cli_distance(c->constraints, at->lambda, c->lambda);
    errors[CLI_PSI] = cli_distance(c->nonholonomic, at->psi, c->psi);
    errors[CLI_ETA] = 0.0;
}

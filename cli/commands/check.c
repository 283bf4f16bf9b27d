/* cardan check: is the model sound, what is its structure, which methods and projections suit it?
 */
#include "check.h"
#include "cli/setup/case.h"
#include "lab/analysis/decomposition.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPTION_PROJECTION = CLI_OPTION_OWN };

static const struct option options[] = {{"method", required_argument, NULL, CLI_OPTION_METHOD},
                                        {"rho", required_argument, NULL, CLI_OPTION_RHO},
                                        {"params", required_argument, NULL, CLI_OPTION_PARAMS},
                                        {"end", required_argument, NULL, CLI_OPTION_END},
                                        {"set", required_argument, NULL, CLI_OPTION_SET},
                                        {"expert", no_argument, NULL, CLI_OPTION_EXPERT},
                                        {"quiet", no_argument, NULL, CLI_OPTION_QUIET},
                                        {"json", no_argument, NULL, CLI_OPTION_JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {"projection", required_argument, NULL, OPTION_PROJECTION},
                                        {0}};

static const char usage[] =
    "usage: cardan check PROBLEM|FILE [--set NAME=VALUE] [--projection A]\n"
    "             [--method M] [--rho R | --params NAME:VALUES] [--end T] [--json]\n\n"
    "Checks whether a model is sound, and recommends a method:\n"
    "  - derivatives against differences, at the initial values and near them\n"
    "  - consistency of the initial values: position, velocity, acceleration\n"
    "  - ranks of mass and constraint matrices, redundant constraints, the index,\n"
    "    which multipliers are functions of (q, v, t), whether they are still\n"
    "    determined with friction, and the method to choose\n"
    "  - whether a velocity projection with matrix A can add energy, now and along\n"
    "    the motion: for the mass matrix, the identity, and the one given\n"
    "  - the transient of lambda after a plain start of ga3\n"
    "and of a model file:\n"
    "  - what assembly moves, and which joints cannot close\n"
    "  - degrees of freedom; redundant constraints by joint and direction\n"
    "  - singular configurations nearby, bodies without mass, joint or force, values\n"
    "    that suggest wrong units, a first step size\n\n"
    "  --projection mass|identity|tangent|tangent:CD,CK|diag:a,b,...|matrix:FILE\n"
    "                        another matrix A to check\n"
    "  --method M         method of the run along which A is checked, in fixed steps;\n"
    "                     default ga2s. Without it: what auto makes of adaptive steps\n"
    "  --rho R            damping at infinity, 0 to 1; default 0.8\n"
    "  --params TEXT      another family of parameters, see `cardan help run`\n"
    "  --end T            end of that run; default: the problem's own; large models\n"
    "                     take only some steps\n"
    "  --set NAME=VALUE   a parameter of the problem; may be repeated\n"
    "  --expert           accept parameters that violate an order or stability\n"
    "                     condition\n"
    "  --quiet            no progress line\n"
    "  --json             print everything as JSON, with all digits\n\n"
    "examples:\n"
    "  cardan check heavy_top\n"
    "  cardan check fourbar.yaml\n"
    "  cardan check two_particles --projection diag:15,1\n"
    "  cardan check pendulum_massless --method ga3 --rho 0.9 --json\n\n"
    "Exit codes: 0 the model is sound, 1 something is wrong with it, 2 bad input.\n";

static bool apply(void *context, int code, const char *value)
{
    cli_check_job *check = context;
    check->own_end = check->own_end || code == CLI_OPTION_END;
    if (code != OPTION_PROJECTION)
        return cli_setup_apply(&check->setup, code, value);
    check->given_text = value;
    return cli_projection_norm(&check->given, check->setup.command, value);
}

/* A tangent norm without weights: those of the problem's own step. */
static void set_weights(cardan_projection *how, double h)
{
    if (how->norm != CARDAN_NORM_TANGENT || how->damping > 0.0 || how->stiffness > 0.0)
        return;
    how->damping = 0.5 * h;
    how->stiffness = 0.25 * h * h;
}

static void add_verdict(cli_check_job *check, const char *name, cardan_projection how)
{
    how.level = CARDAN_PROJECT_VELOCITY;
    check->verdicts[check->verdict_count++] = (cli_verdict){.name = name, .how = how};
}

/* Mass and identity are always judged; the given one if it is another. */
static void list_projections(cli_check_job *check)
{
    cardan_projection how = cardan_projection_default();
    how.norm = CARDAN_NORM_MASS;
    add_verdict(check, "mass", how);
    how.norm = CARDAN_NORM_IDENTITY;
    add_verdict(check, "identity", how);
    if (check->given_text != NULL && check->given.how.norm != CARDAN_NORM_MASS &&
        check->given.how.norm != CARDAN_NORM_IDENTITY)
        add_verdict(check, check->given_text, check->given.how);
}

static bool set_up(cli_check_job *check)
{
    if (!cli_setup_case(&check->setup, &check->problem))
        return false;
    const cardan_system *system = cli_case_system(check->problem);
    const double begin = cli_case_begin(check->problem);
    if (!cli_projection_fit_matrix(&check->given, check->setup.command, system))
        return false;
    if (!cli_plan_make(check->setup.command, begin, check->setup.end, cli_case_step(check->problem),
                       cli_case_events(check->problem) != NULL, &check->plan))
        return false;
    const size_t k = (size_t)cardan_system_describe(system).dof;
    check->system = system;
    check->step = check->plan.step;
    check->q = cli_allocate((size_t)cardan_group_size(cardan_system_describe(system).group),
                            sizeof(double));
    check->v = cli_allocate(k, sizeof(double));
    check->vdot = cli_allocate(k, sizeof(double));
    check->lambda =
        cli_allocate((size_t)cardan_system_describe(system).constraint_count, sizeof(double));
    check->psi =
        cli_allocate((size_t)cardan_system_describe(system).nonholonomic_count, sizeof(double));
    cli_case_initial(check->problem, check->q, check->v);
    cli_case_guess(check->problem, check->lambda, check->psi);
    check->at = (cardan_point){begin, check->q, check->v, check->vdot, check->lambda, check->psi};
    set_weights(&check->given.how, check->step);
    list_projections(check);
    return true;
}

/* A matrix that the library refuses is bad input, unless it is the mass matrix of the model. */
static bool given_is_accepted(const cli_check_job *check)
{
    const cli_verdict *last = &check->verdicts[check->verdict_count - 1];
    if (check->verdict_count < CLI_CHECK_PROJECTIONS || last->judged || !check->structure.fine)
        return true;
    cli_complain(check->setup.command, "--projection: %s", last->refusal);
    return false;
}

bool cli_check_passed(const cli_check_job *check)
{
    return check->derivatives.fine && check->consistent.fine && check->structure.fine &&
           check->run.fine && cli_check_elements_fine(check);
}

static int examine(cli_check_job *check)
{
    cardan_integrator *trial = NULL;
    if (!set_up(check))
        return CLI_BAD_INPUT;
    int code = cli_setup_integrator(&check->setup, check->problem, check->step, &trial);
    cardan_integrator_destroy(trial);
    if (code != CLI_DONE)
        return code;
    cli_check_model(check);
    cli_check_elements(check);
    if (!given_is_accepted(check))
        return CLI_BAD_INPUT;
    if (check->consistent.fine && check->structure.fine) {
        cli_check_path(check);
        cli_check_method(check);
        cli_check_transient(check);
    }
    if (check->setup.json)
        cli_check_json(check);
    else
        cli_check_print(check);
    return cli_check_passed(check) ? CLI_DONE : CLI_FAILED;
}

int cli_check(int argc, char **argv)
{
    cli_check_job check = {.setup = cli_setup_default(argv[0]), .given = cli_projection_default()};
    const cli_syntax syntax = {.command = argv[0],
                               .help = usage,
                               .options = options,
                               .repeatable = CLI_OPTION_SET,
                               .apply = apply};
    int code;
    if (cli_parse(&syntax, argc, argv, &check, &code))
        code = examine(&check);
    lab_decomposition_destroy(check.decomposition);
    cardan_model_report_destroy(check.elements);
    free(check.q);
    free(check.v);
    free(check.vdot);
    free(check.lambda);
    free(check.psi);
    cli_case_destroy(check.problem);
    cli_projection_free(&check.given);
    cli_setup_free(&check.setup);
    return code;
}

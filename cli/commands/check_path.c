/* The verdicts on projections along the motion: an eigenvalue may change its sign on the way. */
#include "check.h"
#include "cli/setup/case.h"
#include "lab/analysis/projection_verdict.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES = 200, FEWEST = 2, SMALL = 60, LARGE = 600, FEWEST_STEPS = 10, WORK = 120000 };

typedef struct path {
    cli_check_job *check;
    cardan_integrator *integrator;
    long long stride; /* a state is judged every so many steps */
    long long most;   /* steps */
} path;

static void judge(cli_check_job *check, cli_verdict *verdict, const cardan_point *at)
{
    lab_projection_verdict now;
    if (!verdict->judged ||
        lab_projection_judge(check->system, &verdict->how, at, &now, NULL) != CARDAN_OK)
        return;
    verdict->states++;
    if (now.smallest_relative < verdict->worst.smallest_relative) {
        verdict->worst = now;
        verdict->worst_time = at->t;
    }
    verdict->can_add_energy |= now.can_add_energy;
}

static bool visit(void *context, long long n, double t)
{
    path *along = context;
    along->check->run_end = t;
    along->check->run_cut = n >= along->most && n < along->check->plan.steps;
    if (n == 0 || n % along->stride != 0)
        return n < along->most;
    const cardan_state *s = cardan_integrator_state(along->integrator);
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    for (int i = 0; i < along->check->verdict_count; i++)
        judge(along->check, &along->check->verdicts[i], &at);
    return n < along->most;
}

/* A verdict costs the third power of the number of velocities: large systems get fewer. */
static long long samples(const cardan_system *system)
{
    const double ratio = (double)SMALL / cardan_system_describe(system).dof;
    if (cardan_system_describe(system).dof > LARGE)
        return 1;
    const double count = ratio < 1.0 ? SAMPLES * ratio * ratio * ratio : SAMPLES;
    return count > FEWEST ? (long long)count : FEWEST;
}

/* A check should not take as long as a run: of large systems only some steps are taken, unless
 * --end asks for more. */
static long long most_steps(const cli_check_job *check)
{
    const int k = cardan_system_describe(check->system).dof;
    if (k <= LARGE || check->own_end)
        return check->plan.steps;
    return WORK / k > FEWEST_STEPS ? WORK / k : FEWEST_STEPS;
}

void cli_check_path(cli_check_job *check)
{
    path along = {.check = check};
    const cli_setup *setup = &check->setup;
    const cli_plan *plan = &check->plan;
    if (cli_setup_integrator(setup, check->problem, plan->step, &along.integrator) != CLI_DONE) {
        check->run.fine = false;
        return;
    }
    const long long wanted = samples(check->system), limit = most_steps(check);
    along.most = plan->steps < limit ? plan->steps : limit;
    along.stride = along.most > wanted ? along.most / wanted : 1;
    cli_progress progress = cli_progress_begin(setup->quiet || setup->json);
    cardan_status status = cli_case_start(check->problem, along.integrator);
    if (status == CARDAN_OK)
        status = cli_march(along.integrator, plan, &progress, visit, &along);
    cli_progress_end(&progress);
    check->run.fine = status == CARDAN_OK;
    if (status != CARDAN_OK)
        snprintf(check->run.text, sizeof check->run.text, "%s",
                 cli_reason(along.integrator, status));
    cardan_integrator_destroy(along.integrator);
}

/* What method `auto` makes of the first steps, which is what a run will do. */
void cli_check_method(cli_check_job *check)
{
    enum { STEPS = 200 };
    const long long limit = most_steps(check);
    cardan_integrator *it = NULL;
    cardan_status status = CARDAN_OK;
    if (!cli_setup_is_automatic(&check->setup) ||
        cli_setup_integrator(&check->setup, check->problem, 0.0, &it) != CLI_DONE)
        return;
    status = cli_case_start(check->problem, it);
    for (int i = 0; status == CARDAN_OK && i < STEPS && i < limit; i++)
        status = cardan_integrator_step_towards(it, check->plan.end);
    const cardan_statistics s = cardan_integrator_statistics(it);
    memcpy(check->method, s.method, sizeof check->method);
    cardan_integrator_destroy(it);
}

/* The verdicts on projections along the motion: an eigenvalue may change its sign on the way. */
#include "check.h"

#include <stdio.h>

enum { SAMPLES = 200, FEWEST = 2, SMALL = 60 };

typedef struct path {
    cli_check_job *check;
    cardan_integrator *integrator;
    long long stride; /* a state is judged every so many steps */
} path;

static void judge(cli_check_job *check, cli_verdict *verdict, const cardan_point *at)
{
    cardan_projection_verdict now;
    if (!verdict->judged ||
        cardan_projection_judge(check->system, &verdict->how, at, &now, NULL) != CARDAN_OK)
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
    if (n == 0 || n % along->stride != 0)
        return true;
    const cardan_state *s = cardan_integrator_state(along->integrator);
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    for (int i = 0; i < along->check->verdict_count; i++)
        judge(along->check, &along->check->verdicts[i], &at);
    return true;
}

/* A verdict costs the third power of the number of velocities: large systems get fewer. */
static long long samples(const cardan_system *system)
{
    const double ratio = (double)SMALL / cardan_system_dof(system);
    const double count = ratio < 1.0 ? SAMPLES * ratio * ratio * ratio : SAMPLES;
    return count > FEWEST ? (long long)count : FEWEST;
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
    const long long wanted = samples(check->system);
    along.stride = plan->steps > wanted ? plan->steps / wanted : 1;
    cli_progress progress = cli_progress_begin(setup->quiet || setup->json);
    cardan_status status = cli_setup_start(check->problem, along.integrator);
    if (status == CARDAN_OK)
        status = cli_march(along.integrator, plan, &progress, visit, &along);
    cli_progress_end(&progress);
    check->run.fine = status == CARDAN_OK;
    if (status != CARDAN_OK)
        snprintf(check->run.text, sizeof check->run.text, "%s",
                 cli_reason(along.integrator, status));
    cardan_integrator_destroy(along.integrator);
}

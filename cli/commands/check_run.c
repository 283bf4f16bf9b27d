/* Every step keeps its error below the tolerance, but motions amplify errors, and many periods add
 * them up. Errors are in proportion to the tolerance: what a rough run is off, in its own
 * tolerances, is about what the run is off in those of the run. At a hundred times the tolerance it
 * takes about a fifth of the time. Equal steps are made twice as long: the error of the second run
 * is about four times that of the run, for methods of order 2. Those of explicit methods would soon
 * be unstable and are halved instead.
 *
 * Of 3000 runs of random machines (make cross-check, seed 20261119) the estimate was at worst a
 * seventh of an error above 20 tolerances; nothing that it puts above 3 is called good. Of equal
 * steps 20 thousandths are promised. */
#include "check_run.h"

#include "cli/setup/case.h"
#include "cli/setup/model_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TIMES = 51 };
static const double doubted = 3.0; /* tolerances */
static const double doubted_of_equal = 10.0;

/* A file is read once more; a pipe cannot be. */
static bool can_be_read_again(const cli_setup *setup)
{
    struct stat found;
    return setup->problem_index >= 0 ||
           (stat(setup->problem, &found) == 0 && S_ISREG(found.st_mode));
}

void cli_check_run_begin(cli_check_run *look, const cli_setup *setup, cli_case *problem,
                         const cli_plan *plan, double t)
{
    cli_verification *v = &look->ways;
    look->adaptive = plan->adaptive;
    look->wanted = plan->end > t && can_be_read_again(setup) && setup->projection.time_count == 0;
    if (!look->wanted)
        return;
    v->first.setup = *setup; /* borrowed, as the problem is */
    v->first.problem = problem;
    v->first.plan = *plan;
    v->count = TIMES;
    v->times = cli_verify_times(t, plan->end, TIMES);
    cli_verify_run_open(&v->first, v->times, TIMES);
}

void cli_check_run_step(cli_check_run *look, cardan_integrator *integrator, double t)
{
    if (look->wanted && cli_verify_run_take(&look->ways.first, integrator, t) != CARDAN_OK)
        look->wanted = false;
}

/* Whether steps are those of rk5, most of them at least. */
static bool is_explicit(const cli_verify_run *run)
{
    return strcmp(run->setup.method, "rk5") == 0 ||
           run->statistics.explicit_steps > run->statistics.steps / 2;
}

/* Of the second run, in those of the first. Where the first is rough itself the second is finer. At
 * rough tolerances errors of explicit methods grow faster than these. */
static double choose_factor(const cli_tolerance *of_first, bool explicit)
{
    const double roughest = explicit ? 1e-3 : 1e-2, most = 100.0, least = 3.0, finer = 0.1;
    const double factor = fmin(most, roughest / fmax(of_first->relative[0], of_first->relative[1]));
    return factor > least ? factor : finer;
}

static bool is_method(const cli_check_run *look, const char *name)
{
    return strcmp(look->ways.first.setup.method, name) == 0;
}

/* Fixed steps of high order are checked by shorter ones, others by longer ones. */
static double other_length(const cli_check_run *look)
{
    const bool high = is_method(look, "bdf") && look->ways.first.setup.order > 2;
    return high || is_method(look, "rk5") ? 0.5 : 2.0;
}

static bool prepare(cli_check_run *look)
{
    const long steps = look->ways.first.statistics.steps;
    cli_verify_run *first = &look->ways.first, *second = &look->ways.second;
    cli_tolerance *t = &second->setup.tolerance;
    second->setup = cli_setup_default(first->setup.command);
    for (int i = 0; i < look->ways.given_count; i++)
        cli_setup_apply(&second->setup, look->ways.given[i].code, look->ways.given[i].value);
    second->setup.quiet = second->setup.again = true;
    if (!cli_setup_case(&second->setup, &second->problem))
        return false;
    second->setup.end = first->times[first->rows - 1]; /* an event may have ended the first */
    if (!look->adaptive) {
        look->factor = other_length(look);
        second->most_steps = 2 * steps + 1;
        return cli_verify_run_plan(second, look->factor * first->plan.step, false);
    }
    *t = first->setup.tolerance;
    look->factor = choose_factor(t, is_explicit(first));
    for (int i = 0; i < CLI_CLASSES; i++) {
        t->relative[i] *= look->factor;
        t->absolute[i] *= look->factor;
    }
    second->most_steps = look->factor > 1.0 ? steps + 1000 : 10 * steps + 1000;
    return cli_verify_run_plan(second, 0.0, true);
}

static void tell(const cli_check_run *look, cardan_health *health)
{
    const cli_difference *d = &look->largest;
    char text[CARDAN_HEALTH_TEXT];
    snprintf(text, sizeof text,
             "errors add up: by a second run %s %g times the %s the %s of `%.60s` is off by about "
             "%.2g %s at t = %.6g; take a smaller %s, and see `cardan verify`",
             look->adaptive ? "at" : "in steps of", look->factor,
             look->adaptive ? "tolerance" : "length", look->kind, d->element, d->ratio,
             cli_check_run_unit(look), d->t, look->adaptive ? "tolerance (--rtol)" : "step");
    cardan_health_add(health, CARDAN_CONCERN_TOLERANCE, CARDAN_DOUBTFUL, d->t, text);
}

const char *cli_check_run_unit(const cli_check_run *look)
{
    return look->adaptive ? "tolerances" : "thousandths of the largest";
}

/* How many times larger the error of a rough run is: like its tolerance, but where something else
 * limits the steps (stability) no more than they are longer. */
static double error_ratio(const cli_check_run *look)
{
    const cli_verify_run *first = &look->ways.first, *second = &look->ways.second;
    const double order = is_explicit(second) || is_method(look, "bdf") ? 5.0 : 2.0;
    const double longer = (double)first->statistics.steps / (double)second->statistics.steps;
    return fmax(1.0, fmin(look->factor, pow(longer, order)));
}

/* What the difference is relative to. */
static void choose_yardstick(cli_check_run *look)
{
    cli_tolerance *t = &look->ways.first.setup.tolerance;
    const double ratio = error_ratio(look);
    for (int i = 0; look->adaptive && i < CLI_CLASSES; i++) {
        t->relative[i] *= ratio;
        t->absolute[i] *= ratio;
    }
    for (int i = 0; !look->adaptive && i < CLI_CLASSES; i++) {
        t->relative[i] = look->factor > 1.0 ? 3e-3 : 1e-3; /* errors of 4 and of 1 are 3 apart */
        t->absolute[i] = 1e-2 * t->relative[i];
    }
}

void cli_check_run_judge(cli_check_run *look, const cardan_statistics *first, cardan_health *health)
{
    cli_verification *v = &look->ways;
    v->first.statistics = *first;
    if (!look->wanted || v->first.rows == 0 || health->verdict == CARDAN_WRONG || !prepare(look) ||
        cli_verify_run_start(&v->second, v->times, v->first.rows) != CLI_DONE)
        return;
    look->failure = v->second.failure;
    if (v->second.rows == 0)
        return;
    choose_yardstick(look);
    cli_verify_compare(v);
    if (v->worst < 0)
        return;
    look->made = true;
    look->largest = v->differences[v->worst];
    look->kind = cli_kind_names[v->worst];
    look->steps = v->second.statistics.steps;
    if (look->largest.ratio > (look->adaptive ? doubted : doubted_of_equal))
        tell(look, health);
}

void cli_check_run_free(cli_check_run *look)
{
    cli_verify_run_close(&look->ways.first);
    cli_verify_run_free(&look->ways.second);
    free(look->ways.times);
    free(look->ways.given);
}

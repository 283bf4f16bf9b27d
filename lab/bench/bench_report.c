/* See bench_report.h. */
#include "bench_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void bench_report_cost_head(void)
{
    printf("%-22s %8s %-5s %7s %9s %9s %9s %6s %6s %7s %8s %8s %8s\n", "problem", "bodies", "",
           "h, ms", "us/step", "us/st/body", "threads", "iter", "fact", "growth", "kB/body",
           "start s", "error");
}

static double startup_of(const bench_cost *c)
{
    return c->read + c->build + c->assemble + c->create + c->start + c->first_step;
}

static void print_cost(const bench_task *task, const bench_cost *c, double per_step, double growth)
{
    const bool small = strcmp(task->group, "small") == 0;
    printf("%-22s ", !small                      ? task->group
                     : task->model.shape == NULL ? task->model.name
                     : task->model.form == NULL  ? "four-bar"
                                                 : "four-bar 3D");
    if (c->failure[0] != '\0') {
        printf("failed: %s\n", c->failure);
        return;
    }
    printf("%8d %-5s %7.3g %9.4g %9.4g ", c->bodies, task->solver.method, 1e3 * task->step,
           1e6 * per_step, 1e6 * per_step / c->bodies);
    if (c->threads > 1)
        printf("%d: %6.4g ", c->threads, 1e6 * c->wall / c->bodies);
    else
        printf("%9s ", "");
    printf("%6.2f %6.3f ", c->iterations, c->factorizations);
    if (isfinite(growth))
        printf("%7.2f ", growth);
    else
        printf("%7s ", "");
    printf("%8.1f %8.3g %8.1e\n", c->resident / 1000 / c->bodies, startup_of(c), c->error);
    fflush(stdout);
}

void bench_report_cost(const bench_task *task, const bench_cost *cost, double growth, bool print,
                       bench_table *table)
{
    const bool failed = cost->failure[0] != '\0';
    const double per_step = failed ? NAN : cost->seconds;
    const bench_cell cells[] = {
        {"group", task->group, 0},
        {"problem", task->model.name, 0},
        {"form",
         task->model.shape == NULL  ? "own"
         : task->model.form != NULL ? "3D"
                                    : "planar",
         0},
        {"bodies", NULL, cost->bodies},
        {"joints", NULL, cost->joints},
        {"method", task->solver.method, 0},
        {"tolerance", NULL, task->solver.newton},
        {"h", NULL, task->step},
        {"steps", NULL, task->steps},
        {"us_per_step", NULL, 1e6 * per_step},
        {"us_per_step_body", NULL, 1e6 * per_step / cost->bodies},
        {"threads", NULL, cost->threads},
        {"us_wall_per_step_body", NULL, 1e6 * cost->wall / cost->bodies},
        {"growth", NULL, growth},
        {"iterations", NULL, cost->iterations},
        {"factorizations", NULL, cost->factorizations},
        {"resident_kb_per_body", NULL, cost->resident / 1000 / cost->bodies},
        {"peak_kb_per_body", NULL, cost->peak / 1000 / cost->bodies},
        {"read_s", NULL, cost->read},
        {"build_s", NULL, cost->build},
        {"assemble_s", NULL, cost->assemble},
        {"create_s", NULL, cost->create},
        {"start_s", NULL, cost->start},
        {"first_step_s", NULL, cost->first_step},
        {"error", NULL, cost->error},
        {"evaluation", NULL, cost->evaluation},
        {"assembly", NULL, cost->assembly},
        {"factorization", NULL, cost->factorization},
        {"solve", NULL, cost->solve},
        {"other", NULL, cost->other},
        {"failure", cost->failure, 0},
    };
    if (print)
        print_cost(task, cost, per_step, growth);
    bench_table_add(table, cells, sizeof cells / sizeof cells[0]);
}

void bench_report_verdict_head(void)
{
    printf("%-14s %6s %6s | %-31s | %-31s %6s | %-31s %6s\n", "problem", "bodies", "error",
           "cardan: ms, error, by", "ida", "ratio", "simbody", "ratio");
}

static void print_winner(const bench_run *run)
{
    char text[40];
    if (run->solver == NULL) {
        printf("| %-31s ", "-");
        return;
    }
    bench_solver_text(run->solver, text, sizeof text);
    printf("| %8.3f %7.1e %-14s ", 1e3 * run->seconds, run->error, text);
}

/* How many times as long the other takes. */
static double ratio_of(const bench_run *other, const bench_run *ours)
{
    return other->solver != NULL && ours->solver != NULL ? other->seconds / ours->seconds : NAN;
}

static void print_verdict(const bench_verdict *v, int target)
{
    const bench_winner *w = v->winner[target];
    printf("%-14s %6d %6.0e ", v->contest->name, v->bodies, bench_targets[target]);
    print_winner(&w[BENCH_CARDAN].run);
    for (int kind = BENCH_CARDAN + 1; kind < BENCH_KINDS; kind++) {
        const double ratio = ratio_of(&w[kind].run, &w[BENCH_CARDAN].run);
        print_winner(&w[kind].run);
        if (isfinite(ratio))
            printf("%6.2f ", ratio);
        else
            printf("%6s ", "");
    }
    putchar('\n');
    fflush(stdout);
}

void bench_report_verdict(const bench_verdict *verdict, bool print, bench_table *table)
{
    for (int target = 0; target < BENCH_TARGETS; target++) {
        const bench_winner *winners = verdict->winner[target];
        for (int kind = 0; kind < BENCH_KINDS; kind++) {
            const bench_run *run = &winners[kind].run;
            const bool none = run->solver == NULL;
            char text[40] = "";
            if (!none)
                bench_solver_text(run->solver, text, sizeof text);
            const bench_cell cells[] = {
                {"problem", verdict->contest->name, 0},
                {"bodies", NULL, verdict->bodies},
                {"form", none ? "" : verdict->contest->form[winners[kind].form].name, 0},
                {"wanted_error", NULL, bench_targets[target]},
                {"solver", bench_kind_names[kind], 0},
                {"setting", text, 0},
                {"value", NULL, none ? NAN : run->value},
                {"error", NULL, none ? NAN : run->error},
                {"seconds", NULL, run->seconds},
                {"steps", NULL, none ? NAN : (double)run->steps},
                {"iterations", NULL, none ? NAN : (double)run->iterations},
                {"factorizations", NULL, none ? NAN : (double)run->factorizations},
                {"ratio", NULL, ratio_of(run, &winners[BENCH_CARDAN].run)},
                {"reference", verdict->reference, 0},
            };
            bench_table_add(table, cells, sizeof cells / sizeof cells[0]);
        }
        if (print)
            print_verdict(verdict, target);
    }
}

void bench_report_fact(const char *name, double value, const char *unit, bool print,
                       bench_table *table)
{
    const bench_cell cells[] = {{"fact", name, 0}, {"value", NULL, value}, {"unit", unit, 0}};
    if (print)
        printf("%-58s %10.4g %s\n", name, value, unit);
    bench_table_add(table, cells, sizeof cells / sizeof cells[0]);
}

/* A work-precision study as tables, CSV and JSON. */
#include "workprec.h"

#include "cli/results/output_file.h"
#include "lab/peers/ida.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const cli_cost_names[CLI_COSTS] = {"time", "evaluations", "factorizations",
                                               "iterations", "steps"};

static const int shown[] = {CLI_Q, CLI_V, CLI_LAMBDA, CLI_PSI};
enum { SHOWN = 4 };

bool cli_workprec_has(const cli_workprec *study, int quantity)
{
    if (quantity == CLI_LAMBDA)
        return study->comparison.constraints > 0;
    if (quantity == CLI_PSI)
        return study->comparison.nonholonomic > 0;
    return quantity == CLI_Q || quantity == CLI_V;
}

double cli_workprec_cost(const cli_workprec_run *run, cli_cost cost)
{
    switch (cost) {
    case CLI_COST_TIME:
        return run->work.seconds;
    case CLI_COST_EVALUATIONS:
        return (double)(run->work.evaluations + run->work.differences);
    case CLI_COST_FACTORIZATIONS:
        return (double)run->work.factorizations;
    case CLI_COST_ITERATIONS:
        return (double)run->work.iterations;
    default:
        return (double)run->work.steps;
    }
}

void cli_workprec_print_head(const cli_workprec *study)
{
    printf("%s: work and precision, t = %g to %g, errors %s\n", study->setup.problem, study->begin,
           study->setup.end, study->largest ? "at their largest" : "at the end");
    printf("reference: %s\n", study->reference_text);
    for (int i = 0; i < study->solver_count; i++) {
        const cli_solver *solver = &study->solvers[i];
        if (solver->is_ida)
            printf("ida: %s\n", peer_ida_text());
        else
            printf("%s: %s, %s start%s\n", solver->name, solver->setup.params_text,
                   cli_setup_start_name(&solver->setup),
                   solver->adapts ? "" : "; it takes fixed steps only");
    }
    printf("\n%-13s%-12s %8s %8s %9s %8s %8s %9s", "method", "", "steps", "rejected", "evals",
           "iters", "factors", "seconds");
    for (int i = 0; i < SHOWN; i++)
        if (cli_workprec_has(study, shown[i]))
            printf(" %8s", cli_quantity_names[shown[i]]);
    printf("\n");
}

void cli_workprec_print_run(const cli_workprec *study, const cli_workprec_run *run)
{
    char setting[32];
    const cli_work *w = &run->work;
    snprintf(setting, sizeof setting, "%s%.3g", run->adaptive ? "rtol " : "h ", run->value);
    printf("%-13s%-12s", run->solver->name, setting);
    if (run->failure[0] != '\0') {
        printf(" failed %s\n", run->failure);
        return;
    }
    printf(" %8ld %8ld %9.0f %8ld %8ld %9.2e", w->steps, w->rejected,
           cli_workprec_cost(run, CLI_COST_EVALUATIONS), w->iterations, w->factorizations,
           w->seconds);
    for (int i = 0; i < SHOWN; i++)
        if (cli_workprec_has(study, shown[i]))
            printf(" %8.2e", run->errors[shown[i]]);
    printf("\n");
    fflush(stdout); /* the next run may take long */
}

/* A column of the table at equal errors: a solver with one way of choosing steps. */
typedef struct column {
    const cli_solver *solver;
    bool adaptive;
} column;

static int list_columns(const cli_workprec *study, column columns[2 * CLI_MOST_SOLVERS])
{
    int count = 0;
    for (int i = 0; i < study->run_count; i++) {
        const cli_workprec_run *run = &study->runs[i];
        if (count > 0 && columns[count - 1].solver == run->solver &&
            columns[count - 1].adaptive == run->adaptive)
            continue;
        columns[count++] = (column){run->solver, run->adaptive};
    }
    return count;
}

static bool belongs(const cli_workprec_run *run, const column *of)
{
    return run->solver == of->solver && run->adaptive == of->adaptive && run->failure[0] == '\0';
}

/* The least cost at which the column has this error, interpolated between neighbours in double
 * logarithmic scale; NAN if no two runs enclose it. */
static double cost_of_error(const cli_workprec *study, const column *of, int quantity, double error)
{
    double least = NAN;
    for (int i = 0; i + 1 < study->run_count; i++) {
        const cli_workprec_run *one = &study->runs[i], *two = one + 1;
        if (!belongs(one, of) || !belongs(two, of))
            continue;
        const double x = one->errors[quantity], y = two->errors[quantity];
        if (!(fmin(x, y) <= error && error <= fmax(x, y)) || !(fmin(x, y) > 0.0) || x == y)
            continue;
        const double part = log(error / x) / log(y / x);
        const double a = cli_workprec_cost(one, study->cost);
        const double b = cli_workprec_cost(two, study->cost);
        least = fmin(least, a > 0.0 && b > 0.0 ? a * pow(b / a, part) : NAN);
    }
    return least;
}

static void print_equal_rows(const cli_workprec *study, int quantity, const column *columns,
                             int count)
{
    for (int decade = 3; decade >= -12; decade--) {
        double costs[2 * CLI_MOST_SOLVERS];
        int known = 0;
        for (int i = 0; i < count; i++) {
            costs[i] = cost_of_error(study, &columns[i], quantity, pow(10.0, decade));
            known += isfinite(costs[i]);
        }
        if (known < 2) /* nothing to compare */
            continue;
        printf("%-8s %-7.0e", cli_quantity_names[quantity], pow(10.0, decade));
        for (int i = 0; i < count; i++)
            if (isfinite(costs[i]))
                printf(" %*.2e", 17, costs[i]);
            else
                printf(" %17s", "-");
        printf("\n");
    }
}

void cli_workprec_print_equal(const cli_workprec *study)
{
    column columns[2 * CLI_MOST_SOLVERS];
    const int count = list_columns(study, columns);
    printf("\n%s%s at equal errors, between the runs above\n%-16s", cli_cost_names[study->cost],
           study->cost == CLI_COST_TIME ? " (s)" : "", "error");
    for (int i = 0; i < count; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s%s", columns[i].solver->name,
                 columns[i].solver->is_ida ? ""
                 : columns[i].adaptive     ? " rtol"
                                           : " h");
        printf(" %17s", name);
    }
    printf("\n");
    for (int i = 0; i < SHOWN; i++)
        if (cli_workprec_has(study, shown[i]))
            print_equal_rows(study, shown[i], columns, count);
}

static void write_csv_row(const cli_workprec_run *run, FILE *out)
{
    const cli_work *w = &run->work;
    fprintf(out, "%s,%d,%.17g,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%.6g", run->solver->name, run->adaptive,
            run->value, w->steps, w->rejected, w->evaluations, w->differences, w->iterations,
            w->matrices, w->factorizations, w->seconds);
    for (int j = 0; j < SHOWN; j++)
        fprintf(out, ",%.17g", run->errors[shown[j]]);
    fputc('\n', out);
}

bool cli_workprec_write_csv(const cli_workprec *study)
{
    cli_output_file out;
    bool written = cli_output_file_open(&out, study->setup.command, study->csv, CLI_OUTPUT_STREAM);
    if (written)
        fputs("method,adaptive,value,steps,rejected,evaluations,differences,iterations,matrices,"
              "factorizations,seconds,q,v,lambda,psi\n",
              out.file);
    for (int i = 0; written && i < study->run_count; i++)
        if (study->runs[i].failure[0] == '\0')
            write_csv_row(&study->runs[i], out.file);
    written = written && cli_output_file_place(&out);
    return cli_output_file_close(&out) && written;
}

static json_t *run_json(const cli_workprec *study, const cli_workprec_run *run)
{
    const cli_work *w = &run->work;
    json_t *errors = json_object();
    for (int i = 0; i < SHOWN; i++)
        if (cli_workprec_has(study, shown[i]) && run->failure[0] == '\0')
            json_object_set_new(errors, cli_quantity_names[shown[i]],
                                cli_json_number(run->errors[shown[i]]));
    json_t *object = json_pack(
        "{s:s, s:b, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "method", run->solver->name,
        "adaptive", run->adaptive, run->adaptive ? "rtol" : "step", cli_json_number(run->value),
        "errors", errors, "steps", (json_int_t)w->steps, "rejected", (json_int_t)w->rejected,
        "evaluations", (json_int_t)w->evaluations, "differences", (json_int_t)w->differences,
        "iterations", (json_int_t)w->iterations, "matrices", (json_int_t)w->matrices,
        "factorizations", (json_int_t)w->factorizations, "seconds", cli_json_number(w->seconds));
    if (run->failure[0] != '\0')
        json_object_set_new(object, "failure", json_string(run->failure));
    return object;
}

void cli_workprec_json(const cli_workprec *study)
{
    json_t *runs = json_array();
    for (int i = 0; i < study->run_count; i++)
        json_array_append_new(runs, run_json(study, &study->runs[i]));
    cli_json_print(json_pack("{s:s, s:o, s:o, s:s, s:s, s:s?, s:o}", "problem",
                             study->setup.problem, "begin", cli_json_number(study->begin), "end",
                             cli_json_number(study->setup.end), "norm",
                             study->largest ? "max" : "end", "reference", study->reference_text,
                             "ida", peer_ida_text(), "runs", runs));
}

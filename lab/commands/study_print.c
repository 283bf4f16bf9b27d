/* A convergence study as a table and as JSON. */
#include "cli/results/verdict.h"
#include "cli/setup/case.h"
#include "study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool shows_lambda_step(const cli_study *study)
{
    return !study->end_norm && cli_study_has(study, CLI_LAMBDA);
}

void cli_study_print_head(const cli_study *study)
{
    const cli_setup *setup = &study->setup;
    printf("%s by %s (%s, %s start)\n", setup->problem, setup->method, setup->params_text,
           cli_setup_start_name(setup));
    printf("t = %g to %g, errors ", study->plans[0].begin, setup->end);
    printf("%s", study->end_norm ? "at the end" : "at their largest");
    if (!isnan(study->skip))
        printf(" from t = %g on", study->skip);
    printf("\nreference: %s\n\n%9s", cli_case_reference_text(study->problem), "h");
    for (int i = 0; i < CLI_QUANTITIES; i++) {
        if (cli_study_has(study, i))
            printf(" %8s order", i == CLI_ETA ? "|eta|" : cli_quantity_names[i]);
        if (i == CLI_LAMBDA && shows_lambda_step(study))
            printf("   at n");
    }
    printf("\n");
}

bool cli_study_print_run(const cli_study *study, const cli_study_run *runs, int i)
{
    printf("%9.4g", study->steps[i]);
    for (int j = 0; j < CLI_QUANTITIES && runs[i].failure[0] == '\0'; j++) {
        double order = cli_study_order(study, runs, i, j);
        if (cli_study_has(study, j))
            printf(" %8.2e", runs[i].errors[j]);
        if (cli_study_has(study, j) && isnan(order))
            printf("     -");
        else if (cli_study_has(study, j))
            printf(" %5.2f", order);
        if (j == CLI_LAMBDA && shows_lambda_step(study))
            printf(" %6lld", runs[i].lambda_step);
    }
    if (runs[i].failure[0] != '\0')
        printf(" failed %s\n", runs[i].failure);
    else if (runs[i].health.verdict != CARDAN_GOOD)
        printf("   %s: %s\n", cardan_verdict_name(runs[i].health.verdict),
               runs[i].health.findings[0].name);
    else
        printf("\n");
    if (fflush(stdout) == 0) /* the next run may take long */
        return true;
    cli_complain(study->setup.command, "cannot write standard output: %s", strerror(errno));
    return false;
}

static json_t *run_json(const cli_study *study, const cli_study_run *runs, int i)
{
    bool failed = runs[i].failure[0] != '\0';
    json_t *errors = json_object();
    json_t *orders = json_object();
    for (int j = 0; j < CLI_QUANTITIES; j++) {
        double error = failed || !cli_study_has(study, j) ? NAN : runs[i].errors[j];
        double order = cli_study_has(study, j) ? cli_study_order(study, runs, i, j) : NAN;
        json_object_set_new(errors, cli_quantity_names[j], cli_json_number(error));
        json_object_set_new(orders, cli_quantity_names[j], cli_json_number(order));
    }
    json_t *object =
        json_pack("{s:o, s:I, s:o, s:o}", "step", cli_json_number(study->steps[i]), "steps",
                  (json_int_t)study->plans[i].steps, "errors", errors, "orders", orders);
    if (shows_lambda_step(study) && !failed)
        json_object_set_new(object, "lambda_peak_step",
                            json_integer((json_int_t)runs[i].lambda_step));
    if (!failed)
        json_object_set_new(object, "health", cli_verdict_json(&runs[i].health));
    if (failed)
        json_object_set_new(object, "failure", json_string(runs[i].failure));
    return object;
}

void cli_study_json(const cli_study *study, const cli_study_run *runs)
{
    json_t *object = cli_setup_json(&study->setup);
    json_t *list = json_array();
    for (int i = 0; i < study->count; i++)
        json_array_append_new(list, run_json(study, runs, i));
    json_object_set_new(object, "begin", cli_json_number(study->plans[0].begin));
    json_object_set_new(object, "end", cli_json_number(study->setup.end));
    json_object_set_new(object, "norm", json_string(study->end_norm ? "end" : "max"));
    json_object_set_new(object, "skip", cli_json_number(study->skip));
    json_object_set_new(object, "reference", json_string(cli_case_reference_text(study->problem)));
    json_object_set_new(object, "runs", list);
    cli_json_print(object);
}

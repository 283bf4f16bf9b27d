/* The table and the answer of `cardan verify`, in words and as JSON. */
#include "cli/results/verdict.h"
#include "verify.h"

#include <stdio.h>
#include <string.h>

static const char *const units[CLI_KINDS] = {"m", "rad", "m/s", "rad/s", "N", "N m"};

/* Values of built-in problems are in units of their own. */
static const char *unit_of(const cli_verification *v, int kind)
{
    return v->first.setup.model_file != NULL ? units[kind] : "";
}

static void print_run(const char *name, const cli_verify_run *run)
{
    char rtol[80], atol[80], step[CLI_NUMBER_TEXT];
    const cli_tolerance *t = &run->setup.tolerance;
    printf("%-8s %s ", name, run->setup.method);
    if (run->plan.adaptive)
        printf("by rtol %s, atol %s", cli_tolerance_text(t->relative, rtol, sizeof rtol),
               cli_tolerance_text(t->absolute, atol, sizeof atol));
    else
        printf("in steps of %s", cli_shortest(run->plan.step, step));
    printf(", %ld steps", run->statistics.steps);
    if (run->form != NULL)
        printf(", bodies in the form `%s`", run->form);
    printf("%s%s\n", run->failure[0] != '\0' ? "; it " : "", run->failure);
}

static void print_table(const cli_verification *v)
{
    printf("\n%-18s%-22s%-20s%-12s%-12s%s\n", "", "largest difference", "of", "at t",
           v->equal_steps ? "yardstick" : "tolerance", "times it");
    for (int i = 0; i < CLI_KINDS; i++) {
        const cli_difference *d = &v->differences[i];
        char number[64];
        if (d->tolerance == 0.0)
            continue;
        snprintf(number, sizeof number, "%.3g %s", d->difference, unit_of(v, i));
        printf("%-18s%-22s%-20s%-12.6g%-12.3g%.3g\n", cli_kind_names[i], number, d->element, d->t,
               d->tolerance, d->ratio);
    }
}

void cli_verify_print(const cli_verification *v)
{
    printf("%s, t = %g to %g\n\n", v->first.setup.problem, v->first.plan.begin, v->first.plan.end);
    print_run("first", &v->first);
    if (v->second.columns > 0)
        print_run("second", &v->second);
    if (v->tried[0] != '\0')
        printf("%s\n", v->tried);
    if (v->worst >= 0)
        print_table(v);
    putchar('\n');
    cli_verdict_print(v->verdict);
    printf(": %s\n", v->sentence);
}

static json_t *run_json(const cli_verify_run *run)
{
    return json_pack(
        "{s:s, s:b, s:o, s:o, s:s, s:I, s:o, s:o}", "method", run->setup.method, "adaptive",
        run->plan.adaptive, "tolerance", cli_tolerance_json(&run->setup.tolerance), "step",
        run->plan.adaptive ? json_null() : cli_json_number(run->plan.step), "form",
        run->form != NULL ? run->form : "as given", "steps", (json_int_t)run->statistics.steps,
        "reached", cli_json_number(run->reached), "failure",
        run->failure[0] != '\0' ? cli_json_text(run->failure) : json_null());
}

static json_t *differences_json(const cli_verification *v)
{
    json_t *list = json_array();
    for (int i = 0; i < CLI_KINDS; i++) {
        const cli_difference *d = &v->differences[i];
        if (d->tolerance == 0.0)
            continue;
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", cli_kind_names[i],
                            "unit", unit_of(v, i), "difference", cli_json_number(d->difference),
                            "element", cli_json_text(d->element), "t", cli_json_number(d->t),
                            "size", cli_json_number(d->size), "tolerance",
                            cli_json_number(d->tolerance), "ratio", cli_json_number(d->ratio)));
    }
    return list;
}

void cli_verify_json(const cli_verification *v)
{
    cli_json_print(json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:s, s:o}", "problem",
                             cli_json_text(v->first.setup.problem), "first", run_json(&v->first),
                             "second", v->second.columns > 0 ? run_json(&v->second) : json_null(),
                             "tried", v->tried[0] != '\0' ? cli_json_text(v->tried) : json_null(),
                             "equal_steps", v->equal_steps, "differences", differences_json(v),
                             "verdict", v->verdict, "sentence", cli_json_text(v->sentence)));
}

/* The findings of `cardan check` in words, for 80 columns. */
#include "check.h"
#include "cli/results/wrap.h"
#include "lab/analysis/decomposition.h"
#include "lab/analysis/projection_verdict.h"

#include <math.h>
#include <stdio.h>

enum { SENTENCE = 1024 };

static const char *mark(bool fine)
{
    return fine ? "ok" : "WRONG";
}

static void print_title(const char *title, bool fine)
{
    printf("%-60s %s\n", title, mark(fine));
}

static void print_head(const cli_check_job *check)
{
    const cardan_system *system = check->system;
    printf("%s: %d velocities, %d holonomic and %d nonholonomic constraint%s\n\n",
           check->setup.problem, cardan_system_describe(system).dof,
           cardan_system_describe(system).constraint_count,
           cardan_system_describe(system).nonholonomic_count,
           cardan_system_describe(system).nonholonomic_count == 1 ? "" : "s");
}

static void print_model(const cli_check_job *check)
{
    const cardan_residuals *r = &check->residuals;
    char sentence[SENTENCE];
    snprintf(sentence, sizeof sentence, "Derivatives at %d points", check->derivative_points);
    print_title(sentence, check->derivatives.fine);
    if (!check->derivatives.fine)
        cli_check_print_place(check, check->derivatives.text);
    cli_print_wrapped("  ", check->derivatives.text);
    print_title("Initial values", check->consistent.fine);
    if (!check->consistent.fine)
        cli_check_print_place(check, check->consistent.text);
    printf("  residuals: position %.2e, velocity %.2e, acceleration %.2e\n", r->position,
           r->velocity, r->acceleration);
    if (check->consistent.text[0] != '\0')
        cli_print_wrapped("  ", check->consistent.text);
    print_title("Structure", check->structure.fine);
    if (!check->structure.fine) {
        cli_check_print_place(check, check->structure.text);
        cli_print_wrapped("  ", check->structure.text);
    }
    snprintf(sentence, sizeof sentence, "%s %s", check->rank.mass_text,
             check->rank.constraint_text);
    cli_print_wrapped("  ", sentence);
    cli_print_wrapped("  ", check->rank.kernel_text);
    if (isnan(check->rank.augmented_smallest))
        printf("  smallest eigenvalue of M* = M + C^T C: not found\n");
    else
        printf("  smallest eigenvalue of M* = M + C^T C: %.4g\n", check->rank.augmented_smallest);
    cli_print_wrapped("  ", check->rank.multiplier_text);
    if (check->rank.friction_text[0] != '\0')
        cli_print_wrapped("  ", check->rank.friction_text);
}

/* The combination of multipliers in column j of Q, scaled to a largest coefficient of 1. */
static void print_combination(const cli_check_job *check, int j)
{
    const lab_decomposition *d = check->decomposition;
    const int n = d->constraints;
    char sentence[SENTENCE] = "", name[24];
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        if (fabs(d->q[i * n + j]) > fabs(largest))
            largest = d->q[i * n + j];
    for (int i = 0, used = 0; i < n && used < SENTENCE - 64; i++) {
        const double c = d->q[i * n + j] / largest;
        char factor[32] = "";
        if (fabs(c) < 1e-9)
            continue;
        if (fabs(fabs(c) - 1.0) > 1e-9)
            snprintf(factor, sizeof factor, "%.4g ", fabs(c));
        used += snprintf(sentence + used, sizeof sentence - (size_t)used, "%s%s%s",
                         c < 0.0 ? (used > 0 ? " - " : "-") : (used > 0 ? " + " : ""), factor,
                         cli_check_multiplier(check, i, name));
    }
    cli_print_wrapped("    ", sentence);
}

static void print_multipliers(const cli_check_job *check)
{
    const lab_decomposition *d = check->decomposition;
    if (d == NULL || check->rank.algebraic == 0)
        return;
    printf("  functions of (q, v, t) are\n");
    for (int j = check->rank.tied; j < d->constraints; j++)
        print_combination(check, j);
    if (check->rank.tied > 0)
        printf("  tied to v' are\n");
    for (int j = 0; j < check->rank.tied; j++)
        print_combination(check, j);
    printf("  (columns of Q in ACB-R (13); multiplied out with a defect of %.1e)\n", d->defect);
}

static void print_advice(const cli_check_job *check)
{
    cli_print_wrapped("  ", check->rank.index_text);
    if (check->method[0] != '\0') {
        char text[SENTENCE];
        snprintf(text, sizeof text, "Adaptive steps: leave out --method, auto takes %s.",
                 check->method);
        cli_print_wrapped("  ", text);
        puts("  Fixed steps:");
    }
    cli_print_wrapped(check->method[0] != '\0' ? "    " : "  ", check->rank.advice);
    putchar('\n');
}

static void print_verdict(const cli_check_job *check, const cli_verdict *v)
{
    static const char *const cases[] = {"", "I", "II", "III", "IV"};
    if (!v->judged) {
        printf("  A = %s: no verdict\n", v->name);
        cli_print_wrapped("    ", v->refusal);
        return;
    }
    const lab_projection_verdict *now = &v->at_start, *worst = &v->worst;
    printf("  A = %s: %s energy\n", v->name, v->can_add_energy ? "CAN ADD" : "cannot add");
    printf("    now: case %s, deciding eigenvalue %.3g (%.1e of the largest)\n",
           cases[now->case_number], now->smallest, now->smallest_relative);
    if (v->states > 1) {
        char text[160];
        snprintf(text, sizeof text,
                 "worst of %lld states to t = %g: case %s, %.3g (%.1e) at t = %.4g", v->states,
                 check->run_end, cases[worst->case_number], worst->smallest,
                 worst->smallest_relative, v->worst_time);
        cli_print_wrapped("    ", text);
    }
    cli_print_wrapped("    ", v->can_add_energy ? worst->advice : now->advice);
}

static void print_projections(const cli_check_job *check)
{
    if (cardan_system_describe(check->system).constraint_count +
            cardan_system_describe(check->system).nonholonomic_count ==
        0)
        return;
    printf("Velocity projection with matrix A: can it add energy?\n");
    for (int i = 0; i < check->verdict_count; i++)
        print_verdict(check, &check->verdicts[i]);
    if (check->run_cut) {
        char text[160];
        snprintf(
            text, sizeof text,
            "The motion was followed up to t = %g only, since the model is large; --end T goes "
            "on.",
            check->run_end);
        cli_print_wrapped("  ", text);
    }
    putchar('\n');
}

static void print_transient(const cli_check_job *check)
{
    const cli_transient *t = &check->transient;
    char sentence[SENTENCE];
    if (!t->applies)
        return;
    printf("Plain start of ga3 with %s and step %g\n", check->setup.params_text, check->step);
    snprintf(sentence, sizeof sentence,
             "The starting error |B l^q|/h^2 is %.3g. The recursion amplifies it up to %.3g times, "
             "to %.3g in B M^-1 B^T lambda, about %d steps after the start, and it fades after "
             "about %d steps.",
             t->starting_error, t->recursion.lambda_peak,
             t->recursion.lambda_peak * t->starting_error, t->recursion.lambda_peak_step,
             t->recursion.settled_step);
    cli_print_wrapped("  ", sentence);
    if (t->measured_step > 0)
        printf("  measured: B M^-1 B^T lambda off by %.3g at step %d,\n"
               "            lambda off by %.3g at step %d (lambda up to %.3g)\n",
               t->measured_scaled, t->scaled_step, t->measured, t->measured_step, t->lambda);
    cli_print_wrapped("  ", "The perturbed start (the default) and ga2s avoid it.");
    if (t->has_null)
        printf("  Errors of massless accelerations fade by %.3g per step (ACB-R (27)).\n",
               t->null.radius);
    putchar('\n');
}

void cli_check_print(const cli_check_job *check)
{
    print_head(check);
    cli_check_print_elements(check);
    print_model(check);
    print_multipliers(check);
    print_advice(check);
    print_projections(check);
    print_transient(check);
    if (!check->run.fine) {
        print_title("Run", false);
        cli_print_wrapped("  ", check->run.text);
    }
    const bool model = check->derivatives.fine && check->consistent.fine && check->structure.fine &&
                       cli_check_elements_fine(check);
    if (!model)
        puts("Something is wrong with the model.");
    else if (!check->run.fine)
        printf("The model passed, but the run with %s and %s failed.\n", check->setup.method,
               check->setup.params_text);
    else
        puts("The model is sound.");
}

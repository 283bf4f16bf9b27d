/* cardan explain: a method's numbers - order, stability, damping of oscillations, and how far it
 * amplifies the errors of a start in the multipliers. */
#include "commands.h"
#include "json.h"
#include "options.h"
#include "wrap.h"

#include <cardan/analysis.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILY_TEXT = 256, SENTENCE_TEXT = 1024 };

static const char help[] =
    "usage: cardan explain METHOD [--rho R | --params NAME:VALUES]\n"
    "                             [--omega O1,O2,...] [--json]\n"
    "\n"
    "Prints what a generalized-alpha method's four parameters mean: the order and\n"
    "stability conditions, the behaviour on the oscillator q'' + omega^2 q = 0 over\n"
    "omega*h, and the recursion of the errors in the Lagrange multipliers with the\n"
    "transient that it predicts.\n"
    "\n"
    "  METHOD             ga3 (index-3 form), ga2s (stabilised index-2 form),\n"
    "                     nonholonomic, hht, hht3 or hht2\n"
    "  --rho R            Chung and Hulbert's family, 0 <= R <= 1; default 0.8;\n"
    "                     not for hht, hht3 and hht2, whose default is hht:-0.1\n"
    "  --params TEXT      another family: ch:rho, hht:alpha, wbz:alpha_m,\n"
    "                     newmark:beta,gamma, trapezoidal, stoermer,\n"
    "                     free:alpha_m,alpha_f,beta,gamma; numbers may be fractions\n"
    "  --omega O1,O2,...  values of omega*h for the table\n"
    "  --json             print JSON with all digits instead of text\n"
    "\n"
    "examples:\n"
    "  cardan explain ga3 --rho 0.9\n"
    "  cardan explain ga2s --params hht:-1/3\n"
    "  cardan explain ga3 --params free:0,0.2,0.5,0.7 --omega 0.1,1,10 --json\n"
    "\n"
    "JSON keys: method, family, parameters {alpha_m, alpha_f, beta, gamma},\n"
    "  second_order, order_defect, strictly_stable, oscillator_stable,\n"
    "  violated (a sentence, or null),\n"
    "  local_error (C_q: the position error of a step is h^3 C_q v''/6),\n"
    "  shift (a_n approximates v'(t_n + shift h)),\n"
    "  spectrum [{omega, spectral_radius, damping_ratio, period_error,\n"
    "    spurious_root}],\n"
    "  recursion {order, plus, zero, matrix (rows of T_+, T_0 and T_+^-1 T_0),\n"
    "    spectral_radius, peak, peak_step (largest 2-norm of the matrix's powers),\n"
    "    lambda_peak, lambda_peak_step (largest entry from r^B to lambda; ga3),\n"
    "    settled_step (from here on below peak/1000; -1: never found),\n"
    "    jordan_bound, rule_of_thumb (ga3)}, or null if T_+ is singular or the\n"
    "    method has none (hht, hht3, hht2),\n"
    "  transient (a sentence). Values that are not finite are null.\n"
    "\n"
    "Exit codes: 0 done, 1 failed while running, 2 bad input.\n";

static const double default_omegas[] = {0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1e4, 1e8};

/* The methods with parameters that can be explained. */
typedef struct explained {
    const char *name, *form;
    const char *recursion; /* of the multipliers' errors, or NULL */
    const char *transient; /* what to say instead */
} explained;

#define LOCAL_MULTIPLIERS                                                                          \
    "The multipliers are found anew in every step: nothing of an error of the start is carried "   \
    "on, and no transient is to be expected."

static const explained methods[] = {
    {"ga3", "generalized-alpha on the index-3 form", "ga3", NULL},
    {"ga2s", "generalized-alpha on the stabilised index-2 form", "ga2s", NULL},
    {"nonholonomic", "generalized-alpha with averaged forces", "ga2s", NULL},
    {"hht", "HHT-alpha for systems without constraints", NULL, "There are no multipliers."},
    {"hht3", "HHT-alpha with holonomic constraints", NULL, LOCAL_MULTIPLIERS},
    {"hht2", "HHT-alpha with nonholonomic constraints", NULL, LOCAL_MULTIPLIERS}};
enum { METHODS = sizeof methods / sizeof methods[0] };

typedef struct request {
    const explained *method;
    const char *rho, *params;
    double *omegas; /* from --omega, or NULL */
    int count;
    bool json;
} request;

/* All that is known about the method; both outputs are made from this. */
typedef struct findings {
    const explained *method;
    char family[FAMILY_TEXT];
    cardan_params params;
    cardan_params_verdict verdict;
    cardan_spectrum *spectrum;
    int count;
    cardan_recursion recursion;
    bool has_recursion;
    char transient[SENTENCE_TEXT];
} findings;

enum { OPTION_RHO = CLI_OPTION_FIRST, OPTION_PARAMS, OPTION_OMEGA, OPTION_JSON };

static const struct option options[] = {
    {"rho", required_argument, NULL, OPTION_RHO},
    {"params", required_argument, NULL, OPTION_PARAMS},
    {"omega", required_argument, NULL, OPTION_OMEGA},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_method(request *asked, const char *value)
{
    if (asked->method != NULL) {
        cli_complain("explain", "`%s` is one argument too many; give one method", value);
        return false;
    }
    const char *names[METHODS];
    int index;
    for (int i = 0; i < METHODS; i++)
        names[i] = methods[i].name;
    if (!cli_choice("explain", "method with parameters", value, names, METHODS, &index))
        return false;
    asked->method = &methods[index];
    return true;
}

static bool apply(void *context, int code, const char *value)
{
    request *asked = context;
    switch (code) {
    case CLI_POSITIONAL:
        return take_method(asked, value);
    case OPTION_RHO:
        asked->rho = value;
        return true;
    case OPTION_PARAMS:
        asked->params = value;
        return true;
    case OPTION_OMEGA:
        return cli_positive_list("explain", "--omega", value, &asked->omegas, &asked->count);
    default:
        asked->json = true;
        return true;
    }
}

static bool is_hht(const explained *method)
{
    return method->recursion == NULL;
}

/* Methods of the HHT family take no other parameters. */
static bool fits_family(const request *asked)
{
    if (!is_hht(asked->method) ||
        (asked->rho == NULL && (asked->params == NULL || strncmp(asked->params, "hht:", 4) == 0)))
        return true;
    cli_complain("explain", "%s takes parameters of the HHT family only; give --params hht:ALPHA",
                 asked->method->name);
    return false;
}

static const char *default_family(const explained *method)
{
    return is_hht(method) ? "hht:-0.1" : "ch:0.8";
}

/* The family's text from --rho or --params. */
static bool choose_family(const request *asked, findings *found)
{
    if (asked->method == NULL) {
        cli_complain("explain", "no method is given; write `cardan explain ga3` or "
                                "`cardan explain ga2s`");
        return false;
    }
    if (asked->rho != NULL && asked->params != NULL) {
        cli_complain("explain", "--rho and --params exclude each other; give one of them");
        return false;
    }
    if (!fits_family(asked))
        return false;
    const char *text = asked->params != NULL ? asked->params
                       : asked->rho != NULL  ? asked->rho
                                             : default_family(asked->method);
    int length =
        snprintf(found->family, FAMILY_TEXT, "%s%s", asked->rho != NULL ? "ch:" : "", text);
    if (length >= FAMILY_TEXT) {
        cli_complain("explain", "the parameters' text is too long; use fewer digits");
        return false;
    }
    return true;
}

/* The sentence for ga3: the first-order error of a plain start in r^B, amplified. */
static void predict_index_three(findings *found)
{
    const cardan_recursion *r = &found->recursion;
    if (isinf(r->peak)) {
        snprintf(found->transient, SENTENCE_TEXT,
                 "With ga3 and these parameters errors of the start in lambda never fade but grow "
                 "without bound (spectral radius %.6g); choose rho below 1, or parameters that "
                 "meet the stability conditions.",
                 r->radius);
        return;
    }
    char fade[80];
    if (r->settled_step >= 0)
        snprintf(fade, sizeof fade, "fade after about %d steps", r->settled_step);
    else
        snprintf(fade, sizeof fade, "fade very slowly (spectral radius %.9g)", r->radius);
    snprintf(found->transient, SENTENCE_TEXT,
             "With ga3 and a plain start expect spurious oscillations in lambda that peak about %d "
             "step%s after the start at roughly %.3g times the first-order starting error "
             "|B l^q|/h^2 (in linear spaces h |C_q B v''|/6) and %s; the perturbed start (the "
             "default) or ga2s avoids them.",
             r->lambda_peak_step, r->lambda_peak_step == 1 ? "" : "s", r->lambda_peak, fade);
}

/* The sentence for ga2s: only the error of the starting acceleration remains, not amplified. */
static void predict_stabilised(findings *found)
{
    const cardan_recursion *r = &found->recursion;
    if (r->settled_step < 0) {
        snprintf(found->transient, SENTENCE_TEXT,
                 "With %s and these parameters errors of the start in lambda do not fade "
                 "(spectral radius %.6g); choose rho below 1, or parameters that meet the "
                 "stability conditions.",
                 found->method->name, r->radius);
        return;
    }
    snprintf(found->transient, SENTENCE_TEXT,
             "With %s and a plain start expect no large oscillations in lambda: the first-order "
             "error h |alpha_m - alpha_f| |B v''| of the starting acceleration is multiplied by at "
             "most %.3g and is down to a thousandth of that after about %d step%s; the perturbed "
             "start (the default) removes it too.",
             found->method->name, r->peak, r->settled_step, r->settled_step == 1 ? "" : "s");
}

static void find_recursion(findings *found)
{
    cardan_error error;
    const explained *method = found->method; /* C_q is that of ga3 in any case */
    found->has_recursion =
        cardan_analysis_recursion(is_hht(method) ? "ga3" : method->recursion, &found->params,
                                  &found->recursion, &error) == CARDAN_OK &&
        !is_hht(method);
    if (is_hht(method))
        snprintf(found->transient, SENTENCE_TEXT, "%s", method->transient);
    else if (!found->has_recursion)
        snprintf(found->transient, SENTENCE_TEXT, "%s.", error.text);
    else if (found->recursion.order == 3)
        predict_index_three(found);
    else
        predict_stabilised(found);
}

static bool find_all(const request *asked, findings *found)
{
    cardan_error error;
    const double *omegas = asked->omegas != NULL ? asked->omegas : default_omegas;
    found->method = asked->method;
    found->count = asked->omegas != NULL ? asked->count
                                         : (int)(sizeof default_omegas / sizeof default_omegas[0]);
    cardan_status status = cardan_params_parse(found->family, &found->params, &error);
    if (status == CARDAN_OK)
        found->spectrum = cli_allocate((size_t)found->count, sizeof *found->spectrum);
    for (int i = 0; i < found->count && status == CARDAN_OK; i++)
        status = cardan_analysis_spectrum(found->family, omegas[i], &found->spectrum[i], &error);
    if (status != CARDAN_OK) {
        cli_complain("explain", "%s", error.text);
        return false;
    }
    found->verdict = cardan_params_judge(&found->params);
    find_recursion(found);
    return true;
}

static json_t *json_matrix(const double *entries, int order)
{
    json_t *rows = json_array();
    for (int i = 0; i < order; i++) {
        json_t *row = json_array();
        for (int j = 0; j < order; j++)
            json_array_append_new(row, cli_json_number(entries[i * order + j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_recursion(const cardan_recursion *r)
{
    json_t *object = json_object();
    json_object_set_new(object, "order", json_integer(r->order));
    json_object_set_new(object, "plus", json_matrix(r->plus, r->order));
    json_object_set_new(object, "zero", json_matrix(r->zero, r->order));
    json_object_set_new(object, "matrix", json_matrix(r->matrix, r->order));
    json_object_set_new(object, "spectral_radius", cli_json_number(r->radius));
    json_object_set_new(object, "peak", cli_json_number(r->peak));
    json_object_set_new(object, "peak_step", json_integer(r->peak_step));
    json_object_set_new(object, "settled_step", json_integer(r->settled_step));
    if (r->order == 3) {
        json_object_set_new(object, "lambda_peak", cli_json_number(r->lambda_peak));
        json_object_set_new(object, "lambda_peak_step", json_integer(r->lambda_peak_step));
        json_object_set_new(object, "jordan_bound", cli_json_number(r->jordan_bound));
        json_object_set_new(object, "rule_of_thumb", cli_json_number(r->rule_of_thumb));
    }
    return object;
}

static json_t *json_spectrum(const findings *found)
{
    json_t *rows = json_array();
    for (int i = 0; i < found->count; i++) {
        const cardan_spectrum *s = &found->spectrum[i];
        json_t *row = json_object();
        json_object_set_new(row, "omega", cli_json_number(s->omega));
        json_object_set_new(row, "spectral_radius", cli_json_number(s->spectral_radius));
        json_object_set_new(row, "damping_ratio", cli_json_number(s->damping_ratio));
        json_object_set_new(row, "period_error", cli_json_number(s->period_error));
        json_object_set_new(row, "spurious_root", cli_json_number(s->spurious_root));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_parameters(const cardan_params *p)
{
    json_t *object = json_object();
    json_object_set_new(object, "alpha_m", cli_json_number(p->alpha_m));
    json_object_set_new(object, "alpha_f", cli_json_number(p->alpha_f));
    json_object_set_new(object, "beta", cli_json_number(p->beta));
    json_object_set_new(object, "gamma", cli_json_number(p->gamma));
    return object;
}

static void print_json(const findings *found)
{
    const cardan_params_verdict *v = &found->verdict;
    json_t *object = json_object();
    json_object_set_new(object, "method", json_string(found->method->name));
    json_object_set_new(object, "family", json_string(found->family));
    json_object_set_new(object, "parameters", json_parameters(&found->params));
    json_object_set_new(object, "second_order", json_boolean(v->second_order));
    json_object_set_new(object, "order_defect", cli_json_number(v->order_defect));
    json_object_set_new(object, "strictly_stable", json_boolean(v->strictly_stable));
    json_object_set_new(object, "oscillator_stable", json_boolean(v->oscillator_stable));
    json_object_set_new(object, "violated",
                        v->violated[0] != '\0' ? json_string(v->violated) : json_null());
    json_object_set_new(object, "local_error", cli_json_number(found->recursion.local_error));
    json_object_set_new(object, "shift", cli_json_number(v->shift));
    json_object_set_new(object, "spectrum", json_spectrum(found));
    json_object_set_new(object, "recursion",
                        found->has_recursion ? json_recursion(&found->recursion) : json_null());
    json_object_set_new(object, "transient", json_string(found->transient));
    cli_json_print(object);
}

static void print_parameters(const findings *found)
{
    const cardan_params *p = &found->params;
    const cardan_params_verdict *v = &found->verdict;
    printf("%s: %s, parameters %s\n\n", found->method->name, found->method->form, found->family);
    printf("  alpha_m = %-22.15g beta  = %.15g\n", p->alpha_m, p->beta);
    printf("  alpha_f = %-22.15g gamma = %.15g\n\n", p->alpha_f, p->gamma);
    printf("Conditions\n");
    printf("  order two: gamma = 1/2 + alpha_f - alpha_m                         %s\n",
           v->second_order ? "holds" : "FAILS");
    printf("  stable: alpha_m < alpha_f < 1/2, beta > 1/4 + (alpha_f-alpha_m)/2  %s\n",
           v->strictly_stable ? "holds" : "FAILS");
    printf("  oscillations do not grow for any omega*h                           %s\n",
           v->oscillator_stable ? "holds" : "FAILS");
    if (v->violated[0] != '\0')
        cli_print_wrapped("  ", v->violated);
    printf("  local error of a step in q: h^3 C_q v''/6 with C_q = %.6g\n",
           found->recursion.local_error);
    printf("  a_n approximates v'(t_n + shift h) with shift = %.6g\n\n", v->shift);
}

static void print_spectrum(const findings *found)
{
    printf("Oscillator q'' + omega^2 q = 0\n");
    printf("  %-8s %17s %14s %14s %16s\n", "omega*h", "spectral radius", "damping ratio",
           "period error", "spurious root");
    for (int i = 0; i < found->count; i++) {
        const cardan_spectrum *s = &found->spectrum[i];
        printf("  %-8g %17.15g %14.6e %14.6e %16.9g\n", s->omega, s->spectral_radius,
               s->damping_ratio, s->period_error, s->spurious_root);
    }
    putchar('\n');
}

static void print_matrix(const char *name, const double *entries, int order)
{
    for (int i = 0; i < order; i++) {
        printf("  %-12s", i == 0 ? name : "");
        for (int j = 0; j < order; j++)
            printf(" %14.9f", entries[i * order + j]);
        putchar('\n');
    }
}

static void print_recursion(const cardan_recursion *r)
{
    printf("Errors of the multipliers: T_+ E_(n+1) = T_0 E_n, E = (%sS lambda, B a)\n",
           r->order == 3 ? "r^B, " : "");
    print_matrix("T_+", r->plus, r->order);
    print_matrix("T_0", r->zero, r->order);
    print_matrix("T_+^-1 T_0", r->matrix, r->order);
    printf("  spectral radius                     %.10g\n", r->radius);
    if (isinf(r->peak))
        printf("  largest 2-norm of its powers        unbounded\n");
    else
        printf("  largest 2-norm of its powers        %.6g at n = %d\n", r->peak, r->peak_step);
    if (r->order == 3 && isfinite(r->lambda_peak))
        printf("  largest entry from r^B to lambda    %.6g at n = %d\n", r->lambda_peak,
               r->lambda_peak_step);
    if (r->settled_step >= 0)
        printf("  below a thousandth of the largest   from n = %d on\n", r->settled_step);
    putchar('\n');
}

static void print_text(const findings *found)
{
    print_parameters(found);
    print_spectrum(found);
    if (found->has_recursion)
        print_recursion(&found->recursion);
    cli_print_wrapped("", found->transient);
}

int cli_explain(int argc, char **argv)
{
    static const cli_syntax syntax = {
        .command = "explain", .help = help, .options = options, .apply = apply};
    request asked = {0};
    findings found = {0};
    int code;
    if (cli_parse(&syntax, argc, argv, &asked, &code)) {
        bool done = choose_family(&asked, &found) && find_all(&asked, &found);
        code = done ? CLI_DONE : CLI_BAD_INPUT;
        if (done && asked.json)
            print_json(&found);
        else if (done)
            print_text(&found);
    }
    free(found.spectrum);
    free(asked.omegas);
    return code;
}

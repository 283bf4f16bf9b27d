/* cardan explain: a method's numbers - order, stability, damping of oscillations, and how far it
 * amplifies the errors of a start in the multipliers. */
#include "cli/results/json.h"
#include "cli/results/wrap.h"
#include "cli/setup/options.h"
#include "commands.h"
#include "explain_bdf.h"
#include "lab/analysis/analysis.h"

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
    "transient that it predicts. `overshoot` is the largest factor by which\n"
    "(h v, z^2 q, h^2 a) grows, z = omega*h; the exact motion has the larger of z and\n"
    "1/z.\n"
    "\n"
    "  METHOD             ga3 (index-3 form), ga2s (stabilised index-2 form), ga2, ga1,\n"
    "                     nonholonomic, hht, hht3, hht2, or one without parameters:\n"
    "                     conserving, midpoint, trapezoidal; bdf (orders, stability)\n"
    "  --rho R            Chung and Hulbert's family, 0 <= R <= 1; default 0.8;\n"
    "                     not for hht and hht2; the default of hht, hht3 and hht2 is\n"
    "                     hht:-0.1 (others are for hht3 --variant lunk-simeon)\n"
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
    "    spurious_root, overshoot, overshoot_step, plus, zero (rows of T_+(z) and\n"
    "    T_0(z))}],\n"
    "  rates {gamma, alpha_m, alpha_f, fit (Jay11 Theorem 6.1)} (nonholonomic),\n"
    "  recursion {order, plus, zero, matrix (rows of T_+, T_0 and T_+^-1 T_0),\n"
    "    spectral_radius (with the tangential factor: of T in ACB15 Theorems 1, 2),\n"
    "    normal_radius (of T_+^-1 T_0), tangential,\n"
    "    peak, peak_step (largest 2-norm of the matrix's powers),\n"
    "    lambda_peak, lambda_peak_step (largest entry from r^B to lambda; ga3),\n"
    "    settled_step (from here on below peak/1000; -1: never found),\n"
    "    jordan_bound, rule_of_thumb (ga3), jordan {mu, x, condition} (ga3 with ch),\n"
    "    or null}, or null if T_+ is singular or the method has none (hht, hht3, hht2),\n"
    "  transient (a sentence). Values that are not finite are null.\n"
    "\n"
    "Exit codes: 0 done, 1 failed while running, 2 bad input.\n";

static const double default_omegas[] = {0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1e4, 1e8};

typedef enum family_choice { ANY_FAMILY, HHT_FAMILY, NO_PARAMETERS } family_choice;

/* The methods that can be explained. */
typedef struct explained {
    const char *name, *form;
    family_choice families;
    bool has_recursion;    /* of the multipliers' errors */
    const char *transient; /* what to say instead */
} explained;

#define LOCAL_MULTIPLIERS                                                                          \
    "The multipliers are found anew in every step: nothing of an error of the start is carried "   \
    "on, and no transient is to be expected."

static const explained methods[] = {
    {"ga3", "generalized-alpha on the index-3 form", ANY_FAMILY, true, NULL},
    {"ga2s", "generalized-alpha on the stabilised index-2 form", ANY_FAMILY, true, NULL},
    {"ga2", "generalized-alpha with velocity constraints only", ANY_FAMILY, true, NULL},
    {"ga1", "generalized-alpha with acceleration constraints only", ANY_FAMILY, true, NULL},
    {"nonholonomic", "generalized-alpha with averaged forces", ANY_FAMILY, true, NULL},
    {"hht", "HHT-alpha for systems without constraints", HHT_FAMILY, false,
     "There are no multipliers."},
    {"hht3", "HHT-alpha with holonomic constraints", ANY_FAMILY, false, LOCAL_MULTIPLIERS},
    {"hht2", "HHT-alpha with nonholonomic constraints", HHT_FAMILY, false, LOCAL_MULTIPLIERS},
    {"conserving", "discrete gradient in the middle of the step", NO_PARAMETERS, true, NULL},
    {"midpoint", "implicit midpoint rule", NO_PARAMETERS, true, NULL},
    {"trapezoidal", "trapezoidal rule on the index-3 form", NO_PARAMETERS, true, NULL}};
enum { METHODS = sizeof methods / sizeof methods[0] };

typedef struct request {
    const explained *method;
    const char *rho, *params;
    double *omegas; /* from --omega, or NULL */
    int count;
    bool json;
    bool bdf; /* the method, which has no such parameters */
} request;

/* All that is known about the method; both outputs are made from this. */
typedef struct findings {
    const explained *method;
    char family[FAMILY_TEXT];
    cardan_params params;
    cardan_params_verdict verdict;
    lab_spectrum *spectrum;
    lab_overshoot *overshoot;
    int count;
    lab_recursion recursion;
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
    if (strcmp(value, "rk5") == 0) {
        cli_complain("explain", "rk5 is an explicit Runge-Kutta method and has no such parameters; "
                                "see docs/methods/rk5.md");
        return false;
    }
    asked->bdf = strcmp(value, "bdf") == 0;
    if (asked->bdf)
        return true;
    const char *names[METHODS];
    int index;
    for (int i = 0; i < METHODS; i++)
        names[i] = methods[i].name;
    if (!cli_choice("explain", "method", value, names, METHODS, &index))
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

/* Some methods take parameters of the HHT family only, some none at all. */
static bool fits_family(const request *asked)
{
    const explained *method = asked->method;
    const bool given = asked->rho != NULL || asked->params != NULL;
    if (!given || method->families == ANY_FAMILY)
        return true;
    if (method->families == NO_PARAMETERS) {
        cli_complain("explain", "%s has no parameters; leave out --rho and --params", method->name);
        return false;
    }
    if (asked->rho == NULL && strncmp(asked->params, "hht:", 4) == 0)
        return true;
    cli_complain("explain", "%s takes parameters of the HHT family only; give --params hht:ALPHA",
                 method->name);
    return false;
}

/* The oscillator cannot tell the methods without parameters from the trapezoidal rule. */
static const char *default_family(const explained *method)
{
    if (method->families == NO_PARAMETERS)
        return "trapezoidal";
    return strncmp(method->name, "hht", 3) == 0 ? "hht:-0.1" : "ch:0.8";
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
    const lab_recursion *r = &found->recursion;
    if (found->method->families == NO_PARAMETERS) {
        snprintf(found->transient, SENTENCE_TEXT,
                 "With %s errors of the start in its own multipliers grow without bound, in "
                 "proportion to the number of steps (a double eigenvalue -1). The lambda that is "
                 "reported is that of the equations of motion at the end of the step and does not "
                 "see it at first; use ga3 or ga2s for constrained systems.",
                 found->method->name);
        return;
    }
    if (isinf(r->peak)) {
        snprintf(found->transient, SENTENCE_TEXT,
                 "With ga3 and these parameters errors of the start in lambda never fade but grow "
                 "without bound (spectral radius %.6g); choose rho below 1, or parameters that "
                 "meet the stability conditions.",
                 r->normal_radius);
        return;
    }
    char fade[80];
    if (r->settled_step >= 0)
        snprintf(fade, sizeof fade, "fade after about %d steps", r->settled_step);
    else
        snprintf(fade, sizeof fade, "fade very slowly (spectral radius %.9g)", r->normal_radius);
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
    const lab_recursion *r = &found->recursion;
    if (r->settled_step < 0) {
        snprintf(found->transient, SENTENCE_TEXT,
                 "With %s and these parameters errors of the start in lambda do not fade "
                 "(spectral radius %.6g); choose rho below 1, or parameters that meet the "
                 "stability conditions.",
                 found->method->name, r->normal_radius);
        return;
    }
    snprintf(found->transient, SENTENCE_TEXT,
             "With %s and a plain start expect no large oscillations in lambda: the first-order "
             "error h |alpha_m - alpha_f| |B v''| of the starting acceleration is multiplied by at "
             "most %.3g and is down to a thousandth of that after about %d step%s; the perturbed "
             "start (the default) removes it too.",
             found->method->name, r->peak, r->settled_step, r->settled_step == 1 ? "" : "s");
}

/* The sentence for ga1: no multiplier remembers anything. */
static void predict_acceleration(findings *found)
{
    snprintf(
        found->transient, SENTENCE_TEXT,
        "With ga1 the multipliers are those of the equations of motion at the end of the step: "
        "no oscillation of lambda is to be expected. The error of a plain start in a is "
        "multiplied by %.3g in every step. But velocities drift off their constraints "
        "linearly in time, and positions quadratically; project them, or use ga2s.",
        found->recursion.tangential);
}

/* The sentence for the midpoint rule and the conserving method. */
static void predict_middle(findings *found)
{
    snprintf(found->transient, SENTENCE_TEXT,
             "With %s the error of the start in B v changes its sign in every step and never "
             "fades; the multiplier of the middle of the step is off by 2 |B v_0| / h with it. The "
             "perturbed start (the default) leaves an error of second order. The lambda that is "
             "reported belongs to the end of the step and does not see it.",
             found->method->name);
}

static void predict(findings *found)
{
    if (found->recursion.order == 3)
        predict_index_three(found);
    else if (found->recursion.order == 1)
        predict_acceleration(found);
    else if (found->method->families == NO_PARAMETERS)
        predict_middle(found);
    else
        predict_stabilised(found);
    const size_t used = strlen(found->transient);
    if (strcmp(found->method->name, "ga2") == 0)
        snprintf(found->transient + used, SENTENCE_TEXT - used,
                 " Positions drift off their constraints linearly in time; project them, or use "
                 "ga2s.");
}

static void find_recursion(findings *found)
{
    cardan_error error;
    const explained *method = found->method; /* C_q is that of ga3 in any case */
    const char *name = method->has_recursion ? method->name : "ga3";
    found->has_recursion =
        lab_find_recursion(name, &found->params, &found->recursion, &error) == CARDAN_OK &&
        method->has_recursion;
    if (!method->has_recursion)
        snprintf(found->transient, SENTENCE_TEXT, "%s", method->transient);
    else if (!found->has_recursion)
        snprintf(found->transient, SENTENCE_TEXT, "%s.", error.text);
    else
        predict(found);
}

static bool find_all(const request *asked, findings *found)
{
    cardan_error error;
    const double *omegas = asked->omegas != NULL ? asked->omegas : default_omegas;
    found->method = asked->method;
    found->count = asked->omegas != NULL ? asked->count
                                         : (int)(sizeof default_omegas / sizeof default_omegas[0]);
    cardan_status status = cardan_params_parse(found->family, &found->params, &error);
    if (status == CARDAN_OK) {
        found->spectrum = cli_allocate((size_t)found->count, sizeof *found->spectrum);
        found->overshoot = cli_allocate((size_t)found->count, sizeof *found->overshoot);
    }
    for (int i = 0; i < found->count && status == CARDAN_OK; i++) {
        status = lab_find_spectrum(found->family, omegas[i], &found->spectrum[i], &error);
        if (status == CARDAN_OK)
            status = lab_find_overshoot(&found->params, omegas[i], &found->overshoot[i], &error);
    }
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

static json_t *json_jordan(const lab_recursion *r)
{
    if (r->jordan_condition == 0.0)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "mu", cli_json_number(r->jordan_mu));
    json_object_set_new(object, "x", json_matrix(r->jordan, 3));
    json_object_set_new(object, "condition", cli_json_number(r->jordan_condition));
    return object;
}

static json_t *json_rates(const cardan_params_verdict *v)
{
    json_t *object = json_object();
    json_object_set_new(object, "gamma", cli_json_number(v->rate_gamma));
    json_object_set_new(object, "alpha_m", cli_json_number(v->rate_alpha_m));
    json_object_set_new(object, "alpha_f", cli_json_number(v->rate_alpha_f));
    json_object_set_new(object, "fit", json_boolean(v->nonholonomic_stable));
    return object;
}

static json_t *json_recursion(const lab_recursion *r)
{
    json_t *object = json_object();
    json_object_set_new(object, "order", json_integer(r->order));
    json_object_set_new(object, "plus", json_matrix(r->plus, r->order));
    json_object_set_new(object, "zero", json_matrix(r->zero, r->order));
    json_object_set_new(object, "matrix", json_matrix(r->matrix, r->order));
    json_object_set_new(object, "spectral_radius", cli_json_number(r->radius));
    json_object_set_new(object, "normal_radius", cli_json_number(r->normal_radius));
    json_object_set_new(object, "tangential", cli_json_number(r->tangential));
    json_object_set_new(object, "peak", cli_json_number(r->peak));
    json_object_set_new(object, "peak_step", json_integer(r->peak_step));
    json_object_set_new(object, "settled_step", json_integer(r->settled_step));
    if (r->order == 3) {
        json_object_set_new(object, "lambda_peak", cli_json_number(r->lambda_peak));
        json_object_set_new(object, "lambda_peak_step", json_integer(r->lambda_peak_step));
        json_object_set_new(object, "jordan_bound", cli_json_number(r->jordan_bound));
        json_object_set_new(object, "rule_of_thumb", cli_json_number(r->rule_of_thumb));
        json_object_set_new(object, "jordan", json_jordan(r));
    }
    return object;
}

static json_t *json_spectrum(const findings *found)
{
    json_t *rows = json_array();
    for (int i = 0; i < found->count; i++) {
        const lab_spectrum *s = &found->spectrum[i];
        json_t *row = json_object();
        json_object_set_new(row, "omega", cli_json_number(s->omega));
        json_object_set_new(row, "spectral_radius", cli_json_number(s->spectral_radius));
        json_object_set_new(row, "damping_ratio", cli_json_number(s->damping_ratio));
        json_object_set_new(row, "period_error", cli_json_number(s->period_error));
        json_object_set_new(row, "spurious_root", cli_json_number(s->spurious_root));
        json_object_set_new(row, "overshoot", cli_json_number(found->overshoot[i].peak));
        json_object_set_new(row, "overshoot_step", json_integer(found->overshoot[i].peak_step));
        json_object_set_new(row, "plus", json_matrix(found->overshoot[i].plus, 3));
        json_object_set_new(row, "zero", json_matrix(found->overshoot[i].zero, 3));
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

static bool is_nonholonomic(const explained *method)
{
    return strcmp(method->name, "nonholonomic") == 0;
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
    if (is_nonholonomic(found->method))
        json_object_set_new(object, "rates", json_rates(v));
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
    if (is_nonholonomic(found->method))
        printf("  Jay11 Theorem 6.1: rates %.4g, %.4g, %.4g of gamma, alpha_m, alpha_f\n"
               "  below 1, the first and the last not equal                          %s\n",
               v->rate_gamma, v->rate_alpha_m, v->rate_alpha_f,
               v->nonholonomic_stable ? "holds" : "FAILS");
    if (v->violated[0] != '\0')
        cli_print_wrapped("  ", v->violated);
    printf("  local error of a step in q: h^3 C_q v''/6 with C_q = %.6g\n",
           found->recursion.local_error);
    printf("  a_n approximates v'(t_n + shift h) with shift = %.6g\n\n", v->shift);
}

static void print_spectrum(const findings *found)
{
    printf("Oscillator q'' + omega^2 q = 0\n");
    printf("  %-8s %17s %13s %13s %13s %9s\n", "omega*h", "spectral radius", "damping ratio",
           "period error", "spurious root", "overshoot");
    for (int i = 0; i < found->count; i++) {
        const lab_spectrum *s = &found->spectrum[i];
        printf("  %-8g %17.15g %13.6e %13.6e %13.7g %9.4g\n", s->omega, s->spectral_radius,
               s->damping_ratio, s->period_error, s->spurious_root, found->overshoot[i].peak);
    }
    cli_print_wrapped("  ",
                      "overshoot: max_n of the 2-norm of (T_+(z)^-1 T_0(z))^n, T_+(z) E_(n+1) "
                      "= T_0(z) E_n, E = (h v, z^2 q, h^2 a), z = omega*h (ACB15 Sec. 4.1); "
                      "these are T_+ and T_0 of ga3 with 1/z^2 in row 1, column 2");
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

/* Whose errors they are. */
static const char *errors_of(const findings *found)
{
    switch (found->recursion.order) {
    case 3:
        return "r^B, S lambda, B a";
    case 2:
        return found->method->families == NO_PARAMETERS ? "B v / h, S lambda" : "S lambda, B a";
    default:
        return "B a";
    }
}

static void print_jordan(const lab_recursion *r)
{
    if (r->jordan_condition == 0.0)
        return;
    printf("  Jordan form T_+^-1 T_0 X = X J, one block with mu = %.10g\n", r->jordan_mu);
    print_matrix("X", r->jordan, 3);
    printf("  condition of X                      %.6g\n", r->jordan_condition);
    printf("  the powers reach at least           %.6g (c_inf/condition, c_inf = %.6g)\n",
           r->jordan_bound / r->jordan_condition, r->jordan_bound);
}

static void print_recursion(const findings *found)
{
    const lab_recursion *r = &found->recursion;
    printf("Errors of the multipliers: T_+ E_(n+1) = T_0 E_n, E = (%s)\n", errors_of(found));
    print_matrix("T_+", r->plus, r->order);
    print_matrix("T_0", r->zero, r->order);
    print_matrix("T_+^-1 T_0", r->matrix, r->order);
    printf("  its spectral radius                 %.10g\n", r->normal_radius);
    if (found->method->families != NO_PARAMETERS)
        printf("  factor of a along the motion        %.10g (-alpha_m/(1 - alpha_m))\n"
               "  spectral radius of both             %.10g\n",
               r->tangential, r->radius);
    if (isinf(r->peak))
        printf("  largest 2-norm of its powers        unbounded\n");
    else
        printf("  largest 2-norm of its powers        %.6g at n = %d\n", r->peak, r->peak_step);
    if (r->order == 3 && isfinite(r->lambda_peak))
        printf("  largest entry from r^B to lambda    %.6g at n = %d\n", r->lambda_peak,
               r->lambda_peak_step);
    if (r->settled_step >= 0)
        printf("  below a thousandth of the largest   from n = %d on\n", r->settled_step);
    print_jordan(r);
    putchar('\n');
}

static void print_text(const findings *found)
{
    print_parameters(found);
    print_spectrum(found);
    if (found->has_recursion)
        print_recursion(found);
    cli_print_wrapped("", found->transient);
}

int cli_explain(int argc, char **argv)
{
    static const cli_syntax syntax = {
        .command = "explain", .help = help, .options = options, .apply = apply};
    request asked = {0};
    findings found = {0};
    int code;
    const bool parsed = cli_parse(&syntax, argc, argv, &asked, &code);
    if (parsed && asked.bdf) {
        cli_explain_bdf(asked.json);
        code = CLI_DONE;
    } else if (parsed) {
        bool done = choose_family(&asked, &found) && find_all(&asked, &found);
        code = done ? CLI_DONE : CLI_BAD_INPUT;
        if (done && asked.json)
            print_json(&found);
        else if (done)
            print_text(&found);
    }
    free(found.spectrum);
    free(found.overshoot);
    free(asked.omegas);
    return code;
}

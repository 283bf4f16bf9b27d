/* PROTO: states after a few steps of every method, against the Python of tests/reference.
 *
 * Orders of convergence hardly see a coefficient that is off by a little; a number of ten digits
 * does. scripts/mutate changes every coefficient by 1 %, and rows of this experiment must fail. */
#include "lab/analysis/analysis.h"
#include "paper_runs.h"
#include "steady_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One row. `steps` are SIZExCOUNT, with commas between; `options` are KEY=WORD, with blanks
 * between: those of `apply`, or a parameter of the problem; `quantity` is a part of the state and a
 * number from 1 on, or a term of the energy balance. */
typedef struct prototype {
    papers_origin origin;
    const char *place, *method, *problem, *params, *steps, *options, *quantity, *digits;
} prototype;

static const prototype prototypes[] = {
#define PROTOTYPE(...) {__VA_ARGS__},
#define RECURSION(...)
#include "prototypes.def"
#undef PROTOTYPE
#undef RECURSION
};
enum { PROTOTYPES = sizeof prototypes / sizeof prototypes[0], WORD = 64 };

/* Entry (row, column) of a power of T_+^-1 T_0. */
typedef struct recursion {
    const char *place, *form, *params;
    int power, row, column;
    const char *digits;
} recursion;

static const recursion recursions[] = {
#define PROTOTYPE(...)
#define RECURSION(...) {__VA_ARGS__},
#include "lab/problems/problem.h"
#include "prototypes.def"
#undef PROTOTYPE
#undef RECURSION
};
enum { RECURSIONS = sizeof recursions / sizeof recursions[0] };

/* The number of a word in a list. */
#define CHOOSE(word, ...)                                                                          \
    choose(word, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                           \
           (const char *[]){__VA_ARGS__})
static int choose(const char *word, size_t count, const char *const *words)
{
    for (size_t i = 0; i < count; i++)
        if (words[i] != NULL && strcmp(word, words[i]) == 0)
            return (int)i;
    return -1; /* the integrator refuses it */
}

/* A of tests/reference/make_references.py: as large as the rows need it. */
static const double *matrix_of(cardan_projection_norm norm)
{
    static const double diagonal[] = {1, 2, 3, 4, 5, 6};
    static const double full[] = {1 + 2.0 / 1, 2.0 / 2, 2.0 / 2, 1 + 2.0 / 3}; /* two coordinates */
    return norm == CARDAN_NORM_DIAGONAL ? diagonal : norm == CARDAN_NORM_MATRIX ? full : NULL;
}

static void set_norm(cardan_projection *p, const char *word)
{
    p->norm = (cardan_projection_norm)CHOOSE(
        word, [CARDAN_NORM_MASS] = "mass", [CARDAN_NORM_IDENTITY] = "identity",
        [CARDAN_NORM_TANGENT] = "tangent", [CARDAN_NORM_DIAGONAL] = "diagonal",
        [CARDAN_NORM_MATRIX] = "matrix");
    p->matrix = matrix_of(p->norm);
}

static void set_penalty(cardan_projection *p, cardan_projection_solver solver, const char *penalty)
{
    p->solver = solver;
    p->penalty = strtod(penalty, NULL);
}

/* An option of the projection of v' if that has its own (`own`); false if it is none. */
static bool apply_to_own(cardan_projection *p, cardan_projection *own, const char *key,
                         const char *word)
{
    if (strcmp(key, "own_norm") == 0)
        set_norm(own, word);
    else if (strcmp(key, "own_penalty") == 0)
        set_penalty(own, CARDAN_PROJECTION_PENALTY, word);
    else
        return false;
    p->accelerations = own;
    return true;
}

/* An option of projections; false if it is none. `project` comes first: other problems have a
 * damping too. */
static bool apply_to_projection(cardan_projection *p, const char *key, const char *word)
{
    if (strcmp(key, "project") == 0)
        p->level = (cardan_projection_level)CHOOSE(
            word, [CARDAN_PROJECT_NONE] = "none", [CARDAN_PROJECT_VELOCITY] = "velocity",
            [CARDAN_PROJECT_POSITION] = "position", [CARDAN_PROJECT_BOTH] = "both");
    else if (p->level == CARDAN_PROJECT_NONE)
        return false;
    else if (strcmp(key, "target") == 0)
        p->target = (cardan_projection_target)CHOOSE(
            word, [CARDAN_TARGET_ZERO] = "zero", [CARDAN_TARGET_SETTLED] = "settled");
    else if (strcmp(key, "norm") == 0)
        set_norm(p, word);
    else if (strcmp(key, "damping") == 0)
        p->damping = strtod(word, NULL);
    else if (strcmp(key, "stiffness") == 0)
        p->stiffness = strtod(word, NULL);
    else if (strcmp(key, "penalty") == 0)
        set_penalty(p, CARDAN_PROJECTION_PENALTY, word);
    else if (strcmp(key, "augmented") == 0)
        set_penalty(p, CARDAN_PROJECTION_AUGMENTED, word);
    else if (strcmp(key, "accelerations") == 0)
        p->acceleration = true;
    else
        return false;
    return true;
}

/* An option of methods; false if it is none. */
static bool apply_to_method(cardan_integrator_def *def, const char *key, const char *word)
{
    cardan_experimental *options = &def->experimental;
    if (strcmp(key, "start") == 0)
        def->experimental.start = (cardan_start)CHOOSE(
            word, [CARDAN_START_PLAIN] = "plain", [CARDAN_START_PERTURBED] = "perturbed",
            [CARDAN_START_ACCELERATION] = "acceleration",
            [CARDAN_START_TRAPEZOIDAL] = "trapezoidal");
    else if (strcmp(key, "difference") == 0)
        def->experimental.difference = (cardan_start_difference)CHOOSE(
            word, [CARDAN_DIFFERENCE_CENTRAL] = "central", [CARDAN_DIFFERENCE_FORWARD] = "forward");
    else if (strcmp(key, "update") == 0)
        def->update = (cardan_update)CHOOSE(
            word, [CARDAN_UPDATE_EXP] = "exp", [CARDAN_UPDATE_MAGNUS] = "magnus");
    else if (strcmp(key, "step_change") == 0)
        def->experimental.step_change = (cardan_step_change)CHOOSE(
            word, [CARDAN_STEP_SETTLED] = "settled", [CARDAN_STEP_ACCELERATION] = "acceleration",
            [CARDAN_STEP_PROJECTED] = "projected", [CARDAN_STEP_NONE] = "none");
    else if (strcmp(key, "variant") == 0)
        options->hht3_variant = (cardan_hht3_variant)CHOOSE(
            word, [CARDAN_HHT3_FULL] = "full", [CARDAN_HHT3_EXPLICIT] = "explicit",
            [CARDAN_HHT3_MIDPOINT] = "midpoint",
            [CARDAN_HHT3_MIDPOINT_EXPLICIT] = "midpoint-explicit",
            [CARDAN_HHT3_LUNK_SIMEON] = "lunk-simeon");
    else if (strcmp(key, "b") == 0)
        options->hht3_b = strtod(word, NULL);
    else if (strcmp(key, "mass") == 0)
        options->nonholonomic_mass = (cardan_mass_choice)CHOOSE(
            word, [CARDAN_MASS_PREDICTED] = "predicted", [CARDAN_MASS_PREVIOUS] = "previous");
    else if (strcmp(key, "penalty") == 0)
        options->conserving_penalty = strtod(word, NULL);
    else
        return false;
    return true;
}

/* What a setup points to. */
typedef struct attached {
    char name[WORD]; /* of the problem's parameter */
    cardan_projection own;
} attached;

static void apply_all(papers_setup *setup, const char *options, attached *kept)
{
    char key[WORD], word[WORD];
    int length;
    cardan_projection *projection = &setup->def.projection;
    kept->own = cardan_projection_default();
    for (; sscanf(options, " %63[^=]=%63s%n", key, word, &length) == 2; options += length) {
        if (apply_to_projection(projection, key, word) ||
            apply_to_own(projection, &kept->own, key, word) ||
            apply_to_method(&setup->def, key, word))
            continue;
        snprintf(kept->name, WORD, "%s", key);
        setup->setting = (lab_setting){kept->name, strtod(word, NULL)};
    }
}

/* Corrector tolerances at rounding; all parameters are allowed. */
static papers_setup setup_of(const prototype *row, attached *kept)
{
    papers_setup setup =
        papers_setup_of(row->problem, row->method, 1.0, strtod(row->steps, NULL), INFINITY);
    if (strcmp(row->params, "-") != 0)
        cardan_params_parse(row->params, &setup.def.params, NULL);
    setup.def.expert = true;
    setup.def.energy_balance = true;
    setup.def.newton.position = (cardan_tolerance){1e-15, 1e-15};
    setup.def.newton.velocity = (cardan_tolerance){1e-14, 1e-14};
    setup.def.newton.multiplier = (cardan_tolerance){1e-13, 1e-13};
    apply_all(&setup, row->options, kept);
    return setup;
}

/* All steps; false, and all released, after a failure. */
static bool march(papers_trail *trail, const char *steps)
{
    double h;
    int count, length;
    for (; sscanf(steps, "%lfx%d%n", &h, &count, &length) == 2; steps += length) {
        if (trail->it == NULL || !papers_check(trail, cardan_integrator_set_step(trail->it, h)))
            return false;
        for (int i = 0; i < count; i++)
            if (!papers_advance(trail))
                return false;
        steps += steps[length] == ',';
    }
    return true;
}

static double term_of(const papers_trail *trail, const char *quantity)
{
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(trail->it);
    const double terms[] = {energy_balance.integrator, energy_balance.projection,
                            energy_balance.projection_linear, energy_balance.projection_quadratic};
    const int which = CHOOSE(quantity, "dE_i", "dE_p", "dE_p_linear", "dE_p_quadratic");
    return which < 0 ? NAN : terms[which];
}

static double value_of(const papers_trail *trail, const char *quantity)
{
    char kind[WORD] = "";
    int number = 0;
    const cardan_state *s = trail->now;
    const double *const parts[] = {s->q, s->v, s->vdot, s->a, s->lambda, s->psi, s->eta, s->stage};
    if (sscanf(quantity, "%63[a-z]%d", kind, &number) != 2)
        return term_of(trail, quantity);
    const int which = CHOOSE(kind, "q", "v", "vdot", "a", "lambda", "psi", "eta", "stage");
    return which < 0 ? NAN : parts[which][number - 1];
}

static double march_body(papers_report *report, const papers_setup *setup, const prototype *row)
{
    cardan_system *system = papers_steady_body();
    papers_trail trail =
        papers_begin_system(report, system, setup, papers_steady_body_q, papers_steady_body_v);
    const double ours = march(&trail, row->steps) ? value_of(&trail, row->quantity) : NAN;
    papers_finish(&trail);
    cardan_system_destroy(system);
    return ours;
}

static double march_problem(papers_report *report, const papers_setup *setup, const prototype *row)
{
    papers_trail trail = papers_begin(report, setup);
    const double ours = march(&trail, row->steps) ? value_of(&trail, row->quantity) : NAN;
    papers_finish(&trail);
    return ours;
}

static void show_state(papers_report *report, const prototype *row)
{
    attached kept;
    const papers_setup setup = setup_of(row, &kept);
    const bool own = strcmp(row->problem, "steady_body") == 0;
    const double ours = (own ? march_body : march_problem)(report, &setup, row);
    (row->origin == PAPERS_OURS ? papers_ours : papers_derived)(report, row->place);
    papers_printed(report, row->digits, ours, "%s, %s, %s, %s%s%s: %s", row->method, row->problem,
                   row->params, row->options, row->options[0] != '\0' ? ", " : "", row->steps,
                   row->quantity);
}

/* x = A x */
static void multiply(int n, const double *a, double *x)
{
    double product[3] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            product[i] += a[i * n + j] * x[j];
    memcpy(x, product, sizeof product);
}

static void show_recursion(papers_report *report, const recursion *row)
{
    cardan_params params;
    lab_recursion found;
    double x[3] = {0};
    x[row->column - 1] = 1.0;
    const bool known = cardan_params_parse(row->params, &params, NULL) == CARDAN_OK &&
                       lab_find_recursion(row->form, &params, &found, NULL) == CARDAN_OK;
    for (int i = 0; known && i < row->power; i++)
        multiply(found.order, found.matrix, x);
    papers_derived(report, row->place);
    papers_printed(report, row->digits, known ? x[row->row - 1] : NAN,
                   "recursion of %s, %s, power %d of T+^-1 T0: row %d, column %d", row->form,
                   row->params, row->power, row->row, row->column);
}

void papers_proto(papers_report *report)
{
    for (int i = 0; i < PROTOTYPES; i++)
        show_state(report, &prototypes[i]);
    for (int i = 0; i < RECURSIONS; i++)
        show_recursion(report, &recursions[i]);
}

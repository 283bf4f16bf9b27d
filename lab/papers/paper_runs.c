/* Runs of built-in problems and their errors against the problems' own references. */
#include "paper_runs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

papers_setup papers_setup_of(const char *problem, const char *method, double rho, double step,
                             double end)
{
    papers_setup setup = {.problem = problem, .end = end, .def = cardan_integrator_def_default()};
    setup.def.method = method;
    setup.def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    setup.def.update = CARDAN_UPDATE_EXP;
    setup.def.step = step;
    return setup;
}

void papers_fail(papers_report *report, const char *text)
{
    if (report->trouble[0] == '\0')
        snprintf(report->trouble, sizeof report->trouble, "%s", text);
}

static void release(papers_trail *trail)
{
    cardan_integrator_destroy(trail->it);
    lab_problem_destroy(trail->problem);
    trail->it = NULL;
    trail->problem = NULL;
}

void papers_finish(papers_trail *trail)
{
    release(trail);
}

bool papers_check(papers_trail *trail, cardan_status status)
{
    if (status == CARDAN_OK)
        return true;
    char text[PAPERS_TROUBLE];
    snprintf(text, sizeof text, "%s at t = %.6g: %s", cardan_status_name(status), trail->now->t,
             cardan_integrator_message(trail->it));
    papers_fail(trail->report, text);
    trail->failed = true;
    release(trail);
    return false;
}

/* Makes the integrator; the trail ends with a sentence if that fails. */
static bool make_integrator(papers_trail *trail, const cardan_system *system,
                            const cardan_integrator_def *def)
{
    cardan_error error = {0};
    trail->shift = def->params.alpha_m - def->params.alpha_f;
    if (cardan_integrator_create(&trail->it, system, def, &error) == CARDAN_OK) {
        trail->now = cardan_integrator_state(trail->it);
        return true;
    }
    papers_fail(trail->report, error.text);
    trail->failed = true;
    release(trail);
    return false;
}

papers_trail papers_begin(papers_report *report, const papers_setup *setup)
{
    papers_trail trail = {.report = report, .end = setup->end};
    cardan_error error = {0};
    const int settings = setup->setting.name != NULL ? 1 : 0;
    if (lab_problem_create(&trail.problem, setup->problem, &setup->setting, settings, &error) !=
        CARDAN_OK) {
        papers_fail(report, error.text);
        trail.failed = true;
        return trail;
    }
    if (make_integrator(&trail, lab_problem_system(trail.problem), &setup->def))
        papers_check(&trail, lab_problem_start(trail.problem, trail.it));
    return trail;
}

papers_trail papers_begin_system(papers_report *report, const cardan_system *system,
                                 const papers_setup *setup, const double *q, const double *v)
{
    papers_trail trail = {.report = report, .end = setup->end};
    if (make_integrator(&trail, system, &setup->def))
        papers_check(&trail, cardan_integrator_start(trail.it, 0.0, q, v));
    return trail;
}

bool papers_advance(papers_trail *trail)
{
    if (trail->it == NULL)
        return false;
    if (trail->now->t > trail->end - 1e-9 * fmax(1.0, trail->end)) {
        release(trail);
        return false;
    }
    trail->n++;
    return papers_check(trail, cardan_integrator_step(trail->it));
}

static double norm(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

static double output_error(const papers_trail *trail, const cardan_point *exact)
{
    const cardan_state *s = trail->now;
    const cardan_point now = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    double ours[PAPERS_LARGEST], theirs[PAPERS_LARGEST];
    const int count = lab_problem_outputs(trail->problem);
    lab_problem_output(trail->problem, &now, ours);
    lab_problem_output(trail->problem, exact, theirs);
    return norm(count < 3 ? count : 3, ours, theirs);
}

static double algorithmic_error(const papers_trail *trail, int k)
{
    double vdot[PAPERS_LARGEST];
    const cardan_state *s = trail->now;
    const cardan_status status = lab_problem_reference(trail->problem, s->t + trail->shift * s->h,
                                                       NULL, NULL, vdot, NULL, NULL, NULL);
    return status == CARDAN_OK ? norm(k, s->a, vdot) : NAN;
}

papers_errors papers_errors_now(const papers_trail *trail, bool with_a)
{
    const cardan_state *s = trail->now;
    const cardan_system *system = lab_problem_system(trail->problem);
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    const double zero[PAPERS_LARGEST] = {0};
    double q[PAPERS_LARGEST], v[PAPERS_LARGEST], vdot[PAPERS_LARGEST], lambda[PAPERS_LARGEST];
    double psi[PAPERS_LARGEST], w[PAPERS_LARGEST];
    if (lab_problem_reference(trail->problem, s->t, q, v, vdot, lambda, psi, NULL) != CARDAN_OK)
        return (papers_errors){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    const cardan_point exact = {s->t, q, v, vdot, lambda, psi};
    cardan_group_difference(cardan_system_describe(system).group, q, s->q, w);
    return (papers_errors){.q = norm(k, w, zero),
                           .v = norm(k, s->v, v),
                           .vdot = norm(k, s->vdot, vdot),
                           .a = with_a ? algorithmic_error(trail, k) : 0.0,
                           .lambda = norm(m, s->lambda, lambda),
                           .psi =
                               norm(cardan_system_describe(system).nonholonomic_count, s->psi, psi),
                           .x = output_error(trail, &exact),
                           .eta = norm(m, s->eta, zero)};
}

static const size_t members[] = {PAPERS_Q,      PAPERS_V,   PAPERS_VDOT, PAPERS_A,
                                 PAPERS_LAMBDA, PAPERS_PSI, PAPERS_X,    PAPERS_ETA};
enum { MEMBERS = sizeof members / sizeof members[0] };

double papers_member(const papers_errors *errors, size_t member)
{
    double value;
    memcpy(&value, (const char *)errors + member, sizeof value);
    return value;
}

static void set_member(papers_errors *errors, size_t member, double value)
{
    memcpy((char *)errors + member, &value, sizeof value);
}

void papers_grow(papers_errors *largest, const papers_errors *now, long n)
{
    if (now->lambda > largest->lambda)
        largest->peak = n;
    for (int i = 0; i < MEMBERS; i++) {
        const double value = papers_member(now, members[i]);
        set_member(largest, members[i], papers_larger(papers_member(largest, members[i]), value));
    }
}

static void spoil(papers_errors *errors)
{
    for (int i = 0; i < MEMBERS; i++)
        set_member(errors, members[i], NAN);
}

papers_errors papers_worst(papers_report *report, const papers_setup *setup, double from)
{
    papers_errors worst = {0};
    papers_trail trail = papers_begin(report, setup);
    while (papers_advance(&trail))
        if (trail.now->t > from - 1e-9) {
            const papers_errors now = papers_errors_now(&trail, false);
            papers_grow(&worst, &now, trail.n);
        }
    if (trail.failed)
        spoil(&worst);
    return worst;
}

papers_errors papers_last(papers_report *report, const papers_setup *setup)
{
    papers_errors last = {0};
    papers_trail trail = papers_begin(report, setup);
    while (papers_advance(&trail))
        if (trail.now->t > trail.end - 1e-9 * fmax(1.0, trail.end))
            last = papers_errors_now(&trail, true);
    if (trail.failed)
        spoil(&last);
    return last;
}

papers_study papers_halve(papers_report *report, papers_setup setup, int count, double from)
{
    papers_study study = {.count = count};
    for (int i = 0; i < count; i++) {
        study.h[i] = setup.def.step;
        study.errors[i] =
            from < 0.0 ? papers_last(report, &setup) : papers_worst(report, &setup, from);
        setup.def.step *= 0.5;
    }
    return study;
}

void papers_order(papers_report *report, double order, const papers_study *study, size_t member,
                  const char *what, ...)
{
    char text[100], published[24];
    double errors[PAPERS_SLOPE_STEPS];
    const int skip = study->count - PAPERS_SLOPE_STEPS;
    va_list arguments;
    for (int i = 0; i < PAPERS_SLOPE_STEPS; i++)
        errors[i] = papers_member(&study->errors[skip + i], member);
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    snprintf(published, sizeof published, "order %g", order);
    papers_judge(report, (papers_bound){published, PAPERS_EQUAL, order, PAPERS_SLOPE_TOLERANCE},
                 papers_slope(PAPERS_SLOPE_STEPS, study->h + skip, errors), "order of %s", text);
}

void papers_spoil(double numbers[PAPERS_NUMBERS])
{
    for (int i = 0; i < PAPERS_NUMBERS; i++)
        numbers[i] = NAN;
}

void papers_orders(papers_report *report, papers_measurement *measure, const void *what, double h,
                   int count, const papers_expected *expected)
{
    double sizes[PAPERS_SLOPE_STEPS], numbers[PAPERS_SLOPE_STEPS][PAPERS_NUMBERS];
    for (int i = 0; i < PAPERS_SLOPE_STEPS; i++) {
        sizes[i] = ldexp(h, -i);
        measure(report, what, sizes[i], numbers[i]);
    }
    for (int j = 0; j < count; j++) {
        char published[24];
        double column[PAPERS_SLOPE_STEPS];
        for (int i = 0; i < PAPERS_SLOPE_STEPS; i++)
            column[i] = numbers[i][j];
        snprintf(published, sizeof published, "order %g", expected[j].order);
        if (expected[j].what != NULL)
            papers_judge(
                report,
                (papers_bound){published, PAPERS_EQUAL, expected[j].order, PAPERS_SLOPE_TOLERANCE},
                papers_slope(PAPERS_SLOPE_STEPS, sizes, column), "order of %s", expected[j].what);
    }
}

void papers_limits(papers_report *report, papers_measurement *measure, const void *what, double h,
                   int count, const papers_limit *limits)
{
    double coarse[PAPERS_NUMBERS], fine[PAPERS_NUMBERS];
    measure(report, what, h, coarse);
    measure(report, what, 0.5 * h, fine);
    for (int i = 0; i < count; i++) {
        papers_judge(
            report,
            (papers_bound){limits[i].printed, PAPERS_EQUAL, limits[i].value, limits[i].tolerance},
            2.0 * fine[i] - coarse[i], "%s", limits[i].what);
        papers_note(report, "Extrapolated; tolerance for terms in h^2, h = %g.", h);
    }
}

/* ---- the prototype ---- */

typedef struct prototype {
    const char *name;
    struct {
        const char *quantity, *value;
    } row[4];
} prototype;

#define PROTOTYPE(name_, ...) {name_, {__VA_ARGS__}},
static const prototype prototypes[] = {
#include "lab/problems/problem.h"
#include "prototype_hht.def"
};

void papers_prototype(papers_report *report, const char *name, const char *title,
                      const double *ours)
{
    for (size_t i = 0; i < sizeof prototypes / sizeof prototypes[0]; i++)
        for (int j = 0; strcmp(prototypes[i].name, name) == 0 && j < 4; j++)
            if (prototypes[i].row[j].quantity != NULL)
                papers_printed(report, prototypes[i].row[j].value, ours[j], "%s, %s",
                               prototypes[i].row[j].quantity, title);
}

papers_series *papers_plot(papers_panel *panel, const papers_study *study, size_t member,
                           papers_mark mark, const char *name, ...)
{
    char text[80];
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(text, sizeof text, name, arguments);
    va_end(arguments);
    papers_series *series = papers_new_series(panel, mark, true, "%s", text);
    for (int i = 0; i < study->count; i++)
        papers_push(series, study->h[i], papers_member(&study->errors[i], member));
    return series;
}

/* Reports: the table of experiments, and how rows are made and judged. */
#include "papers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const papers_experiment experiments[] = {
    {"PEND", "pendulum in Cartesian coordinates",
     "Point mass m = l = 1, g = 9.81 on the circle (x^2 + y^2 - 1)/2 = 0 with energy "
     "m/2 - m g l; ga3, rho = 0.9. Exact lambda from the equation of the angle.",
     papers_pend},
    {"CUBE", "one coordinate led along t^3",
     "k = m = 1, M = 1, g = 0, Phi = q - t^3: the errors E = (r^B, S lambda, B a) of ga3 must "
     "follow the recursion E_n = (T_+^-1 T_0)^n E_0 exactly.",
     papers_cube},
    {"AMPL", "amplification of errors by the recursion",
     "Powers of the matrix T_+^-1 T_0 of ACB15 (46) for Chung and Hulbert's parameters.",
     papers_ampl},
    {"TOP", "heavy top on R3 x SO(3)",
     "m = 15, J = diag(0.234375, 0.46875, 0.234375), Omega(0) = (0, 150, -4.61538); ga3 and ga2s "
     "with the update of the paper. Reference: rotation about the fixed point, extended "
     "precision.",
     papers_top},
    {"TOP-P", "heavy top with one velocity projection",
     "The top of TOP, ga3, rho = 0.9, perturbed start; v is projected onto B v = 0 in the mass "
     "norm once, at t* = 0.7.",
     papers_top_p},
    {"DRIFT", "drift-off of the index-reduced forms",
     "The top of TOP with the constraints at velocity level only (ga2) and at acceleration level "
     "only (ga1), rho = 0.9, h = 1e-3, without and with projection after every step.",
     papers_drift},
    {"SING", "rank-deficient mass matrices",
     "Systems with massless coordinates: structure, index, and order two as with full rank.",
     papers_sing},
    {"JAY1", "mathematical problem with a nonholonomic constraint",
     "Jay11 (7.1): nonconstant unsymmetric mass, force nonlinear in psi, exact solution "
     "y = (e^t, e^-2t), psi = e^-t; method (2.3) with rho = 0.2, errors at t = 1.",
     papers_jay1},
    {"JAY1-L", "one step of the averaged method, and what errors of the start become",
     "Theorems 3.1, 4.1, 5.2 and 6.1 of Jay11 on the problem of JAY1: steps from exact values at "
     "t = 0, with a_alpha = a_0 and with a_alpha = a(alpha h) + O(h^2).",
     papers_jay1_local},
    {"DISK", "rolling disk",
     "Jay11 (7.2): m = 2, r = 1, I1 = I2 = 2, g = 10; method (2.3) with rho = 0.2, errors at "
     "t = 10. The printed f_4 lacks the term -I2 z5 z3 cos(y3): our equations follow from the "
     "printed Lagrangian.",
     papers_disk},
    {"HHT", "HHT for ordinary differential equations",
     "JN07 Sec. 2: y'' = -y - y'/2 from y = 1, y' = 0, a damped oscillator with known motion; hht "
     "with alpha = -0.3.",
     papers_hht},
    {"JN1", "first test problem of the extended HHT method",
     "JN07 Sec. 5.1: force nonlinear in lambda, exact solution y = (e^t, e^-2t), lambda = e^-t; "
     "hht3 with alpha = -0.15, b = 0.3, errors at t = 1.",
     papers_jn1},
    {"JN1-L", "one step of the extended HHT method",
     "Theorems 4.1, 4.3, 4.4 and Remark 4.2 of JN07 on the first test problem: a single step from "
     "exact values at t = 0; orders from steps halved three times.",
     papers_jn1_local},
    {"JN2", "pendulum with spring and damper",
     "JN07 Sec. 5.2: m = 5, L = 2, k = 3000, c = 100 from y3 = 3 pi/2, z3 = 10; hht3 with b = 0, "
     "errors of angle and rate at t = 2 against the equation of the angle in extended precision.",
     papers_jn2},
    {"HHT2", "HHT for constraints of index 2",
     "JN07 Sec. 6: the problem of JN1 with its constraint at velocity level alone, as the paper "
     "proposes, alpha = -0.15; and the problem of JAY1, whose constraint is not linear in z.",
     papers_hht2},
    {"TWO", "two particles without projections",
     "GO10 Sec. 6: masses 1 and 0.1, q1^2 + q2^2 = 1, q(0) = (0, 1), v(0) = (1, 0); the "
     "conserving scheme with penalty 1e3.",
     papers_two},
    {"TWO-P", "two particles and the energy of projections",
     "The particles of TWO, dt = 0.1, with velocity projections by penalty alpha in the norm of "
     "A = M or A = W = diag(15, 1) after every step; and the kernels of GO10 Sec. 5 for both.",
     papers_two_p},
    {"BALANCE", "the energy that a step adds",
     "GO10 (9) to (14) step by step, with the forces and multipliers of each step put into the "
     "printed formulas: the two particles of TWO, and the pendulum of JN2, whose constraints are "
     "not quadratic.",
     papers_balance},
    {"ENERGY", "the energy that projections move",
     "GO10 Sec. 3 and 5: (4), (7), (15) to (21) and Propositions 1 to 6 on 40 systems with random "
     "M, Phi_q and A, five velocities and two constraints; eigenvalues and ranks are computed "
     "here.",
     papers_energy},
    {"STEP", "changes of the step size (ours)",
     "Beyond the papers: at a change from h to s h, a - v' is scaled by s and the hidden "
     "residual by s^2. Published here means: stated in our method description, from an "
     "independent prototype.",
     papers_step},
    {"MAGNUS", "commutator-corrected update (ours)",
     "Beyond the papers: q_{n+1} = q_n exp(h dq + h^2/12 [v_n, v_{n+1}]) on the top of TOP, "
     "rho = 0.9, perturbed start; largest errors on [0, 1].",
     papers_magnus},
    {"SPATIAL", "velocities in the inertial frame (ours)",
     "Beyond the papers: the top of TOP with the right-trivialised velocity, rho = 0.9, perturbed "
     "start; largest errors on [0, 1].",
     papers_spatial},
    {"BODIES", "the conserving scheme on rigid bodies (ours)",
     "Beyond GO10: its conserving scheme with velocities carried into the middle of the step, "
     "Cayley's map and a discrete derivative of the constraints (docs/methods/conserving.md), on "
     "the free body and the top of TOP. Published here means: asked for (1e-10), or from an "
     "independent prototype, tests/reference/conserving_bodies.py.",
     papers_bodies},
    {"PROTO", "independent prototypes, step by step",
     "Every method, its variants, starts, projections and changes of the step on the problems of "
     "the papers: a number of the state after a few steps. The digits are those of the Python "
     "implementations in tests/reference, written from the papers (make references).",
     papers_proto},
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

int papers_count(void)
{
    return EXPERIMENTS;
}

const papers_experiment *papers_at(int i)
{
    return i >= 0 && i < EXPERIMENTS ? &experiments[i] : NULL;
}

static void *allocate(void *old, size_t count, size_t size)
{
    void *memory = realloc(old, count * size);
    if (memory == NULL) {
        fputs("cardan: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

papers_report *papers_run(const papers_experiment *experiment)
{
    papers_report *report = allocate(NULL, 1, sizeof *report);
    memset(report, 0, sizeof *report);
    report->experiment = experiment;
    experiment->run(report);
    return report;
}

void papers_release(papers_report *report)
{
    if (report == NULL)
        return;
    for (int i = 0; i < report->figure_count; i++)
        papers_figure_release(&report->figures[i]);
    free(report->rows);
    free(report);
}

int papers_count_rows(const papers_report *report, papers_origin origin, papers_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < report->row_count; i++)
        count += report->rows[i].origin == origin && report->rows[i].verdict == verdict;
    return count;
}

int papers_failed(const papers_report *report)
{
    int failed = 0;
    for (int i = 0; i < PAPERS_ORIGINS; i++)
        failed += papers_count_rows(report, (papers_origin)i, PAPERS_FAIL);
    return failed;
}

void papers_tolerance(const papers_row *row, char text[PAPERS_TOLERANCE_TEXT])
{
    switch (row->rule) {
    case PAPERS_EQUAL:
        snprintf(text, PAPERS_TOLERANCE_TEXT, "+-%.4g", row->tolerance);
        break;
    case PAPERS_AT_MOST:
        snprintf(text, PAPERS_TOLERANCE_TEXT, "<= %.6g", row->expected + row->tolerance);
        break;
    case PAPERS_AT_LEAST:
        snprintf(text, PAPERS_TOLERANCE_TEXT, ">= %.6g", row->expected - row->tolerance);
        break;
    }
}

static void set_source(papers_report *report, papers_origin origin, const char *source)
{
    report->origin = origin;
    snprintf(report->source, sizeof report->source, "%s", source);
}

void papers_source(papers_report *report, const char *source)
{
    set_source(report, PAPERS_PUBLISHED, source);
}

void papers_derived(papers_report *report, const char *source)
{
    set_source(report, PAPERS_DERIVED, source);
}

void papers_ours(papers_report *report, const char *method)
{
    set_source(report, PAPERS_OURS, method);
}

static bool holds(const papers_row *row)
{
    /* The allowance of 1e-9 is for the rounding of decimal numbers like 0.0005. */
    const double slack = row->tolerance + 1e-9 * fabs(row->expected);
    switch (row->rule) {
    case PAPERS_EQUAL:
        return fabs(row->ours - row->expected) <= slack;
    case PAPERS_AT_MOST:
        return row->ours <= row->expected + slack;
    case PAPERS_AT_LEAST:
        return row->ours >= row->expected - slack;
    }
    return false;
}

static papers_row *add(papers_report *report, papers_bound claim, double ours, const char *what,
                       va_list arguments)
{
    report->rows = allocate(report->rows, (size_t)report->row_count + 1, sizeof report->rows[0]);
    papers_row *row = &report->rows[report->row_count++];
    *row = (papers_row){.origin = report->origin,
                        .rule = claim.rule,
                        .expected = claim.expected,
                        .tolerance = claim.tolerance,
                        .ours = ours};
    memcpy(row->source, report->source, sizeof row->source);
    snprintf(row->published, sizeof row->published, "%s", claim.published);
    vsnprintf(row->what, sizeof row->what, what, arguments);
    row->verdict = holds(row) ? PAPERS_PASS : PAPERS_FAIL;
    if (row->verdict == PAPERS_FAIL && report->trouble[0] != '\0')
        papers_note(report, "The run failed: %s", report->trouble);
    report->trouble[0] = '\0';
    return row;
}

/* Half a unit of the last digit of a printed number. */
static double half_unit(const char *printed)
{
    const char *point = strchr(printed, '.');
    const char *end = strpbrk(printed, "eE");
    if (end == NULL)
        end = printed + strlen(printed);
    const long decimals = point != NULL ? end - point - 1 : 0;
    const long exponent = *end != '\0' ? strtol(end + 1, NULL, 10) : 0;
    return 0.5 * pow(10.0, (double)(exponent - decimals));
}

void papers_printed(papers_report *report, const char *published, double ours, const char *what,
                    ...)
{
    va_list arguments;
    va_start(arguments, what);
    add(report,
        (papers_bound){published, PAPERS_EQUAL, strtod(published, NULL), half_unit(published)},
        ours, what, arguments);
    va_end(arguments);
}

void papers_false_in_print(papers_report *report, papers_bound claim, const char *truth,
                           double ours, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    papers_row *row = add(report, claim, ours, what, arguments);
    va_end(arguments);
    snprintf(row->truth, sizeof row->truth, "%s", truth);
    const bool is_true = fabs(ours - strtod(truth, NULL)) <= half_unit(truth);
    row->verdict = row->verdict == PAPERS_FAIL && is_true ? PAPERS_FALSE_IN_PRINT : PAPERS_FAIL;
}

void papers_near(papers_report *report, double published, double tolerance, double ours,
                 const char *what, ...)
{
    char text[40];
    va_list arguments;
    snprintf(text, sizeof text, "%.6g", published);
    va_start(arguments, what);
    add(report, (papers_bound){text, PAPERS_EQUAL, published, tolerance}, ours, what, arguments);
    va_end(arguments);
}

void papers_judge(papers_report *report, papers_bound claim, double ours, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    add(report, claim, ours, what, arguments);
    va_end(arguments);
}

double papers_larger(double x, double y)
{
    return isnan(x) || x > y ? x : y;
}

double papers_smaller(double x, double y)
{
    return isnan(x) || x < y ? x : y;
}

double papers_slope(int count, const double *h, const double *errors)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; i++) {
        const double a = log(h[i]), b = log(errors[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

void papers_note(papers_report *report, const char *format, ...)
{
    papers_row *row = &report->rows[report->row_count - 1];
    const size_t used = strlen(row->note);
    const size_t gap = used > 0 && used + 1 < sizeof row->note ? 1 : 0;
    va_list arguments;
    if (gap > 0)
        row->note[used] = ' ';
    va_start(arguments, format);
    vsnprintf(row->note + used + gap, sizeof row->note - used - gap, format, arguments);
    va_end(arguments);
}

papers_figure *papers_new_figure(papers_report *report, const char *name, const char *caption)
{
    papers_figure *figure = &report->figures[report->figure_count++];
    snprintf(figure->name, sizeof figure->name, "%s", name);
    snprintf(figure->caption, sizeof figure->caption, "%s", caption);
    return figure;
}

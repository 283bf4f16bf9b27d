/* SING: rank-deficient mass matrices, ACB-R Sec. 4. */
#include "lab/analysis/decomposition.h"
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <cardan/rank.h>
#include <math.h>

/* M and B of the three problems, written down from ACB-R and docs/problems.md. */
enum { MOST = 9 };

typedef struct matrices {
    int k, m;
    double mass[MOST * MOST], constraint[MOST * MOST];
} matrices;

/* B = (2, 1; -1, 1), M = 0. */
static void write_example(const double *q, matrices *out)
{
    (void)q;
    *out = (matrices){.k = 2, .m = 2, .constraint = {2.0, 1.0, -1.0, 1.0}};
}

/* q = (x, y, theta): Phi = (x - sin theta, y + cos theta), M = diag(1, 1, 0). */
static void write_pendulum(const double *q, matrices *out)
{
    *out = (matrices){.k = 3,
                      .m = 2,
                      .mass = {[0] = 1.0, [4] = 1.0},
                      .constraint = {1.0, 0.0, -cos(q[2]), 0.0, 1.0, -sin(q[2])}};
}

/* R = I: Phi = (-y + R X / 2, -x + y + R X / 2), v = (x', Omega, y'), X = (0, 1, 0). */
static void write_top(const double *q, matrices *out)
{
    static const double mass[6] = {15.0, 15.0, 15.0, 0.234375, 0.46875, 0.234375};
    (void)q;
    *out = (matrices){.k = 9, .m = 6};
    for (int i = 0; i < 6; i++)
        out->mass[10 * i] = mass[i];
    for (int i = 0; i < 3; i++) {
        out->constraint[9 * i + 6 + i] = -1.0;
        out->constraint[9 * (3 + i) + i] = -1.0;
        out->constraint[9 * (3 + i) + 6 + i] = 1.0;
    }
    for (int half = 0; half < 2; half++) { /* -X~ / 2 */
        out->constraint[27 * half + 5] = -0.5;
        out->constraint[27 * half + 18 + 3] = 0.5;
    }
}

static const struct {
    const char *name;
    int index, rank;
    const char *smallest; /* eigenvalue of M + B^T B */
    void (*write)(const double *q, matrices *out);
} cases[] = {{"index2_example", 2, 0, "1.69722", write_example},
             {"pendulum_massless", 3, 2, "0.381966", write_pendulum},
             {"heavy_top_massless", 3, 6, "0.46875", write_top}};

/* Largest entry of M - U diag(0, D) U^T and of C - Q (0 Bbar; I 0) U^T, multiplied out here. */
static double defect_of(const lab_decomposition *d, const matrices *known)
{
    const int k = d->dof, n = d->constraints, r = d->mass_rank, free = k - r;
    double largest = k == known->k && n == known->m ? 0.0 : NAN;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = -known->mass[i * k + j];
            for (int e = 0; e < r; e++)
                sum += d->u[i * k + free + e] * d->eigenvalues[e] * d->u[j * k + free + e];
            largest = papers_larger(largest, fabs(sum));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            double sum = -known->constraint[i * k + j];
            for (int a = 0; a < n - free; a++)
                for (int e = 0; e < r; e++)
                    sum += d->q[i * n + a] * d->b[a * r + e] * d->u[j * k + free + e];
            for (int a = 0; a < free; a++)
                sum += d->q[i * n + n - free + a] * d->u[j * k + a];
            largest = papers_larger(largest, fabs(sum));
        }
    return largest;
}

/* The structure at the initial values; index -1 if it cannot be analysed. */
static cardan_rank_report structure(papers_report *report, int number, double *defect)
{
    cardan_rank_report found = {.index = -1, .mass_rank = -1, .augmented_smallest = NAN};
    const papers_setup setup = papers_setup_of(cases[number].name, "ga3", 0.9, 1e-3, 1.0);
    papers_trail trail = papers_begin(report, &setup);
    *defect = NAN;
    if (trail.failed)
        return found;
    const cardan_state *s = trail.now;
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    const cardan_system *system = lab_problem_system(trail.problem);
    lab_decomposition *factors = NULL;
    matrices known;
    cases[number].write(s->q, &known);
    if (cardan_rank_analyse(system, &at, &found, NULL) == CARDAN_OK &&
        lab_decomposition_create(&factors, system, &at, NULL) == CARDAN_OK)
        *defect = defect_of(factors, &known);
    lab_decomposition_destroy(factors);
    papers_finish(&trail);
    return found;
}

static void structures(papers_report *report)
{
    for (int i = 0; i < 3; i++) {
        const char *name = cases[i].name;
        double defect;
        const cardan_rank_report found = structure(report, i, &defect);
        if (i == 0)
            papers_source(report, "ACB-R (11)");
        else
            papers_derived(report, "ACB-R Sec. 4");
        papers_near(report, cases[i].index, 0, found.index, "index of %s", name);
        papers_derived(report, "ACB-R Sec. 4");
        papers_near(report, cases[i].rank, 0, found.mass_rank, "rank of M, %s", name);
        papers_printed(report, cases[i].smallest, found.augmented_smallest,
                       "smallest eigenvalue of M + B^T B, %s", name);
        if (i == 0)
            papers_note(report, "(7 - sqrt 13) / 2 here; (3 - sqrt 5) / 2 and J2 of the next two.");
        papers_source(report, "ACB-R Lemma 1, (13)");
        papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-13}, defect,
                     "(13) multiplied out, less M and B, %s", name);
        if (i == 0)
            papers_note(report, "M and B as the paper and docs/problems.md have them, the product "
                                "made here. Tolerance: rounding of a mass of 15 in sums of 9.");
    }
}

/* (17a): the algebraic combination of the multipliers is a function of q and v in every step. */
static void algebraic_multiplier(papers_report *report)
{
    const papers_setup setup = papers_setup_of("pendulum_massless", "ga3", 0.9, 1e-2, 2.0);
    papers_trail trail = papers_begin(report, &setup);
    double largest = 0.0;
    while (papers_advance(&trail)) {
        const double *lambda = trail.now->lambda, angle = trail.now->q[2];
        const double rest = fabs(lambda[0] * cos(angle) + lambda[1] * sin(angle));
        largest = papers_larger(largest, rest);
    }
    papers_derived(report, "ACB-R (17a), (18)");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-9},
                 trail.failed ? NAN : largest,
                 "max |lambda1 cos theta + lambda2 sin theta|, pendulum_massless");
    papers_note(report,
                "Its error is of the size of those of q and v, which are exact in it: there "
                "is no force on the massless coordinate. Tolerance: the corrector's, 1e-10 "
                "of lambda = 10.");
}

static void pathological(papers_report *report)
{
    const papers_setup setup = papers_setup_of("index2_example", "ga3", 0.9, 1e-2, 2.0);
    const papers_study study = papers_halve(report, setup, 4, 0.0);
    papers_derived(report, "ACB-R (11)");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-14}, study.errors[0].lambda,
                 "max |e_lambda|, index2_example, h = 1e-2");
    papers_note(report,
                "0 = -g - B^T lambda determines lambda in every step. Tolerance: rounding.");
    papers_source(report, "ACB-R Sec. 4");
    papers_order(report, 2.0, &study, PAPERS_V, "e_v, index2_example, ga3");
}

static void orders(papers_report *report)
{
    static const struct {
        const char *problem;
        double step, end;
    } runs[] = {{"pendulum_massless", 1e-2, 2.0}, {"heavy_top_massless", 1e-3, 1.0}};
    static const char *const methods[] = {"ga3", "ga2s"};
    papers_figure *figure = papers_new_figure(
        report, "sing-orders",
        "ACB-R Sec. 4 in pictures: systems with massless coordinates converge like those with full "
        "rank; ρ∞ = 0.9, perturbed start, largest errors of the run.");
    papers_source(report, "ACB-R Sec. 4");
    for (int c = 0; c < 2; c++) {
        papers_panel *panel =
            papers_new_panel(figure, runs[c].problem, (papers_axis){"h", true, 0, 0},
                             (papers_axis){"max error", true, 0, 0});
        for (int i = 0; i < 2; i++) {
            const papers_setup setup =
                papers_setup_of(runs[c].problem, methods[i], 0.9, runs[c].step, runs[c].end);
            const papers_study study = papers_halve(report, setup, 4, 0.0);
            papers_order(report, 2.0, &study, PAPERS_Q, "e_q, %s, %s", runs[c].problem, methods[i]);
            papers_order(report, 2.0, &study, PAPERS_V, "e_v, %s, %s", runs[c].problem, methods[i]);
            papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, %s, %s", runs[c].problem,
                         methods[i]);
            papers_plot(panel, &study, PAPERS_Q, PAPERS_SQUARE, "q, %s", methods[i]);
            papers_plot(panel, &study, PAPERS_LAMBDA, PAPERS_STAR, "λ, %s", methods[i]);
        }
        papers_guide(panel, &panel->series[0], 2);
    }
}

void papers_sing(papers_report *report)
{
    structures(report);
    pathological(report);
    algebraic_multiplier(report);
    orders(report);
}

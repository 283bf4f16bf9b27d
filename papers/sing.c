/* SING: rank-deficient mass matrices, ACB-R Sec. 4. */
#include "measure.h"

#include <cardan/rank.h>
#include <math.h>

/* The structure at the initial values; index -1 if it cannot be analysed. */
static cardan_rank_report structure(papers_report *report, const char *name, double *defect)
{
    cardan_rank_report found = {.index = -1, .mass_rank = -1, .augmented_smallest = NAN};
    const papers_setup setup = papers_setup_of(name, "ga3", 0.9, 1e-3, 1.0);
    papers_trail trail = papers_begin(report, &setup);
    *defect = NAN;
    if (trail.failed)
        return found;
    const cardan_state *s = trail.now;
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    const cardan_system *system = cardan_problem_system(trail.problem);
    cardan_decomposition *factors = NULL;
    if (cardan_rank_analyse(system, &at, &found, NULL) == CARDAN_OK &&
        cardan_decomposition_create(&factors, system, &at, NULL) == CARDAN_OK)
        *defect = factors->defect;
    cardan_decomposition_destroy(factors);
    papers_finish(&trail);
    return found;
}

static void structures(papers_report *report)
{
    static const struct {
        const char *name;
        int index, rank;
    } cases[] = {
        {"index2_example", 2, 0}, {"pendulum_massless", 3, 2}, {"heavy_top_massless", 3, 6}};
    for (int i = 0; i < 3; i++) {
        double defect;
        const cardan_rank_report found = structure(report, cases[i].name, &defect);
        papers_source(report, i == 0 ? "ACB-R (11)" : "ACB-R Sec. 4");
        papers_near(report, cases[i].index, 0, found.index, "index of %s", cases[i].name);
        papers_near(report, cases[i].rank, 0, found.mass_rank, "rank of M, %s", cases[i].name);
        papers_judge(report, (papers_bound){"> 0", PAPERS_AT_LEAST, 0.0, -1e-6},
                     found.augmented_smallest, "smallest eigenvalue of M + B^T B, %s",
                     cases[i].name);
        papers_source(report, "ACB-R (13)");
        papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-12}, defect,
                     "defect of the decomposition of Lemma 1, %s", cases[i].name);
    }
}

static void pathological(papers_report *report)
{
    const papers_setup setup = papers_setup_of("index2_example", "ga3", 0.9, 1e-2, 2.0);
    const papers_study study = papers_halve(report, setup, 4, 0.0);
    papers_source(report, "ACB-R (11)");
    papers_judge(report, (papers_bound){"exact", PAPERS_AT_MOST, 0.0, 1e-12},
                 study.errors[0].lambda, "max |e_lambda|, index2_example, h = 1e-2");
    papers_order(report, 2.0, &study, PAPERS_V, "e_v, index2_example, ga3");
}

static void orders(papers_report *report)
{
    static const struct {
        const char *problem;
        double step, end;
    } cases[] = {{"pendulum_massless", 1e-2, 2.0}, {"heavy_top_massless", 1e-3, 1.0}};
    static const char *const methods[] = {"ga3", "ga2s"};
    papers_figure *figure = papers_new_figure(
        report, "sing-orders",
        "ACB-R Sec. 4 in pictures: systems with massless coordinates converge like those with full "
        "rank; ρ∞ = 0.9, perturbed start, largest errors of the run.");
    papers_source(report, "ACB-R Sec. 4");
    for (int c = 0; c < 2; c++) {
        papers_panel *panel =
            papers_new_panel(figure, cases[c].problem, (papers_axis){"h", true, 0, 0},
                             (papers_axis){"max error", true, 0, 0});
        for (int i = 0; i < 2; i++) {
            const papers_setup setup =
                papers_setup_of(cases[c].problem, methods[i], 0.9, cases[c].step, cases[c].end);
            const papers_study study = papers_halve(report, setup, 4, 0.0);
            papers_order(report, 2.0, &study, PAPERS_Q, "e_q, %s, %s", cases[c].problem,
                         methods[i]);
            papers_order(report, 2.0, &study, PAPERS_V, "e_v, %s, %s", cases[c].problem,
                         methods[i]);
            papers_order(report, 2.0, &study, PAPERS_LAMBDA, "e_lambda, %s, %s", cases[c].problem,
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
    orders(report);
}

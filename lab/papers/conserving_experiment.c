/* BODIES: the conserving scheme on rigid bodies, our extension of GO10 (14). */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <math.h>
#include <stdlib.h>

/* Largest relative changes of the energy and of a momentum over a run. */
typedef struct changes {
    double energy, momentum;
} changes;

static double energy_of(papers_trail *trail)
{
    double kinetic = NAN, potential = NAN;
    if (!papers_check(trail, cardan_integrator_energy(trail->it, &kinetic, &potential)))
        return NAN;
    return kinetic + potential;
}

/* Component 3 of the momentum in space: of a body on SO(3), or of the top with the angular velocity
 * in space, whose body axis 2 is that of its symmetry: J_s = J1 I + (J2 - J1) r r^T. */
static double momentum_of(const cardan_state *at, bool top)
{
    const double *q = at->q, *v = at->v;
    if (!top)
        return q[6] * v[0] + 2.0 * q[7] * v[1] + 3.0 * q[8] * v[2];
    const double along = q[0] * v[3] + q[1] * v[4] + q[2] * v[5];
    return 15.0 * (q[0] * v[1] - q[1] * v[0]) + 0.234375 * v[5] + 0.234375 * along * q[2];
}

static changes watch(papers_report *report, const papers_setup *setup, bool top)
{
    papers_trail trail = papers_begin(report, setup);
    changes largest = {NAN, NAN};
    if (trail.it == NULL)
        return largest;
    const double energy = energy_of(&trail), momentum = momentum_of(trail.now, top);
    largest = (changes){0.0, 0.0};
    while (papers_advance(&trail))
        if (trail.n % 100 == 0) {
            largest.energy = papers_larger(largest.energy, fabs(energy_of(&trail) / energy - 1.0));
            largest.momentum =
                papers_larger(largest.momentum, fabs(momentum_of(trail.now, top) / momentum - 1.0));
        }
    return trail.failed ? (changes){NAN, NAN} : largest;
}

static papers_setup setup_of(const char *problem, double step, double end)
{
    return papers_setup_of(problem, "conserving", 1.0, step, end);
}

static const papers_bound long_run = {"1e-10", PAPERS_AT_MOST, 1e-10, 0.0};

static void judge_long_run(papers_report *report, const char *problem, double step)
{
    const papers_setup setup = setup_of(problem, step, 1e5 * step);
    const bool top = setup.problem[0] == 'h';
    const changes seen = watch(report, &setup, top);
    papers_judge(report, long_run, seen.energy, "conserving, %s, 1e5 steps: |E/E(0) - 1|", problem);
    papers_judge(report, long_run, seen.momentum, "conserving, %s, 1e5 steps: |L3/L3(0) - 1|",
                 problem);
}

/* GO10 (14) for a potential and constraints that are not quadratic. */
static void judge_discrete_gradient(papers_report *report)
{
    papers_setup setup = setup_of("slider_crank", 0.02, 40.0);
    setup.setting = (lab_setting){"c", 0.0};
    papers_trail trail = papers_begin(report, &setup);
    double first = trail.it != NULL ? energy_of(&trail) : NAN, largest = 0.0 * first;
    while (trail.it != NULL && papers_advance(&trail))
        largest = papers_larger(largest, fabs(energy_of(&trail) - first));
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 1e-11},
                 trail.failed ? NAN : largest,
                 "conserving, slider_crank without damper, 2000 steps: |E - E(0)|");
    papers_note(report, "The derivative of the potential is differenced there, which leaves about "
                        "1e-12 of its force over the path.");
}

/* 200 steps of 1e-3 by tests/reference/conserving_bodies.py. */
static void compare_with_prototype(papers_report *report, const char *problem)
{
    static const char *const x[] = {"0.60554440289", "0.59901794249", "-0.52392125430"};
    static const char *const lambda[] = {"-640.10570", "-141.97906", "142.73301"};
    papers_setup setup = setup_of(problem, 1e-3, 0.2);
    setup.def.experimental.start = CARDAN_START_PLAIN;
    papers_trail trail = papers_begin(report, &setup);
    double place[3] = {NAN, NAN, NAN}, pull[3] = {NAN, NAN, NAN};
    while (trail.it != NULL && papers_advance(&trail))
        for (int i = 0; i < 3; i++) {
            place[i] = trail.now->q[i];
            pull[i] = trail.now->stage[i];
        }
    for (int i = 0; i < 3; i++) {
        papers_printed(report, x[i], place[i], "conserving, %s, h = 1e-3: x%d(0.2)", problem,
                       i + 1);
        papers_printed(report, lambda[i], pull[i], "conserving, %s, h = 1e-3: lambda%d(0.1995)",
                       problem, i + 1);
    }
}

static void judge_orders(papers_report *report, const char *problem)
{
    const papers_study study = papers_halve(report, setup_of(problem, 5e-4, 0.25), 4, 0.0);
    papers_order(report, 2.0, &study, PAPERS_Q, "conserving, %s: q", problem);
    papers_order(report, 2.0, &study, PAPERS_V, "conserving, %s: v", problem);
    papers_order(report, 2.0, &study, PAPERS_LAMBDA, "conserving, %s: lambda", problem);
}

void papers_bodies(papers_report *report)
{
    papers_derived(report, "GO10 (14)");
    judge_discrete_gradient(report);
    papers_ours(report, "CONS");
    judge_long_run(report, "free_body", 1e-2);
    judge_long_run(report, "heavy_top_spatial", 1e-3);
    compare_with_prototype(report, "heavy_top");
    compare_with_prototype(report, "heavy_top_spatial");
    judge_orders(report, "heavy_top_spatial");
    judge_orders(report, "heavy_top_se3");
}

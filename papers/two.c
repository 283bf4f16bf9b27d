/* TWO: the two particles of GO10 Sec. 6 and the energy that velocity projections move. */
#include "measure.h"

#include <math.h>

typedef struct variant {
    const char *name;
    double step, end;
    bool projected, weighted; /* A = W = diag(15, 1) instead of M */
    double alpha;             /* penalty of the projection */
} variant;

/* Along one run; energies relative to the initial one. */
typedef struct findings {
    double energy_error;       /* largest |E/E0 - 1| */
    double most_energy;        /* largest E/E0 */
    double position, velocity; /* largest constraint residuals */
    double at10, at50, e0;     /* energies at t = 10, 50 and 0 */
    double step_before, at35;  /* at t = 35.4 and 35.5 */
    double reached;            /* time that was reached */
} findings;

typedef struct drawing {
    papers_series *energy, *velocity, *q[2], *v[2], *lambda; /* any may be NULL */
} drawing;

static const double weights[] = {15.0, 1.0};

static papers_setup setup_of(const variant *run)
{
    papers_setup setup = papers_setup_of("two_particles", "conserving", 1.0, run->step, run->end);
    setup.def.options.conserving_penalty = 1e3;
    setup.def.max_iterations = 200; /* the augmented Lagrangian converges linearly */
    if (!run->projected)
        return setup;
    setup.def.projection.level = CARDAN_PROJECT_VELOCITY;
    setup.def.projection.solver = CARDAN_PROJECTION_PENALTY;
    setup.def.projection.penalty = run->alpha;
    if (run->weighted) {
        setup.def.projection.norm = CARDAN_NORM_DIAGONAL;
        setup.def.projection.matrix = weights;
    }
    return setup;
}

static void push(papers_series *series, double x, double y)
{
    if (series != NULL)
        papers_push(series, x, y);
}

static void draw_point(const drawing *draw, const cardan_state *s, double energy)
{
    push(draw->energy, s->t, energy);
    push(draw->velocity, s->t, 2.0 * (s->q[0] * s->v[0] + s->q[1] * s->v[1]));
    for (int i = 0; i < 2; i++) {
        push(draw->q[i], s->t, s->q[i]);
        push(draw->v[i], s->t, s->v[i]);
    }
    push(draw->lambda, s->t, -s->lambda[0]); /* GO10: force +Phi_q^T lambda */
}

static double energy_of(const papers_trail *trail)
{
    double kinetic = NAN, potential = 0.0;
    if (cardan_integrator_energy(trail->it, &kinetic, &potential) != CARDAN_OK)
        return NAN;
    return kinetic + potential;
}

static void note_time(double t, double wanted, double energy, double *slot)
{
    if (fabs(t - wanted) < 1e-6)
        *slot = energy;
}

static findings follow(papers_report *report, const variant *run, drawing draw)
{
    const papers_setup setup = setup_of(run);
    findings found = {.at10 = NAN, .at35 = NAN, .at50 = NAN, .step_before = NAN};
    papers_trail trail = papers_begin(report, &setup);
    if (!trail.failed)
        found.e0 = energy_of(&trail);
    while (papers_advance(&trail)) {
        const double energy = energy_of(&trail), t = trail.now->t;
        double phi = NAN, hidden = NAN;
        if (!papers_check(&trail, cardan_integrator_residuals(trail.it, &phi, &hidden)))
            break;
        found.reached = t;
        found.position = fmax(found.position, phi);
        found.velocity = fmax(found.velocity, hidden);
        found.energy_error = fmax(found.energy_error, fabs(energy / found.e0 - 1.0));
        found.most_energy = fmax(found.most_energy, energy / found.e0);
        note_time(t, 10.0, energy, &found.at10);
        note_time(t, 35.4, energy, &found.step_before);
        note_time(t, 35.5, energy, &found.at35);
        note_time(t, 50.0, energy, &found.at50);
        draw_point(&draw, trail.now, energy);
    }
    return found;
}

static papers_panel *time_panel(papers_figure *figure, const char *title, const char *label,
                                double end)
{
    return papers_new_panel(figure, title, (papers_axis){"time (s)", false, 0.0, end},
                            (papers_axis){label, false, 0, 0});
}

/* Fig. 3 to 8: dt = 0.04 without projections. */
static void small_step(papers_report *report)
{
    const variant run = {"none", 0.04, 10.0, false, false, 0.0};
    papers_figure *figure = papers_new_figure(
        report, "two-fig3-8",
        "GO10 Fig. 3, 4, 6 and 8: two particles, conserving integration without projections, Δt = "
        "0.04 s: position, velocity, Lagrange multiplier (sign as in the paper) and velocity "
        "constraint.");
    papers_panel *position = time_panel(figure, "Fig. 3", "position (m)", 10.0);
    papers_panel *velocity = time_panel(figure, "Fig. 4", "velocity (m/s)", 10.0);
    papers_panel *multiplier = time_panel(figure, "Fig. 6", "Lagrange multiplier", 10.0);
    papers_panel *constraint = time_panel(figure, "Fig. 8", "velocity constraint", 10.0);
    const drawing draw = {
        .q = {papers_new_series(position, PAPERS_LINE, false, "q1"),
              papers_new_series(position, PAPERS_DASHED, false, "q2")},
        .v = {papers_new_series(velocity, PAPERS_LINE, false, "q1'"),
              papers_new_series(velocity, PAPERS_DASHED, false, "q2'")},
        .lambda = papers_new_series(multiplier, PAPERS_LINE, false, "λ"),
        .velocity = papers_new_series(constraint, PAPERS_LINE, false, "Φ'"),
    };
    const findings found = follow(report, &run, draw);
    papers_source(report, "GO10 Fig. 5");
    papers_judge(report, (papers_bound){"constant", PAPERS_AT_MOST, 0.0, 1e-10}, found.energy_error,
                 "max |E/E0 - 1|, dt = 0.04, no projection");
    papers_source(report, "GO10 Fig. 7");
    papers_judge(report, (papers_bound){"about 1e-9", PAPERS_AT_MOST, 1e-9, 0.0}, found.position,
                 "max position constraint, dt = 0.04");
    papers_source(report, "GO10 Fig. 8");
    papers_judge(report, (papers_bound){"about 1e-2", PAPERS_EQUAL, -2.0, 0.5},
                 log10(found.velocity), "log10 of max velocity constraint, dt = 0.04");
}

/* Fig. 9 to 12: dt = 0.1 up to 10 s. */
static void large_step(papers_report *report)
{
    static const variant runs[] = {
        {"no projection", 0.1, 10.0, false, false, 0.0},
        {"A = M, α = 1", 0.1, 10.0, true, false, 1.0},
        {"A = W, α = 1", 0.1, 10.0, true, true, 1.0},
    };
    static const papers_mark marks[] = {PAPERS_GUIDE, PAPERS_LINE, PAPERS_DASHED};
    papers_figure *figure = papers_new_figure(
        report, "two-fig9-12",
        "GO10 Fig. 9 and 12: energy and velocity constraint, conserving integration with Δt = 0.1 "
        "s. The paper's run without projections stops at t = 5.2 s; ours goes on.");
    papers_panel *energy = time_panel(figure, "Fig. 9", "energy (J)", 10.0);
    papers_panel *constraint = time_panel(figure, "Fig. 12", "velocity constraint", 10.0);
    findings found[3];
    for (int i = 0; i < 3; i++) {
        const drawing draw = {
            .energy = papers_new_series(energy, marks[i], false, "%s", runs[i].name),
            .velocity = papers_new_series(constraint, marks[i], false, "%s", runs[i].name)};
        found[i] = follow(report, &runs[i], draw);
    }
    papers_source(report, "GO10 Fig. 9");
    papers_judge(report, (papers_bound){"fails at 5.2", PAPERS_AT_LEAST, 5.2, 0.0},
                 found[0].reached, "time reached, dt = 0.1, no projection");
    papers_note(report,
                "The paper's solver does not converge at t = 5.2 s; ours does, up to the "
                "end. The cause the paper names, a growing velocity constraint, is there: "
                "its maximum is %.2f.",
                found[0].velocity);
    papers_judge(report, (papers_bound){"conserved", PAPERS_AT_MOST, 0.0, 1e-10},
                 found[0].energy_error, "max |E/E0 - 1|, dt = 0.1, no projection");
    papers_judge(report, (papers_bound){"no growth", PAPERS_AT_MOST, 1.0, 1e-12},
                 found[1].most_energy, "max E/E0, dt = 0.1, A = M, alpha = 1");
    papers_printed(report, "0.53", found[2].at10, "E(10), dt = 0.1, A = diag(15, 1), alpha = 1");
    papers_source(report, "GO10 Fig. 12");
    papers_judge(report, (papers_bound){"reduced", PAPERS_AT_MOST, 1.0, 0.0},
                 fmax(found[1].velocity, found[2].velocity) / found[0].velocity,
                 "max velocity constraint, projected over not projected");
}

/* Fig. 14 to 16: a larger penalty, and 50 s. */
static void long_runs(papers_report *report)
{
    static const variant runs[] = {
        {"A = M, α = 1", 0.1, 50.0, true, false, 1.0},
        {"A = W, α = 20", 0.1, 50.0, true, true, 20.0},
    };
    static const papers_mark marks[] = {PAPERS_LINE, PAPERS_DASHED};
    papers_figure *figure = papers_new_figure(
        report, "two-fig15-16",
        "GO10 Fig. 15 and 16 on the interval of Fig. 16: energy and velocity constraint, "
        "conserving "
        "integration with projections, Δt = 0.1 s. The paper's run with A = W, α = 20 stops at t = "
        "35.5 s; ours goes on.");
    papers_panel *energy = time_panel(figure, "Fig. 15", "energy (J)", 50.0);
    papers_panel *constraint = time_panel(figure, "Fig. 16", "velocity constraint", 50.0);
    findings found[2];
    for (int i = 0; i < 2; i++) {
        const drawing draw = {
            .energy = papers_new_series(energy, marks[i], false, "%s", runs[i].name),
            .velocity = papers_new_series(constraint, marks[i], false, "%s", runs[i].name)};
        found[i] = follow(report, &runs[i], draw);
    }
    papers_source(report, "GO10 Fig. 15");
    papers_printed(report, "0.67", found[1].at10, "E(10), dt = 0.1, A = diag(15, 1), alpha = 20");
    papers_source(report, "GO10 Fig. 16");
    papers_printed(report, "0.74", found[0].at50 / found[0].e0,
                   "E(50)/E(0), dt = 0.1, A = M, alpha = 1");
    papers_near(report, 2.54, 0.05, found[1].at35 / found[1].e0,
                "E(35.5)/E(0), dt = 0.1, A = diag(15, 1), alpha = 20");
    papers_note(
        report,
        "The paper's solver fails at this very time; ours goes on to t = %g s, where E/E0 = "
        "%.2f. The energy grows steeply here, from %.2f to %.2f in the last step, hence "
        "the tolerance.",
        found[1].reached, found[1].at50 / found[1].e0, found[1].step_before / found[1].e0,
        found[1].at35 / found[1].e0);
}

/* The verdict of Prop. 6 on both matrices at q = (0.6, 0.8), with B^s in closed form. */
static void verdicts(papers_report *report)
{
    const double a = weights[0], mu = 0.1, q[] = {0.6, 0.8}, v[] = {0.8, -0.6}, zero[2] = {0};
    const cardan_point at = {0.0, q, v, zero, zero, zero};
    const papers_setup setup = papers_setup_of("two_particles", "conserving", 1.0, 0.1, 1.0);
    cardan_projection projection = cardan_projection_default();
    cardan_projection_verdict mass = {0}, weighted = {.smallest = NAN};
    papers_trail trail = papers_begin(report, &setup);
    if (!trail.failed) {
        const cardan_system *system = cardan_problem_system(trail.problem);
        projection.level = CARDAN_PROJECT_VELOCITY;
        cardan_projection_judge(system, &projection, &at, &mass, NULL);
        projection.norm = CARDAN_NORM_DIAGONAL;
        projection.matrix = weights;
        cardan_projection_judge(system, &projection, &at, &weighted, NULL);
    }
    papers_finish(&trail);
    const double half = 2.0 * (q[0] * q[0] / a + mu * q[1] * q[1]);
    const double product = q[0] * q[1] * (1.0 - a * mu) / a;
    const double determinant = -4.0 * product * product;
    papers_source(report, "GO10 Fig. 1, 13");
    papers_near(report, 4, 0, mass.case_number, "case of A = M");
    papers_near(report, 2, 0, weighted.case_number, "case of A = diag(15, 1)");
    papers_source(report, "GO10 Sec. 6");
    papers_near(report, half - sqrt(half * half - determinant), 1e-12, weighted.smallest,
                "smallest eigenvalue of B^s, A = diag(15, 1)");
    papers_note(report,
                "Published is the closed form of B^s and its determinant, at q = (0.6, 0.8).");
}

void papers_two(papers_report *report)
{
    small_step(report);
    large_step(report);
    long_runs(report);
    verdicts(report);
}

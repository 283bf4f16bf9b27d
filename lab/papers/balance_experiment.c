/* BALANCE: GO10 (9) to (14). What a step adds to the kinetic energy, measured, and by the printed
 * formulas with forces that are written down here. */
#include "lab/problems/problem.h"
#include "paper_runs.h"

#include <float.h>
#include <math.h>

/* A problem on R^n: Q_T = Phi_q^T lambda - Q at some q, v. */
typedef void force_at(const double *q, const double *v, const double *lambda, double *out);

typedef struct subject {
    const char *problem;
    lab_setting setting;
    double step, end;
    int size;
    double mass[3];
    force_at *force;
} subject;

/* Q = 0, Phi = q^T q - 1 */
static void force_of_two(const double *q, const double *v, const double *lambda, double *out)
{
    (void)v;
    for (int i = 0; i < 2; i++)
        out[i] = 2.0 * q[i] * lambda[0];
}

/* Q = -(0, m g, k (y3 - rest)), without damper; Phi = (y1 - L cos y3, y2 - L sin y3) */
static void force_of_rod(const double *q, const double *v, const double *lambda, double *out)
{
    const double rest = 1.5 * acos(-1.0);
    (void)v;
    out[0] = lambda[0];
    out[1] = lambda[1] + 5.0 * 9.81;
    out[2] = 2.0 * (lambda[0] * sin(q[2]) - lambda[1] * cos(q[2])) + 3000.0 * (q[2] - rest);
}

/* Q = -q */
static void force_of_spring(const double *q, const double *v, const double *lambda, double *out)
{
    (void)v, (void)lambda;
    out[0] = q[0];
}

static const subject two = {"two_particles", {0}, 0.04, 10.0, 2, {1.0, 0.1}, force_of_two};
static const subject two_for_a_while = {"two_particles", {0},         0.04, 4.0, 2,
                                        {1.0, 0.1},      force_of_two};
static const subject rod = {"jn2", {"c", 0.0}, 0.005, 1.0, 3, {5.0, 5.0, 20.0 / 3}, force_of_rod};
static const subject spring = {"oscillator", {0}, 0.05, 5.0, 1, {1.0}, force_of_spring};

/* Of a run. */
typedef struct balance {
    double error;               /* largest |dE_i - printed|, over the largest kinetic energy */
    double lowest, highest;     /* dE_i with the change of the potential */
    double kinetic;             /* largest kinetic energy */
    double last[3], last_speed; /* q and v_1 at the end */
} balance;

typedef struct snapshot {
    double q[3], v[3], lambda[2], energy; /* kinetic + potential */
} snapshot;

static snapshot take(papers_trail *trail, int size)
{
    const cardan_state *s = trail->now;
    const int m = cardan_system_describe(lab_problem_system(trail->problem)).constraint_count;
    double kinetic = NAN, potential = NAN;
    snapshot now = {.energy = NAN};
    for (int i = 0; i < size; i++) {
        now.q[i] = s->q[i];
        now.v[i] = s->v[i];
    }
    for (int i = 0; i < m; i++)
        now.lambda[i] = s->stages > 0 ? s->stage[i] : s->lambda[i];
    if (papers_check(trail, cardan_integrator_energy(trail->it, &kinetic, &potential)))
        now.energy = kinetic + potential;
    return now;
}

static double kinetic_of(const subject *it, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < it->size; i++)
        sum += 0.5 * it->mass[i] * v[i] * v[i];
    return sum;
}

/* (12): the mean of the forces at both ends. */
static double by_12(const subject *it, const snapshot *old, const snapshot *new)
{
    double first[3], last[3], sum = 0.0;
    it->force(old->q, old->v, old->lambda, first);
    it->force(new->q, new->v, new->lambda, last);
    for (int i = 0; i < it->size; i++)
        sum -= (new->q[i] - old->q[i]) * 0.5 * (first[i] + last[i]);
    return sum;
}

/* (13): the forces in the middle. */
static double by_13(const subject *it, const snapshot *old, const snapshot *new)
{
    double q[3], v[3], force[3], sum = 0.0;
    for (int i = 0; i < it->size; i++) {
        q[i] = 0.5 * (old->q[i] + new->q[i]);
        v[i] = 0.5 * (old->v[i] + new->v[i]);
    }
    it->force(q, v, new->lambda, force);
    for (int i = 0; i < it->size; i++)
        sum -= (new->q[i] - old->q[i]) * force[i];
    return sum;
}

/* (14): with Q_T^c^T (q1 - q0) = V(q1) - V(q0) + lambda^T (Phi(q1) - Phi(q0)), the last one 0. */
static double by_14(const subject *it, const snapshot *old, const snapshot *new)
{
    const double potential[] = {old->energy - kinetic_of(it, old->v),
                                new->energy - kinetic_of(it, new->v)};
    return potential[0] - potential[1];
}

typedef double printed_formula(const subject *it, const snapshot *old, const snapshot *new);

static balance follow(papers_report *report, const subject *it, const char *method,
                      printed_formula *formula)
{
    papers_setup setup = papers_setup_of(it->problem, method, 1.0, it->step, it->end);
    balance found = {.lowest = INFINITY, .highest = -INFINITY};
    setup.setting = it->setting;
    setup.def.experimental.start = CARDAN_START_PLAIN;
    papers_trail trail = papers_begin(report, &setup);
    if (trail.failed)
        return (balance){NAN, NAN, NAN, NAN, {NAN}, NAN};
    snapshot old = take(&trail, it->size);
    while (papers_advance(&trail)) {
        const snapshot new = take(&trail, it->size);
        const double added = kinetic_of(it, new.v) - kinetic_of(it, old.v); /* (10), (11) */
        found.error = papers_larger(found.error, fabs(added - formula(it, &old, &new)));
        found.lowest = papers_smaller(found.lowest, new.energy - old.energy);
        found.highest = papers_larger(found.highest, new.energy - old.energy);
        found.kinetic = papers_larger(found.kinetic, kinetic_of(it, new.v));
        for (int i = 0; i < it->size; i++)
            found.last[i] = new.q[i];
        found.last_speed = new.v[0];
        old = new;
    }
    if (trail.failed)
        found.error = NAN;
    found.error /= found.kinetic;
    return found;
}

static const papers_bound rounding = {"equal", PAPERS_AT_MOST, 0.0, 1e-13};

/* The rod: |dE_i| against the formula, and its signs. */
static void judge_formulas(papers_report *report)
{
    const balance mean = follow(report, &two_for_a_while, "trapezoidal", by_12);
    const balance mean_rod = follow(report, &rod, "trapezoidal", by_12);
    const balance middle = follow(report, &two, "midpoint", by_13);
    const balance middle_rod = follow(report, &rod, "midpoint", by_13);
    papers_source(report, "GO10 (12)");
    papers_judge(report, rounding, mean.error,
                 "trapezoidal, TWO: max |dE_i - (12)| over the energy");
    papers_note(report, "Up to t = 4: its multipliers grow without bound, and the steps have no "
                        "solution from t = 5.8 on.");
    papers_judge(report, rounding, mean_rod.error,
                 "trapezoidal, JN2: max |dE_i - (12)| over the energy");
    papers_source(report, "GO10 (13)");
    papers_judge(report, rounding, middle.error,
                 "midpoint, TWO: max |dE_i - (13)| over the energy");
    papers_judge(report, rounding, middle_rod.error,
                 "midpoint, JN2: max |dE_i - (13)| over the energy");
    papers_source(report, "GO10 Sec. 4");
    const papers_bound above = {"positive", PAPERS_AT_LEAST, 1e-6, 0.0};
    const papers_bound below = {"or negative", PAPERS_AT_MOST, -1e-6, 0.0};
    papers_judge(report, above, mean_rod.highest / mean_rod.kinetic,
                 "trapezoidal, JN2: largest change of energy in a step, relative");
    papers_judge(report, below, mean_rod.lowest / mean_rod.kinetic,
                 "trapezoidal, JN2: smallest change of energy in a step, relative");
    papers_judge(report, above, middle_rod.highest / middle_rod.kinetic,
                 "midpoint, JN2: largest change of energy in a step, relative");
    papers_judge(report, below, middle_rod.lowest / middle_rod.kinetic,
                 "midpoint, JN2: smallest change of energy in a step, relative");
    papers_note(report,
                "The pendulum of JN2 without damper: with gravity and spring, its energy is "
                "kinetic plus potential.");
}

/* Q_T^c of the conserving algorithm. */
static void judge_conserving(papers_report *report)
{
    const balance none = follow(report, &two, "conserving", by_14);
    const balance forces = follow(report, &rod, "conserving", by_14);
    papers_source(report, "GO10 (14)");
    papers_judge(report, (papers_bound){"0", PAPERS_AT_MOST, 0.0, 16 * DBL_EPSILON},
                 papers_larger(none.highest, -none.lowest) / none.kinetic,
                 "conserving, TWO: largest |dE_i| of a step, relative");
    papers_derived(report, "GO10 (14)");
    papers_judge(report, rounding, forces.error,
                 "conserving, JN2: max |dE_i + change of V| over the energy");
    papers_note(report, "With forces that have a potential (14) is the change of the potential "
                        "energy: the sum is constant although the constraints are not quadratic.");
}

/* The linear case: no constraint, a linear spring. */
static void judge_linear(papers_report *report)
{
    const balance mean = follow(report, &spring, "trapezoidal", by_12);
    const balance middle = follow(report, &spring, "midpoint", by_13);
    papers_source(report, "GO10 Sec. 4");
    papers_judge(report, (papers_bound){"the same", PAPERS_AT_MOST, 0.0, 1e-13},
                 papers_larger(fabs(mean.last[0] - middle.last[0]),
                               fabs(mean.last_speed - middle.last_speed)),
                 "linear oscillator, 100 steps: trapezoidal less midpoint");
    papers_judge(report, (papers_bound){"conserved", PAPERS_AT_MOST, 0.0, 1e-14},
                 papers_larger(mean.highest, -mean.lowest) / mean.kinetic,
                 "linear oscillator, trapezoidal: largest |dE_i| of a step");
    papers_judge(report, (papers_bound){"conserved", PAPERS_AT_MOST, 0.0, 1e-14},
                 papers_larger(middle.highest, -middle.lowest) / middle.kinetic,
                 "linear oscillator, midpoint: largest |dE_i| of a step");
}

/* (10): what integrator and projection add makes up the change, in every step. */
static void judge_sum(papers_report *report)
{
    papers_setup setup = papers_setup_of("two_particles", "trapezoidal", 1.0, 0.1, 10.0);
    double before = NAN, largest = 0.0;
    setup.def.projection.level = CARDAN_PROJECT_VELOCITY;
    setup.def.projection.solver = CARDAN_PROJECTION_PENALTY;
    setup.def.energy_balance = true;
    papers_trail trail = papers_begin(report, &setup);
    if (!trail.failed)
        before = kinetic_of(&two, trail.now->v);
    while (papers_advance(&trail)) {
        const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(trail.it);
        const double now = kinetic_of(&two, trail.now->v);
        largest = papers_larger(largest, fabs(now - before - energy_balance.last_integrator -
                                              energy_balance.last_projection));
        before = now;
    }
    papers_source(report, "GO10 (10)");
    papers_judge(report, (papers_bound){"equal", PAPERS_AT_MOST, 0.0, 4 * DBL_EPSILON},
                 trail.failed ? NAN : largest,
                 "trapezoidal with projection, TWO: |dE - dE_i - dE_p| of a step");
}

void papers_balance(papers_report *report)
{
    judge_sum(report);
    judge_formulas(report);
    judge_conserving(report);
    judge_linear(report);
}

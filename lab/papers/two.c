/* TWO: the two particles of GO10 Sec. 6, conserving integration without projections. */
#include "two_run.h"

#include <float.h>
#include <math.h>

static double first_position(const two_state *s)
{
    return s->q[0];
}

static double second_position(const two_state *s)
{
    return s->q[1];
}

static double first_velocity(const two_state *s)
{
    return s->v[0];
}

static double second_velocity(const two_state *s)
{
    return s->v[1];
}

static double energy(const two_state *s)
{
    return s->energy;
}

static void draw_small(papers_report *report, const two_path *path)
{
    papers_figure *motion = papers_new_figure(
        report, "two-fig3-6",
        "GO10 Fig. 3 to 6: two particles, conserving integration without projections, Δt = 0.04 s: "
        "position, velocity, energy and the Lagrange multiplier of each step.");
    papers_panel *position = two_panel(motion, "Fig. 3", "position (m)", 10.0);
    two_draw(position, PAPERS_LINE, "q1", path, first_position);
    two_draw(position, PAPERS_DASHED, "q2", path, second_position);
    papers_panel *velocity = two_panel(motion, "Fig. 4", "velocity (m/s)", 10.0);
    two_draw(velocity, PAPERS_LINE, "q1'", path, first_velocity);
    two_draw(velocity, PAPERS_DASHED, "q2'", path, second_velocity);
    papers_panel *level =
        papers_new_panel(motion, "Fig. 5", (papers_axis){"time (s)", false, 0, 10},
                         (papers_axis){"energy (J)", false, 0.0, 1.0});
    two_draw(level, PAPERS_LINE, "E", path, energy);
    two_draw(two_panel(motion, "Fig. 6", "Lagrange multiplier", 10.0), PAPERS_LINE, "λ", path,
             two_lambda);
    papers_figure *constraints = papers_new_figure(
        report, "two-fig7-8",
        "GO10 Fig. 7 and 8: constraints at position and velocity level in the same run. At "
        "position level the paper has about 1e-9, the tolerance of its solver; ours is "
        "rounding.");
    two_draw(two_panel(constraints, "Fig. 7", "position constraint", 10.0), PAPERS_LINE, "Φ", path,
             two_position);
    two_draw(two_panel(constraints, "Fig. 8", "velocity constraint", 10.0), PAPERS_LINE, "Φ'", path,
             two_velocity);
}

/* What rounding may add up to: one unit in each step. */
static papers_bound conserved(const two_path *path)
{
    return (papers_bound){"constant", PAPERS_AT_MOST, (path->count - 1) * DBL_EPSILON, 0.0};
}

/* Fig. 3 to 8. */
static void small_step(papers_report *report)
{
    const two_run run = {"none", 0.04, 10.0, false, false, 0.0};
    static two_path path;
    two_follow(report, &run, &path);
    draw_small(report, &path);
    papers_source(report, "GO10 Fig. 5");
    papers_judge(report, conserved(&path), two_largest(&path, 10.0, two_energy_error),
                 "max |E/E0 - 1|, dt = 0.04, no projection");
    papers_note(report, "The bound is one rounding error in each of the %d steps.", path.count - 1);
    papers_source(report, "GO10 Fig. 7");
    papers_judge(report, (papers_bound){"about 1e-9", PAPERS_AT_MOST, 1e-9, 0.0},
                 two_largest(&path, 10.0, two_position), "max position constraint, dt = 0.04");
    papers_source(report, "GO10 Fig. 8");
    papers_judge(report, (papers_bound){"about 1e-2", PAPERS_EQUAL, -2.0, 0.5},
                 log10(two_largest(&path, 10.0, two_velocity)),
                 "log10 of max velocity constraint, dt = 0.04");
    papers_note(report, "The paper says the order of magnitude only: half a power of ten.");
    papers_derived(report, "GO10 Fig. 3, 4, 8");
    papers_printed(report, "0.98931964", two_at(&path, 10.0).q[0], "q1(10), dt = 0.04");
    papers_printed(report, "-2.85055691", two_at(&path, 10.0).v[1], "v2(10), dt = 0.04");
    papers_printed(report, "0.02561417", two_largest(&path, 10.0, two_velocity),
                   "max velocity constraint, dt = 0.04");
    papers_note(report,
                "The digits are of tests/reference/two_particles.py, as all derived ones of "
                "this problem.");
}

/* Of GO10 (14) for this problem: M (v1 - v0) + dt lambda Phi_q(middle)^T, and Phi(q1). */
static double step_residual(const two_state *old, const two_state *new)
{
    static const double mass[] = {1.0, 0.1};
    const double h = new->t - old->t;
    double largest = fabs(new->position);
    for (int i = 0; i < 2; i++) {
        const double force = new->lambda *(old->q[i] + new->q[i]);
        const double kinematics = new->q[i] - old->q[i] - 0.5 * h *(old->v[i] + new->v[i]);
        largest = papers_larger(largest, fabs(mass[i] * (new->v[i] - old->v[i]) + h * force));
        largest = papers_larger(largest, fabs(kinematics));
    }
    return largest;
}

/* Of the steps after t = 5.2. */
static double largest_residual(const two_path *path)
{
    const bool arrives = path->count > 0 && path->at[path->count - 1].t > 5.2 + 1e-6;
    double largest = arrives ? 0.0 : NAN;
    for (int i = 1; i < path->count; i++)
        if (path->at[i].t > 5.2 + 1e-6) {
            largest = papers_larger(largest, step_residual(&path->at[i - 1], &path->at[i]));
        }
    return largest;
}

/* The paper's solver stops in the step that begins at 5.2: a fact about its iteration, which is not
 * given in full. What can be shown is that the equations of the step have a solution. */
static void judge_failure(papers_report *report, const two_path *path)
{
    papers_derived(report, "GO10 (14)");
    papers_near(report, 10.0, 1e-9, path->count > 0 ? path->at[path->count - 1].t : NAN,
                "time reached, dt = 0.1, no projection");
    papers_note(
        report,
        "The paper's integration \"fails to converge at t = 5.2\" (Fig. 9). That is true of "
        "its iteration, whose details are in [17]; the equations of that step have a "
        "solution, by our Newton iteration and by that of "
        "tests/reference/two_particles.py: the next two rows.");
    papers_judge(report, (papers_bound){"0 (a solution)", PAPERS_AT_MOST, 0.0, 1e-13},
                 largest_residual(path), "residuals of the steps from t = 5.2 on");
    papers_note(report, "Some hundred rounding errors of the velocities, which go up to 3.");
    papers_printed(report, "0.8120764", two_at(path, 5.3).q[0], "q1(5.3), dt = 0.1, no projection");
    papers_printed(report, "-0.327211", two_at(path, 5.3).lambda,
                   "lambda of the step to 5.3, dt = 0.1");
}

/* Largest |velocity constraint| over from < t <= end. */
static double late_velocity(const two_path *path, double from, double end)
{
    double largest = NAN;
    for (int i = 0; i < path->count && path->at[i].t <= end + 1e-6; i++)
        if (path->at[i].t > from + 1e-6)
            largest = fmax(largest, fabs(path->at[i].velocity)); /* fmax leaves NaN out */
    return largest;
}

/* Fig. 9 to 12 without projection: conserved, and what makes it unstable. */
static void large_step(papers_report *report)
{
    const two_run run = {"none", 0.1, 10.0, false, false, 0.0};
    static two_path path;
    two_follow(report, &run, &path);
    judge_failure(report, &path);
    papers_source(report, "GO10 Fig. 9");
    papers_judge(report, conserved(&path), two_largest(&path, 10.0, two_energy_error),
                 "max |E/E0 - 1|, dt = 0.1, no projection");
    papers_source(report, "GO10 Fig. 10");
    const double late = two_at(&path, 5.2).lambda, next = two_at(&path, 5.3).lambda;
    papers_judge(report, (papers_bound){"oscillates", PAPERS_AT_MOST, 0.0, 0.0}, late * next,
                 "lambda of the steps to 5.2 and to 5.3: their product");
    papers_note(report, "lambda of the motion is positive: v^T v / (2 q^T M^-1 q).");
    papers_source(report, "GO10 Fig. 11");
    papers_judge(report, (papers_bound){"satisfied", PAPERS_AT_MOST, 1e-9, 0.0},
                 two_largest(&path, 5.2, two_position), "max position constraint up to 5.2");
    papers_source(report, "GO10 Fig. 12");
    papers_judge(report, (papers_bound){"growing trend", PAPERS_AT_LEAST, 1.0, 0.0},
                 late_velocity(&path, 2.6, 5.2) / late_velocity(&path, 0.0, 2.6),
                 "max velocity constraint from 2.6 to 5.2 over that up to 2.6");
}

/* Fig. 9 to 12 with all three runs. */
static void draw_large(papers_report *report)
{
    static const two_run runs[] = {
        {"no projection", 0.1, 10.0, false, false, 0.0},
        {"A = M, α = 1", 0.1, 10.0, true, false, 1.0},
        {"A = W, α = 1", 0.1, 10.0, true, true, 1.0},
    };
    static const papers_mark marks[] = {PAPERS_GUIDE, PAPERS_LINE, PAPERS_DASHED};
    static const struct {
        const char *title, *label;
        two_value *value;
    } panels[] = {{"Fig. 9", "energy (J)", energy},
                  {"Fig. 10", "Lagrange multiplier", two_lambda},
                  {"Fig. 11", "position constraint", two_position},
                  {"Fig. 12", "velocity constraint", two_velocity}};
    static two_path path;
    papers_figure *figure = papers_new_figure(
        report, "two-fig9-12",
        "GO10 Fig. 9 to 12: energy, Lagrange multiplier, constraints at position and velocity "
        "level, conserving integration with Δt = 0.1 s. The paper's run without projections stops "
        "at t = 5.2 s; ours goes on.");
    papers_panel *drawn[4];
    for (int p = 0; p < 4; p++)
        drawn[p] = two_panel(figure, panels[p].title, panels[p].label, 10.0);
    for (int i = 0; i < 3; i++) {
        two_follow(report, &runs[i], &path);
        for (int p = 0; p < 4; p++)
            two_draw(drawn[p], marks[i], runs[i].name, &path, panels[p].value);
    }
}

void papers_two(papers_report *report)
{
    small_step(report);
    large_step(report);
    draw_large(report);
}
